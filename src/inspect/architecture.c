/* Architectures: their names, and which code loads on which device. */
#include <stdio.h>
#include <string.h>

#include "inspect/inspect.h"

struct smc_inspect_target smc_inspect_target_of(const char *typed, uint16_t cc)
{
    uint16_t named;
    size_t length = strlen(typed);
    char last = length ? typed[length - 1] : '\0';
    bool suffixed = (last == 'a' || last == 'f') && smc_capability_named(typed, &named);
    return (struct smc_inspect_target){cc, suffixed ? last : '\0'};
}

size_t smc_inspect_all_targets(struct smc_inspect_target targets[SMC_INSPECT_MAX_TARGETS])
{
    size_t count = 0;
    struct smc_capability capability;
    for (size_t i = 0; i < smc_capability_count() && count < SMC_INSPECT_MAX_TARGETS; i++) {
        smc_capability_at(i, &capability);
        targets[count++] = (struct smc_inspect_target){capability.sm.cc, '\0'};
    }
    return count;
}

const char *smc_inspect_architecture(const struct smc_inspect_kernel *kernel,
                                     char text[SMC_INSPECT_ARCHITECTURE])
{
    snprintf(text, SMC_INSPECT_ARCHITECTURE, "sm_%u%.1s", kernel->cc, &kernel->suffix);
    return text;
}

static bool is_apart(uint16_t cc)
{
    struct smc_capability capability;
    return smc_capability_find(cc, &capability) && capability.cubin_for_itself_only;
}

bool smc_inspect_loads(const struct smc_inspect_kernel *kernel, uint16_t cc)
{
    if (kernel->cc == 0 || kernel->cc == cc)
        return true;
    if (kernel->suffix == 'a' || is_apart(kernel->cc) || is_apart(cc))
        return false;
    return kernel->cc / 10 == cc / 10 && kernel->cc < cc;
}
