/* The calls of CUDA's driver for memory, CUDA arrays, textures, streams, events and graphs: what
   they do, and each error of cuda.h that a program can get from them. The exit status is 99 if
   anything is otherwise. */
#include "tests/shim/calls.h"

/* --- Memory ----------------------------------------------------------------------------------- */

static void *pointer_to(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* What a pointer of each kind is. */
static void is_memory(int line, const void *pointer, int type, int managed, int has_host)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    const int wanted[] = {2, 8, 4, 3, 9, 11, 12, 1};
    uint32_t seen_type = 0, is_managed = 9;
    int device = -1;
    uint64_t start = 0, own = 0;
    size_t bytes = 0;
    void *host = NULL, *context = NULL, *primary;
    void *data[] = {&seen_type, &is_managed, &host, &own, &device, &start, &bytes, &context};
    CALL(CUDA_SUCCESS, cuPointerGetAttributes, 8u, wanted, data, address);
    CALL(CUDA_SUCCESS, cuDevicePrimaryCtxRetain, &primary, 0);
    expect(line, "type", type, seen_type);
    expect(line, "managed", managed, is_managed);
    expect(line, "host pointer", has_host, host == pointer);
    expect(line, "device pointer", 1, own == address);
    expect(line, "device", 0, device);
    expect(line, "range", 1, start == address && bytes >= 256);
    expect(line, "context", 1, context == primary);
}

static void check_allocations(void)
{
    uint64_t device = 0, managed, pitched, pooled, seen;
    size_t pitch = 0, bytes = 0, before, after, total;
    void *pinned, *pool;
    uint32_t flags = 9, type;
    char own[4096];
    CALL(CUDA_SUCCESS, cuMemGetInfo_v2, &before, &total);
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2, NULL, SIZE(4));
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2, &device, SIZE(0));
    CALL(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2, &device, total + 1);
    CALL(CUDA_SUCCESS, cuMemAlloc_v2, &device, SIZE(4 << 20));
    CALL(CUDA_SUCCESS, cuMemGetInfo_v2, &after, &total);
    IS(4 << 20, before - after);
    CALL(CUDA_SUCCESS, cuMemAllocManaged, &managed, SIZE(256), 1u);
    CALL(CUDA_SUCCESS, cuMemAllocPitch_v2, &pitched, &pitch, SIZE(100), SIZE(3), 4u);
    IS(1, pitch >= 100 && pitch % 256 == 0);
    CALL(CUDA_SUCCESS, cuDeviceGetMemPool, &pool, 0);
    CALL(CUDA_SUCCESS, cuMemPoolSetAttribute, pool, 4, &bytes);
    CALL(CUDA_SUCCESS, cuMemAllocFromPoolAsync, &pooled, SIZE(256), pool, NULL);
    CALL(CUDA_SUCCESS, cuMemPoolTrimTo, pool, SIZE(0));
    CALL(CUDA_SUCCESS, cuMemAllocHost_v2, &pinned, SIZE(256));
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemHostAlloc, &pinned, SIZE(0), 0u);
    CALL(CUDA_SUCCESS, cuMemHostRegister_v2, own, sizeof own, 0u);
    is_memory(__LINE__, pointer_to(device), 2, 0, 0);
    is_memory(__LINE__, pointer_to(managed), 2, 1, 1);
    is_memory(__LINE__, pointer_to(pooled), 2, 0, 0);
    is_memory(__LINE__, pinned, 1, 0, 1);
    is_memory(__LINE__, own, 1, 0, 1);
    CALL(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute, &type, 2, (uint64_t)(uintptr_t)&type);
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuPointerGetAttribute, &type, 99, device);
    CALL(CUDA_SUCCESS, cuMemHostGetDevicePointer_v2, &seen, pinned, 0u);
    IS((uintptr_t)pinned, seen);
    CALL(CUDA_SUCCESS, cuMemHostGetFlags, &flags, pinned);
    IS(0, flags);
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer_v2, &seen, &seen, 0u);
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemHostGetFlags, &flags, &flags);
    CALL(CUDA_SUCCESS, cuMemGetAddressRange_v2, &seen, &bytes, device + 1000);
    IS(device, seen);
    IS(4 << 20, bytes);
    CALL(CUDA_SUCCESS, cuMemGetAddressRange_v2, NULL, NULL, device);
    CALL(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange_v2, &seen, &bytes, (uint64_t)64);
    CALL(CUDA_SUCCESS, cuMemPrefetchAsync, managed, SIZE(256), 0, NULL);
    CALL(CUDA_SUCCESS, cuMemAdvise, managed, SIZE(256), 1, 0);
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync, (uint64_t)64, SIZE(1), 0, NULL);
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemAdvise, (uint64_t)64, SIZE(1), 1, 0);
    /* Each is freed by its own call, once, and from its beginning. */
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2, device + 512);
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2, (uint64_t)(uintptr_t)pinned);
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost, pointer_to(device));
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost, (char *)pinned + 4);
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost, own);
    CALL(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister, pinned);
    CALL(CUDA_SUCCESS, cuMemFree_v2, device);
    CALL(CUDA_SUCCESS, cuMemFree_v2, managed);
    CALL(CUDA_SUCCESS, cuMemFree_v2, pitched);
    CALL(CUDA_SUCCESS, cuMemFreeAsync, pooled, NULL);
    CALL(CUDA_SUCCESS, cuMemFreeHost, pinned);
    CALL(CUDA_SUCCESS, cuMemFree_v2, (uint64_t)0);
    CALL(CUDA_SUCCESS, cuMemFreeHost, NULL);
    CALL(CUDA_SUCCESS, cuMemHostUnregister, own);
    CALL(CUDA_SUCCESS, cuMemGetInfo_v2, &after, &total);
    IS(before, after);
}

