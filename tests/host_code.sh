#!/bin/sh
# Sources as people write them, with host code, where no nvcc is installed: NVRTC compiles their
# device part. An nvcc of the same version counts the same registers for these files; for others
# they can differ. Run in the build folder.

# shellcheck disable=SC2181 # a status is one of several reasons
set -u
export LC_ALL=C NO_COLOR=1 SMEMCALC_PROGRAM=smemcalc
unset SMEMCALC_CACHE_DIR

here=$(cd "$(dirname "$0")" && pwd) || exit 99
program=$PWD/smemcalc

# shellcheck source=tests/cases.sh
. "$here/cases.sh"

[ -x "$program" ] || { echo "host_code.sh: no ./smemcalc here" >&2; exit 77; }
command -v jq >/dev/null || { echo "host_code.sh: no jq" >&2; exit 77; }
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
export SMEMCALC_CACHE_DIR="$scratch/cache"
# shellcheck source=tests/toolkit.sh
. "$here/toolkit.sh"
cp -r "$here/data/source" "$scratch/source" && chmod -R u+w "$scratch/source" &&
    cd "$scratch/source" || exit 99

without_nvcc() {
    PATH=/usr/bin:/bin CUDA_HOME=/nowhere CUDA_PATH=/nowhere "$program" "$@"
}

printf 'extern "C" __global__ void k(float *x) { *x = 1; }\n' >plain.cu
without_nvcc inspect plain.cu --device 9.0 >out 2>err ||
    { echo "host_code.sh: no NVRTC for sm_90" >&2; exit 77; }

# Another version of the compiler may count other registers and need another stack.
nvrtc=$("$program" --tile 8 --device 9.0 --format json 2>/dev/null |
    sed -n 's/.*"registers_source": "nvrtc \([0-9.]*\) .*/\1/p')
same=', static shared memory'
[ -z "$nvcc" ] || ! "$nvcc" --version | grep -q "release $nvrtc," || same=', registers and memory'

# Name and static shared memory of the kernels of the file's own; of the same version all figures.
figures() { # JSON
    jq -r --arg same "$same" '.kernels[].kernel | select(.name | test("cub::|thrust::") | not) |
        [.name, .static_smem_bytes, if $same == ", registers and memory"
         then .registers_per_thread, .stack_bytes else empty end] | @tsv' "$1" | sort -u
}

has_header() { # NAME: one of the CUDA Toolkit's
    find /usr/local/cuda*/include/ /usr/include -maxdepth 1 -name "$1" 2>/dev/null | grep -q .
}

check_file() { # FILE
    case $1 in
    cub_block.cu | cooperative.cu | curand_monte_carlo.cu | tensor_core.cu | dispatch_macro.cu)
        without_nvcc inspect "$1" --device 9.0 >out 2>err
        if grep -q '#include .* was not found' err; then
            skip "$1" "a header of the CUDA Toolkit is not installed"
            return
        fi ;;
    library_types.cu) # what is left out of it without a word
        if ! has_header cublas_v2.h; then
            skip "$1" "cublas_v2.h is not installed"
            return
        fi ;;
    esac
    without_nvcc inspect "$1" --device 9.0 --format json >part.json 2>err
    empty "$1: its device part compiles" "$([ $? -eq 0 ] || cat err)"
    [ -s part.json ] || return
    empty "$1: every kernel has its line" "$(jq -r '.kernels[].kernel | select(.name |
        test("^scale_") | not) | select(has("source_line") and .source_line == null) | .name' part.json)"
    if [ -z "$nvcc" ]; then
        skip "$1: names$same as of nvcc" "no nvcc"
        return
    fi
    # Of some sources not even nvcc finds all headers.
    "$nvcc" -arch=sm_90 -x cu -Xptxas -v -cubin -o unused.cubin "$1" >log 2>&1 || return
    "$program" inspect log --device 9.0 --format json >whole.json
    figures part.json >part
    figures whole.json >whole
    empty "$1: names$same as of nvcc" "$(diff part whole)"
}

