/* A series of runs in words: what is compared, what varies, what each run is called. */
#ifndef SMC_REPORT_WORDS_SERIES_H
#define SMC_REPORT_WORDS_SERIES_H

#include "base/text.h"
#include "confirm/series.h"

/* "matmul: float, 256 x 256 x 256": the family, or the kernel, and what all runs share. */
void smc_words_series_subject(const struct smc_series *series, struct smc_text *out);

/* "matmul-tiled, tile 16": what tells a run from the others of its value, in a table. */
void smc_words_series_run(const struct smc_series *series, size_t index, struct smc_text *out);

/* The same with the value: "stencil-naive, radius 7". */
void smc_words_series_whole_run(const struct smc_series *series, size_t index,
                                struct smc_text *out);

/* "block-m 128, ...": parameters that are too long for a table; nothing where there are none. */
void smc_words_series_details(const struct smc_series *series, size_t index, struct smc_text *out);

/* The option that varies, NULL where none does; a value of it: "7", "48K", "25", "shared". */
const char *smc_words_series_option(const struct smc_series_axis *axis);
void smc_words_series_value(const struct smc_series_axis *axis, int64_t value,
                            struct smc_text *out);

/* "1, 2, 4, 8; 4 of the values from 1 to 8, ...". */
void smc_words_series_values(const struct smc_series_axis *axis, struct smc_text *out);

/* "confirmed: 107 quantities of 7 runs, 0 differ, 49 not measured": the verdict of all, and the
   quantities of each, shown in the table or not. */
void smc_words_series_verdicts(const struct smc_series *series, struct smc_text *out);

/* "2 runs were not started: aat-padded, pad 1; aat-swizzled"; of many only how many, of none
   nothing. */
void smc_words_series_not_started(const struct smc_series *series, struct smc_text *out);

/* Why a run has no result, or that its launch was refused and how; nothing for one that ran. */
void smc_words_series_reason(const struct smc_series_run *run, struct smc_text *out);

#endif
