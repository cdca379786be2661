/* Walking: one warp executes a program, lanes diverging and reconverging as the code's barriers
   (BSSY, BSYNC) order, and every step is counted. */
#ifndef SMC_MACHINE_WALK_H
#define SMC_MACHINE_WALK_H

#include "machine/program.h"
#include "machine/trace.h"
#include "machine/warp.h"
#include "model/banks.h"

/* What memory instructions cost, if addresses are followed. */
struct smc_memory_counts {
    uint64_t shared_loads, shared_load_wavefronts;
    uint64_t shared_stores, shared_store_wavefronts; /* copies (LDGSTS) count as neither */
    uint64_t global_loads, global_load_sectors;      /* with at least one active lane */
    uint64_t global_stores, global_store_sectors;
    uint64_t copies, copy_sectors;
    uint64_t unknown_addresses; /* accesses that are missing above */
};

enum smc_walk_end {
    SMC_WALK_WHOLE,
    SMC_WALK_UNKNOWN_BRANCH,    /* what decides a branch is not known; it was not taken */
    SMC_WALK_UNKNOWN_OPERATION, /* that may decide control flow: the walk ended there */
    SMC_WALK_STUCK,             /* lanes wait for each other */
    SMC_WALK_OUTSIDE,           /* a branch leaves the code */
    SMC_WALK_TOO_LONG
};

struct smc_walk {
    const struct smc_machine_program *program;
    const struct smc_bank_layout *layout;
    bool follow_addresses;
    uint64_t most_steps;     /* of one warp that are evaluated */
    uint32_t most_decisions; /* the walk is cut off after so many branches and barriers; 0: not */
    uint64_t signature;      /* of what was decided, by which lanes; of the last warp */
    bool was_cut;            /* the last warp had more decisions */
    uint64_t *change; /* program->count + 1: executions of step n are the sum of change[0..n] */
    struct smc_memory_counts memory;
    struct smc_trace *trace; /* or NULL; needs follow_addresses */
    enum smc_walk_end end;   /* the worst of all warps so far */
    uint32_t end_at;         /* the step */
    uint32_t end_operation;  /* its low 12 bits */
};

/* Adds the executions of one warp. */
void smc_walk_warp(struct smc_walk *walk, const struct smc_machine_place *place,
                   struct smc_warp *warp);

#endif
