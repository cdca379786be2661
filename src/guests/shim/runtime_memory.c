/* The runtime API: memory, streams and events. */
#include <string.h>

#include "guests/shim/shim_runtime.h"

/* --- Memory ----------------------------------------------------------------------------------- */

/* A call of the driver whose `address` is what the program gets as a pointer. */
#define API_POINTS(name, parameters, out, call)                                                    \
    API name parameters                                                                            \
    {                                                                                              \
        uint64_t address = 0;                                                                      \
        START();                                                                                   \
        const int error = call;                                                                    \
        if (error == SHIM_SUCCESS)                                                                 \
            *out = (void *)(uintptr_t)address;                                                     \
        return shim_noted(error);                                                                  \
    }

API_POINTS(cudaMalloc, (void **memory, size_t bytes), memory,
           !memory     ? SHIM_INVALID_VALUE
           : bytes > 0 ? cuMemAlloc_v2(&address, bytes)
                       : SHIM_SUCCESS)
API_POINTS(cudaMallocAsync, (void **memory, size_t bytes, void *stream), memory,
           bytes > 0 ? cuMemAllocAsync(&address, bytes, stream) : SHIM_SUCCESS)
API_POINTS(cudaMallocManaged, (void **memory, size_t bytes, unsigned flags), memory,
           cuMemAllocManaged(&address, bytes, flags))
API_POINTS(cudaMallocPitch, (void **memory, size_t *pitch, size_t width, size_t height), memory,
           cuMemAllocPitch_v2(&address, pitch, width, height, 4))
API_FORWARDS(cudaFree, (void *memory), cuMemFree_v2(shim_address(memory)))
API_FORWARDS(cudaFreeAsync, (void *memory, void *stream),
             cuMemFreeAsync(shim_address(memory), stream))
API_FORWARDS(cudaHostAlloc, (void **memory, size_t bytes, unsigned flags),
             cuMemHostAlloc(memory, bytes, flags))
API_RETURNS(cudaMallocHost, (void **memory, size_t bytes), cudaHostAlloc(memory, bytes, 0))
API_FORWARDS(cudaFreeHost, (void *memory), cuMemFreeHost(memory))

API_POINTS(cudaHostGetDevicePointer, (void **device, void *memory, unsigned flags), device,
           cuMemHostGetDevicePointer_v2(&address, memory, flags))
API_FORWARDS(cudaHostGetFlags, (unsigned *flags, void *memory), cuMemHostGetFlags(flags, memory))
API_FORWARDS(cudaHostRegister, (void *memory, size_t bytes, unsigned flags),
             cuMemHostRegister_v2(memory, bytes, flags))
API_FORWARDS(cudaHostUnregister, (void *memory), cuMemHostUnregister(memory))
API_FORWARDS(cudaMemGetInfo, (size_t * left, size_t *total), cuMemGetInfo_v2(left, total))

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

API_FORWARDS(cudaMemcpy, (void *to, const void *from, size_t bytes, int kind),
             runtime_memory_copy(to, from, bytes, kind, NULL))
API_FORWARDS(cudaMemcpyAsync, (void *to, const void *from, size_t bytes, int kind, void *stream),
             runtime_memory_copy(to, from, bytes, kind, stream))
API_RETURNS(cudaMemcpyPeer,
            (void *to, int to_device, const void *from, int from_device, size_t bytes),
            cudaMemcpy(to, from, bytes, DEVICE_TO_DEVICE))
API_FORWARDS(cudaMemcpyPeerAsync,
             (void *to, int to_device, const void *from, int from_device, size_t bytes,
              void *stream),
             cuMemcpyPeerAsync(shim_address(to), NULL, shim_address(from), NULL, bytes, stream))

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

API_RETURNS(cudaMemcpy2D,
            (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
             size_t height, int kind),
            runtime_memory_copy_rows(to, to_pitch, from, from_pitch, width, height, kind, NULL))
API_RETURNS(cudaMemcpy2DAsync,
            (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
             size_t height, int kind, void *stream),
            runtime_memory_copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream))
API_FORWARDS(cudaMemset, (void *memory, int value, size_t bytes),
             cuMemsetD8_v2(shim_address(memory), (uint8_t)value, bytes))
API_FORWARDS(cudaMemsetAsync, (void *memory, int value, size_t bytes, void *stream),
             cuMemsetD8Async(shim_address(memory), (uint8_t)value, bytes, stream))
API_FORWARDS(cudaMemset2D, (void *memory, size_t pitch, int value, size_t width, size_t height),
             cuMemsetD2D8_v2(shim_address(memory), pitch, (uint8_t)value, width, height))
API_FORWARDS(cudaMemset2DAsync,
             (void *memory, size_t pitch, int value, size_t width, size_t height, void *stream),
             cuMemsetD2D8Async(shim_address(memory), pitch, (uint8_t)value, width, height, stream))

API cudaGetSymbolAddress(void **address, const void *symbol)
{
    char *at = NULL;
    const int error = shim_place_in(symbol, 0, 0, &at);
    if (error == SHIM_SUCCESS)
        *address = at;
    return shim_noted(error);
}

/* A copy at the place `offset` bytes into a variable. */
#define API_AT_SYMBOL(name, parameters, copy)                                                      \
    API name parameters                                                                            \
    {                                                                                              \
        char *at;                                                                                  \
        const int error = shim_place_in(symbol, bytes, offset, &at);                               \
        return shim_noted(error != SHIM_SUCCESS ? error : copy);                                   \
    }

