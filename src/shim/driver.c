/* The driver API, libcuda.so.1, on the emulator. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/occupancy.h"
#include "shim/shim.h"

/* Their declarations are in CUDA's headers, which are not included. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define API __attribute__((visibility("default"))) int

enum { DRIVER_VERSION = 13000, GPU_PITCH = 512, STREAM_DEFAULT_WORDS = 1 };

struct shim_stream {
    uint32_t flags;
    int32_t priority;
};

struct shim_event {
    uint64_t ns;
    bool is_recorded;
};

struct shim_context {
    uint32_t flags;
};

static struct shim_context primary;
static __thread struct shim_context *current;
static bool initialized;

static void leave(const int *held)
{
    (void)held;
    shim_unlock();
}

/* All calls that can fail asynchronously return what an earlier launch did wrong. */
#define BEGIN                                                                                      \
    __attribute__((cleanup(leave))) int held = 1;                                                  \
    shim_lock();                                                                                   \
    (void)held;                                                                                    \
    if (!initialized)                                                                              \
        return SHIM_NOT_INITIALIZED;                                                               \
    if (shim_sticky_error() != 0)                                                                  \
    return shim_sticky_error()

static void *host(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* --- The device and its context --------------------------------------------------------------- */

API cuInit(uint32_t flags)
{
    if (flags != 0)
        return SHIM_INVALID_VALUE;
    shim_lock();
    initialized = true;
    shim_record_start();
    shim_unlock();
    return SHIM_SUCCESS;
}

API cuDriverGetVersion(int *version)
{
    *version = DRIVER_VERSION;
    return SHIM_SUCCESS;
}

API cuDeviceGetCount(int *count)
{
    *count = 1;
    return initialized ? SHIM_SUCCESS : SHIM_NOT_INITIALIZED;
}

API cuDeviceGet(int *device, int ordinal)
{
    if (ordinal != 0)
        return SHIM_INVALID_DEVICE;
    *device = 0;
    return initialized ? SHIM_SUCCESS : SHIM_NOT_INITIALIZED;
}

API cuDeviceGetName(char *name, int bytes, int device)
{
    if (device != 0)
        return SHIM_INVALID_DEVICE;
    snprintf(name, bytes > 0 ? (size_t)bytes : 0, "%s", shim_device()->name);
    return SHIM_SUCCESS;
}

API cuDeviceGetUuid(uint8_t uuid[16], int device)
{
    static const uint8_t made_up[16] = "smemcalc-device";
    memcpy(uuid, made_up, sizeof made_up);
    return device == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE;
}

API cuDeviceGetUuid_v2(uint8_t uuid[16], int device)
{
    return cuDeviceGetUuid(uuid, device);
}

API cuDeviceGetLuid(char *luid, uint32_t *mask, int device)
{
    memset(luid, 0, 8);
    *mask = 0;
    return device == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE;
}

API cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    *bytes = shim_device()->global_mem_bytes;
    return device == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE;
}

API cuDeviceComputeCapability(int *major, int *minor, int device)
{
    *major = shim_device()->sm.cc / 10;
    *minor = shim_device()->sm.cc % 10;
    return device == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE;
}

static int memory_clock_khz(const struct smc_device *device)
{
    const double bytes = device->memory_bus_bits / 8.0; /* per transfer, two of them per clock */
    return bytes > 0 ? (int)(device->memory_bytes_per_s / bytes / 2 / 1000) : 0;
}

/* Attributes by their number in cuda.h; those of what is not emulated are 0. */
static int attribute_of(int attribute)
{
    const struct smc_device *device = shim_device();
    const struct smc_sm *sm = &device->sm;
    switch (attribute) {
    case 1:
    case 2:
    case 3:
        return (int)sm->max_threads_per_block;
    case 4:
        return 64;
    case 5:
        return (int)sm->max_grid_x;
    case 6:
        return (int)sm->max_grid_y;
    case 7:
        return (int)sm->max_grid_z;
    case 8:
        return (int)sm->smem_per_block_default_bytes;
    case 9:
        return 64 << 10;
    case 10:
        return sm->warp_size;
    case 11:
        return INT32_MAX;
    case 12:
        return (int)sm->max_regs_per_block;
    case 13:
        return (int)device->sm_clock_khz;
    case 14:
    case 30:
        return GPU_PITCH;
    case 51:
        return 32;
    case 15: /* copies overlap, memory is mapped, kernels are concurrent, one engine, ... */
    case 19:
    case 31:
    case 40:
    case 41:
    case 78:
    case 79:
    case 80:
    case 83:
    case 89:
    case 91:
    case 99:
    case 115:
        return 1;
    case 16:
        return (int)device->sm_count;
    case 36:
        return memory_clock_khz(device);
    case 37:
        return (int)device->memory_bus_bits;
    case 38:
        return (int)device->l2_bytes;
    case 39:
        return (int)sm->max_threads_per_sm;
    case 75:
        return sm->cc / 10;
    case 76:
        return sm->cc % 10;
    case 81:
        return (int)sm->smem_per_sm_bytes;
    case 82:
        return (int)sm->regs_per_sm;
    case 97:
        return (int)sm->smem_per_block_optin_bytes;
    case 106:
        return (int)sm->max_blocks_per_sm;
    case 111:
        return (int)sm->smem_reserved_per_block_bytes;
    default:
        return 0;
    }
}

