/* The confirm view: launches the kernel and shows predicted, reported, emulated and measured values
   side by side. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "show/report/writers.h"
#include "show/tui/tui_state.h"

/* --- The next launch --- */

/* The explorer's launch without static shared memory and barriers, which the compiled kernel
   brings: `smemcalc run` accepts no options for them either. */
static struct smc_query launch_query(const struct smc_tui *tui)
{
    struct smc_query query = tui->explore.query;
    query.static_smem_bytes = query.barriers_per_block = SMC_NOT_GIVEN;
    query.settings.virtual_resources = 0;
    return query;
}

/* Why nothing can be launched, or NULL. */
static const char *obstacle(const struct smc_tui *tui)
{
    if (tui->explore.query.kernel || smc_tui_open_kernel(tui))
        return NULL;
    return "numbers without a kernel: choose one on F2, or :open FILE";
}

/* The places are the GPUs of this machine, then the emulator. */
static int place_index(const struct smc_tui *tui)
{
    const struct smc_run_settings *settings = &tui->confirm.settings;
    return settings->place == SMC_ON_EMULATOR ? (int)tui->gpu_count : settings->gpu_index;
}

static void choose_place(struct smc_tui *tui, int by)
{
    struct smc_run_settings *settings = &tui->confirm.settings;
    int gpus = (int)tui->gpu_count, index = place_index(tui) + by;
    if (smc_tui_is_launching(tui) || index < 0 || index > gpus)
        return;
    settings->place = index == gpus ? SMC_ON_EMULATOR : SMC_ON_GPU;
    settings->gpu_index = index == gpus ? 0 : index;
}

/* "preparing", "12 of 1024 blocks", "checking the result". */
static void view_confirm_write_progress(const struct smc_tui *tui, char text[64])
{
    if (tui->blocks == 0)
        snprintf(text, 64, "preparing");
    else if (tui->blocks_done < tui->blocks)
        snprintf(text, 64, "%" PRIu64 " of %" PRIu64 " blocks", tui->blocks_done, tui->blocks);
    else
        snprintf(text, 64, "checking the result");
}

static enum smc_style verdict_style(size_t confirmed, size_t differing)
{
    return differing ? SMC_STYLE_BAD : confirmed ? SMC_STYLE_GOOD : SMC_STYLE_WARN;
}

/* "8 confirmed, 0 differ", over all runs of the launch; returns the style to show it in. */
static enum smc_style count_verdicts(const struct smc_launched *launched, char text[64])
{
    size_t confirmed = 0, differing = 0;
    for (size_t i = 0; i < launched->run_count; i++) {
        confirmed += launched->run[i].confirmation.confirmed;
        differing += launched->run[i].confirmation.differing;
    }
    snprintf(text, 64, "%zu confirmed, %zu differ%s", confirmed, differing,
             differing == 1 ? "s" : "");
    return verdict_style(confirmed, differing);
}

static void view_confirm_launch(struct smc_tui *tui)
{
    struct smc_query query = launch_query(tui);
    if (smc_tui_is_launching(tui)) {
        smc_tui_say_of_job(tui, SMC_JOB_RUN, SMC_STYLE_WARN, "a launch is running; Esc stops it");
    } else if (obstacle(tui)) {
        smc_tui_say(tui, SMC_STYLE_BAD, "%s", obstacle(tui));
    } else {
        tui->confirm.failure[0] = '\0';
        smc_job_init(&tui->run_job, SMC_JOB_RUN, &query);
        if (smc_tui_open_kernel(tui))
            smc_open_file_ask(&tui->file, &query, &tui->run_job.open);
        tui->run_job.settings = tui->confirm.settings;
    }
}

/* The result of the launch in the bottom line; this view shows a failure above the table instead.
 */
static void view_confirm_report_end(struct smc_tui *tui)
{
    const struct smc_confirm_state *state = &tui->confirm;
    bool here = tui->view == SMC_VIEW_CONFIRM;
    char counts[64];
    if (state->failure[0]) {
        if (!here)
            smc_tui_say(tui, SMC_STYLE_BAD, "the launch failed; F5 shows why");
        return;
    }
    const struct smc_launched *launched = state->launched[state->count - 1];
    enum smc_style style = count_verdicts(launched, counts);
    smc_tui_say(tui, style, "launch %u is done: %s%s", launched->number, counts,
                here ? "" : "; F5 shows it");
}

