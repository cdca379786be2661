#!/bin/sh
# The commands about one kernel with a FILE: best, limits, carveout, sweep, run and banks. The files
# are logs of ptxas, which need no compiler, and source, which does. Run in the build folder.

# Functions are called by name, words are split and kept whole on purpose:
# shellcheck disable=SC2086,SC2317
set -u

# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

holds() { # NAME FILTER ARGUMENT...: a filter of jq answers true of the JSON
    name=$1 filter=$2
    shift 2
    smemcalc "$@" --format json >answer.json 2>err
    empty "$name" "$([ "$(jq "$filter" answer.json 2>&1)" = true ] || { jq -c "$filter" answer.json
        cat err; } 2>&1)"
}

# Numbers that no compiler of this machine made, so that a recompilation cannot hide a mistake.
kernel_in_log() { # MANGLED ARCHITECTURE REGISTERS STATIC
    cat <<END
ptxas info    : Compiling entry function '$1' for '$2'
ptxas info    : Function properties for $1
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used $3 registers, used 1 barriers, $4 bytes smem, 368 bytes cmem[0]
END
}
kernel_in_log _Z5saxpyifPKfPf sm_80 40 4096 >one.log
{
    kernel_in_log _Z5saxpyifPKfPf sm_80 40 4096
    kernel_in_log _Z5saxpyifPKfPf sm_90 64 8192
    kernel_in_log _Z9saxpy_addPf sm_80 32 0
    kernel_in_log _Z5scaleIfEvPT_ sm_80 128 0
    kernel_in_log _Z5scaleIdEvPT_ sm_80 32 0
} >several.log

cat >bounds.ptx <<'END'
.version 7.0
.target sm_80
.address_size 64
.visible .entry bounded(.param .u64 p) .maxntid 192, 1, 1 { ret; }
.visible .entry single(.param .u64 p) .maxntid 1, 1, 1 { ret; }
.visible .entry exact(.param .u64 p) .reqntid 96, 1, 1 { ret; }
END

cat >dynamic.ptx <<'END'
.version 7.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 buffer[];
.visible .entry user(.param .u64 p)
{
    .reg .b32 %r<4>;
    mov.u32 %r1, buffer;
    st.shared.u32 [%r1], %r1;
    ret;
}
.visible .entry none(.param .u64 p) { ret; }
END

# --- best: the numbers of a file are those typed by hand ---

same_as_typed() { # NAME FILTER DEVICE REGISTERS STATIC: for saxpy of several.log
    smemcalc best several.log --entry saxpy --device "$3" --format json | jq -S "$2" >file.json
    smemcalc best --regs "$4" --smem "$5" --device "$3" --format json | jq -S "$2" >typed.json
    empty "best: $1" "$([ -s file.json ] || echo "nothing"; diff file.json typed.json)"
}
choice='.best.proposal, (.best.candidates | map([.size, .registers_per_thread, .static_smem_bytes,
        .blocks_per_sm, .percent, .dropped_by]))'
same_as_typed "registers and shared memory are those of the file" "$choice" 8.0 40 4096
same_as_typed "each device has the version that its driver loads" "$choice" 9.0 64 8192
same_as_typed "a later minor version loads the earlier one" "$choice" 8.6 40 4096

holds "best: the kernel and the source of its numbers" \
    '.kernel.name == "saxpy(int, float, float const*, float*)" and
     .kernel.registers_source == "ptxas_log sm_80"' best one.log --device 8.0
holds "best: where no version loads, the numbers are an estimate" \
    '.kernel.registers_source == "assumed ptxas_log sm_80" and .kernel.registers_per_thread == 40' \
    best one.log --device 9.0
holds "best: without a device, the one that the code was compiled for" \
    '.device.compute_capability == "8.0" and (.device.assumed | not)' best one.log
holds "best: --regs replaces the registers of the file" \
    '.kernel.registers_per_thread == 32 and .kernel.registers_source == "given" and
     .kernel.static_smem_bytes == 4096' best one.log --regs 32 --device 8.0
holds "best: shared memory per thread is added" \
    'all(.best.candidates[]; .dynamic_smem_bytes == 512 + 8 * .threads_per_block)' \
    best one.log --dynamic-smem 512 --smem-per-thread 8 --device 8.0
holds "best: waves of the whole launch" '.waves.grid_blocks * .kernel.threads_per_block >= 100000' \
    best one.log --total-threads 100000 --device A100
holds "best: several devices are compared" \
    '[.answers[] | .kernel.registers_per_thread] == [40, 64]' \
    best several.log --entry saxpy --device A100 --device H100

