#!/bin/sh
# smemcalc tune: the shapes that are tried, what is dropped, the ranks, wrong input; measured on a
# fake GPU, whose blocks of 256 threads are the fastest. Run in the build folder; needs an NVRTC.
# Predicted times belong to the model: only their order is tested.
# Words are split on purpose; the $ of jq are not the shell's:
# shellcheck disable=SC2016,SC2086

set -u
fake=$PWD/tests/gpu/fake_smemcalc
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

# --- Wrong inputs, for which nothing is compiled ---------------------------------------------------

tune_refuses() { # MESSAGE ARGUMENT...
    message=$1
    shift
    refuses 2 "$message" tune --device H200 "$@"
}

tune_refuses "option --kernel: matmul-tiled-racy has an intended race and is not timed" \
    --kernel matmul-tiled-racy
tune_refuses "option --kernel: residency computes nothing: there is nothing to tune" \
    --kernel residency
tune_refuses "option --vary: 'tile' is not of the form NAME=4,8,16 or NAME=8:32:8" \
    --kernel matmul-tiled --vary tile
tune_refuses "option --vary: '=4' is not of the form NAME=4,8,16 or NAME=8:32:8" \
    --kernel matmul-tiled --vary =4
tune_refuses "option --vary: 'tile=' is not of the form NAME=4,8,16 or NAME=8:32:8" \
    --kernel matmul-tiled --vary tile=
tune_refuses "option --vary: 'tile': '' is neither a whole number nor a range FIRST:LAST or \
FIRST:LAST:STEP" --kernel matmul-tiled --vary tile=4,
tune_refuses "option --vary: 'tile': '8x' is neither a whole number nor a range FIRST:LAST or \
FIRST:LAST:STEP" --kernel matmul-tiled --vary tile=4,8x
tune_refuses "option --vary: 'tile': the range '8:4' is empty: it ends before it begins" \
    --kernel matmul-tiled --vary tile=8:4
tune_refuses "option --vary: 'tile': the step of the range '4:8:0' is not 1 or more" \
    --kernel matmul-tiled --vary tile=4:8:0
tune_refuses "option --vary: 'tile': 8 is given twice" --kernel matmul-tiled --vary tile=8,4:16:4
tune_refuses "option --vary: 'tile': 33 is not between 1 and 32" \
    --kernel matmul-tiled --vary tile=32:33
tune_refuses "option --vary: 'carveout': 101 is not between -1 and 100" \
    --kernel matmul-tiled --vary carveout=50,101
tune_refuses "option --vary: 'm' is not a parameter of matmul-tiled that may vary: tile, pad, \
carveout" --kernel matmul-tiled --vary m=512,1024
tune_refuses "option --vary: 'stages' is not a parameter of stencil-dynamic that may vary: block, \
carveout" --kernel stencil-dynamic --vary stages=2
tune_refuses "option --vary: 'tile': not together with --tile" \
    --kernel matmul-tiled --tile 8 --vary tile=4
tune_refuses "option --vary: 'carveout': not together with --carveout" \
    --kernel matmul-tiled --carveout 50 --vary carveout=0
tune_refuses "option --vary: 'tile' is given twice" \
    --kernel matmul-tiled --vary tile=4 --vary tile=8
tune_refuses "option --vary: 'block': more than 128 values" \
    --kernel stencil-dynamic --vary block=1:200
tune_refuses "nothing varies: every parameter of stencil-dynamic has a value; --vary NAME=4,8,16 \
gives several" --kernel stencil-dynamic --block 64 --carveout 50
tune_refuses "no combination of the values is legal; the first: option --block-m: '32' is not a \
multiple of 64, the rows of a warp: 8 threads of --thread-m 8" --kernel matmul-register \
    --vary block-m=32 --vary thread-m=8 --vary thread-n=8
tune_refuses "more than 2000000 combinations of values: give fewer with --vary NAME=..." \
    --kernel matmul-register --vary block-m=1:128 --vary block-n=1:128 --vary block-k=1:32 \
    --vary thread-m=1:16 --vary thread-n=1:16
