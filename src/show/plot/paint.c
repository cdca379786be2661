/* Paints a picture in characters, or into a file whose extension selects the format. */
#include "show/plot/paint.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* --- Files ------------------------------------------------------------------------------------ */

static const char *const endings[SMC_PLOT_FORMAT_COUNT] = {
    [SMC_PLOT_SVG] = ".svg",
    [SMC_PLOT_PNG] = ".png",
    [SMC_PLOT_PDF] = ".pdf",
};

enum smc_status smc_plot_format_of(const char *path, enum smc_plot_format *format,
                                   struct smc_error *error)
{
    size_t length = strlen(path);
    for (int i = 0; i < SMC_PLOT_FORMAT_COUNT; i++) {
        size_t ending = strlen(endings[i]);
        if (length <= ending || !smc_equal_ignoring_case(path + length - ending, endings[i]))
            continue;
        *format = (enum smc_plot_format)i;
        return smc_plot_open_files(error);
    }
    return smc_fail(error, SMC_USAGE,
                    "'%s' does not end in .svg, .png or .pdf; '-' draws in the terminal", path);
}

enum smc_status smc_plot_paint(const struct smc_picture *picture, enum smc_plot_format format,
                               struct smc_text *bytes, struct smc_text *warnings,
                               struct smc_error *error)
{
    if (picture->failed)
        return smc_out_of_memory(error);
    return smc_plot_paint_file(picture, format, bytes, warnings, error);
}

/* --- In characters ---------------------------------------------------------------------------- */

/* One character per cell, Unicode if the locale supports it, otherwise ASCII. Areas are filled with
   the letter of their ink, so that they are distinguishable without color. */

enum { NORTH = 1, EAST = 2, SOUTH = 4, WEST = 8 };

struct paint_cell {
    uint32_t character; /* 0: empty */
    unsigned char ink;
    unsigned char lines; /* the directions of a line from the cell */
    bool strong;
};

struct screen {
    const struct smc_picture *picture;
    struct paint_cell *cell;
    int rows, columns;
    bool utf8, colour;
};

static struct paint_cell *paint_at(const struct screen *screen, int row, int column)
{
    bool inside = row >= 0 && row < screen->rows && column >= 0 && column < screen->columns;
    return inside ? &screen->cell[row * screen->columns + column] : NULL;
}

static void paint_put(const struct screen *screen, int row, int column, uint32_t character,
                      enum smc_ink ink, bool strong)
{
    struct paint_cell *cell = paint_at(screen, row, column);
    if (cell)
        *cell = (struct paint_cell){
            .character = character, .ink = (unsigned char)ink, .strong = strong};
}

static uint32_t fill_of(const struct screen *screen, const struct smc_plot_shape *shape)
{
    static const uint32_t blocks[] = {' ', 0x2591, 0x2592, 0x2593, 0x2588};
    static const char marks[] = {'.', ':', '=', '%', '@'};
    int level = (int)(shape->shade * 4 + 0.5);
    if (shape->ink != SMC_INK_HEAT)
        return (unsigned char)smc_ink_styles[shape->ink].letter;
    return screen->utf8 ? blocks[level] : (unsigned char)marks[level];
}

/* A cell belongs to the area that contains its centre. */
static void paint_area(const struct screen *screen, const struct smc_plot_shape *shape)
{
    int top = (int)ceil(shape->y - 0.5), bottom = (int)ceil(shape->y + shape->height - 0.5);
    int left = (int)ceil(shape->x - 0.5), right = (int)ceil(shape->x + shape->width - 0.5);
    uint32_t fill = fill_of(screen, shape);
    for (int row = top; row < bottom; row++)
        for (int column = left; column < right; column++)
            if (shape->bands < 2 || (row + column) % shape->bands == shape->band)
                paint_put(screen, row, column, fill, shape->ink, false);
}

static void paint_join(const struct screen *screen, int row, int column, unsigned sides)
{
    struct paint_cell *cell = paint_at(screen, row, column);
    if (!cell)
        return;
    if (!cell->lines)
        *cell = (struct paint_cell){.ink = SMC_INK_MUTED};
    cell->lines |= (unsigned char)sides;
}

