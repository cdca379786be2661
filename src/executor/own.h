/* The launch of a person's own kernel: compiled already, with its memory filled. What a GPU and the
   emulator see of it. */
#ifndef SMC_EXECUTOR_OWN_H
#define SMC_EXECUTOR_OWN_H

#include "executor/executor.h"

enum { SMC_MAX_OWN_ARGUMENTS = 64 };

/* Global memory, and what it holds afterwards: each back end leaves `before` as it is. */
struct smc_own_buffer {
    const char *name; /* for people: "arg 2" */
    uint64_t bytes;
    const void *before;
    void *after_gpu, *after_emulated; /* room for as many bytes, where that back end runs */
};

struct smc_own_value {
    bool is_buffer;
    size_t buffer; /* its index */
    uint64_t bits; /* of a number: as many of the low bytes as the parameter has */
};

struct smc_own_launch {
    const char *file;                  /* of the source, for messages */
    const char *text;                  /* the source */
    struct smc_annotation *annotation; /* for the emulator to fill; NULL: not wanted */
    const char *entry;                 /* as the compiler writes it */
    const struct smc_binary *binary;
    uint32_t grid[3], block[3];
    struct smc_launch launch; /* registers and shared memory as compiled, the settings asked for */
    const struct smc_device *device;
    int gpu_index;
    uint32_t timeout_ms; /* for the GPU, and for the emulator */
    bool (*stop)(void);  /* whether to end before that, asked by several threads; or NULL */
    const struct smc_own_buffer *buffers;
    size_t buffer_count;
    const struct smc_own_value *values; /* as many as the kernel has parameters */
    size_t value_count;
};

struct smc_own_on_gpu {
    struct smc_attempt load, opt_in, api_occupancy, launch;
    struct smc_attempt finish; /* came to its end in time */
    bool stopped;              /* by the launch's `stop`; `finish` tells more */
    uint32_t api_regs_per_thread, api_static_smem_bytes, api_blocks_per_sm;
    double elapsed_ms; /* of the one launch, the first: not a measurement of speed */
    /* As in smc_run_result. */
    char driver[SMC_GPU_VERSION_CHARS], runtime[SMC_GPU_VERSION_CHARS];
    char gpu_uuid[SMC_GPU_UUID_CHARS];
};

struct smc_own_emulated {
    struct smc_attempt run;
    struct smc_attempt finish; /* came to its end in time; else the counts are those until then */
    bool stopped;
    struct smc_emulated_run counts;
    struct smc_emulated_count total;
    struct smc_emulated_array_count buffer[SMC_MAX_OWN_ARGUMENTS]; /* in the launch's order */
    uint64_t float_adds;                                           /* as in struct smc_emulation */
    double shared_bound;
    struct smc_float_sum *sum[SMC_MAX_OWN_ARGUMENTS]; /* by buffer; smc_own_free frees them */
};

/* The part of a back end that did not run stays zero. */
struct smc_own_result {
    char host_name[SMC_HOST_NAME_CHARS]; /* not for a back end to fill */
    struct smc_own_on_gpu gpu;
    struct smc_own_emulated emulated;
};

#endif
