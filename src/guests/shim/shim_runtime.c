/* The runtime API, libcudart.so.12 and .13, over the driver API of driver*.c. Compiled once for
   each version, with SHIM_RUNTIME. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guests/shim/properties.h"
#include "guests/shim/shim_runtime.h"

struct dim {
    uint32_t x, y, z;
};

/* --- Errors ----------------------------------------------------------------------------------- */

static __thread int last_error;

static int note_error(int error)
{
    if (error != SHIM_SUCCESS && error != SHIM_NOT_READY)
        last_error = error;
    return error;
}

int shim_noted_in(const char *call, int error)
{
    if (error != SHIM_SUCCESS && error != SHIM_NOT_READY)
        cuSmemcalcFailed(call, error);
    return note_error(error);
}

static const struct {
    int number;
    const char *name, *text;
} errors[] = {
#define SHIM_ERROR(id, number, driver, runtime, text) {number, runtime, text},
#include "guests/shim/errors.def"
};

API_OF(const char *) cudaGetErrorString(int error)
{
    if (error != SHIM_SUCCESS)
        cuSmemcalcLooked();
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == error)
            return errors[i].text;
    return "unrecognized error code";
}

API_OF(const char *) cudaGetErrorName(int error)
{
    if (error != SHIM_SUCCESS)
        cuSmemcalcLooked();
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == error)
            return errors[i].name;
    return "unrecognized error code";
}

/* What an earlier launch did wrong stays. */
API cudaPeekAtLastError(void)
{
    if (last_error != SHIM_SUCCESS)
        cuSmemcalcLooked();
    return last_error;
}

API cudaGetLastError(void)
{
    const int error = last_error;
    last_error = SHIM_SUCCESS;
    if (error != SHIM_SUCCESS)
        cuSmemcalcLooked();
    return error;
}

/* --- The device ------------------------------------------------------------------------------- */

static __thread bool has_context;

int shim_start(void)
{
    static bool initialized;
    void *context;
    int error = SHIM_SUCCESS;
    if (!initialized)
        error = cuInit(0);
    initialized = true;
    if (error == SHIM_SUCCESS && !has_context) {
        error = cuDevicePrimaryCtxRetain(&context, 0);
        if (error == SHIM_SUCCESS)
            error = cuCtxSetCurrent(context);
        has_context = error == SHIM_SUCCESS;
    }
    return error;
}

API_RETURNS(cudaDriverGetVersion, (int *version), shim_noted(cuDriverGetVersion(version)))
API_ANSWERS(cudaRuntimeGetVersion, (int *version), *version, SHIM_RUNTIME * 1000)

/* A call of the driver by its name, for programs that are not linked with it. */
API cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                     unsigned long long flags, int *outcome)
{
    int status = 0;
    START();
    if (!name || !function)
        return shim_noted(SHIM_INVALID_VALUE);
    cuGetProcAddress_v2(name, function, (int)version, flags, &status);
    if (outcome)
        *outcome = status;
    return SHIM_SUCCESS;
}

API_RETURNS(cudaGetDriverEntryPoint,
            (const char *name, void **function, unsigned long long flags, int *outcome),
            cudaGetDriverEntryPointByVersion(name, function, 1000 * SHIM_RUNTIME, flags, outcome))
API_ANSWERS(cudaGetDeviceCount, (int *count), *count, 1)
API_FORWARDS(cudaSetDevice, (int device), device == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE)
API_RETURNS(cudaInitDevice, (int device, unsigned flags, unsigned more), cudaSetDevice(device))
API_ANSWERS(cudaGetDevice, (int *device), *device, 0)
API_RETURNS(cudaSetDeviceFlags, (unsigned flags), SHIM_SUCCESS)
API_ANSWERS(cudaGetDeviceFlags, (unsigned *flags), *flags, 0)
API_RETURNS(cudaSetValidDevices, (int *devices, int count), SHIM_SUCCESS)
API_FORWARDS(cudaDeviceSynchronize, (void), cuCtxSynchronize())
API_RETURNS(cudaThreadSynchronize, (void), cudaDeviceSynchronize())
API_FORWARDS(cudaDeviceReset, (void), cuDevicePrimaryCtxReset_v2(0))
API_RETURNS(cudaThreadExit, (void), cudaDeviceReset())
API_FORWARDS(cudaDeviceSetLimit, (int limit, size_t value), cuCtxSetLimit(limit, value))
API_FORWARDS(cudaDeviceGetLimit, (size_t * value, int limit), cuCtxGetLimit(value, limit))
API_FORWARDS(cudaDeviceSetCacheConfig, (int config), cuCtxSetCacheConfig(config))
API_ANSWERS(cudaDeviceGetCacheConfig, (int *config), *config, SHIM_CACHE_PREFER_NONE)
API_RETURNS(cudaDeviceSetSharedMemConfig, (int config), SHIM_SUCCESS)
API_ANSWERS(cudaDeviceGetSharedMemConfig, (int *config), *config, SHIM_BANKS_4_BYTES)
API_RETURNS(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest),
            shim_noted(cuCtxGetStreamPriorityRange(least, greatest)))