# These include much of the toolkit: they are compiled into the cache while others are checked.
slow='cooperative.cu cub_block.cu curand_monte_carlo.cu'
compiling=
for file in $slow; do
    without_nvcc inspect "$file" --device 9.0 >/dev/null 2>&1 &
    compiling="$compiling $!"
done
mkdir libraries && cd libraries || exit 99
cat >random.cu <<'EOF'
#include <curand_kernel.h>
__global__ void start(curandState *s) { curand_init(1, 2, 3, s); }
int main() {}
EOF
cat >libraries.cu <<'EOF'
#include <thrust/sort.h>
#define REDUCE(f, ...) f(__VA_ARGS__)
__global__ void own(float *p) { *p = 1; }

void host(float *p, float *q)
{
    thrust::sort(thrust::device, p, q);
    thrust::sort(thrust::host, p, q);
    float *r = thrust::raw_pointer_cast(q);
    REDUCE(cub::DeviceReduce::Sum, p, q, r, 1);
    thrust::sort(p, r);
}
EOF
sed '/own/d' libraries.cu >only_libraries.cu
without_nvcc inspect random.cu --device 9.0 --compiler-options -std=c++14 >/dev/null 2>&1 &
for file in libraries.cu only_libraries.cu; do
    without_nvcc inspect $file --device 9.0 >/dev/null 2>&1 &
done
cd .. || exit 99
for file in *.cu *.cuh; do
    case " plain.cu $slow " in
    *" $file "*) ;;
    *) check_file "$file" ;;
    esac
done
# shellcheck disable=SC2086 # process numbers
wait $compiling
for file in $slow; do
    check_file "$file"
done

has() { # FILE PATTERN
    grep -q -e "$2" "$1" || { echo "missing in $1: $2" && cat "$1"; }
}

printf '#include <cstdio>\n\n__global__ void k(float *x)\n{\n    *x = unknown;\n}\nint main() { printf("x"); }\n' >wrong.cu
without_nvcc inspect wrong.cu --device 9.0 >out 2>err
empty "an error in device code has its line" "$([ $? -eq 2 ] || echo status; has err 'wrong.cu:5: error: identifier "unknown"')"

printf '__global__ void k(float *x)\n{\n    *x = unknown;\n}\n' >device_only.cu
without_nvcc inspect device_only.cu --device 9.0 >out 2>err
empty "where there is no host code, nvcc is not mentioned" "$(grep nvcc err)"

printf '#include "absent.h"\n__global__ void k(Absent *x) { x->y = 1; }\nint main() {}\n' >header.cu
without_nvcc inspect header.cu --device 9.0 >out 2>err
empty "a header that is not there is named" \
    "$([ $? -eq 2 ] || echo status; has err 'header.cu:1: #include "absent.h" was not found (looked for beside')"
mkdir -p include && printf '#include <vector>\nstruct Absent { float y; };\nstd::vector<int> f();\n' >include/absent.h
for option in -Iinclude '-I include' '-isystem include'; do
    without_nvcc inspect header.cu --device 9.0 --compiler-options "$option" >out 2>err
    empty "$option finds the header" "$([ $? -eq 0 ] || cat err)"
done
without_nvcc inspect header.cu --device 9.0 --compiler-options "-O3 -Iinclude -Xcompiler -Wall --expt-relaxed-constexpr" \
    >out 2>err
empty "options that only nvcc takes are passed over" "$([ $? -eq 0 ] || cat err)"

cat >only_rtc.cu <<'EOF'
#ifdef __CUDACC_RTC__
typedef int number;
#else
#include <vector>
typedef std::vector<int>::value_type number;
#endif
__global__ void only_rtc(number *x) { *x = 1; }
EOF
without_nvcc inspect only_rtc.cu --device 9.0 >out 2>err
empty "what compiles only as NVRTC defines its macros is compiled so, with a warning" "$(
    [ $? -eq 0 ] || echo status; has out only_rtc
    has err 'warning: only_rtc.cu:1: __CUDACC_RTC__: compiled as NVRTC defines it')"

