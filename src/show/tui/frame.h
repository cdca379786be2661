/* The frame kit: rectangles, styles, signs, and a finished screen as cells to draw into. Pure: a
   terminal (terminal.h) shows the frame. */
#ifndef SMC_SHOW_FRAME_H
#define SMC_SHOW_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* --- Rectangles (rects.c) --- */

struct smc_rect {
    int row, col, rows, cols; /* empty where rows or cols is 0 */
};

/* Cut a strip off one side, at most what is there; `rect` keeps the rest. */
struct smc_rect smc_rect_cut_top(struct smc_rect *rect, int rows);
struct smc_rect smc_rect_cut_bottom(struct smc_rect *rect, int rows);
struct smc_rect smc_rect_cut_left(struct smc_rect *rect, int cols);

/* The same for framed panels: the strip and the rest share one edge. */
struct smc_rect smc_rect_share_top(struct smc_rect *rect, int rows);
struct smc_rect smc_rect_share_left(struct smc_rect *rect, int cols);

/* Where a panel is that belongs to a table: beside it on a wide screen, else below it. */
struct smc_split {
    int beside_from, beside_cols;            /* columns of the screen; of the panel */
    int below_from, least_below, most_below; /* rows of the screen; of the panel, of which it has
                                                two fifths within these limits */
};

/* Cuts the panel off, which shares an edge with the rest; empty if the screen is too small. */
struct smc_rect smc_rect_split(struct smc_rect *rect, const struct smc_split *split);

/* Without its edge. */
struct smc_rect smc_rect_inside(struct smc_rect rect);

/* A box of this size in the middle of `body`, cut to it. */
struct smc_rect smc_rect_middle(struct smc_rect body, int rows, int cols);

bool smc_rect_holds(struct smc_rect rect, int row, int col);

/* --- Styles and signs --- */

enum smc_style {
#define STYLE(id, foreground, background, light, light_ground, basic, attributes) SMC_STYLE_##id,
#include "show/tui/styles.def"
    SMC_STYLE_COUNT
};

enum { SMC_BLOCK_STYLES = SMC_STYLE_COUNT - SMC_STYLE_BLOCK_0 };

enum smc_attribute {
    SMC_DIM = 1,
    SMC_BOLD = 2,
    SMC_UNDERLINE = 4,
    SMC_REVERSE = 8, /* only without 256 colours; with them the background is used instead */
};

struct smc_look {
    int foreground, background; /* of 256 colours; -1: the terminal's own */
    int basic;                  /* foreground of the 8 colours, in the order of ECMA-48; or -1 */
    unsigned attributes;
};

/* What colours are chosen for. AUTO: the terminal's background, as far as it is known; else DARK.
 */
enum smc_theme { SMC_THEME_AUTO, SMC_THEME_DARK, SMC_THEME_LIGHT, SMC_THEME_NONE };

struct smc_look smc_look_of(enum smc_style style, enum smc_theme theme);

/* 0xRRGGBB of one of xterm's 256 colours, from 16 on. */
uint32_t smc_look_rgb(int colour);

/* The characters in panels that are not text. */
enum smc_sign {
#define SIGN(id, glyph, ascii, where, meaning) SMC_SIGN_##id = glyph,
#include "show/tui/signs.def"
};

/* What to show where the locale is not UTF-8: '+' for a corner, '#' for a block, '?' for a
   character without a likeness and for the right half of a wide one (0), which still occupies a
   column. ASCII stays as it is. */
char smc_glyph_ascii(uint32_t glyph);

/* A cell as text: in UTF-8, where the right half of a wide character adds nothing, or in ASCII. */
void smc_glyph_append(uint32_t glyph, bool utf8, struct smc_text *out);

/* --- The frame --- */

struct smc_cell {
    uint32_t glyph; /* 0: the right half of the wide character before */
    uint8_t style;
};

/* Start from {0}. */
struct smc_frame {
    int rows, cols;
    struct smc_cell *cell; /* rows x cols, row by row */
};

/* Blank, of that size; false when out of memory (then 0 x 0). */
bool smc_frame_resize(struct smc_frame *frame, int rows, int cols);
void smc_frame_free(struct smc_frame *frame);

/* All drawing functions accept a rectangle of the frame and positions within it, and do not change
   cells outside, except the other half of a wide character that it overwrites: that becomes a
   blank. A single character given by its code takes one column. */
void smc_frame_fill(struct smc_frame *frame, struct smc_rect rect, enum smc_style style,
                    uint32_t glyph);
void smc_frame_glyph(struct smc_frame *frame, struct smc_rect rect, int row, int col,
                     enum smc_style style, uint32_t glyph);

/* Text that is too long is cut. Returns the column after it. */
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

/* Words wrapped to the rectangle's width from `row` on. A newline begins a new line; SMC_TIE
   (show/words/paragraphs.h) is a blank that breaks only in words longer than a line; one without
   any continues in the next. Returns the row after the last, which may lie below the rectangle:
   those rows did not fit. */
int smc_frame_paragraph(struct smc_frame *frame, struct smc_rect rect, int row,
                        enum smc_style style, const char *text);

/* `share` from 0 to 1 of the columns from `col` to `col + width`, to an eighth of a cell; above 1
   the last column is SMC_SIGN_BEYOND. */
void smc_frame_bar(struct smc_frame *frame, struct smc_rect rect, int row, int col, int width,
                   enum smc_style style, double share);

/* A box along the rectangle's edge, joined with the boxes it touches, and its title. */
void smc_frame_box(struct smc_frame *frame, struct smc_rect rect, const char *title);

/* Gives the cells of one row another style. */
void smc_frame_restyle(struct smc_frame *frame, struct smc_rect rect, int row,
                       enum smc_style style);

/* The frame as text, each row ended by a newline: without trailing blanks, or whole and with
   escape sequences of 256 colours. */
void smc_frame_write(const struct smc_frame *frame, bool utf8, struct smc_text *out);
/* In the form that the ending of the path names: .txt, .svg or .json. False: it names none. */
bool smc_frame_write_as(const struct smc_frame *frame, enum smc_theme theme, const char *path,
                        struct smc_text *out);
void smc_frame_write_colours(const struct smc_frame *frame, enum smc_theme theme, bool utf8,
                             struct smc_text *out);

#endif
