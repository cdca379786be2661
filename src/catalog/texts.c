/* The kernels' source text, built in. */
#include <string.h>

#include "catalog/catalog.h"

/* Each text ends in a 0 that its length does not count. */
static const struct {
    const char *file;
    size_t length;
    const void *text;
} texts[] = {
#define TEXT(file, ...)                                                                            \
    {file, sizeof((const unsigned char[]){__VA_ARGS__}), (const unsigned char[]){__VA_ARGS__, 0}},
#include "catalog/texts.inc"
#undef TEXT
};

const char *smc_kernel_text(const char *file, size_t *length)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].file, file) == 0) {
            *length = texts[i].length;
            return texts[i].text;
        }
    return NULL;
}
