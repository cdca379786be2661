/* The explorer, whichever view is shown: what keys, clicks and finished jobs do to its state, and
   the parts of the screen that all views have. */
#include "show/tui/state.h"

#include <stdio.h>
#include <string.h>

#include "show/tui/widgets.h"
#include "show/words/words.h"

const struct smc_view *const smc_views[SMC_VIEW_COUNT] = {
#define VIEW(id, name) [SMC_VIEW_##id] = &smc_view_##name,
#include "show/tui/views.def"
#undef VIEW
};

void smc_tui_open(struct smc_tui *tui, const struct smc_query *query, int rows, int cols)
{
    *tui = (struct smc_tui){.views = smc_views, .rows = rows, .cols = cols};
    tui->run_job.kind = SMC_JOB_GPUS;
    smc_explore_open(&tui->explore, query);
    smc_confirm_open(&tui->confirm);
}

void smc_tui_close(struct smc_tui *tui)
{
    smc_popup_close(&tui->popup);
    smc_pick_close(&tui->pick);
    smc_devices_close(&tui->devices);
    smc_explore_close(&tui->explore);
    smc_lessons_close(&tui->lessons);
    smc_confirm_close(&tui->confirm);
    smc_trace_list_close(&tui->trace);
    smc_text_free(&tui->saving.text);
}

void smc_tui_resize(struct smc_tui *tui, int rows, int cols)
{
    tui->rows = rows;
    tui->cols = cols;
    if (smc_views[tui->view]->resized)
        smc_views[tui->view]->resized(tui);
}

void smc_tui_saved(struct smc_tui *tui, enum smc_status status, const char *failure)
{
    if (status == SMC_SHORTFALL) {
        smc_tui_ask(tui, "the file exists; overwrite it?", "y or n", "");
        tui->overwriting = true;
        return;
    }
    if (status == SMC_OK)
        smc_tui_say(tui, SMC_STYLE_GOOD, "saved as %s", tui->saving.path);
    else
        smc_tui_say(tui, SMC_STYLE_BAD, "%s", failure);
    smc_text_free(&tui->saving.text);
}

static void answer_overwriting(struct smc_tui *tui, const char *typed)
{
    tui->saving.over = typed[0] == 'y' || typed[0] == 'Y';
    if (tui->saving.over)
        tui->effect = SMC_EFFECT_SAVE;
    else
        smc_tui_say(tui, SMC_STYLE_WARN, "%s was not overwritten", tui->saving.path);
}

static void explorer_show_command(struct smc_tui *tui)
{
    struct smc_text words = {0};
    smc_tui_command(&tui->explore.query, &words);
    smc_tui_show_command(tui, smc_text_string(&words));
    smc_text_free(&words);
}

static void open_search(struct smc_tui *tui)
{
    smc_tui_ask(tui, "search", "a part of what you look for", "");
    tui->searching = true;
}

/* The actions of every view, unless the view handles them itself. */
static void explorer_act(struct smc_tui *tui, enum smc_action action)
{
    if (smc_views[tui->view]->act(tui, action))
        return;
    switch (action) {
    case SMC_ACTION_HELP:
        smc_help_open(&tui->popup, tui->view);
        return;
    case SMC_ACTION_COMMAND:
        explorer_show_command(tui);
        return;
    case SMC_ACTION_SEARCH:
        open_search(tui);
        return;
    case SMC_ACTION_EDIT:
        tui->effect = SMC_EFFECT_EDIT;
        return;
    case SMC_ACTION_REDRAW:
        tui->effect = SMC_EFFECT_REDRAW;
        return;
    case SMC_ACTION_SUSPEND:
        tui->effect = SMC_EFFECT_SUSPEND;
        return;
    case SMC_ACTION_QUIT:
        tui->effect = SMC_EFFECT_QUIT;
        return;
    default:
        if (action >= SMC_ACTION_VIEW_EXPLORE && action < SMC_ACTION_VIEW_EXPLORE + SMC_VIEW_COUNT)
            smc_tui_show_view(tui, (enum smc_view_id)(action - SMC_ACTION_VIEW_EXPLORE));
    }
}

