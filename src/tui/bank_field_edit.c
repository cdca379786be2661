/* What a person sets about banks: how a field changes, by a step or as typed. */
#include "tui/bank_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

enum { MOST_THREADS = 1024, MOST_ROW = 1000000, WIDEST = 16, USUAL_WIDTH = 4 };

/* --- Steps --- */

struct range {
    int64_t now, lowest, highest, far; /* far 0: doubled and halved */
};

static struct range range_of(const struct smc_banks_state *banks, enum smc_bank_field field)
{
    const struct smc_banks_choice *choice = &banks->choice;
    switch (field) {
    case SMC_BANK_FIELD_PADDING:
        return (struct range){choice->array[smc_banks_shown(banks)->array].padding_elements, 0,
                              SMC_MOST_PADDING, 8};
    case SMC_BANK_FIELD_WARP:
        return (struct range){banks->warp, 0, (int64_t)banks->answer.warps_per_block - 1, 8};
    case SMC_BANK_FIELD_TURN:
        return (struct range){banks->turn, 0, (int64_t)smc_banks_shown(banks)->steps - 1, 8};
    case SMC_BANK_FIELD_WIDTH:
        return (struct range){choice->width_bytes, 1, WIDEST, 0};
    default: /* the row */
        return (struct range){choice->row_elements ? choice->row_elements
                                                   : smc_banks_shown(banks)->row_elements,
                              1, MOST_ROW, 0};
    }
}

static void set_number(const struct smc_banks_state *banks, enum smc_bank_field field,
                       int64_t value, struct smc_banks_choice *choice)
{
    uint32_t number = (uint32_t)value;
    if (field == SMC_BANK_FIELD_PADDING) {
        choice->array[smc_banks_shown(banks)->array].padding_elements = number;
    } else if (field == SMC_BANK_FIELD_WIDTH) {
        choice->width_bytes = number;
    } else if (field == SMC_BANK_FIELD_ROW) {
        choice->row_elements = number;
    } else {
        choice->placed = true;
        choice->warp = field == SMC_BANK_FIELD_WARP ? number : banks->warp;
        choice->turn = field == SMC_BANK_FIELD_TURN ? number : banks->turn;
    }
}

/* Another question: its layout is that of its text. */
static void set_own(bool own, struct smc_banks_choice *choice)
{
    choice->own = own;
    choice->placed = false;
    choice->row_elements = 0;
    memset(choice->array, 0, sizeof choice->array);
}

static void step_block(int direction, uint32_t *edge, uint32_t threads)
{
    if (direction > 0 && 2 * threads <= MOST_THREADS)
        *edge *= 2;
    else if (direction < 0 && *edge % 2 == 0)
        *edge /= 2;
}

static void step_number(const struct smc_banks_state *banks, enum smc_bank_field field,
                        int direction, bool far, struct smc_banks_choice *choice)
{
    struct range range = range_of(banks, field);
    bool doubles = range.far == 0 && (far || field == SMC_BANK_FIELD_WIDTH);
    int64_t value = range.now;
    if (doubles)
        value = direction > 0 ? 2 * value : value / 2;
    else
        value += direction * (far ? range.far : 1);
    value = value > range.highest ? range.highest : value < range.lowest ? range.lowest : value;
    if (value != range.now)
        set_number(banks, field, value, choice);
}

void smc_bank_field_step(const struct smc_banks_state *banks, enum smc_bank_field field,
                         int direction, bool far, struct smc_banks_choice *choice)
{
    struct smc_rearrangement layout;
    uint32_t *block = choice->block;
    bool on = direction > 0;
    switch (field) {
    case SMC_BANK_FIELD_SWIZZLE:
        smc_banks_arrange(banks, smc_banks_shown(banks)->array, 0, true, &layout);
        choice->array[smc_banks_shown(banks)->array].swizzled = on && layout.swizzle_span;
        break;
    case SMC_BANK_FIELD_EXPRESSION:
        if (smc_banks_has_kernel(banks) && choice->own != on)
            set_own(on, choice);
        break;
    case SMC_BANK_FIELD_BLOCK:
        step_block(direction, &block[far ? 0 : 1], block[0] * block[1] * block[2]);
        break;
    case SMC_BANK_FIELD_ACCESS:
        choice->op = on ? SMC_BANK_STORE : SMC_BANK_LOAD;
        break;
    case SMC_BANK_FIELD_MODE:
        choice->mode = on ? SMC_BANK_MODE_8_BYTES : SMC_BANK_MODE_4_BYTES;
        break;
    default:
        step_number(banks, field, direction, far, choice);
    }
}

