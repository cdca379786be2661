/* The back end for paper: SVG, PNG and PDF through cairo. Only this file uses cairo, which is
   loaded when a picture is written: with it come X11 and twenty other libraries. */
#include "config.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "show/plot/paint.h"

enum { PNG_SCALE = 2, HATCH_GAP = 7 };

#ifdef __APPLE__
#define CAIRO_FILE "libcairo.2.dylib"
#else
#define CAIRO_FILE "libcairo.so.2"
#endif

static struct {
#define CAIRO(name) __typeof__(cairo_##name) *name;
#include "show/plot/cairo_functions.def"
} library;

static bool find_functions(void *handle)
{
    static const struct smc_platform_symbol functions[] = {
#define CAIRO(name) {"cairo_" #name, &library.name},
#include "show/plot/cairo_functions.def"
    };
    return !smc_platform_find_symbols(handle, functions, sizeof functions / sizeof *functions);
}

enum smc_status smc_plot_open_files(struct smc_error *error)
{
    static bool is_open;
    if (is_open)
        return SMC_OK;
    void *handle = dlopen(CAIRO_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *text = dlerror();
        if (!text || smc_platform_lacks_memory(text))
            return smc_out_of_memory(error);
        return smc_fail(error, SMC_UNAVAILABLE,
                        "cairo cannot be loaded (%s); install its package (libcairo2), or draw in "
                        "the terminal with --plot -",
                        text);
    }
    if (!find_functions(handle))
        return smc_fail(error, SMC_UNAVAILABLE,
                        CAIRO_FILE " is too old, or lacks SVG, PNG or PDF; draw in the terminal "
                                   "with --plot -");
    is_open = true;
    return SMC_OK;
}

static const double fill_opacity = 0.26, hatch_opacity = 0.62, turn = 6.283185307179586;

static void set_ink(cairo_t *cairo, enum smc_ink ink, double opacity)
{
    const struct smc_ink_style *style = &smc_ink_styles[ink];
    library.set_source_rgba(cairo, style->red, style->green, style->blue, opacity);
}

/* --- Areas ------------------------------------------------------------------------------------ */

/* Slanted lines at fixed positions on the page, so that the hatching of adjacent areas is
   aligned. */
static void stroke_slanted(cairo_t *cairo, const struct smc_plot_shape *shape, double direction)
{
    double first = shape->x + direction * (shape->y + shape->height);
    double last = shape->x + shape->width + direction * shape->y;
    double low = first < last ? first : last, high = first < last ? last : first;
    if (direction > 0) {
        low = shape->x + shape->y;
        high = shape->x + shape->width + shape->y + shape->height;
    }
    for (double at = floor(low / HATCH_GAP) * HATCH_GAP; at <= high + HATCH_GAP; at += HATCH_GAP) {
        library.move_to(cairo, at - direction * shape->y, shape->y);
        library.line_to(cairo, at - direction * (shape->y + shape->height),
                        shape->y + shape->height);
    }
    library.stroke(cairo);
}

static void stroke_level(cairo_t *cairo, const struct smc_plot_shape *shape)
{
    double first = ceil(shape->y / HATCH_GAP) * HATCH_GAP;
    for (double y = first; y < shape->y + shape->height; y += HATCH_GAP) {
        library.move_to(cairo, shape->x, y);
        library.line_to(cairo, shape->x + shape->width, y);
    }
    library.stroke(cairo);
}

static void stroke_upright(cairo_t *cairo, const struct smc_plot_shape *shape)
{
    double first = ceil(shape->x / HATCH_GAP) * HATCH_GAP;
    for (double x = first; x < shape->x + shape->width; x += HATCH_GAP) {
        library.move_to(cairo, x, shape->y);
        library.line_to(cairo, x, shape->y + shape->height);
    }
    library.stroke(cairo);
}

static void stroke_dots(cairo_t *cairo, const struct smc_plot_shape *shape)
{
    library.set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
    library.set_line_width(cairo, 2.2);
    long row = (long)floor(shape->y / HATCH_GAP);
    for (; (double)row * HATCH_GAP < shape->y + shape->height + 2; row++) {
        double shift = row % 2 ? HATCH_GAP / 2.0 : 0;
        double first = floor(shape->x / HATCH_GAP) * HATCH_GAP + shift;
        for (double x = first; x < shape->x + shape->width + 2; x += HATCH_GAP) {
            library.move_to(cairo, x, (double)row * HATCH_GAP);
            library.line_to(cairo, x, (double)row * HATCH_GAP);
        }
    }
    library.stroke(cairo);
}

static void stroke_rings(cairo_t *cairo, const struct smc_plot_shape *shape)
{
    const double gap = 1.6 * HATCH_GAP, radius = 2.4;
    for (double row = floor(shape->y / gap); row * gap < shape->y + shape->height + radius; row++) {
        double shift = fmod(row, 2) != 0 ? gap / 2 : 0;
        double first = floor(shape->x / gap) * gap - shift;
        for (double x = first; x < shape->x + shape->width + radius; x += gap) {
            library.new_sub_path(cairo);
            library.arc(cairo, x, row * gap, radius, 0, turn);
        }
    }
    library.stroke(cairo);
}

