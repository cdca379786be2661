#!/bin/sh
# limits, best and carveout as a user or a script runs them: golden outputs and wrong input.
# Run in the build folder. GENERATE=1 writes tests/golden/ anew.
# Functions are called by name, words are split and kept whole on purpose:
# shellcheck disable=SC2046

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

# An option of other commands: the line begins with the message.
refuses_other() { # MESSAGE ARGUMENT...
    message=$1
    shift
    "$program" "$@" >out 2>err
    seen=$?
    empty "refuses: $*" "$(
        [ "$seen" -eq 2 ] || echo "exit status $seen"
        [ ! -s out ] || echo "something on standard output"
        [ "$(wc -l <err)" -eq 1 ] || echo "not one line"
        case $(cat err) in "smemcalc: $message"*) ;; *) cat err ;; esac
    )"
}

holds() { # NAME FILTER ARGUMENT...: a filter of jq answers true of the JSON
    name=$1 filter=$2
    shift 2
    if ! command -v jq >/dev/null; then
        skip "$name" "no jq"
        return
    fi
    "$program" "$@" --format json >out.json 2>err
    if [ "$(jq "$filter" out.json 2>&1)" = true ]; then pass "$name"; else
        fail "$name" "$(jq -c . out.json 2>&1; cat err)"
    fi
}

# --- limits ---------------------------------------------------------------------------------------

golden limits-256.txt limits --threads 256 --device H200
golden limits-regs.txt limits --threads 256 --regs 40 --smem 8K --device 8.0
golden limits-smem.txt limits --threads 100 --dynamic-smem 3000 --device 7.5
golden limits-kernel.txt limits --tile 16 --device "RTX 4090" --no-nvrtc
golden limits-refused.txt limits --threads 64 --smem 49153 --device 9.0
golden limits-per-thread.txt limits --threads 192 --smem-per-thread 40 --device 9.0
golden limits-compare.txt limits --threads 256 --regs 40 -d A30 -d 9.0 -d 7.5 -d K40 -d "8800 GTX"
golden limits-compare-kernel.txt limits --tile 16 --no-nvrtc -d T4 -d H200
golden limits-compare-refused.txt limits --threads 1000 --smem 40K -d 1.3 -d 2.0 -d 9.0
golden limits-compare.csv limits --threads 768 -d 3.5 -d 8.6 --format csv
golden limits.csv limits --threads 512 --device 3.5 --format csv
holds "limits: 2 blocks of 256 threads on 9.0 have 128 registers and 115712 B" \
    '(.headroom.by_blocks[1] | with_entries(select(.key | test("compiled|cluster") | not))) ==
        {blocks_per_sm: 2, warps_per_sm: 16, percent: 25,
        most_registers_per_thread: 128, most_dynamic_smem_bytes: 115712,
        launch_bounds: "__launch_bounds__(256, 2)"} and .headroom.no_further_block == ["warps"]
        and .headroom.fixed == []' limits --threads 256 --device H200
# Clusters: exact where the groups of SMs are known, a bound elsewhere, none without a board.
golden limits-cluster.txt limits --threads 128 --cluster 4 --device H200
golden limits-cluster-compare.txt limits --threads 512 --cluster 8 -d H200 -d "H100 PCIe" -d 9.0 -d 8.0
golden limits-cluster.csv limits --threads 256 --cluster 4 -d H200 -d "H100 PCIe" --format csv
holds "limits: clusters on a board, and none without" \
    '(.answers | map(.headroom.by_blocks[0] | [.resident_clusters, .clusters_are_bound])) ==
        [[15, false], [14, true], [null, null]]' \
    limits --threads 256 --cluster 8 -d H200 -d "H100 PCIe" -d 9.0
holds "limits: no clusters without --cluster" \
    '.headroom.by_blocks | map(.resident_clusters) | unique == [null]' \
    limits --threads 256 --device H200
