/* The choice of a block size in words: why a size ranks below the proposal. */
#include <inttypes.h>

#include "model/sectors.h"
#include "report/layout.h"
#include "report/words.h"

static void append_percents(const char *what, double own, double other, int64_t size,
                            struct smc_text *out)
{
    smc_text_append(out, what);
    smc_layout_percent(out, own);
    smc_text_append(out, ", ");
    smc_layout_percent(out, other);
    smc_text_printf(out, " with %" PRId64, size);
}

static void append_row(const struct smc_candidate *candidate, const char *unit, unsigned bytes,
                       struct smc_text *out)
{
    smc_text_printf(out, "rows of %" PRIu64 SMC_TIE "B are no whole %s of %u" SMC_TIE "B",
                    smc_best_row_bytes(&candidate->answer), unit, bytes);
}

static void append_idle_lanes(const struct smc_answer *answer, struct smc_text *out)
{
    uint32_t idle = smc_best_idle_lanes(answer);
    smc_text_printf(out, "%u thread%s leave%s %u lane%s of each block's last warp idle",
                    answer->launch.threads_per_block,
                    answer->launch.threads_per_block == 1 ? "" : "s",
                    answer->launch.threads_per_block == 1 ? "s" : "", idle, idle == 1 ? "" : "s");
}

void smc_words_why_not(const struct smc_best *best, const struct smc_candidate *candidate,
                       struct smc_text *out)
{
    const struct smc_candidate *taken = smc_best_proposal(best);
    const struct smc_answer *answer = &candidate->answer;
    const double *value = candidate->choice.value;
    switch (candidate->choice.dropped_by) {
    case SMC_RULE_LAUNCHES:
        smc_words_failure(answer, out);
        return;
    case SMC_RULE_WHOLE_WARPS:
        append_idle_lanes(answer, out);
        return;
    case SMC_RULE_ALIGNED_ROWS:
        append_row(candidate, "sectors", SMC_SECTOR_BYTES, out);
        return;
    case SMC_RULE_WHOLE_LINES:
        append_row(candidate, "lines", SMC_LINE_BYTES, out);
        return;
    case SMC_RULE_WARPS:
        append_percents("occupancy ", answer->occupancy_percent, taken->answer.occupancy_percent,
                        taken->size, out);
        return;
    case SMC_RULE_WAVES:
        append_percents("its waves keep the SMs busy to ", 100 * value[SMC_RULE_WAVES],
                        100 * taken->choice.value[SMC_RULE_WAVES], taken->size, out);
        return;
    case SMC_RULE_TRAFFIC:
        smc_text_printf(out, "moves %.4g" SMC_TIE "MB, %.4g" SMC_TIE "MB with %" PRId64,
                        smc_best_moved_bytes(answer) / 1e6,
                        smc_best_moved_bytes(&taken->answer) / 1e6, taken->size);
        return;
    case SMC_RULE_ARCHITECTURES:
        smc_text_printf(out, "launches on %u compute capabilities, %u with %" PRId64,
                        candidate->architectures, taken->architectures, taken->size);
        return;
    case SMC_RULE_SMALLEST:
        smc_text_printf(out, "only %u threads per block", answer->launch.threads_per_block);
        return;
    case SMC_RULE_BLOCKS:
        smc_words_blocks(answer->occupancy.blocks_per_sm, out);
        smc_text_printf(out, " per SM, %u with %" PRId64, taken->answer.occupancy.blocks_per_sm,
                        taken->size);
        return;
    case SMC_RULE_THREADS:
        smc_text_printf(out, "as good, with %u threads a block", answer->launch.threads_per_block);
        return;
    case SMC_RULE_COUNT:
        return;
    }
}
