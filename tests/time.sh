#!/bin/sh
# Predicted times: the contract of JSON, CSV and text, what any sound prediction satisfies, and where
# there is none. Nothing here is about how good the predictions are. Run in the build folder.

# Words of options are split on purpose:
# shellcheck disable=SC2086
set -u
unset COLUMNS
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

# A filter of jq answers true of the JSON of a command.
states() { # NAME FILTER ARGUMENT...
    name=$1 filter=$2
    shift 2
    smemcalc "$@" --format json >stated.json 2>err
    holds "$name" "$filter" stated.json
}

predicted() { # ARGUMENT...
    smemcalc "$@" --format json 2>/dev/null | jq '.time.predicted_ms'
}

# The second number is larger than the first.
grows() { # NAME NUMBER NUMBER
    empty "$1" "$(echo "$2 $3" | awk '!($1 > 0 && $2 > $1) { print "from", $1, "to", $2 }')"
}

# The patterns that no line of the file has, and the file.
lacks() { # FILE PATTERN...
    file=$1
    shift
    for pattern; do
        grep -Eq -- "$pattern" "$file" || { echo "no line $pattern"; cat "$file"; }
    done
}

# --- Where there is none, which every machine can tell --------------------------------------------

none='.time == null and (.time_reason | type) == "string"'
states "no time without a kernel" "$none" --threads 256 --regs 32 --device H200
states "no time without machine code" "$none" --tile 16 --device H200 --no-nvrtc
states "no time of a compute capability without a board" "$none" --tile 16 --device 9.0
states "no time of a launch that is refused" "$none" --tile 32 --regs 200 --device H200
empty "a query says from which architecture on there are times" "$(
    seen=$(smemcalc --tile 16 --device "GTX 1080" | tr -s ' \n' ' ')
    case $seen in
    *"time not predicted: machine code of sm_61 is not read, only that of sm_70 and newer"*) ;;
    *) echo "$seen" ;;
    esac)"
empty "a query says once why there is no time" "$(smemcalc --tile 16 --device H200 --no-nvrtc 2>&1 |
    grep -c '^time        not predicted: ' | grep -vx 1)"
empty "a query of a kernel described by numbers does not mention the time" \
    "$(smemcalc --threads 256 --regs 32 --device H200 | grep '^time')"
empty "CSV of a query without a time leaves its columns empty" "$(smemcalc --threads 256 --regs 32 --device H200 --format csv |
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print $at["predicted_ms"] $at["low_ms"] $at["high_ms"] $at["bound_by"] }' | grep .)"
refuses 2 "option --show: 'time' is only for kernels of the catalog (--kernel), whose arguments are \
known" sweep --threads 32:128:32 --device H200 --show time
refuses 2 "option --show: 'speed' is not one of occupancy, time" sweep --tile 4:8 --show speed
refuses 2 "option --by: 'speed' is not one of time, occupancy" best --kernel matmul-tiled --by speed
for own in "--regs 40" kernel.cu; do
    refuses 2 "option --by: 'time' is only for kernels of the catalog (--kernel), whose arguments \
are known; 'smemcalc help tune' ranks your own source by time" best $own --device H200 --by time
done
refuses 3 "option --by: there is no predicted time: a compute capability alone has no clock" \
    best --kernel matmul-tiled --device 9.0 --by time
refuses 2 "option --dry-run: only with your own source: smemcalc run FILE --dry-run ..." run --tile 16 \
    --dry-run
states "best: without times by occupancy" '.best.ranked_by == "occupancy" and
    (.best.rules | map(.name) | index("time")) == null and
    (.best.candidates | map(.predicted_ms) | unique) == [null]' \
    best --kernel matmul-tiled --device H200 --no-nvrtc
empty "best: text says that no time is predicted" \
    "$(smemcalc best --kernel matmul-tiled --device H200 --no-nvrtc |
        grep -c '^time        not predicted, so they rank by occupancy' | grep -vx 1)"

case $(smemcalc --tile 32 --device H200 --format json 2>/dev/null) in
*'"nvrtc '*) ;;
*)
    skip "predicted times" "there is no NVRTC for CC 9.0"
    finish_cases
    ;;
esac

# --- One query ------------------------------------------------------------------------------------

states "or what NVRTC says" '.time != null or (.time_reason | test("NVRTC .* sm_70"))' \
    --tile 16 --device V100

contract='.time_reason == null and (.time |
    ([.predicted_ms, .low_ms, .high_ms, .terms_ms[], .counts[]] |
        all((type == "number") and . >= 0)) and
    .low_ms > 0 and .low_ms <= .predicted_ms and .predicted_ms <= .high_ms and
    (.terms_ms | keys_unsorted) == ["issue", "fma", "fp64", "integer", "special", "tensor",
        "shared_memory", "l1", "l2", "atomics", "dram", "latency", "launch"] and
    .terms_ms[.bound_by] == ([.terms_ms[]] | max) and .next != .bound_by and
    .terms_ms[.next] <= .terms_ms[.bound_by] and
    (.ceilings | IN("table", "calibrated", "specifications")) and
    ([.counts[] | . == floor] | all) and .counts.warp_instructions > 0 and (.code | length) > 0 and
    has("flops_per_s") and has("dram_bytes_per_s") and (has("measured_ms") | not))'
for device in H200 "H100 80GB HBM3"; do
    for kernel in matmul-tiled matmul-naive matmul-register aat-conflict stencil-dynamic \
        stencil-window reverse-static; do
        states "$kernel on $device: the contract" "$contract" --kernel $kernel --device "$device"
    done
done
states "a board that nobody measured: from specifications" \
    "$contract"' and .time.ceilings == "specifications"' --tile 16 --device "RTX 4090"
states "a table of a board: its ceilings" '.time.ceilings == "table"' --tile 16 --device H200
states "operations per second follow from the time" '(.workload.flops / .time.predicted_ms * 1000 /
    .time.flops_per_s - 1) | fabs < 1e-9' --tile 16 --device H200
for kernel in matmul-tiled matmul-naive matmul-register aat-padded; do
    grows "$kernel: eight times the work takes longer" \
        "$(predicted --kernel $kernel --size 1024 --device H200)" \
        "$(predicted --kernel $kernel --size 2048 --device H200)"
done
for kernel in stencil-naive stencil-dynamic stencil-window; do
    grows "$kernel: sixteen times the elements take longer" \
        "$(predicted --kernel $kernel --size 4M --device H200)" \
        "$(predicted --kernel $kernel --size 64M --device H200)"
done
# Where all blocks start at once, one that is full takes longest.
edge='--kernel aat-naive --dtype double --tile 32 --k 1232 --device H100'
empty "blocks at the edge of the grid do not stand for the others" "$(
    full=$(predicted $edge --m 320)
    clipped=$(predicted $edge --m 299)
    jq -en "($clipped / $full - 1) | fabs < 0.001" >/dev/null || echo "$full, $clipped")"
# The driver's reserve of each block does not keep blocks away that have no shared memory.
naive='--kernel matmul-naive --tile 8 --size 716 --device H200'
predicted $naive >whole.txt
empty "a preference for L1 leaves blocks without shared memory resident" \
    "$(predicted $naive --carveout 0 | diff whole.txt - 2>&1)"
grows "but not those with some" "$(predicted --kernel aat-swizzled --tile 8 --size 716 --device H200)" \
    "$(predicted --kernel aat-swizzled --tile 8 --size 716 --carveout 0 --device H200)"
states "small blocks take as long as it takes to send them" '.time.bound_by == "launch" and
    .time.predicted_ms < 1.2 * .time.terms_ms.launch' \
    --kernel stencil-naive --block 32 --radius 1 --size 16M --device H200
smemcalc --tile 16 --device H200 --format json >alone.json
smemcalc --tile 16 --device H200 --format csv >alone.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { printf "{\"predicted_ms\":%s,\"low_ms\":%s,\"high_ms\":%s,\"bound_by\":\"%s\"}\n",
        $at["predicted_ms"], $at["low_ms"], $at["high_ms"], $at["bound_by"] }' alone.csv >csv.json
jq -s '.[0].time as $time | .[1] | .bound_by == $time.bound_by and
    ([["predicted_ms", "low_ms", "high_ms"][] as $key | .[$key] / $time[$key] - 1 | fabs < 1e-6] |
        all)' alone.json csv.json >same.json
holds "CSV has the predicted time of JSON" . same.json
smemcalc --tile 16 --device H200 >alone.txt
empty "a query has the time, and what would be faster" "$(lacks alone.txt \
    '^time        [0-9.]+ [mu]?s \([0-9.]+ to [0-9.]+\), bound by [a-zA-Z0-9]' '^faster      ')"
for of in 'H200:measured FMA ceiling' 'RTX 4090:theoretical FMA peak'; do
    smemcalc --tile 32 --device "${of%%:*}" | tr -s ' \n' ' ' >out
    empty "${of%%:*}: a share of the ${of#*:}" "$(lacks out "TFLOP/s, [0-9]+ % of the ${of#*:}")"
done
smemcalc --tile 16 --device H200 --explain >explained.txt
empty "--explain lists the terms of the time, and marks one" "$(awk '/^time  *work counted/ { in_time = 1 }
    in_time && /> +[0-9.]+ ms/ { marked++ } in_time && / [0-9.]+ ms/ { rows++ }
    END { if (rows < 5 || marked != 1) print rows, "rows,", marked, "marked" }' explained.txt)"
for kernel in matmul-tiled matmul-register stencil-static aat-conflict reverse-dynamic; do
    smemcalc --kernel $kernel --device "H100 80GB HBM3" >out
    empty "$kernel: an answer with a time fits on a screen of 24 lines, but for a call that must come first" \
        "$(awk '/^[a-z]/ { call = /^call / } !call { n++ } END { if (n > 24) print n, "lines" }' out)"
done
empty "no line is wider than 80 columns" "$(awk 'length > 80 && !/█/' alone.txt explained.txt out)"
smemcalc --tile 16 --device H200 --device "H100 80GB HBM3" --device 9.0 >compared.txt
empty "devices compared: a column of times, empty where there is none" "$(awk '/ time ms / { head++ }
    /^compute capability 9.0 .* - / { none++ } END { if (head != 1 || none != 1) print head, none }' \
    compared.txt)"

# --- run ------------------------------------------------------------------------------------------

smemcalc run --tile 16 --size 64 --on emulator --device H200 --format json >run.json
code=$?
empty "run with a predicted time: exit status 0" "$([ $code -eq 0 ] || echo "$code")"
smemcalc --tile 16 --size 64 --device H200 --format json >alone.json
jq -s '.[0].time == .[1].time' run.json alone.json >same.json
holds "run: the time of the query" . same.json
holds "run: the row of the time has no verdict" '[.confirmation[] | select(.quantity == "time_ms")] |
    length == 1 and (.[0] | .predicted > 0 and .measured == null and .verdict == "information")' \
    run.json
sed 's/"host": "[^"]*"/"host": "other"/' run.json >other.json
smemcalc merge run.json other.json >out 2>err
code=$?
empty "merge reads reports with a predicted time" "$([ $code -eq 0 ] || echo "$code"; cat err)"
smemcalc run --kernel matmul --compare --size 32 --on emulator --device H200 --format json >series.json
holds "runs compared: a predicted time each" '[.. | .figures? // empty | .predicted_ms] |
    length > 3 and all(. > 0)' series.json

# --- sweep ----------------------------------------------------------------------------------------

smemcalc sweep --tile 8:16:8 --device H200 --show time --format json >swept.json
smemcalc --tile 16 --device H200 --format json >alone.json
jq -s '.[0].answers[1].time == .[1].time' swept.json alone.json >same.json
holds "sweep --show time: the times of single queries" . same.json
smemcalc sweep --tile 8:16:8 --device H200 --show time --format csv | tail -n 1 >swept.csv
smemcalc --tile 16 --device H200 --format csv | tail -n 1 >alone.csv
empty "sweep --show time: the CSV of single queries" "$(diff alone.csv swept.csv)"
smemcalc sweep --tile 8:16:8 --device H200 --format json >swept.json
holds "sweep: no times unless they are asked for" '.answers | map(.time) == [null, null]' swept.json
smemcalc sweep --tile 16 --device H200,"H100 80GB HBM3",9.0 --show time --format json >swept.json
holds "sweep of devices: each has its ceilings" '.answers | map(.time.predicted_ms) |
    .[0] > 0 and .[1] > 0 and .[0] != .[1] and .[2] == null' swept.json
smemcalc sweep --tile 8:32:8 --device H200 --show time >swept.txt
empty "sweep: the table has times and the shortest" \
    "$(lacks swept.txt 'time ms  x best  bound by$' '^best        [0-9.]+ [mu]?s at tile ')"
smemcalc sweep --tile 8:32:8 --carveout 0:100:50 --device H200 --show time >swept.txt
empty "sweep: a grid of times" "$(lacks swept.txt '^cells       predicted time in ')"
for plot in "--tile 8:32:8" "--tile 1:32" "--tile 8:32:8 --carveout 0:100:50"; do
    smemcalc sweep $plot --device H200 --show time --plot - >out
    empty "a picture of times: $plot" "$(lacks out '^Predicted time by .*[0-9] [mu]?s at best$'
        awk '{ gsub(/[^ -~]/, ""); if (length > 80) print }' out)"
