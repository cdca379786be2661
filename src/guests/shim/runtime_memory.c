/* The runtime API: memory, streams and events. */
#include <string.h>

#include "guests/shim/shim_runtime.h"

/* Their declarations are in CUDA's headers, which are not included. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* --- Memory ----------------------------------------------------------------------------------- */

API cudaMalloc(void **memory, size_t bytes)
{
    uint64_t address = 0;
    START();
    if (!memory)
        return shim_noted(SHIM_INVALID_VALUE);
    const int error = bytes > 0 ? cuMemAlloc_v2(&address, bytes) : SHIM_SUCCESS;
    if (error == SHIM_SUCCESS)
        *memory = (void *)(uintptr_t)address;
    return shim_noted(error);
}

API cudaMallocAsync(void **memory, size_t bytes, void *stream)
{
    uint64_t address = 0;
    START();
    const int error = bytes > 0 ? cuMemAllocAsync(&address, bytes, stream) : SHIM_SUCCESS;
    if (error == SHIM_SUCCESS)
        *memory = (void *)(uintptr_t)address;
    return shim_noted(error);
}

API cudaMallocManaged(void **memory, size_t bytes, unsigned flags)
{
    uint64_t address = 0;
    START();
    const int error = cuMemAllocManaged(&address, bytes, flags);
    if (error == SHIM_SUCCESS)
        *memory = (void *)(uintptr_t)address;
    return shim_noted(error);
}

API cudaMallocPitch(void **memory, size_t *pitch, size_t width, size_t height)
{
    uint64_t address = 0;
    START();
    const int error = cuMemAllocPitch_v2(&address, pitch, width, height, 4);
    if (error == SHIM_SUCCESS)
        *memory = (void *)(uintptr_t)address;
    return shim_noted(error);
}

API cudaFree(void *memory)
{
    START();
    return shim_noted(cuMemFree_v2(shim_address(memory)));
}

API cudaFreeAsync(void *memory, void *stream)
{
    START();
    return shim_noted(cuMemFreeAsync(shim_address(memory), stream));
}

API cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    START();
    return shim_noted(cuMemHostAlloc(memory, bytes, flags));
}

API cudaMallocHost(void **memory, size_t bytes)
{
    return cudaHostAlloc(memory, bytes, 0);
}

API cudaFreeHost(void *memory)
{
    START();
    return shim_noted(cuMemFreeHost(memory));
}

API cudaHostGetDevicePointer(void **device, void *memory, unsigned flags)
{
    uint64_t address;
    START();
    const int error = cuMemHostGetDevicePointer_v2(&address, memory, flags);
    if (error == SHIM_SUCCESS)
        *device = (void *)(uintptr_t)address;
    return shim_noted(error);
}

API cudaHostGetFlags(unsigned *flags, void *memory)
{
    START();
    return shim_noted(cuMemHostGetFlags(flags, memory));
}

API cudaHostRegister(void *memory, size_t bytes, unsigned flags)
{
    START();
    return shim_noted(cuMemHostRegister_v2(memory, bytes, flags));
}

API cudaHostUnregister(void *memory)
{
    START();
    return shim_noted(cuMemHostUnregister(memory));
}

API cudaMemGetInfo(size_t *left, size_t *total)
{
    START();
    return shim_noted(cuMemGetInfo_v2(left, total));
}

/* A copy without a stream is in the default stream: every copy is over when its call returns. */
static int runtime_memory_copy(void *to, const void *from, size_t bytes, int kind, void *stream)
{
    switch (kind) {
    case HOST_TO_DEVICE:
        return cuMemcpyHtoDAsync_v2(shim_address(to), from, bytes, stream);
    case DEVICE_TO_HOST:
        return cuMemcpyDtoHAsync_v2(to, shim_address(from), bytes, stream);
    case DEVICE_TO_DEVICE:
        return cuMemcpyDtoDAsync_v2(shim_address(to), shim_address(from), bytes, stream);
    case HOST_TO_HOST:
    case BY_ADDRESS:
        return cuMemcpyAsync(shim_address(to), shim_address(from), bytes, stream);
    default:
        return SHIM_INVALID_DIRECTION;
    }
}

API cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    START();
    return shim_noted(runtime_memory_copy(to, from, bytes, kind, NULL));
}

API cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream)
{
    START();
    return shim_noted(runtime_memory_copy(to, from, bytes, kind, stream));
}

API cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    return cudaMemcpy(to, from, bytes, DEVICE_TO_DEVICE);
}

API cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                        void *stream)
{
    START();
    return shim_noted(
        cuMemcpyPeerAsync(shim_address(to), NULL, shim_address(from), NULL, bytes, stream));
}

/* Row by row, each of which is a node where the stream is captured. */
static int runtime_memory_copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                    size_t width, size_t height, int kind, void *stream)
{
    START();
    int error = SHIM_SUCCESS;
    if (width > to_pitch || width > from_pitch)
        return shim_noted(SHIM_INVALID_PITCH);
    for (size_t y = 0; y < height && error == SHIM_SUCCESS; y++)
        error = runtime_memory_copy((char *)to + y * to_pitch, (const char *)from + y * from_pitch,
                                    width, kind, stream);
    return shim_noted(error);
}

API cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                 size_t height, int kind)
{
    return runtime_memory_copy_rows(to, to_pitch, from, from_pitch, width, height, kind, NULL);
}

API cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                      size_t height, int kind, void *stream)
{
    return runtime_memory_copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream);
}

API cudaMemset(void *memory, int value, size_t bytes)
{
    START();
    return shim_noted(cuMemsetD8_v2(shim_address(memory), (uint8_t)value, bytes));
}

API cudaMemsetAsync(void *memory, int value, size_t bytes, void *stream)
{
    START();
    return shim_noted(cuMemsetD8Async(shim_address(memory), (uint8_t)value, bytes, stream));
}

API cudaMemset2D(void *memory, size_t pitch, int value, size_t width, size_t height)
{
    START();
    return shim_noted(cuMemsetD2D8_v2(shim_address(memory), pitch, (uint8_t)value, width, height));
}

API cudaMemset2DAsync(void *memory, size_t pitch, int value, size_t width, size_t height,
                      void *stream)
{
    START();
    return shim_noted(
        cuMemsetD2D8Async(shim_address(memory), pitch, (uint8_t)value, width, height, stream));
}

API cudaGetSymbolAddress(void **address, const void *symbol)
{
    char *at = NULL;
    const int error = shim_place_in(symbol, 0, 0, &at);
    if (error == SHIM_SUCCESS)
        *address = at;
    return shim_noted(error);
}

API cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
    char *at;
    const int error = shim_place_in(symbol, bytes, offset, &at);
    return shim_noted(error != SHIM_SUCCESS ? error
                                            : runtime_memory_copy(at, from, bytes, kind, NULL));
}

API cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                            int kind, void *stream)
{
    char *at;
    const int error = shim_place_in(symbol, bytes, offset, &at);
    return shim_noted(error != SHIM_SUCCESS ? error
                                            : runtime_memory_copy(at, from, bytes, kind, stream));
}

API cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
    char *at;
    const int error = shim_place_in(symbol, bytes, offset, &at);
    return shim_noted(error != SHIM_SUCCESS ? error
                                            : runtime_memory_copy(to, at, bytes, kind, NULL));
}

API cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                              void *stream)
{
    char *at;
    const int error = shim_place_in(symbol, bytes, offset, &at);
    return shim_noted(error != SHIM_SUCCESS ? error
                                            : runtime_memory_copy(to, at, bytes, kind, stream));
}

struct pointer_attributes {
    int type, device;
    void *at_device, *at_host;
    long reserved[8];
};

enum { UNREGISTERED, ON_HOST, ON_DEVICE, IS_MANAGED };
enum { NO_DEVICE = -2 };

API cudaPointerGetAttributes(struct pointer_attributes *out, const void *pointer)
{
    uint32_t type = 0, managed = 0;
    START();
    memset(out, 0, sizeof *out - (SHIM_RUNTIME < 13 ? sizeof out->reserved : 0));
    out->device = NO_DEVICE;
    out->at_host = (void *)(uintptr_t)pointer;
    if (cuPointerGetAttribute(&type, SHIM_POINTER_TYPE, shim_address(pointer)) != SHIM_SUCCESS)
        return SHIM_SUCCESS; /* UNREGISTERED */
    cuPointerGetAttribute(&managed, SHIM_POINTER_IS_MANAGED, shim_address(pointer));
    out->type = managed ? IS_MANAGED : type == SHIM_MEMORY_TYPE_HOST ? ON_HOST : ON_DEVICE;
    out->device = 0;
    out->at_device = (void *)(uintptr_t)pointer;
    out->at_host = out->type == ON_DEVICE ? NULL : out->at_device;
    return SHIM_SUCCESS;
}

struct location {
    int type, id;
};

#if SHIM_RUNTIME < 13
API cudaMemPrefetchAsync(const void *memory, size_t bytes, int device, void *stream)
{
    START();
    return shim_noted(cuMemPrefetchAsync(shim_address(memory), bytes, device, stream));
}

