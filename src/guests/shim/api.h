/* What programs pass to CUDA's driver and runtime, as this project declares it: the numbers of
   errors and attributes, and structures. Neither needs CUDA's headers to be built;
   tests/shim/abi.c compares this with them where they are installed. */
#ifndef SMC_GUESTS_API_H
#define SMC_GUESTS_API_H

#include <stddef.h>
#include <stdint.h>

/* CUDA's calls have parameters that the emulator does not need. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* A call of CUDA that programs find. */
#define API_OF(type) __attribute__((visibility("default"))) type
#define API          API_OF(int)
/* A call that only returns a value; one that sets `*out` and succeeds. */
#define API_RETURNS(name, parameters, value)                                                       \
    API name parameters                                                                            \
    {                                                                                              \
        return value;                                                                              \
    }
#define API_ANSWERS(name, parameters, out, value)                                                  \
    API name parameters                                                                            \
    {                                                                                              \
        out = value;                                                                               \
        return SHIM_SUCCESS;                                                                       \
    }

enum shim_error {
#define SHIM_ERROR(id, number, driver, runtime, text) SHIM_##id = (number),
#include "guests/shim/errors.def"
};

enum shim_device_attribute {
#define SHIM_DEVICE_ATTRIBUTE(name, number, value, member) SHIM_DEVICE_##name = (number),
#include "guests/shim/device_attributes.def"
};

enum shim_function_attribute {
    SHIM_FUNCTION_MAX_THREADS,
    SHIM_FUNCTION_STATIC_SMEM,
    SHIM_FUNCTION_CONST_BYTES,
    SHIM_FUNCTION_LOCAL_BYTES,
    SHIM_FUNCTION_REGS,
    SHIM_FUNCTION_PTX_VERSION,
    SHIM_FUNCTION_BINARY_VERSION,
    SHIM_FUNCTION_CACHE_CA,
    SHIM_FUNCTION_MAX_DYNAMIC_SMEM,
    SHIM_FUNCTION_CARVEOUT,
    SHIM_FUNCTION_ATTRIBUTES, /* as many as the runtime reports in its structure of old */
    SHIM_FUNCTION_CLUSTER_X = 11,
    SHIM_FUNCTION_CLUSTER_Y,
    SHIM_FUNCTION_CLUSTER_Z,
    SHIM_FUNCTION_LARGE_CLUSTERS /* NON_PORTABLE_CLUSTER_SIZE_ALLOWED */
};

/* What a program can set for a context. */
enum shim_limit {
    SHIM_LIMIT_STACK_BYTES,
    SHIM_LIMIT_PRINT_BYTES,
    SHIM_LIMIT_HEAP_BYTES,
    SHIM_LIMIT_SYNC_DEPTH,
    SHIM_LIMIT_PENDING_LAUNCHES,
    SHIM_LIMIT_L2_FETCH_BYTES,
    SHIM_LIMIT_PERSISTING_L2_BYTES,
    SHIM_LIMIT_SMEM_BYTES,
    SHIM_LIMITS
};

enum {
    SHIM_CACHE_PREFER_NONE,
    SHIM_CACHE_PREFER_SMEM,
    SHIM_CACHE_PREFER_L1,
    SHIM_CACHE_PREFER_EQUAL
};

enum { SHIM_BANKS_DEFAULT, SHIM_BANKS_4_BYTES, SHIM_BANKS_8_BYTES };

enum { SHIM_MODULES_EAGER = 1, SHIM_FUNCTION_LOADED = 1 };

/* What is linked, and options of linking that name a buffer. */
enum { SHIM_LINK_PTX = 1, SHIM_LINK_INFO_LOG = 3, SHIM_LINK_ERROR_LOG = 5 };

/* Keys before the packed arguments of a launch, and before their size. */
enum { SHIM_EXTRA_BUFFER = 1, SHIM_EXTRA_BYTES = 2 };

/* Handles of the default streams. NULL is one of them, here the legacy one. */
enum { SHIM_STREAM_LEGACY = 1, SHIM_STREAM_PER_THREAD = 2 };

enum { SHIM_STREAM_NON_BLOCKING = 1 }; /* of a stream's flags */

enum { SHIM_CAPTURE_MODE_GLOBAL, SHIM_CAPTURE_MODE_THREAD, SHIM_CAPTURE_MODE_RELAXED };

