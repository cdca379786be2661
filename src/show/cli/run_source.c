/* smemcalc run --source: compiles your own kernel, launches it, and reports. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/sandbox.h"
#include "show/cli/cmd_run.h"
#include "show/cli/interrupt.h"
#include "show/cli/output.h"
#include "show/words/words.h"

/* Before the device, whose limits may be lower, is known. */
enum { MOST_IN_BLOCK = 1024 };

static enum smc_status check_others(const struct smc_arguments *arguments, struct smc_error *error)
{
    for (int i = 0; i < SMC_OPTION_COUNT; i++) {
        bool of_catalog = smc_options[i].group == SMC_GROUP_KERNEL || i == SMC_OPTION_REGS ||
                          i == SMC_OPTION_KERNEL_DIR;
        if (of_catalog && arguments->given[i])
            return smc_fail(error, SMC_USAGE,
                            "option --%s: only with kernels of the catalog, not with your own "
                            "source%s",
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
                                    SMC_OPTION_SET,
                                    SMC_OPTION_DUMP,
                                    SMC_OPTION_EXPECTED,
                                    SMC_OPTION_GRID,
                                    SMC_OPTION_COMPILER_OPTIONS,
                                    SMC_OPTION_PREDICT_ONLY,
                                    SMC_OPTION_COOPERATIVE};
    for (size_t i = 0; i < sizeof of_source / sizeof *of_source; i++)
        if (arguments->given[of_source[i]])
            return smc_fail(error, SMC_USAGE,
                            "option --%s: only with your own source: smemcalc run FILE --%s ...",
                            smc_options[of_source[i]].name, smc_options[of_source[i]].name);
    return smc_refuse_given(
        arguments, SMC_OPTIONS(SMC_OPTION_EXPLAIN, SMC_OPTION_ROOFLINE, SMC_OPTION_PLOT), error,
        "run has it only for your own source; for a kernel of the catalog leave out the word "
        "'run'");
}

/* A shape of at most `most` in each dimension, which is needed. */
static enum smc_status ask_extent(const struct smc_arguments *arguments, int option, int64_t most,
                                  const char *what, uint32_t extent[3], struct smc_error *error)
{
    const char *typed = arguments->text[option];
    int64_t edge[3] = {1, 1, 1};
    if (!typed)
        return smc_fail(
            error, SMC_USAGE,
            "option --%s: needed to launch the kernel: the number of %s, or their shape "
            "such as 32x8",
            smc_options[option].name, what);
    if (smc_parse_dimensions(typed, most, edge, 3) == 0)
        return smc_fail(error, SMC_USAGE,
                        "option --%s: '%.64s' is not a shape such as 256, 32x8 or 8x8x4, with 1 to "
                        "%lld %s in each dimension",
                        smc_options[option].name, typed, (long long)most, what);
    for (int i = 0; i < 3; i++)
        extent[i] = (uint32_t)edge[i];
    return SMC_OK;
}

static enum smc_status find_path(void *context, const struct smc_user_argument *member,
                                 uint64_t place, struct smc_error *error);

/* What an argument consists of. */
struct contents {
    const char *path; /* that must not be overwritten */
    bool is_read;
    size_t memories;
};

static void run_source_look_into(const struct smc_user_argument *argument,
                                 struct contents *contents)
{
    struct smc_error ignored;
    uint64_t bytes;
    uint32_t align;
    contents->memories += argument->is_buffer;
    contents->is_read |= contents->path && smc_file_is_same(contents->path, argument->path);
    if (argument->form == SMC_USER_STRUCT || argument->form == SMC_USER_LIST)
        smc_user_members(argument->typed, find_path, contents, &bytes, &align, &ignored);
}

static enum smc_status find_path(void *context, const struct smc_user_argument *member,
                                 uint64_t place, struct smc_error *error)
{
    (void)place, (void)error;
    run_source_look_into(member, context);
    return SMC_OK;
}

/* A file that is read must not be overwritten by mistake. */
static bool run_source_is_read(const struct smc_user_request *request, const char *path)
{
    struct contents contents = {.path = path, .is_read = smc_file_is_same(path, request->file)};
    for (size_t i = 0; i < request->argument_count; i++)
        run_source_look_into(&request->argument[i], &contents);
    for (size_t i = 0; i < request->variable_count; i++)
        run_source_look_into(&request->variable[i].value, &contents);
    return contents.is_read;
}

/* What --dump writes: memory of an argument, or a variable. */
struct dumped {
    size_t argument, part; /* from 1 */
    char variable[256];    /* "": an argument */
    const char *path;
};

static enum smc_status read_dump_argument(const char *typed, const char *number,
                                          const struct smc_user_request *request,
                                          struct dumped *dumped, struct smc_error *error)
{
    char argument[16], part[16] = "1";
    int64_t n, k;
    size_t length = strcspn(number, ".");
    struct contents contents = {.path = NULL};
    snprintf(argument, sizeof argument, "%.*s", (int)(length < 15 ? length : 0), number);
    if (number[length])
        snprintf(part, sizeof part, "%.15s", number + length + 1);
    if (!smc_parse_integer(argument, 1, INT32_MAX, &n) ||
        !smc_parse_integer(part, 1, INT32_MAX, &k))
        return smc_fail(error, SMC_USAGE,
                        "option --dump: '%.64s' is not of the form N:FILE or NAME:FILE, such as "
                        "1:out.bin",
                        typed);
    if ((uint64_t)n <= request->argument_count)
        run_source_look_into(&request->argument[n - 1], &contents);
    if (contents.memories == 0)
        return smc_fail(error, SMC_USAGE, "option --dump: '%.64s': argument %lld is not memory",
                        typed, (long long)n);
    if ((uint64_t)k > contents.memories)
        return smc_fail(error, SMC_USAGE,
                        "option --dump: '%.64s': argument %lld has %zu piece%s of memory", typed,
                        (long long)n, contents.memories, smc_text_plural(contents.memories));
    dumped->argument = (size_t)n;
    dumped->part = (size_t)k;
    return SMC_OK;
}

static enum smc_status read_dump(const char *typed, const struct smc_user_request *request,
                                 struct dumped *dumped, struct smc_error *error)
{
    size_t length = smc_user_variable_name(typed);
    *dumped = (struct dumped){.path = typed + length + 1};
    if (length == 0 || length >= sizeof dumped->variable || typed[length] != ':' || !*dumped->path)
        return smc_fail(error, SMC_USAGE,
                        "option --dump: '%.64s' is not of the form N:FILE or NAME:FILE, such as "
                        "1:out.bin",
                        typed);
    memcpy(dumped->variable, typed, length);
    if (strspn(typed, "0123456789.-+") > 0) {
        char number[sizeof dumped->variable];
        memcpy(number, dumped->variable, sizeof number);
        dumped->variable[0] = '\0';
        SMC_TRY(read_dump_argument(typed, number, request, dumped, error));
    }
    if (run_source_is_read(request, dumped->path))
        return smc_fail(error, SMC_USAGE,
                        "option --dump: '%.64s' would overwrite a file that the run reads", typed);
    return SMC_OK;
}

static bool run_source_is_known(const struct smc_user_request *request, const char *variable)
{
    for (size_t i = 0; i < request->variable_count; i++)
        if (strcmp(request->variable[i].name, variable) == 0)
            return true;
    return false;
}

static enum smc_status read_set(const struct smc_arguments *arguments,
                                struct smc_user_request *request, struct smc_error *error)
{
    for (size_t i = 0; i < arguments->set.count; i++) {
        struct smc_user_variable *variable = &request->variable[request->variable_count];
        if (smc_user_variable_parse(arguments->set.item[i], variable, error) != SMC_OK)
            return smc_fail_in(error, SMC_USAGE, "option --set");
        if (run_source_is_known(request, variable->name))
            return smc_fail(error, SMC_USAGE, "option --set: '%.64s' is set twice", variable->name);
        request->variable_count++;
    }
    return SMC_OK;
}

/* The variables of --dump that --set has not named. */
static enum smc_status read_dumped(const struct smc_arguments *arguments,
                                   struct smc_user_request *request, struct smc_error *error)
{
    for (size_t i = 0; i < arguments->dump.count; i++) {
        struct dumped dumped;
        SMC_TRY(read_dump(arguments->dump.item[i], request, &dumped, error));
        if (!dumped.variable[0] || run_source_is_known(request, dumped.variable))
            continue;
        if (request->variable_count == SMC_MAX_USER_ARGUMENTS)
            return smc_fail(error, SMC_USAGE, "option --dump: more than %d variables",
                            SMC_MAX_USER_ARGUMENTS);
        struct smc_user_variable *variable = &request->variable[request->variable_count++];
        *variable = (struct smc_user_variable){.typed = arguments->dump.item[i]};
        memcpy(variable->name, dumped.variable, sizeof variable->name);
    }
    return SMC_OK;
}

/* A word that is no path is probably the name of a reference. */
static enum smc_status check_is_file(const char *typed, const char *path, struct smc_error *error)
{
    smc_auto_text list = {0};
    if (access(path, F_OK) == 0 || (strpbrk(path, "/.") && !strchr(path, ':')))
        return SMC_OK;
    smc_named_reference_list(&list);
    return smc_fail(error, SMC_USAGE,
                    "option --expect: '%.64s': '%.64s' is neither a file nor a reference: %s",
                    typed, path, smc_text_string(&list));
}

/* "3=FILE" or "3=REFERENCE", of an argument that is memory. */
static enum smc_status read_expected_one(const char *typed, struct smc_user_request *request,
                                         struct smc_error *error)
{
    char number[16];
    int64_t n;
    const size_t length = strcspn(typed, "=");
    snprintf(number, sizeof number, "%.*s", (int)(length < 15 ? length : 0), typed);
    if (!typed[length] || !typed[length + 1] || !smc_parse_integer(number, 1, INT32_MAX, &n))
        return smc_fail(error, SMC_USAGE,
                        "option --expect: '%.64s' is not of the form N=FILE or N=REFERENCE, such "
                        "as 1=right.bin or 3=matmul",
                        typed);
    if ((uint64_t)n > request->argument_count || !request->argument[n - 1].is_buffer ||
        request->argument[n - 1].form != SMC_USER_PLAIN)
        return smc_fail(error, SMC_USAGE, "option --expect: '%.64s': argument %lld is not an array",
                        typed, (long long)n);
    const char *source = typed + length + 1;
    const bool is_reference = smc_named_reference_is(source);
    request->expected[request->expected_count++] = (struct smc_user_expected){
        .typed = typed,
        .path = is_reference ? NULL : source,
        .name = is_reference ? source : NULL,
        .argument = (size_t)n - 1,
    };
    return is_reference ? SMC_OK : check_is_file(typed, source, error);
}

/* --timeout: compilers cannot be asked to stop. A short limit is meant for the launch, so a
   compilation before one always has LEAST_MS. */
static void limit_compilation(const struct smc_user_request *request, bool begins)
{
    enum { LEAST_MS = 5000 };
    const uint32_t given = request->settings->timeout_ms;
    const uint32_t least = request->settings->only_predicts ? 0 : LEAST_MS;
    const uint32_t ms = given > least ? given : least;
    smc_auto_text line = {0};
    if (ms == given)
        smc_text_append(&line, "option --timeout: ");
    smc_text_printf(&line, "%u ms are over: %.512s is not compiled yet", ms,
                    smc_file_name(request->file));
    if (ms != given)
        smc_text_append(&line, "; a longer --timeout gives the compiler more time");
    if (begins)
        smc_interrupt_limit(ms, smc_text_string(&line));
    else
        smc_interrupt_unlimit();
}

void smc_ask_user_request(const struct smc_arguments *arguments, const char *file,
                          struct smc_user_request *request)
{
    *request = (struct smc_user_request){
        .file = file,
        .entry = arguments->text[SMC_OPTION_ENTRY],
        .compiler_options = arguments->text[SMC_OPTION_COMPILER_OPTIONS],
        .no_cache = arguments->given[SMC_OPTION_NO_CACHE],
        .builds = arguments->builds,
        .launch = SMC_LAUNCH_INIT,
    };
    smc_ask_settings(arguments, &request->launch);
}

void smc_ask_user_place(const struct smc_arguments *arguments, const struct smc_query *place,
                        struct smc_user_request *request)
{
    request->device = place->device;
    request->ceilings = place->ceilings;
    if (arguments->device.count > 0)
        request->suffix =
            smc_architecture_target(arguments->device.item[0], place->device.sm.cc).suffix;
}

enum smc_status smc_ask_user_launch(const struct smc_arguments *arguments, const char *file,
                                    struct smc_user_request *request, struct smc_error *error)
{
    smc_ask_user_request(arguments, file, request);
    if (strcmp(file, "-") != 0 && access(file, F_OK) != 0) /* before what else is missing */
        return smc_fail(error, SMC_USAGE, "%.512s: %s", file, strerror(errno));
    SMC_TRY(ask_extent(arguments, SMC_OPTION_GRID, INT32_MAX, "blocks", request->grid, error));
    request->argument_count = arguments->arg.count;
    for (size_t i = 0; i < arguments->arg.count; i++)
        if (smc_user_argument_parse(arguments->arg.item[i], &request->argument[i], error) != SMC_OK)
            return smc_fail_in(error, SMC_USAGE, "option --arg");
    return read_set(arguments, request, error);
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
    SMC_TRY(check_others(arguments, error));
    SMC_TRY(check_roofline(arguments, error));
    if (!arguments->text[SMC_OPTION_GRID] && !arguments->text[SMC_OPTION_BLOCK_SHAPE] &&
        access(arguments->text[SMC_OPTION_SOURCE], F_OK) == 0)
        return smc_fail(error, SMC_USAGE,
                        "options --grid and --block: needed to launch the kernel: the blocks and "
                        "the threads of each, such as --grid 64 --block 256 or --grid 8x8 --block "
                        "32x8");
    SMC_TRY(smc_ask_user_launch(arguments, arguments->text[SMC_OPTION_SOURCE], request, error));
    SMC_TRY(ask_extent(arguments, SMC_OPTION_BLOCK_SHAPE, MOST_IN_BLOCK, "threads", request->block,
                       error));
    if (arguments->given[SMC_OPTION_DYNAMIC_SMEM])
        request->dynamic_smem_bytes = (uint32_t)arguments->number[SMC_OPTION_DYNAMIC_SMEM];
    SMC_TRY(read_dumped(arguments, request, error));
    for (size_t i = 0; i < arguments->expected.count; i++)
        SMC_TRY(read_expected_one(arguments->expected.item[i], request, error));
    return SMC_OK;
}

/* Without a GPU the user's own faults come first, so that a command can be prepared on any machine:
   compiles for the device that a query without a GPU assumes, and launches nothing. */
static enum smc_status fail_without_gpu(const struct smc_arguments *arguments,
                                        struct smc_user_request *request,
                                        struct smc_chosen_devices *devices, struct smc_query *query,
                                        struct smc_error *error)
{
    const struct smc_error no_gpu = *error;
    struct smc_error fault = {""};
    smc_auto_free struct smc_user_run *run = smc_calloc(1, sizeof *run);
    smc_auto_text warnings = {0};
    if (!run)
        return smc_out_of_memory(error);
    enum smc_status status = smc_ask_one_device(arguments, devices, query, &fault);
    smc_ask_user_place(arguments, query, request);
    request->without_time = true;
    if (status == SMC_OK)
        status = smc_user_prepare(request, run, &warnings, &fault);
    const bool is_compiled = run->kernels.count > 0 || smc_user_is_code(run);
    const bool has_ptx = run->compiled.binary.ptx;
    if (status == SMC_OK)
        status = smc_named_references_prepare(run, &fault);
    smc_user_free(run);
    if (status == SMC_MACHINE || (status == SMC_USAGE && is_compiled))
        return smc_fail(error, status, "%s", fault.message);
    if (status == SMC_USAGE)
        return smc_fail(error, status, "%.900s (compiled for %.64s, as there is no GPU here)",
                        fault.message, request->device.name);
    return smc_fail(error, SMC_UNAVAILABLE, "%s%s", no_gpu.message,
                    status == SMC_OK && !has_ptx
                        ? ", but executes PTX, which this file lacks; --dry-run predicts its time"
                        : "");
}

enum smc_status smc_run_source_ask(const struct smc_arguments *arguments,
                                   struct smc_user_request *request,
                                   struct smc_run_settings *settings,
                                   struct smc_chosen_devices *devices, struct smc_error *error)
{
    struct smc_query query;
    struct smc_arguments placed = *arguments;
    smc_query_init(&query);
    SMC_TRY(ask_own(arguments, request, error));
    if (arguments->given[SMC_OPTION_PREDICT_ONLY]) {
        SMC_TRY(smc_refuse_given(
            arguments,
            SMC_OPTIONS(SMC_OPTION_ON, SMC_OPTION_ANNOTATE, SMC_OPTION_DUMP, SMC_OPTION_EXPECTED),
            error, "not with --dry-run, which runs nothing"));
        placed.number[SMC_OPTION_ON] = SMC_ON_EMULATOR; /* any device */
        placed.given[SMC_OPTION_COLD] = false;
    }
    enum smc_status status = smc_ask_place(&placed, settings, devices, &query, error);
    request->settings = settings;
    request->compiles = arguments->given[SMC_OPTION_TIMEOUT] ? limit_compilation : NULL;
    if (status == SMC_UNAVAILABLE)
        return fail_without_gpu(arguments, request, devices, &query, error);
    if (status != SMC_OK)
        return status;
    smc_ask_user_place(arguments, &query, request);
    settings->cold = arguments->given[SMC_OPTION_COLD];
    settings->only_predicts = arguments->given[SMC_OPTION_PREDICT_ONLY];
    return SMC_OK;
}

/* A launch that the model rules out is not tried: the arguments are wrong. */
static enum smc_status check_launch(const struct smc_user_run *run, struct smc_error *error)
{
    const struct smc_answer *answer = &run->answer;
    if (answer->outcome == SMC_LAUNCHES)
        return SMC_OK;
    smc_auto_text reason = {0};
    smc_words_failure(answer, &reason);
    return smc_fail(error, SMC_USAGE, "%.256s of %.256s %.400s", run->row.kernel->shown,
                    run->request.file, smc_text_string(&reason));
}

enum smc_status smc_run_source_prepare(const struct smc_user_request *request,
                                       struct smc_user_run *run, struct smc_error *error)
{
    struct smc_text warnings = {0};
    enum smc_status status = smc_user_prepare(request, run, &warnings, error);
    if (status != SMC_OK) { /* no report follows, and what was left out may be the cause */
        smc_output_tell("warning: ", smc_text_string(&warnings));
        smc_text_free(&warnings);
    }
    smc_output_warn(&warnings);
    if (status == SMC_OK && !run->compiled.binary.ptx && !run->row.kernel->resources.refused &&
        request->settings->place != SMC_ON_GPU && !request->settings->only_predicts)
        status = smc_fail(error, SMC_USAGE,
                          "%.512s: machine code without PTX, which the emulator does not execute: "
                          "--dry-run predicts its time, --on gpu launches it",
                          run->request.file);
    if (status == SMC_OK)
        status = check_launch(run, error);
    return status == SMC_OK ? smc_named_references_prepare(run, error) : status;
}

static enum smc_status launch(struct smc_user_run *run, struct smc_error *error)
{
    struct smc_text warnings = {0};
    enum smc_status status = smc_user_launch(run, &warnings, error);
    smc_output_warn(&warnings);
    return status;
}

static bool is_dumped(const struct smc_user_run *run, const struct smc_user_memory *memory,
                      const struct dumped *dumped)
{
    if (!dumped->variable[0])
        return memory->position == dumped->argument && memory->part == dumped->part;
    for (size_t i = 0; memory->symbol && i < run->request.variable_count; i++)
        if (strcmp(run->request.variable[i].name, dumped->variable) == 0)
            return strcmp(run->symbol[i].name, memory->symbol) == 0;
    return false;
}

/* The memory after the emulation, else after the GPU's run. */
static enum smc_status run_source_dump(const struct smc_arguments *arguments,
                                       const struct smc_user_run *run, struct smc_error *error)
{
    for (size_t i = 0; i < arguments->dump.count; i++) {
        struct dumped dumped;
        SMC_TRY(read_dump(arguments->dump.item[i], &run->request, &dumped, error));
        for (size_t k = 0; k < run->memory_count; k++) {
            const struct smc_user_memory *memory = &run->memory[k];
            if (!is_dumped(run, memory, &dumped) || !(memory->has_emulated || memory->has_gpu))
                continue;
            const struct smc_text bytes = {
                .data = memory->has_emulated ? memory->after_emulated : memory->after_gpu,
                .length = memory->bytes,
            };
            SMC_TRY(smc_file_write(dumped.path, true, &bytes, error));
        }
    }
    return SMC_OK;
}

/* The first failure counts. */
static enum smc_status first_of(enum smc_status first, enum smc_status second)
{
    return first == SMC_OK ? second : first;
}

/* --- A roofline ------------------------------------------------------------------------------- */

static enum smc_status run_source_draw_roofline(const struct smc_arguments *arguments,
                                                const struct smc_user_run *run,
                                                enum smc_plot_target target, struct smc_text *out,
                                                struct smc_error *error)
{
    struct smc_picture picture = {0};
    const struct smc_canvas canvas = smc_picture_canvas(target, out->style);
    const struct smc_inspect_kernel *kernel = run->row.kernel;
    const struct smc_file_kernel named = {
        .name = kernel->shown, .short_name = kernel->shown, .file = run->request.file};
    smc_auto_free struct smc_answer *answer =
        smc_calloc(1, sizeof *answer); /* too large for the stack */
    if (!answer)
        return smc_out_of_memory(error);
    *answer = run->answer;
    answer->query.file_kernel = &named;
    SMC_TRY(smc_roofline_check(answer, 1, error));
    smc_plot_roofline(answer, 1, &canvas, &picture);
    return smc_picture_finish(arguments, target, &picture, out, error);
}

/* --- The whole -------------------------------------------------------------------------------- */

/* The text, and besides or instead of it the picture. */
static enum smc_status run_source_write_report(const struct smc_arguments *arguments,
                                               const struct smc_user_run *run,
                                               const struct smc_confirmation *confirmation,
                                               struct smc_text *out, struct smc_error *error)
{
    enum smc_plot_target target;
    enum smc_status status = smc_roofline_target(arguments, &target, error);
    struct smc_report_style *style = smc_output_style(out);
    style->explain = arguments->given[SMC_OPTION_EXPLAIN];
    if (status == SMC_OK && target != SMC_PLOT_NOWHERE)
        status = run_source_draw_roofline(arguments, run, target, out, error);
    if (target != SMC_PLOT_TERMINAL)
        smc_ask_writer(arguments)->user(run, confirmation, out);
    return status;
}

/* --sanitize; the whole report is not written. */
static enum smc_status report_findings(const struct smc_arguments *arguments,
                                       const struct smc_user_run *run, struct smc_text *out,
                                       struct smc_error *error)
{
    const struct smc_sanitized sanitized = {run->request.file, run->row.kernel->shown,
                                            run->request.device.name, &run->result.emulated};
    return smc_sanitize_report(arguments, &sanitized, 1, out, error);
}

static enum smc_status run_source_report(const struct smc_arguments *arguments,
                                         const struct smc_user_run *run, struct smc_text *out,
                                         struct smc_error *error)
{
    struct smc_confirmation confirmation;
    bool sanitizes = arguments->given[SMC_OPTION_SANITIZE];
    smc_confirm_user(run, &confirmation);
    enum smc_status status = smc_user_ending(run, error), verdict = SMC_OK;
    if (sanitizes)
        verdict = report_findings(arguments, run, out, status == SMC_OK ? error : NULL);
    else
        verdict = smc_confirmation_status(&confirmation);
    if (!sanitizes && (arguments->given[SMC_OPTION_PREDICT_ONLY] || run->result.emulation.made ||
                       run->result.finish.succeeded)) {
        enum smc_status written = run_source_write_report(arguments, run, &confirmation, out,
                                                          status == SMC_OK ? error : NULL);
        status = status == SMC_OK ? written : status;
    }
    enum smc_status dumped = run_source_dump(arguments, run, status == SMC_OK ? error : NULL);
    if (dumped != SMC_OK && status == SMC_OK)
        return smc_fail_in(error, dumped, "option --dump");
    return first_of(status, verdict);
}

enum smc_status smc_run_source(const struct smc_arguments *arguments, struct smc_text *out,
                               struct smc_error *error)
{
    SMC_AUTO(smc_chosen_devices_free) struct smc_chosen_devices devices = {0};
    struct smc_run_settings settings;
    smc_auto_free struct smc_user_request *request =
        smc_calloc(1, sizeof *request); /* too large for the stack */
    smc_auto_free struct smc_user_run *run = smc_calloc(1, sizeof *run);
    enum smc_status status =
        request && run ? smc_run_source_ask(arguments, request, &settings, &devices, error)
                       : smc_out_of_memory(error);
    if (status == SMC_OK) {
        smc_idle_warn_of(arguments, &request->device);
        status = smc_run_source_prepare(request, run, error);
    }
    if (status == SMC_OK) {
        settings.stop = smc_interrupt_seen;
        settings.annotation = arguments->given[SMC_OPTION_ANNOTATE] ? &run->annotation : NULL;
        smc_interrupt_watch(); /* compiling ends with the program */
        if (settings.place == SMC_ON_EMULATOR)
            smc_sandbox_enter(SMC_SANDBOX_READING);
        if (!arguments->given[SMC_OPTION_PREDICT_ONLY])
            status = launch(run, error);
        if (status == SMC_OK && !arguments->given[SMC_OPTION_SANITIZE])
            status = smc_user_advise_barriers(run, error);
        struct smc_error *second = status == SMC_OK ? error : NULL;
        if (status == SMC_OK || run->result.emulation.made)
            status = first_of(status, run_source_report(arguments, run, out, second));
    }
    if (run)
        smc_user_free(run);
    return status;
}
