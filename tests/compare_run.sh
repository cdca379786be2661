#!/bin/sh
# smemcalc run --compare and with a range: on the emulator, and timed on a fake GPU; every wrong
# input. Run in the build folder; needs an NVRTC. GENERATE=1 writes tests/golden/series-* anew.
# The words of a launch are split on purpose; the $ of jq are not the shell's:
# shellcheck disable=SC2016,SC2086

set -u
fake=$PWD/tests/gpu/fake_smemcalc
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

# --- Wrong inputs, for which nothing is compiled ---------------------------------------------------

run_refuses() { # MESSAGE ARGUMENT...
    message=$1
    shift
    refuses 2 "$message" run --on emulator --device 9.0 "$@"
}

matmuls="matmul-naive, matmul-tiled, matmul-a-tile, matmul-async, matmul-register"
run_refuses "option --kernel: 'matmul' is a family: add --compare, or name one of $matmuls" \
    --kernel matmul
refuses 2 "option --kernel: 'matmul' is a family: name one of $matmuls" --kernel matmul
run_refuses "option --kernel: unknown kernel 'quartz'; 'smemcalc kernels' lists them" \
    --kernel quartz --compare
run_refuses "option --compare: name a family of kernels, such as --kernel matmul" --compare
run_refuses "no kernel: give --tile N, --kernel NAME, or --source FILE with your own" --seed 2
run_refuses "option --compare: residency is alone in its family" --kernel residency --compare
run_refuses "option --radius: matmul-naive does not accept it; these kernels do: stencil-naive, \
stencil-static, stencil-dynamic, stencil-window" --kernel matmul --compare --radius 3
run_refuses "option --tile: a second range after --carveout; a run varies one value" \
    --tile 4:32 --carveout 0:4
run_refuses "option --annotate: for one run; --compare asks for several" \
    --kernel aat --compare --annotate
run_refuses "option --annotate: for one run; --tile asks for several" --tile 4:8 --annotate
refuses 2 "option --on: 'both' is for one run; --compare asks for several: gpu or emulator" \
    run --on both --kernel aat --compare
run_refuses "option --compare: name the other kernel, FILE or FILE:KERNEL, such as run x.cu --compare \
other.cu" --source x.cu --compare
run_refuses "option --carveout: several runs are for kernels of the catalog, not for --source" \
    --source x.cu --carveout 0:50
run_refuses "option --radius: 20000 values are more than the 256 runs of a series" \
    --kernel stencil-static --radius 1:100000:5
run_refuses "option --block: the range '0:64' is not between 1 and 1024" \
    --kernel stencil --block 0:64
run_refuses "option --radius: the range '8:4' is empty: it ends before it begins" \
    --kernel stencil --radius 8:4
run_refuses "option --m: '4:8' is a range; this command accepts one value" --tile 4 --m 4:8
run_refuses "option --cache-config: 'every' is not one of none, shared, l1, equal" \
    --tile 4 --cache-config every
refuses 2 "option --cache-config: 'all' is not one of none, shared, l1, equal" \
    --tile 4 --cache-config all

case $(smemcalc --tile 32 --device 9.0 --format json 2>/dev/null) in
*'"nvrtc 13.0 '*) nvrtc=13.0 ;;
*'"nvrtc '*) nvrtc=other ;;
*)
    skip "runs side by side" "there is no NVRTC for CC 9.0"
    finish_cases
    ;;
esac

# --- On the emulator ------------------------------------------------------------------------------

# A compute capability has no predicted time: tests/time.sh has those.
emulated="run --on emulator --device 9.0"

if [ "$nvrtc" = 13.0 ]; then
    golden series-matmul.txt $emulated --kernel matmul --compare --size 64
    golden series-aat.txt $emulated --kernel aat-naive --compare --size 64
    golden series-stencil.txt $emulated --kernel stencil --radius 29000:29050:50 --size 58200 --block 64
    golden series-stencil-window.txt $emulated --kernel stencil-window --radius 1:5:2
    golden series-reverse.txt $emulated --kernel reverse --block 32:96:32
    golden series-carveout.txt $emulated --tile 16 --size 32 --carveout 0:100:25
    golden series-cache-config.txt $emulated --tile 16 --size 32 --cache-config all
    golden series-cannot-launch.txt $emulated --kernel aat --compare --size 64 --dynamic-smem 500000
    golden series-tile.txt $emulated --tile 4:32:4 --size 64
    golden series-matmul-tile.txt $emulated --kernel matmul --compare --tile 8:16:8 --size 64
    golden series-aat-pad.txt $emulated --kernel aat --compare --pad 0:2 --size 64
    golden series-aat.csv $emulated --kernel aat --compare --size 64 --format csv
