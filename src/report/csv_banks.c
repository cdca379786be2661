/* Bank conflicts in CSV: a row an access. */
#include "report/banks_words.h"
#include "report/csv_parts.h"

static void append_access(const struct smc_banks_pattern *pattern, struct smc_text *out)
{
    smc_csv_field(out, pattern->label);
    smc_text_printf(out, ",%s,%u,%u,%u,%u,%u,%u,", pattern->op == SMC_BANK_LOAD ? "ld" : "st",
                    pattern->width_bytes, pattern->accesses, pattern->total.wavefronts,
                    pattern->total.least, pattern->total.wavefronts - pattern->total.least,
                    pattern->map.cost.wavefronts);
    if (pattern->padding.found)
        smc_text_printf(out, "%u,%u", pattern->padding.rearrangement.row_elements,
                        pattern->padding.rearrangement.padding_elements);
    else
        smc_text_append(out, ",");
    smc_text_append(out, "\n");
}

void smc_csv_banks(const struct smc_banks_answer *answer, const struct smc_report_style *style,
                   struct smc_text *out)
{
    (void)style;
    smc_text_append(out, "access,op,width,accesses,wavefronts,least_wavefronts,conflicts,"
                         "worst_wavefronts,row_elements,padding_elements\n");
    for (uint32_t i = 0; i < answer->pattern_count; i++)
        append_access(&answer->pattern[i], out);
}
