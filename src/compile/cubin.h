/* Machine code as ptxas, NVRTC and nvlink give it: an ELF file, read with libelf. Nothing in it is
   trusted: what the file states twice must agree, else it is damaged and nothing of it is used. */
#ifndef SMC_COMPILE_CUBIN_H
#define SMC_COMPILE_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct smc_cubin_kernel {
    const char *name;
    uint32_t regs_per_thread;
    uint32_t smem_bytes; /* from CC 9.0 on with the driver's reserve, where any is declared */
    uint32_t stack_bytes;
    uint32_t barriers;
    uint32_t max_threads_per_block; /* __launch_bounds__ or a required size; 0: none */
    uint32_t blocks_per_cluster;    /* __cluster_dims__; 0: none */
    const void *code;               /* its instructions, within the file */
    size_t code_bytes;
};

struct smc_cubin {
    uint16_t cc; /* what it was compiled for */
    char suffix; /* 'a' of sm_90a, 'f' of sm_100f, or 0 */
    struct smc_cubin_kernel *kernel;
    size_t kernel_count;
    struct Elf *elf; /* libelf's; keeps the names */
};

/* Whether this is machine code of a GPU, or the beginning of it. */
bool smc_cubin_is(const void *file, size_t bytes);

/* Reads all kernels; functions that kernels call are passed over. `file` is to outlive `cubin`.
   SMC_USAGE: what is damaged ("section .text.k extends beyond the end of the file"); SMC_MACHINE:
   memory. Then there is nothing to close. */
enum smc_status smc_cubin_open(const void *file, size_t bytes, struct smc_cubin *cubin,
                               struct smc_error *error);
void smc_cubin_close(struct smc_cubin *cubin);

/* The named barriers that the kernel `entry` uses, for the logs that do not say. SMC_USAGE where
   there is no such kernel. */
enum smc_status smc_cubin_read_barriers(const void *file, size_t bytes, const char *entry,
                                        uint32_t *barriers, struct smc_error *error);

#endif
