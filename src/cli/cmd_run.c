/* smemcalc run: launches the kernel and confirms the predictions. */
#include <stdlib.h>

#include "base/memory.h"
#include "cli/ask.h"
#include "cli/ask_kernel.h"
#include "cli/ask_own.h"
#include "cli/ask_place.h"
#include "cli/ask_series.h"
#include "cli/command.h"
#include "cli/idle_options.h"
#include "cli/output.h"
#include "cli/run_everywhere.h"
#include "cli/run_series.h"
#include "cli/run_source.h"
#include "cli/run_stop.h"

static enum smc_status run_query(const struct smc_arguments *arguments,
                                 const struct smc_query *query,
                                 const struct smc_run_settings *settings, struct smc_text *out,
                                 struct smc_error *error)
{
    struct smc_confirmed_run *runs =
        smc_calloc(SMC_MOST_RUNS, sizeof *runs); /* much for the stack */
    if (!runs)
        return smc_out_of_memory(error);
    struct smc_idle_options idle = {0};
    smc_idle_consider(arguments, &query->device, &idle);
    smc_idle_tell(&idle);
    struct smc_text warnings = {0};
    size_t count = 0;
    enum smc_status status = smc_confirm_launch(query, settings, runs, &count, &warnings, error);
    smc_output_tell("warning: ", smc_text_string(&warnings));
    smc_text_free(&warnings);
    if (count > 0) {
        struct smc_report_style style;
        smc_output_style(&style);
        smc_ask_writer(arguments)->runs(runs, count, &style, out);
    }
    free(runs);
    return status;
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    struct smc_annotation annotation = {0};
    struct smc_arguments with_block;
    struct smc_query query;
    struct smc_chosen_devices devices = {0};
    struct smc_run_settings settings;
    if (smc_asks_series(arguments))
        return smc_run_series(arguments, out, error);
    if (arguments->given[SMC_OPTION_SOURCE])
        return smc_run_source(arguments, out, error);
    enum smc_status status = smc_ask_no_source(arguments, error);
    if (status == SMC_OK)
        status = smc_ask_block_param(arguments, &with_block, error);
    if (status == SMC_OK)
        status = smc_ask_query(&with_block, &query, error);
    if (status == SMC_OK)
        status = smc_ask_place(arguments, &settings, &devices, &query, error);
    if (status == SMC_OK) {
        smc_run_make_stoppable(arguments, &settings);
        settings.annotation = arguments->given[SMC_OPTION_ANNOTATE] ? &annotation : NULL;
    }
    if (status == SMC_OK)
        status = settings.gpu_index == SMC_ALL_GPUS
                     ? smc_run_everywhere(arguments, &query, &settings, out, error)
                     : run_query(arguments, &query, &settings, out, error);
    if (status == SMC_INTERRUPTED)
        status = smc_run_tell_stopped(&settings, error);
    smc_chosen_devices_free(&devices);
    smc_annotation_free(&annotation);
    return status;
}

const struct smc_command smc_command_run = {
    .name = "run",
    .usage = "[OPTION]..., and one of them as FIRST:LAST[:STEP] to vary it",
    .help = "launch a kernel, or your own source, and confirm the predictions",
    .examples = "  smemcalc run --tile 32\n"
                "  smemcalc run --tile 16 --size 64 --on emulator --device 'RTX 4090'\n"
                "  smemcalc run --tile 16 --size 256 --on emulator --device 9.0 --annotate\n"
                "  smemcalc run --kernel stencil-dynamic --radius 6000 --format json\n"
                "  smemcalc run --kernel matmul --compare --size 6000x4000x4800\n"
                "  smemcalc run --kernel stencil --radius 1:6000\n"
                "  smemcalc run --tile 16 --carveout 0:100:25\n"
                "  smemcalc run --tile 32 --gpu all\n"
                "  smemcalc run --source my.cu --grid 4 --block 256 -a f32x1K:random -a i32:1K\n",
    .run = run,
};
