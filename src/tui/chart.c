/* Occupancy along one field, all else as it is. */
#include "tui/chart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/field_numbers.h"

enum { MOST_POINTS = 512 };

struct axis {
    enum smc_field field;
    const char *label;
    int64_t lowest, highest, step, now;
    bool is_bytes;
};

/* What shapes a block: a parameter of the kernel, or the threads. */
static enum smc_field shaping_field(const struct smc_query *query)
{
    static const enum smc_param shapes[] = {SMC_PARAM_TILE, SMC_PARAM_BLOCK};
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

static struct axis choose_axis(const struct smc_answer *answer, enum smc_field wanted)
{
    static const char *const labels[SMC_FIELD_COUNT] = {
        [SMC_FIELD_THREADS] = "threads per block",
        [SMC_FIELD_REGS] = "registers per thread",
        [SMC_FIELD_STATIC_SMEM] = "static shared memory per block",
        [SMC_FIELD_DYNAMIC_SMEM] = "dynamic shared memory per block",
        [SMC_FIELD_CARVEOUT] = "preferred carve-out",
        [SMC_FIELD_BARRIERS] = "barriers per block",
    };
    enum smc_field field = axis_field(answer, wanted);
    struct smc_field_range range = smc_field_range(&answer->query, field);
    int64_t now = smc_field_number(&answer->query, answer, field);
    struct axis axis = {field,      labels[field], range.lowest, range.highest,
                        range.step, now,           range.bytes};
    if (field == SMC_FIELD_THREADS || field == smc_field_of_param(SMC_PARAM_BLOCK)) {
        axis.label = labels[SMC_FIELD_THREADS];
        axis.lowest = axis.step;
    } else if (field == smc_field_of_param(SMC_PARAM_RADIUS)) {
        axis.highest = 2 * (now > 64 ? now : 64); /* the range's end is far off */
    } else if (field == SMC_FIELD_CARVEOUT) {
        axis.step = 1;
    }
    if (!axis.label)
        axis.label = smc_param_info[smc_field_param(field)].option;
    int64_t most = (axis.highest - axis.lowest) / MOST_POINTS + 1;
    if (axis.step < most)
        axis.step *= (most + axis.step - 1) / axis.step;
    return axis;
}

/* A parameter changes the kernel; the rest changes only the launch. */
static struct smc_chart_point point_at(const struct smc_answer *answer, const struct axis *axis,
                                       int64_t value, const struct smc_memo *memo)
{
    struct smc_answer other;
    struct smc_query query = answer->query;
    struct smc_text warnings = {0};
    const struct smc_resources *known = &answer->resources;
    struct smc_chart_point point = {.value = value};
    smc_field_set_number(&query, axis->field, value);
    if (smc_field_is_param(axis->field)) {
        if (!query.kernel || query.kernel->complete(&query.params, NULL) != SMC_OK)
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
    struct smc_chart_point *point = realloc(chart->point, count * sizeof *point);
    if (!point)
        return false;
    chart->point = point;
    chart->capacity = count;
    return true;
}

void smc_chart_draw(struct smc_chart *chart, const struct smc_answer *answer, enum smc_field field,
                    const struct smc_memo *memo)
{
    struct axis axis = choose_axis(answer, field);
    size_t count = (size_t)((axis.highest - axis.lowest) / axis.step + 1);
    snprintf(chart->label, sizeof chart->label, "%s", axis.label);
    chart->now = axis.now;
    chart->is_bytes = axis.is_bytes;
    chart->count = 0;
    if (!make_room(chart, count))
        return;
    for (size_t i = 0; i < count; i++)
        chart->point[chart->count++] =
            point_at(answer, &axis, axis.lowest + (int64_t)i * axis.step, memo);
}

void smc_chart_free(struct smc_chart *chart)
{
    free(chart->point);
    *chart = (struct smc_chart){0};
}
