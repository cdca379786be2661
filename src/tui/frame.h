/* A finished screen as cells, and drawing into it. Pure: whoever shows it is behind terminal.h. */
#ifndef SMC_TUI_FRAME_H
#define SMC_TUI_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "tui/rect.h"

enum smc_style {
#define STYLE(id, foreground, background, basic, attributes) SMC_STYLE_##id,
#include "tui/styles.def"
#undef STYLE
    SMC_STYLE_COUNT
};

enum { SMC_BLOCK_STYLES = SMC_STYLE_COUNT - SMC_STYLE_BLOCK_0 };

struct smc_cell {
    uint32_t glyph; /* 0: the right half of the wide character before */
    uint8_t style;
};

/* Start from {0}. */
struct smc_frame {
    int rows, cols;
    struct smc_cell *cell; /* rows x cols, a row after the other */
};

/* Blank, of that size; false where there is no memory (then 0 x 0). */
bool smc_frame_resize(struct smc_frame *frame, int rows, int cols);
void smc_frame_free(struct smc_frame *frame);

/* All drawing takes a rectangle of the frame, places within it, and never touches what lies
   outside, but for the other half of a wide character that it overwrites: that becomes a blank.
   Characters given by themselves take one column. */
void smc_frame_fill(struct smc_frame *frame, struct smc_rect rect, enum smc_style style,
                    uint32_t glyph);
void smc_frame_glyph(struct smc_frame *frame, struct smc_rect rect, int row, int col,
                     enum smc_style style, uint32_t glyph);

/* Text that is too long is cut. Returns the column behind it. */
int smc_frame_text(struct smc_frame *frame, struct smc_rect rect, int row, int col,
                   enum smc_style style, const char *text);
int smc_frame_printf(struct smc_frame *frame, struct smc_rect rect, int row, int col,
                     enum smc_style style, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* In `width` columns, with an ellipsis where it is cut. */
int smc_frame_text_within(struct smc_frame *frame, struct smc_rect rect, int row, int col,
                          int width, enum smc_style style, const char *text);

/* Ends at the rectangle's right edge. */
void smc_frame_text_right(struct smc_frame *frame, struct smc_rect rect, int row,
                          enum smc_style style, const char *text);

/* Words wrapped to the rectangle's width from `row` on; a newline begins a new line, SMC_TIE (see
   report/layout.h) is a blank that keeps its neighbours together; a word longer than a line goes on
   in the next. Returns the row behind, which may
   lie below the rectangle: that much did not fit. */
int smc_frame_paragraph(struct smc_frame *frame, struct smc_rect rect, int row,
                        enum smc_style style, const char *text);

/* `share` from 0 to 1 of the columns from `col` to `col + width`, to an eighth of a cell; above 1
   the last one is SMC_SIGN_BEYOND. */
void smc_frame_bar(struct smc_frame *frame, struct smc_rect rect, int row, int col, int width,
                   enum smc_style style, double share);

/* A frame around the rectangle's edge, joined with those it touches, and its title. */
void smc_frame_box(struct smc_frame *frame, struct smc_rect rect, const char *title);

/* Gives the cells of one row another style. */
void smc_frame_restyle(struct smc_frame *frame, struct smc_rect rect, int row,
                       enum smc_style style);

/* As text, rows without trailing blanks, each ended by a newline. */
void smc_frame_write(const struct smc_frame *frame, bool utf8, struct smc_text *out);

#endif
