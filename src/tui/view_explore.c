/* The first screen: one launch, its limits and what lies around it. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "report/text_parts.h"
#include "report/words.h"
#include "tui/explore_draw.h"
#include "tui/glyph.h"
#include "tui/state.h"

/* --- Drawing --- */

static void draw_words(struct smc_rect rect, struct smc_text *words, enum smc_style style,
                       struct smc_frame *frame)
{
    struct smc_rect room = {rect.row, rect.col + 1, rect.rows, rect.cols - 2};
    smc_frame_paragraph(frame, room, 0, style, smc_text_string(words));
    smc_text_free(words);
}

static void draw_steps(const struct smc_explore *explore, struct smc_rect rect,
                       struct smc_frame *frame)
{
    struct smc_text words = {0};
    enum smc_style style = SMC_STYLE_NORMAL;
    if (!explore->answered) {
        smc_text_append(&words, explore->why);
        style = SMC_STYLE_BAD;
    } else if (explore->compile_failure[0]) {
        smc_text_append(&words, explore->compile_failure);
        style = SMC_STYLE_BAD;
    } else if (explore->answer.outcome != SMC_LAUNCHES) {
        smc_words_failure(&explore->answer, &words);
        smc_text_append(&words, "\n");
        smc_text_next_steps(&explore->answer, &words);
        style = SMC_STYLE_WARN;
    } else {
        smc_text_next_steps(&explore->answer, &words);
        for (size_t i = 0; i + 1 < words.length; i++) /* a step a line */
            if (words.data[i] == ';' && words.data[i + 1] == ' ')
                words.data[i + 1] = '\n';
    }
    draw_words(rect, &words, style, frame);
}

static void draw_work(const struct smc_answer *answer, struct smc_rect rect,
                      struct smc_frame *frame)
{
    struct smc_text words = {0};
    if (answer->has_work)
        smc_text_append_work(answer, &words);
    if (answer->has_waves)
        smc_text_printf(&words, "%s%llu blocks in %llu wave%s, the last of %llu",
                        words.length ? "; " : "", (unsigned long long)answer->waves.grid_blocks,
                        (unsigned long long)answer->waves.waves,
                        answer->waves.waves == 1 ? "" : "s",
                        (unsigned long long)answer->waves.last_wave_blocks);
    draw_words(rect, &words, SMC_STYLE_NORMAL, frame);
}

static void draw_frames(const struct smc_tui *tui, const struct smc_explore_layout *layout,
                        struct smc_frame *frame)
{
    const struct smc_explore *explore = &tui->explore;
    char chart[96];
    snprintf(chart, sizeof chart, "occupancy by %s", explore->chart.label);
    const char *const titles[SMC_PANEL_COUNT] = {
        [SMC_PANEL_LAUNCH] = "launch",
        [SMC_PANEL_SM] = "one SM",
        [SMC_PANEL_LIMITS] = "blocks that each resource allows",
        [SMC_PANEL_CHART] = chart,
        [SMC_PANEL_STEPS] = explore->answered ? "next steps" : "no answer",
        [SMC_PANEL_WORK] = "work",
    };
    for (int i = 0; i < SMC_PANEL_COUNT; i++)
        if (layout->frame[i].rows > 1)
            smc_frame_box(frame, layout->frame[i], titles[i]);
}

static void draw(const struct smc_tui *tui, struct smc_rect body, struct smc_frame *frame)
{
    const struct smc_explore *explore = &tui->explore;
    struct smc_explore_layout layout;
    smc_explore_lay_out(body, &layout);
    draw_frames(tui, &layout, frame);
    smc_draw_launch(explore, layout.inside[SMC_PANEL_LAUNCH], frame);
    draw_steps(explore, layout.inside[SMC_PANEL_STEPS], frame);
    if (!explore->answered)
        return;
    smc_draw_sm(&explore->answer, layout.inside[SMC_PANEL_SM], layout.sm_rows, frame);
    smc_draw_limits(&explore->answer, layout.inside[SMC_PANEL_LIMITS], frame);
    smc_draw_chart(&explore->chart, layout.inside[SMC_PANEL_CHART], frame);
    draw_work(&explore->answer, layout.inside[SMC_PANEL_WORK], frame);
}

/* --- Changing --- */