static void check_registering(void)
{
    char own[4096];
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister_v2, NULL, SIZE(4), 0u);
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister_v2, own, SIZE(0), 0u);
    CALL(CUDA_SUCCESS, cuMemHostRegister_v2, own + 1024, SIZE(1024), 0u);
    for (size_t at = 512; at < 2048; at += 512)
        CALL(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister_v2, own + at, SIZE(1024),
             0u);
    CALL(CUDA_SUCCESS, cuMemHostRegister_v2, own + 2048, SIZE(1024), 0u);
    CALL(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister, own);
    CALL(CUDA_SUCCESS, cuMemHostUnregister, own + 1024);
    CALL(CUDA_SUCCESS, cuMemHostUnregister, own + 2048);
    CALL(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister, own + 1024);
}

/* The space of what was freed is used again, but not that of the last 64, and nothing overlaps. */
static void check_many_allocations(void)
{
    enum { COUNT = 100, FREED = 70 };
    uint64_t address[COUNT], again;
    for (int i = 0; i < COUNT; i++) {
        CALL(CUDA_SUCCESS, cuMemAlloc_v2, &address[i], SIZE(1000));
        IS(1, i == 0 || address[i] >= address[i - 1] + 1000);
    }
    for (int i = 0; i < FREED; i++)
        CALL(CUDA_SUCCESS, cuMemFree_v2, address[i]);
    CALL(CUDA_SUCCESS, cuMemAlloc_v2, &again, SIZE(900));
    IS(1, again < address[FREED]);
    for (int i = FREED - 64; i < FREED; i++)
        IS(1, again + 900 <= address[i] || again >= address[i] + 1000);
    CALL(CUDA_SUCCESS, cuMemFree_v2, again);
    for (int i = FREED; i < COUNT; i++)
        CALL(CUDA_SUCCESS, cuMemFree_v2, address[i]);
}

static void check_copies(void)
{
    uint64_t a, b;
    char host[64], back[64];
    for (int i = 0; i < 64; i++)
        host[i] = (char)(i + 1);
    CALL(CUDA_SUCCESS, cuMemAlloc_v2, &a, SIZE(64));
    CALL(CUDA_SUCCESS, cuMemAlloc_v2, &b, SIZE(64));
    CALL(CUDA_SUCCESS, cuMemcpyHtoDAsync_v2, a, host, SIZE(64), NULL);
    CALL(CUDA_SUCCESS, cuMemcpyDtoD_v2, b, a, SIZE(64));
    CALL(CUDA_SUCCESS, cuMemcpyDtoDAsync_v2, b + 32, a, SIZE(16), NULL);
    CALL(CUDA_SUCCESS, cuMemcpyPeer, b + 48, NULL, a, NULL, SIZE(16));
    CALL(CUDA_SUCCESS, cuMemcpyDtoHAsync_v2, back, b, SIZE(64), NULL);
    for (int i = 0; i < 64; i++)
        IS(i < 32 ? i + 1 : i % 16 + 1, back[i]);
    CALL(CUDA_SUCCESS, cuMemcpy, a, (uint64_t)(uintptr_t)back, SIZE(64));
    CALL(CUDA_SUCCESS, cuMemcpyAsync, (uint64_t)(uintptr_t)host, a, SIZE(64), NULL);
    IS(0, memcmp(host, back, sizeof host));
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2, a + 4, host, SIZE(64));
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2, a, NULL, SIZE(4));
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2, (uint64_t)0, host, SIZE(4));
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2, host, a + 60, SIZE(8));
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD_v2, b, (uint64_t)(uintptr_t)host, SIZE(4));
    CALL(CUDA_SUCCESS, cuMemcpyDtoD_v2, (uint64_t)0, (uint64_t)0, SIZE(0));
    CALL(CUDA_SUCCESS, cuMemFree_v2, a);
    CALL(CUDA_SUCCESS, cuMemFree_v2, b);
}

