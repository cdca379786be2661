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

const char *smc_field_label(enum smc_field field)
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
    case SMC_FIELD_CARVEOUT: /* one that was given stays in sight on any device */
        return sm->smem_carveout_count > 1 || smc_field_given(query, field);
    case SMC_FIELD_SMEM_MODE:
        return sm->smem_oversized_per_sm_bytes > 0 || smc_field_given(query, field);
    case SMC_FIELD_CLUSTER:
        return sm->cluster_max_nonportable > 0 || smc_field_given(query, field);
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

static void set_source(struct smc_field_view *view, const char *source)
{
    snprintf(view->source, sizeof view->source, "%s", source);
}

static void show_param(const struct smc_answer *answer, enum smc_field field,
                       struct smc_field_view *view)
{
    enum smc_param param = smc_field_param(field);
    int64_t value = answer->query.params.value[param];
    if (param == SMC_PARAM_DTYPE)
        snprintf(view->value, sizeof view->value, "%s", smc_dtype_name((enum smc_dtype)value));
    else
        snprintf(view->value, sizeof view->value, "%" PRId64 "%s", value,
                 smc_field_range(&answer->query, field).bytes ? " B" : "");
    set_source(view, "default");
}

void smc_field_source(const struct smc_resources *resources, char text[40])
{
    static const char *const words[] = {
        [SMC_RESOURCES_TABLE] = "table",
        [SMC_RESOURCES_ASSUMED] = "assumed",
        [SMC_RESOURCES_GIVEN] = "given",
    };
    if (resources->source == SMC_RESOURCES_NVRTC)
        snprintf(text, 40, "NVRTC %d.%d", resources->nvrtc_major, resources->nvrtc_minor);
    else
        snprintf(text, 40, "%s", words[resources->source]);
}

static void show_device(const struct smc_query *query, struct smc_field_view *view)
{
    snprintf(view->value, sizeof view->value, "%s", query->device.name);
    set_source(view, query->device_assumed   ? "assumed"
                     : query->device_note[0] ? "closest match"
                                             : smc_device_source_name(query->device.source));
}

/* What a number is called that nobody gave, or NULL where one shows. */
static const char *word_of_absent(enum smc_field field)
{
    switch (field) {
    case SMC_FIELD_GRID:
        return "not given";
    case SMC_FIELD_CARVEOUT:
        return "driver's";
    case SMC_FIELD_SMEM_MODE:
        return smc_smem_mode_name(SMC_SMEM_MODE_DEFAULT);
    case SMC_FIELD_CLUSTER:
        return "none";
    default:
        return NULL;
    }
}

/* A launch that is not known (why: the answer says) has its numbers only where they were given. */
static void show_number(const struct smc_query *query, const struct smc_answer *answer,
                        enum smc_field field, struct smc_field_view *view)
{
    static const char *const units[SMC_FIELD_COUNT] = {
        [SMC_FIELD_STATIC_SMEM] = " B",
        [SMC_FIELD_DYNAMIC_SMEM] = " B",
        [SMC_FIELD_CARVEOUT] = " %",
        [SMC_FIELD_CLUSTER] = " blocks",
    };
    const char *absent = view->given ? NULL : word_of_absent(field);
    if (!absent && !view->given && answer->launch.threads_per_block == 0)
        absent = "not known";
    if (absent) {
        snprintf(view->value, sizeof view->value, "%s", absent);
        return;
    }
    if (field == SMC_FIELD_SMEM_MODE) {
        snprintf(view->value, sizeof view->value, "%s",
                 smc_smem_mode_name(query->settings.smem_mode));
        return;
    }
    snprintf(view->value, sizeof view->value, "%" PRId64 "%s",
             smc_field_number(query, answer, field), units[field] ? units[field] : "");
    if (field == SMC_FIELD_REGS)
        smc_field_source(&answer->resources, view->source);
    else
        set_source(view, query->kernel ? "kernel" : "default");
}

void smc_field_show(const struct smc_query *query, const struct smc_answer *answer,
                    enum smc_field field, struct smc_field_view *view)
{
    *view = (struct smc_field_view){.label = smc_field_label(field),
                                    .given = smc_field_given(query, field)};
    if (field == SMC_FIELD_DEVICE)
        show_device(query, view);
    else if (field == SMC_FIELD_KERNEL)
        snprintf(view->value, sizeof view->value, "%s",
                 query->kernel ? query->kernel->name : "your own");
    else if (smc_field_is_param(field))
        show_param(answer, field, view);
    else
        show_number(query, answer, field, view);
    if (view->given && field != SMC_FIELD_DEVICE && field != SMC_FIELD_KERNEL)
        set_source(view, "given");
}
