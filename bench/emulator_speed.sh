#!/bin/sh
# The emulator's rate: matmul-tiled 256 x 256 x 256 with tile 16 (the bar: 1000 million
# thread-instructions a second and core), and the other kernels beside it. Checks of races and
# unwritten memory are on, as always. The best of three.
#   bench/emulator_speed.sh     in the build folder
# Functions are called by name, words are split and kept whole on purpose:
# shellcheck disable=SC2034

set -eu
export LC_ALL=C
cores=$(getconf _NPROCESSORS_ONLN)

rate() { # NAME ARGUMENT...
    name=$1
    shift
    for turn in 1 2 3; do
        ./smemcalc run --on emulator --device 9.0 --format json "$@" |
            jq -r '.emulation | "\(.elapsed_ms) \(.thread_instructions)"'
    done | sort -n | head -n 1 | awk -v name="$name" -v cores="$cores" '{
        printf "%-36s %8.1f ms  %6.0f million thread-instructions a second, %4.0f on each of %d cores\n",
            name, $1, $2 / $1 / 1e3, $2 / $1 / 1e3 / cores, cores }'
}

rate 'matmul-tiled 256^3, tile 16' --tile 16 --size 256
rate 'matmul-tiled 256^3, tile 32' --tile 32 --size 256
rate 'matmul-tiled 256^3, tile 17, double' --tile 17 --size 256 --dtype double
rate 'matmul-naive 256^3, tile 16' --kernel matmul-naive --tile 16 --size 256
rate 'stencil-static 1M, radius 3' --kernel stencil-static --size 1M
rate 'stencil-dynamic 256K, radius 100' --kernel stencil-dynamic --size 256K --radius 100