API_FORWARDS(cudaDeviceGetAttribute, (int *value, int attribute, int device),
             cuDeviceGetAttribute(value, attribute, device))

API cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = 0;
    return shim_noted(device == 0 && peer == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE);
}

API_RETURNS(cudaDeviceEnablePeerAccess, (int peer, unsigned flags), shim_noted(SHIM_INVALID_DEVICE))
API_RETURNS(cudaDeviceDisablePeerAccess, (int peer), shim_noted(SHIM_INVALID_DEVICE))

API cudaDeviceGetPCIBusId(char *id, int bytes, int device)
{
    snprintf(id, bytes > 0 ? (size_t)bytes : 0, "0000:00:00.0");
    return shim_noted(device == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE);
}

static int attribute(int number)
{
    int value = 0;
    cuDeviceGetAttribute(&value, number, 0);
    return value;
}

static int get_properties(struct shim_properties *properties, int device)
{
    START();
    if (device != 0)
        return shim_noted(SHIM_INVALID_DEVICE);
    memset(properties, 0, sizeof *properties);
    cuDeviceGetName(properties->name, sizeof properties->name, 0);
    memcpy(properties->uuid, "smemcalc-device", sizeof properties->uuid);
    cuDeviceTotalMem_v2(&properties->global_mem_bytes, 0);
#define SHIM_DEVICE_ATTRIBUTE(name, number, value, member)                                         \
    properties->member = attribute(SHIM_DEVICE_##name);
#if SHIM_RUNTIME >= 13
#define SHIM_DEVICE_ATTRIBUTE_OF_12(name, number, value, member)
#endif
#include "guests/shim/device_attributes.def"
    return SHIM_SUCCESS;
}

API_RETURNS(cudaGetDeviceProperties, (struct shim_properties * properties, int device),
            get_properties(properties, device))
API_RETURNS(cudaGetDeviceProperties_v2, (struct shim_properties * properties, int device),
            get_properties(properties, device))
API_ANSWERS(cudaChooseDevice, (int *device, const struct shim_properties *wanted), *device, 0)

/* --- What the program registers before main --------------------------------------------------- */

struct binary {
    const void *image;
    void *module;
    int error; /* why the module cannot be loaded */
    bool is_loaded;
};

struct function {
    struct function *next;
    struct binary *binary;
    const void *stub;
    const char *name;
    void *function;
};

struct variable {
    struct variable *next;
    struct binary *binary;
    const void *shadow;
    const char *name;
    void **pointer; /* of a managed variable: where the program looks for it */
};

static struct function *functions;
static struct variable *variables;

API_OF(void **) __cudaRegisterFatBinary(const void *image)
{
    struct binary *binary = calloc(1, sizeof *binary);
    if (binary)
        binary->image = image;
    return (void **)binary;
}

static int shim_runtime_load(struct binary *binary)
{
    START();
    if (!binary)
        return SHIM_OUT_OF_MEMORY;
    if (!binary->is_loaded) {
        binary->is_loaded = true;
        binary->error = cuModuleLoadFatBinary(&binary->module, binary->image);
    }
    return binary->error;
}

static int variable_address(const struct variable *variable, uint64_t *address, size_t *bytes)
{
    const int error = shim_runtime_load(variable->binary);
    return error != SHIM_SUCCESS
               ? error
               : cuModuleGetGlobal_v2(address, bytes, variable->binary->module, variable->name);
}

static void set_managed(void)
{
    for (struct variable *item = variables; item; item = item->next) {
        uint64_t address;
        size_t bytes;
        if (item->pointer && variable_address(item, &address, &bytes) == SHIM_SUCCESS)
            *item->pointer = (void *)(uintptr_t)address;
    }
}

API_OF(void) __cudaRegisterFatBinaryEnd(void **handle)
{
    set_managed();
}

API_OF(char) __cudaInitModule(void **handle)
{
    return 1;
}

API_OF(void) __cudaUnregisterFatBinary(void **handle)
{
    (void)handle; /* the process ends */
}

API_OF(void)
__cudaRegisterFunction(void **handle, const void *stub, char *device_stub, const char *name,
                       int threads, void *thread, void *block, struct dim *block_dim,
                       struct dim *grid_dim, int *warp)
{
    struct function *function = calloc(1, sizeof *function);
    if (!function)
        return;
    *function = (struct function){functions, (struct binary *)handle, stub, name, NULL};
    functions = function;
}

static void add_variable(void **handle, const void *shadow, const char *name, void **pointer)
{
    struct variable *variable = calloc(1, sizeof *variable);
    if (!variable)
        return;
    *variable = (struct variable){variables, (struct binary *)handle, shadow, name, pointer};
    variables = variable;
}

API_OF(void)
__cudaRegisterVar(void **handle, char *shadow, char *address, const char *name, int ext,
                  size_t bytes, int constant, int global)
{
    add_variable(handle, shadow, name, NULL);
}

API_OF(void)
__cudaRegisterManagedVar(void **handle, void **pointer, char *address, const char *name, int ext,
                         size_t bytes, int constant, int global)
{
    add_variable(handle, pointer, name, pointer);
}

API_OF(void)
__cudaRegisterTexture(void **handle, const void *shadow, const void **address, const char *name,
                      int dimensions, int normalized, int ext)
{
}

API_OF(void)
__cudaRegisterSurface(void **handle, const void *shadow, const void **address, const char *name,
                      int dimensions, int ext)
{
}

/* A kernel is named by its stub in the program, or by what __cudaGetKernel made of that. */
int shim_find_function(const void *stub, void **out)
{
    struct function *function = functions;
    while (function && function->stub != stub && function != stub)
        function = function->next;
    if (!function)
        return SHIM_INVALID_DEVICE_FUNCTION;
    int error = shim_runtime_load(function->binary);
    if (error == SHIM_SUCCESS && !function->function)
        error = cuModuleGetFunction(&function->function, function->binary->module, function->name);
    *out = function->function;
    return error == SHIM_NOT_FOUND ? SHIM_INVALID_DEVICE_FUNCTION : error;
}

API __cudaGetKernel(const void **kernel, const void *stub)
{
    struct function *function = functions;
    while (function && function->stub != stub)
        function = function->next;
    *kernel = function;
    return function ? SHIM_SUCCESS : shim_noted(SHIM_INVALID_DEVICE_FUNCTION);
}

API_RETURNS(cudaGetFuncBySymbol, (void **function, const void *stub),
            shim_noted(shim_find_function(stub, function)))

static int shim_runtime_find_variable(const void *symbol, uint64_t *address, size_t *bytes)
{
    const struct variable *variable = variables;
    START();
    while (variable && variable->shadow != symbol)
        variable = variable->next;
    if (!variable)
        return SHIM_INVALID_SYMBOL;
    const int error = variable_address(variable, address, bytes);
    return error == SHIM_NOT_FOUND ? SHIM_INVALID_SYMBOL : error;
}

int shim_place_in(const void *symbol, size_t count, size_t offset, char **at)
{
    uint64_t address;
    size_t bytes;
    const int error = shim_runtime_find_variable(symbol, &address, &bytes);
    if (error != SHIM_SUCCESS)
        return error;
    *at = (char *)(uintptr_t)address + offset;
    return offset <= bytes && count <= bytes - offset ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    uint64_t address;
    return shim_noted(shim_runtime_find_variable(symbol, &address, bytes));
}

/* --- Launches --------------------------------------------------------------------------------- */

enum { MOST_CONFIGURATIONS = 16 };

static __thread struct configuration {
    struct dim grid, block;
    size_t smem_bytes;
    void *stream;
} configurations[MOST_CONFIGURATIONS];
static __thread int depth;
static __thread bool by_syntax; /* the next launch is that of a <<< >>> */

API_OF(unsigned)
__cudaPushCallConfiguration(struct dim grid, struct dim block, size_t smem_bytes, void *stream)
{
    if (depth == MOST_CONFIGURATIONS)
        return 1;
    configurations[depth++] = (struct configuration){grid, block, smem_bytes, stream};
    return 0;
}

API __cudaPopCallConfiguration(struct dim *grid, struct dim *block, size_t *smem_bytes,
                               void *stream)
{
    if (depth == 0)
        return SHIM_INVALID_CONFIGURATION;
    const struct configuration *top = &configurations[--depth];
    *grid = top->grid;
    *block = top->block;
    *smem_bytes = top->smem_bytes;
    *(void **)stream = top->stream;
    by_syntax = true;
    return SHIM_SUCCESS;
}

static bool runtime_is_valid_shape(const uint32_t grid[3], const uint32_t block[3])
{
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (block[i] == 0 || block[i] > (uint32_t)attribute(SHIM_DEVICE_MAX_BLOCK_DIM_X + i) ||
            grid[i] == 0 || grid[i] > (uint32_t)attribute(SHIM_DEVICE_MAX_GRID_DIM_X + i))
            return false;
        threads *= block[i];
    }
    return threads <= (uint32_t)attribute(SHIM_DEVICE_MAX_THREADS_PER_BLOCK);
}

