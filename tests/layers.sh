#!/bin/sh
# The layers hold: who may include whom, CUDA only in one back end, no output below the commands,
# no file that has grown too long, and no suite that is listed twice. Each rule is also tested with a
# tree that breaks it. tests/layers.awk applies the rules.
#   tests/layers.sh [TREE]

set -u
export LC_ALL=C
tests=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 99
# shellcheck source=tests/cases.sh
. "$tests/cases.sh"

# folder: folders, or single headers, that it may include besides its own.
layers='
base:
model:    base
devices:  model base
batch:    devices model base
catalog:  model base
compile:  catalog devices model base
machine:  compile devices model base
timing:   machine compile devices model base
query:    timing compile catalog devices model base
emulator: model base
source:   model/conflict_free.h base
inspect:  source emulator/bank_accesses.h emulator/arena.h query timing/timing.h compile devices model base
judge:    emulator/findings.def inspect query timing/timing.h compile devices model base
executor: emulator/array_advice.h emulator/emulator.h emulator/narrow.h inspect source query timing/timing.h catalog compile devices model base
fleet:    executor/health_figures.def base
confirm:  fleet executor/executor.h executor/health.h executor/user.h query timing/timing.h devices model base
trace:    judge/findings.h inspect query timing/timing.h compile catalog devices model base
shim:     trace/inject emulator/emulator.h emulator/tensor_maps.h inspect/fatbin.h compile devices model base
doctor:   inspect/tools.h executor/executor.h compile devices model base
lesson:   query timing/timing.h catalog compile devices model base
report:   doctor/doctor.h trace/answer.h trace/trace.h confirm fleet emulator/bank_accesses.h judge/diff.h judge/findings.h judge/selection.h inspect/inspect.h inspect/names.h query timing/timing.h executor/ceilings.h executor/executor.h executor/health.h executor/user.h catalog compile/compile.h devices model base
plot:     trace/answer.h trace/trace.h report/kernel_names.h report/words.h report/banks.h query timing/rates.h timing/timing.h catalog compile/compile.h devices model base
tui:      lesson plot report trace/answer.h trace/trace.h confirm executor/executor.h query timing/timing.h compile catalog devices model base
cli:      doctor/doctor.h lesson tui/tui.h batch plot report trace confirm fleet emulator/bank_accesses.h judge inspect executor query timing/timing.h compile catalog devices model base
main:     cli
'
longest=1000
screen=src/tui/terminal_curses.c # the only file with curses
export layers longest screen

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT

# Reads the files of a tree once. A line for each fault: its rule, a tab, where and what it is.
find_faults() { # TREE
    (cd "$1" && find src tests ! -type d | sort | awk -f "$tests/layers.awk") >"$scratch/faults" ||
        exit 99
}

of() { # RULE: its faults
    sed -n "s|^$1	||p" "$scratch/faults"
}

# --- The real tree --------------------------------------------------------------------------------

tree=${1:-$tests/..}
find_faults "$tree"
[ -z "$(of sources)" ] || fail "sources are found in $tree/src" "$(of sources)"
for layer in $(printf '%s' "$layers" | sed -n 's/:.*//p'); do
    empty "includes of $layer" "$(of "includes of $layer")"
done
empty "every folder is in a layer" "$(of folders)"
empty "CUDA headers only in src/executor/gpu*" "$(of cuda)"
empty "curses only in $screen" "$(of curses)"
# Everything else also compiles for macOS and other systems of POSIX.
empty "what only Linux has is used only in src/base/platform.c, src/shim and src/trace/inject" \
    "$(of linux)"
# stdout and stderr are for the commands, for the screen, for tools of the build (files with a main
# of their own), and for src/shim, which is part of the programs that it runs and writes what their
# kernels print.
empty "only the commands print or exit" "$(of output)"
# base/memory.h remembers failures; tools of the build end at once anyway, and the runtime of src/shim
# is a library of its own.
empty "memory only from base/memory.h" "$(of allocation)"
# Where architectures differ is a column of data/compute_capabilities.csv.
empty "no compute capability compared with a number" "$(of capability)"
empty "no file above $longest lines" "$(of length)"
empty "no suite is listed twice" "$(of twice)"

