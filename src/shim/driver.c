/* The driver API, libcuda.so.1, on the emulator. */
#include "config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/occupancy.h"
#include "shim/driver.h"

enum { DRIVER_VERSION = 13000 };

struct shim_context {
    uint32_t flags;
};

static struct shim_context primary;
static __thread struct shim_context *current;
static bool initialized;

/* What every later call returns that cannot be made; 0: it can. */
int shim_call_error(void)
{
    return initialized ? shim_sticky_error() : SHIM_NOT_INITIALIZED;
}

void shim_leave(const int *held)
{
    (void)held;
    shim_unlock();
}

struct shim_context *shim_primary(void)
{
    return &primary;
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
    case 95:
    case 99:
    case 115:
        return 1;
    case 16:
        return (int)device->sm_count;
    case 120:
        return sm->cluster_max_portable > 0;
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
    shim_reset_context();
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
    shim_reset_context();
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

static bool read_file(const char *path, struct smc_text *text)
{
    char buffer[1 << 16];
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
        smc_text_append_bytes(text, buffer, got);
    fclose(file);
    return true;
}

API cuModuleLoad(struct shim_module **module, const char *path)
{
    BEGIN;
    struct smc_text text = {0};
    if (!read_file(path, &text))
        return SHIM_NOT_FOUND;
    const int result =
        text.length < 16 ? SHIM_INVALID_IMAGE : shim_module_load(smc_text_string(&text), module);
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

/* Linking: of a single text of PTX, which is what is loaded in the end. */
struct shim_link {
    struct smc_text ptx;
};

enum { LINK_PTX = 1, LINK_INFO_LOG = 3, LINK_ERROR_LOG = 5 };

API cuLinkCreate_v2(uint32_t count, const int *options, void **values, struct shim_link **link)
{
    BEGIN;
    for (uint32_t i = 0; i < count; i++) /* nothing is logged */
        if ((options[i] == LINK_INFO_LOG || options[i] == LINK_ERROR_LOG) && values[i])
            *(char *)values[i] = '\0';
    *link = smc_calloc(1, sizeof **link);
    return *link ? SHIM_SUCCESS : SHIM_OUT_OF_MEMORY;
}

static bool can_link(const struct shim_link *link, int type)
{
    if (type == LINK_PTX && link->ptx.length == 0)
        return true;
    shim_tell("the program links %s (cuLinkAddData), which is not emulated",
              type == LINK_PTX ? "several texts of PTX" : "machine code");
    return false;
}

API cuLinkAddData_v2(struct shim_link *link, int type, const char *data, size_t bytes,
                     const char *name, uint32_t count, int *options, void **values)
{
    BEGIN;
    (void)name, (void)count, (void)options, (void)values;
    if (!can_link(link, type))
        return SHIM_NOT_SUPPORTED;
    smc_text_append_bytes(&link->ptx, data, strnlen(data, bytes));
    return SHIM_SUCCESS;
}

API cuLinkAddFile_v2(struct shim_link *link, int type, const char *path, uint32_t count,
                     int *options, void **values)
{
    BEGIN;
    (void)count, (void)options, (void)values;
    if (!can_link(link, type))
        return SHIM_NOT_SUPPORTED;
    return read_file(path, &link->ptx) ? SHIM_SUCCESS : SHIM_NOT_FOUND;
}

API cuLinkComplete(struct shim_link *link, const void **image, size_t *bytes)
{
    BEGIN;
    if (link->ptx.length == 0)
        return SHIM_INVALID_VALUE;
    *image = smc_text_string(&link->ptx);
    if (bytes)
        *bytes = link->ptx.length;
    return SHIM_SUCCESS;
}

API cuLinkDestroy(struct shim_link *link)
{
    BEGIN;
    smc_text_free(&link->ptx);
    free(link);
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

API cuLibraryGetKernel(struct shim_function **kernel, struct shim_module *library, const char *name)
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
void shim_read_extra(void **extra, struct shim_launch *launch)
{
    for (; extra && *extra; extra += 2) {
        if ((uintptr_t)extra[0] == 1)
            launch->packed = extra[1];
        else if ((uintptr_t)extra[0] == 2)
            launch->packed_bytes = *(const size_t *)extra[1];
    }
}

static int submit(void *stream, const struct shim_launch *launch)
{
    struct shim_graph *graph = shim_capturing(stream);
    return graph ? shim_capture_launch(graph, launch) : shim_launch(launch);
}

API cuLaunchKernel(struct shim_function *function, uint32_t grid_x, uint32_t grid_y,
                   uint32_t grid_z, uint32_t block_x, uint32_t block_y, uint32_t block_z,
                   uint32_t smem_bytes, void *stream, void **parameters, void **extra)
{
    BEGIN;
    struct shim_launch launch = {.function = function,
                                 .grid = {grid_x, grid_y, grid_z},
                                 .block = {block_x, block_y, block_z},
                                 .dynamic_smem_bytes = smem_bytes,
                                 .parameters = parameters};
    if (!function)
        return SHIM_INVALID_HANDLE;
    if (!parameters)
        shim_read_extra(extra, &launch);
    return submit(stream, &launch);
}

API cuLaunchKernelEx(const struct shim_launch_config *config, struct shim_function *function,
                     void **parameters, void **extra)
{
    BEGIN;
    struct shim_launch launch = {
        .function = function, .dynamic_smem_bytes = config->smem_bytes, .parameters = parameters};
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
        shim_read_extra(extra, &launch);
    return submit(config->stream, &launch);
}

API cuLaunchCooperativeKernel(struct shim_function *function, uint32_t grid_x, uint32_t grid_y,
                              uint32_t grid_z, uint32_t block_x, uint32_t block_y, uint32_t block_z,
                              uint32_t smem_bytes, void *stream, void **parameters)
{
    BEGIN;
    const struct shim_launch launch = {.function = function,
                                       .grid = {grid_x, grid_y, grid_z},
                                       .block = {block_x, block_y, block_z},
                                       .dynamic_smem_bytes = smem_bytes,
                                       .parameters = parameters,
                                       .cooperative = true};
    return function ? submit(stream, &launch) : SHIM_INVALID_HANDLE;
}

API cuLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
    const struct shim_host_call call = {function, data};
    shim_lock();
    struct shim_graph *graph = shim_capturing(stream);
    const int result = graph ? shim_capture_host(graph, &call) : SHIM_SUCCESS;
    shim_unlock();
    if (!graph)
        function(data);
    return result;
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

API cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, struct shim_function *function,
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

/* --- Finding the calls ------------------------------------------------------------------------ */

static void *find_call(const char *name)
{
    static const char *const versions[] = {"_v4", "_v3", "_v2", ""};
    Dl_info self;
    char full[256];
    void *found = NULL;
    void *library =
        dladdr(&primary, &self) ? dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    for (size_t i = 0; library && !found && i < sizeof versions / sizeof *versions; i++) {
        snprintf(full, sizeof full, "%s%s", name, versions[i]);
        found = dlsym(library, full);
    }
    if (library)
        dlclose(library);
    return found;
}

API cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status)
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
