/* The choice of a block size on several devices side by side. */
#include <inttypes.h>

#include "report/layout.h"
#include "report/text_parts.h"
#include "report/text_side_by_side.h"
#include "report/words.h"

enum { RULE_INDENT = 17 };

/* The sizes that are a row: good use of the device, at least on one of them. */
struct compared {
    const struct smc_best *best;
    size_t rows;
    int64_t size[SMC_MAX_CANDIDATES];
};

static const struct smc_candidate *find_size(const struct smc_best *best, int64_t size)
{
    for (size_t i = 0; i < best->count; i++)
        if (best->candidate[i].size == size)
            return &best->candidate[i];
    return NULL;
}

static bool is_useful(const struct smc_candidate *candidate)
{
    return candidate && candidate->choice.dropped_by > SMC_RULE_WARPS;
}

/* Where the largest block of one device is smaller, the other's sizes include its own. */
static void find_rows(const struct smc_best *best, size_t count, struct compared *compared)
{
    const struct smc_best *most = best;
    *compared = (struct compared){.best = best};
    for (size_t i = 1; i < count; i++)
        most = best[i].count > most->count ? &best[i] : most;
    for (size_t k = 0; k < most->count; k++) {
        bool useful = false;
        for (size_t i = 0; i < count && !useful; i++)
            useful = is_useful(find_size(&best[i], most->candidate[k].size));
        if (useful)
            compared->size[compared->rows++] = most->candidate[k].size;
    }
}

static const struct smc_device *device_of(const void *context, size_t device)
{
    const struct compared *compared = context;
    return &compared->best[device].candidate[0].answer.query.device;
}

static void append_label(const void *context, size_t row, struct smc_text *text)
{
    const struct compared *compared = context;
    smc_text_printf(text, "%" PRId64, compared->size[row]);
}

static void append_cell(const void *context, size_t device, size_t row, struct smc_text *text)
{
    const struct compared *compared = context;
    const struct smc_candidate *candidate = find_size(&compared->best[device], compared->size[row]);
    if (!candidate)
        return;
    enum smc_rule rule = candidate->choice.dropped_by;
    char percent[32];
    smc_words_percent(candidate->answer.occupancy_percent, percent);
    smc_text_printf(text, "%s%u %7s", rule == SMC_RULE_COUNT ? "> " : "",
                    candidate->answer.occupancy.blocks_per_sm, percent);
    if (rule == SMC_RULE_COUNT)
        smc_text_append(text, "  -");
    else
        smc_text_printf(text, " %2d", (int)rule + 1);
}

static void append_proposals(const struct smc_best *best, size_t count,
                             const struct smc_report_style *style, struct smc_text *out)
{
    for (size_t i = 0; i < count; i++) {
        struct smc_text line = {0};
        smc_text_printf(&line, "%s: ", smc_device_model(&best[i].candidate[0].answer.query.device));
        smc_text_append_proposal(&best[i], &line);
        smc_layout_begin(out, style, smc_best_proposal(&best[i]) ? SMC_GOOD : SMC_BAD);
        smc_layout_paragraph(out, "", 0, smc_text_string(&line), style->columns);
        smc_layout_end(out, style);
        smc_text_free(&line);
    }
    smc_text_append_char(out, '\n', 1);
}

static void append_rules(const struct smc_report_style *style, struct smc_text *out)
{
    smc_layout_paragraph(out, "", 0,
                         "> is taken; behind the others stands the rule that dropped them. Each "
                         "rule keeps what is best by it, or nearly so, for the next one:",
                         style->columns);
    for (int rule = 0; rule < SMC_RULE_COUNT; rule++) {
        struct smc_text label = {0}, text = {0};
        smc_text_printf(&label, "%2d %s", rule + 1, smc_rule_info[rule].name);
        smc_text_append_rule(rule, &text);
        smc_layout_paragraph(out, smc_text_string(&label), RULE_INDENT, smc_text_string(&text),
                             style->columns);
        smc_text_free(&label);
        smc_text_free(&text);
    }
}

void smc_text_compare_best(const struct smc_best *best, size_t count,
                           const struct smc_report_style *style, struct smc_text *out)
{
    const uint32_t chosen = 1u << SMC_PARAM_TILE | 1u << SMC_PARAM_BLOCK;
    struct compared compared;
    find_rows(best, count, &compared);
    const struct smc_side_by_side table = {
        .context = &compared,
        .devices = count,
        .rows = compared.rows,
        .device = device_of,
        .row_head = best->option,
        .cell_head = "blocks occup. by",
        .label = append_label,
        .cell = append_cell,
    };
    append_proposals(best, count, style, out);
    smc_text_best_launch(best, chosen, style, out);
    if (compared.rows == 0)
        return;
    smc_text_side_by_side(&table, style, out);
    append_rules(style, out);
}
