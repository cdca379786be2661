#!/bin/sh
# Whether tune finds the fastest shape with few runs: for matmul-register at five sizes and
# stencil-dynamic at five radii every shape is run, and the best of the first 5 % of the runs must
# be within 3 % of the best of all. Takes some minutes; nothing else may use the GPU.
# Usage: tune_bar.sh [PROGRAM [FOLDER FOR THE OUTPUT [CASE]...]]; a case is such as
# matmul-register:4096. Needs NVRTC, jq and a GPU that smemcalc finds.
# Exit status 0: all within; 77: no jq or no GPU; 1: anything else.
set -u

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2
program=${1:-$here/smemcalc}
out=${2:-$here/results}
if [ $# -gt 2 ]; then shift 2; else set --; fi
most_percent=3   # of regret
share_percent=5  # of the shapes
[ $# -gt 0 ] || set -- \
    matmul-register:512 matmul-register:1000 matmul-register:1536 matmul-register:2048 \
    matmul-register:4096 \
    stencil-dynamic:1 stencil-dynamic:16 stencil-dynamic:100 stencil-dynamic:1000 \
    stencil-dynamic:6000

stop() { # STATUS WORDS
    printf 'tune_bar.sh: %s\n' "$2"
    exit "$1"
}
command -v jq >/dev/null || stop 77 "skipped: there is no jq"
"$program" devices --device gpu0 >/dev/null 2>&1 || stop 77 "skipped: there is no GPU"
mkdir -p "$out" || exit 2

# Sets `status`, and the report is in $file. An unfinished one is never the result of a case.
tune() { # ARGUMENT...
    "$program" tune "$@" --format json >"$file.new"
    status=$?
    [ "$status" -eq 0 ] && mv "$file.new" "$file"
}

# The number of runs depends on the number of ranks, so a call that measures nothing finds that
# first; what it compiled is in the cache.
failed=0
printf '%-24s %7s %6s %12s %12s %9s %s\n' case shapes runs "best, ms" "found, ms" regret error
for case in "$@"; do
    kernel=${case%%:*}
    value=${case#*:}
    file=$out/tune-$kernel-$value.json
    rm -f "$file"
    case $kernel in
    stencil-*) option=--radius ;;
    *) option=--size ;;
    esac
    tune --kernel "$kernel" "$option" "$value" --runs 0
    [ "$status" -eq 0 ] || { failed=1; printf '%-24s exit status %s\n' "$case" "$status"; continue; }
    runs=$(jq ".tune.shapes.ranked * $share_percent / 100 | floor | if . < 1 then 1 else . end" "$file")
    tune --kernel "$kernel" "$option" "$value" --gpu 0 --all --runs "$runs"
    [ "$status" -eq 0 ] || { failed=1; printf '%-24s exit status %s\n' "$case" "$status"; continue; }
    jq -r --arg case "$case" '.tune | .measurement as $m |
        ([.ranking[].measured | select(.turn <= $m.regret_runs and .correct) | .median_ms] | min) as $found |
        [$case, .shapes.ranked, $m.regret_runs, .winner.measured.median_ms, $found,
         $m.regret_percent, $m.mean_error_percent] | @tsv' "$file" |
        awk -F '\t' '{printf "%-24s %7d %6d %12.5g %12.5g %7.2f %% %.3g %%\n", $1, $2, $3, $4, $5, $6, $7}'
    within=$(jq ".tune.measurement | .exhaustive and .regret_percent <= $most_percent" "$file")
    [ "$within" = true ] || failed=1
done
[ "$failed" -eq 0 ] || stop 1 "a case is not within $most_percent % with $share_percent % of the shapes"
stop 0 "each case is within $most_percent % with $share_percent % of the shapes"
