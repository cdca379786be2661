#!/bin/sh
# smemcalc run --source: the user's own kernels on the emulator, and on a fake GPU; every wrong
# input. Run in the build folder; needs an NVRTC. GENERATE=1 writes tests/golden/own-*.txt anew.
# The words of a launch are split on purpose:
# shellcheck disable=SC2086

set -u
fake=$PWD/tests/gpu/fake_smemcalc
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"
# shellcheck source=tests/toolkit.sh
. "$here/toolkit.sh"

case $(smemcalc --tile 32 --device 9.0 --format json 2>/dev/null) in
*'"nvrtc 13.0 '*) nvrtc=13.0 ;;
*'"nvrtc '*) nvrtc=other ;;
*)
    skip "a person's own kernels" "there is no NVRTC for CC 9.0"
    finish_cases
    ;;
esac

cat >clean.cu <<'END'
extern "C" __global__ void twice(int *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] *= 2;
}
END
cat >racy.cu <<'END'
extern "C" __global__ void reverse(float *values)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = values[threadIdx.x];
    values[threadIdx.x] = tile[63 - threadIdx.x];
}
END
cat >bounds.cu <<'END'
__global__ void shift(float *values)
{
    values[threadIdx.x] = values[threadIdx.x + 1];
}
END
cat >endless.cu <<'END'
__global__ void wait(volatile int *flag)
{
    while (*flag == 0)
        ;
}
END
cat >beyond.ptx <<'END'
.version 7.8
.target sm_90
.address_size 64
.visible .entry beyond(.param .u64 out)
{
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    st.global.u32 [%rd2+400], 1;
    ret;
}
END
{ # races at more places than are kept
    echo '__global__ void last(int *x) {'
    line=0
    while [ $((line += 1)) -le 20 ]; do
        echo "    x[$line] = threadIdx.x;"
    done
    echo '    x[100] = 1;'
    echo '}'
} >bounds_last.cu
cat >long.cu <<'END'
__global__ void steps(int *x)
{
    for (int i = 0; i < 2000000000; i++)
        x[threadIdx.x] = x[threadIdx.x] * 3 + i;
}
END
cat >partial.cu <<'END'
__global__ void partial(int *out)
{
    if (threadIdx.x < 40)
        __syncthreads();
    out[threadIdx.x] = 1;
}
END
cat >histogram.cu <<'END'
// A histogram whose bins are spread over the shared memory of a cluster: each block holds
// bins / blocks of them, and adds to those of the other blocks through distributed shared memory.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void histogram(const unsigned *values, unsigned n, unsigned *bins,
                                     unsigned bin_count)
{
    extern __shared__ unsigned own[]; // bin_count / cluster.num_blocks() counters
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned share = bin_count / cluster.num_blocks();
    for (unsigned i = threadIdx.x; i < share; i += blockDim.x)
        own[i] = 0;
    cluster.sync(); // every block's counters are zero
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned bin = values[i] % bin_count;
        atomicAdd(cluster.map_shared_rank(&own[bin % share], bin / share), 1);
    }
    cluster.sync(); // nobody adds any more, and no block has ended
    for (unsigned i = threadIdx.x; i < share; i += blockDim.x)
        atomicAdd(&bins[cluster.block_rank() * share + i], own[i]);
}
END
sed 's/__global__ void/__global__ void __cluster_dims__(4, 1, 1)/' histogram.cu >own_cluster.cu
cat >many.cu <<'END'
template <class T> __global__ void fill(T *out) { out[threadIdx.x] = T(3); }
template __global__ void fill<int>(int *);
template __global__ void fill<float>(float *);
namespace space { __global__ void add(double *x, double y, long long n, unsigned char c)
{
    if (threadIdx.x < n)
        x[threadIdx.x] += y + c;
} }
END
printf 'struct three { int a[3]; };\n__global__ void k(three s, int *p) { *p = s.a[1]; }\n' >struct.cu
printf '__global__ void __launch_bounds__(64) small() { }\n' >small.cu
printf '__global__ void big(int *p) { __shared__ int s[20000]; s[threadIdx.x] = 1; *p = s[5]; }\n' >big.cu
printf '__global__ void broken(int *p) {\n    *p = 1\n}\n' >broken.cu
: >empty.cu

emulate() { # FILE ARGUMENT...
    file=$1
    shift
    smemcalc run --on emulator --device H200 --source "$file" "$@"
}

# --- What is found --------------------------------------------------------------------------------

# The exit status, and a line of what is shown.
shows() { # STATUS LINE FILE ARGUMENT...
    status=$1 line=$2
    shift 2
    COLUMNS=500 emulate "$@" >out 2>err
    seen=$?
    empty "run --source $*" "$(
        [ "$seen" -eq "$status" ] || echo "exit status $seen, not $status"
        tr -s '\n ' ' ' <out | grep -qF -- "$line" || cat out err
    )"
}

shows 0 "no findings" clean.cu --grid 4 --block 256 -a i32x1000:ramp -a i32:1000
shows 0 "0, 2, 4, 6, 8, 10, ...; 999 changed; CRC-32 7b7ec14c" clean.cu --grid 4 --block 256 \
    -a i32x1000:ramp -a i32:1000
shows 1 "racy.cu:5: race: read after another thread's write" racy.cu --grid 1 --block 64 \
    -a f32x64:random
shows 1 "bounds.cu:3: out of bounds; block (0,0,0), thread (31,0,0); 4 bytes at arg 1 + 128, which has 128 bytes" \
    bounds.cu --grid 1 --block 32 -a f32x32:ramp
shows 1 "beyond.ptx: beyond on NVIDIA H200: PTX line 9: out of bounds; block (0,0,0), thread (0,0,0)" \
    beyond.ptx --grid 1 --block 1 -a i32x32 --sanitize text
shows 1 "bounds_last.cu:22: out of bounds; block (0,0,0), thread (0,0,0); 4 bytes at arg 1 + 400" \
    bounds_last.cu --grid 1 --block 64 -a i32x32
shows 1 "partial.cu:4: a barrier is reached by part of a warp" partial.cu --grid 1 --block 64 -a i32x64
shows 1 "busiest at endless.cu:3" endless.cu --grid 1 --block 32 -a i32x1 --timeout 200
shows 1 "busiest at endless.cu:3; blocks that wait for each other need --cooperative" \
    endless.cu --grid 2 --block 32 -a i32x1 --timeout 200
printf 'extern "C" __global__ void own(int *out)\n{\n    __shared__ volatile int go;\n    go = 0;
    while (!go)\n        ;\n    *out = 1;\n}\n' >own.cu
shows 1 "busiest at own.cu:5; 0 of 2 blocks ended: a longer --timeout may let more end" \
    own.cu --grid 2 --block 32 -a i32x1 --timeout 200
shows 1 "busiest at long.cu:4; 0 of 2 blocks ended: a longer --timeout may let more end" \
    long.cu --grid 2 --block 32 -a i32x32 --timeout 200
shows 1 "races, bad accesses 0 0 not measured the launch did not finish" long.cu --grid 1 --block 32 -a i32x32 --timeout 200
shows 0 "3, 3, 3, 3, 3, 3, ...; 32 changed" many.cu --grid 1 --block 32 --entry 'fill<int>' -a i32x32
shows 0 "7.5, 8.5, 9.5, 3, 4, 5, ...; 3 changed" many.cu --grid 1 --block 32 --entry space::add \
    -a f64x32:ramp -a f64:1.5 -a i64:3 -a u8:6
shows 0 "many.cu: grid 2 x 3, block 8 x 4" many.cu --grid 2x3 --block 8x4 \
    --entry _Z4fillIfEvPT_ -a f32x32

for command in "run --grid 1 --block 32 -a i32x32 --on emulator" "limits --threads 32" inspect; do
    # shellcheck disable=SC2086
    empty "FILE:KERNEL chooses the kernel: $command" "$(
        chosen=--entry
        [ "$command" != inspect ] || chosen=--kernel
        smemcalc $command --device H200 'many.cu:fill<int>' --format json 2>err |
            jq 'del(.run, .generated, .time)' >one
        smemcalc $command --device H200 many.cu $chosen 'fill<int>' --format json 2>err |
            jq 'del(.run, .generated, .time)' >other
        if [ -s one ]; then diff one other; else cat err; fi)"
done
for wrong in many.cu:nothing missing.cu:fill "many.cu:fill<int> --entry fill"; do
    # shellcheck disable=SC2086
    smemcalc limits --threads 32 --device H200 $wrong >out 2>err
    seen=$?
    empty "FILE:KERNEL: $wrong" "$(
        { [ $seen -eq 2 ] && [ "$(wc -l <err)" -eq 1 ]; } || cat out err)"
done

for type in int4 uint2 longlong2; do
    echo "__global__ void move($type *to, const $type *from) { to[threadIdx.x] = from[threadIdx.x]; }" >move.cu
    empty "arrays of any type may be copied as $type" "$(
        smemcalc run move.cu --grid 1 --block 8 --dry-run --device H200 -a f32x32 -a f16x64:random 2>&1 >out |
            grep -v ': note:'
        grep -q predicted out || cat out)"
done
printf '__global__ void halve(double *x, const int *n, float4 *v, char *bytes)\n{ x[*n] = v->x + *bytes; }\n' >halve.cu
dry_run_halve() { # ARRAY...
    smemcalc run halve.cu --grid 1 --block 1 --dry-run --device H200 "$@" 2>&1 >out | grep -v ': note:'
}
empty "arrays whose elements are those of the parameters" "$(
    dry_run_halve -a f64x4:random -a u32x4:ramp -a f32x4:1 -a f32x4:random
    dry_run_halve -a f32x4 -a f32x4 -a i32x4 -a f32x4:random
    grep -q predicted out || cat out)"
