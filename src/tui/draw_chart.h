/* The parts that the chart's picture is made of. */
#ifndef SMC_TUI_DRAW_CHART_H
#define SMC_TUI_DRAW_CHART_H

#include "tui/chart.h"
#include "tui/frame.h"

/* A chart's points spread over columns: several share one, or one takes several. */
struct smc_chart_columns {
    const struct smc_chart *chart; /* has points */
    int count;
};

/* The columns of a point; of several points in one column each has it. */
int smc_chart_first_column(const struct smc_chart_columns *columns, size_t point);
int smc_chart_last_column(const struct smc_chart_columns *columns, size_t point);

/* The point that a column shows: of several the present one, else the best, so that a peak of one
   value is not lost. */
const struct smc_chart_point *smc_chart_point_of(const struct smc_chart_columns *columns,
                                                 int column);

/* The index of the present value. */
size_t smc_chart_present_point(const struct smc_chart *chart);

/* "48K", "250", "driver's". */
void smc_chart_write_value(const struct smc_chart *chart, int64_t value, char text[32]);

/* Round numbers below the columns, as many as there is room for, with their ticks on the line
 * above.
 */
void smc_draw_chart_labels(const struct smc_chart_columns *columns, struct smc_rect line,
                           struct smc_frame *frame);

#endif