done

# --- best -----------------------------------------------------------------------------------------

# shellcheck disable=SC2016 # $least is one of jq
states "best: the proposal is the fastest, or within 2 %" '.best | .ranked_by == "time" and
    (.rules | map(.name) | index("time")) == 1 and
    ([.candidates[] | select(.outcome == "launches") | .predicted_ms] | min) as $least |
    (.candidates | length) > 1 and (.candidates[0].predicted_ms <= 1.02 * $least) and .candidates[0].size == .proposal' \
    best --kernel stencil-dynamic --device H200
jq '[.best.candidates[] | select(.dropped_by == "time") | .predicted_ms] | . == sort' stated.json >same.json
holds "best: the other sizes are sorted by time" . same.json
states "best --by occupancy: as without times" '.best | .ranked_by == "occupancy" and
    (.candidates | map(.predicted_ms) | unique) == [null]' \
    best --kernel matmul-tiled --device H200 --by occupancy
states "best: devices without a time keep all of them from it" \
    '[.answers[].best.ranked_by] == ["occupancy", "occupancy"]' \
    best --kernel matmul-tiled --device H200 --device 9.0
smemcalc best --kernel matmul-tiled --device H200 >out
empty "best: text has the times" "$(lacks out ' time ms moved MB  bound by$' \
    '^use --tile [0-9]+: [0-9.]+ [mu]?s \(.* predicted, bound by ')"

# --- Your own kernel ------------------------------------------------------------------------------

cat >saxpy.cu <<'END'
__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
END
saxpy() { # ELEMENTS BLOCKS OPTION...
    elements=$1 blocks=$2
    shift 2
    smemcalc run saxpy.cu --grid "$blocks" --block 256 -a "i32:$elements" -a f32:2 \
        -a "f32x$elements:random" -a "f32x$elements:zero" --device H200 "$@"
}
saxpy 1000 4 --on emulator --format json >emulated.json
saxpy 1000 4 --dry-run --format json >dry.json
jq -s '(.[0].time != null) and .[0].time == .[1].time' emulated.json dry.json >same.json
holds "own kernel: the same time with and without running it" . same.json
holds "own kernel: the row of the time has no verdict" '[.confirmation[] | select(.quantity == "time_ms")] |
    length == 1 and .[0].verdict == "information"' emulated.json
holds "own kernel: nothing is run by --dry-run" '.emulator == null and .gpu == null and
    (.memory | length) == 0' dry.json
for elements in 1000000 100000000 2000000000; do
    saxpy $elements $((elements / 256 + 1)) --dry-run --format json >dry.json
    jq .time.predicted_ms dry.json
done | awk '$1 <= last { bad = 1 } { last = $1 } END { if (bad || NR != 3) print "not growing:", last }' >out
empty "own kernel: more elements take longer, without their memory" "$(cat out)"
saxpy 1000 4 --dry-run >out
empty "own kernel: the text of --dry-run has the time" "$(lacks out '^[0-9.]+ .* predicted; nothing was run$' '^time        [0-9]')"
saxpy 100000000 400000 --dry-run --explain >out
empty "own kernel: --explain has the terms and the occupancy" "$(
    lacks out '^time  *work counted in sm_90 machine code' '^ +DRAM +> +[0-9.]+ ms  [0-9.e+]+ B' \
        '^registers  *[0-9]+ per thread x 32 lanes')"
saxpy 100000000 400000 --dry-run --format json >dry.json
holds "own kernel: two operations for each element" '.time | .flops_per_s != null and
    (.flops_per_s * .predicted_ms / 1000 / 2e8 - 1 | fabs) < 0.05' dry.json
saxpy 100000000 400000 --dry-run --roofline >out
empty "own kernel: a roofline" "$(
    lacks out '^Roofline of saxpy' '^400000 blocks of 256 threads; operations as counted in' \
        '^d  DRAM .* FLOP/B$'
    grep '^kernel' out)"
saxpy 2000000 7813 --dry-run --format json >warm.json
saxpy 2000000 7813 --dry-run --cold --format json >cold.json
holds "own kernel: what L2 holds needs no DRAM, nor are there atomics" \
    '.time.counts.dram_bytes == 0 and .time.terms_ms.atomics == 0' warm.json
holds "own kernel: after a flush of L2 all comes from DRAM" '.time.counts.dram_bytes > 24000000' cold.json
grows "own kernel: a cold launch takes longer" "$(jq .time.predicted_ms warm.json)" \
    "$(jq .time.predicted_ms cold.json)"
cat >leader.cu <<'END'
__device__ unsigned at(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}
__global__ void leader(int turns, char *to)
{
    __shared__ __align__(128) char tile[16384];
    __shared__ unsigned long long turn;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(at(&turn)));
    __syncthreads();
    for (int i = 0; i < turns; i++) {
        if (threadIdx.x == 0)
            asm volatile("mbarrier.arrive.shared.b64 _, [%0];" : : "r"(at(&turn)) : "memory");
        asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra L; }"
                     : : "r"(at(&turn)), "r"(i & 1) : "memory");
    }
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16384;"
                     : : "l"(to + 16384 * blockIdx.x), "r"(at(tile)) : "memory");
}
END
for threads in 32 256; do
    smemcalc run leader.cu --grid 1320 --block $threads -a i32:1000 -a u8x21626880 --dry-run --device H200 \
        --format json >leader$threads.json
done
jq -s '[.[].time.counts.l1_sectors]' leader32.json leader256.json >leaders.json
holds "one thread arrives and copies for all, however many warps" '.[0] == 1320 * 512 and .[1] == .[0]' leaders.json
cat >places.cu <<'END'
__global__ void gather(const int *from, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[from[i]];
}
__global__ void add(const int *to, int *sum)
{
    atomicAdd(&sum[to[blockIdx.x * blockDim.x + threadIdx.x]], 1 + threadIdx.x);
}
END
places() { # ENTRY ARGUMENT...
    entry=$1
    shift
    smemcalc run places.cu --entry "$entry" --grid 16384 --block 256 --dry-run --device H200 \
        --format json "$@"
}
places gather -a i32x4194304:ramp -a f32x4194304 -a f32x4194304 >ordered.json
places gather -a i32x4194304:random:0:4194303 -a f32x4194304 -a f32x4194304 >gathered.json
places gather -a i32x4194304:random:0:99999999 -a f32x100000000 -a f32x4194304 >far.json
grows "places in no order take longer" "$(jq .time.predicted_ms ordered.json)" \
    "$(jq .time.predicted_ms gathered.json)"
grows "and longer yet in an array that L2 does not hold" "$(jq .time.predicted_ms gathered.json)" \
    "$(jq .time.predicted_ms far.json)"
holds "which binds by DRAM" '.time.bound_by == "dram"' far.json
places add -a i32x4194304:random:0:1048575 -a i32x1048576 >many.json
places add -a i32x4194304:0 -a i32x1048576 >one.json
holds "atomics of one address bind" '.time.bound_by == "atomics" and .time.terms_ms.atomics > 3' one.json
grows "atomics of one address take longer than those of many" "$(jq .time.predicted_ms many.json)" \
    "$(jq .time.predicted_ms one.json)"
# The blocks that an SM gets of a launch are no sample of which rows all add to.
cat >rows.cu <<'END'
__global__ void rows(float *sum, int n)
{
    for (int i = 0; i < 8; i++)
        atomicAdd(&sum[((blockIdx.x % n) * 8 + i) * blockDim.x + threadIdx.x], 1.5f);
}
END
rows() { # ROWS
    smemcalc run rows.cu --grid 528 --block 256 -a f32x1048576 -a i32:"$1" --dry-run --device H200 --format json
}
{ rows 131 && rows 132; } | jq -s 'map(.time.terms_ms.atomics)' >rows.json
holds "rows that the blocks of an SM share are no hotter than others" \
    '.[0] / .[1] | . > 0.8 and . < 1.25' rows.json
cat >arrays.cu <<'END'
/* A pass of all-pairs shortest paths: what blocks store decides what others would. */
extern "C" __global__ void relax(unsigned *d, unsigned *via, unsigned n, unsigned k)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned sum = d[y * n + k] + d[k * n + x];
    if (sum < d[y * n + x]) {
        d[y * n + x] = sum;
        via[y * n + x] = k;
    }
}
extern "C" __global__ void near(const int *to, float *sum, int apart)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 8; k++)
        atomicAdd(&sum[blockIdx.x / 16 * apart + (apart ? (to[i] + k * 5003) % 16384 : (to[i] + k * 1000003) % 16777216)], 1.5f);
}
/* Each quarter of the blocks has an array of its own. */
extern "C" __global__ void quarters(float *a, float *b, float *c, float *d)
{
    int quarter = gridDim.x / 4, part = blockIdx.x / quarter;
    float *x = part == 0 ? a : part == 1 ? b : part == 2 ? c : d;
    for (int i = 0; i < 256; i++)
        x[(blockIdx.x % quarter * 256 + i) * blockDim.x + threadIdx.x] += 1;
}
extern "C" __global__ void members(float *x, int apart)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    x[apart * i] = i;
    x[apart * i + 1] = 1;
    x[apart * i + 2] = 2;
}
/* Of its 4 KiB of local memory a thread uses 32 bytes, which decide. */
extern "C" __global__ void stack(const int *from, int *to, int used)
{
    int kept[1024], i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
    for (int k = 0; k < 64; k++)
        kept[k * 5 % used] = from[(i + k * 33) % 4096];
    while (n < 64 && kept[n * 7 % used] > 0)
        n++;
    to[i] = n;
}
END
arrays() { # ENTRY ARGUMENT...
    smemcalc run arrays.cu --entry "$@" --dry-run --device H200 --format json
}
arrays relax --grid 256x256 --block 16x16 -a u32x16777216:random:0:200 -a u32x16777216 -a u32:4096 \
    -a u32:1365 >dry.json
holds "a block that is traced does not see what it stored in the survey" \
    '.time.counts.l1_sectors > 4600000' dry.json # 4194304 of them are loaded
near="--grid 16384 --block 256 -a i32x4194304:random:0:16383 -a f32x16777216"
arrays near $near -a i32:16384 >near.json
arrays near ${near%:16383*}:16760832 -a f32x16777216 -a i32:0 >far.json
holds "places in no order within a small window come from DRAM once" \
    '.time.counts.dram_bytes < 200000000' near.json
holds "those in all of the array each time" '.time.counts.dram_bytes > 400000000' far.json
arrays quarters --grid 256 --block 512 -a f32x8388608 -a f32x8388608 -a f32x8388608 -a f32x8388608 \
    >dry.json
holds "arrays that only other SMs access count" \
    '.time.counts.dram_bytes | . > 240000000 and . < 300000000' dry.json
arrays members --grid 32768 --block 256 -a f32x25165824 -a i32:3 >whole.json
arrays members --grid 32768 --block 256 -a f32x33554432 -a i32:4 >part.json
empty "the members of a structure fill its sectors, if they are all stored" "$(jq -n \
    --slurpfile whole whole.json --slurpfile part part.json \
    'select($part[0].time.counts.dram_bytes < 2 * $whole[0].time.counts.dram_bytes)')"
