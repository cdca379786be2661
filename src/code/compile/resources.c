/* Describes a kernel's resources in words, and frees its machine code. */
#include "code/compile/resources.h"

#include <stdio.h>
#include <stdlib.h>

enum { DESCRIPTION_BYTES = 128, SOURCE_NAME_BYTES = 64 };

void smc_resources_describe(const struct smc_resources *resources, char text[DESCRIPTION_BYTES])
{
    int major = resources->nvrtc_major, minor = resources->nvrtc_minor;
    unsigned cc = resources->cc;
    switch (resources->source) {
    case SMC_RESOURCES_NVRTC:
        snprintf(text, DESCRIPTION_BYTES, "NVRTC %d.%d, sm_%u%.1s", major, minor, cc,
                 &resources->suffix);
        break;
    case SMC_RESOURCES_TABLE:
        snprintf(text, DESCRIPTION_BYTES, "table, NVRTC %d.%d, sm_%u", major, minor, cc);
        break;
    case SMC_RESOURCES_ASSUMED:
        snprintf(text, DESCRIPTION_BYTES, "assumed: as sm_%u (NVRTC %d.%d)", cc, major, minor);
        break;
    case SMC_RESOURCES_GIVEN:
        snprintf(text, DESCRIPTION_BYTES, "given");
        break;
    case SMC_RESOURCES_FILE:
        snprintf(text, DESCRIPTION_BYTES, "ptxas, sm_%u%.1s", cc, &resources->suffix);
        break;
    }
}

void smc_resources_source_name(const struct smc_resources *resources, char text[SOURCE_NAME_BYTES])
{
    static const char *const prefixes[] = {
        [SMC_RESOURCES_NVRTC] = "",
        [SMC_RESOURCES_TABLE] = "table ",
        [SMC_RESOURCES_ASSUMED] = "assumed ",
    };
    if (resources->source == SMC_RESOURCES_GIVEN)
        snprintf(text, SOURCE_NAME_BYTES, "given");
    else if (resources->source == SMC_RESOURCES_FILE)
        snprintf(text, SOURCE_NAME_BYTES, "file");
    else
        snprintf(text, SOURCE_NAME_BYTES, "%snvrtc %d.%d sm_%u%.1s", prefixes[resources->source],
                 resources->nvrtc_major, resources->nvrtc_minor, resources->cc, &resources->suffix);
}

void smc_binary_free(struct smc_binary *binary)
{
    free(binary->cubin);
    free(binary->ptx);
    *binary = (struct smc_binary){0};
}