API cudaMemAdvise(const void *memory, size_t bytes, int advice, int device)
{
    START();
    return shim_noted(cuMemAdvise(shim_address(memory), bytes, advice, device));
}

API cudaMemPrefetchAsync_v2(const void *memory, size_t bytes, struct location place, unsigned flags,
                            void *stream)
{
    return cudaMemPrefetchAsync(memory, bytes, place.id, stream);
}

API cudaMemAdvise_v2(const void *memory, size_t bytes, int advice, struct location place)
{
    return cudaMemAdvise(memory, bytes, advice, place.id);
}
#else
API cudaMemPrefetchAsync(const void *memory, size_t bytes, struct location place, unsigned flags,
                         void *stream)
{
    START();
    return shim_noted(cuMemPrefetchAsync(shim_address(memory), bytes, place.id, stream));
}

API cudaMemAdvise(const void *memory, size_t bytes, int advice, struct location place)
{
    START();
    return shim_noted(cuMemAdvise(shim_address(memory), bytes, advice, place.id));
}
#endif

static char pool;

API cudaDeviceGetDefaultMemPool(void **out, int device)
{
    *out = &pool;
    return shim_noted(device == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE);
}

API cudaMemPoolSetAttribute(void *which, int number, void *value)
{
    return SHIM_SUCCESS;
}

API cudaDeviceGetMemPool(void **out, int device)
{
    return cudaDeviceGetDefaultMemPool(out, device);
}

API cudaMallocFromPoolAsync(void **memory, size_t bytes, void *which, void *stream)
{
    return cudaMallocAsync(memory, bytes, stream);
}

API cudaMemPoolTrimTo(void *which, size_t bytes)
{
    START();
    return shim_noted(cuMemPoolTrimTo(which, bytes));
}

/* --- Streams and events ----------------------------------------------------------------------- */

API cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority)
{
    START();
    return shim_noted(cuStreamCreateWithPriority(stream, flags, priority));
}

API cudaStreamCreateWithFlags(void **stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

API cudaStreamCreate(void **stream)
{
    return cudaStreamCreateWithPriority(stream, 0, 0);
}

API cudaStreamDestroy(void *stream)
{
    START();
    return shim_noted(cuStreamDestroy_v2(stream));
}

API cudaStreamSynchronize(void *stream)
{
    START();
    return shim_noted(cuStreamSynchronize(stream));
}

API cudaStreamQuery(void *stream)
{
    return cudaStreamSynchronize(stream);
}

API cudaStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    START();
    return shim_noted(cuStreamWaitEvent(stream, event, flags));
}

API cudaStreamGetFlags(void *stream, unsigned *flags)
{
    return shim_noted(cuStreamGetFlags(stream, flags));
}

API cudaStreamGetPriority(void *stream, int *priority)
{
    return shim_noted(cuStreamGetPriority(stream, priority));
}

API cudaStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *data,
                          unsigned flags)
{
    START();
    return shim_noted(cuStreamAddCallback(stream, function, data, flags));
}

API cudaStreamAttachMemAsync(void *stream, void *memory, size_t bytes, unsigned flags)
{
    START();
    return shim_noted(cuStreamAttachMemAsync(stream, shim_address(memory), bytes, flags));
}

API cudaEventCreateWithFlags(void **event, unsigned flags)
{
    START();
    return shim_noted(cuEventCreate(event, flags));
}

API cudaEventCreate(void **event)
{
    return cudaEventCreateWithFlags(event, 0);
}

API cudaEventRecord(void *event, void *stream)
{
    START();
    return shim_noted(cuEventRecord(event, stream));
}

API cudaEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
    return cudaEventRecord(event, stream);
}

API cudaEventSynchronize(void *event)
{
    START();
    return shim_noted(cuEventSynchronize(event));
}

API cudaEventQuery(void *event)
{
    START();
    return shim_noted(cuEventQuery(event));
}

API cudaEventElapsedTime(float *ms, void *begin, void *end)
{
    START();
    return shim_noted(cuEventElapsedTime(ms, begin, end));
}

API cudaEventElapsedTime_v2(float *ms, void *begin, void *end)
{
    return cudaEventElapsedTime(ms, begin, end);
}

API cudaEventDestroy(void *event)
{
    return shim_noted(cuEventDestroy_v2(event));
}

API cudaProfilerStart(void)
{
    return SHIM_SUCCESS;
}

API cudaProfilerStop(void)
{
    return SHIM_SUCCESS;
}