stack="--grid 528 --block 256 -a i32x4096:random -a i32x135168"
arrays stack $stack -a i32:8 >few.json
arrays stack $stack -a i32:1024 >all.json
holds "L2 holds the local memory that is used" '.time.counts.dram_bytes == 0' few.json
holds "or does not" '.time.counts.dram_bytes > 0' all.json
cat >twice.cu <<'END'
__global__ void twice(double *x)
{
    double v = threadIdx.x;
    for (int i = 0; i < 1000; i++)
        v = v * v + 1;
    x[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
END
smemcalc run twice.cu --grid 1000 --block 256 -a f64x256000 --dry-run --roofline --device H200 >out
empty "own kernel: doubles have their pipe" "$(lacks out '^f  FP64 pipe  ')"
for option in --explain --roofline; do
    refuses 2 "option $option: run has it only for your own source; for a kernel of the catalog \
leave out the word 'run'" run --tile 8 --size 64 --on emulator $option
done
refuses 2 "option --plot: in run only with --roofline" run saxpy.cu --grid 4 --block 256 --dry-run \
    --plot picture.svg
refuses 2 "option --explain: not with --format json, only with text" run saxpy.cu --grid 4 \
    --block 256 --dry-run --explain --format json
refuses 3 "option --roofline: there is no predicted time: a compute capability alone has no clock" \
    run twice.cu --grid 4 --block 256 -a f64x1024 --dry-run --roofline --device 9.0
for option in "--on emulator" --annotate "--dump 3:out.bin"; do
    saxpy 1000 4 --dry-run $option >out 2>err
    code=$?
    empty "--dry-run refuses $option" "$([ $code -eq 2 ] || echo "$code"
        cat out; lacks err "^smemcalc: option ${option%% *}: not with --dry-run")"
done

# --- Contents of arguments ------------------------------------------------------------------------

cat >contents.cu <<'END'
extern "C" __global__ void rows(int rows, const int *start, const int *column, const float *x,
                                float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = start[row]; i < start[row + 1]; i++)
        sum += x[column[i]];
    y[row] = sum;
}
extern "C" __global__ void gather(const int *index, const float *from, float *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[index[i]];
}
extern "C" __global__ void others(const float *x, float *to)
{
    int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (threadIdx.y == 0)
        return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 96; k++)
        sum += x[i + k * k] * k;
    to[i] = sum;
}
extern "C" __global__ void level(int nodes, const int *start, const int *edge, const int *seen,
                                 int *next)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || seen[node] != 1)
        return;
    for (int i = start[node]; i < start[node + 1]; i++)
        if (seen[edge[i]] < 0)
            next[edge[i]] = 2;
}
extern "C" __global__ void escape(int width, int *count)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y, i = 0;
    float cx = -2.0f + 3.0f * px / width, cy = -1.5f + 3.0f * py / width, x = 0, y = 0;
    for (; i < 200 && x * x + y * y <= 4; i++) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
    }
    if (i < 200)
        count[py * width + px] = i;
}
extern "C" __global__ void insert(const unsigned *key, unsigned *table)
{
    unsigned k = key[blockIdx.x * blockDim.x + threadIdx.x] + 1, at = k;
    while (atomicCAS(&table[at % 1024], 0u, k) != 0)
        at++;
}
extern "C" __global__ void tally(const unsigned *key, unsigned *count)
{
    unsigned k = key[blockIdx.x * blockDim.x + threadIdx.x];
    if (k > 0)
        atomicAdd(&count[k], 1);
}
extern "C" __global__ void jump(int *hop, int n) /* each goes to the end of a list by doubling */
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (hop[i] < n - 1)
        hop[i] = hop[hop[i] + 1];
}
extern "C" __global__ void flags(unsigned char *flag) /* a byte of each block */
{
    if (flag[blockIdx.x] < 3)
        flag[blockIdx.x] = 3;
}
/* Three of ten blocks work for long, by a state of their own; the others leave. */
extern "C" __global__ void train(unsigned *state, float *x, int items, int steps)
{
    if (blockIdx.x >= items)
        return;
    unsigned s = state[blockIdx.x];
    for (int i = 0; i < steps; i++) {
        s = s * 1664525u + 1013904223u;
        if (s >> 16 & 1)
            x[(s >> 17) * 32 + threadIdx.x] += 1;
    }
    if (threadIdx.x == 0)
        state[blockIdx.x] = s;
}
/* Four blocks of a corner add up; the others, of which a sample may consist, leave. */
extern "C" __global__ void corner(float *x, int steps)
{
    if (blockIdx.x >= 2 || blockIdx.y >= 2)
        return;
    float sum = 0;
    for (int i = 0; i < steps; i++)
        sum += x[(i * 4 + blockIdx.y * 2 + blockIdx.x) * 512 + threadIdx.x];
    x[threadIdx.x] = sum;
}
/* Long warps that are all alike; each loads a sector of every row. */
extern "C" __global__ void columns(const unsigned char *x, float *out, int passes, int rows)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < passes; k++)
        for (int row = 0; row < rows; row++)
            sum += x[row * 4096 + i] * (k + 1.0f);
    out[i] = sum;
}
extern "C" __global__ void until_any(volatile int *done) /* until another block is there before */
{
#pragma unroll 1
    for (int k = 0; k < 400 && *done == 0; k++)
        ;
    *done = 1;
}
extern "C" __global__ void stairs(int same, float *x)
{
    int n = 256 * (same ? gridDim.x : blockIdx.x + 1), i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = x[i];
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum = sum * 0.5f + 1;
    x[i] = sum;
}
extern "C" __global__ void place(int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (x[i] > 0)
        x[i] -= 2;
}
extern "C" __global__ void count(const int *value, int *bins)
{
    atomicAdd(&bins[value[blockIdx.x * blockDim.x + threadIdx.x]], 1);
}
/* What decides where each of these goes: values in shared memory, of other warps; constants and
   variables that are set; double precision; what an atomic returns; a vote of the block. */
extern "C" __global__ void rank(const int *key, const float *from, float *to)
{
    __shared__ int place[256];
    int i = threadIdx.x;
    place[i] = 0;
    __syncthreads();
    atomicAdd(&place[key[blockIdx.x * 256 + i] & 255], 1);
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        int before = i >= step ? place[i - step] : 0;
        __syncthreads();
        place[i] += before;
        __syncthreads();
    }
    for (int n = i ? place[i - 1] : 0; n < place[i]; n++)
        to[blockIdx.x * 4096 + n * 16] = from[i];
}
extern "C" __global__ void weigh(const int *key, const float *weight, float *to)
{
    __shared__ float sum[32];
    int i = threadIdx.x;
    sum[i & 31] = 0;
    __syncthreads();
    atomicAdd(&sum[key[i] & 31], weight[i]);
    __syncthreads();
    for (int n = 0; n < sum[i & 31]; n++)
        to[blockIdx.x * 8192 + n * 256 + i] = n;
}
__constant__ short lengths[64];
__device__ int times = 1;
extern "C" __global__ void table(const float *from, float *to)
{
    float sum = 0;
    for (int i = 0; i < lengths[blockIdx.x & 63] * times; i++)
        sum += from[i * 2048 + blockIdx.x * blockDim.x + threadIdx.x];
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void halve(const double *start, const float *from, float *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int bits = (int)ceil(log2f((float)gridDim.x * blockDim.x));
    float sum = 0;
    for (double x = start[i]; x > 1.5; x = x / 2 - 0.125)
        sum += from[(int)(x * 8)];
    to[__brev(i) >> (32 - bits)] = sum;
}
extern "C" __global__ void queue(const int *key, int *tail, int *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (key[i] < 3)
        to[atomicAdd(tail, 1) * 8] = i;
}
extern "C" __global__ void settle(const int *start, const float *from, float *to)
{
    __shared__ int level[256];
    int i = threadIdx.x, at = blockIdx.x * 256 + i, n = 0;
    level[i] = start[at];
    while (__syncthreads_or(level[i] > 0)) {
        if (level[i] > 0)
            level[i]--;
        to[at * 8 + n++ % 8] = from[at];
    }
}
/* Half precision is not evaluated: whether a value is stored, and how often a loop runs. */
__device__ unsigned short sum_of_halves(unsigned short a, unsigned short b)
{
    unsigned short sum;
    asm("fma.rn.f16 %0, %1, %2, %2;" : "=h"(sum) : "h"(a), "h"(b));
    return sum;
}
extern "C" __global__ void some(const unsigned short *from, int *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (sum_of_halves(from[i], from[i + 1]) > 100)
        to[i] = to[i + 7] + 3 * to[i + 9];
}
extern "C" __global__ void until(const unsigned short *from, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned short sum = from[i];
    do {
        sum = sum_of_halves(sum, from[i]);
        to[i] += sum;
    } while (sum != 7);
}
/* A dynamic program, whose cells wait for those above and to the left. */
extern "C" __global__ void align(short *cell, const short *a, int rows)
{
    short *own = cell + (long)blockIdx.x * 32 * (rows + 1) * (rows + 1) + threadIdx.x;
    for (int r = 1; r <= rows; r++)
        for (int c = 1; c <= rows; c++) {
            int up = own[((r - 1) * (rows + 1) + c) * 32], left = own[(r * (rows + 1) + c - 1) * 32];
            own[(r * (rows + 1) + c) * 32] = max(max(up, left) - 1, a[r] == a[c]);
        }
}
extern "C" __global__ void divide(const double *by, const double *from, double *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i] / by[i];
}
// The last thread of a block looks for what the next block stores.
extern "C" __global__ void reach(int *mark, int n)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x, next = thread + 1;
    mark[thread] = 1;
    __syncthreads();
    while (next < n && next < thread + 2000 && mark[next] == 0)
        next++;
    if (next > thread + 1)
        mark[thread] = 2;
}
extern "C" __global__ void poll(volatile int *flag, int *out)
{
    while (flag[0] == 0)
        ;
    out[0] = 1;
}
// Where the block goes on is stored by it before.
extern "C" __global__ void follow(int *list, const float *x, float *out, int n)
{
    int *mine = list + blockIdx.x * (n + 1);
    float sum = 0;
    for (int i = 0; i < n; i++) {
        int at = mine[i];
        sum += x[at + threadIdx.x * 8];
        if (threadIdx.x == 0)
            mine[i + 1] = (at * 5 + 3) & 1023;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// Blocks take their numbers from a counter, and each waits for the one before.
extern "C" __global__ void numbered(unsigned *counter, volatile int *done, const float *x, float *out)
{
    __shared__ unsigned number;
    if (threadIdx.x == 0)
        number = atomicAdd(counter, 1);
    __syncthreads();
    out[number * blockDim.x + threadIdx.x] = x[number * blockDim.x + threadIdx.x];
    if (threadIdx.x == 0 && number > 0)
        while (done[number - 1] == 0)
            ;
    __syncthreads();
    if (threadIdx.x == 0)
        done[number] = 1;
}
// Loads one after the other, of lines apart from each other.
extern "C" __global__ void wander(int *p, int *out, int apart, int changes)
{
    unsigned i = threadIdx.x * apart;
    for (int k = 0; k < 256; k++)
        i = p[i & 0x1fffff] + 39584;
    (changes ? p : out)[threadIdx.x] = i;
}
END
# 513 row pointers, of rows of 0 to 30 entries, as bytes.
# shellcheck disable=SC2059
printf "$(awk 'BEGIN {
    for (i = at = 0; i < 513; i++) {
        printf "\\%03o\\%03o\\000\\000", at % 256, at / 256
        at += i * 7919 % 31
    }
}')" >start.bin
contents() { # ENTRY ARGUMENT...: sectors as predicted and as emulated are within 5 %
    entry=$1
    shift
    smemcalc run contents.cu --entry "$entry" "$@" --device H200 --dry-run --format json >dry.json
    smemcalc run contents.cu --entry "$entry" "$@" --device H200 --on emulator --format json >ran.json
    empty "contents decide what is executed: $entry" "$(jq -rn --slurpfile dry dry.json \
        --slurpfile ran ran.json '$dry[0].time.counts.l1_sectors as $p |
        ($ran[0].confirmation[] | select(.quantity == "global_sectors") | .emulated) as $e |
        select(($p / $e - 1 | fabs) > 0.05) | "\($p) predicted, \($e) emulated"' 2>&1)"
}
contents rows --grid 4 --block 128 -a i32:512 -a i32x513:file:start.bin \
    -a i32x8192:random:0:511 -a f32x512 -a f32x512
contents gather --grid 8 --block 256 -a i32x2048:random:0:2047 -a f32x2048 -a f32x2048
contents others --grid 8 --block 32x8 -a f32x16384:random -a f32x2048 # the first warp leaves
contents level --grid 4 --block 128 -a i32:512 -a i32x513:file:start.bin \
    -a i32x8192:random:0:511 -a i32x512:random:-1:2 -a i32x512
wander() { # APART CHANGES: us
    smemcalc run contents.cu --entry wander --grid 1 --block 32 -a i32x2097152:ramp -a i32x32 -a "i32:$1" \
        -a "i32:$2" --device H200 --dry-run --format json 2>err | jq '.time.predicted_ms * 1e3'
}
# 9.4 us more for 32 lines were measured, and 5.9 us more after a copy (H200, 2026-11-30).
empty "loads of 32 lines wait for the farthest, and those of what changes for the other half of L2" "$(
    one=$(wander 1 0) many=$(wander 2464 0) changes=$(wander 1 1)
    jq -en "$one > 40 and $one < 47 and $many - $one > 7 and $many - $one < 12 and
        $changes - $one > 4 and $changes - $one < 8" >/dev/null || echo "$one $many $changes")"
contents follow --grid 4 --block 64 -a i32x260 -a f32x2048 -a f32x256 -a i32:64
states "blocks that number themselves have different parts of arrays" \
    '.time.counts.l2_sectors | . > 255000 and . < 275000' run contents.cu --entry numbered --grid 4000 \
    --block 256 -a u32x1 -a i32x4000 -a f32x1024000 -a f32x1024000 --device H200 --dry-run
states "arrays that decide and change are noted" '.time.contents_change' run contents.cu \
    --entry insert --grid 4 --block 128 -a u32x512:random:0:1000000 -a u32x1024 --device H200 --dry-run
states "additions that return nothing do not decide" '.time.contents_change == false' run contents.cu \
    --entry tally --grid 4 --block 128 -a u32x512:random:0:9 -a u32x10 --device H200 --dry-run
states "what only the block that stores it reads does not count" '.time.contents_change == false' run \
    contents.cu --entry place --grid 4 --block 128 -a i32x512:random:-9:9 --device H200 --dry-run
states "bytes of one word that blocks have for themselves do not count" \
    '.time.contents_change == false' run contents.cu --entry flags --grid 8 --block 32 -a u8x8 \
    --device H200 --dry-run
states "blocks that race walk at the same time" '.time.contents_change and .time.high_ms < 0.1' run \
    contents.cu --entry jump --grid 16 --block 128 -a i32x2048:ramp -a i32:2048 --device H200 --dry-run
states "there is no time where the order of blocks decides it" \
    '.time == null and (.time_reason | test("branch at contents.cu:[0-9]+ .*other blocks store at the same"))' \
    run contents.cu --entry until_any --grid 1056 --block 64 -a i32x1 --device H200 --dry-run
train() { # BLOCKS: instructions
    smemcalc run contents.cu --entry train --grid "$1" --block 32 -a u32x10000:random -a f32x1048576 -a i32:3000 \
        -a i32:20000 --device H200 --dry-run --format json 2>err | jq .time.counts.warp_instructions
}
empty "long blocks of which others leave at once count by their share" "$(
    some=$(train 10000) all=$(train 3000)
    jq -en "$some / $all | . > 0.9 and . < 1.1" >/dev/null || echo "$some, not $all")"
