#!/bin/sh
# smemcalc calibrate as a user or a script runs it, and the file that it writes for later answers.
# Run it in the build folder. The measurements themselves come from a fake CUDA runtime, if the
# program was built with the GPU's tests.
# The $ of jq are not the shell's:
# shellcheck disable=SC2016

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

fake=${program%/smemcalc}/tests/gpu/fake_smemcalc
kept=$scratch/config/ceilings.json
export SMEMCALC_CEILINGS="$kept"

# --- The table of boards --------------------------------------------------------------------------

empty "every row of data/ceilings.csv is of a board of data/devices.csv" "$(
    awk -F, 'FNR == 1 { next } NR == FNR { is_board[$1]; next } !($1 in is_board) { print $1 }' \
        "$here/../data/devices.csv" "$here/../data/ceilings.csv" 2>&1)"

# --- Without a GPU --------------------------------------------------------------------------------

if smemcalc devices --device gpu0 >out 2>&1; then
    skip "no GPU: exit status 3" "there is one"
else
    smemcalc calibrate >out 2>err
    status=$?
    empty "no GPU: exit status 3" "$(
        [ "$status" -eq 3 ] || echo "exit status $status"
        [ ! -s out ] || cat out
        { grep -q '^smemcalc: calibrate: no GPU: ' err && [ "$(wc -l <err)" -eq 1 ]; } || cat err
        [ ! -e "$kept" ] || echo "a file was made")"
fi

# --- A damaged file -------------------------------------------------------------------------------

mkdir "$scratch/config"
printf '{"schema": "smemcalc-ceilings/1",\n "ceilings": [}\n' >"$kept"
cp "$kept" before
refuses 2 "$kept:2:15: unexpected token near '}'" calibrate
smemcalc --tile 8 --device 9.0 --regs 20 >out 2>err
status=$?
empty "a query answers despite a damaged file of ceilings" "$(
    [ "$status" -eq 0 ] || echo "exit status $status"
    [ -s out ] || echo "no answer"
    printf 'smemcalc: warning: %s\n' "$kept:2:15: unexpected token near '}'" | diff - err)"
empty "a damaged file of ceilings stays as it is" "$(diff before "$kept")"
rm "$kept"
mkdir here.json
mkfifo waits
for odd in here.json waits; do
    SMEMCALC_CEILINGS=$odd smemcalc --tile 8 --regs 20 --device H200 >out 2>err
    status=$?
    empty "no file of ceilings but a regular one is read: $odd" "$(
        [ "$status" -eq 0 ] || echo "exit status $status"
        echo "smemcalc: warning: $odd: cannot be read: not a regular file" | diff - err)"
done

# --- Used when present ----------------------------------------------------------------------------

