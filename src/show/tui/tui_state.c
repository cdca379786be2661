/* What views do to the state of the explorer: messages, questions, files to save, commands shown.
 */
#include "show/tui/tui_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "show/words/words.h"

void smc_tui_say(struct smc_tui *tui, enum smc_style style, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(tui->message, sizeof tui->message, format, arguments);
    va_end(arguments);
    tui->message_style = style;
    tui->message_job = SMC_JOB_NONE;
}

void smc_tui_say_of_job(struct smc_tui *tui, enum smc_job_kind kind, enum smc_style style,
                        const char *message)
{
    smc_tui_say(tui, style, "%s", message);
    tui->message_job = kind;
}

void smc_tui_show_view(struct smc_tui *tui, enum smc_view_id view)
{
    if (!tui->views[view])
        return;
    tui->view = view;
    if (tui->views[view]->open)
        tui->views[view]->open(tui);
}

void smc_tui_ask(struct smc_tui *tui, const char *question, const char *hint, const char *typed)
{
    tui->asked = SMC_ASKED_BY_VIEW;
    smc_prompt_open(&tui->prompt, question, hint, typed);
}

void smc_tui_save(struct smc_tui *tui, const char *path, struct smc_text *text)
{
    smc_text_free(&tui->saving.text);
    tui->saving = (struct smc_saving){.text = *text};
    *text = (struct smc_text){0};
    snprintf(tui->saving.path, sizeof tui->saving.path, "%s", path);
    tui->effect = SMC_EFFECT_SAVE;
}

static void append_shape(const char *option, const struct smc_query *query, enum smc_field field,
                         struct smc_text *out)
{
    char shape[48];
    smc_field_write_shape(query, field, shape);
    smc_text_printf(out, "%s%s", option, shape);
}

/* A kernel of a file whose numbers are the file's: what is given is the launch. */
static void command_of_file(const struct smc_query *query, struct smc_text *out)
{
    const struct smc_file_kernel *kernel = query->file_kernel;
    smc_text_printf(out, "%s ", smc_program_name());
    smc_words_quote(kernel->file, out);
    smc_text_append(out, " --kernel ");
    smc_words_quote(kernel->short_name, out);
    append_shape(" --threads ", query, SMC_FIELD_THREADS, out);
    smc_words_settings(query, false, out);
    smc_words_device_option(query, out);
}

static bool is_as_read(const struct smc_query *query)
{
    return query->regs_per_thread == SMC_NOT_GIVEN && query->static_smem_bytes == SMC_NOT_GIVEN &&
           query->barriers_per_block == SMC_NOT_GIVEN;
}

/* Whoever copies the command may have another GPU: an assumed device is named as well. */
void smc_tui_command_of(const struct smc_tui *tui, const struct smc_query *query,
                        struct smc_text *out)
{
    struct smc_query named = *query;
    named.device_assumed = false;
    if (smc_open_kernel_of(&tui->file, query) && is_as_read(query))
        command_of_file(&named, out);
    else
        smc_tui_command(&named, out);
}

void smc_tui_command(const struct smc_query *query, struct smc_text *out)
{
    if (query->file_kernel) {
        struct smc_query own = *query;
        smc_field_leave_trace(&own);
        smc_tui_command(&own, out);
        return;
    }
    smc_text_printf(out, "%s ", smc_program_name());
    if (query->kernel)
        smc_words_options(&query->params, query->kernel->name, out);
    else
        append_shape("--threads ", query, SMC_FIELD_THREADS, out);
    if (!query->kernel && query->grid_blocks != SMC_NOT_GIVEN)
        append_shape(" --grid ", query, SMC_FIELD_GRID, out);
    smc_words_settings(query, false, out);
    if (query->compile.no_nvrtc)
        smc_text_append(out, " --no-nvrtc");
    smc_words_device_option(query, out);
}

void smc_tui_show_command(struct smc_tui *tui, const char *command)
{
    enum { MOST_COLUMNS = 90, MARGINS = 4 };
    int room = tui->cols - MARGINS;
    smc_text_free(&tui->copied);
    smc_text_append(&tui->copied, command);
    smc_words_untie(&tui->copied);
    tui->effect = SMC_EFFECT_COPY;
    smc_popup_open(&tui->popup, "the same on the command line, and on the clipboard");
    smc_command_wrap(command, room < MOST_COLUMNS ? room : MOST_COLUMNS, &tui->popup.text);
}

void smc_tui_show_query(struct smc_tui *tui, const char *options)
{
    smc_auto_text words = {0};
    smc_tui_command_of(tui, &tui->explore.query, &words);
    smc_text_append(&words, options);
    smc_tui_show_command(tui, smc_text_string(&words));
}

const struct smc_open_kernel *smc_tui_open_kernel(const struct smc_tui *tui)
{
    return smc_open_kernel_of(&tui->file, &tui->explore.query);
}

bool smc_tui_is_launching(const struct smc_tui *tui)
{
    return tui->running || tui->run_job.kind == SMC_JOB_RUN;
}

struct smc_rect smc_tui_body(const struct smc_tui *tui)
{
    return (struct smc_rect){1, 0, tui->rows - 2, tui->cols};
}