without_nvcc inspect pytorch_like.cu --device 9.0 >out 2>err
empty "a launch whose arguments are unknown is named" \
    "$(has err 'pytorch_like.cu:17: .*lltm_forward_kernel<scalar_t> was left out')"

cat >spectrum.cu <<'EOF'
#include <cufft.h>
__global__ void power(cufftComplex *a, cufftReal *p) { p[threadIdx.x] = a[threadIdx.x].x * a[threadIdx.x].x; }
__global__ void scale(cufftDoubleComplex *a, cufftDoubleReal s) { a[threadIdx.x].y *= s; }
EOF
without_nvcc inspect spectrum.cu --device 9.0 --format csv >out 2>err
status=$?
if ! has_header cufft.h; then
    skip "types of the header of a host library, such as cufftComplex, are known" "no cufft.h"
else
    empty "types of the header of a host library, such as cufftComplex, are known" \
        "$([ "$status" -eq 0 ] || cat err; has out 'power(float2\*, float\*)'; has out 'scale(double2\*, double)')"
fi

cat >rounding.cu <<'EOF'
#include <cfenv>
#include <stdalign.h>
enum class Mode : int { nearest = FE_TONEAREST, down = FE_DOWNWARD, up = FE_UPWARD, zero = FE_TOWARDZERO };
template <int M = FE_TONEAREST> __device__ float rounded(float x) { return M == FE_TONEAREST ? rintf(x) : floorf(x); }
__global__ void k(float *p) { p[0] = rounded(p[0]) + rounded<int(Mode::down)>(p[1]); }
int host() { return fegetround() == FE_TONEAREST; }
EOF
without_nvcc inspect rounding.cu --device 9.0 --format csv >out 2>err
empty "the rounding modes of <cfenv> are known, and <stdalign.h> has nothing for kernels" \
    "$([ $? -eq 0 ] || cat err; has out 'rounding.cu,k(float')"
empty "with CSV, which does not name the compiler, a note says whose registers they are" \
    "$(has err 'note: registers and spills are those of NVRTC: nvcc may count others')"

printf 'extern __constant__ double roots[];\n__global__ void k(double *x) { *x = roots[threadIdx.x]; }\n' >roots.cu
without_nvcc inspect roots.cu --device 9.0 >out 2>err
empty "a variable of another file is refused with the option that compiles it" \
    "$([ $? -eq 2 ] || echo status; has err "Unresolved extern variable 'roots'.*-rdc=true")"

cat >with_variables.cu <<'EOF'
#include <iostream>
#include <vector>
__constant__ struct { const int *rows; int n; } members;
__device__ struct Pair { int a; } pair = {3}, more[2];
static struct { std::vector<int> v; } of_host;
__global__ void k(int *x) { x[members.n] = members.rows[0] + pair.a + more[1].a; }
int main() { std::cout << of_host.v.size(); k<<<1, 1>>>(nullptr); }
EOF
without_nvcc inspect with_variables.cu --device 9.0 >out 2>err
empty "variables that are declared with their structure belong to the device part" \
    "$([ $? -eq 0 ] || cat err)"

cat >references.cu <<'EOF'
#include <type_traits>
template <class T> using Ref = typename std::add_lvalue_reference<T>::type;
__device__ void add(Ref<int> x) { x += std::is_same<std::add_rvalue_reference_t<int>, int &&>::value; }
static_assert(std::is_same<std::add_lvalue_reference_t<void>, void>::value, "");
__global__ void k(int *p) { add(p[threadIdx.x]); }
EOF
without_nvcc inspect references.cu --device 9.0 --format csv >out 2>err
empty "std::add_lvalue_reference and add_rvalue_reference are known" \
    "$([ $? -eq 0 ] || cat err; has out 'references.cu,k(int')"

