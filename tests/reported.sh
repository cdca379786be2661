#!/bin/bash
# Faults that users reported, in a folder of one folder each: `cmd`, what they typed, and its input.
# What each now answers is held to the patterns below: + must be there, - must not. Compilers are live
# ones. Not among the suites of `check`, which have a case of their own for each of these faults.
#   tests/reported.sh FOLDER [SMEMCALC]

set -u
export LC_ALL=C
if [ $# -lt 1 ] || ! [ -d "$1" ]; then
    echo "usage: tests/reported.sh FOLDER [SMEMCALC]" >&2
    exit 2
fi
folder=$(cd "$1" && pwd)
program=$(readlink -f "${2:-./smemcalc}")
tests=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cases.sh
. "$tests/cases.sh"
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" && ln -s "$program" "$scratch/bin/smemcalc" || exit 99
PATH=$scratch/bin:$PATH

# The output of a case, on one line for patterns that a line break may divide, too.
run_case() { # NAME
    local copy=$scratch/$1 command
    cp -r "$folder/$1" "$copy" || return
    # The commands leave a folder for PATH that has no nvcc; the program is found there nevertheless.
    command=$(sed "s,PATH=/usr/bin:/bin,PATH=$scratch/bin:/usr/bin:/bin," "$copy/cmd")
    (cd "$copy" && HOME=$copy timeout 300 bash -c "$command") >"$scratch/lines" 2>&1
    echo "exit status $?" >>"$scratch/lines"
    tr -s ' \n' ' ' <"$scratch/lines" >"$scratch/out"
    rm -rf "$copy"
}

answers() { # NAME PATTERN...: extended regular expressions after + or -
    local name=$1 pattern wrong=
    shift
    [ -d "$folder/$name" ] || return
    run_case "$name"
    for pattern; do
        if grep -Eq -e "${pattern#?}" "$scratch/out" "$scratch/lines"; then
            [ "${pattern%"${pattern#?}"}" = + ] || wrong="$wrong
there is: ${pattern#?}"
        else
            [ "${pattern%"${pattern#?}"}" = - ] || wrong="$wrong
nothing matches: ${pattern#?}"
        fi
    done
    if [ -z "$wrong" ]; then pass "$name"; else fail "$name" "${wrong#?}
$(head -n 40 "$scratch/lines")"; fi
    seen="${seen-} $name "
}

# --- What is said of a user's kernel --------------------------------------------------------------

answers pad-false-none +'declare it sa\[BK\]\[BM \+ 4\]' +'no bank conflicts in 13 accesses' -'no padding'
answers advice-declared-rows +'declare it t\[16\]\[72\]' -'no padding'
answers pad-unit-ldmatrix +'chunk c of row r at c \^ \(r >> 2 & 1\)' -'by 1 element'
answers wmma-not-followed +'mma.hpp:91 load 16 B 1 8 4' +'mma.hpp:474 store 8 B 1 16 8' -'15 of 15' -'by 2 elements'
answers wmma-counts +'bank conflicts - 72 information'
answers wmma-wrong-file +'conflicts out, wm.cu:24' -'wm.cu:(474|99)'
answers banks-noinline +'1 of 2 accesses to shared memory cannot be followed, 1 of them a call of get' -'1 of 1 accesses'
answers slow-bank-walk +'rows<128>.*,128,0,0,32768,' +'exit status 0'
answers unlaunched-member-kernel +'fill_all<double>' -'fill_all<float>'

# --- Launches and clusters ------------------------------------------------------------------------

answers block-z +'a block of 128 threads in z; this device allows 64' -'occupancy 100 %'
answers cluster-shape +'15 of 4 x 2 blocks at a time' +'112 blocks in 14 clusters' -'not a whole number' -'does not divide'
answers cluster-waves +'clusters 15 of 8 blocks at a time' +'9 waves of 120' -'16 clusters'
answers cluster-nonportable +'np 0 cluster 16: .*launch cudaErrorInvalidClusterSize' +'np 1 cluster 16: active 7 .*launch cudaSuccess' -'NotSupported'

# --- Logs, tables and profiles --------------------------------------------------------------------

answers log-head-cut +'_Z4bigKPf: left out' +'^exit 2$'
answers log-minnctapersm +'.minnctapersm will be ignored' +'1 of 1 promises are broken' +'exit status 1'
answers neg-spills +'64 - .*7168 128' +'exit status 0' -'damaged'
answers batch-unknown-column +'256,40,12288,A100,6,48,75,registers,8,32,6,12' +"unknown column 'smem_bytes'" +'exit status 2'
answers ncu-configured-smem +'tiny 100 1 12.3 us 32 16 0 8 16.7 16.5' +'limited by shared memory'
answers ncu-allocated-smem +'fused 50.0 1 \? 256 32 128 8 100' -'shared memory was not recorded'
answers kineto-sms +'which has 132 SMs' +'A100-SXM4-40GB has 108 SMs, but the GPU of the trace has 132'
answers nsys-csv +'gputrace.csv' -'not a trace:'

# --- What people type -----------------------------------------------------------------------------

answers device-bare-3060 +"'3060': NVIDIA GeForce RTX 3060 .28 SMs." +"'2060': NVIDIA GeForce RTX 2060 .30 SMs." +"'4060': NVIDIA GeForce RTX 4060 .24 SMs."
answers device-did-you-mean -'GTX 460' -'GTX 280' -'GT 240' -'Tesla P100'
answers device-sxm +'A100-SXM4' +'V100-SXM2' +'RTX 3070 Laptop' +'RTX 4070 Laptop' -'unknown device .(A100|V100)'
answers smem-size-forms -'0xc400' -'50176B' -"'48 KB'"
answers sm90a-run +'ws CC 9.0 128 0 512 256 2 25 %' +'ws on sm_90a|ws on compute capability 9.0|setmaxnreg waits for' +'compiled for sm_90a, which the source needs' -'use --device instead'
answers nvrtc-retry +'exit status 0' -'without nvcc'

# --- Compilers ------------------------------------------------------------------------------------

answers nvcc-error-hidden +'expt-relaxed-constexpr' -'could be compiled without nvcc'
answers nvcc-error-lost +'expt-relaxed-constexpr' -'could be compiled without nvcc'
answers header-named-error +'types.h:1.*absent.h' -'In file included from my-error.h:1,$'
answers missing-header-no-kernel +'cutlass/gemm/absent.h' -'k.cu: no kernel in it$'
answers missing-header-nested +'No such file|not found' -'no kernel in it$'
answers guarded-header-blamed -'hip_runtime.h'
answers cuda-version-nvrtc +'exit status 0'
answers driver-functions-h +'exit status 0'
answers flt-max-macro +'exit status 0'
answers half-from-cublas +'exit status 0'
answers uint64-mangling +'_Z4fillPim'

# --- The emulator ---------------------------------------------------------------------------------

answers shfl-divergent +'act2.*no findings|no findings.*act2' +'bal2: no findings' -'does? not take part'
answers barrier-part-of-block +'bar.cu:4: a barrier that other threads of the block pass by' +'different barriers'
answers bars-two-branches +'threads of the block wait at different barriers.*sync.cu:9'
answers seed-volatile-warp-sum +'race: read after another thread.s write' +'__syncwarp\(\) does'
answers volatile-warp +'mins: no findings' # with :ramp no step writes; :random finds the race
answers seed-lanes-left-shfl +'lane 4 reads lane 20, which has exited'
answers setmaxnreg-hang +'setmaxnreg waits for 3584 registers'
answers dsmem-race +'race: (written|read) after another thread.s (read|write); block \(1,0,0\)'
answers cluster-lanes +'6 106 6 106'
answers clipped-store +'wrong 0' -'unwritten'
answers warpgroup-apart +'wrong 0 of 16384' -'finding'
answers copy-race-crash +'race: written after another thread.s read' -'exit status 139'
answers deadlock-words +'full\[0\]' +'1024 bytes are missing' +'called from gemm'
answers peer-left +'block 0 of the cluster has ended' -'out of bounds'
answers sass-only +'code=compute_90a' -'code=compute_90$'
answers virtual-across-kernels +'no error: 7 5' -'finding'
answers function-pointer-across-kernels +'by the host: 6' +'by a kernel: 18' -'finding'
answers seed-missing-copy +'device memory is read that nothing has written' +'k.cu:7'
answers seed-no-opt-in +'cudaFuncAttributeMaxDynamicSharedMemorySize, 65536' +'^1$'
answers seed-double-free +'cudaFree failed' +'cudaMemcpy failed'
# 7.0 ms is the tensor cores' peak; an H200 takes 10.86.
answers wgmma-rate +'^([789]|1[0-4])(\.[0-9]+)? ms \(.* predicted' +'bound by tensor pipe' -'4740'

for case in "$folder"/*/; do
    case=$(basename "$case")
    case $seen in
    *" $case "*) ;;
    *) skip "$case" "no pattern says what is right" ;;
    esac
done
finish_cases
