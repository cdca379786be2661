/* The carve-outs: sizes with their percentages and blocks, the least for each number of blocks,
   and what the older cache preferences come to. */
#include <stdio.h>

#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words.h"

static bool has_launch(const struct smc_answer *answer)
{
    return answer->launch.threads_per_block > 0;
}

/* "228 KB": every size an SM can be set to is a whole number of them. */
static void append_kb(uint32_t bytes, struct smc_text *out)
{
    smc_text_printf(out, bytes % 1024 ? "%.1f KB" : "%.0f KB", bytes / 1024.0);
}

/* The columns that a size and a preference share: size, L1, blocks. */
static void append_columns(const struct smc_answer *answer, const struct smc_carveout *carveout,
                           struct smc_text *row)
{
    struct smc_text smem = {0}, l1 = {0};
    append_kb(carveout->smem_bytes, &smem);
    if (answer->query.device.sm.l1_smem_unified_bytes)
        append_kb(carveout->l1_bytes, &l1);
    else
        smc_text_append(&l1, "-");
    smc_text_printf(row, " %10s %10s", smc_text_string(&smem), smc_text_string(&l1));
    if (has_launch(answer)) {
        smc_text_printf(row, " %7u", carveout->blocks_per_sm);
        if (carveout->configured_bytes > carveout->smem_bytes && carveout->blocks_per_sm) {
            smc_text_append(row, "  raised to ");
            append_kb(carveout->configured_bytes, row);
        }
    }
    smc_text_append_char(row, '\n', 1);
    smc_text_free(&smem);
    smc_text_free(&l1);
}

static void append_head(const struct smc_answer *answer, const char *label, struct smc_text *out)
{
    smc_text_printf(out, "\n%-25s %10s %10s%s\n", label, "shared", "L1 left",
                    has_launch(answer) ? "  blocks" : "");
}

static void append_percentages(const struct smc_answer *answer,
                               const struct smc_carveouts *carveouts, struct smc_text *out)
{
    append_head(answer, "carve-out, percent", out);
    for (uint32_t i = 0; i < carveouts->count; i++) {
        const struct smc_carveout *size = &carveouts->size[i];
        char range[32];
        if (size->percent_from == SMC_CARVEOUT_DEFAULT)
            snprintf(range, sizeof range, "%s", smc_smem_mode_name(size->smem_mode));
        else if (size->percent_from == size->percent_to)
            snprintf(range, sizeof range, "%d", size->percent_from);
        else
            snprintf(range, sizeof range, "%d to %d", size->percent_from, size->percent_to);
        smc_text_printf(out, "%-25s", range);
        append_columns(answer, size, out);
    }
}

static void append_preferences(const struct smc_answer *answer,
                               const struct smc_carveouts *carveouts, struct smc_text *out)
{
    append_head(answer, "cudaFuncSetCacheConfig", out);
    for (int config = 0; config < SMC_CACHE_CONFIG_COUNT; config++) {
        smc_text_printf(out, "%-25s", smc_cache_config_name((enum smc_cache_config)config));
        append_columns(answer, &carveouts->preference[config], out);
    }
    smc_text_append_char(out, '\n', 1);
}

/* "1 block: 1 %, 8 KB; 2 to 3 blocks: 4 %, 16 KB": numbers of blocks with the same answer
   together. */
static void append_smallest(const struct smc_answer *answer, const struct smc_carveouts *carveouts,
                            const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text line = {0};
    for (uint32_t from = 1, to; from <= carveouts->most_blocks; from = to + 1) {
        const struct smc_carveout *least = smc_carveouts_smallest(carveouts, from);
        for (to = from; to < carveouts->most_blocks; to++)
            if (smc_carveouts_smallest(carveouts, to + 1) != least)
                break;
        smc_text_append(&line, line.length ? "; " : "");
        if (to > from)
            smc_text_printf(&line, "%u to ", from);
        smc_words_blocks(to, &line);
        smc_text_append(&line, ": ");
        if (least->percent_from != SMC_CARVEOUT_DEFAULT)
            smc_text_printf(&line, "%d" SMC_TIE "%%, ", least->percent_from);
        else if (least->smem_mode == SMC_SMEM_MODE_PREFER_OVERSIZED)
            smc_text_printf(&line, "%s, ", smc_smem_mode_name(least->smem_mode));
        smc_text_printf(&line, "%.0f" SMC_TIE "KB", least->smem_bytes / 1024.0);
    }
    if (line.length == 0)
        smc_words_failure(answer, &line);
    smc_text_line(out, style, "smallest", &line);
    smc_text_free(&line);
}