mkdir -p lost && cd lost || exit 99
printf 'template <class T> __global__ void in_header(T *p) { *p = 1; }\n' >header.cuh
cat >lost.cu <<'EOF'
#include <cstdio>
#include "header.cuh"
template <class T> __global__ void unknown(T *p) { *p = 1; }
template <class T> __global__ void unused(T *p) { *p = 1; }
template <class T> __global__ void my_kernel(T *p) { *p = 1; }
__global__ void plain(float *p) { *p = 1; }
#define LAUNCH(name) name##_kernel<float><<<1, 32>>>(0)
int main() { LAUNCH(my); auto q = pick(); unknown<<<1, 2>>>(q); plain<<<1, 1>>>(0); }
EOF
without_nvcc inspect lost.cu --device 9.0 >out 2>err
empty "kernels without an instance are named, those of headers only if they may be launched" \
    "$([ $? -eq 0 ] || echo status; has err 'lost.cu:5: kernel my_kernel: no launch with known'
    has err 'lost.cu:4: kernel unused: no launch with known'; has err 'lost.cu:8: .*launch of unknown was left out'
    [ "$(wc -l <err)" -eq 3 ] || cat err)"
without_nvcc inspect lost.cu --device 9.0 --max-regs 255 >out 2>err
empty "a requirement is not met if kernels were left out" \
    "$([ $? -eq 2 ] || echo status; has err 'requirements: not every kernel is judged: the warnings name 2 that are')"
printf 'devices = ["9.0"]\n[[limit]]\nmax_registers = 255\n' >gate.toml
without_nvcc inspect lost.cu --gate gate.toml >out 2>err
empty "a gate is not passed if kernels were left out" "$([ $? -eq 2 ] || echo status; has err 'gate.toml: not every kernel is judged')"
without_nvcc diff lost.cu lost.cu --gate gate.toml >out 2>err
empty "a gate of a comparison is not passed if kernels were left out" "$([ $? -eq 2 ] || echo status; has err 'gate.toml: not every kernel is judged')"
without_nvcc inspect lost.cu --device 9.0 --save /dev/null/saved.json >out 2>err
empty "kernels that were left out are named where no report follows" \
    "$([ $? -ne 0 ] || echo status; has err 'lost.cu:4: kernel unused: no launch with known')"
without_nvcc inspect lost.cu --kernel plain --gate gate.toml >out 2>err
empty "kernels that were left out and are not asked for do not count" "$([ $? -eq 0 ] || cat err)"
sed -e '/plain/d; /unknown/d' lost.cu >none.cu
printf 'int main() { LAUNCH(my); }\n' >>none.cu
without_nvcc inspect none.cu --device 9.0 >out 2>err
empty "a source none of whose kernels was compiled is not said to have none" \
    "$([ $? -eq 2 ] || echo status; has err 'none.cu: nothing was found that launches its kernel templates'
    has err 'none.cu:4: kernel my_kernel: no launch')"
cat >member.cu <<'EOF'
template <class T> __global__ void fill_all(T *x) { *x = 1; }
template <class T> struct Buf {
    T *p;
    void fill() { fill_all<<<1, 1>>>(p); }
    void resize(int n) {}
    void resize(int n, T value) { fill(); }
};
__global__ void plain(int *x) { *x = 1; }
void f(Buf<int> &b) { b.resize(1); }
EOF
without_nvcc inspect member.cu --device 9.0 --max-regs 255 >out 2>err
empty "a template that only members which nothing calls would launch is no fault" "$([ $? -eq 0 ] || echo status
    grep -v 'kernel fill_all: no launch' err)"
printf 'void g() { auto b = make(); b.resize(1, 2); }\n' >>member.cu
without_nvcc inspect member.cu --device 9.0 --max-regs 255 >out 2>err
empty "and where the object's type is unknown, it is compiled for all that there are" "$(
    [ $? -eq 0 ] || cat err; has out 'fill_all<int>')"
sed 's/Buf<int> &b/int b/; s/b.resize(1);//' member.cu >unsure.cu
without_nvcc inspect unsure.cu --device 9.0 --max-regs 255 >out 2>err
empty "or may be missing" "$([ $? -eq 2 ] || echo status; has err 'the warnings name 1 that is left out')"
printf 'template <class T> __global__ void k(T *p) { *p = 1; }\nvoid f() { auto x = g(); k<<<1, 1>>>(x); }\n' >auto.cu
without_nvcc inspect auto.cu --device 9.0 >out 2>err
empty "a source whose launches were all left out needs nvcc" "$([ $? -eq 2 ] || echo status
    has err 'auto.cu: none of its kernels could be compiled without nvcc')"
