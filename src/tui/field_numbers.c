/* The fields that hold a number: where it stands in a query, its range and its steps. */
#include "tui/field_numbers.h"

#include <string.h>

#include "model/shared_memory.h"

bool smc_field_is_param(enum smc_field field)
{
    return field >= SMC_FIELD_FIRST_PARAM && field <= SMC_FIELD_LAST_PARAM;
}

enum smc_param smc_field_param(enum smc_field field)
{
    return (enum smc_param)((int)field - SMC_FIELD_FIRST_PARAM);
}

bool smc_field_is_size(enum smc_field field)
{
    return field >= smc_field_of_param(SMC_PARAM_M) &&
           field <= smc_field_of_param(SMC_PARAM_LENGTH);
}

/* Where a number stands that is SMC_NOT_GIVEN while nobody gave it; NULL for the other fields. */
static const int64_t *place_of(const struct smc_query *query, enum smc_field field)
{
    switch (field) {
    case SMC_FIELD_THREADS:
        return &query->threads_per_block;
    case SMC_FIELD_GRID:
        return &query->grid_blocks;
    case SMC_FIELD_REGS:
        return &query->regs_per_thread;
    case SMC_FIELD_STATIC_SMEM:
        return &query->static_smem_bytes;
    case SMC_FIELD_DYNAMIC_SMEM:
        return &query->dynamic_smem_bytes;
    case SMC_FIELD_BARRIERS:
        return &query->barriers_per_block;
    default:
        return NULL;
    }
}

bool smc_field_given(const struct smc_query *query, enum smc_field field)
{
    if (smc_field_is_param(field))
        return query->params.given & 1u << smc_field_param(field);
    switch (field) {
    case SMC_FIELD_DEVICE:
        return !query->device_assumed;
    case SMC_FIELD_KERNEL:
        return true;
    case SMC_FIELD_CARVEOUT:
        return query->settings.carveout_percent != SMC_CARVEOUT_DEFAULT;
    case SMC_FIELD_SMEM_MODE:
        return query->settings.smem_mode != SMC_SMEM_MODE_DEFAULT;
    case SMC_FIELD_CLUSTER:
        return query->settings.blocks_per_cluster > 1;
    default:
        return *place_of(query, field) != SMC_NOT_GIVEN;
    }
}

static int64_t number_given(const struct smc_query *query, enum smc_field field)
{
    if (!smc_field_given(query, field))
        return SMC_NOT_GIVEN;
    if (smc_field_is_param(field))
        return query->params.value[smc_field_param(field)];
    switch (field) {
    case SMC_FIELD_CARVEOUT:
        return query->settings.carveout_percent;
    case SMC_FIELD_SMEM_MODE:
        return query->settings.smem_mode;
    case SMC_FIELD_CLUSTER:
        return query->settings.blocks_per_cluster;
    default:
        return *place_of(query, field);
    }
}

bool smc_field_is_device(const struct smc_device *a, const struct smc_device *b)
{
    return a->source == b->source && a->sm.cc == b->sm.cc && a->sm_count == b->sm_count &&
           a->gpu_index == b->gpu_index && strcmp(a->name, b->name) == 0 &&
           strcmp(a->chip, b->chip) == 0;
}

bool smc_field_equal(const struct smc_query *a, const struct smc_query *b, enum smc_field field)
{
    return number_given(a, field) == number_given(b, field);
}

bool smc_fields_equal(const struct smc_query *a, const struct smc_query *b)
{
    bool equal = a->kernel == b->kernel && a->device_assumed == b->device_assumed &&
                 smc_field_is_device(&a->device, &b->device);
    for (int i = 0; i < SMC_FIELD_COUNT && equal; i++) {
        enum smc_field field = (enum smc_field)i;
        if (field != SMC_FIELD_DEVICE && field != SMC_FIELD_KERNEL)
            equal = smc_field_equal(a, b, field);
    }
    return equal;
}

