/* Emphasis on a terminal. */
#include "report/layout.h"

void smc_layout_begin(struct smc_text *out, const struct smc_report_style *style,
                      enum smc_emphasis emphasis)
{
    static const char *const codes[] = {
        [SMC_PLAIN] = "\x1b[0m",
        [SMC_STRONG] = "\x1b[1m",
        [SMC_GOOD] = "\x1b[1;32m",
        [SMC_BAD] = "\x1b[1;31m",
    };
    if (style->colour)
        smc_text_append(out, codes[emphasis]);
}

void smc_layout_end(struct smc_text *out, const struct smc_report_style *style)
{
    smc_layout_begin(out, style, SMC_PLAIN);
}
