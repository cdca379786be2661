/* smemcalc exercise: tasks for kernels, and their solutions judged: one, or those of a class. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/sandbox.h"
#include "show/cli/ask.h"
#include "show/cli/interrupt.h"
#include "show/cli/output.h"
#include "show/words/layout.h"

enum { LIST_COLUMNS = 18 };

/* --- The tasks -------------------------------------------------------------------------------- */

static enum smc_status list_exercises(struct smc_text *out, struct smc_error *error)
{
    smc_output_style(out);
    const char *name;
    for (size_t i = 0; (name = smc_exercise_name(i)); i++) {
        SMC_AUTO(smc_exercise_free) struct smc_exercise exercise;
        SMC_TRY(smc_exercise_read(name, &exercise, error));
        smc_layout_paragraph(out, name, LIST_COLUMNS, exercise.title, out->style->columns);
    }
    smc_text_printf(out,
                    "\n'%s exercise NAME' prints the task and writes NAME.cu to begin with;\n"
                    "'%s exercise NAME FILE' judges a solution.\n",
                    smc_program_name(), smc_program_name());
    return SMC_OK;
}

/* Paragraphs are wrapped; lines that begin with blanks, or that are headings, are kept. */
static void append_task_text(const char *text, struct smc_text *out)
{
    smc_output_style(out);
    smc_auto_text paragraph = {0};
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        const bool is_kept = length == 0 || *line == ' ' || *line == '#';
        if (is_kept && paragraph.length > 0) {
            smc_layout_paragraph(out, "", 0, smc_text_string(&paragraph), out->style->columns);
            smc_text_cut(&paragraph, 0);
        }
        if (is_kept)
            smc_text_printf(out, "%.*s\n", (int)length, line);
        else
            smc_text_printf(&paragraph, "%s%.*s", paragraph.length ? " " : "", (int)length, line);
        line += length + (line[length] == '\n');
    }
    if (paragraph.length > 0)
        smc_layout_paragraph(out, "", 0, smc_text_string(&paragraph), out->style->columns);
    smc_text_append(out, "\n");
}

static void append_goal_lines(const struct smc_exercise *exercise, struct smc_text *out)
{
    static const char *const relations[] = {"at most ", "at least ", ""};
    for (size_t i = 0; i < exercise->goals; i++) {
        const struct smc_exercise_goal *goal = &exercise->goal[i];
        const struct smc_exercise_figure_info *figure = &smc_exercise_figure_info[goal->figure];
        smc_text_printf(out, "%s%s: %s%s", i ? "         " : "goals    ", figure->label,
                        relations[goal->relation], goal->bound);
        if (goal->solution >= 0)
            smc_text_printf(out, " %% of the %s solution's", exercise->solution[goal->solution]);
        else
            smc_text_printf(out, "%s%s", *figure->unit ? " " : "", figure->unit);
        smc_text_append(out, "\n");
    }
}

/* The task, and a file to begin with; one that exists is left alone. */
static enum smc_status show_task(const struct smc_exercise *exercise, struct smc_text *out,
                                 struct smc_error *error)
{
    smc_auto_text path = {0}, skeleton = {0};
    smc_text_printf(&path, "%s.cu", exercise->name);
    enum smc_status status = smc_exercise_read_file(exercise, "skeleton.cu", &skeleton, error);
    append_task_text(exercise->text, out);
    append_goal_lines(exercise, out);
    if (status == SMC_OK) {
        status = smc_file_write(smc_text_string(&path), false, &skeleton, error);
        smc_text_printf(out, "begin    %s%s\n", smc_text_string(&path),
                        status == SMC_SHORTFALL ? ", which is there already and was left alone"
                                                : " was written");
        if (status == SMC_SHORTFALL)
            status = SMC_OK;
    }
    smc_text_printf(out, "judge    %s exercise %s %s\n", smc_program_name(), exercise->own_name,
                    smc_text_string(&path));
    return status;
}

/* --- Where and how ---------------------------------------------------------------------------- */

/* The device that is named, else the exercise's. */
static enum smc_status exercise_choose_device(const struct smc_arguments *arguments,
                                              const struct smc_exercise *exercise,
                                              struct smc_chosen_devices *devices,
                                              struct smc_query *query, struct smc_error *error)
{
    char note[256];
    smc_query_init(query);
    SMC_TRY(arguments->given[SMC_OPTION_DEVICE] || arguments->given[SMC_OPTION_DEVICE_FILE]
                ? smc_ask_one_device(arguments, devices, query, error)
                : smc_device_find(exercise->device, &query->device, note, error));
    smc_ask_ceilings(query, 1);
    return SMC_OK;
}

