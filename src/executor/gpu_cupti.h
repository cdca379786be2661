/* The CUPTI library: where it is found, the functions that are taken from it, its errors. */
#ifndef SMC_EXECUTOR_GPU_CUPTI_H
#define SMC_EXECUTOR_GPU_CUPTI_H

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include "base/status.h"

/* Without their prefix "cupti". */
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

/* By name, then where toolkits and Python wheels put it; $SMEMCALC_CUPTI goes before all. The
   library stays loaded. SMC_UNAVAILABLE where there is none of CUDA 12.6 or later. */
enum smc_status smc_cupti_open(struct smc_cupti *cupti, struct smc_error *error);

/* SMC_OK for success; else SMC_UNAVAILABLE where CUPTI does not serve this GPU, user or metric, and
   SMC_MACHINE for the rest. The message names the call. */
enum smc_status smc_cupti_check(const struct smc_cupti *cupti, CUptiResult result, const char *call,
                                struct smc_error *error);

/* Calls by name with a parameter struct. */
#define SMC_CUPTI_CALL(cupti, name, params, error)                                                 \
    smc_cupti_check(cupti, (cupti)->name(params), "cupti" #name, error)

/* The context that is current: CUPTI asks for it, and the CUDA runtime does not show it. */
enum smc_status smc_cupti_context(CUcontext *context, struct smc_error *error);

#endif
