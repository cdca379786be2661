/* A query about accesses to shared memory and its complete answer. */
#include "query/banks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "model/round.h"

/* --- Where the accesses come from ------------------------------------------------------------- */

enum place { TX, TY, TZ, LANE, WARP, BX, BY, BZ, PLACES };

_Static_assert(TX == 0 && WARP + 1 == SMC_BANKS_INDICES, "indices come first");

const struct smc_variable smc_banks_variables[] = {
    {"tx", TX},          {"ty", TY},          {"tz", TZ},          {"lane", LANE},
    {"warp", WARP},      {"bx", BX},          {"by", BY},          {"bz", BZ},
    {"threadIdx.x", TX}, {"threadIdx.y", TY}, {"threadIdx.z", TZ}, {"blockDim.x", BX},
    {"blockDim.y", BY},  {"blockDim.z", BZ},  {NULL, 0},
};

static enum smc_status open_kernel(struct smc_banks_query *query, struct smc_banks_source *source,
                                   struct smc_error *error)
{
    struct smc_plan plan;
    if (!query->kernel->shared_accesses)
        return smc_fail(error, SMC_USAGE, "option --kernel: %s does not use shared memory",
                        query->kernel->name);
    enum smc_status status = query->kernel->complete(query->kernel, &query->params, error);
    if (status != SMC_OK)
        return status;
    query->kernel->plan(query->kernel, &query->params, &plan);
    source->is_kernel = true;
    source->threads = plan.threads_per_block;
    memcpy(query->block, plan.block, sizeof query->block);
    return SMC_OK;
}

/* Replaces line ends and repeated blanks by one blank: text copied from a terminal may contain
   both. */
static void join_blanks(char *text)
{
    static const char blanks[] = " \t\r\n";
    char *to = text;
    for (const char *from = text; *from;) {
        size_t blank = strspn(from, blanks);
        if (blank)
            *to++ = ' ';
        else
            *to++ = *from;
        from += blank ? blank : 1;
    }
    *to = '\0';
}

static enum smc_status open_expression(const struct smc_banks_query *query,
                                       struct smc_banks_source *source, struct smc_error *error)
{
    struct smc_error reason;
    if (query->stride >= 0)
        snprintf(source->text, sizeof source->text, "lane*%" PRId64 "*%u", query->stride,
                 query->width_bytes);
    else if (strlen(query->expression) > SMC_EXPRESSION_CHARS)
        return smc_fail(error, SMC_USAGE, "%s: longer than %d characters", query->expression_name,
                        SMC_EXPRESSION_CHARS);
    else
        snprintf(source->text, sizeof source->text, "%s", query->expression);
    source->threads = query->block[0] * query->block[1] * query->block[2];
    if (smc_expression_parse(source->text, smc_banks_variables, &source->expression, &reason) !=
        SMC_OK)
        return smc_fail(error, SMC_USAGE, "%s: %s", query->expression_name, reason.message);
    join_blanks(source->text);
    return smc_expression_parse(source->text, smc_banks_variables, &source->expression, error);
}

enum smc_status smc_banks_source_open(struct smc_banks_query *query,
                                      struct smc_banks_source *source, struct smc_error *error)
{
    source->query = query;
    source->is_kernel = false;
    return query->kernel ? open_kernel(query, source, error)
                         : open_expression(query, source, error);
}

const char *smc_banks_source_address(const struct smc_banks_source *source,
                                     const struct smc_expression *expression, uint32_t thread,
                                     int64_t *address)
{
    const uint32_t *block = source->query->block;
    const int64_t values[PLACES] = {
        [TX] = thread % block[0],
        [TY] = thread / block[0] % block[1],
        [TZ] = thread / block[0] / block[1],
        [LANE] = thread % SMC_WARP_LANES,
        [WARP] = thread / SMC_WARP_LANES,
        [BX] = block[0],
        [BY] = block[1],
        [BZ] = block[2],
    };
    return smc_expression_evaluate(expression, values, address);
}

uint32_t smc_banks_source_extent(const struct smc_banks_source *source, uint32_t place)
{
    uint32_t extent = place < LANE    ? source->query->block[place]
                      : place == LANE ? SMC_WARP_LANES
                                      : source->threads / SMC_WARP_LANES;
    return extent < 2 ? 2 : extent;
}

/* The lowest address at `index` while each of the other indices in turn runs through its values. A
   swizzle such as (tx ^ ty) moves elements within a row, so the row begins at the lowest
   address. */
