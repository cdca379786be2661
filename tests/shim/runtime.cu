// A program of CUDA's runtime that checks what it gets; the exit status is the number of things that
// are not as on a GPU. With an argument, race or wild, it does that wrong.
#include <cstdio>
#include <cstdlib>
#include <cstring>

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

__global__ void sample(cudaTextureObject_t flat, cudaTextureObject_t pitched,
                       cudaTextureObject_t linear, cudaTextureObject_t layered, float *to)
{
    to[0] = tex2D<float>(flat, 1.0f / 4, 1.0f / 4); // between four texels
    to[1] = tex2D<float>(pitched, 2.5f, 1.5f);
    to[2] = tex1Dfetch<float>(linear, 5);
    to[3] = tex1Dfetch<float>(linear, 6); // outside
    to[4] = tex2DLayered<float>(layered, 0.5f, 1.5f, 2);
}

__global__ void draw(cudaSurfaceObject_t surface)
{
    surf2Dwrite(10.0f * threadIdx.y + threadIdx.x, surface, (int)sizeof(float) * threadIdx.x,
                threadIdx.y);
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &resource, cudaTextureFilterMode filter,
                                      bool normalized)
{
    cudaTextureObject_t texture = 0;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = filter;
    description.normalizedCoords = normalized;
    IS(cudaSuccess, cudaCreateTextureObject(&texture, &resource, &description, NULL));
    return texture;
}

static void check_copies_of_arrays(cudaArray_t flat, cudaArray_t layered, const float *host)
{
    float back[24] = {};
    cudaExtent extent;
    cudaChannelFormatDesc channels;
    cudaMemcpy3DParms plan = {};
    IS(cudaSuccess, cudaMemcpy2DToArray(flat, 0, 0, host, 16, 16, 4, cudaMemcpyHostToDevice));
    IS(cudaErrorInvalidValue,
       cudaMemcpy2DToArray(flat, 4, 0, host, 16, 16, 4, cudaMemcpyHostToDevice));
    cudaGetLastError();
    IS(cudaSuccess, cudaArrayGetInfo(&channels, &extent, NULL, layered));
    IS(32, channels.x);
    IS(3, extent.depth);
    plan.srcPtr = make_cudaPitchedPtr((void *)host, 4 * sizeof(float), 4, 2);
    plan.dstArray = layered;
    plan.extent = make_cudaExtent(4, 2, 3);
    plan.kind = cudaMemcpyHostToDevice;
    IS(cudaSuccess, cudaMemcpy3D(&plan));
    IS(cudaSuccess, cudaMemcpy2DFromArray(back, 8, flat, 4, 1, 8, 2, cudaMemcpyDeviceToHost));
    IS(host[5], back[0]);
    IS(host[10], back[3]);
}

