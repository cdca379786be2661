/* smemcalc run --source: compiles your own kernel, launches it, and reports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/parse.h"
#include "cli/ask.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "confirm/launch.h"
#include "executor/user.h"
#include "report/words.h"

/* Before the device, whose limits may be lower, is known. */
enum { MOST_IN_BLOCK = 1024, MOST_IN_Z = 64 };

static enum smc_status check_others(const struct smc_arguments *arguments, struct smc_error *error)
{
    for (int i = 0; i < SMC_OPTION_COUNT; i++) {
        bool of_catalog = smc_options[i].group == SMC_GROUP_KERNEL || i == SMC_OPTION_REGS ||
                          i == SMC_OPTION_KERNEL_DIR || i == SMC_OPTION_NO_COUNTERS;
        if (of_catalog && arguments->given[i])
            return smc_fail(error, SMC_USAGE,
                            "option --%s: not with --source, only with kernels of the catalog%s",
                            smc_options[i].name,
                            i == SMC_OPTION_KERNEL ? "; --entry NAME chooses a kernel of the source"
                                                   : "");
    }
    return SMC_OK;
}

enum smc_status smc_ask_no_source(const struct smc_arguments *arguments, struct smc_error *error)
{
    static const int of_source[] = {SMC_OPTION_ENTRY,
                                    SMC_OPTION_ARG,
                                    SMC_OPTION_DUMP,
                                    SMC_OPTION_GRID,
                                    SMC_OPTION_COMPILER_OPTIONS,
                                    SMC_OPTION_PREDICT_ONLY};
    static const int of_answers[] = {SMC_OPTION_EXPLAIN, SMC_OPTION_ROOFLINE, SMC_OPTION_PLOT};
    for (size_t i = 0; i < sizeof of_source / sizeof *of_source; i++)
        if (arguments->given[of_source[i]])
            return smc_fail(error, SMC_USAGE, "option --%s: only with --source FILE",
                            smc_options[of_source[i]].name);
    for (size_t i = 0; i < sizeof of_answers / sizeof *of_answers; i++)
        if (arguments->given[of_answers[i]])
            return smc_fail(error, SMC_USAGE,
                            "option --%s: run has it only for your own source; for a kernel of the "
                            "catalog leave out the word 'run'",
                            smc_options[of_answers[i]].name);
    return SMC_OK;
}

static enum smc_status read_extent(const struct smc_arguments *arguments, int option, int64_t most,
                                   const char *what, uint32_t extent[3], struct smc_error *error)
{
    const char *typed = arguments->text[option];
    int64_t edge[3] = {1, 1, 1};
    if (!typed)
        return smc_fail(error, SMC_USAGE,
                        "option --%s: needed with --source: a number, or a shape such as 32x8",
                        smc_options[option].name);
    if (smc_parse_dimensions(typed, most, edge, 3) == 0)
        return smc_fail(error, SMC_USAGE,
                        "option --%s: '%.64s' is not a shape such as 256, 32x8 or 8x8x4, with 1 to "
                        "%lld %s in each dimension",
                        smc_options[option].name, typed, (long long)most, what);
    for (int i = 0; i < 3; i++)
        extent[i] = (uint32_t)edge[i];
    return SMC_OK;
}

static enum smc_status check_block(const struct smc_arguments *arguments,
                                   const struct smc_user_request *request, struct smc_error *error)
{
    const uint32_t *block = request->block;
    uint32_t most = request->device.sm.max_threads_per_block;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (threads > most)
        return smc_fail(error, SMC_USAGE,
                        "option --block: '%.64s' has %llu threads, more than the %u of a block on "
                        "%s",
                        arguments->text[SMC_OPTION_BLOCK_SHAPE], (unsigned long long)threads, most,
                        request->device.name);
    if (block[2] > MOST_IN_Z)
        return smc_fail(error, SMC_USAGE,
                        "option --block: '%.64s' has %u threads in z, more than %d",
                        arguments->text[SMC_OPTION_BLOCK_SHAPE], block[2], MOST_IN_Z);
    return SMC_OK;
}

