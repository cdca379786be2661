/* Options that have no effect on a device are reported in a warning. */
#include <stdio.h>
#include <string.h>

#include "show/cli/ask.h"
#include "show/cli/output.h"

static bool has_no_percentage(const struct smc_arguments *arguments,
                              const struct smc_device *device)
{
    (void)arguments;
    return device->sm.carveout_by_cache_config;
}

static bool has_one_size(const struct smc_arguments *arguments, const struct smc_device *device)
{
    (void)arguments;
    return device->sm.smem_carveout_count == 1;
}

static bool has_carveout(const struct smc_arguments *arguments, const struct smc_device *device)
{
    bool varies = arguments->range[SMC_OPTION_CARVEOUT].step > 0;
    bool given = varies || arguments->number[SMC_OPTION_CARVEOUT] != SMC_CARVEOUT_DEFAULT;
    return given && !device->sm.carveout_by_cache_config;
}

static bool prefers_oversized(const struct smc_arguments *arguments,
                              const struct smc_device *device)
{
    return device->sm.smem_oversized_per_sm_bytes > 0 &&
           arguments->number[SMC_OPTION_SMEM_MODE] == SMC_SMEM_MODE_PREFER_OVERSIZED;
}

static bool has_no_oversized(const struct smc_arguments *arguments, const struct smc_device *device)
{
    return device->sm.smem_oversized_per_sm_bytes == 0 &&
           arguments->number[SMC_OPTION_SMEM_MODE] >= SMC_SMEM_MODE_OVERSIZED;
}

static bool counts_no_barriers(const struct smc_arguments *arguments,
                               const struct smc_device *device)
{
    (void)arguments;
    return device->sm.barriers_not_counted || device->sm.barriers_per_sm == 0;
}

static bool has_no_virtual_resources(const struct smc_arguments *arguments,
                                     const struct smc_device *device)
{
    (void)arguments;
    return device->sm.virtual_resources_per_sm == 0;
}

static bool has_no_tensor_memory(const struct smc_arguments *arguments,
                                 const struct smc_device *device)
{
    (void)arguments;
    return device->sm.tmem_columns_per_sm == 0;
}

static bool has_no_partitions(const struct smc_arguments *arguments,
                              const struct smc_device *device)
{
    (void)arguments;
    return !device->sm.has_partitioned_caching;
}

/* A launch needs its grid in any case. */
static bool has_no_sms(const struct smc_arguments *arguments, const struct smc_device *device)
{
    return device->sm_count == 0 && arguments->command != SMC_COMMAND_RUN;
}

/* An option, the devices on which it has no effect, and the warning before and after their names.
 */
static const struct {
    enum smc_option_id option;
    bool (*is_idle)(const struct smc_arguments *arguments, const struct smc_device *device);
    const char *before, *after;
} rules[] = {
    {SMC_OPTION_CARVEOUT, has_no_percentage, "no effect on", "; percentages count from CC 7.0 on"},
    {SMC_OPTION_CACHE_CONFIG, has_one_size, "no effect on", ", whose shared memory has one size"},
    {SMC_OPTION_CACHE_CONFIG, has_carveout, "no effect on", ", where --carveout takes precedence"},
    {SMC_OPTION_CARVEOUT, prefers_oversized, "no effect on",
     ", which --smem-mode configures oversized"},
    {SMC_OPTION_SMEM_MODE, has_no_oversized, "no oversized shared memory on",
     "; the opt-in limit holds there"},
    {SMC_OPTION_BARRIERS, counts_no_barriers, "not counted on", "; they limit from CC 9.0 on"},
    {SMC_OPTION_VIRTUAL_RESOURCES, has_no_virtual_resources, "not counted on",
     "; they limit from CC 10.0 on"},
    {SMC_OPTION_TMEM_COLUMNS, has_no_tensor_memory, "no Tensor Memory is known on",
     "; CC 10.0, 10.3 and 11.0 have it"},
    {SMC_OPTION_PARTITIONED_CACHING, has_no_partitions, "no effect on",
     "; CC 5.2, 5.3, 6.1 and 6.2 have it"},
    {SMC_OPTION_GRID, has_no_sms, "no waves on", " without a number of SMs; name a board"},
    {SMC_OPTION_TOTAL_THREADS, has_no_sms, "no waves on", " without a number of SMs; name a board"},
};

_Static_assert(sizeof rules / sizeof *rules == SMC_IDLE_COUNT, "a text for each rule");

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
        if (idle_options_asks(arguments, rules[i].option) && rules[i].is_idle(arguments, device))
            idle_options_add_device(device, &idle->devices[i]);
}

void smc_idle_warn(struct smc_idle_options *idle)
{
    for (int i = 0; i < SMC_IDLE_COUNT; i++) {
        struct smc_text line = {0};
        smc_text_printf(&line, "option --%s: %s %s%s", smc_options[rules[i].option].name,
                        rules[i].before, smc_text_string(&idle->devices[i]), rules[i].after);
        if (idle->devices[i].length)
            smc_output_warn(&line);
        smc_text_free(&line);
        smc_text_free(&idle->devices[i]);
    }
}

void smc_idle_warn_of(const struct smc_arguments *arguments, const struct smc_device *device)
{
    struct smc_idle_options idle = {0};
    smc_idle_consider(arguments, device, &idle);
    smc_idle_warn(&idle);
}
