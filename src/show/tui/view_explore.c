/* The first screen: one launch, its limits and the launches around it. */
#include "config.h"

#include <string.h>

#include "show/tui/tui_state.h"

static void view_explore_draw(const struct smc_tui *tui, struct smc_rect body,
                              struct smc_frame *frame)
{
    smc_draw_explore(&tui->explore, body, frame);
}

/* --- Changing --- */

static void note_change(struct smc_explore *explore, const struct smc_query *before)
{
    if (!smc_fields_equal(before, &explore->query))
        smc_explore_changed(explore, before);
}

static void reset(struct smc_tui *tui)
{
    struct smc_explore *explore = &tui->explore;
    struct smc_query before = explore->query;
    smc_field_reset(&explore->query, explore->field);
    note_change(explore, &before);
}

/* A list to choose from where the field has one, else a line to type into. */
static void view_explore_ask(struct smc_tui *tui, const char *begun)
{
    char hint[128];
    const struct smc_explore *explore = &tui->explore;
    if (smc_field_pick(&explore->query, explore->field, &tui->pick)) {
        if (*begun)
            smc_pick_key(&tui->pick, (unsigned char)*begun);
        return;
    }
    smc_field_hint(&explore->query, explore->field, hint);
    smc_tui_ask(tui, smc_field_label(explore->field), hint, begun);
}

static void view_explore_typed(struct smc_tui *tui, const char *text)
{
    struct smc_explore *explore = &tui->explore;
    struct smc_query before = explore->query;
    struct smc_error error = {""};
    if (text[0] == '\0')
        return;
    if (smc_field_type(&explore->query, explore->field, text, &error) == SMC_OK)
        note_change(explore, &before);
    else
        smc_tui_say(tui, SMC_STYLE_BAD, "%s", error.message);
}

static void type(struct smc_tui *tui, uint32_t character)
{
    char begun[5] = "";
    if (character >= '0' && character <= '9') {
        begun[smc_utf8_encode(character, begun)] = '\0';
        view_explore_ask(tui, begun);
    }
}

/* The next field whose name or value contains what was searched. */
static bool view_explore_search(struct smc_tui *tui)
{
    struct smc_explore *explore = &tui->explore;
    enum smc_field fields[SMC_FIELD_COUNT];
    size_t count = smc_fields_shown(&explore->query, fields), at = 0;
    if (!tui->searched[0]) {
        smc_tui_say(tui, SMC_STYLE_WARN, "nothing was searched yet; / begins a search");
        return true;
    }
    while (at < count && fields[at] != explore->field)
        at++;
    for (size_t i = 1; i <= count; i++) {
        struct smc_field_view view;
        enum smc_field field = fields[(at + i) % count];
        smc_field_show(&explore->query, &explore->answer, field, &view);
        if (strcasestr(view.label, tui->searched) || strcasestr(view.value, tui->searched)) {
            smc_explore_go(explore, field);
            return true;
        }
    }
    smc_tui_say(tui, SMC_STYLE_WARN, "'%s' is not on this screen; F4 searches all devices",
                tui->searched);
    return true;
}

/* All next steps, the work and the time, which a small screen may cut. */
static void show_steps(struct smc_tui *tui)
{
    enum { MOST_COLUMNS = 100, MARGINS = 4 };
    int columns = tui->cols - MARGINS;
    smc_popup_open(&tui->popup, "next steps, work and time");
    tui->popup.indent = 2;
    smc_explore_write_steps(&tui->explore, columns < MOST_COLUMNS ? columns : MOST_COLUMNS,
                            &tui->popup.text);
}

static bool view_explore_act(struct smc_tui *tui, enum smc_action action)
{
    enum { PAGE = 5 };
    struct smc_explore *explore = &tui->explore;
    int by = smc_list_rows_of(action, PAGE);
    if (by != 0) {
        smc_explore_move(explore, by);
        return true;
    }
    switch (action) {
    case SMC_ACTION_LESS:
    case SMC_ACTION_MORE:
        smc_explore_step(explore, action == SMC_ACTION_MORE ? 1 : -1, false);
        return true;
    case SMC_ACTION_MUCH_LESS:
    case SMC_ACTION_MUCH_MORE:
        smc_explore_step(explore, action == SMC_ACTION_MUCH_MORE ? 1 : -1, true);
        return true;
    case SMC_ACTION_ENTER:
        view_explore_ask(tui, "");
        return true;
    case SMC_ACTION_STEPS:
        show_steps(tui);
        return true;
    case SMC_ACTION_RESET:
        reset(tui);
        return true;
    case SMC_ACTION_UNDO:
        if (!smc_explore_undo(explore))
            smc_tui_say(tui, SMC_STYLE_WARN, "nothing to undo");
        return true;
    case SMC_ACTION_AGAIN:
        return view_explore_search(tui);
    default:
        return false;
    }
}

/* Moves the cursor to the field; on the field under the cursor, the left half is one step down and
   the right half one up. */
static void click_launch(struct smc_tui *tui, struct smc_rect rect, int row, int col)
{
    enum smc_field field;
    if (!smc_explore_field_at(&tui->explore, rect, row - rect.row, &field))
        return;
    if (field == tui->explore.field)
        smc_explore_step(&tui->explore, col < rect.col + rect.cols / 2 ? -1 : 1, false);
    else
        smc_explore_go(&tui->explore, field);
}

/* A point of the chart becomes the present one. */
static void click_chart(struct smc_tui *tui, struct smc_rect rect, int col)
{
    struct smc_explore *explore = &tui->explore;
    struct smc_query before = explore->query;
    int64_t value;
    if (!smc_chart_value_at(&explore->chart, rect, col - rect.col, &value))
        return;
    smc_explore_go(explore, explore->chart.field);
    smc_field_set_number(&explore->query, explore->field, value);
    note_change(explore, &before);
}

static void view_explore_click(struct smc_tui *tui, struct smc_rect body, int row, int col,
                               int direction)
{
    struct smc_explore_layout layout;
    smc_explore_place(&tui->explore, body, &layout);
    struct smc_rect launch = layout.inside[SMC_PANEL_LAUNCH];
    struct smc_rect chart = layout.inside[SMC_PANEL_CHART];
    if (direction != 0)
        smc_explore_step(&tui->explore, -direction, false);
    else if (smc_rect_holds(launch, row, col))
        click_launch(tui, launch, row, col);
    else if (smc_rect_holds(chart, row, col))
        click_chart(tui, chart, col);
}

const struct smc_view smc_view_explore = {
    .title = "explore",
    .draw = view_explore_draw,
    .act = view_explore_act,
    .character = type,
    .answered = view_explore_typed,
    .click = view_explore_click,
};