/* A file that is read must not be overwritten by mistake. */
static bool is_read(const struct smc_user_request *request, const char *path)
{
    bool read = smc_file_is_same(path, request->file);
    for (size_t i = 0; i < request->argument_count; i++)
        read = read || smc_file_is_same(path, request->argument[i].path);
    return read;
}

static enum smc_status read_dump(const char *typed, const struct smc_user_request *request,
                                 size_t *argument, const char **path, struct smc_error *error)
{
    char number[16];
    int64_t n;
    size_t length = strcspn(typed, ":");
    snprintf(number, sizeof number, "%.*s", (int)(length < sizeof number ? length : 0), typed);
    if (!typed[length] || !typed[length + 1] || !smc_parse_integer(number, 1, INT32_MAX, &n))
        return smc_fail(error, SMC_USAGE,
                        "option --dump: '%.64s' is not of the form N:FILE, such as 1:out.bin",
                        typed);
    if ((uint64_t)n > request->argument_count || !request->argument[n - 1].is_buffer)
        return smc_fail(error, SMC_USAGE, "option --dump: '%.64s': argument %lld is not memory",
                        typed, (long long)n);
    *argument = (size_t)n - 1;
    *path = typed + length + 1;
    if (is_read(request, *path))
        return smc_fail(error, SMC_USAGE,
                        "option --dump: '%.64s' would overwrite what --source or --arg reads",
                        typed);
    return SMC_OK;
}

static enum smc_status read_arguments(const struct smc_arguments *arguments,
                                      struct smc_user_request *request, struct smc_error *error)
{
    request->argument_count = arguments->arg.count;
    for (size_t i = 0; i < arguments->arg.count; i++) {
        struct smc_error reason = {""};
        if (smc_user_argument_parse(arguments->arg.item[i], &request->argument[i], &reason) !=
            SMC_OK)
            return smc_fail(error, SMC_USAGE, "option --arg: %.900s", reason.message);
    }
    for (size_t i = 0; i < arguments->dump.count; i++) {
        size_t argument;
        const char *path;
        enum smc_status status =
            read_dump(arguments->dump.item[i], request, &argument, &path, error);
        if (status != SMC_OK)
            return status;
    }
    return SMC_OK;
}

static enum smc_status check_roofline(const struct smc_arguments *arguments,
                                      struct smc_error *error)
{
    enum smc_plot_target target;
    if (arguments->given[SMC_OPTION_PLOT] && !arguments->given[SMC_OPTION_ROOFLINE])
        return smc_fail(error, SMC_USAGE, "option --plot: in run only with --roofline");
    return smc_roofline_target(arguments, &target, error);
}

static enum smc_status ask_own(const struct smc_arguments *arguments,
                               struct smc_user_request *request, struct smc_error *error)
{
    const int64_t *number = arguments->number;
    *request = (struct smc_user_request){
        .file = arguments->text[SMC_OPTION_SOURCE],
        .entry = arguments->text[SMC_OPTION_ENTRY],
        .compiler_options = arguments->text[SMC_OPTION_COMPILER_OPTIONS],
        .no_cache = arguments->given[SMC_OPTION_NO_CACHE],
        .launch = SMC_LAUNCH_INIT,
    };
    if (arguments->given[SMC_OPTION_DYNAMIC_SMEM])
        request->dynamic_smem_bytes = (uint32_t)number[SMC_OPTION_DYNAMIC_SMEM];
    smc_ask_settings(arguments, &request->launch);
    enum smc_status status = check_others(arguments, error);
    if (status == SMC_OK)
        status = check_roofline(arguments, error);
    if (status == SMC_OK)
        status = read_extent(arguments, SMC_OPTION_GRID, INT32_MAX, "blocks", request->grid, error);
    if (status == SMC_OK)
        status = read_extent(arguments, SMC_OPTION_BLOCK_SHAPE, MOST_IN_BLOCK, "threads",
                             request->block, error);
    return status == SMC_OK ? read_arguments(arguments, request, error) : status;
}

