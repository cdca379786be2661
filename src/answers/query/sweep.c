/* Answering every point of a sweep. */
#include "answers/sweep.h"

#include <inttypes.h>
#include <string.h>

/* --- The axes, and the query at each point ------------------------------------------------- */

const struct smc_axis_info smc_axis_info[SMC_AXIS_COUNT] = {
#define AXIS(id, option, label, unit) [SMC_AXIS_##id] = {option, label, unit},
#include "answers/query/axes.def"
};

bool smc_axis_find(const char *option, enum smc_axis_id *id)
{
    for (int i = 0; i < SMC_AXIS_COUNT; i++)
        if (strcmp(smc_axis_info[i].option, option) == 0) {
            *id = (enum smc_axis_id)i;
            return true;
        }
    return false;
}

uint64_t smc_axis_values(const struct smc_axis *axis)
{
    return smc_range_count(&axis->range);
}

uint64_t smc_sweep_points(const struct smc_sweep *sweep)
{
    uint64_t points = 1;
    for (size_t i = 0; i < sweep->axis_count; i++)
        if (__builtin_mul_overflow(points, smc_axis_values(&sweep->axis[i]), &points))
            return UINT64_MAX;
    return points;
}

uint64_t smc_sweep_position(const struct smc_sweep *sweep, size_t axis, uint64_t point)
{
    if (axis + 1 == sweep->axis_count)
        return point % smc_axis_values(&sweep->axis[axis]);
    return point / smc_axis_values(&sweep->axis[axis + 1]);
}

/* A bare compute capability has no SM count. */
static void sweep_append_device(const struct smc_device *device, struct smc_text *out)
{
    if (device->sm_count == 0 && device->source == SMC_DEVICE_TABLE)
        smc_text_printf(out, "CC %d.%d", device->sm.cc / 10, device->sm.cc % 10);
    else
        smc_text_append(out, device->name);
}

void smc_sweep_label(const struct smc_sweep *sweep, size_t axis, uint64_t position,
                     struct smc_text *out)
{
    const struct smc_axis *varied = &sweep->axis[axis];
    int64_t value = smc_range_value(&varied->range, position);
    bool bytes = varied->id == SMC_AXIS_SMEM || varied->id == SMC_AXIS_DYNAMIC_SMEM;
    if (varied->id == SMC_AXIS_DEVICE)
        sweep_append_device(&sweep->devices[value], out);
    else if (bytes && value && value % 1024 == 0)
        smc_text_printf(out, "%" PRId64 "K", value / 1024);
    else
        smc_text_printf(out, "%" PRId64, value);
}

static void sweep_set_param(struct smc_query *query, enum smc_param param, int64_t value)
{
    query->params.value[param] = value;
    query->params.given |= 1u << param;
}

/* All sizes of a product, or the elements of a one-dimensional kernel. */
static void sweep_set_size(struct smc_query *query, int64_t value)
{
    const uint32_t sizes = query->kernel->params & SMC_MATRIX_SIZES;
    for (int i = 0; i < SMC_PARAM_COUNT; i++)
        if (sizes & 1u << i)
            sweep_set_param(query, (enum smc_param)i, value);
    if (!sizes)
        sweep_set_param(query, SMC_PARAM_LENGTH, value);
}

static void sweep_set_value(const struct smc_sweep *sweep, enum smc_axis_id id, int64_t value,
                            struct smc_query *query)
{
    switch (id) {
    case SMC_AXIS_DEVICE:
        query->device = sweep->devices[value];
        if (sweep->ceilings)
            query->ceilings = sweep->ceilings[value];
        if (sweep->file_kernels)
            query->file_kernel = &sweep->file_kernels[value];
        return;
    case SMC_AXIS_SIZE:
        sweep_set_size(query, value);
        return;
    case SMC_AXIS_TILE:
        sweep_set_param(query, SMC_PARAM_TILE, value);
        return;
    case SMC_AXIS_BLOCK:
        sweep_set_param(query, SMC_PARAM_BLOCK, value);
        return;
    case SMC_AXIS_RADIUS:
        sweep_set_param(query, SMC_PARAM_RADIUS, value);
        return;
    case SMC_AXIS_THREADS:
        query->threads_per_block = value;
        return;
    case SMC_AXIS_REGS:
        query->regs_per_thread = value;
        return;
    case SMC_AXIS_SMEM:
        query->static_smem_bytes = value;
        return;
    case SMC_AXIS_DYNAMIC_SMEM:
        query->dynamic_smem_bytes = value;
        return;
    case SMC_AXIS_CLUSTER:
        query->settings.blocks_per_cluster = (uint32_t)value;
        return;
    case SMC_AXIS_CARVEOUT:
        query->settings.carveout_percent = (int32_t)value;
        return;
    case SMC_AXIS_COUNT:
        return;
    }
}

void smc_sweep_ask(const struct smc_sweep *sweep, uint64_t point, struct smc_query *query)
{
    *query = sweep->query;
    for (size_t i = 0; i < sweep->axis_count; i++) {
        const struct smc_axis *axis = &sweep->axis[i];
        int64_t value = smc_range_value(&axis->range, smc_sweep_position(sweep, i, point));
        sweep_set_value(sweep, axis->id, value, query);
    }
}

