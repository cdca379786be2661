/* The measured ceilings of the devices that are asked about. */
#include "cli/ask_ceilings.h"

#include "cli/output.h"
#include "confirm/known_ceilings.h"

static void tell(struct smc_text *warnings)
{
    smc_output_tell("warning: ", smc_text_string(warnings));
    smc_text_free(warnings);
}

void smc_ask_ceilings(struct smc_query *queries, size_t count)
{
    struct smc_text warnings = {0};
    smc_known_ceilings(queries, count, &warnings);
    tell(&warnings);
}

void smc_ask_device_ceilings(const struct smc_device *device, struct smc_ceilings *ceilings)
{
    struct smc_text warnings = {0};
    smc_known_device_ceilings(device, ceilings, &warnings);
    tell(&warnings);
}