static void prompt_key(struct smc_tui *tui, uint32_t key)
{
    char typed[SMC_PROMPT_CHARS];
    if (smc_prompt_key(&tui->prompt, key) != SMC_PROMPT_DONE)
        return;
    memcpy(typed, tui->prompt.typed, sizeof typed); /* the view may open the next one */
    if (tui->searching) {
        if (typed[0])
            memcpy(tui->searched, typed, sizeof typed);
        smc_views[tui->view]->act(tui, SMC_ACTION_AGAIN);
    } else if (tui->overwriting) {
        answer_overwriting(tui, typed);
    } else {
        smc_views[tui->view]->answered(tui, typed);
    }
}

/* After a key or a click on the list to choose from. */
static void pick_ended(struct smc_tui *tui, enum smc_prompt_end end)
{
    char chosen[SMC_PROMPT_CHARS];
    if (end == SMC_PROMPT_GOES_ON)
        return;
    snprintf(chosen, sizeof chosen, "%s", smc_pick_chosen(&tui->pick));
    smc_pick_close(&tui->pick);
    if (end == SMC_PROMPT_DONE)
        smc_views[tui->view]->answered(tui, chosen);
}

void smc_tui_key(struct smc_tui *tui, uint32_t key)
{
    tui->effect = SMC_EFFECT_NONE;
    tui->message[0] = '\0';
    enum smc_action action = smc_key_action(tui->view, key);
    if (action == SMC_ACTION_SUSPEND ||
        action == SMC_ACTION_REDRAW) { /* even if something is open */
        explorer_act(tui, action);
        return;
    }
    if (tui->prompt.open) {
        prompt_key(tui, key);
        return;
    }
    if (tui->pick.open) {
        pick_ended(tui, smc_pick_key(&tui->pick, key));
        return;
    }
    if (tui->popup.open) {
        smc_popup_act(&tui->popup, key == 'q' ? SMC_ACTION_CANCEL : action);
        return;
    }
    if (action != SMC_ACTION_NONE)
        explorer_act(tui, action);
    else if (smc_views[tui->view]->character && key >= ' ' && key < SMC_KEY_FIRST)
        smc_views[tui->view]->character(tui, key);
}

void smc_tui_click(struct smc_tui *tui, int row, int col, int direction)
{
    struct smc_rect body = smc_tui_body(tui);
    tui->effect = SMC_EFFECT_NONE;
    tui->message[0] = '\0';
    if (tui->pick.open)
        pick_ended(tui, smc_pick_click(&tui->pick, body, row, col, direction));
    else if (tui->popup.open)
        smc_popup_act(&tui->popup, direction < 0   ? SMC_ACTION_UP
                                   : direction > 0 ? SMC_ACTION_DOWN
                                                   : SMC_ACTION_CANCEL);
    else if (!tui->prompt.open && smc_rect_holds(body, row, col) && smc_views[tui->view]->click)
        smc_views[tui->view]->click(tui, body, row, col, direction);
}

/* --- Jobs --- */

void smc_tui_compile_job(const struct smc_tui *tui, struct smc_job *job)
{
    const struct smc_explore *explore = &tui->explore;
    bool wanted = explore->wants_compile || explore->wants_time;
    smc_job_init(job, wanted ? SMC_JOB_COMPILE : SMC_JOB_NONE, &explore->answer.query);
    job->serial = explore->serial;
    if (!wanted && tui->view == SMC_VIEW_ROOFLINE)
        smc_roofline_job(&tui->roofline, explore, job);
    struct smc_query around;
    if (job->kind == SMC_JOB_NONE && tui->view == SMC_VIEW_EXPLORE &&
        smc_explore_wants_around(explore, &around)) {
        smc_job_init(job, SMC_JOB_COMPILE, &around);
        job->of_chart = true;
    }
}