static void hatch(cairo_t *cairo, const struct smc_plot_shape *shape)
{
    library.set_line_width(cairo, 0.9);
    switch (smc_ink_styles[shape->ink].hatch) {
    case SMC_HATCH_NONE:
        return;
    case SMC_HATCH_RISING:
        stroke_slanted(cairo, shape, 1);
        return;
    case SMC_HATCH_FALLING:
        stroke_slanted(cairo, shape, -1);
        return;
    case SMC_HATCH_LEVEL:
        stroke_level(cairo, shape);
        return;
    case SMC_HATCH_UPRIGHT:
        stroke_upright(cairo, shape);
        return;
    case SMC_HATCH_CROSSED:
        stroke_slanted(cairo, shape, 1);
        stroke_slanted(cairo, shape, -1);
        return;
    case SMC_HATCH_DOTTED:
        stroke_dots(cairo, shape);
        return;
    case SMC_HATCH_CHECKED:
        stroke_level(cairo, shape);
        stroke_upright(cairo, shape);
        return;
    case SMC_HATCH_RINGS:
        stroke_rings(cairo, shape);
        return;
    }
}

static void cairo_paint_area(cairo_t *cairo, const struct smc_plot_shape *whole)
{
    double red, green, blue;
    struct smc_plot_shape band = *whole;
    const struct smc_plot_shape *shape = &band;
    if (whole->bands > 1) {
        band.height /= whole->bands;
        band.y += whole->band * band.height;
    }
    library.rectangle(cairo, shape->x, shape->y, shape->width, shape->height);
    if (shape->ink == SMC_INK_HEAT) {
        smc_ink_heat(shape->shade, &red, &green, &blue);
        library.set_source_rgb(cairo, red, green, blue);
        library.fill(cairo);
        return;
    }
    library.save(cairo);
    set_ink(cairo, shape->ink, fill_opacity);
    library.fill_preserve(cairo);
    library.clip(cairo);
    set_ink(cairo, shape->ink, hatch_opacity);
    hatch(cairo, shape);
    library.restore(cairo);
}

/* --- The rest --------------------------------------------------------------------------------- */

static void cairo_paint_line(cairo_t *cairo, const struct smc_plot_shape *shape)
{
    static const double dashes[] = {4, 3};
    set_ink(cairo, shape->ink, 1);
    library.set_line_width(cairo, shape->thickness);
    library.set_line_cap(cairo, shape->dashed ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_SQUARE);
    library.set_dash(cairo, dashes, shape->dashed ? 2 : 0, 0);
    library.move_to(cairo, shape->x, shape->y);
    library.line_to(cairo, shape->x + shape->width, shape->y + shape->height);
    library.stroke(cairo);
    library.set_dash(cairo, NULL, 0, 0);
}

static void paint_mark(cairo_t *cairo, const struct smc_plot_shape *shape)
{
    library.new_path(cairo);
    library.arc(cairo, shape->x, shape->y, 5, 0, turn);
    set_ink(cairo, shape->ink, 1);
    library.fill_preserve(cairo);
    set_ink(cairo, SMC_INK_PAPER, 1);
    library.set_line_width(cairo, 1.8);
    library.stroke(cairo);
}

/* Where no font can be opened, cairo draws with strokes that it has within. */
static bool has_strokes(cairo_t *cairo)
{
    return library.scaled_font_get_type(library.get_scaled_font(cairo)) == CAIRO_FONT_TYPE_USER;
}