states "what few blocks access counts where a sample is of those that leave" '.time.counts.l1_sectors > 100000' \
    run contents.cu --entry corner --grid 40x24 --block 512 -a f32x2097152:random -a i32:1000 --device H200 --dry-run
states "of long warps of which few are walked no sector is counted twice" \
    '.time.counts.l1_sectors | . >= 4 * 20000 * 128 and . < 4 * 20000 * 128 * 1.01' run contents.cu \
    --entry columns --grid 16 --block 256 -a u8x81920000:random -a f32x4096 -a i32:4 -a i32:20000 \
    --device H200 --dry-run
stairs() { # SAME
    predicted run contents.cu --entry stairs --grid 1056 --block 256 -a i32:"$1" -a f32x270336:random \
        --device H200 --dry-run
}
grows "blocks that end leave the others more of the SM" "$(stairs 0)" \
    "$(stairs 1 | awk '{ print 0.8 * $1 }')"
align="run contents.cu --entry align --grid 64 --block 32 -a i16x65:random:0:3 -a i32:64"
align="$align --device H200 --dry-run"
empty "what an SM has just stored is loaded from L2, however large the array is" "$(
    echo "$(predicted ${align% -a i16x65*} -a i16x8652800 -a ${align#*-a }) $(
        predicted ${align% -a i16x65*} -a i16x80000000 -a ${align#*-a })" |
        awk '!($1 > 0 && $2 < 1.2 * $1)')"
divided() { # CONTENTS: the instructions of quotients of such numbers
    smemcalc run contents.cu --entry divide --grid 8 --block 128 -a f64x1024:3 -a "f64x1024$1" \
        -a f64x1024 --device H200 --dry-run --format json | jq .time.counts.warp_instructions
}
empty "a quotient of zero is found by a function of its own" \
    "$(echo "$(divided :1) $(divided '')" | awk '!($1 > 0 && $2 > 1.5 * $1)')"
states "a branch that is not followed is named" \
    '.time.unfollowed | test("^the branch at contents.cu:[0-9]+ depends on [A-Z0-9]+ at contents.cu:[0-9]+$")' \
    run contents.cu --entry some --grid 4 --block 128 -a u16x513 -a i32x600 --device H200 --dry-run
for last in 2047 9999; do
    states "accesses outside the arrays are said: indices to $last" \
        ".time.outside_arrays == ($last > 2047)" run contents.cu --entry gather --grid 8 --block 256 \
        -a "i32x2048:random:0:$last" -a f32x2048 -a f32x2048 --device H200 --dry-run
done
states "where all branches are followed, none is named" '.time.unfollowed == null' run contents.cu \
    --entry gather --grid 8 --block 256 -a i32x2048:ramp -a f32x2048 -a f32x2048 --device H200 --dry-run
for grid in 4 12; do # of 12 blocks, 8 have no elements
    states "a loop that depends on values that are not known has no predicted time: $grid blocks" \
        '.time == null and (.time_reason | test("how often the loop runs that the branch at contents.cu:[0-9]+ closes"))' run contents.cu \
        --entry until --grid "$grid" --block 128 -a u16x512 -a i32x512 -a i32:512 --device H200 --dry-run
done
states "what the next block stores is seen, also where not all blocks can be followed" \
    '.time | .contents_change and .counts.warp_instructions < 100000 * 2 * 100' run contents.cu \
    --entry reach --grid 100000 --block 64 -a i32x6400000 -a i32:6400000 --device H200 --dry-run
states "other arrays are not" '.time.contents_change == false' run contents.cu --entry gather \
    --grid 8 --block 256 -a i32x2048:ramp -a f32x2048 -a f32x2048 --device H200 --dry-run
contents count --grid 4 --block 256 -a i32x1024:random:0:255 -a i32x256
contents rank --grid 4 --block 256 -a i32x1024:random:0:255 -a f32x256 -a f32x16384
contents weigh --grid 2 --block 256 -a i32x256:random:0:31 -a f32x256:random:0:2 -a f32x16384
contents table --grid 8 --block 256 --set lengths=i16x64:random:3:9 --set times=2 \
    -a f32x40000 -a f32x2048
contents halve --grid 8 --block 256 -a f64x2048:random:2:9000 -a f32x72000 -a f32x2048
contents queue --grid 1 --block 256 -a i32x256:random:0:9 -a i32x1 -a i32x2048
contents settle --grid 4 --block 256 -a i32x1024:random:0:40 -a f32x1024 -a f32x8192
contents escape --grid 1x128 --block 128 -a i32:128 -a i32x16384
states "a loop that waits for what another warp stores has no predicted time" \
    '.time == null and (.time_reason | test("a warp waits in a loop for others to store what it reads at contents.cu:[0-9]+"))' run contents.cu \
    --entry poll --grid 1 --block 1 -a i32x1 -a i32x1 --device H200 --dry-run

# --- Which way warps go ---------------------------------------------------------------------------

cat >ways.cu <<'END'
/* Loads through a generic address, which may be of shared memory. */
extern "C" __global__ void generic(const int *from, int *to, int shared)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    const int *p = shared ? tile : from;
    for (int k = 0, v, n = 0; k < 16; k++) {
        asm volatile("ld.s32 %0, [%1];" : "=r"(v) : "l"(p + (k * 7 + threadIdx.x) % 64));
        to[n += v & 1] = v;
    }
}
/* Sixteen lanes of a warp shuffle. */
extern "C" __global__ void half_warp(const int *from, int *to)
{
    int v = from[threadIdx.x];
    if (threadIdx.x < 16)
        for (int o = 1; o < 16; o *= 2)
            v += __shfl_up_sync(0xffff, v, o, 16);
    for (int n = 0; n < v; n++)
        to[n * 32 + threadIdx.x] = n;
}
extern "C" __global__ void power(const float *from, float *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int n = 0; n < powf(from[i], 1.5f); n++)
        to[n * 512 + i] = n;
}
extern "C" __global__ void quotients(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = x[i] / x[i * 7 % n];
}
extern "C" __global__ void turns(const int *times, unsigned *to)
{
    unsigned x = threadIdx.x;
    for (int r = 0; r < 64; r++)
        for (int n = 0; n < times[threadIdx.x & 31]; n++)
            x = x * 1664525 + n;
    to[threadIdx.x] = x;
}
/* Before and after the loops lanes access many lines, which takes long. */
extern "C" __global__ void tiles(const float *from, float *to, int tiles)
{
    __shared__ float tile[1024];
    int row = blockIdx.x * 128 + threadIdx.x;
    float q[32], sum[32] = {};
    for (int d = 0; d < 32; d++)
        q[d] = from[row * 32 + d];
    for (int t = 0; t < tiles; t++) {
        __syncthreads();
        for (int i = threadIdx.x; i < 1024; i += 128)
            tile[i] = from[t * 1024 + i];
        __syncthreads();
        for (int j = 0; j < 32; j++)
            for (int d = 0; d < 32; d++)
                sum[d] += q[d] * tile[j * 32 + d];
    }
    for (int d = 0; d < 32; d++)
        to[row * 32 + d] = sum[d];
}
extern "C" __global__ void choose(const int *kind, int *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = i;
    switch (kind[i]) {
    case 0: v = v * v + 3; break;
    case 1: for (int n = 0; n < 500; n++) v = v * 5 + to[v & 63]; break;
    case 2: v = to[v & 1023] - 7; break;
    case 3: v = __popc(v) ^ to[0]; break;
    case 4: v = v / 3 + to[5]; break;
    case 5: v = v % 7 - to[9]; break;
    case 6: v = __clz(v) + to[6]; break;
    }
    to[i] = v;
}
extern "C" __global__ void least(const int *from, int *best)
{
    int v = from[blockIdx.x * blockDim.x + threadIdx.x], old = *best;
    while (v < old) {
        int was = atomicCAS(best, old, v);
        if (was == old)
            break;
        old = was;
    }
}
struct part {
    int n;
    float *x;
};
extern "C" __global__ void scale(part p, float *y)
{
    for (int i = threadIdx.x; i < p.n; i += blockDim.x)
        p.x[i] *= y[i];
}
/* Where the memory is not global, other instructions follow that add halves. */
extern "C" __global__ void add_halves(unsigned *x)
{
    asm volatile("red.add.noftz.f16x2 [%0], %1;" :: "l"(x), "r"(threadIdx.x));
}
extern "C" __global__ void grow(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x]++;
}
extern "C" __global__ void look(const int *x, int *found)
{
    if (x[blockIdx.x * blockDim.x + threadIdx.x] == 12345)
        *found = 1;
}
END
ways() { # ENTRY ARGUMENT...
    predicted run ways.cu --entry "$@" --dry-run --device H200
}
generic() { # SHARED FIELD
    smemcalc run ways.cu --entry generic --grid 1 --block 64 -a i32x64:random -a i32x64 -a "i32:$1" \
        --dry-run --device H200 --format json 2>err | jq ".time.counts.$2"
}
grows "a generic address may be of shared memory" "$(generic 0 shared_wavefronts)" \
    "$(generic 1 shared_wavefronts)"
grows "or of global memory" "$(generic 1 l1_sectors)" "$(generic 0 l1_sectors)"
states "lanes that shuffle apart from the others are followed" '.time.unfollowed == null' run ways.cu \
    --entry half_warp --grid 1 --block 32 -a i32x32:random:0:9 -a i32x9999 --device H200 --dry-run
