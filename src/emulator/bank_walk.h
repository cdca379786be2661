/* Follows each warp of one block through a kernel, as far as that is known without running it, and
   counts what its accesses to shared memory cost. Only bank_accesses.c and bank_walk.c include this
   header. */
#ifndef SMC_EMULATOR_BANK_WALK_H
#define SMC_EMULATOR_BANK_WALK_H

#include "emulator/bank_accesses.h"
#include "emulator/lane_values.h"

enum { SMC_KEPT_PATTERNS = 16 };

/* What was found of one instruction in all warps. */
struct smc_bank_tally {
    bool is_access; /* of shared memory, or perhaps */
    bool is_atomic;
    bool not_followed;                  /* in any execution */
    bool misaligned, beyond, elsewhere; /* why not: a misaligned address; wider than 16 bytes; may
                                           be in global memory */
    bool depends;                       /* on the shared part of an address */
    bool assumed;                       /* some active lanes may be inactive */
    uint8_t cause;                      /* enum smc_cause, with not_followed or depends */
    uint32_t cause_instruction;
    enum smc_bank_op op;
    uint32_t width_bytes;
    uint64_t executions, wavefronts, least;
    uint32_t fewest_conflicts, most_conflicts, worst_warp;
    struct smc_access worst;
    struct smc_access pattern[SMC_KEPT_PATTERNS]; /* different ones, for remedies */
    uint32_t patterns;
    bool more_patterns; /* not all were kept */
};

struct smc_bank_walk {
    const struct smc_bank_accesses_request *request;
    const struct smc_program *program;
    struct smc_bank_tally *tally; /* by instruction */
    bool chose;                   /* a branch or guard whose outcome is not known */
    bool gave_up;                 /* the budget was used up: nothing is certain */
    bool out_of_memory;
};

/* Starts with the request, the program and a zeroed tally for each instruction. False if out of
   memory. */
bool smc_bank_walk(struct smc_bank_walk *walk);

#endif
