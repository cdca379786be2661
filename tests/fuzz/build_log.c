/* Fuzzes logs of parallel builds. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "code/compile/build_log.h"
#include "code/ptxas_log.h"

int fuzz_build_log(const uint8_t *data, size_t size)
{
    struct smc_text log = {0};
    struct smc_build_log read = {0};
    struct smc_log_kernel kernel;
    smc_text_append_bytes(&log, (const char *)data, size);
    if (!smc_build_log_read(smc_text_string(&log), &read))
        abort();
    struct smc_log_reader reader = {.cursor = smc_text_string(&read.ordered)};
    while (smc_log_next(&reader, &kernel))
        if (kernel.name_length == 0)
            abort();
    if (strchr(smc_text_string(&read.faults), '\033') || strchr(smc_text_string(&read.notes), '\r'))
        abort();
    smc_build_log_free(&read);
    smc_text_free(&log);
    return 0;
}
