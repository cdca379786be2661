#!/bin/sh
# Whether the program supports what CUDA does: compute capabilities of the NVRTC found here and of
# the newest one, and machine code of the newest compiler. A compute capability that is newer than
# the table is reported as such, and never treated as another.
#   tests/current.sh            run in the build folder. What is in newest-cuda there (see
#                               newest_cuda.sh), or in $NEWEST_CUDA, counts as the newest.
#                               A table that lags behind counts as skipped.
#   tests/current.sh --strict   there it is a failure: for a scheduled run

set -u
strict=${1-}
list=$PWD/tests/current
fake=$PWD/tests/gpu/fake_smemcalc
newest=${NEWEST_CUDA:-$PWD/newest-cuda}
case $newest in /*) ;; *) newest=$PWD/$newest ;; esac
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

lags() { # NAME WHAT
    if [ "$strict" = --strict ]; then fail "$1" "$2"; else skip "$1" "$2"; fi
}

# --- Compute capabilities -------------------------------------------------------------------------

covers() { # NAME [LIBNVRTC]
    name=$1
    shift
    "$list" "$@" >out 2>&1
    case $? in
    0) pass "$name: $(cat out)" ;;
    77) skip "$name" "$(cat out)" ;;
    *) lags "$name" "$(cat out)" ;;
    esac
}

nvrtc=$(find "$newest/" -name 'libnvrtc.so.*' 2>/dev/null | sort | tail -n 1)
covers "the NVRTC found here"
if [ -n "$nvrtc" ]; then
    covers "the newest NVRTC" "$nvrtc"
else
    skip "the newest NVRTC" "none in $newest"
fi

# --- Newer than the table -------------------------------------------------------------------------

which="'smemcalc devices' lists those it has; --device-file describes others"
for typed in 10.9 sm_109 sm_109a compute_109; do
    refuses 2 "option --device: compute capability 10.9 is newer than this table; $which" \
        --tile 16 --device "$typed"
done
refuses 2 "option --device: compute capability 13.0 is newer than this table; $which" \
    --tile 16 --device 13.0
refuses 2 "option --device: compute capability 10.5 is not in this table; $which" \
    --tile 16 --device 10.5
sed 's/sm_120/sm_109/g' "$here/data/inspect/own-sm120.ptxas" >newer.ptxas
smemcalc inspect newer.ptxas >out 2>err
status=$?
empty "a kernel compiled for what is newer" "$(
    [ $status -eq 2 ] || echo "exit status $status"
    grep -v '^smemcalc: newer.ptxas: compiled for sm_109: compute capability 10.9 is newer than this table; name a device with --device$' err
    cat out
)"

if [ -x "$fake" ]; then
    program=$fake
    export FAKE_GPU=unheard-of
    later='a newer smemcalc may know it, or describe the device in a file (--device-file)'
    for command in '--tile 16' 'run --tile 16' '--tile 16 --device gpu0'; do
        # shellcheck disable=SC2086 # words of a command
        smemcalc $command >out 2>err
        status=$?
        empty "a GPU that is newer: $command" "$(
            [ $status -eq 3 ] || echo "exit status $status"
            sed 's/^smemcalc: \(option --device: \)*//' err |
                grep -vxF "GPU 0 (NVIDIA Whatever): compute capability 10.9 is newer than this table; $later"
            cat out
        )"
    done
    unset FAKE_GPU
    program=$(dirname "$(dirname "$(dirname "$fake")")")/smemcalc
else
    skip "a GPU that is newer" "no fake GPU in this build"
fi

# --- What the newest compiler makes ---------------------------------------------------------------

knows_rubin() {
    [ -n "$nvrtc" ] && "$list" "$nvrtc" | grep -q ' 10\.7'
}

