/* One SM's resources as they are filled, block by block, to scale. Pure: what the model says, laid
   out. */
#ifndef SMC_TUI_SM_DRAWING_H
#define SMC_TUI_SM_DRAWING_H

#include <stddef.h>
#include <stdint.h>

#include "query/query.h"

enum smc_part_kind {
    SMC_PART_USED,        /* what a block asked for */
    SMC_PART_ROUNDING,    /* what rounding to allocation units adds */
    SMC_PART_RESERVED,    /* the driver's shared memory in each block */
    SMC_PART_FREE,        /* free, while something else stops the next block */
    SMC_PART_UNREACHABLE, /* free, but no further block fits into it */
    SMC_PART_COUNT
};

struct smc_part {
    enum smc_part_kind kind;
    uint32_t block; /* from 0, of the first three kinds */
};

/* How much of one resource of an SM a block takes, and how much there is. */
struct smc_share {
    enum smc_limit limit;
    const char *label;
    uint64_t total;     /* of the SM; never 0 */
    uint64_t allocated; /* of each block, of which */
    uint64_t used, rounding, reserved;
    uint32_t blocks; /* resident */
    uint32_t unit;   /* people count in so many: in warps what is given in threads */
    bool binds;      /* no further block would fit for this resource alone */
};

/* The resources that are drawn, in the order of the limits: warps (in threads), registers, shared
   memory (bytes, under the carve-out), block slots, barriers. */
size_t smc_sm_shares(const struct smc_answer *answer, struct smc_share share[SMC_LIMIT_COUNT]);

/* What one of `cells` cells shows, the resource spread over them: every edge between blocks at the
   nearest cell, and a block's parts in proportion within its cells, what it asked for in one of
   them at least. Where blocks are narrower than a cell, it shows the block at its beginning;
   resident blocks take one cell at least. */
struct smc_part smc_sm_part(const struct smc_share *share, uint32_t cell, uint32_t cells);

#endif
