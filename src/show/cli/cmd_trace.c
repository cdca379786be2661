/* smemcalc trace: every kernel that a program launches, or that another tool recorded. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answers/trace_records.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/sandbox.h"
#include "show/cli/ask.h"
#include "show/cli/output.h"
#include "show/report/findings_report.h"

/* Everything that one call needs. */
struct tracing {
    struct smc_trace trace;
    struct smc_trace_answer answer;
    struct smc_trace_gate gate;
    struct smc_trace_verdict verdict;
    struct smc_chosen_devices devices; /* at most one */
    enum smc_plot_target target;
    const char *emulated;              /* the device; NULL: a GPU runs the program */
    const char *made[2];               /* files of the report and the picture, empty so far */
    bool runs;                         /* a program, not only a file is read */
    struct smc_trace_program *program; /* goes on after --duration; NULL: it has ended */
};

/* --- The question ----------------------------------------------------------------------------- */

/* "5%", "5", "0.5 %". */
static bool parse_percent(const char *text, double *percent)
{
    const size_t digits = strspn(text, "0123456789.");
    const char *sign = text + digits + strspn(text + digits, " ");
    char *end;
    *percent = strtod(text, &end);
    return digits > 0 && end == text + digits && *percent <= 100 &&
           (*sign == '\0' || strcmp(sign, "%") == 0);
}

static enum smc_status ask_gate(const struct smc_arguments *arguments, struct smc_trace_gate *gate,
                                struct smc_error *error)
{
    const char *above = arguments->text[SMC_OPTION_ABOVE];
    const char *format = arguments->text[SMC_OPTION_FINDINGS_FORMAT];
    double percent = 0;
    gate->least_percent = (double)arguments->number[SMC_OPTION_REQUIRE_OCCUPANCY];
    if (gate->least_percent <= 0)
        SMC_TRY(smc_refuse_given(arguments, SMC_OPTIONS(SMC_OPTION_ABOVE, SMC_OPTION_ALLOW), error,
                                 "only together with --require-occupancy"));
    if (format && !smc_writer_find(format) && gate->least_percent <= 0)
        return smc_fail(error, SMC_USAGE, "option --format: '%s' needs --require-occupancy",
                        format);
    if (above && !parse_percent(above, &percent))
        return smc_fail(error, SMC_USAGE,
                        "option --above: '%.64s' is not a share of the time, from 0%% to 100%%",
                        above);
    gate->above_share = percent / 100;
    return arguments->given[SMC_OPTION_ALLOW]
               ? smc_trace_gate_allow(arguments->text[SMC_OPTION_ALLOW], gate, error)
               : SMC_OK;
}

/* What to do with the program, if any. */
static enum smc_status check_program(const struct smc_arguments *arguments, struct smc_error *error)
{
    const bool reads = arguments->given[SMC_OPTION_READ];
    if (reads && arguments->read.count + arguments->file_count > 1)
        SMC_TRY(smc_refuse_given(
            arguments, SMC_OPTIONS(SMC_OPTION_SKIP, SMC_OPTION_LAUNCH_COUNT), error,
            "only with one file, as the order of the launches of several is unknown"));
    const bool emulated = arguments->number[SMC_OPTION_ON] == SMC_ON_EMULATOR;
    if (arguments->number[SMC_OPTION_ON] == SMC_ON_BOTH)
        return smc_fail(error, SMC_USAGE,
                        "option --on: 'both' is for 'run'; a program is traced on a gpu or on the "
                        "emulator");
    if (reads && arguments->given[SMC_OPTION_ON])
        return smc_fail(error, SMC_USAGE,
                        "option --on: not together with --read, as nothing is run");
    if (emulated)
        SMC_TRY(smc_refuse_given(
            arguments,
            SMC_OPTIONS(SMC_OPTION_DURATION, SMC_OPTION_KEEP_MODULES, SMC_OPTION_WITHOUT_CUPTI),
            error, "not together with --on emulator"));
    if (!emulated && arguments->given[SMC_OPTION_STRICT])
        return smc_fail(error, SMC_USAGE,
                        "option --strict: only with --on emulator: only the emulator finds errors "
                        "in a kernel");
    if (reads)
        return smc_refuse_given(arguments,
                                SMC_OPTIONS(SMC_OPTION_DURATION, SMC_OPTION_KEEP_MODULES), error,
                                "not together with --read, as nothing is run");
    if (arguments->file_count == 0)
        return smc_fail(error, SMC_USAGE,
                        "trace: which program? 'trace -- ./app ARGUMENT...', or "
                        "a recorded file with --read FILE");
    return SMC_OK;
}