else
    skip "golden tables" "they name NVRTC 13.0"
fi

if command -v jq >/dev/null; then
    smemcalc run --dry-run --kernel matmul --compare --size 1024 --device H200 --format json >dry.json
    holds "--dry-run predicts and runs nothing" '(.comparison | length) > 2 and
        ([.comparison[].figures | .predicted_ms > 0 and .time_ms == null] | all)' dry.json
    smemcalc $emulated --kernel aat --compare --size 64 --format json >aat.json
    holds "a comparison in JSON" '.family == "aat" and .baseline == "aat-naive" and .varied == null
        and [.comparison[].kernel.name] ==
            ["aat-naive", "aat-conflict", "aat-padded", "aat-swizzled"]' aat.json
    holds "each kernel of a comparison is a run of its own" '[.comparison[] | .verdict == "confirmed" and
        .failure == null and .verdicts.differing == 0 and (.confirmation | length) > 10 and
        .emulation.findings == [] and .figures.blocks_predicted == .occupancy.blocks_per_sm] | all' \
    aat.json
    holds "compared transposes: the conflict is 32-way, padding and swizzle free it" '[.comparison[1:][] |
        .figures.shared_store_wavefronts / (.confirmation[] |
        select(.quantity == "shared_stores") | .emulated)] == [16.5, 1, 1]' aat.json
    holds "the figures of a comparison are those of its confirmations" '[.comparison[] | . as $run | $run.confirmation[] |
        select(.quantity == "bank_conflicts") | .emulated == $run.figures.bank_conflicts] | all' \
        aat.json
    holds "the ratios of a comparison are over its first kernel" '[.comparison[] | .figures.fewer_sectors *
        .figures.global_load_sectors] as $products | $products | max - min < 0.01' aat.json
    smemcalc $emulated --tile 8 --size 16 --carveout 0:50:25 --format json >carveout.json
    holds "JSON of a series names what varies" '.varied == {"option": "carveout", "values": [0, 25, 50], "spread": false}
        and .family == null and [.comparison[] | .value, .launch.carveout_percent] ==
            [0, 0, 25, 25, 50, 50]' carveout.json
    holds "blocks that nobody counted are not confirmed" '[.comparison[].verdict] ==
        ["not measured", "not measured", "not measured"]' carveout.json
    smemcalc $emulated --tile 8 --size 16 --cache-config all --format json >config.json
    holds "--cache-config all runs each preference" '[.comparison[].launch.cache_config] == .varied.values' config.json
    smemcalc $emulated --kernel stencil-naive --radius 0:20000 --size 9001 --format json \
        >radius.json 2>err
    holds "a series has the runs that cannot be, with the reason" '.varied.spread and
        [.comparison[] | select(.failure != null)] as $failed | ($failed | length) > 0 and
        ([$failed[] | .value > 4500 and (.failure | test("--length")) and .verdict == null and
            .figures.time_ms == null and .kernel.radius == .value] | all) and
        ([.comparison[] | select(.failure == null) | .value <= 4500] | all)' radius.json
    smemcalc $emulated --kernel matmul --compare --dtype double --tile 4 --size 9x7x5 \
        --format json >matmul.json
    holds "in a comparison options count for the kernels that accept them" '[.comparison[].kernel | .name, .tile, .dtype,
        .m] == ["matmul-naive", 4, "double", 9, "matmul-tiled", 4, "double", 9, "matmul-a-tile", 4,
        "double", 9, "matmul-async", 4, "double", 9, "matmul-register", null, "double", 9]' \
        matmul.json
    smemcalc $emulated --kernel matmul --compare --dtype double --tile 4:5 --size 9x7x5 \
        --format json >matmul-tile.json
    holds "a kernel that does not accept what varies is in no group" '[.comparison[] | .value] ==
        [4, 4, 4, 4, 5, 5, 5, 5, null] and [.comparison[] | .figures.fewer_sectors == null] ==
        [range(8) | false] + [true]' matmul-tile.json
else
    skip "JSON" "there is no jq"
fi

