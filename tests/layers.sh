#!/bin/sh
# The layers hold: who may include whom, CUDA only in one back end, no output below the commands,
# no file that has grown too long, and no suite that is listed twice. Each rule is also tested with a
# tree that breaks it.
#   tests/layers.sh [TREE]

set -u
export LC_ALL=C
tests=$(dirname "$0")
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
executor: emulator/array_advice.h emulator/emulator.h inspect source query timing/timing.h catalog compile devices model base
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

sources() { # TREE: files whose text the rules are about
    (cd "$1" && find src -name '*.[ch]' -o -name '*.def' -path 'src/*' | sort)
}

# Prints one line for each include that its layer does not allow.
forbidden_includes() { # TREE LAYER ALLOWED
    sources "$1" | grep -E "^src/$2(/|\.c)" | while read -r file; do
        sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\(\.\.\/\)\{0,1\}\([^"]*\)".*/\2/p' "$1/$file" | while read -r header; do
            for allowed in "$2" $3; do
                case $header in config.h | "$allowed" | "$allowed"/*) continue 2 ;; esac
            done
            printf '%s includes "%s"\n' "$file" "$header"
        done
    done
}

unlisted_folders() { # TREE
    for folder in "$1"/src/*/; do
        name=$(basename "$folder")
        printf '%s' "$layers" | grep -q "^$name:" || printf 'src/%s is in no layer\n' "$name"
    done
}

cuda_outside_gpu() { # TREE
    sources "$1" | grep -v '^src/executor/gpu' | while read -r file; do
        grep -nEi '#[ \t]*include[ \t]*["<](cu(da|pti|blas|complex|fft|rand|solver|sparse)[a-z_]*|nvrtc|driver_types|vector_types|nvml|nvPTXCompiler)\.h' \
            "$1/$file" | sed "s|^|$file:|"
    done
}

screen=src/tui/terminal_curses.c

curses_elsewhere() { # TREE
    sources "$1" | grep -vx "$screen" | while read -r file; do
        grep -nE '#[ \t]*include[ \t]*["<](n?curses|term)\.h' "$1/$file" | sed "s|^|$file:|"
    done
}

# What only Linux has. Everything else also compiles for macOS and other systems of POSIX.
for_linux='^src/base/platform\.c$|^src/base/sandbox\.(c|def)$|^src/shim/|^src/trace/inject/'

linux_elsewhere() { # TREE
    sources "$1" | grep -Ev "$for_linux" | while read -r file; do
        grep -nE '#[ \t]*include[ \t]*<(linux/.*|asm/.*|elf|link|features|malloc|mntent|sys/(auxv|epoll|eventfd|inotify|prctl|sendfile|signalfd|syscall|sysinfo|sysmacros|timerfd|vfs|xattr))\.?h?>|"/proc/|\<(pipe2|accept4|dup3|prctl|syscall|memfd_create|sigtimedwait|strchrnul|strverscmp|qsort_r|dlinfo|dlvsym|pidfd_[a-z]*|SI_KERNEL|SOCK_CLOEXEC|O_TMPFILE)\>' \
            "$1/$file" | sed "s|^|$file:|"
    done
}

# Comments and strings do not count. stdout and stderr are for the commands, for the screen, for
# tools of the build (files with a main of their own), and for src/shim, which is part of the programs
# that it runs and writes what their kernels print.
printing_or_exiting() { # TREE
    sources "$1" | grep -v -e '^src/cli/' -e '^src/shim/' | grep -vx "$screen" | while read -r file; do
        ! grep -q '^int main(' "$1/$file" || continue
        sed -e 's/"\(\\.\|[^"\\]\)*"/""/g' -e 's|//.*||' "$1/$file" |
            awk '{ while (match($0, "/[*]")) {
                     rest = substr($0, RSTART + 2); $0 = substr($0, 1, RSTART - 1)
                     while (!(at = index(rest, "*/")) && (getline rest) > 0);
                     $0 = $0 " " substr(rest, at + 2) }
                   print NR ":" $0 }' |
            grep -E '(^|[^a-zA-Z0-9_])((v?printf|puts|putchar|perror|exit|quick_exit|abort) *\(|stdout|stderr)' |
            sed "s|^|$file:|"
    done
}

# Memory comes from base/memory.h, which remembers failures; tools of the build end at once anyway,
# and the runtime of src/shim is a library of its own.
forgetful_allocation() { # TREE
    sources "$1" | grep -vx -e src/base/memory.c -e src/shim/runtime.c | while read -r file; do
        ! grep -q '^int main(' "$1/$file" || continue
        grep -nE '(^|[^a-zA-Z0-9_.>])(malloc|calloc|realloc|reallocarray|strdup|strndup|aligned_alloc|v?asprintf|open_memstream|glob)\(' \
            "$1/$file" | grep -vE '^[0-9]+: *(/\*|\*|   [A-Z(])' | sed "s|^|$file:|"
    done
}

too_long() { # TREE
    sources "$1" | while read -r file; do
        lines=$(wc -l <"$1/$file")
        [ "$lines" -le "$longest" ] || printf '%s has %d lines, more than %d\n' "$file" "$lines" "$longest"
    done
}

# Where architectures differ is a column of data/compute_capabilities.csv. Comparing two of them, or
# with the range of what can be written as one, is not meant.
compared_capability() { # TREE
    sources "$1" | while read -r file; do
        grep -nE '\<cc( */ *10)? *(==|!=|<=|>=|<|>) *([1-9]|[A-Z])|[0-9] *(==|!=|<=|>=|<|>) *[a-z_.>-]*\<cc\>' "$1/$file" |
            grep -vE '\<cc *<=? *(SMC_M(IN|AX)_CC|UINT16_MAX)|/ *10 *== *[a-z_.>-]*\<cc\> */ *10' | sed "s|^|$file:|"
    done
}

