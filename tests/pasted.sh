#!/bin/sh
# What people paste and type: logs that were cut, sizes as error messages write them, tables that other
# tools print, half a board's name. A gate never passes on what was not read. Run in the build folder.

set -u
export LC_ALL=C NO_COLOR=1 SMEMCALC_PROGRAM=smemcalc

here=$(cd "$(dirname "$0")" && pwd) || exit 99
program=$PWD/smemcalc
# shellcheck source=tests/cases.sh
. "$here/cases.sh"

[ -x "$program" ] || { echo "pasted.sh: no ./smemcalc here" >&2; exit 77; }
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
export SMEMCALC_CACHE_DIR="$scratch/cache"
mkdir "$scratch/work" && cd "$scratch/work" || exit 99

# Runs smemcalc; compares the exit status, and looks for a line in what it prints.
prints() { # NAME STATUS REGULAR-EXPRESSION ARGUMENT...
    name=$1 wanted=$2 line=$3
    shift 3
    "$program" "$@" >out 2>&1 </dev/null
    status=$?
    empty "$name" "$(
        [ "$status" -eq "$wanted" ] || echo "exit status $status, not $wanted"
        { [ "$status" -eq "$wanted" ] && grep -qE -e "$line" out; } || { echo "no line: $line"; cat out; })"
}

# --- Logs of ptxas --------------------------------------------------------------------------------

cat >whole.log <<'END'
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z4bigKPf' for 'sm_80'
ptxas info    : Function properties for _Z4bigKPf
    8 bytes stack frame, 120 bytes spill stores, 160 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 40000 bytes smem, 360 bytes cmem[0]
ptxas info    : Compiling entry function '_Z3fooPi' for 'sm_80'
ptxas info    : Function properties for _Z3fooPi
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 33 registers, used 0 barriers, 372 bytes cmem[0]
END
tail -n 7 whole.log >head-cut.log
prints "the gate of a log without the head of a kernel names the kernel and ends with 2" 2 \
    '^smemcalc: head-cut.log: _Z4bigKPf: left out: ' head-cut.log --threads 256 --max-regs 64
head -n 1 whole.log >figures-only.log
grep 'Used' whole.log >>figures-only.log
prints "a log with registers and no kernel's name ends with 2" 2 \
    '^smemcalc: figures-only.log: the figures of 2 kernels have no name: ' figures-only.log
lost=
for bytes in $(seq 1 8 "$(wc -c <whole.log)"); do
    tail -c "$bytes" whole.log >tail.log
    "$program" tail.log --threads 256 --max-regs 300 >out 2>&1
    status=$?
    case $(cat tail.log) in # the registers of the first kernel are there, but not its name
    *"Compiling entry function '_Z4big"*) expected=0 ;;
    *"mem["*"'_Z3foo"*) expected=2 ;;
    *"Compiling entry function '_Z3foo"*) expected=0 ;;
    *) expected=2 ;;
    esac
    [ "$status" -eq "$expected" ] || lost="$lost $bytes:$status"
done
empty "no gate passes on the end of a log, wherever it begins" "$lost"

cat >ignored.log <<'END'
ptxas warning : Value of threads per SM for entry _Z3barPf is out of range. .minnctapersm will be ignored
ptxas warning : Value of minnctapersm for entry _Z3bazPf is out of range. minnctapersm will be ignored
ptxas info    : Compiling entry function '_Z3barPf' for 'sm_89'
ptxas info    : Function properties for _Z3barPf
    8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 64 registers, used 0 barriers, 360 bytes cmem[0]
ptxas info    : Compiling entry function '_Z3bazPf' for 'sm_89'
ptxas info    : Function properties for _Z3bazPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 360 bytes cmem[0]
END
prints "launch bounds that ptxas ignored are shown with the kernel" 0 \
    '^smemcalc: warning: ignored.log: bar(\(float\*\))?: its launch bounds are broken on sm_89: Value' \
    ignored.log --threads 512
