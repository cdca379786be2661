/* What is known of a warp's registers without running it: an abstract interpretation of the
   arithmetic of PTX.

   Lane n of a register holds value[n] + shared, where the shared part is the same for all lanes. It
   is 0 (the register is exact), or unknown except that it is a multiple of 2^align. The sum is
   known modulo 2^bits: a conversion from 32 to 64 bits keeps 32 of them. A predicate whose shared
   part is unknown is the same for all lanes. Of lanes outside `lanes` nothing is known.

   The values are in a register file as the emulator has it (emulator_program.h), so that an
   operation whose sources are exact is computed by the emulator's own function. */
#ifndef SMC_MACHINE_LANE_VALUES_H
#define SMC_MACHINE_LANE_VALUES_H

#include "machine/emulator/emulator_program.h"

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
    SMC_CAUSE_STEPS,  /* following the kernel would take too long */
};

/* Where a generic address may point; 0: not known to be into shared memory. */
enum { SMC_INTO_SHARED = 1, SMC_ELSEWHERE = 2 };

struct smc_known {
    uint32_t lanes;
    uint8_t align; /* SMC_EXACT: the shared part is 0 */
    uint8_t bits;
    uint8_t wraps;  /* lanes that are equal modulo 2^bits are equal: i & 255 keeps 8 bits of i */
    uint8_t points; /* a generic address, where to: SMC_INTO_SHARED, and perhaps SMC_ELSEWHERE */
    uint8_t cause;  /* enum smc_cause, of a value that is not exact */
    uint32_t instruction; /* that caused it */
    uint32_t id;          /* values with the same id have the same shared part; exact: 0 */
    uint32_t joined_at;   /* 1 + the instruction at which different values were last joined */
};

enum { SMC_SLOT_UNIT = 64 };

/* A register's value: where it was before it changed, or what it became. */
struct smc_lane_change {
    uint32_t slot; /* its offset / SMC_SLOT_UNIT */
    uint32_t mark; /* the last one after which it had changed before */
    struct smc_known known;
    uint64_t value[32]; /* as in the register file */
};

/* Of one warp at one place of the program. */
struct smc_lane_state {
    char *file;
    struct smc_known *known; /* by offset / SMC_SLOT_UNIT */
    uint32_t mask;           /* active lanes */
    bool diverged;           /* some of these may be inactive until they reconverge */
    bool reduced;            /* some of them may have exited */

    /* What changed, so that all paths from a branch can begin with the state at the branch without
       copying every register. Nothing is kept before the first mark. */
    struct smc_lane_change *change;
    size_t changes, room;
    uint32_t *changed_at; /* by slot: the mark after which it changed last; 0: none */
    uint32_t mark, marks; /* the current one; how many there have been */
    bool failed;          /* out of memory: a change is missing */
};

/* The registers that differ from those at a branch, and what all lanes have. */
struct smc_lane_changes {
    struct smc_lane_change *item;
    size_t count, room;
    uint32_t mask;
    bool diverged, reduced;
};

/* What the states of one program share. */
struct smc_lane_values {
    const struct smc_program *program;
    uint8_t *rule; /* of each op: an enum of lane_values.c */
    uint8_t *kind; /* of each slot: enum smc_slot_kind */
    size_t slots;
    uint32_t ids;    /* the last that was given */
    uint32_t *place; /* by slot: 1 + its place in the changes at hand; 0: none */
};

/* False if out of memory. */
bool smc_lane_values_open(const struct smc_program *program, struct smc_lane_values *values);
void smc_lane_values_close(struct smc_lane_values *values);

bool smc_lane_state_new(const struct smc_lane_values *values, struct smc_lane_state *state);
void smc_lane_state_free(struct smc_lane_state *state);
/* Forgets all marks and changes. */
void smc_lane_state_begin(const struct smc_lane_values *values, struct smc_lane_state *state);

static inline struct smc_known *smc_known_of(const struct smc_lane_state *state, uint32_t slot)
{
    return &state->known[slot / SMC_SLOT_UNIT];
}

/* Computes an op with an alu for the lanes of `sure`; lanes of `maybe` may keep their old values,
   all or none of them if `together`. */