static int shim_runtime_launch(const void *stub, struct shim_launch_config *config,
                               size_t smem_bytes, void **arguments)
{
    const bool returns_to_nobody = by_syntax;
    void *function;
    int error;
    by_syntax = false;
    START();
    if (smem_bytes > INT32_MAX)
        return shim_noted(SHIM_INVALID_VALUE);
    if ((error = shim_find_function(stub, &function)) != SHIM_SUCCESS)
        return shim_noted(error);
    config->smem_bytes = (uint32_t)smem_bytes;
    error = cuLaunchKernelEx(config, function, arguments, NULL);
    /* The driver calls a wrong shape an invalid value, as the runtime does since CUDA 13 (seen on
       an H100 with 12.8, 12.9 and 13.0). What an earlier kernel did wrong, and every call returns
       since, comes first. */
    if (SHIM_RUNTIME == 12 && error == SHIM_INVALID_VALUE &&
        !runtime_is_valid_shape(config->grid, config->block))
        error = SHIM_INVALID_CONFIGURATION;
    if (error != SHIM_SUCCESS)
        cuSmemcalcRefused(error, returns_to_nobody);
    return note_error(error);
}

API cudaLaunchKernel(const void *stub, struct dim grid, struct dim block, void **arguments,
                     size_t smem_bytes, void *stream)
{
    struct shim_launch_config config = {
        .grid = {grid.x, grid.y, grid.z}, .block = {block.x, block.y, block.z}, .stream = stream};
    return shim_runtime_launch(stub, &config, smem_bytes, arguments);
}

