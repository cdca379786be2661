#!/bin/sh
# Programs that `smemcalc trace --on emulator` runs: one that calls CUDA's driver, built without
# CUDA, and with TEST_LIVE=1 programs of the runtime, built by nvcc and linked with it in both ways.

set -u
export LC_ALL=C
tests=$(dirname "$0")
# shellcheck source=tests/cases.sh
. "$tests/cases.sh"

here=$(pwd)
if ! [ -e "$here/.libs/libsmemcalc_cuda.so" ]; then
    skip "CUDA on the emulator" "no shared libraries are built"
    finish_cases
fi
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT

# Runs and remembers: out, err (with the report), status.
traced() { # [OPTION]... -- PROGRAM [ARGUMENT]...
    ./smemcalc trace --on emulator "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
}

ends_with() { # NAME STATUS
    if [ "$status" = "$2" ]; then pass "$1"; else
        fail "$1" "expected status $2, seen $status
$(cat "$scratch/out" "$scratch/err")"
    fi
}

says() { # NAME FILE PATTERN
    if tr '\n' ' ' <"$scratch/$2" | grep -Eq -e "$3"; then pass "$1"; else
        fail "$1" "nothing matches: $3
$(cat "$scratch/$2")"
    fi
}

# --- The driver -----------------------------------------------------------------------------------

app=tests/shim/app
traced -- $app good
ends_with "the driver's calls are as on a GPU" 0
says "trace --on emulator: the default device is an H200" out '^NVIDIA H200 $'
says "trace --on emulator: launches are reported" err '10 launches of 6 kernels'
says "trace --on emulator: launches are reported by kernel" err 'scale .*shared|shared .*scale'
traced --device "RTX 4090" -- $app good
says "trace --on emulator: --device names the device" out 'GeForce RTX 4090'
traced --format json -- $app bounds
ends_with "trace --on emulator: a finding alone is exit status 1" 1
if grep -q '"findings": \[$' "$scratch/err" &&
    grep -q 'store: .*out of bounds.*device memory 1 + 256' "$scratch/err" &&
    grep -q 'store: .*out of bounds.*device memory 2 + 1024' "$scratch/err"; then
    pass "an access beyond an allocation is found"
else
    fail "an access beyond an allocation is found" "$(cat "$scratch/err")"
fi
traced -- $app unacquired
ends_with "a missing acquire between blocks is a note" 0
says "the note names it" err "meet: .*another block's write is read without an acquire"
traced --strict ptx -- $app unacquired
ends_with "trace --strict ptx: it is an error" 1
traced -- $app wild
ends_with "a wild pointer ends the context as on a GPU" 1
says "a wild pointer is found" err 'out of bounds'
traced -- $app refused
ends_with "the emulated driver refuses machine code" 0
says "the emulated driver says what to compile instead of machine code" err 'only machine code.*-gencode arch=compute_90,code=compute_90, and without -rdc=true'

# --- The libraries beside the program -------------------------------------------------------------

# All alone in a folder, as `make gpu-bundle` makes it.
mkdir "$scratch/carried"
cp smemcalc .libs/libsmemcalc_cu*.so "$scratch/carried"
"$scratch/carried/smemcalc" trace --on emulator -- $app good >"$scratch/out" 2>"$scratch/err"
status=$?
ends_with "the libraries beside the program emulate the driver" 0
says "the libraries beside the program emulate the driver: the launches are reported" err \
    '10 launches of 6 kernels'
# shellcheck disable=SC2016 # for the traced program
"$scratch/carried/smemcalc" trace --on emulator -- sh -c \
    'readlink "${LD_LIBRARY_PATH%%:*}/libcuda.so.1" "${LD_LIBRARY_PATH%%:*}/libcudart.so.13"' \
    >"$scratch/out" 2>"$scratch/err"
says "the libraries beside the program are used, not others" out \
    "^$(cd "$scratch/carried" && pwd -P)/libsmemcalc_cuda.so .*/carried/libsmemcalc_cudart13.so "

# --- Each call and its errors ---------------------------------------------------------------------

