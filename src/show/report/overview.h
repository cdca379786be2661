/* Many kernels at a glance: a headline, and a table with a line for each kernel or template. */
#ifndef SMC_SHOW_OVERVIEW_H
#define SMC_SHOW_OVERVIEW_H

#include "show/report/report.h"
#include "show/words/kernel_names.h"

/* "412 kernels in 3 files; 31 spill; 12 below 25 %; ..." and how many of them are shown. */
void smc_overview_headline(const struct smc_inspect_rows *rows,
                           const struct smc_kernel_names *names, struct smc_text *out);

/* A line about kernels whose machine code does not load, if there are any. */
void smc_overview_strays(const struct smc_inspect_rows *rows, struct smc_text *out);

/* A line for each kernel or template, on the device where it is worst. Returns how many kernels
 * have no line, because the table would be too long. */
size_t smc_overview_table(const struct smc_inspect_rows *rows, const struct smc_kernel_names *names,
                          struct smc_text *out);

/* How many kernels the rows are of. */
size_t smc_overview_kernels(const struct smc_inspect_rows *rows);

/* The columns of the longest name of the rows' devices (smc_words_device), but at most so many. */
int smc_overview_device_width(const struct smc_device *devices, size_t count, int most);

/* What "+?" beside shared memory means. */
extern const char smc_overview_dynamic_smem[];

#endif