smemcalc best several.log --entry saxpy --device 8.0 --device 9.0 >out 2>err
empty "best: each device's version and launch bounds" "$(
    tr -s '\n ' ' ' <out >words
    for part in 'compute capability 8.0 40 per thread (log of ptxas, sm_80);' \
        'compute capability 9.0 64 per thread (log of ptxas, sm_90)' \
        'shared mem. compute capability 8.0 4096 B per block; compute capability 9.0 8192 B per' \
        '__launch_bounds__(128, 12);' '__launch_bounds__(128, 8);'; do
        grep -qF "$part" words || echo "lacks: $part"
    done)"
smemcalc best one.log --device 8.0 --device 8.6 --regs 32 >out 2>err
empty "best: what is the same for all devices stands once" "$(
    tr -s '\n ' ' ' <out >words
    grep -qF 'one.log; 4096 B of shared memory per block' words || cat out
    grep -qF '8.6 32 per thread (given)' words || cat out
    grep 'shared mem\.' out)"
smemcalc best one.log --device 8.0 >out 2>err
empty "best: the headline names the kernel, and launch bounds are proposed" "$(
    sed -n 1p out | grep -q '^saxpy: use blocks of [0-9]* threads: [0-9]* blocks per SM' || cat out
    grep -qF '__launch_bounds__(' out || echo "no launch bounds"
    tr -s '\n ' ' ' <out | grep -qF '(one.log, log of ptxas, sm_80)' || echo "no source")"
smemcalc best --format text - --device 8.0 <one.log >out 2>err
empty "best: a log from standard input" "$(grep -qF 'saxpy of standard input' out || cat out err)"

# --- Several kernels ---

holds "best: without --entry every kernel, each on each device" \
    '[.answers[].kernel.name] | unique | length == 4' best several.log --device 8.0
smemcalc best several.log --device 8.0 --format csv >out 2>err
empty "best: CSV has a row for each kernel" "$([ "$(wc -l <out)" -eq 5 ] || cat out)"
smemcalc best several.log --device 8.0 >out 2>err
empty "best: the lowest occupancy comes first" "$(
    sed -n '/^kernel/{n;p;}' out |
        grep -q '^scale<\.\.> (2 instances) *32-128 *128  *4-16 *25-100 %  regs$' || cat out
    grep -q '^<\.\.> instances that get the same block size: --instances' out || echo "no legend")"
smemcalc best several.log --device 8.0 --instances >out 2>err
empty "best: --instances lists each" "$(
    sed -n '/^kernel/{n;p;}' out | grep -q '^scale<float> .* 128 .* 25 %' || cat out)"
smemcalc best several.log --device 8.0 --top 1 >out 2>err
empty "best: --top limits the kernels shown" "$(
    { grep -q '^scale<float> .* 25 %' out &&
        grep -qx 'and 3 more kernels (--top all lists all)' out; } || cat out)"
smemcalc best several.log --device 8.0 --device 9.0 >out 2>err
empty "best: devices are told apart, and estimates explained" "$(
    { [ "$(grep -c ' CC 8.0 ' out)" -eq 3 ] && [ "$(grep -c ' CC 9.0 ' out)" -eq 3 ]; } || cat out
    grep -q '^scale<float>\|^saxpy_add  *CC 8.0  *32 ' out || cat out
    grep -qx '~ registers estimated from another architecture' out || echo "no legend")"
smemcalc best several.log --device 9.0 >out 2>err
empty "best: kernels without code for the device are left out" "$(
    tr '\n' ' ' <out | grep -qF '3 kernels have no machine code for compute capability 9.0 and are left out: --entry NAME shows one, --format csv all' ||
        cat out
    grep '^sca\|^saxpy_add' out)"
smemcalc best several.log --device 9.0 --entry saxpy_add >out 2>err
empty "best: --entry shows a kernel that was estimated" "$(grep -qF 'registers estimated from sm_80' out || cat out)"
{
    kernel_in_log fused_attention_forward_kernel_with_a_name_that_no_column_holds_at_half sm_80 32 0
    kernel_in_log fused_attention_forward_kernel_with_a_name_that_no_column_holds_at_full sm_80 64 0
} >long.log
smemcalc best long.log --device 8.0 >out 2>err
empty "best: long names are shown whole, and kernels without known block size get a caveat" "$(
    [ "$(grep -cx 'fused_attention_forward_kernel_with_a_name_that_no_column_holds_at_\(half\|full\)' out)" -eq 2 ] || cat out
    tr '\n' ' ' <out | grep -qF 'A kernel whose code depends on its block size must be launched with the size it was written for.' ||
        echo "no caveat")"

