#!/bin/sh
# Pictures of predicted time: a roofline in every form, of a kernel and of a family; what best
# chooses among; and one clear line where no time can be predicted. Words are split on purpose:
# shellcheck disable=SC2086

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

tiled='--kernel matmul-tiled --size 1024 --device H200'

# --- Wrong input ----------------------------------------------------------------------------------

refuses 2 "option --family: only with --roofline" $tiled --family
for command in "" query; do
    refuses 2 "option --roofline: has no value; '--roofline --plot picture.svg' writes the picture to \
a file" $command $tiled --roofline picture.svg
done
refuses 2 "option --roofline: not for the command inspect: that of your own kernel is drawn by 'run \
FILE' with its --grid, --block and --arg" kernel.cu --roofline
refuses 2 "option --roofline: one device at a time" $tiled --device H100 --roofline
refuses 2 "option --roofline: draws instead of the text report; with --format json give it a file, \
--plot FILE" $tiled --roofline --format json
refuses 2 "option --explain: not with --roofline, which draws instead of the text" \
    $tiled --roofline --explain
refuses 2 "option --plot: one kernel and one device at a time" \
    best $tiled --device H100 --plot -
refuses 3 "option --roofline: there is no predicted time: only kernels with a known launch and \
arguments have a predicted time" --threads 64 --regs 8 --device H200 --roofline
refuses 3 "option --plot: there is no predicted time: only kernels with a known launch and \
arguments have a predicted time" best --regs 40 --device H200 --plot -
file=refused.svg
smemcalc --size 64 --device H200 --plot probe.svg >out 2>err || file=- # built without cairo
smemcalc $tiled --roofline --no-nvrtc --plot $file >out 2>err
status=$?
empty "a roofline without machine code is refused in one line, and nothing is written" "$(
    [ "$status" -eq 3 ] || echo "exit status $status"
    grep -q '^smemcalc: option --roofline: there is no predicted time: no machine code for sm_90' err ||
        cat err
    [ "$(wc -l <err)" -eq 1 ] || cat err
    cat out
    [ ! -e refused.svg ] || echo "a picture")"

# --- Pictures -------------------------------------------------------------------------------------

smemcalc $tiled --roofline >out 2>err
status=$?
if [ "$status" -eq 3 ] && grep -q NVRTC err; then
    skip "pictures of predicted time" "there is no NVRTC"
    finish_cases
fi

# Prints what the text in ./out lacks.
lacks() { # TEXT...
    for text; do grep -qF -e "$text" out || echo "no '$text'"; done
}

empty "a roofline has its ceilings and the kernel" "$(
    [ "$status" -eq 0 ] || echo "exit status $status"
    lacks 'Roofline of matmul-tiled on NVIDIA H200' 'measured ceilings of this board' ' predicted, ' 'TFLOP/s; bound by ' \
        'd  DRAM                    4.47 TB/s' 'f  FMA pipe             65.2 TFLOP/s' \
        'i  issue slots' 'FLOP/inst'
    cat err)"
smemcalc $tiled --roofline --plot - >again
empty "--roofline --plot - is --roofline alone" "$(diff out again)"
smemcalc --kernel matmul-tiled --size 1024 --device "RTX 4090" --roofline | tr -s ' \n' ' ' >out
empty "the roofline of a board that nobody measured has peaks, and L2 by specification" "$(
    lacks 'theoretical peaks by clocks and widths, not measured; L2 estimated from specifications' \
        'd DRAM 1.01 TB/s' 'l L2 cache 10.3 TB/s' 'f FMA pipe 82.6 TFLOP/s'
    grep 'not known' out)"
smemcalc $tiled --dtype double --roofline >out
empty "the roofline of doubles has the ceiling of the FP64 pipe" "$(lacks 'FP64 pipe            33.0 TFLOP/s')"
smemcalc $tiled --roofline --family >out
empty "--roofline --family has a row for each kernel" "$(
    lacks 'Roofline of the matmul kernels' ' 1 matmul-tiled ' matmul-naive matmul-async matmul-register
    grep racy out)"
smemcalc --kernel reverse-static --device H200 --roofline >out
empty "the roofline of a copy has rates of bytes, and no diagram" "$(
    lacks 'B/s read and written' 'd  DRAM '
    grep 'FLOP' out)"
smemcalc best $tiled --plot - >out
empty "the roofline of best names the fastest size" "$(
    lacks 'matmul-tiled on NVIDIA H200: occupancy and time' 'Fastest: tile ' 'the fastest ')"
for command in "$tiled --roofline" "$tiled --roofline --family" "best $tiled"; do
    for locale in C C.UTF-8; do
        LC_ALL=$locale smemcalc $command --plot - >out
        empty "no line is wider than 80 columns: $command, $locale" "$(
            LC_ALL=$locale grep -E '^.{81}' out
            [ "$locale" = C.UTF-8 ] || LC_ALL=C grep -n '[^ -~]' out)"
    done
done

smemcalc $tiled >expected
smemcalc $tiled --roofline --plot probe.svg >out 2>err
status=$?
if [ "$status" -eq 3 ]; then
    skip "pictures in files" "built without cairo"
    finish_cases
fi
empty "a picture of a roofline goes beside the report" "$(diff expected out; cat err)"
for kind in svg:'<?xml' png:PNG pdf:%PDF; do
    for command in "$tiled --roofline --format json" "best $tiled --format csv"; do
        rm -f "picture.${kind%%:*}"
        smemcalc $command --plot "picture.${kind%%:*}" >out 2>err
        status=$?
        empty "a picture of $command as ${kind%%:*}" "$(
            [ "$status" -eq 0 ] || echo "exit status $status"
            head -c 8 "picture.${kind%%:*}" | grep -aqF "${kind#*:}" || echo "not of that kind"
            cat err)"
    done
done

finish_cases