static void request_of(const struct smc_arguments *arguments, const struct smc_query *query,
                       const struct smc_run_settings *settings,
                       struct smc_exercise_request *request)
{
    request->device = query->device;
    request->ceilings = query->ceilings;
    request->settings = settings;
    request->builds = arguments->builds;
    request->no_cache = arguments->given[SMC_OPTION_NO_CACHE];
}

static struct smc_run_settings exercise_settings(const struct smc_arguments *arguments)
{
    return (struct smc_run_settings){
        .place = SMC_ON_EMULATOR,
        .seed = SMC_RUN_SEED,
        .timeout_ms = (uint32_t)arguments->number[SMC_OPTION_EXERCISE_TIMEOUT],
        .strictness = SMC_STRICT_CUDA, /* a barrier that threads pass by is an error */
    };
}

/* --- One submission --------------------------------------------------------------------------- */

static enum smc_status judge_one(const struct smc_exercise_request *request,
                                 struct smc_exercise_verdict *verdict, struct smc_error *error)
{
    struct smc_exercise_attempt *attempt = NULL;
    struct smc_text warnings = {0};
    smc_sandbox_enter(SMC_SANDBOX_COMPILERS);
    enum smc_status status = smc_exercise_prepare(request, &attempt, &warnings, error);
    smc_sandbox_enter(SMC_SANDBOX_READING);
    smc_interrupt_watch();
    if (status == SMC_OK)
        status = smc_exercise_judge(attempt, verdict, &warnings, error);
    smc_output_warn(&warnings);
    smc_exercise_attempt_free(attempt);
    return status;
}

static enum smc_status judge_submission(const struct smc_arguments *arguments,
                                        const struct smc_exercise *exercise, struct smc_text *out,
                                        struct smc_error *error)
{
    SMC_AUTO(smc_chosen_devices_free) struct smc_chosen_devices devices = {0};
    struct smc_query query;
    struct smc_run_settings settings = exercise_settings(arguments);
    struct smc_exercise_request request = {.exercise = exercise, .file = arguments->file[1]};
    smc_auto_free struct smc_exercise_submission *submission =
        smc_calloc(1, sizeof *submission); /* large */
    if (!submission)
        return smc_out_of_memory(error);
    SMC_TRY(exercise_choose_device(arguments, exercise, &devices, &query, error));
    settings.stop = smc_interrupt_seen;
    request_of(arguments, &query, &settings, &request);
    SMC_TRY(judge_one(&request, &submission->verdict, error));
    smc_output_style(out);
    submission->exercise = exercise;
    submission->file = smc_file_name(request.file);
    snprintf(submission->device, sizeof submission->device, "%s", request.device.name);
    smc_ask_writer(arguments)->exercise(submission, out);
    return smc_exercise_status(&submission->verdict);
}

/* --- A class ---------------------------------------------------------------------------------- */

/* The submissions, and the exercise of each. */
struct class_files {
    struct smc_folder_matches files;
    struct smc_exercise *exercise;
    struct smc_chosen_devices *devices; /* that the requests are for */
    struct smc_exercise_request *request;
    struct smc_exercise_submission *submission;
    size_t count; /* that are judged */
};

static void free_class(struct class_files *class)
{
    for (size_t i = 0; i < class->count; i++) {
        smc_exercise_free(&class->exercise[i]);
        smc_chosen_devices_free(&class->devices[i]);
    }
    free(class->exercise);
    free(class->devices);
    free(class->request);
    free(class->submission);
    smc_folder_matches_free(&class->files);
}

static enum smc_status find_files(const char *folder, struct class_files *class,
                                  struct smc_error *error)
{
    static const char *const patterns[] = {"*.cu", "*/*.cu"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        smc_auto_text pattern = {0};
        smc_text_printf(&pattern, "%s/%s", folder, patterns[i]);
        smc_folder_match(smc_text_string(&pattern), &class->files);
    }
    const size_t count = class->files.count;
    if (count == 0)
        return smc_fail(error, SMC_USAGE, "option --judge: '%.256s' has no .cu file", folder);
    class->exercise = smc_calloc(count, sizeof *class->exercise);
    class->devices = smc_calloc(count, sizeof *class->devices);
    class->request = smc_calloc(count, sizeof *class->request);
    class->submission = smc_calloc(count, sizeof *class->submission);
    return class->exercise && class->devices && class->request && class->submission
               ? SMC_OK
               : smc_out_of_memory(error);
}

/* The exercise that is named, or the one that the file is named after. */
static enum smc_status read_exercise_of(const struct smc_arguments *arguments, const char *file,
                                        struct smc_exercise *exercise, struct smc_error *error)
{
    char name[256];
    const char *base = smc_last_part(file);
    snprintf(name, sizeof name, "%.*s", (int)(strlen(base) - strlen(".cu")), base);
    return smc_exercise_read(arguments->file_count > 0 ? arguments->file[0] : name, exercise,
                             error);
}

