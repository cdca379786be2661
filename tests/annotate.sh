#!/bin/sh
# Counts beside the lines of the source, and long emulations that are ended. Needs an NVRTC; the
# output is compared with that of NVRTC 13.0. GENERATE=1 writes tests/golden/ anew.
# shellcheck disable=SC2086 # options are words

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

smemcalc --tile 4 --device 9.0 --format json >probe.json 2>/dev/null
case $(cat probe.json) in
*'"nvrtc 13.0 '*) nvrtc=13.0 ;;
*'"nvrtc '*) nvrtc=other ;;
*)
    skip "annotated runs" "there is no NVRTC"
    finish_cases
    ;;
esac

run="run --on emulator --device 9.0"

# --- Annotated ------------------------------------------------------------------------------------

only_lines() {
    smemcalc() {
        "$program" "$@" >unfiltered 2>&1
        code=$?
        sed -n '/hottest lines/,$p' unfiltered
        return $code
    }
}

if [ "$nvrtc" = 13.0 ]; then
    only_lines
    golden annotate-tiled.txt $run --tile 8 --size 20 --annotate
    smemcalc() { "$program" "$@"; }
    golden annotate-conflict.csv $run --kernel aat-conflict --tile 32 --size 40 --annotate \
        --format csv
else
    skip "golden annotate-*" "this NVRTC is not 13.0"
fi

# The sum over the lines equals the total.
if command -v jq >/dev/null; then
    for kernel in $(smemcalc kernels --format csv | sed -n '2,$s/,.*//p' | grep -vx residency); do
        smemcalc $run --kernel "$kernel" --size 40 --annotate --format json >run.json 2>&1
        empty "counts by line of $kernel add up to the totals" "$(jq -r '
            def row(name): .confirmation[] | select(.quantity == name) | .emulated;
            [.emulation.lines[]] as $lines |
            [["executions", ([$lines[].executions] | add), .emulation.warp_instructions],
             ["lanes", ([$lines[].active_lanes] | add), .emulation.thread_instructions],
             ["conflicts", ([$lines[].bank_conflicts] | add), (row("bank_conflicts") // 0)],
             ["order", ([$lines[].heat] | . == (sort | reverse)), true],
             ["text", ([$lines[] | select(.file and (.source | not))] | length), 0]] |
            .[] | select(.[1] != .[2]) | tostring' run.json 2>&1)"
    done
else
    skip "counts by line add up to the totals" "there is no jq"
fi

# The text is what was compiled, and cannot reach the terminal's controls.
mkdir edited
cp "$here"/../kernels/*.cu edited
printf '// \033[31mred \302\233\n' >>edited/reverse_static.cu
sed -i 's|__syncthreads();|__syncthreads(); /* \x1b[31m mine */|' edited/reverse_static.cu
smemcalc $run --kernel reverse-static --size 64 --kernel-dir edited --annotate >out 2>&1
empty "no escape sequence of a source reaches the terminal" "$(tr -cd '\033\233' <out)"
if grep -q '? *\[31m mine' out; then
    pass "--annotate shows the text of an edited kernel"
else
    fail "--annotate shows the text of an edited kernel" "$(cat out)"
fi

refuses 2 "option --annotate: only with --on emulator or both: the emulator counts by line" run --tile 8 --annotate

# --- Ended early ----------------------------------------------------------------------------------
# These would take minutes.

long="$run --tile 16 --size 8192"
complaint=$(smemcalc $long --timeout 50 2>&1)
code=$?
empty "--timeout of an emulation is exit status 1 with a message" "$(
    [ "$code" -eq 1 ] || echo "exit status $code"
    printf '%s\n' "$complaint" | grep -Eqx \
        'smemcalc: option --timeout: 50 ms are over: [0-9]+ of 262144 blocks were emulated' ||
        echo "no message: $complaint")"

# shellcheck disable=SC2154
if [ -r /proc/self/status ] && [ -n "$default_signals" ]; then
    $default_signals "$program" $long >cut.out 2>cut.err &
    await $! catches_interrupts $!
    kill -INT $!
    wait $!
    code=$?
    empty "Ctrl-C during an emulation is exit status 130 with a message" "$(
        [ "$code" -eq 130 ] || echo "exit status $code"
        grep -Eqx 'smemcalc: interrupted: [0-9]+ of 262144 blocks were emulated' cut.err ||
            echo "no message: $(cat cut.err)"
        cat cut.out)"
else
    skip "Ctrl-C" "no /proc, or no env --default-signal"
fi

finish_cases
