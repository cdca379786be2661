/* The list of kernels, their parameters and element types, their built-in text, and random inputs.
 */
#include "rules/catalog.h"

#include <string.h>

#include "base/parse.h"

/* --- Kernels ---------------------------------------------------------------------------------- */

#define KERNEL(id) extern const struct smc_kernel smc_kernel_##id;
#include "rules/catalog/kernels.def"
#undef KERNEL

static const struct smc_kernel *const kernels[] = {
#define KERNEL(id) &smc_kernel_##id,
#include "rules/catalog/kernels.def"
#undef KERNEL
};

size_t smc_kernel_count(void)
{
    return sizeof kernels / sizeof *kernels;
}

const struct smc_kernel *smc_kernel_at(size_t index)
{
    return index < smc_kernel_count() ? kernels[index] : NULL;
}

const struct smc_kernel *smc_kernel_find(const char *name)
{
    for (size_t i = 0; i < smc_kernel_count(); i++)
        if (smc_equal_ignoring_case(kernels[i]->name, name))
            return kernels[i];
    return NULL;
}

/* Each text ends in a 0 that its length does not count. */
static const struct {
    const char *file;
    size_t length;
    const void *text;
} texts[] = {
#define TEXT(file, ...)                                                                            \
    {file, sizeof((const unsigned char[]){__VA_ARGS__}), (const unsigned char[]){__VA_ARGS__, 0}},
#include "rules/catalog/texts.inc"
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
