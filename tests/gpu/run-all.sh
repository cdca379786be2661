#!/bin/sh
# Runs everything that proves smemcalc on a GPU: the GPU tests, then `smemcalc run` for a list of
# launches, each with the exit status it must have. Usage: run-all.sh [FOLDER FOR THE OUTPUT]
# What the tests and the benchmarks found stands together in results.json of that folder.
# Needs NVRTC and a driver. Exit status 0: all as expected; 77: no GPU; 1: something failed.
set -u

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2
out=${1:-$here/results}
mkdir -p "$out" || exit 2
passed=0
failed=0
skipped=0
failures=

# try EXPECTED NAME COMMAND...: runs, keeps the output in NAME.txt, compares the exit status; 77 says
# that it cannot run here.
try() {
    expected=$1
    name=$2
    shift 2
    {
        printf '$ %s\n' "$*"
        "$@"
    } >"$out/$name.txt" 2>&1
    status=$?
    printf 'exit status %s\n' "$status" >>"$out/$name.txt"
    if [ "$status" -eq "$expected" ]; then
        passed=$((passed + 1))
        printf 'ok      %-44s exit %s\n' "$name" "$status"
    elif [ "$status" -eq 77 ]; then
        skipped=$((skipped + 1))
        printf 'skipped %-44s %s\n' "$name" "$(sed -n 's/.*skipped: //p' "$out/$name.txt")"
    else
        failed=$((failed + 1))
        failures="$failures $name"
        printf 'FAILED  %-44s exit %s, not %s\n' "$name" "$status" "$expected"
    fi
}

# confirm_once NAME OPTIONS...: `smemcalc run` confirms everything.
confirm_once() {
    run=run-$1
    shift
    try 0 "$run" "$here/smemcalc" run --timeout 3000 "$@"
}

# The same, told as text and as JSON.
confirm() {
    confirm_once "$@"
    shift
    try 0 "$run-json" "$here/smemcalc" run --timeout 3000 "$@" --format json
}