if knows_rubin; then
    export SMEMCALC_NVRTC="$nvrtc"
    for device in 7.5 9.0 10.0 10.3 10.7 12.1; do
        smemcalc run --tile 16 --size 64 --on emulator --device "$device" >out 2>&1
        status=$?
        empty "the newest PTX for $device on the emulator" "$(
            [ $status -eq 0 ] || cat out)"
    done
    if [ -x "$fake" ]; then
        program=$fake
        export FAKE_GPU='rubin cuda-13.5 compiled'
        launch='--kernel stencil-dynamic --radius 36000 --length 80000'
        # shellcheck disable=SC2086
        smemcalc run $launch --smem-mode oversized >out 2>&1
        status=$?
        empty "a launch in the oversized mode" "$(
            [ $status -eq 0 ] || cat out
            tr -s ' ' <out | grep -q 'in the mode oversized, which was' || cat out
            tr -s ' ' <out | grep -q '^launches yes - yes confirmed' || cat out)"
        export FAKE_GPU='rubin compiled'
        # shellcheck disable=SC2086
        refuses 3 "option --smem-mode: 'oversized' needs the runtime and a driver of CUDA 13.5 \
(cudaFuncAttributeSharedMemoryMode); the runtime in this program is of CUDA 13.0, the driver of 12.4" \
            run $launch --smem-mode oversized
        unset FAKE_GPU
        program=$(dirname "$(dirname "$(dirname "$fake")")")/smemcalc
    fi
    unset SMEMCALC_NVRTC
else
    skip "the newest PTX, and the oversized mode on a fake GPU" "no NVRTC that knows 10.7"
fi

# Registers and shared memory of each kernel and architecture, as cuobjdump prints them; from 9.0 on
# it counts the driver's 1 KB as the kernel's.
usage() { # FATBIN
    "$bin/cuobjdump" -res-usage "$1" 2>/dev/null | awk '
        $1 == "arch" { cc = $3; sub(/^sm_/, "", cc); sub(/[af]$/, "", cc); cc += 0 }
        $1 ~ /^REG:/ {
            split($1, reg, ":"); split($3, smem, ":")
            bytes = smem[2] - (cc >= 90 && smem[2] >= 1024 ? 1024 : 0)
            printf "%d.%d %d %d\n", int(cc / 10), cc % 10, reg[2], bytes
        }' | sort -u
}

bin=$(find "$newest/" -name cuobjdump 2>/dev/null | head -n 1)
bin=${bin%/cuobjdump}
if [ -n "$bin" ] && [ -x "$bin/nvcc" ] && knows_rubin; then
    targets=
    for cc in 75 90 100 103 107 120; do
        targets="$targets -gencode arch=compute_$cc,code=sm_$cc"
    done
    targets="$targets -gencode arch=compute_107,code=compute_107"
    while read -r kernel defines; do
        # shellcheck disable=SC2086
        "$bin/nvcc" -I"${bin%/bin}/include" $defines $targets -fatbin -o "$kernel.fatbin" \
            "$here/../kernels/$kernel.cu" </dev/null >err 2>&1 || {
            fail "the newest nvcc compiles $kernel" "$(cat err)"
            continue
        }
        usage "$kernel.fatbin" >expected
        smemcalc inspect "$kernel.fatbin" --format csv 2>err |
            sed -n 's/^[^,]*,[^,]*,compute capability \([^,]*\),\([0-9]*\),[^,]*,[^,]*,\([0-9]*\),.*/\1 \2 \3/p' |
            sort -u >out
        empty "the newest nvcc's $kernel as cuobjdump reads it" "$(
            [ "$(wc -l <expected)" -eq 6 ] || echo "cuobjdump: $(wc -l <expected) architectures"
            cat err
            diff expected out
        )"
    done <<'END'
matmul_tiled -DTILE=16 -DELEMENT=float -DPAD=0
matmul_async -DTILE=16 -DELEMENT=double -DPAD=0
stencil_window -DBLOCK=256 -DELEMENT=float
residency -DLIVE=16 -DSTATIC_BYTES=2048 --maxrregcount=64
END
else
    skip "machine code of the newest nvcc" "no nvcc in $newest"
fi

finish_cases
