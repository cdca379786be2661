/* A query about accesses to shared memory and its complete answer. */
#include "answers/banks_query.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "base/parse.h"
#include "base/text.h"

/* --- The answer ------------------------------------------------------------------------------- */

void smc_banks_query_init(struct smc_banks_query *query)
{
    *query = (struct smc_banks_query){
        .expression_name = "option --expr",
        .stride = -1,
        .block = {SMC_WARP_LANES, 1, 1},
        .width_bytes = 4,
        .mask = SMC_ALL_LANES,
        .warp = SMC_ALL_WARPS,
    };
}

static enum smc_status check_warp(const struct smc_banks_answer *answer, uint32_t threads,
                                  struct smc_error *error)
{
    if (answer->query.warp < (int32_t)answer->warps_per_block)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "option --warp: '%d' is not between 0 and %u, the warps of a block of %u "
                    "threads",
                    answer->query.warp, answer->warps_per_block - 1, threads);
}

static bool same_array(const char *label, const char *other)
{
    size_t length = strcspn(label, "[");
    return strcspn(other, "[") == length && memcmp(label, other, length) == 0;
}

static void begin_pattern(const struct smc_banks_source *source,
                          const struct smc_shared_access *access, struct smc_banks_answer *answer,
                          uint32_t index)
{
    struct smc_banks_pattern *pattern = &answer->pattern[index];
    uint32_t counted = access->steps < SMC_COUNTED_STEPS ? access->steps : SMC_COUNTED_STEPS;
    *pattern = (struct smc_banks_pattern){
        .op = access->access.op,
        .width_bytes = access->access.width_bytes,
        .steps = access->steps,
        .steps_counted = counted,
        .first_byte = access->first_byte,
    };
    snprintf(pattern->label, sizeof pattern->label, "%s", access->label);
    pattern->row_elements = smc_banks_likely_row(source, pattern, access->row_elements);
    while (!same_array(answer->pattern[pattern->array].label, access->label))
        pattern->array++;
}

static uint32_t conflicts(struct smc_bank_cost cost)
{
    return cost.wavefronts - cost.least;
}

static void banks_count(const struct smc_bank_layout *layout, const struct smc_access *access,
                        uint32_t warp, uint32_t step, struct smc_banks_pattern *pattern)
{
    if (!access->mask)
        return;
    struct smc_bank_cost cost = smc_banks_count(layout, access);
    pattern->unknown |= !smc_banks_are_known(layout, access);
    if (pattern->accesses == 0 || conflicts(cost) > conflicts(pattern->map.cost)) {
        pattern->worst = *access;
        pattern->worst_warp = warp;
        pattern->worst_step = step;
        smc_banks_map(layout, access, &pattern->map);
    }
    pattern->accesses++;
    smc_bank_cost_add(&pattern->total, cost);
}

static enum smc_status banks_count_step(const struct smc_banks_source *source, uint32_t warp,
                                        uint32_t step, struct smc_banks_answer *answer,
                                        struct smc_error *error)
{
    struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES];
    size_t found;
    SMC_TRY(smc_banks_source_get(source, warp, step, list, &found, error));
    answer->pattern_count = (uint32_t)found;
    for (size_t i = 0; i < found; i++) {
        struct smc_banks_pattern *pattern = &answer->pattern[i];
        if (!pattern->steps)
            begin_pattern(source, &list[i], answer, (uint32_t)i);
        if (step < pattern->steps_counted)
            banks_count(&answer->layout, &list[i].access, warp, step, pattern);
    }
    return SMC_OK;
}