# A query with the shared memory of a row has that row's clusters.
if command -v jq >/dev/null; then
    "$program" limits --threads 128 --cluster 4 --device H200 --format json >headroom.json
    empty "limits: a query confirms the clusters of each row" "$(
        jq -r '.headroom.by_blocks[] |
            "\(.blocks_per_sm) \(.most_dynamic_smem_bytes) \(.resident_clusters)"' headroom.json |
            while read -r blocks bytes clusters; do
                asked=$("$program" --threads 128 --regs 16 --dynamic-smem "$bytes" --cluster 4 \
                    --device H200 --format json |
                    jq -r '.occupancy | "\(.blocks_per_sm) \(.resident_clusters)"')
                [ "$asked" = "$blocks $clusters" ] || echo "$blocks: $clusters, but $asked"
            done
    )"
fi
holds "limits: headroom, with its older name" '.headroom == .rooms and (.headroom | type) == "object"' \
    limits --threads 256 --device H200
holds "limits: what was given stays" '.headroom.fixed == ["registers"]
    and (.headroom.by_blocks | map(.most_registers_per_thread) | unique) == [40]
    and .headroom.no_further_block == ["registers"]' \
    limits --threads 256 --regs 40 --device 9.0

# A query confirms the limits: the same blocks with them, fewer with one more byte or register.
if command -v jq >/dev/null; then
    "$program" limits --threads 160 --smem 1000 --device 8.9 --format json >headroom.json
    wrong=$(jq -r '.headroom.by_blocks[] | "\(.blocks_per_sm) \(.most_registers_per_thread) \(
        .most_dynamic_smem_bytes)"' headroom.json | while read -r blocks regs bytes; do
        blocks_with() { # REGS BYTES
            "$program" --threads 160 --smem 1000 --device 8.9 --regs "$1" --dynamic-smem "$2" \
                --format json | jq .occupancy.blocks_per_sm
        }
        [ "$(blocks_with "$regs" "$bytes")" -ge "$blocks" ] || echo "$blocks: too few blocks"
        [ "$(blocks_with "$regs" $((bytes + 1)))" -lt "$blocks" ] || echo "$blocks: bytes left"
        [ "$regs" -eq 255 ] || [ "$(blocks_with $((regs + 1)) "$bytes")" -lt "$blocks" ] ||
            echo "$blocks: registers left"
    done)
    empty "limits: what it says can be asked back" "$wrong"
    empty "limits: 9 numbers of blocks were asked back" "$(
        count=$(jq '.headroom.by_blocks | length' headroom.json)
        [ "$count" -eq 9 ] || echo "$count")"
else
    skip "limits: what it says can be asked back" "no jq"
fi

refuses 2 "no kernel: give --tile N, --kernel NAME, or --threads N for your own" limits
refuses 2 "option --threads: '0' is not between 1 and 2147483647 threads" limits --threads 0
refuses 2 "option --smem-per-thread: only for your own kernel, not for one of the catalog" \
    limits --tile 8 --smem-per-thread 4
refuses 2 "option --smem-per-thread: '4Q' is not a size in bytes between 0 and 2147483647" \
    limits --threads 8 --smem-per-thread 4Q
holds "--smem-per-thread counts for each thread, on top" \
    '.kernel.dynamic_smem_bytes == 100 + 8 * 96 and .kernel.dynamic_smem_source == "given"' \
    --threads 96 --dynamic-smem 100 --smem-per-thread 8 --device 9.0
holds "--smem-per-thread too much of all is 0 blocks" '.occupancy.blocks_per_sm == 0' \
    --threads 2147483647 --dynamic-smem 2147483647 --smem-per-thread 2147483647 --device 9.0
holds "next steps of the threads take their shared memory along" \
    '.next_steps | map(select(.resource == "threads" and .blocks_per_sm > 1)) | .[0].change == -30' \
    --threads 256 --regs 16 --smem-per-thread 512 --device 9.0

# --- What fewer registers cost --------------------------------------------------------------------

