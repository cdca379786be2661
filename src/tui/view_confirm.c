/* F5: launches the kernel and lays what was seen beside what was predicted. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/program.h"
#include "report/report.h"
#include "report/words.h"
#include "report/words_run.h"
#include "tui/confirm_draw.h"
#include "tui/confirm_next.h"

/* --- Launching --- */

static void launch(struct smc_tui *tui)
{
    struct smc_query query = smc_confirm_query(tui);
    if (smc_confirm_in_hand(tui)) {
        smc_tui_say_of_job(tui, SMC_JOB_RUN, SMC_STYLE_WARN, "a launch is in hand; Esc stops it");
    } else if (smc_confirm_obstacle(tui)) {
        smc_tui_say(tui, SMC_STYLE_BAD, "%s", smc_confirm_obstacle(tui));
    } else {
        tui->confirm.failure[0] = '\0';
        smc_job_init(&tui->run_job, SMC_JOB_RUN, &query);
        tui->run_job.settings = tui->confirm.settings;
    }
}

/* In the bottom line, what came of the last launch; on this screen a failure stands above the
   table. */
static void tell_end(struct smc_tui *tui)
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
    enum smc_style style = smc_confirm_count(launched, counts);
    smc_tui_say(tui, style, "launch %u is done: %s%s", launched->number, counts,
                here ? "" : "; F5 shows it");
}

static void done(struct smc_tui *tui, const struct smc_job_result *result)
{
    struct smc_confirm_state *state = &tui->confirm;
    if (result->job.kind != SMC_JOB_RUN)
        return;
    bool failed = result->status > SMC_SHORTFALL;
    snprintf(state->failure, sizeof state->failure, "%s", failed ? result->error.message : "");
    if (result->run_count > 0 && !smc_confirm_keep(state, result->run, result->run_count))
        snprintf(state->failure, sizeof state->failure, "out of memory");
    tell_end(tui);
}

static void cancel(struct smc_tui *tui)
{
    char progress[64];
    bool emulated = tui->confirm.settings.place == SMC_ON_EMULATOR;
    smc_confirm_write_progress(tui, progress);
    if (emulated)
        snprintf(tui->confirm.failure, sizeof tui->confirm.failure,
                 "the emulation was stopped (%s)", progress);
    else
        snprintf(tui->confirm.failure, sizeof tui->confirm.failure, "the launch was stopped");
    tui->effect = SMC_EFFECT_CANCEL;
}

/* --- Drawing --- */

/* Before the first launch: what comes here, and what there is without a GPU. */
static void draw_hint(const struct smc_tui *tui, struct smc_rect rect, struct smc_frame *frame)
{
    static const char waiting[] = "Predicted, reported and measured values come here side by side, "
                                  "with a verdict each, once the kernel was launched.";
    static const char without_gpu[] =
        "The emulator runs the kernel's PTX on the CPU and confirms what needs no GPU: accesses, "
        "bank conflicts, races, the result. y shows the command line; without --on emulator and "
        "--device it confirms the rest on a machine that has a GPU.";
    struct smc_rect room = {rect.row, rect.col + 1, rect.rows, rect.cols - 2};
    int line = 0;
    if (tui->gpu_count == 0 && tui->no_gpu[0])
        line = smc_frame_paragraph(frame, room, 0, SMC_STYLE_WARN, tui->no_gpu) + 1;
    smc_frame_paragraph(frame, room, line, SMC_STYLE_DIM, line ? without_gpu : waiting);
}

/* Why the last launch came to nothing stands above the table. Returns what is left for that. */
static struct smc_rect draw_failure(const struct smc_confirm_state *state, struct smc_rect rect,
                                    struct smc_frame *frame)
{
    struct smc_rect room = {rect.row, rect.col + 1, rect.rows, rect.cols - 2};
    if (state->failure[0])
        smc_rect_cut_top(&rect,
                         smc_frame_paragraph(frame, room, 0, SMC_STYLE_BAD, state->failure) + 1);
    return rect;
}

/* The place of the table, and how many of its lines do not fit into it. */
static struct smc_rect find_table(const struct smc_tui *tui, struct smc_rect body, int *more)
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

static void draw(const struct smc_tui *tui, struct smc_rect body, struct smc_frame *frame)
{
    const struct smc_confirm_state *state = &tui->confirm;
    const struct smc_launched *chosen = smc_confirm_chosen(state);
    struct smc_confirm_layout layout;
    smc_confirm_lay_out(body, &layout);
    char table[64] = "predicted and seen";
    if (chosen)
        snprintf(table, sizeof table, "predicted and seen, launch %u", chosen->number);
    smc_frame_box(frame, layout.frame[SMC_CONFIRM_NEXT], "launch");
    smc_frame_box(frame, layout.frame[SMC_CONFIRM_HISTORY], "this session");
    smc_frame_box(frame, layout.frame[SMC_CONFIRM_TABLE], table);
    smc_draw_next_launch(tui, layout.inside[SMC_CONFIRM_NEXT], frame);
    smc_draw_history(state, layout.inside[SMC_CONFIRM_HISTORY], layout.rows_per_launch, frame);
    draw_failure(state, layout.inside[SMC_CONFIRM_TABLE], frame);
    int more;
    struct smc_rect rect = find_table(tui, body, &more);
    if (chosen)
        smc_draw_launched(chosen, rect, state->top < more ? state->top : more, frame);
    else
        draw_hint(tui, rect, frame);
}