static enum smc_status count_all(const struct smc_banks_source *source,
                                 struct smc_banks_answer *answer, struct smc_error *error)
{
    bool all = answer->query.warp == SMC_ALL_WARPS;
    uint32_t first = all ? 0 : (uint32_t)answer->query.warp;
    uint32_t end = all ? answer->warps_per_block : first + 1;
    uint32_t steps = source->is_kernel ? SMC_COUNTED_STEPS : 1;
    for (uint32_t warp = first; warp < end; warp++)
        for (uint32_t step = 0; step < steps; step++)
            SMC_TRY(banks_count_step(source, warp, step, answer, error));
    for (uint32_t i = 0; i < answer->pattern_count; i++)
        answer->pattern[i].warps_counted = end - first;
    return SMC_OK;
}

static enum smc_status answer_tile(const struct smc_banks_query *query,
                                   struct smc_banks_answer *answer, struct smc_error *error)
{
    const struct smc_tile_question *question = query->tile;
    for (uint32_t i = 0; i < question->access_count; i++)
        SMC_TRY(smc_banks_check_op(question->access[i].op, question->access[i].width_bytes,
                                   &query->device.sm, "option --", error));
    return smc_tile_answer(query, answer, error);
}

enum smc_status smc_banks_answer(const struct smc_banks_query *query,
                                 struct smc_banks_answer *answer, struct smc_error *error)
{
    struct smc_banks_source source;
    if (query->tile)
        return answer_tile(query, answer, error);
    *answer = (struct smc_banks_answer){.query = *query};
    smc_bank_layout_of(&query->device.sm, query->mode, &answer->layout);
    SMC_TRY(smc_banks_source_open(&answer->query, &source, error));
    answer->warps_per_block = (uint32_t)divide_up(source.threads, SMC_WARP_LANES);
    SMC_TRY(check_warp(answer, source.threads, error));
    SMC_TRY(count_all(&source, answer, error));
    for (uint32_t i = 0; i < answer->pattern_count; i++) {
        struct smc_banks_pattern *pattern = &answer->pattern[i];
        if (pattern->unknown)
            pattern->total = pattern->map.cost = (struct smc_bank_cost){0};
        if (conflicts(pattern->map.cost) > conflicts(answer->pattern[answer->worst].map.cost))
            answer->worst = i;
        if (conflicts(pattern->total) > 0)
            SMC_TRY(smc_banks_find_remedies(&source, answer, i, pattern, error));
    }
    return SMC_OK;
}

/* --- Operations ------------------------------------------------------------------------------- */

/* "1, 2, 4, 8 or 16". */
static void banks_list_widths(uint32_t widths, struct smc_text *out)
{
    for (; widths; widths &= widths - 1)
        smc_text_printf(out, "%s%" PRIu32,
                        out->length == 0        ? ""
                        : widths & (widths - 1) ? ", "
                                                : " or ",
                        widths & -widths);
}

static enum smc_status fail_width(enum smc_bank_op op, const char *text, const char *prefix,
                                  struct smc_error *error)
{
    const struct smc_bank_operation *operation = &smc_bank_operations[op];
    const bool plain = op == SMC_BANK_LOAD || op == SMC_BANK_STORE;
    smc_auto_text list = {0};
    banks_list_widths(operation->widths, &list);
    return smc_fail(
        error, SMC_USAGE, "%swidth: '%s' is not %s%s%s", prefix, text, smc_text_string(&list),
        plain ? "" : ", the bytes that each lane accesses with ", plain ? "" : operation->name);
}

/* The first compute capability that has the operation. */
static uint16_t first_with(enum smc_bank_op op)
{
    struct smc_capability capability = {0};
    for (size_t i = 0; i < smc_capability_count(); i++) {
        smc_capability_at(i, &capability);
        if (smc_bank_op_exists(op, &capability.sm))
            break;
    }
    return capability.sm.cc;
}

enum smc_status smc_banks_check_op(enum smc_bank_op op, uint32_t width_bytes,
                                   const struct smc_sm *sm, const char *prefix,
                                   struct smc_error *error)
{
    char text[16];
    if (!smc_bank_op_exists(op, sm)) {
        const uint16_t first = first_with(op);
        return smc_fail(error, SMC_USAGE,
                        "%sop: compute capability %u.%u does not have %s; the first that has it is "
                        "%u.%u",
                        prefix, sm->cc / 10, sm->cc % 10, smc_bank_operations[op].name, first / 10,
                        first % 10);
    }
    snprintf(text, sizeof text, "%" PRIu32, width_bytes);
    return smc_bank_operations[op].widths & width_bytes ? SMC_OK
                                                        : fail_width(op, text, prefix, error);
}

