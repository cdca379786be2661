/* Options that do nothing on a device are not passed over in silence. */
#include "cli/idle_options.h"

#include <stdio.h>
#include <string.h>

#include "cli/output.h"

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

static const struct {
    enum smc_option_id option;
    bool (*is_idle)(const struct smc_arguments *arguments, const struct smc_device *device);
    const char *before, *behind;
} rules[SMC_IDLE_COUNT] = {
#define IDLE(option, devices, before, behind)                                                      \
    [SMC_IDLE_##option##_##devices] = {SMC_OPTION_##option, devices, before, behind},
#include "cli/idle_options.def"
#undef IDLE
};

/* What is given as it would be anyway asks for nothing. */
static bool asks(const struct smc_arguments *arguments, enum smc_option_id option)
{
    bool varies = arguments->range[option].step > 0;
    bool is_text = smc_options[option].type == SMC_OPTION_TEXT;
    return arguments->given[option] &&
           (varies || is_text || arguments->number[option] != smc_options[option].initial);
}

/* "CC 5.2, 6.1": each once. */
static void add_device(const struct smc_device *device, struct smc_text *list)
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
        if (asks(arguments, rules[i].option) && rules[i].is_idle(arguments, device))
            add_device(device, &idle->devices[i]);
}

void smc_idle_tell(struct smc_idle_options *idle)
{
    for (int i = 0; i < SMC_IDLE_COUNT; i++) {
        struct smc_text line = {0};
        smc_text_printf(&line, "option --%s: %s %s%s", smc_options[rules[i].option].name,
                        rules[i].before, smc_text_string(&idle->devices[i]), rules[i].behind);
        if (idle->devices[i].length)
            smc_output_tell("warning: ", smc_text_string(&line));
        smc_text_free(&line);
        smc_text_free(&idle->devices[i]);
    }
}
