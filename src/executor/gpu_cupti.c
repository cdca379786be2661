/* The CUPTI library: where it is found, the functions that are taken from it, its errors. */
#include "executor/gpu_cupti.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"

static const char *const names[] = {
    "libcupti.so.13",
    "/usr/local/cuda/lib64/libcupti.so.13",
    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13",
    "libcupti.so.12",
    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.12",
};

static const char *const wheels[] = {
    "/usr/local/lib/python3*/*-packages/nvidia/*/lib/libcupti.so.1*",
    "/usr/lib/python3*/*-packages/nvidia/*/lib/libcupti.so.1*",
    "/opt/*/lib/python3*/*-packages/nvidia/*/lib/libcupti.so.1*",
};

static void *open_wheel(void)
{
    void *library = NULL;
    for (size_t i = 0; i < sizeof wheels / sizeof *wheels && !library; i++) {
        struct smc_folder_matches found = {0};
        smc_folder_match(wheels[i], &found);
        for (size_t n = found.count; n > 0 && !library; n--) /* the newest first */
            library = dlopen(found.path[n - 1], RTLD_NOW | RTLD_LOCAL);
        smc_folder_matches_free(&found);
    }
    return library;
}

static void *open_library(void)
{
    const char *chosen = getenv("SMEMCALC_CUPTI");
    void *library = chosen && *chosen ? dlopen(chosen, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library ? library : open_wheel();
}

enum smc_status smc_cupti_open(struct smc_cupti *cupti, struct smc_error *error)
{
    const struct {
        const char *symbol;
        void *function;
    } functions[] = {
#define FUNCTION(name) {"cupti" #name, &cupti->name},
        SMC_CUPTI_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    void *library = open_library();
    if (!library)
        return smc_fail(error, SMC_UNAVAILABLE,
                        "libcupti.so.13 is not found; SMEMCALC_CUPTI can name its path");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = dlsym(library, functions[i].symbol);
        if (!address) {
            dlclose(library);
            return smc_fail(error, SMC_UNAVAILABLE,
                            "no CUPTI of CUDA 12.6 or later: the library lacks %s",
                            functions[i].symbol);
        }
        /* ISO C has no cast from an object to a function pointer; POSIX has the same size. */
        memcpy(functions[i].function, &address, sizeof address);
    }
    return SMC_OK;
}

enum smc_status smc_cupti_check(const struct smc_cupti *cupti, CUptiResult result, const char *call,
                                struct smc_error *error)
{
    const char *name = NULL;
    if (result == CUPTI_SUCCESS)
        return SMC_OK;
    if (cupti->GetResultString(result, &name) != CUPTI_SUCCESS || !name)
        name = "an error without a name";
    switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
        return smc_fail(
            error, SMC_UNAVAILABLE,
            "profiling is not permitted: run as root or with CAP_SYS_ADMIN, or load the "
            "driver with NVreg_RestrictProfilingToAdminUsers=0 (%s: %s)",
            call, name);
    case CUPTI_ERROR_INVALID_METRIC_NAME:
    case CUPTI_ERROR_NOT_SUPPORTED:
    case CUPTI_ERROR_INVALID_DEVICE:
    case CUPTI_ERROR_HARDWARE_BUSY:
        return smc_fail(error, SMC_UNAVAILABLE, "%s: %s", call, name);
    default:
        return smc_fail(error, SMC_MACHINE, "%s: %s (%d)", call, name, (int)result);
    }
}

enum smc_status smc_cupti_context(CUcontext *context, struct smc_error *error)
{
    __typeof__(cuCtxGetCurrent) *get = NULL;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *address = driver ? dlsym(driver, "cuCtxGetCurrent") : NULL;
    if (!address)
        return smc_fail(error, SMC_UNAVAILABLE, "libcuda.so.1: no driver is found");
    memcpy(&get, &address, sizeof address);
    CUresult result = get(context);
    if (result != CUDA_SUCCESS || !*context)
        return smc_fail(error, SMC_MACHINE, "cuCtxGetCurrent: no context (%d)", (int)result);
    return SMC_OK;
}