empty "elements of another type are mentioned" "$(
    dry_run_halve -a f32x4:random -a i32x4:ramp -a f64x4:1 -a i8x4 >err
    [ "$(grep -c "warning: option --arg: '.*' has elements of .*, but parameter [13] of halve" err)" -eq 2 ] || cat err)"
echo '__global__ void unpack(const unsigned short *a, __half *b) { b[0] = a[0]; }' | sed '1i #include <cuda_fp16.h>' >unpack.cu
dry_run_unpack() { # ARRAY
    smemcalc run unpack.cu --grid 1 --block 1 --dry-run --device H200 -a u16x4 -a "$1" 2>&1 >out | grep -v ': note:'
}
empty "bits are given on purpose as unsigned integers whose values are stated" "$(
    dry_run_unpack u16x64:random:0:65535
    dry_run_unpack u16x64:0x3c00
    grep -q predicted out || cat out)"
for bits in u16x64:random u16x64:ramp i16x64:random:0:99 u32x64:1; do
    empty "integers for half are mentioned: $bits" "$(dry_run_unpack $bits >err
        grep -q "warning: option --arg: '$bits' has elements of .*, but parameter 2 of unpack" err || cat err)"
done

# Arguments as in C give the same run as their short forms.
for form in "int[1000]:ramp int=1000" "intx1000:ramp 1000" "i32[1000]=ramp i32=1000" \
    "int[10][100]:ramp int:1000" "signed int[1000]:ramp 1000u"; do
    shows 0 "0, 2, 4, 6, 8, 10, ...; 999 changed; CRC-32 7b7ec14c" clean.cu --grid 4 --threads 256 \
        -a "${form% *}" -a "${form##* }"
done
cat >halves.cu <<'END'
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void halves(const __half *a, __nv_bfloat16 *b, __half by)
{
    b[threadIdx.x] = __float2bfloat16(__half2float(a[threadIdx.x] * by));
}
END
shows 0 "0, 1.5, 3, 4.5, 6, 7.5, ...; 31 changed" halves.cu --grid 1 --block 32 -a f16x32:ramp \
    -a bf16x32 -a 1.5
shows 0 "0.1001, 0.1001, 0.1001, 0.1001, 0.1001, 0.1001, ...; 32 changed" halves.cu --grid 1 \
    --block 32 -a f16x32:0.1 -a bf16x32 -a f16:1
printf '\000\074\000\300' >halves.bin # 1, -2
shows 0 "1, -2; 2 changed" halves.cu --grid 1 --block 2 -a f16x2:file:halves.bin -a bf16x2 -a f16:1

# --- What mends a race ----------------------------------------------------------------------------

cat >mend.cu <<'END'
__global__ void line(float *a)
{
    __shared__ float t[64];
    t[threadIdx.x] = a[threadIdx.x]; // the barrier is missing below
    a[threadIdx.x] = t[63 - threadIdx.x];
}
__global__ void loop(float *a, int n)
{
    __shared__ float t[64];
    for (int k = 0; k < n; k++) {
        t[threadIdx.x] = a[threadIdx.x];
        __syncthreads();
        a[threadIdx.x] = t[63 - threadIdx.x];
    }
}
__global__ void both(float *a, int n)
{
    __shared__ float t[64];
    for (int k = 0; k < n; k++) {
        t[threadIdx.x] = a[threadIdx.x];
        a[threadIdx.x] = t[63 - threadIdx.x];
    }
}
__global__ void sides(float *a)
{
    __shared__ float t[64];
    if (threadIdx.x < 32)
        t[threadIdx.x] = a[threadIdx.x];
    else
        a[threadIdx.x] = t[threadIdx.x - 32];
}
__global__ void data(float *a)
{
    __shared__ float t[64];
    if (a[threadIdx.x] > -2) {
        t[threadIdx.x] = a[threadIdx.x];
        a[threadIdx.x] = t[63 - threadIdx.x];
    }
}
__global__ void strides(float *a, int n)
{
    __shared__ float t[64];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        t[threadIdx.x] = a[i];
        a[i] = t[63 - threadIdx.x];
    }
}
__global__ void same(float *a)
{
    __shared__ float s;
    s = threadIdx.x;
    __syncthreads();
    a[threadIdx.x] = s;
}
__global__ void blocks(float *a)
{
    a[blockIdx.x * 64 + threadIdx.x] = 1;
    a[(blockIdx.x * 64 + threadIdx.x + 64) % 128] += 1;
}
__global__ void global(float *a)
{
    a[threadIdx.x] = 1;
    a[64 + threadIdx.x] = a[63 - threadIdx.x];
}
__global__ void condition(float *a)
{
    __shared__ float t[64];
    t[threadIdx.x] = a[threadIdx.x];
    if (t[63 - threadIdx.x] < 2)
        a[threadIdx.x] = 3;
}
__global__ void index(float *a)
{
    __shared__ int t[64];
    t[threadIdx.x] = 0;
    __syncthreads();
    t[threadIdx.x] = 1000;
    int i = t[63 - threadIdx.x];
    if (threadIdx.x < 32)
        a[i] = 1; // out of bounds, once the line above reads what all have written
    a[threadIdx.x + 100] = 2; // so is this, in any case
}
END
mends() { # ENTRY HEADLINE ADVICE ARGUMENT...: "" is none
    entry=$1 headline=$2 advice=$3
    shift 3
    smemcalc run mend.cu --entry "$entry" --block 64 --on emulator --device 9.0 "$@" >out 2>err
    smemcalc run mend.cu --entry "$entry" --block 64 --on emulator --device 9.0 "$@" \
        --format json >out.json 2>err
    empty "what mends a race: $entry" "$(
        case $(head -n 1 out) in "$headline; "*) ;; *) cat out err ;; esac
        found=$(sed -n 's/^    \(add __syncthreads.*\)/\1/p' out)
        [ "$found" = "$advice" ] || echo "found: $found"
        jq -e --arg advice "$advice" '.advice == (if $advice == "" then null else $advice end)' \
            out.json >/dev/null || cat out.json err)"
}
a=f32x128:random
mends line "RACE on t, line 4" "add __syncthreads() after line 4: a run with it has no race" --grid 1 -a $a
mends loop "RACE on t, line 13" "add __syncthreads() after line 13: a run with it has no race" \
    --grid 1 -a $a -a 4
mends both "RACE on t, line 20" \
    "add __syncthreads() after lines 20 and 21: a run with both has no race" \
    --grid 1 -a $a -a 4
mends sides "RACE on t, line 30" "" --grid 1 -a $a
mends data "RACE on t, line 36" "" --grid 1 -a $a
mends strides "RACE on t, line 44" "" --grid 1 -a $a -a 64
mends same "RACE on s, line 51" "" --grid 1 -a $a
mends blocks "RACE on arg 1, line 58" "" --grid 2 -a $a
mends global "RACE on arg 1, line 62" "add __syncthreads() after line 62: a run with it has no race" \
    --grid 1 -a $a
mends condition "RACE on t, line 68" "add __syncthreads() after line 68: a run with it has no race" \
    --grid 1 -a $a
mends index "RACE on t, line 77" "" --grid 1 -a $a

cat >twice.ptx <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 twice_param_0)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [twice_param_0];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.u32 %r2, [%rd4];
    add.s32 %r2, %r2, %r2;
    st.global.u32 [%rd4], %r2;
    ret;
}
END
sed 's/sm_80/sm_90a/' twice.ptx >letter.ptx
smemcalc inspect twice.ptx >/dev/null 2>&1
if [ $? = 3 ]; then
    skip "PTX" "there is no ptxas"
else
    shows 0 "0, 2, 4, 6, 8, 10, ...; 31 changed" twice.ptx --grid 1 --block 32 -a i32x32:ramp
    shows 0 "registers per thread (ptxas, sm_90a)" letter.ptx --grid 1 --block 32 -a i32x32
    shows 1 "out of bounds" twice.ptx --grid 1 --block 32 -a i32x31
fi

if [ "$nvrtc" = 13.0 ]; then
    golden own-clean.txt run --on emulator --device 9.0 --source clean.cu --grid 4 --block 256 \
        -a i32x1000:ramp -a i32:1000
    golden own-racy.txt run --on emulator --device 8.9 --source racy.cu --grid 1 --block 64 \
        -a f32x64:random
    smemcalc() { # the host, which ends each row of a run, by a name that is the same everywhere
        "$program" "$@" >named
        code=$?
        sed "s/,$(uname -n),\$/,HOST,/" named
        return $code
    }
    golden own-racy.csv run --on emulator --device 8.9 --source racy.cu --grid 1 --block 64 \
        -a f32x64:random --format csv
    smemcalc() {
        "$program" "$@"
    }
fi

if command -v jq >/dev/null; then
    emulate bounds.cu --grid 1 --block 32 -a f32x32:ramp --format json >bounds.json
    holds "JSON of run --source has the finding" \
        '.findings | length == 2 and .[0].kind == "out_of_bounds" and .[0].line == 3' bounds.json
    holds "JSON of run --source has the kernel and its arguments" \
        '.source.arguments == ["f32x32:ramp"] and (.kernel.registers_source | startswith("nvrtc"))' \
        bounds.json
    holds "JSON of run --source has the traffic of each array" '.memory[0] | .loads.bytes == 124 and .stores.bytes == 128' bounds.json
fi

# --- Memory from files and to files ---------------------------------------------------------------

