/* The banks view's state: which accesses are shown, how their arrays are laid out and what they
   cost; the fields that change it, and where the panels are. */
#include "show/tui/banks_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "show/report/banks_report.h"

/* A column of a tile of 32 x 32 floats, the classic case for padding. */
static const struct smc_banks_choice first_choice = {
    .expression = "(tx*32 + ty)*4",
    .block = {32, 8, 1},
    .width_bytes = 4,
    .accesses = "st.16 rows; ldmatrix.x4",
};

/* Whether the launch has a kernel that uses shared memory. */
static bool banks_state_has_kernel(const struct smc_banks_state *banks)
{
    return banks->launch.kernel && banks->launch.kernel->shared_accesses;
}

bool smc_banks_is_found(const struct smc_banks_state *banks)
{
    return banks->found && !banks->choice.own && !smc_banks_is_tile(banks);
}

bool smc_banks_is_own(const struct smc_banks_state *banks)
{
    return banks->choice.own || !(banks_state_has_kernel(banks) || banks->found);
}

bool smc_banks_is_tile(const struct smc_banks_state *banks)
{
    return banks->choice.layout[0] != '\0';
}

const struct smc_banks_pattern *smc_banks_shown(const struct smc_banks_state *banks)
{
    return &banks->answer.pattern[banks->pattern];
}

/* --- Layout of the arrays --- */

/* The largest power of two, up to the banks, that divides a row; 0 for an odd row. */
static uint32_t widest_span(uint32_t row_elements)
{
    uint32_t span = row_elements & -row_elements;
    return span < 2 ? 0 : span > SMC_MAX_BANKS ? SMC_MAX_BANKS : span;
}

/* The first pattern of an array that has a remedy, which all its patterns share. */
static const struct smc_banks_pattern *representative(const struct smc_banks_answer *answer,
                                                      uint32_t array)
{
    for (uint32_t i = array; i < answer->pattern_count; i++) {
        const struct smc_banks_pattern *pattern = &answer->pattern[i];
        if (pattern->array == array && (pattern->padding.found || pattern->swizzle.found))
            return pattern;
    }
    return &answer->pattern[array];
}

/* The layout of an array of the answer with the chosen padding and with or without a swizzle;
   swizzle_span is 0 where the rows allow none. */
static void arrange(const struct smc_banks_state *banks, uint32_t array, bool swizzled,
                    struct smc_rearrangement *out)
{
    const struct smc_banks_pattern *pattern = representative(&banks->answer, array);
    const struct smc_remedy *padding = &pattern->padding, *swizzle = &pattern->swizzle;
    int32_t elements = banks->choice.array[array].padding_elements;
    *out = (struct smc_rearrangement){
        .first_byte = pattern->first_byte,
        .element_bytes = pattern->width_bytes,
        .row_elements = pattern->row_elements,
    };
    if (elements < 0) {
        *out = pattern->narrower.rearrangement;
        out->dropped_elements = (uint32_t)-elements;
        return;
    }
    if (swizzled && swizzle->found) {
        *out = swizzle->rearrangement;
    } else {
        if (padding->found)
            out->row_elements = padding->rearrangement.row_elements;
        out->swizzle_span = swizzled ? widest_span(out->row_elements) : 0;
    }
    out->padding_elements = (uint32_t)elements;
}

/* Padding can be dropped where that is a remedy; a swizzle may need the columns. */
static int32_t least_padding(const struct smc_banks_state *banks, uint32_t array)
{
    const struct smc_remedy *narrower = &banks->answer.pattern[array].narrower;
    bool drops = narrower->found && !banks->choice.array[array].swizzled;
    return drops ? -(int32_t)narrower->rearrangement.dropped_elements : 0;
}

static void arrange_all(struct smc_banks_state *banks)
{
    memset(&banks->change, 0, sizeof banks->change);
    for (uint32_t i = 0; i < banks->answer.pattern_count; i++) {
        int32_t *padding = &banks->choice.array[i].padding_elements;
        bool swizzled = banks->choice.array[i].swizzled;
        *padding = *padding < least_padding(banks, i) ? least_padding(banks, i) : *padding;
        if (banks->answer.pattern[i].array == i && (*padding || swizzled))
            arrange(banks, i, swizzled, &banks->change.array[i]);
    }
}

/* The index of a row, which is inserted where it is new. */
static size_t index_of_row(uint32_t row, struct smc_bank_memory *memory)
{
    size_t at = memory->count;
    while (at > 0 && memory->row[at - 1] >= row)
        at--;
    if (at < memory->count && memory->row[at] == row)
        return at;
    size_t after = memory->count++ - at;
    memmove(&memory->row[at + 1], &memory->row[at], after * sizeof memory->row[0]);
    memmove(&memory->lanes[at + 1], &memory->lanes[at], after * sizeof memory->lanes[0]);
    memory->row[at] = row;
    memset(memory->lanes[at], 0, sizeof memory->lanes[at]);
    return at;
}

