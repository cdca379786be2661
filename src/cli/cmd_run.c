/* smemcalc run: launches the kernel and confirms the predictions. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sandbox.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "confirm/all_gpus.h"

static smc_command_function run;

const struct smc_command smc_command_run = {
    .name = "run",
    .usage = "[FILE] [OPTION]..., and one as FIRST:LAST[:STEP] to vary it",
    .help = "launch a kernel, or your own source, and confirm the predictions",
    .examples = "  smemcalc run --tile 32\n"
                "  smemcalc run --tile 16 --size 64 --on emulator --device 'RTX 4090'\n"
                "  smemcalc run --tile 16 --size 256 --on emulator --device 9.0 --annotate\n"
                "  smemcalc run --kernel stencil-dynamic --radius 6000 --format json\n"
                "  smemcalc run --kernel matmul --compare --size 6000x4000x4800\n"
                "  smemcalc run --kernel stencil --radius 1:6000\n"
                "  smemcalc run --tile 16 --carveout 0:100:25\n"
                "  smemcalc run --tile 32 --gpu all\n"
                "  smemcalc run my.cu --grid 4 --block 256 -a f32x1K:random -a i32:1K\n"
                "  smemcalc run my.cu --grid 4 --block 256 -a f32x1K --sanitize sarif\n",
    .most_files = 1,
    .run = run,
};

static struct smc_run_settings settings_of(const struct smc_arguments *arguments)
{
    return (struct smc_run_settings){
        .place = (enum smc_place)arguments->number[SMC_OPTION_ON],
        .gpu_index = (int)arguments->number[SMC_OPTION_GPU],
        .seed = (uint64_t)arguments->number[SMC_OPTION_SEED],
        .timeout_ms = (uint32_t)arguments->number[SMC_OPTION_TIMEOUT],
        .no_counters = arguments->given[SMC_OPTION_NO_COUNTERS],
    };
}

static enum smc_status check_place(const struct smc_arguments *arguments,
                                   const struct smc_run_settings *settings, struct smc_error *error)
{
    struct smc_error why = {""};
    bool emulated = settings->place == SMC_ON_EMULATOR;
    if (emulated && arguments->given[SMC_OPTION_GPU])
        return smc_fail(error, SMC_USAGE,
                        "option --gpu: not with --on emulator; --device names "
                        "what to emulate");
    if (emulated && arguments->given[SMC_OPTION_NO_COUNTERS])
        return smc_fail(error, SMC_USAGE,
                        "option --no-counters: not with --on emulator, which reads none");
    if (!emulated && (arguments->device.count > 0 || arguments->device_file.count > 0))
        return smc_fail(error, SMC_USAGE,
                        "option --device: a run uses the GPU that --gpu names; "
                        "--on emulator accepts any device");
    if (settings->gpu_index == SMC_ALL_GPUS && arguments->given[SMC_OPTION_SOURCE])
        return smc_fail(
            error, SMC_USAGE,
            "option --gpu: 'all' is not for your own source; give the index of one GPU");
    if (settings->gpu_index == SMC_ALL_GPUS && arguments->given[SMC_OPTION_ANNOTATE])
        return smc_fail(error, SMC_USAGE,
                        "option --annotate: not with --gpu all; it shows one emulation");
    if (settings->place == SMC_ON_GPU && arguments->given[SMC_OPTION_ANNOTATE])
        return smc_fail(
            error, SMC_USAGE,
            "option --annotate: only with --on emulator or both: the emulator counts by "
            "line");
    if (smc_place_executor(settings->place)->device_count(&why) > 0)
        return SMC_OK;
    return smc_fail(error, SMC_UNAVAILABLE, "run: %s; --on emulator needs none", why.message);
}

static enum smc_status ask_gpu(const struct smc_arguments *arguments,
                               const struct smc_run_settings *settings, struct smc_query *query,
                               struct smc_error *error)
{
    struct smc_error why = {""};
    const struct smc_executor *executor = smc_place_executor(settings->place);
    enum smc_status status = executor->device(settings->gpu_index, &query->device, &why);
    const char *option = arguments->given[SMC_OPTION_GPU] ? "option --gpu: " : "";
    return status == SMC_OK ? SMC_OK : smc_fail(error, status, "%s%s", option, why.message);
}

enum smc_status smc_ask_place(const struct smc_arguments *arguments,
                              struct smc_run_settings *settings, struct smc_chosen_devices *devices,
                              struct smc_query *query, struct smc_error *error)
{
    *settings = settings_of(arguments);
    enum smc_status status = check_place(arguments, settings, error);
    if (status != SMC_OK)
        return status;
    if (settings->gpu_index == SMC_ALL_GPUS)
        return SMC_OK;
    status = settings->place == SMC_ON_EMULATOR
                 ? smc_ask_one_device(arguments, devices, query, error)
                 : ask_gpu(arguments, settings, query, error);
    if (status == SMC_OK)
        smc_ask_ceilings(query, 1);
    if (settings->place == SMC_ON_EMULATOR) /* the user's source may need nvcc */
        smc_sandbox_enter(arguments->given[SMC_OPTION_SOURCE] ? SMC_SANDBOX_COMPILERS
                                                              : SMC_SANDBOX_READING);
    return status;
}