void smc_tui_edited(struct smc_tui *tui, const char *folder)
{
    tui->edited = true;
    tui->explore.query.compile.kernel_dir = folder;
    smc_explore_recompile(&tui->explore);
}

/* A message about a file without the folder, which is that of the private copies. */
static const char *find_failure(const struct smc_job_result *result)
{
    const char *message = result->error.message;
    size_t folder = strlen(result->job.kernel_dir);
    bool leads = folder > 0 && strncmp(message, result->job.kernel_dir, folder) == 0;
    return result->status == SMC_OK ? NULL : message + (leads ? folder + 1 : 0);
}

static void take_compiled(struct smc_tui *tui, const struct smc_job_result *result)
{
    if (result->job.of_family) {
        if (result->status == SMC_OK)
            smc_memo_keep(&tui->explore.memo, &result->job.query, &result->resources);
        smc_roofline_take(&tui->roofline, result);
        return;
    }
    const char *failure = find_failure(result);
    struct smc_explore *explore = &tui->explore;
    if (result->job.of_chart) {
        smc_explore_compiled_around(explore, &result->job.query,
                                    failure ? NULL : &result->resources);
        return;
    }
    bool is_present = result->job.serial == explore->serial;
    smc_explore_compiled(explore, &result->job.query, &result->resources, failure);
    if (is_present) /* late resources may change the answer; the time has the same ones */
        smc_explore_timed(explore, explore->serial, &result->time, &result->job.query.ceilings);
    if (failure)
        smc_tui_say_of_job(tui, SMC_JOB_COMPILE, SMC_STYLE_BAD, failure);
    if (failure && tui->edited && result->log[0]) {
        smc_popup_open(&tui->popup, "what the compiler says");
        smc_text_append(&tui->popup.text, result->log);
    }
    tui->edited = false;
}

/* A GPU of this machine replaces the device that was assumed until it was found. */
static void take_gpus(struct smc_tui *tui, const struct smc_job_result *result)
{
    tui->gpu_count = result->gpu_count;
    memcpy(tui->gpu, result->gpu, sizeof tui->gpu);
    snprintf(tui->no_gpu, sizeof tui->no_gpu, "%s", result->error.message);
    if (tui->gpu_count == 0) /* also for a launch that waits for the answer */
        tui->confirm.settings.place = tui->run_job.settings.place = SMC_ON_EMULATOR;
    else
        smc_explore_find_device(&tui->explore, &tui->gpu[0]);
}

void smc_tui_done(struct smc_tui *tui, const struct smc_job_result *result)
{
    if (tui->message_job == result->job.kind)
        tui->message[0] = '\0';
    if (result->job.kind == SMC_JOB_COMPILE || result->job.kind == SMC_JOB_GPUS) {
        if (result->job.kind == SMC_JOB_COMPILE)
            take_compiled(tui, result);
        else
            take_gpus(tui, result);
        if (smc_views[tui->view]->refresh)
            smc_views[tui->view]->refresh(tui);
        return;
    }
    tui->running = false;
    for (int i = 0; i < SMC_VIEW_COUNT; i++)
        if (smc_views[i] && smc_views[i]->done)
            smc_views[i]->done(tui, result);
}

/* --- The screen --- */

static const char pick_keys[] = "type to find   Up Down choose   Enter selects   Esc closes";
static const char popup_keys[] = "Up Down PgUp PgDn scroll   any other key closes";

/* On other screens: the progress of a running launch, and the key of its screen. */
static void explorer_write_progress(const struct smc_tui *tui, char text[64])
{
    text[0] = '\0';
    if (!smc_tui_is_launching(tui) || tui->view == SMC_VIEW_CONFIRM)
        return;
    if (tui->blocks)
        snprintf(text, 64, " emulating %d %% (F5) ",
                 (int)(100.0 * (double)tui->blocks_done / (double)tui->blocks));
    else
        snprintf(text, 64, " launching (F5) ");
}

