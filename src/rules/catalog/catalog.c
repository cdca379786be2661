/* The list of kernels, their parameters and element types, their built-in text, and random inputs.
 */
#include "rules/catalog.h"

#include "base/parse.h"

/* --- Kernels ---------------------------------------------------------------------------------- */

#define KERNEL(id) extern const struct smc_kernel smc_kernel_##id;
#include "rules/catalog/kernels.def"

static const struct smc_kernel *const kernels[] = {
#define KERNEL(id) &smc_kernel_##id,
#include "rules/catalog/kernels.def"
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

uint64_t smc_plan_parameter_bytes(const struct smc_plan *plan)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < plan->argument_count; i++) {
        const uint64_t each =
            plan->argument[i].kind == SMC_ARGUMENT_INT32 ? sizeof(int32_t) : sizeof(int64_t);
        bytes = (bytes + each - 1) / each * each + each;
    }
    return bytes;
}

uint64_t smc_plan_array_bytes(const struct smc_plan *plan)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < plan->buffer_count; i++)
        bytes += plan->buffer[i].elements * smc_dtype_bytes(plan->buffer[i].dtype);
    return bytes;
}

const char *smc_kernel_text(const char *file, size_t *length)
{
    const struct smc_embedded_text *found =
        smc_embedded_find(texts, sizeof texts / sizeof *texts, file);
    if (!found)
        return NULL;
    *length = found->length;
    return found->text;
}
