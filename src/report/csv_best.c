/* The choice of a block size in CSV: every size, best first. */
#include <inttypes.h>

#include "report/csv_parts.h"
#include "report/words.h"

static void append_rows(const struct smc_best *best, struct smc_text *out)
{
    for (size_t rank = 0; rank < best->count; rank++) {
        const struct smc_candidate *candidate = &best->candidate[best->order[rank]];
        const struct smc_answer *answer = &candidate->answer;
        enum smc_rule rule = candidate->choice.dropped_by;
        smc_csv_field(out, answer->query.device.name);
        smc_text_printf(out, ",%s,%s,%" PRId64 ",%u,",
                        answer->query.kernel ? answer->query.kernel->name : "", best->option,
                        candidate->size, answer->launch.threads_per_block);
        if (smc_words_regs_known(answer))
            smc_text_printf(out, "%u", answer->launch.regs_per_thread);
        smc_text_printf(out, ",%u,%u,%u,%.10g,", answer->launch.static_smem_bytes,
                        answer->launch.dynamic_smem_bytes, answer->occupancy.blocks_per_sm,
                        answer->occupancy_percent);
        if (answer->has_waves)
            smc_text_printf(out, "%" PRIu64, answer->waves.waves);
        smc_text_printf(out, ",%.10g,", 100 * candidate->use);
        if (answer->has_work)
            smc_text_printf(out, "%.15g", candidate->choice.value[SMC_RULE_TRAFFIC]);
        smc_text_printf(out, ",%u,%s\n", candidate->architectures,
                        rule == SMC_RULE_COUNT ? "" : smc_rule_info[rule].name);
    }
}

void smc_csv_best(const struct smc_best *best, size_t count, const struct smc_report_style *style,
                  struct smc_text *out)
{
    (void)style;
    smc_text_append(out, "device,kernel,option,size,threads,regs,static_smem,dynamic_smem,"
                         "blocks_per_sm,occupancy_percent,waves,use_percent,global_bytes,"
                         "architectures,dropped_by\n");
    for (size_t i = 0; i < count; i++)
        append_rows(&best[i], out);
}
