/* The driver API on the emulator: modules and what is in them, launches of their kernels, and
   occupancy. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "guests/shim/driver.h"

/* --- Modules ---------------------------------------------------------------------------------- */

API cuModuleLoadData(struct shim_module **module, const void *image)
{
    BEGIN;
    shim_capture_forbids(SHIM_CALL_UNSAFE, NULL); /* loads, but invalidates the capture */
    return image ? shim_module_load(image, module) : SHIM_INVALID_VALUE;
}

API_RETURNS(cuModuleLoadDataEx,
            (struct shim_module * *module, const void *image, uint32_t count, const int *options,
             void **values),
            cuModuleLoadData(module, image))

API_LOCKED(cuModuleLoadFatBinary, (struct shim_module * *module, const void *image),
           image ? shim_module_load(image, module) : SHIM_INVALID_VALUE)

static int read_module_file(const char *path, struct smc_text *text)
{
    struct smc_error ignored;
    const enum smc_status status = smc_file_read(path, "module", SIZE_MAX, text, &ignored);
    return status == SMC_OK        ? SHIM_SUCCESS
           : status == SMC_MACHINE ? SHIM_OUT_OF_MEMORY
                                   : SHIM_FILE_NOT_FOUND;
}

API cuModuleLoad(struct shim_module **module, const char *path)
{
    BEGIN;
    smc_auto_text text = {0};
    int result = read_module_file(path, &text);
    if (result == SHIM_SUCCESS)
        result = text.length < 16 ? SHIM_INVALID_IMAGE
                                  : shim_module_load(smc_text_string(&text), module);
    return result;
}

