/* Laying text out on a terminal: what base/layout.h has, and emphasis. */
#ifndef SMC_REPORT_LAYOUT_H
#define SMC_REPORT_LAYOUT_H

#include "base/layout.h"
#include "report/report.h"

enum smc_emphasis {
    SMC_PLAIN,
    SMC_STRONG, /* a heading, a row that binds */
    SMC_GOOD,
    SMC_BAD,
};

/* Colour on and off; nothing where style->colour is false. */
void smc_layout_begin(struct smc_text *out, const struct smc_report_style *style,
                      enum smc_emphasis emphasis);
void smc_layout_end(struct smc_text *out, const struct smc_report_style *style);

#endif
