/* The GPUs of this machine: their number and their properties. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware/executor/gpu.h"

/* --- Errors ----------------------------------------------------------------------------------- */

/* Errors of the machine rather than of a launch. A kernel's own errors need no explanation. */
static const struct known {
    cudaError_t code;
    enum smc_status status;
    const char *advice;
} known[] = {
    {cudaErrorMemoryAllocation, SMC_MACHINE, "nvidia-smi shows who holds the GPU's memory"},
    {cudaErrorInitializationError, SMC_UNAVAILABLE,
     "'smemcalc doctor', nvidia-smi and the kernel's log tell more"},
    {cudaErrorStubLibrary, SMC_UNAVAILABLE,
     "libcuda.so.1 is the toolkit's stub: leave its folder out of LD_LIBRARY_PATH"},
    {cudaErrorDevicesUnavailable, SMC_UNAVAILABLE,
     "another process may hold the GPU; nvidia-smi shows processes and compute mode"},
    {cudaErrorECCUncorrectable, SMC_MACHINE,
     "the GPU's memory is damaged: 'nvidia-smi -q -d ECC' tells more, a reset may help"},
    {cudaErrorOperatingSystem, SMC_UNAVAILABLE, "are /dev/nvidia* there, and may you open them?"},
    {cudaErrorLaunchTimeout, SMC_MACHINE, "the watchdog of a GPU that also drives a screen"},
    {cudaErrorSystemNotReady, SMC_UNAVAILABLE,
     "does the service that this machine's GPUs need run, such as nvidia-fabricmanager?"},
    {cudaErrorSystemDriverMismatch, SMC_UNAVAILABLE,
     "the driver's kernel module and libcuda.so.1 are of two versions: restart after an update"},
    {cudaErrorCompatNotSupportedOnDevice, SMC_UNAVAILABLE,
     "leave CUDA's compat folder out of LD_LIBRARY_PATH, or install a newer driver"},
    {cudaErrorMpsConnectionFailed, SMC_UNAVAILABLE, "the MPS server does not answer"},
    {cudaErrorUnknown, SMC_MACHINE,
     "has the GPU fallen off the bus? nvidia-smi and the kernel's log (Xid) tell"},
};

static const struct known *gpu_device_find(cudaError_t code)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == code)
            return &known[i];
    return NULL;
}

enum smc_status smc_gpu_fail(struct smc_error *error, cudaError_t code, const char *call)
{
    const struct known *entry = gpu_device_find(code);
    cudaGetLastError();
    return smc_fail(error, entry ? entry->status : SMC_MACHINE, "%s: %s: %s%s%s", call,
                    cudaGetErrorName(code), cudaGetErrorString(code), entry ? "; " : "",
                    entry ? entry->advice : "");
}

bool smc_gpu_attempt(struct smc_attempt *attempt, cudaError_t code)
{
    attempt->made = true;
    attempt->succeeded = code == cudaSuccess;
    if (attempt->succeeded)
        return true;
    snprintf(attempt->message, sizeof attempt->message, "%s: %s", cudaGetErrorName(code),
             cudaGetErrorString(code));
    cudaGetLastError();
    return false;
}

/* --- NVML ------------------------------------------------------------------------------------- */

/* The NVML functions in use: nvmlReturn_t is 0 for success, nvmlDevice_t is a pointer. */
static struct {
    int (*find_device)(const char *pci_bus_id, void **device);
    int (*clock_info)(void *device, int clock, unsigned *mhz);
    int (*driver_version)(char *version, unsigned length);
    bool is_ready;
} nvml;

enum { NVML_SM_CLOCK = 1 };

static bool look_up(void *library, const char *name, void *function_pointer)
{
    void *symbol = dlsym(library, name);
    *(void **)function_pointer = symbol;
    return symbol != NULL;
}

static void open_nvml(void)
{
    int (*init)(void);
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    nvml.is_ready = look_up(library, "nvmlInit_v2", &init) &&
                    look_up(library, "nvmlDeviceGetHandleByPciBusId_v2", &nvml.find_device) &&
                    look_up(library, "nvmlDeviceGetClockInfo", &nvml.clock_info) &&
                    look_up(library, "nvmlSystemGetDriverVersion", &nvml.driver_version) &&
                    init() == 0;
    if (!nvml.is_ready)
        dlclose(library);
}

/* NVML is opened once and kept until the process ends. Where the threads of four GPUs opened and
   closed it for each measurement, two of nine runs never ended: nvmlInit_v2 waited for a mutex of
   libcuda that no thread held (H100s, driver 580.159.04). */
static bool nvml_is_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_nvml);
    return nvml.is_ready;
}

