/* The state of the banks' screen: which accesses, how their arrays lie, and what they cost. Pure.
 */
#ifndef SMC_TUI_BANKS_STATE_H
#define SMC_TUI_BANKS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "query/banks.h"
#include "query/banks_change.h"
#include "query/query.h"
#include "tui/bank_memory.h"

enum { SMC_BANKS_UNDO_STEPS = 100 };

enum smc_bank_field {
#define BANK_FIELD(id, label) SMC_BANK_FIELD_##id,
#include "tui/bank_fields.def"
#undef BANK_FIELD
    SMC_BANK_FIELD_COUNT
};

/* What a person set: all that undo brings back. */
struct smc_banks_choice {
    bool own; /* the expression is looked at, whatever the kernel accesses */
    char expression[SMC_EXPRESSION_CHARS + 1];
    uint32_t block[3], width_bytes,
        row_elements; /* of the expression, as smc_banks_query has them */
    enum smc_bank_op op;
    enum smc_bank_mode mode;
    bool placed; /* at this warp and turn; else at the worst */
    uint32_t warp, turn;
    struct {
        uint32_t padding_elements;
        bool swizzled;
    } array[SMC_MAX_SHARED_ACCESSES]; /* by smc_banks_pattern's `array` */
};

struct smc_banks_state {
    bool opened;
    struct smc_banks_query launch; /* the kernel and the device of the first screen */
    struct smc_banks_choice choice;
    struct smc_banks_answer answer; /* to the layout as written */
    bool answered;                  /* false: `why` says what is wrong */
    char why[1024];
    struct smc_banks_change change;                      /* as chosen, for the model */
    struct smc_bank_cost total[SMC_MAX_SHARED_ACCESSES]; /* with it, as the answer counts */
    char expression[SMC_EXPRESSION_CHARS + 1];           /* of the change; "" where it has none */
    bool on_field; /* the cursor is on `field`, else on `pattern` */
    enum smc_bank_field field;
    uint32_t pattern, warp, turn;  /* shown */
    struct smc_access access;      /* of the pattern, warp and turn, with the change */
    struct smc_bank_map map;       /* of that */
    struct smc_bank_memory memory; /* and its words */
    int top;                       /* the first wavefront in sight */
    struct smc_banks_choice undo[SMC_BANKS_UNDO_STEPS]; /* the last one on top */
    size_t undo_count;
};

/* Looks at a launch: the screen is shown, or the launch has changed. What was set stays as long as
   the kernel does. */
void smc_banks_open(struct smc_banks_state *banks, const struct smc_query *query);

/* Whether the launch has a kernel with accesses to shared memory. */
bool smc_banks_has_kernel(const struct smc_banks_state *banks);

/* Whether the expression is looked at. */
bool smc_banks_is_own(const struct smc_banks_state *banks);

/* The pattern in sight; nothing is known of it where the answer has no pattern. */
const struct smc_banks_pattern *smc_banks_shown(const struct smc_banks_state *banks);

/* After the choice was changed; `before` is what undo brings back. */
void smc_banks_changed(struct smc_banks_state *banks, const struct smc_banks_choice *before);

/* False where there is nothing to take back. */
bool smc_banks_undo(struct smc_banks_state *banks);

/* The cursor's place: the patterns count from 0, the fields that are shown follow. Going to a
   pattern shows it; places beyond the ends are the ends. */
int smc_banks_place(const struct smc_banks_state *banks);
void smc_banks_go(struct smc_banks_state *banks, int place);

/* One place up or down; from the first field up to the pattern that is shown. */
void smc_banks_move(struct smc_banks_state *banks, int direction);

/* From the patterns to the fields, the present pattern still shown. */
void smc_banks_enter(struct smc_banks_state *banks);

/* The question that the answer is to: the kernel's or the expression's. */
void smc_banks_ask(const struct smc_banks_state *banks, struct smc_banks_query *query);

/* How an array of the answer lies with a padding (0: none) and with or without a swizzle; where its
   rows have no room for one the span stays 0. */
void smc_banks_arrange(const struct smc_banks_state *banks, uint32_t array,
                       uint32_t padding_elements, bool swizzled, struct smc_rearrangement *out);

#endif
