/* What a person sets in the explorer: which fields there are, and what they show. */
#include "tui/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/field_numbers.h"

enum smc_field smc_field_of_param(enum smc_param param)
{
    return (enum smc_field)(SMC_FIELD_FIRST_PARAM + (int)param);
}

static const char *label_of(enum smc_field field)
{
    static const char *const labels[SMC_FIELD_COUNT] = {
#define FIELD(id, label) [SMC_FIELD_##id] = label,
#include "tui/fields.def"
#define FIELD_BEHIND(id, label) [SMC_FIELD_##id] = label,
#include "tui/fields.def"
    };
    if (field == smc_field_of_param(SMC_PARAM_DTYPE))
        return "type";
    return smc_field_is_param(field) ? smc_param_info[smc_field_param(field)].option
                                     : labels[field];
}

static bool applies(const struct smc_query *query, enum smc_field field)
{
    const struct smc_sm *sm = &query->device.sm;
    if (smc_field_is_param(field))
        return query->kernel && query->kernel->params & 1u << smc_field_param(field);
    switch (field) {
    case SMC_FIELD_THREADS:
    case SMC_FIELD_GRID:
        return !query->kernel;
    case SMC_FIELD_CARVEOUT:
        return sm->smem_carveout_count > 1;
    case SMC_FIELD_CLUSTER:
        return sm->cluster_max_nonportable > 0;
    default:
        return true;
    }
}

size_t smc_fields_shown(const struct smc_query *query, enum smc_field list[SMC_FIELD_COUNT])
{
    size_t count = 0;
    for (int last = 0; last <= 1; last++)
        for (int field = 0; field < SMC_FIELD_COUNT; field++)
            if (applies(query, (enum smc_field)field) &&
                smc_field_is_size((enum smc_field)field) == last)
                list[count++] = (enum smc_field)field;
    return count;
}

static void show_param(const struct smc_answer *answer, enum smc_field field,
                       struct smc_field_view *view)
{
    enum smc_param param = smc_field_param(field);
    int64_t value = answer->query.params.value[param];
    view->given = answer->query.params.given & 1u << param;
    if (param == SMC_PARAM_DTYPE)
        snprintf(view->value, sizeof view->value, "%s", smc_dtype_name((enum smc_dtype)value));
    else
        snprintf(view->value, sizeof view->value, "%" PRId64, value);
}

void smc_field_source(const struct smc_resources *resources, char text[40])
{
    static const char *const words[] = {
        [SMC_RESOURCES_NVRTC] = "NVRTC",
        [SMC_RESOURCES_TABLE] = "table",
        [SMC_RESOURCES_ASSUMED] = "assumed",
        [SMC_RESOURCES_GIVEN] = "given",
    };
    if (resources->source == SMC_RESOURCES_NVRTC)
        snprintf(text, 40, "NVRTC %d.%d", resources->nvrtc_major, resources->nvrtc_minor);
    else
        snprintf(text, 40, "%s", words[resources->source]);
}

/* A number, or words in place of one that nobody gave. */
static void show_number(struct smc_field_view *view, bool given, int64_t value, const char *unit,
                        const char *source)
{
    view->given = given;
    snprintf(view->value, sizeof view->value, "%" PRId64 "%s", value, unit);
    snprintf(view->source, sizeof view->source, "%s", given ? "" : source);
}

void smc_field_show(const struct smc_query *query, const struct smc_answer *answer,
                    enum smc_field field, struct smc_field_view *view)
{
    const char *own = query->kernel ? "kernel" : "none";
    *view = (struct smc_field_view){.label = label_of(field)};
    if (smc_field_is_param(field)) {
        show_param(answer, field, view);
        return;
    }
    bool given = smc_field_given(query, field);
    const struct smc_launch *launch = &answer->launch;
    switch (field) {
    case SMC_FIELD_DEVICE:
        snprintf(view->value, sizeof view->value, "%s", query->device.name);
        break;
    case SMC_FIELD_KERNEL:
        snprintf(view->value, sizeof view->value, "%s",
                 query->kernel ? query->kernel->name : "your own");
        break;
    case SMC_FIELD_THREADS:
        show_number(view, given, launch->threads_per_block, "", "");
        break;
    case SMC_FIELD_GRID:
        if (given)
            show_number(view, true, query->grid_blocks, "", "");
        else
            snprintf(view->value, sizeof view->value, "not given");
        break;
    case SMC_FIELD_REGS:
        show_number(view, given, launch->regs_per_thread, "", "");
        if (!given && query->kernel)
            smc_field_source(&answer->resources, view->source);
        break;
    case SMC_FIELD_STATIC_SMEM:
        show_number(view, given, launch->static_smem_bytes, " B", own);
        break;
    case SMC_FIELD_DYNAMIC_SMEM:
        show_number(view, given, launch->dynamic_smem_bytes, " B", own);
        break;
    case SMC_FIELD_CARVEOUT:
        if (given)
            show_number(view, true, query->settings.carveout_percent, " %", "");
        else
            snprintf(view->value, sizeof view->value, "driver's");
        break;
    case SMC_FIELD_BARRIERS:
        show_number(view, given, launch->barriers_per_block, "", own);
        break;
    case SMC_FIELD_CLUSTER:
        if (given)
            show_number(view, true, query->settings.blocks_per_cluster, " blocks", "");
        else
            snprintf(view->value, sizeof view->value, "none");
        break;
    default:
        break;
    }
}