API cuDeviceGetAttribute(int *value, int attribute, int device)
{
    if (device != 0)
        return SHIM_INVALID_DEVICE;
    if (attribute < 1)
        return SHIM_INVALID_VALUE;
    *value = attribute_of(attribute);
    return SHIM_SUCCESS;
}

API cuDeviceGetPCIBusId(char *id, int bytes, int device)
{
    snprintf(id, bytes > 0 ? (size_t)bytes : 0, "0000:00:00.0");
    return device == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE;
}

API cuDeviceGetByPCIBusId(int *device, const char *id)
{
    (void)id;
    *device = 0;
    return SHIM_SUCCESS;
}

API cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = 0;
    return device == 0 && peer == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE;
}

API cuDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
    (void)attribute, (void)from, (void)to;
    *value = 0;
    return SHIM_INVALID_DEVICE;
}

API cuDevicePrimaryCtxRetain(struct shim_context **context, int device)
{
    if (device != 0)
        return SHIM_INVALID_DEVICE;
    *context = &primary;
    return SHIM_SUCCESS;
}

API cuDevicePrimaryCtxRelease_v2(int device)
{
    shim_flush_output();
    return device == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE;
}

API cuDevicePrimaryCtxReset_v2(int device)
{
    shim_flush_output();
    shim_reset_error();
    return device == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE;
}

API cuDevicePrimaryCtxSetFlags_v2(int device, uint32_t flags)
{
    primary.flags = flags;
    return device == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE;
}

API cuDevicePrimaryCtxGetState(int device, uint32_t *flags, int *active)
{
    *flags = primary.flags;
    *active = current != NULL;
    return device == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE;
}

API cuCtxCreate_v2(struct shim_context **context, uint32_t flags, int device)
{
    if (device != 0)
        return SHIM_INVALID_DEVICE;
    *context = smc_calloc(1, sizeof **context);
    if (!*context)
        return SHIM_OUT_OF_MEMORY;
    (*context)->flags = flags;
    current = *context;
    return SHIM_SUCCESS;
}

API cuCtxCreate_v3(struct shim_context **context, void *affinity, int count, uint32_t flags,
                   int device)
{
    (void)affinity, (void)count;
    return cuCtxCreate_v2(context, flags, device);
}

API cuCtxCreate_v4(struct shim_context **context, void *parameters, uint32_t flags, int device)
{
    (void)parameters;
    return cuCtxCreate_v2(context, flags, device);
}

API cuCtxDestroy_v2(struct shim_context *context)
{
    shim_flush_output();
    shim_reset_error();
    if (current == context)
        current = NULL;
    if (context != &primary)
        free(context);
    return SHIM_SUCCESS;
}

API cuCtxSetCurrent(struct shim_context *context)
{
    current = context;
    return SHIM_SUCCESS;
}

API cuCtxGetCurrent(struct shim_context **context)
{
    *context = current;
    return SHIM_SUCCESS;
}

API cuCtxPushCurrent_v2(struct shim_context *context)
{
    current = context;
    return SHIM_SUCCESS;
}

API cuCtxPopCurrent_v2(struct shim_context **context)
{
    if (context)
        *context = current;
    current = NULL;
    return SHIM_SUCCESS;
}

API cuCtxGetDevice(int *device)
{
    *device = 0;
    return SHIM_SUCCESS;
}

API cuCtxGetFlags(uint32_t *flags)
{
    *flags = current ? current->flags : 0;
    return SHIM_SUCCESS;
}

API cuCtxGetApiVersion(struct shim_context *context, uint32_t *version)
{
    (void)context;
    *version = DRIVER_VERSION;
    return SHIM_SUCCESS;
}

API cuCtxSynchronize(void)
{
    BEGIN;
    shim_flush_output();
    return SHIM_SUCCESS;
}

static size_t limits[8] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0, 0};

API cuCtxSetLimit(int limit, size_t value)
{
    if (limit < 0 || limit >= 8)
        return SHIM_INVALID_VALUE;
    limits[limit] = value;
    return SHIM_SUCCESS;
}

API cuCtxGetLimit(size_t *value, int limit)
{
    if (limit < 0 || limit >= 8)
        return SHIM_INVALID_VALUE;
    *value = limits[limit];
    return SHIM_SUCCESS;
}

API cuCtxGetCacheConfig(int *config)
{
    *config = 0;
    return SHIM_SUCCESS;
}