# Its cases would be counted twice.
suites_twice() { # TREE
    sed -n 's/^TESTS += //p' "$1/tests/local.mk" | tr ' ' '\n' | sort | uniq -d
}

# --- The real tree --------------------------------------------------------------------------------

tree=${1:-$tests/..}
[ -n "$(sources "$tree")" ] || fail "sources are found in $tree/src"
for layer in $(printf '%s' "$layers" | sed -n 's/:.*//p'); do
    allowed=$(printf '%s' "$layers" | sed -n "s/^$layer://p")
    empty "includes of $layer" "$(forbidden_includes "$tree" "$layer" "$allowed")"
done
empty "every folder is in a layer" "$(unlisted_folders "$tree")"
empty "CUDA headers only in src/executor/gpu*" "$(cuda_outside_gpu "$tree")"
empty "curses only in $screen" "$(curses_elsewhere "$tree")"
empty "what only Linux has is used only in src/base/platform.c, src/shim and src/trace/inject" \
    "$(linux_elsewhere "$tree")"
empty "only the commands print or exit" "$(printing_or_exiting "$tree")"
empty "memory only from base/memory.h" "$(forgetful_allocation "$tree")"
empty "no compute capability compared with a number" "$(compared_capability "$tree")"
empty "no file above $longest lines" "$(too_long "$tree")"
empty "no suite is listed twice" "$(suites_twice "$tree")"

# --- A tree that breaks each rule once ------------------------------------------------------------

broken=$(mktemp -d) || exit 99
trap 'rm -rf "$broken"' EXIT
mkdir -p "$broken/src/base" "$broken/src/model" "$broken/src/executor" "$broken/src/confirm" "$broken/src/extra"
cat >"$broken/src/model/bad.c" <<'END'
#include "base/text.h"
#  include "devices/devices.h"
/* printf("in a comment") and
   exit(1) on its second line */
const char *text = "puts(1) // exit(2)";
int print(void) { return printf("x"); }
END
cat >"$broken/src/confirm/bad.c" <<'END'
#include "executor/executor.h"
#include "executor/gpu.h"
END
printf 'int main(void)\n{ return puts("a tool"); }\n' >"$broken/src/base/tool.c"
printf '#include <cuda_runtime_api.h>\n' >"$broken/src/executor/none.c"
printf '#include <cuda_runtime_api.h>\n' >"$broken/src/executor/gpu_run.c"
printf '#include <curses.h>\n' >"$broken/src/confirm/screen.c"
awk 'BEGIN { for (i = 0; i < 1001; i++) print "" }' >"$broken/src/extra/long.c"

expect() { # NAME EXPECTED SEEN
    if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "expected: $2
seen: $3"; fi
}

mkdir -p "$broken/tests"
printf 'TESTS += tests/a.sh tests/b.sh\nTESTS += tests/b.sh\n' >"$broken/tests/local.mk"
expect "a suite that is listed twice is noticed" tests/b.sh "$(suites_twice "$broken")"
expect "a forbidden layer is noticed" 'src/model/bad.c includes "devices/devices.h"' \
    "$(forbidden_includes "$broken" model base)"
expect "a forbidden header is noticed" 'src/confirm/bad.c includes "executor/gpu.h"' \
    "$(forbidden_includes "$broken" confirm "executor/executor.h query")"
expect "a folder without a layer is noticed" 'src/extra is in no layer' "$(unlisted_folders "$broken")"
expect "a CUDA header is noticed" 'src/executor/none.c:1:#include <cuda_runtime_api.h>' \
    "$(cuda_outside_gpu "$broken")"
expect "curses is noticed" 'src/confirm/screen.c:1:#include <curses.h>' "$(curses_elsewhere "$broken")"
mkdir -p "$broken/src/shim"
printf '#include <linux/sched.h>\n#include <sched.h>\nint own = "/proc/self/exe";\n' | tee "$broken/src/extra/own.c" >"$broken/src/shim/own.c"
expect "what only Linux has is noticed" 'src/extra/own.c:1:#include <linux/sched.h>
src/extra/own.c:3:int own = "/proc/self/exe";' "$(linux_elsewhere "$broken")"
expect "printing is noticed" 'src/model/bad.c:6:int print(void) { return printf(""); }' \
    "$(printing_or_exiting "$broken")"
printf 'char *copy(const char *s)\n{\n    return strdup(s);\n}\n' >"$broken/src/extra/copy.c"
expect "a bare allocation is noticed" 'src/extra/copy.c:3:    return strdup(s);' \
    "$(forgetful_allocation "$broken")"
cat >"$broken/src/extra/since.c" <<'END'
bool has_copies(uint16_t cc) { return cc >= 80; }
bool has_clusters(const struct smc_sm *sm) { return sm->cc >= OLDEST_WITH_CLUSTERS; }
bool is_fermi(const struct smc_sm *sm) { return sm->cc / 10 == 2; }
bool is_old(uint16_t cc) { return 75 > cc; }
bool is_same(uint16_t cc, const struct smc_sm *sm) { return cc == sm->cc && cc <= SMC_MAX_CC; }
END
expect "a compared compute capability is noticed" '1 2 3 4' \
    "$(compared_capability "$broken" | cut -d: -f2 | xargs)"
expect "a long file is noticed" "src/extra/long.c has 1001 lines, more than $longest" \
    "$(too_long "$broken")"

finish_cases
