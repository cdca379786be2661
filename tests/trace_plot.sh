#!/bin/sh
# Pictures of traces, as a user asks for them. Run in the build folder. GENERATE=1 writes its
# tests/golden/ anew.

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

cp "$here/data/trace/step.json" .
golden trace-step.plot trace --read step.json --plot -
# Two kernels, one of which leaves the GPU idle for as long as it runs.
kernel_event() { # NAME BEGIN GRID REGISTERS
    printf '{"ph":"X","cat":"kernel","name":"%s","ts":%s,"dur":1000,"args":{"device":0,' "$1" "$2"
    printf '"grid":[%s,1,1],"block":[256,1,1],"registers per thread":%s,"shared memory":0}}' "$3" "$4"
}
{
    printf '{"deviceProperties":[{"id":0,"name":"NVIDIA H200","computeMajor":9,"computeMinor":0,'
    printf '"numSms":132}],"traceEvents":['
    kernel_event full 0 105600 32
    printf ','
    kernel_event half 1000 52800 64
    printf ','
    kernel_event half 3000 52800 64
    printf ']}'
} >course.json
golden trace-course.plot trace --read course.json --plot -
empty "no picture is wider than 80 columns" "$(cat "$golden"/trace-*.plot | awk 'length > 80')"
if smemcalc trace --read step.json --plot step.svg >out 2>err; then
    empty "a picture of a trace is written besides the report" "$(
        grep -q '47,009 launches' out || cat out
        grep -q '</svg>' step.svg || echo "no SVG")"
else
    empty "a picture of a trace is refused without cairo" "$(grep 'without cairo' err >/dev/null || cat err)"
fi
refuses 2 "option --plot: '-' draws instead of the text report; not with --format json" \
    trace --read step.json --plot - --format json

finish_cases
