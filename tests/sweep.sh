#!/bin/sh
# sweep and --plot: golden tables and pictures, wrong input, CSV and JSON against single queries,
# files, Ctrl-C. Run in the build folder. GENERATE=1 writes tests/golden/sweep-* anew.

set -u
unset COLUMNS
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

# --- Golden outputs: from given registers or the table, so that no machine changes them -----------

golden sweep-one-axis.txt sweep --tile 4:32:4 --device H200 --regs 32
golden sweep-regs.txt sweep --threads 1024 --regs 24:72:8 --device 8.0
golden sweep-devices.txt sweep --threads 256 --regs 40 --device 7.5,8.0,H200 --device 1.0
golden sweep-without-answer.txt sweep --threads 256 --regs 40:280:80 --device 9.0
golden sweep-grid.txt sweep --tile 4:32:4 --regs 16:128 --device H200
golden sweep-bands.txt sweep --threads 32:1024:32 --dynamic-smem 0:96K:4K --regs 32 --device 8.9
golden sweep-all-devices.txt sweep --threads 64:1024:192 --regs 48 --device all
golden sweep-assumed.txt sweep --kernel stencil-dynamic --radius 0:3000:1000 --device 1.0 --no-nvrtc
golden sweep-clusters.txt sweep --kernel histogram-cluster --cluster 1:8 --regs 26 --device H200
golden sweep-one-axis.csv sweep --tile 8:32:8 --regs 36 --device H200 --format csv
golden sweep-without-answer.csv sweep --threads 64 --regs 200:300:50 --device 9.0 --format csv
smemcalc sweep --kernel stencil-window --block 100:160:28 --device 9.0 --no-nvrtc --format csv >out 2>err
empty "a point without a launch has 0 for each of its values" "$(
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        /is not a multiple of 32/ { n++; sum += $at["threads"] + $at["cluster"] + $at["barriers"] }
        END { if (n != 2 || sum != 0) print n, sum }' out)"
smemcalc sweep --tile 16 --size 64:192:64 --device 9.0 --no-nvrtc --format csv >out 2>err
empty "a range of --size varies all sizes of a product" "$(
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print $at["m"], $at["n"], $at["k"] }' out | diff - /dev/fd/3 3<<END
64 64 64
128 128 128
192 192 192
END
    cat err)"
smemcalc sweep --kernel stencil-static --radius 3 --size 1000:2000:1000 --device 9.0 --no-nvrtc --format csv >out 2>err
empty "and the elements of a kernel with one dimension" "$(
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { printf "%s ", $at["length"] }' out |
        grep -qx '1000 2000 ' || cat out err)"
golden sweep-grid.json sweep --threads 64:128:64 --regs 200:300:100 --device 9.0 --format json
golden sweep-curves.plot --threads 96 --smem 3000 --dynamic-smem 20K --regs 40 --device 8.9 --plot -
golden sweep-refused.plot --threads 2000 --regs 40 --device 7.5 --plot -
golden sweep-line.plot sweep --threads 256 --regs 1:255 --device 8.0 --plot -
golden sweep-bars.plot sweep --tile 4:32:4 --regs 32 --device H200 --plot -
golden sweep-devices.plot sweep --threads 256 --regs 40 --device 1.0,7.5,H200 --plot -
golden sweep-heat.plot sweep --tile 4:32:4 --regs 16:128:8 --device H200 --plot -

empty "no line is wider than 80 columns" \
    "$(cat "$golden"/sweep-*.txt "$golden"/sweep-*.plot | awk 'length > 80')"

# --- Wrong input ----------------------------------------------------------------------------------

refuses 2 "sweep: nothing varies: give one or two options a range, such as --regs 16:128:8, or \
several devices" sweep --tile 8
refuses 2 "option --size: not with --threads; --grid sets the number of blocks" \
    sweep --threads 64 --size 1:3
refuses 2 "option --tile: the range '8:4' is empty: it ends before it begins" sweep --tile 8:4
refuses 2 "option --tile: the range '0:4' is not between 1 and 32" sweep --tile 0:4
refuses 2 "option --tile: the step of the range '1:32:0' is not 1 or more" sweep --tile 1:32:0
refuses 2 "option --tile: '1:x' is not a range: FIRST:LAST or FIRST:LAST:STEP, whole numbers" \
    sweep --tile 1:x
