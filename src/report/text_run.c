/* A run: predicted and seen values side by side, with a verdict a row. */
#include <string.h>

#include "report/banks_words.h"
#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words.h"
#include "report/words_run.h"

/* With as many columns as a GPU's run has this fills 80. */
enum { LABEL_WIDTH = 24, VALUE_WIDTH = 13, VERDICT_WIDTH = 12, VERDICT_GAP = 2 };

struct table {
    int label_width, width[SMC_WITNESSES]; /* 0: nobody has such a witness */
};

static void widen(int *width, size_t needed)
{
    if ((size_t)*width < needed)
        *width = (int)needed;
}

/* As narrow as what stands in it. */
static void make_narrow(const struct smc_confirmation *confirmation, struct table *table)
{
    size_t words = 0; /* with the label before them */
    table->label_width = 0;
    for (int c = 0; c < SMC_WITNESSES; c++)
        if (table->width[c] > 0)
            table->width[c] = (int)strlen(smc_witness_headings[c]);
    for (size_t i = 0; i < confirmation->row_count; i++) {
        const struct smc_row *row = &confirmation->row[i];
        char text[SMC_ROW_WORDS];
        widen(&table->label_width, strlen(row->label));
        if (row->words[0] && strlen(row->label) + strlen(row->words) > words)
            words = strlen(row->label) + strlen(row->words);
        for (int c = row->words[0] ? SMC_BY_API : SMC_PREDICTED; c < SMC_WITNESSES; c++) {
            smc_words_witness(row, smc_row_witness(row, c), text);
            if (table->width[c] > 0)
                widen(&table->width[c], strlen(text));
        }
    }
    if (words > (size_t)table->label_width)
        widen(&table->width[SMC_PREDICTED], words - (size_t)table->label_width);
}

/* Which witnesses have a column; narrow ones where the terminal has no room for the usual width. */
static struct table lay_out(const struct smc_confirmation *confirmation, bool all, size_t columns)
{
    struct table table = {.label_width = LABEL_WIDTH, .width[SMC_PREDICTED] = VALUE_WIDTH};
    size_t total = LABEL_WIDTH + VERDICT_GAP + VERDICT_WIDTH;
    table.width[SMC_BY_API] = table.width[SMC_MEASURED] = all ? VALUE_WIDTH : 0;
    for (size_t i = 0; i < confirmation->row_count; i++)
        for (int c = SMC_BY_API; c < SMC_WITNESSES; c++)
            if (smc_row_witness(&confirmation->row[i], c)->present)
                table.width[c] = VALUE_WIDTH;
    for (int c = 0; c < SMC_WITNESSES; c++)
        total += table.width[c] > 0 ? 1 + VALUE_WIDTH : 0;
    if (total > columns)
        make_narrow(confirmation, &table);
    return table;
}

/* The first column is the prediction's: words may begin where a shorter label leaves room. */
static void append_values(const struct smc_row *row, const struct table *table,
                          struct smc_text *out)
{
    char text[SMC_ROW_WORDS];
    int label_width = (int)strlen(row->label);
    smc_words_witness(row, &row->predicted, text);
    smc_text_printf(out, "%s %*s", row->label,
                    table->label_width + table->width[SMC_PREDICTED] - label_width, text);
    for (int c = SMC_BY_API; c < SMC_WITNESSES; c++) {
        smc_words_witness(row, smc_row_witness(row, c), text);
        if (table->width[c] > 0)
            smc_text_printf(out, " %*s", table->width[c], text);
    }
}

