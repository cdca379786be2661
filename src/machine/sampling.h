/* The quick way to count a launch whose warps are too many, or too different, to look at all of
   them: warps spread evenly over the grid begin to walk; those that begin alike are a class; a few
   of each class walk to their end and stand for its share of the warps. */
#ifndef SMC_MACHINE_SAMPLING_H
#define SMC_MACHINE_SAMPLING_H

#include "machine/launch.h"

/* Fills `executions` and the figures of memory accesses; `counts->executions` has room for the
   program's steps, walk->change for one more. Ends after about `most_steps` evaluated instructions,
   and not before one warp has walked. `walked`: the number of warps. False: memory. */
bool smc_sampling_count(const struct smc_machine_launch *launch, struct smc_walk *walk,
                        struct smc_warp *warp, uint64_t most_steps,
                        struct smc_machine_counts *counts, uint32_t *walked);

/* Where a warp is; `index` is of its block. */
void smc_launch_place(const struct smc_machine_launch *launch, const uint32_t index[3],
                      uint32_t warp, struct smc_machine_place *place);

/* How many instructions one warp evaluated, if walk->change is of it alone. */
uint64_t smc_launch_steps(const struct smc_walk *walk);

/* Adds `scale` times what memory accesses were counted. */
void smc_launch_add_memory(const struct smc_memory_counts *memory, double scale,
                           struct smc_machine_counts *counts);

#endif
