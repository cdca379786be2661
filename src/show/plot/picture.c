/* The list of shapes, the metrics of a canvas, and the palette. */
#include "show/plot/picture.h"

#include <stdlib.h>

#include "base/memory.h"

enum { LINE = 19, GAP = 10 };
enum { TICK_GAP = 10 }; /* avoids the 0 of the other axis */

static const struct smc_metrics points = {
    .margin = 2 * GAP,
    .top_margin = 1.5 * GAP,
    .bottom_margin = GAP,
    .after_title = 4,
    .after_heading = 8,
    .sample_width = 26,
    .sample_inset = 3,
    .sample_gap = 0.7 * GAP,
    .entry_gap = 2 * GAP,
    .disc_width = 12,
    .after_legend = GAP,
    .cell_border = 1,
    .cell_height = 1.2 * LINE,
    .label_gap = 6,
    .axis_gap = 10,
    .tick_gap = TICK_GAP,
    .tick_length = 5,
    .name_height = 1.6 * LINE,
    .name_rise = 1.4 * LINE,
    .name_pad = 12,
    .now_line_rise = 4,
    .now_text_rise = 1.35 * LINE,
    .now_gap = 8,
    .title_height = 1.2 * LINE,
    .axis_names_height = 1.5 * LINE,
    .bar_numbers_height = 0.6 * LINE,
    .unit_below = TICK_GAP + LINE,
    .after_diagram = 2 * GAP,
};

static const struct smc_metrics cells = {
    .after_heading = 1,
    .sample_width = 2,
    .sample_gap = 1,
    .entry_gap = 3,
    .disc_width = 1,
    .cell_height = 1,
    .label_gap = 1,
    .half_line = 0.5,
    .axis_gap = 2,
    .tick_gap = 1,
    .name_height = 1,
    .name_rise = 1,
    .name_pad = 2,
    .now_text_rise = 1,
    .now_gap = 2,
    .title_height = 1,
    .axis_names_height = 1,
    .bar_numbers_height = 1,
    .unit_below = 2,
    .after_diagram = 1,
};

struct smc_canvas smc_canvas_paper(void)
{
    return (struct smc_canvas){.metrics = &points,
                               .width = 1000,
                               .char_width = 7.7,
                               .line_height = LINE,
                               .gap = GAP,
                               .plot_height = 200};
}

struct smc_canvas smc_canvas_cells(unsigned columns)
{
    return (struct smc_canvas){.metrics = &cells,
                               .width = columns,
                               .char_width = 1,
                               .line_height = 1,
                               .gap = 1,
                               .plot_height = 8,
                               .cells = true};
}

static const struct {
    double points, width; /* of a character, relative to the normal face */
} faces[SMC_FACE_COUNT] = {
    [SMC_FACE_NORMAL] = {13, 1},
    [SMC_FACE_SMALL] = {11, 11 / 13.0},
    [SMC_FACE_STRONG] = {13, 1.13},
    [SMC_FACE_TITLE] = {19, 1.13 * 19 / 13.0},
};

double smc_face_points(enum smc_face face)
{
    return faces[face].points;
}

double smc_canvas_text_width(const struct smc_canvas *canvas, enum smc_face face, const char *text)
{
    size_t characters = 0;
    for (; *text; text++)
        characters += (*text & 0xc0) != 0x80;
    return (double)characters * canvas->char_width * (canvas->cells ? 1 : faces[face].width);
}

double smc_canvas_line_height(const struct smc_canvas *canvas, enum smc_face face)
{
    return canvas->cells ? 1 : canvas->line_height * faces[face].points / 13;
}

static struct smc_plot_shape *picture_add(struct smc_picture *picture)
{
    picture->failed = picture->failed || !smc_make_room(&picture->shape, picture->count,
                                                        &picture->capacity, sizeof *picture->shape);
    return picture->failed ? NULL : &picture->shape[picture->count++];
}

