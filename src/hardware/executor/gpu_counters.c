/* Hardware counters of launches, through CUPTI's range profiler. Each stretch between begin and end
   is a separate profiling session; every launch in it is a range, which CUPTI replays. */
#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "hardware/executor/counters.h"
#include "hardware/executor/gpu.h"

/* Names without their prefix "cupti". */
#define SMC_CUPTI_FUNCTIONS(F)                                                                     \
    F(GetResultString)                                                                             \
    F(DeviceGetChipName)                                                                           \
    F(ProfilerInitialize)                                                                          \
    F(ProfilerDeInitialize)                                                                        \
    F(ProfilerGetCounterAvailability)                                                              \
    F(ProfilerHostInitialize)                                                                      \
    F(ProfilerHostDeinitialize)                                                                    \
    F(ProfilerHostConfigAddMetrics)                                                                \
    F(ProfilerHostGetConfigImageSize)                                                              \
    F(ProfilerHostGetConfigImage)                                                                  \
    F(ProfilerHostGetNumOfPasses)                                                                  \
    F(ProfilerHostEvaluateToGpuValues)                                                             \
    F(RangeProfilerEnable)                                                                         \
    F(RangeProfilerDisable)                                                                        \
    F(RangeProfilerGetCounterDataSize)                                                             \
    F(RangeProfilerCounterDataImageInitialize)                                                     \
    F(RangeProfilerSetConfig)                                                                      \
    F(RangeProfilerStart)                                                                          \
    F(RangeProfilerStop)                                                                           \
    F(RangeProfilerDecodeData)                                                                     \
    F(RangeProfilerGetCounterDataInfo)

