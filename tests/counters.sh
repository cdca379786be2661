#!/bin/sh
# smemcalc run with hardware counters, on a fake GPU whose counters have given values: verdicts,
# exit status and all three forms of the report. Run in the build folder; needs an NVRTC.

set -u
fake=$PWD/tests/gpu/fake_smemcalc
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

case $(smemcalc --tile 32 --device 9.0 --format json 2>/dev/null) in
*'"nvrtc '*) ;;
*)
    skip "hardware counters" "there is no NVRTC for CC 9.0"
    finish_cases
    ;;
esac
[ -x "$fake" ] || {
    skip "hardware counters" "there is no fake GPU"
    finish_cases
}

# stencil-dynamic with 8 blocks, the last of 208 outputs: the expected value of each counter.
as_predicted="693 693 70 70 70 266 63 250 8040 8000"

count() { # COUNTS ARGUMENT...: prints what run does, its exit status last
    counts=$1
    shift
    (
        [ -z "$counts" ] || export FAKE_COUNTS="$counts"
        "$fake" run --kernel stencil-dynamic --radius 5 --length 2010 --regs 16 --timeout 200 "$@"
        printf 'exit status %s\n' $?
    ) 2>&1
}

says() { # NAME COUNTS PATTERN ARGUMENT...
    name=$1 counts=$2 pattern=$3
    shift 3
    count "$counts" "$@" >out
    if grep -q -- "$pattern" out; then pass "$name"; else fail "$name" "$(cat out)"; fi
}

says "counters as predicted confirm a run" "$as_predicted" '^confirmed: 18 confirmed, 0 differ, 0 not measured'
says "counters as predicted are exit status 0" "$as_predicted" '^exit status 0$'
says "a counter that differs is told" "693 750 70 70 70 266 63 250 8040 8000" \
    '^  their wavefronts *693 *- *750  differs$'
says "a counter that differs is exit status 1" "693 750 70 70 70 266 63 250 8040 8000" '^exit status 1$'
says "a counter within 2 % is told" "693 700 70 70 70 266 63 250 8040 8000" '^    within 2 %$'
says "a count of instructions that differs is told" "693 693 80 70 70 266 63 250 8040 8000" \
    '^shared stores *70 *- *80  differs$'
says "without permission no counter is measured" "" '^shared loads *693 *- *-  not measured$'
says "counters that were not measured are exit status 0" "" '^exit status 0$'
says "counters that were not measured count as not measured" "" '^confirmed: 9 confirmed, 0 differ, 11 not measured$'
empty "the reason why no counter was measured stands once" "$(grep -c 'profiling is not permitted' out | grep -vx 1)"
says "--no-counters has no rows of counters" "" '^confirmed: 9 confirmed, 0 differ, 0 not measured$' --no-counters
says "--no-counters is refused on the emulator" "" "option --no-counters: not with --on emulator" --no-counters \
    --on emulator --device 9.0

says "CSV has the value of a counter" "$as_predicted" \
    '^stencil-dynamic,shared_load_wavefronts,,693,,,693,confirmed,,[^,]*,GPU-' --format csv
says "CSV has the binding limits in words" "$as_predicted" \
    '^stencil-dynamic,binding_limits,,warps,,,,information,,[^,]*,GPU-' --format csv
count "$as_predicted" --format json | sed '$d' >out.json
empty "JSON has the values of counters" "$(jq -r '.confirmation[] |
    select(.quantity == "dram_read_bytes" or .quantity == "binding_limits") |
    "\(.predicted) \(.predicted_text) \(.measured) \(.verdict)"' out.json |
    grep -vxe 'null warps null information' -e '8040 null 8040 information')"
empty "JSON has the rows of counters and of limits" "$(jq -r '[.confirmation[].quantity] | contains(["dram_read_bytes",
    "binding_limits", "reserved_smem_bytes"])' out.json | grep -vx true)"

finish_cases