API cuCtxSetCacheConfig(int config)
{
    return config >= 0 && config <= 3 ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API cuCtxGetSharedMemConfig(int *config)
{
    *config = 1;
    return SHIM_SUCCESS;
}

API cuCtxSetSharedMemConfig(int config)
{
    return config >= 0 && config <= 2 ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return SHIM_SUCCESS;
}

/* --- Errors ----------------------------------------------------------------------------------- */

static const struct {
    int number;
    const char *name, *text;
} errors[] = {
#define SHIM_ERROR(id, number, driver, runtime, text) {number, driver, text},
#include "shim/errors.def"
#undef SHIM_ERROR
};

API cuGetErrorName(int error, const char **name)
{
    *name = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == error)
            *name = errors[i].name;
    return *name ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API cuGetErrorString(int error, const char **text)
{
    *text = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == error)
            *text = errors[i].text;
    return *text ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

/* --- Modules ---------------------------------------------------------------------------------- */

API cuModuleLoadData(struct shim_module **module, const void *image)
{
    BEGIN;
    return image ? shim_module_load(image, module) : SHIM_INVALID_VALUE;
}

API cuModuleLoadDataEx(struct shim_module **module, const void *image, uint32_t count,
                       const int *options, void **values)
{
    (void)count, (void)options, (void)values;
    return cuModuleLoadData(module, image);
}

API cuModuleLoadFatBinary(struct shim_module **module, const void *image)
{
    return cuModuleLoadData(module, image);
}

API cuModuleLoad(struct shim_module **module, const char *path)
{
    BEGIN;
    struct smc_text text = {0};
    char buffer[1 << 16];
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file)
        return SHIM_NOT_FOUND;
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
        smc_text_append_bytes(&text, buffer, got);
    fclose(file);
    const int result = text.length < 16 ? SHIM_INVALID_IMAGE
                                        : shim_module_load(smc_text_string(&text), module);
    smc_text_free(&text);
    return result;
}

API cuModuleUnload(struct shim_module *module)
{
    BEGIN;
    if (!shim_module_is(module))
        return SHIM_INVALID_HANDLE;
    shim_module_unload(module);
    return SHIM_SUCCESS;
}

API cuModuleGetFunction(struct shim_function **function, struct shim_module *module,
                        const char *name)
{
    BEGIN;
    *function = shim_module_is(module) ? shim_module_function(module, name) : NULL;
    return *function ? SHIM_SUCCESS : SHIM_NOT_FOUND;
}

API cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, struct shim_module *module,
                         const char *name)
{
    BEGIN;
    const struct shim_variable *variable =
        shim_module_is(module) ? shim_module_variable(module, name) : NULL;
    if (!variable)
        return SHIM_NOT_FOUND;
    if (address)
        *address = variable->address;
    if (bytes)
        *bytes = variable->bytes;
    return SHIM_SUCCESS;
}

API cuModuleGetLoadingMode(int *mode)
{
    *mode = 1;
    return SHIM_SUCCESS;
}

/* A library is a module, a kernel a function. */
API cuLibraryLoadData(struct shim_module **library, const void *image, int *options, void **values,
                      uint32_t count, int *library_options, void **library_values,
                      uint32_t library_count)
{
    (void)options, (void)values, (void)count;
    (void)library_options, (void)library_values, (void)library_count;
    return cuModuleLoadData(library, image);
}

API cuLibraryLoadFromFile(struct shim_module **library, const char *path, int *options,
                          void **values, uint32_t count, int *library_options,
                          void **library_values, uint32_t library_count)
{
    (void)options, (void)values, (void)count;
    (void)library_options, (void)library_values, (void)library_count;
    return cuModuleLoad(library, path);
}

API cuLibraryUnload(struct shim_module *library)
{
    return cuModuleUnload(library);
}

API cuLibraryGetKernel(struct shim_function **kernel, struct shim_module *library,
                       const char *name)
{
    return cuModuleGetFunction(kernel, library, name);
}

API cuLibraryGetModule(struct shim_module **module, struct shim_module *library)
{
    *module = library;
    return SHIM_SUCCESS;
}

API cuLibraryGetGlobal(uint64_t *address, size_t *bytes, struct shim_module *library,
                       const char *name)
{
    return cuModuleGetGlobal_v2(address, bytes, library, name);
}

API cuLibraryGetManaged(uint64_t *address, size_t *bytes, struct shim_module *library,
                        const char *name)
{
    return cuModuleGetGlobal_v2(address, bytes, library, name);
}

API cuKernelGetFunction(struct shim_function **function, struct shim_function *kernel)
{
    *function = kernel;
    return SHIM_SUCCESS;
}