traced -- tests/shim/driver_calls "$scratch"
ends_with "the driver's calls for devices, modules and launches (with findings)" 1
traced -- tests/shim/driver_memory
ends_with "the driver's calls for memory, streams and graphs" 0
traced -- tests/shim/captures
ends_with "the driver's calls while a stream is captured" 0
for version in 12 13; do
    traced -- tests/shim/runtime_calls $version
    ends_with "the calls of the runtime, CUDA $version" 0
    says "what is not emulated is named, CUDA $version" err \
        'the program calls cudaArrayGetMemoryRequirements, which is not emulated'
    # As of a program that is linked with it: what is there when linked_runtime.c looks.
    # shellcheck disable=SC2016 # expanded by that shell
    traced -- timeout 60 sh -c 'LD_PRELOAD=$LD_PRELOAD:$1 exec tests/shim/runtime_calls "$2"' sh \
        "$here/.libs/libsmemcalc_cudart$version.so" $version
    ends_with "the emulator's own runtime is not redirected, CUDA $version" 0
done

for version in 12 13; do
    traced -- tests/shim/linked$version
    says "a runtime that is linked into a program is replaced, CUDA $version" out \
        "^version ${version}000, 1 devices, errors 0 \$"
done

# --- Mistakes of programs -------------------------------------------------------------------------

mistake() { # CASE STATUS PATTERN: of the report
    traced -- tests/shim/mistakes "$1"
    ends_with "the mistake $1: exit status" "$2"
    says "the mistake $1: what is said" err "$3"
}
mistake not_copied 1 'add: .*device memory is read that nothing has written.* 64 times'
mistake copied_in_part 1 'add: .*nothing has written.*device memory 2 \+ 64.* 48 times'
mistake counted 1 'count: .*nothing has written'
mistake made_by_kernel 1 'add: .*nothing has written.*thread \(63,0,0\).*device memory 2 \+ 252'
mistake texels 1 'fetch: .*nothing has written.*thread \(25,0,0\).*4 bytes at device memory 1 \+ 100.* 7 times'
mistake padding_added 1 'pad: .*nothing has written.*device memory 2 \+ 0.* 4 times'
mistake freed 1 'add: .*memory that was freed is accessed.*device memory 2 \+ 0'
mistake refused 1 'large: the launch .* is refused \(invalid argument\): .*cudaFuncSetAttribute\(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536\)'
mistake refused_threads 1 'large: the launch .* is refused .*blocks of at most 128 threads'
mistake refused_depth 1 'large: the launch .* is refused .*: a block of 65 threads in z; this device allows 64'
mistake refused_size 1 'large: the launch .* is refused .*: 262144 bytes of shared memory; this device gives a block 232448'
mistake refused_by_call 0 'launched +large: the launch .* is refused \(invalid argument\)'
mistake failed 0 'cudaFree failed \(invalid argument\), and the program did not ask for errors'
mistake asserted 1 'check: .*an assertion failed'
mistake deadlocked 1 'wait: .*deadlock.* 32 of 64 threads are there; barrier 1'
mistake recursive 1 'descend: .*the stack of local memory overflows.*; in deeper, called from deeper, from descend'
mistake no_function 1 'apply: .*a call through an address that is no function'
mistake beyond_in_function 1 'reach: .*out of bounds.*; in beyond, called from reach at mistakes.cu:7'

no_mistake() { # CASE STATUS
    traced -- tests/shim/mistakes "$1"
    ends_with "no mistake in $1: exit status" "$2"
    empty "no mistake in $1: nothing is said" "$(
        grep -E 'finding|refused|failed \(' "$scratch/err")"
}
no_mistake all_written 0
no_mistake padding_copied 0
no_mistake texels_written 0
no_mistake given_out_again 0
no_mistake refused_and_seen 0
no_mistake failed_and_seen 0
no_mistake failed_and_told 3
no_mistake functions 0
no_mistake printed 0
says "what a kernel prints is printed" out '^sum 42 $'

# --- Options --------------------------------------------------------------------------------------

refused() { # NAME PATTERN OPTION...
    name=$1 pattern=$2
    shift 2
    ./smemcalc trace "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
    ends_with "$name: status" 2
    says "$name" err "$pattern"
}
refused "trace --on both is refused" "'both' is for 'run'" --on both -- $app
refused "trace --on emulator refuses a compute capability as the device" 'is no board' --on emulator --device 9.0 -- $app
refused "trace --strict is of the emulator" '--strict: only with --on emulator' --strict cuda -- $app
refused "trace --on emulator refuses --without-cupti" 'without-cupti: not together' --on emulator --without-cupti -- $app
refused "trace --on emulator refuses --read" 'not together with --read' --on emulator --read "$scratch/out"