static void explorer_write_verdict(const struct smc_explore *explore, char text[64])
{
    const struct smc_answer *answer = &explore->answer;
    if (!explore->answered) {
        snprintf(text, 64, explore->wants_compile ? "not compiled yet " : "no answer ");
    } else if (answer->outcome != SMC_LAUNCHES) {
        snprintf(text, 64, "cannot %s ",
                 answer->outcome == SMC_CANNOT_COMPILE ? "compile" : "launch");
    } else {
        char percent[32];
        smc_words_percent(answer->occupancy_percent, percent);
        snprintf(text, 64, "%u block%s/SM  %s ", answer->occupancy.blocks_per_sm,
                 smc_text_plural(answer->occupancy.blocks_per_sm), percent);
    }
}

static void draw_top(const struct smc_tui *tui, struct smc_rect line, struct smc_frame *frame)
{
    char verdict[64], launch[64], subject[256];
    const struct smc_query *query = &tui->explore.query;
    smc_frame_fill(frame, line, SMC_STYLE_BAR, ' ');
    explorer_write_verdict(&tui->explore, verdict);
    snprintf(subject, sizeof subject, ": %s | %s on %s", smc_views[tui->view]->title,
             query->kernel        ? query->kernel->name
             : query->file_kernel ? query->file_kernel->short_name
                                  : "your own kernel",
             query->device.name);
    struct smc_rect left = {line.row, line.col, 1,
                            line.cols - smc_utf8_string_columns(verdict) - 1};
    explorer_write_progress(tui, launch);
    smc_frame_text_right(frame, left, 0, SMC_STYLE_BAR_STRONG, launch);
    left.cols -= smc_utf8_string_columns(launch);
    int col = smc_frame_text(frame, left, 0, 1, SMC_STYLE_BAR_STRONG, "smemcalc");
    smc_frame_text_within(frame, left, 0, col, left.cols - col, SMC_STYLE_BAR, subject);
    smc_frame_text_right(frame, line, 0, SMC_STYLE_BAR_STRONG, verdict);
}

static bool leads_to_view(int action)
{
    return action >= SMC_ACTION_VIEW_EXPLORE && action < SMC_ACTION_VIEW_EXPLORE + SMC_VIEW_COUNT;
}

static bool is_of_view(const struct smc_tui *tui, int action)
{
    const struct smc_action_info *info = &smc_action_info[action];
    bool launching = smc_tui_is_launching(tui);
    if (action == SMC_ACTION_CANCEL && !(launching && tui->view == SMC_VIEW_CONFIRM))
        return false;
    if (action == SMC_ACTION_LAUNCH && launching)
        return false;
    return info->label && (info->views & 1u << tui->view) &&
           (!leads_to_view(action) || smc_views[action - SMC_ACTION_VIEW_EXPLORE]);
}

static int explorer_columns_of(int action)
{
    char key[16];
    smc_key_name(smc_action_key((enum smc_action)action, 0), key);
    return smc_utf8_string_columns(key) + 1 +
           smc_utf8_string_columns(smc_action_info[action].label);
}

static int draw_key(const struct smc_tui *tui, int action, struct smc_rect line, int col,
                    struct smc_frame *frame)
{
    char key[16];
    bool here = action == SMC_ACTION_VIEW_EXPLORE + (int)tui->view;
    smc_key_name(smc_action_key((enum smc_action)action, 0), key);
    col = smc_frame_text(frame, line, 0, col, SMC_STYLE_BAR_STRONG, key);
    return smc_frame_text(frame, line, 0, col + 1, here ? SMC_STYLE_BAR_STRONG : SMC_STYLE_BAR,
                          smc_action_info[action].label);
}

/* The columns of all keys, with a gap after each; without that of the view itself. */
static int columns_of_all(const struct smc_tui *tui, int gap)
{
    int columns = 1;
    for (int i = SMC_ACTION_NONE + 1; i < SMC_ACTION_QUIT; i++)
        if (is_of_view(tui, i) && i != SMC_ACTION_VIEW_EXPLORE + (int)tui->view)
            columns += explorer_columns_of(i) + gap;
    return columns;
}