enum {
    SHIM_POINTER_CONTEXT = 1,
    SHIM_POINTER_TYPE,
    SHIM_POINTER_DEVICE,
    SHIM_POINTER_HOST,
    SHIM_POINTER_IS_MANAGED = 8,
    SHIM_POINTER_ORDINAL = 9,
    SHIM_POINTER_RANGE_START = 11,
    SHIM_POINTER_RANGE_BYTES = 12
};

/* Of cuLaunchKernelEx: those that matter here. */
enum { SHIM_LAUNCH_COOPERATIVE = 2, SHIM_LAUNCH_CLUSTER = 4 };

struct shim_attribute {
    int32_t id, pad;
    union {
        uint32_t cluster[3];
        int32_t number;
        uint64_t size[8];
    } value;
};

struct shim_launch_config {
    uint32_t grid[3], block[3], smem_bytes;
    void *stream;
    const struct shim_attribute *attributes;
    uint32_t attribute_count;
};

/* The runtime's: its dynamic shared memory is a size_t. */
struct shim_runtime_config {
    uint32_t grid[3], block[3];
    size_t smem_bytes;
    void *stream;
    const struct shim_attribute *attributes;
    uint32_t attribute_count;
};

enum {
    SHIM_MEMORY_TYPE_HOST = 1,
    SHIM_MEMORY_TYPE_DEVICE,
    SHIM_MEMORY_TYPE_ARRAY,
    SHIM_MEMORY_TYPE_UNIFIED
};

struct shim_copy_2d {
    size_t from_x, from_y;
    uint32_t from_type, pad_from;
    const void *from_host;
    uint64_t from_device;
    void *from_array;
    size_t from_pitch;
    size_t to_x, to_y;
    uint32_t to_type, pad_to;
    void *to_host;
    uint64_t to_device;
    void *to_array;
    size_t to_pitch;
    size_t width_bytes, height;
};

/* One end of a copy of three dimensions. */
struct shim_copy_end {
    size_t x_bytes, y, z, level;
    uint32_t type, pad;
    const void *at_host;
    uint64_t at_device;
    void *array, *reserved;
    size_t pitch, height;
};

struct shim_copy_3d {
    struct shim_copy_end from, to;
    size_t width_bytes, height, depth;
};

/* What the nodes of a graph do. */
struct shim_kernel_node {
    void *function;
    uint32_t grid[3], block[3], smem_bytes;
    void **parameters, **extra;
    void *kernel, *context;
};

struct shim_fill {
    uint64_t to;
    size_t pitch;
    uint32_t value, element_bytes;
    size_t width, height;
};

struct shim_host_call {
    void (*function)(void *);
    void *data;
};

enum { SHIM_UPDATE_TOPOLOGY = 2 };

struct shim_graph_update {
    int32_t result;
    void *node, *from;
};

struct shim_array_2d {
    size_t width, height;
    uint32_t format, channels;
};

enum { SHIM_ARRAY_LAYERED = 1, SHIM_ARRAY_CUBEMAP = 4 };

struct shim_array_3d {
    size_t width, height, depth;
    uint32_t format, channels, flags;
};

/* Of an array's elements. */
enum {
    SHIM_FORMAT_U8 = 0x01,
    SHIM_FORMAT_U16 = 0x02,
    SHIM_FORMAT_U32 = 0x03,
    SHIM_FORMAT_S8 = 0x08,
    SHIM_FORMAT_S16 = 0x09,
    SHIM_FORMAT_S32 = 0x0a,
    SHIM_FORMAT_F16 = 0x10,
    SHIM_FORMAT_F32 = 0x20
};

enum { SHIM_RESOURCE_ARRAY, SHIM_RESOURCE_LEVELS, SHIM_RESOURCE_LINEAR, SHIM_RESOURCE_PITCH };

struct shim_resource {
    uint32_t type, pad;
    union {
        void *array;
        struct {
            uint64_t address;
            uint32_t format, channels;
            size_t width; /* of linear memory in bytes, of pitched memory in elements */
            size_t height, pitch;
        } memory;
        int32_t all[32];
    } of;
    uint32_t flags;
};

enum { SHIM_FILTER_POINT, SHIM_FILTER_LINEAR };

enum { SHIM_TEXTURE_AS_INTEGER = 1, SHIM_TEXTURE_NORMALIZED = 2, SHIM_TEXTURE_SRGB = 16 };

struct shim_texture {
    uint32_t address[3], filter, flags, anisotropy, level_filter;
    float level_bias, least_level, greatest_level, border[4];
    int32_t reserved[12];
};

#endif