refuses 2 "several.log: choose one of its 4 kernels with --entry NAME: saxpy, saxpy_add, \
scale<float>, scale<double>" sweep several.log --threads 32:1024:32 --device 8.0
refuses 2 "option --entry: 'scale' names 2 kernels of several.log: scale<float>, scale<double>" \
    sweep several.log --entry scale --threads 32:64:32 --device 8.0
refuses 2 "option --entry: unknown kernel 'saxpi'; did you mean 'saxpy'?" \
    best several.log --entry saxpi --device 8.0
refuses 2 "option --entry: unknown kernel 'zzz'; several.log has saxpy, saxpy_add, scale<float>, \
scale<double>" best several.log --entry zzz --device 8.0

named() { # ENTRY NAME: --entry picks that one kernel
    holds "best: --entry finds $1" ".kernel.name == \"$2\"" best several.log --entry "$1" --device 8.0
}
named saxpy "saxpy(int, float, float const*, float*)" # not saxpy_add, though it contains the name
named _Z5saxpyifPKfPf "saxpy(int, float, float const*, float*)"
named 'saxpy(int, float, float const*, float*)' "saxpy(int, float, float const*, float*)"
named _add "saxpy_add(float*)"
named '*_add' "saxpy_add(float*)"
named 'scale<float>' "void scale<float>(float*)"

refuses 2 "option --entry: 'scale<..>' names 2 kernels of several.log: scale<float>, scale<double>" \
    sweep several.log --entry 'scale<..>' --threads 32:64:32 --device 8.0
{
    kernel_in_log _ZN1a4fastIfN1b6policyILi4EEEEEvPT_ sm_80 32 0
    kernel_in_log _ZN1a4fastIdN1b6policyILi4EEEEEvPT_ sm_80 32 0
} >cut.log
holds "--entry accepts a name as reports shorten it" \
    '.kernel.name == "void a::fast<float, b::policy<4> >(float*)"' \
    best cut.log --entry 'fast<float, policy<..>>' --device 8.0
refuses 2 "/: a folder; name one of its files ('smemcalc /' lists its kernels)" best /
i=0
while [ $i -lt 30 ]; do
    kernel_in_log "_Z3k$(printf %02d $i)v" sm_80 $((16 + i)) 0
    i=$((i + 1))
done >many.log
refuses 2 "many.log: choose one of its 30 kernels with --entry NAME: k00, k01, k02, k03, k04, k05, \
k06, k07 and 22 more" sweep many.log --threads 32:64:32 --device 8.0
smemcalc best many.log --device 8.0 >out 2>err
empty "best: text shows the first 20" "$(grep -qx 'and 10 more kernels (--top all lists all)' out ||
    cat out)"
smemcalc limits many.log --device 8.0 >out 2>err
empty "limits: text shows the first 8" "$(
    [ "$(grep -c '^k[0-9]*: up to' out)" -eq 8 ] || echo "not 8"
    grep -q '^and 22 more kernels' out || cat out)"

# --- limits and carveout ---

holds "limits: the registers are not fixed" \
    '.headroom.fixed == [] and .kernel.static_smem_bytes == 4096 and
     .kernel.threads_per_block == 256' limits one.log --threads 256 --device 8.0
smemcalc limits one.log --device 8.0 >out 2>err
empty "limits: a proposed block size is noted" "$(
    grep -qE '^smemcalc: note: saxpy has no launch bounds, and --threads is not given: [0-9]+ threads' \
        err || cat err
    grep -q '^saxpy: up to' out || cat out)"
holds "carveout: the kernel of a file" '.kernel.name[0:5] == "saxpy" and (.carveouts != null)' \
    carveout one.log --threads 128 --device 8.0

# --- sweep ---

smemcalc sweep one.log --threads 64:1024:64 --device 8.0 --format csv |
    sed 's/"[^"]*"//; s/,kernel,/,,/' >file.csv
smemcalc sweep --threads 64:1024:64 --regs 40 --smem 4096 --device 8.0 --format csv |
    sed 's/,kernel,/,,/' >typed.csv
empty "sweep: --threads gives what typed numbers give" "$(
    [ "$(wc -l <file.csv)" -eq 17 ] || cat file.csv
    diff file.csv typed.csv)"
smemcalc sweep one.log --threads 128 --regs 16:128:16 --device 8.0 --format csv >out 2>err
empty "sweep: --regs replaces the registers of the file" "$(
    [ "$(wc -l <out)" -eq 9 ] || cat out err)"
holds "sweep: each device has its own version" \
    '[.answers[].kernel.registers_per_thread] == [40, 64]' \
    sweep several.log --entry saxpy --threads 128 --device 8.0,9.0

