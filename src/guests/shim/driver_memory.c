/* The driver API on the emulator: memory, streams and events. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "guests/shim/driver.h"

struct shim_event {
    uint64_t ns;
    bool is_recorded;
};

static void *host(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* --- Memory ----------------------------------------------------------------------------------- */

static int allocate(uint64_t *address, size_t bytes, enum shim_memory_kind kind)
{
    if (!address || bytes == 0)
        return SHIM_INVALID_VALUE;
    *address = shim_memory_allocate(bytes, kind, NULL);
    return *address ? SHIM_SUCCESS : SHIM_OUT_OF_MEMORY;
}

API_UNLESS_CAPTURED(cuMemAlloc_v2, (uint64_t * address, size_t bytes), UNSAFE, NULL,
                    allocate(address, bytes, SHIM_MEMORY_DEVICE))
API_UNLESS_CAPTURED(cuMemAllocManaged, (uint64_t * address, size_t bytes, uint32_t flags), UNSAFE,
                    NULL, allocate(address, bytes, SHIM_MEMORY_MANAGED))

API cuMemAllocPitch_v2(uint64_t *address, size_t *pitch, size_t width, size_t height,
                       uint32_t element)
{
    BEGIN;
    UNLESS_CAPTURED(UNSAFE, NULL);
    *pitch = (width + GPU_PITCH - 1) / GPU_PITCH * GPU_PITCH;
    return allocate(address, *pitch * height, SHIM_MEMORY_DEVICE);
}

/* Whether memory would be a node of a graph, which is refused. */
static bool is_memory_node(const void *stream)
{
    if (!shim_capturing(stream))
        return false;
    shim_tell("memory that is allocated or freed by a graph is not emulated");
    return true;
}

API cuMemAllocAsync(uint64_t *address, size_t bytes, void *stream)
{
    BEGIN;
    if (is_memory_node(stream))
        return SHIM_NOT_SUPPORTED;
    UNLESS_CAPTURED(WAIT, stream);
    return allocate(address, bytes, SHIM_MEMORY_DEVICE);
}

API_RETURNS(cuMemAllocFromPoolAsync, (uint64_t * address, size_t bytes, void *pool, void *stream),
            cuMemAllocAsync(address, bytes, stream))

