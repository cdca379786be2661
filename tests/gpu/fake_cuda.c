/* A CUDA runtime made of host memory. The real calls' contracts are in the CUDA Runtime API manual;
   the figures are an H200's. */
#include "config.h"

#include "fake_cuda.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SM_COUNT = 132, DEFAULT_SMEM = 49152, OPT_IN_SMEM = 232448 };

struct fake_cuda fake_cuda;

struct CUkern_st {
    char name[64];
    int max_dynamic_smem_bytes;
};

void fake_cuda_reset(void)
{
    fake_cuda = (struct fake_cuda){
        .device_count = 1,
        .major = 9,
        .regs_per_thread = 16,
        .api_blocks_per_sm = 8,
        .resident_blocks = 8,
        .free_bytes = (size_t)1 << 30,
        .carveout_percent = -2,
    };
}

static cudaError_t ends(cudaError_t code)
{
    if (code != cudaSuccess)
        fake_cuda.last_error = code;
    return code;
}

/* --- Devices ---------------------------------------------------------------------------------- */

cudaError_t cudaGetLastError(void)
{
    cudaError_t code = fake_cuda.last_error;
    fake_cuda.last_error = fake_cuda.crash; /* a crash is never cleared */
    return code;
}

const char *cudaGetErrorName(cudaError_t code)
{
    return code == cudaErrorInvalidValue           ? "cudaErrorInvalidValue"
           : code == cudaErrorInvalidConfiguration ? "cudaErrorInvalidConfiguration"
                                                   : "cudaErrorOther";
}

const char *cudaGetErrorString(cudaError_t code)
{
    return code == cudaErrorInvalidValue ? "invalid argument" : "as the test wants it";
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = fake_cuda.device_count;
    return ends(fake_cuda.device_count_error);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 12040;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 13000;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return ends(device < fake_cuda.device_count ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    *properties = (struct cudaDeviceProp){
        .name = "NVIDIA H200",
        .uuid = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, (char)(0xf0 + device)}},
        .totalGlobalMem = 150109945856,
        .sharedMemPerBlock = DEFAULT_SMEM,
        .regsPerBlock = 65536,
        .warpSize = 32,
        .maxThreadsPerBlock = 1024,
        .maxGridSize = {INT_MAX, 65535, 65535},
        .major = fake_cuda.major,
        .minor = fake_cuda.minor,
        .multiProcessorCount = SM_COUNT,
        .l2CacheSize = 62914560,
        .maxThreadsPerMultiProcessor = 2048,
        .sharedMemPerMultiprocessor = 233472,
        .regsPerMultiprocessor = 65536,
        .sharedMemPerBlockOptin = OPT_IN_SMEM,
        .maxBlocksPerMultiProcessor = 32,
        .reservedSharedMemPerBlock = 1024,
    };
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)device;
    *value = attribute == cudaDevAttrClockRate              ? 1980000
             : attribute == cudaDevAttrMemoryClockRate      ? 3201000
             : attribute == cudaDevAttrGlobalMemoryBusWidth ? 6016
                                                            : 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device)
{
    snprintf(id, (size_t)length, "0000:00:%02x.0", device);
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return ends(fake_cuda.crash);
}

/* --- Memory ----------------------------------------------------------------------------------- */

cudaError_t cudaMemGetInfo(size_t *available, size_t *installed)
{
    *available = *installed = fake_cuda.free_bytes;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    *memory = malloc(bytes);
    if (!*memory)
        return ends(cudaErrorMemoryAllocation);
    fake_cuda.allocations++;
    return cudaSuccess;
}

cudaError_t cudaFree(void *memory)
{
    if (memory)
        fake_cuda.allocations--;
    free(memory);
    return cudaSuccess;
}

/* Nothing crashes before a kernel was launched. */
static cudaError_t crash(void)
{
    return fake_cuda.launches > 0 ? fake_cuda.crash : cudaSuccess;
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    memset(memory, value, bytes);
    return ends(crash());
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    (void)kind;
    memcpy(to, from, bytes);
    return ends(crash());
}

/* --- Kernels ---------------------------------------------------------------------------------- */

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                enum cudaJitOption *jit_options, void **jit_values,
                                unsigned jit_count, enum cudaLibraryOption *options, void **values,
                                unsigned count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    if (fake_cuda.load_error != cudaSuccess)
        return ends(fake_cuda.load_error);
    if (memcmp(code, "\177ELF", 4) != 0)
        return ends(cudaErrorInvalidSource);
    *library = calloc(1, sizeof(struct CUkern_st));
    fake_cuda.libraries++;
    return cudaSuccess;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    free(library);
    fake_cuda.libraries--;
    return cudaSuccess;
}