API_RETURNS(__cudaLaunchKernel,
            (const void *kernel, struct dim grid, struct dim block, void **arguments,
             size_t smem_bytes, void *stream),
            cudaLaunchKernel(kernel, grid, block, arguments, smem_bytes, stream))

API cudaLaunchCooperativeKernel(const void *stub, struct dim grid, struct dim block,
                                void **arguments, size_t smem_bytes, void *stream)
{
    const struct shim_attribute cooperative = {.id = SHIM_LAUNCH_COOPERATIVE,
                                               .value = {.number = 1}};
    struct shim_launch_config config = {.grid = {grid.x, grid.y, grid.z},
                                        .block = {block.x, block.y, block.z},
                                        .stream = stream,
                                        .attributes = &cooperative,
                                        .attribute_count = 1};
    return shim_runtime_launch(stub, &config, smem_bytes, arguments);
}

API cudaLaunchKernelExC(const struct shim_runtime_config *wanted, const void *stub,
                        void **arguments)
{
    struct shim_launch_config config = {.stream = wanted->stream,
                                        .attributes = wanted->attributes,
                                        .attribute_count = wanted->attribute_count};
    memcpy(config.grid, wanted->grid, sizeof config.grid);
    memcpy(config.block, wanted->block, sizeof config.block);
    return shim_runtime_launch(stub, &config, wanted->smem_bytes, arguments);
}

API_FORWARDS(cudaLaunchHostFunc, (void *stream, void (*function)(void *), void *data),
             cuLaunchHostFunc(stream, function, data))

struct function_attributes {
    size_t smem_bytes, const_bytes, local_bytes;
    int threads, regs, ptx_version, binary_version, cache_ca, max_dynamic_smem, carveout;
    int rest[17];
};