static bool lowest_address(const struct smc_banks_source *source, uint32_t place, uint32_t index,
                           int64_t *lowest)
{
    const uint32_t *block = source->query->block;
    int64_t values[PLACES] = {[BX] = block[0], [BY] = block[1], [BZ] = block[2]};
    int64_t address;
    values[place] = index;
    if (smc_expression_evaluate(&source->expression, values, lowest))
        return false;
    for (uint32_t other = 0; other < SMC_BANKS_INDICES; other++) {
        uint32_t extent = other == place ? 0 : smc_banks_source_extent(source, other);
        for (uint32_t at = 1; at < extent; at++) {
            values[other] = at;
            if (!smc_expression_evaluate(&source->expression, values, &address) &&
                address < *lowest)
                *lowest = address;
        }
        values[other] = other == place ? index : 0;
    }
    return true;
}

bool smc_banks_source_stride(const struct smc_banks_source *source, uint32_t place, uint32_t index,
                             int64_t *bytes)
{
    int64_t origin, there;
    return lowest_address(source, place, 0, &origin) &&
           lowest_address(source, place, index, &there) &&
           !__builtin_sub_overflow(there, origin, bytes);
}

static enum smc_status fail_lane(const struct smc_banks_query *query, uint32_t warp, uint32_t lane,
                                 const char *problem, struct smc_error *error)
{
    return smc_fail(error, SMC_USAGE, "%s: warp %u, lane %u: %s", query->expression_name, warp,
                    lane, problem);
}

static enum smc_status evaluate(const struct smc_banks_source *source, uint32_t warp,
                                struct smc_access *access, struct smc_error *error)
{
    const struct smc_banks_query *query = source->query;
    char text[128];
    int64_t address = 0;
    *access = (struct smc_access){.width_bytes = query->width_bytes, .op = query->op};
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        uint32_t thread = warp * SMC_WARP_LANES + lane;
        if (thread >= source->threads || !(query->mask >> lane & 1))
            continue;
        const char *problem =
            smc_banks_source_address(source, &source->expression, thread, &address);
        if (problem)
            return fail_lane(query, warp, lane, problem, error);
        snprintf(text, sizeof text, "the address %" PRId64 " is not ", address);
        size_t used = strlen(text);
        if (address < 0 || address > UINT32_MAX) {
            snprintf(text + used, sizeof text - used, "between 0 and %" PRIu32, UINT32_MAX);
            return fail_lane(query, warp, lane, text, error);
        }
        access->mask |= 1u << lane;
        access->address[lane] = (uint32_t)address;
        if (smc_access_misaligned(access)) {
            snprintf(text + used, sizeof text - used,
                     "a multiple of %u bytes, the --width of an access", query->width_bytes);
            return fail_lane(query, warp, lane, text, error);
        }
    }
    return SMC_OK;
}

enum smc_status smc_banks_source_get(const struct smc_banks_source *source, uint32_t warp,
                                     uint32_t step,
                                     struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES],
                                     size_t *count, struct smc_error *error)
{
    const struct smc_banks_query *query = source->query;
    if (!source->is_kernel) {
        *count = 1;
        list[0] = (struct smc_shared_access){.label = source->text, .steps = 1};
        return evaluate(source, warp, &list[0].access, error);
    }
    *count = query->kernel->shared_accesses(query->kernel, &query->params, warp, step, list);
    for (size_t i = 0; i < *count; i++)
        list[i].access.mask &= query->mask;
    return SMC_OK;
}

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

static void count(const struct smc_bank_layout *layout, const struct smc_access *access,
                  uint32_t warp, uint32_t step, struct smc_banks_pattern *pattern)
{
    if (!access->mask)
        return;
    struct smc_bank_cost cost = smc_banks_count(layout, access);
    if (pattern->accesses == 0 || conflicts(cost) > conflicts(pattern->map.cost)) {
        pattern->worst = *access;
        pattern->worst_warp = warp;
        pattern->worst_step = step;
        smc_banks_map(layout, access, &pattern->map);
    }
    pattern->accesses++;
    pattern->total.wavefronts += cost.wavefronts;
    pattern->total.least += cost.least;
}

static enum smc_status count_step(const struct smc_banks_source *source, uint32_t warp,
                                  uint32_t step, struct smc_banks_answer *answer,
                                  struct smc_error *error)
{
    struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES];
    size_t found;
    enum smc_status status = smc_banks_source_get(source, warp, step, list, &found, error);
    if (status != SMC_OK)
        return status;
    answer->pattern_count = (uint32_t)found;
    for (size_t i = 0; i < found; i++) {
        struct smc_banks_pattern *pattern = &answer->pattern[i];
        if (!pattern->steps)
            begin_pattern(source, &list[i], answer, (uint32_t)i);
        if (step < pattern->steps_counted)
            count(&answer->layout, &list[i].access, warp, step, pattern);
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
        for (uint32_t step = 0; step < steps; step++) {
            enum smc_status status = count_step(source, warp, step, answer, error);
            if (status != SMC_OK)
                return status;
        }
    for (uint32_t i = 0; i < answer->pattern_count; i++)
        answer->pattern[i].warps_counted = end - first;
    return SMC_OK;
}