printf '\001\000\000\000\002\000\000\000' >in.bin
emulate clean.cu --grid 1 --block 32 -a i32x2:file:in.bin -a i32:2 --dump 1:out.bin >out 2>&1
empty "memory of a kernel comes from a file and goes to a file" "$(printf '\002\000\000\000\004\000\000\000' | cmp - out.bin 2>&1)"
emulate clean.cu --grid 1 --block 32 -a i32x2:file:in.bin -a i32:2 --expect 1=out.bin >out 2>&1
status=$?
empty "the result is as expected" "$({ [ $status -eq 0 ] && grep -q 'arg 1: all 2 elements are as in out.bin' out; } || cat out)"
emulate clean.cu --grid 1 --block 32 -a i32x2:file:in.bin -a i32:2 --expect 1=in.bin >out 2>&1
status=$?
empty "the result is not as expected" "$({ [ $status -eq 1 ] && tr -s ' \n' ' ' <out | grep -q 'arg 1: the first is element 0, 2; in in.bin 1'; } || cat out)"
refuses 2 "option --expect: '1=out.bin': out.bin has fewer than 12 bytes" run --source clean.cu --grid 1 --block 32 -a i32x3:5 \
    -a i32:2 --on emulator --device 9.0 --expect 1=out.bin
same=$(emulate racy.cu --grid 1 --block 64 -a f32x64:random --seed 7 | grep CRC-32)
empty "a seed gives an array the same values" "$(
    emulate racy.cu --grid 1 --block 64 -a f32x64:random --seed 7 | grep CRC-32 | grep -vF "$same")"
empty "the kernel comes from standard input" "$(
    emulate - --grid 1 --block 32 -a i32x2:5 -a i32:2 <clean.cu 2>&1 | sed -n '1{/^no findings$/d;p;}')"

# --- Wrong input ----------------------------------------------------------------------------------

# --- A compiler that does not end ------------------------------------------------------------------

# It runs until it is killed, leaves a file, and ends the time of its caller.
mkdir endless
cat >endless/nvcc <<'END'
#!/bin/sh
touch "$TMPDIR/left"
echo $$ >"$0.pid"
kill -ALRM $PPID
while :; do sleep 1; done
END
chmod +x endless/nvcc
printf '#include <nowhere>\n__global__ void k() {}\n' >host.cu
mkdir temporary
over="are over: host.cu is not compiled yet"
for case in "900000 option --timeout: 900000 ms $over|--on emulator" \
    "100 5000 ms $over; a longer --timeout gives the compiler more time|--on emulator" \
    "4000 option --timeout: 4000 ms $over|--dry-run"; do
    ms=${case%% *} message=${case%|*}
    message=${message#* }
    set -- ${case#*|}
    TMPDIR=$PWD/temporary PATH="$PWD/endless:$PATH" smemcalc run host.cu --grid 1 --block 1 --device 9.0 \
        --timeout $ms "$@" >out 2>err
    status=$?
    empty "--timeout $ms $1 ends a compilation, its compiler and their files" "$(
        [ $status -eq 1 ] || echo "exit status $status"
        cat out
        echo "smemcalc: $message" | diff - err
        ! kill -0 "$(cat endless/nvcc.pid)" 2>/dev/null || echo "the compiler runs"
        ls temporary)"
done

printf '\357\273\277extern "C" __global__ void last(int *x) { x[0] = LAST; }\n' >marked.cu
shows 0 "64 x i32; stores: 1 request, 1 sector, 128 B; 7, 0," marked.cu --grid 1 --block 32 \
    -a i32x64 --compiler-options "$(seq -f '-DA%g' -s ' ' 80) -DLAST=7"

run_refuses() { # MESSAGE ARGUMENT...
    message=$1
    shift
    refuses 2 "$message" run --on emulator --device H200 "$@"
}
launch="--source clean.cu --grid 4 --block 256"

run_refuses "missing.cu: No such file or directory" --source missing.cu --grid 1 --block 1
run_refuses "/tmp: Is a directory" --source /tmp --grid 1 --block 1
run_refuses "empty.cu: no kernel in it: no __global__ function" --source empty.cu --grid 1 --block 1
printf 'int a;\000int b;\n' >zeros.cu
run_refuses "zeros.cu: neither CUDA C++, PTX, machine code nor a program with it" zeros.cu --grid 1 --block 1
run_refuses 'broken.cu:3: error: expected a ";"' --source broken.cu --grid 1 --block 1
run_refuses "clean.cu: nvrtc: error: unrecognized option --nonsense found" $launch \
    --compiler-options --nonsense
cat >shout.cu <<'END'
extern "C" __global__ void shout(const int *x)
{
    printf("block %d, thread %d: %d %s\n", blockIdx.x, threadIdx.x, x[threadIdx.x], "\033[31m");
}
END
smemcalc run --source shout.cu --grid 2 --block 3 --arg i32x32:ramp --on emulator --device 9.0 \
    >out 2>&1
code=$?
empty "printf prints in the order of blocks and threads, safely, before the report" "$(
    [ "$code" -eq 0 ] || echo "exit status $code"
    for of_block in 0 1; do
        for thread in 0 1 2; do
            echo "block $of_block, thread $thread: $thread ?[31m"
        done
    done >wanted
    printf '\nno findings\n' >>wanted
    head -8 out | diff wanted -)"
empty "JSON has what printf printed" "$(
    smemcalc run --source shout.cu --grid 1 --block 2 --arg i32x32:ramp --on emulator \
        --device 9.0 --format json | jq -j .printed >printed
    head -2 wanted | diff - printed)"
smemcalc run --source clean.cu --grid 4 --block 256 -a i32x1000:ramp -a i32:1000 --on emulator \
    --device 9.0 --format json >out
empty "JSON has null for a kernel without printf" "$(jq .printed out | grep -vx null)"
cat >check.cu <<'END'
#include <cassert>
extern "C" __global__ void check(const int *x)
{
    assert(x[threadIdx.x] < 30);
}
END
shows 1 "check.cu:4: an assertion failed; block (0,0,0), thread (30,0,0); x[threadIdx.x] < 30 in void check(const int *) at check.cu:4; 2 times" \
    check.cu --grid 100 --block 32 -a i32x32:ramp
cat >leak.cu <<'END'
extern "C" __global__ void leak(int *out)
{
    int *first = new int(3), *second = new int(4);
    out[threadIdx.x] = *first + *second;
    delete first;
    if (threadIdx.x == 5)
        out[0] = *first;
}
END
shows 1 "leak.cu:7: memory that was freed is accessed; block (0,0,0), thread (5,0,0); 4 bytes at memory of malloc + 0" \
    leak.cu --grid 1 --block 32 -a i32x32
cat >outside.cu <<'END'
extern "C" __device__ int outside(int);
extern "C" __global__ void call(int *x) { x[0] = outside(5); }
END
smemcalc run --source outside.cu --grid 1 --block 32 --arg i32x32 --on emulator --device 9.0 \
    --compiler-options -rdc=true >out 2>&1
code=$?
empty "a function of another module is named" "$(
    [ "$code" -eq 3 ] || echo "exit status $code"
    grep -q "outside.*neither in this module nor in the emulator's library" out || cat out)"
smemcalc run --tile 16 --size 2000000 --on emulator --device 9.0 >out 2>&1
code=$?
empty "arrays beyond the machine's memory are refused" "$(
    [ "$code" -eq 4 ] || echo "exit status $code"
    grep -q '^smemcalc: --on emulator: the arrays take [0-9]* MB, too much of' out || cat out)"
cp clean.cu kept.cu
run_refuses "option --dump: '1:kept.cu' would overwrite a file that the run reads" \
    --source kept.cu --grid 1 --block 32 --arg f32x32 --dump 1:kept.cu
run_refuses "option --compiler-options: '-arch=sm_80' is not the architecture of the device: use --device instead" --source clean.cu \
    --grid 1 --block 32 --arg f32x32 --compiler-options "-DA -arch=sm_80"
run_refuses "option --grid: needed to launch the kernel: the number of blocks, or their shape such as 32x8" --source clean.cu --block 1
run_refuses "missing.cu: No such file or directory" --source missing.cu --block 1
run_refuses "options --grid and --block: needed to launch the kernel: the blocks and the threads of each, such as --grid 64 --block 256 or --grid 8x8 --block 32x8" clean.cu
run_refuses "option --block: needed to launch the kernel: the number of threads, or their shape such as 32x8" --source clean.cu --grid 1
for wrong in 0 -1 4x4x4x4 1e3 2147483648 ''; do
    run_refuses "option --grid: '$wrong' is not a shape such as 256, 32x8 or 8x8x4, with 1 to 2147483647 blocks in each dimension" \
        --source clean.cu --grid "$wrong" --block 1
done
run_refuses "option --block: '1025' is not a shape such as 256, 32x8 or 8x8x4, with 1 to 1024 threads in each dimension" \
    --source clean.cu --grid 1 --block 1025
run_refuses "twice of clean.cu cannot launch: a block of 4096 threads; this device allows 1024" \
    --source clean.cu --grid 1 --block 64x64 -a i32x1 -a i32:1
run_refuses "twice of clean.cu cannot launch: a block of 65 threads in z; this device allows 64" --source clean.cu --grid 1 \
    --block 1x1x65 -a i32x1 -a i32:1
run_refuses "option --block: 65 threads are more than the 64 of the launch bounds of small()" \
    --source small.cu --grid 1 --block 65
run_refuses "big(int*) of big.cu cannot compile: 80000 bytes (0x13880) of static shared memory; the limit is 49152 (0xc000)" \
    --source big.cu --grid 1 --block 1 -a i32x1
run_refuses "twice of clean.cu cannot launch: a grid of 65536 blocks in y; this device allows 65535" \
    --source clean.cu --grid 1x65536 --block 1 -a i32x1 -a i32:1
run_refuses "twice of clean.cu cannot launch: 1048576 bytes of shared memory; this device gives a block 232448" \
    $launch -a i32x1 -a i32:1 --dynamic-smem 1M

kernels="space::add(double*, double, long long, unsigned char), void fill<float>(float*), void fill<int>(int*)"
run_refuses "option --entry: needed to choose a kernel of many.cu: $kernels" --source many.cu \
    --grid 1 --block 1
