/* The carve-outs in CSV: a row a size. */
#include "report/csv_parts.h"

static void append_rows(const struct smc_answer *answer, const struct smc_carveouts *carveouts,
                        struct smc_text *out)
{
    bool launch = answer->launch.threads_per_block > 0;
    for (uint32_t i = 0; i < carveouts->count; i++) {
        const struct smc_carveout *size = &carveouts->size[i];
        smc_csv_field(out, answer->query.device.name);
        if (carveouts->by_percent && size->percent_from != SMC_CARVEOUT_DEFAULT)
            smc_text_printf(out, ",%d,%d", size->percent_from, size->percent_to);
        else
            smc_text_append(out, ",,");
        smc_text_printf(out, ",%u,", size->smem_bytes);
        if (answer->query.device.sm.l1_smem_unified_bytes)
            smc_text_printf(out, "%u", size->l1_bytes);
        if (launch)
            smc_text_printf(out, ",%u,%u\n", size->configured_bytes, size->blocks_per_sm);
        else
            smc_text_append(out, ",,\n");
    }
}

void smc_csv_carveouts(const struct smc_answer *answers, const struct smc_carveouts *carveouts,
                       size_t count, const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    smc_text_append(out, "device,percent_from,percent_to,smem_bytes,l1_bytes,configured_smem_bytes,"
                         "blocks_per_sm\n");
    for (size_t i = 0; i < count; i++)
        append_rows(&answers[i], &carveouts[i], out);
}