void smc_bank_memory_find(const struct smc_bank_layout *layout, const struct smc_access *access,
                          struct smc_bank_memory *memory)
{
    enum { WORD_BYTES = 4 };
    memory->count = 0;
    memory->row_bytes = layout->banks * smc_bank_bytes(layout);
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        if (!(access->mask >> lane & 1))
            continue;
        for (uint32_t byte = 0; byte < access->width_bytes; byte += WORD_BYTES) {
            uint32_t address = access->address[lane] + byte;
            size_t at = index_of_row(address / memory->row_bytes, memory);
            memory->lanes[at][smc_bank_at(layout, address)] |= 1u << lane;
        }
    }
}

/* --- Answers --- */

/* The question about the kernel's accesses or the expression. */
static void make_query(const struct smc_banks_state *banks, struct smc_banks_query *query)
{
    const struct smc_banks_choice *choice = &banks->choice;
    *query = banks->launch;
    query->mode = query->device.sm.bank_width_bytes == 8 ? choice->mode : SMC_BANK_MODE_4_BYTES;
    if (smc_banks_is_tile(banks)) {
        query->kernel = NULL;
        query->tile = &banks->question;
        return;
    }
    if (!smc_banks_is_own(banks))
        return;
    query->kernel = NULL;
    query->expression = choice->expression;
    query->expression_name = "address";
    memcpy(query->block, choice->block, sizeof query->block);
    query->width_bytes = choice->width_bytes;
    query->op = choice->op;
    query->row_elements = choice->row_elements;
}

/* The worst warp of an access of the user's kernel. */
static void show_found(struct smc_banks_state *banks)
{
    banks->access = smc_banks_shown(banks)->worst;
    banks->warp = smc_banks_shown(banks)->worst_warp;
    banks->map = (struct smc_bank_map){0};
    banks->memory.count = 0;
    if (smc_banks_shown(banks)->unknown)
        return;
    smc_banks_map(&banks->answer.layout, &banks->access, &banks->map);
    smc_bank_memory_find(&banks->answer.layout, &banks->access, &banks->memory);
}

/* Finds the access to show: the one the user chose, or else the worst of the layout as written,
   which is the one to watch while the layout changes. */
static enum smc_status show_access(struct smc_banks_state *banks, struct smc_error *error)
{
    const struct smc_banks_pattern *pattern = smc_banks_shown(banks);
    bool placed = banks->choice.placed;
    uint32_t last_warp = banks->answer.warps_per_block - 1, last_iteration = pattern->steps - 1;
    banks->warp = placed ? smc_at_most(banks->choice.warp, last_warp) : pattern->worst_warp;
    banks->iteration =
        placed ? smc_at_most(banks->choice.iteration, last_iteration) : pattern->worst_step;
    banks->top = 0;
    if (smc_banks_is_found(banks)) {
        show_found(banks);
        return SMC_OK;
    }
    SMC_TRY(banks->answer.query.tile
                ? smc_tile_answer_access(&banks->question, &banks->question.tile, banks->pattern,
                                         banks->iteration, &banks->access, error)
                : smc_banks_change_access(&banks->answer, &banks->change, banks->pattern,
                                          banks->warp, banks->iteration, &banks->access, error));
    smc_banks_map(&banks->answer.layout, &banks->access, &banks->map);
    smc_bank_memory_find(&banks->answer.layout, &banks->access, &banks->memory);
    return SMC_OK;
}

static void conclude(struct smc_banks_state *banks, enum smc_status status,
                     const struct smc_error *error)
{
    banks->answered = status == SMC_OK;
    snprintf(banks->why, sizeof banks->why, "%s", error->message);
}

static void banks_state_show(struct smc_banks_state *banks)
{
    struct smc_error error = {""};
    conclude(banks, show_access(banks, &error), &error);
}

/* Counts with the chosen layout. */
static void rearrange(struct smc_banks_state *banks)
{
    struct smc_error error = {""};
    if (banks->answer.query.tile || smc_banks_is_found(banks)) {
        for (uint32_t i = 0; i < banks->answer.pattern_count; i++)
            banks->total[i] = banks->answer.pattern[i].total;
        banks_state_show(banks);
        return;
    }
    arrange_all(banks);
    smc_banks_change_expression(&banks->answer, &banks->change, banks->expression);
    enum smc_status status =
        smc_banks_change_count(&banks->answer, &banks->change, banks->total, &error);
    if (status == SMC_OK)
        status = show_access(banks, &error);
    conclude(banks, status, &error);
}

/* The array with the choice's swizzle. */
static enum smc_status read_question(const struct smc_banks_choice *choice,
                                     struct smc_tile_question *question, struct smc_error *error)
{
    const struct smc_tile_texts texts = {.layout = choice->layout, .accesses = choice->accesses};
    enum smc_status status = smc_tile_question_read(&texts, question, error);
    question->tile.swizzle = choice->swizzle;
    return status;
}