enum smc_status smc_banks_answer(const struct smc_banks_query *query,
                                 struct smc_banks_answer *answer, struct smc_error *error)
{
    struct smc_banks_source source;
    *answer = (struct smc_banks_answer){.query = *query};
    smc_bank_layout_of(&query->device.sm, query->mode, &answer->layout);
    enum smc_status status = smc_banks_source_open(&answer->query, &source, error);
    if (status != SMC_OK)
        return status;
    answer->warps_per_block = (uint32_t)divide_up(source.threads, SMC_WARP_LANES);
    status = check_warp(answer, source.threads, error);
    if (status == SMC_OK)
        status = count_all(&source, answer, error);
    for (uint32_t i = 0; i < answer->pattern_count && status == SMC_OK; i++) {
        struct smc_banks_pattern *pattern = &answer->pattern[i];
        if (conflicts(pattern->map.cost) > conflicts(answer->pattern[answer->worst].map.cost))
            answer->worst = i;
        if (conflicts(pattern->total) > 0)
            status = smc_banks_find_remedies(&source, answer, i, pattern, error);
    }
    return status;
}

/* --- Rows of CSV ------------------------------------------------------------------------------ */

enum {
    OP = 1, /* fields of a record; the first is the id */
    WIDTH,
    MASK,
    FIRST_ADDRESS,
    FIELDS = FIRST_ADDRESS + SMC_WARP_LANES,
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

static enum smc_status read_address(const char *name, const char *text, uint32_t lane,
                                    struct smc_access *access, struct smc_error *error)
{
    bool active = access->mask >> lane & 1;
    if (!*text && !active)
        return SMC_OK;
    if (!parse_address(text, &access->address[lane]))
        return fail_field(name, text, "an address between 0 and 4294967295", error);
    if (active && access->address[lane] % access->width_bytes)
        return smc_fail(error, SMC_USAGE, "%s: '%s' is not a multiple of the width, %" PRIu32, name,
                        text, access->width_bytes);
    return SMC_OK;
}

static enum smc_status read_head(const struct smc_csv_record *record, struct smc_access *access,
                                 struct smc_error *error)
{
    char text[LONGEST_VALUE + 1];
    int64_t width = 0;
    uint64_t mask = 0;
    enum smc_status status = get_text(record, OP, "op", text, error);
    if (status != SMC_OK)
        return status;
    bool load = smc_equal_ignoring_case(text, "ld");
    if (!load && !smc_equal_ignoring_case(text, "st"))
        return fail_field("op", text, "ld or st", error);
    access->op = load ? SMC_BANK_LOAD : SMC_BANK_STORE;
    status = get_text(record, WIDTH, "width", text, error);
    if (status != SMC_OK)
        return status;
    if (!smc_parse_integer(text, 1, 16, &width) || (width & (width - 1)))
        return fail_field("width", text, "1, 2, 4, 8 or 16", error);
    access->width_bytes = (uint32_t)width;
    status = get_text(record, MASK, "mask", text, error);
    if (status != SMC_OK)
        return status;
    if (!smc_parse_hexadecimal(text, UINT32_MAX, &mask))
        return fail_field("mask", text, "hexadecimal between 0 and ffffffff", error);
    access->mask = (uint32_t)mask;
    return SMC_OK;
}

enum smc_status smc_banks_row_read(const struct smc_csv_record *record, struct smc_access *access,
                                   struct smc_error *error)
{
    char name[16], text[LONGEST_VALUE + 1];
    *access = (struct smc_access){0};
    if (record->fault != SMC_CSV_SOUND)
        return smc_fail(error, SMC_USAGE, "the row has %s", smc_csv_fault_text(record->fault));
    enum smc_status status = read_head(record, access, error);
    for (uint32_t lane = 0; lane < SMC_WARP_LANES && status == SMC_OK; lane++) {
        snprintf(name, sizeof name, "a%" PRIu32, lane);
        status = get_text(record, FIRST_ADDRESS + lane, name, text, error);
        if (status == SMC_OK)
            status = read_address(name, text, lane, access, error);
    }
    if (status == SMC_OK && record->field_count > FIELDS)
        return smc_fail(error, SMC_USAGE, "fields after a31: a row is id,op,width,mask,a0,...,a31");
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
