/* The frame kit: rectangles, styles, signs, and a finished screen as cells to draw into. */
#include "show/tui/frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "show/words/layout.h"

enum { LINE_CHARS = 512, ELLIPSIS = SMC_SIGN_CUT };

/* --- Styles and signs --- */

/* The words of styles.def. */
enum { RED = 1, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE };
enum { DIM = SMC_DIM, BOLD = SMC_BOLD, UNDERLINE = SMC_UNDERLINE, REVERSE = SMC_REVERSE };

static const struct smc_look dark_looks[SMC_STYLE_COUNT] = {
#define STYLE(id, foreground, background, light, light_ground, basic, attributes)                  \
    [SMC_STYLE_##id] = {foreground, background, basic, attributes},
#include "show/tui/styles.def"
};

static const struct smc_look light_looks[SMC_STYLE_COUNT] = {
#define STYLE(id, foreground, background, light, light_ground, basic, attributes)                  \
    [SMC_STYLE_##id] = {light, light_ground, basic, attributes},
#include "show/tui/styles.def"
};

struct smc_look smc_look_of(enum smc_style style, enum smc_theme theme)
{
    if (theme == SMC_THEME_NONE)
        return (struct smc_look){-1, -1, -1, dark_looks[style].attributes};
    return theme == SMC_THEME_LIGHT ? light_looks[style] : dark_looks[style];
}

/* 16 to 231 are a cube, 232 to 255 greys. */
uint32_t smc_look_rgb(int colour)
{
    static const unsigned char levels[] = {0, 95, 135, 175, 215, 255};
    if (colour >= 232) {
        const uint32_t grey = 8 + 10 * (uint32_t)(colour - 232);
        return grey << 16 | grey << 8 | grey;
    }
    if (colour < 16)
        return 0x808080;
    const int place = colour - 16;
    return (uint32_t)levels[place / 36] << 16 | (uint32_t)levels[place / 6 % 6] << 8 |
           levels[place % 6];
}

char smc_glyph_ascii(uint32_t glyph)
{
    static const struct {
        uint32_t glyph;
        char ascii;
    } likeness[] = {
#define SIGN(id, glyph, ascii, where, meaning) {glyph, ascii},
#include "show/tui/signs.def"
        {0x2013, '-'}, {0x2019, '\''}, {0x2190, '<'}, {0x2191, '^'}, {0x2192, '>'}, {0x2193, 'v'},
        {0x2500, '-'}, {0x2502, '|'},  {0x254c, '-'}, {0x2593, '#'}, {0x25c0, '<'}, {0x2717, 'x'},
    };
    if (glyph > 0 && glyph < 0x80)
        return (char)glyph;
    for (size_t i = 0; i < sizeof likeness / sizeof *likeness; i++)
        if (likeness[i].glyph == glyph)
            return likeness[i].ascii;
    if (glyph > 0x2500 && glyph < 0x2580)
        return '+';
    if (glyph >= 0x2580 && glyph < 0x25a0)
        return '#';
    return '?';
}

void smc_glyph_append(uint32_t glyph, bool utf8, struct smc_text *out)
{
    char bytes[4];
    if (!utf8)
        smc_text_append_char(out, smc_glyph_ascii(glyph), 1);
    else if (glyph)
        smc_text_append_bytes(out, bytes, smc_utf8_encode(glyph, bytes));
}

/* --- Drawing --- */

bool smc_frame_resize(struct smc_frame *frame, int rows, int cols)
{
    size_t cells = (size_t)rows * (size_t)cols;
    struct smc_cell *cell = smc_realloc(frame->cell, (cells ? cells : 1) * sizeof *cell);
    if (!cell) {
        smc_frame_free(frame);
        return false;
    }
    *frame = (struct smc_frame){rows, cols, cell};
    for (size_t i = 0; i < cells; i++)
        cell[i] = (struct smc_cell){' ', SMC_STYLE_NORMAL};
    return true;
}

void smc_frame_free(struct smc_frame *frame)
{
    free(frame->cell);
    *frame = (struct smc_frame){0};
}

/* The part of the rectangle that the frame has. */
static struct smc_rect frame_within(const struct smc_frame *frame, struct smc_rect rect)
{
    int row = rect.row > 0 ? rect.row : 0, col = rect.col > 0 ? rect.col : 0;
    const int end_row = (int)smc_clamp(rect.row + rect.rows, 0, frame->rows);
    const int end_col = (int)smc_clamp(rect.col + rect.cols, 0, frame->cols);
    return (struct smc_rect){row, col, end_row - row, end_col - col};
}

/* NULL outside the rectangle or the frame. */
static struct smc_cell *cell_at(struct smc_frame *frame, struct smc_rect rect, int row, int col)
{
    row += rect.row;
    col += rect.col;
    if (!smc_rect_holds(rect, row, col) || row < 0 || row >= frame->rows || col < 0 ||
        col >= frame->cols)
        return NULL;
    return &frame->cell[(size_t)row * (size_t)frame->cols + (size_t)col];
}

/* Where half of a wide character is overwritten, the other half becomes a blank. */
static void part_wide(const struct smc_frame *frame, struct smc_cell *cell)
{
    bool last = (size_t)(cell - frame->cell + 1) % (size_t)frame->cols == 0;
    if (cell->glyph == 0)
        cell[-1].glyph = ' ';
    else if (!last && cell[1].glyph == 0)
        cell[1].glyph = ' ';
}

void smc_frame_fill(struct smc_frame *frame, struct smc_rect rect, enum smc_style style,
                    uint32_t glyph)
{
    rect = frame_within(frame, rect);
    for (int row = 0; row < rect.rows; row++) {
        struct smc_cell *first = cell_at(frame, rect, row, 0);
        struct smc_cell *last = cell_at(frame, rect, row, rect.cols - 1);
        if (!first || !last)
            continue;
        part_wide(frame, first); /* the cells between part no wide character */
        part_wide(frame, last);
        for (struct smc_cell *cell = first; cell <= last; cell++)
            *cell = (struct smc_cell){glyph, (uint8_t)style};
    }
}

void smc_frame_glyph(struct smc_frame *frame, struct smc_rect rect, int row, int col,
                     enum smc_style style, uint32_t glyph)
{
    struct smc_cell *cell = cell_at(frame, rect, row, col);
    if (!cell)
        return;
    part_wide(frame, cell);
    *cell = (struct smc_cell){glyph, (uint8_t)style};
}

/* Returns the column after it. A wide one that an edge cuts becomes a blank. */
static int put_glyph(struct smc_frame *frame, struct smc_rect rect, int row, int col,
                     enum smc_style style, uint32_t glyph)
{
    int columns = smc_utf8_columns(glyph);
    if (columns == 0)
        return col;
    struct smc_cell *right =
        columns == 2 && cell_at(frame, rect, row, col) ? cell_at(frame, rect, row, col + 1) : NULL;
    smc_frame_glyph(frame, rect, row, col, style, columns == 1 || right ? glyph : ' ');
    if (right) {
        smc_frame_glyph(frame, rect, row, col + 1, style, ' ');
        right->glyph = 0;
    }
    return col + columns;
}

int smc_frame_text(struct smc_frame *frame, struct smc_rect rect, int row, int col,
                   enum smc_style style, const char *text)
{
    for (uint32_t glyph; (glyph = smc_utf8_next(&text)) != 0;) {
        if (col + smc_utf8_columns(glyph) > rect.cols)
            return rect.cols;
        col = put_glyph(frame, rect, row, col, style, glyph);
    }
    return col;
}

int smc_frame_text_within(struct smc_frame *frame, struct smc_rect rect, int row, int col,
                          int width, enum smc_style style, const char *text)
{
    width = width < rect.cols - col ? width : rect.cols - col;
    bool cut = width > 0 && smc_utf8_string_columns(text) > width;
    struct smc_rect kept = {rect.row, rect.col, rect.rows, col + width - cut};
    int after = smc_frame_text(frame, kept, row, col, style, text);
    if (!cut)
        return after;
    smc_frame_glyph(frame, rect, row, kept.cols, style, ELLIPSIS);
    return col + width;
}

int smc_frame_printf(struct smc_frame *frame, struct smc_rect rect, int row, int col,
                     enum smc_style style, const char *format, ...)
{
    char line[LINE_CHARS];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return smc_frame_text(frame, rect, row, col, style, line);
}

void smc_frame_text_right(struct smc_frame *frame, struct smc_rect rect, int row,
                          enum smc_style style, const char *text)
{
    int col = rect.cols - smc_utf8_string_columns(text);
    smc_frame_text(frame, rect, row, col > 0 ? col : 0, style, text);
}

/* A tie is shown as a blank. */
static uint32_t next_of_word(const char **word)
{
    if (**word != *SMC_TIE)
        return smc_utf8_next(word);
    (*word)++;
    return ' ';
}

static int word_columns(const char *word, const char *end)
{
    int columns = 0;
    while (word < end)
        columns += smc_utf8_columns(next_of_word(&word));
    return columns;
}

int smc_frame_paragraph(struct smc_frame *frame, struct smc_rect rect, int row,
                        enum smc_style style, const char *text)
{
    int col = 0;
    while (*text) {
        if (*text == '\n') {
            row++;
            col = 0;
            text++;
            continue;
        }
        int blanks = (int)strspn(text, " " SMC_TIE);
        text += blanks;
        const char *end = text + strcspn(text, " \n");
        int columns = word_columns(text, end);
        if (columns > rect.cols) { /* then at a tie */
            end = text + strcspn(text, " \n" SMC_TIE);
            columns = word_columns(text, end);
        }
        if (col > 0 && col + blanks + columns > rect.cols) {
            row++;
            col = blanks = 0;
        }
        for (col += blanks; text < end;) {
            uint32_t glyph = next_of_word(&text);
            if (col > 0 && col + smc_utf8_columns(glyph) > rect.cols) { /* longer than a line */
                row++;
                col = 0;
            }
            col = put_glyph(frame, rect, row, col, style, glyph);
        }
    }
    return row + 1;
}

void smc_frame_bar(struct smc_frame *frame, struct smc_rect rect, int row, int col, int width,
                   enum smc_style style, double share)
{
    enum { WHOLE = 0x2588, EIGHTHS = 8 };
    bool clipped = share > 1;
    share = share < 0 ? 0 : clipped ? 1 : share;
    int filled = (int)(share * width * EIGHTHS + 0.5);
    if (filled == 0 && share > 0)
        filled = 1;
    for (int i = 0; i < width && filled > 0; i++, filled -= EIGHTHS) {
        uint32_t glyph = filled >= EIGHTHS ? WHOLE : WHOLE + EIGHTHS - (uint32_t)filled;
        smc_frame_glyph(frame, rect, row, col + i, style, glyph);
    }
    if (clipped && width > 0)
        smc_frame_glyph(frame, rect, row, col + width - 1, style, SMC_SIGN_BEYOND);
}

/* A box character by the sides of its cell that it reaches. */
enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8 };

static const uint16_t line_glyph[16] = {
    [UP | DOWN] = 0x2502,
    [LEFT | RIGHT] = 0x2500,
    [DOWN | RIGHT] = 0x250c,
    [DOWN | LEFT] = 0x2510,
    [UP | RIGHT] = 0x2514,
    [UP | LEFT] = 0x2518,
    [UP | DOWN | RIGHT] = 0x251c,
    [UP | DOWN | LEFT] = 0x2524,
    [DOWN | LEFT | RIGHT] = 0x252c,
    [UP | LEFT | RIGHT] = 0x2534,
    [UP | DOWN | LEFT | RIGHT] = 0x253c,
};

static void frame_join(struct smc_frame *frame, struct smc_rect rect, int row, int col,
                       unsigned sides)
{
    struct smc_cell *cell = cell_at(frame, rect, row, col);
    if (!cell)
        return;
    for (unsigned there = 1; there < 16; there++)
        if (line_glyph[there] && line_glyph[there] == cell->glyph)
            sides |= there;
    smc_frame_glyph(frame, rect, row, col, SMC_STYLE_FRAME, line_glyph[sides]);
}

void smc_frame_box(struct smc_frame *frame, struct smc_rect rect, const char *title)
{
    int bottom = rect.rows - 1, right = rect.cols - 1;
    if (bottom < 1 || right < 1)
        return;
    for (int col = 1; col < right; col++) {
        frame_join(frame, rect, 0, col, LEFT | RIGHT);
        frame_join(frame, rect, bottom, col, LEFT | RIGHT);
    }
    for (int row = 1; row < bottom; row++) {
        frame_join(frame, rect, row, 0, UP | DOWN);
        frame_join(frame, rect, row, right, UP | DOWN);
    }
    frame_join(frame, rect, 0, 0, DOWN | RIGHT);
    frame_join(frame, rect, 0, right, DOWN | LEFT);
    frame_join(frame, rect, bottom, 0, UP | RIGHT);
    frame_join(frame, rect, bottom, right, UP | LEFT);
    if (*title && right > 4) {
        struct smc_rect top = {rect.row, rect.col + 2, 1, rect.cols - 4};
        char padded[LINE_CHARS];
        snprintf(padded, sizeof padded, " %s ", title);
        smc_frame_text(frame, top, 0, 0, SMC_STYLE_TITLE, padded);
    }
}

void smc_frame_restyle(struct smc_frame *frame, struct smc_rect rect, int row, enum smc_style style)
{
    for (int col = 0; col < rect.cols; col++) {
        struct smc_cell *cell = cell_at(frame, rect, row, col);
        if (cell)
            cell->style = (uint8_t)style;
    }
}

/* --- As text --- */

static void frame_write_row(const struct smc_cell *cell, int cols, bool utf8, struct smc_text *out)
{
    while (cols > 0 && cell[cols - 1].glyph == ' ')
        cols--;
    for (int col = 0; col < cols; col++)
        smc_glyph_append(cell[col].glyph, utf8, out);
    smc_text_append_char(out, '\n', 1);
}

void smc_frame_write(const struct smc_frame *frame, bool utf8, struct smc_text *out)
{
    for (int row = 0; row < frame->rows; row++)
        frame_write_row(&frame->cell[(size_t)row * (size_t)frame->cols], frame->cols, utf8, out);
}

static void begin_style(int style, enum smc_theme theme, struct smc_text *out)
{
    const struct smc_look look = smc_look_of((enum smc_style)style, theme);
    smc_text_append(out, "\x1b[0");
    if (look.attributes & SMC_BOLD)
        smc_text_append(out, ";1");
    if (look.attributes & SMC_DIM && theme == SMC_THEME_NONE)
        smc_text_append(out, ";2");
    if (look.attributes & SMC_UNDERLINE)
        smc_text_append(out, ";4");
    if (look.attributes & SMC_REVERSE && theme == SMC_THEME_NONE)
        smc_text_append(out, ";7");
    if (look.foreground >= 0)
        smc_text_printf(out, ";38;5;%d", look.foreground);
    if (look.background >= 0)
        smc_text_printf(out, ";48;5;%d", look.background);
    smc_text_append(out, "m");
}

void smc_frame_write_colours(const struct smc_frame *frame, enum smc_theme theme, bool utf8,
                             struct smc_text *out)
{
    for (int row = 0; row < frame->rows; row++) {
        const struct smc_cell *cells = &frame->cell[(size_t)row * (size_t)frame->cols];
        int style = -1;
        for (int col = 0; col < frame->cols; col++) {
            if (cells[col].style != style)
                begin_style(style = cells[col].style, theme, out);
            smc_glyph_append(cells[col].glyph, utf8, out);
        }
        smc_text_append(out, "\x1b[0m\n");
    }
}