if smemcalc --tile 8 --device 9.0 2>&1 | grep -q '(NVRTC [0-9]*'; then
    smemcalc limits --kernel matmul-register --device H200 >out 2>err
    empty "limits: rows with fewer registers have spills and time, compiled with the bound" "$(
        grep -Eq '^       2 +128 +[0-9]+\+[0-9]+ +[0-9.]+ ms +\+[0-9]+ %  __launch_bounds__\(256, 2\)$' out ||
            cat out err
        grep -Eq '^       7 +32 +[0-9]+\+[0-9]+ +[0-9.]+ ms +\+[0-9]+ %  __launch_bounds__\(256, 8\)$' out ||
            cat out)"
    holds "limits: JSON has what fewer registers cost, more spills and time the fewer" '
        [.headroom.by_blocks[] | select(.compiled_spill_store_bytes != null)] |
        length == 7 and (map(.compiled_spill_store_bytes) | . == sort and .[0] > 0) and
        (map(.compiled_predicted_ms) | . == sort and .[0] > 0) and
        (map(.compiled_change_percent) | . == sort and .[0] > 0) and
        all(.[]; .compiled_registers_per_thread <= .most_registers_per_thread)' \
        limits --kernel matmul-register --device H200
    empty "limits: what more blocks would cost, where none are faster" "$(
        tr -s '\n ' ' ' <out | grep -Eq \
            ' fastest as it is; 1 -> 2 blocks: [0-9]+ B of spills, [0-9]+ % slower \(predicted\) ' ||
            cat out)"
    COLUMNS=80 smemcalc --kernel matmul-register --device H200 --regs 64 2>err | tr -s '\n ' ' ' >out
    empty "--regs: what the kernel spills with so few registers, and its time" "$(
        grep -Eq 'bound compiled with __launch_bounds__\(256, 4\): 64 registers per thread, spills [0-9]+ B stored, [0-9]+ B loaded per thread; [0-9.]+ ms predicted' out || cat out err)"
    # Pointers and loops' bounds that were spilled are known from local memory, whether or not the
    # arrays have contents: those of the catalog have none.
    sed 's/__launch_bounds__(THREADS, 1)/__launch_bounds__(THREADS, 4)/' \
        "$here/../kernels/matmul_register.cu" >spilled.cu
    smemcalc limits --kernel matmul-register --size 512 --device H200 --format json >rows 2>err
    smemcalc run spilled.cu --grid 8 --block 256 --dynamic-smem 74496 --device H200 --dry-run \
        --compiler-options '-DBM=128 -DBN=256 -DBK=16 -DTM=16 -DTN=8 -DSTAGES=3 -DELEMENT=float' \
        -a f32x262144 -a f32x262144 -a f32x262144 -a i32:512 -a i32:512 -a i32:512 \
        -a i32:512 -a i32:512 -a i32:512 --format json >own 2>>err
    empty "limits: the time with spills is that of the same code with contents" "$(
        jq -e -n --slurpfile a rows --slurpfile b own '$b[0].time.unfollowed == null and
            ($a[0].headroom.by_blocks[3].compiled_predicted_ms / $b[0].time.predicted_ms - 1 |
                fabs) < 0.05' >/dev/null || cat rows own err)"
    smemcalc --tile 8 --device 9.0 --regs 32 >out 2>err
    empty "--regs: nothing is spilled where the kernel can do with so few" "$(
        tr -s '\n ' ' ' <out | grep -q '32 registers per thread, nothing spilled' || cat out err)"
    cat >heavy.cu <<'END'
__global__ void heavy(const float *a, float *b)
{
    float r[48];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 48; k++)
        r[k] = a[i * 48 + k];
#pragma unroll
    for (int k = 0; k < 48; k++)
        r[k] = r[k] * r[(k * 7 + 3) % 48] + r[(k + 5) % 48];
