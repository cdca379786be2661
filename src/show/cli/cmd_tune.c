/* smemcalc tune: the values of a kernel's parameters that make it fastest: all are ranked by
   predicted time, and only the best are run. */
#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"
#include "hardware/tuning_source.h"
#include "show/cli/cmd_run.h"
#include "show/cli/interrupt.h"
#include "show/cli/output.h"
#include "show/cli/progress.h"

/* A shape is checked on a sample of its rows, and timed as long as the median needs. */
enum { CHECK_MS = 500, TIMING_MS = 300 };

/* --- The question ----------------------------------------------------------------------------- */

static enum smc_status cmd_tune_check_kernel(const struct smc_kernel *kernel,
                                             struct smc_error *error)
{
    if (kernel->is_racy)
        return smc_fail(error, SMC_USAGE,
                        "option --kernel: %s has an intended race and is not timed", kernel->name);
    if (kernel->is_probe)
        return smc_fail(error, SMC_USAGE,
                        "option --kernel: %s computes nothing: there is nothing to tune",
                        kernel->name);
    return SMC_OK;
}

static enum smc_status ask_kernel(const struct smc_arguments *arguments, struct smc_tune *tune,
                                  struct smc_error *error)
{
    SMC_TRY(smc_refuse_given(arguments,
                             SMC_OPTIONS(SMC_OPTION_ENTRY, SMC_OPTION_ARG, SMC_OPTION_GRID,
                                         SMC_OPTION_COMPILER_OPTIONS, SMC_OPTION_TUNE_DYNAMIC_SMEM),
                             error, "only with --source FILE"));
    SMC_TRY(smc_ask_query(arguments, &tune->query, error));
    tune->predict = smc_tune_predict_catalog;
    return cmd_tune_check_kernel(tune->query.kernel, error);
}

/* --- Your own source -------------------------------------------------------------------------- */

static enum smc_status check_source(const struct smc_arguments *arguments, struct smc_error *error)
{
    static const enum smc_option_id needed[] = {SMC_OPTION_VARY, SMC_OPTION_GRID,
                                                SMC_OPTION_BLOCK_SHAPE};
    static const char *const forms[] = {"NAME=4,8,16, a macro that the source uses",
                                        "such as 4096/(TM*16), or 64,32",
                                        "such as 256, 32x8 or TM*32"};
    if (smc_file_is_standard_input(arguments->text[SMC_OPTION_SOURCE]))
        return smc_fail(error, SMC_USAGE,
                        "option --source: '-' is read once, and every shape compiles it: name a "
                        "file");
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        if (arguments->given[i] &&
            (smc_options[i].group == SMC_GROUP_KERNEL || i == SMC_OPTION_KERNEL_DIR))
            return smc_fail(
                error, SMC_USAGE,
                "option --%s: only with kernels of the catalog, not with your own source%s",
                smc_options[i].name,
                i == SMC_OPTION_KERNEL ? "; --entry NAME chooses a kernel of the source" : "");
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!arguments->given[needed[i]])
            return smc_fail(error, SMC_USAGE, "option --%s: needed with your own source: %s",
                            smc_options[needed[i]].name, forms[i]);
    return SMC_OK;
}

static enum smc_status ask_source(const struct smc_arguments *arguments, struct smc_tune *tune,
                                  struct smc_tuned_source *source, struct smc_error *error)
{
    SMC_TRY(check_source(arguments, error));
    smc_query_init(&tune->query);
    smc_ask_launch(arguments, &tune->query);
    tune->predict = smc_tuning_predict_source;
    tune->context = source;
    tune->source = arguments->text[SMC_OPTION_SOURCE];
    tune->entry = arguments->text[SMC_OPTION_ENTRY];
    smc_ask_user_request(arguments, tune->source, &source->request);
    source->grid = arguments->text[SMC_OPTION_GRID];
    source->block = arguments->text[SMC_OPTION_BLOCK_SHAPE];
    source->dynamic_smem = arguments->text[SMC_OPTION_TUNE_DYNAMIC_SMEM];
    source->argument_count = arguments->arg.count;
    for (size_t i = 0; i < arguments->arg.count; i++)
        source->argument[i] = arguments->arg.item[i];
    return SMC_OK;
}

