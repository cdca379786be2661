/* A CUDA runtime made of host memory, for the executor's tests on machines without a GPU. It takes
   the calls' names, so that the linker leaves the real runtime out. Some kernels "run": the stencils
   that are passed their radius (stencil_naive takes three times as long as others) and twice(int *,
   int), on the CPU, residency, which reports the blocks that it is told to, and ceiling_..., which
   report the same times each. fake_counters.c does the same with the hardware counters. */
#ifndef SMC_TESTS_GPU_FAKE_CUDA_H
#define SMC_TESTS_GPU_FAKE_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include "executor/metrics.h"

/* What the fake does next and what it has seen. One for the program: CUDA's calls carry no context
   that could hold it. */
struct fake_cuda {
    cudaError_t device_count_error;
    int device_count, driver_version;
    const char *name;
    int compute_mode;
    cudaError_t use_error; /* when the context is made */
    int major, minor;
    int regs_per_thread;   /* of every kernel; 0: as it was compiled */
    int static_smem_bytes; /* of every kernel, as the attributes report it */
    int api_blocks_per_sm;
    uint32_t resident_blocks;
    size_t free_bytes;
    cudaError_t load_error, launch_error, crash; /* a crash shows when the launch is waited for */
    bool wrong_result;
    bool hangs;                       /* the call that launches never ends */
    unsigned endless_from;            /* the launch from which on kernels have no end; 0: all end */
    int reserved_smem_bytes;          /* as the attribute tells it */
    const char *counters_refused;     /* why there are none; NULL: there are */
    bool counters_fail;               /* though they could be opened */
    double counted[SMC_METRIC_COUNT]; /* what they say */

    unsigned allocations, libraries, events, counters_open; /* alive at this moment */
    unsigned launches, probe_launches, last_dynamic_smem_bytes;
    size_t counted_launches;
    int carveout_percent;
    float launch_ms; /* of the last kernel */
    cudaError_t last_error;
};

extern struct fake_cuda fake_cuda;

/* An H200 on which all goes well. */
void fake_cuda_reset(void);

#endif
