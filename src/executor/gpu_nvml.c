/* What NVML tells, where the driver brings it: the SM clock at this moment, the driver's release.
 */
#include <dlfcn.h>
#include <stdint.h>

#include "executor/gpu.h"

/* What is called of NVML: nvmlReturn_t is 0 for success, nvmlDevice_t a pointer. */
struct nvml {
    void *library;
    int (*init)(void);
    int (*shut_down)(void);
    int (*find_device)(const char *pci_bus_id, void **device);
    int (*clock_info)(void *device, int clock, unsigned *mhz);
    int (*driver_version)(char *version, unsigned length);
};

enum { NVML_SM_CLOCK = 1 };

static bool look_up(void *library, const char *name, void *function_pointer)
{
    void *symbol = dlsym(library, name);
    *(void **)function_pointer = symbol;
    return symbol != NULL;
}

/* To be closed where it succeeds. */
static bool open_nvml(struct nvml *nvml)
{
    nvml->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!nvml->library)
        return false;
    if (look_up(nvml->library, "nvmlInit_v2", &nvml->init) &&
        look_up(nvml->library, "nvmlShutdown", &nvml->shut_down) &&
        look_up(nvml->library, "nvmlDeviceGetHandleByPciBusId_v2", &nvml->find_device) &&
        look_up(nvml->library, "nvmlDeviceGetClockInfo", &nvml->clock_info) &&
        look_up(nvml->library, "nvmlSystemGetDriverVersion", &nvml->driver_version) &&
        nvml->init() == 0)
        return true;
    dlclose(nvml->library);
    return false;
}

static void close_nvml(struct nvml *nvml)
{
    nvml->shut_down();
    dlclose(nvml->library);
}

uint32_t smc_gpu_sm_clock_khz(int gpu_index)
{
    char pci_bus_id[32];
    struct nvml nvml;
    void *device;
    unsigned mhz = 0;
    if (cudaDeviceGetPCIBusId(pci_bus_id, sizeof pci_bus_id, gpu_index) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    if (!open_nvml(&nvml))
        return 0;
    bool read = nvml.find_device(pci_bus_id, &device) == 0 &&
                nvml.clock_info(device, NVML_SM_CLOCK, &mhz) == 0;
    close_nvml(&nvml);
    return read ? mhz * 1000u : 0;
}

bool smc_gpu_driver_release(char release[SMC_GPU_VERSION_CHARS])
{
    struct nvml nvml;
    release[0] = '\0';
    if (!open_nvml(&nvml))
        return false;
    bool read = nvml.driver_version(release, SMC_GPU_VERSION_CHARS) == 0;
    close_nvml(&nvml);
    if (!read)
        release[0] = '\0';
    return read;
}
