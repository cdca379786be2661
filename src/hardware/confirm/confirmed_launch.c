/* One launch, from the query to its verdicts. */
#include "hardware/confirmed_launch.h"

#include <stdio.h>
#include <string.h>

#include "base/platform.h"

/* --- Bank conflicts, and what removes them ---------------------------------------------------- */

void smc_conflict_fix_of_site(const struct smc_conflict_site *site, struct smc_conflict_fix *out)
{
    *out = (struct smc_conflict_fix){
        .conflicts = (double)site->all,
        .wavefronts = (double)site->wavefronts,
        .line = site->line,
        .has_padding = site->advice.layout.has_padding,
        .has_swizzle = site->advice.layout.has_swizzle,
        .padding = site->advice.layout.padding,
        .swizzle = site->advice.layout.swizzle,
        .advice = &site->advice,
    };
    snprintf(out->access, sizeof out->access, "%s", site->advice.array);
    snprintf(out->file, sizeof out->file, "%s", site->file);
}

/* Uses the model's counts, which every run confirms. */
static void take_predicted(const struct smc_answer *answer, struct smc_conflict_fix *out)
{
    const struct smc_shared_work *shared = &answer->workload.shared;
    if (!answer->has_work || !answer->workload.has_shared)
        return;
    out->conflicts =
        smc_bank_conflicts(&shared->stores) + smc_bank_conflicts(&shared->written_loads);
    out->wavefronts = shared->stores.wavefronts + shared->written_loads.wavefronts;
}

/* The catalog names every access and covers all of its warps; the emulator reports one warp of
   each. */
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
    out->advice = NULL;
}

static bool confirmed_launch_is_free(const struct smc_kernel *kernel,
                                     const struct smc_answer *answer)
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

/* `out` is {0} where there are none. */
static void find_fix(const struct smc_answer *answer, const struct smc_run_result *result,
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
    const struct smc_kernel *own = answer->query.kernel;
    for (size_t i = 0; i < smc_kernel_count() && out->variant_count < SMC_MOST_VARIANTS; i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i);
        bool related = kernel != own && !kernel->is_racy && kernel->params == own->params &&
                       strcmp(kernel->family, own->family) == 0;
        if (related && confirmed_launch_is_free(kernel, answer))
            out->variant[out->variant_count++] = kernel->name;
    }
}

/* --- One launch ------------------------------------------------------------------------------- */

enum smc_status smc_confirm_one(const struct smc_query *query,
                                const struct smc_run_settings *settings,
                                struct smc_confirmed_run *run, struct smc_text *warnings,
                                struct smc_error *error)
{
    struct smc_compiled compiled;
    const struct smc_run_request request = {
        .answer = &run->answer,
        .compiled = &compiled,
        .settings = settings,
    };
    enum smc_status status =
        smc_run_answer(query, settings->place, &run->answer, &compiled, warnings, error);
    if (status == SMC_OK && settings->only_predicts)
        smc_run_begin(&request, &run->result);
    else if (status == SMC_OK)
        status = smc_place_executor(settings->place)->run(&request, &run->result, warnings, error);
    smc_binary_free(&compiled.binary);
    smc_machine_host_name(run->result.host_name);
    run->result.seed = settings->seed;
    if (status != SMC_OK)
        return status;
    smc_run_set_empty_launch(&run->result, &run->answer.time);
    smc_confirm(&run->answer, &run->result, &run->confirmation);
    find_fix(&run->answer, &run->result, &run->conflicts);
    run->has_result = true;
    if (smc_is_lost(&run->result.finish))
        return smc_fail(error, SMC_MACHINE, "%s", run->result.finish.message);
    return smc_confirmation_status(&run->confirmation);
}

/* If two kernels are run, the message must name the one that does not end. */
static enum smc_status confirm_named(const struct smc_query *query,
                                     const struct smc_run_settings *settings,
                                     struct smc_confirmed_run *run, struct smc_text *warnings,
                                     struct smc_error *error)
{
    enum smc_status status = smc_confirm_one(query, settings, run, warnings, error);
    if (run->has_result && smc_is_lost(&run->result.finish))
        smc_fail(error, status, "%s: %s", query->kernel->name, run->result.finish.message);
    return status;
}

enum smc_status smc_confirm_launch(const struct smc_query *query,
                                   const struct smc_run_settings *settings,
                                   struct smc_confirmed_run runs[SMC_MOST_RUNS], size_t *count,
                                   struct smc_text *warnings, struct smc_error *error)
{
    enum smc_status status = confirm_named(query, settings, &runs[0], warnings, error);
    *count = runs[0].has_result;
    const char *sibling = query->kernel ? query->kernel->sibling : NULL;
    if (status > SMC_SHORTFALL || runs[0].answer.outcome != SMC_CANNOT_COMPILE || !sibling)
        return status;
    struct smc_query other = *query;
    other.kernel = smc_kernel_find(sibling);
    enum smc_status second = confirm_named(&other, settings, &runs[1], warnings, error);
    *count += runs[1].has_result;
    return second > status ? second : status;
}
