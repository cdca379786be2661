/* What accesses to global memory returned to the warps of a grid whose blocks walk at the same
   time, so that some of its blocks can walk again without the others. */
#ifndef SMC_MACHINE_RETURNED_H
#define SMC_MACHINE_RETURNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/sass/sass_warp.h"

/* Of one warp, in the order in which it walked. */
struct smc_returned_warp {
    unsigned char *byte;
    size_t count, room;
    size_t next; /* byte that is returned again */
};

/* Start from {0}, with `warp`; owns that. */
struct smc_returned {
    struct smc_returned_warp *warp; /* by block, then by warp of the block */
    size_t warps;
    size_t bytes; /* of all */
    bool full;    /* not all could be kept */
};

/* False: out of memory. */
bool smc_returned_start(struct smc_returned *returned, size_t warps);
void smc_returned_free(struct smc_returned *returned);

/* A block's part of what was returned. Start from {0}. */
struct smc_returned_block {
    struct smc_returned *all; /* NULL: nothing is kept */
    size_t first;             /* number of its first warp */
    bool again;               /* what was kept is returned, instead of being kept */
};

/* Warps of a block begin to receive what they received before. */
void smc_returned_again(struct smc_returned_block *block, struct smc_returned *returned,
                        size_t first, size_t warps);

/* Keeps bytes for a warp of the block, or sets them to those that were kept. */
void smc_returned_bytes(const struct smc_returned_block *block, uint32_t warp, void *bytes,
                        size_t count);

/* The same of the registers and the predicate that an instruction has written. */
void smc_returned_results(const struct smc_returned_block *block, uint32_t number,
                          struct smc_sass_warp *warp, const struct smc_sass_instruction *in);

#endif
