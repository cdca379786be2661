/* Checks the health of one GPU of this machine or of all, each in a process of its own: a GPU that
   hangs, or that ends its process, does not keep the others from being reported. */
#ifndef SMC_HARDWARE_HOST_HEALTH_H
#define SMC_HARDWARE_HOST_HEALTH_H

#include "hardware/executor.h"
#include "hardware/fleet/health.h"

struct smc_host_check {
    int gpu_index;       /* or SMC_ALL_GPUS */
    uint32_t timeout_ms; /* for all GPUs together */
    struct smc_compile_options compile;
};

struct smc_host_health {
    char host_name[SMC_HOST_NAME_CHARS];
    char node[SMC_HOST_NAME_CHARS]; /* SLURMD_NODENAME; "" if it is not set */
    int32_t rank;                   /* of PMIx, Open MPI or Slurm; below 0: none */
    char time[32];                  /* at the beginning: "2026-11-26T19:00:00Z" */
    enum smc_health_verdict verdict;
    char error[400]; /* why no GPU could be checked, or "" */
    double elapsed_s;
    size_t count;
    struct smc_health *gpu; /* by index */
};

/* Fills `out` in any case; free it. SMC_OK: all are healthy. SMC_SHORTFALL: a GPU differs.
   SMC_UNAVAILABLE: no such GPU. SMC_MACHINE: none differs, but one could not be checked. `error`
   has a message only if `out` has no GPUs. */
enum smc_status smc_host_health_check(const struct smc_host_check *check,
                                      struct smc_host_health *out, struct smc_error *error);
void smc_host_health_free(struct smc_host_health *health);

#endif