# A piece of the results for each suite, so that one that ends early costs no other.
rm -f "$out"/piece-*.json
for suite in device kernels failures residency catalog ceilings health banks ptx emulator; do
    "$here/gpu_tests" --results "$out/piece-$suite.json" "$suite" >"$out/gpu_tests-$suite.txt" 2>&1
    status=$?
    cat "$out/gpu_tests-$suite.txt"
    if [ "$status" -eq 77 ]; then
        exit 77
    elif [ "$status" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        failures="$failures gpu_tests-$suite"
    fi
done

# Every GPU of the machine, as an operator checks it.
try 0 check "$here/smemcalc" check
try 0 check-ptx "$here/smemcalc" check --no-nvrtc --format json

try 0 devices "$here/smemcalc" devices
for format in text json csv; do
    try 0 "calibrate-$format" "$here/smemcalc" calibrate --dry-run --no-cache --format "$format"
done
for dtype in float double; do
    for tile in 1 7 8 16 31 32; do
        confirm "matmul-tiled-$dtype-tile-$tile" \
            --kernel matmul-tiled --tile "$tile" --dtype "$dtype" --size 1000x777x513
        for pad in 1 4; do
            confirm_once "matmul-tiled-$dtype-tile-$tile-pad-$pad" --kernel matmul-tiled \
                --tile "$tile" --dtype "$dtype" --pad "$pad" --size 1000x777x513
        done
        for kernel in aat-naive aat-conflict aat-padded aat-swizzled; do
            confirm_once "$kernel-$dtype-tile-$tile" \
                --kernel "$kernel" --tile "$tile" --dtype "$dtype" --size 1000x513
        done
    done
done
for radius in 1 5 1025 6000; do
    confirm "stencil-dynamic-radius-$radius" --kernel stencil-dynamic --radius "$radius"
done
for radius in 0 1 5 1025 6000; do
    confirm "stencil-window-radius-$radius" --kernel stencil-window --radius "$radius"
    confirm_once "stencil-window-radius-$radius-512" --kernel stencil-window --block 512 \
        --radius "$radius" --length 1000003
done
confirm_once stencil-naive --kernel stencil-naive --radius 100
for kernel in stencil-naive stencil-static stencil-dynamic stencil-window; do
    confirm_once "$kernel-float" --kernel "$kernel" --dtype float --radius 100 --length 1000003
done
for kernel in matmul-async matmul-a-tile; do
    for dtype in float double; do
        for tile in 1 7 8 16 31 32; do
            confirm_once "$kernel-$dtype-tile-$tile" \
                --kernel "$kernel" --tile "$tile" --dtype "$dtype" --size 1000x777x513
        done
    done
done
for dtype in float double; do
    for size in 1 127x257x17 1000x777x513 1024x2048x512; do
        confirm "matmul-register-$dtype-$size" \
            --kernel matmul-register --dtype "$dtype" --size "$size"
        confirm_once "matmul-register-$dtype-$size-small" --kernel matmul-register \
            --dtype "$dtype" --size "$size" --block-m 64 --block-n 64 --block-k 8 --thread-m 8 \
            --thread-n 8 --stages 2
    done
done
confirm_once matmul-register-4096 --kernel matmul-register --size 4096
confirm reverse-static --kernel reverse-static
confirm reverse-dynamic --kernel reverse-dynamic
confirm stencil-static-refused --kernel stencil-static --block 1024 --radius 6000
confirm stencil-dynamic-above-opt-in --kernel stencil-dynamic --radius 40000
confirm residency-registers --kernel residency --regs 128 --block 1024
confirm carveout-0 --kernel reverse-dynamic --carveout 0

# A kernel without an end is given up, and the GPU is there for the next process.
cat >"$out/stencil_naive.cu" <<'END'
extern "C" __global__ void stencil_naive(volatile int *in, int *out, long long outputs, int radius)
{
    while (outputs >= radius)
        out[0] = in[0];
}
END
try 4 endless "$here/smemcalc" run --kernel stencil-naive --kernel-dir "$out" --timeout 1000
try 4 endless-own "$here/smemcalc" run --source "$out/stencil_naive.cu" --grid 264 --block 128 \
    -a i32x1 -a i32x1 -a i64:9 -a i32:1 --timeout 1000
confirm after-endless --kernel stencil-naive
try 0 every-gpu "$here/smemcalc" run --timeout 3000 --tile 32 --gpu all
"$here/smemcalc" run --timeout 3000 --tile 32 --gpu all --format json >"$out/every-gpu.json"
try 0 tune "$here/smemcalc" tune --kernel matmul-register --size 1024 --runs 5
try 0 merge "$here/smemcalc" merge "$out/every-gpu.json"
try 0 explorer "$here/confirm_view.sh" "$here/smemcalc" "$out"
for benchmark in sgemm_speed stencil_speed; do
    try 0 "$benchmark" "$here/$benchmark" --json "$out/piece-$benchmark.json"
    cat "$out/$benchmark.txt"
done
# The launches differ from run to run; the seed is in the output's first line.
seed=$(date +%s)
try 0 time_error "$here/time_error" --launches 500 --seed "$seed" --csv "$out/time_error.csv" \
    --json "$out/piece-time_error.json"
try 0 time_error-own "$here/time_error" --own "$here/own-kernels" --csv "$out/time_error-own.csv" \
    --json "$out/piece-time_error-own.json"
cat "$out/time_error.txt" "$out/time_error-own.txt"
try 0 join "$here/gpu_tests" --join "$out/results.json" "$out"/piece-*.json

printf '\n'
for file in "$out"/run-*.txt; do
    case $file in
    *-json.txt) ;;
    *) cat "$file"; printf '\n' ;;
    esac
done >"$out/all-runs.txt"
printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
if [ "$failed" -gt 0 ]; then
    for name in $failures; do
        printf -- '--- %s\n' "$name"
        tail -n 40 "$out/$name.txt"
    done
    exit 1
fi
