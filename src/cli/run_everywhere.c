/* smemcalc run --gpu all: one question on every GPU of the machine, one report. */
#include "cli/run_everywhere.h"

#include <stdio.h>

#include "cli/ask.h"
#include "cli/ask_ceilings.h"
#include "cli/idle_options.h"
#include "cli/output.h"
#include "confirm/all_gpus.h"

/* What is wrong with the arguments is wrong on each GPU: then there is nothing to report. */
static bool is_wrong_usage(const struct smc_all_gpus *everywhere)
{
    for (size_t i = 0; i < everywhere->count; i++)
        if (everywhere->part[i].status != SMC_USAGE)
            return false;
    return everywhere->count > 0;
}

static void tell_idle(const struct smc_arguments *arguments, const struct smc_all_gpus *everywhere)
{
    struct smc_idle_options idle = {0};
    for (size_t i = 0; i < everywhere->count; i++)
        if (everywhere->part[i].device.name[0])
            smc_idle_consider(arguments, &everywhere->part[i].device, &idle);
    smc_idle_tell(&idle);
}

static void tell_part(const struct smc_gpu_part *part)
{
    char kind[32];
    snprintf(kind, sizeof kind, "warning: GPU %d: ", part->gpu_index);
    smc_output_tell(kind, smc_text_string(&part->warnings));
    snprintf(kind, sizeof kind, "GPU %d: ", part->gpu_index);
    if (smc_gpu_part_failed(part))
        smc_output_tell(kind, part->error.message);
}

static void tell(struct smc_query *query)
{
    smc_ask_ceilings(query, 1);
}

static void report(const struct smc_arguments *arguments, const struct smc_all_gpus *everywhere,
                   struct smc_text *out)
{
    struct smc_report_style style;
    tell_idle(arguments, everywhere);
    for (size_t i = 0; i < everywhere->count; i++)
        tell_part(&everywhere->part[i]);
    smc_output_style(&style);
    smc_ask_writer(arguments)->everywhere(everywhere, &style, out);
}

enum smc_status smc_run_everywhere(const struct smc_arguments *arguments,
                                   const struct smc_query *query,
                                   const struct smc_run_settings *settings, struct smc_text *out,
                                   struct smc_error *error)
{
    struct smc_all_gpus everywhere;
    enum smc_status status = smc_confirm_all_gpus(query, settings, tell, &everywhere, error);
    if (is_wrong_usage(&everywhere))
        *error = everywhere.part[0].error;
    else if (everywhere.count > 0)
        report(arguments, &everywhere, out);
    smc_all_gpus_free(&everywhere);
    return status;
}