API cudaFuncGetAttributes(struct function_attributes *out, const void *stub)
{
    void *function;
    int value = 0, error = shim_find_function(stub, &function);
    memset(out, 0, 96); /* what every version has */
    if (error != SHIM_SUCCESS)
        return shim_noted(error);
    int *const numbers[SHIM_FUNCTION_ATTRIBUTES] = {
        [SHIM_FUNCTION_MAX_THREADS] = &out->threads,
        [SHIM_FUNCTION_REGS] = &out->regs,
        [SHIM_FUNCTION_PTX_VERSION] = &out->ptx_version,
        [SHIM_FUNCTION_BINARY_VERSION] = &out->binary_version,
        [SHIM_FUNCTION_CACHE_CA] = &out->cache_ca,
        [SHIM_FUNCTION_MAX_DYNAMIC_SMEM] = &out->max_dynamic_smem,
        [SHIM_FUNCTION_CARVEOUT] = &out->carveout,
    };
    for (int i = 0; i < SHIM_FUNCTION_ATTRIBUTES; i++) {
        if ((error = cuFuncGetAttribute(&value, i, function)) != SHIM_SUCCESS)
            return shim_noted(error);
        if (numbers[i])
            *numbers[i] = value;
        else
            *(i == SHIM_FUNCTION_STATIC_SMEM   ? &out->smem_bytes
              : i == SHIM_FUNCTION_LOCAL_BYTES ? &out->local_bytes
                                               : &out->const_bytes) = (size_t)value;
    }
    return SHIM_SUCCESS;
}

/* A call of the driver with the function for the stub. */
#define API_OF_FUNCTION(name, parameters, call)                                                    \
    API name parameters                                                                            \
    {                                                                                              \
        void *function;                                                                            \
        const int error = shim_find_function(stub, &function);                                     \
        return shim_noted(error != SHIM_SUCCESS ? error : call);                                   \
    }

API_OF_FUNCTION(cudaFuncSetAttribute, (const void *stub, int attribute_number, int value),
                cuFuncSetAttribute(function, attribute_number, value))
API_OF_FUNCTION(cudaFuncSetCacheConfig, (const void *stub, int config),
                cuFuncSetCacheConfig(function, config))
API_RETURNS(cudaFuncSetSharedMemConfig, (const void *stub, int config), SHIM_SUCCESS)

API_OF_FUNCTION(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                (int *blocks, const void *stub, int threads, size_t smem_bytes, unsigned flags),
                cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, smem_bytes))
API_RETURNS(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
            (int *blocks, const void *stub, int threads, size_t smem_bytes),
            cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, stub, threads,
                                                                   smem_bytes, 0))

API_OF_FUNCTION(cudaOccupancyAvailableDynamicSMemPerBlock,
                (size_t * bytes, const void *stub, int blocks, int threads),
                cuOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads))

static int ask_clusters(int (*ask)(int *, void *, const struct shim_launch_config *), int *out,
                        const void *stub, const struct shim_runtime_config *wanted)
{
    const struct shim_launch_config config = {
        .grid = {wanted->grid[0], wanted->grid[1], wanted->grid[2]},
        .block = {wanted->block[0], wanted->block[1], wanted->block[2]},
        .smem_bytes = (uint32_t)wanted->smem_bytes,
        .attributes = wanted->attributes,
        .attribute_count = wanted->attribute_count};
    void *function;
    const int error = shim_find_function(stub, &function);
    return shim_noted(error != SHIM_SUCCESS            ? error
                      : wanted->smem_bytes > INT32_MAX ? SHIM_INVALID_VALUE
                                                       : ask(out, function, &config));
}

API_RETURNS(cudaOccupancyMaxActiveClusters,
            (int *clusters, const void *stub, const struct shim_runtime_config *wanted),
            ask_clusters(cuOccupancyMaxActiveClusters, clusters, stub, wanted))
API_RETURNS(cudaOccupancyMaxPotentialClusterSize,
            (int *size, const void *stub, const struct shim_runtime_config *wanted),
            ask_clusters(cuOccupancyMaxPotentialClusterSize, size, stub, wanted))

/* --- What is not emulated --------------------------------------------------------------------- */

static int shim_runtime_refuse(const char *name)
{
    static const char *told[8];
    size_t i = 0;
    while (i < sizeof told / sizeof *told && told[i] && told[i] != name)
        i++;
    if (i < sizeof told / sizeof *told && !told[i]) {
        told[i] = name;
        fprintf(stderr, "smemcalc: the program calls %s, which is not emulated\n", name);
    }
    return shim_noted(SHIM_NOT_SUPPORTED);
}

#define UNSUPPORTED(name)                                                                          \
    API name(void)                                                                                 \
    {                                                                                              \
        return shim_runtime_refuse(#name);                                                         \
    }
#include "guests/shim/unsupported.def"
#undef UNSUPPORTED