API cuFuncGetAttribute(int *value, int attribute, struct shim_function *function)
{
    BEGIN;
    if (!function)
        return SHIM_INVALID_HANDLE;
    if (!shim_function_read(function))
        return SHIM_NOT_SUPPORTED;
    const uint32_t most = shim_device()->sm.max_threads_per_block;
    switch (attribute) {
    case SHIM_FUNCTION_MAX_THREADS:
        *value = (int)(function->max_threads > 0 ? function->max_threads : most);
        return SHIM_SUCCESS;
    case SHIM_FUNCTION_STATIC_SMEM:
        *value = (int)smc_program_static_smem_bytes(function->program);
        return SHIM_SUCCESS;
    case SHIM_FUNCTION_LOCAL_BYTES:
        *value = (int)smc_program_local_bytes(function->program);
        return SHIM_SUCCESS;
    case SHIM_FUNCTION_REGS: /* 0: unknown without machine code */
        *value = function->regs > 0 ? function->regs : 0;
        return SHIM_SUCCESS;
    case SHIM_FUNCTION_PTX_VERSION:
    case SHIM_FUNCTION_BINARY_VERSION:
        *value = shim_device()->sm.cc;
        return SHIM_SUCCESS;
    case SHIM_FUNCTION_MAX_DYNAMIC_SMEM: {
        const int left = (int)shim_device()->sm.smem_per_block_default_bytes -
                         (int)smc_program_static_smem_bytes(function->program);
        *value = function->max_dynamic_smem > 0 ? (int)function->max_dynamic_smem
                 : left > 0                     ? left
                                                : 0;
        return SHIM_SUCCESS;
    }
    case SHIM_FUNCTION_CARVEOUT:
        *value = function->carveout_percent;
        return SHIM_SUCCESS;
    default:
        *value = 0;
        return SHIM_SUCCESS;
    }
}

API cuFuncSetAttribute(struct shim_function *function, int attribute, int value)
{
    BEGIN;
    if (!function)
        return SHIM_INVALID_HANDLE;
    if (attribute == SHIM_FUNCTION_CARVEOUT) {
        if (value < -1 || value > 100)
            return SHIM_INVALID_VALUE;
        function->carveout_percent = value;
    }
    if (attribute == SHIM_FUNCTION_MAX_DYNAMIC_SMEM) {
        if (!shim_function_read(function))
            return SHIM_NOT_SUPPORTED;
        const uint64_t both =
            (uint64_t)(uint32_t)value + smc_program_static_smem_bytes(function->program);
        if (value < 0 || both > shim_device()->sm.smem_per_block_optin_bytes)
            return SHIM_INVALID_VALUE;
        function->max_dynamic_smem = (uint32_t)value;
    }
    return SHIM_SUCCESS;
}

API cuKernelGetAttribute(int *value, int attribute, struct shim_function *kernel, int device)
{
    (void)device;
    return cuFuncGetAttribute(value, attribute, kernel);
}

API cuKernelSetAttribute(int attribute, int value, struct shim_function *kernel, int device)
{
    (void)device;
    return cuFuncSetAttribute(kernel, attribute, value);
}

API cuFuncSetCacheConfig(struct shim_function *function, int config)
{
    if (config < 0 || config > 3)
        return SHIM_INVALID_VALUE;
    function->cache_config = config;
    return SHIM_SUCCESS;
}

API cuFuncSetSharedMemConfig(struct shim_function *function, int config)
{
    (void)function;
    return config >= 0 && config <= 2 ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API cuFuncGetModule(struct shim_module **module, struct shim_function *function)
{
    *module = function->module;
    return SHIM_SUCCESS;
}

API cuFuncGetName(const char **name, struct shim_function *function)
{
    *name = function->name;
    return SHIM_SUCCESS;
}

API cuFuncIsLoaded(int *state, struct shim_function *function)
{
    (void)function;
    *state = 1;
    return SHIM_SUCCESS;
}

API cuFuncLoad(struct shim_function *function)
{
    (void)function;
    return SHIM_SUCCESS;
}

API cuFuncGetParamInfo(struct shim_function *function, size_t index, size_t *offset, size_t *bytes)
{
    BEGIN;
    if (!shim_function_read(function))
        return SHIM_NOT_SUPPORTED;
    if (index >= smc_program_parameter_count(function->program))
        return SHIM_INVALID_VALUE;
    *offset = smc_program_parameter_offset(function->program, index);
    if (bytes)
        *bytes = smc_program_parameter_bytes(function->program, index);
    return SHIM_SUCCESS;
}

/* --- Launches --------------------------------------------------------------------------------- */

/* `extra`: pairs of a key and a value, ended by NULL. */
static void read_extra(void **extra, struct shim_launch *launch)
{
    for (; extra && *extra; extra += 2) {
        if ((uintptr_t)extra[0] == 1)
            launch->packed = extra[1];
        else if ((uintptr_t)extra[0] == 2)
            launch->packed_bytes = *(const size_t *)extra[1];
    }
}

API cuLaunchKernel(struct shim_function *function, uint32_t grid_x, uint32_t grid_y,
                   uint32_t grid_z, uint32_t block_x, uint32_t block_y, uint32_t block_z,
                   uint32_t smem_bytes, void *stream, void **parameters, void **extra)
{
    BEGIN;
    (void)stream;
    struct shim_launch launch = {.function = function,
                                 .grid = {grid_x, grid_y, grid_z},
                                 .block = {block_x, block_y, block_z},
                                 .dynamic_smem_bytes = smem_bytes,
                                 .parameters = parameters};
    if (!function)
        return SHIM_INVALID_HANDLE;
    if (!parameters)
        read_extra(extra, &launch);
    return shim_launch(&launch);
}

API cuLaunchKernelEx(const struct shim_launch_config *config, struct shim_function *function,
                     void **parameters, void **extra)
{
    BEGIN;
    struct shim_launch launch = {.function = function,
                                 .dynamic_smem_bytes = config->smem_bytes,
                                 .parameters = parameters};
    if (!function)
        return SHIM_INVALID_HANDLE;
    memcpy(launch.grid, config->grid, sizeof launch.grid);
    memcpy(launch.block, config->block, sizeof launch.block);
    for (uint32_t i = 0; i < config->attribute_count; i++) {
        const struct shim_attribute *attribute = &config->attributes[i];
        if (attribute->id == SHIM_LAUNCH_COOPERATIVE)
            launch.cooperative = attribute->value.number != 0;
        if (attribute->id == SHIM_LAUNCH_CLUSTER)
            memcpy(launch.cluster, attribute->value.cluster, sizeof launch.cluster);
    }
    if (!parameters)
        read_extra(extra, &launch);
    return shim_launch(&launch);
}

API cuLaunchCooperativeKernel(struct shim_function *function, uint32_t grid_x, uint32_t grid_y,
                              uint32_t grid_z, uint32_t block_x, uint32_t block_y,
                              uint32_t block_z, uint32_t smem_bytes, void *stream,
                              void **parameters)
{
    BEGIN;
    (void)stream;
    const struct shim_launch launch = {.function = function,
                                       .grid = {grid_x, grid_y, grid_z},
                                       .block = {block_x, block_y, block_z},
                                       .dynamic_smem_bytes = smem_bytes,
                                       .parameters = parameters,
                                       .cooperative = true};
    return function ? shim_launch(&launch) : SHIM_INVALID_HANDLE;
}

API cuLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
    (void)stream;
    function(data);
    return SHIM_SUCCESS;
}

API cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                         struct shim_function *function,
                                                         int threads, size_t smem_bytes,
                                                         uint32_t flags)
{
    BEGIN;
    (void)flags;
    if (!function || threads < 1)
        return SHIM_INVALID_VALUE;
    if (!shim_function_read(function))
        return SHIM_NOT_SUPPORTED;
    *blocks = (int)shim_occupancy(function, (uint32_t)threads, (uint32_t)smem_bytes);
    return SHIM_SUCCESS;
}

API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, struct shim_function *function,
                                                int threads, size_t smem_bytes)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                smem_bytes, 0);
}

/* The largest of the block sizes with the most resident threads. */
API cuOccupancyMaxPotentialBlockSize(int *grid, int *block, struct shim_function *function,
                                     size_t (*smem_of)(int), size_t smem_bytes, int most)
{
    BEGIN;
    if (!function)
        return SHIM_INVALID_VALUE;
    if (!shim_function_read(function))
        return SHIM_NOT_SUPPORTED;
    const struct smc_sm *sm = &shim_device()->sm;
    int top = (int)(function->max_threads > 0 ? function->max_threads : sm->max_threads_per_block);
    if (most > 0 && most < top)
        top = most;
    uint32_t best = 0;
    for (int threads = top; threads > 0; threads -= threads % 32 ? threads % 32 : 32) {
        const size_t smem = smem_of ? smem_of(threads) : smem_bytes;
        const uint32_t blocks = shim_occupancy(function, (uint32_t)threads, (uint32_t)smem);
        if (blocks * (uint32_t)threads > best) {
            best = blocks * (uint32_t)threads;
            *block = threads;
            *grid = (int)(blocks * shim_device()->sm_count);
        }
    }
    return best > 0 ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
                                              struct shim_function *function,
                                              size_t (*smem_of)(int), size_t smem_bytes, int most,
                                              uint32_t flags)
{
    (void)flags;
    return cuOccupancyMaxPotentialBlockSize(grid, block, function, smem_of, smem_bytes, most);
}

/* The largest size with which so many blocks are resident. */
API cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, struct shim_function *function,
                                            int blocks, int threads)
{
    BEGIN;
    if (!function || threads < 1 || blocks < 1)
        return SHIM_INVALID_VALUE;
    if (!shim_function_read(function))
        return SHIM_NOT_SUPPORTED;
    uint32_t low = 0, high = shim_device()->sm.smem_per_block_optin_bytes + 1;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (shim_occupancy(function, (uint32_t)threads, middle) >= (uint32_t)blocks)
            low = middle;
        else
            high = middle;
    }
    *bytes = low;
    return SHIM_SUCCESS;
}

/* --- Memory ----------------------------------------------------------------------------------- */

static int allocate(uint64_t *address, size_t bytes, enum shim_memory_kind kind)
{
    if (!address || bytes == 0)
        return SHIM_INVALID_VALUE;
    *address = shim_memory_allocate(bytes, kind, NULL);
    return *address ? SHIM_SUCCESS : SHIM_OUT_OF_MEMORY;
}

API cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    BEGIN;
    return allocate(address, bytes, SHIM_MEMORY_DEVICE);
}

API cuMemAllocManaged(uint64_t *address, size_t bytes, uint32_t flags)
{
    BEGIN;
    (void)flags;
    return allocate(address, bytes, SHIM_MEMORY_MANAGED);
}