void smc_picture_area(struct smc_picture *picture, enum smc_ink ink, double x, double y,
                      double width, double height, double shade)
{
    struct smc_plot_shape *shape = picture_add(picture);
    if (shape)
        *shape = (struct smc_plot_shape){.kind = SMC_SHAPE_AREA,
                                         .ink = ink,
                                         .x = x,
                                         .y = y,
                                         .width = width,
                                         .height = height,
                                         .shade = shade};
}

void smc_picture_areas(struct smc_picture *picture, uint32_t inks, double x, double y, double width,
                       double height, double shade)
{
    const int bands = __builtin_popcount(inks);
    for (int band = 0; band < bands; band++, inks &= inks - 1) {
        const size_t before = picture->count;
        smc_picture_area(picture, (enum smc_ink)__builtin_ctz(inks), x, y, width, height, shade);
        if (picture->count == before)
            return;
        picture->shape[before].band = (unsigned char)band;
        picture->shape[before].bands = (unsigned char)bands;
    }
}

void smc_picture_line(struct smc_picture *picture, struct smc_stroke stroke, double x, double y,
                      double width, double height)
{
    struct smc_plot_shape *shape = picture_add(picture);
    if (shape)
        *shape = (struct smc_plot_shape){.kind = SMC_SHAPE_LINE,
                                         .ink = stroke.ink,
                                         .x = x,
                                         .y = y,
                                         .width = width,
                                         .height = height,
                                         .thickness = stroke.thickness,
                                         .dashed = stroke.dashed};
}

void smc_picture_mark(struct smc_picture *picture, enum smc_ink ink, double x, double y)
{
    struct smc_plot_shape *shape = picture_add(picture);
    if (shape)
        *shape = (struct smc_plot_shape){.kind = SMC_SHAPE_MARK, .ink = ink, .x = x, .y = y};
}

static struct smc_plot_shape *picture_add_text(struct smc_picture *picture, const char *text)
{
    size_t at = picture->words.length;
    smc_text_append(&picture->words, text);
    smc_text_append_bytes(&picture->words, "", 1);
    picture->failed = picture->failed || picture->words.failed;
    struct smc_plot_shape *shape = *text ? picture_add(picture) : NULL;
    if (shape)
        *shape = (struct smc_plot_shape){.kind = SMC_SHAPE_TEXT, .text = at};
    return shape;
}

void smc_picture_text(struct smc_picture *picture, struct smc_text_look look, double x, double y,
                      const char *text)
{
    struct smc_plot_shape *shape = picture_add_text(picture, text);
    if (!shape)
        return;
    shape->ink = look.ink;
    shape->face = look.face;
    shape->anchor = look.anchor;
    shape->backed = look.backed;
    shape->x = x;
    shape->y = y;
}

const char *smc_picture_string(const struct smc_picture *picture,
                               const struct smc_plot_shape *shape)
{
    return smc_text_string(&picture->words) + shape->text;
}

void smc_picture_free(struct smc_picture *picture)
{
    free(picture->shape);
    smc_text_free(&picture->words);
    *picture = (struct smc_picture){0};
}

/* --- The palette ------------------------------------------------------------------------------ */

/* Okabe and Ito's eight colors, which are distinguishable with every type of color vision, and a
   ramp of one hue for heat maps. */

#define RGB(hex) ((hex) >> 16 & 255) / 255.0, ((hex) >> 8 & 255) / 255.0, ((hex)&255) / 255.0

enum {
    ORANGE = 0xe69f00,
    SKY_BLUE = 0x56b4e9,
    GREEN = 0x009e73,
    YELLOW = 0xf0e442,
    BLUE = 0x0072b2,
    VERMILLION = 0xd55e00,
    PURPLE = 0xcc79a7,
};

#define LIMIT_INK(id) [SMC_INK_FIRST_LIMIT + SMC_LIMIT_##id]

