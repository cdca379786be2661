/* The banks of shared memory: who meets whom, and what a padding or a swizzle does about it. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "report/banks_words.h"
#include "tui/bank_fields.h"
#include "tui/banks_draw.h"
#include "tui/frame.h"
#include "tui/state.h"

/* --- Drawing --- */

static void write_title(const struct smc_banks_state *banks, int cols, char title[256])
{
    enum { VERDICT = 32, EDGES = 8 };
    const struct smc_banks_pattern *pattern = smc_banks_shown(banks);
    int used = snprintf(title, 256, "warp %u", banks->warp);
    if (pattern->steps > 1)
        used += snprintf(title + used, 256 - (size_t)used, ", turn %u", banks->turn);
    if (used + 4 + smc_utf8_string_columns(pattern->label) + VERDICT + EDGES <= cols)
        snprintf(title + used, 256 - (size_t)used, " of %.200s", pattern->label);
}

static void draw(const struct smc_tui *tui, struct smc_rect body, struct smc_frame *frame)
{
    const struct smc_banks_state *banks = &tui->banks;
    struct smc_banks_layout layout;
    char title[256] = "banks";
    smc_banks_lay_out(body, &layout);
    if (banks->answered)
        write_title(banks, layout.frame[SMC_BANKS_GRID].cols, title);
    smc_frame_box(frame, layout.frame[SMC_BANKS_LIST],
                  smc_banks_is_own(banks) ? "expression" : banks->launch.kernel->name);
    smc_frame_box(frame, layout.frame[SMC_BANKS_FIELDS], "layout");
    smc_frame_box(frame, layout.frame[SMC_BANKS_GRID], title);
    smc_frame_box(frame, layout.frame[SMC_BANKS_REMEDY],
                  banks->answered ? "what helps" : "no answer");
    smc_draw_bank_fields(banks, layout.inside[SMC_BANKS_FIELDS], frame);
    smc_draw_bank_remedy(banks, layout.inside[SMC_BANKS_REMEDY], frame);
    if (!banks->answered)
        return;
    smc_draw_bank_list(banks, layout.inside[SMC_BANKS_LIST], frame);
    smc_draw_bank_grid(banks, layout.inside[SMC_BANKS_GRID], frame);
}

/* --- Changing --- */

static void open(struct smc_tui *tui)
{
    smc_banks_open(&tui->banks, &tui->explore.query);
}

static void choose(struct smc_banks_state *banks, const struct smc_banks_choice *choice)
{
    struct smc_banks_choice before = banks->choice;
    if (memcmp(&before, choice, sizeof before) == 0)
        return;
    banks->choice = *choice;
    smc_banks_changed(banks, &before);
}

/* On an instruction the arrows pad its array. */
static void step(struct smc_banks_state *banks, int direction, bool far)
{
    struct smc_banks_choice choice = banks->choice;
    enum smc_bank_field field = banks->on_field ? banks->field : SMC_BANK_FIELD_PADDING;
    smc_bank_field_step(banks, field, direction, far, &choice);
    choose(banks, &choice);
}

/* On an instruction all that was done to it and its array. */
static void reset(struct smc_banks_state *banks)
{
    static const enum smc_bank_field all[] = {SMC_BANK_FIELD_PADDING, SMC_BANK_FIELD_SWIZZLE,
                                              SMC_BANK_FIELD_WARP};
    struct smc_banks_choice choice = banks->choice;
    if (banks->on_field)
        smc_bank_field_reset(banks, banks->field, &choice);
    else
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            smc_bank_field_reset(banks, all[i], &choice);
    choose(banks, &choice);
}

static void ask(struct smc_tui *tui, const char *begun)
{
    char hint[128];
    struct smc_field_view view;
    enum smc_bank_field field = tui->banks.field;
    smc_bank_field_show(&tui->banks, field, &view);
    smc_bank_field_hint(&tui->banks, field, hint);
    smc_tui_ask(tui, view.label, hint, begun);
}

/* An instruction leads to its layout, a switch is turned, of the rest the value is asked for. */
static void enter(struct smc_tui *tui)
{
    struct smc_banks_state *banks = &tui->banks;
    struct smc_banks_choice choice = banks->choice;
    if (!banks->on_field)
        smc_banks_enter(banks);
    else if (smc_bank_field_flip(banks, banks->field, &choice))
        choose(banks, &choice);
    else
        ask(tui, smc_bank_field_begun(banks, banks->field));
}

/* What has no answer is not kept. */
static void typed(struct smc_tui *tui, const char *text)
{
    struct smc_banks_state *banks = &tui->banks;
    struct smc_banks_choice choice = banks->choice;
    struct smc_error error = {""};
    if (text[0] == '\0')
        return;
    enum smc_status status = smc_bank_field_type(banks, banks->field, text, &choice, &error);
    if (status == SMC_OK)
        choose(banks, &choice);
    if (status == SMC_OK && banks->answered)
        return;
    smc_tui_say(tui, SMC_STYLE_BAD, "%s", status == SMC_OK ? banks->why : error.message);
    if (status == SMC_OK)
        smc_banks_undo(banks);
}

static void type(struct smc_tui *tui, uint32_t character)
{
    struct smc_banks_state *banks = &tui->banks;
    struct smc_banks_choice choice = banks->choice;
    char begun[5] = "";
    bool digit = character >= '0' && character <= '9';
    bool expression = banks->on_field && banks->field == SMC_BANK_FIELD_EXPRESSION;
    bool is_switch = banks->on_field && smc_bank_field_flip(banks, banks->field, &choice);
    if (!banks->on_field || is_switch || !(digit || (expression && character == '(')))
        return;
    begun[smc_utf8_encode(character, begun)] = '\0';
    ask(tui, begun);
}

