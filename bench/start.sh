#!/bin/sh
# How long `smemcalc --tile 32 --device H100` takes from start to end, its predicted time included:
# with a warm compile cache, and with an empty one; then a product of 4096 x 4096 x 4096 with a warm
# one. Run in the build folder.
#   bench/start.sh [RUNS]    50 warm ones by default, a fifth as many cold ones

set -eu
runs=${1:-50}
program=$PWD/smemcalc
[ -x "$program" ] || { echo "start.sh: no ./smemcalc here" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export SMEMCALC_CACHE_DIR="$scratch/cache"
question="$program --tile 32 --device H100"
product="$program --kernel matmul-register --size 4096 --device H200"

$question 2>/dev/null | grep -o '[0-9]* registers per thread.*'
if command -v hyperfine >/dev/null; then
    hyperfine -N --style basic --warmup 3 --runs "$runs" -n "warm cache" "$question" 2>/dev/null
    hyperfine -N --style basic --runs $(((runs + 4) / 5)) --prepare "rm -rf $SMEMCALC_CACHE_DIR" \
        -n "empty cache" "$question" 2>/dev/null
    hyperfine -N --style basic --warmup 3 --runs "$runs" -n "a product" "$product" 2>/dev/null
    exit
fi

mean() { # NAME RUNS PREPARE: microseconds of a run on average
    i=0 total=0
    while [ "$i" -lt "$2" ]; do
        $3
        begin=$(date +%s%N)
        $question >/dev/null 2>&1
        total=$((total + $(date +%s%N) - begin))
        i=$((i + 1))
    done
    printf '%s: %d us a run, mean of %d\n' "$1" $((total / $2 / 1000)) "$2"
}
mean "warm cache" "$runs" :
mean "empty cache" $(((runs + 4) / 5)) "rm -rf $SMEMCALC_CACHE_DIR"
question=$product
$question >/dev/null 2>&1
mean "a product" "$runs" :
