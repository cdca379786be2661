/* Walking the blocks of a grid at the same time: as many as reside take turns, each warp up to its
   next access to global memory, and see at once what the others stored. For launches in which
   blocks race: the order is one that may occur, as all accesses take equally long. */
#ifndef SMC_MACHINE_WALK_GRID_H
#define SMC_MACHINE_WALK_GRID_H

#include "machine/sass/sass_launch.h"

struct smc_grid_walk {
    const struct smc_machine_launch *launch;
    struct smc_walk *walk;         /* with memory and its `others` */
    uint64_t blocks;               /* so many, from the first one on */
    uint32_t warps;                /* of a block */
    uint64_t most_steps;           /* of all warps */
    struct smc_returned *returned; /* receives what global memory returns to the warps */
    /* Called when a block has ended. */
    void (*ended)(void *context, uint64_t block, const struct smc_walk_block *walked);
    void *context;
};

/* SMC_USAGE: it takes more than most_steps, what is returned is too much to be kept, or a warp does
   not end (`end` of the walk).
   SMC_MACHINE: memory. */
enum smc_status smc_walk_grid(const struct smc_grid_walk *grid, struct smc_error *error);

#endif
