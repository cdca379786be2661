/* The driver API, libcuda.so.1, on the emulator: the device, contexts and errors, and how the calls
   are found. */
#include "config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "guests/shim/driver.h"

enum { DRIVER_VERSION = 13000, GREATEST_PRIORITY = -5 };

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

API_ANSWERS(cuDriverGetVersion, (int *version), *version, DRIVER_VERSION)

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

API_RETURNS(cuDeviceGetUuid_v2, (uint8_t uuid[16], int device), cuDeviceGetUuid(uuid, device))

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

/* Attributes of what is not emulated are 0. */
static int attribute_of(int attribute)
{
    const struct smc_device *device = shim_device();
    const struct smc_sm *sm = &device->sm;
    switch (attribute) {
#define SHIM_DEVICE_ATTRIBUTE(name, number, value, member)                                         \
    case SHIM_DEVICE_##name:                                                                       \
        return (int)(value);
#include "guests/shim/device_attributes.def"
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

API_ANSWERS(cuDeviceGetByPCIBusId, (int *device, const char *id), *device, 0)

API cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = 0;
    return device == 0 && peer == 0 ? SHIM_SUCCESS : SHIM_INVALID_DEVICE;
}

API cuDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
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
    if (device != 0)
        return SHIM_INVALID_DEVICE;
    shim_flush_output();
    shim_reset_context();
    return SHIM_SUCCESS;
}

API cuDevicePrimaryCtxSetFlags_v2(int device, uint32_t flags)
{
    if (device != 0)
        return SHIM_INVALID_DEVICE;
    primary.flags = flags;
    return SHIM_SUCCESS;
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

API_RETURNS(cuCtxCreate_v3,
            (struct shim_context * *context, void *affinity, int count, uint32_t flags, int device),
            cuCtxCreate_v2(context, flags, device))
API_RETURNS(cuCtxCreate_v4,
            (struct shim_context * *context, void *parameters, uint32_t flags, int device),
            cuCtxCreate_v2(context, flags, device))

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

API_ANSWERS(cuCtxGetCurrent, (struct shim_context * *context), *context, current)

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

API_ANSWERS(cuCtxGetDevice, (int *device), *device, 0)
API_ANSWERS(cuCtxGetFlags, (uint32_t * flags), *flags, current ? current->flags : 0)
API_ANSWERS(cuCtxGetApiVersion, (struct shim_context * context, uint32_t *version), *version,
            DRIVER_VERSION)

API cuCtxSynchronize(void)
{
    BEGIN;
    UNLESS_CAPTURED(DEVICE, NULL);
    shim_flush_output();
    return SHIM_SUCCESS;
}

static size_t limits[SHIM_LIMITS] = {
    [SHIM_LIMIT_STACK_BYTES] = 1024,      [SHIM_LIMIT_PRINT_BYTES] = 1 << 20,
    [SHIM_LIMIT_HEAP_BYTES] = 8 << 20,    [SHIM_LIMIT_SYNC_DEPTH] = 2,
    [SHIM_LIMIT_PENDING_LAUNCHES] = 2048, [SHIM_LIMIT_L2_FETCH_BYTES] = 128,
};

API cuCtxSetLimit(int limit, size_t value)
{
    UNLESS_CAPTURED(UNSAFE, NULL);
    if (limit < 0 || limit >= SHIM_LIMITS)
        return SHIM_INVALID_VALUE;
    limits[limit] = value;
    return SHIM_SUCCESS;
}

API cuCtxGetLimit(size_t *value, int limit)
{
    if (limit < 0 || limit >= SHIM_LIMITS)
        return SHIM_INVALID_VALUE;
    *value = limits[limit];
    return SHIM_SUCCESS;
}

API_ANSWERS(cuCtxGetCacheConfig, (int *config), *config, SHIM_CACHE_PREFER_NONE)

API cuCtxSetCacheConfig(int config)
{
    UNLESS_CAPTURED(UNSAFE, NULL);
    return config >= 0 && config <= SHIM_CACHE_PREFER_EQUAL ? SHIM_SUCCESS : SHIM_INVALID_VALUE;
}

API_ANSWERS(cuCtxGetSharedMemConfig, (int *config), *config, SHIM_BANKS_4_BYTES)
API_RETURNS(cuCtxSetSharedMemConfig, (int config),
            config >= 0 && config <= SHIM_BANKS_8_BYTES ? SHIM_SUCCESS : SHIM_INVALID_VALUE)

API cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = GREATEST_PRIORITY;
    return SHIM_SUCCESS;
}

/* --- Errors ----------------------------------------------------------------------------------- */

static const struct {
    int number;
    const char *name, *text;
} errors[] = {
#define SHIM_ERROR(id, number, driver, runtime, text) {number, driver, text},
#include "guests/shim/errors.def"
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
    /* cuCtxCreate takes more parameters from CUDA 13 on. */
    const bool is_old = strcmp(name, "cuCtxCreate") == 0 && version < 13000;
    *function = find_call(is_old ? "cuCtxCreate_v2" : name);
    if (status)
        *status = *function ? 0 : 1;
    return *function ? SHIM_SUCCESS : SHIM_NOT_FOUND;
}

API_RETURNS(cuGetProcAddress, (const char *name, void **function, int version, uint64_t flags),
            cuGetProcAddress_v2(name, function, version, flags, NULL))

/* Undocumented calls. NVIDIA's runtime asks for them and cannot work without them; NVRTC asks for
   one table and works without it. */
API cuGetExportTable(const void **table, const uint8_t id[16])
{
    static const uint8_t of_nvrtc[16] = {0xda, 0x91, 0x51, 0xd3, 0x3a, 0xe6, 0xcc, 0x41,
                                         0xa5, 0xc0, 0x4f, 0x26, 0xd5, 0x33, 0xe3, 0x28};
    *table = NULL;
    if (memcmp(id, of_nvrtc, sizeof of_nvrtc) == 0)
        return SHIM_INVALID_VALUE;
    shim_tell("NVIDIA's CUDA runtime does not work on the emulator; the emulator's is not used if "
              "the program was stripped or names a folder for its libraries (RPATH): link it with "
              "nvcc -cudart shared and without an RPATH, or do not strip it");
    return SHIM_INVALID_VALUE;
}
