/* Follows each warp of one block through a kernel, as far as that is known without running it, and
   counts what its accesses to shared memory cost. Only bank_accesses.c and bank_walk.c include this
   header. */
#ifndef SMC_MACHINE_BANK_WALK_H
#define SMC_MACHINE_BANK_WALK_H

#include "machine/bank_accesses.h"
#include "machine/emulator/access_log.h"
#include "machine/emulator/lane_values.h"

/* What was found of one instruction in all warps. */
struct smc_bank_tally {
    bool is_access; /* of shared memory, or perhaps */
    bool is_loop;   /* an atomic that is a loop of several instructions: not counted */
    enum smc_bank_access_kind kind;     /* what is not by lanes is not followed */
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
    bool is_not_logged; /* some of its accesses are not in the log */
};

struct smc_bank_walk {
    const struct smc_bank_accesses_request *request;
    const struct smc_program *program;
    struct smc_bank_tally *tally; /* by instruction */
    struct smc_access_log *log;
    const uint8_t *kind; /* by op: enum smc_bank_access_kind of those that access shared memory */
    bool chose;          /* a branch or guard whose outcome is not known */
    bool gave_up;        /* the budget was used up: nothing is certain */
    bool out_of_memory;
};

/* Starts with the request, the program and a zeroed tally for each instruction. False if out of
   memory. */
bool smc_bank_walk(struct smc_bank_walk *walk);

/* bank_kinds.c: sets the kind of each op. `ptx` is the program's text, which ends in a zero. False:
   out of memory. */
bool smc_bank_find_kinds(const struct smc_program *program, const char *ptx, uint8_t *kind);
/* The name of the function that the statement calls; no bytes: unknown. */
struct smc_span smc_bank_callee(const struct smc_ptx_statement *statement);

/* Whether the op accesses shared memory, or may; if so sets what is known of it without its
   addresses. A load or store of a generic address is none before the address is known. */
bool smc_bank_describe(const struct smc_bank_walk *walk, const struct smc_op *op,
                       struct smc_bank_tally *tally);

#endif
