/* The other kernels of a family, with the problem and the parameters of the kernel asked about. */
#include "answers/query.h"

#include <stdio.h>
#include <string.h>

/* The problem is the same even where the kernels' defaults differ. */
static bool is_problem(int param)
{
    return param >= SMC_PARAM_M || param == SMC_PARAM_DTYPE || param == SMC_PARAM_RADIUS;
}

bool smc_family_has(const struct smc_kernel *asked, const struct smc_kernel *kernel)
{
    return kernel != asked && strcmp(kernel->family, asked->family) == 0 && !kernel->is_probe &&
           !kernel->is_racy;
}

/* Numbers that were given instead of the kernel's own are those of one kernel. */
void smc_family_ask(const struct smc_answer *asked, const struct smc_kernel *kernel,
                    struct smc_query *query)
{
    *query = asked->query;
    query->kernel = kernel;
    query->regs_per_thread = SMC_NOT_GIVEN;
    query->static_smem_bytes = SMC_NOT_GIVEN;
    query->dynamic_smem_bytes = SMC_NOT_GIVEN;
    query->barriers_per_block = SMC_NOT_GIVEN;
    query->try_bounds = false;
    const struct smc_params *from = &asked->query.params;
    smc_params_init(kernel, &query->params);
    for (int i = 0; i < SMC_PARAM_COUNT; i++) {
        bool wanted = is_problem(i) || from->given & 1u << i;
        if (!wanted || !(asked->query.kernel->params & kernel->params & 1u << i))
            continue;
        query->params.value[i] = from->value[i];
        query->params.given |= from->given & 1u << i;
    }
}

static enum smc_status answer_relative(const struct smc_answer *asked,
                                       const struct smc_kernel *kernel, struct smc_answer *out,
                                       struct smc_text *warnings, struct smc_error *error)
{
    struct smc_query query;
    struct smc_error why = {""};
    smc_family_ask(asked, kernel, &query);
    enum smc_status status = SMC_USAGE;
    if (kernel->dtypes & 1u << query.params.value[SMC_PARAM_DTYPE])
        status = smc_query_answer(&query, out, warnings, &why);
    else
        smc_fail(&why, SMC_USAGE, "not for elements of this type");
    if (status == SMC_MACHINE)
        return smc_fail(error, status, "%s", why.message);
    if (status == SMC_OK)
        return SMC_OK;
    *out = (struct smc_answer){.query = query};
    smc_time_unknown(&out->time, why.message);
    return SMC_OK;
}

enum smc_status smc_family_answer(const struct smc_answer *asked, struct smc_answer *out,
                                  size_t *count, struct smc_text *warnings, struct smc_error *error)
{
    *count = 0;
    for (size_t i = 0; i < smc_kernel_count() && *count < SMC_MOST_RELATIVES; i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i);
        if (!smc_family_has(asked->query.kernel, kernel))
            continue;
        SMC_TRY(answer_relative(asked, kernel, &out[*count], warnings, error));
        (*count)++;
    }
    return SMC_OK;
}
