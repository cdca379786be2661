/* What src/guests/shim declares of CUDA's runtime against the installed headers; without them there
   is nothing to compare. */
#include <stdio.h>

#ifdef HAVE_CUDA_RUNTIME_HEADERS
#include <cuda.h>
#include <cuda_runtime_api.h>

#define SHIM_RUNTIME (CUDART_VERSION / 1000)
#include "guests/shim/api.h"
#include "guests/shim/properties.h"

static int failures;

static void same(const char *what, size_t ours, size_t theirs)
{
    if (ours == theirs)
        return;
    printf("%s: %zu, but CUDA's headers say %zu\n", what, ours, theirs);
    failures++;
}

#define PLACE(ours, theirs)                                                                        \
    same(#theirs, offsetof(struct shim_properties, ours), offsetof(struct cudaDeviceProp, theirs))

static void compare_properties(void)
{
    same("sizeof(cudaDeviceProp)", sizeof(struct shim_properties), sizeof(struct cudaDeviceProp));
    PLACE(global_mem_bytes, totalGlobalMem);
    PLACE(regs_per_block, regsPerBlock);
    PLACE(grid, maxGridSize);
    PLACE(major, major);
    PLACE(sm_count, multiProcessorCount);
    PLACE(maps_host_memory, canMapHostMemory);
    PLACE(surface_align, surfaceAlignment);
    PLACE(concurrent_kernels, concurrentKernels);
    PLACE(engines, asyncEngineCount);
    PLACE(memory_bus_bits, memoryBusWidth);
    PLACE(l2_bytes, l2CacheSize);
    PLACE(smem_per_sm_bytes, sharedMemPerMultiprocessor);
    PLACE(managed_memory, managedMemory);
    PLACE(concurrent_managed, concurrentManagedAccess);
    PLACE(cooperative_launch, cooperativeLaunch);
    PLACE(smem_per_block_optin_bytes, sharedMemPerBlockOptin);
    PLACE(blocks_per_sm, maxBlocksPerMultiProcessor);
    PLACE(smem_reserved_per_block_bytes, reservedSharedMemPerBlock);
    PLACE(memory_pools, memoryPoolsSupported);
    PLACE(clusters, clusterLaunch);
}

/* An error must have the number, the name and the text that programs compare. */
static void compare_errors(void)
{
    static const struct {
        const char *name;
        int ours, theirs;
    } errors[] = {
        {"invalid value", SHIM_INVALID_VALUE, cudaErrorInvalidValue},
        {"out of memory", SHIM_OUT_OF_MEMORY, cudaErrorMemoryAllocation},
        {"invalid configuration", SHIM_INVALID_CONFIGURATION, cudaErrorInvalidConfiguration},
        {"invalid symbol", SHIM_INVALID_SYMBOL, cudaErrorInvalidSymbol},
        {"invalid direction", SHIM_INVALID_DIRECTION, cudaErrorInvalidMemcpyDirection},
        {"invalid device function", SHIM_INVALID_DEVICE_FUNCTION, cudaErrorInvalidDeviceFunction},
        {"no binary", SHIM_NO_BINARY, cudaErrorNoKernelImageForDevice},
        {"file not found", SHIM_FILE_NOT_FOUND, cudaErrorFileNotFound},
        {"invalid handle", SHIM_INVALID_HANDLE, cudaErrorInvalidResourceHandle},
        {"not found", SHIM_NOT_FOUND, cudaErrorSymbolNotFound},
        {"not ready", SHIM_NOT_READY, cudaErrorNotReady},
        {"illegal address", SHIM_ILLEGAL_ADDRESS, cudaErrorIllegalAddress},
        {"out of resources", SHIM_OUT_OF_RESOURCES, cudaErrorLaunchOutOfResources},
        {"timeout", SHIM_TIMEOUT, cudaErrorLaunchTimeout},
        {"assert", SHIM_ASSERT, cudaErrorAssert},
        {"misaligned", SHIM_MISALIGNED, cudaErrorMisalignedAddress},
        {"launch failure", SHIM_LAUNCH_FAILED, cudaErrorLaunchFailure},
        {"cooperative", SHIM_COOPERATIVE_TOO_LARGE, cudaErrorCooperativeLaunchTooLarge},
        {"a cluster", SHIM_INVALID_CLUSTER, cudaErrorInvalidClusterSize},
        {"illegal state", SHIM_ILLEGAL_STATE, cudaErrorIllegalState},
        {"capture", SHIM_CAPTURE_UNSUPPORTED, cudaErrorStreamCaptureUnsupported},
        {"another stream's capture", SHIM_CAPTURE_UNMATCHED, cudaErrorStreamCaptureUnmatched},
        {"an update", SHIM_GRAPH_UPDATE, cudaErrorGraphExecUpdateFailure},
        {"not supported", SHIM_NOT_SUPPORTED, cudaErrorNotSupported},
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        same(errors[i].name, (size_t)errors[i].ours, (size_t)errors[i].theirs);
}

static void compare_device_attributes(void)
{
#define SHIM_DEVICE_ATTRIBUTE(name, number, value, member)                                         \
    same(#name, SHIM_DEVICE_##name, CU_DEVICE_ATTRIBUTE_##name);
#include "guests/shim/device_attributes.def"
}

static void compare_numbers(void)
{
    same("the stack's limit", SHIM_LIMIT_STACK_BYTES, CU_LIMIT_STACK_SIZE);
    same("the limit of printf", SHIM_LIMIT_PRINT_BYTES, CU_LIMIT_PRINTF_FIFO_SIZE);
    same("the heap's limit", SHIM_LIMIT_HEAP_BYTES, CU_LIMIT_MALLOC_HEAP_SIZE);
    same("the limit of nested launches", SHIM_LIMIT_SYNC_DEPTH, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH);
    same("the limit of launches", SHIM_LIMIT_PENDING_LAUNCHES,
         CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT);
    same("the limit of L2 fetches", SHIM_LIMIT_L2_FETCH_BYTES, CU_LIMIT_MAX_L2_FETCH_GRANULARITY);
    same("the limit of L2", SHIM_LIMIT_PERSISTING_L2_BYTES, CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
    same("equal caches", SHIM_CACHE_PREFER_EQUAL, CU_FUNC_CACHE_PREFER_EQUAL);
    same("banks of 4 bytes", SHIM_BANKS_4_BYTES, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
    same("banks of 8 bytes", SHIM_BANKS_8_BYTES, CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
    same("eager loading", SHIM_MODULES_EAGER, CU_MODULE_EAGER_LOADING);
    same("PTX that is linked", SHIM_LINK_PTX, CU_JIT_INPUT_PTX);
    same("the log", SHIM_LINK_INFO_LOG, CU_JIT_INFO_LOG_BUFFER);
    same("the log of errors", SHIM_LINK_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER);
    same("packed arguments", SHIM_EXTRA_BUFFER, (size_t)CU_LAUNCH_PARAM_BUFFER_POINTER);
    same("the size of packed arguments", SHIM_EXTRA_BYTES, (size_t)CU_LAUNCH_PARAM_BUFFER_SIZE);
    same("the legacy stream", SHIM_STREAM_LEGACY, (size_t)CU_STREAM_LEGACY);
    same("the thread's stream", SHIM_STREAM_PER_THREAD, (size_t)CU_STREAM_PER_THREAD);
    same("relaxed captures", SHIM_CAPTURE_MODE_RELAXED, CU_STREAM_CAPTURE_MODE_RELAXED);
    same("a pointer's context", SHIM_POINTER_CONTEXT, CU_POINTER_ATTRIBUTE_CONTEXT);
    same("a pointer's type", SHIM_POINTER_TYPE, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
    same("a device pointer", SHIM_POINTER_DEVICE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER);
    same("a host pointer", SHIM_POINTER_HOST, CU_POINTER_ATTRIBUTE_HOST_POINTER);
    same("managed memory", SHIM_POINTER_IS_MANAGED, CU_POINTER_ATTRIBUTE_IS_MANAGED);
    same("a pointer's device", SHIM_POINTER_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
    same("where memory begins", SHIM_POINTER_RANGE_START, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR);
    same("the size of memory", SHIM_POINTER_RANGE_BYTES, CU_POINTER_ATTRIBUTE_RANGE_SIZE);
    same("linear filters", SHIM_FILTER_LINEAR, CU_TR_FILTER_MODE_LINEAR);
}

static void compare_formats(void)
{
    same("u8", SHIM_FORMAT_U8, CU_AD_FORMAT_UNSIGNED_INT8);
    same("u16", SHIM_FORMAT_U16, CU_AD_FORMAT_UNSIGNED_INT16);
    same("u32", SHIM_FORMAT_U32, CU_AD_FORMAT_UNSIGNED_INT32);
    same("s8", SHIM_FORMAT_S8, CU_AD_FORMAT_SIGNED_INT8);
    same("s16", SHIM_FORMAT_S16, CU_AD_FORMAT_SIGNED_INT16);
    same("s32", SHIM_FORMAT_S32, CU_AD_FORMAT_SIGNED_INT32);
    same("f16", SHIM_FORMAT_F16, CU_AD_FORMAT_HALF);
    same("f32", SHIM_FORMAT_F32, CU_AD_FORMAT_FLOAT);
}

static void compare_rest(void)
{
    same("sizeof(CUDA_MEMCPY2D)", sizeof(struct shim_copy_2d), sizeof(CUDA_MEMCPY2D));
    same("CUDA_MEMCPY2D.Height", offsetof(struct shim_copy_2d, height),
         offsetof(CUDA_MEMCPY2D, Height));
    same("sizeof(CUDA_MEMCPY3D)", sizeof(struct shim_copy_3d), sizeof(CUDA_MEMCPY3D));
    same("CUDA_MEMCPY3D.dstArray", offsetof(struct shim_copy_3d, to.array),
         offsetof(CUDA_MEMCPY3D, dstArray));
    same("CUDA_MEMCPY3D.srcHeight", offsetof(struct shim_copy_3d, from.height),
         offsetof(CUDA_MEMCPY3D, srcHeight));
    same("sizeof(CUDA_ARRAY_DESCRIPTOR)", sizeof(struct shim_array_2d),
         sizeof(CUDA_ARRAY_DESCRIPTOR));
    same("sizeof(CUDA_ARRAY3D_DESCRIPTOR)", sizeof(struct shim_array_3d),
         sizeof(CUDA_ARRAY3D_DESCRIPTOR));
    same("sizeof(CUDA_RESOURCE_DESC)", sizeof(struct shim_resource), sizeof(CUDA_RESOURCE_DESC));
    same("CUDA_RESOURCE_DESC.pitchInBytes", offsetof(struct shim_resource, of.memory.pitch),
         offsetof(CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes));
    same("sizeof(CUDA_TEXTURE_DESC)", sizeof(struct shim_texture), sizeof(CUDA_TEXTURE_DESC));
    same("CUDA_TEXTURE_DESC.borderColor", offsetof(struct shim_texture, border),
         offsetof(CUDA_TEXTURE_DESC, borderColor));
    same("arrays", SHIM_MEMORY_TYPE_ARRAY, CU_MEMORYTYPE_ARRAY);
    same("pitched memory", SHIM_RESOURCE_PITCH, CU_RESOURCE_TYPE_PITCH2D);
    same("layers", SHIM_ARRAY_LAYERED, CUDA_ARRAY3D_LAYERED);
    same("normalized", SHIM_TEXTURE_NORMALIZED, CU_TRSF_NORMALIZED_COORDINATES);
    same("sizeof(CUDA_KERNEL_NODE_PARAMS)", sizeof(struct shim_kernel_node),
         sizeof(CUDA_KERNEL_NODE_PARAMS));
    same("cudaKernelNodeParams.extra", offsetof(struct shim_kernel_node, extra),
         offsetof(struct cudaKernelNodeParams, extra));
    same("sizeof(CUDA_MEMSET_NODE_PARAMS)", sizeof(struct shim_fill),
         sizeof(CUDA_MEMSET_NODE_PARAMS));
    same("sizeof(cudaMemsetParams)", sizeof(struct shim_fill), sizeof(struct cudaMemsetParams));
    same("sizeof(cudaHostNodeParams)", sizeof(struct shim_host_call),
         sizeof(struct cudaHostNodeParams));
    same("sizeof(cudaGraphExecUpdateResultInfo)", sizeof(struct shim_graph_update),
         sizeof(cudaGraphExecUpdateResultInfo));
    same("sizeof(CUlaunchAttribute)", sizeof(struct shim_attribute), sizeof(CUlaunchAttribute));
    same("sizeof(CUlaunchConfig)", sizeof(struct shim_launch_config), sizeof(CUlaunchConfig));
    same("sizeof(cudaLaunchConfig_t)", sizeof(struct shim_runtime_config),
         sizeof(cudaLaunchConfig_t));
    same("cooperative", SHIM_LAUNCH_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
    same("cluster", SHIM_LAUNCH_CLUSTER, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    same("dynamic shared memory", SHIM_FUNCTION_MAX_DYNAMIC_SMEM,
         CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    same("width of a cluster", SHIM_FUNCTION_CLUSTER_X, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
    same("large clusters", SHIM_FUNCTION_LARGE_CLUSTERS,
         CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
    same("carve-out", SHIM_FUNCTION_CARVEOUT, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
}

int main(void)
{
    compare_properties();
    compare_errors();
    compare_device_attributes();
    compare_numbers();
    compare_formats();
    compare_rest();
    if (failures == 0)
        puts("ok      the layouts are those of the headers");
    printf("%d passed, %d failed, 0 skipped\n", failures == 0, failures);
    return failures > 0;
}
#else
int main(void)
{
    puts("skipped the layouts: CUDA's headers are not installed\n0 passed, 0 failed, 1 skipped");
    return 77;
}
#endif
