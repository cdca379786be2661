/* A screen as a file: text, a picture, or JSON. */
#include <stdio.h>
#include <string.h>

#include "show/tui/frame.h"

/* --- SVG --- */

enum { CELL_WIDTH = 8, CELL_HEIGHT = 17, BASELINE = 13 };

static void append_escaped(uint32_t glyph, struct smc_text *out)
{
    const char *entity = smc_markup_entity(glyph);
    if (entity)
        smc_text_append(out, entity);
    else
        smc_glyph_append(glyph, true, out);
}

/* The terminal's background. */
static uint32_t ground_of(enum smc_theme theme)
{
    return theme == SMC_THEME_LIGHT || theme == SMC_THEME_NONE ? 0xffffff : 0x1c1c1c;
}

/* --- Cells that are drawn, since fonts leave gaps between their rows --- */

/* Lines from the middle of the cell to its sides. */
static void append_sides(const char *sides, int x, int y, uint32_t ink, struct smc_text *out)
{
    static const struct {
        char side;
        const char *path;
    } ends[] = {{'u', "v-8.5"}, {'d', "v8.5"}, {'l', "h-4.5"}, {'r', "h3.5"}};
    smc_text_printf(out, "<path stroke=\"#%06x\" d=\"", ink);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strchr(sides, ends[i].side))
            smc_text_printf(out, "M%d.5 %d.5%s", x + CELL_WIDTH / 2, y + CELL_HEIGHT / 2,
                            ends[i].path);
    smc_text_append(out, "\"/>\n");
}

static void append_rect(int x, double y, double width, double height, uint32_t ink,
                        struct smc_text *out)
{
    smc_text_printf(out, "<rect x=\"%d\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%06x\"/>\n", x,
                    y, width, height, ink);
}

/* Lines of boxes, and blocks of eighths. False: it is a character of the font. */
static bool draw_cell(uint32_t glyph, int row, int col, uint32_t ink, struct smc_text *out)
{
    static const struct {
        uint32_t glyph;
        const char *sides;
    } lines[] = {{0x2500, "lr"},  {0x2502, "ud"},  {0x250c, "dr"},  {0x2510, "dl"},
                 {0x2514, "ur"},  {0x2518, "ul"},  {0x251c, "udr"}, {0x2524, "udl"},
                 {0x252c, "dlr"}, {0x2534, "ulr"}, {0x253c, "udlr"}};
    enum { LOWER = 0x2580, WHOLE = 0x2588, LEFT_END = 0x258f, EIGHTHS = 8 };
    const int x = col * CELL_WIDTH, y = row * CELL_HEIGHT;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (lines[i].glyph == glyph) {
            append_sides(lines[i].sides, x, y, ink, out);
            return true;
        }
    const double high = (double)CELL_HEIGHT * ((double)glyph - LOWER) / EIGHTHS;
    const double wide = (double)CELL_WIDTH * (LEFT_END + 1 - (double)glyph) / EIGHTHS;
    if (glyph > LOWER && glyph <= WHOLE)
        append_rect(x, y + CELL_HEIGHT - high, CELL_WIDTH, high, ink, out);
    else if (glyph > WHOLE && glyph <= LEFT_END)
        append_rect(x, y, wide, CELL_HEIGHT, ink, out);
    return (glyph > LOWER && glyph <= LEFT_END);
}

/* --- Cells of one style --- */

struct run {
    struct smc_look look;
    uint32_t ink, ground;
    bool has_ground;
};

/* Without colours attributes replace them, as in a terminal. */
static void find_colours(enum smc_style style, enum smc_theme theme, struct run *run)
{
    const struct smc_look look = smc_look_of(style, theme);
    const bool is_dark = theme != SMC_THEME_LIGHT && theme != SMC_THEME_NONE;
    const bool reversed = theme == SMC_THEME_NONE && look.attributes & SMC_REVERSE;
    const uint32_t ground = look.background >= 0 ? smc_look_rgb(look.background) : ground_of(theme);
    const uint32_t ink = look.foreground >= 0 ? smc_look_rgb(look.foreground)
                         : is_dark            ? 0xe4e4e4
                                              : 0x1c1c1c;
    *run = (struct run){.look = look,
                        .ink = reversed ? ground : ink,
                        .ground = reversed ? ink : ground,
                        .has_ground = reversed || look.background >= 0};
}

