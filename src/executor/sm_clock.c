/* The SM clock at this moment, from NVML where the driver brings it. */
#include <dlfcn.h>
#include <stdint.h>

#include "executor/gpu.h"

/* What is called of NVML: nvmlReturn_t is 0 for success, nvmlDevice_t a pointer. */
struct nvml {
    int (*init)(void);
    int (*shut_down)(void);
    int (*find_device)(const char *pci_bus_id, void **device);
    int (*clock_info)(void *device, int clock, unsigned *mhz);
};

enum { NVML_SM_CLOCK = 1 };

static bool look_up(void *library, const char *name, void *function_pointer)
{
    void *symbol = dlsym(library, name);
    *(void **)function_pointer = symbol;
    return symbol != NULL;
}

static uint32_t read_clock(const struct nvml *nvml, const char *pci_bus_id)
{
    void *device;
    unsigned mhz = 0;
    if (nvml->init() != 0)
        return 0;
    bool read = nvml->find_device(pci_bus_id, &device) == 0 &&
                nvml->clock_info(device, NVML_SM_CLOCK, &mhz) == 0;
    nvml->shut_down();
    return read ? mhz * 1000u : 0;
}

uint32_t smc_gpu_sm_clock_khz(int gpu_index)
{
    char pci_bus_id[32];
    struct nvml nvml;
    uint32_t khz = 0;
    if (cudaDeviceGetPCIBusId(pci_bus_id, sizeof pci_bus_id, gpu_index) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return 0;
    if (look_up(library, "nvmlInit_v2", &nvml.init) &&
        look_up(library, "nvmlShutdown", &nvml.shut_down) &&
        look_up(library, "nvmlDeviceGetHandleByPciBusId_v2", &nvml.find_device) &&
        look_up(library, "nvmlDeviceGetClockInfo", &nvml.clock_info))
        khz = read_clock(&nvml, pci_bus_id);
    dlclose(library);
    return khz;
}
