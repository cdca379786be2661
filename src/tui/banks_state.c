/* The state of the banks' screen: which accesses, how their arrays lie, and what they cost. */
#include "tui/banks_state.h"

#include <stdio.h>
#include <string.h>

#include "tui/bank_fields.h"

/* A column of a tile of 32 x 32 floats: what padding was invented for. */
static const struct smc_banks_choice first_choice = {
    .expression = "(tx*32 + ty)*4",
    .block = {32, 8, 1},
    .width_bytes = 4,
};

bool smc_banks_has_kernel(const struct smc_banks_state *banks)
{
    return banks->launch.kernel && banks->launch.kernel->shared_accesses;
}

bool smc_banks_is_own(const struct smc_banks_state *banks)
{
    return banks->choice.own || !smc_banks_has_kernel(banks);
}

const struct smc_banks_pattern *smc_banks_shown(const struct smc_banks_state *banks)
{
    return &banks->answer.pattern[banks->pattern];
}

void smc_banks_ask(const struct smc_banks_state *banks, struct smc_banks_query *query)
{
    const struct smc_banks_choice *choice = &banks->choice;
    *query = banks->launch;
    query->mode = query->device.sm.bank_width_bytes == 8 ? choice->mode : SMC_BANK_MODE_4_BYTES;
    if (!smc_banks_is_own(banks))
        return;
    query->kernel = NULL;
    query->expression = choice->expression;
    memcpy(query->block, choice->block, sizeof query->block);
    query->width_bytes = choice->width_bytes;
    query->op = choice->op;
    query->row_elements = choice->row_elements;
}

/* The largest power of two that divides a row, up to the banks. */
static uint32_t widest_span(uint32_t row_elements)
{
    uint32_t span = row_elements & -row_elements;
    return span < 2 ? 0 : span > SMC_MAX_BANKS ? SMC_MAX_BANKS : span;
}

/* The first pattern of an array that has a remedy, which is one for all of them. */
static const struct smc_banks_pattern *spokesman(const struct smc_banks_answer *answer,
                                                 uint32_t array)
{
    for (uint32_t i = array; i < answer->pattern_count; i++) {
        const struct smc_banks_pattern *pattern = &answer->pattern[i];
        if (pattern->array == array && (pattern->padding.found || pattern->swizzle.found))
            return pattern;
    }
    return &answer->pattern[array];
}

void smc_banks_arrange(const struct smc_banks_state *banks, uint32_t array,
                       uint32_t padding_elements, bool swizzled, struct smc_rearrangement *out)
{
    const struct smc_banks_pattern *pattern = spokesman(&banks->answer, array);
    const struct smc_remedy *padding = &pattern->padding, *swizzle = &pattern->swizzle;
    *out = (struct smc_rearrangement){
        .first_byte = pattern->first_byte,
        .element_bytes = pattern->width_bytes,
        .row_elements = pattern->row_elements,
    };
    if (swizzled && swizzle->found) {
        *out = swizzle->rearrangement;
    } else {
        if (padding->found)
            out->row_elements = padding->rearrangement.row_elements;
        out->swizzle_span = swizzled ? widest_span(out->row_elements) : 0;
    }
    out->padding_elements = padding_elements;
}

static void arrange_all(struct smc_banks_state *banks)
{
    memset(&banks->change, 0, sizeof banks->change);
    for (uint32_t i = 0; i < banks->answer.pattern_count; i++) {
        uint32_t padding = banks->choice.array[i].padding_elements;
        bool swizzled = banks->choice.array[i].swizzled;
        if (banks->answer.pattern[i].array == i && (padding || swizzled))
            smc_banks_arrange(banks, i, padding, swizzled, &banks->change.array[i]);
    }
}

static uint32_t at_most(uint32_t value, uint32_t most)
{
    return value < most ? value : most;
}

/* The access in sight. As long as nobody asks for another, the worst of the layout as written: the
   one to watch while the layout changes. */
static enum smc_status show_access(struct smc_banks_state *banks, struct smc_error *error)
{
    const struct smc_banks_pattern *pattern = smc_banks_shown(banks);
    bool placed = banks->choice.placed;
    uint32_t last_warp = banks->answer.warps_per_block - 1, last_turn = pattern->steps - 1;
    banks->warp = placed ? at_most(banks->choice.warp, last_warp) : pattern->worst_warp;
    banks->turn = placed ? at_most(banks->choice.turn, last_turn) : pattern->worst_step;
    banks->top = 0;
    enum smc_status status =
        smc_banks_change_access(&banks->answer, &banks->change, banks->pattern, banks->warp,
                                banks->turn, &banks->access, error);
    if (status == SMC_OK) {
        smc_banks_map(&banks->answer.layout, &banks->access, &banks->map);
        smc_bank_memory_find(&banks->answer.layout, &banks->access, &banks->memory);
    }
    return status;
}