static void add_found(const struct smc_open_access *access, uint32_t index,
                      struct smc_banks_answer *answer)
{
    struct smc_banks_pattern *pattern = &answer->pattern[index];
    *pattern = (struct smc_banks_pattern){
        .op = access->op,
        .width_bytes = access->width_bytes,
        .array = index,
        .steps = 1,
        .unknown = access->unknown,
        .total = access->total,
        .worst = access->worst,
        .worst_warp = access->worst_warp,
    };
    snprintf(pattern->label, sizeof pattern->label, "%s", access->label);
    const struct smc_bank_cost *worst = &answer->pattern[answer->worst].total;
    if (access->total.wavefronts - access->total.least > worst->wavefronts - worst->least)
        answer->worst = index;
}

/* What was found in the PTX of a kernel of the user's file. */
static void answer_found(struct smc_banks_state *banks)
{
    const struct smc_open_accesses *found = banks->found;
    struct smc_banks_answer *answer = &banks->answer;
    struct smc_error error = {""};
    *answer = (struct smc_banks_answer){.query = banks->launch, .warps_per_block = found->warps};
    smc_bank_layout_of(&banks->launch.device.sm, banks->choice.mode, &answer->layout);
    for (size_t i = 0; found->known && i < found->count; i++)
        add_found(&found->item[i], answer->pattern_count++, answer);
    if (answer->pattern_count == 0) {
        smc_fail(&error, SMC_USAGE, "%s",
                 !found->known ? "finding the accesses of this kernel to shared memory\xe2\x80\xa6"
                 : found->why[0] ? found->why
                                 : "this kernel does not access shared memory");
        conclude(banks, SMC_USAGE, &error);
        return;
    }
    banks->pattern = smc_at_most(banks->pattern, answer->pattern_count - 1);
    rearrange(banks);
}

static void find_answer(struct smc_banks_state *banks)
{
    struct smc_banks_query query;
    if (smc_banks_is_found(banks)) {
        answer_found(banks);
        return;
    }
    struct smc_error error = {""};
    enum smc_status status = SMC_OK;
    if (smc_banks_is_tile(banks))
        status = read_question(&banks->choice, &banks->question, &error);
    make_query(banks, &query);
    if (status == SMC_OK)
        status = smc_banks_answer(&query, &banks->answer, &error);
    if (status != SMC_OK) {
        banks->answer.pattern_count = 0;
        conclude(banks, status, &error);
        return;
    }
    banks->pattern = smc_at_most(banks->pattern, banks->answer.pattern_count - 1);
    rearrange(banks);
}

/* Whether the choices need different answers; otherwise only the layout or the place differs. */
static bool answers_differ(const struct smc_banks_choice *a, const struct smc_banks_choice *b)
{
    return a->own != b->own || strcmp(a->expression, b->expression) != 0 ||
           memcmp(a->block, b->block, sizeof a->block) != 0 || a->width_bytes != b->width_bytes ||
           a->row_elements != b->row_elements || a->op != b->op || a->mode != b->mode ||
           strcmp(a->layout, b->layout) != 0 || strcmp(a->accesses, b->accesses) != 0 ||
           memcmp(&a->swizzle, &b->swizzle, sizeof a->swizzle) != 0;
}

static bool same_arrays(const struct smc_banks_choice *a, const struct smc_banks_choice *b)
{
    for (size_t i = 0; i < sizeof a->array / sizeof *a->array; i++)
        if (a->array[i].padding_elements != b->array[i].padding_elements ||
            a->array[i].swizzled != b->array[i].swizzled)
            return false;
    return true;
}

/* Another array, or other accesses to it, begin with the worst. */
static void show_worst_of_array(struct smc_banks_state *banks,
                                const struct smc_banks_choice *before)
{
    const struct smc_banks_choice *now = &banks->choice;
    if (!banks->answered || !banks->answer.query.tile ||
        (strcmp(now->layout, before->layout) == 0 && strcmp(now->accesses, before->accesses) == 0))
        return;
    banks->pattern = banks->answer.worst;
    banks_state_show(banks);
}

static void banks_update(struct smc_banks_state *banks, const struct smc_banks_choice *before)
{
    if (answers_differ(before, &banks->choice) || !banks->answered) {
        find_answer(banks);
        show_worst_of_array(banks, before);
    } else if (!same_arrays(before, &banks->choice))
        rearrange(banks);
    else
        banks_state_show(banks);
}

/* A shape typed for the launch is that of the expression, too, until another one is typed for it.
 */
static void follow_block(struct smc_banks_state *banks, const struct smc_query *query)
{
    const uint32_t *block = query->block;
    if ((int64_t)block[0] * block[1] * block[2] != query->threads_per_block ||
        block[1] * block[2] == 1 || memcmp(block, banks->followed, sizeof banks->followed) == 0)
        return;
    memcpy(banks->followed, block, sizeof banks->followed);
    memcpy(banks->choice.block, block, sizeof banks->choice.block);
}