run_refuses "option --entry: 'fill' is more than one kernel of many.cu: void fill<float>(float*), void fill<int>(int*)" \
    --source many.cu --grid 1 --block 1 --entry fill
run_refuses "option --entry: 'kérnel' is no kernel of clean.cu, which has twice" $launch --entry kérnel

declared=$(sed -n 's/.*twice(\(.*\)).*/\1/p' clean.cu)
some="-a i32x1024:random:0:1023 -a i32:1024"
run_refuses "option --arg: 0 given, but twice has 2 parameters: $declared; such as $some" $launch
run_refuses "option --arg: 3 given, but twice has 2 parameters: $declared; such as $some" $launch -a i32x1 -a i32:1 \
    -a i32:1
run_refuses "option --arg: 'f32:1' does not fit parameter 2 of twice, '${declared#*, }': write -a i32:1024" \
    $launch -a i32x1 -a f32:1
run_refuses "option --arg: 'i32x5' does not fit parameter 2 of twice, '${declared#*, }': write -a i32:1024" \
    $launch -a i32x1 -a i32x5
run_refuses "option --arg: '1.5' does not fit parameter 2 of twice, '${declared#*, }': write a whole number from -2147483648 to 2147483647" \
    $launch -a i32x1 -a 1.5
run_refuses "option --arg: 'i32:5' does not fit parameter 1 of twice, '${declared%%, *}': write -a i32x1024:random:0:1023" \
    $launch -a i32:5 -a i32:5
run_refuses "option --arg: 'i32:1' does not fit parameter 1 of k(three, int*), 'three s', a structure of 12 bytes: write -a '{3*u32:0}', or its members with their values, or struct:FILE" \
    --source struct.cu --grid 1 --block 1 -a i32:1 -a i32x1
run_refuses "option --arg: '{1, 2}', of 8 bytes, does not fit parameter 1 of k(three, int*), 'three s', a structure of 12 bytes: write -a '{3*u32:0}', or its members with their values, or struct:FILE" \
    --source struct.cu --grid 1 --block 1 -a '{1, 2}' -a i32x1
echo '__constant__ int table[4]; __global__ void k() { if (table[threadIdx.x]) __trap(); }' >table.cu
cat >names.cu <<'END'
#include <cuda_bf16.h>
#include <cuda_fp16.h>
typedef float real;
struct pair { double x; int n; };
template <class T> __global__ void scale(const T *in, T *__restrict__ out, T by = T(1))
{
    out[threadIdx.x] = in[threadIdx.x] * by;
}
template __global__ void scale<__half>(const __half *, __half *, __half);
template __global__ void scale<__nv_bfloat16>(const __nv_bfloat16 *, __nv_bfloat16 *,
                                              __nv_bfloat16);
__global__ void
many(pair p, float4 v, float4 *w, float **pp, cudaTextureObject_t tex, size_t n, // a comment
     bool flag = true)
{
    w[threadIdx.x] = v;
    w[0].x = p.x + p.n + pp[0][1] + n + flag + tex2D<float>(tex, 0, 0);
}
__global__ void longs(real r, unsigned long long n, short s, real *out)
{
    out[threadIdx.x] = r + n + s;
}
END
run_refuses "option --arg: 0 given, but void scale<__half>(__half const*, __half*, __half) has 3 parameters: const T *in (__half const*), T *__restrict__ out (__half*), T by (__half); such as -a f16x1024:random -a f16x1024:random -a f16:1.5" \
    --source names.cu --entry 'scale<__half>' --grid 1 --block 32
run_refuses "option --arg: '1.5' does not fit parameter 2 of longs(float, unsigned long long, short, float*), 'unsigned long long n': write a whole number from 0 to 18446744073709551615" \
    --source names.cu --entry longs --grid 1 --block 32 -a 1 -a 1.5 -a 1 -a 1
smemcalc run --source names.cu --entry many --grid 1 --block 32 --on emulator --device 9.0 >out 2>err
examples=$(sed -n 's/.*; such as //p' err)
empty "the arguments that a message proposes are accepted" "$(
    [ -n "$examples" ] || cat err
    eval "smemcalc run --source names.cu --entry many --grid 1 --block 32 --on emulator \
        --device 9.0 $examples" >out 2>&1 || { echo "$examples" && cat out; })"
for typed in 'float*' 'const float *' 'float []' 'float4 *'; do
    elements=1024
    [ "$typed" != 'float4 *' ] || elements=4096
    run_refuses "option --arg: '$typed': memory is written with its number of elements, f32x$elements:random or float[$elements]" \
        $launch -a "$typed" -a 1
done
run_refuses "option --arg: 'float**': an array of pointers is written [f32x1024, f32x1024]" \
    $launch -a 'float**' -a 1
run_refuses "option --arg: 'int 5': a number is written i32:1024, memory i32x1024:random:0:1023" \
    $launch -a 'int 5' -a 1
run_refuses "option --arg: 'i32x4:random:5:4': '5:4' is not a range FIRST:LAST for random, such as 0:100, each a whole number from -2147483648 to 2147483647" \
    $launch -a i32x4:random:5:4 -a 1
run_refuses "option --threads: the same as --block; give one" $launch --threads 256
run_refuses "option --threads: run has it only for your own source: smemcalc run FILE --threads 32 ..." \
    --threads 32
run_refuses "option --arg: 'struct:in.bin': in.bin has fewer than 12 bytes" \
    --source struct.cu --grid 1 --block 1 -a struct:in.bin -a i32x1
run_refuses "option --arg: '@1': argument 1 has no memory" $launch -a @1 -a i32:1
run_refuses "option --arg: 'i32x5:file:nothing': nothing: No such file or directory" $launch \
    -a i32x5:file:nothing -a i32:1
run_refuses "option --arg: 'i32x5:file:in.bin': in.bin has fewer than 20 bytes" $launch \
    -a i32x5:file:in.bin -a i32:1
run_refuses "option --arg: 'i32x1:file:in.bin': in.bin has more than 4 bytes" $launch \
    -a i32x1:file:in.bin -a i32:1
for missing in "-a i32x5:file:nothing -a 1" "-a [i32x5:file:nothing] -a 1"; do
    refuses 2 "option --arg: 'i32x5:file:nothing': nothing: No such file or directory" \
        run --device H200 $launch --dry-run $missing
done
refuses 2 "option --arg: 'i32x5:file:.': .: Is a directory" run --device H200 $launch --dry-run \
    -a i32x5:file:. -a 1
refuses 2 "option --arg: 'i32x5:file:in.bin': in.bin has fewer than 20 bytes" run --device H200 \
    $launch --dry-run -a i32x5:file:in.bin -a i32:1
refuses 2 "option --arg: 'struct:nothing': nothing: No such file or directory" run --device H200 \
    --source struct.cu --grid 1 --block 1 --dry-run -a struct:nothing -a i32x1
refuses 2 "option --set: 'i32x4:file:nothing': nothing: No such file or directory" run \
    --device H200 --source table.cu --grid 1 --block 1 --dry-run --set table=i32x4:file:nothing
run_refuses "option --arg: 4194304 MB of memory are more than the 143156 MB of NVIDIA H200" $launch \
    -a i32x1024G -a i32:1
run_refuses "option --expect: '2=x': argument 2 is not an array" $launch -a i32x1 -a i32:1 --expect 2=x
run_refuses "option --expect: '1:x' is not of the form N=FILE or N=REFERENCE, such as 1=right.bin or 3=matmul" $launch -a i32x1 \
    -a i32:1 --expect 1:x
# Without a GPU the user's own faults come before the missing GPU.
if [ -x "$fake" ]; then
    no_gpu() { # STATUS MESSAGE ARGUMENT...
        wanted=$1 message=$2
        shift 2
        FAKE_GPU=none "$fake" run "$@" >out 2>err
        status=$?
        empty "without a GPU: $*" "$(
            [ "$status" -eq "$wanted" ] || echo "exit status $status, not $wanted"
            echo "smemcalc: $message" | diff - err)"
    }
    none='run: no GPU: the NVIDIA driver finds none on this machine; --on emulator needs none'
    no_gpu 3 "$none" clean.cu --grid 1 --block 32 -a i32x32 -a 32
    no_gpu 2 "option --entry: 'twi' is no kernel of clean.cu, which has twice" clean.cu:twi --grid 1 --block 32 -a i32x32 -a 32
    no_gpu 2 "option --arg: '1.5' does not fit parameter 2 of twice, 'int n': write a whole number from -2147483648 to 2147483647" clean.cu --grid 1 --block 32 \
        -a i32x32 -a 1.5
    no_gpu 2 'broken.cu:3: error: expected a ";" (compiled for NVIDIA H200, as there is no GPU here)' broken.cu --grid 1 --block 1
    no_gpu 2 "option --arg: 'i32x5:file:nothing': nothing: No such file or directory" clean.cu --grid 1 --block 32 \
        -a i32x5:file:nothing -a 5
    no_gpu 2 'broken.cu:3: error: expected a ";" (compiled for NVIDIA H200, as there is no GPU here)' clean.cu \
        --compare broken.cu --grid 1 --block 32 -a i32x32 -a 32
    no_gpu 2 "option --kernel: unknown kernel 'nosuch'; 'smemcalc kernels' lists them" --kernel nosuch --compare
fi
run_refuses "option --dump: '2:x': argument 2 is not memory" $launch -a i32x1 -a i32:1 --dump 2:x
run_refuses "option --dump: '1' is not of the form N:FILE or NAME:FILE, such as 1:out.bin" $launch -a i32x1 \
    -a i32:1 --dump 1
for option in "--tile 8" "--kernel matmul-tiled" "--regs 8" "--size 8" "--kernel-dir ."; do
    name=${option%% *}
    hint=
    [ "$name" != --kernel ] || hint='; --entry NAME chooses a kernel of the source'
    run_refuses "option $name: only with kernels of the catalog, not with your own source$hint" $launch $option