# --- Launch bounds (PTX is compiled) ---

if command -v ptxas >/dev/null || [ -x /usr/local/cuda/bin/ptxas ]; then
    holds "best: no size above the launch bounds" \
        '[.best.candidates[].size] | sort == [32, 64, 96, 128, 160, 192]' \
        best bounds.ptx --entry bounded --device 8.0
    smemcalc best bounds.ptx --device 8.0 >out 2>err
    empty "best: a size that the launch bounds set is marked" "$(
        { grep -q '^exact  *[0-9]*  *96\* ' out && grep -q '^single  *[0-9]*  *1\* ' out &&
            grep -q '^bounded  *[0-9]*  *128  ' out &&
            grep -q "^\* set by the kernel's launch bounds" out; } || cat out)"
    smemcalc best bounds.ptx --entry exact --device 8.0 >out 2>err
    empty "best: .reqntid is named" "$(
        tr '\n' ' ' <out | grep -qF 'it launches with no other block size' || cat out)"
    smemcalc best bounds.ptx --entry single --device 8.0 >out 2>err
    empty "best: launch bounds are named" "$(
        { tr '\n' ' ' <out | grep -q 'use blocks of 1 thread: .*; its launch bounds allow no larger block' &&
            tr -s '\n ' ' ' <out | grep -q 'compiled with its present launch bounds'; } || cat out)"
    holds "best: .reqntid leaves one size" '[.best.candidates[].size] == [96]' \
        best bounds.ptx --entry exact --device 8.0
    smemcalc best dynamic.ptx --device A100-SXM4-80GB --dynamic-smem 48K --format json >out 2>err
    empty "best: dynamic shared memory counts for the kernels that use it" "$(
        jq -e '[.answers[].kernel | [.name, .dynamic_smem_bytes]] == [["none", 0], ["user", 49152]]' \
            <out >/dev/null || jq -c '[.answers[].kernel | [.name, .dynamic_smem_bytes]]' <out
        grep -qx 'smemcalc: note: none uses no dynamic shared memory, so none is counted there' err ||
            cat err)"
    holds "limits: --smem-per-thread counts for kernels with dynamic shared memory" '[.answers[].kernel.dynamic_smem_bytes] == [0, 4096]' \
        limits dynamic.ptx --device 8.0 --threads 256 --smem-per-thread 16
    holds "sweep: dynamic shared memory counts for a kernel that uses none" '[.. | .dynamic_smem_bytes? // empty] | unique == [1024]' \
        sweep dynamic.ptx --entry none --threads 64:128:64 --dynamic-smem 1024 --device 8.0
    holds "limits: the block size of the launch bounds" '.kernel.threads_per_block == 192' \
        limits bounds.ptx --entry bounded --device 8.0
    smemcalc limits bounds.ptx --entry bounded --threads 256 --device 8.0 >out 2>err
    empty "limits: a block above the launch bounds is refused" "$(
        tr '\n' ' ' <out | grep -qF 'bounded: cannot launch: a block of 256 threads; bounded has launch bounds that allow 192' ||
            cat out)"
    smemcalc limits bounds.ptx --entry exact --threads 64 --device 8.0 >out 2>err
    empty "limits: a block that .reqntid forbids is refused" "$(
        tr '\n' ' ' <out | grep -qF 'exact launches only with 96' || cat out)"
else
    skip "launch bounds" "there is no ptxas"
fi

# --- Source ---

cat >x.cu <<'END'
__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
END
if smemcalc inspect x.cu --device 8.0 >/dev/null 2>&1; then
    holds "best: source is compiled for each device" \
        '[.answers[].kernel.registers_source | test("sm_80|sm_90")] == [true, true]' \
        best x.cu --device A100 --device H100
    smemcalc run x.cu --on emulator --device 8.0 --grid 1 --block 32 -a i32:32 -a f32:2 \
        -a f32x32:1 -a f32x32:3 --format json >file.json 2>err
    smemcalc run --source x.cu --on emulator --device 8.0 --grid 1 --block 32 -a i32:32 -a f32:2 \
        -a f32x32:1 -a f32x32:3 --format json >option.json 2>>err
    empty "run: FILE is the same as --source FILE" "$([ -s file.json ] || cat err
        diff file.json option.json)"
else
    skip "source" "there is no NVRTC for compute capability 8.0"
fi