/* --- The answers ------------------------------------------------------------------------------ */

/* The last compilation, which is reused along an axis that does not affect the code. */
struct sweep_compiled {
    bool valid;
    uint16_t cc;
    struct smc_text defines;
    struct smc_resources resources;
};

static const struct smc_resources *known(struct sweep_compiled *last, const struct smc_query *query)
{
    struct smc_text defines = {0};
    bool given = query->regs_per_thread != SMC_NOT_GIVEN;
    if (!query->kernel || (given && !query->compile.kernel_dir))
        return NULL;
    struct smc_params params = query->params;
    if (query->kernel->complete(query->kernel, &params, NULL) == SMC_OK)
        query->kernel->defines(query->kernel, &params, &defines);
    bool same = last->valid && !defines.failed && last->cc == query->device.sm.cc &&
                strcmp(smc_text_string(&defines), smc_text_string(&last->defines)) == 0;
    smc_text_free(&last->defines);
    last->defines = defines;
    last->cc = query->device.sm.cc;
    last->valid = same;
    return same ? &last->resources : NULL;
}

static void remember(struct sweep_compiled *last, const struct smc_answer *answer)
{
    last->valid = last->defines.length > 0 && !last->defines.failed;
    last->resources = answer->resources;
}

enum smc_status smc_sweep_answer(const struct smc_sweep *sweep,
                                 const struct smc_sweep_visitor *visitor, struct smc_text *warnings,
                                 struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    struct sweep_compiled last = {0};
    struct smc_error why, first = {""};
    struct smc_query query;
    struct smc_answer answer;
    bool any = false, goes_on = true;
    uint64_t points = smc_sweep_points(sweep);
    for (uint64_t i = 0; i < points && goes_on; i++) {
        smc_sweep_ask(sweep, i, &query);
        status = smc_query_evaluate(&query, known(&last, &query), &answer, warnings, &why);
        if (status != SMC_OK && status != SMC_USAGE)
            break;
        bool answered = status == SMC_OK;
        if (answered && visitor->wants_whole_answers) {
            smc_query_find_work(&answer);
            smc_query_find_next_steps(&answer);
        }
        if (answered)
            remember(&last, &answer);
        else if (!first.message[0])
            first = why;
        any = any || answered;
        status = answered && sweep->times ? smc_query_find_time(&answer, &why) : SMC_OK;
        if (status != SMC_OK)
            break;
        if (answered)
            smc_query_cap_clustered_blocks(&answer);
        goes_on = visitor->visit(visitor->context, i, &answer, answered ? NULL : why.message);
    }
    smc_text_free(&last.defines);
    if (status != SMC_OK)
        return smc_fail(error, status, "%s", why.message);
    return any || !first.message[0] ? SMC_OK : smc_fail(error, SMC_USAGE, "%s", first.message);
}

void smc_sweep_keep(const struct smc_answer *answer, const char *why, struct smc_sweep_point *point)
{
    const struct smc_launch *launch = &answer->launch;
    if (why) {
        *point = (struct smc_sweep_point){.state = SMC_POINT_NO_ANSWER};
        return;
    }
    bool is_compiled = answer->query.kernel || answer->query.file_kernel;
    bool regs_known = answer->regs_given || (is_compiled && !answer->resources.refused);
    *point = (struct smc_sweep_point){
        .threads_per_block = launch->threads_per_block,
        .regs_per_thread = regs_known ? launch->regs_per_thread : SMC_UNLIMITED,
        .smem_bytes_per_block = (uint64_t)launch->static_smem_bytes + launch->dynamic_smem_bytes,
        .blocks_per_sm = answer->occupancy.blocks_per_sm,
        .warps_per_sm = answer->occupancy.warps_per_sm,
        .percent = answer->occupancy_percent,
        .limiters = (uint8_t)answer->occupancy.limiters,
        .source = (uint8_t)(answer->regs_given ? SMC_RESOURCES_GIVEN : answer->resources.source),
        .nvrtc = (uint16_t)(answer->resources.nvrtc_major * 100 + answer->resources.nvrtc_minor),
        .bound_by = (uint8_t)answer->time.bound_by,
        .predicted_ms = answer->time.predicted_ms,
        .state = answer->outcome == SMC_LAUNCHES ? SMC_POINT_LAUNCHES : SMC_POINT_REFUSED,
    };
}

double smc_sweep_best(const struct smc_sweep_result *result)
{
    double best = -1;
    uint64_t points = smc_sweep_points(result->sweep);
    for (uint64_t i = 0; i < points; i++)
        if (result->point[i].state == SMC_POINT_LAUNCHES && result->point[i].percent > best)
            best = result->point[i].percent;
    return best;
}

double smc_sweep_fastest_ms(const struct smc_sweep_result *result)
{
    double fastest = -1;
    uint64_t points = smc_sweep_points(result->sweep);
    for (uint64_t i = 0; i < points; i++) {
        double ms = result->point[i].predicted_ms;
        if (ms > 0 && (fastest < 0 || ms < fastest))
            fastest = ms;
    }
    return fastest;
}