tune_refuses "no kernel: give --tile N, --kernel NAME, or --source FILE with your own"
tune_refuses "option --device: shapes run on the GPU that --gpu names; without --gpu and --on they \
are ranked for any device" --kernel stencil-dynamic --gpu 0
tune_refuses "option --on: 'both' is for one run; tune measures on a gpu, or only ranks" \
    --kernel stencil-dynamic --on both
refuses 2 "option --gpu: not with --on emulator, which measures no time" \
    tune --kernel stencil-dynamic --on emulator --gpu 0
tune_refuses "option --entry: only with --source FILE" --kernel stencil-dynamic --entry f
refuses 2 "option --runs: 'x' is not a whole number between 0 and 2147483647" \
    tune --kernel stencil-dynamic --runs x

printf 'extern "C" __global__ void twice(int *values, int count)
{
#if BT == 96
#error "no 96"
#endif
    int i = blockIdx.x * BT + threadIdx.x;
    if (i < count)
        values[i] *= 2;
}\n' >x.cu
own="tune --source x.cu -a i32x4096:ramp -a i32:4096 --device H200"
needs="needed with your own source"
refuses 2 "option --vary: $needs: NAME=4,8,16, a macro that the source uses" $own --grid 8 --block 64
refuses 2 "option --grid: $needs: such as 4096/(TM*16), or 64,32" $own --vary BT=64 --block BT
refuses 2 "option --block: $needs: such as 256, 32x8 or TM*32" $own --vary BT=64 --grid 64
refuses 2 "option --vary: $needs: NAME=4,8,16, a macro that the source uses" tune x.cu --grid 8 --block 64
refuses 2 "option --source: not with FILE 'x.cu'" tune x.cu --source x.cu
refuses 2 "'y.cu': the command tune accepts at most 1 file" tune x.cu y.cu
refuses 2 "option --source: '-' is read once, and every shape compiles it: name a file" \
    tune --source - --vary BT=64 --grid 64 --block BT --device H200
refuses 2 "option --kernel: only with kernels of the catalog, not with your own source; --entry NAME \
chooses a kernel of the source" $own --kernel stencil-dynamic --vary BT=64 --grid 64 --block BT
refuses 2 "option --vary: 'block-m' is not the name of a macro" \
    $own --vary block-m=64 --grid 64 --block 64
refuses 2 "option --vary: 'BT' is given twice" $own --vary BT=64 --vary BT=32 --grid 64 --block 64
refuses 2 "none.cu: No such file or directory" tune none.cu --vary BT=64,128 --grid 64 --block BT --device H200
printf '.version 7.8\n.target sm_90\n.address_size 64\n.visible .entry f()\n{\n\tret;\n}\n' >f.ptx
refuses 2 "option --vary: 'UN' changes nothing: f.ptx is compiled already, and neither --grid, --block, \
--dynamic-smem nor --arg names it" tune f.ptx --vary BT=64,128 --vary UN=1,2 --grid 64 --block BT --device H200
none="no combination of the values is legal; the first"
refuses 2 "$none: option --grid: '4096/U': column 6: unknown variable 'U'; known are BT" \
    $own --vary BT=64,128 --grid 4096/U --block BT
refuses 2 "$none: option --grid: '4096/BTx64': column 6: unknown variable 'BTx64'; known are BT; commas separate the dimensions of expressions, such as 4096/(TM*16),64" \
    $own --vary BT=64,128 --grid 4096/BTx64 --block BT
refuses 2 "$none: option --grid: '4096/(BT-64)': division by zero" \
    $own --vary BT=64 --grid '4096/(BT-64)' --block BT
refuses 2 "$none: option --grid: '64-BT' is 0 in x, not between 1 and 2147483647" \
    $own --vary BT=64 --grid 64-BT --block BT
refuses 2 "$none: option --block: 'BT,BT' has 4096 threads, more than 1024" \
    $own --vary BT=64 --grid 64 --block BT,BT
refuses 2 "$none: option --grid: '1,2,3,4' is not a shape such as 256, 32x8 or 4096/(TM*16),64" \
    $own --vary BT=64 --grid 1,2,3,4 --block BT
refuses 2 "$none: option --dynamic-smem: '64-2*BT' is -64 bytes" \
    $own --vary BT=64 --grid 64 --block BT --dynamic-smem '64-2*BT'