done

# --- Machine code ---------------------------------------------------------------------------------

cp "$here/data/inspect/lines-sm90.cubin" "$here/data/inspect/lines.fatbin" "$here/data/inspect/own-sm90.cubin" \
    "$here/data/inspect/variables-sm90.cubin" .
code="--grid 1 --block 64 -a f32x64:ramp"
for file in lines-sm90.cubin lines.fatbin; do
    smemcalc run $file:first $code --dry-run --device H200 --format json >out 2>err
    holds "the time of machine code is predicted: $file" '.time.predicted_ms > 0 and .kernel.registers_per_thread > 0 and
        .time.code == "sm_90 machine code"' out
done
shows 0 "0, 2, 4, 6, 8, 10, ...; 63 changed" lines.fatbin --entry first $code
run_refuses "lines-sm90.cubin: machine code without PTX, which the emulator does not execute: --dry-run predicts its time, --on gpu launches it" \
    lines-sm90.cubin:first $code
run_code() { # MESSAGE FILE ARGUMENT...
    message=$1
    shift
    refuses 2 "$message" run "$@" --grid 4 --block 64 --dry-run --device H200
}
run_code "option --entry: needed to choose a kernel of lines-sm90.cubin: second, first" lines-sm90.cubin -a f32x256
run_code "option --arg: 0 given, but first has 1 parameter: 8 bytes; such as -a f32x1024:random" lines-sm90.cubin:first
run_code "option --arg: 'i32:1' does not fit parameter 1 of first, '8 bytes': write -a f32x1024:random" \
    lines-sm90.cubin:first -a i32:1
run_code "option --arg: '5' has no type, and machine code does not have that of parameter 2 of spilling, of 4 bytes: write i32:5 or f32:5" \
    own-sm90.cubin:spilling -a f32x99999 -a 5
for count in 4 4000; do
    smemcalc run variables-sm90.cubin $code --set count=i32:$count --set weights=f32x32:ramp --dry-run --device H200 \
        --format json >"$count" 2>err
done
jq -s '{few: .[0].time.predicted_ms, many: .[1].time.predicted_ms}' 4 4000 >out 2>err
holds "a variable of machine code is set" '.many > 5 * .few' out
run_code "option --set: 'sum' is no __device__ or __constant__ variable that the compiler kept; it has weights, count" \
    variables-sm90.cubin -a f32x64 --set sum=1
run_code "option --set: 'count=5' has no type, and that of count, of 4 bytes, is not known: write i32:5 or f32:5" \
    variables-sm90.cubin -a f32x64 --set count=5
run_code "option --set: 'count=f64:1': the value has 8 bytes, but count 4" variables-sm90.cubin -a f32x64 --set count=f64:1
run_code "option --set: 'a': the compiler kept no __device__ or __constant__ variable" lines-sm90.cubin:first -a f32x256 --set a=1
run_code "standard input: machine code is read from a file alone" - <lines-sm90.cubin
refuses 2 "lines.fatbin: its machine code of first is for sm_90, which compute capability 8.0 does not load" \
    run lines.fatbin:first $code --dry-run --device A100-SXM4-40GB
if [ -x "$fake" ]; then
    FAKE_GPU=none "$fake" run lines-sm90.cubin:first $code >out 2>err
    status=$?
    empty "without a GPU: machine code" "$([ $status -eq 3 ] || echo "exit status $status"
        echo "smemcalc: $none, but executes PTX, which this file lacks; --dry-run predicts its time" | diff - err)"
    FAKE_GPU=well "$fake" run lines-sm90.cubin:first $code --no-counters --format json >out 2>err
    holds "machine code is launched on a GPU" '.run.median_ms > 0' out
fi
for option in "--entry k" "--arg i32:1" "--dump 1:x" "--grid 4" "--compiler-options -DN"; do
    name=${option%% *}
    run_refuses "option $name: only with your own source: smemcalc run FILE $name ..." --tile 8 $option
done
refuses 2 "option --source: not for the command query, only for run, tune" --tile 8 --source x.cu

# --- What the compiler warns of -----------------------------------------------------------------

printf '__global__ void idle(int *x)\n{\n    int unused;\n    x[0] = 1;\n}\n' >warned.cu
smemcalc run --source warned.cu --grid 1 --block 32 -a i32x1 --on emulator --device 9.0 >out 2>err
empty "a compiler's warning is told with its line" "$(
    { grep -q '^smemcalc: warning: warned.cu:3: .*"unused" was declared but never referenced$' err &&
        [ "$(wc -l <err)" -eq 1 ]; } || cat err)"
smemcalc run --source - --grid 1 --block 32 -a i32x1 --on emulator --device 9.0 <warned.cu >out 2>err
empty "a compiler's warning of standard input is told with its line" "$(grep -q '^smemcalc: warning: standard input:3: ' err || cat err)"
empty "a compiler's warning is not told where the source silences it" "$(
    smemcalc run --source warned.cu --grid 1 --block 32 -a i32x1 --on emulator --device 9.0 \
        --compiler-options -w 2>&1 >out)"

cat >add.cu <<'END'
extern "C" __global__ void add(float *sum, const float *values, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        atomicAdd(sum, values[i]);
}
END
smemcalc run --source add.cu --grid 4 --block 256 -a f32x1 -a f32x1000:random -a i32:1000 \
    --on emulator --device 9.0 >out 2>err
empty "the emulator alone says that a sum depends on the order of its threads" "$(
    { grep -q '^atomic float additions .* 1000  information$' out &&
        grep -q 'their sums depend on the order in which the threads add' out; } || cat out err)"

# --- Structures, arrays of pointers, addresses -----------------------------------------------------

cat >nested.cu <<'END'
struct pair { char c; double d; };
struct whole { int n; float a; const float *p; pair v[2]; short s; };
struct table { float x[8000]; };
extern "C" __global__ void nested(float *out, whole s, float **rows, const float *middle, table t)
{
    int i = threadIdx.x;
    if (i < s.n)
        out[i] = s.a * s.p[i] + s.v[1].d + s.v[0].c + s.s + rows[1][i] + middle[i] + t.x[i * 249];
    rows[0][i] = middle[i] - rows[2][i];
}
END
cat >textures.cu <<'END'
struct images { cudaTextureObject_t image; int width; };
extern "C" __global__ void sample(float *out, images in, cudaTextureObject_t bytes,
                                  cudaSurfaceObject_t target)
{
    int x = threadIdx.x, y = blockIdx.x;
    float value = tex2D<float>(in.image, x + 0.5f, y + 1.0f) + tex1Dfetch<uchar4>(bytes, x).z;
    out[y * in.width + x] = value;
    surf2Dwrite(2 * value, target, x * 4, y);
}
END
# Between two rows, 8 apart, of which the second is 8 higher; the third of four channels.
smemcalc run --source textures.cu --grid 2 --block 8 -a f32x16 -a '{tex.linear:f32x8x3:ramp, 8}' \
    -a tex.v4:u8x8:ramp -a surf:f32x8x2 --on emulator --device 9.0 --dump 1:out.bin \
    --dump 4:surface.bin >out 2>err
empty "textures and surfaces reach the kernel" "$(
    python3 - 2>&1 <<'END' || cat out err
import struct
got = struct.unpack("<16f", open("out.bin", "rb").read())
target = struct.unpack("<16f", open("surface.bin", "rb").read())
wanted = tuple(8 * y + x + 4 + 4 * x + 2 for y in range(2) for x in range(8))
if got != wanted or target != tuple(2 * w for w in wanted):
    print("not", wanted, "but", got, target)
END
)"
run_refuses "option --arg: 'tex.wrap:f32x8': wrap and mirror need normalized" \
    --source textures.cu --grid 2 --block 8 -a tex.wrap:f32x8

cat >box.cu <<'END'
struct __align__(64) CUtensorMap { unsigned long long opaque[16]; };
extern "C" __global__ void box(const __grid_constant__ CUtensorMap map, float *out, int times)
{
    __shared__ __align__(128) float tile[8 * 8];
    __shared__ unsigned long long barrier;
    unsigned to = (unsigned)__cvta_generic_to_shared(tile), at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" : : "r"(at));
    __syncthreads();
    for (int i = 0; i < times; i++) {
        if (threadIdx.x == 0)
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], 256;\n"
                         "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%2, {4, 2}], [%1];"
                         : : "r"(to), "r"(at), "l"(&map) : "memory");
        asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again;\n}"
                     : : "r"(at), "r"(i & 1) : "memory");
        __syncthreads();
    }
    out[threadIdx.x] = tile[threadIdx.x];
}
END
# The box of 8 x 8 at (4, 2) of a ramp whose rows are so many elements apart.
box_is_copied() { # NAME ROW ARGUMENT...
    name=$1 row=$2
    shift 2
    smemcalc run --grid 1 --block 64 "$@" --on emulator --device 9.0 --dump 2:out.bin >out 2>err
    empty "$name" "$(
        python3 - "$row" 2>&1 <<'END' || cat out err
import struct
import sys
got = struct.unpack("<64f", open("out.bin", "rb").read())
wanted = tuple(int(sys.argv[1]) * (2 + y) + 4 + x for y in range(8) for x in range(8))
if got != wanted:
    print("not", wanted, "but", got)
END
    )"
}
box_is_copied "a tensor map reaches the kernel" 16 --source box.cu -a tmap:f32x16x12:ramp:box=8x8 -a f32x64 -a i32:3
cat >maps.cu <<'END'
struct alignas(64) CUtensorMap { unsigned long long opaque[16]; };
struct tile { int x; CUtensorMap map; int y; };
static __device__ void copy(const CUtensorMap *map, float *out, int x, int y)
{
    __shared__ __align__(128) float tile[8 * 8];
    __shared__ unsigned long long barrier;
    unsigned to = (unsigned)__cvta_generic_to_shared(tile), at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" : : "r"(at));
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], 256;\n"
                     "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%2, {%3, %4}], [%1];"
                     : : "r"(to), "r"(at), "l"(map), "r"(x), "r"(y) : "memory");
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra again;\n}"
                 : : "r"(at) : "memory");
    out[threadIdx.x] = tile[threadIdx.x];
}
extern "C" __global__ void member(const __grid_constant__ tile tile, float *out)
{
    copy(&tile.map, out, tile.x, tile.y);
}
extern "C" __global__ void pointer(const CUtensorMap *maps, float *out)
{
    copy(&maps[1], out, 4, 2);
}
END
for map in 'member {4, tmap:f32x16x12:ramp:box=8x8:stride=128, 2}' \
    'pointer [2*tmap:f32x16x12:ramp:box=8x8:stride=128]'; do
    box_is_copied "a tensor map with gaps between its rows reaches the kernel: ${map%% *}" 32 \
        --source maps.cu --entry "${map%% *}" -a "${map#* }" -a f32x64