states "loops that end by powf are followed" '.time.unfollowed == null' run ways.cu --entry power \
    --grid 4 --block 128 -a f32x512:random:1:9 -a f32x20000 --device H200 --dry-run
states "a quotient decides nothing" '.time.contents_change == false' run ways.cu --entry quotients \
    --grid 64 --block 128 -a f32x8192:random -a i32:8192 --device H200 --dry-run
grows "lanes that leave a loop one after the other take longer than together" \
    "$(ways turns --grid 1 --block 32 -a i32x32:31 -a u32x32 | awk '{ print 1.02 * $1 }')" \
    "$(ways turns --grid 1 --block 32 -a i32x32:ramp -a u32x32)"
states "a switch is followed" '.time.unfollowed == null' run ways.cu --entry choose --grid 64 \
    --block 128 -a i32x8192:random:0:7 -a i32x8192 --device H200 --dry-run
grows "each of its cases takes its own time" \
    "$(ways choose --grid 64 --block 128 -a i32x8192:0 -a i32x8192 | awk '{ print 3 * $1 }')" \
    "$(ways choose --grid 64 --block 128 -a i32x8192:1 -a i32x8192)"
states "blocks see what the ones before them stored" '.time.terms_ms.atomics < 0.3' run ways.cu \
    --entry least --grid 16384 --block 256 -a i32x4194304:5 -a i32x1:1000 --device H200 --dry-run
states "structures with memory are arguments" '.time.counts.l1_sectors == 384' run ways.cu \
    --entry scale --grid 1 --block 128 -a '{i32:1024,f32x1024:random}' -a f32x1024 --device H200 \
    --dry-run
states "and addresses within it" '.time.counts.l1_sectors == 384' run ways.cu --entry scale --grid 1 \
    --block 128 -a '{i32:1024,f32x1024:random}' -a @1 --device H200 --dry-run
states "atomics through generic addresses are followed" \
    '.time.unfollowed == null and .time.terms_ms.atomics > 0' run ways.cu --entry add_halves \
    --grid 64 --block 128 -a u32x1 --device H200 --dry-run
grows "twice as many iterations take twice as long, whatever is before and after them" \
    "$(ways tiles --grid 512 --block 128 -a f32x2097152 -a f32x2097152 -a i32:64)" \
    "$(ways tiles --grid 512 --block 128 -a f32x2097152 -a f32x2097152 -a i32:32 |
        awk '{ print 2.3 * $1 }')"
states "arrays that a launch changes are copied back, which takes their place in L2" \
    '.time.counts.dram_bytes > 1e7' run ways.cu --entry grow --grid 30000 --block 256 \
    -a i32x7680000 --device H200 --dry-run
states "arrays that it only reads stay in L2" '.time.counts.dram_bytes == 0' run ways.cu --entry look \
    --grid 30000 --block 256 -a i32x7680000 -a i32x1 --device H200 --dry-run

# --- Addresses of your own kernel -----------------------------------------------------------------

# What the emulator counts of a block is what the time was predicted with.
counted() { # NAME SOURCE ENTRY ARGUMENT...
    name=$1 source=$2 entry=$3
    shift 3
    smemcalc run "$source" --entry "$entry" --grid 1 --block 256 "$@" --device H200 --on emulator \
        --format json >counted.json 2>err || cat err
    jq '(.time.counts | {l1_sectors, shared_wavefronts}) as $predicted |
        ([.memory[] | .loads.sectors + .stores.sectors] | add) as $sectors |
        ([.confirmation[] | select(.quantity | test("^shared_(load|store)_wavefronts")) | .emulated] |
            add) as $wavefronts |
        if $predicted.l1_sectors == $sectors and $predicted.shared_wavefronts == $wavefronts
        then empty else [$predicted, $sectors, $wavefronts] end' counted.json >out
    empty "$name" "$(cat out)"
}
cat >indices.cu <<'END'
#define INDEXED(name, type, expression)                                                             \
    extern "C" __global__ void name(float *to, const float *from, type n)                          \
    {                                                                                               \
        type i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        to[threadIdx.x] = from[(unsigned long long)(expression)];                                   \
    }
typedef long long wide;
typedef unsigned long long unsigned_wide;
typedef unsigned char byte;
INDEXED(int_quotient, int, i / n)
INDEXED(int_rest, int, i % n)
INDEXED(unsigned_quotient, unsigned, i / n)
INDEXED(unsigned_rest, unsigned, i % n)
INDEXED(negative_quotient, int, 1000 + (i - 100) / n)
INDEXED(negative_rest, int, 1000 + (i - 100) % n)
INDEXED(rows_and_columns, int, (i % n) * 7 + i / n)
INDEXED(divided_by_thread, int, 100 * n / (i + 1))
INDEXED(wide_quotient, wide, (i << 33) / n)
INDEXED(wide_rest, wide, (i << 33) % n)
INDEXED(wide_negative, wide, 1000 + ((i - 100) << 33) / (n << 30))
INDEXED(unsigned_wide_quotient, unsigned_wide, ((i << 40) + 5) / (n << 32))
INDEXED(unsigned_wide_rest, unsigned_wide, (i << 40) % n)
INDEXED(short_quotient, short, i / n)
INDEXED(byte_rest, byte, i % n)
INDEXED(by_seven, int, i / 7 + i % 7)
INDEXED(wide_by_seven, wide, (i << 33) / 7 % 1001)
INDEXED(by_float, int, int(i * 0.3f))
INDEXED(triangle, int, int((sqrtf(8.0f * i + 1.0f) - 1.0f) * 0.5f))
INDEXED(reversed, int, __brev(i) >> 22)
INDEXED(leading_zeros, int, __clz(i) + __popc(i) + __ffs(i))
__device__ __noinline__ int apart(int i, int n)
{
    return i < n ? i : i * 2;
}
INDEXED(not_inlined, int, apart(i, n) + apart(i + 8, n))
END
for form in int_quotient:i32 int_rest:i32 unsigned_quotient:u32 unsigned_rest:u32 \
    negative_quotient:i32 negative_rest:i32 rows_and_columns:i32 divided_by_thread:i32 \
    wide_quotient:i64 wide_rest:i64 wide_negative:i64 unsigned_wide_quotient:u64 \
    unsigned_wide_rest:u64 short_quotient:i16 byte_rest:u8 by_seven:i32 wide_by_seven:i64 \
    by_float:i32 triangle:i32 reversed:i32 leading_zeros:i32 not_inlined:i32; do
    n=35
    case $form in wide_quotient:*) n=17179869184 ;; esac
    counted "own kernel: sectors of the index ${form%:*}, as the emulator counts them" \
        indices.cu "${form%:*}" -a f32x256 -a f32x4096 -a "${form#*:}:$n"
done
cat >matrices.cu <<'END'
extern "C" __global__ void matrices(int *to, int stride)
{
    __shared__ alignas(128) char tile[32 * 144];
    unsigned a = (unsigned)__cvta_generic_to_shared(tile) + threadIdx.x % 32 * stride, r[4] = {};
    for (int i = threadIdx.x; i < 32 * 36; i += blockDim.x)
        reinterpret_cast<int *>(tile)[i] = i;
    __syncthreads();
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
    to[threadIdx.x] = r[0] + r[1] + r[2] + r[3];
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1]) : "r"(a));
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%1], {%0};" ::"r"(r[0] + r[1]), "r"(a));
}
END
for stride in 16 32 64 128 144; do
    counted "own kernel: wavefronts of matrices with rows $stride bytes apart, as the emulator counts" \
        matrices.cu matrices -a i32x256 -a "i32:$stride"
done

# --- What is served by L2, or word by word --------------------------------------------------------

cat >served.cu <<'END'
__constant__ float table[4096];
extern "C" __global__ void lookup(const int *from, float *to)
{
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += table[from[k * 524288 + blockIdx.x * blockDim.x + threadIdx.x]];
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void again(int *x, int turns)
{
    int *p = x + threadIdx.x;
    for (int t = 0; t < turns; t++)
        asm volatile("{ .reg .s32 v; ld.global.ca.s32 v, [%0]; st.global.s32 [%0], v; }" ::"l"(p) : "memory");
}
extern "C" __global__ void volatile_again(volatile int *x, int turns)
{
    for (int t = 0; t < turns; t++)
        x[threadIdx.x] = x[threadIdx.x] + 1;
}
END
served() { # ARGUMENT...
    smemcalc run served.cu --entry "$@" --dry-run --device H200 --format json 2>err | jq .time.predicted_ms
}
empty "constants at 32 addresses take many times as long as at one" "$(
    one=$(served lookup --grid 2048 --block 256 -a i32x8388608:7 -a f32x524288)
    many=$(served lookup --grid 2048 --block 256 -a i32x8388608:random:0:255 -a f32x524288)
    jq -en "$many > 4 * $one" >/dev/null || echo "one $one, many $many")"
empty "constants in 16 KiB, at 32 addresses, take several times as long as in 1 KiB" "$(
    near=$(served lookup --grid 2048 --block 256 -a i32x8388608:random:0:255 -a f32x524288)
    far=$(served lookup --grid 2048 --block 256 -a i32x8388608:random:0:4095 -a f32x524288)
    jq -en "$far > 4 * $near" >/dev/null || echo "1 KiB $near, 16 KiB $far")"
empty "what was stored is loaded from L1, and from L2 if it is volatile" "$(
    near=$(served again --grid 1 --block 32 -a i32x32 -a i32:4000)
    far=$(served volatile_again --grid 1 --block 32 -a i32x32 -a i32:4000)
    jq -en "$far > 4 * $near" >/dev/null || echo "L1 $near, L2 $far")"

# --- Tensor cores ---------------------------------------------------------------------------------

cat >tensor.cu <<'END'
#define LOOP(name, type, add, instruction)                                                          \
    extern "C" __global__ void name(type *to, int n)                                               \
    {                                                                                               \
        type d[4] = {}, e[4] = {};                                                                  \
        unsigned a[4] = {threadIdx.x, 1, 2, 3}, b[2] = {4, 5};                                      \
        for (int i = 0; i < n; i++) {                                                               \
            asm volatile(instruction : add(d[0]), add(d[1]), add(d[2]), add(d[3])                   \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));       \
            asm volatile(instruction : add(e[0]), add(e[1]), add(e[2]), add(e[3])                   \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));       \
        }                                                                                           \
        to[threadIdx.x] = d[0] + d[1] + d[2] + d[3] + e[0] + e[1] + e[2] + e[3];                    \
    }