static void view_confirm_done(struct smc_tui *tui, const struct smc_job_result *result)
{
    struct smc_confirm_state *state = &tui->confirm;
    if (result->job.kind != SMC_JOB_RUN)
        return;
    bool failed = result->status > SMC_SHORTFALL;
    snprintf(state->failure, sizeof state->failure, "%s", failed ? result->error.message : "");
    if (result->run_count > 0 && !smc_confirm_keep(state, result->run, result->run_count))
        snprintf(state->failure, sizeof state->failure, "out of memory");
    view_confirm_report_end(tui);
}

static void cancel(struct smc_tui *tui)
{
    char progress[64];
    bool emulated = tui->confirm.settings.place == SMC_ON_EMULATOR;
    view_confirm_write_progress(tui, progress);
    if (emulated)
        snprintf(tui->confirm.failure, sizeof tui->confirm.failure,
                 "the emulation was stopped (%s)", progress);
    else
        snprintf(tui->confirm.failure, sizeof tui->confirm.failure, "the launch was stopped");
    tui->effect = SMC_EFFECT_CANCEL;
}

/* --- The panel of the next launch --- */

/* A kernel of the user's file: "scale 256 threads, 1024 blocks, f32x1M:random 3". */
static void draw_open_launch(const struct smc_tui *tui, const struct smc_query *query,
                             struct smc_rect line, struct smc_frame *frame)
{
    smc_auto_text words = {0};
    char block[48], grid[48];
    smc_field_write_shape(query, SMC_FIELD_THREADS, block);
    smc_field_write_shape(query, SMC_FIELD_GRID, grid);
    smc_text_printf(&words, " of %s: %s threads, ", smc_last_part(tui->file.shown), block);
    if (query->grid_blocks == SMC_NOT_GIVEN)
        smc_text_append(&words, "no grid");
    else
        smc_text_printf(&words, "%s block%s", grid, smc_text_plural(query->grid_blocks));
    smc_text_append(&words, tui->file.question.arguments[0] ? ", arguments " : ", no arguments");
    for (const char *c = tui->file.question.arguments; *c; c++)
        smc_text_append_char(&words, *c == '\n' ? ' ' : *c, 1);
    int col = smc_frame_text(frame, line, 0, 1, SMC_STYLE_STRONG, query->file_kernel->short_name);
    smc_frame_text_within(frame, line, 0, col, line.cols - col - 1, SMC_STYLE_NORMAL,
                          smc_text_string(&words));
}

static void view_confirm_draw_kernel(const struct smc_tui *tui, struct smc_rect line,
                                     struct smc_frame *frame)
{
    struct smc_query query = launch_query(tui);
    smc_auto_text words = {0};
    if (obstacle(tui)) {
        smc_frame_text_within(frame, line, 0, 1, line.cols - 2, SMC_STYLE_BAD, obstacle(tui));
        return;
    }
    if (!query.kernel) {
        draw_open_launch(tui, &query, line, frame);
        return;
    }
    smc_words_some_params(&tui->explore.answer.query, 0, &words);
    smc_words_settings(&query, true, &words);
    int col = smc_frame_text(frame, line, 0, 1, SMC_STYLE_STRONG, query.kernel->name);
    smc_frame_text_within(frame, line, 0, col + 1, line.cols - col - 2, SMC_STYLE_NORMAL,
                          smc_text_string(&words));
}

static void draw_place(const struct smc_tui *tui, struct smc_rect line, struct smc_frame *frame)
{
    const struct smc_run_settings *settings = &tui->confirm.settings;
    bool emulated = settings->place == SMC_ON_EMULATOR;
    bool found = emulated || tui->gpu_count > 0;
    smc_auto_text words = {0};
    if (emulated)
        smc_text_append(&words, "on the emulator, as ");
    else
        smc_text_printf(&words, "on GPU %d: ", settings->gpu_index);
    if (found)
        smc_words_run_device(emulated ? &tui->explore.query.device : &tui->gpu[settings->gpu_index],
                             &words);
    else
        smc_text_append(&words, "looking for it\xe2\x80\xa6");
    if (tui->gpu_count > 0)
        smc_text_printf(&words, "  < %d of %zu >", place_index(tui) + 1, tui->gpu_count + 1);
    smc_frame_text(frame, line, 0, 1, found ? SMC_STYLE_NORMAL : SMC_STYLE_WARN,
                   smc_text_string(&words));
}

/* An emulation shows the blocks done. A GPU's launch shows its time against the timeout, which
   covers the measurements; compiling and checking take extra time. */
