/* What programs pass to CUDA's driver and runtime, as this project declares it: the numbers of
   errors and attributes, and structures. Neither needs CUDA's headers to be built;
   tests/shim/abi.c compares this with them where they are installed. */
#ifndef SMC_SHIM_API_H
#define SMC_SHIM_API_H

#include <stddef.h>
#include <stdint.h>

enum shim_error {
#define SHIM_ERROR(id, number, driver, runtime, text) SHIM_##id = (number),
#include "shim/errors.def"
#undef SHIM_ERROR
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

enum { SHIM_MEMORY_TYPE_HOST = 1, SHIM_MEMORY_TYPE_DEVICE = 2, SHIM_MEMORY_TYPE_UNIFIED = 4 };

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

#endif