enum smc_status smc_banks_read_op(const char *text, const char *prefix, enum smc_bank_op *op,
                                  struct smc_error *error)
{
    *op = smc_bank_op_find(text);
    if (*op != SMC_BANK_OPS)
        return SMC_OK;
    return smc_fail(
        error, SMC_USAGE,
        "%sop: '%s' is not ld, st, atom, atom.exch, atom.cas, red, red.one, ldmatrix.x1, .x2 or "
        ".x4, stmatrix.x1, .x2 or .x4, these with or without .trans, cp.async.ca, "
        "cp.async.ca.hit or cp.async.cg",
        prefix, text);
}

/* --- Rows of CSV ------------------------------------------------------------------------------ */

enum {
    OP = 1, /* fields of a record; the first is the id */
    WIDTH,
    MASK,
    FIRST_ADDRESS,
    FIRST_SOURCE = FIRST_ADDRESS + SMC_WARP_LANES,
    FIELDS = FIRST_SOURCE + SMC_WARP_LANES,
    LONGEST_VALUE = 32,
};

static enum smc_status fail_field(const char *name, const char *text, const char *allowed,
                                  struct smc_error *error)
{
    return smc_fail(error, SMC_USAGE, "%s: '%s' is not %s", name, text, allowed);
}

/* The text of a field, without quotes and blanks around it. */
static enum smc_status get_text(const struct smc_csv_record *record, uint32_t index,
                                const char *name, char text[LONGEST_VALUE + 1],
                                struct smc_error *error)
{
    if (index >= record->field_count)
        return smc_fail(error, SMC_USAGE, "%s is missing: a row is id,op,width,mask,a0,...,a31",
                        name);
    if (smc_csv_value(&record->field[index], text, LONGEST_VALUE + 1) > LONGEST_VALUE)
        return smc_fail(error, SMC_USAGE, "%s: '%s' is too long", name, text);
    return SMC_OK;
}

static bool parse_address(const char *text, uint32_t *address)
{
    bool hexadecimal = text[0] == '0' && (text[1] | 0x20) == 'x';
    uint64_t bytes = 0;
    int64_t number = 0;
    bool read = hexadecimal ? smc_parse_hexadecimal(text, UINT32_MAX, &bytes)
                            : smc_parse_integer(text, 0, UINT32_MAX, &number);
    *address = (uint32_t)(hexadecimal ? bytes : (uint64_t)number);
    return read;
}

/* `used`: the lane is active, and its address counts. */
static enum smc_status banks_read_address(const char *name, const char *text, bool used,
                                          uint32_t width_bytes, uint32_t *address,
                                          struct smc_error *error)
{
    if (!*text && !used)
        return SMC_OK;
    if (!parse_address(text, address))
        return fail_field(name, text, "an address between 0 and 4294967295", error);
    if (used && *address % width_bytes)
        return smc_fail(error, SMC_USAGE, "%s: '%s' is not a multiple of the width, %" PRIu32, name,
                        text, width_bytes);
    return SMC_OK;
}

static enum smc_status banks_read_width(const char *text, const struct smc_sm *sm,
                                        struct smc_access *access, struct smc_error *error)
{
    int64_t width = 0;
    if (!smc_parse_integer(text, 1, 16, &width) || (width & (width - 1)))
        return fail_width(access->op, text, "", error);
    access->width_bytes = (uint32_t)width;
    return smc_banks_check_op(access->op, access->width_bytes, sm, "", error);
}

