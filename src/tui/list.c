/* Lists that may be longer than their panel, and lines of values that a person sets. */
#include "tui/list.h"

#include "tui/glyph.h"

enum { LABEL_COLUMNS = 10, UP_ARROW = 0x25b2, DOWN_ARROW = 0x25bc };

int smc_list_first(int at, int count, int rows)
{
    int first = at - rows / 2;
    first = first > count - rows ? count - rows : first;
    return first < 0 ? 0 : first;
}

void smc_list_draw_arrows(int first, int count, struct smc_rect rect, struct smc_frame *frame)
{
    if (first > 0)
        smc_frame_glyph(frame, rect, 0, rect.cols - 1, SMC_STYLE_DIM, UP_ARROW);
    if (first + rect.rows < count)
        smc_frame_glyph(frame, rect, rect.rows - 1, rect.cols - 1, SMC_STYLE_DIM, DOWN_ARROW);
}

void smc_list_draw_field(const struct smc_field_view *view, bool here, struct smc_rect line,
                         struct smc_frame *frame)
{
    int col = LABEL_COLUMNS + 1 + here;
    enum smc_style style = here          ? SMC_STYLE_CURSOR
                           : view->given ? SMC_STYLE_GIVEN
                                         : SMC_STYLE_NORMAL;
    smc_frame_text(frame, line, 0, 1, here ? SMC_STYLE_STRONG : SMC_STYLE_LABEL, view->label);
    if (here)
        smc_frame_text(frame, line, 0, LABEL_COLUMNS, SMC_STYLE_STRONG, "<");
    struct smc_rect room = {line.row, line.col, 1, line.cols - (here ? 2 : 1)};
    int width = smc_glyph_string_columns(view->value);
    width = width < room.cols - col ? width : room.cols - col;
    smc_frame_text_within(frame, room, 0, col, width, style, view->value);
    col += width;
    if (here)
        smc_frame_text(frame, line, 0, col + 1, SMC_STYLE_STRONG, ">");
    if (col + 2 * here + smc_glyph_string_columns(view->source) + 2 <= line.cols)
        smc_frame_text_right(frame, room, 0, view->awaited ? SMC_STYLE_WARN : SMC_STYLE_DIM,
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