entry() { # DEVICE COPY
    printf '{"device": "%s", "gpu_uuid": null, "driver": "1.2", "date": "2026-11-21", ' "$1"
    printf '"copy_bytes_per_s": %s}' "$2"
}
if command -v jq >/dev/null; then
    printf '{"schema": "smemcalc-ceilings/1", "ceilings": [%s, %s]}' \
        "$(entry 'NVIDIA A30' 5e11)" "$(entry 'Tesla T4' 2e11)" >"$kept"
    smemcalc --tile 8 --regs 20 --device A30 --device V100 --device 7.5 --format json >out
    holds "each device has its own ceilings, or none" '
        [.answers[].ceilings | if . then [.copy_bytes_per_s, .launch_us, .date, .source] else . end]
        == [[5e11, null, "2026-11-21", "calibrated"], null, null]' out
    smemcalc devices --device A30 >out
    empty "devices shows measured ceilings" "$({ grep -q '^measured, driver 1.2, 2026-11-21 (calibrated):$' out &&
        grep -q '^copy in global memory  *500 GB/s  *53.6 % of 933.1$' out; } || cat out)"
    empty "devices shows no ceiling that was not measured" "$(grep '^latency of DRAM\|^integer logic' out)"
    smemcalc devices --device H200 >out
    empty "devices shows what the table has of a board" "$(
        grep -q '^latency of DRAM  *658.4 clocks$' out || cat out)"
    sed -i 's/5e11}/5e11, "sm_groups": [28, 0]}/' "$kept"
    refuses 2 "$kept: entry 1 of 'ceilings': key 'sm_groups': neither null nor a list of 1 to 32 numbers of SMs" \
        calibrate
    printf '{"schema": "smemcalc-ceilings/1", "ceilings": [{"device": "NVIDIA H200", "sm_groups": [66, 66]}]}' >"$kept"
    printf 'device,threads,regs,cluster\nH200,1024,64,16\n' >rows.csv
    empty "measured groups count in a query and in a batch" "$(
        smemcalc --threads 1024 --regs 64 --cluster 16 --device H200 | grep '^clusters' |
            grep -v '^clusters    8 of 16 blocks at a time, 128 blocks'
        smemcalc batch rows.csv 2>&1 | tail -n 1 | grep -v ',8,0$')"
    rm "$kept"
    smemcalc --tile 8 --regs 20 --device A30 --format json >out
    holds "without a file of ceilings an answer has none" '.ceilings == null' out
else
    skip "ceilings in answers" "there is no jq"
fi

# --- Measured -------------------------------------------------------------------------------------

if [ ! -x "$fake" ]; then
    skip "measured, kept and used" "no tests for a GPU were built"
    finish_cases
fi
program=$fake
export FAKE_GPU=modest
smemcalc calibrate --dry-run >out 2>err
status=$?
case $(cat err) in
*NVRTC*)
    skip "measured, kept and used" "there is no NVRTC"
    finish_cases
    ;;
esac
empty "--dry-run measures and keeps nothing" "$(
    [ "$status" -eq 0 ] || echo "exit status $status"
    cat err
    [ ! -e "$kept" ] || echo "a file was made"
    grep -q '^copy in global memory  *[0-9.]* GB/s .* % of 4814$' out || cat out
    awk 'length > 80' out
    grep -q '^SMs by groups  *18x2 16x5 8 2x4$' out || echo "no groups of SMs"
    tail -n 1 out | grep -q '; not kept$' || tail -n 1 out)"

rm -r "$scratch/config"
smemcalc calibrate --format csv >row 2>err
empty "CSV of calibrate is a row of data/ceilings.csv" "$(
    cat err
    head -n 1 row >seen
    head -n 1 "$here/../data/ceilings.csv" | diff - seen
    [ "$(wc -l <row)" -eq 2 ] || cat row
    awk -F, 'NF != columns && NR > 1 { print "not as many fields as columns" }
        { columns = NF } NR > 1 && /,,|,$/ { print "something was not measured: " $0 }' row)"
empty "what was measured is kept, alone in its folder" "$(find "$scratch/config" -mindepth 1 ! -name ceilings.json)"

if command -v jq >/dev/null; then
    smemcalc calibrate --format json >out 2>err
    holds "JSON: every ceiling lies within its samples" '
        .ceilings as $c | .spread | length > 10 and ([to_entries[]
            | .value.samples >= 3 and .value.lowest <= $c[.key] and $c[.key] <= .value.highest]
            | all)' out
    holds "JSON names the file" ".kept_in == \"$kept\" and .device.name == \"NVIDIA H200\"" out
    holds "a GPU measured again is one entry" '.ceilings | length == 1' "$kept"
    FAKE_GPU="modest two" smemcalc calibrate -g 1 >out 2>err
    holds "another GPU of the kind is another entry" \
        '[.ceilings[].gpu_uuid[:6]] == ["GPU-00", "GPU-01"]' "$kept"
    for gpu in 0 1 2; do
        FAKE_GPU="modest three" smemcalc calibrate --gpu "$gpu" >out 2>err &
    done
    wait
    holds "three GPUs measured at once are three entries" '.ceilings | length == 3' "$kept"
    jq '.ceilings[1].copy_bytes_per_s = 1e12' "$kept" >edited && cp edited "$kept"
    FAKE_GPU=two smemcalc run --kernel stencil-dynamic --regs 16 --gpu 1 --format json >out 2>err
    holds "run tells the share of the GPU's own copy" '
        (.confirmation[] | select(.quantity == "gb_per_s").measured) as $speed
        | .confirmation[] | select(.quantity == "share_of_copy_ceiling")
        | (.measured - $speed / 10 | fabs) < 1e-9 and .verdict == "information"
          and (.note | test("^calibrated 20[0-9-]*$"))' out