/* A library holds one kernel and is that kernel. */
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    *kernel = (cudaKernel_t)library;
    snprintf((*kernel)->name, sizeof(*kernel)->name, "%s", name);
    (*kernel)->max_dynamic_smem_bytes = DEFAULT_SMEM - fake_cuda.static_smem_bytes;
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    const struct CUkern_st *kernel = function;
    *attributes = (struct cudaFuncAttributes){
        .numRegs = fake_cuda.regs_per_thread,
        .sharedSizeBytes = (size_t)fake_cuda.static_smem_bytes,
        .maxThreadsPerBlock = 1024,
        .maxDynamicSharedSizeBytes = kernel->max_dynamic_smem_bytes,
    };
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    struct CUkern_st *kernel = (struct CUkern_st *)(uintptr_t)function;
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
        fake_cuda.carveout_percent = value;
        return cudaSuccess;
    }
    if (value + fake_cuda.static_smem_bytes > OPT_IN_SMEM)
        return ends(cudaErrorInvalidValue);
    kernel->max_dynamic_smem_bytes = value;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int threads, size_t dynamic_smem_bytes)
{
    const struct CUkern_st *kernel = function;
    bool fits = dynamic_smem_bytes <= (size_t)kernel->max_dynamic_smem_bytes && threads <= 1024;
    *blocks = fits ? fake_cuda.api_blocks_per_sm : 0;
    return cudaSuccess;
}

static void run_stencil(void **arguments)
{
    const int *input = *(int **)arguments[0];
    int *output = *(int **)arguments[1];
    long long outputs = *(long long *)arguments[2];
    int radius = *(int *)arguments[3];
    for (long long i = 0; i < outputs; i++) {
        output[i] = 0;
        for (int k = 0; k <= 2 * radius; k++)
            output[i] += input[i + k];
    }
    if (fake_cuda.wrong_result)
        output[outputs / 2]++;
}

/* A person's own kernel. */
static void run_twice(void **arguments)
{
    int *values = *(int **)arguments[0];
    int count = *(int *)arguments[1];
    for (int i = 0; i < count; i++)
        values[i] *= 2;
    if (fake_cuda.wrong_result)
        values[count / 2]++;
}

/* All SMs but one reach the number. */
static void run_residency(void **arguments)
{
    uint32_t *peak = *(uint32_t **)arguments[1];
    for (int i = 0; i < SM_COUNT; i++)
        peak[i] = fake_cuda.resident_blocks - (i == 0);
    fake_cuda.probe_launches++;
}

/* clocks, nanoseconds, address: a million nanoseconds at 1500 MHz, whatever was to be done. */
static void run_ceiling(void **arguments)
{
    uint64_t *sight = *(uint64_t **)arguments[0];
    sight[0] = 1500000;
    sight[1] = 1000000;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t dynamic_smem_bytes, cudaStream_t stream)
{
    const struct CUkern_st *kernel = function;
    (void)grid, (void)stream;
    fake_cuda.launches++;
    fake_cuda.last_dynamic_smem_bytes = (unsigned)dynamic_smem_bytes;
    while (fake_cuda.hangs)
        pause();
    if (fake_cuda.launch_error != cudaSuccess)
        return ends(fake_cuda.launch_error);
    if (block.x * block.y * block.z > 1024)
        return ends(cudaErrorInvalidConfiguration);
    if (dynamic_smem_bytes > (size_t)kernel->max_dynamic_smem_bytes)
        return ends(cudaErrorInvalidValue);
    if (strcmp(kernel->name, "residency") == 0)
        run_residency(arguments);
    else if (strcmp(kernel->name, "stencil_dynamic") == 0)
        run_stencil(arguments);
    else if (strcmp(kernel->name, "twice") == 0)
        run_twice(arguments);
    else if (strncmp(kernel->name, "ceiling_", 8) == 0 && arguments)
        run_ceiling(arguments);
    return cudaSuccess;
}

/* --- Events: a launch takes two milliseconds ---------------------------------------------------
 */

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = malloc(1);
    fake_cuda.events++;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    fake_cuda.events--;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)event, (void)stream;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    (void)from, (void)to;
    *ms = 2;
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    (void)event;
    if (fake_cuda.never_ends)
        return ends(cudaErrorNotReady);
    return ends(fake_cuda.crash);
}
