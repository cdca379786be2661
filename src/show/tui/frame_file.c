/* A screen as a file: text, a picture, or JSON. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
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

static int run_length(const struct smc_cell *cells, int cols)
{
    int length = 1;
    while (length < cols && cells[length].style == cells[0].style)
        length++;
    return length;
}

/* The terminal's own colours. */
static uint32_t own_ground(enum smc_theme theme)
{
    return theme == SMC_THEME_LIGHT || theme == SMC_THEME_NONE ? 0xffffff : 0x1c1c1c;
}

static uint32_t own_ink(enum smc_theme theme)
{
    return theme == SMC_THEME_LIGHT || theme == SMC_THEME_NONE ? 0x1c1c1c : 0xe4e4e4;
}

/* Cells of one style. Without colours attributes replace them, as in a terminal. */
static void frame_append_run(const struct smc_cell *cells, int cols, int row, int col,
                             enum smc_theme theme, struct smc_text *out)
{
    const struct smc_look look = smc_look_of((enum smc_style)cells[0].style, theme);
    const bool plain = theme == SMC_THEME_NONE;
    const bool reversed = plain && look.attributes & SMC_REVERSE;
    uint32_t ink = look.foreground >= 0 ? smc_look_rgb(look.foreground) : own_ink(theme);
    uint32_t ground = look.background >= 0 ? smc_look_rgb(look.background) : own_ground(theme);
    if (reversed) {
        ground = ink;
        ink = own_ground(theme);
    }
    if (reversed || look.background >= 0)
        smc_text_printf(
            out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n",
            col * CELL_WIDTH, row * CELL_HEIGHT, cols * CELL_WIDTH, CELL_HEIGHT, ground);
    smc_text_printf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s%s%s>",
                    col * CELL_WIDTH, row * CELL_HEIGHT + BASELINE, cols * CELL_WIDTH, ink,
                    plain && look.attributes & SMC_DIM ? " fill-opacity=\"0.7\"" : "",
                    look.attributes & SMC_BOLD ? " font-weight=\"bold\"" : "",
                    look.attributes & SMC_UNDERLINE ? " text-decoration=\"underline\"" : "");
    for (int i = 0; i < cols; i++)
        if (cells[i].glyph)
            append_escaped(cells[i].glyph, out);
    smc_text_append(out, "</text>\n");
}

static void write_svg(const struct smc_frame *frame, enum smc_theme theme, struct smc_text *out)
{
    const int width = frame->cols * CELL_WIDTH, height = frame->rows * CELL_HEIGHT;
    smc_text_printf(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                    "font-family=\"monospace\" font-size=\"13\" xml:space=\"preserve\">\n"
                    "<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n",
                    width, height, own_ground(theme));
    for (int row = 0; row < frame->rows; row++) {
        const struct smc_cell *cells = &frame->cell[(size_t)row * (size_t)frame->cols];
        for (int col = 0, length; col < frame->cols; col += length) {
            length = run_length(cells + col, frame->cols - col);
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
