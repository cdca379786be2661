/* The chart of occupancy along one field of the launch, everything else unchanged. */
#ifndef SMC_SHOW_CHART_VIEW_H
#define SMC_SHOW_CHART_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answers/query.h"
#include "show/tui/frame.h"
#include "show/tui/memo.h"
#include "show/tui/tui_fields.h"

struct smc_chart_point {
    int64_t value;
    double percent;    /* occupancy; 0 where the launch fails */
    uint32_t blocks;   /* per SM */
    uint32_t limiters; /* bit n: limit n binds; 0 where the launch fails */
    bool launches;
    bool is_uncompiled; /* its registers are not known, and so nothing else */
    bool is_given_up;   /* it could not be compiled */
    bool assumed;       /* from registers that were neither compiled for it nor in the table */
};

enum smc_chart_unit { SMC_CHART_NUMBERS, SMC_CHART_BYTES, SMC_CHART_PERCENT };

/* Start from {0}. */
struct smc_tui_chart {
    enum smc_field field; /* the varied one */
    const char *label;    /* "tile", "registers per thread" */
    enum smc_chart_unit unit;
    int64_t now;                   /* the current value */
    struct smc_chart_point *point; /* ascending, the current value among them; none where the launch
                                      is not known */
    size_t count, capacity;
};

/* Computes the chart along `field`, or along the field that shapes the block where `field` has no
   scale, such as a device's name. `answer`: to `query`, as far as there is one. */
void smc_chart_find(struct smc_tui_chart *chart, const struct smc_query *query,
                    const struct smc_answer *answer, enum smc_field field,
                    const struct smc_memo *memo);

/* The query of the point closest to the present value that is not compiled yet. False if there is
   none. */
bool smc_chart_find_uncompiled(const struct smc_tui_chart *chart, const struct smc_query *asked,
                               const struct smc_memo *memo, struct smc_query *query);

void smc_chart_free(struct smc_tui_chart *chart);

/* Bars, the current value marked, with a heading and a legend on the edges around `rect`. */
void smc_draw_chart(const struct smc_tui_chart *chart, struct smc_rect rect,
                    struct smc_frame *frame);

/* The value at a column of that panel; false where there is none. */
bool smc_chart_value_at(const struct smc_tui_chart *chart, struct smc_rect rect, int col,
                        int64_t *value);

#endif
