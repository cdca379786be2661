/* Machine code from ptxas, NVRTC or nvlink: an ELF file, read with libelf. The file is not trusted:
   facts that it states twice must agree, otherwise it counts as damaged and is not used at all. */
#ifndef SMC_COMPILE_CUBIN_H
#define SMC_COMPILE_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "compile/build_note.h"

struct smc_cubin_parameter {
    uint32_t offset; /* in bytes, from the first one on */
    uint32_t bytes;
};

struct smc_cubin_kernel {
    const char *name;
    uint32_t regs_per_thread;
    uint32_t smem_bytes; /* from CC 9.0 on with the driver's reserve, if any is declared */
    uint32_t fewest_set_regs, most_set_regs; /* that its setmaxnreg instructions set; 0: none */
    uint32_t stack_bytes; /* of linked code with the functions that the kernel calls */
    uint32_t barriers;
    uint32_t max_threads_per_block;      /* __launch_bounds__ or a required size; 0: none */
    uint32_t required_threads_per_block; /* the only block size that launches; 0: any */
    uint32_t blocks_per_cluster;         /* __cluster_dims__; 0: none */
    const void *code;                    /* its instructions, within the file */
    size_t code_bytes;
    uint32_t block[3];        /* the shape of that size; {0}: none, or only a number */
    bool calls_unlinked;      /* it calls functions whose registers and stack nvlink will add */
    uint32_t parameters_at;   /* where they begin in constant bank 0; 0: there are none */
    uint32_t parameter_bytes; /* of all, with the gaps between them */
    struct smc_cubin_parameter *parameter; /* in their order; owned by the cubin */
    uint32_t parameter_count;              /* 0: none, or the file does not list them */
};

struct smc_cubin {
    uint16_t cc; /* what it was compiled for */
    char suffix; /* 'a' of sm_90a, 'f' of sm_100f, or 0 */
    struct smc_cubin_kernel *kernel;
    size_t kernel_count;
    struct smc_build_note build;
    bool is_linked;     /* false: from nvcc -dc; nvlink may add registers, stack, shared memory */
    bool has_functions; /* kernels, or functions that kernels call */
    struct Elf *elf;    /* libelf's; keeps the names */
};

/* Whether these bytes are GPU machine code, or the beginning of it. */
bool smc_cubin_is(const void *file, size_t bytes);

/* Reads all kernels; functions that kernels call are skipped. `file` must outlive `cubin`.
   SMC_USAGE: the file is damaged; the message says where ("section .text.k extends beyond the end
   of the file"). SMC_MACHINE: out of memory. After a failure there is nothing to close. */
enum smc_status smc_cubin_open(const void *file, size_t bytes, struct smc_cubin *cubin,
                               struct smc_error *error);
void smc_cubin_close(struct smc_cubin *cubin);

/* The named barriers that the kernel `entry` uses, for logs that do not report them. SMC_USAGE if
   there is no such kernel. */
enum smc_status smc_cubin_read_barriers(const void *file, size_t bytes, const char *entry,
                                        uint32_t *barriers, struct smc_error *error);

#endif