/* --- Where ------------------------------------------------------------------------------------ */

static enum smc_status cmd_tune_check_place(const struct smc_arguments *arguments,
                                            struct smc_error *error)
{
    const bool emulated = arguments->number[SMC_OPTION_ON] == SMC_ON_EMULATOR;
    const bool named = arguments->device.count > 0 || arguments->device_file.count > 0;
    const bool gpu_asked =
        arguments->given[SMC_OPTION_ON] || arguments->given[SMC_OPTION_MEASURED_GPU];
    if (arguments->number[SMC_OPTION_ON] == SMC_ON_BOTH)
        return smc_fail(
            error, SMC_USAGE,
            "option --on: 'both' is for one run; tune measures on a gpu, or only ranks");
    if (emulated && arguments->given[SMC_OPTION_MEASURED_GPU])
        return smc_fail(error, SMC_USAGE,
                        "option --gpu: not with --on emulator, which measures no time");
    if (named && gpu_asked && !emulated)
        return smc_fail(
            error, SMC_USAGE,
            "option --device: shapes run on the GPU that --gpu names; without --gpu and "
            "--on they are ranked for any device");
    return SMC_OK;
}

static void set_not_measured(struct smc_tune *tune, const char *why)
{
    snprintf(tune->not_measured, sizeof tune->not_measured, "%.255s", why);
}

/* The GPU to measure on; or a device to rank for, and why nothing is measured. */
static enum smc_status ask_place(const struct smc_arguments *arguments,
                                 struct smc_chosen_devices *devices, struct smc_tune *tune,
                                 struct smc_error *error)
{
    struct smc_error why = {""};
    const struct smc_executor *executor = smc_executor_default();
    const bool emulated = arguments->number[SMC_OPTION_ON] == SMC_ON_EMULATOR;
    const bool named = arguments->device.count > 0 || arguments->device_file.count > 0;
    const bool gpu_asked =
        arguments->given[SMC_OPTION_ON] || arguments->given[SMC_OPTION_MEASURED_GPU];
    SMC_TRY(cmd_tune_check_place(arguments, error));
    tune->gpu_index = (int)arguments->number[SMC_OPTION_MEASURED_GPU];
    if (emulated)
        set_not_measured(tune, "the emulator counts, but has no time");
    else if (named)
        set_not_measured(tune, "--device names a device to rank for; without it this machine's GPU "
                               "is measured");
    else if (executor->device_count(&why) <= 0 && gpu_asked)
        return smc_fail(error, SMC_UNAVAILABLE,
                        "tune: %.900s; without --gpu and --on the shapes "
                        "are only ranked",
                        why.message);
    else if (why.message[0])
        set_not_measured(tune, why.message);
    if (tune->not_measured[0])
        return smc_ask_one_device(arguments, devices, &tune->query, error);
    if (arguments->number[SMC_OPTION_RUNS] == 0 && !arguments->given[SMC_OPTION_ALL_SHAPES])
        set_not_measured(tune, "--runs 0");
    enum smc_status status = executor->device(tune->gpu_index, &tune->query.device, &why);
    return status == SMC_OK
               ? SMC_OK
               : smc_fail(error, status, "%s%s",
                          arguments->given[SMC_OPTION_MEASURED_GPU] ? "option --gpu: " : "",
                          why.message);
}

static enum smc_status ask_axes(const struct smc_arguments *arguments, struct smc_tune *tune,
                                struct smc_error *error)
{
    for (size_t i = 0; i < arguments->vary.count; i++) {
        struct smc_tune_axis axis;
        enum smc_status status = smc_tune_read_axis(arguments->vary.item[i], &axis, error);
        if (status == SMC_OK)
            status = tune->source ? smc_tuning_add_macro(tune, &axis, error)
                                  : smc_tune_add_axis(tune, &axis, error);
        if (status != SMC_OK)
            return smc_fail_in(error, status, "option --vary");
    }
    return tune->source ? smc_tuning_check_file(tune, error) : smc_tune_add_usual_axes(tune, error);
}