#define OPERANDS " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
LOOP(half, float, "+f", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" OPERANDS)
LOOP(brain, float, "+f", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32" OPERANDS)
LOOP(tf32, float, "+f", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" OPERANDS)
LOOP(bytes, int, "+r", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32" OPERANDS)
LOOP(sparse, float, "+f", "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                          "{%4, %5, %6, %7}, {%8, %9, %8, %9}, {%0, %1, %2, %3}, %5, 0x0;")
LOOP(bits, int, "+r", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc" OPERANDS)
extern "C" __global__ void doubles(double *to, int n)
{
    double d[2] = {}, a = threadIdx.x, b = 2;
    for (int i = 0; i < n; i++)
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(d[0]), "+d"(d[1]) : "d"(a), "d"(b));
    to[threadIdx.x] = d[0] + d[1];
}
END
tensor() { # ENTRY TYPE DEVICE OPTION...
    entry=$1 type=$2 device=$3
    shift 3
    smemcalc run tensor.cu --entry "$entry" --grid 2400 --block 256 -a "${type}x256" -a i32:20000 \
        --dry-run --device "$device" "$@"
}
# Twice 2400 x 8 x 20000 instructions, of so many operations each, at the peak of the whitepaper; of sparse
# matrices half of the shape's.
for of in half:f32:A100:4096:312 brain:f32:A100:4096:312 tf32:f32:A100:2048:156 bytes:i32:A100:8192:624 \
    "half:f32:GeForce RTX 3090:4096:71" "half:f32:A40:4096:149.7" "tf32:f32:GeForce RTX 4090:2048:82.6" \
    "bytes:i32:GeForce RTX 4090:8192:660.6" half:f32:H200:4096:989.4 bytes:i32:H200:8192:1979 \
    bits:i32:A100:65536:4992 bits:i32:H200:65536:15832 \
    sparse:f32:A100:4096:312 sparse:f32:H200:4096:989.4; do
    echo "$of" | tr : '\n' >of
    { read -r entry; read -r type; read -r device; read -r operations; read -r tera; } <of
    tensor "$entry" "$type" "$device" --format json >tensor.json
    jq --argjson operations "$operations" --argjson tera "$tera" \
        '(2 * 2400 * 8 * 20000 * $operations / $tera / 1e9) as $peak_ms | .time |
        .predicted_ms >= 0.99 * $peak_ms and .low_ms >= 0.98 * $peak_ms and
        .predicted_ms < 3 * $peak_ms' tensor.json >held.json
    holds "mma.sync of $entry on $device: not faster than $tera TFLOP/s, and a time of that order" . \
        held.json
done
tensor half f32 A100 --explain | tr -s ' \n' ' ' >out
empty "mma.sync: bound by the tensor pipe, and no share of the FMA peak" "$(
    lacks out 'bound by tensor pipe, .* tensor cores [0-9.]+ TFLOP/s, [0-9]+ % of the FP16 roof' \
        'tensor pipe > [0-9.]+ ms [0-9.e+]+ operations'
    grep 'FMA peak\|FMA ceiling' out)"
tensor half f32 H200 --roofline | tr -s ' \n' ' ' >out
empty "--roofline: the tensor cores are the roof" "$(lacks out 'tensor, FP16 [0-9.]+ [TP]FLOP/s')"
for of in H200:measured A100:published; do
    tensor half f32 "${of%:*}" --format json >tensor.json
    holds "where the rates of tensor cores are from: $of" ".time.tensor_rates == \"${of#*:}\"" tensor.json
done
tensor bits i32 "GeForce RTX 3090" | tr -s ' \n' ' ' >out
empty "not predicted: mma.sync of single bits, whose rate is unknown" \
    "$(lacks out "time not predicted: mma.sync of single bits, whose rate is not in the model")"
# 8 warps of an SM fetch a float in 8 clocks each, a filtered float4 in 32 (the H200 of doc/time.md).
cat >fetches.cu <<'END'
extern "C" __global__ void one(cudaTextureObject_t t, float *out, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += tex2D<float>(t, threadIdx.x & 31, (threadIdx.x >> 5) + (i & 7));
    out[threadIdx.x] = sum;
}
extern "C" __global__ void four(cudaTextureObject_t t, float *out, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += tex2D<float4>(t, threadIdx.x & 31, (threadIdx.x >> 5) + (i & 7)).w;
    out[threadIdx.x] = sum;
}
extern "C" __global__ void surface(cudaSurfaceObject_t s, float *out)
{
    out[threadIdx.x] = surf2Dread<float>(s, threadIdx.x * 4, 0);
}
END
fetches() { # ENTRY ARGUMENT...
    entry=$1
    shift
    smemcalc run fetches.cu --entry "$entry" --grid 132 --block 1024 --device H200 --dry-run "$@"
}
for of in one,tex:f32x64x64,8 four,tex.v4.linear:f32x64x64,32; do
    fetches "${of%%,*}" -a "$(echo "$of" | cut -d, -f2)" -a f32x1024 -a i32:10000 \
        --format json >fetches.json
    holds "textures: ${of%%,*} at its rate" ".time | .bound_by == \"l1\" and
        (.predicted_ms * 1.98e6 / (32 * 10000 * ${of##*,}) | . > 0.97 and . < 1.15)" fetches.json
done
fetches surface -a surf:f32x1024x1 -a f32x1024 | tr -s ' \n' ' ' >out
empty "not predicted: surfaces" \
    "$(lacks out 'time not predicted: accesses to surfaces, whose rate is not in the model')"
# What cannot be followed is refused by its cause, not predicted as if it took no time.
cat >refused.cu <<'END'
#include <cstdio>
__device__ float square(float x) { return x * x; }
__device__ float third(float x) { return x / 3; }
__device__ float (*const table[2])(float) = {square, third};
extern "C" __global__ void pointer(const int *which, float *x)
{
    x[threadIdx.x] = table[which[threadIdx.x] & 1](x[threadIdx.x]);
}
extern "C" __global__ void heap(int *x)
{
    int *p = (int *)malloc(64);
    p[0] = x[threadIdx.x];
    x[threadIdx.x] = p[0] + 1;
    free(p);
}
extern "C" __global__ void prints(int *x)
{
    if (x[threadIdx.x] > 1000)
        printf("%d\n", x[threadIdx.x]);
    x[threadIdx.x]++;
}
extern "C" __global__ void waits(volatile int *flag, int *x)
{
    while (flag[0] == 0)
        ;
    x[threadIdx.x] = flag[0];
}
extern "C" __global__ void waits_by_atomic(int *flag, int *x)
{
    while (atomicAdd(flag, 0) == 0)
        ;
    x[threadIdx.x] = flag[0];
}
extern "C" __global__ void sleeps(int *x, int n, float f)
{
    for (int i = 0; i < n; i++)
        __nanosleep((unsigned)(__sinf(f) * 1000));
    x[threadIdx.x] = n;
}
struct Members { const int *rows; int *most; int n; };
__constant__ Members members;
extern "C" __global__ void uses_members(int *x, int *)
{
    for (int i = members.rows[members.n]; i < *members.most; i++)
        x[i]++;
}
extern "C" __global__ void shorts(int *x, unsigned short from, unsigned short to)
{
    for (int i = from + threadIdx.x; i < to; i += blockDim.x)
        x[i]++;
}
extern "C" __global__ void hints(int *x)
{
    __shared__ unsigned long long barrier;
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" : : "r"(at) : "memory");
    __syncthreads();
    asm volatile("{ .reg .pred p; mbarrier.arrive.shared.b64 _, [%0];\n"
                 "L: mbarrier.try_wait.parity.shared.b64 p, [%0], 0, 9999999; @!p bra L; }"
                 : : "r"(at) : "memory");
    x[threadIdx.x]++;
}
__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
extern "C" __global__ void recursion(int *x, int n)
{
    x[threadIdx.x] = fibonacci(n);
}
// Blocks that take their work from a counter.
__device__ __forceinline__ int taken(int *next)
{
    return atomicAdd(next, 1);
}
extern "C" __global__ void items(int *next, int n, float *x)
{
    __shared__ int item;
    for (;;) {
        if (threadIdx.x == 0)
            item = taken(next);
        __syncthreads();
        if (item >= n)
            return;
        x[item * 64 + threadIdx.x] += 1;
        __syncthreads();
    }
}
extern "C" __global__ void naps(int *x, int n)
{
    for (int i = 0; i < n; i++)
        __nanosleep(1000);
    x[threadIdx.x] = n;
}
END
refused() { # NAME REASON ENTRY ARGUMENT...: no time, for the reason; without REASON there is one
    name=$1 reason=$2 entry=$3
    shift 3
    smemcalc run refused.cu --entry "$entry" --grid 10 --block 64 --dry-run --device H200 --format json \
        "$@" >refused.json
    holds "$name" ".time_reason // \"\" | test(\"^$reason\")" refused.json
}
refused "not predicted: a call by a pointer" "the call at refused.cu:7 is of a function pointer" pointer \
    -a i32x64:random -a f32x64:random
refused "not predicted: malloc" "the call at refused.cu:11 .* function of the system" heap -a i32x64
refused "predicted: a printf that is not reached" '$' prints -a i32x64
refused "not predicted: a printf that is reached" "the call at refused.cu:[0-9]+ .* function of the system" prints \
    -a i32x64:2000
refused "not predicted: a wait for another block" "a warp waits in a loop for others to store what it reads at refused.cu:[0-9]+" \
    waits -a i32x1 -a i32x64
refused "not predicted: a wait for another block by an atomic" \
    "a warp waits in a loop for others to store what it reads at refused.cu:[0-9]+" \
    waits_by_atomic -a i32x1 -a i32x64
refused "not predicted: work that a counter gives to blocks" \
    "what a loop executes depends on what the atomic at refused.cu:$(grep -n 'atomicAdd(next' refused.cu | cut -d: -f1) returns" \
    items -a i32x1 -a i32:900000 -a f32x64M
refused "predicted: less work from a counter" '$' items -a i32x1 -a i32:500 -a f32x64M
refused "not predicted: warps that sleep, for how long is not known" \
    "for how long warps sleep .__nanosleep. is not known" sleeps -a i32x64 -a i32:9 -a f32:1
smemcalc run refused.cu --entry naps --grid 132 --block 64 -a i32x64 -a i32:1000 --dry-run --device H200 \
    --format json >naps.json
holds "sleeps end with the GPU's timer: 1000 of 1000 ns take 1.024 ms" \
    '.time.predicted_ms > 1.02 and .time.predicted_ms < 1.04' naps.json
cat >rows.cu <<'END'
extern "C" __global__ void add_rows(float *sum, int iterations, int step)
{
    for (int i = 0; i < iterations; i++)
        atomicAdd(&sum[i * step], 1.0f);
}
END
for step in 128 0; do
    smemcalc run rows.cu --entry add_rows --grid 132 --block 256 -a f32x131072 -a i32:1024 -a i32:$step --dry-run \
        --device H200 --format json >rows-$step.json
done
holds "additions of iterations that are left out go on to other rows" '.time.predicted_ms < 1' rows-128.json
holds "or to the same float" '.time.predicted_ms > 50 and .time.predicted_ms < 70' rows-0.json
cat >marks.cu <<'END'
__device__ __noinline__ float far_away(float x)
{
#pragma unroll
    for (int k = 0; k < 256; k++)
        x = x * x + 1.0f;
    return x;
}
extern "C" __global__ void marks_itself(int *mark, float *result, const int *where, int n)
{
    int *own = mark + (blockIdx.x * blockDim.x + threadIdx.x) * n;
    float sum = threadIdx.x;
    for (int i = 0; i < n; i++)
        own[i] = where[i];
    for (int i = 0; i < n; i++)
        if (own[i] > 0)
            sum = far_away(sum);
    result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
END
smemcalc run marks.cu --entry marks_itself --grid 792 --block 512 -a i32x9326592 -a f32x405504 \
    -a i32x23:random:1:9 -a 23 --dry-run --device H200 --format json >marks.json
holds "of a loop that goes on by what the thread stored before, iterations are executed" '.time.predicted_ms < 0.3' \
    marks.json
cat >corner.cu <<'END'
extern "C" __global__ void __launch_bounds__(32, 32) matches(const float *image, float *result)
{
    const int rows = blockIdx.x < 66 ? 14 : 30;
    float sum = 0;
    for (int row = 0; row < rows; row++)
#pragma unroll 1
        for (int column = 0; column < 20; column++)
#pragma unroll
            for (int k = 0; k < 12; k++)
                sum = sum * image[(row * 20 + column) * 32 + threadIdx.x] + column;
    atomicAdd(result + blockIdx.x * 32 + threadIdx.x, sum);
}
END
smemcalc run corner.cu --entry matches --grid 8448 --block 32 -a f32x65536:random -a f32x270336 \
    --dry-run --device H200 --format json >corner.json
holds "what longer warps than the first one do last is not lost" '.time.terms_ms.atomics > 0' corner.json
refused "predicted: warps that do not sleep" '$' sleeps -a i32x64 -a i32:0 -a f32:1
refused "predicted: a loop whose bounds are in memory that a variable names" '$' uses_members -a i32x64 \
    --set 'members={i32x9:2,@2,i32:8}' -a i32x1:40
refused "not predicted: the same without the variable" "how often the loop runs" uses_members -a i32x64 -a i32x1:40
refused "predicted: a loop up to a parameter in half of the last word" '$' shorts -a i32x900 -a u16:7 -a u16:900
refused "predicted: a wait with a hint of how long" '$' hints -a i32x64
refused "predicted: recursion" '$' recursion -a i32x64 -a i32:12
refused "not predicted: deep recursion" \
    "the calls at refused.cu:$(grep -n 'fibonacci(n - 1)' refused.cu | cut -d: -f1) are nested deeper" \
    recursion -a i32x64 -a i32:30
# m8n8k4 of double precision reaches half of 66.9 TFLOP/s on an H200, where its clock is 1979 MHz.
tensor doubles f64 H200 --format json >tensor.json
holds "mma.sync of double precision: half of the roof, and the operations in JSON" \
    '.time | .bound_by == "tensor" and .tensor_type == "FP64" and
    .counts.tensor_flops == 2400 * 8 * 20000 * 512 and
    (.tensor_flops_per_s / .tensor_roof_flops_per_s | . > 0.4 and . <= 0.5) and
    (.tensor_roof_flops_per_s / 66.9e12 | . > 0.99 and . < 1.01)' tensor.json
# Measured on an H200 (CUDA 13.0, driver 580.159.04, 2026-11-29), clocks of a wgmma.m64n64k16 in
# groups of one warpgroup: one and waiting 86.7, sixteen 37.0, four with another four in flight 32.2.
# The clock is 9.5 % lower than the highest.
wgmma() { # NAME PRODUCTS WAIT
    registers=$(seq -s, 0 31 | sed 's/[0-9][0-9]*/%f&/g')
    echo ".version 8.0
.target sm_90a
.address_size 64
.visible .entry $1(.param .u64 to, .param .u32 n)
{
    .shared .align 1024 .b8 tile[16384];
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    .reg .f32 %f<32>;
    .reg .pred %p;
    ld.param.u64 %rd1, [to];
    ld.param.u32 %r2, [n];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r1, tile;
    shr.u32 %r1, %r1, 4;
    cvt.u64.u32 %rd2, %r1;
    or.b64 %rd2, %rd2, 0x4000004000010000;
loop:
    wgmma.fence.sync.aligned;"
    for _ in $(seq "$2"); do
        echo "    wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$registers}, %rd2, %rd2, 1, 1, 1, 0, 0;"
    done
    echo "    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned $3;
    add.s32 %r2, %r2, -1;
    setp.ne.s32 %p, %r2, 0;
    @%p bra loop;
    wgmma.wait_group.sync.aligned 0;
    st.global.f32 [%rd1], %f0;
    ret;
}"
}
for of in 1:0:86.7 16:0:37 4:1:32.2; do
    products=${of%%:*} wait=${of#*:} clocks=${of##*:}
    wgmma product "$products" "${wait%:*}" >wgmma.ptx
    smemcalc run wgmma.ptx --grid 1 --block 128 -a f32x128 -a i32:10000 --device H200 --dry-run \
        --format json >wgmma.json 2>err
    if jq -e '.time_reason // "" | test("no machine code")' wgmma.json >out 2>&1; then
        skip "wgmma: $products in a group" "no ptxas for sm_90a"
        continue
    fi
    jq --argjson products "$products" --argjson clocks "$clocks" '.time |
        (.predicted_ms - 0.0027) * 1.98e6 * 0.905 / 10000 / $products / $clocks | . > 0.95 and . < 1.05' \
        wgmma.json >held.json
    holds "wgmma: $products in a group, waiting for all but ${wait%:*}: as measured" . held.json
    holds "wgmma: the operations of a warpgroup" \
        ".time.counts.tensor_flops == 10000 * $products * 2 * 64 * 64 * 16" wgmma.json
done

# One copy of cp.async.bulk at a time into shared memory, and waiting for it: 333 clocks for 256 bytes
# from L2, 496 for 16 KiB, 666 for 32 KiB.
cat >bulk.cu <<'END'
extern "C" __global__ void bulk(int n, unsigned bytes, const char *from)
{
    extern __shared__ __align__(128) char to[];
    __shared__ unsigned long long barrier;
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x)
        return;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(at));
    for (int i = 0; i < n; i++) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(at), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     : : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes), "r"(at) : "memory");
        asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra D;\nbra L;\nD:\n}"
                     : : "r"(at), "r"(i & 1) : "memory");
    }
}
END
for of in 256:333 16384:496 32768:666; do
    smemcalc run bulk.cu --grid 1 --block 32 -a i32:1000 -a "u32:${of%:*}" -a u8x32K --dynamic-smem 32768 \
        --device H200 --dry-run --format json >bulk.json 2>err
    jq --argjson clocks "${of#*:}" '.time |
        (.predicted_ms - 0.0027) * 1.98e6 / 1000 / $clocks | . > 0.85 and . < 1.15' bulk.json >held.json
    holds "a bulk copy of ${of%:*} bytes at a time: as measured" . held.json
done

# A warp fills the stages of a ring, others use them: 1, 4 and 8 of them at several lengths, most of
# which is left out of the traces. Microseconds of an H200 (CUDA 13.0, driver 580.159.04, 2026-11-29).
cat >turns.cu <<'END'
__device__ void wait(unsigned barrier, int parity)
{
    asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra D;\nbra L;\nD:\n}"
                 : : "r"(barrier), "r"(parity) : "memory");
}
__device__ void arrive(unsigned barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(barrier) : "memory");
}
extern "C" __global__ void turns(float *out, int tiles, int steps)
{
    __shared__ unsigned long long full[3], empty[3];
    unsigned f = (unsigned)__cvta_generic_to_shared(full), e = (unsigned)__cvta_generic_to_shared(empty);
    int slot = 0, phase = 0;
    float sum = 0;
    if (threadIdx.x == 0)
        for (int i = 0; i < 3; i++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(f + 8 * i));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(e + 8 * i), "r"(blockDim.x / 32 - 1));
        }
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            for (int t = 0; t < tiles; t++)
                for (int s = 0; s < steps; s++) {
                    wait(e + 8 * slot, phase ^ 1);
                    arrive(f + 8 * slot);
                    if (++slot == 3) { slot = 0; phase ^= 1; }
                }
    } else
        for (int t = 0; t < tiles; t++) {
            for (int s = 0; s < steps; s++) {
                wait(f + 8 * slot, phase);
                for (int i = 0; i < 16; i++) sum = sum * 1.5f + (float)i;
                if (threadIdx.x % 32 == 0) arrive(e + 8 * slot);
                if (++slot == 3) { slot = 0; phase ^= 1; }
            }
            out[(blockIdx.x * tiles + t) * blockDim.x + threadIdx.x] = sum;
        }
}
END
for of in 64:1:80:6.58 64:1:3000:120.6 160:1:320:16.75 160:1:3000:126.2 160:8:60:23.7 160:40:60:104.6 \
    288:1:3000:139.8 288:40:60:117.0; do
    echo "$of" | tr : ' ' >of
    read -r block tiles steps us <of
    smemcalc run turns.cu --grid 132 --block "$block" -a f32x$((132 * block * tiles)) -a "i32:$tiles" \
        -a "i32:$steps" --device H200 --dry-run --format json >turns.json 2>err
    holds "$((block / 32 - 1)) warps use what one fills, $tiles times $steps: as measured" \
        ".time.predicted_ms * 1000 / $us | . > 0.88 and . < 1.12" turns.json