/* What can be chosen, by architecture. */
static const char *choice(const struct smc_sm *sm)
{
    if (!sm->carveout_by_cache_config)
        return "cudaFuncAttributePreferredSharedMemoryCarveout takes a percentage, rounded up to "
               "a size the SM has, and counts before a cache preference; cudaFuncCachePreferNone "
               "leaves the size to the driver (counted as the largest)";
    if (sm->smem_carveout_count == 1 && sm->l1_tex_separate_bytes > 0)
        return "shared memory is apart from the L1 cache: there is nothing to choose, and a cache "
               "preference has no effect";
    if (sm->smem_carveout_count > 1)
        return "only the cache preference counts, and it is a hint; there is no percentage before "
               "CC 7.0";
    return "there is no L1 cache, and nothing to choose";
}

static void append_hint(const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text line = {0};
    smc_text_append(&line, "the driver may set another size: on an H200 with carve-out 0 and no "
                           "shared memory the API said 8 blocks while 16 were resident");
    smc_text_line(out, style, "a hint", &line);
    smc_text_free(&line);
}

static void append_sizes(const struct smc_answer *answer, const struct smc_carveouts *carveouts,
                         const struct smc_report_style *style, struct smc_text *out)
{
    if (carveouts->by_percent)
        append_percentages(answer, carveouts, out);
    append_preferences(answer, carveouts, out);
    if (has_launch(answer))
        append_smallest(answer, carveouts, style, out);
}

static void append_choice(const struct smc_answer *answer, const struct smc_report_style *style,
                          struct smc_text *out)
{
    struct smc_text line = {0};
    const struct smc_sm *sm = &answer->query.device.sm;
    smc_text_append(&line, choice(sm));
    smc_text_line(out, style, "choice", &line);
    smc_text_free(&line);
    if (sm->smem_oversized_per_sm_bytes == 0)
        return;
    smc_text_append(&line, "cudaFuncAttributeSharedMemoryMode (CUDA 13.5; --smem-mode oversized or "
                           "prefer-oversized) also allows ");
    append_kb(sm->smem_oversized_per_sm_bytes, &line);
    smc_text_printf(&line, " an SM, %u bytes a block; ", sm->smem_oversized_per_block_bytes);
    append_kb(sm->l1_smem_unified_bytes - sm->smem_oversized_per_sm_bytes, &line);
    smc_text_append(&line, " of L1 are left");
    smc_text_line(out, style, "oversized", &line);
    smc_text_free(&line);
}

/* Of several devices each begins with its name. */
static void append_heading(const struct smc_answer *answer, bool alone,
                           const struct smc_report_style *style, struct smc_text *out)
{
    if (!alone) {
        smc_layout_begin(out, style, SMC_STRONG);
        smc_text_device_line(answer, style, out);
        smc_layout_end(out, style);
    }
    if (has_launch(answer))
        smc_text_block_line(answer, style, out);
    if (alone)
        smc_text_device_line(answer, style, out);
}

/* One device below the other, for each has sizes of its own. */
void smc_text_carveouts(const struct smc_answer *answers, const struct smc_carveouts *carveouts,
                        size_t count, const struct smc_report_style *style, struct smc_text *out)
{
    bool by_percent = false;
    if (has_launch(answers)) {
        smc_text_kernel_line(answers, style, out);
        smc_text_append(out, count > 1 ? "\n" : "");
    }
    for (size_t i = 0; i < count; i++) {
        const struct smc_answer *answer = &answers[i], *next = i + 1 < count ? answer + 1 : NULL;
        append_heading(answer, count == 1, style, out);
        append_sizes(answer, &carveouts[i], style, out);
        if (!next || choice(&next->query.device.sm) != choice(&answer->query.device.sm)) {
            append_choice(answer, style, out);
            smc_text_append(out, next ? "\n" : "");
        }
        by_percent |= carveouts[i].by_percent;
    }
    if (by_percent)
        append_hint(style, out);
}
