// Kernels with faults in functions that were called or inlined. Each is preceded by a line
//   //@ KERNEL GRID BLOCK ARGUMENTS -> KIND; STACK; STACK OF THE OTHER ACCESS
// A stack is a list of FUNCTION@MARK from the access to the kernel, where the lines end in
// "// [MARK]"; '>' precedes a caller that the function before it was inlined into, and '...' stands
// for callers that are not known.
#include "stacks.h"

static __device__ __noinline__ void beyond(int *p, int i)
{
    p[i + 4096] = i; // [beyond]
}

static __device__ __forceinline__ void through(int *p, int i)
{
    beyond(p, i); // [through]
}

static __device__ __noinline__ void outer(int *p, int i)
{
    through(p, i); // [outer]
}

//@ called 1 32 i32x32 -> out_of_bounds; beyond@beyond through@through >outer@outer called@called; none
extern "C" __global__ void called(int *p)
{
    outer(p, threadIdx.x); // [called]
}

//@ header 1 32 i32x32 -> out_of_bounds; Cell<int>::get@get >header@header; none
extern "C" __global__ void header(int *p)
{
    Cell<int> cell{p};
    p[threadIdx.x] = cell.get(threadIdx.x + 64); // [header]
}

static __device__ __noinline__ int walk(int *p, int n)
{
    if (n == 0)
        return p[100]; // [end]
    return walk(p, n - 1) + p[n]; // [walk]
}

//@ recursion 1 32 i32x64 -> out_of_bounds; walk@end walk@walk recursion@recursion; none
extern "C" __global__ void recursion(int *p)
{
    p[threadIdx.x] = walk(p, 40); // [recursion]
}

static __device__ __forceinline__ void put(int *s, int i)
{
    s[i] = threadIdx.x; // [put]
}

//@ inlined 1 64 i32x64 -> race_write_write; put@put >inlined@second; put@put >inlined@first
extern "C" __global__ void inlined(int *p)
{
    __shared__ int s[64];
    put(s, threadIdx.x); // [first]
    put(s, 63 - threadIdx.x); // [second]
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x];
}

static __device__ __noinline__ void store(int *s, int i)
{
    s[i] = threadIdx.x; // [store]
}

//@ one_caller 1 64 i32x64 -> race_write_read; one_caller@load; store@store one_caller@store_call
extern "C" __global__ void one_caller(int *p)
{
    __shared__ int s[64];
    store(s, threadIdx.x); // [store_call]
    p[threadIdx.x] = s[63 - threadIdx.x]; // [load]
}

static __device__ __noinline__ void keep(int *s, int i)
{
    s[i] = threadIdx.x; // [keep]
}

//@ two_callers 1 64 i32x64 -> race_write_read; two_callers@late; keep@keep ...
extern "C" __global__ void two_callers(int *p)
{
    __shared__ int s[128];
    keep(s, threadIdx.x);
    keep(s, threadIdx.x + 64);
    p[threadIdx.x] = s[63 - threadIdx.x]; // [late]
}

//@ between_blocks 2 32 i32x64 -> race_write_write; keep@keep ...; keep@keep ...
extern "C" __global__ void between_blocks(int *p)
{
    keep(p, threadIdx.x + 1 - blockIdx.x);
    keep(p + 32, threadIdx.x);
}

typedef void (*function)(int *, int);
static __device__ function table[2] = {beyond, keep};

//@ pointer 1 32 i32x32,i32:0 -> out_of_bounds; beyond@beyond pointer@pointer; none
extern "C" __global__ void pointer(int *p, int n)
{
    table[n](p, threadIdx.x); // [pointer]
}