static void banks_state_open(struct smc_banks_state *banks, const struct smc_query *query,
                             bool fresh)
{
    if (!banks->opened)
        banks->choice = first_choice;
    follow_block(banks, query);
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

void smc_banks_open(struct smc_banks_state *banks, const struct smc_query *query)
{
    bool fresh = !banks->opened || banks->found || banks->launch.kernel != query->kernel;
    banks->found = NULL;
    banks_state_open(banks, query, fresh);
}

/* Other accesses than before begin with the worst. */
void smc_banks_open_found(struct smc_banks_state *banks, const struct smc_query *query,
                          const struct smc_open_accesses *found)
{
    bool fresh = !banks->opened || banks->found != found || !banks->answered ||
                 strcmp(banks->found_kernel, found->kernel) != 0;
    banks->found = found;
    snprintf(banks->found_kernel, sizeof banks->found_kernel, "%s", found->kernel);
    banks_state_open(banks, query, fresh);
}

void smc_banks_choose(struct smc_banks_state *banks, const struct smc_banks_choice *choice)
{
    struct smc_banks_choice before = banks->choice;
    if (!answers_differ(&before, choice) && same_arrays(&before, choice) &&
        before.placed == choice->placed && before.warp == choice->warp &&
        before.iteration == choice->iteration)
        return;
    if (banks->undo_count == SMC_BANKS_UNDO_STEPS)
        memmove(banks->undo, banks->undo + 1, --banks->undo_count * sizeof banks->undo[0]);
    banks->undo[banks->undo_count++] = before;
    banks->choice = *choice;
    banks_update(banks, &before);
}

bool smc_banks_undo(struct smc_banks_state *banks)
{
    if (banks->undo_count == 0)
        return false;
    struct smc_banks_choice before = banks->choice;
    banks->choice = banks->undo[--banks->undo_count];
    banks_update(banks, &before);
    return true;
}

/* --- Cursor --- */

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
        banks_state_show(banks);
    }
}

void smc_banks_move(struct smc_banks_state *banks, int direction)
{
    int place = smc_banks_place(banks), patterns = (int)banks->answer.pattern_count;
    bool leaves = direction < 0 && patterns && place == patterns;
    smc_banks_go(banks, leaves ? (int)banks->pattern : place + direction);
}

/* --- Fields --- */

enum { MOST_THREADS = 1024, MOST_ROW = 1000000, WIDEST = 16, WORST = -1, MOST_SWIZZLE_BITS = 6 };

static const struct {
    const char *label;
    int64_t initial;
    int64_t far; /* a large step; 0: doubled and halved */
    bool is_switch;
} info[SMC_BANK_FIELD_COUNT] = {
    [SMC_BANK_FIELD_PADDING] = {"padding", 0, 8, false},
    [SMC_BANK_FIELD_SWIZZLE] = {"swizzle", false, 1, true},
    [SMC_BANK_FIELD_WARP] = {"warp", WORST, 8, false},
    [SMC_BANK_FIELD_ITERATION] = {"iteration", WORST, 8, false},
    [SMC_BANK_FIELD_EXPRESSION] = {"address", false, 1, false},
    [SMC_BANK_FIELD_BLOCK] = {"block", 0, 1, false},
    [SMC_BANK_FIELD_WIDTH] = {"width", 4, 0, false},
    [SMC_BANK_FIELD_ACCESS] = {"access", SMC_BANK_LOAD, 1, true},
    [SMC_BANK_FIELD_ROW] = {"row", 0, 0, false},
    [SMC_BANK_FIELD_MODE] = {"bank size", SMC_BANK_MODE_4_BYTES, 1, true},
    [SMC_BANK_FIELD_LAYOUT] = {"layout", 0, 1, false},
    [SMC_BANK_FIELD_ACCESSES] = {"accesses", 0, 1, false},
    [SMC_BANK_FIELD_BITS] = {"swizzle B", 0, 3, false},
    [SMC_BANK_FIELD_BASE] = {"swizzle M", 0, 3, false},
    [SMC_BANK_FIELD_SHIFT] = {"swizzle S", 0, 3, false},
};

static bool banks_applies(const struct smc_banks_state *banks, enum smc_bank_field field)
{
    bool has_pattern = banks->answer.pattern_count > 0;
    if (smc_banks_is_found(banks)) /* changed in the source */
        return field == SMC_BANK_FIELD_LAYOUT || field == SMC_BANK_FIELD_EXPRESSION;
    if (field >= SMC_BANK_FIELD_ACCESSES && field <= SMC_BANK_FIELD_SHIFT)
        return smc_banks_is_tile(banks);
    if (smc_banks_is_tile(banks) && field != SMC_BANK_FIELD_LAYOUT &&
        field != SMC_BANK_FIELD_ITERATION && field != SMC_BANK_FIELD_MODE)
        return false;
    switch (field) {
    case SMC_BANK_FIELD_LAYOUT:
    case SMC_BANK_FIELD_EXPRESSION:
        return true;
    case SMC_BANK_FIELD_PADDING:
    case SMC_BANK_FIELD_SWIZZLE:
    case SMC_BANK_FIELD_WARP:
        return has_pattern;
    case SMC_BANK_FIELD_ROW:
        return has_pattern && smc_banks_is_own(banks);
    case SMC_BANK_FIELD_ITERATION:
        return has_pattern && smc_banks_shown(banks)->steps > 1;
    case SMC_BANK_FIELD_MODE:
        return banks->launch.device.sm.bank_width_bytes == 8;
    default:
        return smc_banks_is_own(banks);
    }
}

