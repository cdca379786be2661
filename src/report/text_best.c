/* The choice of a block size: the proposal, the sizes nearly as good, and the rules. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words.h"

/* Of those that a rule dropped early, only the first are of interest. */
enum { MOST_ROWS = 12, MOST_REASONS = 7, REASON_INDENT = 8 };

static const struct smc_candidate *ranked(const struct smc_best *best, size_t rank)
{
    return &best->candidate[best->order[rank]];
}

void smc_text_append_proposal(const struct smc_best *best, struct smc_text *line)
{
    const struct smc_candidate *proposal = smc_best_proposal(best);
    if (!proposal) {
        smc_text_append(line, "no block size can be launched; the smallest ");
        smc_words_failure(&best->candidate[0].answer, line);
        return;
    }
    const struct smc_answer *answer = &proposal->answer;
    smc_text_printf(line, "take --%s %" PRId64 ": ", best->option, proposal->size);
    smc_words_blocks(answer->occupancy.blocks_per_sm, line);
    smc_text_append(line, " per SM, occupancy ");
    smc_layout_percent(line, answer->occupancy_percent);
    smc_text_append(line, ", limited by ");
    smc_words_limiters(&answer->occupancy, line);
    smc_words_estimated(answer, line);
}

static void append_verdict(const struct smc_best *best, const struct smc_report_style *style,
                           struct smc_text *out)
{
    struct smc_text line = {0};
    smc_text_append_proposal(best, &line);
    smc_layout_begin(out, style, smc_best_proposal(best) ? SMC_GOOD : SMC_BAD);
    smc_layout_paragraph(out, "", 0, smc_text_string(&line), style->columns);
    smc_layout_end(out, style);
    smc_text_append_char(out, '\n', 1);
    smc_text_free(&line);
}

/* What is the same for every size: not the block, and of the parameters not the chosen one. */
void smc_text_best_launch(const struct smc_best *best, uint32_t without,
                          const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_answer *answer = &ranked(best, 0)->answer;
    const struct smc_launch *launch = &answer->launch;
    struct smc_text line = {0};
    if (answer->query.kernel) {
        smc_text_printf(&line, "%s: ", answer->query.kernel->name);
        smc_words_some_params(&answer->query, without, &line);
    } else {
        smc_text_append(&line, "your own: ");
        if (answer->regs_given)
            smc_text_printf(&line, "%u registers a thread", launch->regs_per_thread);
        else
            smc_text_append(&line, "registers not given (--regs), so not counted");
        uint64_t fixed = launch->dynamic_smem_bytes -
                         (uint64_t)launch->smem_bytes_per_thread * launch->threads_per_block;
        smc_text_printf(&line, "; %" PRIu64 SMC_TIE "B of shared memory a block",
                        fixed + launch->static_smem_bytes);
        if (launch->smem_bytes_per_thread)
            smc_text_printf(&line, " and %u" SMC_TIE "B a thread", launch->smem_bytes_per_thread);
        if (best->total_threads != SMC_NOT_GIVEN)
            smc_text_printf(&line, "; %" PRId64 " threads in all", best->total_threads);
    }
    smc_text_line(out, style, "kernel", &line);
    smc_text_free(&line);
}

static void append_row(const struct smc_candidate *candidate, const struct smc_report_style *style,
                       struct smc_text *out)
{
    const struct smc_answer *answer = &candidate->answer;
    const struct smc_launch *launch = &answer->launch;
    enum smc_rule rule = candidate->choice.dropped_by;
    bool chosen = rule == SMC_RULE_COUNT;
    char regs[16] = "-", waves[24] = "-", moved[24] = "-";
    struct smc_text percent = {0}, use = {0}, row = {0};
    if (smc_words_regs_known(answer))
        snprintf(regs, sizeof regs, "%s%u", smc_words_estimated_mark(answer),
                 launch->regs_per_thread);
    if (answer->has_waves)
        snprintf(waves, sizeof waves, "%" PRIu64, answer->waves.waves);
    if (answer->has_work)
        snprintf(moved, sizeof moved, "%.4g", smc_best_moved_bytes(answer) / 1e6);
    smc_layout_percent(&percent, answer->occupancy_percent);
    smc_layout_percent(&use, 100 * candidate->use);
    smc_text_printf(&row, "%c %4" PRId64 " %7u %4s %6u %6u %7s %6s %7s %8s  ", chosen ? '>' : ' ',
                    candidate->size, launch->threads_per_block, regs,
                    launch->static_smem_bytes + launch->dynamic_smem_bytes,
                    answer->occupancy.blocks_per_sm, smc_text_string(&percent), waves,
                    smc_text_string(&use), moved);
    if (chosen)
        smc_text_append(&row, "taken");
    else
        smc_text_printf(&row, "%d %s", (int)rule + 1, smc_rule_info[rule].name);
    smc_layout_begin(out, style, chosen ? SMC_STRONG : SMC_PLAIN);
    smc_layout_paragraph(out, smc_text_string(&row), 0, "", style->columns);
    smc_layout_end(out, style);
    smc_text_free(&percent);
    smc_text_free(&use);
    smc_text_free(&row);
}