printf '__global__ void plain(int *p) { *p = 1; }\n' >>auto.cu
without_nvcc run auto.cu --entry 'k<int>' --grid 1 --block 1 --on emulator --device 9.0 >out 2>err
empty "why run does not find a kernel is said: its launch was left out" "$([ $? -eq 2 ] || echo status
    has err 'warning: auto.cu:2: this launch of k was left out')"
cat >registers.cu <<'EOF'
__global__ void __launch_bounds__(256) many(float *x)
{
    float a[40];
#pragma unroll
    for (int i = 0; i < 40; i++) a[i] = x[threadIdx.x + i * 32];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 40; i++) x[threadIdx.x * 40 + i * 7 % 40] = a[i] * a[(i + 1) % 40];
}
__global__ void few(float *x) { *x = 1; }
EOF
for kernel in many few; do
    without_nvcc inspect registers.cu --device A100 --threads 256 --kernel $kernel >$kernel.out 2>err
    without_nvcc inspect registers.cu --device A100 --threads 256 --kernel $kernel --format json >$kernel.json 2>err
done
empty "where nvcc's registers may change the blocks, text and JSON say so" "$(
    has many.out '^  regs as NVRTC counts them: nvcc may count others'; has many.json '"nvcc_may_differ": true'
    grep 'as NVRTC' few.out; has few.json '"nvcc_may_differ": false')"
cd ../libraries || exit 99
wait
if has_header curand_kernel.h; then
    without_nvcc inspect random.cu --device 9.0 --compiler-options -std=c++14 >out 2>err
    empty "cuRAND's device code compiles as C++14, as nvcc compiles it" "$([ $? -eq 0 ] || cat err)"
else
    skip "cuRAND's device code compiles as C++14" "curand_kernel.h is not installed"
fi
without_nvcc inspect libraries.cu --device 9.0 --max-regs 255 >out 2>err
empty "kernels of Thrust and CUB are counted, named and not judged without nvcc" "$([ $? -eq 2 ] || echo status
    has err 'libraries.cu: 3 calls of Thrust or CUB, .* left out: thrust::sort (line 7), cub::DeviceReduce::Sum (line 10)$'
    has err 'the warnings name 3 that are left out')"
printf '#include <thrust/device_ptr.h>\n__global__ void own(float *p) { *p = 1; }\nint main() { own<<<1, 1>>>(0); }\n' >header.cu
without_nvcc inspect header.cu --device 9.0 --max-regs 255 >out 2>err
empty "kernels of CUB that only its headers need are told" "$([ $? -eq 0 ] || echo status
    has err 'header.cu:1: includes thrust/device_ptr.h: what nvcc compiles of its headers, such as cub::EmptyKernel, is not listed')"
without_nvcc inspect libraries.cu --device 9.0 --max-regs 255 --kernel own >out 2>err
empty "and not where another kernel is asked for" "$([ $? -eq 0 ] || echo status; cat err)"
without_nvcc inspect only_libraries.cu --device 9.0 >out 2>err
empty "a source with nothing else needs nvcc" "$([ $? -eq 2 ] || echo status
    has err 'only_libraries.cu: none of its kernels could be compiled without nvcc')"
cd ../lost || exit 99
for i in 1 2 3 4 5; do
    printf 'template <class T> __global__ void many%d(T *p) { *p = 1; }\n' $i
done >many.cu
printf '__global__ void plain(float *p) { *p = 1; }\n' >>many.cu
without_nvcc inspect many.cu --device 9.0 --max-regs 255 >out 2>err
empty "templates that nothing launches are no fault, and many are one line" \
    "$([ $? -eq 0 ] || echo status; has err 'many.cu: 5 kernels: no launch .*many1 (line 1), many2'
    [ "$(grep -c many1 err)" -eq 1 ] || cat err)"
cd .. || exit 99

