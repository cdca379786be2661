/* What is known of a warp's registers without running it: an abstract interpretation of the
   arithmetic of PTX.

   Lane n of a register holds value[n] + shared, where the shared part is the same for all lanes. It
   is 0 (the register is exact), or unknown except that it is a multiple of 2^align. The sum is
   known modulo 2^bits: a conversion from 32 to 64 bits keeps 32 of them. A predicate whose shared
   part is unknown is the same for all lanes. Of lanes outside `lanes` nothing is known.

   The values are in a register file as the emulator has it (program.h), so that an operation whose
   sources are exact is computed by the emulator's own function. Only bank_accesses.c and
   bank_walk.c include this header. */
#ifndef SMC_EMULATOR_LANE_VALUES_H
#define SMC_EMULATOR_LANE_VALUES_H

#include "emulator/program.h"

enum { SMC_EXACT = 64 };

/* Why a value is not exact. */
enum smc_cause {
    SMC_CAUSE_NONE,
    SMC_CAUSE_UNWRITTEN, /* read before it was written */
    SMC_CAUSE_PARAMETER,
    SMC_CAUSE_GRID, /* the block's place in the grid */
    SMC_CAUSE_LOADED,
    SMC_CAUSE_ATOMIC,
    SMC_CAUSE_LANES,  /* from another lane */
    SMC_CAUSE_OPAQUE, /* an instruction that is not understood */
    SMC_CAUSE_PATHS,  /* differs between paths that reconverge, or between iterations of a loop */
};

struct smc_known {
    uint32_t lanes;
    uint8_t align; /* SMC_EXACT: the shared part is 0 */
    uint8_t bits;
    uint8_t wraps; /* lanes that are equal modulo 2^bits are equal: i & 255 keeps 8 bits of i */
    uint8_t in_shared_memory; /* a generic address that points into shared memory */
    uint8_t cause;            /* enum smc_cause, of a value that is not exact */
    uint32_t instruction;     /* that caused it */
    uint32_t id;              /* values with the same id have the same shared part; exact: 0 */
    uint32_t joined_at;       /* 1 + the instruction at which different values were last joined */
};

/* Of one warp at one place of the program. */
struct smc_lane_state {
    char *file;
    struct smc_known *known; /* by offset / SMC_SLOT_UNIT */
    uint32_t mask;           /* active lanes */
    bool diverged;           /* some of these may be inactive until they reconverge */
    bool reduced;            /* some of them may have exited */
};

enum { SMC_SLOT_UNIT = 64 };

enum smc_rule;

/* What the states of one program share. */
struct smc_lane_values {
    const struct smc_program *program;
    uint8_t *rule; /* of each op: an enum of lane_values.c */
    uint8_t *kind; /* of each slot: enum smc_slot_kind */
    size_t slots;
    uint32_t ids; /* the last that was given */
};

/* False if out of memory. */
bool smc_lane_values_open(const struct smc_program *program, struct smc_lane_values *values);
void smc_lane_values_close(struct smc_lane_values *values);

bool smc_lane_state_new(const struct smc_lane_values *values, struct smc_lane_state *state);
void smc_lane_state_free(struct smc_lane_state *state);
void smc_lane_state_copy(const struct smc_lane_values *values, const struct smc_lane_state *from,
                         struct smc_lane_state *to);

static inline struct smc_known *smc_known_of(const struct smc_lane_state *state, uint32_t slot)
{
    return &state->known[slot / SMC_SLOT_UNIT];
}

/* Computes an op with an alu for the lanes of `sure`; lanes of `maybe` may keep their old values,
   all or none of them if `together`. */
void smc_lane_values_compute(struct smc_lane_values *values, struct smc_lane_state *state,
                             const struct smc_op *op, uint32_t sure, uint32_t maybe, bool together);

/* The register becomes unknown in the lanes of `mask`; the same for all of them if `uniform`. */
void smc_lane_values_forget(struct smc_lane_values *values, struct smc_lane_state *state,
                            uint32_t slot, uint32_t mask, bool uniform, enum smc_cause cause,
                            uint32_t instruction);

/* Whether the lanes of `mask` are known to have the same value. */
bool smc_lane_values_uniform(const struct smc_lane_values *values,
                             const struct smc_lane_state *state, uint32_t slot, uint32_t mask);

/* Joins into `into` a state that is possible instead of it, or for other lanes. `apart`: lanes of
   one warp may have either. Returns whether anything became less known. */
bool smc_lane_values_join(struct smc_lane_values *values, const struct smc_lane_state *from,
                          bool apart, uint32_t instruction, struct smc_lane_state *into);

/* After a loop that lanes leave in different iterations: what changed since `before` and is not
   exact may differ between the lanes. */
void smc_lane_values_part(struct smc_lane_values *values, const struct smc_lane_state *before,
                          uint32_t instruction, struct smc_lane_state *state);

#endif