static void check_fills(void)
{
    enum { PITCH = 16 };
    uint64_t at;
    uint8_t back[4 * PITCH];
    CALL(CUDA_SUCCESS, cuMemAlloc_v2, &at, sizeof back);
    CALL(CUDA_SUCCESS, cuMemsetD8_v2, at, 1, sizeof back);
    CALL(CUDA_SUCCESS, cuMemsetD2D16_v2, at, SIZE(PITCH), 0x0302, SIZE(2), SIZE(2));
    CALL(CUDA_SUCCESS, cuMemsetD2D32_v2, at + 4, SIZE(PITCH), 0x07060504, SIZE(1), SIZE(2));
    CALL(CUDA_SUCCESS, cuMemsetD2D8_v2, at + 8, SIZE(PITCH), 9, SIZE(3), SIZE(2));
    CALL(CUDA_SUCCESS, cuMemsetD2D8Async, at + 32, SIZE(PITCH), 10, SIZE(1), SIZE(2), NULL);
    CALL(CUDA_SUCCESS, cuMemsetD2D16Async, at + 34, SIZE(PITCH), 0x0c0b, SIZE(1), SIZE(2), NULL);
    CALL(CUDA_SUCCESS, cuMemsetD2D32Async, at + 36, SIZE(PITCH), 0, SIZE(1), SIZE(2), NULL);
    CALL(CUDA_SUCCESS, cuMemsetD8Async, at + 40, 13, SIZE(1), NULL);
    CALL(CUDA_SUCCESS, cuMemsetD16Async, at + 42, 0x0f0e, SIZE(1), NULL);
    CALL(CUDA_SUCCESS, cuMemsetD16_v2, at + 44, 0x1110, SIZE(2));
    CALL(CUDA_SUCCESS, cuMemcpyDtoH_v2, back, at, sizeof back);
    static const uint8_t rows[3][PITCH] = {
        {2, 3, 2, 3, 4, 5, 6, 7, 9, 9, 9, 1, 1, 1, 1, 1},
        {10, 1, 11, 12, 0, 0, 0, 0, 13, 1, 14, 15, 16, 17, 16, 17},
        {10, 1, 11, 12, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}};
    static const int row_of[] = {0, 0, 1, 2};
    for (int i = 0; i < 4; i++)
        IS(0, memcmp(back + (size_t)i * PITCH, rows[row_of[i]], PITCH));
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2, at, 0, sizeof back + 1);
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemsetD16_v2, at + 1, 0, SIZE(1));
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemsetD32_v2, at + 2, 0, SIZE(1));
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D8_v2, at, SIZE(PITCH), 0, SIZE(4), SIZE(5));
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemsetD32_v2, (uint64_t)64, 0, SIZE(1));
    CALL(CUDA_SUCCESS, cuMemsetD2D32_v2, at, SIZE(PITCH), 0, SIZE(0), SIZE(5));
    CALL(CUDA_SUCCESS, cuMemsetD2D32_v2, at, SIZE(PITCH), 0, SIZE(5), SIZE(0));
    CALL(CUDA_SUCCESS, cuMemFree_v2, at);
}

/* --- CUDA arrays, textures and surfaces ------------------------------------------------------- */

/* As in cuda.h. */
struct array_2d {
    size_t width, height;
    uint32_t format, channels;
};

struct array_3d {
    size_t width, height, depth;
    uint32_t format, channels, flags;
};

struct copy_2d {
    size_t from_x, from_y;
    uint32_t from_type;
    const void *from_host;
    uint64_t from_device;
    void *from_array;
    size_t from_pitch, to_x, to_y;
    uint32_t to_type;
    void *to_host;
    uint64_t to_device;
    void *to_array;
    size_t to_pitch, width_bytes, height;
};

struct copy_end {
    size_t x_bytes, y, z, level;
    uint32_t type;
    const void *host;
    uint64_t device;
    void *array, *reserved;
    size_t pitch, height;
};

struct copy_3d {
    struct copy_end from, to;
    size_t width_bytes, height, depth;
};

struct resource {
    uint32_t type;
    union {
        void *array;
        struct {
            uint64_t address;
            uint32_t format, channels;
            size_t width, height, pitch;
        } memory;
        int32_t all[32];
    } of;
    uint32_t flags;
};

struct texture {
    uint32_t address[3], filter, flags, anisotropy, level_filter;
    float level_bias, least_level, greatest_level, border[4];
    int32_t reserved[12];
};

enum { HOST = 1, DEVICE, ARRAY, UNIFIED };
enum { UNSIGNED_8 = 1, SIGNED_32 = 0x0a, FLOAT_32 = 0x20, LAYERED = 1 };

static void check_array_shapes(void)
{
    static const struct {
        struct array_3d shape;
        int error;
    } wrong[] = {
        {{4, 4, 0, 0x77, 1, 0}, CUDA_ERROR_INVALID_VALUE},            /* no such format */
        {{4, 4, 0, FLOAT_32, 3, 0}, CUDA_ERROR_INVALID_VALUE},        /* channels */
        {{0, 4, 0, FLOAT_32, 1, 0}, CUDA_ERROR_INVALID_VALUE},        /* no width */
        {{4, 0, 4, FLOAT_32, 1, 0}, CUDA_ERROR_INVALID_VALUE},        /* depth without height */
        {{4, 4, 0, FLOAT_32, 1, LAYERED}, CUDA_ERROR_INVALID_VALUE},  /* no layers */
        {{SIZE_MAX, 1, 1, FLOAT_32, 1, 0}, CUDA_ERROR_OUT_OF_MEMORY}, /* no such number */
        {{SIZE(1) << 40, 1, 1, UNSIGNED_8, 1, 0}, CUDA_ERROR_OUT_OF_MEMORY},
    };
    struct array_3d seen = {0};
    struct array_2d flat = {6, 2, SIGNED_32, 2};
    void *array;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect((int)i, "cuArray3DCreate_v2", wrong[i].error,
               find("cuArray3DCreate_v2")(&array, &wrong[i].shape));
    CALL(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate_v2, &array, NULL);
    CALL(CUDA_SUCCESS, cuArrayCreate_v2, &array, &flat);
    CALL(CUDA_SUCCESS, cuArray3DGetDescriptor_v2, &seen, array);
    IS(1, seen.width == 6 && seen.height == 2 && seen.depth == 0 && seen.format == SIGNED_32);
    memset(&flat, 0, sizeof flat);
    CALL(CUDA_SUCCESS, cuArrayGetDescriptor_v2, &flat, array);
    IS(1, flat.width == 6 && flat.height == 2 && flat.channels == 2);
    CALL(CUDA_SUCCESS, cuArrayDestroy, array);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuArray3DGetDescriptor_v2, &seen, array);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuArrayGetDescriptor_v2, &flat, array);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy, array);
}