cat >clustered.cu <<'EOF'
__global__ void __cluster_dims__(2, 1, 1) pair(float *x) { *x = 1; }
int main() { pair<<<2, 1>>>(0); }
EOF
without_nvcc inspect clustered.cu --device 8.0 --device 9.0 --format csv >out 2>err
empty "an error for one of two devices leaves the answer for the other" "$([ $? -eq 2 ] || echo status
    has out '^clustered.cu,pair.*,compute capability 9.0,.*,sm_90,1,'
    has err 'clustered.cu:1: error: .* (compiled for compute capability 8.0)$')"

sed 's/$/\r/' wrong.cu >returns.cu
without_nvcc inspect returns.cu --device 9.0 >out 2>err
empty "carriage returns do not change the line of an error" "$(has err 'returns.cu:5: error')"

mkdir -p failing
printf '#!/bin/sh\necho "vector_add.cu:1:10: fatal error: gone.h: No such file or directory"\nexit 1\n' >failing/nvcc
chmod +x failing/nvcc
PATH="$PWD/failing:$PATH" "$program" inspect vector_add.cu --device 9.0 --format csv >out 2>err
status=$?
empty "NVRTC compiles what nvcc cannot, with a warning" "$([ "$status" -eq 0 ] || echo "status $status"
    has err 'warning: vector_add.cu:1:10: fatal error: gone.h: .*directory (looked for .*"-IFOLDER" names its folder); NVRTC compiled its kernels instead'
    has out '^vector_add.cu,')"
PATH="$PWD/failing:$PATH" "$program" inspect wrong.cu --device 9.0 >out 2>err
status=$?
empty "where neither nvcc nor NVRTC can compile, the error is nvcc's" "$([ "$status" -eq 2 ] || echo "status $status"
    has err 'vector_add.cu:1:10: fatal error: gone.h'; [ "$(wc -l <err)" -eq 1 ] || cat err)"

# nvcc's own error is what counts, not what NVRTC makes of the source after it.
with_nvcc() { # LOG ARGUMENT...: as if nvcc had failed with this log
    printf '%s\n' "$1" >failing/log
    printf '#!/bin/sh\ncat "%s"\nexit 1\n' "$PWD/failing/log" >failing/nvcc
    shift
    PATH="$PWD/failing:$PATH" "$program" inspect "$@" --device 9.0 >out 2>err
    status=$?
}
cat >relaxed.cu <<'EOF'
constexpr int smaller(int a, int b) { return a < b ? a : b; }
template <class T, int R> __global__ void clip(T *x) { x[smaller(threadIdx.x, 3)] = R; }
template <class T> void run(T *x) { auto go = [&](auto r) { clip<T, decltype(r)::value><<<1, 8>>>(x); }; }
EOF
with_nvcc "relaxed.cu(2): error: calling a constexpr __host__ function. The flag '--expt-relaxed-constexpr' can help." relaxed.cu
empty "nvcc's error and its hint are reported whole and alone where NVRTC leaves all kernels out" "$(
    if [ "$status" -ne 2 ] || [ "$(wc -l <err)" -ne 1 ]; then cat err; fi
    has err "relaxed.cu:2: error: calling a constexpr __host__ function. The flag '--expt-relaxed-constexpr' can help.$")"
printf 'template <class T> __global__ void lost(T *x) { *x = 1; }\n__global__ void found(int *x) { *x = 1; }\n%s\n' \
    'void f() { auto x = g(); lost<<<1, 1>>>(x); }' >partly.cu
with_nvcc 'partly.cu(3): error: identifier "g" is undefined' partly.cu
empty "nvcc's error comes before what NVRTC left out" "$([ "$status" -eq 0 ] || echo "status $status"
    sed -n 1p err | grep -q 'partly.cu:3: error: identifier "g"' || cat err
    has err 'launch of lost was left out'; grep 'without nvcc' err)"
log='In file included from my-error.h:1,
                 from relaxed.cu:1:
types.h:1:10: fatal error: absent.h: No such file or directory'
with_nvcc "$log" relaxed.cu
empty "a header's name that contains 'error' is not taken for the message" \
    "$(has err 'types.h:1:10: fatal error: absent.h: No such file')"

