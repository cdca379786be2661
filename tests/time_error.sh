#!/bin/sh
# bench/time_error without a GPU: the same seed draws the same launches, saved measurements are
# compared with predictions, and the ten own kernels compute what they should. Run it in the build
# folder.

set -u
kernels=$(cd "$(dirname "$0")/../bench/kernels" && pwd) || exit 99
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

time_error=${program%/smemcalc}/bench/time_error
[ -x "$time_error" ] || { echo "$0: no bench/time_error here" >&2; exit 77; }

# column NAME <FILE.csv: its values
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        { print $at }'
}

# --- Drawing --------------------------------------------------------------------------------------

draw() { # LAUNCHES SEED FILE
    "$time_error" --launches "$1" --seed "$2" --device H200 --csv "$3" >out 2>err || cat err
}
draw 24 7 one && draw 24 7 again && draw 6 8 other
if column predicted_ms <one 2>/dev/null | grep -q .; then
    empty "the same seed draws the same launches" "$(diff one again)"
    empty "another seed draws other launches" "$(
        [ "$(wc -l <other)" -eq 7 ] || cat other
        tail -n 6 other | grep -Fx -f one)"
    empty "drawn sizes are from 64 to 6000, of many kernels" "$(
        for size in m n k; do column "$size" <one; done |
            awk '$1 != "" && ($1 < 64 || $1 > 6000)'
        [ "$(column kernel <one | sort -u | wc -l)" -gt 9 ] || echo "few kernels")"
    empty "racy kernels and probes are not drawn" "$(
        column kernel <one | grep -x 'matmul-tiled-racy\|residency')"
    empty "a launch that takes too long is left out" "$(
        "$time_error" --launches 24 --seed 7 --device H200 --limit-ms 1 --csv short >out
        column note <short | grep -q 'it takes too long' || cat out)"
else
    skip "drawn launches" "nothing is predicted: $(column note <one | sort | uniq -c | head -n 1)"
fi

# --- Against saved measurements -------------------------------------------------------------------

# A quarter more than predicted: each prediction is 20 % too low.
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "predicted_ms") from = i
            if ($i == "median_ms") to = i } }
    NR > 1 && $from != "" { $to = $from * 1.25 } { print }' one >saved
if column median_ms <saved | grep -q .; then
    "$time_error" --against saved --csv compared --json figures >out 2>err
    status=$?
    empty "errors are shares of the measured time" "$(
        [ "$status" -eq 0 ] || cat err
        count=$(column median_ms <saved | grep -c .)
        left=$(column note <saved | grep -c .)
        grep -q "^model  *$((count - left))     20.0    20.0    20.0     20.0$" out || cat out)"
    empty "errors are in the JSON file too" "$(
        grep -q '"time_error"' figures || cat figures
        grep -q '"mean_percent": \(20.0\|19.99\)' figures || cat figures)"
    sed '3s/^[^,]*/no-such-kernel/' saved >damaged
    "$time_error" --against damaged >out 2>err
    status=$?
    empty "a damaged file of measurements is named with its line" "$(
        [ "$status" -eq 2 ] || echo "exit status $status"
        echo "time_error: damaged:3: column kernel: 'no-such-kernel' is not one of its values" |
            diff - err)"
else
    skip "saved measurements" "nothing is predicted"
fi

# --- The own kernels ------------------------------------------------------------------------------

"$time_error" --own "$kernels" --emulate H200 >out 2>err
status=$?
if [ "$status" -eq 77 ]; then
    skip "own kernels" "$(head -n 1 out)"
else
    empty "every own kernel is correct" "$(
        [ "$status" -eq 0 ] || echo "exit status $status"
        [ "$(grep -c ' correct$' out)" -eq 10 ] || cat out)"
    mkdir edited && cp "$kernels"/*.cu edited
    sed -i 's/distance > 0; distance/distance > 1; distance/' edited/reduction.cu
    "$time_error" --own edited --emulate H200 >out 2>err
    status=$?
    empty "a wrong own kernel is found" "$(
        [ "$status" -eq 1 ] || echo "exit status $status"
        [ "$(grep -c ' correct$' out)" -eq 9 ] || cat out
        grep -q '^reduction  *reduction: .* wrong' out || cat out)"
    "$time_error" --own "$kernels" --device H200 --csv own >out 2>err
    empty "each own kernel is measured in several sizes" "$(
        [ "$(column kernel <own | sort | uniq -c | awk '$1 >= 4' | wc -l)" -eq 10 ] ||
            column kernel <own | sort | uniq -c)"
    empty "each own kernel has a predicted time" "$(
        column predicted_ms <own | grep -c '^$' | grep -vx 0
        column note <own | sort -u | grep .)"
    # Each of 1048576 x 16 entries of the matrix needs another sector of the vector.
    empty "the inputs of own kernels decide what they access" "$(
        grep '^\(kernel\|spmv,.*,1048576,1048576,16\),' own | column l2_sectors |
            awk '$1 < 1048576 * 16 { print } END { if (NR != 3) print NR " launches" }')"
fi

# --- Options --------------------------------------------------------------------------------------

"$time_error" --launches 0 >out 2>err
status=$?
empty "bad options of time_error: exit status 2" "$(
    [ "$status" -eq 2 ] || echo "exit status $status"
    grep -q -- '^time_error: option --launches: ' err || cat err)"
if ! smemcalc devices --device gpu0 >out 2>&1; then
    "$time_error" >out 2>err
    status=$?
    empty "time_error without a GPU: exit status 77" "$(
        [ "$status" -eq 77 ] || echo "exit status $status"
        grep -q '^skipped: ' out || cat out)"
fi
finish_cases