/* What is an option elsewhere is called the address here. */
static void conclude(struct smc_banks_state *banks, enum smc_status status,
                     const struct smc_error *error)
{
    static const char option[] = "option --expr: ";
    struct smc_error told = *error;
    if (strncmp(error->message, option, sizeof option - 1) == 0)
        smc_fail(&told, status, "address: %s", error->message + sizeof option - 1);
    banks->answered = status == SMC_OK;
    snprintf(banks->why, sizeof banks->why, "%s", told.message);
}

static void show(struct smc_banks_state *banks)
{
    struct smc_error error = {""};
    conclude(banks, show_access(banks, &error), &error);
}

/* Costs with the layout that is chosen. */
static void rearrange(struct smc_banks_state *banks)
{
    struct smc_error error = {""};
    arrange_all(banks);
    smc_banks_change_expression(&banks->answer, &banks->change, banks->expression);
    enum smc_status status =
        smc_banks_change_count(&banks->answer, &banks->change, banks->total, &error);
    if (status == SMC_OK)
        status = show_access(banks, &error);
    conclude(banks, status, &error);
}

static void find_answer(struct smc_banks_state *banks)
{
    struct smc_banks_query query;
    struct smc_error error = {""};
    smc_banks_ask(banks, &query);
    enum smc_status status = smc_banks_answer(&query, &banks->answer, &error);
    if (status != SMC_OK) {
        banks->answer.pattern_count = 0;
        conclude(banks, status, &error);
        return;
    }
    banks->pattern = at_most(banks->pattern, banks->answer.pattern_count - 1);
    rearrange(banks);
}

/* What it takes to find the answer anew; the rest is a matter of layout and place. */
static bool asks_otherwise(const struct smc_banks_choice *a, const struct smc_banks_choice *b)
{
    return a->own != b->own || strcmp(a->expression, b->expression) != 0 ||
           memcmp(a->block, b->block, sizeof a->block) != 0 || a->width_bytes != b->width_bytes ||
           a->row_elements != b->row_elements || a->op != b->op || a->mode != b->mode;
}

static void update(struct smc_banks_state *banks, const struct smc_banks_choice *before)
{
    if (asks_otherwise(before, &banks->choice) || !banks->answered)
        find_answer(banks);
    else if (memcmp(before->array, banks->choice.array, sizeof before->array) != 0)
        rearrange(banks);
    else
        show(banks);
}

void smc_banks_open(struct smc_banks_state *banks, const struct smc_query *query)
{
    bool fresh = !banks->opened || banks->launch.kernel != query->kernel;
    if (!banks->opened)
        banks->choice = first_choice;
    if (fresh) { /* other arrays */
        banks->undo_count = 0;
        banks->choice.placed = false;
        memset(banks->choice.array, 0, sizeof banks->choice.array);
    }
    banks->opened = true;
    smc_banks_query_init(&banks->launch);
    banks->launch.device = query->device;
    banks->launch.device_assumed = query->device_assumed;
    banks->launch.kernel = query->kernel;
    banks->launch.params = query->params;
    find_answer(banks);
    if (fresh && banks->answered)
        smc_banks_go(banks, (int)banks->answer.worst);
}

void smc_banks_changed(struct smc_banks_state *banks, const struct smc_banks_choice *before)
{
    if (banks->undo_count == SMC_BANKS_UNDO_STEPS)
        memmove(banks->undo, banks->undo + 1, --banks->undo_count * sizeof banks->undo[0]);
    banks->undo[banks->undo_count++] = *before;
    update(banks, before);
}

bool smc_banks_undo(struct smc_banks_state *banks)
{
    if (banks->undo_count == 0)
        return false;
    struct smc_banks_choice before = banks->choice;
    banks->choice = banks->undo[--banks->undo_count];
    update(banks, &before);
    return true;
}

int smc_banks_place(const struct smc_banks_state *banks)
{
    enum smc_bank_field fields[SMC_BANK_FIELD_COUNT];
    int count = (int)smc_bank_fields_shown(banks, fields), place = 0;
    if (!banks->on_field && banks->answer.pattern_count)
        return (int)banks->pattern;
    for (int i = 0; i < count; i++)
        if (fields[i] == banks->field)
            place = i;
    return (int)banks->answer.pattern_count + place;
}

void smc_banks_go(struct smc_banks_state *banks, int place)
{
    enum smc_bank_field fields[SMC_BANK_FIELD_COUNT];
    int patterns = (int)banks->answer.pattern_count;
    int last = patterns + (int)smc_bank_fields_shown(banks, fields) - 1;
    place = place < 0 ? 0 : place > last ? last : place;
    banks->on_field = place >= patterns;
    if (banks->on_field) {
        banks->field = fields[place - patterns];
    } else if ((uint32_t)place != banks->pattern) {
        banks->pattern = (uint32_t)place;
        show(banks);
    }
}

void smc_banks_move(struct smc_banks_state *banks, int direction)
{
    int place = smc_banks_place(banks), patterns = (int)banks->answer.pattern_count;
    bool leaves = direction < 0 && patterns && place == patterns;
    smc_banks_go(banks, leaves ? (int)banks->pattern : place + direction);
}

void smc_banks_enter(struct smc_banks_state *banks)
{
    smc_banks_go(banks, (int)banks->answer.pattern_count);
}
