/* What all pictures share: a page that is filled from top to bottom, its heading and legend, grids,
   and a diagram of occupancy over one quantity. */
#ifndef SMC_SHOW_PAGE_H
#define SMC_SHOW_PAGE_H

#include <stdint.h>

#include "show/plot/picture.h"

struct smc_page {
    struct smc_picture *picture;
    struct smc_canvas canvas;
    double y; /* where the free space begins */
};

struct smc_page smc_page_begin(struct smc_picture *picture, const struct smc_canvas *canvas);
void smc_page_end(struct smc_page *page);

double smc_page_left(const struct smc_page *page);
double smc_page_right(const struct smc_page *page);

/* A text in the line where the free space begins, which stays free. */
void smc_page_text(struct smc_page *page, struct smc_text_look look, double x, const char *text);
/* `text` from the left margin, wrapped at the right one; or from `left`, wrapped to `width`. */
void smc_page_heading(struct smc_page *page, enum smc_face face, enum smc_ink ink,
                      const char *text);
void smc_page_paragraph(struct smc_page *page, enum smc_face face, enum smc_ink ink, double left,
                        double width, const char *text);

/* What a picture begins with: its title, what it shows in one sentence, and of what. */
struct smc_heading {
    struct smc_text title, verdict, subject; /* the latter two may be empty */
};

void smc_heading_free(struct smc_heading *heading);

/* Draws the heading. The page continues directly below it. */
void smc_page_put_heading(struct smc_page *page, const struct smc_heading *heading);

/* --- Grids ------------------------------------------------------------------------------------ */

/* A grid with labels, for any data in rows and columns. */
struct smc_grid_cell {
    enum smc_ink ink;
    bool outlined; /* distinguishes the cell without color */
    char text[8];
};
struct smc_grid {
    const char *row_name;    /* above the rows' labels */
    const char *column_name; /* above the columns' numbers */
    uint32_t rows, first_column, columns;
    const void *context;
    void (*row_label)(const void *context, uint32_t row,
                      struct smc_text *out); /* to an empty one */
    void (*cell)(const void *context, uint32_t row, uint32_t column, struct smc_grid_cell *cell);
};
void smc_page_grid(struct smc_page *page, const struct smc_grid *grid, double left, double width);

/* Draws a single cell. */
void smc_page_cell(struct smc_page *page, const struct smc_grid_cell *cell, double x, double y,
                   double width, double height);

/* Which inks a picture uses: bit n for ink n. */
struct smc_legend {
    uint32_t inks;
    const char *now;  /* meaning of the disc; NULL: no disc is drawn */
    const char *best; /* meaning of the outline; NULL: no outline is drawn */
    bool heat;        /* whether to explain the color ramp */
};
void smc_page_legend(struct smc_page *page, const struct smc_legend *legend);

/* --- Ticks of an axis ------------------------------------------------------------------------- */

enum smc_tick_kind {
    SMC_TICKS_BINARY,  /* 1, 2, 4, 8 ... : threads, registers, bytes */
    SMC_TICKS_DECIMAL, /* 1, 2, 5, 10 ... : percent, elements */
};

struct smc_ticks {
    int64_t first, step; /* step 0: only `first` */
};

/* The ticks of a continuous axis from `low` to `high`: the multiples of the smallest round step
   that gives at most `most` of them, at least one. */
struct smc_ticks smc_ticks_between(int64_t low, int64_t high, enum smc_tick_kind kind,
                                   unsigned most);

/* The same for an axis with only the values first, first + step, ...: ticks are at these values, at
   round ones if possible. */
struct smc_ticks smc_ticks_among(int64_t first, int64_t step, uint64_t count,
                                 enum smc_tick_kind kind, unsigned most);

/* --- Diagrams --------------------------------------------------------------------------------- */

/* Adjacent values with the same result. */
struct smc_value_run {
    double from, to; /* of the quantity */
    double percent;
    uint32_t inks; /* of the limits that bind, or of SMC_INK_REFUSED: bit n for ink n */
};

struct smc_diagram {
    const char *title;  /* may be "" */
    const char *remark; /* at the right of the title; may be "" */
    const char *unit;   /* below the axis */
    double low, high;   /* of the quantity */
    struct smc_ticks ticks;
    double last_tick;       /* no tick is drawn beyond it */
    bool in_k;              /* ticks as multiples of 1024: "64K" */
    uint32_t max_warps;     /* of the left axis; 0: that axis shows percent as well */
    const char *level_name; /* of another quantity on the left axis, such as "time (ms)"; or NULL */
    double level_most;      /* its value at 100 percent */
    const struct smc_value_run *runs;
    size_t run_count;
    bool bars;    /* draw runs as separate bars, each with its number */
    bool has_now; /* the present point */
    double now;   /* the quantity's value, within low and high */
    double now_percent;
    const char *now_text;
};
void smc_page_diagram(struct smc_page *page, const struct smc_diagram *diagram);

#endif