static void draw_progress(const struct smc_tui *tui, struct smc_rect line, struct smc_frame *frame)
{
    bool emulated = tui->confirm.settings.place == SMC_ON_EMULATOR;
    double ms = (double)tui->running_ms, timeout_ms = tui->confirm.settings.timeout_ms;
    double share = emulated ? (double)tui->blocks_done / (double)(tui->blocks ? tui->blocks : 1)
                            : ms / timeout_ms;
    char progress[64], words[128];
    view_confirm_write_progress(tui, progress);
    if (emulated)
        snprintf(words, sizeof words, "%s, %.1f s; Esc stops it", progress, ms / 1000);
    else
        snprintf(words, sizeof words, "%.1f s of %g s; Esc stops it", ms / 1000, timeout_ms / 1000);
    int col = smc_frame_printf(frame, line, 0, 1, SMC_STYLE_STRONG, "%s ",
                               emulated ? "emulating" : "launching");
    int width = line.cols - col - (int)strlen(words) - 4;
    struct smc_rect bar = {line.row, line.col + col + 1, 1, width > 0 ? width : 0};
    smc_frame_glyph(frame, line, 0, col, SMC_STYLE_DIM, '[');
    smc_frame_bar(frame, bar, 0, 0, bar.cols, SMC_STYLE_CURVE, share);
    smc_frame_printf(frame, line, 0, col + 1 + bar.cols, SMC_STYLE_DIM, "] ");
    smc_frame_text_right(frame, (struct smc_rect){line.row, line.col, 1, line.cols - 1}, 0,
                         SMC_STYLE_NORMAL, words);
}

/* The keys, for which the bottom bar of a narrow screen has no space. */
static void draw_keys(const struct smc_tui *tui, struct smc_rect line, struct smc_frame *frame)
{
    char launch[16], view_confirm_save[16];
    bool emulated = tui->confirm.settings.place == SMC_ON_EMULATOR;
    smc_key_name(smc_action_key(SMC_ACTION_LAUNCH, 0), launch);
    smc_key_name(smc_action_key(SMC_ACTION_SAVE, 0), view_confirm_save);
    int col = smc_frame_printf(frame, line, 0, 1, SMC_STYLE_DIM, "%s or Enter %s it", launch,
                               emulated ? "emulates" : "launches");
    if (smc_tui_open_kernel(tui))
        col = smc_frame_text(frame, line, 0, col, SMC_STYLE_DIM, "; a types its arguments");
    if (tui->confirm.count > 0)
        smc_frame_printf(frame, line, 0, col, SMC_STYLE_DIM, "; %s saves the table",
                         view_confirm_save);
    else if (emulated)
        smc_frame_text(frame, line, 0, col, SMC_STYLE_DIM, "; small sizes run quickly");
}

/* The kernel, where it runs, and its progress. */
static void draw_next_launch(const struct smc_tui *tui, struct smc_rect rect,
                             struct smc_frame *frame)
{
    view_confirm_draw_kernel(tui, smc_rect_cut_top(&rect, 1), frame);
    if (obstacle(tui) && !smc_tui_is_launching(tui))
        return;
    draw_place(tui, smc_rect_cut_top(&rect, 1), frame);
    if (smc_tui_is_launching(tui))
        draw_progress(tui, rect, frame);
    else
        draw_keys(tui, rect, frame);
}

/* --- The launches of this session --- */

/* Columns to the right of the kernel, where a launch has one row. */
enum { NARROW_RIGHT = 46, DEVICE_COLS = 9 };

static int first_place(const struct smc_confirm_state *state, struct smc_rect rect,
                       int rows_per_launch)
{
    int count = (int)state->count;
    return smc_list_first(count - 1 - (int)state->chosen, count, rect.rows / rows_per_launch);
}

/* The kernel's time, or its sibling's where only that was launched. */
static void find_time(const struct smc_launched *launched, char text[SMC_ROW_WORDS])
{
    bool emulated = launched->run[0].result.emulation.made;
    snprintf(text, SMC_ROW_WORDS, "%s", emulated ? "emulated" : "-");
    for (size_t i = 0; i < launched->run_count; i++) {
        const struct smc_confirmation *confirmation = &launched->run[i].confirmation;
        for (size_t k = 0; k < confirmation->row_count; k++)
            if (strcmp(confirmation->row[k].quantity, "time_ms") == 0 && !emulated)
                smc_words_source(&confirmation->row[k], &confirmation->row[k].measured, text);
    }
}