static void check_arrays()
{
    float host[24], back[16], *pitched, *linear, *to;
    size_t pitch;
    cudaArray_t flat, layered;
    cudaSurfaceObject_t surface;
    cudaResourceDesc resource = {};
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    for (int i = 0; i < 24; i++)
        host[i] = (float)(i * i);
    IS(cudaSuccess, cudaMallocArray(&flat, &channels, 4, 4, cudaArraySurfaceLoadStore));
    IS(cudaSuccess,
       cudaMalloc3DArray(&layered, &channels, make_cudaExtent(4, 2, 3), cudaArrayLayered));
    IS(cudaSuccess, cudaMallocPitch(&pitched, &pitch, 16, 4));
    IS(cudaSuccess, cudaMalloc(&linear, 8 * sizeof *linear));
    IS(cudaSuccess, cudaMalloc(&to, sizeof back));
    check_copies_of_arrays(flat, layered, host);
    IS(cudaSuccess, cudaMemcpy2D(pitched, pitch, host, 16, 16, 4, cudaMemcpyHostToDevice));
    IS(cudaSuccess, cudaMemcpy(linear, host, 8 * sizeof *linear, cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = layered;
    const cudaTextureObject_t layers = texture_of(resource, cudaFilterModePoint, false);
    resource.res.array.array = flat;
    const cudaTextureObject_t smooth = texture_of(resource, cudaFilterModeLinear, true);
    IS(cudaSuccess, cudaCreateSurfaceObject(&surface, &resource));
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {pitched, channels, 4, 4, pitch};
    const cudaTextureObject_t rows = texture_of(resource, cudaFilterModePoint, false);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {linear, channels, 6 * sizeof *linear};
    const cudaTextureObject_t line = texture_of(resource, cudaFilterModePoint, false);
    sample<<<1, 1>>>(smooth, rows, line, layers, to);
    IS(cudaSuccess, cudaMemcpy(back, to, sizeof back, cudaMemcpyDeviceToHost));
    IS((host[0] + host[1] + host[4] + host[5]) * 4 / 4, back[0] * 4);
    IS(host[6], back[1]);
    IS(host[5], back[2]);
    IS(0, back[3]);
    IS(host[2 * 8 + 4], back[4]);
    draw<<<1, dim3(4, 4)>>>(surface);
    IS(cudaSuccess, cudaMemcpyFromArray(back, flat, 0, 0, sizeof back, cudaMemcpyDeviceToHost));
    IS(23, back[2 * 4 + 3]);
    IS(cudaSuccess, cudaDestroyTextureObject(smooth));
    IS(cudaSuccess, cudaDestroySurfaceObject(surface));
    IS(cudaSuccess, cudaFreeArray(flat));
    IS(cudaSuccess, cudaFreeArray(layered));
}

__global__ void add(int *to, int amount)
{
    to[threadIdx.x] += amount;
}

static void count(void *counter)
{
    ++*(int *)counter;
}

// A second stream takes part in the capture between the two events.
static void check_capture(int *memory)
{
    int host[32] = {}, counted = 0, status;
    cudaStream_t first, second;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCaptureStatus capturing;
    IS(cudaSuccess, cudaStreamCreate(&first));
    IS(cudaSuccess, cudaStreamCreate(&second));
    IS(cudaSuccess, cudaEventCreate(&fork));
    IS(cudaSuccess, cudaEventCreate(&join));
    IS(cudaErrorStreamCaptureUnsupported,
       cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));
    cudaGetLastError();
    IS(cudaSuccess, cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    IS(cudaSuccess, cudaMemsetAsync(memory, 0, sizeof host, first));
    for (int i = 1; i <= 2; i++) // its argument is copied
        add<<<1, 32, 0, first>>>(memory, i);
    IS(cudaSuccess, cudaEventRecord(fork, first));
    IS(cudaSuccess, cudaStreamWaitEvent(second, fork, 0));
    add<<<1, 32, 0, second>>>(memory, 10);
    IS(cudaSuccess, cudaStreamIsCapturing(second, &capturing));
    IS(cudaStreamCaptureStatusActive, capturing);
    IS(cudaSuccess, cudaEventRecord(join, second));
    IS(cudaSuccess, cudaStreamWaitEvent(first, join, 0));
    IS(cudaSuccess,
       cudaMemcpyAsync(host, memory, sizeof host, cudaMemcpyDeviceToHost, first));
    IS(cudaSuccess, cudaLaunchHostFunc(first, count, &counted));
    IS(cudaSuccess, cudaStreamEndCapture(first, &graph));
    IS(cudaSuccess, cudaStreamSynchronize(first));
    IS(0, counted);
    IS(0, host[5]);
    IS(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
    IS(cudaSuccess, cudaGraphDestroy(graph));
    for (status = 0; status < 3; status++)
        IS(cudaSuccess, cudaGraphLaunch(exec, first));
    IS(cudaSuccess, cudaStreamSynchronize(first));
    IS(3, counted);
    IS(13, host[5]);
    IS(cudaSuccess, cudaGraphExecDestroy(exec));
    IS(cudaErrorIllegalState, cudaStreamEndCapture(first, &graph));
    cudaGetLastError();
}

// The order in which nodes were added is not that in which they run.
static void check_nodes(int *memory)
{
    int host[32] = {}, amount = 4, counted = 0;
    size_t nodes = 0;
    void *arguments[] = {&memory, &amount};
    cudaGraph_t graph, all;
    cudaGraphNode_t out, sum, zero, called;
    cudaGraphExec_t exec;
    cudaKernelNodeParams kernel = {};
    cudaMemsetParams zeros = {};
    cudaHostNodeParams call = {count, &counted};
    kernel.func = (void *)add;
    kernel.gridDim = 1;
    kernel.blockDim = 32;
    kernel.kernelParams = arguments;
    zeros.dst = memory;
    zeros.value = 100;
    zeros.elementSize = 4;
    zeros.width = 32;
    zeros.height = 1;
    IS(cudaSuccess, cudaGraphCreate(&graph, 0));
    IS(cudaSuccess, cudaGraphAddMemcpyNode1D(&out, graph, NULL, 0, host, memory, sizeof host,
                                             cudaMemcpyDeviceToHost));
    IS(cudaSuccess, cudaGraphAddMemsetNode(&zero, graph, NULL, 0, &zeros));
    IS(cudaSuccess, cudaGraphAddKernelNode(&sum, graph, &zero, 1, &kernel));
    IS(cudaSuccess, cudaGraphAddHostNode(&called, graph, &out, 1, &call));
#if CUDART_VERSION >= 13000
    IS(cudaSuccess, cudaGraphAddDependencies(graph, &sum, &out, NULL, 1));
#else
    IS(cudaSuccess, cudaGraphAddDependencies(graph, &sum, &out, 1));
#endif
    IS(cudaSuccess, cudaGraphGetNodes(graph, NULL, &nodes));
    IS(4, nodes);
    IS(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
    IS(cudaSuccess, cudaGraphLaunch(exec, 0));
    IS(cudaSuccess, cudaDeviceSynchronize());
    IS(104, host[31]);
    amount = 7;
    IS(cudaSuccess, cudaGraphExecKernelNodeSetParams(exec, sum, &kernel));
    IS(cudaSuccess, cudaGraphLaunch(exec, 0));
    IS(107, host[31]);
    IS(2, counted);
    IS(cudaSuccess, cudaGraphCreate(&all, 0));
    IS(cudaSuccess, cudaGraphAddChildGraphNode(&out, all, NULL, 0, graph));
    IS(cudaSuccess, cudaGraphExecDestroy(exec));
    IS(cudaSuccess, cudaGraphInstantiate(&exec, all, 0));
    IS(cudaSuccess, cudaGraphLaunch(exec, 0));
    IS(104, host[31]);
    IS(cudaSuccess, cudaGraphDestroy(graph));
    IS(cudaSuccess, cudaGraphDestroy(all));
    IS(cudaSuccess, cudaGraphExecDestroy(exec));
}

static void check_graphs()
{
    int *memory;
    IS(cudaSuccess, cudaMalloc(&memory, 32 * sizeof *memory));
    check_capture(memory);
    check_nodes(memory);
    IS(cudaSuccess, cudaFree(memory));
}

__device__ int *remains;

__global__ void allocate(int value)
{
    remains = (int *)malloc(sizeof *remains);
    *remains = value;
}

__global__ void release(int *to)
{
    *to = *remains;
    free(remains);
}

// What a kernel allocates is there for the next.
static void check_heap()
{
    int *to, seen = 0;
    IS(cudaSuccess, cudaMalloc(&to, sizeof *to));
    allocate<<<1, 1>>>(42);
    release<<<1, 1>>>(to);
    IS(cudaSuccess, cudaMemcpy(&seen, to, sizeof seen, cudaMemcpyDeviceToHost));
    IS(42, seen);
    IS(cudaSuccess, cudaFree(to));
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
    IS(CUDART_VERSION < 13000 ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue,
       cudaGetLastError());
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

// What a kernel did wrong stays, and comes before a wrong shape of a later launch.
static void check_wild()
{
    add<<<1, 32>>>((int *)64, 1);
    IS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    cudaGetLastError();
    add<<<1, 2048>>>((int *)64, 1);
    IS(cudaErrorIllegalAddress, cudaGetLastError());
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        check_memory();
        check_arrays();
        check_graphs();
        check_heap();
        check_launches();
        return failures;
    }
    if (strcmp(argv[1], "wild") == 0) {
        check_wild();
        return failures > 0 ? 99 : 0;
    }
    int *to;
    cudaMalloc(&to, 64 * sizeof *to);
    race<<<1, 64>>>(to);
    return cudaDeviceSynchronize() != cudaSuccess;
}
