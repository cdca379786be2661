/* smemcalc tui, and smemcalc alone on a terminal: the explorer. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "show/cli/ask.h"
#include "show/cli/output.h"
#include "show/tui/tui.h"

enum { MOST_SCRIPT_BYTES = 1 << 20 };

static const char first_kernel[] = "matmul-tiled"; /* by default */

static bool names_launch(const struct smc_arguments *arguments)
{
    bool named = arguments->given[SMC_OPTION_KERNEL] || arguments->given[SMC_OPTION_THREADS] ||
                 arguments->given[SMC_OPTION_GRID] || arguments->given[SMC_OPTION_SIZE];
    for (int i = 0; i < SMC_PARAM_COUNT; i++)
        named = named || arguments->given[SMC_OPTION_FIRST_PARAM + i];
    return named;
}

static enum smc_status ask_launch(const struct smc_arguments *arguments, struct smc_query *query,
                                  struct smc_error *error)
{
    if (names_launch(arguments) && arguments->file_count == 0)
        return smc_ask_query(arguments, query, error);
    smc_query_init(query);
    smc_ask_launch(arguments, query);
    query->kernel = smc_kernel_find(first_kernel);
    smc_params_init(query->kernel, &query->params);
    return SMC_OK;
}

/* If no device is named, the screen opens at once and looks for a GPU afterwards, in a child
   process: this one must not have called CUDA before that begins. */
static enum smc_status cmd_tui_ask_device(const struct smc_arguments *arguments,
                                          struct smc_chosen_devices *devices,
                                          struct smc_query *query, struct smc_error *error)
{
    for (size_t i = 0; i < arguments->device.count; i++)
        if (strncasecmp(arguments->device.item[i], "gpu", 3) == 0)
            return smc_fail(error, SMC_USAGE,
                            "option --device: the explorer finds this machine's GPU by itself; "
                            "'%.64s' is for the other commands",
                            arguments->device.item[i]);
    if (arguments->device.count == 0 && !arguments->given[SMC_OPTION_DEVICE_FILE])
        return smc_ask_assumed_device(query, error);
    return smc_ask_one_device(arguments, devices, query, error);
}

static enum smc_status read_script(const char *path, struct smc_text *text, struct smc_error *error)
{
    const bool standard_input = smc_file_is_standard_input(path);
    FILE *file = standard_input ? stdin : fopen(path, "r");
    if (!file)
        return smc_fail(error, smc_memory_status(errno, SMC_USAGE), "%s: %s", path,
                        strerror(errno));
    char part[4096];
    size_t bytes;
    while ((bytes = fread(part, 1, sizeof part, file)) > 0 && text->length <= MOST_SCRIPT_BYTES)
        smc_text_append_bytes(text, part, bytes);
    enum smc_status status = SMC_OK;
    if (ferror(file))
        status = smc_fail(error, SMC_USAGE, "%s: %s", path, strerror(errno));
    else if (text->length > MOST_SCRIPT_BYTES ||
             memchr(text->data ? text->data : "", 0, text->length))
        status = smc_fail(error, SMC_USAGE, "%s: not a script of at most %d bytes", path,
                          MOST_SCRIPT_BYTES);
    if (!standard_input)
        fclose(file);
    return status;
}

/* Says where the sources are that were edited. */
static enum smc_status run_screen(const struct smc_arguments *arguments,
                                  const struct smc_tui_start *start, struct smc_script *script,
                                  struct smc_error *error)
{
    enum smc_theme theme = (enum smc_theme)arguments->number[SMC_OPTION_THEME];
    void *context = script ? (void *)script : &theme;
    smc_auto_text kept = {0}, note = {0};
    const struct smc_terminal *terminal = script ? &smc_terminal_script : &smc_terminal_curses;
    enum smc_status status = smc_tui_run(start, terminal, context, &kept, error);
    if (status == SMC_OK && script && script->status != SMC_OK) {
        *error = script->error;
        status = script->status;
    }
    if (kept.length > 0) {
        smc_text_printf(&note, "the edited source is kept: --kernel-dir %s",
                        smc_text_string(&kept));
        smc_output_note(smc_text_string(&note));
    }
    return status;
}

/* After the keys, where they settle. */
static const char snapshot_lines[] = "\nwait\nsnapshot\n";

