/* One question on all GPUs of the machine at once: what `smemcalc run --gpu all` does. */
#ifndef SMC_CONFIRM_ALL_GPUS_H
#define SMC_CONFIRM_ALL_GPUS_H

#include "base/text.h"
#include "confirm/launch.h"

/* One GPU's part; what goes wrong there stays there. */
struct smc_gpu_part {
    int gpu_index;
    struct smc_device device; /* its name is "" where it could not be read */
    enum smc_status status;
    struct smc_error error;   /* of a GPU that failed */
    struct smc_text warnings; /* a line each */
    size_t count;             /* of the runs that have a result */
    struct smc_confirmed_run runs[SMC_MOST_RUNS];
};

struct smc_all_gpus {
    struct smc_gpu_part *part; /* one a GPU, in the order of their indices */
    size_t count;
    char host_name[SMC_HOST_NAME_CHARS];
};

/* As smc_confirm_launch, with the device of each GPU instead of the query's, all GPUs at the same
   time. `tell` adds what else is known of the device, one query at a time. The status is the worst
   of them; SMC_UNAVAILABLE without a GPU. Free in any case. */
enum smc_status smc_confirm_all_gpus(const struct smc_query *query,
                                     const struct smc_run_settings *settings,
                                     void (*tell)(struct smc_query *query),
                                     struct smc_all_gpus *out, struct smc_error *error);

void smc_all_gpus_free(struct smc_all_gpus *gpus);

/* Whether a GPU failed: it did not come to a verdict. */
bool smc_gpu_part_failed(const struct smc_gpu_part *part);

/* "GPU-...", "" where it could not be read. */
const char *smc_gpu_part_uuid(const struct smc_gpu_part *part);

#endif
