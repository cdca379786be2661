/* Fuzzes the reading of the records that the injected library writes in a traced program. A valid
   header is put before the input, so that entries are reached. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "answers/trace/records_read.h"
#include "answers/trace_records.h"

static void add(const void *bytes, size_t count)
{
    static struct smc_trace trace;
    struct smc_error error;
    memset(&trace, 0, sizeof trace);
    smc_trace_add_records(&trace, bytes, count, &error);
    smc_trace_free(&trace);
}

int fuzz_trace_records(const uint8_t *data, size_t size)
{
    struct record_header header = {
        .magic = RECORD_MAGIC,
        .version = RECORD_VERSION,
        .header_bytes = sizeof header,
        .used = sizeof header + size,
        .mode = RECORD_MODE_CUPTI,
        .slice_begin_ns = 1000,
        .slice_ns = 1 << 20,
    };
    char *whole = malloc(sizeof header + size);
    if (!whole)
        return 0;
    memcpy(whole, &header, sizeof header);
    if (size > 0)
        memcpy(whole + sizeof header, data, size);
    add(whole, sizeof header + size);
    free(whole);
    add(data, size);
    return 0;
}
