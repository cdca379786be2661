/* The banks view's state: which accesses are shown, how their arrays are laid out and what they
   cost; the fields that change it, and where the panels are. Pure. */
#ifndef SMC_SHOW_BANKS_STATE_H
#define SMC_SHOW_BANKS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answers/banks_query.h"
#include "answers/query.h"
#include "show/tui/frame.h"
#include "show/tui/open_file.h"
#include "show/tui/tui_fields.h"

enum { SMC_BANKS_UNDO_STEPS = 100 };

/* In the order of the list. */
enum smc_bank_field {
    SMC_BANK_FIELD_PADDING,
    SMC_BANK_FIELD_SWIZZLE,
    SMC_BANK_FIELD_WARP,
    SMC_BANK_FIELD_ITERATION,
    SMC_BANK_FIELD_LAYOUT,
    SMC_BANK_FIELD_ACCESSES, /* to an array that a layout places, and its swizzle */
    SMC_BANK_FIELD_BITS,
    SMC_BANK_FIELD_BASE,
    SMC_BANK_FIELD_SHIFT,
    SMC_BANK_FIELD_EXPRESSION,
    SMC_BANK_FIELD_BLOCK,
    SMC_BANK_FIELD_WIDTH,
    SMC_BANK_FIELD_ACCESS,
    SMC_BANK_FIELD_ROW,
    SMC_BANK_FIELD_MODE,
    SMC_BANK_FIELD_COUNT
};

/* What the user set: everything that undo restores. */
struct smc_banks_choice {
    bool own; /* the user's expression is shown instead of the kernel's accesses */
    char expression[SMC_EXPRESSION_CHARS + 1];
    uint32_t block[3], width_bytes, row_elements; /* of the expression, as in smc_banks_query */
    enum smc_bank_op op;
    enum smc_bank_mode mode;
    char layout[SMC_CUTE_CHARS + 1]; /* of an array that is shown instead; "": none */
    char accesses[SMC_CUTE_CHARS + 1];
    struct smc_swizzle swizzle;
    bool placed; /* this warp and iteration are shown; otherwise the worst */
    uint32_t warp, iteration;
    struct {
        int32_t padding_elements; /* added to each row; negative: removes existing padding */
        bool swizzled;
    } array[SMC_MAX_SHARED_ACCESSES]; /* by smc_banks_pattern's `array` */
};

/* The rows of shared memory that one access touches, ascending; a row is one word of every bank. */
enum { SMC_MOST_MEMORY_ROWS = SMC_WARP_LANES * 16 / 4 }; /* every word in a row of its own */

struct smc_bank_memory {
    uint32_t row_bytes;
    size_t count;
    uint32_t row[SMC_MOST_MEMORY_ROWS];                  /* address / row_bytes */
    uint32_t lanes[SMC_MOST_MEMORY_ROWS][SMC_MAX_BANKS]; /* that touch the bank in this row */
};

struct smc_banks_state {
    bool opened;
    uint32_t followed[3]; /* the shape of the launch's block that `choice` was given; {0}: none */
    struct smc_banks_query launch;         /* the explorer's kernel and device */
    const struct smc_open_accesses *found; /* in a kernel of the user's file; or NULL; not owned */
    char found_kernel[SMC_OPEN_TEXT_CHARS];
    struct smc_banks_choice choice;
    struct smc_tile_question question; /* of the choice's layout */
    struct smc_banks_answer answer;    /* for the layout as written */
    bool answered;                     /* false: `why` says what is wrong */
    char why[1024];
    struct smc_banks_change change;                      /* the chosen layout */
    struct smc_bank_cost total[SMC_MAX_SHARED_ACCESSES]; /* with it, counted as in the answer */
    char expression[SMC_EXPRESSION_CHARS + 1];           /* with it; "" where it has none */
    bool on_field; /* the cursor is on `field`, otherwise on `pattern` */
    enum smc_bank_field field;
    uint32_t pattern, warp, iteration;                  /* shown */
    struct smc_access access;                           /* the one shown, with the chosen layout */
    struct smc_bank_map map;                            /* its wavefronts */
    struct smc_bank_memory memory;                      /* and its words */
    int top;                                            /* the first wavefront on the screen */
    struct smc_banks_choice undo[SMC_BANKS_UNDO_STEPS]; /* the latest one last */
    size_t undo_count;
};

/* Shows a launch: the view was opened, or the launch has changed. The choice is kept as long as the
   kernel is the same. */
void smc_banks_open(struct smc_banks_state *banks, const struct smc_query *query);

/* Shows the accesses of a kernel of the user's file, which outlive the state. Until they are found
   their `known` is false. */
