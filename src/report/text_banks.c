/* Bank conflicts on a terminal: the verdict, the picture, what removes them. */
#include <string.h>

#include "report/banks_words.h"
#include "report/layout.h"
#include "report/text_parts.h"

enum { LABEL_WIDTH = 26, COMMAND_INDENT = 4, LONGEST_SHOWN = 60 };

static void append_verdict(const struct smc_banks_pattern *pattern,
                           const struct smc_report_style *style, struct smc_text *out)
{
    bool free = pattern->total.wavefronts == pattern->total.least;
    smc_text_append(out, "\n  ");
    smc_layout_begin(out, style, free ? SMC_GOOD : SMC_BAD);
    smc_words_bank_cost(pattern->map.cost, out);
    smc_layout_end(out, style);
    if (pattern->accesses > 1) {
        smc_text_printf(out, "   (all %u warps: %u, least %u)", pattern->accesses,
                        pattern->total.wavefronts, pattern->total.least);
    }
    smc_text_append(out, "\n");
}

static void append_picture(const struct smc_banks_answer *answer,
                           const struct smc_banks_pattern *pattern,
                           const struct smc_report_style *style, struct smc_text *out)
{
    bool more = false;
    for (uint32_t w = 0; w < pattern->map.cost.wavefronts; w++)
        for (uint32_t bank = 0; bank < answer->layout.banks; bank++) {
            uint32_t lanes = pattern->map.wavefront[w].lanes[bank];
            more |= (lanes & (lanes - 1)) != 0;
        }
    struct smc_text heading = {0};
    smc_text_printf(&heading, "Warp %u", pattern->worst_warp);
    if (pattern->steps > 1)
        smc_text_printf(&heading, ", turn %u of the loop", pattern->worst_step);
    smc_text_printf(&heading, ": the lane that each bank serves, a row a wavefront%s",
                    more ? "; + where it serves others, too" : "");
    smc_text_append(out, "\n");
    smc_layout_paragraph(out, "", 0, smc_text_string(&heading), style->columns);
    smc_text_free(&heading);
    smc_text_bank_grid(&answer->layout, &pattern->map, style, out);
}

static void append_remedy(const struct smc_banks_query *query,
                          const struct smc_banks_pattern *pattern, const struct smc_remedy *remedy,
                          const char *label, const struct smc_report_style *style,
                          struct smc_text *out)
{
    struct smc_text text = {0};
    smc_words_remedy(pattern, remedy, &text);
    bool shown = remedy->expression[0] && strlen(remedy->expression) <= LONGEST_SHOWN;
    bool said = remedy->rearrangement.dropped_elements;
    if (shown)
        smc_text_printf(&text, ": %s%s", remedy->expression, said ? "" : " has no conflict");
    else if (!said)
        smc_text_append(&text, ": no conflict is left");
    smc_text_line(out, style, label, &text);
    smc_text_free(&text);
    if (!remedy->expression[0])
        return;
    smc_words_banks_command(query, remedy->expression, &text);
    smc_layout_paragraph(out, "", COMMAND_INDENT, smc_text_string(&text), style->columns);
    out->failed |= text.failed;
    smc_text_free(&text);
}

static void append_remedies(const struct smc_banks_query *query,
                            const struct smc_banks_pattern *pattern,
                            const struct smc_report_style *style, struct smc_text *out)
{
    if (pattern->total.wavefronts == pattern->total.least)
        return;
    smc_text_append(out, "\n");
    if (pattern->narrower.found)
        append_remedy(query, pattern, &pattern->narrower, "padding", style, out);
    else if (pattern->padding.found)
        append_remedy(query, pattern, &pattern->padding, "padding", style, out);
    if (pattern->swizzle.found)
        append_remedy(query, pattern, &pattern->swizzle, "swizzle", style, out);
    if (pattern->narrower.found || pattern->padding.found || pattern->swizzle.found)
        return;
    struct smc_text text = {0};
    smc_text_printf(
        &text, "no padding of up to %d elements and no XOR swizzle removes all conflicts%s",
        SMC_MOST_PADDING, query->row_elements ? "" : "; give the row's length with --row");
    smc_text_line(out, style, "remedy", &text);
    smc_text_free(&text);
}

static void write_expression(const struct smc_banks_answer *answer,
                             const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_banks_query *query = &answer->query;
    const struct smc_banks_pattern *pattern = answer->pattern;
    smc_layout_begin(out, style, SMC_STRONG);
    smc_layout_paragraph(out, "", 0, pattern->label, style->columns);
    smc_layout_end(out, style);
    smc_text_printf(out, "%s of %u byte%s a lane, ", smc_words_bank_op(pattern->op),
                    pattern->width_bytes, pattern->width_bytes == 1 ? "" : "s");
    smc_words_banks_place(answer, out);
    smc_text_append(out, "\n");
    append_verdict(pattern, style, out);
    if (pattern->accesses)
        append_picture(answer, pattern, style, out);
    append_remedies(query, pattern, style, out);
}

static void append_row(const struct smc_banks_pattern *pattern, struct smc_text *out)
{
    uint32_t conflicts = pattern->total.wavefronts - pattern->total.least;
    smc_text_printf(out, "  %-*s %-5s %5u %8u %10u %7u %9u", LABEL_WIDTH, pattern->label,
                    smc_words_bank_op(pattern->op), pattern->width_bytes, pattern->accesses,
                    pattern->total.wavefronts, pattern->total.least, conflicts);
    smc_text_append(out, "\n");
}

static void write_kernel(const struct smc_banks_answer *answer,
                         const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_banks_query *query = &answer->query;
    const struct smc_banks_pattern *worst = &answer->pattern[answer->worst];
    struct smc_bank_cost total = {0, 0};
    bool partly = false;
    smc_layout_begin(out, style, SMC_STRONG);
    smc_text_append(out, query->kernel->name);
    smc_layout_end(out, style);
    smc_text_append(out, ", ");
    smc_words_banks_place(answer, out);
    for (uint32_t i = 0; i < answer->pattern_count; i++) {
        total.wavefronts += answer->pattern[i].total.wavefronts;
        total.least += answer->pattern[i].total.least;
        partly |= answer->pattern[i].steps > answer->pattern[i].steps_counted;
    }
    smc_text_append(out, "\n\n  ");
    smc_layout_begin(out, style, total.wavefronts == total.least ? SMC_GOOD : SMC_BAD);
    smc_words_bank_cost(total, out);
    smc_layout_end(out, style);
    smc_text_printf(out, "\n\n  %-*s %-5s %5s %8s %10s %7s %9s\n", LABEL_WIDTH, "access", "",
                    "bytes", "accesses", "wavefronts", "least", "conflicts");
    for (uint32_t i = 0; i < answer->pattern_count; i++)
        append_row(&answer->pattern[i], out);
    struct smc_text remark = {0};
    smc_text_append(&remark, "As the source text asks, by all warps of a block");
    if (partly)
        smc_text_printf(&remark, ", in the first %d turns of each loop", SMC_COUNTED_STEPS);
    smc_text_append(&remark, ".");
    smc_text_append(out, "\n");
    smc_layout_paragraph(out, "", 2, smc_text_string(&remark), style->columns);
    smc_text_free(&remark);
    if (total.wavefronts == total.least)
        return;
    append_picture(answer, worst, style, out);
    append_remedies(query, worst, style, out);
}

void smc_text_banks(const struct smc_banks_answer *answer, const struct smc_report_style *style,
                    struct smc_text *out)
{
    if (answer->query.kernel)
        write_kernel(answer, style, out);
    else
        write_expression(answer, style, out);
}