/* The files to read: those of --read, and the words after them, as a shell's pattern gives them. */
static size_t count_files(const struct smc_arguments *arguments)
{
    return arguments->read.count > 0 ? arguments->read.count + arguments->file_count : 0;
}

static const char *file_at(const struct smc_arguments *arguments, size_t i)
{
    return i < arguments->read.count ? arguments->read.item[i]
                                     : arguments->file[i - arguments->read.count];
}

/* What is read must not be overwritten by mistake, nor one result by another. */
static enum smc_status check_is_other_file(const struct smc_arguments *arguments, int option,
                                           struct smc_error *error)
{
    static const int others[] = {SMC_OPTION_ALLOW, SMC_OPTION_PLOT};
    const char *path = arguments->text[option];
    for (size_t i = 0; i < count_files(arguments); i++) {
        const char *file = file_at(arguments, i);
        if (strcmp(path, file) == 0 || smc_file_is_same(path, file))
            return smc_fail(error, SMC_USAGE, "option --%s: '%.300s' is the file of --read",
                            smc_options[option].name, path);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *other = arguments->text[others[i]];
        if (other && others[i] != option &&
            (strcmp(path, other) == 0 || smc_file_is_same(path, other)))
            return smc_fail(error, SMC_USAGE, "option --%s: '%.300s' is the file of --%s",
                            smc_options[option].name, path, smc_options[others[i]].name);
    }
    return SMC_OK;
}

/* Before a program runs for hours: an existing file stays as it is until then. */
static enum smc_status cmd_trace_check_written(const struct smc_arguments *arguments, int option,
                                               const char **made, struct smc_error *error)
{
    const char *path = arguments->text[option];
    struct smc_text nothing = {0};
    SMC_TRY(check_is_other_file(arguments, option, error));
    if (access(path, F_OK) != 0) {
        enum smc_status status = smc_file_write(path, false, &nothing, error);
        *made = status == SMC_OK ? path : NULL;
        return status;
    }
    if (access(path, W_OK) != 0)
        return smc_fail(error, SMC_USAGE, "option --%s: '%.300s' cannot be written: %s",
                        smc_options[option].name, path, strerror(errno));
    return SMC_OK;
}

/* A file that is still empty holds no report: there was none to write. */
static void remove_empty(const struct tracing *tracing)
{
    struct stat file;
    for (size_t i = 0; i < sizeof tracing->made / sizeof *tracing->made; i++)
        if (tracing->made[i] && lstat(tracing->made[i], &file) == 0 && S_ISREG(file.st_mode) &&
            file.st_size == 0)
            unlink(tracing->made[i]);
}

static enum smc_status check_targets(const struct smc_arguments *arguments, struct tracing *tracing,
                                     struct smc_error *error)
{
    if (arguments->given[SMC_OPTION_OUTPUT_FILE])
        SMC_TRY(
            cmd_trace_check_written(arguments, SMC_OPTION_OUTPUT_FILE, &tracing->made[0], error));
    return tracing->target == SMC_PLOT_FILE
               ? cmd_trace_check_written(arguments, SMC_OPTION_PLOT, &tracing->made[1], error)
               : SMC_OK;
}

/* The emulator runs the program as a board of the table. */
static enum smc_status ask_emulated(const struct smc_arguments *arguments, struct tracing *tracing,
                                    struct smc_error *error)
{
    const struct smc_device *device =
        tracing->devices.count > 0 ? &tracing->devices.chosen[0].device : NULL;
    if (arguments->number[SMC_OPTION_ON] != SMC_ON_EMULATOR)
        return SMC_OK;
    if (device && (device->source != SMC_DEVICE_TABLE || device->sm_count == 0))
        return smc_fail(
            error, SMC_USAGE,
            "option --device: '%.100s' is no board of the table; with --on emulator the "
            "program asks for SMs, clocks and memory, which a board has (%s)",
            device->name, TRACE_DEFAULT_DEVICE);
    tracing->emulated = device ? device->name : TRACE_DEFAULT_DEVICE;
    return SMC_OK;
}

static enum smc_status cmd_trace_ask(const struct smc_arguments *arguments, struct tracing *tracing,
                                     struct smc_error *error)
{
    SMC_TRY(check_program(arguments, error));
    SMC_TRY(ask_gate(arguments, &tracing->gate, error));
    SMC_TRY(smc_picture_target(arguments, &tracing->target, error));
    SMC_TRY(smc_ask_named_device(arguments, &tracing->devices, error));
    SMC_TRY(ask_emulated(arguments, tracing, error));
    SMC_TRY(check_targets(arguments, tracing, error));
    tracing->runs = !arguments->given[SMC_OPTION_READ];
    tracing->trace.filter = (struct smc_trace_filter){
        .patterns = arguments->own_kernel.item,
        .pattern_count = arguments->own_kernel.count,
        .skip = (uint64_t)arguments->number[SMC_OPTION_SKIP],
        .count = (uint64_t)arguments->number[SMC_OPTION_LAUNCH_COUNT],
    };
    return SMC_OK;
}

