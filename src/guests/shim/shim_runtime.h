/* The runtime's files: the driver's calls that they make, and what they share. */
#ifndef SMC_GUESTS_SHIM_RUNTIME_H
#define SMC_GUESTS_SHIM_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guests/shim/api.h"

/* The declarations of the calls are in CUDA's headers, which are not included. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* Notes a failure of this call for cudaGetLastError, and returns it. */
int shim_noted_in(const char *call, int error);
#define shim_noted(error) shim_noted_in(__func__, error)

/* The driver's, for errors that the program does not look at. */
int cuSmemcalcRefused(int, int);
int cuSmemcalcFailed(const char *, int);
int cuSmemcalcLooked(void);

/* Initializes the driver in this thread. */
int shim_start(void);

#define START()                                                                                    \
    do {                                                                                           \
        const int started = shim_start();                                                          \
        if (started != SHIM_SUCCESS)                                                               \
            return shim_noted(started);                                                            \
    } while (0)

/* A call that is one of the driver. */
#define API_FORWARDS(name, parameters, call)                                                       \
    API name parameters                                                                            \
    {                                                                                              \
        START();                                                                                   \
        return shim_noted(call);                                                                   \
    }

/* The same with `full`, what the program passes as a structure of the driver. */
#define API_IN_DRIVER(name, parameters, type, convert, call)                                       \
    API name parameters                                                                            \
    {                                                                                              \
        struct type full;                                                                          \
        START();                                                                                   \
        const int error = convert;                                                                 \
        return shim_noted(error != SHIM_SUCCESS ? error : call);                                   \
    }

/* A pointer as the driver's functions accept it. */
static inline uint64_t shim_address(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

/* The place `offset` bytes into a variable of the device, of which `count` are within it. */
int shim_place_in(const void *symbol, size_t count, size_t offset, char **at);

/* The driver's function for the stub that a program has for a kernel. */
int shim_find_function(const void *stub, void **function);

/* What copies are between. By address: each end is what its address is of. */
enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_ADDRESS };

/* A copy of three dimensions, as the runtime's functions accept it. */
struct shim_extent {
    size_t width, height, depth;
};

struct shim_pitched {
    void *at;
    size_t pitch, width, height;
};

struct shim_runtime_copy {
    void *from_array;
    size_t from_x, from_y, from_z;
    struct shim_pitched from;
    void *to_array;
    size_t to_x, to_y, to_z;
    struct shim_pitched to;
    struct shim_extent extent;
    int kind;
};

int shim_copy_in_driver(const struct shim_runtime_copy *plan, struct shim_copy_3d *out);

/* The driver's calls. */
int cuInit(uint32_t);
int cuDriverGetVersion(int *);
int cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);
int cuDeviceGetName(char *, int, int);
int cuDeviceGetAttribute(int *, int, int);
int cuDeviceTotalMem_v2(size_t *, int);
int cuDevicePrimaryCtxRetain(void **, int);
int cuDevicePrimaryCtxReset_v2(int);
int cuCtxSetCurrent(void *);
int cuCtxSynchronize(void);
int cuCtxSetLimit(int, size_t);
int cuCtxGetLimit(size_t *, int);
int cuCtxGetStreamPriorityRange(int *, int *);
int cuModuleLoadFatBinary(void **, const void *);
int cuModuleGetFunction(void **, void *, const char *);
int cuModuleGetGlobal_v2(uint64_t *, size_t *, void *, const char *);
int cuFuncGetAttribute(int *, int, void *);
int cuFuncSetAttribute(void *, int, int);
int cuFuncSetCacheConfig(void *, int);
int cuLaunchKernelEx(const struct shim_launch_config *, void *, void **, void **);
int cuLaunchHostFunc(void *, void (*)(void *), void *);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, void *, int, size_t);
int cuOccupancyAvailableDynamicSMemPerBlock(size_t *, void *, int, int);
int cuOccupancyMaxActiveClusters(int *, void *, const struct shim_launch_config *);
int cuOccupancyMaxPotentialClusterSize(int *, void *, const struct shim_launch_config *);
int cuMemAlloc_v2(uint64_t *, size_t);
int cuMemAllocAsync(uint64_t *, size_t, void *);
int cuMemFreeAsync(uint64_t, void *);
int cuMemAllocManaged(uint64_t *, size_t, uint32_t);
int cuMemAllocPitch_v2(uint64_t *, size_t *, size_t, size_t, uint32_t);
int cuMemFree_v2(uint64_t);
int cuMemHostAlloc(void **, size_t, uint32_t);
int cuMemFreeHost(void *);
int cuMemHostGetDevicePointer_v2(uint64_t *, void *, uint32_t);
int cuMemHostGetFlags(uint32_t *, void *);
int cuMemHostRegister_v2(void *, size_t, uint32_t);
int cuMemHostUnregister(void *);
int cuMemGetInfo_v2(size_t *, size_t *);
int cuMemcpyAsync(uint64_t, uint64_t, size_t, void *);
int cuMemcpyHtoDAsync_v2(uint64_t, const void *, size_t, void *);
int cuMemcpyDtoHAsync_v2(void *, uint64_t, size_t, void *);
int cuMemcpyDtoDAsync_v2(uint64_t, uint64_t, size_t, void *);
int cuMemsetD8Async(uint64_t, uint8_t, size_t, void *);
int cuMemsetD2D8Async(uint64_t, size_t, uint8_t, size_t, size_t, void *);
int cuMemsetD8_v2(uint64_t, uint8_t, size_t);
int cuMemsetD2D8_v2(uint64_t, size_t, uint8_t, size_t, size_t);
int cuPointerGetAttribute(void *, int, uint64_t);
int cuMemPrefetchAsync(uint64_t, size_t, int, void *);
int cuMemAdvise(uint64_t, size_t, int, int);
int cuArray3DCreate_v2(void **, const struct shim_array_3d *);
int cuArray3DGetDescriptor_v2(struct shim_array_3d *, const void *);
int cuArrayDestroy(void *);
int cuMemcpy3D_v2(const struct shim_copy_3d *);
int cuMemcpy3DAsync_v2(const struct shim_copy_3d *, void *);
int cuMemcpyHtoA_v2(void *, size_t, const void *, size_t);
int cuMemcpyAtoH_v2(void *, void *, size_t, size_t);
int cuMemcpyDtoA_v2(void *, size_t, uint64_t, size_t);
int cuMemcpyAtoD_v2(uint64_t, void *, size_t, size_t);
int cuTexObjectCreate(uint64_t *, const struct shim_resource *, const struct shim_texture *,
                      const void *);