API_AT_SYMBOL(cudaMemcpyToSymbol,
              (const void *symbol, const void *from, size_t bytes, size_t offset, int kind),
              runtime_memory_copy(at, from, bytes, kind, NULL))
API_AT_SYMBOL(cudaMemcpyToSymbolAsync,
              (const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
               void *stream),
              runtime_memory_copy(at, from, bytes, kind, stream))
API_AT_SYMBOL(cudaMemcpyFromSymbol,
              (void *to, const void *symbol, size_t bytes, size_t offset, int kind),
              runtime_memory_copy(to, at, bytes, kind, NULL))
API_AT_SYMBOL(cudaMemcpyFromSymbolAsync,
              (void *to, const void *symbol, size_t bytes, size_t offset, int kind, void *stream),
              runtime_memory_copy(to, at, bytes, kind, stream))

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
API_FORWARDS(cudaMemPrefetchAsync, (const void *memory, size_t bytes, int device, void *stream),
             cuMemPrefetchAsync(shim_address(memory), bytes, device, stream))
API_FORWARDS(cudaMemAdvise, (const void *memory, size_t bytes, int advice, int device),
             cuMemAdvise(shim_address(memory), bytes, advice, device))
API_RETURNS(cudaMemPrefetchAsync_v2,
            (const void *memory, size_t bytes, struct location place, unsigned flags, void *stream),
            cudaMemPrefetchAsync(memory, bytes, place.id, stream))
API_RETURNS(cudaMemAdvise_v2, (const void *memory, size_t bytes, int advice, struct location place),
            cudaMemAdvise(memory, bytes, advice, place.id))
#else
API_FORWARDS(cudaMemPrefetchAsync,
             (const void *memory, size_t bytes, struct location place, unsigned flags,
              void *stream),
             cuMemPrefetchAsync(shim_address(memory), bytes, place.id, stream))
API_FORWARDS(cudaMemAdvise, (const void *memory, size_t bytes, int advice, struct location place),
             cuMemAdvise(shim_address(memory), bytes, advice, place.id))
#endif

static char pool;

API cudaDeviceGetDefaultMemPool(void **out, int device)
{
    *out = &pool;
    return shim_noted(device == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE);
}

API_RETURNS(cudaMemPoolSetAttribute, (void *which, int number, void *value), SHIM_SUCCESS)
API_RETURNS(cudaDeviceGetMemPool, (void **out, int device),
            cudaDeviceGetDefaultMemPool(out, device))
API_RETURNS(cudaMallocFromPoolAsync, (void **memory, size_t bytes, void *which, void *stream),
            cudaMallocAsync(memory, bytes, stream))
API_FORWARDS(cudaMemPoolTrimTo, (void *which, size_t bytes), cuMemPoolTrimTo(which, bytes))

/* --- Streams and events ----------------------------------------------------------------------- */

API_FORWARDS(cudaStreamCreateWithPriority, (void **stream, unsigned flags, int priority),
             cuStreamCreateWithPriority(stream, flags, priority))
API_RETURNS(cudaStreamCreateWithFlags, (void **stream, unsigned flags),
            cudaStreamCreateWithPriority(stream, flags, 0))
API_RETURNS(cudaStreamCreate, (void **stream), cudaStreamCreateWithPriority(stream, 0, 0))
API_FORWARDS(cudaStreamDestroy, (void *stream), cuStreamDestroy_v2(stream))
API_FORWARDS(cudaStreamSynchronize, (void *stream), cuStreamSynchronize(stream))
API_RETURNS(cudaStreamQuery, (void *stream), cudaStreamSynchronize(stream))
API_FORWARDS(cudaStreamWaitEvent, (void *stream, void *event, unsigned flags),
             cuStreamWaitEvent(stream, event, flags))
API_RETURNS(cudaStreamGetFlags, (void *stream, unsigned *flags),
            shim_noted(cuStreamGetFlags(stream, flags)))
API_RETURNS(cudaStreamGetPriority, (void *stream, int *priority),
            shim_noted(cuStreamGetPriority(stream, priority)))
API_FORWARDS(cudaStreamAddCallback,
             (void *stream, void (*function)(void *, int, void *), void *data, unsigned flags),
             cuStreamAddCallback(stream, function, data, flags))
API_FORWARDS(cudaStreamAttachMemAsync, (void *stream, void *memory, size_t bytes, unsigned flags),
             cuStreamAttachMemAsync(stream, shim_address(memory), bytes, flags))
API_FORWARDS(cudaEventCreateWithFlags, (void **event, unsigned flags), cuEventCreate(event, flags))
API_RETURNS(cudaEventCreate, (void **event), cudaEventCreateWithFlags(event, 0))
API_FORWARDS(cudaEventRecord, (void *event, void *stream), cuEventRecord(event, stream))
API_RETURNS(cudaEventRecordWithFlags, (void *event, void *stream, unsigned flags),
            cudaEventRecord(event, stream))
API_FORWARDS(cudaEventSynchronize, (void *event), cuEventSynchronize(event))
API_FORWARDS(cudaEventQuery, (void *event), cuEventQuery(event))
API_FORWARDS(cudaEventElapsedTime, (float *ms, void *begin, void *end),
             cuEventElapsedTime(ms, begin, end))
API_RETURNS(cudaEventElapsedTime_v2, (float *ms, void *begin, void *end),
            cudaEventElapsedTime(ms, begin, end))
API_RETURNS(cudaEventDestroy, (void *event), shim_noted(cuEventDestroy_v2(event)))
API_RETURNS(cudaProfilerStart, (void), SHIM_SUCCESS)
API_RETURNS(cudaProfilerStop, (void), SHIM_SUCCESS)
