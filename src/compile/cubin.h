/* Machine code as ptxas and NVRTC give it: an ELF file. Nothing in it is trusted. */
#ifndef SMC_COMPILE_CUBIN_H
#define SMC_COMPILE_CUBIN_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start with smc_cubin_open. */
struct smc_cubin {
    const void *file;
    size_t bytes;
    Elf64_Ehdr elf;
    Elf64_Shdr names, symbols, symbol_names;
    uint16_t cc;   /* what it was compiled for */
    unsigned next; /* section to look at */
};

struct smc_cubin_kernel {
    const char *name; /* in the file, ended by '\0' there */
    uint32_t regs_per_thread;
    uint32_t smem_bytes; /* from CC 9.0 on with the driver's reserve, where any is declared */
    uint32_t stack_bytes;
    uint32_t barriers;
    uint32_t max_threads_per_block; /* __launch_bounds__ or a required size; 0: none */
    uint32_t blocks_per_cluster;    /* __cluster_dims__; 0: none */
};

/* False where the file is not the machine code of a GPU. */
bool smc_cubin_open(const void *file, size_t bytes, struct smc_cubin *cubin);

/* The next kernel; functions that kernels call are passed over. */
bool smc_cubin_next(struct smc_cubin *cubin, struct smc_cubin_kernel *kernel);

/* The named barriers that the kernel `entry` uses. For the logs that do not say. */
bool smc_cubin_read_barriers(const void *file, size_t bytes, const char *entry, uint32_t *barriers);

#endif