/* One more to be judged. */
static enum smc_status add_submission(const struct smc_arguments *arguments, const char *file,
                                      const struct smc_run_settings *settings,
                                      struct class_files *class, struct smc_error *error)
{
    struct smc_query query;
    struct smc_chosen_devices *devices = &class->devices[class->count];
    struct smc_exercise *exercise = &class->exercise[class->count];
    struct smc_exercise_request *request = &class->request[class->count];
    struct smc_exercise_submission *submission = &class->submission[class->count++];
    *request = (struct smc_exercise_request){.exercise = exercise, .file = file};
    submission->exercise = exercise;
    submission->file = file;
    SMC_TRY(read_exercise_of(arguments, file, exercise, error));
    SMC_TRY(exercise_choose_device(arguments, exercise, devices, &query, error));
    request_of(arguments, &query, settings, request);
    request->builds = NULL; /* its process ends */
    snprintf(submission->device, sizeof submission->device, "%s", request->device.name);
    return SMC_OK;
}

/* A file that is named after no exercise is not one of the submissions. */
static enum smc_status add_submissions(const struct smc_arguments *arguments,
                                       const struct smc_run_settings *settings,
                                       struct class_files *class, struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < class->files.count && status == SMC_OK; i++) {
        struct smc_error reason = {""};
        const char *file = class->files.path[i];
        status = add_submission(arguments, file, settings, class, &reason);
        if (status == SMC_USAGE && arguments->file_count == 0) {
            smc_auto_text note = {0};
            smc_text_safe_line(&note, "%s was not judged: %s", file, reason.message);
            smc_output_note(smc_text_string(&note));
            smc_exercise_free(&class->exercise[--class->count]);
            smc_chosen_devices_free(&class->devices[class->count]);
            status = SMC_OK;
        } else if (status != SMC_OK) {
            smc_fail(error, status, "%s", reason.message);
        }
    }
    return status;
}

/* Each of the jobs gets its share of the processors. */
static enum smc_status judge_all(const struct smc_arguments *arguments, struct class_files *class,
                                 struct smc_error *error)
{
    struct smc_run_settings settings = exercise_settings(arguments);
    const unsigned processors = smc_machine_processors();
    size_t jobs =
        arguments->given[SMC_OPTION_JOBS] ? (size_t)arguments->number[SMC_OPTION_JOBS] : processors;
    SMC_TRY(add_submissions(arguments, &settings, class, error));
    jobs = jobs < class->count ? jobs : class->count;
    settings.threads = jobs > 0 && jobs < processors ? processors / (unsigned)jobs : 1;
    smc_exercise_judge_apart(class->request, class->submission, class->count, jobs);
    for (size_t i = 0; i < class->count; i++)
        if (smc_exercise_status(&class->submission[i].verdict) != SMC_OK)
            return SMC_SHORTFALL;
    return SMC_OK;
}

static enum smc_status judge_class(const struct smc_arguments *arguments, struct smc_text *out,
                                   struct smc_error *error)
{
    SMC_AUTO(free_class) struct class_files class = {.count = 0};
    smc_output_style(out);
    enum smc_status status = find_files(arguments->text[SMC_OPTION_JUDGE], &class, error);
    if (status == SMC_OK)
        status = judge_all(arguments, &class, error);
    if (status <= SMC_SHORTFALL)
        smc_ask_writer(arguments)->exercise_class(class.submission, class.count, out);
    return status;
}

/* --- The command ------------------------------------------------------------------------------ */

enum smc_status smc_cmd_exercise(const struct smc_arguments *arguments, struct smc_text *out,
                                 struct smc_error *error)
{
    SMC_AUTO(smc_exercise_free) struct smc_exercise exercise = {0};
    if (arguments->given[SMC_OPTION_JOBS] && !arguments->given[SMC_OPTION_JUDGE])
        return smc_fail(error, SMC_USAGE, "option --jobs: only with --judge FOLDER");
    if (arguments->given[SMC_OPTION_JUDGE])
        return arguments->file_count > 1
                   ? smc_fail(error, SMC_USAGE, "option --judge: not with FILE '%.256s'",
                              arguments->file[1])
                   : judge_class(arguments, out, error);
    for (int i = 0; i < SMC_OPTION_COUNT && arguments->file_count < 2; i++)
        if (arguments->given[i])
            return smc_fail(error, SMC_USAGE,
                            "option --%s: only with a solution: %s exercise NAME FILE",
                            smc_options[i].name, smc_program_name());
    if (arguments->file_count == 0)
        return list_exercises(out, error);
    SMC_TRY(smc_exercise_read(arguments->file[0], &exercise, error));
    return arguments->file_count == 1 ? show_task(&exercise, out, error)
                                      : judge_submission(arguments, &exercise, out, error);
}