static void view_confirm_draw_launch(const struct smc_launched *launched, bool chosen,
                                     struct smc_rect rect, struct smc_frame *frame)
{
    char counts[64], time[SMC_ROW_WORDS];
    smc_auto_text params = {0};
    const struct smc_answer *answer = &launched->run[0].answer;
    const char *kernel = answer->query.kernel        ? answer->query.kernel->name
                         : answer->query.file_kernel ? answer->query.file_kernel->short_name
                                                     : "";
    const char *device = smc_device_model(&answer->query.device);
    enum smc_style style = count_verdicts(launched, counts);
    find_time(launched, time);
    if (answer->query.kernel)
        smc_words_params(answer, &params);
    else
        smc_text_printf(&params, "%u threads, %" PRIu64 " block%s",
                        answer->launch.threads_per_block, answer->plan.grid_blocks,
                        smc_text_plural(answer->plan.grid_blocks));
    int col = smc_frame_printf(frame, rect, 0, 0, chosen ? SMC_STYLE_STRONG : SMC_STYLE_DIM,
                               " %2u ", launched->number);
    if (chosen)
        smc_frame_glyph(frame, rect, 0, 0, SMC_STYLE_STRONG, SMC_SIGN_SHOWN);
    if (rect.rows > 1) {
        int end = smc_frame_text(frame, rect, 0, col, SMC_STYLE_STRONG, kernel) + 1;
        struct smc_rect rest = {rect.row, rect.col + end, 1, rect.cols - end};
        smc_frame_text_right(frame, rest, 0, SMC_STYLE_LABEL, device);
        smc_frame_text(frame, rect, 1, col, SMC_STYLE_NORMAL, smc_text_string(&params));
        smc_frame_text(frame, rect, 2, col, style, counts);
        smc_frame_text_right(frame, rect, 2, SMC_STYLE_NORMAL, time);
    } else {
        struct smc_rect left = {rect.row, rect.col, 1, rect.cols - NARROW_RIGHT};
        struct smc_rect right = {rect.row, left.col + left.cols + 1, 1, NARROW_RIGHT - 1};
        struct smc_rect narrow = smc_rect_cut_left(&right, DEVICE_COLS);
        col = smc_frame_text(frame, left, 0, col, SMC_STYLE_STRONG, kernel);
        smc_frame_text_within(frame, left, 0, col + 1, left.cols - col - 1, SMC_STYLE_NORMAL,
                              smc_text_string(&params));
        smc_frame_text(frame, narrow, 0, 0, SMC_STYLE_LABEL, device);
        smc_frame_text(frame, right, 0, 1, style, counts);
        smc_frame_text_right(frame, right, 0, SMC_STYLE_NORMAL, time);
    }
}

/* The newest launch first, scrolled so that the chosen one is visible. */
static void draw_history(const struct smc_confirm_state *state, struct smc_rect rect,
                         int rows_per_launch, struct smc_frame *frame)
{
    int first = first_place(state, rect, rows_per_launch);
    int shown = rect.rows / rows_per_launch;
    if (state->count == 0)
        smc_frame_text(frame, rect, 0, 1, SMC_STYLE_DIM, "no launch yet");
    for (int i = 0; i < shown && first + i < (int)state->count; i++) {
        size_t index = state->count - 1 - (size_t)(first + i);
        struct smc_rect room = {rect.row + i * rows_per_launch, rect.col, rows_per_launch,
                                rect.cols - 1};
        view_confirm_draw_launch(state->launched[index], index == state->chosen, room, frame);
    }
    smc_list_draw_arrows(first * rows_per_launch, (int)state->count * rows_per_launch, rect, frame);
}

/* How many places older than the chosen one the launch at a row is; false where there is none. */
static bool history_at(const struct smc_confirm_state *state, struct smc_rect rect,
                       int rows_per_launch, int row, int *by)
{
    int place = first_place(state, rect, rows_per_launch) + row / rows_per_launch;
    if (row < 0 || row >= rect.rows || place >= (int)state->count)
        return false;
    *by = place - ((int)state->count - 1 - (int)state->chosen);
    return true;
}

/* --- The table of a launch --- */

enum {
    GAP = 2,
    NOTE_INDENT = 4,
    NOTE_BESIDE = 36, /* columns that a note needs beside its row */
};