/* An end without a height has slices of the rows up to the last that is copied. */
static void check_slices(void)
{
    int host[24], back[16] = {0};
    uint64_t memory;
    for (int i = 0; i < 24; i++)
        host[i] = i;
    CALL(CUDA_SUCCESS, cuMemAlloc_v2, &memory, sizeof host);
    const struct copy_3d slices = {.from = {.y = 1, .type = HOST, .host = host, .pitch = 16},
                                   .to = {.type = DEVICE, .device = memory},
                                   .width_bytes = 16,
                                   .height = 2,
                                   .depth = 2};
    CALL(CUDA_SUCCESS, cuMemcpy3D_v2, &slices);
    CALL(CUDA_SUCCESS, cuMemcpyDtoH_v2, back, memory, sizeof back);
    IS(4, back[0]);
    IS(11, back[7]);
    IS(16, back[8]);
    IS(23, back[15]);
    CALL(CUDA_SUCCESS, cuMemFree_v2, memory);
}

static void check_array_copies(void)
{
    const struct array_3d shape = {4, 3, 2, SIGNED_32, 1, 0};
    int host[24], back[24] = {0};
    uint64_t memory;
    void *array;
    for (int i = 0; i < 24; i++)
        host[i] = i;
    CALL(CUDA_SUCCESS, cuArray3DCreate_v2, &array, &shape);
    CALL(CUDA_SUCCESS, cuMemAlloc_v2, &memory, sizeof host);
    struct copy_3d all = {.from = {.type = HOST, .host = host},
                          .to = {.type = ARRAY, .array = array},
                          .width_bytes = 16,
                          .height = 3,
                          .depth = 2};
    CALL(CUDA_SUCCESS, cuMemcpy3D_v2, &all);
    struct copy_2d rows = {.from_type = ARRAY,
                           .from_array = array,
                           .from_x = 4,
                           .from_y = 1,
                           .to_type = DEVICE,
                           .to_device = memory,
                           .to_pitch = 16,
                           .width_bytes = 8,
                           .height = 2};
    CALL(CUDA_SUCCESS, cuMemcpy2D_v2, &rows);
    CALL(CUDA_SUCCESS, cuMemcpyDtoH_v2, back, memory, sizeof back);
    IS(5, back[0]);
    IS(10, back[5]);
    rows.to_type = UNIFIED;
    rows.from_y = 0;
    CALL(CUDA_SUCCESS, cuMemcpy2DUnaligned_v2, &rows);
    CALL(CUDA_SUCCESS, cuMemcpyDtoH_v2, back, memory, sizeof back);
    IS(1, back[0]);
    rows.to_x = 4;
    CALL(CUDA_SUCCESS, cuMemcpy2DAsync_v2, &rows, NULL);
    CALL(CUDA_SUCCESS, cuMemcpyDtoH_v2, back, memory, sizeof back);
    IS(1, back[1]);
    rows.to_x = 12; /* a row of 16 bytes */
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2, &rows);
    all.to.x_bytes = 4;
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2, &all);
    all.to.x_bytes = 20;
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2, &all);
    all.to.x_bytes = 0;
    all.to.y = 1;
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2, &all);
    all.to.y = 4;
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2, &all);
    all.to.y = 0;
    all.to.z = 1;
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2, &all);
    all.to.z = 3;
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2, &all);
    all.to.z = 0;
    all.to.array = host;
    CALL(CUDA_ERROR_INVALID_HANDLE, cuMemcpy3D_v2, &all);
    CALL(CUDA_SUCCESS, cuMemcpyAtoD_v2, memory, array, SIZE(8), SIZE(16));
    CALL(CUDA_SUCCESS, cuMemcpyDtoA_v2, array, SIZE(0), memory, SIZE(8));
    CALL(CUDA_SUCCESS, cuMemcpyAtoH_v2, back, array, SIZE(0), SIZE(16));
    IS(2, back[0]);
    IS(3, back[1]);
    IS(3, back[3]);
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoH_v2, back, array, SIZE(48), SIZE(4));
    CALL(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoH_v2, back, array, SIZE(49), SIZE(0));
    CALL(CUDA_ERROR_INVALID_HANDLE, cuMemcpyAtoH_v2, back, host, SIZE(0), SIZE(4));
    CALL(CUDA_SUCCESS, cuMemFree_v2, memory);
    CALL(CUDA_SUCCESS, cuArrayDestroy, array);
}

