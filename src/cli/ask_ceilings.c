/* The measured ceilings of the devices that are asked about. */
#include "cli/ask_ceilings.h"

#include "cli/output.h"
#include "confirm/known_ceilings.h"

static void read_file(struct smc_ceilings_file *file)
{
    struct smc_text warnings = {0};
    smc_known_ceilings_read(file, &warnings);
    smc_output_tell("warning: ", smc_text_string(&warnings));
    smc_text_free(&warnings);
}

void smc_ask_ceilings(struct smc_query *queries, size_t count)
{
    struct smc_ceilings_file file;
    read_file(&file);
    for (size_t i = 0; i < count; i++)
        smc_known_ceilings_find(&file, &queries[i].device, &queries[i].ceilings);
    smc_ceilings_file_free(&file);
}

void smc_ask_device_ceilings(const struct smc_device *device, struct smc_ceilings *ceilings)
{
    struct smc_ceilings_file file;
    read_file(&file);
    smc_known_ceilings_find(&file, device, ceilings);
    smc_ceilings_file_free(&file);
}