# --- The runtime ----------------------------------------------------------------------------------

if [ -z "${TEST_LIVE-}" ]; then
    skip "programs of the runtime" "live compilers only: TEST_LIVE=1"
    finish_cases
fi
nvcc=$(command -v nvcc)
for found in /usr/local/cuda*/bin/nvcc; do
    [ -n "$nvcc" ] || ! [ -x "$found" ] || nvcc=$found
done
if [ -z "$nvcc" ]; then
    skip "programs of the runtime" "nvcc is not installed"
    finish_cases
fi
ptx_only='-gencode arch=compute_80,code=compute_80'
for cudart in static shared; do
    # shellcheck disable=SC2086 # several words
    if ! "$nvcc" -cudart $cudart $ptx_only -lineinfo -o "$scratch/runtime_$cudart" \
        "$tests/shim/runtime.cu" >"$scratch/err" 2>&1; then
        skip "the runtime, $cudart" "nvcc fails: $(head -n 1 "$scratch/err")"
        continue
    fi
    traced -- "$scratch/runtime_$cudart"
    ends_with "the runtime, $cudart: its calls are as on a GPU" 0
    says "the runtime, $cudart: printf of a kernel is printed" out 'hello from 1 2 '
    traced -- "$scratch/runtime_$cudart" race
    ends_with "the runtime, $cudart: a race fails" 1
    says "the runtime, $cudart: a race is found, with its line" err 'runtime.cu:[0-9]+: race'
    traced -- "$scratch/runtime_$cudart" wild
    ends_with "the runtime, $cudart: a wild pointer ends the context as on a GPU" 1
    strip -o "$scratch/stripped" "$scratch/runtime_$cudart"
    traced -- "$scratch/stripped"
    if [ $cudart = shared ]; then
        ends_with "the runtime, shared, stripped" 0
    else
        says "the runtime, static, stripped: refused with what to do" err 'do not strip it'
    fi
done
# Registers are known of machine code that stands beside the PTX.
if "$nvcc" -cudart shared -gencode arch=compute_90,code='[compute_90,sm_90]' \
    -o "$scratch/both" "$tests/shim/runtime.cu" >"$scratch/err" 2>&1; then
    traced --format json -- "$scratch/both"
    says "trace --on emulator has registers from machine code" err '"registers_per_thread": [1-9]'
    traced --format json -- "$scratch/runtime_shared"
    says "trace --on emulator has no registers without machine code" err '"registers_per_thread": null'
else
    skip "registers from machine code" "nvcc fails: $(head -n 1 "$scratch/err")"
fi
# Tensor maps, copies and wgmma.
if "$nvcc" -cudart shared -std=c++17 -gencode arch=compute_90a,code=compute_90a -lineinfo \
    -o "$scratch/hopper" "$tests/shim/hopper.cu" >"$scratch/err" 2>&1; then
    traced -- "$scratch/hopper"
    ends_with "a product by tensor copies and wgmma is right, and without findings" 0
    traced -- "$scratch/hopper" unordered
    ends_with "a product that does not wait for its tiles fails" 1
    says "a product that does not wait for its tiles: the early read is found" err 'hopper.cu:[0-9]+: unwritten shared memory is read'
else
    skip "tensor copies and wgmma" "nvcc fails: $(head -n 1 "$scratch/err")"
fi
# Which launches are refused, with which error, and how many blocks and clusters are resident.
gzip -dc "$tests/shim/launches.h100.txt.gz" >"$scratch/seen"
if "$nvcc" -cudart static -std=c++17 -gencode arch=compute_90,code='[compute_90,sm_90]' \
    -o "$scratch/launches" "$tests/shim/launches.cu" >"$scratch/err" 2>&1; then
    traced --device H100 -- "$scratch/launches" 1 1000
    if [ "$(grep registers "$scratch/out")" != "$(grep registers "$scratch/seen")" ]; then
        skip "1000 random launches end as on an H100" "this nvcc gives the kernels other registers"
    elif cmp -s "$scratch/out" "$scratch/seen"; then
        pass "1000 random launches end as on an H100"
    else
        fail "1000 random launches end as on an H100" "$(diff "$scratch/seen" "$scratch/out" | head -n 20)"
    fi