static int driver_memory_free(uint64_t address)
{
    shim_flush_output();
    if (address == 0)
        return SHIM_SUCCESS;
    const struct shim_allocation *found = shim_memory_find(address);
    if (!found || (found->kind != SHIM_MEMORY_DEVICE && found->kind != SHIM_MEMORY_MANAGED))
        return SHIM_INVALID_VALUE;
    return shim_memory_free(address) ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API_UNLESS_CAPTURED(cuMemFree_v2, (uint64_t address), UNSAFE, NULL, driver_memory_free(address))

API cuMemFreeAsync(uint64_t address, void *stream)
{
    BEGIN;
    if (is_memory_node(stream))
        return SHIM_NOT_SUPPORTED;
    UNLESS_CAPTURED(WAIT, stream);
    return driver_memory_free(address);
}

API cuMemHostAlloc(void **memory, size_t bytes, uint32_t flags)
{
    BEGIN;
    uint64_t address;
    UNLESS_CAPTURED(UNSAFE, NULL);
    const int result = allocate(&address, bytes, SHIM_MEMORY_HOST);
    if (result == SHIM_SUCCESS)
        *memory = host(address);
    return result;
}

API_RETURNS(cuMemAllocHost_v2, (void **memory, size_t bytes), cuMemHostAlloc(memory, bytes, 0))

API cuMemFreeHost(void *memory)
{
    BEGIN;
    UNLESS_CAPTURED(UNSAFE, NULL);
    const struct shim_allocation *found = shim_memory_find((uint64_t)(uintptr_t)memory);
    if (!memory)
        return SHIM_SUCCESS;
    if (!found || found->kind != SHIM_MEMORY_HOST)
        return SHIM_INVALID_VALUE;
    return shim_memory_free((uint64_t)(uintptr_t)memory) ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API cuMemHostGetDevicePointer_v2(uint64_t *address, void *memory, uint32_t flags)
{
    BEGIN;
    *address = (uint64_t)(uintptr_t)memory;
    return shim_memory_find(*address) ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API cuMemHostGetFlags(uint32_t *flags, void *memory)
{
    BEGIN;
    *flags = 0;
    return shim_memory_find((uint64_t)(uintptr_t)memory) ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API cuMemHostRegister_v2(void *memory, size_t bytes, uint32_t flags)
{
    BEGIN;
    UNLESS_CAPTURED(UNSAFE, NULL);
    if (!memory || bytes == 0)
        return SHIM_INVALID_VALUE;
    return shim_memory_register(memory, bytes) ? SHIM_SUCCESS : SHIM_ALREADY_REGISTERED;
}

API_UNLESS_CAPTURED(cuMemHostUnregister, (void *memory), UNSAFE, NULL,
                    shim_memory_unregister(memory) ? SHIM_SUCCESS : SHIM_NOT_REGISTERED)

API cuMemGetInfo_v2(size_t *left, size_t *total)
{
    BEGIN;
    *total = shim_device()->global_mem_bytes;
    *left = *total - shim_memory_used();
    return SHIM_SUCCESS;
}

API cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t address)
{
    BEGIN;
    const struct shim_allocation *found = shim_memory_find(address);
    if (!found)
        return SHIM_NOT_FOUND;
    if (base)
        *base = found->address;
    if (bytes)
        *bytes = found->bytes;
    return SHIM_SUCCESS;
}

/* Whether all bytes are in one allocation, or the address is the host's. */
static bool is_sound(uint64_t address, size_t bytes, bool of_device)
{
    const struct shim_allocation *found = shim_memory_find(address);
    if (!found)
        return !of_device;
    return bytes <= found->bytes - (address - found->address) ||
           found->kind == SHIM_MEMORY_REGISTERED;
}

int shim_copy(uint64_t to, bool to_device, uint64_t from, bool from_device, size_t bytes)
{
    shim_flush_output();
    if (bytes == 0)
        return SHIM_SUCCESS;
    if (!to || !from || !is_sound(to, bytes, to_device) || !is_sound(from, bytes, from_device))
        return SHIM_INVALID_VALUE;
    memmove(host(to), host(from), bytes);
    shim_memory_write(to, bytes);
    return SHIM_SUCCESS;
}

API_UNLESS_CAPTURED(cuMemcpy, (uint64_t to, uint64_t from, size_t bytes), WORK, NULL,
                    shim_copy(to, false, from, false, bytes))

/* A copy in a stream that may be captured. The types are those of the two ends. */
static int driver_memory_copy_in(void *stream, uint64_t to, uint32_t to_type, uint64_t from,
                                 uint32_t from_type, size_t bytes)
{
    struct shim_captured *captured = shim_capturing(stream);
    if (bytes > 0)
        UNLESS_CAPTURED(WORK, stream);
    const struct shim_copy_3d plan = {
        .to = {.type = to_type, .at_host = host(to), .at_device = to, .pitch = bytes, .height = 1},
        .from = {.type = from_type,
                 .at_host = host(from),
                 .at_device = from,
                 .pitch = bytes,
                 .height = 1},
        .width_bytes = bytes,
        .height = 1,
        .depth = 1};
    return captured ? shim_capture_copy(captured, &plan)
                    : shim_copy(to, to_type == SHIM_MEMORY_TYPE_DEVICE, from,
                                from_type == SHIM_MEMORY_TYPE_DEVICE, bytes);
}

API_LOCKED(cuMemcpyAsync, (uint64_t to, uint64_t from, size_t bytes, void *stream),
           driver_memory_copy_in(stream, to, SHIM_MEMORY_TYPE_UNIFIED, from,
                                 SHIM_MEMORY_TYPE_UNIFIED, bytes))
API_UNLESS_CAPTURED(cuMemcpyHtoD_v2, (uint64_t to, const void *from, size_t bytes), WORK, NULL,
                    shim_copy(to, true, (uint64_t)(uintptr_t)from, false, bytes))
API_LOCKED(cuMemcpyHtoDAsync_v2, (uint64_t to, const void *from, size_t bytes, void *stream),
           driver_memory_copy_in(stream, to, SHIM_MEMORY_TYPE_DEVICE, (uint64_t)(uintptr_t)from,
                                 SHIM_MEMORY_TYPE_HOST, bytes))
API_UNLESS_CAPTURED(cuMemcpyDtoH_v2, (void *to, uint64_t from, size_t bytes), WORK, NULL,
                    shim_copy((uint64_t)(uintptr_t)to, false, from, true, bytes))
API_LOCKED(cuMemcpyDtoHAsync_v2, (void *to, uint64_t from, size_t bytes, void *stream),
           driver_memory_copy_in(stream, (uint64_t)(uintptr_t)to, SHIM_MEMORY_TYPE_HOST, from,
                                 SHIM_MEMORY_TYPE_DEVICE, bytes))
API_UNLESS_CAPTURED(cuMemcpyDtoD_v2, (uint64_t to, uint64_t from, size_t bytes), WORK, NULL,
                    shim_copy(to, true, from, true, bytes))
API_LOCKED(cuMemcpyDtoDAsync_v2, (uint64_t to, uint64_t from, size_t bytes, void *stream),
           driver_memory_copy_in(stream, to, SHIM_MEMORY_TYPE_DEVICE, from, SHIM_MEMORY_TYPE_DEVICE,
                                 bytes))

API_RETURNS(cuMemcpyPeer,
            (uint64_t to, void *to_context, uint64_t from, void *from_context, size_t bytes),
            cuMemcpyDtoD_v2(to, from, bytes))

API cuMemcpyPeerAsync(uint64_t to, void *to_context, uint64_t from, void *from_context,
                      size_t bytes, void *stream)
{
    UNLESS_CAPTURED(OUTSIDE, stream);
    return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}

static int driver_memory_fill(uint64_t address, size_t pitch, uint32_t value, size_t width_bytes,
                              size_t width, size_t height)
{
    if (width == 0 || height == 0)
        return SHIM_SUCCESS;
    for (size_t y = 0; y < height; y++) {
        const uint64_t row = address + y * pitch;
        if (!is_sound(row, width * width_bytes, true) || row % width_bytes != 0)
            return SHIM_INVALID_VALUE;
        char *to = host(row);
        for (size_t x = 0; x < width && width_bytes > 1; x++)
            memcpy(to + x * width_bytes, &value, width_bytes);
        if (width_bytes == 1)
            memset(to, (int)value, width);
        shim_memory_write(row, width * width_bytes);
    }
    return SHIM_SUCCESS;
}

int shim_fill(const struct shim_fill *plan)
{
    const uint32_t bytes = plan->element_bytes;
    if (bytes != 1 && bytes != 2 && bytes != 4)
        return SHIM_INVALID_VALUE;
    return driver_memory_fill(plan->to, plan->pitch, plan->value, bytes, plan->width, plan->height);
}

static int fill_in(void *stream, struct shim_fill plan)
{
    struct shim_captured *captured = shim_capturing(stream);
    UNLESS_CAPTURED(WORK, stream);
    return captured ? shim_capture_fill(captured, &plan) : shim_fill(&plan);
}

#define FILL(bits, type)                                                                           \
    API cuMemsetD##bits##_v2(uint64_t address, type value, size_t count)                           \
    {                                                                                              \
        BEGIN;                                                                                     \
        UNLESS_CAPTURED(WORK, NULL);                                                               \
        return driver_memory_fill(address, 0, value, sizeof value, count, 1);                      \
    }                                                                                              \
    API cuMemsetD##bits##Async(uint64_t address, type value, size_t count, void *stream)           \
    {                                                                                              \
        BEGIN;                                                                                     \
        return fill_in(stream, (struct shim_fill){address, 0, value, sizeof value, count, 1});     \
    }                                                                                              \
    API cuMemsetD2D##bits##_v2(uint64_t address, size_t pitch, type value, size_t width,           \
                               size_t height)                                                      \
    {                                                                                              \
        BEGIN;                                                                                     \
        UNLESS_CAPTURED(WORK, NULL);                                                               \
        return driver_memory_fill(address, pitch, value, sizeof value, width, height);             \
    }                                                                                              \
    API cuMemsetD2D##bits##Async(uint64_t address, size_t pitch, type value, size_t width,         \
                                 size_t height, void *stream)                                      \
    {                                                                                              \
        BEGIN;                                                                                     \
        return fill_in(stream,                                                                     \
                       (struct shim_fill){address, pitch, value, sizeof value, width, height});    \
    }
FILL(8, uint8_t)
FILL(16, uint16_t)
FILL(32, uint32_t)
#undef FILL

API cuPointerGetAttribute(void *data, int attribute, uint64_t address)
{
    BEGIN;
    const struct shim_allocation *found = shim_memory_find(address);
    if (!found)
        return SHIM_INVALID_VALUE;
    const bool is_host = found->kind == SHIM_MEMORY_HOST || found->kind == SHIM_MEMORY_REGISTERED;
    switch (attribute) {
    case SHIM_POINTER_CONTEXT:
        *(void **)data = shim_primary();
        return SHIM_SUCCESS;
    case SHIM_POINTER_TYPE:
        *(uint32_t *)data = is_host ? SHIM_MEMORY_TYPE_HOST : SHIM_MEMORY_TYPE_DEVICE;
        return SHIM_SUCCESS;
    case SHIM_POINTER_DEVICE:
        *(uint64_t *)data = address;
        return SHIM_SUCCESS;
    case SHIM_POINTER_HOST:
        *(void **)data = is_host || found->kind == SHIM_MEMORY_MANAGED ? host(address) : NULL;
        return SHIM_SUCCESS;
    case SHIM_POINTER_IS_MANAGED:
        *(uint32_t *)data = found->kind == SHIM_MEMORY_MANAGED;
        return SHIM_SUCCESS;
    case SHIM_POINTER_ORDINAL:
        *(int *)data = 0;
        return SHIM_SUCCESS;
    case SHIM_POINTER_RANGE_START:
        *(uint64_t *)data = found->address;
        return SHIM_SUCCESS;
    case SHIM_POINTER_RANGE_BYTES:
        *(size_t *)data = found->bytes;
        return SHIM_SUCCESS;
    default:
        return SHIM_NOT_SUPPORTED;
    }
}

API cuPointerGetAttributes(uint32_t count, const int *attributes, void **data, uint64_t address)
{
    for (uint32_t i = 0; i < count; i++)
        cuPointerGetAttribute(data[i], attributes[i], address);
    return SHIM_SUCCESS;
}

API cuMemPrefetchAsync(uint64_t address, size_t bytes, int device, void *stream)
{
    UNLESS_CAPTURED(OUTSIDE, stream);
    return shim_memory_find(address) ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API_RETURNS(cuMemAdvise, (uint64_t address, size_t bytes, int advice, int device),
            shim_memory_find(address) ? SHIM_SUCCESS : SHIM_INVALID_VALUE)

static char pool;

API cuDeviceGetDefaultMemPool(void **out, int device)
{
    *out = &pool;
    return device == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE;
}

API_RETURNS(cuDeviceGetMemPool, (void **out, int device), cuDeviceGetDefaultMemPool(out, device))
API_RETURNS(cuMemPoolSetAttribute, (void *which, int attribute, void *value), SHIM_SUCCESS)

API cuMemPoolTrimTo(void *which, size_t bytes)
{
    UNLESS_CAPTURED(UNSAFE, NULL);
    return SHIM_SUCCESS;
}

/* --- Streams and events ----------------------------------------------------------------------- */

API cuStreamCreateWithPriority(struct shim_stream **stream, uint32_t flags, int priority)
{
    BEGIN;
    *stream = smc_calloc(1, sizeof **stream);
    if (!*stream)
        return SHIM_OUT_OF_MEMORY;
    **stream = (struct shim_stream){flags, priority};
    return SHIM_SUCCESS;
}

API_RETURNS(cuStreamCreate, (struct shim_stream * *stream, uint32_t flags),
            cuStreamCreateWithPriority(stream, flags, 0))

static bool has_handle(const struct shim_stream *stream)
{
    return (uintptr_t)stream > SHIM_STREAM_PER_THREAD;
}

API cuStreamDestroy_v2(struct shim_stream *stream)
{
    shim_flush_output();
    if (!has_handle(stream))
        return SHIM_INVALID_HANDLE;
    shim_capture_forget(stream);
    free(stream);
    return SHIM_SUCCESS;
}

API cuStreamSynchronize(struct shim_stream *stream)
{
    BEGIN;
    UNLESS_CAPTURED(WAIT, stream);
    shim_flush_output();
    return SHIM_SUCCESS;
}

API_RETURNS(cuStreamQuery, (struct shim_stream * stream), cuStreamSynchronize(stream))

API cuStreamWaitEvent(struct shim_stream *stream, struct shim_event *event, uint32_t flags)
{
    BEGIN;
    if (!event)
        return SHIM_INVALID_HANDLE;
    UNLESS_CAPTURED(WORK, stream);
    return shim_capture_wait(stream, event, event->is_recorded);
}

API cuStreamGetFlags(const struct shim_stream *stream, uint32_t *flags)
{
    UNLESS_CAPTURED(OUTSIDE, stream);
    *flags = has_handle(stream) ? stream->flags : 0;
    return SHIM_SUCCESS;
}

API cuStreamGetPriority(const struct shim_stream *stream, int *priority)
{
    UNLESS_CAPTURED(WORK, stream);
    *priority = has_handle(stream) ? stream->priority : 0;
    return SHIM_SUCCESS;
}

API_ANSWERS(cuStreamGetCtx, (const struct shim_stream *stream, struct shim_context **context),
            *context, shim_primary())
API_ANSWERS(cuStreamGetId, (const struct shim_stream *stream, uint64_t *id), *id,
            (uint64_t)(uintptr_t)stream)

API cuStreamAddCallback(struct shim_stream *stream, void (*function)(void *, int, void *),
                        void *data, uint32_t flags)
{
    UNLESS_CAPTURED(OUTSIDE, stream);
    shim_flush_output();
    function(stream, shim_sticky_error(), data);
    return SHIM_SUCCESS;
}

API cuStreamAttachMemAsync(struct shim_stream *stream, uint64_t address, size_t bytes,
                           uint32_t flags)
{
    UNLESS_CAPTURED(WAIT, stream);
    return SHIM_SUCCESS;
}

static uint64_t event_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

API cuEventCreate(struct shim_event **event, uint32_t flags)
{
    BEGIN;
    *event = smc_calloc(1, sizeof **event);
    return *event ? SHIM_SUCCESS : SHIM_OUT_OF_MEMORY;
}

API cuEventRecord(struct shim_event *event, void *stream)
{
    BEGIN;
    if (!event)
        return SHIM_INVALID_HANDLE;
    bool is_captured;
    UNLESS_CAPTURED(WORK, stream);
    const int result = shim_capture_record(event, stream, &is_captured);
    if (is_captured)
        return result;
    *event = (struct shim_event){event_clock_ns(), true};
    return SHIM_SUCCESS;
}

API_RETURNS(cuEventRecordWithFlags, (struct shim_event * event, void *stream, uint32_t flags),
            cuEventRecord(event, stream))

API cuEventSynchronize(struct shim_event *event)
{
    BEGIN;
    if (!event)
        return SHIM_INVALID_HANDLE;
    UNLESS_CAPTURED(EVENT, event);
    shim_flush_output();
    return SHIM_SUCCESS;
}

API_RETURNS(cuEventQuery, (struct shim_event * event), cuEventSynchronize(event))

/* Of the emulation, not of a GPU. */
API cuEventElapsedTime(float *ms, struct shim_event *begin, struct shim_event *end)
{
    BEGIN;
    if (shim_capture_has_event(begin) || shim_capture_has_event(end))
        return SHIM_CAPTURED_EVENT;
    if (!begin || !end || !begin->is_recorded || !end->is_recorded)
        return SHIM_INVALID_HANDLE;
    *ms = (float)((double)(int64_t)(end->ns - begin->ns) / 1e6);
    return SHIM_SUCCESS;
}

API_RETURNS(cuEventElapsedTime_v2, (float *ms, struct shim_event *begin, struct shim_event *end),
            cuEventElapsedTime(ms, begin, end))

API cuEventDestroy_v2(struct shim_event *event)
{
    shim_capture_forget(event);
    free(event);
    return event ? SHIM_SUCCESS : SHIM_INVALID_HANDLE;
}

API_RETURNS(cuProfilerStart, (void), SHIM_SUCCESS)
API_RETURNS(cuProfilerStop, (void), SHIM_SUCCESS)