void smc_banks_open_found(struct smc_banks_state *banks, const struct smc_query *query,
                          const struct smc_open_accesses *found);

/* Whether these are shown. */
bool smc_banks_is_found(const struct smc_banks_state *banks);

/* Whether an expression is shown: the user's choice, or the kernel uses no shared memory. */
bool smc_banks_is_own(const struct smc_banks_state *banks);

/* Whether an array that a layout places is shown. */
bool smc_banks_is_tile(const struct smc_banks_state *banks);

/* The text of a field that is one; NULL for others. */
const char *smc_bank_field_text(const struct smc_banks_choice *choice, enum smc_bank_field field);

/* The pattern shown; empty where the answer has none. */
const struct smc_banks_pattern *smc_banks_shown(const struct smc_banks_state *banks);

/* Sets the choice and keeps the one before for undo, unless both are the same. */
void smc_banks_choose(struct smc_banks_state *banks, const struct smc_banks_choice *choice);

/* False where there is nothing to undo. */
bool smc_banks_undo(struct smc_banks_state *banks);

/* The cursor's place: the patterns count from 0 and are followed by the fields. Going to a pattern
   shows it; a place beyond an end is that end. */
int smc_banks_place(const struct smc_banks_state *banks);
void smc_banks_go(struct smc_banks_state *banks, int place);

/* One place up or down; up from the first field leads to the pattern that is shown. */
void smc_banks_move(struct smc_banks_state *banks, int direction);

static inline uint32_t smc_bank_bytes(const struct smc_bank_layout *layout)
{
    return 4 * layout->neighbouring_words;
}

static inline uint32_t smc_bank_at(const struct smc_bank_layout *layout, uint32_t address)
{
    return address / smc_bank_bytes(layout) % layout->banks;
}

/* The words of an access in memory. */
void smc_bank_memory_find(const struct smc_bank_layout *layout, const struct smc_access *access,
                          struct smc_bank_memory *memory);

/* --- Fields --- */

/* Those that apply to what is shown, in order; at least one. */
size_t smc_bank_fields_shown(const struct smc_banks_state *banks,
                             enum smc_bank_field list[SMC_BANK_FIELD_COUNT]);

void smc_bank_field_show(const struct smc_banks_state *banks, enum smc_bank_field field,
                         struct smc_field_view *view);

/* What may be typed. */
void smc_bank_field_hint(const struct smc_banks_state *banks, enum smc_bank_field field,
                         char hint[128]);

/* One step down or up, or a large one, up to the ends. This and the functions below change
   `choice`, which begins as the current one. */
void smc_bank_field_step(const struct smc_banks_state *banks, enum smc_bank_field field,
                         int direction, bool far, struct smc_banks_choice *choice);

/* Changes a switch; false if the field is not a switch. */
bool smc_bank_field_flip(const struct smc_banks_state *banks, enum smc_bank_field field,
                         struct smc_banks_choice *choice);

/* Sets the value typed. SMC_USAGE with a message that names it and what is allowed; `choice` is
   then unchanged. */
enum smc_status smc_bank_field_type(const struct smc_banks_state *banks, enum smc_bank_field field,
                                    const char *typed, struct smc_banks_choice *choice,
                                    struct smc_error *error);

/* Restores the default; a block, which has none, stays. */
void smc_bank_field_reset(const struct smc_banks_state *banks, enum smc_bank_field field,
                          struct smc_banks_choice *choice);

/* --- Layout --- */

enum smc_banks_panel {
    SMC_BANKS_LIST,   /* the instructions */
    SMC_BANKS_FIELDS, /* what can be set */
    SMC_BANKS_GRID,   /* the lanes that each bank serves */
    SMC_BANKS_REMEDY, /* what removes the conflicts */
    SMC_BANKS_PANEL_COUNT
};

struct smc_banks_layout {
    struct smc_rect frame[SMC_BANKS_PANEL_COUNT]; /* with the edges, which neighbours share */
    struct smc_rect inside[SMC_BANKS_PANEL_COUNT];
};

/* For any size of the screen. */
void smc_banks_lay_out(struct smc_rect body, struct smc_banks_layout *layout);

/* The grid has two lines of headings, then one row per wavefront. */
enum { SMC_BANKS_HEADINGS = 2, SMC_BANKS_LABEL_COLUMNS = 9 };

/* Columns per bank: 1 for a lane as a base-32 digit, 2 for a mark beside it, 3 or more for a lane
   in decimal and a mark. */
int smc_banks_cell_columns(struct smc_rect grid, uint32_t banks);

#endif
