/* The axes of a sweep, and the question at each of its points. */
#include <inttypes.h>
#include <string.h>

#include "query/sweep.h"

const struct smc_axis_info smc_axis_info[SMC_AXIS_COUNT] = {
#define AXIS(id, option, label, unit) [SMC_AXIS_##id] = {option, label, unit},
#include "query/axes.def"
#undef AXIS
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
static void append_device(const struct smc_device *device, struct smc_text *out)
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
        append_device(&sweep->devices[value], out);
    else if (bytes && value && value % 1024 == 0)
        smc_text_printf(out, "%" PRId64 "K", value / 1024);
    else
        smc_text_printf(out, "%" PRId64, value);
}

static void set_param(struct smc_query *query, enum smc_param param, int64_t value)
{
    query->params.value[param] = value;
    query->params.given |= 1u << param;
}

static void set_value(const struct smc_sweep *sweep, enum smc_axis_id id, int64_t value,
                      struct smc_query *query)
{
    switch (id) {
    case SMC_AXIS_DEVICE:
        query->device = sweep->devices[value];
        return;
    case SMC_AXIS_TILE:
        set_param(query, SMC_PARAM_TILE, value);
        return;
    case SMC_AXIS_BLOCK:
        set_param(query, SMC_PARAM_BLOCK, value);
        return;
    case SMC_AXIS_RADIUS:
        set_param(query, SMC_PARAM_RADIUS, value);
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
        set_value(sweep, axis->id, value, query);
    }
}