done
run_refuses "option --arg: 'i32:5' does not fit parameter 1 of pointer, 'const CUtensorMap *maps': write -a '[tmap:f16x4096x4096:box=64x64:swizzle=128:random]'" \
    --source maps.cu --entry pointer --grid 1 --block 64 -a i32:5 -a f32x64
run_refuses "option --arg: 'i32:5' does not fit parameter 1 of member, 'const __grid_constant__ tile tile', a structure of 256 bytes: write -a '{32*u64:0}', or its members with their values, or struct:FILE; a CUtensorMap is tmap:f16x64x64:box=64x64" \
    --source maps.cu --entry member --grid 1 --block 64 -a i32:5 -a f32x64
run_refuses "option --arg: 'tmap:f32x16x12': a tensor map needs the box of a copy, as in tmap:f16x4096x4096:box=64x64:swizzle=128" \
    --source box.cu --grid 1 --block 64 -a tmap:f32x16x12 -a f32x64 -a i32:3
run_refuses "option --arg: 'f32x192' does not fit parameter 1 of box, 'const __grid_constant__ CUtensorMap map': write -a tmap:f16x4096x4096:box=64x64:swizzle=128:random" \
    --source box.cu --grid 1 --block 64 -a f32x192 -a f32x64 -a i32:3
# Each copy takes as long, and the parameters behind the map are found.
for times in 1000 3000; do
    smemcalc run --source box.cu --grid 1 --block 64 -a tmap:f32x16x12:ramp:box=8x8 -a f32x64 -a "i32:$times" \
        --dry-run --device H200 --format json >"copies$times.json" 2>err
done
empty "copies by a tensor map have a predicted time" "$(
    jq -e -n --slurpfile few copies1000.json --slurpfile many copies3000.json \
        '($many[0].time.predicted_ms - $few[0].time.predicted_ms) / 2000 * 1.98e6 | . > 250 and . < 800' \
        >held 2>&1 || cat copies1000.json copies3000.json held err)"

# An SM holds 8 blocks of clusters, where 32 of these fit otherwise: too few warps for the latency.
cat >chain.cu <<'END'
extern "C" __global__ void __launch_bounds__(64) chain(const float *in, float *out, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < n; k++)
        x = x * 1.0001f + 0.5f;
    out[i] = x;
}
END
for size in 1 4; do
    smemcalc run --source chain.cu --grid 8192 --block 64 -a f32x524288 -a f32x524288 -a i32:2000 --cluster $size \
        --dry-run --device H200 --format json >"cluster$size.json" 2>err
done
empty "the predicted time counts the blocks of clusters that an SM holds" "$(
    jq -e -n --slurpfile one cluster1.json --slurpfile four cluster4.json \
        '$four[0].time.predicted_ms / $one[0].time.predicted_ms | . > 1.05 and . < 2' \
        >held 2>&1 || cat cluster1.json cluster4.json held err)"

# t.x[i] = i, as 32-bit floats.
python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<8000f", *range(8000)))' >table.bin
pass_structures() { # ARGUMENT...
    smemcalc run --source nested.cu --grid 1 --block 32 -a f32x32 \
        -a '{32, 2.0f, f32x64:ramp, {i8:3, 0.5}, {i8:4, 0.25}, i16:100}' \
        -a '[f32x32, f32x32:1000, @2.1-0]' -a '@2.1+8' -a struct:table.bin \
        --on emulator --device 9.0 --dump 1:out.bin "$@" >out 2>err
}
pass_structures
empty "structures, arrays of pointers and addresses reach the kernel" "$(
    python3 - 2>&1 <<'END' || cat out err
import struct
got = struct.unpack("<32f", open("out.bin", "rb").read())
wanted = tuple(2 * i + 0.25 + 3 + 100 + 1000 + (i + 8) + 249 * i for i in range(32))
if got != wanted:
    print("not", wanted, "but", got)
END
)"
pass_structures --dump 3.2:row.bin
empty "a piece of a structure's memory is written to a file" "$(
    row=$(python3 -c 'import struct; print(set(struct.unpack("<32f", open("row.bin", "rb").read())))')
    [ "$row" = '{8.0}' ] || echo "$row")"
if command -v jq >/dev/null; then
    pass_structures --format json
    holds "each piece of a structure's memory has a name" \
        '[.memory[].name] == ["arg 1", "arg 2.1", "arg 3", "arg 3.2", "arg 3.3"] and
            .memory[2].emulated.changed == 0 and .findings == []' out
fi

cat >pointed.cu <<'END'
extern "C" __global__ void pointed(const int *const *rows, int *out)
{
    out[threadIdx.x] = rows[threadIdx.x][0] * rows[threadIdx.x][1];
}
END
smemcalc run --source pointed.cu --grid 1 --block 2 -a '[[i32:2, i32:5], [2*i32:3]]' -a i32x2 \
    --on emulator --device 9.0 --dump 2:out.bin >out 2>err
empty "memory with members may be a member itself" "$(
    [ "$(od -An -td4 out.bin | tr -s ' ')" = ' 10 9' ] || cat out err)"

# --- Variables that the host fills ------------------------------------------------------------------

cat >variables.cu <<'END'
struct config { int n; float scale; };
namespace ns {
__constant__ float table[4] = {1, 2, 3, 4};
__device__ int counter = 5;
}
__constant__ config limits;
__device__ float *hidden;
static __device__ double total[8];
extern "C" __global__ void use(float *out)
{
    int i = threadIdx.x;
    if (i >= limits.n)
        return;
    out[i] = ns::table[i & 3] * limits.scale + hidden[i];
    atomicAdd(&ns::counter, 1);
    if (i < 8)
        total[i] += i;
}
END
variables="--source variables.cu --grid 1 --block 32 -a f32x32"
smemcalc run $variables --on emulator --device 9.0 --set 'limits={30, 0.5f}' \
    --set 'hidden={f32x32:ramp}' --set ns::table=f32x4:10 --dump 1:out.bin --dump counter:counter.bin \
    --dump total:total.bin --dump table:table.bin >out 2>err
empty "variables are set before the launch and read after it" "$(
    python3 - 2>&1 <<'END' || cat out err
import struct
def read(name, form):
    return struct.unpack(form, open(name + ".bin", "rb").read())
wanted = {"out": ("<32f", tuple(i + 5 if i < 30 else 0 for i in range(32))), "counter": ("<i", (35,)),
          "total": ("<8d", tuple(range(8))), "table": ("<4f", (10,) * 4)}
for name, (form, values) in wanted.items():
    if read(name, form) != values:
        print(name, read(name, form))
END
)"
smemcalc run $variables --on emulator --device 9.0 --set 'limits={32, 1.0f}' --set hidden=@1 \
    --set table:table.bin --dump 1:out.bin >out 2>err
empty "variables are set from a file, and to an address in an argument's memory" "$(
    python3 -c 'import struct; assert struct.unpack("<32f", open("out.bin", "rb").read()) == (10,) * 32' \
        2>&1 || cat out err)"
run_refuses "option --set: 'limits={1}': the value has 4 bytes, but limits 8" $variables --set 'limits={1}'
run_refuses "option --set: 'counter=1.5' does not fit counter: write a whole number from -2147483648 to 2147483647 \
or a whole number from 0 to 4294967295" $variables --set counter=1.5
run_refuses "option --set: '1e400' is not a number of type f64, from -1.79769e+308 to 1.79769e+308" \
    $variables --set total=1e400
run_refuses "option --set: '18446744073709551616' is not a whole number from 0 to 18446744073709551615" \
    $variables --set counter=18446744073709551616
printf '__constant__ unsigned short limit;\n__constant__ float scale;
__global__ void narrow(float *a, float by) { *a = *a * by * scale + limit; }\n' >narrow.cu
narrow="--source narrow.cu --grid 1 --block 1 -a f32x1 --dry-run --device H200"
refuses 2 "option --set: 'limit=65536' does not fit limit: write a whole number from -32768 to 32767 or a whole \
number from 0 to 65535" run $narrow -a 1 --set limit=65536
f32="a number of type f32, from -3.40282e+38 to 3.40282e+38"
refuses 2 "option --set: 'scale=1e60' does not fit scale: write $f32" run $narrow -a 1 --set scale=1e60
refuses 2 "option --arg: '1e60' does not fit parameter 2 of narrow(float*, float), 'float by': write $f32" \
    run $narrow -a 1e60
run_refuses "option --set: 'table:in.bin': in.bin has fewer than 16 bytes" $variables --set table:in.bin
run_refuses "option --set: 'none' is no __device__ or __constant__ variable that the compiler kept; it has limits, hidden, total, _ZN2ns5tableE, _ZN2ns7counterE" \
    $variables --set none=1