size_t smc_bank_fields_shown(const struct smc_banks_state *banks,
                             enum smc_bank_field list[SMC_BANK_FIELD_COUNT])
{
    size_t count = 0;
    for (int field = 0; field < SMC_BANK_FIELD_COUNT; field++)
        if (banks_applies(banks, (enum smc_bank_field)field))
            list[count++] = (enum smc_bank_field)field;
    return count;
}

/* Every field but the block is a number; a switch is 0 or 1. */
struct banks_state_range {
    int64_t now, lowest, highest;
};

static struct banks_state_range range_of(const struct smc_banks_state *banks,
                                         enum smc_bank_field field)
{
    const struct smc_banks_choice *choice = &banks->choice;
    const struct smc_banks_pattern *pattern = smc_banks_shown(banks);
    struct smc_rearrangement swizzle;
    arrange(banks, pattern->array, true, &swizzle);
    const bool has_other = banks_state_has_kernel(banks) || banks->found;
    const struct banks_state_range ranges[SMC_BANK_FIELD_COUNT] = {
        [SMC_BANK_FIELD_PADDING] = {choice->array[pattern->array].padding_elements,
                                    least_padding(banks, pattern->array), SMC_MOST_PADDING},
        [SMC_BANK_FIELD_SWIZZLE] = {choice->array[pattern->array].swizzled, 0,
                                    swizzle.swizzle_span > 0},
        [SMC_BANK_FIELD_WARP] = {banks->warp, 0, (int64_t)banks->answer.warps_per_block - 1},
        [SMC_BANK_FIELD_ITERATION] = {banks->iteration, 0, (int64_t)pattern->steps - 1},
        [SMC_BANK_FIELD_EXPRESSION] = {choice->own, has_other ? 0 : choice->own,
                                       has_other ? 1 : choice->own},
        [SMC_BANK_FIELD_WIDTH] = {choice->width_bytes, 1, WIDEST},
        [SMC_BANK_FIELD_ACCESS] = {choice->op, SMC_BANK_LOAD, SMC_BANK_STORE},
        [SMC_BANK_FIELD_ROW] = {choice->row_elements ? choice->row_elements : pattern->row_elements,
                                1, MOST_ROW},
        [SMC_BANK_FIELD_MODE] = {choice->mode, SMC_BANK_MODE_4_BYTES, SMC_BANK_MODE_8_BYTES},
        [SMC_BANK_FIELD_BITS] = {choice->swizzle.bits, 0, MOST_SWIZZLE_BITS},
        [SMC_BANK_FIELD_BASE] = {choice->swizzle.base, 0, MOST_SWIZZLE_BITS},
        [SMC_BANK_FIELD_SHIFT] = {choice->swizzle.shift, -MOST_SWIZZLE_BITS, MOST_SWIZZLE_BITS},
    };
    return ranges[field];
}

/* Another question begins with the layout of its own text. */
static void set_own(bool own, struct smc_banks_choice *choice)
{
    choice->own = own;
    choice->placed = false;
    choice->row_elements = 0;
    memset(choice->array, 0, sizeof choice->array);
}

/* Setting the warp or the iteration keeps the other one as it is shown. */
static void set_place(int64_t warp, int64_t iteration, struct smc_banks_choice *choice)
{
    choice->placed = warp != WORST && iteration != WORST;
    choice->warp = choice->placed ? (uint32_t)warp : choice->warp;
    choice->iteration = choice->placed ? (uint32_t)iteration : choice->iteration;
}

/* The smallest base, which keeps together what a lane accesses. */
static uint32_t kept_together(const struct smc_tile_question *question)
{
    uint32_t bits = question->tile.element_bits, base = 0;
    for (uint32_t i = 0; i < question->access_count; i++)
        while (bits << base < question->access[i].width_bytes * 8)
            base++;
    return base;
}

/* The distance between the bits that are joined is at least their number: more bits move it, and a
   smaller distance is the negative one, or on the way back the positive one. */
static void set_swizzle(const struct smc_tile_question *question, enum smc_bank_field field,
                        int64_t value, struct smc_banks_choice *choice)
{
    struct smc_swizzle *swizzle = &choice->swizzle;
    const int32_t before = swizzle->shift;
    if (field == SMC_BANK_FIELD_BITS && !swizzle->bits && !swizzle->base)
        swizzle->base = kept_together(question);
    if (field == SMC_BANK_FIELD_BITS)
        swizzle->bits = (uint32_t)value;
    else if (field == SMC_BANK_FIELD_BASE)
        swizzle->base = (uint32_t)value;
    else
        swizzle->shift = (int32_t)value;
    const int32_t bits = (int32_t)swizzle->bits;
    const bool falls = field == SMC_BANK_FIELD_SHIFT && swizzle->shift < before;
    if (abs(swizzle->shift) < bits)
        swizzle->shift = falls || (field != SMC_BANK_FIELD_SHIFT && before < 0) ? -bits : bits;
}