#pragma unroll
    for (int k = 0; k < 48; k++)
        b[i * 48 + k] = r[k] * r[47 - k];
}
END
    smemcalc limits heavy.cu --threads 256 --device 9.0 >out 2>err
    empty "limits FILE: rows with fewer registers have what the kernel spills" "$(
        grep -Eq '^ +[0-9]+ +32 +[0-9]+\+[0-9]+ +- +-  -maxrregcount=32$' out || cat out err)"
    smemcalc limits heavy.cu --threads 256 --regs 32 --device 9.0 >out 2>err
    empty "limits FILE --regs: what the kernel spills with so few registers" "$(
        grep -Eq '^ +1 +32 +[0-9]+\+[0-9]+ +- +-  -maxrregcount=32$' out || cat out err)"
    smemcalc limits heavy.cu --threads 256 --device H200 --grid 64 -a f32x1M -a f32x1M >out 2>err
    smemcalc run heavy.cu --block 256 --device H200 --grid 64 -a f32x1M -a f32x1M --dry-run \
        --compiler-options -maxrregcount=32 --format json >own 2>>err
    empty "limits FILE --grid --arg: the time of the launch, now and with fewer registers" "$(
        time=$(jq -r '.time.predicted_ms' own)
        [ "$(sed -n 's/^.* \([0-9.]*\) ms .*  -maxrregcount=32$/\1/p' out | head -n 1)" = \
            "$(printf '%.3g' "$time")" ] || cat out own err
        grep -Eq '^ +[0-9]+ +[0-9]+ +0 +[0-9.]+ ms +-  its own options$' out || cat out)"
    cat >turns.cu <<'END'
__constant__ int turns;
__global__ void turn(float *x)
{
    for (int i = 0; i < turns; i++)
        x[threadIdx.x] = x[threadIdx.x] * 1.5f + i;
}
END
    for turns in 1 1000000; do
        smemcalc limits turns.cu --threads 256 --device H200 --grid 64 -a f32x256 \
            --set turns=$turns 2>err | sed -n 's/^.* \([0-9.]*\) ms .*  its own options$/\1/p' >ms$turns
    done
    empty "limits FILE --set: the time follows the variable" "$(
        awk 'NR == 1 { short = $1 } END { exit !(short > 0 && $1 > 50 * short) }' ms1 ms1000000 ||
            cat ms1 ms1000000 err)"
    for wrong in '--grid 64 --arg f32' '--arg f32x4' '--set turns=1' '--grid 0 -a f32x4 -a f32x4' \
        '--grid 64 -a f32x4 -a f32x4 -d H200 -d 8.0'; do
        # shellcheck disable=SC2086
        smemcalc limits heavy.cu --threads 256 --device H200 $wrong >out 2>err
        seen=$?
        empty "limits FILE $wrong" "$(
            [ "$seen" -eq 2 ] || echo "exit status $seen"
            [ "$(wc -l <err)" -eq 1 ] || cat out err)"
    done
    refuses 2 "option --grid: standard input is read once, and every row compiles it: name a file" \
        limits - --threads 256 --grid 64 -a f32x1M -a f32x1M <heavy.cu
    sed 's/__global__ void/& __launch_bounds__(256)/' heavy.cu >own_bounds.cu
    smemcalc limits own_bounds.cu --device 9.0 >out 2>err
    empty "limits FILE: no cost where the kernel's own launch bounds take precedence" "$(
        grep 'compiled with' out)"
    smemcalc limits own_bounds.cu --threads 256 --device H200 --grid 64 -a f32x1M -a f32x1M >out 2>err
    empty "limits FILE --grid: the kernel's own launch bounds are compiled with more blocks" "$(
        grep -Eq '^ +[0-9]+ +32 +[0-9]+\+[0-9]+ +[0-9.]+ ms +[-+][0-9]+ %  __launch_bounds__\(256, [0-9]\)$' out ||
            cat out err)"
    smemcalc inspect heavy.cu own_bounds.cu --threads 256 --regs 32 --device 9.0 >out 2>err
    empty "inspect --regs: what the kernels spill with so few registers" "$(
        tr -s '\n ' ' ' <out >line
        for wanted in 'spills [0-9]+ B stored, [0-9]+ B loaded per thread, 8 blocks per SM [(]100 %[)]' \
            'not with -maxrregcount, as its __launch_bounds__ take precedence'; do
            grep -Eq "at most 32 registers: $wanted" line || cat line err
        done)"
    smemcalc inspect heavy.cu --threads 256 --device 9.0 >out 2>err
    tr -s '\n ' ' ' <out >line
    smemcalc inspect heavy.cu --threads 256 --device 9.0 \
        --regs "$(sed -n 's/.* \([0-9]*\) registers per thread or fewer.*/\1/p' line)" >own 2>>err
    empty "inspect: the registers that a single kernel is advised to use are compiled first" "$(
        grep -Eq 'at most [0-9]+ registers: (no spills|spills [0-9]+ B stored)' out || cat out err
        diff out own)"
    smemcalc inspect heavy.cu own_bounds.cu --threads 256 --device 9.0 >out 2>err
    empty "inspect: several kernels are not" "$(grep 'at most' out)"
    smemcalc inspect heavy.cu --threads 256 --regs 32 --device 9.0 --format json >out 2>err
    smemcalc inspect heavy.cu --threads 256 --compiler-options -maxrregcount=32 --device 9.0 \
        --format json >own 2>>err
    empty "inspect --regs: as when it is compiled with that bound" "$(
        figures='.registers_per_thread, .spill_store_bytes, .spill_load_bytes'
        jq -c "[.. | .bounded? // empty | $figures]" out >seen
        jq -c "[.. | objects | select(has(\"spill_store_bytes\")) | $figures]" own | diff - seen)"
    refuses 2 "option --regs: standard input is read once, and the bound compiles it again: name a file" \
        inspect - --threads 256 --regs 32 <heavy.cu