/* The keys that lead to other views as one. */
static int draw_views(struct smc_rect line, int col, struct smc_frame *frame)
{
    char first[16], last[16], keys[40];
    smc_key_name(smc_action_key(SMC_ACTION_VIEW_EXPLORE, 0), first);
    smc_key_name(smc_action_key((enum smc_action)(SMC_ACTION_VIEW_EXPLORE + SMC_VIEW_COUNT - 1), 0),
                 last);
    snprintf(keys, sizeof keys, "%s-%s", first, last);
    col = smc_frame_text(frame, line, 0, col, SMC_STYLE_BAR_STRONG, keys);
    return smc_frame_text(frame, line, 0, col + 1, SMC_STYLE_BAR, "views");
}

/* The keys of the view, as many as fit, closer together on a narrow screen, where the other views
   share an entry if their names do not fit; quit always. */
static void draw_bottom(const struct smc_tui *tui, struct smc_rect line, struct smc_frame *frame)
{
    static const char quit[] = "q quit ";
    const int room = line.cols - (int)sizeof quit;
    const int present = SMC_ACTION_VIEW_EXPLORE + (int)tui->view;
    const bool wide = columns_of_all(tui, 2) + explorer_columns_of(present) + 2 < room;
    const bool joined = columns_of_all(tui, 1) > room;
    int col = 1;
    smc_frame_fill(frame, line, SMC_STYLE_BAR, ' ');
    for (int i = SMC_ACTION_NONE + 1; i < SMC_ACTION_QUIT; i++) {
        if (!is_of_view(tui, i) || (i == present && !wide && !joined))
            continue;
        if (joined && leads_to_view(i))
            col = i == SMC_ACTION_VIEW_EXPLORE ? draw_views(line, col, frame) + 1 : col;
        else if (col + explorer_columns_of(i) <= room)
            col = draw_key(tui, i, line, col, frame) + (wide ? 2 : 1);
    }
    smc_frame_text_right(frame, line, 0, SMC_STYLE_BAR, quit);
}

static void draw_too_small(struct smc_frame *frame)
{
    struct smc_rect all = {0, 0, frame->rows, frame->cols};
    char text[96];
    snprintf(text, sizeof text, "smemcalc needs %d x %d; this terminal has %d x %d", SMC_LEAST_COLS,
             SMC_LEAST_ROWS, frame->cols, frame->rows);
    smc_frame_paragraph(frame, all, 0, SMC_STYLE_STRONG, text);
}

void smc_tui_draw(struct smc_tui *tui, struct smc_frame *frame)
{
    struct smc_rect body = {0, 0, frame->rows, frame->cols};
    smc_frame_fill(frame, body, SMC_STYLE_NORMAL, ' ');
    if (frame->rows < SMC_LEAST_ROWS || frame->cols < SMC_LEAST_COLS) {
        draw_too_small(frame);
        return;
    }
    draw_top(tui, smc_rect_cut_top(&body, 1), frame);
    struct smc_rect bottom = smc_rect_cut_bottom(&body, 1);
    smc_views[tui->view]->draw(tui, body, frame);
    if (tui->popup.open)
        smc_popup_draw(&tui->popup, body, frame);
    if (tui->pick.open)
        smc_pick_draw(&tui->pick, body, frame);
    if (tui->prompt.open) {
        smc_prompt_draw(&tui->prompt, bottom, frame);
    } else if (tui->message[0]) {
        smc_frame_text_within(frame, bottom, 0, 1, bottom.cols - 1, tui->message_style,
                              tui->message);
    } else if (tui->popup.open || tui->pick.open) {
        smc_frame_fill(frame, bottom, SMC_STYLE_BAR, ' ');
        smc_frame_text(frame, bottom, 0, 1, SMC_STYLE_BAR, tui->pick.open ? pick_keys : popup_keys);
    } else {
        draw_bottom(tui, bottom, frame);
    }
}