refuses 2 "option --dynamic-smem: '0:48Q' is not a range: FIRST:LAST or FIRST:LAST:STEP, whole \
numbers or sizes such as 48K" sweep --threads 64 --dynamic-smem 0:48Q
refuses 2 "option --dynamic-smem: the range '0:99G' is not between 0 and \
2147483647" \
    sweep --threads 32 --dynamic-smem 0:99G
refuses 2 "option --barriers: '1:3' is a range; this command accepts one value" \
    sweep --tile 1:3 --barriers 1:3
refuses 2 "option --carveout: a third axis after --tile and --regs; a sweep has one or two" \
    sweep --tile 1:2 --regs 1:2 --carveout 1:2
refuses 2 "option --regs: a third axis after --device and --tile; a sweep has one or two" \
    sweep --tile 1:2 --regs 1:2 --device 9.0,8.0
refuses 2 "option --regs: the sweep has 4000000 points, more than 1000000; give a range a step, \
FIRST:LAST:STEP" sweep --threads 1:2000 --regs 1:2000
refuses 2 "option --regs: the sweep has 4611686016279904256 points, more than 1000000; give \
a range a step, FIRST:LAST:STEP" sweep --threads 1:2147483647 --regs 0:2147483647
refuses 2 "option --device: unknown device 'foo'; 'smemcalc devices' lists them, or give a compute \
capability such as 9.0" sweep --tile 8 --device 9.0,foo
refuses 2 "option --device: unknown device ''; 'smemcalc devices' lists them, or give a compute \
capability such as 9.0" sweep --tile 8 --device 9.0,
refuses 2 "option --tile: '4:32' is a range; this command accepts one value" --tile 4:32
refuses 2 "option --plot: 'x.gif' does not end in .svg, .png or .pdf; '-' draws in the terminal" \
    --tile 8 --device 9.0 --plot x.gif
refuses 2 "option --plot: '-' draws instead of the text report; not with --format csv" \
    sweep --tile 1:8 --device 9.0 --plot - --format csv
refuses 2 "option --plot: one device at a time; 'smemcalc sweep' draws several" \
    --tile 8 --device 9.0 --device 8.0 --plot -
refuses 2 "option --plot: a heat map shows 512 values of an axis, and --threads has 1000; give it \
a step, FIRST:LAST:STEP" sweep --threads 1:1000 --regs 1:9 --device 9.0 --plot -

smemcalc sweep --threads 32 --regs 300:310 --device 9.0 >out 2>err
status=$?
empty "a sweep without any answer is wrong usage" "$(
    [ "$status" -eq 2 ] || echo "exit status $status"
    [ ! -s out ] || cat out
    grep -q "^smemcalc: option --regs: '300' is above 255" err || cat err)"

# --- CSV and JSON ---------------------------------------------------------------------------------

smemcalc sweep --threads 64:256:96 --regs 20:60:20 --device 8.6 --format csv >swept
smemcalc --threads 64 --regs 20 --device 8.6 --format csv | head -n 1 >alone
for threads in 64 160 256; do
    for regs in 20 40 60; do
        smemcalc --threads "$threads" --regs "$regs" --device 8.6 --format csv | tail -n 1 >>alone
    done
done
empty "CSV has the rows of single queries" "$(diff alone swept)"

lines=$(smemcalc sweep --threads 1:1000 --regs 1:100 --device 9.0 --format csv | wc -l)
empty "100000 points are 100001 lines" "$([ "$lines" -eq 100001 ] || echo "$lines lines")"

if command -v jq >/dev/null; then
    smemcalc sweep --threads 64:256:96 --regs 20:60:20 --device 8.6 --format json >swept.json
    smemcalc --threads 160 --regs 40 --device 8.6 --format json >alone.json
    empty "JSON has the axes and the answers of single queries" "$(
        jq -c '.schema, .axes, [.answers[].position]' swept.json >seen
        cat >expected <<'END'
