#!/bin/sh
# The plan of src holds: which wing may include which, by its doors alone, and no files in a circle;
# CUDA only in one back end, no output below the commands, no file that has grown too long, no two
# files or functions of one name, and no suite that is listed twice. Each rule is also tested with a
# tree that breaks it.
# tests/layers.awk applies the rules, tests/circles.awk finds circles. Run in the build folder.
#   tests/layers.sh [TREE]

set -u
export LC_ALL=C
tests=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 99
# shellcheck source=tests/cases.sh
. "$tests/cases.sh"

# A wing includes only those before it, and of these only the headers that lie in the wing's folder
# itself: its doors, at most so many. What lies in its rooms, the folders below, is private.
wings='base rules code machine answers hardware guests show'
most_doors=12
longest=1000
screen=src/show/tui/terminal_curses.c # the only file with curses
export wings most_doors longest screen

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

# Where a document, a script or a list names a file of src that is not there.
named_but_gone() { # TREE
    (cd "$1" && find . -name src -prune -o -name 'build*' -prune -o \( -name '*.md' -o -name '*.supp' \
        -o -name '*.list' -o -name '*.py' -o -name '*.sh' ! -name layers.sh \) -print | sort |
        xargs grep -noE '\bsrc/[a-z_0-9/]+\.(c|cc|h|def)\b' /dev/null |
        while IFS=: read -r file line path; do
            [ -e "$path" ] || echo "${file#./}:$line: $path"
        done)
}

# --- The real tree --------------------------------------------------------------------------------

tree=${1:-$tests/..}
find_faults "$tree"
[ -z "$(of sources)" ] || fail "sources are found in $tree/src" "$(of sources)"
for wing in $wings; do
    empty "includes of $wing" "$(of "includes of $wing")"
done
empty "every folder is a wing" "$(of folders)"
empty "no wing has more than $most_doors doors" "$(of doors)"
empty "no two files of one name" "$(of names)"
empty "no static function above four lines has the name of one in another file" "$(of functions)"
if command -v nm >/dev/null && [ -d src ]; then
    empty "no files in a circle" "$(find src -name '*.o' ! -path '*/.libs/*' -exec nm -A {} + 2>/dev/null |
        awk -f "$tests/circles.awk")"
else
    skip "no files in a circle" "there is no nm, or no build"
fi
# Sources that need only ISO C are compiled so by the analyzers and for other C libraries.
if command -v "${CC:-cc}" >/dev/null && [ -f config.h ]; then
    build=$PWD
    empty "the doors but base/signals.h need only ISO C" "$(cd "$tree" && printf '%s\n' src/*/*.h |
        sed '/^src.base.signals\.h$/d; s/^src.\(.*\)$/#include "\1"/' |
        "${CC:-cc}" -std=c11 -fsyntax-only -Isrc -I"$build" -I"$build/src" -x c - 2>&1)"
else
    skip "the doors but base/signals.h need only ISO C" "there is no compiler, or no build"
fi
empty "CUDA headers only in src/hardware/*/gpu*" "$(of cuda)"
empty "curses only in $screen" "$(of curses)"
# Everything else also compiles for macOS and other systems of POSIX.
empty "what only Linux has is used only in src/base/platform.c and src/guests" "$(of linux)"
# stdout and stderr are for the commands, for the screen, for tools of the build (files with a main
# of their own), and for src/guests/shim, which is part of the programs that it runs and writes what
# their kernels print.
empty "only the commands print or exit" "$(of output)"
# base/memory.h remembers failures; tools of the build end at once anyway, and the runtime of
# src/guests/shim is a library of its own.
empty "memory only from base/memory.h" "$(of allocation)"
# Where architectures differ is a column of data/compute_capabilities.csv.
empty "no compute capability compared with a number" "$(of capability)"
empty "no file above $longest lines" "$(of length)"
empty "no suite is listed twice" "$(of twice)"
empty "files of src are named by paths that exist" "$(named_but_gone "$tree")"

# --- A tree that breaks each rule once ------------------------------------------------------------

broken=$scratch/broken
for folder in base code/compile hardware/executor guests/shim rules/model extra; do
    mkdir -p "$broken/src/$folder"
done
mkdir -p "$broken/tests/more"
cat >"$broken/src/rules/model/bad.c" <<'END'
#include "base/text.h"
#include "rules/model/own.h"
#  include "code/compile.h"
/* printf("in a comment") and
   exit(1) on its second line */
