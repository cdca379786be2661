/* Panels with lists: which rows are visible, the columns of a line, and how a line is drawn. */
#include "config.h"

#include "show/tui/widgets.h"

#include <stdio.h>
#include <string.h>

int smc_list_first(int at, int count, int rows)
{
    int first = at - rows / 2;
    first = first > count - rows ? count - rows : first;
    return first < 0 ? 0 : first;
}

int smc_list_rows_of(enum smc_action action, int page)
{
    page = page > 1 ? page : 1;
    const int rows[SMC_ACTION_COUNT] = {
        [SMC_ACTION_UP] = -1,
        [SMC_ACTION_DOWN] = 1,
        [SMC_ACTION_PAGE_UP] = -page,
        [SMC_ACTION_PAGE_DOWN] = page,
        [SMC_ACTION_FIRST] = -SMC_LIST_ALL,
        [SMC_ACTION_LAST] = SMC_LIST_ALL,
    };
    return rows[action];
}

int smc_list_scrolled(int first, int by, int last)
{
    int to = first < last ? first + by : last + by;
    to = to > last ? last : to;
    return to < 0 ? 0 : to;
}

void smc_spans_place(struct smc_span *span, int count, int col)
{
    for (int i = 0; i < count; i++) {
        span[i].col = col;
        col += span[i].cols;
    }
}

int smc_spans_at(const struct smc_span *span, int count, int col)
{
    int column = 0;
    while (column < count &&
           !(col >= span[column].col && col < span[column].col + span[column].cols))
        column++;
    return column;
}

int smc_spans_next(const struct smc_span *span, int count, int column, int direction)
{
    do
        column = (column + direction + count) % count;
    while (!span[column].cols);
    return column;
}

struct smc_rect smc_span_cell(struct smc_span span, int gap, struct smc_rect line)
{
    return (struct smc_rect){line.row, line.col + span.col + gap, 1, span.cols - gap};
}

void smc_list_draw_cell(const char *text, bool is_text, enum smc_style style, struct smc_rect cell,
                        struct smc_frame *frame)
{
    if (is_text)
        smc_frame_text_within(frame, cell, 0, 0, cell.cols, style, text);
    else
        smc_frame_text_right(frame, cell, 0, style, text);
}

void smc_list_mark_match(const char *cell_text, const char *searched, struct smc_rect cell,
                         struct smc_frame *frame)
{
    const char *at = *searched ? strcasestr(cell_text, searched) : NULL;
    char before[1024];
    if (!at)
        return;
    snprintf(before, sizeof before, "%.*s", (int)(at - cell_text), cell_text);
    const int col = smc_utf8_string_columns(before), cols = smc_utf8_string_columns(searched);
    if (col + cols <= cell.cols)
        smc_frame_restyle(frame, (struct smc_rect){cell.row, cell.col + col, 1, cols}, 0,
                          SMC_STYLE_LINK);
}

void smc_list_draw_arrows(int first, int count, struct smc_rect rect, struct smc_frame *frame)
{
    if (first > 0)
        smc_frame_glyph(frame, rect, 0, rect.cols - 1, SMC_STYLE_DIM, SMC_SIGN_ABOVE);
    if (first + rect.rows < count)
        smc_frame_glyph(frame, rect, rect.rows - 1, rect.cols - 1, SMC_STYLE_DIM, SMC_SIGN_BELOW);
}

void smc_list_mark_cut(struct smc_rect rect, int rows, enum smc_action action,
                       struct smc_frame *frame)
{
    char name[16], text[64];
    struct smc_rect edge = {rect.row + rect.rows, rect.col, 1, rect.cols};
    if (rows <= rect.rows || rect.rows == 0)
        return;
    smc_frame_glyph(frame, rect, rect.rows - 1, rect.cols - 1, SMC_STYLE_DIM, SMC_SIGN_BELOW);
    smc_key_name(smc_action_key(action, 0), name);
    snprintf(text, sizeof text, " %s shows all ", name);
    smc_frame_text_right(frame, edge, 0, SMC_STYLE_WARN, text);
}

void smc_list_draw_field(const struct smc_field_view *view, bool here, struct smc_rect line,
                         struct smc_frame *frame)
{
    enum smc_style style = here          ? SMC_STYLE_CURSOR
                           : view->given ? SMC_STYLE_GIVEN
                                         : SMC_STYLE_NORMAL;
    enum { LABEL_COLUMNS = 10 };
    int at = LABEL_COLUMNS + 2; /* '<' before the value; '>' in the last column at most */
    smc_frame_text(frame, line, 0, 1, here ? SMC_STYLE_STRONG : SMC_STYLE_LABEL, view->label);
    int col = smc_frame_text_within(frame, line, 0, at, line.cols - 1 - at, style, view->value);
    if (here) {
        smc_frame_glyph(frame, line, 0, at - 1, SMC_STYLE_STRONG, '<');
        smc_frame_glyph(frame, line, 0, col, SMC_STYLE_STRONG, '>');
    }
    struct smc_rect rest = {line.row, line.col + col + 2, 1, line.cols - col - 3};
    if (smc_utf8_string_columns(view->source) <= rest.cols)
        smc_frame_text_right(frame, rest, 0,
                             view->awaited || view->changed ? SMC_STYLE_WARN : SMC_STYLE_DIM,
                             view->source);
}

void smc_list_add_sign(bool occurs, const char *sign, struct smc_text *legend)
{
    if (occurs)
        smc_text_printf(legend, "%s%s", legend->length ? "   " : " ", sign);
}

void smc_list_draw_legend(struct smc_text *legend, struct smc_rect rect, struct smc_frame *frame)
{
    struct smc_rect edge = {rect.row + rect.rows, rect.col, 1, rect.cols - 1};
    smc_text_append(legend, legend->length ? " " : "");
    smc_frame_text_right(frame, edge, 0, SMC_STYLE_DIM, smc_text_string(legend));
    smc_text_free(legend);
}
