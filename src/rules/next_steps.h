/* The nearest change of one resource that gains a block, and the nearest that loses one. */
#ifndef SMC_RULES_NEXT_STEPS_H
#define SMC_RULES_NEXT_STEPS_H

#include <stdint.h>

#include "occupancy.h"

enum smc_step_resource {
    SMC_STEP_THREADS,       /* threads per block */
    SMC_STEP_REGISTERS,     /* registers per thread */
    SMC_STEP_SHARED_MEMORY, /* bytes per block, dynamic if the block may opt in */
    SMC_STEP_BARRIERS,      /* named barriers per block */
    SMC_STEP_COUNT
};

/* Space for the resources of later versions. */
enum { SMC_MOST_STEPS = 16 };

struct smc_next_step {
    enum smc_step_resource resource;
    int64_t change;         /* never 0; everything else stays the same */
    uint32_t blocks_per_sm; /* after the change; 0: the block can no longer be launched */
};

struct smc_next_steps {
    uint32_t count;
    struct smc_next_step step[SMC_MOST_STEPS]; /* by resource; a gain before a loss */
};

/* A step is absent if no value of the resource achieves it. A change that gains blocks may still
   lower occupancy (fewer threads per block): compute the launch to see. Found by computing
   launches (tens of microseconds), so the rules, and the errors, are those of
   smc_occupancy_compute. */
enum smc_status smc_next_steps_find(const struct smc_sm *sm, const struct smc_launch *launch,
                                    struct smc_next_steps *out);

/* "threads", "registers", "shared_memory", "barriers": constants. */
const char *smc_step_resource_name(enum smc_step_resource resource);

/* Sets the threads of a block, and adapts the shared memory that depends on them. */
void smc_launch_set_threads(struct smc_launch *launch, uint32_t threads_per_block);

#endif