/* For --dry-run. */
static enum smc_status check_nothing_run(const struct smc_arguments *arguments,
                                         struct smc_error *error)
{
    static const int of_runs[] = {SMC_OPTION_ON, SMC_OPTION_ANNOTATE, SMC_OPTION_DUMP};
    for (size_t i = 0; i < sizeof of_runs / sizeof *of_runs; i++)
        if (arguments->given[of_runs[i]])
            return smc_fail(error, SMC_USAGE, "option --%s: not with --dry-run, which runs nothing",
                            smc_options[of_runs[i]].name);
    return SMC_OK;
}

static enum smc_status ask(const struct smc_arguments *arguments, struct smc_user_request *request,
                           struct smc_run_settings *settings, struct smc_chosen_devices *devices,
                           struct smc_error *error)
{
    struct smc_query query;
    struct smc_arguments placed = *arguments;
    smc_query_init(&query);
    enum smc_status status = ask_own(arguments, request, error);
    if (status == SMC_OK && arguments->given[SMC_OPTION_PREDICT_ONLY]) {
        status = check_nothing_run(arguments, error);
        placed.number[SMC_OPTION_ON] = SMC_ON_EMULATOR; /* any device */
    }
    if (status == SMC_OK)
        status = smc_ask_place(&placed, settings, devices, &query, error);
    if (status != SMC_OK)
        return status;
    request->device = query.device;
    request->ceilings = query.ceilings;
    request->settings = settings;
    return check_block(arguments, request, error);
}

/* A launch that the model rules out is not tried: the arguments are wrong. */
static enum smc_status check_launch(const struct smc_user_run *run, struct smc_error *error)
{
    const struct smc_answer *answer = &run->answer;
    if (answer->outcome == SMC_LAUNCHES)
        return SMC_OK;
    struct smc_text reason = {0};
    smc_words_failure(answer, &reason);
    smc_fail(error, SMC_USAGE, "%.256s of %.256s %.400s", run->row.kernel->shown, run->request.file,
             smc_text_string(&reason));
    smc_text_free(&reason);
    return SMC_USAGE;
}

static enum smc_status prepare(const struct smc_user_request *request, struct smc_user_run *run,
                               struct smc_error *error)
{
    struct smc_text warnings = {0};
    enum smc_status status = smc_user_prepare(request, run, &warnings, error);
    smc_output_warn(&warnings);
    return status == SMC_OK ? check_launch(run, error) : status;
}

static enum smc_status launch(struct smc_user_run *run, struct smc_error *error)
{
    struct smc_text warnings = {0};
    enum smc_status status = smc_user_launch(run, &warnings, error);
    smc_output_warn(&warnings);
    return status;
}

/* The memory after the emulation, else after the GPU's run. */
static enum smc_status dump(const struct smc_arguments *arguments, const struct smc_user_run *run,
                            struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < arguments->dump.count && status == SMC_OK; i++) {
        size_t argument;
        const char *path;
        status = read_dump(arguments->dump.item[i], &run->request, &argument, &path, error);
        for (size_t k = 0; k < run->memory_count && status == SMC_OK; k++) {
            const struct smc_user_memory *memory = &run->memory[k];
            if (memory->position != argument + 1 || !(memory->has_emulated || memory->has_gpu))
                continue;
            const struct smc_text bytes = {
                .data = memory->has_emulated ? memory->after_emulated : memory->after_gpu,
                .length = smc_user_argument_bytes(memory->argument),
            };
            status = smc_file_write(path, true, &bytes, error);
        }
    }
    return status;
}

/* The first failure counts. */
static enum smc_status first_of(enum smc_status first, enum smc_status second)
{
    return first == SMC_OK ? second : first;
}

/* --- A roofline ------------------------------------------------------------------------------- */