printf 'template <typename T, int N = 4>\n__global__ void scale(T *v,\n    int n) { *v *= N * n; }\n' >template.cu
for command in inspect 'run --dry-run --grid 1 --block 1'; do
    # shellcheck disable=SC2086
    without_nvcc $command template.cu --device 9.0 >out 2>err
    empty "$command: a template without an instance is named, and the line that instantiates it" "$(
        [ $? -eq 2 ] || echo status
        has err "template.cu: no kernel in it: its template scale .line 2. has no instance: add .template \
__global__ void scale<T, N>(T .v, int n);. with arguments for T, N$")"
done

mkdir -p nested/inc && cd nested || exit 99
printf '#include "gone/gemm.h"\n' >inc/template.h
printf '#include "inc/template.h"\ntemplate void run_gemm<float>(float *);\n' >whole.cu
without_nvcc inspect whole.cu --device 9.0 --compiler-options -Iinc >out 2>err
empty "a header that is not there and may hold the kernels is named, and where it was looked for" \
    "$([ $? -eq 2 ] || echo status
    has err 'inc/template.h:1: #include "gone/gemm.h" was not found (looked for beside .*, in inc and .*"-IFOLDER".*may hold kernels'
    grep 'no kernel in it' err)"
cat >guarded.cu <<'EOF'
#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#elif CUDART_VERSION < 100
#include <ancient.h>
#endif
template <int M> __global__ void rows(float *x) { x[M] = 1; }
void f(int m, float *x) { auto go = [&](auto t) { rows<decltype(t)::value><<<1, 1>>>(x); }; }
EOF
without_nvcc inspect guarded.cu --device 9.0 >out 2>err
empty "a header in an inactive branch is not blamed" \
    "$(has err 'guarded.cu:7: this launch of rows was left out: NVRTC'; grep hip_runtime err)"
cd .. || exit 99

"$program" inspect vector_add.cu -Iinclude >out 2>err
empty "-I, which is nvcc's, is not known but explained" "$([ $? -eq 2 ] || echo status
    has err 'unknown option -I; --compiler-options "-IFOLDER"')"

printf 'extern __device__ float far(float);\n__global__ void k(float *x) { *x = far(*x); }\n' >far.cu
if [ -n "$nvcc" ]; then
    "$program" inspect far.cu --device 9.0 >out 2>err
    empty "-rdc is named where ptxas misses a function" \
        "$([ $? -eq 2 ] || echo status; has err 'Unresolved extern function.*--compiler-options "-rdc=true"')"
    "$program" inspect far.cu --device 9.0 --compiler-options -rdc=true >out 2>err
    empty "with -rdc=true the figures are those before linking" \
        "$([ $? -eq 0 ] || echo status; has err 'figures before linking: 1 kernel calls')"
else
    skip "relocatable source" "no nvcc"
fi

# Instructions that sm_90a has and sm_90 lacks.
printf '__global__ void __launch_bounds__(128, 1) more(int *x)\n{\n    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");\n    *x = 1;\n}\n' >more.cu
compiled_for() { # NAME ARCHITECTURE NOTE ARGUMENT...
    name=$1 architecture=$2 note=$3
    shift 3
    without_nvcc inspect more.cu --format json "$@" >more.json 2>err
    empty "$name" "$([ $? -eq 0 ] || echo status
        jq -r '.kernels[].kernel.compiled_for' more.json 2>&1 | grep -qx "$architecture" || jq -c .kernels more.json
        if [ -n "$note" ]; then has err "$note"; else cat err; fi)"
}
compiled_for "--device sm_90a compiles for it" sm_90a '' --device sm_90a
compiled_for "a source that sm_90 refuses is compiled for sm_90a, and a note says so" sm_90a \
    "note: compiled for sm_90a, which the source needs for setmaxnreg" --device 9.0
