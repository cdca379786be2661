/* A run: predicted and seen values side by side, with a verdict a row. */
#include <stdio.h>
#include <string.h>

#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words.h"

enum { LABEL_WIDTH = 24, VALUE_WIDTH = 13 };

/* Rows that say whether something happens hold 0 or 1. */
static bool is_yes_or_no(const struct smc_row *row)
{
    return strcmp(row->quantity, "compiles") == 0 || strcmp(row->quantity, "launches") == 0;
}

static void append_value(const struct smc_row *row, const struct smc_witness *witness,
                         struct smc_text *out)
{
    char text[48] = "-";
    double value = witness->value;
    const char *gap = row->unit[0] ? " " : "";
    bool whole = value > -1e15 && value < 1e15 && value == (double)(long long)value;
    if (witness->present && is_yes_or_no(row))
        snprintf(text, sizeof text, "%s", value != 0 ? "yes" : "no");
    else if (witness->present && whole)
        snprintf(text, sizeof text, "%.0f%s%s", value, gap, row->unit);
    else if (witness->present)
        snprintf(text, sizeof text, "%.4g%s%s", value, gap, row->unit);
    smc_text_printf(out, " %*s", VALUE_WIDTH, text);
}

static bool any_emulated(const struct smc_confirmation *confirmation)
{
    for (size_t i = 0; i < confirmation->row_count; i++)
        if (confirmation->row[i].emulated.present)
            return true;
    return false;
}

static void append_row(const struct smc_row *row, bool emulated,
                       const struct smc_report_style *style, struct smc_text *out)
{
    static const enum smc_emphasis emphasis[] = {
        [SMC_CONFIRMED] = SMC_GOOD,
        [SMC_DIFFERS] = SMC_BAD,
        [SMC_NOT_MEASURED] = SMC_PLAIN,
        [SMC_INFORMATION] = SMC_PLAIN,
    };
    smc_text_printf(out, "%-*s", LABEL_WIDTH, row->label);
    append_value(row, &row->predicted, out);
    append_value(row, &row->api, out);
    if (emulated)
        append_value(row, &row->emulated, out);
    append_value(row, &row->measured, out);
    smc_text_append(out, "  ");
    smc_layout_begin(out, style, emphasis[row->verdict]);
    smc_text_append(out, smc_verdict_name(row->verdict));
    smc_layout_end(out, style);
    smc_text_append_char(out, '\n', 1);
    if (row->note[0])
        smc_layout_paragraph(out, "", 4, row->note, style->columns);
}

static void append_head(const struct smc_answer *answer, const struct smc_run_result *result,
                        const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text kernel = {0}, device = {0};
    if (answer->query.kernel) {
        smc_text_printf(&kernel, "%s: ", answer->query.kernel->name);
        smc_words_params(answer, &kernel);
    }
    smc_text_line(out, style, "kernel", &kernel);
    const struct smc_device *gpu = &answer->query.device;
    smc_text_printf(&device, "%s, CC %d.%d, %u SMs", gpu->name, gpu->sm.cc / 10, gpu->sm.cc % 10,
                    gpu->sm_count);
    if (result->driver[0])
        smc_text_printf(&device, "; driver for CUDA %s, runtime %s", result->driver,
                        result->runtime);
    smc_text_line(out, style, "device", &device);
    smc_text_free(&kernel);
    smc_text_free(&device);
}

/* Every finding; the row has room for the first alone. */
static void append_findings(const struct smc_emulated_run *emulated,
                            const struct smc_report_style *style, struct smc_text *out)
{
    if (emulated->finding_count < 2)
        return;
    smc_text_append(out, "\nfound, lowest block first\n");
    for (size_t i = 0; i < emulated->finding_count; i++)
        smc_layout_paragraph(out, "", 4, emulated->finding[i].text, style->columns);
}

static void write_run(const struct smc_confirmed_run *run, const struct smc_report_style *style,
                      struct smc_text *out)
{
    const struct smc_confirmation *confirmation = &run->confirmation;
    bool emulated = any_emulated(confirmation);
    smc_layout_begin(out, style, confirmation->differing ? SMC_BAD : SMC_GOOD);
    const char *verdict = confirmation->differing   ? "differs"
                          : confirmation->confirmed ? "confirmed"
                                                    : "nothing was measured";
    smc_text_printf(out, "%s: %zu confirmed, %zu differ%s, %zu not measured\n", verdict,
                    confirmation->confirmed, confirmation->differing,
                    confirmation->differing == 1 ? "s" : "", confirmation->not_measured);
    smc_layout_end(out, style);
    smc_text_append_char(out, '\n', 1);
    append_head(&run->answer, &run->result, style, out);
    smc_text_printf(out, "\n%-*s %*s %*s", LABEL_WIDTH, "", VALUE_WIDTH, "predicted", VALUE_WIDTH,
                    "API");
    if (emulated)
        smc_text_printf(out, " %*s", VALUE_WIDTH, "emulated");
    smc_text_printf(out, " %*s  verdict\n", VALUE_WIDTH, "measured");
    for (size_t i = 0; i < confirmation->row_count; i++)
        append_row(&confirmation->row[i], emulated, style, out);
    append_findings(&run->result.emulated, style, out);
}

void smc_text_runs(const struct smc_confirmed_run *runs, size_t count,
                   const struct smc_report_style *style, struct smc_text *out)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            smc_text_append_char(out, '\n', 1);
        write_run(&runs[i], style, out);
    }
}