static enum smc_status banks_read_head(const struct smc_csv_record *record, const struct smc_sm *sm,
                                       struct smc_access *access, struct smc_error *error)
{
    char text[LONGEST_VALUE + 1];
    uint64_t mask = 0;
    SMC_TRY(get_text(record, OP, "op", text, error));
    SMC_TRY(smc_banks_read_op(text, "", &access->op, error));
    SMC_TRY(get_text(record, WIDTH, "width", text, error));
    SMC_TRY(banks_read_width(text, sm, access, error));
    SMC_TRY(get_text(record, MASK, "mask", text, error));
    if (!smc_parse_hexadecimal(text, UINT32_MAX, &mask))
        return fail_field("mask", text, "hexadecimal between 0 and ffffffff", error);
    access->mask = (uint32_t)mask;
    const uint32_t rows = smc_bank_op_lanes(access->op);
    if (smc_bank_operations[access->op].matrices && rows & ~access->mask)
        return smc_fail(error, SMC_USAGE,
                        "mask: '%s' leaves out lanes that give rows of %s: %" PRIx32 " does not",
                        text, smc_bank_operations[access->op].name, rows);
    return SMC_OK;
}

/* Addresses of all lanes from field `first` on, named by the letter; those of `used` must be there.
 */
static enum smc_status banks_read_lanes(const struct smc_csv_record *record, uint32_t first,
                                        uint32_t used, const struct smc_access *access,
                                        uint32_t address[SMC_WARP_LANES], struct smc_error *error)
{
    char name[16], text[LONGEST_VALUE + 1];
    const bool may_end = smc_bank_op_lanes(access->op) != SMC_ALL_LANES;
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        const bool is_used = used >> lane & 1;
        if (may_end && !is_used && first + lane >= record->field_count)
            continue;
        snprintf(name, sizeof name, "%c%" PRIu32, first == FIRST_SOURCE ? 'g' : 'a', lane);
        SMC_TRY(get_text(record, first + lane, name, text, error));
        SMC_TRY(
            banks_read_address(name, text, is_used, access->width_bytes, &address[lane], error));
    }
    return SMC_OK;
}

enum smc_status smc_banks_row_read(const struct smc_csv_record *record, const struct smc_sm *sm,
                                   struct smc_banks_row *row, struct smc_error *error)
{
    struct smc_access *access = &row->access;
    uint32_t from[SMC_WARP_LANES] = {0};
    *row = (struct smc_banks_row){0};
    if (record->fault != SMC_CSV_SOUND)
        return smc_fail(error, SMC_USAGE, "the row has %s", smc_csv_fault_text(record->fault));
    enum smc_status status = banks_read_head(record, sm, access, error);
    if (status != SMC_OK) /* then there may be no operation */
        return status;
    const uint32_t used = access->mask & smc_bank_op_lanes(access->op);
    status = banks_read_lanes(record, FIRST_ADDRESS, used, access, access->address, error);
    if (status != SMC_OK || record->field_count <= FIRST_SOURCE)
        return status;
    row->has_sources = access->op >= SMC_BANK_CP_ASYNC_CA && access->op <= SMC_BANK_CP_ASYNC_CG;
    if (!row->has_sources)
        return smc_fail(error, SMC_USAGE, "fields after a31: a row is id,op,width,mask,a0,...,a31");
    if (record->field_count > FIELDS)
        return smc_fail(error, SMC_USAGE,
                        "fields after g31: a row is id,op,width,mask,a0,...,a31,g0,...,g31");
    status = banks_read_lanes(record, FIRST_SOURCE, used, access, from, error);
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
        row->source[lane] = from[lane];
    return status;
}

bool smc_banks_row_is_header(const struct smc_csv_record *record)
{
    static const char *const names[] = {"id", "op", "width", "mask"};
    char text[LONGEST_VALUE + 1];
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (get_text(record, i, names[i], text, NULL) != SMC_OK ||
            !smc_equal_ignoring_case(text, names[i]))
            return false;
    return true;
}
