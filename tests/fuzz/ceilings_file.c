/* Fuzzes the file of ceilings: what is taken is found again by its name, and comes back from print
   and read unchanged. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "rules/ceilings.h"

static void come_back(const struct smc_ceilings *ceilings)
{
    struct smc_ceilings again;
    json_t *printed = smc_ceilings_entry(ceilings);
    if (smc_ceilings_entry_read(printed, "printed", &again, NULL) != SMC_OK ||
        memcmp(again.value, ceilings->value, sizeof again.value) != 0)
        abort();
    json_decref(printed);
}

int fuzz_ceilings_file(const uint8_t *data, size_t size)
{
    struct smc_ceilings_file file;
    struct smc_error error = {""};
    if (smc_ceilings_file_parse("input", (const char *)data, size, &file, &error) != SMC_OK) {
        if (strncmp(error.message, "input:", 6) != 0)
            abort();
        return 0;
    }
    for (size_t i = 0; i < file.count; i++) {
        struct smc_ceilings found;
        smc_ceilings_find(&file, file.entry[i].device, file.entry[i].gpu_uuid, &found);
        if (strcmp(found.device, file.entry[i].device) != 0)
            abort();
        come_back(&file.entry[i]);
    }
    smc_ceilings_file_free(&file);
    return 0;
}
