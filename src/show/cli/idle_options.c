/* Options that have no effect on a device are reported in a warning. */
#include <stdio.h>
#include <string.h>

#include "show/cli/ask.h"
#include "show/cli/output.h"

/* An option, the condition under which it has no effect on a device, and the warning before and
   after the devices' names. A launch needs its grid in any case. */
#define IDLE_RULES(RULE)                                                                           \
    RULE(CARVEOUT, sm->carveout_by_cache_config, "no effect on",                                   \
         "; percentages count from CC 7.0 on")                                                     \
    RULE(CACHE_CONFIG, sm->smem_carveout_count == 1, "no effect on",                               \
         ", whose shared memory has one size")                                                     \
    RULE(CACHE_CONFIG,                                                                             \
         !sm->carveout_by_cache_config && (range[SMC_OPTION_CARVEOUT].step > 0 ||                  \
                                           number[SMC_OPTION_CARVEOUT] != SMC_CARVEOUT_DEFAULT),   \
         "no effect on", ", where --carveout takes precedence")                                    \
    RULE(CARVEOUT,                                                                                 \
         sm->smem_oversized_per_sm_bytes > 0 &&                                                    \
             number[SMC_OPTION_SMEM_MODE] == SMC_SMEM_MODE_PREFER_OVERSIZED,                       \
         "no effect on", ", which --smem-mode configures oversized")                               \
    RULE(SMEM_MODE,                                                                                \
         sm->smem_oversized_per_sm_bytes == 0 &&                                                   \
             number[SMC_OPTION_SMEM_MODE] >= SMC_SMEM_MODE_OVERSIZED,                              \
         "no oversized shared memory on", "; the opt-in limit holds there")                        \
    RULE(BARRIERS, sm->barriers_not_counted || sm->barriers_per_sm == 0, "not counted on",         \
         "; they limit from CC 9.0 on")                                                            \
    RULE(VIRTUAL_RESOURCES, sm->virtual_resources_per_sm == 0, "not counted on",                   \
         "; they limit from CC 10.0 on")                                                           \
    RULE(TMEM_COLUMNS, sm->tmem_columns_per_sm == 0, "no Tensor Memory is known on",               \
         "; CC 10.0, 10.3 and 11.0 have it")                                                       \
    RULE(PARTITIONED_CACHING, !sm->has_partitioned_caching, "no effect on",                        \
         "; CC 5.2, 5.3, 6.1 and 6.2 have it")                                                     \
    RULE(GRID, has_no_sms, "no waves on", " without a number of SMs; name a board")                \
    RULE(TOTAL_THREADS, has_no_sms, "no waves on", " without a number of SMs; name a board")

static const struct {
    enum smc_option_id option;
    const char *before, *after;
} rules[] = {
#define RULE(option, condition, before, after) {SMC_OPTION_##option, before, after},
    IDLE_RULES(RULE)
#undef RULE
};

_Static_assert(sizeof rules / sizeof *rules == SMC_IDLE_COUNT, "a text for each rule");

static bool is_idle(int rule, const struct smc_arguments *arguments,
                    const struct smc_device *device)
{
    const struct smc_sm *sm = &device->sm;
    const struct smc_range *range = arguments->range;
    const int64_t *number = arguments->number;
    const bool has_no_sms = device->sm_count == 0 && arguments->command != SMC_COMMAND_RUN;
    const bool conditions[] = {
#define RULE(option, condition, before, after) condition,
        IDLE_RULES(RULE)
#undef RULE
    };
    return conditions[rule];
}

/* An option given with its default asks for nothing. */
static bool idle_options_asks(const struct smc_arguments *arguments, enum smc_option_id option)
{
    bool varies = arguments->range[option].step > 0;
    bool is_text = smc_options[option].type == SMC_OPTION_TEXT;
    return arguments->given[option] &&
           (varies || is_text || arguments->number[option] != smc_options[option].initial);
}

/* "CC 5.2, 6.1": each once. */
static void idle_options_add_device(const struct smc_device *device, struct smc_text *list)
{
    char capability[16];
    snprintf(capability, sizeof capability, " %d.%d", device->sm.cc / 10, device->sm.cc % 10);
    const char *before = strstr(smc_text_string(list), capability);
    size_t length = strlen(capability);
    if (before && (before[length] == ',' || !before[length]))
        return;
    smc_text_printf(list, "%s%s", list->length ? "," : "CC", capability);
}

void smc_idle_consider(const struct smc_arguments *arguments, const struct smc_device *device,
                       struct smc_idle_options *idle)
{
    for (int i = 0; i < SMC_IDLE_COUNT; i++)
        if (idle_options_asks(arguments, rules[i].option) && is_idle(i, arguments, device))
            idle_options_add_device(device, &idle->devices[i]);
}

void smc_idle_warn(struct smc_idle_options *idle)
{
    for (int i = 0; i < SMC_IDLE_COUNT; i++) {
        smc_auto_text line = {0};
        smc_text_printf(&line, "option --%s: %s %s%s", smc_options[rules[i].option].name,
                        rules[i].before, smc_text_string(&idle->devices[i]), rules[i].after);
        if (idle->devices[i].length)
            smc_output_warn(&line);
        smc_text_free(&idle->devices[i]);
    }
}

void smc_idle_warn_of(const struct smc_arguments *arguments, const struct smc_device *device)
{
    struct smc_idle_options idle = {0};
    smc_idle_consider(arguments, device, &idle);
    smc_idle_warn(&idle);
}
