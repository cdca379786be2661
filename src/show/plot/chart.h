/* A chart with two numeric axes, linear or logarithmic, on which lines and points are placed.
   Labels are put where they cover no other label. */
#ifndef SMC_SHOW_CHART_H
#define SMC_SHOW_CHART_H

#include "show/plot/page.h"

struct smc_scale {
    const char *name; /* of the quantity, with its unit */
    double low, high; /* above 0 if logarithmic */
    bool logarithmic;
    void (*label)(double value, char text[32]); /* of a tick */
};

struct smc_chart {
    struct smc_page *page;
    struct smc_scale x, y;
    double left, right, top, bottom; /* inside the axes */
    size_t first_shape;              /* of the picture: what was drawn since */
};

/* Widens a logarithmic scale to round numbers (1, 2 or 5 x 10^n) outside both values. */
void smc_scale_round(double low, double high, struct smc_scale *scale);

/* Draws the axes below what is on the page; the names of the scales must outlive the chart. The
   page continues below it. */
struct smc_chart smc_chart_begin(struct smc_page *page, const struct smc_scale *x,
                                 const struct smc_scale *y);

void smc_chart_line(const struct smc_chart *chart, struct smc_stroke stroke, double x1, double y1,
                    double x2, double y2);
void smc_chart_mark(const struct smc_chart *chart, enum smc_ink ink, double x, double y);

/* On a line, around the point, on a background; false if a label or mark is there. */
bool smc_chart_line_label(const struct smc_chart *chart, double x, double y, const char *text);

/* In cells: a letter instead of a mark; false if a text is there. */
bool smc_chart_letter(const struct smc_chart *chart, enum smc_ink ink, double x, double y,
                      char letter);

/* Beside a point, at that side if there is space, else at another one; false if there is none. */
enum smc_label_side { SMC_LABEL_ABOVE, SMC_LABEL_BELOW };
bool smc_chart_point_label(const struct smc_chart *chart, enum smc_face face, double x, double y,
                           enum smc_label_side side, const char *text);

/* 4.45e12 and "B/s": "4.45 TB/s". Three digits. */
enum { SMC_RATE_CHARS = 48 };
void smc_chart_rate(double value, const char *unit, char text[SMC_RATE_CHARS]);

void smc_chart_percent(double value, char text[32]);

/* "0.25 ms", "8.30 ms", "115 ms". Three digits. */
void smc_chart_ms(double ms, char text[32]);

#endif