static int same_style(const struct smc_cell *cells, int cols)
{
    int length = 1;
    while (length < cols && cells[length].style == cells[0].style)
        length++;
    return length;
}

/* Up to the next blank: viewers treat several of them differently. */
static int append_run_cells(const struct smc_cell *cells, int cols, int row, int col,
                            const struct run *run, struct smc_text *out)
{
    smc_auto_text word = {0};
    int length = 0;
    while (length < cols && cells[length].glyph != ' ' &&
           !draw_cell(cells[length].glyph, row, col + length, run->ink, out)) {
        if (cells[length].glyph)
            append_escaped(cells[length].glyph, &word);
        length++;
    }
    if (length > 0)
        smc_text_printf(
            out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s%s>%s</text>\n",
            col * CELL_WIDTH, row * CELL_HEIGHT + BASELINE, length * CELL_WIDTH, run->ink,
            run->look.attributes & SMC_BOLD ? " font-weight=\"bold\"" : "",
            run->look.attributes & SMC_UNDERLINE ? " text-decoration=\"underline\"" : "",
            smc_text_string(&word));
    return length + (length < cols); /* and what ended it */
}

static void frame_append_run(const struct smc_cell *cells, int cols, int row, int col,
                             enum smc_theme theme, struct smc_text *out)
{
    struct run run;
    find_colours((enum smc_style)cells[0].style, theme, &run);
    if (run.has_ground)
        append_rect(col * CELL_WIDTH, row * CELL_HEIGHT, cols * CELL_WIDTH, CELL_HEIGHT, run.ground,
                    out);
    for (int at = 0; at < cols;)
        at += append_run_cells(cells + at, cols - at, row, col + at, &run, out);
}

static void write_svg(const struct smc_frame *frame, enum smc_theme theme, struct smc_text *out)
{
    const int width = frame->cols * CELL_WIDTH, height = frame->rows * CELL_HEIGHT;
    smc_text_printf(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                    "font-family=\"monospace\" font-size=\"13\">\n"
                    "<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n",
                    width, height, ground_of(theme));
    for (int row = 0; row < frame->rows; row++) {
        const struct smc_cell *cells = &frame->cell[(size_t)row * (size_t)frame->cols];
        for (int col = 0, length; col < frame->cols; col += length) {
            length = same_style(cells + col, frame->cols - col);
            frame_append_run(cells + col, length, row, col, theme, out);
        }
    }
    smc_text_append(out, "</svg>\n");
}

/* --- JSON --- */

static void frame_append_string(const struct smc_text *line, struct smc_text *out)
{
    smc_text_append(out, "\"");
    for (const char *c = smc_text_string(line); *c && *c != '\n'; c++) {
        if (strchr("\"\\", *c))
            smc_text_append(out, "\\");
        smc_text_append_char(out, *c, 1);
    }
    smc_text_append(out, "\"");
}

static void frame_write_json(const struct smc_frame *frame, enum smc_theme theme,
                             struct smc_text *out)
{
    (void)theme;
    smc_text_printf(out,
                    "{\"schema\": \"smemcalc-screen/1\", \"columns\": %d, \"rows\": %d, "
                    "\"lines\": [\n",
                    frame->cols, frame->rows);
    for (int row = 0; row < frame->rows; row++) {
        const struct smc_frame one = {1, frame->cols,
                                      &frame->cell[(size_t)row * (size_t)frame->cols]};
        smc_auto_text line = {0};
        smc_frame_write(&one, true, &line);
        frame_append_string(&line, out);
        smc_text_append(out, row + 1 < frame->rows ? ",\n" : "\n");
    }
    smc_text_append(out, "]}\n");
}

static void write_text(const struct smc_frame *frame, enum smc_theme theme, struct smc_text *out)
{
    (void)theme;
    smc_frame_write(frame, true, out);
}

bool smc_frame_write_as(const struct smc_frame *frame, enum smc_theme theme, const char *path,
                        struct smc_text *out)
{
    static const struct {
        const char *ending;
        void (*write)(const struct smc_frame *frame, enum smc_theme theme, struct smc_text *out);
    } forms[] = {{".txt", write_text}, {".svg", write_svg}, {".json", frame_write_json}};
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof forms / sizeof *forms; i++)
        if (strcmp(ending, forms[i].ending) == 0) {
            forms[i].write(frame, theme, out);
            return true;
        }
    return false;
}