static void check_textures(void)
{
    const struct array_2d shape = {4, 4, FLOAT_32, 1};
    struct texture texture = {.address = {1, 1, 1}}, seen;
    struct resource resource = {.type = 0}, seen_resource;
    uint64_t memory, handle = 0, surface = 0, second = 0;
    void *array;
    CALL(CUDA_SUCCESS, cuArrayCreate_v2, &array, &shape);
    CALL(CUDA_SUCCESS, cuMemAlloc_v2, &memory, SIZE(4096));
    resource.of.array = array;
    CALL(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate, NULL, &resource, &texture, NULL);
    CALL(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate, &handle, NULL, &texture, NULL);
    CALL(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate, &handle, &resource, NULL, NULL);
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuTexObjectCreate, &handle, &resource, &texture, &texture);
    CALL(CUDA_SUCCESS, cuTexObjectCreate, &handle, &resource, &texture, NULL);
    CALL(CUDA_SUCCESS, cuSurfObjectCreate, &surface, &resource);
    CALL(CUDA_SUCCESS, cuTexObjectGetTextureDesc, &seen, handle);
    IS(0, memcmp(&seen, &texture, sizeof seen));
    CALL(CUDA_SUCCESS, cuTexObjectGetResourceDesc, &seen_resource, handle);
    IS(1, seen_resource.of.array == array);
    CALL(CUDA_SUCCESS, cuSurfObjectGetResourceDesc, &seen_resource, surface);
    IS(1, seen_resource.of.array == array);
    CALL(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetTextureDesc, &seen, surface);
    CALL(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetResourceDesc, &seen_resource, surface);
    CALL(CUDA_ERROR_INVALID_VALUE, cuSurfObjectGetResourceDesc, &seen_resource, handle);
    CALL(CUDA_SUCCESS, cuTexObjectDestroy, handle);
    CALL(CUDA_SUCCESS, cuTexObjectCreate, &second, &resource, &texture, NULL);
    IS(1, second == handle); /* the free place */
    CALL(CUDA_SUCCESS, cuTexObjectDestroy, second);
    CALL(CUDA_ERROR_INVALID_VALUE, cuTexObjectDestroy, second);
    CALL(CUDA_SUCCESS, cuSurfObjectDestroy, surface);
    CALL(CUDA_ERROR_INVALID_VALUE, cuSurfObjectDestroy, surface);
    texture.address[0] = 4;
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuTexObjectCreate, &handle, &resource, &texture, NULL);
    texture.address[0] = 0; /* another one than that of y */
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuTexObjectCreate, &handle, &resource, &texture, NULL);
    texture.address[0] = texture.address[1] = 3;
    texture.border[2] = -1;
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuTexObjectCreate, &handle, &resource, &texture, NULL);
    texture.border[2] = 0;
    texture.flags = 16; /* sRGB */
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuTexObjectCreate, &handle, &resource, &texture, NULL);
    texture.flags = 0;
    resource.of.array = &array;
    CALL(CUDA_ERROR_INVALID_HANDLE, cuTexObjectCreate, &handle, &resource, &texture, NULL);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuSurfObjectCreate, &surface, &resource);
    resource.type = 1; /* levels */
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuTexObjectCreate, &handle, &resource, &texture, NULL);
    CALL(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate, &surface, &resource);
    memset(&resource, 0, sizeof resource);
    resource.type = 2; /* linear */
    resource.of.memory.address = memory;
    resource.of.memory.format = FLOAT_32;
    resource.of.memory.channels = 1;
    resource.of.memory.width = 4096;
    CALL(CUDA_SUCCESS, cuTexObjectCreate, &handle, &resource, &texture, NULL);
    CALL(CUDA_SUCCESS, cuTexObjectDestroy, handle);
    resource.of.memory.width = 4100; /* beyond the allocation */
    CALL(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate, &handle, &resource, &texture, NULL);
    resource.of.memory.width = 0;
    CALL(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate, &handle, &resource, &texture, NULL);
    resource.type = 3; /* pitched */
    resource.of.memory.width = 4;
    resource.of.memory.height = 4;
    resource.of.memory.pitch = 512;
    CALL(CUDA_SUCCESS, cuTexObjectCreate, &handle, &resource, &texture, NULL);
    CALL(CUDA_SUCCESS, cuTexObjectDestroy, handle);
    resource.of.memory.channels = 3;
    CALL(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate, &handle, &resource, &texture, NULL);
    CALL(CUDA_SUCCESS, cuMemFree_v2, memory);
    CALL(CUDA_SUCCESS, cuArrayDestroy, array);
}

static void check_tensor_maps(void)
{
    const uint64_t size[] = {64, 8}, stride[] = {256};
    const uint32_t box[] = {32, 8}, wide[] = {1 << 17, 8}, step[] = {1, 1};
    _Alignas(64) char map[128];
    uint64_t memory;
    CALL(CUDA_SUCCESS, cuMemAlloc_v2, &memory, SIZE(4096));
#define ENCODE(error, to, type, size, box, interleave, swizzle)                                    \
    CALL(error, cuTensorMapEncodeTiled, to, type, 2u, memory, size, stride, box, step, interleave, \
         swizzle, 0, 0)
    ENCODE(CUDA_SUCCESS, map, 7, size, box, 0, 3);
    CALL(CUDA_SUCCESS, cuTensorMapReplaceAddress, map, memory + 1024);
    CALL(CUDA_ERROR_INVALID_VALUE, cuTensorMapReplaceAddress, map, memory + 1);
    CALL(CUDA_ERROR_INVALID_VALUE, cuTensorMapReplaceAddress, NULL, memory);
    ENCODE(CUDA_ERROR_INVALID_VALUE, NULL, 7, size, box, 0, 3);
    ENCODE(CUDA_ERROR_INVALID_VALUE, map, 7, NULL, box, 0, 3);
    ENCODE(CUDA_ERROR_INVALID_VALUE, map, 7, size, NULL, 0, 3);
    ENCODE(CUDA_ERROR_INVALID_VALUE, map, 7, size, wide, 0, 3);
    ENCODE(CUDA_ERROR_NOT_SUPPORTED, map, 7, size, box, 1, 0);
    ENCODE(CUDA_ERROR_NOT_SUPPORTED, map, 7, size, box, 0, 4);
#undef ENCODE
    memset(map, 0, sizeof map);
    CALL(CUDA_ERROR_INVALID_VALUE, cuTensorMapReplaceAddress, map, memory);
    CALL(CUDA_SUCCESS, cuMemFree_v2, memory);
}

/* --- Streams and events ----------------------------------------------------------------------- */

static void called(void *stream, int status, void *data)
{
    (void)stream;
    *(int *)data = status;
}

static void count(void *data)
{
    ++*(int *)data;
}

