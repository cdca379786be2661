/* Walking: a warp executes a program, in which its lanes diverge, and reconverge at the code's
   barriers (BSSY, BSYNC). Every step is counted, and traced if there is a trace. Where a warp
   depends on the others of its block (`by_block` of the program), they walk together, from one
   barrier of the block to the next. */
#ifndef SMC_MACHINE_WALK_H
#define SMC_MACHINE_WALK_H

#include "machine/sass/sass_program.h"
#include "machine/sass/sass_warp.h"
#include "machine/sass/texture_lines.h"
#include "machine/sass/warp_memory.h"
#include "machine/sass/warp_trace.h"
#include "rules/banks.h"

enum smc_walk_end {
    SMC_WALK_WHOLE,
    SMC_WALK_UNKNOWN_BRANCH,    /* a branch depends on an unknown value; it was not taken */
    SMC_WALK_UNKNOWN_OPERATION, /* the operation is unknown, and what it decides */
    SMC_WALK_STUCK,             /* lanes wait for each other */
    SMC_WALK_OUTSIDE,           /* a branch leaves the code */
    SMC_WALK_TOO_LONG,
    SMC_WALK_WAITS, /* in a loop, for what it read last, at this step, to be stored by others */
    SMC_WALK_CALLS_ELSEWHERE, /* through a pointer, or a function of the system, as malloc */
    SMC_WALK_TOO_DEEP         /* calls within calls */
};

struct smc_walk {
    const struct smc_machine_program *program;
    const struct smc_bank_layout *layout;
    uint64_t most_steps; /* of one warp that are evaluated */
    uint64_t signature;  /* a hash of the last warp's branches, and which lanes took them */
    uint64_t *change;    /* program->count + 1: executions of step n are the sum of change[0..n] */
    struct smc_warp_trace *trace;               /* or NULL: steps are only counted */
    const struct smc_placed_textures *textures; /* or NULL: there are none */
    struct smc_warp_memory *memory;             /* or NULL: what is loaded is unknown */
    double *sectors;        /* by step: of global and local memory, added up; or NULL */
    double all_sectors;     /* of all steps; added to */
    uint64_t steps;         /* evaluated, of all warps; added to */
    uint64_t atomics;       /* in global memory, of their lanes; added to */
    enum smc_walk_end end;  /* of the warp for which it is the largest of these values */
    uint32_t end_at;        /* the step */
    uint32_t end_operation; /* its low 12 bits */
    uint32_t first_unknown; /* the first step of which a result was unknown although its
                               operands were known, from 1; 0: none */
    bool ends_if_decided;   /* as too long, once an array that decides is stored to */
    bool by_turns;          /* a warp of a block stops after each access to global memory */
    uint64_t looping;       /* warps that came to the end of an iteration; added to */
    uint64_t endless;    /* of them, those in which no lane knows whether the loop continues: it is
                            taken to end; added to */
    uint32_t endless_at; /* the branch of the last one */
};

/* Adds the executions of one warp, which walks alone. */
void smc_walk_warp(struct smc_walk *walk, const struct smc_machine_place *place,
                   struct smc_sass_warp *warp);

/* The warps of a block that walk together. NULL: memory. */
struct smc_walk_block *smc_walk_block_new(uint32_t warps);
void smc_walk_block_free(struct smc_walk_block *block);

/* Adds the executions of a block: `place` of each warp, and its trace, or NULL. Traces are not
   taken over from others. */
void smc_walk_block(struct smc_walk *walk, struct smc_walk_block *block,
                    const struct smc_machine_place *place, struct smc_warp_trace *const *trace);

/* The same in turns: each begins where the one before has stopped. False: no warp got further. */
void smc_walk_block_start(struct smc_walk *walk, struct smc_walk_block *block,
                          const struct smc_machine_place *place);
bool smc_walk_block_turn(struct smc_walk *walk, struct smc_walk_block *block,
                         struct smc_warp_trace *const *trace);
void smc_walk_block_end(struct smc_walk *walk, struct smc_walk_block *block,
                        struct smc_warp_trace *const *trace);

/* How many instructions a warp of the last block executed. */
uint64_t smc_walk_block_length(const struct smc_walk_block *block, uint32_t warp);

#endif