static bool search(struct smc_tui *tui)
{
    struct smc_banks_state *banks = &tui->banks;
    enum smc_bank_field fields[SMC_BANK_FIELD_COUNT];
    int patterns = (int)banks->answer.pattern_count, here = smc_banks_place(banks);
    int count = patterns + (int)smc_bank_fields_shown(banks, fields);
    for (int i = 1; i <= count; i++) {
        int place = (here + i) % count;
        struct smc_field_view view = {.label = ""};
        if (place < patterns)
            view.label = banks->answer.pattern[place].label;
        else
            smc_bank_field_show(banks, fields[place - patterns], &view);
        if (strcasestr(view.label, tui->searched) || strcasestr(view.value, tui->searched)) {
            smc_banks_go(banks, place);
            return true;
        }
    }
    smc_tui_say(tui, SMC_STYLE_WARN, "'%s' is not on this screen", tui->searched);
    return true;
}

/* Whatever command gives the same; for a kernel whose layout was changed only that of the access in
   sight. */
static void show_command(struct smc_tui *tui)
{
    const struct smc_banks_state *banks = &tui->banks;
    struct smc_banks_query query = banks->answer.query;
    struct smc_text words = {0};
    bool changed = banks->change.array[smc_banks_shown(banks)->array].row_elements;
    if (banks->choice.placed)
        query.warp = (int32_t)banks->warp;
    if (query.kernel ? !changed : banks->expression[0] != '\0')
        smc_words_banks_command(&query, query.kernel ? NULL : banks->expression, &words);
    else
        smc_words_banks_row_command(&query, &banks->access, &words);
    smc_tui_show_command(tui, smc_text_string(&words));
    smc_text_free(&words);
}

/* The wavefronts in sight: a screen has room for few of them. */
static void scroll(struct smc_tui *tui, int pages)
{
    struct smc_banks_layout layout;
    smc_banks_lay_out(smc_tui_body(tui), &layout);
    int rows = layout.inside[SMC_BANKS_GRID].rows - SMC_BANKS_HEADINGS;
    int last = (int)tui->banks.map.cost.wavefronts - rows;
    int top = tui->banks.top + pages * rows;
    top = top > last ? last : top;
    tui->banks.top = top < 0 ? 0 : top;
}

static bool act(struct smc_tui *tui, enum smc_action action)
{
    struct smc_banks_state *banks = &tui->banks;
    switch (action) {
    case SMC_ACTION_UP:
    case SMC_ACTION_DOWN:
        smc_banks_move(banks, action == SMC_ACTION_DOWN ? 1 : -1);
        return true;
    case SMC_ACTION_FIRST:
        smc_banks_go(banks, 0);
        return true;
    case SMC_ACTION_LAST:
        smc_banks_go(banks, SMC_MAX_SHARED_ACCESSES + SMC_BANK_FIELD_COUNT);
        return true;
    case SMC_ACTION_PAGE_UP:
    case SMC_ACTION_PAGE_DOWN:
        scroll(tui, action == SMC_ACTION_PAGE_DOWN ? 1 : -1);
        return true;
    case SMC_ACTION_LESS:
    case SMC_ACTION_MORE:
        step(banks, action == SMC_ACTION_MORE ? 1 : -1, false);
        return true;
    case SMC_ACTION_MUCH_LESS:
    case SMC_ACTION_MUCH_MORE:
        step(banks, action == SMC_ACTION_MUCH_MORE ? 1 : -1, true);
        return true;
    case SMC_ACTION_ENTER:
        enter(tui);
        return true;
    case SMC_ACTION_RESET:
        reset(banks);
        return true;
    case SMC_ACTION_UNDO:
        if (!smc_banks_undo(banks))
            smc_tui_say(tui, SMC_STYLE_WARN, "nothing to undo");
        return true;
    case SMC_ACTION_AGAIN:
        return search(tui);
    case SMC_ACTION_COMMAND:
        if (banks->answered)
            show_command(tui);
        return banks->answered;
    default:
        return false;
    }
}

static void click(struct smc_tui *tui, struct smc_rect body, int row, int col, int direction)
{
    struct smc_banks_state *banks = &tui->banks;
    struct smc_banks_layout layout;
    smc_banks_lay_out(body, &layout);
    struct smc_rect list = layout.inside[SMC_BANKS_LIST];
    struct smc_rect fields = layout.inside[SMC_BANKS_FIELDS];
    int place = smc_rect_holds(list, row, col) ? smc_bank_list_at(banks, list, row - list.row)
                : smc_rect_holds(fields, row, col)
                    ? smc_bank_field_at(banks, fields, row - fields.row)
                    : -1;
    if (direction != 0 && smc_rect_holds(layout.inside[SMC_BANKS_GRID], row, col))
        scroll(tui, direction);
    else if (direction != 0)
        step(banks, -direction, false);
    else if (place >= 0 && place == smc_banks_place(banks) && banks->on_field)
        step(banks, col < fields.col + fields.cols / 2 ? -1 : 1, false);
    else if (place >= 0)
        smc_banks_go(banks, place);
}

const struct smc_view smc_view_banks = {
    .title = "banks",
    .open = open,
    .refresh = open,
    .draw = draw,
    .act = act,
    .type = type,
    .typed = typed,
    .click = click,
};