static void check_streams(void)
{
    void *stream, *event, *second, *context, *primary;
    uint32_t flags = 9;
    int priority = 9, status = -1, calls = 0;
    uint64_t id[2];
    float ms = -1;
    CALL(CUDA_SUCCESS, cuStreamCreateWithPriority, &stream, 1u, -2);
    CALL(CUDA_SUCCESS, cuStreamGetFlags, stream, &flags);
    IS(1, flags);
    CALL(CUDA_SUCCESS, cuStreamGetPriority, stream, &priority);
    IS(-2, priority);
    for (uintptr_t i = 0; i <= 2; i++) { /* the default streams */
        CALL(CUDA_SUCCESS, cuStreamGetFlags, (void *)i, &flags);
        IS(0, flags);
        CALL(CUDA_SUCCESS, cuStreamGetPriority, (void *)i, &priority);
        IS(0, priority);
        CALL(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy_v2, (void *)i);
    }
    CALL(CUDA_SUCCESS, cuStreamGetCtx, stream, &context);
    CALL(CUDA_SUCCESS, cuDevicePrimaryCtxRetain, &primary, 0);
    IS(1, context == primary);
    CALL(CUDA_SUCCESS, cuStreamGetId, stream, &id[0]);
    CALL(CUDA_SUCCESS, cuStreamGetId, NULL, &id[1]);
    IS(1, id[0] != id[1]);
    CALL(CUDA_SUCCESS, cuStreamQuery, stream);
    CALL(CUDA_SUCCESS, cuStreamSynchronize, stream);
    CALL(CUDA_SUCCESS, cuStreamAddCallback, stream, called, &status, 0u);
    IS(CUDA_SUCCESS, status);
    CALL(CUDA_SUCCESS, cuLaunchHostFunc, stream, count, &calls);
    IS(1, calls);
    CALL(CUDA_SUCCESS, cuStreamAttachMemAsync, stream, (uint64_t)0, SIZE(0), 1u);
    CALL(CUDA_SUCCESS, cuEventCreate, &event, 0u);
    CALL(CUDA_SUCCESS, cuEventCreate, &second, 0u);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime, &ms, event, second); /* not recorded */
    CALL(CUDA_SUCCESS, cuEventRecord, event, stream);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime, &ms, event, second);
    CALL(CUDA_SUCCESS, cuEventRecordWithFlags, second, stream, 0u);
    CALL(CUDA_SUCCESS, cuEventElapsedTime_v2, &ms, event, second);
    IS(1, ms >= 0);
    CALL(CUDA_SUCCESS, cuEventQuery, event);
    CALL(CUDA_SUCCESS, cuEventSynchronize, event);
    CALL(CUDA_SUCCESS, cuStreamWaitEvent, stream, event, 0u);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuStreamWaitEvent, stream, NULL, 0u);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuEventRecord, NULL, stream);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuEventQuery, NULL);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuEventSynchronize, NULL);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime, &ms, NULL, second);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime, &ms, event, NULL);
    CALL(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy_v2, NULL);
    CALL(CUDA_SUCCESS, cuEventDestroy_v2, event);
    CALL(CUDA_SUCCESS, cuEventDestroy_v2, second);
    CALL(CUDA_SUCCESS, cuStreamDestroy_v2, stream);
    CALL(CUDA_SUCCESS, cuProfilerStart, );
    CALL(CUDA_SUCCESS, cuProfilerStop, );
}