prints "--lint counts launch bounds that ptxas ignored as broken" 1 '^2 of 2 promises are broken' \
    ignored.log --lint
prints "--lint on a device that the log's code is not for has nothing to check" 1 \
    '^2 of 2 promises' ignored.log --lint --device sm_89
sed 's/ \(8\|0\) bytes spill/ -56 bytes spill/g' ignored.log >negative.log
prints "a negative count of spills is unknown, and the other figures are read" 0 \
    '^  CC 8.9 +64 +- ' negative.log --threads 128
prints "spills that are counted as negative are not said to be missing" 0 \
    '^  - spills: unknown: the log counts them as negative$' negative.log --threads 128
sed 's/ \(8\|0\) bytes spill/ 4294967240 bytes spill/g' ignored.log >negative.log
prints "a negative count of spills without its sign is unknown" 0 '^  CC 8.9 +64 +- ' negative.log --threads 128
sed 's/Used 64/Used -64/' ignored.log >negative.log
prints "a negative count of registers is damage" 2 'the log is damaged' negative.log --threads 128

# --- Launches that no GPU makes -------------------------------------------------------------------

z="a block of 128 threads in z; this device allows 64"
prints "a query refuses a block with more threads in z than 64" 0 "^cannot launch: $z$" \
    --threads 1x1x128 --device 8.0
prints "a query refuses such a block of a catalog's kernel's grid, too" 0 \
    "^cannot launch: a grid of 70000 blocks in y; " --threads 64 --grid 1x70000 --device 9.0
prints "inspect refuses a block with more threads in z than 64" 0 "^ +cannot launch: $z" \
    whole.log --threads 1x1x128
prints "a gate fails for a block with more threads in z than 64" 1 ': 0 blocks per SM, but 1 required' \
    whole.log --threads 1x1x128 --require-blocks 1
printf 'threads,regs,device\n1x1x128,32,8.0\n1x1x64,32,8.0\n' >z.csv
prints "batch refuses a block with more threads in z than 64" 0 '^1x1x128,32,8.0,0,0,0,,' batch z.csv
prints "a block that is too large in z and as a whole is refused for both" 0 \
    '^cannot launch: a block of 1040 threads; .* and a block of$' --threads 4x4x65 --device H200

# --- Clusters -------------------------------------------------------------------------------------

one="--threads 256 --regs 32 --dynamic-smem 200K"
# shellcheck disable=SC2086
prints "clusters have a row without a grid" 0 '^clusters +15 of 8 blocks at a time, 120 blocks$' \
    $one --cluster 8 --device "H100 80GB HBM3"
# shellcheck disable=SC2086
prints "waves follow clusters" 0 '^grid +1056 blocks in 132 clusters on 132 SMs: 9 waves of 120' \
    $one --cluster 8 --grid 1056 --device "H100 80GB HBM3"
# shellcheck disable=SC2086
prints "a cluster may have a shape" 0 '^clusters +15 of 4 x 2 blocks at a time' \
    $one --cluster 4x2x1 --grid 4x28 --device "NVIDIA H200"
# shellcheck disable=SC2086
prints "a cluster of a number alone may lie in y" 0 '^clusters +66 of 2 blocks' \
    $one --cluster 2 --grid 1x132 --device "NVIDIA H200"
# shellcheck disable=SC2086
prints "a cluster that does not divide the grid cannot launch" 0 \
    '^cannot launch: a grid of 5 x 2 x 1 blocks; it is no multiple of a cluster of 2 x$' \
    $one --cluster 2x1x1 --grid 5x2 --device "NVIDIA H200"
# shellcheck disable=SC2086
prints "a board whose groups of SMs are not known has a bound" 0 \
    '^clusters +at most 14 of 8 blocks at a time, 112 blocks; fewer' \
    $one --cluster 8 --device "H100 PCIe"
# shellcheck disable=SC2086
prints "a cluster above the portable size names the attribute" 0 \
    'cudaFuncAttributeNonPortableClusterSizeAllowed' $one --cluster 16 --device 9.0

finish_cases