static enum smc_status check_snapshot(const char *path, struct smc_error *error)
{
    struct smc_frame nothing = {0};
    smc_auto_text text = {0};
    const bool known = !path || smc_frame_write_as(&nothing, SMC_THEME_AUTO, path, &text);
    return known
               ? SMC_OK
               : smc_fail(error, SMC_USAGE,
                          "option --snapshot: '%.200s' does not end in .txt, .svg or .json", path);
}

/* `path`: NULL: no keys are played. */
static enum smc_status cmd_tui_play(const struct smc_arguments *arguments, const char *path,
                                    const struct smc_tui_start *start, struct smc_text *out,
                                    struct smc_error *error)
{
    smc_auto_text text = {0};
    const char *snapshot = arguments->text[SMC_OPTION_SNAPSHOT];
    SMC_TRY(check_snapshot(snapshot, error));
    if (path)
        SMC_TRY(read_script(path, &text, error));
    smc_text_append(&text, snapshot ? snapshot_lines : ""); /* an empty file is a script too */
    if (text.failed)
        return smc_out_of_memory(error);
    struct smc_script script = {
        .name = smc_file_name(path ? path : "-"),
        .text = text.data,
        .utf8 = smc_output_locale(),
        .theme = (enum smc_theme)arguments->number[SMC_OPTION_THEME],
        .out = out,
        .snapshot_path = snapshot,
    };
    enum smc_status status = run_screen(arguments, start, &script, error);
    if (status == SMC_OK && snapshot)
        status = smc_file_write(snapshot, true, &script.snapshot, error);
    smc_text_free(&script.snapshot);
    return status;
}

static enum smc_status open_on(const struct smc_arguments *arguments,
                               const struct smc_tui_start *start, struct smc_text *out,
                               struct smc_error *error)
{
    const char *script = arguments->text[SMC_OPTION_SCRIPT];
    if (script || arguments->text[SMC_OPTION_SNAPSHOT])
        return cmd_tui_play(arguments, script, start, out, error);
    return run_screen(arguments, start, NULL, error);
}

/* A large file takes seconds, during which there is no screen yet. */
static enum smc_status read_trace(const struct smc_repeated *files, struct smc_trace *trace,
                                  struct smc_error *error)
{
    const bool tells = isatty(STDERR_FILENO);
    smc_auto_text name = {0};
    smc_text_append(&name, files->item[0]);
    if (tells && name.data) {
        smc_utf8_make_safe(name.data);
        fprintf(stderr, "reading %s", name.data);
        fflush(stderr);
    }
    enum smc_status status = smc_trace_read_files(files->item, files->count, trace, error);
    if (tells)
        fputs("\r\033[K", stderr);
    return status;
}

/* On the devices of the trace, or on the one of --device. */
static enum smc_status explore_trace(const struct smc_arguments *arguments,
                                     const struct smc_query *query, struct smc_text *out,
                                     struct smc_error *error)
{
    const bool named = arguments->device.count > 0 || arguments->given[SMC_OPTION_DEVICE_FILE];
    struct smc_trace_answer answer = {0};
    struct smc_text warnings = {0};
    for (size_t i = 0; i < arguments->trace_file.count; i++)
        if (smc_file_is_standard_input(arguments->trace_file.item[i]))
            return smc_fail(
                error, SMC_USAGE,
                "option --trace: '-' is standard input, which has the keys; name a file");
    smc_auto_free struct smc_trace *trace = smc_calloc(1, sizeof *trace);
    if (!trace)
        return smc_out_of_memory(error);
    enum smc_status status = read_trace(&arguments->trace_file, trace, error);
    if (status == SMC_OK)
        smc_trace_compare_gpus(trace, named ? &query->device : NULL, &warnings);
    smc_output_warn(&warnings);
    if (status == SMC_OK)
        status = smc_trace_answer_on(trace, named ? &query->device : NULL, &answer, error);
    if (status == SMC_OK)
        status = open_on(arguments, &(struct smc_tui_start){.query = query, .trace = &answer}, out,
                         error);
    smc_trace_answer_free(&answer);
    smc_trace_free(trace);
    return status;
}

/* --- The user's file -------------------------------------------------------------------------- */