static const enum smc_style row_style[] = {
    [SMC_CONFIRMED] = SMC_STYLE_GOOD,    [SMC_DIFFERS] = SMC_STYLE_BAD,
    [SMC_NOT_MEASURED] = SMC_STYLE_WARN, [SMC_INFORMATION] = SMC_STYLE_NORMAL,
    [SMC_BY_ORDER] = SMC_STYLE_NORMAL,   [SMC_BY_TURNS] = SMC_STYLE_NORMAL,
};

/* Right edges of the values; left edges of the verdict and the note. */
struct view_confirm_columns {
    int edge[SMC_SOURCE_COUNT]; /* 0: not shown */
    int verdict, note;          /* note 0: below the row */
};

/* A prediction in words may begin within the label's column where its label is short. */
static int widest_value(const struct smc_confirmation *confirmation, int reading, int label_cols)
{
    int widest = (int)strlen(smc_source_headings[reading]);
    for (size_t i = 0; i < confirmation->row_count; i++) {
        char text[SMC_ROW_WORDS];
        const struct smc_row *row = &confirmation->row[i];
        bool words = smc_row_reading(row, reading) == &row->predicted && row->words[0];
        smc_words_source(row, smc_row_reading(row, reading), text);
        int columns = (int)strlen(text) - (words ? label_cols - (int)strlen(row->label) : 0);
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

static struct view_confirm_columns view_confirm_lay_out(const struct smc_confirmation *confirmation,
                                                        int cols)
{
    struct view_confirm_columns columns = {{0}, 0, 0};
    bool emulated = smc_words_any_emulated(confirmation);
    int at = 0;
    for (size_t i = 0; i < confirmation->row_count; i++) {
        int label = 1 + (int)strlen(confirmation->row[i].label);
        at = label > at ? label : at;
    }
    int labels = at - 1;
    for (int i = 0; i < SMC_SOURCE_COUNT; i++) {
        bool is_emulator =
            smc_row_reading(&confirmation->row[0], i) == &confirmation->row[0].emulated;
        if (!is_emulator || emulated)
            columns.edge[i] = at += GAP + widest_value(confirmation, i, labels);
    }
    columns.verdict = at + GAP;
    at = columns.verdict + (int)strlen(smc_verdict_name(SMC_NOT_MEASURED)) + GAP;
    columns.note = at + NOTE_BESIDE <= cols ? at : 0;
    return columns;
}

static void draw_right(struct smc_frame *frame, struct smc_rect rect, int row, int edge,
                       enum smc_style style, const char *text)
{
    struct smc_rect left = {rect.row, rect.col, rect.rows, edge < rect.cols ? edge : rect.cols};
    if (edge > 0)
        smc_frame_text_right(frame, left, row, style, text);
}

/* Returns the next line. */
static int draw_note(const char *note, const struct view_confirm_columns *columns,
                     struct smc_rect rect, int line, struct smc_frame *frame)
{
    if (!note[0])
        return line + 1;
    int indent = columns->note ? columns->note : NOTE_INDENT;
    struct smc_rect room = {rect.row, rect.col + indent, rect.rows, rect.cols - indent - 1};
    return smc_frame_paragraph(frame, room, columns->note ? line : line + 1, SMC_STYLE_DIM, note);
}

static int view_confirm_draw_row(const struct smc_row *row,
                                 const struct view_confirm_columns *columns, struct smc_rect rect,
                                 int line, struct smc_frame *frame)
{
    smc_frame_text(frame, rect, line, 1, SMC_STYLE_LABEL, row->label);
    for (int i = 0; i < SMC_SOURCE_COUNT; i++) {
        char text[SMC_ROW_WORDS];
        const struct smc_reading *reading = smc_row_reading(row, i);
        smc_words_source(row, reading, text);
        draw_right(frame, rect, line, columns->edge[i],
                   reading->present ? SMC_STYLE_NORMAL : SMC_STYLE_DIM, text);
    }
    smc_frame_text(frame, rect, line, columns->verdict, row_style[row->verdict],
                   smc_verdict_name(row->verdict));
    return draw_note(row->note, columns, rect, line, frame);
}

/* Frees the words; returns the next line. */
static int draw_words(struct smc_text *words, enum smc_style style, struct smc_rect rect, int line,
                      struct smc_frame *frame)
{
    struct smc_rect inner = {rect.row, rect.col + 1, rect.rows, rect.cols - 2};
    if (words->length)
        line = smc_frame_paragraph(frame, inner, line, style, smc_text_string(words));
    smc_text_free(words);
    return line;
}

/* The kernel, the device and the driver, below the table because the history shows them as well. */
static int draw_subject(const struct smc_confirmed_run *run, struct smc_rect rect, int line,
                        struct smc_frame *frame)
{
    struct smc_text words = {0};
    smc_words_run_kernel(&run->answer, &words);
    line = draw_words(&words, SMC_STYLE_DIM, rect, line, frame);
    smc_words_run_device(&run->answer.query.device, &words);
    line = draw_words(&words, SMC_STYLE_DIM, rect, line, frame);
    smc_words_run_driver(&run->result, &words);
    return draw_words(&words, SMC_STYLE_DIM, rect, line, frame);
}

/* What a kernel of the user's file did wrong, with the line of its source. */
static int draw_findings(const struct smc_emulated_run *emulated, struct smc_rect rect, int line,
                         struct smc_frame *frame)
{
    enum { MOST = 4 };
    struct smc_text words = {0};
    for (size_t i = 0; i < emulated->finding_count && i < MOST; i++) {
        smc_text_append(&words, emulated->finding[i].text);
        line = draw_words(&words, SMC_STYLE_BAD, rect, line, frame);
    }
    if (emulated->findings_total > MOST) {
        smc_text_printf(&words, "and %" PRIu64 " more findings", emulated->findings_total - MOST);
        line = draw_words(&words, SMC_STYLE_DIM, rect, line, frame);
    }
    return line;
}

static int draw_run(const struct smc_confirmed_run *run, struct smc_rect rect, int line,
                    struct smc_frame *frame)
{
    const struct smc_confirmation *confirmation = &run->confirmation;
    struct view_confirm_columns columns = view_confirm_lay_out(confirmation, rect.cols);
    struct smc_text summary = {0};
    smc_words_verdicts(confirmation, &summary);
    line = draw_words(&summary, verdict_style(confirmation->confirmed, confirmation->differing),
                      rect, line, frame);
    if (!run->answer.query.kernel)
        line = draw_findings(&run->result.emulated, rect, line, frame);
    for (int i = 0; i < SMC_SOURCE_COUNT; i++)
        draw_right(frame, rect, line, columns.edge[i], SMC_STYLE_TITLE, smc_source_headings[i]);
    smc_frame_text(frame, rect, line, columns.verdict, SMC_STYLE_TITLE, "verdict");
    line++;
    for (int differing = 1; differing >= 0; differing--) /* what differs comes first */
        for (size_t i = 0; i < confirmation->row_count; i++)
            if ((confirmation->row[i].verdict == SMC_DIFFERS) == differing)
                line = view_confirm_draw_row(&confirmation->row[i], &columns, rect, line, frame);
    return draw_subject(run, rect, line + 1, frame);
}

int smc_draw_launched(const struct smc_launched *launched, struct smc_rect rect, int top,
                      struct smc_frame *frame)
{
    int line = -top;
    for (size_t i = 0; i < launched->run_count; i++)
        line = draw_run(&launched->run[i], rect, i ? line + 1 : line, frame);
    int lines = line + top;
    smc_list_draw_arrows(top, lines, rect, frame);
    return lines;
}

/* --- The view --- */

/* Before the first launch: what will be shown here, and what works without a GPU. */
static void draw_hint(const struct smc_tui *tui, struct smc_rect rect, struct smc_frame *frame)
{
    static const char waiting[] = "Once the kernel has run, its predicted, reported and measured "
                                  "values are shown here side by side, each with a verdict.";
    static const char without_gpu[] =
        "The emulator runs the kernel's PTX on the CPU and confirms what needs no GPU: accesses, "
        "bank conflicts, races, the result. y shows the command; without --on emulator and "
        "--device it confirms the rest on a machine with a GPU.";
    struct smc_text words = {0};
    bool no_gpu = tui->gpu_count == 0 && tui->no_gpu[0];
    int line = 0;
    if (obstacle(tui))
        return;
    if (no_gpu) {
        smc_text_append(&words, tui->no_gpu);
        line = draw_words(&words, SMC_STYLE_WARN, rect, 0, frame) + 1;
    }
    smc_text_append(&words, no_gpu ? without_gpu : waiting);
    draw_words(&words, SMC_STYLE_DIM, rect, line, frame);
}

/* A failure of the last launch is shown above the table. Returns what is left for the table. */
static struct smc_rect draw_failure(const struct smc_confirm_state *state, struct smc_rect rect,
                                    struct smc_frame *frame)
{
    struct smc_text words = {0};
    if (state->failure[0]) {
        smc_text_append(&words, state->failure);
        smc_rect_cut_top(&rect, draw_words(&words, SMC_STYLE_BAD, rect, 0, frame) + 1);
    }
    return rect;
}

/* The rectangle of the table, and how many of its lines do not fit. */
static struct smc_rect view_confirm_find_table(const struct smc_tui *tui, struct smc_rect body,
                                               int *more)
{
    struct smc_confirm_layout layout;
    struct smc_frame nothing = {0};
    const struct smc_launched *chosen = smc_confirm_chosen(&tui->confirm);
    smc_confirm_lay_out(body, &layout);
    struct smc_rect rect = draw_failure(&tui->confirm, layout.inside[SMC_CONFIRM_TABLE], &nothing);
    int lines = chosen ? smc_draw_launched(chosen, rect, 0, &nothing) : 0;
    *more = lines > rect.rows ? lines - rect.rows : 0;
    return rect;
}

static void view_confirm_draw(const struct smc_tui *tui, struct smc_rect body,
                              struct smc_frame *frame)
{
    const struct smc_confirm_state *state = &tui->confirm;
    const struct smc_launched *chosen = smc_confirm_chosen(state);
    struct smc_confirm_layout layout;
    smc_confirm_lay_out(body, &layout);
    char table[64] = "predicted and observed";
    if (chosen)
        snprintf(table, sizeof table, "predicted and observed, launch %u", chosen->number);
    smc_frame_box(frame, layout.frame[SMC_CONFIRM_NEXT], "launch");
    smc_frame_box(frame, layout.frame[SMC_CONFIRM_HISTORY], "this session");
    smc_frame_box(frame, layout.frame[SMC_CONFIRM_TABLE], table);
    draw_next_launch(tui, layout.inside[SMC_CONFIRM_NEXT], frame);
    draw_history(state, layout.inside[SMC_CONFIRM_HISTORY], layout.rows_per_launch, frame);
    draw_failure(state, layout.inside[SMC_CONFIRM_TABLE], frame);
    int more;
    struct smc_rect rect = view_confirm_find_table(tui, body, &more);
    if (chosen)
        smc_draw_launched(chosen, rect, state->top < more ? state->top : more, frame);
    else
        draw_hint(tui, rect, frame);
}

/* --- Keys --- */

static void view_confirm_scroll(struct smc_tui *tui, int lines, int pages)
{
    int more;
    struct smc_rect rect = view_confirm_find_table(tui, smc_tui_body(tui), &more);
    int by = lines + pages * (rect.rows - 1);
    tui->confirm.top = smc_list_scrolled(tui->confirm.top, by, more);
}

static const struct smc_writer *view_confirm_writer_of(const char *path)
{
    static const struct {
        const char *ending;
        const struct smc_writer *writer;
    } writers[] = {
        {".txt", &smc_writer_text},
        {".json", &smc_writer_json},
        {".csv", &smc_writer_csv},
    };
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof writers / sizeof *writers; i++)
        if (smc_equal_ignoring_case(ending, writers[i].ending))
            return writers[i].writer;
    return NULL;
}

static void ask_file(struct smc_tui *tui)
{
    if (smc_confirm_chosen(&tui->confirm))
        smc_tui_ask(tui, "save as", "a name that ends in .txt, .json or .csv", "");
    else
        smc_tui_say(tui, SMC_STYLE_WARN, "nothing has been launched in this session yet");
}

static void view_confirm_save(struct smc_tui *tui, const char *path)
{
    enum { FILE_COLUMNS = 80 };
    const struct smc_launched *launched = smc_confirm_chosen(&tui->confirm);
    const struct smc_writer *writer = view_confirm_writer_of(path);
    const struct smc_report_style style = {.columns = FILE_COLUMNS};
    if (path[0] == '\0')
        return;
    if (!writer) {
        smc_tui_say(tui, SMC_STYLE_BAD, "'%s' does not end in .txt, .json or .csv", path);
        return;
    }
    if (!launched->run[0].answer.query.kernel && writer != &smc_writer_text) {
        smc_tui_say(tui, SMC_STYLE_BAD,
                    "of your own kernel only .txt; the command that y shows has --format json");
        return;
    }
    struct smc_text text = {.style = &style};
    writer->runs(launched->run, launched->run_count, &text);
    smc_tui_save(tui, path, &text);
}

static void view_confirm_show_command(struct smc_tui *tui)
{
    const struct smc_run_settings *settings = &tui->confirm.settings;
    struct smc_query query = launch_query(tui);
    if (obstacle(tui)) {
        smc_tui_say(tui, SMC_STYLE_WARN, "%s", obstacle(tui));
        return;
    }
    smc_auto_text words = {0};
    smc_text_printf(&words, "%s run ", smc_program_name());
    if (query.kernel)
        smc_words_options(&tui->explore.answer.query.params, query.kernel->name, &words);
    else
        smc_open_file_append_launch(&tui->file, &query, &words);
    smc_words_settings(&query, true, &words);
    if (settings->place == SMC_ON_EMULATOR) {
        smc_text_append(&words, " --on emulator");
        query.device_assumed = false; /* named as well: whoever copies it may have another GPU */
        smc_words_device_option(&query, &words);
    } else {
        if (settings->gpu_index > 0)
            smc_text_printf(&words, " --gpu %d", settings->gpu_index);
        if (settings->no_counters)
            smc_text_append(&words, " --no-counters");
    }
    smc_tui_show_command(tui, smc_text_string(&words));
}

/* The next older launch with the searched text in its kernel's name or parameters. */
static void view_confirm_search(struct smc_tui *tui)
{
    struct smc_confirm_state *state = &tui->confirm;
    for (size_t i = 1; i <= state->count; i++) {
        size_t index = (state->chosen + state->count - i) % state->count;
        smc_auto_text words = {0};
        smc_words_run_kernel(&state->launched[index]->run[0].answer, &words);
        bool found = strcasestr(smc_text_string(&words), tui->searched);
        if (found) {
            smc_confirm_choose(state, (int)state->chosen - (int)index);
            return;
        }
    }
    smc_tui_say(tui, SMC_STYLE_WARN, "'%s' was not launched in this session", tui->searched);
}

static bool view_confirm_act(struct smc_tui *tui, enum smc_action action)
{
    struct smc_confirm_state *state = &tui->confirm;
    switch (action) {
    case SMC_ACTION_UP:
    case SMC_ACTION_DOWN:
        smc_confirm_choose(state, action == SMC_ACTION_DOWN ? 1 : -1);
        return true;
    case SMC_ACTION_FIRST:
    case SMC_ACTION_LAST:
        smc_confirm_choose(state,
                           action == SMC_ACTION_LAST ? (int)state->count : -(int)state->count);
        return true;
    case SMC_ACTION_PAGE_UP:
    case SMC_ACTION_PAGE_DOWN:
        view_confirm_scroll(tui, 0, action == SMC_ACTION_PAGE_DOWN ? 1 : -1);
        return true;
    case SMC_ACTION_LESS:
    case SMC_ACTION_MORE:
        choose_place(tui, action == SMC_ACTION_MORE ? 1 : -1);
        return true;
    case SMC_ACTION_ENTER:
    case SMC_ACTION_LAUNCH:
        view_confirm_launch(tui);
        return true;
    case SMC_ACTION_CANCEL:
        if (smc_tui_is_launching(tui))
            cancel(tui);
        return true;
    case SMC_ACTION_SAVE:
        ask_file(tui);
        return true;
    case SMC_ACTION_COMMAND:
        view_confirm_show_command(tui);
        return true;
    case SMC_ACTION_AGAIN:
        view_confirm_search(tui);
        return true;
    default:
        return false;
    }
}

static void view_confirm_click(struct smc_tui *tui, struct smc_rect body, int row, int col,
                               int direction)
{
    enum { LINES = 3 };
    struct smc_confirm_layout layout;
    smc_confirm_lay_out(body, &layout);
    struct smc_rect history = layout.inside[SMC_CONFIRM_HISTORY];
    bool on_history = smc_rect_holds(history, row, col);
    int by;
    if (direction != 0 && on_history)
        smc_confirm_choose(&tui->confirm, direction);
    else if (direction != 0)
        view_confirm_scroll(tui, direction * LINES, 0);
    else if (on_history &&
             history_at(&tui->confirm, history, layout.rows_per_launch, row - history.row, &by))
        smc_confirm_choose(&tui->confirm, by);
}

const struct smc_view smc_view_confirm = {
    .title = "confirm",
    .draw = view_confirm_draw,
    .act = view_confirm_act,
    .answered = view_confirm_save,
    .click = view_confirm_click,
    .done = view_confirm_done,
};