refuses 2 "$none: option --arg: 'i32:4096/': '4096/': column 6: a number, a variable or '(' \
expected, but the text ends" tune --source x.cu -a i32:4096/ --device H200 --vary BT=64 --grid 64 --block BT

if ! command -v jq >/dev/null; then
    skip "ranks" "there is no jq"
    finish_cases
fi
case $(smemcalc --tile 32 --device 9.0 --format json 2>/dev/null) in
*'"nvrtc '*) ;;
*)
    skip "ranks" "there is no NVRTC for CC 9.0"
    finish_cases
    ;;
esac

# --- Ranks without a GPU --------------------------------------------------------------------------

ranked() { # FILE ARGUMENT...
    file=$1
    shift
    smemcalc tune --device H200 --format json "$@" >"$file" 2>err
    code=$?
    [ "$code" -eq 0 ] || fail "status of tune $*" "exit status $code: $(cat err)"
}

ranked stencil.json --kernel stencil-dynamic --radius 100
holds "block and carve-out: every number of whole warps, every size of shared memory" \
    '[.tune.varied[] | .name] == ["block", "carveout"] and
     .tune.varied[0].values == [range(32; 1025; 32)] and (.tune.varied[1].values | length) == 10 and
     .tune.shapes.combinations == 320 and .tune.shapes.legal == 320' stencil.json
holds "every shape is counted once" '.tune | .shapes as $n | ($n.legal == ([$n.predicted,
    $n.repeated, $n.unpredicted, $n.refused, $n.spills, $n.same, $n.failed, $n.not_compiled] | add)) and
    $n.ranked == (.ranking | length) and $n.legal - $n.ranked == (.dropped | length)' stencil.json
holds "ranks are in the order of the predicted times" '[.tune.ranking[] | .rank] ==
    [range(1; (.tune.ranking | length) + 1)] and
    ([.tune.ranking[] | select(.state == "predicted") | .time.predicted_ms] | . == sort) and
    ([.tune.ranking[] | .state] | . == sort)' stencil.json
holds "without a GPU nothing was measured, and the answer says so" '.tune.measurement | .runs == 0 and
    (.not_measured | length > 0) and .gpu == null and .regret_percent == null' stencil.json
holds "without measurements no shape wins" '.tune.winner == null and
    ([.tune.ranking[] | .winner or (.measured | .median_ms != null or .correct != null)] | any |
     not)' stencil.json
holds "a carve-out that is rounded up to another one is not run twice" '.tune.shapes.same > 0 and
    ([.tune.dropped[] | select(.state == "same") | .rank == null] | all)' stencil.json
few="--kernel stencil-dynamic --radius 100 --vary block=64:256:64"
ranked few.json $few
ranked again.json $few
empty "the same question has the same answer" "$(diff few.json again.json)"
ranked uncached.json $few --no-cache
empty "without the cache a question has the same answer" "$(diff few.json uncached.json)"

smemcalc tune --device H200 --format json --kernel stencil-dynamic --radius 40000 \
    --vary block=64,1024 --vary carveout=100 >large.json 2>err
empty "if no shape can launch, that is an error" "$([ $? -eq 1 ] || echo "exit status"
    grep -qx 'smemcalc: no shape can launch without spilling' err || cat err)"
holds "what cannot launch is dropped, with the reason" '.tune | .shapes.refused == 2 and
    .ranking == [] and [.dropped[] | [.state, .reason, .rank]] ==
    [["refused", "smem_per_block", null], ["refused", "smem_per_block", null]]' large.json

narrow="--kernel matmul-register --size 512 --vary block-m=64,128 --vary block_n=64 --vary block-k=8
    --vary thread-m=8 --vary thread-n=4:8:4 --vary stages=2:3"
ranked register.json $narrow
holds "values given vary in the order of the catalog" '[.tune.varied[] | [.name, .values]] ==
    [["block_m", [64, 128]], ["block_n", [64]], ["block_k", [8]], ["thread_m", [8]],
     ["thread_n", [4, 8]], ["stages", [2, 3]]] and .tune.shapes.legal == 8 and
    .tune.kernel.m == 512 and (.tune.kernel | has("stages") | not)' register.json
