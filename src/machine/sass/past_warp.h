/* A warp that comes to a place with all that it had there before, and has stored nothing since,
   goes on like this for ever: as where it waits for what another block stores. */
#ifndef SMC_MACHINE_PAST_WARP_H
#define SMC_MACHINE_PAST_WARP_H

#include "machine/sass/sass_warp.h"

struct smc_past_warp {
    bool is_kept; /* set it to false where the warp changes memory */
    uint32_t
        read; /* set it to 1 + the step of each load or atomic; 0: none since the state was kept */
    uint32_t at;       /* the step */
    uint64_t places;   /* as below */
    uint64_t next;     /* after how many steps the next one is kept */
    unsigned differed; /* the register that differed last */
    struct smc_sass_warp warp;
};

static inline void smc_past_warp_start(struct smc_past_warp *past)
{
    enum { LEAST_STEPS = 1 << 16 }; /* before a warp is looked at */
    past->is_kept = false;
    past->read = 0;
    past->next = LEAST_STEPS;
}

/* Whether it is time, for a warp that has executed so many steps and branches back at step `at`, to
   ask whether it repeats itself: it holds what it held there, or is to be kept. */
bool smc_past_warp_is_due(struct smc_past_warp *past, const struct smc_sass_warp *warp, uint32_t at,
                          uint64_t steps);

/* Whether it does. `places`: a hash of where its lanes are. */
bool smc_past_warp_repeats(struct smc_past_warp *past, const struct smc_sass_warp *warp,
                           uint32_t at, uint64_t steps, uint64_t places);

#endif