uint32_t smc_gpu_sm_clock_khz(int gpu_index)
{
    char pci_bus_id[32];
    void *device;
    unsigned mhz = 0;
    if (cudaDeviceGetPCIBusId(pci_bus_id, sizeof pci_bus_id, gpu_index) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    const bool read = nvml_is_ready() && nvml.find_device(pci_bus_id, &device) == 0 &&
                      nvml.clock_info(device, NVML_SM_CLOCK, &mhz) == 0;
    return read ? mhz * 1000u : 0;
}

bool smc_gpu_driver_release(char release[SMC_GPU_VERSION_CHARS])
{
    const bool read = nvml_is_ready() && nvml.driver_version(release, SMC_GPU_VERSION_CHARS) == 0;
    if (!read)
        release[0] = '\0';
    return read;
}

/* --- Devices ---------------------------------------------------------------------------------- */

/* Checks that a driver is installed and that it is new enough. */
static void explain_driver(struct smc_error *why)
{
    int supported = 0;
    if (cudaDriverGetVersion(&supported) != cudaSuccess)
        cudaGetLastError();
    if (supported == 0)
        smc_fail(
            why, SMC_UNAVAILABLE,
            "no GPU: there is no NVIDIA driver here (libcuda.so.1); install one for CUDA %d.%d "
            "or newer",
            CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    else
        smc_fail(why, SMC_UNAVAILABLE,
                 "no GPU: the NVIDIA driver is for CUDA %d.%d, this program needs %d.%d: install a "
                 "driver for CUDA %d.%d or newer",
                 supported / 1000, supported % 1000 / 10, CUDART_VERSION / 1000,
                 CUDART_VERSION % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
}

void smc_gpu_reserved_smem(int gpu_index, struct smc_attempt *attempt, uint32_t *bytes)
{
    int value = 0;
    if (smc_gpu_attempt(attempt, cudaDeviceGetAttribute(
                                     &value, cudaDevAttrReservedSharedMemoryPerBlock, gpu_index)))
        *bytes = (uint32_t)value;
}

int smc_gpu_device_count(struct smc_error *why)
{
    int count = 0;
    cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaSuccess && count > 0)
        return count;
    cudaGetLastError();
    if (code == cudaErrorInsufficientDriver)
        explain_driver(why);
    else if (code == cudaSuccess || code == cudaErrorNoDevice)
        smc_fail(why, SMC_UNAVAILABLE, "no GPU: the NVIDIA driver finds none on this machine%s",
                 getenv("CUDA_VISIBLE_DEVICES") ? ", of those that CUDA_VISIBLE_DEVICES leaves"
                                                : "");
    else
        smc_gpu_fail(why, code, "no GPU");
    return 0;
}

/* The allocation rules come from the table. The rules of another compute capability would give
   plausible but wrong answers. */
static enum smc_status check_capability(int index, const struct cudaDeviceProp *properties,
                                        struct smc_error *error)
{
    uint16_t cc = (uint16_t)(10 * properties->major + properties->minor);
    struct smc_capability capability;
    if (smc_capability_find(cc, &capability))
        return SMC_OK;
    smc_capability_fail(cc,
                        "a newer smemcalc may know it, or describe the device in a file "
                        "(--device-file)",
                        SMC_UNAVAILABLE, error);
    return smc_fail_in(error, SMC_UNAVAILABLE, "GPU %d (%.127s)", index, properties->name);
}

/* CUDA 13 removed the clocks from cudaDeviceProp, but the attributes remain. 0 if unknown. */
static uint32_t gpu_device_attribute(enum cudaDeviceAttr which, int index)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, index) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return value > 0 ? (uint32_t)value : 0;
}

/* Runtimes before CUDA 13.5 do not have this attribute; then the table's sizes are used. */
static void lay_over_oversized(int index, struct smc_sm *sm)
{
    int bytes = 0;
    uint32_t reserve = sm->smem_reserved_per_block_bytes;
    if (cudaDeviceGetAttribute(&bytes, (enum cudaDeviceAttr)SMC_GPU_ATTRIBUTE_OVERSIZED_SMEM,
                               index) != cudaSuccess) {
        cudaGetLastError();
        return;
    }
    bool larger = bytes > 0 && (uint32_t)bytes > sm->smem_per_block_optin_bytes;
    sm->smem_oversized_per_block_bytes = larger ? (uint32_t)bytes : 0;
    if (!larger || sm->smem_oversized_per_sm_bytes < (uint32_t)bytes + reserve)
        sm->smem_oversized_per_sm_bytes = larger ? (uint32_t)bytes + reserve : 0;
}