int cuTexObjectDestroy(uint64_t);
int cuSurfObjectCreate(uint64_t *, const struct shim_resource *);
int cuSurfObjectDestroy(uint64_t);
int cuStreamCreateWithPriority(void **, uint32_t, int);
int cuStreamDestroy_v2(void *);
int cuStreamSynchronize(void *);
int cuStreamWaitEvent(void *, void *, uint32_t);
int cuStreamGetFlags(void *, uint32_t *);
int cuStreamGetPriority(void *, int *);
int cuStreamAddCallback(void *, void (*)(void *, int, void *), void *, uint32_t);
int cuGraphCreate(void **, uint32_t);
int cuGraphDestroy(void *);
int cuGraphClone(void **, const void *);
int cuGraphInstantiateWithFlags(void **, const void *, uint64_t);
int cuGraphExecDestroy(void *);
int cuGraphExecUpdate_v2(void *, const void *, struct shim_graph_update *);
int cuGraphExecKernelNodeSetParams_v2(void *, const void *, const struct shim_kernel_node *);
int cuGraphLaunch(const void *, void *);
int cuGraphUpload(void *, void *);
int cuGraphGetNodes(const void *, void **, size_t *);
int cuGraphGetRootNodes(const void *, void **, size_t *);
int cuGraphNodeGetType(const void *, int *);
int cuGraphAddDependencies(void *, void *const *, void *const *, size_t);
int cuGraphAddKernelNode_v2(void **, void *, void *const *, size_t,
                            const struct shim_kernel_node *);
int cuGraphAddMemcpyNode(void **, void *, void *const *, size_t, const struct shim_copy_3d *,
                         void *);
int cuGraphAddMemsetNode(void **, void *, void *const *, size_t, const struct shim_fill *, void *);
int cuGraphAddHostNode(void **, void *, void *const *, size_t, const struct shim_host_call *);
int cuGraphAddEmptyNode(void **, void *, void *const *, size_t);
int cuGraphAddChildGraphNode(void **, void *, void *const *, size_t, const void *);
int cuStreamBeginCapture_v2(const void *, int);
int cuStreamEndCapture(const void *, void **);
int cuStreamIsCapturing(const void *, int *);
int cuThreadExchangeStreamCaptureMode(int *);
int cuMemcpyPeerAsync(uint64_t, void *, uint64_t, void *, size_t, void *);
int cuStreamAttachMemAsync(void *, uint64_t, size_t, unsigned);
int cuCtxSetCacheConfig(int);
int cuMemPoolTrimTo(void *, size_t);
int cuEventCreate(void **, uint32_t);
int cuEventRecord(void *, void *);
int cuEventSynchronize(void *);
int cuEventQuery(void *);
int cuEventElapsedTime(float *, void *, void *);
int cuEventDestroy_v2(void *);

#endif