else
    skip "1000 random launches end as on an H100" "nvcc fails: $(head -n 1 "$scratch/err")"
fi
# The runtime within a library that the program is linked with.
printf 'int library(int, char **);\nint main(int argc, char **argv) { return library(argc, argv); }\n' \
    >"$scratch/program.cpp"
# shellcheck disable=SC2086 # several words
if "$nvcc" -shared -Xcompiler -fPIC -Dmain=library $ptx_only -o "$scratch/liblibrary.so" \
    "$tests/shim/runtime.cu" >"$scratch/err" 2>&1 &&
    "$nvcc" -cudart none -o "$scratch/program" "$scratch/program.cpp" -L"$scratch" -llibrary \
        -Xlinker -rpath="$scratch" >"$scratch/err" 2>&1; then
    traced -- "$scratch/program"
    ends_with "the runtime within a library: its calls are as on a GPU" 0
    says "the runtime within a library: printf of a kernel is printed" out 'hello from 1 2 '
else
    fail "the runtime within a library: its calls are as on a GPU" "nvcc fails: $(head -n 1 "$scratch/err")"
fi
# NVRTC asks the driver for undocumented calls, too, and works without them.
cat >"$scratch/nvrtc.cpp" <<'END'
#include <cuda.h>
#include <nvrtc.h>
#include <vector>

int main(void)
{
    nvrtcProgram program;
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory;
    const char *options[] = {"-arch=compute_80"};
    size_t bytes = 0;
    int value = 0;
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context) ||
        nvrtcCreateProgram(&program, "extern \"C\" __global__ void set(int *a) { *a = 7; }", "set.cu",
                           0, nullptr, nullptr) ||
        nvrtcCompileProgram(program, 1, options) || nvrtcGetPTXSize(program, &bytes))
        return 2;
    std::vector<char> ptx(bytes);
    if (nvrtcGetPTX(program, ptx.data()) || cuModuleLoadData(&module, ptx.data()) ||
        cuModuleGetFunction(&function, module, "set") || cuMemAlloc(&memory, sizeof value))
        return 3;
    void *arguments[] = {&memory};
    if (cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) ||
        cuMemcpyDtoH(&value, memory, sizeof value))
        return 4;
    return value == 7 ? 0 : 5;
}
END
if "$nvcc" -cudart none -o "$scratch/nvrtc" "$scratch/nvrtc.cpp" -lnvrtc -lcuda \
    -L"$(dirname "$nvcc")/../lib64/stubs" -Xlinker -rpath="$(dirname "$nvcc")/../lib64" \
    >"$scratch/err" 2>&1; then
    traced -- "$scratch/nvrtc"
    ends_with "trace --on emulator runs a program that compiles with NVRTC" 0
    if grep -q "does not work" "$scratch/err"; then
        fail "a program that compiles with NVRTC is not told about the runtime" "$(cat "$scratch/err")"
    else
        pass "a program that compiles with NVRTC is not told about the runtime"
    fi
else
    skip "trace --on emulator runs a program that compiles with NVRTC" "nvcc fails: $(head -n 1 "$scratch/err")"
fi
if "$nvcc" -cubin -arch=sm_80 -o "$scratch/cubin" "$tests/shim/runtime.cu" >/dev/null 2>&1 &&
    "$nvcc" -gencode arch=compute_90,code=sm_90 -o "$scratch/code" "$tests/shim/runtime.cu" \
        >/dev/null 2>&1; then
    traced -- "$scratch/code"
    says "a program with machine code only is told which PTX it needs" err \
        'only machine code \(sm_90\),.*-gencode arch=compute_90,code=compute_90,'
fi
if "$nvcc" -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90a,code=sm_90a \
    -o "$scratch/code" "$tests/shim/runtime.cu" >/dev/null 2>&1; then
    traced --device H100 -- "$scratch/code"
    says "machine code of sm_90a needs PTX of compute_90a" err \
        'only machine code \(sm_90a\),.*-gencode arch=compute_90a,code=compute_90a,'
    traced --device B200 -- "$scratch/code"
    says "machine code of another device does not tell the PTX for this one" err \
        'only machine code \(sm_90a\),.*-gencode arch=compute_100,code=compute_100,'
fi
finish_cases