struct smc_cupti {
#define FUNCTION(name) __typeof__(cupti##name) *name;
    SMC_CUPTI_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

/* CUPTI functions that are called by name with a parameter struct. */
#define SMC_CUPTI_CALL(cupti, name, params, error)                                                 \
    smc_cupti_check(cupti, (cupti)->name(params), "cupti" #name, error)

/* --- The CUPTI library ------------------------------------------------------------------------ */

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
        SMC_AUTO(smc_folder_matches_free) struct smc_folder_matches found = {0};
        smc_folder_match(wheels[i], &found);
        for (size_t n = found.count; n > 0 && !library; n--) /* the newest first */
            library = dlopen(found.path[n - 1], RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

static void *gpu_counters_open_library(void)
{
    const char *chosen = getenv("SMEMCALC_CUPTI");
    void *library = chosen && *chosen ? dlopen(chosen, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library ? library : open_wheel();
}

/* Tries $SMEMCALC_CUPTI first, then the library's name, then the folders of toolkits and Python
   wheels. The library stays loaded. SMC_UNAVAILABLE if no library of CUDA 12.6 or later is
   found. */
static enum smc_status smc_cupti_open(struct smc_cupti *cupti, struct smc_error *error)
{
    const struct smc_platform_symbol functions[] = {
#define FUNCTION(name) {"cupti" #name, &cupti->name},
        SMC_CUPTI_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    void *library = gpu_counters_open_library();
    if (!library)
        return smc_fail(error, SMC_UNAVAILABLE,
                        "libcupti.so.13 is not found; SMEMCALC_CUPTI can name its path");
    const char *missing =
        smc_platform_find_symbols(library, functions, sizeof functions / sizeof *functions);
    if (!missing)
        return SMC_OK;
    dlclose(library);
    return smc_fail(error, SMC_UNAVAILABLE, "no CUPTI of CUDA 12.6 or later: the library lacks %s",
                    missing);
}

/* SMC_OK for success; SMC_UNAVAILABLE if CUPTI does not support this GPU, user or metric; otherwise
   SMC_MACHINE. The message names the call. */
static enum smc_status smc_cupti_check(const struct smc_cupti *cupti, CUptiResult result,
                                       const char *call, struct smc_error *error)
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

/* The current context: CUPTI needs it, and the CUDA runtime does not provide it. */
static enum smc_status smc_cupti_context(CUcontext *context, struct smc_error *error)
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

/* --- Counting --------------------------------------------------------------------------------- */

/* Calls CUPTI with a parameter struct: its type, and all fields except the size; ASK, with such a
   struct that receives the answer. */
#define PARAMS(type, ...)                                                                          \
    (CUpti_##type##_Params)                                                                        \
    {                                                                                              \
        .structSize = CUpti_##type##_Params_STRUCT_SIZE, __VA_ARGS__                               \
    }
#define CALL(counters, name, type, ...)                                                            \
    SMC_CUPTI_CALL(&(counters)->cupti, name, (&PARAMS(type, __VA_ARGS__)), error)
#define ASK(counters, name, params) SMC_CUPTI_CALL(&(counters)->cupti, name, params, error)

/* A buffer whose size CUPTI reports. */
struct gpu_counters_image {
    uint8_t *bytes;
    size_t size;
};

struct smc_counters {
    struct smc_cupti cupti;
    int gpu_index;
    const char **metrics;
    size_t metric_count;
    size_t most_launches;
    size_t passes;
    bool initialized;
    CUcontext context;
    CUpti_Profiler_Host_Object *host;
    CUpti_RangeProfiler_Object *profiler; /* between begin and end only */
    struct gpu_counters_image available;  /* counters that are available on this GPU to this user */
    struct gpu_counters_image config;     /* the schedule of the counters */
    struct gpu_counters_image data;       /* the measured values */
};

static enum smc_status gpu_counters_allocate(struct gpu_counters_image *image, size_t size,
                                             struct smc_error *error)
{
    free(image->bytes);
    image->size = size;
    image->bytes = smc_calloc(size ? size : 1, 1);
    return image->bytes ? SMC_OK : smc_out_of_memory(error);
}

static enum smc_status take_context(struct smc_counters *counters, struct smc_error *error)
{
    SMC_TRY(smc_gpu_use(counters->gpu_index, error));
    cudaError_t code = cudaFree(NULL);
    if (code != cudaSuccess)
        return smc_gpu_fail(error, code, "making the GPU's context");
    return smc_cupti_context(&counters->context, error);
}

static enum smc_status find_available(struct smc_counters *counters, struct smc_error *error)
{
    CUpti_Profiler_GetCounterAvailability_Params params =
        PARAMS(Profiler_GetCounterAvailability, .ctx = counters->context);
    SMC_TRY(ASK(counters, ProfilerGetCounterAvailability, &params));
    SMC_TRY(
        gpu_counters_allocate(&counters->available, params.counterAvailabilityImageSize, error));
    params.pCounterAvailabilityImage = counters->available.bytes;
    return ASK(counters, ProfilerGetCounterAvailability, &params);
}

static enum smc_status open_host(struct smc_counters *counters, struct smc_error *error)
{
    CUpti_Device_GetChipName_Params chip =
        PARAMS(Device_GetChipName, .deviceIndex = (size_t)counters->gpu_index);
    SMC_TRY(ASK(counters, DeviceGetChipName, &chip));
    CUpti_Profiler_Host_Initialize_Params params =
        PARAMS(Profiler_Host_Initialize, .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
               .pChipName = chip.pChipName, .pCounterAvailabilityImage = counters->available.bytes);
    SMC_TRY(ASK(counters, ProfilerHostInitialize, &params));
    counters->host = params.pHostObject;
    return SMC_OK;
}

static enum smc_status add_some(struct smc_counters *counters, size_t first, size_t count,
                                struct smc_error *error)
{
    return CALL(counters, ProfilerHostConfigAddMetrics, Profiler_Host_ConfigAddMetrics,
                .pHostObject = counters->host, .ppMetricNames = counters->metrics + first,
                .numMetrics = count);
}

/* Adds all metrics at once, so that they share passes; CUPTI does not report which one is
   unknown. */
static enum smc_status add_metrics(struct smc_counters *counters, struct smc_error *error)
{
    if (add_some(counters, 0, counters->metric_count, error) == SMC_OK)
        return SMC_OK;
    for (size_t i = 0; i < counters->metric_count; i++)
        if (add_some(counters, i, 1, error) != SMC_OK)
            return smc_fail_in(error, SMC_UNAVAILABLE, "metric %s", counters->metrics[i]);
    return SMC_UNAVAILABLE;
}

static enum smc_status schedule(struct smc_counters *counters, struct smc_error *error)
{
    CUpti_Profiler_Host_GetConfigImageSize_Params size =
        PARAMS(Profiler_Host_GetConfigImageSize, .pHostObject = counters->host);
    SMC_TRY(add_metrics(counters, error));
    SMC_TRY(ASK(counters, ProfilerHostGetConfigImageSize, &size));
    SMC_TRY(gpu_counters_allocate(&counters->config, size.configImageSize, error));
    SMC_TRY(CALL(counters, ProfilerHostGetConfigImage, Profiler_Host_GetConfigImage,
                 .pHostObject = counters->host, .configImageSize = counters->config.size,
                 .pConfigImage = counters->config.bytes));
    CUpti_Profiler_Host_GetNumOfPasses_Params passes =
        PARAMS(Profiler_Host_GetNumOfPasses, .configImageSize = counters->config.size,
               .pConfigImage = counters->config.bytes);
    SMC_TRY(ASK(counters, ProfilerHostGetNumOfPasses, &passes));
    counters->passes = passes.numOfPasses;
    return SMC_OK;
}

static enum smc_status gpu_counters_prepare(struct smc_counters *counters, struct smc_error *error)
{
    SMC_TRY(smc_cupti_open(&counters->cupti, error));
    SMC_TRY(take_context(counters, error));
    SMC_TRY(CALL(counters, ProfilerInitialize, Profiler_Initialize, .pPriv = NULL));
    counters->initialized = true;
    SMC_TRY(find_available(counters, error));
    SMC_TRY(open_host(counters, error));
    return schedule(counters, error);
}

enum smc_status smc_counters_find(struct smc_error *error)
{
    struct smc_cupti cupti;
    return smc_cupti_open(&cupti, error);
}

enum smc_status smc_counters_open(int gpu_index, const char *const *metrics, size_t metric_count,
                                  size_t most_launches, struct smc_counters **counters,
                                  struct smc_error *error)
{
    struct smc_counters *made = smc_calloc(1, sizeof *made);
    *counters = NULL;
    if (made)
        made->metrics = smc_calloc(metric_count ? metric_count : 1, sizeof *made->metrics);
    if (!made || !made->metrics) {
        free(made);
        return smc_out_of_memory(error);
    }
    memcpy(made->metrics, metrics, metric_count * sizeof *metrics);
    made->metric_count = metric_count;
    made->most_launches = most_launches;
    made->gpu_index = gpu_index;
    enum smc_status status = gpu_counters_prepare(made, error);
    if (status == SMC_OK)
        *counters = made;
    else
        smc_counters_close(made);
    return status;
}

size_t smc_counters_passes(const struct smc_counters *counters)
{
    return counters->passes;
}

static enum smc_status clear_data(struct smc_counters *counters, struct smc_error *error)
{
    CUpti_RangeProfiler_GetCounterDataSize_Params size =
        PARAMS(RangeProfiler_GetCounterDataSize, .pRangeProfilerObject = counters->profiler,
               .pMetricNames = counters->metrics, .numMetrics = counters->metric_count,
               .maxNumOfRanges = counters->most_launches,
               .maxNumRangeTreeNodes = (uint32_t)counters->most_launches);
    SMC_TRY(ASK(counters, RangeProfilerGetCounterDataSize, &size));
    SMC_TRY(gpu_counters_allocate(&counters->data, size.counterDataSize, error));
    return CALL(counters, RangeProfilerCounterDataImageInitialize,
                RangeProfiler_CounterDataImage_Initialize,
                .pRangeProfilerObject = counters->profiler, .counterDataSize = counters->data.size,
                .pCounterData = counters->data.bytes);
}

static enum smc_status gpu_counters_configure(struct smc_counters *counters,
                                              struct smc_error *error)
{
    return CALL(counters, RangeProfilerSetConfig, RangeProfiler_SetConfig,
                .pRangeProfilerObject = counters->profiler, .configSize = counters->config.size,
                .pConfig = counters->config.bytes, .counterDataImageSize = counters->data.size,
                .pCounterDataImage = counters->data.bytes, .range = CUPTI_AutoRange,
                .replayMode = CUPTI_KernelReplay, .maxRangesPerPass = counters->most_launches,
                .numNestingLevels = 1, .minNestingLevel = 1, .targetNestingLevel = 1);
}

static enum smc_status disable(struct smc_counters *counters, struct smc_error *error)
{
    CUpti_RangeProfiler_Object *profiler = counters->profiler;
    counters->profiler = NULL;
    if (!profiler)
        return SMC_OK;
    return CALL(counters, RangeProfilerDisable, RangeProfiler_Disable,
                .pRangeProfilerObject = profiler);
}

enum smc_status smc_counters_begin(struct smc_counters *counters, struct smc_error *error)
{
    CUpti_RangeProfiler_Enable_Params enable =
        PARAMS(RangeProfiler_Enable, .ctx = counters->context);
    SMC_TRY(ASK(counters, RangeProfilerEnable, &enable));
    counters->profiler = enable.pRangeProfilerObject;
    enum smc_status status = clear_data(counters, error);
    if (status == SMC_OK)
        status = gpu_counters_configure(counters, error);
    if (status == SMC_OK)
        status = CALL(counters, RangeProfilerStart, RangeProfiler_Start,
                      .pRangeProfilerObject = counters->profiler);
    if (status != SMC_OK)
        disable(counters, NULL);
    return status;
}

static enum smc_status gpu_counters_decode(struct smc_counters *counters, struct smc_error *error)
{
    CUpti_RangeProfiler_DecodeData_Params params =
        PARAMS(RangeProfiler_DecodeData, .pRangeProfilerObject = counters->profiler);
    SMC_TRY(ASK(counters, RangeProfilerDecodeData, &params));
    if (params.numOfRangeDropped > 0)
        return smc_fail(error, SMC_MACHINE, "counters: %zu launches above %zu were not measured",
                        params.numOfRangeDropped, counters->most_launches);
    return SMC_OK;
}

static enum smc_status read_launch_count(struct smc_counters *counters, size_t *launches,
                                         struct smc_error *error)
{
    CUpti_RangeProfiler_GetCounterDataInfo_Params params =
        PARAMS(RangeProfiler_GetCounterDataInfo, .pCounterDataImage = counters->data.bytes,
               .counterDataImageSize = counters->data.size);
    SMC_TRY(ASK(counters, RangeProfilerGetCounterDataInfo, &params));
    *launches = params.numTotalRanges;
    return SMC_OK;
}

enum smc_status smc_counters_end(struct smc_counters *counters, size_t *launches,
                                 struct smc_error *error)
{
    cudaError_t code = cudaDeviceSynchronize();
    *launches = 0;
    enum smc_status status = CALL(counters, RangeProfilerStop, RangeProfiler_Stop,
                                  .pRangeProfilerObject = counters->profiler);
    if (code != cudaSuccess)
        status = smc_gpu_fail(error, code, "the launches measured");
    if (status == SMC_OK)
        status = gpu_counters_decode(counters, error);
    if (status == SMC_OK)
        status = read_launch_count(counters, launches, error);
    enum smc_status disabled = disable(counters, status == SMC_OK ? error : NULL);
    return status == SMC_OK ? disabled : status;
}

enum smc_status smc_counters_read(const struct smc_counters *counters, size_t launch,
                                  double *values, struct smc_error *error)
{
    return CALL(counters, ProfilerHostEvaluateToGpuValues, Profiler_Host_EvaluateToGpuValues,
                .pHostObject = counters->host, .pCounterDataImage = counters->data.bytes,
                .counterDataImageSize = counters->data.size, .rangeIndex = launch,
                .ppMetricNames = counters->metrics, .numMetrics = counters->metric_count,
                .pMetricValues = values);
}

void smc_counters_close(struct smc_counters *counters)
{
    struct smc_error *error = NULL; /* a failure cannot be handled here */
    if (!counters)
        return;
    disable(counters, error);
    if (counters->host)
        CALL(counters, ProfilerHostDeinitialize, Profiler_Host_Deinitialize,
             .pHostObject = counters->host);
    if (counters->initialized)
        CALL(counters, ProfilerDeInitialize, Profiler_DeInitialize, .pPriv = NULL);
    free(counters->available.bytes);
    free(counters->config.bytes);
    free(counters->data.bytes);
    free(counters->metrics);
    free(counters);
}