done

# Copies that arrive at an mbarrier object, beside the same that are waited for by groups; and blocks
# that wait for each other's arrivals, which their own traces lack. An H200 took 0.115, 0.120 ms (CUDA
# 13.0, driver 580.159.04, 2026-11-29).
cat >phases.cu <<'END'
#define AT(x) ((unsigned)__cvta_generic_to_shared(x))
__device__ void wait(unsigned barrier, int parity)
{
    asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra D;\nbra L;\nD:\n}"
                 : : "r"(barrier), "r"(parity) : "memory");
}
template <bool by_groups> __device__ void copy(const uint4 *from, uint4 *to, int turns)
{
    __shared__ uint4 of_block[256];
    __shared__ unsigned long long barrier;
    uint4 sum = {};
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 256;" : : "r"(AT(&barrier)));
    __syncthreads();
    for (int i = 0; i < turns; i++) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                     : : "r"(AT(&of_block[threadIdx.x])), "l"(&from[i * 256 + threadIdx.x]) : "memory");
        if (by_groups) {
            asm volatile("cp.async.wait_all;" : : : "memory");
            __syncthreads();
        } else {
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" : : "r"(AT(&barrier)) : "memory");
            wait(AT(&barrier), i & 1);
        }
        sum.x += of_block[threadIdx.x ^ 37].x;
        __syncthreads();
    }
    to[blockIdx.x * 256 + threadIdx.x] = sum;
}
extern "C" __global__ void by_groups(const uint4 *from, uint4 *to, int turns) { copy<true>(from, to, turns); }
extern "C" __global__ void by_phases(const uint4 *from, uint4 *to, int turns) { copy<false>(from, to, turns); }
extern "C" __global__ void __cluster_dims__(2) by_other_block(float *to, int turns)
{
    __shared__ unsigned long long barrier[2];
    unsigned rank, other;
    float sum = threadIdx.x;
    if (threadIdx.x < 2)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(AT(&barrier[threadIdx.x])));
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" : : : "memory");
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(AT(barrier)), "r"(rank ^ 1));
    for (int i = 0; i < turns; i++) {
        sum = sum * 1.5f + i;
        __syncthreads();
        if (threadIdx.x == 0)
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
                         : : "r"(other + i % 2 * 8) : "memory");
        wait(AT(&barrier[i % 2]), i / 2 % 2);
    }
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" : : : "memory");
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
END
# As measured of the code of CUDA 13.0; that of another version differs a little.
for of in by_groups:0.115 by_phases:0.120; do
    smemcalc run phases.cu --entry "${of%:*}" --grid 132 --block 256 -a u32x512K:random -a u32x132K -a i32:500 \
        --device H200 --dry-run --format json >phases.json 2>err
    holds "copies that are waited for ${of%:*}: as measured" \
        ".time.predicted_ms / ${of#*:} | . > 0.85 and . < 1.15" phases.json
done
states "blocks that wait for arrivals of another block have a predicted time" '.time.predicted_ms > 0' \
    run phases.cu --entry by_other_block --grid 132 --block 256 -a f32x33792 -a i32:500 --device H200 --dry-run

# --- Local memory, atomics with a result, parts of sectors, clusters, halves -----------------------

