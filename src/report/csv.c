/* The CSV report: one header, a row an answer; the results have the names of the batch format. */
#include <inttypes.h>
#include <string.h>

#include "base/numbers.h"
#include "report/csv_parts.h"
#include "report/words.h"

void smc_csv_field(struct smc_text *out, const char *value)
{
    size_t start = out->length;
    if (value[strcspn(value, ",\"\r\n")])
        smc_text_append_quoted(out, value, strlen(value));
    else
        smc_text_append(out, value);
    if (!out->failed)
        smc_text_make_safe(out->data + start);
}

void smc_csv_params_head(struct smc_text *out)
{
    char key[SMC_PARAM_KEY_CHARS];
    for (int i = 0; i < SMC_PARAM_COUNT; i++)
        smc_text_printf(out, ",%s", smc_words_param_key((enum smc_param)i, key));
}

/* Without snprintf, which would take most of a long sweep's time. */
void smc_csv_integer(int64_t integer, struct smc_text *out)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t left = integer < 0 ? -(uint64_t)integer : (uint64_t)integer;
    do
        digits[--at] = (char)('0' + left % 10);
    while (left /= 10);
    if (integer < 0)
        digits[--at] = '-';
    smc_text_append_bytes(out, digits + at, sizeof digits - at);
}

void smc_csv_params(const struct smc_query *query, struct smc_text *out)
{
    const struct smc_kernel *kernel = query->kernel;
    for (int i = 0; i < SMC_PARAM_COUNT; i++) {
        int64_t value = query->params.value[i];
        smc_text_append_bytes(out, ",", 1);
        if (!kernel || !(kernel->params & 1u << i))
            continue;
        if (i == SMC_PARAM_DTYPE)
            smc_text_append(out, smc_dtype_name((enum smc_dtype)value));
        else
            smc_csv_integer(value, out);
    }
}

void smc_csv_number(double value, struct smc_text *out)
{
    if (smc_number_is_whole(value))
        smc_csv_integer((int64_t)value, out);
    else
        smc_text_printf(out, "%.10g", value);
}

static void append_witness(const struct smc_reading *witness, struct smc_text *out)
{
    smc_text_append(out, ",");
    if (witness->present)
        smc_csv_number(witness->value, out);
}

void smc_csv_rows_head(struct smc_text *out)
{
    smc_text_append(out, "kernel,quantity,unit,predicted,api,emulated,measured,verdict,note,host,"
                         "gpu_uuid\n");
}

void smc_csv_row(const struct smc_csv_run *run, const struct smc_row *row, struct smc_text *out)
{
    smc_csv_field(out, run->kernel);
    smc_text_printf(out, ",%s,%s", row->quantity, row->unit);
    if (row->words[0])
        smc_text_printf(out, ",%s", row->words);
    else
        append_witness(&row->predicted, out);
    append_witness(&row->api, out);
    append_witness(&row->emulated, out);
    append_witness(&row->measured, out);
    smc_text_printf(out, ",%s,", smc_verdict_name(row->verdict));
    smc_csv_field(out, row->note);
    smc_text_append(out, ",");
    smc_csv_field(out, run->host_name);
    smc_text_printf(out, ",%s\n", run->gpu_uuid);
}

static void write_rows(const struct smc_confirmed_run *runs, size_t count, struct smc_text *out)
{
    for (size_t r = 0; r < count; r++) {
        const struct smc_csv_run run = {runs[r].answer.query.kernel->name, runs[r].result.host_name,
                                        runs[r].result.gpu_uuid};
        for (size_t i = 0; i < runs[r].confirmation.row_count; i++)
            smc_csv_row(&run, &runs[r].confirmation.row[i], out);
    }
}

/* A GPU that failed has one row, whose note says why. */
static void write_everywhere(const struct smc_all_gpus *everywhere,
                             const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    smc_csv_rows_head(out);
    for (size_t i = 0; i < everywhere->count; i++) {
        const struct smc_gpu_part *part = &everywhere->part[i];
        write_rows(part->runs, part->count, out);
        if (!smc_gpu_part_failed(part))
            continue;
        struct smc_text why = {0};
        smc_text_printf(&why, "GPU %d: %s", part->gpu_index, part->error.message);
        smc_text_append(out, ",error,,,,,,failed,");
        smc_csv_field(out, smc_text_string(&why));
        smc_text_append(out, ",");
        smc_csv_field(out, everywhere->host_name);
        smc_text_printf(out, ",%s\n", smc_gpu_part_uuid(part));
        smc_text_free(&why);
    }
}

static void write_runs(const struct smc_confirmed_run *runs, size_t count,
                       const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    bool annotated = false;
    for (size_t i = 0; i < count; i++)
        annotated |= runs[i].result.emulated.annotation != NULL;
    if (!annotated) {
        smc_csv_rows_head(out);
        write_rows(runs, count, out);
        return;
    }
    smc_csv_annotation_head(out);
    for (size_t i = 0; i < count; i++)
        if (runs[i].result.emulated.annotation)
            smc_csv_annotation(runs[i].answer.query.kernel->name,
                               runs[i].result.emulated.annotation, out);
}

const struct smc_writer smc_writer_csv = {
    .name = "csv",
    .answers = smc_csv_answers,
    .runs = write_runs,
    .series = smc_csv_series,
    .everywhere = write_everywhere,
    .merge = smc_csv_merge,
    .own = smc_csv_own,
    .devices = smc_csv_devices,
    .calibration = smc_csv_calibration,
    .rooms = smc_csv_rooms,
    .carveouts = smc_csv_carveouts,
    .best = smc_csv_best,
    .inspection = smc_csv_inspection,
    .promises = smc_csv_promises,
    .kernels = smc_csv_kernels,
    .sweep_begin = smc_csv_sweep_begin,
    .sweep_point = smc_csv_sweep_point,
    .sweep_end = smc_csv_sweep_end,
    .banks = smc_csv_banks,
};