static bool copy_text(const char *text, char *out, size_t bytes)
{
    return snprintf(out, bytes, "%s", text ? text : "") < (int)bytes;
}

static enum smc_status ask_file_question(const struct smc_arguments *arguments,
                                         struct smc_open_question *question,
                                         struct smc_error *error)
{
    smc_auto_text given = {0};
    struct smc_query launch;
    *question = (struct smc_open_question){
        .no_cache = arguments->given[SMC_OPTION_NO_CACHE],
        .threads_per_block = arguments->number[SMC_OPTION_THREADS],
        .dynamic_smem_bytes = arguments->number[SMC_OPTION_DYNAMIC_SMEM],
    };
    smc_ask_shape(arguments, SMC_OPTION_THREADS, question->block);
    smc_query_init(&launch);
    SMC_TRY(smc_ask_grid(arguments, &launch, error));
    question->grid_blocks = launch.grid_blocks;
    question->grid_y = launch.grid_y;
    question->grid_z = launch.grid_z;
    for (size_t i = 0; i < arguments->arg.count; i++)
        smc_text_printf(&given, "%s%s", i ? "\n" : "", arguments->arg.item[i]);
    bool fits = copy_text(arguments->file[0], question->file, sizeof question->file) &&
                copy_text(arguments->text[SMC_OPTION_COMPILER_OPTIONS], question->options,
                          sizeof question->options) &&
                copy_text(smc_text_string(&given), question->arguments, sizeof question->arguments);
    return fits ? SMC_OK
                : smc_fail(error, SMC_USAGE,
                           "tui: FILE, --compiler-options or the arguments are too long for the "
                           "explorer");
}

/* A file is about one thing, as a trace is. */
static enum smc_status check_file_alone(const struct smc_arguments *arguments,
                                        struct smc_error *error)
{
    static const int of_others[] = {SMC_OPTION_KERNEL, SMC_OPTION_SIZE, SMC_OPTION_KERNEL_DIR,
                                    SMC_OPTION_TRACE_FILE};
    for (size_t i = 0; i < sizeof of_others / sizeof *of_others; i++)
        if (arguments->given[of_others[i]] || arguments->text[of_others[i]])
            return smc_fail(error, SMC_USAGE, "option --%s: not with FILE '%.64s'",
                            smc_options[of_others[i]].name, arguments->file[0]);
    if (smc_file_is_standard_input(arguments->file[0]))
        return smc_fail(error, SMC_USAGE,
                        "tui: '-' is standard input, which has the keys; name a file");
    if (access(arguments->file[0], R_OK) != 0)
        return smc_fail(error, smc_memory_status(errno, SMC_USAGE), "%s: %s", arguments->file[0],
                        strerror(errno));
    return SMC_OK;
}

static enum smc_status explore_file(const struct smc_arguments *arguments,
                                    const struct smc_query *query, struct smc_text *out,
                                    struct smc_error *error)
{
    smc_auto_free struct smc_open_question *question = smc_calloc(1, sizeof *question);
    if (!question)
        return smc_out_of_memory(error);
    SMC_TRY(check_file_alone(arguments, error));
    SMC_TRY(ask_file_question(arguments, question, error));
    return open_on(arguments, &(struct smc_tui_start){.query = query, .file = question}, out,
                   error);
}

enum smc_status smc_cmd_tui(const struct smc_arguments *arguments, struct smc_text *out,
                            struct smc_error *error)
{
    struct smc_query query;
    SMC_AUTO(smc_chosen_devices_free) struct smc_chosen_devices devices = {0};
    if (arguments->file_count == 0)
        SMC_TRY(smc_refuse_given(arguments,
                                 SMC_OPTIONS(SMC_OPTION_COMPILER_OPTIONS, SMC_OPTION_ARG), error,
                                 "only with FILE: smemcalc tui FILE"));
    SMC_TRY(ask_launch(arguments, &query, error));
    SMC_TRY(cmd_tui_ask_device(arguments, &devices, &query, error));
    if (arguments->file_count > 0)
        return explore_file(arguments, &query, out, error);
    if (arguments->text[SMC_OPTION_TRACE_FILE])
        return explore_trace(arguments, &query, out, error);
    return open_on(arguments, &(struct smc_tui_start){.query = &query}, out, error);
}