static void step(struct smc_tui *tui, int direction, bool far)
{
    struct smc_explore *explore = &tui->explore;
    struct smc_query before = explore->query;
    smc_field_step(&explore->query, &explore->answer, explore->field, direction, far);
    if (memcmp(&before, &explore->query, sizeof before) != 0)
        smc_explore_changed(explore, &before);
}

static void reset(struct smc_tui *tui)
{
    struct smc_explore *explore = &tui->explore;
    struct smc_query before = explore->query;
    smc_field_reset(&explore->query, explore->field);
    if (memcmp(&before, &explore->query, sizeof before) != 0)
        smc_explore_changed(explore, &before);
}

static void ask(struct smc_tui *tui, const char *begun)
{
    char hint[128];
    struct smc_field_view view;
    const struct smc_explore *explore = &tui->explore;
    smc_field_show(&explore->query, &explore->answer, explore->field, &view);
    smc_field_hint(&explore->query, explore->field, hint);
    smc_tui_ask(tui, view.label, hint, begun);
}

static void typed(struct smc_tui *tui, const char *text)
{
    struct smc_explore *explore = &tui->explore;
    struct smc_query before = explore->query;
    struct smc_error error = {""};
    if (text[0] == '\0')
        return;
    if (smc_field_type(&explore->query, explore->field, text, &error) == SMC_OK)
        smc_explore_changed(explore, &before);
    else
        smc_tui_say(tui, SMC_STYLE_BAD, "%s", error.message);
}

static void type(struct smc_tui *tui, uint32_t character)
{
    char begun[5] = "";
    if (character >= '0' && character <= '9') {
        begun[smc_glyph_encode(character, begun)] = '\0';
        ask(tui, begun);
    }
}

/* The next field, device or kernel whose name holds what was searched. */
static bool search(struct smc_tui *tui)
{
    struct smc_explore *explore = &tui->explore;
    enum smc_field fields[SMC_FIELD_COUNT];
    size_t count = smc_fields_shown(&explore->query, fields), at = 0;
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

static bool act(struct smc_tui *tui, enum smc_action action)
{
    enum { PAGE = 5, ALL = SMC_FIELD_COUNT };
    struct smc_explore *explore = &tui->explore;
    switch (action) {
    case SMC_ACTION_UP:
        smc_explore_move(explore, -1);
        return true;
    case SMC_ACTION_DOWN:
        smc_explore_move(explore, 1);
        return true;
    case SMC_ACTION_PAGE_UP:
        smc_explore_move(explore, -PAGE);
        return true;
    case SMC_ACTION_PAGE_DOWN:
        smc_explore_move(explore, PAGE);
        return true;
    case SMC_ACTION_FIRST:
        smc_explore_move(explore, -ALL);
        return true;
    case SMC_ACTION_LAST:
        smc_explore_move(explore, ALL);
        return true;
    case SMC_ACTION_LESS:
    case SMC_ACTION_MORE:
        step(tui, action == SMC_ACTION_MORE ? 1 : -1, false);
        return true;
    case SMC_ACTION_MUCH_LESS:
    case SMC_ACTION_MUCH_MORE:
        step(tui, action == SMC_ACTION_MUCH_MORE ? 1 : -1, true);
        return true;
    case SMC_ACTION_ENTER:
        ask(tui, "");
        return true;
    case SMC_ACTION_RESET:
        reset(tui);
        return true;
    case SMC_ACTION_UNDO:
        if (!smc_explore_undo(explore))
            smc_tui_say(tui, SMC_STYLE_WARN, "nothing to undo");
        return true;
    case SMC_ACTION_AGAIN:
        return search(tui);
    default:
        return false;
    }
}

static void click(struct smc_tui *tui, struct smc_rect body, int row, int col, int direction)
{
    struct smc_explore_layout layout;
    enum smc_field field;
    smc_explore_lay_out(body, &layout);
    struct smc_rect launch = layout.inside[SMC_PANEL_LAUNCH];
    bool on_field = smc_rect_holds(launch, row, col) &&
                    smc_launch_field_at(&tui->explore, launch, row - launch.row, &field);
    if (direction != 0) {
        step(tui, -direction, false);
    } else if (on_field && field == tui->explore.field) {
        step(tui, col < launch.col + launch.cols / 2 ? -1 : 1, false);
    } else if (on_field) {
        smc_explore_go(&tui->explore, field);
    }
}

const struct smc_view smc_view_explore = {
    .title = "explore",
    .draw = draw,
    .act = act,
    .type = type,
    .typed = typed,
    .click = click,
};