static enum smc_status cmd_trace_read_files(const struct smc_arguments *arguments,
                                            struct smc_trace *trace, struct smc_error *error)
{
    const size_t count = count_files(arguments);
    smc_auto_free const char **files = smc_calloc(count, sizeof *files);
    if (!files)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < count; i++)
        files[i] = file_at(arguments, i);
    smc_sandbox_enter(SMC_SANDBOX_READING);
    return smc_trace_read_files(files, count, trace, error);
}

static enum smc_status obtain(const struct smc_arguments *arguments, struct tracing *tracing,
                              struct smc_error *error)
{
    struct smc_trace *trace = &tracing->trace;
    if (arguments->given[SMC_OPTION_READ])
        return cmd_trace_read_files(arguments, trace, error);
    smc_auto_free char **command = smc_calloc(arguments->file_count + 1, sizeof *command);
    if (!command)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < arguments->file_count; i++)
        command[i] = arguments->file[i];
    const struct smc_trace_request request = {
        .command = command,
        .duration_ms = 1000 * (uint64_t)arguments->number[SMC_OPTION_DURATION],
        .keep_folder = arguments->text[SMC_OPTION_KEEP_MODULES],
        .without_cupti = arguments->given[SMC_OPTION_WITHOUT_CUPTI],
        .emulated = tracing->emulated,
        .strictness = (enum smc_strictness)arguments->number[SMC_OPTION_STRICT],
    };
    return smc_trace_collect(&request, trace, &tracing->program, error);
}

/* --- The report ------------------------------------------------------------------------------- */

static enum smc_status cmd_trace_judge(struct tracing *tracing, struct smc_error *error)
{
    struct smc_trace_gate *gate = &tracing->gate;
    smc_auto_text lines = {0};
    enum smc_status status = smc_trace_gate_judge(gate, &tracing->answer, &tracing->verdict, error);
    if (status == SMC_OK && gate->least_percent > 0 && tracing->answer.row_count == 0)
        status = smc_fail(error, SMC_USAGE,
                          "option --require-occupancy: nothing was checked, as there is no launch");
    for (size_t i = 0; i < gate->count && (status == SMC_OK || status == SMC_SHORTFALL); i++)
        if (!gate->allowance[i].used)
            smc_text_printf(&lines, "%s:%u: '%s' names no kernel that has less\n", gate->path,
                            gate->allowance[i].line, gate->allowance[i].pattern);
    smc_output_note(smc_text_string(&lines));
    return status;
}

static enum smc_status cmd_trace_draw(const struct smc_arguments *arguments,
                                      struct tracing *tracing, struct smc_text *out,
                                      struct smc_error *error)
{
    struct smc_picture picture = {0};
    const struct smc_canvas canvas = smc_picture_canvas(tracing->target, out->style);
    smc_plot_trace(&tracing->answer, &canvas, &picture);
    return smc_picture_finish(arguments, tracing->target, &picture, out, error);
}

/* Where the report goes: its width and colours. */
static void find_style(const struct smc_arguments *arguments, const struct tracing *tracing,
                       struct smc_text *out)
{
    const int64_t top = arguments->number[SMC_OPTION_TOP];
    struct smc_report_style *style =
        smc_output_style_of(arguments->given[SMC_OPTION_OUTPUT_FILE] ? -1
                            : tracing->runs                          ? STDERR_FILENO
                                                                     : STDOUT_FILENO,
                            out);
    style->verbose = arguments->given[SMC_OPTION_VERBOSE];
    style->all_kernels = arguments->given[SMC_OPTION_TOP] && top == 0;
    style->most_kernels = (size_t)top;
}

