/* The writers by name. */
#include <string.h>

#include "report/report.h"

const struct smc_writer *smc_writer_find(const char *name)
{
    static const struct smc_writer *const writers[] = {
        &smc_writer_text,
        &smc_writer_json,
        &smc_writer_csv,
    };
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (strcmp(writers[i]->name, name) == 0)
            return writers[i];
    return NULL;
}
