/* Parts of the report of a series, for tests. */
#ifndef SMC_SHOW_SERIES_REPORT_H
#define SMC_SHOW_SERIES_REPORT_H

#include "base/text.h"
#include "hardware/series.h"

/* "confirmed: 107 quantities of 7 runs, 0 differ, 49 not measured": the verdict of all, and the
   quantities of each, shown in the table or not. */
void smc_words_series_verdicts(const struct smc_series *series, struct smc_text *out);

/* "2 runs were not started: aat-padded, pad 1; aat-swizzled"; of many runs only their
   number, of none nothing. */
void smc_words_series_not_started(const struct smc_series *series, struct smc_text *out);

#endif