/* The work of a launch does not depend on the shape. */
static void find_work(struct smc_tune *tune)
{
    struct smc_query query;
    struct smc_work work = {0};
    smc_tune_ask(tune, tune->shape[0].value, &query);
    if (!query.kernel->work || query.kernel->complete(query.kernel, &query.params, NULL) != SMC_OK)
        return;
    query.kernel->work(query.kernel, &query.params, &work);
    tune->flops = work.flops;
    tune->fma = work.fma_instructions;
}

static enum smc_status cmd_tune_ask(const struct smc_arguments *arguments,
                                    struct smc_chosen_devices *devices,
                                    struct smc_tuned_source *source, struct smc_tune *tune,
                                    struct smc_error *error)
{
    const bool own = arguments->given[SMC_OPTION_SOURCE];
    enum smc_plot_target target;
    SMC_TRY(smc_picture_target(arguments, &target, error));
    SMC_TRY(own ? ask_source(arguments, tune, source, error) : ask_kernel(arguments, tune, error));
    SMC_TRY(ask_place(arguments, devices, tune, error));
    smc_ask_user_place(arguments, &tune->query, &source->request);
    SMC_TRY(ask_axes(arguments, tune, error));
    SMC_TRY(smc_tune_list(tune, own ? smc_tuning_is_source_legal : NULL, error));
    smc_idle_warn_of(arguments, &tune->query.device);
    smc_ask_ceilings(&tune->query, 1);
    if (!own)
        find_work(tune);
    tune->wanted_first = (size_t)arguments->number[SMC_OPTION_RUNS];
    tune->wanted = arguments->given[SMC_OPTION_ALL_SHAPES] ? SIZE_MAX : tune->wanted_first;
    return SMC_OK;
}

/* --- The answer ------------------------------------------------------------------------------- */

static enum smc_status cmd_tune_predict(struct smc_tune *tune, struct smc_text *warnings,
                                        struct smc_error *error)
{
    struct smc_progress progress;
    const struct smc_tune_watcher watcher = {smc_interrupt_seen, smc_progress_step, &progress};
    smc_progress_begin(&progress, tune->count, "shapes compiled");
    enum smc_status status = smc_tune_predict(tune, &watcher, warnings, error);
    smc_progress_erase(&progress);
    if (status == SMC_OK && tune->incomplete)
        return smc_fail(error, SMC_INTERRUPTED, "interrupted: %zu of %zu shapes are not compiled",
                        smc_tune_state_count(tune, SMC_TUNE_WAITING), tune->count);
    return status;
}

static enum smc_status cmd_tune_measure(const struct smc_arguments *arguments,
                                        struct smc_tune *tune, struct smc_text *warnings,
                                        struct smc_error *error)
{
    const struct smc_run_settings settings = {
        .place = SMC_ON_GPU,
        .gpu_index = tune->gpu_index,
        .seed = (uint64_t)arguments->number[SMC_OPTION_SEED],
        .timeout_ms = (uint32_t)arguments->number[SMC_OPTION_TIMEOUT],
        .no_counters = true,
        .no_probe = true,
        .check_ms = CHECK_MS,
        .timing_ms = TIMING_MS,
    };
    struct smc_progress progress;
    const struct smc_tune_watcher watcher = {smc_interrupt_seen, smc_progress_step, &progress};
    size_t runs = tune->wanted < tune->ranked ? tune->wanted : tune->ranked;
    if (tune->not_measured[0] || runs == 0)
        return SMC_OK;
    smc_progress_begin(&progress, runs, "runs");
    enum smc_status status =
        smc_tuning_measure(tune, tune->source ? smc_tuning_run_source : smc_tuning_run_catalog,
                           &settings, &watcher, warnings, error);
    smc_progress_erase(&progress);
    return status;
}

/* A shape that was run and has no time, or a wrong result, contradicts the prediction that it
   launches. */