/* Whether it has a font. */
static bool cairo_paint_text(cairo_t *cairo, const struct smc_picture *picture,
                             const struct smc_plot_shape *shape)
{
    const char *text = smc_picture_string(picture, shape);
    bool strong = shape->face == SMC_FACE_STRONG || shape->face == SMC_FACE_TITLE;
    double points = smc_face_points(shape->face);
    struct smc_canvas canvas = smc_canvas_paper();
    double line = smc_canvas_line_height(&canvas, shape->face);
    cairo_text_extents_t extents;
    library.select_font_face(cairo, "sans", CAIRO_FONT_SLANT_NORMAL,
                             strong ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    library.set_font_size(cairo, points);
    library.text_extents(cairo, text, &extents);
    double share = shape->anchor == SMC_ANCHOR_START    ? 0
                   : shape->anchor == SMC_ANCHOR_MIDDLE ? 0.5
                                                        : 1;
    double x = shape->x - share * extents.x_advance, y = shape->y + (line + 0.72 * points) / 2;
    if (shape->backed) {
        library.rectangle(cairo, x - 4, shape->y + 1, extents.x_advance + 8, line - 2);
        set_ink(cairo, SMC_INK_PAPER, 0.85);
        library.fill(cairo);
    }
    set_ink(cairo, shape->ink, 1);
    library.move_to(cairo, x, y);
    library.show_text(cairo, text);
    return !has_strokes(cairo);
}

enum fonts { FONTS_NONE, FONTS_ALL, FONTS_SOME };

/* Which of its texts have a font; a machine with any font has one for all. */
static enum fonts draw_with_cairo(cairo_t *cairo, const struct smc_picture *picture)
{
    size_t with_font = 0, without = 0;
    set_ink(cairo, SMC_INK_PAPER, 1);
    library.paint(cairo);
    for (size_t i = 0; i < picture->count; i++) {
        const struct smc_plot_shape *shape = &picture->shape[i];
        switch (shape->kind) {
        case SMC_SHAPE_AREA:
            cairo_paint_area(cairo, shape);
            break;
        case SMC_SHAPE_LINE:
            cairo_paint_line(cairo, shape);
            break;
        case SMC_SHAPE_TEXT:
            cairo_paint_text(cairo, picture, shape) ? with_font++ : without++;
            break;
        case SMC_SHAPE_MARK:
            paint_mark(cairo, shape);
            break;
        }
    }
    return without == 0 ? FONTS_ALL : with_font == 0 ? FONTS_NONE : FONTS_SOME;
}

/* --- Files ------------------------------------------------------------------------------------ */

static cairo_status_t take_bytes(void *context, const unsigned char *bytes, unsigned count)
{
    struct smc_text *out = context;
    smc_text_append_bytes(out, (const char *)bytes, count);
    return out->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *open_surface(const struct smc_picture *picture, enum smc_plot_format format,
                                     struct smc_text *bytes)
{
    double width = picture->width, height = picture->height;
    switch (format) {
    case SMC_PLOT_SVG:
        return library.svg_surface_create_for_stream(take_bytes, bytes, width, height);
    case SMC_PLOT_PDF:
        return library.pdf_surface_create_for_stream(take_bytes, bytes, width, height);
    default:
        return library.image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * PNG_SCALE),
                                            (int)ceil(height * PNG_SCALE));
    }
}

/* Fontconfig is silent about what it cannot open, and then takes another font. */
static bool can_open_files(void)
{
    enum { FILES = 4 };
    int file[FILES], count = 0;
    while (count < FILES && (file[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        count++;
    const int reason = errno;
    for (int i = 0; i < count; i++)
        close(file[i]);
    errno = reason;
    return count == FILES || (reason != EMFILE && reason != ENFILE);
}

enum smc_status smc_plot_paint_file(const struct smc_picture *picture, enum smc_plot_format format,
                                    struct smc_text *bytes, struct smc_text *warnings,
                                    struct smc_error *error)
{
    SMC_TRY(smc_plot_open_files(error));
    if (!can_open_files())
        return smc_fail(error, SMC_MACHINE, "cannot open the fonts of a picture: %s",
                        strerror(errno));
    cairo_surface_t *surface = open_surface(picture, format, bytes);
    cairo_t *cairo = library.create(surface);
    if (format == SMC_PLOT_PNG)
        library.scale(cairo, PNG_SCALE, PNG_SCALE);
    const enum fonts fonts = draw_with_cairo(cairo, picture);
    cairo_status_t drawn = library.status(cairo);
    library.destroy(cairo);
    if (drawn == CAIRO_STATUS_SUCCESS && format == SMC_PLOT_PNG)
        drawn = library.surface_write_to_png_stream(surface, take_bytes, bytes);
    library.surface_finish(surface);
    if (drawn == CAIRO_STATUS_SUCCESS)
        drawn = library.surface_status(surface);
    library.surface_destroy(surface);
    if (drawn == CAIRO_STATUS_SUCCESS && fonts == FONTS_SOME)
        return smc_fail(error, SMC_MACHINE, "cairo: a font cannot be opened");
    if (drawn == CAIRO_STATUS_SUCCESS && fonts == FONTS_NONE && warnings)
        smc_text_append(warnings, "option --plot: no font was found, so that text is drawn in "
                                  "strokes; 'smemcalc doctor' tells more\n");
    if (drawn == CAIRO_STATUS_SUCCESS)
        return SMC_OK;
    if (drawn == CAIRO_STATUS_NO_MEMORY)
        smc_memory_note_failure();
    return smc_fail(error, SMC_MACHINE, "cairo: %s", library.status_to_string(drawn));
}

const bool smc_plot_has_files = true;

bool smc_plot_has_font(void)
{
    if (smc_plot_open_files(NULL) != SMC_OK)
        return false;
    cairo_surface_t *surface = library.image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *cairo = library.create(surface);
    cairo_text_extents_t extents = {.width = 0};
    library.select_font_face(cairo, "sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    library.text_extents(cairo, "occupancy", &extents);
    bool has =
        library.status(cairo) == CAIRO_STATUS_SUCCESS && extents.width > 0 && !has_strokes(cairo);
    library.destroy(cairo);
    library.surface_destroy(surface);
    return has;
}
