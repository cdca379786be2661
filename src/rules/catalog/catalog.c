/* The list of kernels, their parameters and element types, their built-in text, and random inputs.
 */
#include "rules/catalog.h"

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

static const struct smc_embedded_text texts[] = {
#define TEXT SMC_EMBEDDED_TEXT
#include "rules/catalog/texts.inc"
#undef TEXT
};

const char *smc_kernel_text(const char *file, size_t *length)
{
    const struct smc_embedded_text *found =
        smc_embedded_find(texts, sizeof texts / sizeof *texts, file);
    if (!found)
        return NULL;
    *length = found->length;
    return found->text;
}