/* A note that is the same as the row's before stands there already. */
static void append_row(const struct smc_row *row, const char *note_before,
                       const struct table *table, const struct smc_report_style *style,
                       struct smc_text *out)
{
    static const enum smc_emphasis emphasis[] = {
        [SMC_CONFIRMED] = SMC_GOOD,    [SMC_DIFFERS] = SMC_BAD,    [SMC_NOT_MEASURED] = SMC_PLAIN,
        [SMC_INFORMATION] = SMC_PLAIN, [SMC_BY_ORDER] = SMC_PLAIN,
    };
    append_values(row, table, out);
    smc_text_append_char(out, ' ', VERDICT_GAP);
    smc_layout_begin(out, style, emphasis[row->verdict]);
    smc_text_append(out, smc_verdict_name(row->verdict));
    smc_layout_end(out, style);
    smc_text_append_char(out, '\n', 1);
    if (row->note[0] && strcmp(row->note, note_before) != 0)
        smc_layout_paragraph(out, "", 4, row->note, style->columns);
}

void smc_text_machine_line(const char *host_name, const char *gpu_uuid,
                           const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text machine = {0};
    if (!gpu_uuid[0])
        return;
    smc_text_printf(&machine, "%s%s%s", host_name, host_name[0] ? ", " : "", gpu_uuid);
    smc_text_line(out, style, "machine", &machine);
    smc_text_free(&machine);
}

static void append_head(const struct smc_answer *answer, const struct smc_run_result *result,
                        const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text kernel = {0}, device = {0};
    smc_words_run_kernel(answer, &kernel);
    smc_text_line(out, style, "kernel", &kernel);
    smc_words_run_device(&answer->query.device, &device);
    if (result->driver[0])
        smc_text_append(&device, "; ");
    smc_words_run_driver(result, &device);
    smc_words_assumed(&answer->query, &device);
    smc_text_line(out, style, "device", &device);
    smc_text_machine_line(result->host_name, result->gpu_uuid, style, out);
    smc_text_free(&kernel);
    smc_text_free(&device);
}

void smc_text_findings(const struct smc_emulated_run *emulated,
                       const struct smc_report_style *style, struct smc_text *out)
{
    smc_text_append(out, "\nfound, lowest block first\n");
    for (size_t i = 0; i < emulated->finding_count; i++)
        smc_layout_paragraph(out, "", 4, emulated->finding[i].text, style->columns);
}

void smc_text_rows(const struct smc_confirmation *confirmation, bool all,
                   const struct smc_report_style *style, struct smc_text *out)
{
    const struct table table = lay_out(confirmation, all, style->columns);
    smc_text_printf(out, "%-*s", table.label_width, "");
    for (int c = 0; c < SMC_WITNESSES; c++)
        if (table.width[c] > 0)
            smc_text_printf(out, " %*s", table.width[c], smc_witness_headings[c]);
    smc_text_append(out, "  verdict\n");
    for (size_t i = 0; i < confirmation->row_count; i++)
        append_row(&confirmation->row[i], i ? confirmation->row[i - 1].note : "", &table, style,
                   out);
}

static void write_run(const struct smc_confirmed_run *run, const struct smc_report_style *style,
                      struct smc_text *out)
{
    const struct smc_confirmation *confirmation = &run->confirmation;
    struct smc_text verdict = {0};
    smc_words_verdicts(confirmation, &verdict);
    smc_words_conflicts(&run->conflicts, &verdict);
    smc_layout_begin(out, style, confirmation->differing ? SMC_BAD : SMC_GOOD);
    smc_layout_paragraph(out, "", 0, smc_text_string(&verdict), style->columns);
    smc_layout_end(out, style);
    smc_text_free(&verdict);
    smc_text_append_char(out, '\n', 1);
    append_head(&run->answer, &run->result, style, out);
    smc_text_conflict_fix(&run->conflicts,
                          run->answer.query.kernel ? run->answer.query.kernel->file : "", style,
                          out);
    smc_text_append_char(out, '\n', 1);
    smc_text_rows(confirmation, run->result.load.made, style, out);
    if (run->result.emulated.finding_count > 1) /* the row has room for the first */
        smc_text_findings(&run->result.emulated, style, out);
    smc_text_annotation(run->result.emulated.annotation, style, out);
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
