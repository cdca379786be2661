/* Reports of many GPUs in CSV: a row for each value of each. */
#include "report/csv_parts.h"

static void append_machine(const struct smc_merge_report *report, struct smc_text *out)
{
    smc_text_append(out, ",");
    smc_csv_field(out, report->host);
    smc_text_append(out, ",");
    smc_csv_field(out, report->gpu_uuid);
    smc_text_append(out, ",");
    smc_csv_field(out, report->device);
    smc_text_append(out, ",");
    smc_csv_field(out, report->cc);
}

static void append_place(const struct smc_merge_report *report, struct smc_text *out)
{
    smc_text_append(out, ",");
    smc_csv_field(out, report->file);
    smc_text_printf(out, ",%zu,", report->line);
    smc_csv_field(out, report->error);
    smc_text_append(out, "\n");
}

static void append_value(const char *question, const struct smc_merged_quantity *quantity,
                         const struct smc_merged_value *value, struct smc_text *out)
{
    smc_csv_field(out, question);
    smc_text_append(out, ",");
    smc_csv_field(out, quantity->name);
    smc_text_append(out, ",");
    smc_csv_field(out, quantity->unit);
    append_machine(value->report, out);
    for (int i = 0; i < SMC_SOURCE_COUNT; i++) {
        smc_text_append(out, ",");
        if (i == SMC_SOURCE_PREDICTED && value->row->words[0])
            smc_csv_field(out, value->row->words);
        else if (value->row->seen[i].present)
            smc_csv_number(value->row->seen[i].value, out);
    }
    smc_text_printf(out, ",%s,%d", smc_merge_verdict_name(quantity->verdict), value->odd);
    append_place(value->report, out);
}

void smc_csv_merge(const struct smc_merged *merged, const struct smc_report_style *style,
                   struct smc_text *out)
{
    (void)style;
    smc_text_append(out, "question,quantity,unit,host,gpu_uuid,device,compute_capability,predicted,"
                         "api,emulated,measured,verdict,odd,file,line,error\n");
    for (size_t q = 0; q < merged->question_count; q++) {
        const struct smc_merged_question *question = &merged->question[q];
        for (size_t i = 0; i < question->quantity_count; i++)
            for (size_t p = 0; p < question->quantity[i].peers_count; p++)
                for (size_t v = 0; v < question->quantity[i].peers[p].count; v++)
                    append_value(question->text, &question->quantity[i],
                                 &question->quantity[i].peers[p].value[v], out);
    }
    for (size_t i = 0; i < merged->failed_count; i++) {
        smc_text_append(out, ",,");
        append_machine(merged->failed[i], out);
        smc_text_append(out, ",,,,,failed,1");
        append_place(merged->failed[i], out);
    }
}
