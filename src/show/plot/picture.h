/* A picture as a list of primitives, laid out once and painted by any back end: cairo on paper,
   characters on a terminal. Layout is pure: it uses no files, fonts or terminal. */
#ifndef SMC_SHOW_PICTURE_H
#define SMC_SHOW_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "rules/occupancy.h"

/* The color and pattern of a shape; the palette is in picture.c. One ink for each limit, in the
   order of the limits. */
enum smc_ink {
    SMC_INK_PAPER,
    SMC_INK_TEXT,
    SMC_INK_MUTED,
    SMC_INK_GRID,
    SMC_INK_CURVE,
    SMC_INK_NOW,     /* the present point */
    SMC_INK_BEST,    /* around the best cells */
    SMC_INK_REFUSED, /* cannot launch */
    SMC_INK_SERVED,  /* a lane, in the bank that serves it */
    SMC_INK_CROWDED, /* the same if lanes wait for each other */
    SMC_INK_HEAT,    /* from light to dark, by the shape's shade */
    SMC_INK_DRAM,    /* the ceilings of a roofline, and the points below them */
    SMC_INK_L2,
    SMC_INK_L1,
    SMC_INK_FMA,
    SMC_INK_ISSUE,
    SMC_INK_FULL,       /* of a trace: at full occupancy */
    SMC_INK_SMALL_GRID, /* too few blocks for the GPU */
    SMC_INK_LEFT_EMPTY, /* by small grids and last waves, of what the occupancy allows */
    SMC_INK_UNKNOWN,    /* of unknown occupancy */
    SMC_INK_FIRST_LIMIT,
    SMC_INK_COUNT = SMC_INK_FIRST_LIMIT + SMC_LIMIT_COUNT
};

/* The hatching that distinguishes inks without color. */
enum smc_hatch {
    SMC_HATCH_NONE,
    SMC_HATCH_RISING,
    SMC_HATCH_FALLING,
    SMC_HATCH_LEVEL,
    SMC_HATCH_UPRIGHT,
    SMC_HATCH_CROSSED,
    SMC_HATCH_DOTTED,
    SMC_HATCH_CHECKED,
    SMC_HATCH_RINGS,
};

struct smc_ink_style {
    double red, green, blue; /* 0 to 1 */
    enum smc_hatch hatch;
    char letter;            /* fills areas on a terminal */
    unsigned char terminal; /* of the 256 colours */
};

extern const struct smc_ink_style smc_ink_styles[SMC_INK_COUNT];

/* The inks of a set of limits, bit n for ink n. */
uint32_t smc_inks_of_limits(uint32_t limits);

/* The colour of SMC_INK_HEAT at a shade from 0 to 1. */
void smc_ink_heat(double shade, double *red, double *green, double *blue);

enum smc_face { SMC_FACE_NORMAL, SMC_FACE_SMALL, SMC_FACE_STRONG, SMC_FACE_TITLE, SMC_FACE_COUNT };

enum smc_anchor { SMC_ANCHOR_START, SMC_ANCHOR_MIDDLE, SMC_ANCHOR_END };

enum smc_shape_kind {
    SMC_SHAPE_AREA, /* filled and hatched according to its ink */
    SMC_SHAPE_LINE, /* from (x, y) to (x + width, y + height); a slanted one goes to the right */
    SMC_SHAPE_TEXT, /* one line; y is the top of its line */
    SMC_SHAPE_MARK, /* a disc around (x, y) */
};

struct smc_plot_shape {
    enum smc_shape_kind kind;
    enum smc_ink ink;
    unsigned char band, bands; /* of an area of several inks, the share of this one; 0 of 0: all */
    double x, y, width, height;
    double shade;     /* for an area of SMC_INK_HEAT */
    double thickness; /* of a line, in points; ignored on a character canvas */
    bool dashed;
    bool backed; /* text that remains legible above areas */
    enum smc_face face;
    enum smc_anchor anchor;
    size_t text; /* offset in the picture's words */
};

/* Initialize with {0}; `failed` remains set after a failed allocation. */
struct smc_picture {
    double width, height;
    struct smc_plot_shape *shape;
    size_t count, capacity;
    struct smc_text words;
    bool failed;
};

/* The canvas of a layout. All lengths are in its unit: points or cells. */
/* Lengths in the canvas's own unit: cells of a terminal, or points. */
struct smc_metrics {
    double margin, top_margin, bottom_margin; /* of a page */
    double after_title, after_heading;        /* below these lines of a heading */
    double sample_width, sample_inset;        /* of a sample of an area in a legend */
    double sample_gap, entry_gap;             /* after the sample, and after its text */
    double disc_width, after_legend;
    double cell_border, cell_height, label_gap;   /* of a grid, and the gap to its labels */
    double half_line;                             /* a line between areas is in a cell of its own */
    double axis_gap, tick_gap, tick_length;       /* to the numbers at an axis */
    double name_height, name_rise, name_pad;      /* least areas that contain their names */
    double now_line_rise, now_text_rise, now_gap; /* of the present point */
    double title_height, axis_names_height, bar_numbers_height, unit_below, after_diagram;
};

struct smc_canvas {
    const struct smc_metrics *metrics;
    double width;
    double char_width, line_height; /* of the normal face; no text is wider on average */
    double gap;
    double plot_height; /* of one diagram */
    bool cells;         /* all positions are whole cells */
};

/* A canvas of 1000 points, or of a terminal's columns. */
struct smc_canvas smc_canvas_paper(void);
struct smc_canvas smc_canvas_cells(unsigned columns);

double smc_canvas_text_width(const struct smc_canvas *canvas, enum smc_face face, const char *text);
double smc_canvas_line_height(const struct smc_canvas *canvas, enum smc_face face);

/* The font size of a face, in points. */
double smc_face_points(enum smc_face face);

void smc_picture_area(struct smc_picture *picture, enum smc_ink ink, double x, double y,
                      double width, double height, double shade);

/* The same in each ink of a set, bit n for ink n: in bands one above the other, or on a character
   canvas in cells by turns. */
void smc_picture_areas(struct smc_picture *picture, uint32_t inks, double x, double y, double width,
                       double height, double shade);
/* How a line is drawn. */
struct smc_stroke {
    enum smc_ink ink;
    double thickness; /* in points; ignored on a character canvas */
    bool dashed;
};
#define SMC_STROKE(ink, thickness) ((struct smc_stroke){SMC_INK_##ink, thickness, false})
#define SMC_DASHED(ink, thickness) ((struct smc_stroke){SMC_INK_##ink, thickness, true})
void smc_picture_line(struct smc_picture *picture, struct smc_stroke stroke, double x, double y,
                      double width, double height);
void smc_picture_mark(struct smc_picture *picture, enum smc_ink ink, double x, double y);

/* How a text is drawn. */
struct smc_text_look {
    enum smc_ink ink;
    enum smc_face face;
    enum smc_anchor anchor;
    bool backed; /* legible above areas */
};
#define SMC_LOOK(ink, face, anchor)                                                                \
    ((struct smc_text_look){SMC_INK_##ink, SMC_FACE_##face, SMC_ANCHOR_##anchor, false})
void smc_picture_text(struct smc_picture *picture, struct smc_text_look look, double x, double y,
                      const char *text);

const char *smc_picture_string(const struct smc_picture *picture,
                               const struct smc_plot_shape *shape);

void smc_picture_free(struct smc_picture *picture);

#endif