static void banks_state_set_text(enum smc_bank_field field, const char *text,
                                 struct smc_banks_choice *choice)
{
    struct smc_cute_layout layout;
    struct smc_swizzle swizzle = {0};
    bool is_layout = field == SMC_BANK_FIELD_LAYOUT;
    choice->placed = false;
    snprintf(is_layout ? choice->layout : choice->accesses, sizeof choice->layout, "%s", text);
    if (!is_layout)
        return;
    if (smc_cute_parse(text, "", &layout, &swizzle, NULL) != SMC_OK)
        swizzle = (struct smc_swizzle){0};
    choice->swizzle = swizzle;
}

static void banks_set(const struct smc_banks_state *banks, enum smc_bank_field field, int64_t value,
                      struct smc_banks_choice *choice)
{
    uint32_t array = smc_banks_shown(banks)->array;
    switch (field) {
    case SMC_BANK_FIELD_PADDING:
        choice->array[array].padding_elements = (int32_t)value;
        break;
    case SMC_BANK_FIELD_SWIZZLE:
        choice->array[array].swizzled = value;
        break;
    case SMC_BANK_FIELD_WARP:
        set_place(value, banks->iteration, choice);
        break;
    case SMC_BANK_FIELD_ITERATION:
        set_place(banks->warp, value, choice);
        break;
    case SMC_BANK_FIELD_EXPRESSION:
        set_own(value, choice);
        break;
    case SMC_BANK_FIELD_WIDTH:
        choice->width_bytes = (uint32_t)value;
        break;
    case SMC_BANK_FIELD_ACCESS:
        choice->op = (enum smc_bank_op)value;
        break;
    case SMC_BANK_FIELD_ROW:
        choice->row_elements = (uint32_t)value;
        break;
    case SMC_BANK_FIELD_MODE:
        choice->mode = (enum smc_bank_mode)value;
        break;
    case SMC_BANK_FIELD_LAYOUT:
        banks_state_set_text(field, "", choice);
        break;
    case SMC_BANK_FIELD_ACCESSES:
        banks_state_set_text(field, first_choice.accesses, choice);
        break;
    case SMC_BANK_FIELD_BITS:
    case SMC_BANK_FIELD_BASE:
    case SMC_BANK_FIELD_SHIFT:
        set_swizzle(&banks->question, field, value, choice);
        break;
    default:
        break;
    }
}

static void step_block(int direction, uint32_t *edge, uint32_t threads)
{
    if (direction > 0 && 2 * threads <= MOST_THREADS)
        *edge *= 2;
    else if (direction < 0 && *edge % 2 == 0)
        *edge /= 2;
}

void smc_bank_field_step(const struct smc_banks_state *banks, enum smc_bank_field field,
                         int direction, bool far, struct smc_banks_choice *choice)
{
    struct banks_state_range range = range_of(banks, field);
    uint32_t *block = choice->block;
    int64_t value = range.now;
    if (field == SMC_BANK_FIELD_BLOCK) {
        step_block(direction, &block[far ? 0 : 1], block[0] * block[1] * block[2]);
        return;
    }
    if (info[field].far == 0 && (far || field == SMC_BANK_FIELD_WIDTH))
        value = direction > 0 ? 2 * value : value / 2;
    else
        value += direction * (far ? info[field].far : 1);
    value = value > range.highest ? range.highest : value < range.lowest ? range.lowest : value;
    if (value != range.now)
        banks_set(banks, field, value, choice);
}

bool smc_bank_field_flip(const struct smc_banks_state *banks, enum smc_bank_field field,
                         struct smc_banks_choice *choice)
{
    if (info[field].is_switch)
        smc_bank_field_step(banks, field, range_of(banks, field).now ? -1 : 1, false, choice);
    return info[field].is_switch;
}

void smc_bank_field_reset(const struct smc_banks_state *banks, enum smc_bank_field field,
                          struct smc_banks_choice *choice)
{
    banks_set(banks, field, info[field].initial, choice);
}

/* --- Typing into fields --- */

const char *smc_bank_field_text(const struct smc_banks_choice *choice, enum smc_bank_field field)
{
    return field == SMC_BANK_FIELD_EXPRESSION ? choice->expression
           : field == SMC_BANK_FIELD_LAYOUT   ? choice->layout
           : field == SMC_BANK_FIELD_ACCESSES ? choice->accesses
                                              : NULL;
}