/* One character per column, at the height of the line there. */
static void paint_slanted(const struct screen *screen, const struct smc_plot_shape *shape)
{
    static const char heights[] = {'\'', '-', '.'};
    int column = (int)floor(shape->x), last = (int)floor(shape->x + shape->width);
    for (; column <= last; column++) {
        double share = (column + 0.5 - shape->x) / shape->width;
        double y = shape->y + fmin(fmax(share, 0), 1) * shape->height;
        int third = (int)((y - floor(y)) * 3);
        paint_put(screen, (int)floor(y), column, (unsigned char)heights[third], shape->ink, false);
    }
}

/* A level line that keeps its colour. */
static uint32_t level_of(const struct screen *screen, const struct smc_plot_shape *shape,
                         int column)
{
    if (screen->utf8)
        return shape->dashed ? 0x254c : 0x2500;
    return shape->dashed && column % 2 ? ' ' : '-';
}

static void paint_line(const struct screen *screen, const struct smc_plot_shape *shape)
{
    if (shape->width != 0 && shape->height != 0) {
        paint_slanted(screen, shape);
        return;
    }
    int row = (int)floor(shape->y), column = (int)floor(shape->x);
    int last_row = (int)floor(shape->y + shape->height);
    int last_column = (int)floor(shape->x + shape->width);
    if (shape->ink == SMC_INK_GRID) {
        for (; column < last_column; column++)
            paint_put(screen, row, column, screen->utf8 ? 0xb7 : '.', SMC_INK_GRID, false);
        return;
    }
    for (; shape->dashed && row < last_row; row++)
        paint_put(screen, row, column, screen->utf8 ? 0x250a : ':', shape->ink, false);
    const bool is_ceiling = shape->ink >= SMC_INK_DRAM && shape->ink <= SMC_INK_ISSUE;
    for (; (shape->dashed || is_ceiling) && column < last_column; column++)
        paint_put(screen, row, column, level_of(screen, shape, column), shape->ink, false);
    for (; row < last_row; row++) {
        paint_join(screen, row, column, SOUTH);
        paint_join(screen, row + 1, column, NORTH);
    }
    for (; column < last_column; column++) {
        paint_join(screen, row, column, EAST);
        paint_join(screen, row, column + 1, WEST);
    }
}

/* The next character of valid UTF-8. */
static uint32_t next_character(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    unsigned extra = *s >= 0xf0 ? 3 : *s >= 0xe0 ? 2 : *s >= 0xc0 ? 1 : 0;
    uint32_t character = extra ? *s & (0x3fu >> extra) : *s;
    for (s++; extra && (*s & 0xc0) == 0x80; s++, extra--)
        character = character << 6 | (*s & 0x3f);
    *text = (const char *)s;
    return character;
}

static void paint_text(const struct screen *screen, const struct smc_plot_shape *shape)
{
    const char *text = smc_picture_string(screen->picture, shape);
    struct smc_canvas canvas = smc_canvas_cells((unsigned)screen->columns);
    double width = smc_canvas_text_width(&canvas, shape->face, text);
    double share = shape->anchor == SMC_ANCHOR_START    ? 0
                   : shape->anchor == SMC_ANCHOR_MIDDLE ? 0.5
                                                        : 1;
    int row = (int)floor(shape->y), column = (int)floor(shape->x - share * width + 0.5);
    bool strong = shape->face == SMC_FACE_STRONG || shape->face == SMC_FACE_TITLE;
    if (shape->backed)
        paint_put(screen, row, column - 1, ' ', SMC_INK_PAPER, false);
    while (*text)
        paint_put(screen, row, column++, next_character(&text), shape->ink, strong);
    if (shape->backed)
        paint_put(screen, row, column, ' ', SMC_INK_PAPER, false);
}

static void paint_picture(const struct screen *screen)
{
    for (size_t i = 0; i < screen->picture->count; i++) {
        const struct smc_plot_shape *shape = &screen->picture->shape[i];
        switch (shape->kind) {
        case SMC_SHAPE_AREA:
            paint_area(screen, shape);
            break;
        case SMC_SHAPE_LINE:
            paint_line(screen, shape);
            break;
        case SMC_SHAPE_TEXT:
            paint_text(screen, shape);
            break;
        case SMC_SHAPE_MARK:
            paint_put(screen, (int)floor(shape->y), (int)floor(shape->x),
                      screen->utf8 ? 0x25cf : 'O', shape->ink, true);
            break;
        }
    }
}