# --- A tree that breaks each rule once ------------------------------------------------------------

broken=$scratch/broken
for folder in base confirm executor extra model shim; do
    mkdir -p "$broken/src/$folder"
done
mkdir -p "$broken/tests/more"
cat >"$broken/src/model/bad.c" <<'END'
#include "base/text.h"
#  include "devices/devices.h"
/* printf("in a comment") and
   exit(1) on its second line */
const char *text = "puts(1) // exit(2)";
int print(void) { return printf("x"); }
char quote = '"'; /* 5" */ void end(void) { exit(1); }
END
cat >"$broken/src/confirm/bad.c" <<'END'
#include "executor/executor.h"
#include "executor/gpu.h"
END
printf 'int main(void)\n{ return puts("a tool"); }\n' >"$broken/src/base/tool.c"
printf '#include <cuda_runtime_api.h>\n' >"$broken/src/executor/none.c"
printf '#include <cuda_runtime_api.h>\n' >"$broken/src/executor/gpu_run.c"
printf '#include <curses.h>\n' >"$broken/src/confirm/screen.c"
printf '#include <linux/sched.h>\n#include <sched.h>\nint own = "/proc/self/exe";\n/* prctl() */\n' |
    tee "$broken/src/extra/own.c" >"$broken/src/shim/own.c"
printf 'char *copy(const char *s)\n{\n    return strdup(s);\n}\n' >"$broken/src/extra/copy.c"
cat >"$broken/src/extra/since.c" <<'END'
bool has_copies(uint16_t cc) { return cc >= 80; }
bool has_clusters(const struct smc_sm *sm) { return sm->cc >= OLDEST_WITH_CLUSTERS; }
bool is_fermi(const struct smc_sm *sm) { return sm->cc / 10 == 2; }
bool is_old(uint16_t cc) { return 75 > cc; }
bool is_same(uint16_t cc, const struct smc_sm *sm) { return cc == sm->cc && cc <= SMC_MAX_CC; }
bool is_in(uint16_t cc) { return cc >= 90 && cc <= SMC_MAX_CC; }
bool is_family(struct smc_sm *a, struct smc_sm *b) { return a->cc / 10 == b->cc / 10; }
END
awk 'BEGIN { for (i = 0; i < 1001; i++) print "" }' >"$broken/src/extra/long.c"
printf 'TESTS += tests/a.sh \\\n\ttests/b.sh\nTESTS += tests/b.sh\n' >"$broken/tests/local.mk"
printf 'TESTS += tests/a.sh\n' >"$broken/tests/more/local.mk"

expect() { # NAME EXPECTED SEEN
    if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "expected: $2
seen: $3"; fi
}

find_faults "$broken"
expect "a suite that is listed twice is noticed" 'tests/b.sh
tests/a.sh' "$(of twice)"
expect "a forbidden layer is noticed" 'src/model/bad.c includes "devices/devices.h"' \
    "$(of 'includes of model')"
expect "a forbidden header is noticed" 'src/confirm/bad.c includes "executor/gpu.h"' \
    "$(of 'includes of confirm')"
expect "a folder without a layer is noticed" 'src/extra is in no layer' "$(of folders)"
expect "a CUDA header is noticed" 'src/executor/none.c:1:#include <cuda_runtime_api.h>' "$(of cuda)"
expect "curses is noticed" 'src/confirm/screen.c:1:#include <curses.h>' "$(of curses)"
expect "what only Linux has is noticed" 'src/extra/own.c:1:#include <linux/sched.h>
src/extra/own.c:3:int own = "/proc/self/exe";' "$(of linux)"
expect "printing is noticed" "src/model/bad.c:6:int print(void) { return printf(\"x\"); }
src/model/bad.c:7:char quote = '\"'; /* 5\" */ void end(void) { exit(1); }" "$(of output)"
expect "a bare allocation is noticed" 'src/extra/copy.c:3:    return strdup(s);' "$(of allocation)"
expect "a compared compute capability is noticed" '1 2 3 4 6' \
    "$(of capability | cut -d: -f2 | xargs)"
expect "a long file is noticed" "src/extra/long.c has 1001 lines, more than $longest" "$(of length)"

finish_cases