fi
mkdir elsewhere
mv "$kept" elsewhere/shared.json
ln -s "$PWD/elsewhere/shared.json" "$kept"
before=$(ls -i elsewhere/shared.json)
smemcalc calibrate >out 2>err
empty "a file of ceilings that is a link stays one: what it leads to is replaced" "$(
    [ -L "$kept" ] || ls -l "$kept"
    [ "$(ls -i elsewhere/shared.json)" != "$before" ] || echo "nothing was written"
    find elsewhere -mindepth 1 ! -name shared.json
    cat err
    tail -n 1 out | grep -qx "measured in .*; kept in $kept" || tail -n 1 out)"
rm elsewhere/shared.json
smemcalc calibrate >out 2>err
status=$?
empty "a file of ceilings that is a link to nothing stays one" "$(
    [ "$status" -eq 2 ] || echo "exit status $status"
    [ -L "$kept" ] || ls -l "$kept"
    echo "smemcalc: '$kept' cannot be written, a link: No such file or directory" | diff - err)"
rm "$kept"
echo '{"schema": "smemcalc-ceilings/1", "ceilings": []}' >"$kept"
FAKE_GPU="modest crashes" smemcalc calibrate >out 2>err
status=$?
empty "calibrate on a GPU that fails: exit status 4, and one line" "$(
    [ "$status" -eq 4 ] || echo "exit status $status"
    { grep -q '^smemcalc: calibrate: ' err && [ "$(wc -l <err)" -eq 1 ]; } || cat err)"
cp "$kept" before
FAKE_GPU="modest endless-timing" smemcalc calibrate --timeout 100 >out 2>err
status=$?
empty "calibrate with kernels without an end: exit status 4, and nothing is kept" "$(
    [ "$status" -eq 4 ] || echo "exit status $status"
    [ ! -s out ] || cat out
    echo "smemcalc: calibrate: reading or writing global memory: not finished after 100 ms on the GPU (--timeout)" |
        diff - err
    cmp before "$kept")"
SMEMCALC_CEILINGS=/dev/null/smemcalc/c.json smemcalc calibrate >out 2>err
status=$?
empty "no place to keep ceilings: they are measured and told, exit status 2" "$(
    [ "$status" -eq 2 ] || echo "exit status $status"
    echo "smemcalc: '/dev/null/smemcalc' cannot be made: Not a directory" | diff - err
    grep -q '^copy in global memory' out || echo "nothing was shown"
    awk 'length > 80' out
    tail -n 1 out | grep -q '; not kept$' || tail -n 1 out)"
if FAKE_GPU=none smemcalc calibrate >out 2>err; then
    fail "calibrate without a device fails" "$(cat out)"
fi
empty "calibrate without a device gives the reason" "$(grep -q '^smemcalc: calibrate: no GPU: ' err || cat err)"
FAKE_GPU=prohibited smemcalc calibrate >out 2>err
status=$?
empty "a GPU that no process may use: exit status 3, and what lifts that" "$(
    [ "$status" -eq 3 ] || echo "exit status $status"
    grep -q "^smemcalc: calibrate: GPU 0 is in compute mode Prohibited, .*'nvidia-smi -c 0'" err || cat err)"

finish_cases
