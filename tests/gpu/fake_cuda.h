/* A CUDA runtime made of host memory, for the executor's tests on machines without a GPU. It
   defines the names of the calls, so that the linker does not use the real runtime. Some kernels
   "run": the stencils that are passed their radius (stencil_naive needs three times as long as
   others), twice(int *, int) and paint(a texture, a surface, int), on the CPU; residency, which
   reports the number of blocks that is set; and ceiling_..., which report the same times each.
   fake_counters.c does the same with the hardware counters. */
#ifndef SMC_TESTS_GPU_FAKE_CUDA_H
#define SMC_TESTS_GPU_FAKE_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include "fake_health.h"
#include "hardware/executor.h"

enum { FAKE_CUDA_EVERY = -1 };

/* What the fake does next, and what it has recorded. One for the program, because CUDA's calls have
   no context that could hold it. Several threads may call, each with its current device and last
   error. */
struct fake_cuda {
    bool start_hangs, start_crashes; /* the driver's start, at the first call */
    cudaError_t device_count_error;
    int device_count, driver_version, runtime_version;
    const char *name;
    int compute_mode;
    cudaError_t use_error; /* when the context is made */
    int major, minor;
    int threads_per_sm, blocks_per_sm;
    int oversized_smem_bytes; /* of a block, from CUDA 13.5 on; 0: the device has no such mode */
    int regs_per_thread;      /* of every kernel; 0: as compiled */
    int static_smem_bytes;    /* of every kernel, as the attributes report it */
    int api_blocks_per_sm;
    bool available_smem_is_wrong; /* the API's value is off by one unit */
    struct smc_sm_groups sm_groups;
    bool clusters_are_odd; /* as many as no groups of SMs hold */
    uint32_t resident_blocks;
    size_t free_bytes;
    int l2_bytes;
    int at; /* the device where the following happens, or FAKE_CUDA_EVERY */
    cudaError_t load_error, launch_error, crash; /* a crash shows at the next wait */
    bool wrong_result;
    bool computes;                /* the kernels of `check`, which otherwise do nothing */
    struct fake_fault fault;      /* of these */
    float product_ms;             /* of matmul_tiled; 0: as any other kernel */
    bool is_quick;                /* launches take 20 us, empty ones 4 */
    unsigned wrong_block;         /* threads of the blocks whose results are wrong; 0: none */
    bool block_matters;           /* to the time of a launch: 256 threads are the fastest */
    unsigned interrupted_at;      /* the launch at which the user presses Ctrl-C; 0: never */
    bool hangs;                   /* the launch call never returns */
    unsigned endless_from;        /* the first launch with an endless kernel; 0: all kernels end */
    int reserved_smem_bytes;      /* as the attribute reports it */
    const char *counters_refused; /* why there are none; NULL: there are some */
    bool counters_fail;           /* though they could be opened */
    double counted[SMC_METRIC_COUNT]; /* their values */
    bool unreadable;                  /* cudaGetDeviceProperties fails */
    bool waits_for_all;               /* a launch waits until every device has had one */
    bool queue_is_full;               /* the host waits until its functions in the queue return */

    /* Existing at this moment. */
    _Atomic unsigned allocations, libraries, events, counters_open;
    bool is_cold;    /* a cache was flushed since the last launch */
    int first_input; /* of the first launch of a user's kernel; 0: none yet */
    _Atomic unsigned cluster_x, cluster_blocks; /* of the last launch, of the current one; or 0 */
    _Atomic unsigned launches, probe_launches, last_dynamic_smem_bytes;
    _Atomic size_t counted_launches;
    _Atomic int carveout_percent;
    _Atomic int smem_mode;        /* the last value set; -1: never set */
    _Atomic unsigned launched_on; /* a bit for each device */
    _Atomic float launch_ms;      /* of the last kernel */
};

extern struct fake_cuda fake_cuda;
extern _Thread_local cudaError_t fake_cuda_last_error;
/* What all launches took until now: 1 ms for each look at one that does not end. Never reset. */
extern _Atomic uint64_t fake_cuda_busy_us;

/* An H200 without any failure. */
void fake_cuda_reset(void);

/* Of the object that a kernel's handle points to. */
size_t fake_cuda_kernel_bytes(void);

#endif