else
    skip "limits: what fewer registers cost" "no NVRTC was found"
fi
empty "limits: an own kernel by numbers is told which command says what registers cost" "$(
    smemcalc limits --threads 256 --device 9.0 | tr -s '\n ' ' ' |
        grep -q "'limits FILE' compiles a kernel and says what fewer registers cost it" || echo missing)"
empty "diff says which command has --regs" "$(
    smemcalc diff heavy.cu heavy.cu --regs 32 2>&1 | grep -q "inspect FILE --regs N" || echo missing)"

# --- best -----------------------------------------------------------------------------------------

golden best-own.txt best --regs 40 --smem 8K --device 9.0
golden best-per-thread.txt best --regs 40 --smem-per-thread 64 --total-threads 1000000 \
    --device "RTX 4090"
golden best-tile.txt best --kernel matmul-tiled --regs 32 --device H200 \
    --by occupancy
golden best-stencil.txt best --kernel stencil-dynamic --radius 100 --regs 20 --device H200 \
    --by occupancy
golden best-none.txt best --smem 60000 --device 8.0
golden best-compare.txt best --regs 40 --smem 8K -d A30 -d 9.0 -d "RTX 4090" -d 7.5 -d "8800 GTX"
golden best-compare-tile.txt best --kernel matmul-tiled --regs 32 -d T4 -d H200 \
    --by occupancy
golden best-compare-none.txt best --smem 60000 -d 8.0 -d 9.0
golden best-compare.csv best --regs 64 -d 1.3 -d 8.6 --format csv
golden best.csv best --regs 64 --device 1.3 --format csv
holds "best: a proposal, every size, every rule" '.best | .proposal == 128 and .option == "threads"
    and (.candidates | length) == 32 and .candidates[0].dropped_by == null
    and (.candidates[1:] | all(.dropped_by != null)) and (.rules | length) == 11' \
    best --regs 40 --device 9.0
holds "best: the answer is the proposal's" '.kernel.threads_per_block == 128
    and .occupancy.blocks_per_sm == 12' best --regs 40 --device 9.0
holds "best: where nothing fits there is no proposal" '.best.proposal == null
    and (.best.candidates | all(.dropped_by == "launches"))' best --smem 60000 --device 8.0
holds "best: each tile is compiled, or comes from the table, for itself" \
    '[.best.candidates[] | select(.registers_per_thread > 0)] | length == 32' \
    best --kernel matmul-tiled --device 9.0 --no-nvrtc

holds "best: sizes that the kernel refuses are left out" \
    '[.best.candidates[].size] | sort == [range(32; 257; 32)]' \
    best --kernel stencil-window --dtype float --radius 5000 --regs 72 --device H200
holds "best: many threads can stand in a grid of two dimensions" '.best.proposal != null' \
    best --regs 16 --total-threads 1000000000 --device "GTX 480"
refuses 2 "option --kernel: matmul-register accepts neither --tile nor --block; 'smemcalc tune \
--kernel matmul-register --size 512x512x512 --device \"NVIDIA H200\"' ranks its shapes" \
    best --kernel matmul-register --size 512 --device H200
