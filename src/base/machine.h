/* Facts about this machine. */
#ifndef SMC_BASE_MACHINE_H
#define SMC_BASE_MACHINE_H

#include <stdint.h>

/* Sizes of texts, with the terminating byte. */
enum {
    SMC_HOST_NAME_CHARS = 65,
    SMC_GPU_UUID_CHARS = 48,    /* "GPU-..." as nvidia-smi prints it */
    SMC_GPU_VERSION_CHARS = 32, /* of a driver or CUDA: "580.159.03", "13.0" */
};

/* Bytes of memory; UINT64_MAX if unknown. */
uint64_t smc_machine_memory_bytes(void);

/* The host name, truncated to fit and made safe for a terminal; "" if unknown. */
void smc_machine_host_name(char name[SMC_HOST_NAME_CHARS]);

/* The name under which Slurm knows this node (SLURMD_NODENAME), likewise; "" outside Slurm. Several
   nodes may share a host. */
void smc_machine_node_name(char name[SMC_HOST_NAME_CHARS]);

/* The process's rank in its job, from PMIX_RANK, OMPI_COMM_WORLD_RANK or SLURM_PROCID; -1: none. */
int32_t smc_machine_rank(void);

#endif
