/* The bank conflicts of a run, and what removes them. */
#include <stdio.h>
#include <string.h>

#include "confirm/launch.h"

void smc_conflict_fix_of_site(const struct smc_conflict_site *site, struct smc_conflict_fix *out)
{
    *out = (struct smc_conflict_fix){
        .conflicts = (double)site->all,
        .wavefronts = (double)site->wavefronts,
        .line = site->line,
        .has_padding = site->has_padding,
        .has_swizzle = site->has_swizzle,
        .padding = site->padding,
        .swizzle = site->swizzle,
    };
    snprintf(out->access, sizeof out->access, "%s", site->array);
}

/* As the model counts them, which every run confirms. */
static void take_predicted(const struct smc_answer *answer, struct smc_conflict_fix *out)
{
    const struct smc_shared_work *shared = &answer->workload.shared;
    if (!answer->has_work || !answer->workload.has_shared)
        return;
    out->conflicts =
        smc_bank_conflicts(&shared->stores) + smc_bank_conflicts(&shared->written_loads);
    out->wavefronts = shared->stores.wavefronts + shared->written_loads.wavefronts;
}

/* The catalog knows every access by its name and all of its warps, the emulator one of each. */
static void take_pattern(const struct smc_answer *answer, struct smc_conflict_fix *out)
{
    struct smc_banks_query query;
    struct smc_banks_answer banks;
    smc_banks_query_init(&query);
    query.device = answer->query.device;
    query.kernel = answer->query.kernel;
    query.params = answer->query.params;
    if (!query.kernel->shared_accesses || smc_banks_answer(&query, &banks, NULL) != SMC_OK)
        return;
    const struct smc_banks_pattern *worst = &banks.pattern[banks.worst];
    if (worst->total.wavefronts == worst->total.least)
        return;
    snprintf(out->access, sizeof out->access, "%.95s", worst->label);
    out->has_padding = worst->padding.found;
    out->has_swizzle = worst->swizzle.found;
    out->padding = worst->padding.rearrangement;
    out->swizzle = worst->swizzle.rearrangement;
}

static bool is_free(const struct smc_kernel *kernel, const struct smc_answer *answer)
{
    struct smc_params params = answer->query.params;
    struct smc_bank_layout layout;
    struct smc_shared_work work = {0};
    bool given = params.given & 1u << SMC_PARAM_PAD;
    if (!kernel->shared_work)
        return false;
    if (!given)
        params.value[SMC_PARAM_PAD] = kernel->default_pad;
    if (kernel->complete(kernel, &params, NULL) != SMC_OK)
        return false;
    smc_bank_layout_of(&answer->query.device.sm, SMC_BANK_MODE_4_BYTES, &layout);
    kernel->shared_work(kernel, &params, &layout, &work);
    return smc_bank_conflicts(&work.stores) + smc_bank_conflicts(&work.written_loads) == 0;
}

static void find_variants(const struct smc_answer *answer, struct smc_conflict_fix *out)
{
    const struct smc_kernel *own = answer->query.kernel;
    for (size_t i = 0; i < smc_kernel_count() && out->variant_count < SMC_MOST_VARIANTS; i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i);
        bool related = kernel != own && !kernel->is_racy && kernel->params == own->params &&
                       strcmp(kernel->family, own->family) == 0;
        if (related && is_free(kernel, answer))
            out->variant[out->variant_count++] = kernel->name;
    }
}

void smc_conflict_fix_find(const struct smc_answer *answer, const struct smc_run_result *result,
                           struct smc_conflict_fix *out)
{
    *out = (struct smc_conflict_fix){0};
    if (result->emulation.made)
        smc_conflict_fix_of_site(&result->emulated.site, out);
    else
        take_predicted(answer, out);
    if (out->conflicts <= 0) {
        *out = (struct smc_conflict_fix){0};
        return;
    }
    take_pattern(answer, out);
    find_variants(answer, out);
}