/* --- Graphs ----------------------------------------------------------------------------------- */

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry store(.param .u64 p, .param .u32 v) {\n"
    ".reg .b32 %r<2>; .reg .b64 %d<2>; ld.param.u64 %d1, [p]; ld.param.u32 %r1, [v];\n"
    "st.global.u32 [%d1], %r1; ret; }\n"
    ".visible .entry unknown() { no.such.instruction; ret; }\n";

static void *function_of(void *module, const char *name)
{
    void *function = NULL;
    CALL(CUDA_SUCCESS, cuModuleGetFunction, &function, module, name);
    return function;
}

struct kernel_node {
    void *function;
    uint32_t grid[3], block[3], smem_bytes;
    void **parameters, **extra;
    void *kernel, *context;
};

struct fill {
    uint64_t to;
    size_t pitch;
    uint32_t value, element_bytes;
    size_t width, height;
};

struct host_call {
    void (*function)(void *);
    void *data;
};

static void check_graphs(void *module)
{
    uint64_t address;
    uint32_t value = 3, seen = 0, stored = 0;
    int calls = 0, type = -1, report[6];
    size_t nodes = 0, one = 1;
    void *graph, *other, *exec, *clone, *added[6], *listed[6], *arguments[] = {&address, &value};
    CALL(CUDA_SUCCESS, cuMemAlloc_v2, &address, SIZE(4));
    struct kernel_node kernel = {.function = function_of(module, "store"),
                                 .grid = {1, 1, 1},
                                 .block = {1, 1, 1},
                                 .parameters = arguments};
    struct fill fill = {address, 0, 8, 4, 1, 1};
    const struct host_call call = {count, &calls};
    const struct copy_3d copy = {.from = {.type = DEVICE, .device = address},
                                 .to = {.type = HOST, .host = &stored},
                                 .width_bytes = 4,
                                 .height = 1,
                                 .depth = 1};
    CALL(CUDA_ERROR_INVALID_VALUE, cuGraphCreate, &graph, 1u);
    CALL(CUDA_SUCCESS, cuGraphCreate, &graph, 0u);
    CALL(CUDA_SUCCESS, cuGraphCreate, &other, 0u);
    CALL(CUDA_SUCCESS, cuGraphAddEmptyNode, &added[0], graph, NULL, SIZE(0));
    CALL(CUDA_SUCCESS, cuGraphAddMemsetNode, &added[1], graph, added, SIZE(1), &fill, NULL);
    CALL(CUDA_SUCCESS, cuGraphAddKernelNode_v2, &added[2], graph, &added[1], SIZE(1), &kernel);
    CALL(CUDA_SUCCESS, cuGraphAddMemcpyNode, &added[3], graph, &added[2], SIZE(1), &copy, NULL);
    CALL(CUDA_SUCCESS, cuGraphAddHostNode, &added[4], graph, &added[3], SIZE(1), &call);
    CALL(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode, &added[5], other, added, SIZE(1));
    CALL(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies, other, &added[0], &added[1], SIZE(1));
    CALL(CUDA_SUCCESS, cuGraphAddDependencies_v2, graph, &added[0], &added[4], NULL, SIZE(1));
    kernel.block[2] = 65; /* as cuLaunchKernel says */
    CALL(CUDA_ERROR_INVALID_VALUE, cuGraphAddKernelNode_v2, &added[5], graph, NULL, SIZE(0),
         &kernel);
    kernel.block[2] = 1;
    kernel.parameters = NULL;
    CALL(CUDA_ERROR_INVALID_VALUE, cuGraphAddKernelNode_v2, &added[5], graph, NULL, SIZE(0),
         &kernel);
    kernel.function = function_of(module, "unknown");
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddKernelNode_v2, &added[5], graph, NULL, SIZE(0),
         &kernel);
    kernel.function = NULL;
    CALL(CUDA_ERROR_INVALID_HANDLE, cuGraphAddKernelNode_v2, &added[5], graph, NULL, SIZE(0),
         &kernel);
    CALL(CUDA_ERROR_INVALID_VALUE, cuGraphAddChildGraphNode, &added[5], other, NULL, SIZE(0), NULL);
    CALL(CUDA_SUCCESS, cuGraphGetNodes, graph, NULL, &nodes);
    IS(5, nodes);
    CALL(CUDA_SUCCESS, cuGraphGetNodes, graph, listed, &one);
    IS(1, one);
    IS(1, listed[0] == added[0]);
    nodes = 6;
    CALL(CUDA_SUCCESS, cuGraphGetRootNodes, graph, listed, &nodes);
    IS(1, nodes);
    CALL(CUDA_SUCCESS, cuGraphNodeGetType, added[4], &type);
    IS(3, type); /* a call of the host */
    CALL(CUDA_SUCCESS, cuGraphClone, &clone, graph);
    CALL(CUDA_SUCCESS, cuGraphInstantiateWithFlags, &exec, clone, (uint64_t)0);
    CALL(CUDA_SUCCESS, cuGraphDestroy, clone);
    CALL(CUDA_SUCCESS, cuGraphUpload, exec, NULL);
    CALL(CUDA_SUCCESS, cuGraphLaunch, exec, NULL);
    IS(3, stored);
    IS(1, calls);
    CALL(CUDA_SUCCESS, cuGraphExecDestroy, exec);
    CALL(CUDA_SUCCESS, cuGraphInstantiateWithFlags, &exec, graph, (uint64_t)0);
    kernel.function = function_of(module, "store");
    kernel.parameters = arguments;
    value = 4;
    CALL(CUDA_SUCCESS, cuGraphExecKernelNodeSetParams_v2, exec, added[2], &kernel);
    CALL(CUDA_ERROR_INVALID_VALUE, cuGraphExecKernelNodeSetParams_v2, exec, added[1], &kernel);
    CALL(CUDA_SUCCESS, cuGraphLaunch, exec, NULL);
    IS(4, stored);
    kernel.function = NULL;
    CALL(CUDA_ERROR_INVALID_HANDLE, cuGraphExecKernelNodeSetParams_v2, exec, added[2], &kernel);
    CALL(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate_v2, exec, other, report);
    CALL(CUDA_SUCCESS, cuGraphExecUpdate_v2, exec, graph, NULL); /* its arguments of before */
    CALL(CUDA_SUCCESS, cuGraphLaunch, exec, NULL);
    IS(3, stored);
    CALL(CUDA_SUCCESS, cuMemcpyDtoH_v2, &seen, address, SIZE(4));
    IS(3, seen);
    fill.element_bytes = 3;
    CALL(CUDA_SUCCESS, cuGraphAddMemsetNode, &added[5], other, NULL, SIZE(0), &fill, NULL);
    CALL(CUDA_SUCCESS, cuGraphExecDestroy, exec);
    CALL(CUDA_SUCCESS, cuGraphInstantiateWithFlags, &exec, other, (uint64_t)0);
    CALL(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch, exec, NULL);
    CALL(CUDA_SUCCESS, cuGraphAddDependencies, graph, &added[4], &added[0], SIZE(1)); /* a cycle */
    CALL(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithFlags, &clone, graph, (uint64_t)0);
    CALL(CUDA_ERROR_INVALID_VALUE, cuGraphExecUpdate_v2, exec, graph, report);
    CALL(CUDA_ERROR_INVALID_VALUE, cuGraphClone, &clone, NULL);
    CALL(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithFlags, &clone, NULL, (uint64_t)0);
    CALL(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch, NULL, NULL);
    CALL(CUDA_ERROR_INVALID_VALUE, cuGraphUpload, NULL, NULL);
    CALL(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy, NULL);
    CALL(CUDA_SUCCESS, cuGraphExecDestroy, exec);
    CALL(CUDA_SUCCESS, cuGraphDestroy, graph);
    CALL(CUDA_SUCCESS, cuGraphDestroy, other);
    CALL(CUDA_SUCCESS, cuMemFree_v2, address);
}

