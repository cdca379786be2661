/* After how much else the blocks of an SM access a place again. */
#ifndef SMC_MACHINE_REUSE_H
#define SMC_MACHINE_REUSE_H

#include "machine/sass/warp_trace.h"

/* Pieces of 64 bytes that L2 gives or takes, by how many others passed since this SM accessed them
   last: 0: never (or, of a store, never stored to), 1: few, then four classes for each power of
   two. */
enum { SMC_REUSE_CLASSES = 50 };
struct smc_reuse_counts {
    double of_class[SMC_REUSE_CLASSES];
    double different,
        of_blocks; /* different pieces of all blocks together, and of each, added up */
};

double smc_reuse_sum(const struct smc_reuse_counts *counts);

/* How many other pieces passed, of a class above 0. */
double smc_reuse_distance(unsigned reuse_class);

struct smc_reuse_piece {
    uint64_t number;               /* from 1; 0: free */
    uint32_t at;                   /* the access, from 1 */
    uint32_t loaded_by, stored_by; /* by which blocks: a bit for each one of so many */
};

/* Pages of 4 KiB that blocks accessed lately: 2^SMC_REUSE_PAGE_BITS places. */
enum { SMC_REUSE_PAGE_PIECES = 64, SMC_REUSE_PAGE_BITS = 12 };

/* Owns the arrays that it points to. */
struct smc_reuse {
    struct smc_reuse_piece *piece;
    unsigned bits; /* 2^bits places */
    uint32_t used;
    uint32_t *latest; /* accesses that are the last ones to their piece: sums in a binary indexed
                         tree */
    double *passed;   /* by access: how many pieces that traces leave out have passed */
    uint32_t accesses, room;
    double passed_now;
    uint32_t block;                          /* whose accesses follow */
    uint64_t page[1 << SMC_REUSE_PAGE_BITS]; /* with the block, from 1; 0: none */
};

/* False: memory. */
bool smc_reuse_open(struct smc_reuse *reuse);
void smc_reuse_close(struct smc_reuse *reuse);

/* A piece is loaded or stored, by its number. `weight`: of how many such accesses this is one, the
   others being left out. `counts`: those of the array's loads or stores. Returns how many pieces
   are left out that pass L2. */
double smc_reuse_access(struct smc_reuse *reuse, uint64_t piece, bool stores, double weight,
                        struct smc_reuse_counts *counts);

/* Whether the block did not access the page of a piece lately. */
bool smc_reuse_page(struct smc_reuse *reuse, uint64_t piece);

/* Pieces that traces leave out pass. */
static inline void smc_reuse_pass(struct smc_reuse *reuse, double pieces)
{
    reuse->passed_now += pieces;
}

/* For how many executions each entry of a trace stands: what is left out of a loop is taken to be
   like the last quarter of what is kept of it. `weight`: as many as there are entries. */
void smc_reuse_weigh(const struct smc_warp_trace *trace, float *weight);

/* Where what is left out of a loop goes on like the last quarter of what is kept, not like all of
   it: rounds through barriers, the first of which fill a pipeline, and iterations that clearly
   fewer lanes execute than those before. Bit n of an entry's `late`: with it begins that quarter of
   the loop of depth n. As many as there are entries. */
void smc_reuse_find_late(const struct smc_warp_trace *trace, uint16_t *late);

#endif