ranked spills.json --kernel matmul-register --dtype double --size 512 --vary block-m=128 \
    --vary block-n=64 --vary block-k=8 --vary thread-m=16 --vary thread-n=4,6 --vary stages=2
holds "a shape that spills is dropped" '[.tune.dropped[] | select(.spill_bytes > 0) | .state == "spills" and
    .rank == null] | all' spills.json
ranked fixed.json --kernel matmul-register --size 512 --block-m 64 --block-n 64 --thread-m 8 \
    --thread-n 8 --stages 2
holds "a parameter that an option gives does not vary" '[.tune.varied[].name] == ["block_k"]' fixed.json

smemcalc tune $narrow --device H200 >text 2>err
empty "text: a table that fits, the first rank and how to run it" "$(
    awk 'length > 80' text
    grep -q '^first  *--block-m ' text || echo "no first"
    grep -q '^measured  *nothing: ' text || echo "nothing about measuring"
    grep -q '^run it  *smemcalc run --kernel matmul-register ' text || echo "no command"
    [ "$(grep -c '^  *[0-9]' text)" -eq 8 ] || cat text)"
smemcalc tune $few --device H200 --top 3 >text 2>err
empty "text: --top shows as many ranks" "$([ "$(grep -cE '^[ >] +[0-9]' text)" -eq 3 ] || cat text)"
smemcalc tune --kernel matmul-tiled --vary tile=16:32:16 --vary pad=0 --vary carveout=100 --device 9.0 |
    tr -s ' \n' ' ' >text
empty "text: shapes without a time rank by occupancy" "$(
    for words in 'ranked by occupancy, as no time is predicted: a compute capability alone has no clock;' \
        ' 1 16 0 100 - - not predicted; occupancy 100 %' \
        'first --tile 16 --pad 0 --carveout 100: occupancy 100 %, as 1 other shape has; neither predicted nor'; do
        grep -qF -e "$words" text || { echo "no $words"; cat text; }
    done)"
smemcalc tune --kernel matmul-tiled --vary tile=16 --vary pad=0 --vary carveout=100 --device "RTX 4090" |
    tr -s ' \n' ' ' >text
empty "text: times of a board that was not measured are from specifications" "$(
    grep -qF '; predicted from specifications, not measured' text || cat text)"
smemcalc tune $narrow --device H200 --plot - >text 2>err
empty "--plot - is a picture in the terminal instead of the table" "$(
    grep -q '^matmul-register on NVIDIA H200: occupancy and time$' text || cat text err
    grep -q '8 predicted shapes' text || cat text
    grep '^run it' text)"
smemcalc tune --kernel matmul-tiled --vary tile=16,32 --vary pad=0 --device 9.0 --plot - >text 2>err
empty "without a time --plot gives the table, and why there is no picture" "$(
    [ $? -eq 3 ] || echo "exit status"
    grep -qx 'smemcalc: option --plot: no shape has a time: a compute capability alone has no clock' err ||
        cat err
    grep -q '^first ' text || cat text)"
tune_refuses "option --plot: 'shapes.gif' does not end in .svg, .png or .pdf; '-' draws in the \
terminal" $narrow --plot shapes.gif
smemcalc tune $narrow --device H200 --format csv >shapes.csv 2>err
empty "CSV: a line for each shape, and the same ranks" "$(
    [ "$(wc -l <shapes.csv)" -eq 9 ] || cat shapes.csv
    head -n 1 shapes.csv | grep -q '^block_m,block_n,block_k,thread_m,thread_n,stages,rank,state,' || cat shapes.csv
    awk -F, 'NR > 1 {print $1 "," $5 "," $6}' shapes.csv >from-csv
    jq -r '.tune.ranking[].values | "\(.block_m),\(.thread_n),\(.stages)"' register.json |
        diff - from-csv)"
smemcalc tune --kernel stencil-dynamic --vary block=64,128 --device H200 --on emulator >text 2>err
empty "text: on the emulator nothing is measured" "$(grep -q 'nothing: the emulator counts' text || cat text err)"

# --- Your own source ------------------------------------------------------------------------------

ranked own.json x.cu --vary BT=32:128:32,2048 --grid '(4096+BT-1)/BT' \
    --block BT -a i32x64*BT:ramp -a i32:64*BT