static void append_table(const struct smc_best *best, const struct smc_report_style *style,
                         struct smc_text *out)
{
    size_t shown = best->count < MOST_ROWS ? best->count : MOST_ROWS;
    smc_text_printf(out,
                    "\n  %4s threads regs smem B blocks  occup.  waves  in use moved MB  "
                    "out by rule\n",
                    strcmp(best->option, "tile") == 0 ? "tile" : "size");
    for (size_t rank = 0; rank < shown; rank++)
        append_row(ranked(best, rank), style, out);
    if (shown < best->count)
        smc_text_printf(out, "  and %zu more, clearly worse (--format csv has all)\n",
                        best->count - shown);
    bool estimated = false;
    for (size_t rank = 0; rank < shown; rank++)
        estimated |= smc_words_estimated_mark(&ranked(best, rank)->answer)[0] != '\0';
    if (estimated)
        smc_text_append(out, "  ~ registers estimated from another architecture or size\n");
    smc_text_append_char(out, '\n', 1);
}

/* The runners-up, each with what it lacks. */
static void append_reasons(const struct smc_best *best, const struct smc_report_style *style,
                           struct smc_text *out)
{
    size_t shown = best->count < MOST_REASONS ? best->count : MOST_REASONS;
    if (shown > 1)
        smc_text_append(out, "Why the next ones rank below it:\n");
    for (size_t rank = 1; rank < shown; rank++) {
        const struct smc_candidate *candidate = ranked(best, rank);
        struct smc_text text = {0};
        char label[32];
        snprintf(label, sizeof label, "%6" PRId64, candidate->size);
        smc_words_why_not(best, candidate, &text);
        smc_layout_paragraph(out, label, REASON_INDENT, smc_text_string(&text), style->columns);
        out->failed |= text.failed;
        smc_text_free(&text);
    }
    smc_text_append_char(out, '\n', shown > 1);
}

/* How many were left before the rule looked. */
static size_t count_left(const struct smc_best *best, enum smc_rule rule)
{
    size_t left = 0;
    for (size_t i = 0; i < best->count; i++)
        left += best->candidate[i].choice.dropped_by >= rule;
    return left;
}

void smc_text_append_rule(int rule, struct smc_text *line)
{
    const struct smc_rule_info *info = &smc_rule_info[rule];
    smc_text_append(line, info->text);
    if (info->percent > 0)
        smc_text_printf(line, " (within %.0f" SMC_TIE "%% of the best)", info->percent);
}

static void append_rules(const struct smc_best *best, const struct smc_report_style *style,
                         struct smc_text *out)
{
    smc_text_append(out, "Each rule keeps what is best by it, or nearly so, for the next one:\n");
    for (int rule = 0; rule < SMC_RULE_COUNT; rule++) {
        size_t before = count_left(best, (enum smc_rule)rule);
        size_t after = count_left(best, (enum smc_rule)(rule + 1));
        struct smc_text text = {0};
        char label[64];
        snprintf(label, sizeof label, "%2d %2zu->%zu", rule + 1, before, after);
        smc_text_append_rule(rule, &text);
        smc_layout_paragraph(out, label, SMC_TEXT_INDENT, smc_text_string(&text), style->columns);
        smc_text_free(&text);
    }
}

void smc_text_best(const struct smc_best *best, const struct smc_report_style *style,
                   struct smc_text *out)
{
    append_verdict(best, style, out);
    smc_text_best_launch(best, 0, style, out);
    smc_text_device_line(&ranked(best, 0)->answer, style, out);
    if (!smc_best_proposal(best))
        return;
    append_table(best, style, out);
    append_reasons(best, style, out);
    append_rules(best, style, out);
}