void smc_run_make_stoppable(const struct smc_arguments *arguments,
                            struct smc_run_settings *settings)
{
    if (settings->place == SMC_ON_GPU) /* a launch has a deadline, and Ctrl-C ends the program */
        return;
    settings->stop = smc_interrupt_requested;
    smc_interrupt_watch();
    if (arguments->given[SMC_OPTION_TIMEOUT])
        smc_interrupt_after(settings->timeout_ms);
}

enum smc_status smc_run_fail_stopped(const struct smc_run_settings *settings,
                                     struct smc_error *error)
{
    const struct smc_error reached = *error;
    if (smc_interrupt_seen())
        return smc_fail(error, SMC_INTERRUPTED, "interrupted: %.900s", reached.message);
    return smc_fail(error, SMC_SHORTFALL, "option --timeout: %u ms are over: %.900s",
                    settings->timeout_ms, reached.message);
}

/* Wrong arguments are wrong on each GPU: then there is nothing to report. */
static bool is_wrong_usage(const struct smc_all_gpus *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->part[i].status != SMC_USAGE)
            return false;
    return all->count > 0;
}

static void warn_idle(const struct smc_arguments *arguments, const struct smc_all_gpus *all)
{
    struct smc_idle_options idle = {0};
    for (size_t i = 0; i < all->count; i++)
        if (all->part[i].device.name[0])
            smc_idle_consider(arguments, &all->part[i].device, &idle);
    smc_idle_warn(&idle);
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

static void add_ceilings(struct smc_query *query)
{
    smc_ask_ceilings(query, 1);
}

static void report(const struct smc_arguments *arguments, const struct smc_all_gpus *all,
                   struct smc_text *out)
{
    struct smc_report_style style;
    warn_idle(arguments, all);
    for (size_t i = 0; i < all->count; i++)
        tell_part(&all->part[i]);
    smc_output_style(&style);
    smc_ask_writer(arguments)->all_gpus(all, &style, out);
}

static enum smc_status run_on_all(const struct smc_arguments *arguments,
                                  const struct smc_query *query,
                                  const struct smc_run_settings *settings, struct smc_text *out,
                                  struct smc_error *error)
{
    struct smc_all_gpus all;
    enum smc_status status = smc_confirm_all_gpus(query, settings, add_ceilings, &all, error);
    if (is_wrong_usage(&all))
        *error = all.part[0].error;
    else if (all.count > 0)
        report(arguments, &all, out);
    smc_all_gpus_free(&all);
    return status;
}

/* --sanitize: `status` is that of the runs, whose comparisons do not count. */
static enum smc_status sanitize(const struct smc_arguments *arguments,
                                const struct smc_confirmed_run *runs, size_t count,
                                enum smc_status status, struct smc_text *out,
                                struct smc_error *error)
{
    struct smc_sanitized sanitized[SMC_MOST_RUNS];
    if (status > SMC_SHORTFALL || count == 0)
        return status;
    for (size_t i = 0; i < count; i++) {
        const struct smc_answer *answer = &runs[i].answer;
        if (!runs[i].result.emulation.made)
            return smc_fail(error, SMC_USAGE, "option --sanitize: %.64s was not run: %s",
                            answer->query.kernel->name, runs[i].result.emulation.message);
        sanitized[i] =
            (struct smc_sanitized){answer->query.kernel->file, answer->query.kernel->name,
                                   answer->query.device.name, &runs[i].result.emulated};
    }
    return smc_sanitize_report(arguments, sanitized, count, out, error);
}

static enum smc_status run_query(const struct smc_arguments *arguments,
                                 const struct smc_query *query,
                                 const struct smc_run_settings *settings, struct smc_text *out,
                                 struct smc_error *error)
{
    struct smc_confirmed_run *runs =
        smc_calloc(SMC_MOST_RUNS, sizeof *runs); /* too large for the stack */
    if (!runs)
        return smc_out_of_memory(error);
    smc_idle_warn_of(arguments, &query->device);
    struct smc_text warnings = {0};
    size_t count = 0;
    enum smc_status status = smc_confirm_launch(query, settings, runs, &count, &warnings, error);
    smc_output_warn(&warnings);
    if (arguments->given[SMC_OPTION_SANITIZE]) {
        status = sanitize(arguments, runs, count, status, out, error);
    } else if (count > 0) {
        struct smc_report_style style;
        smc_output_style(&style);
        smc_ask_writer(arguments)->runs(runs, count, &style, out);
    }
    free(runs);
    return status;
}

static enum smc_status run_options(const struct smc_arguments *arguments, struct smc_text *out,
                                   struct smc_error *error)
{
    struct smc_annotation annotation = {0};
    struct smc_query query;
    struct smc_chosen_devices devices = {0};
    struct smc_run_settings settings;
    if (smc_asks_series(arguments))
        return smc_run_series(arguments, out, error);
    if (arguments->given[SMC_OPTION_SOURCE])
        return smc_run_source(arguments, out, error);
    enum smc_status status = smc_ask_no_source(arguments, error);
    if (status == SMC_OK)
        status = smc_ask_query(arguments, &query, error);
    if (status == SMC_OK)
        status = smc_ask_place(arguments, &settings, &devices, &query, error);
    if (status == SMC_OK) {
        smc_run_make_stoppable(arguments, &settings);
        settings.annotation = arguments->given[SMC_OPTION_ANNOTATE] ? &annotation : NULL;
    }
    if (status == SMC_OK)
        status = settings.gpu_index == SMC_ALL_GPUS
                     ? run_on_all(arguments, &query, &settings, out, error)
                     : run_query(arguments, &query, &settings, out, error);
    if (status == SMC_INTERRUPTED)
        status = smc_run_fail_stopped(&settings, error);
    smc_chosen_devices_free(&devices);
    smc_annotation_free(&annotation);
    return status;
}

/* A FILE is the same as --source FILE. */
static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    struct smc_arguments own = *arguments;
    enum smc_status status = smc_sanitize_ask(&own, error);
    if (status != SMC_OK)
        return status;
    if (arguments->file_count == 0)
        return run_options(&own, out, error);
    if (arguments->given[SMC_OPTION_SOURCE])
        return smc_fail(error, SMC_USAGE, "option --source: not with FILE '%.64s'",
                        arguments->file[0]);
    own.given[SMC_OPTION_SOURCE] = true;
    own.text[SMC_OPTION_SOURCE] = arguments->file[0];
    return run_options(&own, out, error);
}
