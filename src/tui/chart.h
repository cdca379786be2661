/* Occupancy along one field, all else as it is. */
#ifndef SMC_TUI_CHART_H
#define SMC_TUI_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "query/query.h"
#include "tui/fields.h"
#include "tui/memo.h"

struct smc_chart_point {
    int64_t value;
    double percent;    /* of the warp slots; 0 where it does not launch */
    uint32_t blocks;   /* per SM */
    uint32_t limiters; /* bit n: limit n binds; 0 where it does not launch */
    bool launches;
    bool assumed; /* from registers that were neither compiled for it nor in the table */
};

enum smc_chart_unit { SMC_CHART_NUMBERS, SMC_CHART_BYTES, SMC_CHART_PERCENT };

/* Start from {0}. */
struct smc_chart {
    enum smc_field field; /* that it goes along */
    const char *label;    /* "tile", "registers per thread" */
    enum smc_chart_unit unit;
    int64_t now;                   /* the present value */
    struct smc_chart_point *point; /* ascending, the present value among them; none where the launch
                                      is not known */
    size_t count, capacity;
};

/* Computes the chart for `field`, or for the one that shapes the block where the field has no scale
   (a device's name). `answer`: to `query`, as far as there is one. */
void smc_chart_find(struct smc_chart *chart, const struct smc_query *query,
                    const struct smc_answer *answer, enum smc_field field,
                    const struct smc_memo *memo);

void smc_chart_free(struct smc_chart *chart);

#endif