static enum smc_status compose(const struct smc_arguments *arguments, struct tracing *tracing,
                               struct smc_text *out, struct smc_error *error)
{
    const char *format = arguments->text[SMC_OPTION_FINDINGS_FORMAT];
    const struct smc_trace_verdict *verdict = &tracing->verdict;
    find_style(arguments, tracing, out);
    if (tracing->target == SMC_PLOT_TERMINAL)
        return cmd_trace_draw(arguments, tracing, out, error);
    if (format && strcmp(format, "markdown") == 0)
        smc_markdown_findings(&verdict->findings, "smemcalc trace", out);
    else if (format && strcmp(format, "junit") == 0)
        smc_junit_findings(&verdict->findings, &verdict->judgements, out);
    else if (format && strcmp(format, "sarif") == 0)
        smc_sarif_findings(&verdict->findings, out);
    else
        smc_ask_writer(arguments)->trace(&tracing->answer, out);
    if (out->failed)
        return smc_out_of_memory(error);
    return tracing->target == SMC_PLOT_FILE ? cmd_trace_draw(arguments, tracing, out, error)
                                            : SMC_OK;
}

/* To the file, to standard error (which the program has left), or left in `out`. */
static enum smc_status cmd_trace_deliver(const struct smc_arguments *arguments,
                                         const struct tracing *tracing, struct smc_text *out,
                                         struct smc_error *error)
{
    const char *path = arguments->text[SMC_OPTION_OUTPUT_FILE];
    enum smc_status status = SMC_OK;
    if (!path && !tracing->runs)
        return SMC_OK;
    if (path)
        status = smc_file_write(path, true, out, error);
    else
        fputs(smc_text_string(out), stderr);
    smc_text_free(out);
    return status;
}

/* A program that failed hides what a requirement says. */
static enum smc_status end_as_program(const struct tracing *tracing, enum smc_status judged,
                                      struct smc_error *error)
{
    const struct smc_trace *trace = &tracing->trace;
    const bool failed = trace->has_exit && (trace->exit_status != 0 || trace->exit_signal != 0);
    if (!tracing->runs || !failed) {
        const bool wrong =
            (tracing->answer.differing > 0 && !tracing->runs) || trace->finding_count > 0;
        return judged == SMC_OK && wrong ? SMC_SHORTFALL : judged;
    }
    smc_output_tell("", error->message);
    error->message[0] = '\0';
    smc_output_exit_with(trace->exit_signal ? 128 + trace->exit_signal : trace->exit_status);
    return SMC_OK;
}

/* The report is there before a program ends that goes on after --duration. */
static void await_program(struct tracing *tracing)
{
    fflush(stderr);
    smc_trace_await(tracing->program, &tracing->trace);
    tracing->program = NULL;
}

static enum smc_status cmd_trace_report(const struct smc_arguments *arguments,
                                        struct tracing *tracing, struct smc_text *out,
                                        struct smc_error *error)
{
    /* On the emulator --device is the GPU of the trace. */
    const bool other = tracing->devices.count > 0 && !tracing->emulated;
    const struct smc_device *device = other ? &tracing->devices.chosen[0].device : NULL;
    struct smc_text warnings = {0};
    smc_trace_compare_gpus(&tracing->trace, device, &warnings);
    smc_output_warn(&warnings);
    SMC_TRY(smc_trace_answer_on(&tracing->trace, device, &tracing->answer, error));
    const enum smc_status judged = cmd_trace_judge(tracing, error);
    if (judged == SMC_MACHINE)
        return judged;
    struct smc_error reason = {""};
    enum smc_status status = compose(arguments, tracing, out, &reason);
    if (status != SMC_MACHINE) { /* the report is there, even if the picture is not */
        struct smc_error lost = {""};
        const enum smc_status delivered = cmd_trace_deliver(arguments, tracing, out, &lost);
        if (status == SMC_OK && delivered != SMC_OK) {
            status = delivered;
            reason = lost;
        }
    }
    if (status != SMC_OK) {
        *error = reason;
        return status;
    }
    smc_auto_text lines = {0};
    smc_lines_of_findings(&tracing->verdict.findings, &lines);
    smc_output_tell("", smc_text_string(&lines));
    await_program(tracing);
    return end_as_program(tracing, judged, error);
}

enum smc_status smc_cmd_trace(const struct smc_arguments *arguments, struct smc_text *out,
                              struct smc_error *error)
{
    smc_auto_free struct tracing *tracing = smc_calloc(1, sizeof *tracing);
    if (!tracing)
        return smc_out_of_memory(error);
    enum smc_status status = cmd_trace_ask(arguments, tracing, error);
    if (status == SMC_OK)
        status = obtain(arguments, tracing, error);
    if (status == SMC_OK)
        status = cmd_trace_report(arguments, tracing, out, error);
    await_program(tracing);
    remove_empty(tracing);
    smc_trace_verdict_free(&tracing->verdict);
    smc_trace_answer_free(&tracing->answer);
    smc_trace_gate_free(&tracing->gate);
    smc_chosen_devices_free(&tracing->devices);
    smc_trace_free(&tracing->trace);
    return status;
}