holds "macros of your own source vary, and what depends on them" '.tune | .kernel.file == "x.cu" and
    .shapes.combinations == 5 and .shapes.legal == 4 and .shapes.failed == 1 and
    (.dropped[0] | .values.BT == 96 and (.reason | test("no 96"))) and
    ([.ranking[] | .values.BT == .threads_per_block] | all) and (.ranking | length) == 3' own.json

ranked idle.json x.cu --vary BT=32,64 --vary UN=1,2,3 --grid 4096/BT --block BT -a i32x4096:ramp -a i32:4096
empty "a macro that changes nothing is named" "$(
    grep -qx "smemcalc: warning: option --vary: 'UN' changes neither the code nor the launch" err || cat err)"
holds "shapes that differ in it are ranked once" '.tune | .shapes.same == 4 and
    ([.ranking[] | .values.UN] == [1, 1])' idle.json
ranked used.json x.cu --vary BT=32,64 --vary UN=1,2 --grid 4096/BT --block BT -a i32x4096:ramp -a i32:4096/UN
empty "one that only an argument names changes the launch" "$(cat err)"
refuses 2 "option --arg: 1 given, but twice has 2 parameters: int *values, int count; such as \
-a i32x1024:random:0:1023 -a i32:1024" \
    tune x.cu --vary BT=32,64 --grid 64 --block BT -a i32x4096 --device H200
ranked outside.json x.cu --vary BT=64,128 --grid 16384/BT --block BT -a i32x4096:ramp -a i32:16384
empty "accesses outside the arrays are reported" "$(
    grep -qx "smemcalc: warning: accesses lie outside the arrays given with BT=64 and 1 other shape: \
run --on emulator names them" err || cat err)"

# --- Measured, on a fake GPU ----------------------------------------------------------------------

[ -x "$fake" ] || { skip "measurements" "no fake GPU in this build"; finish_cases; }
compiled="--kernel stencil-dynamic --size 2054 --vary block=64:1024:64"

on_fake() { # STATUS WORDS OF FAKE_GPU, ARGUMENT...
    status=$1 words=$2
    shift 2
    FAKE_GPU="compiled $words" "$fake" tune $compiled "$@" >out 2>err
    seen=$?
    [ "$seen" -eq "$status" ] || fail "on the GPU '$words': tune $*" \
        "exit status $seen, not $status: $(cat out err)"
}

on_fake 0 "paced" --vary carveout=-1 --all --runs 3 --format json
holds "the fastest shape wins, whatever its rank" '.tune | .winner.values.block == 256 and
    .winner.measured.median_ms == 1 and .winner.winner and
    ([.ranking[] | select(.winner)] | length) == 1' out
holds "--all runs every shape" '.tune | .measurement.runs == 16 and .measurement.exhaustive and
    .measurement.not_measured == null and .measurement.gpu == 0 and
    ([.ranking[].measured | .correct and .launches > 0 and .median_ms >= 1] | all)' out
holds "the turns of measured shapes count the runs" '[.tune.ranking[].measured.turn] | sort == [range(1; 17)]' out
holds "the shape that runs first is the first rank" '.tune.ranking[0].measured.turn == 1' out
holds "--runs 3 --all: regret is about the first three runs" '.tune | .measurement.regret_runs == 3 and
    (100 * ([.ranking[].measured | select(.turn <= 3) | .median_ms] | min) - 100 -
     .measurement.regret_percent | fabs) < 0.0001' out
holds "the errors of measured shapes are those of the predictions" '.tune | ([.ranking[] | .time.predicted_ms as $p |
    .measured | 100 * ($p / .median_ms - 1) - .error_percent | fabs < 0.001] | all) and
    (.measurement.worst_error_percent >= .measurement.mean_error_percent)' out
on_fake 0 "paced" --vary carveout=-1 --runs 5 --format json
holds "--runs 5 runs only five shapes" '.tune | .measurement.runs == 5 and
    (.measurement.exhaustive | not) and .measurement.regret_percent == null and
    ([.ranking[] | select(.measured.median_ms != null) | .measured.turn] | sort) ==
    [1, 2, 3, 4, 5]' out