void smc_lane_values_compute(struct smc_lane_values *values, struct smc_lane_state *state,
                             const struct smc_op *op, uint32_t sure, uint32_t maybe, bool together);

/* How values become unknown. */
struct smc_lane_loss {
    uint32_t mask; /* in these lanes */
    bool uniform;  /* all of them have the same value */
    enum smc_cause cause;
    uint32_t instruction;
};
void smc_lane_values_forget(struct smc_lane_values *values, struct smc_lane_state *state,
                            uint32_t slot, const struct smc_lane_loss *loss);

/* Whether the lanes of `mask` are known to have the same value. */
bool smc_lane_values_uniform(const struct smc_lane_values *values,
                             const struct smc_lane_state *state, uint32_t slot, uint32_t mask);

/* A register of a state: the lanes that have it. */
struct smc_lane_register {
    enum smc_slot_kind kind;
    char *at;
    struct smc_known *known;
    uint32_t mask;
};

/* Joins into `other` the value `one` that is possible instead of it, or for other lanes. */
void smc_lane_values_join(struct smc_lane_values *values, const struct smc_lane_register *one,
                          bool apart, struct smc_lane_register *other);

/* To be called before a register changes: the number of its slot. */
void smc_lane_state_keep(const struct smc_lane_values *values, struct smc_lane_state *state,
                         uint32_t slot);

/* --- Paths that begin at one branch: they are relative to the state at the mark --------------- */

/* A place in the changes of a state, to which it can return. */
struct smc_lane_mark {
    size_t changes;
    uint32_t outer; /* the mark before it */
    uint32_t mask;
    bool diverged, reduced;
};

struct smc_lane_mark smc_lane_state_mark(struct smc_lane_state *state);
/* Returns to the state at the mark, which stays the current one. */
void smc_lane_state_revert(const struct smc_lane_values *values, const struct smc_lane_mark *mark,
                           struct smc_lane_state *state);
/* The mark before it is the current one again; changes are kept for that. */
void smc_lane_state_unmark(const struct smc_lane_mark *mark, struct smc_lane_state *state);

/* Replaces `changes` by all that changed since the mark, and `before`, unless it is NULL, by the
   same registers as they are at the mark. False if out of memory. */
bool smc_lane_changes_take(struct smc_lane_values *values, const struct smc_lane_state *state,
                           const struct smc_lane_mark *mark, struct smc_lane_changes *changes,
                           struct smc_lane_changes *before);
/* Makes the changes in a state at the mark. */
void smc_lane_changes_apply(const struct smc_lane_values *values,
                            const struct smc_lane_changes *changes, struct smc_lane_state *state);
void smc_lane_changes_free(struct smc_lane_changes *changes);

/* Room for one more in a list of changes; NULL: out of memory. */
struct smc_lane_change *smc_lane_change_add(struct smc_lane_change **list, size_t *count,
                                            size_t *room);
/* The register in this slot as it is in the state. */
void smc_lane_register_copy(const struct smc_lane_values *values,
                            const struct smc_lane_state *state, uint32_t slot,
                            struct smc_lane_change *to);

/* Two states that are relative to one mark. */
struct smc_lane_join {
    const struct smc_lane_state *state;    /* at the mark; or */
    const struct smc_lane_changes *before; /* the registers of `from` as they are at the mark */
    const struct smc_lane_changes *from;
    bool apart; /* lanes of one warp may have either */
    uint32_t instruction;
};

/* Joins into `into` a state that is possible instead of it, or for other lanes. With `before`, all
   that `into` changes is in `from`. Sets `*changed` if anything became less known. False if out of
   memory. */
bool smc_lane_changes_join(struct smc_lane_values *values, const struct smc_lane_join *join,
                           struct smc_lane_changes *into, bool *changed);

/* After a loop that lanes leave in different iterations: what changed since the mark, at which
   `state` is, and is not exact may differ between the lanes. */
void smc_lane_changes_part(const struct smc_lane_state *state, uint32_t instruction,
                           struct smc_lane_changes *changes);

#endif
