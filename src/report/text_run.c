/* A run: predicted and seen values side by side, with a verdict a row. */
#include <string.h>

#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words_run.h"

enum { LABEL_WIDTH = 24, VALUE_WIDTH = 13 };

static void append_value(const struct smc_row *row, const struct smc_witness *witness,
                         struct smc_text *out)
{
    char text[SMC_ROW_WORDS];
    smc_words_witness(row, witness, text);
    smc_text_printf(out, " %*s", VALUE_WIDTH, text);
}

/* Words may begin where a shorter label leaves room. */
static void append_prediction(const struct smc_row *row, struct smc_text *out)
{
    char text[SMC_ROW_WORDS];
    smc_words_witness(row, &row->predicted, text);
    int room = LABEL_WIDTH + VALUE_WIDTH - (int)strlen(row->label);
    smc_text_printf(out, "%s %*s", row->label, room, text);
}

/* Which witnesses have a column. */
struct columns {
    bool api, emulated, measured;
};

/* A note that is the same as the row's before stands there already. */
static void append_row(const struct smc_row *row, const char *note_before,
                       const struct columns *columns, const struct smc_report_style *style,
                       struct smc_text *out)
{
    static const enum smc_emphasis emphasis[] = {
        [SMC_CONFIRMED] = SMC_GOOD,
        [SMC_DIFFERS] = SMC_BAD,
        [SMC_NOT_MEASURED] = SMC_PLAIN,
        [SMC_INFORMATION] = SMC_PLAIN,
    };
    append_prediction(row, out);
    if (columns->api)
        append_value(row, &row->api, out);
    if (columns->emulated)
        append_value(row, &row->emulated, out);
    if (columns->measured)
        append_value(row, &row->measured, out);
    smc_text_append(out, "  ");
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
    struct columns columns = {.api = all, .measured = all};
    for (size_t i = 0; i < confirmation->row_count; i++) {
        columns.api |= confirmation->row[i].api.present;
        columns.emulated |= confirmation->row[i].emulated.present;
        columns.measured |= confirmation->row[i].measured.present;
    }
    smc_text_printf(out, "%-*s %*s", LABEL_WIDTH, "", VALUE_WIDTH, "predicted");
    if (columns.api)
        smc_text_printf(out, " %*s", VALUE_WIDTH, "API");
    if (columns.emulated)
        smc_text_printf(out, " %*s", VALUE_WIDTH, "emulated");
    if (columns.measured)
        smc_text_printf(out, " %*s", VALUE_WIDTH, "measured");
    smc_text_append(out, "  verdict\n");
    for (size_t i = 0; i < confirmation->row_count; i++)
        append_row(&confirmation->row[i], i ? confirmation->row[i - 1].note : "", &columns, style,
                   out);
}

static void write_run(const struct smc_confirmed_run *run, const struct smc_report_style *style,
                      struct smc_text *out)
{
    const struct smc_confirmation *confirmation = &run->confirmation;
    smc_layout_begin(out, style, confirmation->differing ? SMC_BAD : SMC_GOOD);
    smc_words_verdicts(confirmation, out);
    smc_text_append_char(out, '\n', 1);
    smc_layout_end(out, style);
    smc_text_append_char(out, '\n', 1);
    append_head(&run->answer, &run->result, style, out);
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