run_refuses "option --dump: 'none' is no __device__ or __constant__ variable that the compiler kept; it has limits, hidden, total, _ZN2ns5tableE, _ZN2ns7counterE" \
    $variables --dump none:out.bin
run_refuses "option --set: 'x' is not of the form NAME=VALUE, such as scale=f32:1.5 or table=f32x64:random, or NAME:FILE" \
    $variables --set x
run_refuses "option --set: 'counter' is set twice" $variables --set counter=1 --set counter=2
run_refuses "option --set: 'ns::counter' is set twice" $variables --set counter=1 --set ns::counter=2
run_refuses "option --dump: 'table:table.bin' would overwrite a file that the run reads" \
    $variables --set table:table.bin --dump table:table.bin
if [ -x "$fake" ]; then
    FAKE_GPU=well "$fake" run $variables --on gpu --set counter=77 --dump counter:counter.bin >out 2>err
    empty "variables are set before a launch on a GPU and read after it" "$(
        python3 -c 'import struct; assert struct.unpack("<i", open("counter.bin", "rb").read()) == (77,)' \
            2>&1 || cat out err)"
fi

cat >annotated.cu <<'END'
extern "C" __global__ void twice(int *x)
{
    x[threadIdx.x] *= 2;
}
END
empty "--annotate counts by line" "$(
    smemcalc run --source annotated.cu --block 64 --grid 1 --arg i32x64:ramp --on emulator \
        --device 9.0 --annotate --format json >annotated.json
    jq -r '.lines[] | select(.line == 3) | "\(.global_requests)\(.source)"' annotated.json >out
    echo '4    x[threadIdx.x] *= 2;' | diff - out)"

# --- Two kernels compared -------------------------------------------------------------------------

sed 's/values\[i\] \*= 2/values[i] += values[i] + (i == 7)/' clean.cu >other.cu
pair="--grid 4 --block 256 -a i32x1000:ramp -a i32:1000"
smemcalc run clean.cu --compare other.cu:twice $pair --on emulator --device H200 >out 2>err
empty "two kernels are compared on the emulator: times, counts and results" "$(
    sed -n 1,2p out | tr '\n' ' ' | grep -Eq '(no difference|the (first|second) kernel).* predicted' || cat out err
    grep -Eq '^warp_instructions|^instructions of warps +[0-9]+ +[0-9]+$' out || cat out
    grep -q '^arg 1 *1 of 1000 elements differ, from element 7 on$' out || cat out)"
smemcalc run clean.cu --compare clean.cu $pair --dry-run --device H200 --format json >out 2>err
holds "a kernel compared with itself is as fast, and nothing was run" \
    '.comparison == {speed_up: 1, measured: false, exceeds_noise: null, results: null} and
    (.kernels | length) == 2' out
smemcalc run clean.cu --compare clean.cu $pair --dry-run --device H200 >out 2>err
empty "equal times are no difference" "$(
    sed -n 1,2p out | tr '\n' ' ' | grep -q '^no difference: .* predicted' || cat out err)"
smemcalc run clean.cu --compare clean.cu $pair --dry-run --device H200 --format csv >out 2>err
empty "CSV of two kernels has a column for each" "$(
    head -n 1 out | grep -vx quantity,unit,first,second
    grep -Eqx 'registers_per_thread,,([0-9]+),\1' out || cat out)"
run_refuses "'other.cu': a second FILE only with --compare" clean.cu other.cu $pair
run_refuses "option --compare: name the other kernel, FILE or FILE:KERNEL, such as run clean.cu --compare \
other.cu" clean.cu --compare $pair
run_refuses "option --entry: 'none' is no kernel of other.cu, which has twice" clean.cu --compare other.cu:none \
    $pair
run_refuses "none.cu: No such file or directory" clean.cu --compare none.cu $pair
run_refuses "option --annotate: for one run; --compare asks for two" clean.cu --compare other.cu $pair --annotate

# --- On a fake GPU --------------------------------------------------------------------------------

on_gpu() { # WORDS ARGUMENT...: FAKE_GPU, then run's arguments; prints the exit status last
    words=$1
    shift
    FAKE_GPU=$words "$fake" run $launch -a i32x1000:ramp -a i32:1000 --timeout 200 "$@" >out 2>err
    echo "exit status $?"
}

ends() { # NAME WORDS ON STATUS: FAKE_GPU, --on
    empty "$1, --on $3" "$(on_gpu "$2" --on "$3" | grep -vx "exit status $4")"
}

if [ -x "$fake" ]; then
    for on in gpu both; do
        ends "run --source without a GPU" none $on 3
        ends "run --source with a launch that is refused" refuses $on 4
        ends "run --source with a kernel that crashes" crashes $on 4
        empty "a crash is one line, --on $on" "$(grep -vc '^$' err | grep -vx 1)"
        ends "run --source with a kernel that never ends" endless $on 4
        empty "a kernel that never ends is told in its line, --on $on" "$(grep -v 'not finished after 200 ms on the GPU' err)"
    done
    on_gpu wrong --on both >/dev/null
    empty "run --source --on both compares the two results" "$(
        tr -s '\n ' ' ' <out | grep -q '1 differs on the GPU, from element 500 on' || cat out)"
    on_gpu well --on gpu >/dev/null
    empty "a launch that changes its input is timed with the same input each time" "$(
        grep -Eq '^time +[0-9.]+ ms +- +2 ms  information$' out || cat out)"
    empty "the headline has the measured time" "$(
        tr -s '\n ' ' ' <out | grep -q '^2.00 ms measured, .* predicted; only the emulator' || cat out)"
    empty "the residency of a user's kernel is measured" "$(
        grep -Eq '^blocks per SM +8 +[-8] +8  confirmed$' out || cat out)"
    FAKE_COUNTS="0 0 0 0 32 125 32 125 4000 4000"
    export FAKE_COUNTS
    on_gpu well --on both --format json >/dev/null
    unset FAKE_COUNTS
    holds "counters of a user's kernel stand beside the emulator's counts" '[.confirmation[] |
        select(.quantity == "shared_loads" or .quantity == "global_load_sectors") |
        [.emulated, .measured]] == [[0, 0], [null, 125]]' out
    FAKE_GPU=well "$fake" run clean.cu --compare other.cu $pair --timeout 200 >out 2>err
    empty "equal times on a GPU are no difference" "$(
        tr -s '\n ' ' ' <out | grep -q '^no difference beyond the noise: 2.00 ms and 2.00 ms measured' || cat out err)"
    on_gpu well --on gpu --cold >/dev/null
    empty "--cold flushes the cache before each timed launch" "$(
        tr -s '\n ' ' ' <out | grep -q ' 3 ms information median of [0-9]* launches, the L2 cache flushed' || cat out)"
    on_gpu well --on both --format json >/dev/null
    holds "JSON has the measured time" '.run | .timed_launches > 0 and .median_ms == 2 and .cold == false' out
    command -v jq >/dev/null && holds "JSON of run --source --on both has results that agree" '.memory[0] |
        .differing_from_emulated == 0 and .unlike_emulated == 0' out

    cat >paint.cu <<'END'