void smc_bank_field_hint(const struct smc_banks_state *banks, enum smc_bank_field field,
                         char hint[128])
{
    struct banks_state_range range = range_of(banks, field);
    if (field == SMC_BANK_FIELD_LAYOUT)
        snprintf(hint, 128, "such as half t[128][64] or (128,64):(64,1)");
    else if (field == SMC_BANK_FIELD_ACCESSES)
        snprintf(hint, 128, "such as st.16 rows; ldmatrix.x4.trans");
    else if (field == SMC_BANK_FIELD_EXPRESSION)
        snprintf(hint, 128, "bytes, of tx ty tz lane warp bx by bz");
    else if (field == SMC_BANK_FIELD_BLOCK)
        snprintf(hint, 128, "a shape such as 256, 32x8 or 8x8x4 of 1 to %d threads", MOST_THREADS);
    else if (field == SMC_BANK_FIELD_WIDTH)
        snprintf(hint, 128, "1, 2, 4, 8 or %d bytes", WIDEST);
    else
        snprintf(hint, 128, "between %" PRId64 " and %" PRId64, range.lowest, range.highest);
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
    struct banks_state_range range = range_of(banks, field);
    int64_t value;
    if (!smc_parse_integer(typed, range.lowest, range.highest, &value) ||
        (field == SMC_BANK_FIELD_WIDTH && (value & (value - 1))))
        return false;
    banks_set(banks, field, value, choice);
    return true;
}

enum smc_status smc_bank_field_type(const struct smc_banks_state *banks, enum smc_bank_field field,
                                    const char *typed, struct smc_banks_choice *choice,
                                    struct smc_error *error)
{
    char hint[128];
    if (field == SMC_BANK_FIELD_LAYOUT || field == SMC_BANK_FIELD_ACCESSES) {
        if (strlen(typed) > SMC_CUTE_CHARS)
            return smc_fail(error, SMC_USAGE, "longer than %d characters", SMC_CUTE_CHARS);
        banks_state_set_text(field, typed, choice);
        return SMC_OK;
    }
    if (field == SMC_BANK_FIELD_EXPRESSION) {
        if (strlen(typed) > SMC_EXPRESSION_CHARS)
            return smc_fail(error, SMC_USAGE, "the expression is longer than %d characters",
                            SMC_EXPRESSION_CHARS);
        set_own(true, choice);
        snprintf(choice->expression, sizeof choice->expression, "%s", typed);
        return SMC_OK;
    }
    if (field == SMC_BANK_FIELD_BLOCK ? type_block(typed, choice)
                                      : type_number(banks, field, typed, choice))
        return SMC_OK;
    smc_bank_field_hint(banks, field, hint);
    return smc_fail(error, SMC_USAGE, "'%.64s' is not %s", typed, hint);
}

/* --- What fields show --- */

static void show_swizzle(const struct smc_banks_state *banks, struct smc_field_view *view)
{
    struct smc_rearrangement layout;
    uint32_t array = smc_banks_shown(banks)->array;
    view->given = banks->choice.array[array].swizzled;
    arrange(banks, array, true, &layout);
    snprintf(view->value, sizeof view->value, "%s", view->given ? "on" : "off");
    if (banks->choice.array[array].padding_elements < 0)
        snprintf(view->source, sizeof view->source, "padding cut");
    else if (layout.swizzle_span == 0)
        snprintf(view->source, sizeof view->source, "rows are odd");
    else if (layout.swizzle_shift)
        snprintf(view->source, sizeof view->source, "c ^ (r >> %" PRIu32 " & %" PRIu32 ")",
                 layout.swizzle_shift, layout.swizzle_span - 1);
    else
        snprintf(view->source, sizeof view->source, "c ^ (r & %" PRIu32 ")",
                 layout.swizzle_span - 1);
}

static void show_block(const uint32_t block[3], struct smc_field_view *view)
{
    int used = snprintf(view->value, sizeof view->value, "%" PRIu32, block[0]);
    int last = block[2] > 1 ? 2 : block[1] > 1 ? 1 : 0;
    for (int i = 1; i <= last; i++)
        used +=
            snprintf(view->value + used, sizeof view->value - (size_t)used, "x%" PRIu32, block[i]);
    snprintf(view->source, sizeof view->source, "%" PRIu32 " threads",
             block[0] * block[1] * block[2]);
}

/* A number, and what follows it. */
static void banks_show_number(const struct smc_banks_state *banks, enum smc_bank_field field,
                              struct smc_field_view *view)
{
    const struct smc_banks_choice *choice = &banks->choice;
    struct smc_rearrangement layout;
    snprintf(view->value, sizeof view->value, "%" PRId64, range_of(banks, field).now);
    if (field == SMC_BANK_FIELD_PADDING) {
        arrange(banks, smc_banks_shown(banks)->array, false, &layout);
        view->given = layout.padding_elements || layout.dropped_elements;
        snprintf(view->source, sizeof view->source, "rows of %" PRIu32, layout.row_elements);
    } else if (field == SMC_BANK_FIELD_ROW) {
        view->given = choice->row_elements > 0;
        snprintf(view->source, sizeof view->source, "%s", view->given ? "" : "found");
    } else {
        bool is_warp = field == SMC_BANK_FIELD_WARP;
        view->given = choice->placed;
        snprintf(view->source, sizeof view->source, "of %" PRIu32 "%s",
                 is_warp ? banks->answer.warps_per_block : smc_banks_shown(banks)->steps,
                 is_warp && !choice->placed ? ", worst" : "");
    }
}

