/* Fuzzes the search for the device part of CUDA C++: line numbers are kept. */
#include "fuzz.h"

#include <stdlib.h>

#include "code/source/device_part.h"

int fuzz_host_code(const uint8_t *data, size_t size)
{
    struct smc_device_part part = {0};
    struct smc_text source = {0}, text = {0};
    struct smc_error error;
    smc_text_append_bytes(&source, (const char *)data, size);
    size_t lines = 0, written = 0;
    const char *s = smc_text_string(&source);
    if (smc_device_part_read("x.cu", s, "", "", &part, &error) == SMC_OK)
        smc_device_part_write(&part, 0, &text);
    for (; *s; s++)
        lines += *s == '\n';
    for (s = smc_text_string(&text); *s; s++)
        written += *s == '\n';
    if (text.length > 0 && lines != written)
        abort();
    smc_device_part_correct(&part, smc_text_string(&source));
    smc_device_part_free(&part);
    smc_text_free(&source);
    smc_text_free(&text);
    return 0;
}