extern "C" __global__ void paint(cudaTextureObject_t texture, cudaSurfaceObject_t surface, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        surf2Dwrite(surf2Dread<int>(surface, i % 40 * 4, i / 40) +
                    tex2D<int>(texture, i % 40 + 0.5f, i / 40 + 0.5f), surface, i % 40 * 4, i / 40);
}
END
    FAKE_GPU="compiled well" "$fake" run paint.cu --grid 4 --block 256 -a tex:i32x40x25:ramp -a surf:i32x40x25:random \
        -a i32:1000 --on both --timeout 200 >out 2>err
    seen=$?
    empty "a texture and a surface on a GPU: the same results, the surface as it was before each timed launch" "$(
        { [ $seen -eq 0 ] && grep -Eq '^time .* 2 ms  information$' out && ! grep -q differs out; } || { echo "exit status $seen"; cat out err; })"
    FAKE_GPU=well "$fake" run paint.cu --grid 1 --block 256 -a tex:i32x131073 -a surf:i32x8x8 -a i32:8 \
        --on gpu >out 2>err
    seen=$?
    empty "a texture that the GPU refuses" "$(
        { [ $seen -eq 2 ] && grep -q "^smemcalc: option --arg: 'tex:i32x131073': cudaMalloc3DArray refuses it on this GPU$" err; } || cat out err)"

    # The fake's threads add in the opposite order.
    adds() { # FAKE_GPU ARGUMENT...
        words=$1
        shift
        FAKE_GPU="compiled $words" "$fake" run --source add.cu --grid 4 --block 256 -a f32x1 \
            -a f32x1000:random -a i32:1000 "$@" >out 2>err
        seen=$?
    }
    adds well --on both
    empty "a sum of floats depends on the order of atomics, and is no failure" "$(
        { [ $seen -eq 0 ] && grep -q "^unlike the emulator's .* depends on the order of atomics$" out &&
            tr -s '\n ' ' ' <out | grep -q '1 differs on the GPU.* all by no more than the order of atomics'; } ||
            { echo "exit status $seen"; cat out err; })"
    adds wrong --on both
    empty "a wrong sum of floats differs" "$(
        { [ $seen -eq 1 ] && grep -q "^unlike the emulator's .* differs$" out; } || cat out err)"
    if command -v jq >/dev/null; then
        adds well --on both --format json
        holds "JSON: a sum of floats that depends on the order of atomics" '.memory[0].differing_from_emulated == 1 and .memory[0].unlike_emulated == 1 and
            .memory[0].by_order_of_atomics == 1 and
            (.confirmation[] | select(.quantity == "unlike_emulated").verdict) ==
                "depends on the order of atomics"' out
        adds wrong --on both --format json
        holds "JSON: a wrong sum of floats" '.memory[0].unlike_emulated == 1 and .memory[0].by_order_of_atomics == 0' out
    fi

    # The fake's kernel doubles the values. These kernels leave something else, which depends on the
    # order of threads or not.
    competes() { # EXIT_STATUS VERDICT NAME <BODY; no status: other rows differ on the fake
        {
            echo '__global__ void twice(int *x, int n) {'
            echo 'int i = blockIdx.x * blockDim.x + threadIdx.x;'
            cat
            echo '}'
        } >competes.cu
        FAKE_GPU="compiled well" "$fake" run --source competes.cu --grid "${grid:-4}" \
            --block "${block:-256}" -a i32x1024:ramp -a i32:1024 --on both >out 2>err
        seen=$?
        empty "$3: $2" "$(
            { [ $seen -eq "${1:-$seen}" ] && grep -q "^unlike the emulator's .* $2$" out; } ||
                { echo "exit status $seen"; cat out err; })"
    }
    threads="depends on the order of threads"
    echo 'atomicCAS(&x[i % 100], i % 100, i + 5000);' | competes 0 "$threads" \
        "slots of a hash table that are taken by compare-and-swap"
    tr -s '\n ' ' ' <out >told
    empty "a result that depends on the order of threads is one of several" "$(
        grep "in another order, the emulator's result differs too: the GPU's is one of several" told |
            grep -q 'the result depends on the order of blocks and warps' || cat told)"
    echo 'if (i % 3 == 0) { int k = atomicAdd(&x[0], 1); x[1 + k] = i; if (k == 341) atomicSub(&x[0], 342); }' |
        competes 0 "$threads" "places that threads count with an atomic addition"
    echo 'if (i < 3) { int k = atomicAdd(&x[3], 1) - 3; x[(k + 1) % 3] = i; if (k == 2) atomicSub(&x[3], 3); }' |
        grid=1 block=32 competes "" "$threads" "a place that the opposite order gives the same thread"
    echo 'if (i % 3 == 0) x[1 + atomicAdd(&x[0], 1)] = i;' | competes 1 differs \
        "their count, which is the same in each order"
    tr -s '\n ' ' ' <out >told
    empty "the elements that no order of threads explains are told from the others" "$(
        grep '342 depend on the order of blocks and warps, the others do not' told |
            grep -q '342 of them depend on the order of blocks and warps, but element 0 does not' || cat told)"
    echo 'atomicExch(&x[0], i + 5000);' | grid=1024 block=1 competes "" "$threads" \
        "blocks of one thread of which the last one wins"
    echo 'atomicExch(&x[i / 256], i + 5000);' | competes 0 "$threads" \
        "warps of a block of which the last one wins"
    echo 'if (i / 32) atomicMax(&x[i / 32], atomicExch(&x[32 + i / 32], i));' |
        grid=32 block=32 competes "" "$threads" "lanes of a warp of which the last one wins"
    echo 'if (i % 2) atomicExch(&x[i / 32], 1); else atomicExch(&x[i / 32], 2);' |
        competes 0 "$threads" "the two sides of a branch of which the last one wins"
    echo 'atomicAdd(&x[i % 10], i);' | competes 1 differs \
        "a sum of integers, which is the same in each order"
    echo 'x[i] = 3 * x[i] + 1;' | competes 1 differs "a wrong result without competition"
    if command -v jq >/dev/null; then
        echo 'atomicCAS(&x[i % 100], i % 100, i + 5000);' | competes 0 "$threads" "the same again"
        FAKE_GPU="compiled well" "$fake" run --source competes.cu --grid 4 --block 256 \
            -a i32x1024:ramp -a i32:1024 --on both --format json >out 2>err
        holds "JSON: elements that depend on the order of threads" '.memory[0].by_order_of_threads == 100 and
            .memory[0].differing_from_emulated > 0 and .memory[0].by_order_of_atomics == 0' out
    fi
else
    skip "a fake GPU" "it is not built"
fi

# --- Bank conflicts -------------------------------------------------------------------------------

cat >columns.cu <<'END'
extern "C" __global__ void transpose(float *out, const float *in)
{
    __shared__ float tile[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 32 + x];
    __syncthreads();
    out[y * 32 + x] = tile[x][y];
}
END
sed 's/\[32\]\[32\]/[32][33]/' columns.cu >widened.cu
columns() { # FILE OPTION...
    file=$1
    shift
    smemcalc run --source "$file" --grid 16 --block 32x32 --arg f32x1024 \
        --arg f32x1024:random --device 9.0 --on emulator "$@"
}
columns columns.cu >out
empty "the headline names bank conflicts and their share" "$(
    head -n 1 out | grep -vx 'no errors found; 15,872 bank conflicts, 94 % of the wavefronts')"
empty "the padding that removes bank conflicts is named with its line" "$(
    { grep -q '^conflicts   tile, columns.cu:7: pad each row of 32 float by 1 float: declare it$' out &&
        grep -q '^ *tile\[32\]\[33\]; or ' out; } || cat out)"
empty "JSON has the padding that removes bank conflicts" "$(columns columns.cu --format json |
    jq -r '.conflicts | "\(.count) \(.line) \(.padding.padding_elements)"' | grep -vx '15872 7 1')"
empty "the padding that is named removes the bank conflicts" "$(
    columns widened.cu | head -n 1 | grep -vx 'no findings')"
# A line of a header is not one of the kernel's file.
cat >column.cuh <<'END'
// the second line conflicts
__device__ __forceinline__ float column(const float (*t)[32], int x, int y) { return t[x][y]; }
END
sed 's/^extern/#include "column.cuh"\n&/; s/= tile\[x\]\[y\]/= column(tile, x, y)/' columns.cu >headed.cu
empty "conflicts in a header name the header" "$(columns headed.cu |
    grep '^conflicts' | grep -v '^conflicts   tile, column.cuh:2: pad each row of 32 float by 1 float: declare it$')"
# 16-byte rows of halves: a padding in halves, and applied.
cat >halves.cu <<'END'
#include <cuda_fp16.h>
enum { ROW = 64 };
extern "C" __global__ void halves(const half *g, unsigned *o)
{
    __shared__ half t[16][ROW];
    for (int i = threadIdx.x; i < 16 * 64; i += 32) t[i / 64][i % 64] = g[i];
    __syncthreads();
    unsigned a, b, c, d, at = (unsigned)__cvta_generic_to_shared(&t[threadIdx.x % 16][threadIdx.x / 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
    o[threadIdx.x] = a ^ b ^ c ^ d;
}
END
sed 's/16\]\[ROW\]/16][ROW + 8]/' halves.cu >padded.cu
for file in halves padded; do
    smemcalc run $file.cu --grid 1 --block 32 --arg u16x1024:random --arg u32x32 --device 9.0 \
        --on emulator >$file.out 2>&1
done
if grep -q 'cuda_fp16.h' halves.out; then
    skip "advice on an array of halves" "no cuda_fp16.h"
else
    empty "advice on an array of halves speaks of halves" "$(tr -s '\n ' ' ' <halves.out |
        grep -q 'pad each row of 64 half by 8 half: declare it t\[16\]\[ROW + 8\]; or in rows' ||
        cat halves.out)"
    empty "advice on an array of halves removes the conflicts when it is followed" "$(grep -q '^no findings' padded.out ||
        cat padded.out)"
fi
smemcalc run --kernel aat-conflict --size 64 --on emulator --device H200 | tr -s '\n ' ' ' >out
empty "the advice on the catalog's array, and none on a kernel without conflicts" "$(
    grep -q '; 7,936 bank conflicts, 32 % of the wavefronts kernel' out || cat out
    grep -q 'conflicts t_tile\[x\]\[y\], aat_conflict.cu:[0-9]*: .* conflicts: aat-swizzled' out ||
        cat out)"
smemcalc --kernel matmul-a-tile --tile 16 --device 9.0 --explain >out
empty "--explain compiles with the launch bounds that gain a block" "$(
    grep -q '^launch bounds  compiled with __launch_bounds__(256, 8): 32 registers' out || cat out)"

# --- Clusters -------------------------------------------------------------------------------------

histogram="--block 256 --dynamic-smem 2K -a i32x10000:random -a i32:10000 -a i32x4096 -a i32:4096 --on emulator --device H200"
smemcalc run histogram.cu --grid 32 --cluster 8 $histogram --dump 1:values.bin --dump 3:bins.bin >out 2>err
empty "a histogram over the shared memory of a cluster" "$(
    cat err
    grep -q '^clusters on the GPU  *124  *- *not measured$' out || cat out
    grep -q '^no findings$' out || cat out
    grep -A 1 '^accesses to other blocks  *- *313 ' out | grep -q '^  their wavefronts  *- *2773 ' || cat out
    od -An -v -tu4 -w4 values.bin | awk '{ n[$1 % 4096]++ }
        END { for (i = 0; i < 4096; i++) print n[i] + 0 }' >counted
    od -An -v -tu4 -w4 bins.bin | tr -d ' ' | cmp counted -)"
refuses 2 "histogram of histogram.cu cannot launch: a grid of 30 x 1 x 1 blocks; no cluster of 8 blocks divides it" \
    run histogram.cu --grid 30 --cluster 8 $histogram
refuses 2 "option --cluster: '8' blocks are not the 4 that histogram is compiled for (__cluster_dims__)" \
    run own_cluster.cu --grid 32 --cluster 8 $histogram
empty "clusters as the kernel was compiled" "$(
    smemcalc run own_cluster.cu --grid 32 $histogram --dynamic-smem 4K 2>&1 |
        grep -q '^clusters on the GPU  *248 ' || echo "no row of clusters"
    smemcalc own_cluster.cu --threads 256 --dynamic-smem 4K --device H200 2>&1 |
        grep -q '^      clusters of 4 blocks: 248 at a time$' || echo "inspect does not name them")"

finish_cases