static void check_capture(void *module)
{
    uint64_t address, other;
    uint32_t value = 6, back[2] = {0, 0}, seen = 0;
    int calls = 0, status = -1;
    void *first, *second, *event, *graph, *exec, *arguments[] = {&address, &value};
    size_t nodes = 0;
    CALL(CUDA_SUCCESS, cuMemAlloc_v2, &address, SIZE(8));
    CALL(CUDA_SUCCESS, cuMemsetD32_v2, address, 0, SIZE(2));
    CALL(CUDA_SUCCESS, cuStreamCreate, &first, 0u);
    CALL(CUDA_SUCCESS, cuStreamCreate, &second, 0u);
    CALL(CUDA_SUCCESS, cuEventCreate, &event, 0u);
    CALL(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCapture_v2, first, -1);
    CALL(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCapture_v2, first, 3);
    CALL(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture_v2, NULL, 0);
    CALL(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture, first, &graph);
    CALL(CUDA_SUCCESS, cuStreamBeginCapture_v2, first, 0);
    CALL(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel, function_of(module, "store"), 1u, 1u, 1u, 2048u,
         1u, 1u, 0u, first, arguments, NULL);
    CALL(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuLaunchKernel, function_of(module, "store"), 1u,
         1u, 1u, 1u, 1u, 1u, 0u, first, arguments, NULL);
    CALL(CUDA_SUCCESS, cuStreamIsCapturing, first, &status);
    IS(2, status);
    CALL(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture, first, &graph);
    IS(1, graph == NULL);
    CALL(CUDA_SUCCESS, cuStreamBeginCapture_v2, first, 0);
    CALL(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamQuery, first);
    CALL(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuMemsetD32Async, address, 2, SIZE(2), first);
    CALL(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture, first, &graph);
    CALL(CUDA_SUCCESS, cuStreamBeginCapture_v2, first, 0);
    CALL(CUDA_ERROR_ILLEGAL_STATE, cuStreamBeginCapture_v2, first, 0);
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuMemAllocAsync, &other, SIZE(4), first);
    CALL(CUDA_ERROR_NOT_SUPPORTED, cuMemFreeAsync, address, first);
    CALL(CUDA_SUCCESS, cuMemsetD32Async, address, 2, SIZE(2), first);
    CALL(CUDA_SUCCESS, cuEventRecord, event, first);
    CALL(CUDA_SUCCESS, cuStreamWaitEvent, second, event, 0u);
    CALL(CUDA_SUCCESS, cuLaunchKernel, function_of(module, "store"), 1u, 1u, 1u, 1u, 1u, 1u, 0u,
         second, arguments, NULL);
    CALL(CUDA_SUCCESS, cuMemcpyDtoDAsync_v2, address + 4, address, SIZE(4), second);
    CALL(CUDA_SUCCESS, cuEventRecord, event, second);
    CALL(CUDA_SUCCESS, cuStreamWaitEvent, first, event, 0u);
    CALL(CUDA_SUCCESS, cuLaunchHostFunc, first, count, &calls);
    const struct copy_2d rows = {.from_type = DEVICE,
                                 .from_device = address,
                                 .to_type = HOST,
                                 .to_host = back,
                                 .width_bytes = 8,
                                 .height = 1};
    CALL(CUDA_SUCCESS, cuMemcpy2DAsync_v2, &rows, first);
    CALL(CUDA_SUCCESS, cuStreamEndCapture, first, &graph);
    CALL(CUDA_SUCCESS, cuStreamIsCapturing, second, &status);
    IS(0, status);
    CALL(CUDA_SUCCESS, cuGraphGetNodes, graph, NULL, &nodes);
    IS(5, nodes);
    IS(0, calls);
    CALL(CUDA_SUCCESS, cuMemcpyDtoH_v2, &seen, address, SIZE(4));
    IS(0, seen);
    CALL(CUDA_SUCCESS, cuGraphInstantiateWithFlags, &exec, graph, (uint64_t)0);
    CALL(CUDA_SUCCESS, cuGraphLaunch, exec, first);
    IS(1, calls);
    IS(6, back[0]);
    IS(6, back[1]);
    CALL(CUDA_SUCCESS, cuGraphExecDestroy, exec);
    CALL(CUDA_SUCCESS, cuGraphDestroy, graph);
    CALL(CUDA_SUCCESS, cuEventDestroy_v2, event);
    CALL(CUDA_SUCCESS, cuStreamDestroy_v2, first);
    CALL(CUDA_SUCCESS, cuStreamDestroy_v2, second);
    CALL(CUDA_SUCCESS, cuMemFree_v2, address);
}

int main(void)
{
    void *context, *module = NULL;
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        puts(dlerror());
        return 99;
    }
    CALL(CUDA_SUCCESS, cuInit, 0u);
    CALL(CUDA_SUCCESS, cuDevicePrimaryCtxRetain, &context, 0);
    CALL(CUDA_SUCCESS, cuCtxSetCurrent, context);
    check_allocations();
    check_registering();
    check_many_allocations();
    check_copies();
    check_fills();
    check_array_shapes();
    check_slices();
    check_array_copies();
    check_textures();
    check_tensor_maps();
    check_streams();
    CALL(CUDA_SUCCESS, cuModuleLoadData, &module, ptx);
    check_graphs(module);
    check_capture(module);
    CALL(CUDA_SUCCESS, cuModuleUnload, module);
    return failures > 0 ? 99 : 0;
}
