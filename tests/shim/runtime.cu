// A program of CUDA's runtime that checks what it gets; the exit status is the number of things that
// are not as on a GPU. With an argument it launches a kernel with a race.
#include <cstdio>
#include <cstdlib>

static int failures;

#define IS(expected, seen)                                                                         \
    do {                                                                                           \
        const long e = (long)(expected), s = (long)(seen);                                         \
        if (e != s) {                                                                              \
            printf("line %d: expected %ld, seen %ld\n", __LINE__, e, s);                           \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

struct list {
    const int *from;
    int *to;
};

__constant__ int offset[4];
__device__ int total;
__managed__ int managed = 5;
__device__ int (*chosen)(int);

__global__ void copy(list l, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        l.to[i] = l.from[i] + offset[i % 4];
    if (i < n)
        atomicAdd(&total, 1);
}

__global__ void indirect(list *l, int n)
{
    extern __shared__ int kept[];
    kept[threadIdx.x] = l->from[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n)
        l->to[threadIdx.x] = kept[n - 1 - threadIdx.x] * managed;
}

__global__ void greet(int a)
{
    printf("hello from %d %d\n", a, a + 1);
}

__global__ void race(int *to)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    to[threadIdx.x] = s[63 - threadIdx.x];
}

static void check_memory()
{
    int host[64], back[64], *from, *to, offsets[4] = {10, 20, 30, 40}, counted;
    for (int i = 0; i < 64; i++)
        host[i] = i;
    IS(cudaSuccess, cudaMalloc(&from, sizeof host));
    IS(cudaSuccess, cudaMalloc(&to, sizeof host));
    IS(cudaSuccess, cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
    IS(cudaSuccess, cudaMemcpyToSymbol(offset, offsets, sizeof offsets));
    copy<<<2, 32>>>(list{from, to}, 64);
    IS(cudaSuccess, cudaGetLastError());
    IS(cudaSuccess, cudaMemcpy(back, to, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        IS(i + offsets[i % 4], back[i]);
    IS(cudaSuccess, cudaMemcpyFromSymbol(&counted, total, sizeof counted));
    IS(64, counted);
    list pointers = {from, to}, *stored; // device pointers within device memory
    IS(cudaSuccess, cudaMalloc(&stored, sizeof pointers));
    IS(cudaSuccess, cudaMemcpy(stored, &pointers, sizeof pointers, cudaMemcpyDefault));
    IS(5, managed);
    managed = 2;
    indirect<<<1, 64, sizeof host>>>(stored, 64);
    IS(cudaSuccess, cudaDeviceSynchronize());
    IS(cudaSuccess, cudaMemcpy2D(back, 32, to, 32, 32, 8, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        IS(2 * (63 - i), back[i]);
    IS(cudaSuccess, cudaFree(from));
    IS(cudaErrorInvalidValue, cudaFree(from));
    IS(cudaErrorInvalidValue, cudaGetLastError());
    IS(cudaSuccess, cudaGetLastError());
}

static void check_launches()
{
    cudaDeviceProp properties;
    cudaFuncAttributes attributes;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    float ms = -1;
    int blocks = 0;
    IS(cudaSuccess, cudaGetDeviceProperties(&properties, 0));
    IS(32, properties.warpSize);
    IS(cudaSuccess, cudaFuncGetAttributes(&attributes, copy));
    IS(1024, attributes.maxThreadsPerBlock);
    IS(cudaSuccess, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, copy, 1024, 0));
    IS(properties.maxThreadsPerMultiProcessor / 1024, blocks);
    greet<<<1, 2048>>>(1);
    IS(cudaErrorInvalidConfiguration, cudaGetLastError());
    IS(cudaSuccess, cudaFuncSetAttribute(indirect, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         (int)properties.sharedMemPerBlockOptin));
    IS(cudaSuccess, cudaStreamCreate(&stream));
    IS(cudaSuccess, cudaEventCreate(&begin));
    IS(cudaSuccess, cudaEventCreate(&end));
    IS(cudaSuccess, cudaEventRecord(begin, stream));
    greet<<<1, 1, 0, stream>>>(1);
    IS(cudaSuccess, cudaEventRecord(end, stream));
    IS(cudaSuccess, cudaStreamSynchronize(stream));
    IS(cudaSuccess, cudaEventElapsedTime(&ms, begin, end));
    IS(1, ms > 0);
}

int main(int argc, char **)
{
    if (argc == 1) {
        check_memory();
        check_launches();
        return failures;
    }
    int *to;
    cudaMalloc(&to, 64 * sizeof *to);
    race<<<1, 64>>>(to);
    return cudaDeviceSynchronize() != cudaSuccess;
}