smemcalc inspect x.cu --device 3.5 >out 2>err
if [ $? -eq 3 ] && smemcalc inspect x.cu --device 8.0 >/dev/null 2>&1; then
    empty "an architecture that no compiler supports: the oldest one is named" "$(
        grep -qE '^smemcalc: x.cu: (nvcc|the installed NVRTC) does not compile for compute capability 3.5; the oldest that it supports is [0-9]+\.[0-9]$' err ||
            cat err)"
    for command in inspect best limits; do
        smemcalc $command x.cu --device 3.5 --device 8.0 --format json >out 2>err
        status=$?
        empty "$command: the other devices are answered, with exit status 3" "$(
            [ $status -eq 3 ] || echo "exit status $status"
            grep -qE '^smemcalc: compute capability 3.5: not answered: x.cu: .*; the oldest that it supports is' err ||
                cat err
            { grep -q '"8.0"' out && ! grep -q '"3.5"' out; } || cat out)"
    done
else
    skip "an architecture that no compiler supports" "it is supported, or there is no compiler"
fi

# --- banks ---

cat >shared.ptx <<'END'
.version 7.0
.target sm_80
.address_size 64
.visible .entry strided(.param .u64 p)
{
    .reg .b32 %r<4>;
    .shared .align 4 .b8 tile[8192];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 3;
    mov.u32 %r3, tile;
    add.s32 %r2, %r3, %r2;
    st.shared.u32 [%r2], %r1;
    ret;
}
.visible .entry without(.param .u64 p) { ret; }
.visible .entry shaped(.param .u64 p)
{
    .reg .b32 %r<4>;
    .shared .align 4 .b8 rows[8192];
    mov.u32 %r1, %tid.y;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, rows;
    add.s32 %r2, %r3, %r2;
    st.shared.u32 [%r2], %r1;
    ret;
}
END
if command -v ptxas >/dev/null || [ -x /usr/local/cuda/bin/ptxas ]; then
    holds "banks: every second word takes two wavefronts" \
        '.kernel.name == "strided" and .banks.block == [64, 1, 1] and .banks.bank_conflicts == 2 and
         (.banks.accesses | length) == 1 and .banks.accesses[0].stride_bytes == 8 and
         .banks.accesses[0].wavefronts == 4' \
        banks shared.ptx --entry strided --block 64 --device 8.0
    smemcalc banks shared.ptx --entry strided --block 64 --device 8.0 --format csv >out 2>err
    empty "banks: CSV has a row for each access" "$(
        { [ "$(wc -l <out)" -eq 2 ] && grep -q '^strided,.*,st.shared.u32,store,4,tile,,known,' out; } || cat out)"
    smemcalc banks shared.ptx --entry without --device 8.0 >out 2>err
    empty "banks: a kernel without shared memory" "$(
        sed -n 1p out | grep -qx 'without: no access to shared memory' || cat out)"
    smemcalc banks shared.ptx --entry strided --device 8.0 >out 2>err
    empty "banks: the text of a kernel's accesses" "$(
        sed -n 1p out | grep -q '^strided: 1 bank conflict per warp at PTX line 12' || cat out
        grep -qF 'assumed: --block is not given' out || echo "no word about the block")"
    refuses 2 "shared.ptx: the accesses of shaped depend on the shape of the block: give it, such as \
--block 32x8" banks shared.ptx --entry shaped --device 8.0
    refuses 2 "option --block: '256' has 256 threads; bounded has launch bounds that allow 192" \
        banks bounds.ptx --entry bounded --block 256 --device 8.0
else
    skip "banks" "there is no ptxas"
fi
refuses 2 "one.log: bank conflicts are found in source or PTX, not in log of ptxas" \
    banks one.log --device 8.0
refuses 2 "option --width: not with FILE 'one.log'" banks one.log --width 8

# --- A name that a terminal would interpret ---

hostile=$(printf 'e\033[31m\302\233\377.log')
cp one.log "$hostile"
for command in best limits carveout "sweep --threads 32:64:32"; do
    smemcalc $command "$hostile" --device 8.0 >out 2>err
    empty "$command: a file's name is made safe" "$(grep -q 'e?\[31m' out || cat -v out err
        LC_ALL=C grep -c "$(printf '[\033\233\377]')" out err | grep -v ':0$')"
done

# --- Usage ---

for command in best limits carveout "sweep --threads 32:64:32"; do
    refuses 2 "option --kernel: not with FILE 'one.log': --entry NAME chooses its kernel" \
        $command one.log --kernel matmul-tiled
    refuses 2 "no.log: No such file or directory" $command no.log --device 8.0
    refuses 2 "option --entry: only with a FILE of your own kernels" $command --entry saxpy --regs 32
done
refuses 2 "option --source: not with FILE 'x.cu'" run x.cu --source y.cu
refuses 2 "'two.log': the command best accepts at most 1 file" best one.log two.log

finish_cases
