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
    enum smc_style style = here          ? SMC_STYLE_CURSOR
                           : view->given ? SMC_STYLE_GIVEN
                                         : SMC_STYLE_NORMAL;
    int at = LABEL_COLUMNS + 2; /* an arrow before it, and one in the last column at most */
    smc_frame_text(frame, line, 0, 1, here ? SMC_STYLE_STRONG : SMC_STYLE_LABEL, view->label);
    int col = smc_frame_text_within(frame, line, 0, at, line.cols - 1 - at, style, view->value);
    if (here) {
        smc_frame_glyph(frame, line, 0, at - 1, SMC_STYLE_STRONG, '<');
        smc_frame_glyph(frame, line, 0, col, SMC_STYLE_STRONG, '>');
    }
    struct smc_rect rest = {line.row, line.col + col + 2, 1, line.cols - col - 3};
    if (smc_utf8_string_columns(view->source) <= rest.cols)
        smc_frame_text_right(frame, rest, 0, view->awaited ? SMC_STYLE_WARN : SMC_STYLE_DIM,
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
