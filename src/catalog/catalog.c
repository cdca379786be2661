/* The list of kernels. */
#include "base/parse.h"
#include "catalog/families.h"

static const struct smc_kernel *const kernels[] = {
#define KERNEL(id) &smc_kernel_##id,
#include "catalog/kernels.def"
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

void smc_plan_count(struct smc_plan *plan)
{
    plan->threads_per_block = plan->block[0] * plan->block[1] * plan->block[2];
    plan->grid_blocks = (uint64_t)plan->grid[0] * plan->grid[1] * plan->grid[2];
}

void smc_plan_add_buffer(struct smc_plan *plan, const char *name, enum smc_dtype dtype,
                         uint64_t elements, bool output)
{
    plan->argument[plan->argument_count++] =
        (struct smc_argument){SMC_ARGUMENT_BUFFER, (int64_t)plan->buffer_count};
    plan->buffer[plan->buffer_count++] =
        (struct smc_buffer){.name = name, .dtype = dtype, .elements = elements, .output = output};
}