API cuMemAllocPitch_v2(uint64_t *address, size_t *pitch, size_t width, size_t height,
                       uint32_t element)
{
    BEGIN;
    (void)element;
    *pitch = (width + GPU_PITCH - 1) / GPU_PITCH * GPU_PITCH;
    return allocate(address, *pitch * height, SHIM_MEMORY_DEVICE);
}

API cuMemAllocAsync(uint64_t *address, size_t bytes, void *stream)
{
    (void)stream;
    return cuMemAlloc_v2(address, bytes);
}

API cuMemAllocFromPoolAsync(uint64_t *address, size_t bytes, void *pool, void *stream)
{
    (void)pool, (void)stream;
    return cuMemAlloc_v2(address, bytes);
}

API cuMemFree_v2(uint64_t address)
{
    BEGIN;
    shim_flush_output();
    if (address == 0)
        return SHIM_SUCCESS;
    const struct shim_allocation *found = shim_memory_find(address);
    if (!found || (found->kind != SHIM_MEMORY_DEVICE && found->kind != SHIM_MEMORY_MANAGED))
        return SHIM_INVALID_VALUE;
    return shim_memory_free(address) ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API cuMemFreeAsync(uint64_t address, void *stream)
{
    (void)stream;
    return cuMemFree_v2(address);
}

API cuMemHostAlloc(void **memory, size_t bytes, uint32_t flags)
{
    BEGIN;
    (void)flags;
    uint64_t address;
    const int result = allocate(&address, bytes, SHIM_MEMORY_HOST);
    if (result == SHIM_SUCCESS)
        *memory = host(address);
    return result;
}

API cuMemAllocHost_v2(void **memory, size_t bytes)
{
    return cuMemHostAlloc(memory, bytes, 0);
}

API cuMemFreeHost(void *memory)
{
    BEGIN;
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
    (void)flags;
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
    (void)flags;
    if (!memory || bytes == 0)
        return SHIM_INVALID_VALUE;
    return shim_memory_register(memory, bytes) ? SHIM_SUCCESS : SHIM_ALREADY_REGISTERED;
}

API cuMemHostUnregister(void *memory)
{
    BEGIN;
    return shim_memory_unregister(memory) ? SHIM_SUCCESS : SHIM_NOT_REGISTERED;
}

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

static int copy(uint64_t to, bool to_device, uint64_t from, bool from_device, size_t bytes)
{
    shim_flush_output();
    if (bytes == 0)
        return SHIM_SUCCESS;
    if (!to || !from || !is_sound(to, bytes, to_device) || !is_sound(from, bytes, from_device))
        return SHIM_INVALID_VALUE;
    memmove(host(to), host(from), bytes);
    return SHIM_SUCCESS;
}

API cuMemcpy(uint64_t to, uint64_t from, size_t bytes)
{
    BEGIN;
    return copy(to, false, from, false, bytes);
}

API cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    (void)stream;
    return cuMemcpy(to, from, bytes);
}

API cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    BEGIN;
    return copy(to, true, (uint64_t)(uintptr_t)from, false, bytes);
}

API cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream)
{
    (void)stream;
    return cuMemcpyHtoD_v2(to, from, bytes);
}

API cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    BEGIN;
    return copy((uint64_t)(uintptr_t)to, false, from, true, bytes);
}

API cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream)
{
    (void)stream;
    return cuMemcpyDtoH_v2(to, from, bytes);
}

API cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes)
{
    BEGIN;
    return copy(to, true, from, true, bytes);
}

API cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    (void)stream;
    return cuMemcpyDtoD_v2(to, from, bytes);
}

API cuMemcpyPeer(uint64_t to, void *to_context, uint64_t from, void *from_context, size_t bytes)
{
    (void)to_context, (void)from_context;
    return cuMemcpyDtoD_v2(to, from, bytes);
}

static uint64_t place(uint32_t type, const void *at_host, uint64_t at_device, size_t x, size_t y,
                      size_t pitch)
{
    const uint64_t base = type == SHIM_MEMORY_TYPE_HOST ? (uint64_t)(uintptr_t)at_host : at_device;
    return base + y * pitch + x;
}

API cuMemcpy2D_v2(const struct shim_copy_2d *plan)
{
    BEGIN;
    if (plan->from_array || plan->to_array)
        return SHIM_NOT_SUPPORTED;
    int result = SHIM_SUCCESS;
    for (size_t y = 0; y < plan->height && result == SHIM_SUCCESS; y++)
        result = copy(place(plan->to_type, plan->to_host, plan->to_device, plan->to_x,
                            plan->to_y + y, plan->to_pitch),
                      plan->to_type == SHIM_MEMORY_TYPE_DEVICE,
                      place(plan->from_type, plan->from_host, plan->from_device, plan->from_x,
                            plan->from_y + y, plan->from_pitch),
                      plan->from_type == SHIM_MEMORY_TYPE_DEVICE, plan->width_bytes);
    return result;
}

