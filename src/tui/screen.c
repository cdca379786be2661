/* What every view's screen has: the bar above, the view, the bar below, and what lies over them. */
#include <stdio.h>

#include "report/words.h"
#include "tui/glyph.h"
#include "tui/state.h"
#include "tui/view_confirm.h"

static const char pick_keys[] = "type to find   Up Down choose   Enter takes it   Esc closes";
static const char popup_keys[] = "Up Down PgUp PgDn scroll   any other key closes";

/* On other screens than its own: how far a launch in hand is, and where to stop it. */
static void launch_of(const struct smc_tui *tui, char text[64])
{
    text[0] = '\0';
    if (!smc_confirm_is_running(tui) || tui->view == SMC_VIEW_CONFIRM)
        return;
    if (tui->blocks)
        snprintf(text, 64, " emulating %d %% (F5) ",
                 (int)(100.0 * (double)tui->blocks_done / (double)tui->blocks));
    else
        snprintf(text, 64, " launching (F5) ");
}

static void verdict_of(const struct smc_explore *explore, char text[64])
{
    const struct smc_answer *answer = &explore->answer;
    if (!explore->answered) {
        snprintf(text, 64, "no answer ");
    } else if (answer->outcome != SMC_LAUNCHES) {
        snprintf(text, 64, "cannot %s ",
                 answer->outcome == SMC_CANNOT_COMPILE ? "compile" : "launch");
    } else {
        char percent[32];
        smc_words_percent(answer->occupancy_percent, percent);
        snprintf(text, 64, "%u block%s/SM  %s ", answer->occupancy.blocks_per_sm,
                 answer->occupancy.blocks_per_sm == 1 ? "" : "s", percent);
    }
}

static void draw_top(const struct smc_tui *tui, struct smc_rect line, struct smc_frame *frame)
{
    char verdict[64], launch[64], subject[256];
    const struct smc_query *query = &tui->explore.query;
    smc_frame_fill(frame, line, SMC_STYLE_BAR, ' ');
    verdict_of(&tui->explore, verdict);
    snprintf(subject, sizeof subject, " %s | %s on %s", smc_views[tui->view]->title,
             query->kernel ? query->kernel->name : "your own kernel", query->device.name);
    struct smc_rect left = {line.row, line.col, 1,
                            line.cols - smc_utf8_string_columns(verdict) - 1};
    launch_of(tui, launch);
    smc_frame_text_right(frame, left, 0, SMC_STYLE_BAR_STRONG, launch);
    left.cols -= smc_utf8_string_columns(launch);
    int col = smc_frame_text(frame, left, 0, 1, SMC_STYLE_BAR_STRONG, "smemcalc");
    smc_frame_text_within(frame, left, 0, col, left.cols - col, SMC_STYLE_BAR, subject);
    smc_frame_text_right(frame, line, 0, SMC_STYLE_BAR_STRONG, verdict);
}

static bool is_of_view(const struct smc_tui *tui, int action)
{
    const struct smc_action_info *info = &smc_action_info[action];
    int view = action - SMC_ACTION_VIEW_EXPLORE;
    bool leads = view >= 0 && view < SMC_VIEW_COUNT;
    bool in_hand = smc_confirm_is_running(tui);
    if (action == SMC_ACTION_CANCEL && !(in_hand && tui->view == SMC_VIEW_CONFIRM))
        return false;
    if (action == SMC_ACTION_LAUNCH && in_hand)
        return false;
    return info->label && (info->views & 1u << tui->view) && (!leads || smc_views[view]);
}

static int columns_of(int action)
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

/* The keys that the view has, as many as there is room for, closer together where it is short;
   quit always. */
static void draw_bottom(const struct smc_tui *tui, struct smc_rect line, struct smc_frame *frame)
{
    static const char quit[] = "q quit ";
    int room = line.cols - (int)sizeof quit, wanted = 0, col = 1;
    for (int i = SMC_ACTION_NONE + 1; i < SMC_ACTION_QUIT; i++)
        if (is_of_view(tui, i))
            wanted += columns_of(i) + 2;
    int gap = wanted < room ? 2 : 1;
    smc_frame_fill(frame, line, SMC_STYLE_BAR, ' ');
    for (int i = SMC_ACTION_NONE + 1; i < SMC_ACTION_QUIT; i++)
        if (is_of_view(tui, i) && col + columns_of(i) <= room)
            col = draw_key(tui, i, line, col, frame) + gap;
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

struct smc_rect smc_tui_body(const struct smc_tui *tui)
{
    return (struct smc_rect){1, 0, tui->rows - 2, tui->cols};
}

void smc_tui_click(struct smc_tui *tui, int row, int col, int direction)
{
    struct smc_rect body = smc_tui_body(tui);
    tui->effect = SMC_EFFECT_NONE;
    tui->message[0] = '\0';
    if (tui->pick.open)
        smc_tui_pick_ended(tui, smc_pick_click(&tui->pick, body, row, col, direction));
    else if (tui->popup.open)
        smc_popup_act(&tui->popup, direction < 0   ? SMC_ACTION_UP
                                   : direction > 0 ? SMC_ACTION_DOWN
                                                   : SMC_ACTION_CANCEL);
    else if (!tui->prompt.open && smc_rect_holds(body, row, col) && smc_views[tui->view]->click)
        smc_views[tui->view]->click(tui, body, row, col, direction);
}