/* --- Acting --- */

static void scroll(struct smc_tui *tui, int lines, int pages)
{
    int more;
    struct smc_rect rect = find_table(tui, smc_tui_body(tui), &more);
    int top = tui->confirm.top + lines + pages * (rect.rows - 1);
    tui->confirm.top = top < 0 ? 0 : top > more ? more : top;
}

static const struct smc_writer *writer_of(const char *path)
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
        smc_tui_say(tui, SMC_STYLE_WARN, "nothing was launched in this session yet");
}

static void save(struct smc_tui *tui, const char *path)
{
    enum { FILE_COLUMNS = 80 };
    const struct smc_launched *launched = smc_confirm_chosen(&tui->confirm);
    const struct smc_writer *writer = writer_of(path);
    const struct smc_report_style style = {.columns = FILE_COLUMNS};
    if (path[0] == '\0')
        return;
    if (!writer) {
        smc_tui_say(tui, SMC_STYLE_BAD, "'%s' does not end in .txt, .json or .csv", path);
        return;
    }
    struct smc_text text = {0};
    writer->runs(launched->run, launched->run_count, &style, &text);
    smc_tui_save(tui, path, &text);
}

static void show_command(struct smc_tui *tui)
{
    const struct smc_run_settings *settings = &tui->confirm.settings;
    struct smc_query query = smc_confirm_query(tui);
    if (!query.kernel) {
        smc_tui_say(tui, SMC_STYLE_WARN, "%s", smc_confirm_obstacle(tui));
        return;
    }
    struct smc_text words = {0};
    smc_text_printf(&words, "%s run ", smc_program_name());
    smc_words_options(&tui->explore.answer.query.params, query.kernel->name, &words);
    smc_words_settings(&query, true, &words);
    if (settings->place == SMC_ON_EMULATOR) {
        smc_text_append(&words, " --on emulator");
        smc_words_device_option(&query, &words);
    } else {
        if (settings->gpu_index > 0)
            smc_text_printf(&words, " --gpu %d", settings->gpu_index);
        if (settings->no_counters)
            smc_text_append(&words, " --no-counters");
    }
    smc_tui_show_command(tui, smc_text_string(&words));
    smc_text_free(&words);
}

/* The next older launch whose kernel's name or parameters hold what was searched. */
static void search(struct smc_tui *tui)
{
    struct smc_confirm_state *state = &tui->confirm;
    for (size_t i = 1; i <= state->count; i++) {
        size_t index = (state->chosen + state->count - i) % state->count;
        struct smc_text words = {0};
        smc_words_run_kernel(&state->launched[index]->run[0].answer, &words);
        bool found = strcasestr(smc_text_string(&words), tui->searched);
        smc_text_free(&words);
        if (found) {
            smc_confirm_choose(state, (int)state->chosen - (int)index);
            return;
        }
    }
    smc_tui_say(tui, SMC_STYLE_WARN, "'%s' was not launched in this session", tui->searched);
}

static bool act(struct smc_tui *tui, enum smc_action action)
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
        scroll(tui, 0, action == SMC_ACTION_PAGE_DOWN ? 1 : -1);
        return true;
    case SMC_ACTION_LESS:
    case SMC_ACTION_MORE:
        smc_confirm_choose_place(tui, action == SMC_ACTION_MORE ? 1 : -1);
        return true;
    case SMC_ACTION_ENTER:
    case SMC_ACTION_LAUNCH:
        launch(tui);
        return true;
    case SMC_ACTION_CANCEL:
        if (smc_confirm_in_hand(tui))
            cancel(tui);
        return true;
    case SMC_ACTION_SAVE:
        ask_file(tui);
        return true;
    case SMC_ACTION_COMMAND:
        show_command(tui);
        return true;
    case SMC_ACTION_AGAIN:
        search(tui);
        return true;
    default:
        return false;
    }
}

static void click(struct smc_tui *tui, struct smc_rect body, int row, int col, int direction)
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
        scroll(tui, direction * LINES, 0);
    else if (on_history &&
             smc_history_at(&tui->confirm, history, layout.rows_per_launch, row - history.row, &by))
        smc_confirm_choose(&tui->confirm, by);
}

const struct smc_view smc_view_confirm = {
    .title = "confirm",
    .draw = draw,
    .act = act,
    .typed = save,
    .click = click,
    .done = done,
};