static enum smc_status cmd_tune_judge(const struct smc_tune *tune, struct smc_error *error)
{
    size_t wrong = 0, failed = 0;
    for (size_t i = 0; i < tune->count; i++) {
        const struct smc_tune_shape *shape = &tune->shape[i];
        wrong += shape->wrong;
        failed += shape->tried && !shape->wrong && !shape->measured;
    }
    if (wrong > 0)
        return smc_fail(error, SMC_SHORTFALL, "%zu of %zu shapes that were run have a wrong result",
                        wrong, smc_tune_run_count(tune));
    if (failed > 0)
        return smc_fail(error, SMC_SHORTFALL, "%zu of %zu shapes that were run have no time",
                        failed, smc_tune_run_count(tune));
    if (tune->ranked == 0)
        return smc_fail(error, SMC_SHORTFALL, "no shape can launch without spilling");
    return SMC_OK;
}

static enum smc_status cmd_tune_draw(const struct smc_arguments *arguments,
                                     const struct smc_tune *tune, enum smc_plot_target target,
                                     struct smc_text *out, struct smc_error *error)
{
    SMC_AUTO(smc_picture_free) struct smc_picture picture = {0};
    const struct smc_canvas canvas = smc_picture_canvas(target, out->style);
    SMC_TRY(smc_fail_in(error, smc_plot_tune(tune, &canvas, &picture, error), "option --plot"));
    return smc_picture_finish(arguments, target, &picture, out, error);
}

/* The table may have cost minutes of measuring: it is reported even if nothing can be drawn. */
static enum smc_status cmd_tune_report(const struct smc_arguments *arguments,
                                       const struct smc_tune *tune, struct smc_text *out,
                                       struct smc_error *error)
{
    const int64_t top = arguments->number[SMC_OPTION_TUNE_TOP];
    size_t runs = tune->wanted_first ? tune->wanted_first : SMC_TUNE_RUNS;
    enum smc_plot_target target;
    enum smc_status status = smc_picture_target(arguments, &target, error);
    struct smc_report_style *style = smc_output_style(out);
    style->most_kernels = !arguments->given[SMC_OPTION_TUNE_TOP] ? runs : top > 0 ? (size_t)top : 0;
    if (target != SMC_PLOT_NOWHERE && status == SMC_OK)
        status = cmd_tune_draw(arguments, tune, target, out, error);
    if (target != SMC_PLOT_TERMINAL || status != SMC_OK)
        smc_ask_writer(arguments)->tune(tune, out);
    return status;
}

/* What was found is reported, even if the search ended early. */
static enum smc_status cmd_tune_answer(const struct smc_arguments *arguments, struct smc_tune *tune,
                                       struct smc_text *out, struct smc_error *error)
{
    struct smc_text warnings = {0};
    smc_interrupt_watch();
    enum smc_status status = cmd_tune_predict(tune, &warnings, error);
    if (status == SMC_OK)
        status = cmd_tune_measure(arguments, tune, &warnings, error);
    smc_output_warn(&warnings);
    if (tune->order) {
        struct smc_error why = {""};
        enum smc_status drawn = cmd_tune_report(arguments, tune, out, &why);
        if (status == SMC_OK && (status = cmd_tune_judge(tune, error)) == SMC_OK && drawn != SMC_OK)
            status = smc_fail(error, drawn, "%s", why.message);
    }
    return status;
}

enum smc_status smc_cmd_tune(const struct smc_arguments *arguments, struct smc_text *out,
                             struct smc_error *error)
{
    SMC_AUTO(smc_chosen_devices_free) struct smc_chosen_devices devices = {0};
    smc_auto_free struct smc_tune *tune = smc_calloc(1, sizeof *tune); /* large */
    smc_auto_free struct smc_tuned_source *source = smc_calloc(1, sizeof *source);
    struct smc_arguments own = *arguments;
    enum smc_status status =
        tune && source ? smc_ask_source(&own, error) : smc_out_of_memory(error);
    if (status == SMC_OK)
        status = cmd_tune_ask(&own, &devices, source, tune, error);
    if (status == SMC_OK)
        status = cmd_tune_answer(&own, tune, out, error);
    if (tune)
        smc_tune_free(tune);
    if (source)
        smc_tuned_source_free(source);
    return status;
}