smemcalc $emulated --kernel stencil --compare --size 50 --format csv >rows.csv
empty "CSV of a comparison has a row for each kernel" "$(awk -F , 'NR == 1 { columns = NF } NF != columns || (NR > 1 &&
    $2 !~ /^stencil-/) { print }
    END { if (NR != 5) print NR " lines" }' rows.csv)"

smemcalc $emulated --kernel stencil --compare --radius 9 --size 10 >out 2>err
empty "a comparison of which no kernel can run is an error" "$(echo "$?" | grep -vx 2; cat out
    grep -v "^smemcalc: option --length: '10' is not above 2 x 9, twice the radius$" err)"

# The first run is quick; the last would take some ten processor-minutes. The limit is doubled until
# this machine ends the first one within it, whatever else runs.
limit=500
until
    smemcalc $emulated --kernel stencil-naive --radius 1:200001:200000 --size 1M --timeout $limit \
        >out 2>err
    code=$?
    grep -q ": 1 of 2 runs done; " err || [ $limit -gt 60000 ]
do
    limit=$((2 * limit))
done
empty "--timeout ends a series, and what is done is shown" "$(echo "$code" | grep -vx 1
    grep -q '^ *1  ' out || cat out
    grep -q '^ *200001 .* no result$' out || cat out
    grep -q '^ *stopped: [0-9]* of [0-9]* blocks were emulated$' out || cat out
    grep -v "^smemcalc: option --timeout: $limit ms are over: 1 of 2 runs done; " err)"

# --- On a fake GPU --------------------------------------------------------------------------------

[ -x "$fake" ] || {
    skip "timed on a fake GPU" "it is not built"
    finish_cases
}
program=$fake
gpu="run --regs 16 --size 5000"

export FAKE_GPU=well
golden series-gpu-radius.txt $gpu --kernel stencil-dynamic --radius 1:3
golden series-gpu-stencil.txt $gpu --kernel stencil --compare
golden series-gpu-carveout.txt $gpu --kernel stencil-dynamic --carveout 0:100:50
export FAKE_GPU=refuses
golden series-gpu-refused.txt $gpu --kernel stencil-dynamic --radius 1:2
export FAKE_GPU=wrong
smemcalc $gpu --kernel stencil --compare >out
empty "the times of wrong results are not compared" "$(grep -E 'speed|[*]|fastest' out
    grep -c 'differs$' out | grep -vx 4)"
export FAKE_GPU=little
smemcalc run --regs 16 --kernel stencil-dynamic --radius 3:100003:50000 >out 2>err
code=$?
empty "a run without memory says so, and the others follow" "$(echo "$code" | grep -vx 4
    grep -A 1 '^100003 .* no result$' out |
        grep -q 'the buffers need 10 MB of GPU memory, of which 8 MB are free' || cat out
    grep -q '^ *3 .* confirmed$' out || cat out
    printf '%s %s\n' "smemcalc: 1 of 3 runs failed; the first, stencil-dynamic: the buffers need" \
        "10 MB of GPU memory, of which 8 MB are free; a smaller --size needs less" | diff - err)"
export FAKE_GPU=endless
smemcalc run --regs 16 --kernel stencil --radius 1:9:4 --length 3010 --timeout 100 \
    >out 2>err
code=$?
empty "a kernel without an end is a row, and the runs that were not started are one line" "$(echo "$code" | grep -vx 4
    sed '1,/verdict$/d' out >rows
    diff - rows <<END
     1  stencil-naive      8    8     -  differs
          launches: not finished after 100 ms on the GPU (--timeout)
11 runs were not started
END
    grep -v '^smemcalc: 1 of 12 runs failed; .*; 11 were not started$' err)"
export FAKE_GPU=crashes
refuses 4 "1 of 4 runs failed; the first, stencil-naive: the kernel crashed: cudaErrorOther: as the \
test wants it; 3 were not started" $gpu --kernel stencil --compare
export FAKE_GPU=none
refuses 3 "run: no GPU: the NVIDIA driver finds none on this machine; --on emulator needs none" \
    $gpu --kernel stencil --compare
export FAKE_GPU=well
if command -v jq >/dev/null; then
    smemcalc $gpu --kernel stencil --compare --format json >gpu.json
    holds "speed-ups are over the naive kernel; a wrong result has none" '[.comparison[].figures.speed_up] == [1, null, 3, 3]' gpu.json
    holds "the fastest kernels are marked, but none with a wrong result" \
        '[.comparison[].fastest] == [false, false, true, true]' gpu.json
fi

finish_cases
