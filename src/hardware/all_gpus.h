/* Runs one query on all GPUs of the machine at once, as `smemcalc run --gpu all` does. */
#ifndef SMC_HARDWARE_ALL_GPUS_H
#define SMC_HARDWARE_ALL_GPUS_H

#include "base/text.h"
#include "hardware/confirmed_launch.h"

/* The results of one GPU; its failure does not affect the others. */
struct smc_gpu_part {
    int gpu_index;
    struct smc_device device; /* its name is "" if it could not be read */
    enum smc_status status;
    struct smc_error error;   /* of a GPU that failed */
    struct smc_text warnings; /* a line each */
    size_t count;             /* how many runs have a result */
    struct smc_confirmed_run runs[SMC_MOST_RUNS];
};

struct smc_all_gpus {
    struct smc_gpu_part *part; /* one per GPU, in the order of their indices */
    size_t count;
    char host_name[SMC_HOST_NAME_CHARS];
};

/* Like smc_confirm_launch, but with each GPU's device instead of the query's, on all GPUs at the
   same time. `tell` adds other facts about the device to one query at a time. Returns the worst
   status of all GPUs; SMC_UNAVAILABLE without a GPU. Free `out` in any case. */
enum smc_status smc_confirm_all_gpus(const struct smc_query *query,
                                     const struct smc_run_settings *settings,
                                     void (*tell)(struct smc_query *query),
                                     struct smc_all_gpus *out, struct smc_error *error);

void smc_all_gpus_free(struct smc_all_gpus *gpus);

/* Whether a GPU failed, so that it has no verdict. */
bool smc_gpu_part_failed(const struct smc_gpu_part *part);

/* "GPU-..."; "" if it could not be read. */
const char *smc_gpu_part_uuid(const struct smc_gpu_part *part);

#endif