sed 's|^|/* __CUDA_ARCH_FEAT_SM90_ALL */ |; q' more.cu >asks.cu
tail -n +2 more.cu >>asks.cu
without_nvcc inspect asks.cu --format json --device 9.0 >asks.json 2>err
empty "a source that asks for features is compiled without them first" "$(
    has err "note: compiled for sm_90a, which the source needs; for sm_90: asks.cu: error: Instruction 'setmaxnreg.dec' not supp"
    jq -r '.kernels[].kernel.compiled_for' asks.json 2>&1 | grep -qx sm_90a || jq -c .kernels asks.json)"
sed 's/__global__ void __launch_bounds__(128, 1)/static __device__ void/' more.cu >unused.cu
echo 'extern "C" __global__ void other(int *p) { *p = 1; }' >>unused.cu
without_nvcc inspect unused.cu --format json --device 9.0 >unused.json 2>err
empty "a feature that no kernel uses is not asked for" "$(cat err
    jq -r '.kernels[].kernel.compiled_for' unused.json 2>&1 | grep -qx sm_90 || jq -c .kernels unused.json)"
compiled_for "what a board of 9.0 cannot run as sm_90 is compiled for sm_90a" sm_90a 'compiled for sm_90a' \
    --device 'NVIDIA H200'
compiled_for "-arch=sm_90a in --compiler-options goes with --device 9.0" sm_90a '' --device 9.0 \
    --compiler-options '-O3 -arch=sm_90a'
compiled_for "-arch with its value in the next word names the target without --device" sm_90a '' \
    --compiler-options '-arch sm_90a -lineinfo'
compiled_for "-gencode names the target" sm_100a '' \
    --compiler-options '-gencode arch=compute_100a,code=sm_100a'
without_nvcc inspect more.cu --device 9.0 --compiler-options -arch=sm_80 >out 2>err
empty "-arch of another architecture than the device's is refused" \
    "$([ $? -eq 2 ] || echo status; has err "'-arch=sm_80' is not the architecture of the device: use --device")"
without_nvcc inspect more.cu --device 8.0 >out 2>err
empty "where no target of the architecture has the instruction, the error is ptxas's" \
    "$([ $? -eq 2 ] || echo status; has err "more.cu: error: Instruction 'setmaxnreg.dec' not supported on .target 'sm_80'$")"
for device in sm_90a 9.0; do
    without_nvcc run more.cu --grid 1 --block 128 --arg i32x1 --on emulator --device $device >out 2>err
    empty "run --device $device compiles for sm_90a where it is needed, and says so" \
        "$([ $? -eq 0 ] || cat err; has out 'registers per thread (NVRTC .*, sm_90a)')"
done
without_nvcc run more.cu --grid 1 --block 128 --arg i32x1 --on emulator --device 9.0 --compiler-options -arch=sm_90a \
    >out 2>err
empty "run accepts -arch=sm_90a in --compiler-options" "$([ $? -eq 0 ] || echo status; cat err)"

without_nvcc inspect - --device 9.0 <vector_add.cu >out 2>err
empty "host code from standard input is inspected" "$([ $? -eq 0 ] || cat err)"

without_nvcc run --source vector_add.cu --on emulator --device 9.0 --grid 4 --block 256 \
    --arg f32x1024:ramp --arg f32x1024:ramp --arg f32x1024 --arg i32:1024 >out 2>err
empty "run --source accepts host code, without a word of what failed before" "$(echo $? | grep -vx 0; cat err)"
without_nvcc run --source reduce_templates.cu --on emulator --device 9.0 --grid 4 --block 256 \
    --arg f32x1024:ramp --arg f32x1024 --arg u32:1024 >out 2>err
empty "run --source lists several kernels to choose from" "$([ $? -eq 2 ] || echo status; has err 'option --entry: needed to choose .*reduce<')"
without_nvcc run --source reduce_templates.cu --entry 'reduce<float, 256u, true>' --on emulator \
    --device 9.0 --grid 4 --block 256 --arg f32x1024:ramp --arg f32x1024 --arg u32:1024 >out 2>err
empty "run --source --entry chooses an instance by its name" "$([ $? -eq 0 ] || cat err)"

finish_cases