void smc_bank_field_show(const struct smc_banks_state *banks, enum smc_bank_field field,
                         struct smc_field_view *view)
{
    const struct smc_banks_choice *choice = &banks->choice;
    *view = (struct smc_field_view){.label = info[field].label};
    switch (field) {
    case SMC_BANK_FIELD_SWIZZLE:
        show_swizzle(banks, view);
        break;
    case SMC_BANK_FIELD_EXPRESSION:
        view->given = smc_banks_is_own(banks);
        snprintf(view->value, sizeof view->value, "%.127s",
                 view->given ? choice->expression : "the kernel's");
        break;
    case SMC_BANK_FIELD_LAYOUT:
    case SMC_BANK_FIELD_ACCESSES:
        view->given = smc_banks_is_tile(banks);
        snprintf(view->value, sizeof view->value, "%.127s",
                 view->given ? smc_bank_field_text(choice, field) : "none");
        break;
    case SMC_BANK_FIELD_BITS:
    case SMC_BANK_FIELD_BASE:
    case SMC_BANK_FIELD_SHIFT:
        view->given = choice->swizzle.bits > 0;
        snprintf(view->value, sizeof view->value, "%" PRId64, range_of(banks, field).now);
        snprintf(view->source, sizeof view->source, "%s",
                 field == SMC_BANK_FIELD_BITS   ? "bits"
                 : field == SMC_BANK_FIELD_BASE ? "elements kept together, log 2"
                                                : "distance of the bits");
        break;
    case SMC_BANK_FIELD_BLOCK:
        show_block(choice->block, view);
        break;
    case SMC_BANK_FIELD_WIDTH:
        snprintf(view->value, sizeof view->value, "%" PRIu32 " B", choice->width_bytes);
        snprintf(view->source, sizeof view->source, "per lane");
        break;
    case SMC_BANK_FIELD_ACCESS:
        snprintf(view->value, sizeof view->value, "%s", smc_words_bank_op(choice->op));
        break;
    case SMC_BANK_FIELD_MODE:
        snprintf(view->value, sizeof view->value, "%d B",
                 choice->mode == SMC_BANK_MODE_8_BYTES ? 8 : 4);
        break;
    default:
        banks_show_number(banks, field, view);
    }
}

/* --- Layout of the view --- */

enum {
    SIDE_BY_SIDE_ROWS = 28, /* the fewest with the panels left of the grid */
    LEAST_SIDE = 46,
    MOST_SIDE = 70,
    DECIMAL_CELL = 3,
    GOOD_CELL = 4,
    MOST_CELL = 6,
    LEAST_ROWS = 6,
    LIST_ROWS = 11, /* eight instructions and a heading, or nine fields */
    BANKS = 32,
};

static int grid_columns(int cell)
{
    int edges = 2, arrows = 1;
    return SMC_BANKS_LABEL_COLUMNS + cell * BANKS + arrows + edges;
}

static int banks_state_between(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

static void stack(struct smc_rect body, struct smc_banks_layout *layout)
{
    struct smc_rect top = smc_rect_share_top(
        &body, banks_state_between(body.rows * 2 / 5 + 1, LEAST_ROWS, LIST_ROWS));
    int fields = banks_state_between(top.cols * 2 / 5 + 1, 26, 44);
    layout->frame[SMC_BANKS_LIST] = smc_rect_share_left(&top, top.cols - fields + 1);
    layout->frame[SMC_BANKS_FIELDS] = top;
    int remedy = body.rows < 12 ? 3 : body.rows < 20 ? 4 : 5;
    layout->frame[SMC_BANKS_GRID] = smc_rect_share_top(&body, body.rows - remedy + 1);
    layout->frame[SMC_BANKS_REMEDY] = body;
}

static void side_by_side(struct smc_rect body, struct smc_banks_layout *layout)
{
    int side = banks_state_between(body.cols - grid_columns(GOOD_CELL) + 1, LEAST_SIDE, MOST_SIDE);
    struct smc_rect left = smc_rect_share_left(&body, side);
    layout->frame[SMC_BANKS_LIST] = smc_rect_share_top(&left, LIST_ROWS);
    layout->frame[SMC_BANKS_FIELDS] = smc_rect_share_top(&left, LIST_ROWS);
    layout->frame[SMC_BANKS_REMEDY] = left;
    layout->frame[SMC_BANKS_GRID] = body;
}

void smc_banks_lay_out(struct smc_rect body, struct smc_banks_layout *layout)
{
    bool wide = body.cols >= LEAST_SIDE - 1 + grid_columns(DECIMAL_CELL);
    if (wide && body.rows >= SIDE_BY_SIDE_ROWS)
        side_by_side(body, layout);
    else
        stack(body, layout);
    for (int i = 0; i < SMC_BANKS_PANEL_COUNT; i++)
        layout->inside[i] = smc_rect_inside(layout->frame[i]);
}

int smc_banks_cell_columns(struct smc_rect grid, uint32_t banks)
{
    return banks_state_between((grid.cols - SMC_BANKS_LABEL_COLUMNS - 1) / (int)banks, 1,
                               MOST_CELL);
}
