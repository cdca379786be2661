/* Where the addresses of an access come from: a kernel of the catalog, an expression, or a row. */
#include "answers/banks_query.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum banks_source_place { TX, TY, TZ, LANE, WARP, BX, BY, BZ, PLACES };

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
        return smc_fail(error, SMC_USAGE, "option --kernel: %s%s", query->kernel->name,
                        query->kernel->shared_work
                            ? "'s accesses to shared memory depend on the data; 'smemcalc run' "
                              "counts them"
                            : " does not use shared memory");
    SMC_TRY(query->kernel->complete(query->kernel, &query->params, error));
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
    if (query->stride >= 0)
        snprintf(source->text, sizeof source->text, "lane*%" PRId64 "*%u", query->stride,
                 query->width_bytes);
    else if (strlen(query->expression) > SMC_EXPRESSION_CHARS)
        return smc_fail(error, SMC_USAGE, "%s: longer than %d characters", query->expression_name,
                        SMC_EXPRESSION_CHARS);
    else
        snprintf(source->text, sizeof source->text, "%s", query->expression);
    source->threads = query->block[0] * query->block[1] * query->block[2];
    enum smc_status status =
        smc_expression_parse(source->text, smc_banks_variables, &source->expression, error);
    if (status != SMC_OK)
        return smc_fail_in(error, status, "%s", query->expression_name);
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
static bool banks_source_lowest_address(const struct smc_banks_source *source, uint32_t place,
                                        uint32_t index, int64_t *lowest)
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
    return banks_source_lowest_address(source, place, 0, &origin) &&
           banks_source_lowest_address(source, place, index, &there) &&
           !__builtin_sub_overflow(there, origin, bytes);
}

static enum smc_status fail_lane(const struct smc_banks_query *query, uint32_t warp, uint32_t lane,
                                 const char *problem, struct smc_error *error)
{
    return smc_fail(error, SMC_USAGE, "%s: warp %u, lane %u: %s", query->expression_name, warp,
                    lane, problem);
}

static enum smc_status banks_source_evaluate(const struct smc_banks_source *source, uint32_t warp,
                                             struct smc_access *access, struct smc_error *error)
{
    const struct smc_banks_query *query = source->query;
    char text[128];
    int64_t address = 0;
    *access = (struct smc_access){.width_bytes = query->width_bytes, .op = query->op};
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        uint32_t thread = warp * SMC_WARP_LANES + lane;
        if (thread >= source->threads || !(query->mask & smc_bank_op_lanes(query->op) & 1u << lane))
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
        return banks_source_evaluate(source, warp, &list[0].access, error);
    }
    *count = query->kernel->shared_accesses(query->kernel, &query->params, warp, step, list);
    for (size_t i = 0; i < *count; i++) {
        list[i].access.mask &= query->mask;
        if (list[i].bypasses_l1 && query->device.sm.has_async_copies)
            list[i].access.op = SMC_BANK_CP_ASYNC_CG;
    }
    return SMC_OK;
}