refuses 2 "nothing to choose for: give a FILE of your own kernels, --kernel NAME, or --regs N and \
--smem BYTES" best
refuses_other 'option --tile: not for the command best, only for query, ' best --tile 16
refuses 2 "option --dtype: name its kernel with --kernel" best --dtype double
refuses 2 "option --total-threads: only for your own kernel; --size sets the problem of one of the \
catalog" best --kernel matmul-tiled --total-threads 5
refuses 2 "option --regs: '300' is above 255, the most registers that a thread has on compute \
capability 9.0" best --regs 300 --device 9.0

# --- carveout -------------------------------------------------------------------------------------

golden carveout-device.txt carveout --device H200
golden carveout-launch.txt carveout --threads 128 --regs 32 --smem 16K --device 9.0
golden carveout-2.txt carveout --threads 128 --regs 20 --smem 10K --device 2.0
golden carveout-3.txt carveout --threads 128 --regs 32 --smem 10K --device 3.5
golden carveout-6.txt carveout --threads 128 --regs 32 --smem 10K --device 6.1
golden carveout-1.txt carveout --device 1.3
golden carveout-refused.txt carveout --threads 2048 --device 8.6
golden carveout-compare.txt carveout --threads 128 --regs 32 --smem 16K -d 8.6 -d 9.0 -d 5.2 -d 3.5
golden carveout-compare-devices.txt carveout -d 8.6 -d 9.0 -d 1.3
golden carveout-compare.csv carveout -d 7.5 -d 6.1 --format csv
golden carveout.csv carveout --threads 128 --regs 32 --smem 16K --device 8.6 --format csv
holds "carveout: the smallest that keeps 9 blocks is 58 %" \
    '.carveouts.smallest_for_blocks[8] == {blocks_per_sm: 9, smem_bytes: 167936, percent: 58}
        and .carveouts.is_a_hint' carveout --threads 128 --regs 32 --smem 16K --device 9.0
holds "carveout: without a launch there are no blocks" \
    '(.carveouts.sizes | length) == 10 and .carveouts.sizes[0].blocks_per_sm == null
        and .carveouts.smallest_for_blocks == []' carveout --device 9.0
refuses_other 'option --carveout: not for the command carveout, only for query, ' \
    carveout --carveout 50


# --- Several devices ------------------------------------------------------------------------------

# A list, or rows below each other, has the same answers as each device alone.
for question in "limits --threads 256 --regs 40" "best --regs 40 --smem 8K" "best --smem 60000" \
    "carveout --threads 128 --regs 32" "carveout"; do
    # shellcheck disable=SC2086
    {
        "$program" $question -d 8.0 -d 9.0 -d 1.3 --format csv >together
        for device in 8.0 9.0 1.3; do
            "$program" $question -d "$device" --format csv | { [ "$device" = 8.0 ] || sed 1d; cat; }
        done >alone
        empty "CSV of three devices is theirs: $question" "$(diff alone together)"
        if command -v jq >/dev/null; then
            "$program" $question -d 8.0 -d 9.0 -d 1.3 --format json | jq -c '.answers[]' >together
            for device in 8.0 9.0 1.3; do
                "$program" $question -d "$device" --format json | jq -c 'del(.schema)'
            done >alone
            empty "JSON of three devices is theirs: $question" "$(diff alone together
                [ "$(jq -r .device.compute_capability alone | tr '\n' ' ')" = "8.0 9.0 1.3 " ] ||
                    echo "not three devices")"
        else
            skip "JSON of three devices: $question" "no jq"
        fi
    } 2>&1
done
for command in "limits --threads 64" "best --regs 40" "carveout"; do
    # shellcheck disable=SC2086
    "$program" $command $(awk 'BEGIN { for (i = 0; i < 16; i++) printf "-d 9.0 " }') >out 2>&1
    status=$?
    empty "sixteen devices fit in 80 columns: $command" "$(
        [ "$status" -eq 0 ] || echo "exit status $status"
        awk 'length > 80' out)"
done

wide=$(cat "$golden"/limits-*.txt "$golden"/carveout-*.txt "$golden"/best-*.txt | awk 'length > 80')
empty "no line of text is wider than 80 columns" "$wide"

finish_cases