on_fake 0 "paced" --vary carveout=-1 --all --runs 4 --top 2
empty "text: the winner, marked" "$(
    grep -q '^winner  *--block 256 --carveout -1: 1 ms' out || cat out
    grep -q '^>  *[0-9]* *256 ' out || cat out)"
on_fake 0 "paced" --vary carveout=-1 --runs 4 --plot -
empty "a picture of what was measured" "$(
    grep -q '4 measured shapes, block/carveout' out || cat out)"
on_fake 0 "paced" --runs 0 --format json
holds "--runs 0 only ranks" '.tune.measurement | .runs == 0 and .not_measured == "--runs 0"' out

on_fake 1 "paced spoils-256" --vary carveout=-1 --all --format json
holds "a wrong result never wins" '.tune | .winner.values.block != 256 and
    ([.ranking[] | select(.values.block == 256) | .measured.correct == false and
      (.reason | test("wrong")) and (.winner | not)] == [true])' out
empty "a wrong result is reported" "$(grep -q '1 of 16 shapes that were run have a wrong result' err || cat err)"
on_fake 1 "paced wrong" --vary carveout=-1 --all --format json
holds "if all results are wrong no shape wins" '.tune | .winner == null and
    ([.ranking[] | .measured.correct == false] | all)' out
on_fake 1 "refuses" --vary carveout=-1 --runs 2 --format json
holds "a shape whose launch is refused has no time" '.tune | .winner == null and .measurement.runs == 2 and
    ([.ranking[] | select(.reason != null) | .reason | test("cudaErrorInvalidValue")] |
     . == [true, true])' out
on_fake 4 "crashes" --vary carveout=-1 --format json
holds "a crash on the GPU ends the runs" '.tune | .measurement.runs == 1 and .measurement.stopped and
    .winner == null' out
on_fake 130 "paced interrupted" --vary carveout=-1 --all --format json
holds "Ctrl-C leaves what was measured" '.tune | .measurement.stopped and
    (.measurement.exhaustive | not) and .measurement.runs > 0 and .measurement.runs < 16 and
    .winner != null and
    ([.ranking[] | select(.measured.median_ms != null)] | length) == .measurement.runs' out
empty "Ctrl-C is reported with the number of runs" "$(grep -q 'interrupted after [0-9]* of 16 runs' err || cat err)"

compiled="--kernel stencil-window --size 2054 --vary block=64,128"
on_fake 0 "paced counted" --vary carveout=-1,50 --all --no-cache
empty "without the cache a shape that was predicted is not compiled again for its run" "$(
    tail -n 1 err | grep -vx '2 compilations, 0 repeated')"
compiled="--source x.cu --grid 4096/BT -a i32x4096:ramp -a i32:4096 --vary BT=64:512:64"
on_fake 0 "paced counted" --block BT --all --no-cache --format json
empty "without the cache your own source is compiled once for each shape" "$(
    tail -n 1 err | grep -vx '8 compilations, 0 repeated')"
holds "your own source is measured" '.tune | .winner.values.BT == 256 and .measurement.exhaustive and
    .measurement.runs == 8 and ([.ranking[].measured | .median_ms >= 1 and .correct] | all)' out
on_fake 1 "paced spoils-256" --block BT --all --format json
holds "a result that differs from the first never wins" '.tune | .winner.values.BT != 256 and
    ([.ranking[] | select(.measured.correct == false) | .values.BT] == [256])' out
on_fake 4 "endless" --block BT --all --timeout 50 --format json
holds "a kernel that does not end is the last to run" '.tune | .winner == null and
    .measurement.runs == 1 and .measurement.stopped' out

compiled="--kernel stencil-dynamic --size 2054 --vary block=64:1024:64"
on_fake 0 "none" --vary carveout=-1 --format json
holds "without a GPU the shapes are ranked" '.tune | .measurement.runs == 0 and
    (.measurement.not_measured | test("no GPU")) and (.ranking | length) > 0' out
on_fake 3 "none" --vary carveout=-1 --on gpu
on_fake 3 "paced" --vary carveout=-1 --gpu 7
empty "a GPU that is not there" "$(grep -q '^smemcalc: option --gpu: ' err || cat err)"

finish_cases