API cuModuleUnload(struct shim_module *module)
{
    BEGIN;
    UNLESS_CAPTURED(UNSAFE, NULL);
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

API_ANSWERS(cuModuleGetLoadingMode, (int *mode), *mode, SHIM_MODULES_EAGER)

/* Linking: of a single text of PTX, which is what is loaded in the end. */
struct shim_link {
    struct smc_text ptx;
};

API cuLinkCreate_v2(uint32_t count, const int *options, void **values, struct shim_link **link)
{
    BEGIN;
    for (uint32_t i = 0; i < count; i++) /* nothing is logged */
        if ((options[i] == SHIM_LINK_INFO_LOG || options[i] == SHIM_LINK_ERROR_LOG) && values[i])
            *(char *)values[i] = '\0';
    *link = smc_calloc(1, sizeof **link);
    return *link ? SHIM_SUCCESS : SHIM_OUT_OF_MEMORY;
}

static bool can_link(const struct shim_link *link, int type)
{
    if (type == SHIM_LINK_PTX && link->ptx.length == 0)
        return true;
    shim_tell("the program links %s (cuLinkAddData), which is not emulated",
              type == SHIM_LINK_PTX ? "several texts of PTX" : "machine code");
    return false;
}

API cuLinkAddData_v2(struct shim_link *link, int type, const char *data, size_t bytes,
                     const char *name, uint32_t count, int *options, void **values)
{
    BEGIN;
    if (!can_link(link, type))
        return SHIM_NOT_SUPPORTED;
    smc_text_append_bytes(&link->ptx, data, strnlen(data, bytes));
    return SHIM_SUCCESS;
}

API cuLinkAddFile_v2(struct shim_link *link, int type, const char *path, uint32_t count,
                     int *options, void **values)
{
    BEGIN;
    if (!can_link(link, type))
        return SHIM_NOT_SUPPORTED;
    return read_module_file(path, &link->ptx);
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
API_RETURNS(cuLibraryLoadData,
            (struct shim_module * *library, const void *image, int *options, void **values,
             uint32_t count, int *library_options, void **library_values, uint32_t library_count),
            cuModuleLoadData(library, image))
API_RETURNS(cuLibraryLoadFromFile,
            (struct shim_module * *library, const char *path, int *options, void **values,
             uint32_t count, int *library_options, void **library_values, uint32_t library_count),
            cuModuleLoad(library, path))
API_RETURNS(cuLibraryUnload, (struct shim_module * library), cuModuleUnload(library))
API_RETURNS(cuLibraryGetKernel,
            (struct shim_function * *kernel, struct shim_module *library, const char *name),
            cuModuleGetFunction(kernel, library, name))
API_ANSWERS(cuLibraryGetModule, (struct shim_module * *module, struct shim_module *library),
            *module, library)
API_RETURNS(cuLibraryGetGlobal,
            (uint64_t * address, size_t *bytes, struct shim_module *library, const char *name),
            cuModuleGetGlobal_v2(address, bytes, library, name))
API_RETURNS(cuLibraryGetManaged,
            (uint64_t * address, size_t *bytes, struct shim_module *library, const char *name),
            cuModuleGetGlobal_v2(address, bytes, library, name))
API_ANSWERS(cuKernelGetFunction, (struct shim_function * *function, struct shim_function *kernel),
            *function, kernel)

/* --- Functions -------------------------------------------------------------------------------- */

/* Those that it was compiled for, else what its registers allow. */
static int most_threads(const struct shim_function *function)
{
    const struct smc_sm *sm = &shim_device()->sm;
    uint32_t threads = sm->max_threads_per_block;
    if (function->max_threads > 0)
        return (int)function->max_threads;
    while (threads > sm->warp_size && shim_occupancy(function, threads, 0) == 0)
        threads -= sm->warp_size;
    return (int)threads;
}

API cuFuncGetAttribute(int *value, int attribute, struct shim_function *function)
{
    BEGIN;
    if (!function)
        return SHIM_INVALID_HANDLE;
    if (!shim_function_read(function))
        return SHIM_NOT_SUPPORTED;
    switch (attribute) {
    case SHIM_FUNCTION_MAX_THREADS:
        *value = most_threads(function);
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
    case SHIM_FUNCTION_CLUSTER_X:
    case SHIM_FUNCTION_CLUSTER_Y:
    case SHIM_FUNCTION_CLUSTER_Z: {
        uint32_t cluster[3];
        smc_program_cluster(function->program, cluster);
        *value = (int)cluster[attribute - SHIM_FUNCTION_CLUSTER_X];
        return SHIM_SUCCESS;
    }
    case SHIM_FUNCTION_LARGE_CLUSTERS:
        *value = function->allows_large_clusters;
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
    if (attribute == SHIM_FUNCTION_LARGE_CLUSTERS) {
        if (value < 0 || value > 1)
            return SHIM_INVALID_VALUE;
        function->allows_large_clusters = value != 0;
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

API_RETURNS(cuKernelGetAttribute,
            (int *value, int attribute, struct shim_function *kernel, int device),
            cuFuncGetAttribute(value, attribute, kernel))
API_RETURNS(cuKernelSetAttribute,
            (int attribute, int value, struct shim_function *kernel, int device),
            cuFuncSetAttribute(kernel, attribute, value))

API cuFuncSetCacheConfig(struct shim_function *function, int config)
{
    if (config < 0 || config > SHIM_CACHE_PREFER_EQUAL)
        return SHIM_INVALID_VALUE;
    function->cache_config = config;
    return SHIM_SUCCESS;
}

API_RETURNS(cuFuncSetSharedMemConfig, (struct shim_function * function, int config),
            config >= 0 && config <= SHIM_BANKS_8_BYTES ? SHIM_SUCCESS : SHIM_INVALID_VALUE)
API_ANSWERS(cuFuncGetModule, (struct shim_module * *module, struct shim_function *function),
            *module, function->module)
API_ANSWERS(cuFuncGetName, (const char **name, struct shim_function *function), *name,
            function->name)
API_ANSWERS(cuFuncIsLoaded, (int *state, struct shim_function *function), *state,
            SHIM_FUNCTION_LOADED)
API_RETURNS(cuFuncLoad, (struct shim_function * function), SHIM_SUCCESS)

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
        if ((uintptr_t)extra[0] == SHIM_EXTRA_BUFFER)
            launch->packed = extra[1];
        else if ((uintptr_t)extra[0] == SHIM_EXTRA_BYTES)
            launch->packed_bytes = *(const size_t *)extra[1];
    }
}

static int submit(void *stream, const struct shim_launch *launch)
{
    struct shim_captured *captured = shim_capturing(stream);
    UNLESS_CAPTURED(WORK, stream);
    return captured ? shim_capture_launch(captured, launch) : shim_launch(launch);
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

static void read_config(const struct shim_launch_config *config, struct shim_launch *launch)
{
    launch->dynamic_smem_bytes = config->smem_bytes;
    memcpy(launch->grid, config->grid, sizeof launch->grid);
    memcpy(launch->block, config->block, sizeof launch->block);
    for (uint32_t i = 0; i < config->attribute_count; i++) {
        const struct shim_attribute *attribute = &config->attributes[i];
        if (attribute->id == SHIM_LAUNCH_COOPERATIVE)
            launch->cooperative = attribute->value.number != 0;
        if (attribute->id == SHIM_LAUNCH_CLUSTER)
            memcpy(launch->cluster, attribute->value.cluster, sizeof launch->cluster);
    }
}

API cuLaunchKernelEx(const struct shim_launch_config *config, struct shim_function *function,
                     void **parameters, void **extra)
{
    BEGIN;
    struct shim_launch launch = {.function = function, .parameters = parameters};
    if (!function)
        return SHIM_INVALID_HANDLE;
    read_config(config, &launch);
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
    UNLESS_CAPTURED(WORK, stream);
    shim_lock();
    struct shim_captured *captured = shim_capturing(stream);
    const int result = captured ? shim_capture_host(captured, &call) : SHIM_SUCCESS;
    shim_unlock();
    if (!captured)
        function(data);
    return result;
}

/* --- Occupancy -------------------------------------------------------------------------------- */

API cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                         struct shim_function *function,
                                                         int threads, size_t smem_bytes,
                                                         uint32_t flags)
{
    BEGIN;
    if (!function || threads < 1)
        return SHIM_INVALID_VALUE;
    if (!shim_function_read(function))
        return SHIM_NOT_SUPPORTED;
    *blocks = (int)shim_occupancy(function, (uint32_t)threads, (uint32_t)smem_bytes);
    return SHIM_SUCCESS;
}

API_RETURNS(cuOccupancyMaxActiveBlocksPerMultiprocessor,
            (int *blocks, struct shim_function *function, int threads, size_t smem_bytes),
            cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                 smem_bytes, 0))

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
    const int warp = sm->warp_size;
    int top = most_threads(function);
    if (most > 0 && most < top)
        top = most;
    uint32_t best = 0;
    for (int threads = top; threads > 0; threads -= threads % warp ? threads % warp : warp) {
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

API_RETURNS(cuOccupancyMaxPotentialBlockSizeWithFlags,
            (int *grid, int *block, struct shim_function *function, size_t (*smem_of)(int),
             size_t smem_bytes, int most, uint32_t flags),
            cuOccupancyMaxPotentialBlockSize(grid, block, function, smem_of, smem_bytes, most))

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

API cuOccupancyMaxActiveClusters(int *clusters, struct shim_function *function,
                                 const struct shim_launch_config *config)
{
    BEGIN;
    struct shim_launch launch = {.function = function};
    if (!function || !clusters)
        return SHIM_INVALID_VALUE;
    if (!shim_function_read(function))
        return SHIM_NOT_SUPPORTED;
    read_config(config, &launch);
    *clusters = 0;
    if (!shim_has_grid(&launch))
        return SHIM_INVALID_VALUE;
    if (!shim_has_cluster(&launch))
        return SHIM_INVALID_CLUSTER;
    *clusters = (int)shim_resident_clusters(&launch);
    return SHIM_SUCCESS;
}

/* The largest one that the kernel's resources allow. */
API cuOccupancyMaxPotentialClusterSize(int *size, struct shim_function *function,
                                       const struct shim_launch_config *config)
{
    BEGIN;
    struct shim_launch launch = {.function = function};
    if (!function || !size)
        return SHIM_INVALID_VALUE;
    if (!shim_function_read(function))
        return SHIM_NOT_SUPPORTED;
    read_config(config, &launch);
    memset(launch.grid, 0, sizeof launch.grid);
    const struct smc_sm *sm = &shim_device()->sm;
    uint32_t most =
        function->allows_large_clusters ? sm->cluster_max_nonportable : sm->cluster_max_portable;
    for (; most > 1; most /= 2) {
        struct smc_occupancy occupancy;
        for (int i = 0; i < 3; i++)
            launch.cluster[i] = i == 0 ? most : 1;
        shim_model(&launch, &occupancy);
        if (occupancy.resident_clusters > 0)
            break;
    }
    *size = (int)most;
    return most > 0 ? SHIM_SUCCESS : SHIM_INVALID_CLUSTER;
}
