/* The allowances of a gate: what each covers, until when, and why. */
#include "answers/gate.h"

#include "rules/devices.h"

bool smc_gate_names_kernel(const char *pattern, const struct smc_inspect_kernel *kernel)
{
    return !pattern || smc_name_matches_kernel(kernel, pattern);
}

bool smc_gate_names_device(const char *name, const struct smc_device *device)
{
    uint16_t cc;
    if (!name)
        return true;
    if (smc_capability_named(name, &cc))
        return device->sm.cc == cc;
    return smc_device_has_name(device, name, SMC_NAME_WORDS);
}

bool smc_gate_covers(const struct smc_gate_allowance *allowance,
                     const struct smc_inspect_kernel *kernel, const struct smc_device *device,
                     enum smc_gate_key key)
{
    return (!allowance->has_key || allowance->key == key) &&
           smc_gate_names_kernel(allowance->kernel, kernel) &&
           smc_gate_names_device(allowance->device, device);
}

bool smc_gate_has_expired(const struct smc_gate_allowance *allowance, uint32_t today)
{
    return allowance->expires != 0 && today > allowance->expires;
}

void smc_gate_append_allowance(const struct smc_gate *gate,
                               const struct smc_gate_allowance *allowance, uint32_t today,
                               struct smc_text *text)
{
    bool expired = smc_gate_has_expired(allowance, today);
    if (!expired)
        smc_text_printf(text, "allowed: %s%s", allowance->reason,
                        allowance->expires ? ", until " : "");
    else
        smc_text_append(text, "allowed until ");
    if (allowance->expires)
        smc_text_printf(text, "%04u-%02u-%02u", allowance->expires / 10000,
                        allowance->expires / 100 % 100, allowance->expires % 100);
    if (expired)
        smc_text_printf(text, " (%s:%u)", gate->path, allowance->line);
}
