/* From arguments to a series of runs: which kernels, and what varies. */
#include "cli/ask_series.h"

#include <string.h>

#include "cli/ask.h"
#include "cli/ask_kernel.h"
#include "cli/ask_own.h"

static int next_range(const struct smc_arguments *arguments, int from)
{
    for (int i = from; i < SMC_OPTION_COUNT; i++)
        if (arguments->range[i].step > 0)
            return i;
    return SMC_OPTION_COUNT;
}

bool smc_asks_series(const struct smc_arguments *arguments)
{
    return arguments->given[SMC_OPTION_COMPARE] || next_range(arguments, 0) < SMC_OPTION_COUNT;
}

enum smc_status smc_ask_series_check(const struct smc_arguments *arguments, struct smc_error *error)
{
    int range = next_range(arguments, 0);
    const char *what = smc_options[range < SMC_OPTION_COUNT ? range : SMC_OPTION_COMPARE].name;
    if (arguments->given[SMC_OPTION_SOURCE])
        return smc_fail(error, SMC_USAGE,
                        "option --%s: several runs are for kernels of the catalog, not for "
                        "--source",
                        what);
    if (arguments->given[SMC_OPTION_ANNOTATE])
        return smc_fail(error, SMC_USAGE, "option --annotate: for one run; --%s asks for several",
                        what);
    if (arguments->number[SMC_OPTION_GPU] == SMC_ALL_GPUS)
        return smc_fail(error, SMC_USAGE,
                        "option --gpu: 'all' is for one run; --%s asks for several", what);
    if (arguments->number[SMC_OPTION_ON] == SMC_ON_BOTH)
        return smc_fail(error, SMC_USAGE,
                        "option --on: 'both' is for one run; --%s asks for several: gpu or "
                        "emulator",
                        what);
    return smc_ask_no_source(arguments, error);
}

static enum smc_series_vary vary_of(int option)
{
    return option == SMC_OPTION_CARVEOUT       ? SMC_VARY_CARVEOUT
           : option == SMC_OPTION_CACHE_CONFIG ? SMC_VARY_CACHE_CONFIG
           : option == SMC_OPTION_DYNAMIC_SMEM ? SMC_VARY_DYNAMIC_SMEM
                                               : SMC_VARY_PARAM;
}

static enum smc_status ask_axis(const struct smc_arguments *arguments, struct smc_series_axis *axis,
                                struct smc_error *error)
{
    int option = next_range(arguments, 0), second = next_range(arguments, option + 1);
    if (option == SMC_OPTION_COUNT)
        return SMC_OK;
    if (second < SMC_OPTION_COUNT)
        return smc_fail(error, SMC_USAGE,
                        "option --%s: a second range after --%s; a run varies one value",
                        smc_options[second].name, smc_options[option].name);
    axis->vary = vary_of(option);
    if (axis->vary == SMC_VARY_PARAM)
        axis->param = (enum smc_param)(option - SMC_OPTION_FIRST_PARAM);
    struct smc_error why;
    const char *step = strchr(arguments->text[option], ':');
    bool stepped = step && strchr(step + 1, ':');
    enum smc_status status = smc_series_take_range(&arguments->range[option], stepped, axis, &why);
    return status == SMC_OK
               ? status
               : smc_fail(error, status, "option --%s: %s", smc_options[option].name, why.message);
}

/* The kernels to run: the one named, or its family; `family` is NULL for one. */
static enum smc_status ask_members(const struct smc_arguments *arguments, const char **family,
                                   const struct smc_kernel *member[SMC_SERIES_MOST_MEMBERS],
                                   size_t *count, struct smc_error *error)
{
    const char *name = arguments->text[SMC_OPTION_KERNEL];
    enum smc_status status = SMC_OK;
    *count = name && !smc_kernel_find(name) ? smc_series_members(name, member) : 0;
    *family = *count > 0 ? member[0]->family : NULL;
    if (*family)
        return SMC_OK;
    status = smc_ask_named_kernel(arguments, &member[0], error);
    *count = 1;
    if (status != SMC_OK || !arguments->given[SMC_OPTION_COMPARE])
        return status;
    if (member[0]->is_racy)
        return smc_fail(error, SMC_USAGE,
                        "option --compare: not with %s, which is there to be found racy, not timed",
                        member[0]->name);
    *family = member[0]->family;
    *count = smc_series_members(*family, member);
    return *count > 1
               ? SMC_OK
               : smc_fail(error, SMC_USAGE, "option --compare: %s is alone in its family", *family);
}

/* What the kernel does not take counts for others of its family, if for any. */
static void leave_out(const struct smc_kernel *const *member, size_t count, size_t index,
                      struct smc_arguments *arguments)
{
    uint32_t taken = 0;
    for (size_t i = 0; i < count; i++)
        taken |= member[i]->params;
    for (int i = 0; i < SMC_PARAM_COUNT; i++)
        if (taken & ~member[index]->params & 1u << i)
            arguments->given[SMC_OPTION_FIRST_PARAM + i] = false;
    arguments->text[SMC_OPTION_KERNEL] = member[index]->name;
}

static enum smc_status ask_queries(const struct smc_arguments *arguments,
                                   const struct smc_query *place,
                                   const struct smc_kernel *const *member, size_t count,
                                   struct smc_query *query, struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < count && status == SMC_OK; i++) {
        struct smc_arguments own = *arguments;
        leave_out(member, count, i, &own);
        status = smc_ask_query(&own, &query[i], error);
        query[i].device = place->device;
        memcpy(query[i].device_note, place->device_note, sizeof query[i].device_note);
        query[i].device_assumed = place->device_assumed;
    }
    return status;
}

enum smc_status smc_ask_series(const struct smc_arguments *arguments, const struct smc_query *place,
                               bool emulated, struct smc_series *series, struct smc_error *error)
{
    struct smc_arguments with_block;
    const struct smc_kernel *member[SMC_SERIES_MOST_MEMBERS];
    struct smc_query query[SMC_SERIES_MOST_MEMBERS];
    size_t count = 0;
    *series = (struct smc_series){0};
    enum smc_status status = smc_ask_block_param(arguments, &with_block, error);
    if (status == SMC_OK)
        status = ask_members(&with_block, &series->family, member, &count, error);
    with_block.range[SMC_OPTION_BLOCK_SHAPE].step = 0; /* the parameter has it now */
    if (status == SMC_OK)
        status = ask_axis(&with_block, &series->axis, error);
    if (status == SMC_OK)
        status = ask_queries(&with_block, place, member, count, query, error);
    if (status == SMC_OK)
        status = smc_series_build(query, count, emulated, series, error);
    return status;
}