cat >parts.cu <<'END'
#include <cuda_fp16.h>
extern "C" __global__ void places(const int *index, int *to, int turns)
{
    int kept[64], at = index[threadIdx.x], sum = 0;
    for (int i = 0; i < 64; i++)
        kept[i] = 3 * i;
    for (int i = 0; i < turns; i++) {
        at = (at * 5 + kept[at & 63]) & 63;
        kept[at] = sum += at;
    }
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
template <typename T> __device__ void chain(T *x, T *to, int turns)
{
    T sum = 0;
    for (int i = 0; i < turns; i++)
        sum += atomicAdd(x + (threadIdx.x * 64 + i * 4096 + (int)sum) % 65536, (T)0);
    to[threadIdx.x] = sum;
}
extern "C" __global__ void chain_int(int *x, int *to, int turns) { chain(x, to, turns); }
extern "C" __global__ void chain_double(double *x, double *to, int turns) { chain(x, to, turns); }
extern "C" __global__ void store(int *to, int stride)
{
    to[(size_t)(blockIdx.x * blockDim.x + threadIdx.x) * stride] = threadIdx.x;
}
extern "C" __global__ void one_place(volatile int *x, int *to, int distance)
{
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += x[blockIdx.x * distance];
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void ring(const float *x, float *to, int turns)
{
    float of_thread[64], sum = 0;
    for (int k = 0; k < 64; k++)
        of_thread[k] = x[(threadIdx.x + k) % 1024];
    for (int i = 0; i < turns; i++)
#pragma unroll 4
        for (int k = 0; k < 64; k++)
            sum = sum * 0.5f + of_thread[k];
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void add_all(float *to)
{
    __shared__ float sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    for (int i = 0; i < 10; i++)
        atomicAdd(&sum, 1.0f + threadIdx.x);
    __syncthreads();
    to[blockIdx.x] = sum;
}
/* The last block adds what all have stored; without `counts`, none does. */
extern "C" __global__ void add_up(volatile float *parts, unsigned *count, unsigned blocks, int counts)
{
    __shared__ float sum;
    __shared__ bool last;
    if (threadIdx.x == 0) {
        sum = 0;
        parts[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicAdd(count, counts) == blocks - 1;
    }
    __syncthreads();
    if (!last)
        return;
    for (unsigned i = threadIdx.x; i < blocks; i += blockDim.x)
        atomicAdd(&sum, parts[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        parts[0] = sum;
}
extern "C" __global__ void fences(int *to, int times, int stores)
{
    for (int i = 0; i < times; i++) {
        if (stores)
            ((volatile int *)to)[blockIdx.x * blockDim.x + threadIdx.x] = i;
        __threadfence();
    }
}
/* A row of each block, forwards and backwards. */
extern "C" __global__ void rows_twice(const float *x, float *to, int columns)
{
    const float *row = x + (size_t)blockIdx.x * columns;
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += row[i];
    for (int i = columns - blockDim.x + threadIdx.x; i >= 0; i -= blockDim.x)
        sum = sum * 0.5f + row[i];
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void alone(int *x) { if (!x) *x = 1; }
extern "C" __global__ void __cluster_dims__(2) in_clusters(int *x) { if (!x) *x = 1; }
extern "C" __global__ void after_another(int *x)
{
    asm volatile("griddepcontrol.wait;");
    if (!x)
        *x = 1;
}
extern "C" __global__ void before_another(int *x)
{
    asm volatile("griddepcontrol.launch_dependents;");
    if (!x)
        *x = 1;
}
extern "C" __global__ void until(const __half *x, float *to)
{
    float sum = 0;
    for (int i = 0; __half2float(x[i]) < 100; i++)
        sum += i;
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void row_sums(float *to, const float *x, int columns)
{
    const float *row = x + (size_t)blockIdx.x * columns;
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += row[i];
    atomicAdd(&to[blockIdx.x], sum);
}
extern "C" __global__ void passes(float *to, const float *x, int n, int times)
{
    float sum = 0;
    for (int k = 0; k < times; k++)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            sum += x[i];
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void row_passes(float *to, const float *x, int columns)
{
    const float *row = x + (size_t)blockIdx.x * columns;
    float sum = 0;
    for (int k = 0; k < 3; k++) {
        for (int i = threadIdx.x; i < columns; i += blockDim.x)
            sum = sum * 0.5f + row[i];
        __syncthreads();
    }
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void round_passes(float *to, const float *x, int size, int times)
{
    float sum = 0;
    for (int i = 0, at = blockIdx.x * blockDim.x + threadIdx.x; i < times; i++) {
        for (int k = 0; k < 8; k++)
            sum += x[(at + k * 32768) & (size - 1)];
        at += 8 * 32768;
    }
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void own_places(unsigned long long *counts, const unsigned *x, int threads, int times)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < times; i++)
        counts[(size_t)thread * 432 + x[(size_t)i * threads + thread] % 4 * 9]++;
}
extern "C" __global__ void thread_sums(float *to, const float *x, int times)
{
    const float *part = x + (size_t)blockIdx.x * blockDim.x * times + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < times; i++)
        sum += part[i * blockDim.x];
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// four passes of the grid, each over another quarter of the words
__global__ void grid_passes(const double *from, double *to, unsigned words)
{
    unsigned i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (from[(i + i / words) % words] == 1)
        to[0] = 1;
}
// rows of 64 words that an index names
__global__ void gather_rows(const int *row, const float2 *from, float2 *to, int rows)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float2 sum = {0, 0};
    for (int k = 0; k < rows; k++) {
        float2 value = from[row[warp * rows + k] * 32 + lane];
        sum.x += value.x, sum.y += value.y;
    }
    to[warp * 32 + lane] = sum;
}
__global__ void set_flag(const char *from, char *flag)
{
    if (from[blockIdx.x * blockDim.x + threadIdx.x])
        *flag = 1;
}
// a word every `apart` words, by lane, in one of two places
__global__ void add_apart(float *to, int apart, int n)
{
    for (int k = 0; k < n; k++)
        atomicAdd(to + (2 * threadIdx.x + k % 2) * apart, 1);
}
END
parts() { # ARGUMENT...
    smemcalc run parts.cu --entry "$@" --dry-run --device H200 --format json 2>err | jq .time.predicted_ms
}
empty "local memory at an index of each lane takes several times as long as at one" "$(
    same=$(parts places --grid 132 --block 128 -a i32x128:7 -a i32x16896 -a i32:400)
    apart=$(parts places --grid 132 --block 128 -a i32x128:random -a i32x16896 -a i32:400)
    jq -en "$apart > 1.5 * $same" >/dev/null || echo "the same $same, apart $apart")"
ring='run parts.cu --entry ring --grid 132 --block 256 -a f32x1024:random -a f32x33792 -a i32:64'
states "L1 has what the resident blocks leave of the store: 64 KiB of local memory stay in it" \
    '.time.counts | .l2_sectors * 10 < .l1_sectors' $ring --dry-run --device H200
states "but not with a carve-out of 100 %" '.time.counts | .l2_sectors * 2 > .l1_sectors' $ring \
    --carveout 100 --dry-run --device H200
empty "256 threads add to a word of shared memory one after the other: 42 ns each" "$(
    few=$(parts add_all --grid 132 --block 32 -a f32x132)
    all=$(parts add_all --grid 132 --block 256 -a f32x132)
    jq -en "$all - 0.003 > 4 * ($few - 0.003) and $all > 0.07 and $all < 0.14" >/dev/null ||
        echo "few $few, all $all")"
empty "the result of an atomic, of integers and of doubles, takes twice as long as a load: 0.3 us" "$(
    for kind in int:i32 double:f64; do
        time=$(parts "chain_${kind%:*}" --grid 1 --block 32 -a "${kind#*:}x65536" -a "${kind#*:}x32" -a i32:200)
        jq -en "$time > 0.055 and $time < 0.075" >/dev/null || echo "$kind $time"
    done)"
empty "the last block of a sum adds 5000 parts, 31 ns each" "$(
    last=$(parts add_up --grid 5000 --block 256 -a f32x5000 -a u32x1 -a u32:5000 -a i32:1)
    none=$(parts add_up --grid 5000 --block 256 -a f32x5000 -a u32x1 -a u32:5000 -a i32:0)
    jq -en "$last - $none > 0.12 and $last - $none < 0.2" >/dev/null || echo "last $last, none $none")"
empty "a fence of the GPU takes 283 clocks, and after a store 443 to 607" "$(
    for stores in 0:283:300 1:443:620; do
        time=$(parts fences --grid 132 --block 32 -a i32x4224 -a i32:200 -a "i32:${stores%%:*}")
        jq -en "(($time - 0.0032) * 1e3 * 1980 / 200) as \$clocks | \$clocks > $(echo "$stores" |
            cut -d: -f2) * 0.93 and \$clocks < $(echo "$stores" | cut -d: -f3) * 1.1" >/dev/null ||
            echo "stores ${stores%%:*}: $time"
    done)"
empty "of rows that L1 does not hold nothing is there when they are read again" "$(
    for columns in 8192:0.6 1048576:0.9; do # 32 KiB and 4 MiB
        smemcalc run parts.cu --entry rows_twice --grid 132 --block 256 -a f32x138412032 -a f32x33792 \
            -a "i32:${columns%:*}" --dry-run --device H200 --format json 2>err |
            jq -r "(.time.counts | .l2_sectors / .l1_sectors) as \$part |
                select(if ${columns%:*} < 10000 then \$part > 0.6 else \$part < 0.9 end) |
                \"${columns%:*} columns: \\(\$part)\""
    done)"
empty "stores of a part of each sector read it from DRAM" "$(
    part=$(parts store --grid 65536 --block 256 -a i32x134217728 -a i32:8)
    jq -en "$part > 0.24 and $part < 0.28" >/dev/null || echo "$part")"
empty "volatile loads of one place by all SMs follow each other" "$(
    one=$(parts one_place --grid 264 --block 256 -a i32x1048576 -a i32x67584 -a i32:0)
    apart=$(parts one_place --grid 264 --block 256 -a i32x1048576 -a i32x67584 -a i32:1024)
    jq -en "$one > 5 * $apart" >/dev/null || echo "one $one, apart $apart")"
states "what the grid passes over several times comes from DRAM each time" \
    '.time.counts.dram_bytes | . > 0.95 * 4 * 134217728 and . < 1.05 * 4 * 134217728' run parts.cu \
    --entry grid_passes --grid 65536 --block 256 -a f64x16777216:zero -a f64x1 -a u32:16777216 --dry-run --device H200
states "panels that long blocks read come from DRAM again" '.time.counts.dram_bytes > 500000000' \
    --kernel matmul-naive --tile 32 --dtype double --size 2407x2407x2407 --device H200
states "rows that indices name come from DRAM again" '.time.counts.dram_bytes > 400000000' run parts.cu \
    --entry gather_rows --grid 8192 --block 256 -a i32x2097152:random:0:1048575 -a f32x67108864:zero \
    -a f32x4194304 -a i32:32 --dry-run --device H200
states "and once if all are the same" '.time.counts.dram_bytes < 100000000' run parts.cu \
    --entry gather_rows --grid 8192 --block 256 -a i32x2097152:0 -a f32x67108864:zero \
    -a f32x4194304 -a i32:32 --dry-run --device H200
empty "524,288 warps that set a flag take 0.187 ns each" "$(
    time=$(parts set_flag --grid 32768 --block 512 -a u8x16777216:1 -a u8x4)
    jq -en "$time > 0.085 and $time < 0.12" >/dev/null || echo "$time")"
# Of one SM: 8 lines of four sectors, and 16 of two.
empty "additions leave an SM by lines and sectors" "$(
    for apart in 4:40 8:48; do
        few=$(parts add_apart --grid 1 --block 256 -a f32x65536 -a "i32:${apart%:*}" -a i32:200)
        many=$(parts add_apart --grid 1 --block 256 -a f32x65536 -a "i32:${apart%:*}" -a i32:400)
        jq -en "(($many - $few) * 1980000 / 8 / 200) as \$clocks | \$clocks > ${apart#*:} * 0.9 and
            \$clocks < ${apart#*:} * 1.1" >/dev/null || echo "${apart%:*} words: $few, $many"
    done)"
# What is stored after a long loop stays in its array: bytes from DRAM.
while read -r bytes arguments; do
    states "of ${arguments%% *} all comes from DRAM once, $bytes bytes" \
        ".time.counts.dram_bytes | . > 0.95 * $bytes and . < 1.05 * $bytes" \
        run parts.cu --entry $arguments --block 256 --dry-run --device H200
done <<END
134225920 row_sums --grid 2048 -a f32x2048:zero -a f32x33554432:zero -a i32:16384
536903680 row_sums --grid 8192 -a f32x8192:zero -a f32x134217728:zero -a i32:16384
104890368 thread_sums --grid 1056 -a f32x270336:zero -a f32x512M:zero -a i32:96
1048903680 thread_sums --grid 10560 -a f32x2703360:zero -a f32x1024M:zero -a i32:96
END
# What is read several times comes from DRAM each time if more than L2 holds passes between, else once;
# what is accessed of an array at few places does not.
while read -r bytes arguments; do
    states "of ${arguments%% *} so much passes between accesses that DRAM has $bytes bytes to give" \
        ".time.counts.dram_bytes | . >= 0.95 * $bytes and . <= 1.05 * $bytes" \
        run parts.cu --entry $arguments --block 256 --dry-run --device H200
done <<END
1074823168 passes --grid 1056 -a f32x270336:zero -a f32x134217728:zero -a i32:134217728 -a i32:2
0 passes --grid 1056 -a f32x270336:zero -a f32x6291456:zero -a i32:6291456 -a i32:4
550502400 row_passes --grid 21504 -a f32x5505024:zero -a f32x132120576:zero -a i32:6144
1608515584 row_passes --grid 2048 -a f32x524288:zero -a f32x134217728:zero -a i32:65536
537001984 round_passes --grid 128 -a f32x32768:zero -a f32x16777216:zero -a i32:16777216 -a i32:512
9437184 own_places --grid 144 -a u64x15925248 -a u32x2359296:random -a i32:36864 -a i32:64
END
empty "clusters start more slowly than single blocks" "$(
    alone=$(parts alone --grid 65536 --block 256 -a i32x64)
    together=$(parts in_clusters --grid 65536 --block 256 -a i32x64)
    jq -en "$together > 1.4 * $alone" >/dev/null || echo "alone $alone, in clusters $together")"
empty "blocks that let the next launch begin start half as fast as others, but not those that wait" "$(
    alone=$(parts alone --grid 65536 --block 256 -a i32x64)
    after=$(parts after_another --grid 65536 --block 256 -a i32x64)
    before=$(parts before_another --grid 65536 --block 256 -a i32x64)
    jq -en "$before > 1.9 * $alone and $before < 2.1 * $alone and $after < 1.1 * $alone" >/dev/null ||
        echo "alone $alone, after another $after, before another $before")"
empty "halves decide what is executed" "$(
    smemcalc run parts.cu --entry until --grid 132 --block 128 -a f16x1000:ramp -a f32x16896 \
        --dry-run --device H200 --format json 2>err |
        jq -r '.time | select(.unfollowed != null or .predicted_ms == null)')"

finish_cases