API cuMemcpy2DUnaligned_v2(const struct shim_copy_2d *plan)
{
    return cuMemcpy2D_v2(plan);
}

API cuMemcpy2DAsync_v2(const struct shim_copy_2d *plan, void *stream)
{
    (void)stream;
    return cuMemcpy2D_v2(plan);
}

static int fill(uint64_t address, size_t pitch, uint32_t value, size_t width_bytes, size_t width,
                size_t height)
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
    }
    return SHIM_SUCCESS;
}

#define FILL(bits, type)                                                                           \
    API cuMemsetD##bits##_v2(uint64_t address, type value, size_t count)                           \
    {                                                                                              \
        BEGIN;                                                                                     \
        return fill(address, 0, value, sizeof value, count, 1);                                    \
    }                                                                                              \
    API cuMemsetD##bits##Async(uint64_t address, type value, size_t count, void *stream)           \
    {                                                                                              \
        (void)stream;                                                                              \
        return cuMemsetD##bits##_v2(address, value, count);                                        \
    }                                                                                              \
    API cuMemsetD2D##bits##_v2(uint64_t address, size_t pitch, type value, size_t width,           \
                               size_t height)                                                      \
    {                                                                                              \
        BEGIN;                                                                                     \
        return fill(address, pitch, value, sizeof value, width, height);                           \
    }                                                                                              \
    API cuMemsetD2D##bits##Async(uint64_t address, size_t pitch, type value, size_t width,         \
                                 size_t height, void *stream)                                      \
    {                                                                                              \
        (void)stream;                                                                              \
        return cuMemsetD2D##bits##_v2(address, pitch, value, width, height);                       \
    }
FILL(8, uint8_t)
FILL(16, uint16_t)
FILL(32, uint32_t)
#undef FILL

enum { POINTER_CONTEXT = 1, POINTER_TYPE, POINTER_DEVICE, POINTER_HOST, POINTER_IS_MANAGED = 8,
       POINTER_ORDINAL = 9, POINTER_RANGE_START = 11, POINTER_RANGE_BYTES = 12 };