static uint32_t character_of(const struct screen *screen, const struct paint_cell *cell)
{
    /* Box-drawing characters, indexed by the set of directions. */
    static const uint32_t boxes[16] = {' ',    0x2575, 0x2576, 0x2514, 0x2577, 0x2502,
                                       0x250c, 0x251c, 0x2574, 0x2518, 0x2500, 0x2534,
                                       0x2510, 0x2524, 0x252c, 0x253c};
    if (!cell->lines)
        return cell->character ? cell->character : ' ';
    if (screen->utf8)
        return boxes[cell->lines];
    bool upright = cell->lines & (NORTH | SOUTH), level = cell->lines & (EAST | WEST);
    return upright && level ? '+' : upright ? '|' : '-';
}

static void append_character(uint32_t character, struct smc_text *out)
{
    char bytes[4];
    size_t count = 0;
    if (character < 0x80) {
        bytes[count++] = (char)character;
    } else if (character < 0x800) {
        bytes[count++] = (char)(0xc0 | character >> 6);
        bytes[count++] = (char)(0x80 | (character & 0x3f));
    } else {
        bytes[count++] = (char)(0xe0 | character >> 12);
        bytes[count++] = (char)(0x80 | (character >> 6 & 0x3f));
        bytes[count++] = (char)(0x80 | (character & 0x3f));
    }
    smc_text_append_bytes(out, bytes, count);
}

/* 0 is the terminal's default colour. */
static void append_style(unsigned colour, bool strong, struct smc_text *out)
{
    smc_text_append(out, strong ? "\x1b[0;1" : "\x1b[0");
    if (colour)
        smc_text_printf(out, ";38;5;%u", colour);
    smc_text_append(out, "m");
}

static void paint_append_row(const struct screen *screen, int row, struct smc_text *out)
{
    const struct paint_cell *cell = paint_at(screen, row, 0);
    int last = screen->columns;
    unsigned colour = 0;
    bool strong = false;
    while (last > 0 && character_of(screen, &cell[last - 1]) == ' ')
        last--;
    for (int column = 0; column < last; column++, cell++) {
        unsigned wanted = smc_ink_styles[cell->ink].terminal;
        bool plain = !cell->character && !cell->lines;
        if (screen->colour && !plain && (wanted != colour || cell->strong != strong)) {
            append_style(wanted, cell->strong, out);
            colour = wanted;
            strong = cell->strong;
        }
        append_character(character_of(screen, cell), out);
    }
    if (colour || strong)
        smc_text_append(out, "\x1b[0m");
    smc_text_append(out, "\n");
}

void smc_plot_paint_cells(const struct smc_picture *picture, bool utf8, bool colour,
                          struct smc_text *out)
{
    struct screen screen = {
        .picture = picture,
        .rows = (int)ceil(picture->height),
        .columns = (int)ceil(picture->width),
        .utf8 = utf8,
        .colour = colour,
    };
    screen.cell = smc_calloc((size_t)screen.rows * (size_t)screen.columns, sizeof *screen.cell);
    if (!screen.cell || picture->failed) {
        out->failed = true;
        free(screen.cell);
        return;
    }
    paint_picture(&screen);
    for (int row = 0; row < screen.rows; row++)
        paint_append_row(&screen, row, out);
    free(screen.cell);
}

bool smc_plot_paint_grid(const struct smc_picture *picture, int rows, int columns,
                         struct smc_plot_cell *cells)
{
    struct screen screen = {.picture = picture, .rows = rows, .columns = columns, .utf8 = true};
    size_t count = (size_t)rows * (size_t)columns;
    screen.cell = smc_calloc(count, sizeof *screen.cell);
    if (!screen.cell || picture->failed) {
        free(screen.cell);
        return false;
    }
    paint_picture(&screen);
    for (size_t i = 0; i < count; i++) {
        const struct paint_cell *cell = &screen.cell[i];
        cells[i] = (struct smc_plot_cell){.character = character_of(&screen, cell),
                                          .ink = (enum smc_ink)cell->ink,
                                          .strong = cell->strong};
    }
    free(screen.cell);
    return true;
}
