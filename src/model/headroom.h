/* The inverse question: what each of so many blocks per SM may have at most. */
#ifndef SMC_MODEL_HEADROOM_H
#define SMC_MODEL_HEADROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "model/occupancy.h"

enum { SMC_MAX_HEADROOM_LEVELS = 64 }; /* no SM holds more blocks; of more, the first are told */

/* The most with which at least `blocks_per_sm` blocks reside. A resource that is fixed has the
   launch's own value. */
struct smc_headroom_level {
    uint32_t blocks_per_sm;
    uint32_t warps_per_sm;
    double percent; /* of the SM's warp slots */
    uint32_t regs_per_thread;
    uint32_t dynamic_smem_bytes; /* per block; the static bytes are the launch's */
};

/* Which values of the launch stay as they are. The others are searched, and their values in the
   launch do not count. */
struct smc_fixed {
    bool regs, dynamic_smem;
};

struct smc_headroom {
    struct smc_fixed fixed;
    uint32_t count;
    struct smc_headroom_level level[SMC_MAX_HEADROOM_LEVELS]; /* for 1 block per SM, 2, ... */

    /* The launch with as little of each resource that is not fixed as there is: its limiters say
       what makes a further block impossible, its refusals why there is not even one. */
    struct smc_occupancy most;
};

/* Registers and shared memory limit each on its own, so that both maxima of a row hold together. */
void smc_headroom_find(const struct smc_sm *sm, const struct smc_launch *launch,
                       struct smc_fixed fixed, struct smc_headroom *out);

#endif