static enum smc_status draw_roofline(const struct smc_arguments *arguments,
                                     const struct smc_user_run *run, enum smc_plot_target target,
                                     const struct smc_report_style *style, struct smc_text *out,
                                     struct smc_error *error)
{
    struct smc_picture picture = {0};
    const struct smc_canvas canvas = smc_picture_canvas(target, style);
    const struct smc_inspect_kernel *kernel = run->row.kernel;
    const struct smc_file_kernel named = {
        .name = kernel->shown, .short_name = kernel->shown, .file = run->request.file};
    struct smc_answer *answer = smc_calloc(1, sizeof *answer); /* too large for the stack */
    if (!answer)
        return smc_out_of_memory(error);
    *answer = run->answer;
    answer->query.file_kernel = &named;
    enum smc_status status = smc_roofline_check(answer, 1, error);
    if (status == SMC_OK) {
        smc_plot_roofline(answer, 1, &canvas, &picture);
        status = smc_picture_finish(arguments, target, &picture, style, out, error);
    }
    free(answer);
    return status;
}

/* --- The whole -------------------------------------------------------------------------------- */

/* The text, and besides or instead of it the picture. */
static enum smc_status write_report(const struct smc_arguments *arguments,
                                    const struct smc_user_run *run,
                                    const struct smc_confirmation *confirmation,
                                    struct smc_text *out, struct smc_error *error)
{
    struct smc_report_style style;
    enum smc_plot_target target;
    enum smc_status status = smc_roofline_target(arguments, &target, error);
    smc_output_style(&style);
    style.explain = arguments->given[SMC_OPTION_EXPLAIN];
    if (status == SMC_OK && target != SMC_PLOT_NOWHERE)
        status = draw_roofline(arguments, run, target, &style, out, error);
    if (target != SMC_PLOT_TERMINAL)
        smc_ask_writer(arguments)->own(run, confirmation, &style, out);
    return status;
}

static enum smc_status report(const struct smc_arguments *arguments, const struct smc_user_run *run,
                              struct smc_text *out, struct smc_error *error)
{
    struct smc_confirmation confirmation;
    smc_confirm_user(run, &confirmation);
    enum smc_status status = smc_user_ending(run, error);
    if (arguments->given[SMC_OPTION_PREDICT_ONLY] || run->result.emulation.made ||
        run->result.finish.succeeded) {
        struct smc_error why = {""};
        enum smc_status written = write_report(arguments, run, &confirmation, out, &why);
        if (status == SMC_OK && written != SMC_OK)
            status = smc_fail(error, written, "%s", why.message);
    }
    struct smc_error reason = {""};
    enum smc_status dumped = dump(arguments, run, &reason);
    if (dumped != SMC_OK && status == SMC_OK)
        return smc_fail(error, dumped, "option --dump: %.900s", reason.message);
    return first_of(status, smc_confirmation_status(&confirmation));
}

enum smc_status smc_run_source(const struct smc_arguments *arguments, struct smc_text *out,
                               struct smc_error *error)
{
    struct smc_chosen_devices devices = {0};
    struct smc_run_settings settings;
    struct smc_user_request *request = smc_calloc(1, sizeof *request); /* too large for the stack */
    struct smc_user_run *run = smc_calloc(1, sizeof *run);
    enum smc_status status = request && run ? ask(arguments, request, &settings, &devices, error)
                                            : smc_out_of_memory(error);
    if (status == SMC_OK) {
        smc_idle_warn_of(arguments, &request->device);
        status = prepare(request, run, error);
    }
    if (status == SMC_OK) {
        settings.stop = smc_interrupt_seen;
        settings.annotation = arguments->given[SMC_OPTION_ANNOTATE] ? &run->annotation : NULL;
        smc_interrupt_watch(); /* compiling ends with the program */
        if (!arguments->given[SMC_OPTION_PREDICT_ONLY])
            status = launch(run, error);
        struct smc_error *second = status == SMC_OK ? error : NULL;
        if (status == SMC_OK || run->result.emulation.made)
            status = first_of(status, report(arguments, run, out, second));
    }
    if (run)
        smc_user_free(run);
    free(run);
    free(request);
    smc_chosen_devices_free(&devices);
    return status;
}