bool smc_bank_field_flip(const struct smc_banks_state *banks, enum smc_bank_field field,
                         struct smc_banks_choice *choice)
{
    bool on;
    switch (field) {
    case SMC_BANK_FIELD_SWIZZLE:
        on = choice->array[smc_banks_shown(banks)->array].swizzled;
        break;
    case SMC_BANK_FIELD_ACCESS:
        on = choice->op == SMC_BANK_STORE;
        break;
    case SMC_BANK_FIELD_MODE:
        on = choice->mode == SMC_BANK_MODE_8_BYTES;
        break;
    default:
        return false;
    }
    smc_bank_field_step(banks, field, on ? -1 : 1, false, choice);
    return true;
}

/* --- Typing --- */

void smc_bank_field_hint(const struct smc_banks_state *banks, enum smc_bank_field field,
                         char hint[128])
{
    if (field == SMC_BANK_FIELD_EXPRESSION) {
        snprintf(hint, 128, "bytes, of tx ty tz lane warp bx by bz");
    } else if (field == SMC_BANK_FIELD_BLOCK) {
        snprintf(hint, 128, "a shape such as 256, 32x8 or 8x8x4 of 1 to %d threads", MOST_THREADS);
    } else if (field == SMC_BANK_FIELD_WIDTH) {
        snprintf(hint, 128, "1, 2, 4, 8 or %d bytes", WIDEST);
    } else {
        struct range range = range_of(banks, field);
        snprintf(hint, 128, "between %" PRId64 " and %" PRId64, range.lowest, range.highest);
    }
}

const char *smc_bank_field_begun(const struct smc_banks_state *banks, enum smc_bank_field field)
{
    return field == SMC_BANK_FIELD_EXPRESSION ? banks->choice.expression : "";
}

static bool type_block(const char *typed, struct smc_banks_choice *choice)
{
    int64_t edge[3] = {1, 1, 1};
    if (!smc_parse_dimensions(typed, MOST_THREADS, edge, 3) ||
        edge[0] * edge[1] * edge[2] > MOST_THREADS)
        return false;
    for (int i = 0; i < 3; i++)
        choice->block[i] = (uint32_t)edge[i];
    return true;
}

static bool type_number(const struct smc_banks_state *banks, enum smc_bank_field field,
                        const char *typed, struct smc_banks_choice *choice)
{
    struct range range = range_of(banks, field);
    int64_t value;
    if (!smc_parse_integer(typed, range.lowest, range.highest, &value) ||
        (field == SMC_BANK_FIELD_WIDTH && (value & (value - 1))))
        return false;
    set_number(banks, field, value, choice);
    return true;
}

enum smc_status smc_bank_field_type(const struct smc_banks_state *banks, enum smc_bank_field field,
                                    const char *typed, struct smc_banks_choice *choice,
                                    struct smc_error *error)
{
    char hint[128];
    if (field == SMC_BANK_FIELD_EXPRESSION) {
        if (strlen(typed) > SMC_EXPRESSION_CHARS)
            return smc_fail(error, SMC_USAGE, "the expression is longer than %d characters",
                            SMC_EXPRESSION_CHARS);
        set_own(true, choice);
        snprintf(choice->expression, sizeof choice->expression, "%s", typed);
        return SMC_OK;
    }
    bool read = field == SMC_BANK_FIELD_BLOCK ? type_block(typed, choice)
                                              : type_number(banks, field, typed, choice);
    if (read)
        return SMC_OK;
    smc_bank_field_hint(banks, field, hint);
    return smc_fail(error, SMC_USAGE, "'%.64s' is not %s", typed, hint);
}

void smc_bank_field_reset(const struct smc_banks_state *banks, enum smc_bank_field field,
                          struct smc_banks_choice *choice)
{
    switch (field) {
    case SMC_BANK_FIELD_PADDING:
        choice->array[smc_banks_shown(banks)->array].padding_elements = 0;
        break;
    case SMC_BANK_FIELD_SWIZZLE:
        choice->array[smc_banks_shown(banks)->array].swizzled = false;
        break;
    case SMC_BANK_FIELD_WARP:
    case SMC_BANK_FIELD_TURN:
        choice->placed = false;
        break;
    case SMC_BANK_FIELD_EXPRESSION:
        set_own(false, choice);
        break;
    case SMC_BANK_FIELD_ROW:
        choice->row_elements = 0;
        break;
    case SMC_BANK_FIELD_WIDTH:
        choice->width_bytes = USUAL_WIDTH;
        break;
    case SMC_BANK_FIELD_ACCESS:
        choice->op = SMC_BANK_LOAD;
        break;
    case SMC_BANK_FIELD_MODE:
        choice->mode = SMC_BANK_MODE_4_BYTES;
        break;
    default:
        break;
    }
}
