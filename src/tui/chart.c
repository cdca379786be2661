/* Occupancy along one field, all else as it is. */
#include "tui/chart.h"

#include <stdlib.h>

#include "base/memory.h"
#include "tui/fields.h"

enum { MOST_POINTS = 512 };

struct axis {
    enum smc_field field;
    const char *label;
    int64_t lowest, highest, step, now;
    enum smc_chart_unit unit;
};

/* What shapes a block: a parameter of the kernel, or the threads. */
static enum smc_field shaping_field(const struct smc_query *query)
{
    static const enum smc_param shapes[] = {SMC_PARAM_TILE, SMC_PARAM_BLOCK, SMC_PARAM_BLOCK_M};
    for (size_t i = 0; query->kernel && i < sizeof shapes / sizeof *shapes; i++)
        if (query->kernel->params & 1u << shapes[i])
            return smc_field_of_param(shapes[i]);
    return SMC_FIELD_THREADS;
}

/* Shared memory is one axis, static and dynamic; sizes of the problem have no say in occupancy. */
static enum smc_field axis_field(const struct smc_answer *answer, enum smc_field field)
{
    switch (field) {
    case SMC_FIELD_REGS:
    case SMC_FIELD_STATIC_SMEM:
    case SMC_FIELD_DYNAMIC_SMEM:
    case SMC_FIELD_CARVEOUT:
    case SMC_FIELD_BARRIERS:
        return field;
    default:
        break;
    }
    bool scale = smc_field_is_param(field) && !smc_field_is_size(field) &&
                 smc_field_param(field) != SMC_PARAM_DTYPE;
    return scale ? field : shaping_field(&answer->query);
}

static const char *label_of(enum smc_field field)
{
    enum { PARAM = SMC_FIELD_FIRST_PARAM };
    static const char *const labels[SMC_FIELD_COUNT] = {
        [SMC_FIELD_THREADS] = "threads per block",
        [SMC_FIELD_REGS] = "registers per thread",
        [SMC_FIELD_STATIC_SMEM] = "static shared memory",
        [SMC_FIELD_DYNAMIC_SMEM] = "dynamic shared memory",
        [SMC_FIELD_CARVEOUT] = "preferred carve-out",
        [SMC_FIELD_BARRIERS] = "barriers per block",
        [PARAM + SMC_PARAM_BLOCK] = "threads per block",
        [PARAM + SMC_PARAM_LIVE] = "values kept in registers",
        [PARAM + SMC_PARAM_STATIC_BYTES] = "static shared memory",
    };
    return labels[field] ? labels[field] : smc_param_info[smc_field_param(field)].option;
}

/* From the field's range, as far as it matters on the device. */
static struct axis choose_axis(const struct smc_answer *answer, enum smc_field wanted)
{
    enum smc_field field = axis_field(answer, wanted);
    struct smc_field_range range = smc_field_range(&answer->query, field);
    int64_t now = smc_field_number(&answer->query, answer, field);
    struct axis axis = {field, label_of(field),  range.lowest, range.highest, range.step,
                        now,   SMC_CHART_NUMBERS};
    if (range.bytes)
        axis.unit = SMC_CHART_BYTES;
    if (field == SMC_FIELD_THREADS || field == smc_field_of_param(SMC_PARAM_BLOCK)) {
        axis.lowest = axis.step;
    } else if (field == smc_field_of_param(SMC_PARAM_RADIUS)) {
        axis.highest = 2 * (now > 64 ? now : 64);
    } else if (field == smc_field_of_param(SMC_PARAM_STATIC_BYTES)) {
        axis.highest = answer->query.device.sm.smem_per_block_default_bytes;
    } else if (field == SMC_FIELD_CARVEOUT) {
        axis.unit = SMC_CHART_PERCENT;
        axis.step = 1;
    }
    int64_t most = (axis.highest - axis.lowest) / MOST_POINTS + 1;
    while (axis.step < most)
        axis.step *= 2;
    return axis;
}

/* A parameter changes the kernel, and what follows from it; the rest changes only the launch. */
static struct smc_chart_point point_at(const struct smc_query *asked,
                                       const struct smc_answer *answer, const struct axis *axis,
                                       int64_t value, const struct smc_memo *memo)
{
    struct smc_answer other;
    struct smc_query query = *asked;
    struct smc_text warnings = {0};
    const struct smc_resources *known = &answer->resources;
    struct smc_chart_point point = {.value = value};
    smc_field_set_number(&query, axis->field, value);
    if (smc_field_is_param(axis->field)) {
        if (query.kernel->complete(query.kernel, &query.params, NULL) != SMC_OK)
            return point;
        known = smc_memo_find(memo, &query);
    }
    query.compile.no_nvrtc = true;
    enum smc_status status = smc_query_evaluate(&query, known, &other, &warnings, NULL);
    smc_text_free(&warnings);
    if (status != SMC_OK)
        return point;
    point.percent = other.occupancy_percent;
    point.blocks = other.occupancy.blocks_per_sm;
    point.launches = other.outcome == SMC_LAUNCHES;
    point.limiters = point.launches ? other.occupancy.limiters : 0;
    point.assumed = other.resources.source == SMC_RESOURCES_ASSUMED;
    return point;
}

static bool make_room(struct smc_chart *chart, size_t count)
{
    if (count <= chart->capacity)
        return true;
    struct smc_chart_point *point = smc_realloc(chart->point, count * sizeof *point);
    if (!point)
        return false;
    chart->point = point;
    chart->capacity = count;
    return true;
}

/* Also the present value, which may lie between two steps or outside the range. */
void smc_chart_find(struct smc_chart *chart, const struct smc_query *query,
                    const struct smc_answer *answer, enum smc_field field,
                    const struct smc_memo *memo)
{
    struct axis axis = choose_axis(answer, field);
    size_t steps = (size_t)((axis.highest - axis.lowest) / axis.step + 1);
    bool launch_known = answer->launch.threads_per_block > 0;
    chart->field = axis.field;
    chart->label = axis.label;
    chart->now = axis.now;
    chart->unit = axis.unit;
    chart->count = 0;
    if (!(launch_known || smc_field_is_param(axis.field)) || !make_room(chart, steps + 1))
        return;
    bool now_is_in = false;
    for (size_t i = 0; i < steps; i++) {
        int64_t value = axis.lowest + (int64_t)i * axis.step;
        if (!now_is_in && axis.now < value)
            chart->point[chart->count++] = point_at(query, answer, &axis, axis.now, memo);
        now_is_in = axis.now <= value;
        chart->point[chart->count++] = point_at(query, answer, &axis, value, memo);
    }
    if (!now_is_in)
        chart->point[chart->count++] = point_at(query, answer, &axis, axis.now, memo);
}

void smc_chart_free(struct smc_chart *chart)
{
    free(chart->point);
    *chart = (struct smc_chart){0};
}