const struct smc_ink_style smc_ink_styles[SMC_INK_COUNT] = {
    [SMC_INK_PAPER] = {RGB(0xffffff), SMC_HATCH_NONE, ' ', 15},
    [SMC_INK_TEXT] = {RGB(0x1a1a1a), SMC_HATCH_NONE, ' ', 0},
    [SMC_INK_MUTED] = {RGB(0x5f5f5f), SMC_HATCH_NONE, ' ', 245},
    [SMC_INK_GRID] = {RGB(0xdcdcdc), SMC_HATCH_NONE, ' ', 250},
    [SMC_INK_CURVE] = {RGB(0x1a1a1a), SMC_HATCH_NONE, ' ', 0},
    [SMC_INK_NOW] = {RGB(0x000000), SMC_HATCH_NONE, ' ', 0},
    [SMC_INK_BEST] = {RGB(VERMILLION), SMC_HATCH_NONE, '*', 166},
    [SMC_INK_REFUSED] = {RGB(0xb4b4b4), SMC_HATCH_CHECKED, '/', 245},
    [SMC_INK_SERVED] = {RGB(BLUE), SMC_HATCH_NONE, ' ', 32},
    [SMC_INK_CROWDED] = {RGB(VERMILLION), SMC_HATCH_NONE, '*', 166},
    [SMC_INK_HEAT] = {RGB(BLUE), SMC_HATCH_NONE, '#', 32},
    [SMC_INK_DRAM] = {RGB(BLUE), SMC_HATCH_RISING, 'd', 32},
    [SMC_INK_L2] = {RGB(GREEN), SMC_HATCH_LEVEL, 'l', 36},
    [SMC_INK_L1] = {RGB(ORANGE), SMC_HATCH_DOTTED, 's', 214},
    [SMC_INK_FMA] = {RGB(VERMILLION), SMC_HATCH_FALLING, 'f', 166},
    [SMC_INK_ISSUE] = {RGB(PURPLE), SMC_HATCH_UPRIGHT, 'i', 175},
    [SMC_INK_FULL] = {RGB(0x1a1a1a), SMC_HATCH_NONE, '#', 0},
    [SMC_INK_SMALL_GRID] = {RGB(SKY_BLUE), SMC_HATCH_RINGS, 'g', 74},
    [SMC_INK_LEFT_EMPTY] = {RGB(0xb4b4b4), SMC_HATCH_NONE, '.', 245},
    [SMC_INK_UNKNOWN] = {RGB(0xb4b4b4), SMC_HATCH_CHECKED, '?', 245},
    LIMIT_INK(WARPS) = {RGB(BLUE), SMC_HATCH_RISING, 'w', 32},
    LIMIT_INK(REGISTERS) = {RGB(VERMILLION), SMC_HATCH_FALLING, 'r', 166},
    LIMIT_INK(SHARED_MEMORY) = {RGB(GREEN), SMC_HATCH_LEVEL, 's', 36},
    LIMIT_INK(BLOCKS) = {RGB(ORANGE), SMC_HATCH_DOTTED, 'b', 214},
    LIMIT_INK(BARRIERS) = {RGB(PURPLE), SMC_HATCH_UPRIGHT, 'n', 175},
    LIMIT_INK(VIRTUAL_RESOURCES) = {RGB(SKY_BLUE), SMC_HATCH_CROSSED, 'v', 74},
    LIMIT_INK(CLUSTER) = {RGB(YELLOW), SMC_HATCH_CROSSED, 'c', 221},
};

_Static_assert(SMC_INK_COUNT <= 32, "a bit for each ink");

uint32_t smc_inks_of_limits(uint32_t limits)
{
    return limits << SMC_INK_FIRST_LIMIT;
}

static double picture_between(double from, double to, double share)
{
    return from + (to - from) * share;
}

/* Lightness decreases evenly, so that the ramp is also readable in grayscale. */
void smc_ink_heat(double shade, double *red, double *green, double *blue)
{
    static const double stop[][3] = {{RGB(0xe8eff6)}, {RGB(0x8fc3e6)}, {RGB(0x0b4f7d)}};
    const double *from = stop[shade < 0.5 ? 0 : 1], *to = stop[shade < 0.5 ? 1 : 2];
    double share = shade < 0.5 ? shade * 2 : shade * 2 - 1;
    *red = picture_between(from[0], to[0], share);
    *green = picture_between(from[1], to[1], share);
    *blue = picture_between(from[2], to[2], share);
}
