/* A libnvidia-ml.so.1 that appends the name of each call that opens or closes it to the file
   FAKE_NVML_CALLS, and whose GPUs run at 1234 MHz. */
#include <stdio.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))

static int note(const char *call)
{
    const char *path = getenv("FAKE_NVML_CALLS");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return 999; /* NVML_ERROR_UNKNOWN */
    fprintf(file, "%s\n", call);
    return fclose(file) == 0 ? 0 : 999;
}

EXPORTED int nvmlInit_v2(void);
EXPORTED int nvmlShutdown(void);
EXPORTED int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device);
EXPORTED int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz);
EXPORTED int nvmlSystemGetDriverVersion(char *version, unsigned length);

int nvmlInit_v2(void)
{
    return note("nvmlInit_v2");
}

int nvmlShutdown(void)
{
    return note("nvmlShutdown");
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device)
{
    static int handle;
    *device = &handle;
    return id[0] == '\0'; /* 1: NVML_ERROR_UNINITIALIZED */
}

int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz)
{
    *mhz = device && clock == 1 ? 1234 : 0; /* 1: NVML_CLOCK_SM */
    return 0;
}

int nvmlSystemGetDriverVersion(char *version, unsigned length)
{
    return snprintf(version, length, "580.0.0") < 0;
}