enum smc_status smc_gpu_device(int index, struct smc_device *device, struct smc_error *error)
{
    int count = smc_gpu_device_count(error);
    if (count == 0)
        return SMC_UNAVAILABLE;
    if (index < 0 || index >= count)
        return smc_fail(error, SMC_UNAVAILABLE,
                        "there is no GPU %d on this machine; the highest number is %d", index,
                        count - 1);
    struct cudaDeviceProp properties;
    cudaError_t code = cudaGetDeviceProperties(&properties, index);
    if (code != cudaSuccess)
        return smc_gpu_fail(error, code, "cudaGetDeviceProperties");
    const struct smc_device_properties told = SMC_DEVICE_PROPERTIES(properties);
    SMC_TRY(check_capability(index, &properties, error));
    SMC_TRY(smc_device_of_properties(&told, device, error));
    lay_over_oversized(index, &device->sm);
    device->gpu_index = index;
    device->sm_clock_khz = gpu_device_attribute(cudaDevAttrClockRate, index);
    device->memory_bus_bits = gpu_device_attribute(cudaDevAttrGlobalMemoryBusWidth, index);
    device->memory_bytes_per_s = 2.0 * 1e3 *
                                 gpu_device_attribute(cudaDevAttrMemoryClockRate, index) *
                                 device->memory_bus_bits / 8; /* two transfers per clock */
    device->fp32_peak_tflops =
        2e-9 * device->sm.fp32_lanes_per_sm * device->sm_count * device->sm_clock_khz;
    return SMC_OK;
}

static enum smc_driver_state state_of(cudaError_t code, int supported)
{
    switch (code) {
    case cudaSuccess:
        return SMC_DRIVER_WORKS;
    case cudaErrorNoDevice:
        return SMC_DRIVER_NO_GPU;
    case cudaErrorInsufficientDriver:
        return supported == 0 ? SMC_DRIVER_ABSENT : SMC_DRIVER_OUTDATED;
    default:
        return SMC_DRIVER_FAILING;
    }
}

void smc_gpu_examine_driver(struct smc_driver *driver)
{
    int supported = 0;
    *driver = (struct smc_driver){.state = SMC_DRIVER_NOT_BUILT};
    smc_gpu_versions(driver->cuda, driver->runtime);
    if (cudaDriverGetVersion(&supported) != cudaSuccess)
        cudaGetLastError();
    cudaError_t code = cudaGetDeviceCount(&driver->gpus);
    cudaGetLastError();
    if (code == cudaSuccess && driver->gpus == 0)
        code = cudaErrorNoDevice;
    driver->state = state_of(code, supported);
    if (code != cudaSuccess)
        driver->gpus = smc_gpu_device_count(&driver->why);
}

enum smc_status smc_gpu_examine(int index, struct smc_device *device, struct smc_error *error)
{
    void *memory = NULL;
    SMC_TRY(smc_gpu_device(index, device, error));
    SMC_TRY(smc_gpu_use(index, error));
    cudaError_t code = cudaMalloc(&memory, 1024);
    if (code != cudaSuccess)
        return smc_gpu_fail(error, code, "cudaMalloc");
    code = cudaFree(memory);
    return code == cudaSuccess ? SMC_OK : smc_gpu_fail(error, code, "cudaFree");
}

bool smc_gpu_is_slice(const struct smc_device *device)
{
    return strstr(device->name, " MIG ") != NULL;
}

enum smc_status smc_gpu_use(int index, struct smc_error *error)
{
    static const char lift[] = "'nvidia-smi -c 0' lifts that";
    char what[32];
    uint32_t mode = gpu_device_attribute(cudaDevAttrComputeMode, index);
    if (mode == cudaComputeModeProhibited)
        return smc_fail(error, SMC_UNAVAILABLE,
                        "GPU %d is in compute mode Prohibited, in which no process may use it; %s",
                        index, lift);
    cudaError_t code = cudaSetDevice(index);
    if (code == cudaSuccess)
        return SMC_OK;
    if (code == cudaErrorDevicesUnavailable && mode != cudaComputeModeDefault) {
        cudaGetLastError();
        return smc_fail(error, SMC_UNAVAILABLE,
                        "GPU %d is in exclusive process mode and another process uses it; %s",
                        index, lift);
    }
    snprintf(what, sizeof what, "GPU %d", index);
    return smc_gpu_fail(error, code, what);
}

void smc_gpu_uuid(int index, char text[SMC_GPU_UUID_CHARS])
{
    struct cudaDeviceProp properties;
    text[0] = '\0';
    if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) {
        cudaGetLastError();
        return;
    }
    int length = snprintf(text, SMC_GPU_UUID_CHARS, "GPU");
    for (size_t i = 0; i < sizeof properties.uuid.bytes; i++) {
        const char *dash = i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        length += snprintf(text + length, SMC_GPU_UUID_CHARS - (size_t)length, "%s%02x", dash,
                           (unsigned)(unsigned char)properties.uuid.bytes[i]);
    }
}

void smc_gpu_versions(char driver_text[SMC_GPU_VERSION_CHARS],
                      char runtime_text[SMC_GPU_VERSION_CHARS])
{
    int driver = 0, runtime = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess)
        cudaGetLastError();
    if (cudaRuntimeGetVersion(&runtime) != cudaSuccess)
        cudaGetLastError();
    snprintf(driver_text, SMC_GPU_VERSION_CHARS, "%d.%d", driver / 1000, driver % 1000 / 10);
    snprintf(runtime_text, SMC_GPU_VERSION_CHARS, "%d.%d", runtime / 1000, runtime % 1000 / 10);
}
