/* The choice of a block size in CSV: every size, best first. */
#include <inttypes.h>

#include "report/csv_parts.h"
#include "report/words.h"

static void append_reason(const struct smc_best *best, const struct smc_candidate *candidate,
                          struct smc_text *out)
{
    struct smc_text reason = {0};
    smc_text_printf(out, "%u,", smc_best_idle_lanes(&candidate->answer));
    smc_words_why_not(best, candidate, &reason);
    smc_words_untie(&reason);
    smc_csv_field(out, smc_text_string(&reason));
    smc_text_append(out, "\n");
    out->failed |= reason.failed;
    smc_text_free(&reason);
}

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
            smc_text_printf(out, "%.15g", smc_best_moved_bytes(answer));
        smc_text_printf(out, ",%u,%s,", candidate->architectures,
                        rule == SMC_RULE_COUNT ? "" : smc_rule_info[rule].name);
        append_reason(best, candidate, out);
    }
}

void smc_csv_best(const struct smc_best *best, size_t count, const struct smc_report_style *style,
                  struct smc_text *out)
{
    (void)style;
    smc_text_append(out, "device,kernel,option,size,threads,regs,static_smem,dynamic_smem,"
                         "blocks_per_sm,occupancy_percent,waves,use_percent,global_bytes,"
                         "architectures,dropped_by,idle_lanes,reason\n");
    for (size_t i = 0; i < count; i++)
        append_rows(&best[i], out);
}
