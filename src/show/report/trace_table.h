/* The kernels of a trace as a table. */
#ifndef SMC_SHOW_TRACE_TABLE_H
#define SMC_SHOW_TRACE_TABLE_H

#include "show/report/report.h"

/* The first kernels, style->most_kernels or by default 15, or style->all_kernels; of each the
   configurations that take most of its time, with style->verbose all. */
void smc_trace_table(const struct smc_trace_answer *answer, const struct smc_report_style *style,
                     struct smc_text *out);

#endif
