/* The table of a series: a line for each run, a column for each figure. */
#ifndef SMC_REPORT_TEXT_SERIES_TABLE_H
#define SMC_REPORT_TEXT_SERIES_TABLE_H

#include "report/report.h"

struct smc_series_table {
    const struct smc_series *series;
    uint32_t figures; /* bit n: figure n has a column */
    bool verdicts;    /* a last column, and below a run why it has no result */
    bool marks_best;  /* with '*', behind the rate */
};

/* Begins with an empty line. */
void smc_text_series_table(const struct smc_series_table *table,
                           const struct smc_report_style *style, struct smc_text *out);

#endif