API cuPointerGetAttribute(void *data, int attribute, uint64_t address)
{
    BEGIN;
    const struct shim_allocation *found = shim_memory_find(address);
    if (!found)
        return SHIM_INVALID_VALUE;
    const bool is_host =
        found->kind == SHIM_MEMORY_HOST || found->kind == SHIM_MEMORY_REGISTERED;
    switch (attribute) {
    case POINTER_CONTEXT:
        *(void **)data = &primary;
        return SHIM_SUCCESS;
    case POINTER_TYPE:
        *(uint32_t *)data = is_host ? SHIM_MEMORY_TYPE_HOST : SHIM_MEMORY_TYPE_DEVICE;
        return SHIM_SUCCESS;
    case POINTER_DEVICE:
        *(uint64_t *)data = address;
        return SHIM_SUCCESS;
    case POINTER_HOST:
        *(void **)data = is_host || found->kind == SHIM_MEMORY_MANAGED ? host(address) : NULL;
        return SHIM_SUCCESS;
    case POINTER_IS_MANAGED:
        *(uint32_t *)data = found->kind == SHIM_MEMORY_MANAGED;
        return SHIM_SUCCESS;
    case POINTER_ORDINAL:
        *(int *)data = 0;
        return SHIM_SUCCESS;
    case POINTER_RANGE_START:
        *(uint64_t *)data = found->address;
        return SHIM_SUCCESS;
    case POINTER_RANGE_BYTES:
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
    (void)bytes, (void)device, (void)stream;
    return shim_memory_find(address) ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API cuMemAdvise(uint64_t address, size_t bytes, int advice, int device)
{
    (void)bytes, (void)advice, (void)device;
    return shim_memory_find(address) ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

static char pool;

API cuDeviceGetDefaultMemPool(void **out, int device)
{
    *out = &pool;
    return device == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE;
}

API cuDeviceGetMemPool(void **out, int device)
{
    return cuDeviceGetDefaultMemPool(out, device);
}

API cuMemPoolSetAttribute(void *which, int attribute, void *value)
{
    (void)which, (void)attribute, (void)value;
    return SHIM_SUCCESS;
}

API cuMemPoolTrimTo(void *which, size_t bytes)
{
    (void)which, (void)bytes;
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

API cuStreamCreate(struct shim_stream **stream, uint32_t flags)
{
    return cuStreamCreateWithPriority(stream, flags, 0);
}

/* The handles 1 and 2 are the default streams. */
static bool has_handle(const struct shim_stream *stream)
{
    return (uintptr_t)stream > 2;
}

API cuStreamDestroy_v2(struct shim_stream *stream)
{
    shim_flush_output();
    if (!has_handle(stream))
        return SHIM_INVALID_HANDLE;
    free(stream);
    return SHIM_SUCCESS;
}

API cuStreamSynchronize(struct shim_stream *stream)
{
    (void)stream;
    return cuCtxSynchronize();
}

API cuStreamQuery(struct shim_stream *stream)
{
    (void)stream;
    return cuCtxSynchronize();
}

API cuStreamWaitEvent(struct shim_stream *stream, struct shim_event *event, uint32_t flags)
{
    (void)stream, (void)flags;
    return event ? SHIM_SUCCESS : SHIM_INVALID_HANDLE;
}

API cuStreamGetFlags(const struct shim_stream *stream, uint32_t *flags)
{
    *flags = has_handle(stream) ? stream->flags : 0;
    return SHIM_SUCCESS;
}

API cuStreamGetPriority(const struct shim_stream *stream, int *priority)
{
    *priority = has_handle(stream) ? stream->priority : 0;
    return SHIM_SUCCESS;
}

API cuStreamGetCtx(const struct shim_stream *stream, struct shim_context **context)
{
    (void)stream;
    *context = current ? current : &primary;
    return SHIM_SUCCESS;
}

API cuStreamGetId(const struct shim_stream *stream, uint64_t *id)
{
    *id = (uint64_t)(uintptr_t)stream;
    return SHIM_SUCCESS;
}

API cuStreamIsCapturing(const struct shim_stream *stream, int *status)
{
    (void)stream;
    *status = 0;
    return SHIM_SUCCESS;
}

API cuStreamAddCallback(struct shim_stream *stream, void (*function)(void *, int, void *),
                        void *data, uint32_t flags)
{
    (void)flags;
    shim_flush_output();
    function(stream, shim_sticky_error(), data);
    return SHIM_SUCCESS;
}

API cuStreamAttachMemAsync(struct shim_stream *stream, uint64_t address, size_t bytes,
                           uint32_t flags)
{
    (void)stream, (void)address, (void)bytes, (void)flags;
    return SHIM_SUCCESS;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

API cuEventCreate(struct shim_event **event, uint32_t flags)
{
    BEGIN;
    (void)flags;
    *event = smc_calloc(1, sizeof **event);
    return *event ? SHIM_SUCCESS : SHIM_OUT_OF_MEMORY;
}

API cuEventRecord(struct shim_event *event, void *stream)
{
    BEGIN;
    (void)stream;
    if (!event)
        return SHIM_INVALID_HANDLE;
    *event = (struct shim_event){now_ns(), true};
    return SHIM_SUCCESS;
}

API cuEventRecordWithFlags(struct shim_event *event, void *stream, uint32_t flags)
{
    (void)flags;
    return cuEventRecord(event, stream);
}

API cuEventQuery(struct shim_event *event)
{
    return event ? cuCtxSynchronize() : SHIM_INVALID_HANDLE;
}

API cuEventSynchronize(struct shim_event *event)
{
    return event ? cuCtxSynchronize() : SHIM_INVALID_HANDLE;
}

/* Of the emulation, not of a GPU. */
API cuEventElapsedTime(float *ms, struct shim_event *begin, struct shim_event *end)
{
    BEGIN;
    if (!begin || !end || !begin->is_recorded || !end->is_recorded)
        return SHIM_INVALID_HANDLE;
    *ms = (float)((double)(int64_t)(end->ns - begin->ns) / 1e6);
    return SHIM_SUCCESS;
}

API cuEventElapsedTime_v2(float *ms, struct shim_event *begin, struct shim_event *end)
{
    return cuEventElapsedTime(ms, begin, end);
}

API cuEventDestroy_v2(struct shim_event *event)
{
    free(event);
    return event ? SHIM_SUCCESS : SHIM_INVALID_HANDLE;
}

API cuProfilerStart(void)
{
    return SHIM_SUCCESS;
}

API cuProfilerStop(void)
{
    return SHIM_SUCCESS;
}

/* --- Finding the calls ------------------------------------------------------------------------ */

static void *find_call(const char *name)
{
    static const char *const versions[] = {"_v4", "_v3", "_v2", ""};
    Dl_info self;
    char full[256];
    void *found = NULL;
    void *library = dladdr(&primary, &self) ? dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    for (size_t i = 0; library && !found && i < sizeof versions / sizeof *versions; i++) {
        snprintf(full, sizeof full, "%s%s", name, versions[i]);
        found = dlsym(library, full);
    }
    if (library)
        dlclose(library);
    return found;
}

API cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                        int *status)
{
    (void)flags;
    /* cuCtxCreate takes more parameters from CUDA 13 on. */
    const bool is_old = strcmp(name, "cuCtxCreate") == 0 && version < 13000;
    *function = find_call(is_old ? "cuCtxCreate_v2" : name);
    if (status)
        *status = *function ? 0 : 1;
    return *function ? SHIM_SUCCESS : SHIM_NOT_FOUND;
}

API cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

/* Undocumented calls, which only NVIDIA's runtime asks for. It cannot work without them. */
API cuGetExportTable(const void **table, const uint8_t id[16])
{
    (void)id;
    shim_tell("NVIDIA's CUDA runtime does not work on the emulator; the emulator's is not used if "
              "the program was stripped or names a folder for its libraries (RPATH): link it with "
              "nvcc -cudart shared and without an RPATH, or do not strip it");
    *table = NULL;
    return SHIM_INVALID_VALUE;
}