/* Sizes of a problem are doubled and halved by the large step: 0 stands for that. */
static struct smc_field_range param_range(const struct smc_query *query, enum smc_param param)
{
    const struct smc_param_info *info = &smc_param_info[param];
    struct smc_field_range range = {info->lowest, info->highest, 1, 8, false};
    switch (param) {
    case SMC_PARAM_STATIC_BYTES:
        range.step = query->device.sm.smem_alloc_unit_bytes;
        range.far = 4096;
        range.bytes = true;
        break;
    case SMC_PARAM_BLOCK:
        range.step = query->device.sm.warp_size;
        range.far = 4 * range.step;
        break;
    case SMC_PARAM_BLOCK_M:
    case SMC_PARAM_BLOCK_N:
        range.step = 32;
        range.far = 64;
        break;
    case SMC_PARAM_BLOCK_K:
        range.step = 2;
        break;
    case SMC_PARAM_THREAD_M:
    case SMC_PARAM_THREAD_N:
        range.step = 4;
        break;
    case SMC_PARAM_LDA:
    case SMC_PARAM_LDB:
    case SMC_PARAM_LDC:
        range.far = 32;
        break;
    case SMC_PARAM_RADIUS:
    case SMC_PARAM_M:
    case SMC_PARAM_N:
    case SMC_PARAM_K:
    case SMC_PARAM_LENGTH:
        range.far = 0;
        break;
    default:
        break;
    }
    return range;
}

struct smc_field_range smc_field_range(const struct smc_query *query, enum smc_field field)
{
    const struct smc_sm *sm = &query->device.sm;
    if (smc_field_is_param(field))
        return param_range(query, smc_field_param(field));
    switch (field) {
    case SMC_FIELD_THREADS:
        return (struct smc_field_range){1, sm->max_threads_per_block, sm->warp_size,
                                        4 * sm->warp_size, false};
    case SMC_FIELD_GRID:
        return (struct smc_field_range){1, INT32_MAX, 1, 0, false};
    case SMC_FIELD_REGS:
        return (struct smc_field_range){1, sm->max_regs_per_thread, 1, 8, false};
    case SMC_FIELD_STATIC_SMEM:
        return (struct smc_field_range){0, sm->smem_per_block_default_bytes,
                                        sm->smem_alloc_unit_bytes, 4096, true};
    case SMC_FIELD_DYNAMIC_SMEM:
        return (struct smc_field_range){0, smc_smem_most_per_block(sm, &query->settings),
                                        sm->smem_alloc_unit_bytes, 4096, true};
    case SMC_FIELD_CARVEOUT:
        return (struct smc_field_range){0, 100, 5, 25, false};
    case SMC_FIELD_SMEM_MODE:
        return (struct smc_field_range){0, SMC_SMEM_MODE_COUNT - 1, 1, 1, false};
    case SMC_FIELD_BARRIERS:
        return (struct smc_field_range){0, sm->named_barriers_per_block, 1, 4, false};
    case SMC_FIELD_CLUSTER:
        return (struct smc_field_range){
            1, sm->cluster_max_nonportable ? sm->cluster_max_nonportable : 1, 1, 0, false};
    default:
        return (struct smc_field_range){0, 0, 0, 0, false};
    }
}

int64_t smc_field_number(const struct smc_query *query, const struct smc_answer *answer,
                         enum smc_field field)
{
    const struct smc_launch *launch = &answer->launch;
    if (smc_field_is_param(field))
        return answer->query.params.value[smc_field_param(field)];
    if (smc_field_given(query, field))
        return number_given(query, field);
    switch (field) {
    case SMC_FIELD_THREADS:
        return launch->threads_per_block;
    case SMC_FIELD_REGS:
        return launch->regs_per_thread;
    case SMC_FIELD_STATIC_SMEM:
        return launch->static_smem_bytes;
    case SMC_FIELD_DYNAMIC_SMEM:
        return launch->dynamic_smem_bytes;
    case SMC_FIELD_BARRIERS:
        return launch->barriers_per_block;
    case SMC_FIELD_CARVEOUT:
        return SMC_CARVEOUT_DEFAULT;
    case SMC_FIELD_CLUSTER:
        return 1;
    default:
        return 0;
    }
}

void smc_field_set_number(struct smc_query *query, enum smc_field field, int64_t value)
{
    if (smc_field_is_param(field)) {
        enum smc_param param = smc_field_param(field);
        query->params.value[param] = value;
        query->params.given |= 1u << param;
    } else if (field == SMC_FIELD_CARVEOUT) {
        query->settings.carveout_percent = (int32_t)value;
    } else if (field == SMC_FIELD_SMEM_MODE) {
        query->settings.smem_mode = (enum smc_smem_mode)value;
    } else if (field == SMC_FIELD_CLUSTER) {
        query->settings.blocks_per_cluster = (uint32_t)value;
    } else {
        *(int64_t *)place_of(query, field) = value;
    }
}