const char *text = "puts(1) // exit(2)";
int print(void) { return printf("x"); }
char quote = '"'; /* 5" */ void end(void) { exit(1); }
END
cat >"$broken/src/code/compile/bad_includes.c" <<'END'
#include "rules/devices.h"
#include "rules/model/private.h"
END
printf 'int main(void)\n{ return puts("a tool"); }\n' >"$broken/src/base/tool.c"
printf '#include <cuda_runtime_api.h>\n' >"$broken/src/hardware/executor/none.c"
printf '#include <cuda_runtime_api.h>\n' >"$broken/src/hardware/executor/gpu_run.c"
printf '#include <curses.h>\n' >"$broken/src/code/compile/screen.c"
printf '#include <linux/sched.h>\n#include <sched.h>\nint own = "/proc/self/exe";\n/* prctl() */\n' |
    tee "$broken/src/extra/own.c" >"$broken/src/guests/shim/own.c"
for door in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
    : >"$broken/src/hardware/door$door.h"
done
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
printf 'static int run(int a)\n{\n    a++;\n    a++;\n    a++;\n    a++;\n    return a;\n}\n' \
    >"$broken/src/extra/steps.c"
printf 'static struct long_name *\nrun(void)\n{\n}\nstatic int end(void)\n{\n}\n' |
    tee "$broken/src/extra/same.c" >"$broken/src/extra/short.c"
awk 'BEGIN { for (i = 0; i < 1001; i++) print "" }' >"$broken/src/extra/long.c"
printf 'TESTS += tests/a.sh \\\n\ttests/b.sh\nTESTS += tests/b.sh\n' >"$broken/tests/local.mk"
printf 'TESTS += tests/a.sh\n' >"$broken/tests/more/local.mk"

expect() { # NAME EXPECTED SEEN
    if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "expected: $2
seen: $3"; fi
}

printf '# src/base/tool.c and src/base/gone.h\n' >"$broken/tests/a.list"
find_faults "$broken"
expect "a path that does not exist is noticed" 'tests/a.list:1: src/base/gone.h' \
    "$(named_but_gone "$broken")"
expect "a suite that is listed twice is noticed" 'tests/b.sh
tests/a.sh' "$(of twice)"
expect "a wing below is noticed" 'src/rules/model/bad.c includes "code/compile.h"' \
    "$(of 'includes of rules')"
expect "a private header is noticed" \
    'src/code/compile/bad_includes.c includes "rules/model/private.h"' "$(of 'includes of code')"
expect "a folder that is no wing is noticed" 'src/extra is no wing' "$(of folders)"
expect "too many doors are noticed" 'src/hardware has 13 doors, more than 12' "$(of doors)"
expect "two files of one name are noticed" 'own.c: src/extra src/guests/shim' "$(of names)"
expect "two static functions of one name are noticed, unless all are short" \
    'run: src/extra/same.c src/extra/short.c src/extra/steps.c' "$(of functions)"
expect "a circle of files is noticed" 'src/a.c src/b.c' "$(printf '%s\n' 'src/x_la-a.o:0 T f' \
    'src/x_la-a.o: U g' 'src/x_la-b.o:0 T g' 'src/x_la-b.o: U f' 'src/c.o: U g' 'src/c.o:0 T h' |
    awk -f "$tests/circles.awk")"
expect "a CUDA header is noticed" 'src/hardware/executor/none.c:1:#include <cuda_runtime_api.h>' "$(of cuda)"
expect "curses is noticed" 'src/code/compile/screen.c:1:#include <curses.h>' "$(of curses)"
expect "what only Linux has is noticed" 'src/extra/own.c:1:#include <linux/sched.h>
src/extra/own.c:3:int own = "/proc/self/exe";' "$(of linux)"
expect "printing is noticed" "src/rules/model/bad.c:7:int print(void) { return printf(\"x\"); }
src/rules/model/bad.c:8:char quote = '\"'; /* 5\" */ void end(void) { exit(1); }" "$(of output)"
expect "a bare allocation is noticed" 'src/extra/copy.c:3:    return strdup(s);' "$(of allocation)"
expect "a compared compute capability is noticed" '1 2 3 4 6' \
    "$(of capability | cut -d: -f2 | xargs)"
expect "a long file is noticed" "src/extra/long.c has 1001 lines, more than $longest" "$(of length)"

finish_cases