"smemcalc/1"
[{"option":"threads","values":[64,160,256]},{"option":"regs","values":[20,40,60]}]
[[0,0],[0,1],[0,2],[1,0],[1,1],[1,2],[2,0],[2,1],[2,2]]
END
        diff expected seen
        jq -S '.answers[4] | del(.position, .error, .time_reason)' swept.json >seen
        jq -S 'del(.schema, .ceilings, .time_reason)' alone.json | diff - seen)"
    smemcalc sweep --threads 64 --regs 200:300:50 --device 9.0 --format json >swept.json
    empty "JSON of a sweep: a point without an answer says why" "$(
        jq -r '.answers[] | .error, .occupancy.blocks_per_sm' swept.json >seen
        cat >expected <<'END'
null
4
null
4
option --regs: '300' is above 255, the most registers that a thread has on compute capability 9.0
null
END
        diff expected seen)"
else
    skip "JSON" "no jq"
fi

# --- Pictures in files ----------------------------------------------------------------------------

smemcalc --tile 8 --regs 8 --device 9.0 --plot probe.svg >out 2>err
status=$?
if [ "$status" -eq 3 ]; then
    empty "without cairo --plot says how to get it" "$(
        grep -q '^smemcalc: option --plot: .*cairo.*--plot -$' err || cat err
        [ ! -s out ] || cat out)"
    skip "pictures in files" "built without cairo"
else
    smemcalc --tile 8 --regs 8 --device 9.0 >expected
    empty "a picture goes beside the report" "$(diff expected out; cat err)"
    for kind in svg:'<?xml' png:PNG pdf:%PDF; do
        file=heat.${kind%%:*}
        smemcalc sweep --tile 4:32:4 --regs 16:128:8 --device H200 --plot "$file" >out 2>err
        status=$?
        empty "a heat map as ${kind%%:*}" "$(
            [ "$status" -eq 0 ] || echo "exit status $status"
            head -c 8 "$file" | grep -aqF "${kind#*:}" || echo "not of that kind"
            cat err)"
    done
    smemcalc --tile 8 --regs 8 --device 9.0 --plot /nowhere/x.svg >out 2>err
    status=$?
    empty "a picture that cannot be written is wrong input" "$(
        [ "$status" -eq 2 ] || echo "exit status $status"
        echo "smemcalc: option --plot: '/nowhere/x.svg' cannot be written: No such file or directory" |
            diff - err)"
    if [ -c /dev/full ] && ln -s /dev/full full.svg; then
        smemcalc --tile 8 --regs 8 --device 9.0 --plot full.svg >out 2>err
        status=$?
        empty "a picture of a sweep on a full disk is exit status 4" "$(
            [ "$status" -eq 4 ] || echo "exit status $status"
            grep -q "^smemcalc: option --plot: 'full.svg': " err || cat err)"
    else
        skip "a picture of a sweep on a full disk" "no /dev/full"
    fi
fi

# --- Ctrl-C: what is done is printed, whole lines and sound JSON ----------------------------------
# The sweeps would take tens of seconds; the signal comes while they run.

# Its JSON is held in a temporary file, which has no name, until the end.
# shellcheck disable=SC2317 # await calls it
has_begun() { # PID
    find "/proc/$1/fd" -lname '*(deleted)' 2>/dev/null | grep -q .
}

# shellcheck disable=SC2154,SC2086 # words
if [ -r /proc/self/status ] && [ -n "$default_signals" ]; then
    $default_signals "$program" sweep --threads 1:1000 --regs 1:200 --device 9.0 \
        --format json >cut.json 2>cut.err &
    await $! has_begun $!
    kill -INT $!
    wait $!
    status=$?
    empty "Ctrl-C during a sweep is exit status 130 with a message" "$(
        [ "$status" -eq 130 ] || echo "exit status $status"
        grep -Eq '^smemcalc: interrupted after [1-9][0-9]* of 200000 points$' cut.err ||
            echo "no message: $(cat cut.err)")"
    if command -v jq >/dev/null; then
        told=$(sed -n 's/.*after \([0-9]*\) of.*/\1/p' cut.err)
        kept=$(jq '.answers | length' cut.json 2>&1)
        empty "Ctrl-C during a sweep leaves sound JSON with what is done" \
            "$([ "$kept" = "$told" ] || echo "$kept answers, $told told")"
    else
        skip "Ctrl-C during a sweep leaves sound JSON" "no jq"
    fi
else
    skip "Ctrl-C" "no /proc, or no env --default-signal"
fi

finish_cases
