/* Fuzzes the reading of compilers' logs. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "code/ptxas_log.h"

int fuzz_ptxas_log(const uint8_t *data, size_t size)
{
    char *log = malloc(size + 1), text[64];
    struct smc_resources resources = {0};
    bool has_barriers;
    if (!log)
        return 0;
    if (size)
        memcpy(log, data, size);
    log[size] = '\0';
    enum smc_ptxas_reading reading = smc_ptxas_log_read(log, "k", &resources, &has_barriers);
    if (resources.refused != (reading == SMC_PTXAS_REFUSED))
        abort();
    smc_log_first_error(log, "k.cu", "/folder/k.cu", text, sizeof text);
    if (!memchr(text, '\0', sizeof text) || strchr(text, '\033') || strchr(text, '\n'))
        abort();
    free(log);
    return 0;
}
