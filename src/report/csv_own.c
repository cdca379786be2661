/* A person's own kernel in CSV: the rows of a run, then rows for its memory and the findings. */
#include <stdio.h>

#include "report/csv_parts.h"

static void append_count(const struct smc_csv_run *of, size_t position, const char *name,
                         double emulated, struct smc_text *out)
{
    char quantity[48];
    snprintf(quantity, sizeof quantity, "arg_%zu_%s", position, name);
    const struct smc_row row = {
        .quantity = quantity,
        .unit = "",
        .emulated = {.present = true, .value = emulated},
        .verdict = SMC_INFORMATION,
    };
    smc_csv_row(of, &row, out);
}

static void append_memory(const struct smc_own_run *run, const struct smc_csv_run *of, size_t index,
                          struct smc_text *out)
{
    static const char *const names[SMC_EMULATED_KINDS][3] = {
        {"load_requests", "load_sectors", "load_bytes"},
        {"store_requests", "store_sectors", "store_bytes"},
        {"atomic_requests", "atomic_sectors", "atomic_bytes"},
    };
    const struct smc_own_memory *memory = &run->memory[index];
    for (int kind = 0; kind < SMC_EMULATED_KINDS && run->result.emulated.run.made; kind++) {
        const struct smc_emulated_traffic *seen = &run->result.emulated.buffer[index].kind[kind];
        append_count(of, memory->position, names[kind][0], (double)seen->requests, out);
        append_count(of, memory->position, names[kind][1], (double)seen->sectors, out);
        append_count(of, memory->position, names[kind][2], (double)seen->bytes, out);
    }
    char quantity[48];
    snprintf(quantity, sizeof quantity, "arg_%zu_changed", memory->position);
    struct smc_row row = {
        .quantity = quantity,
        .unit = "",
        .emulated = {memory->has_emulated, (double)memory->emulated.changed},
        .measured = {memory->has_gpu, (double)memory->gpu.changed},
        .verdict = SMC_INFORMATION,
    };
    smc_csv_row(of, &row, out);
}

void smc_csv_own(const struct smc_own_run *run, const struct smc_confirmation *confirmation,
                 const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_emulated_run *counts = &run->result.emulated.counts;
    const struct smc_csv_run of = {run->row.kernel->shown, run->result.host_name,
                                   run->result.gpu.gpu_uuid};
    (void)style;
    if (counts->annotation) {
        smc_csv_annotation_head(out);
        smc_csv_annotation(run->row.kernel->shown, counts->annotation, out);
        return;
    }
    smc_csv_rows_head(out);
    for (size_t i = 0; i < confirmation->row_count; i++)
        smc_csv_row(&of, &confirmation->row[i], out);
    for (size_t i = 0; i < run->memory_count; i++)
        append_memory(run, &of, i, out);
    for (size_t i = 0; i < counts->finding_count; i++) {
        const struct smc_run_finding *finding = &counts->finding[i];
        struct smc_row row = {
            .quantity = smc_finding_name(finding->finding.kind),
            .unit = "",
            .emulated = {true, (double)finding->finding.times},
            .verdict = SMC_DIFFERS,
        };
        snprintf(row.note, sizeof row.note, "%.255s", finding->text);
        smc_csv_row(&of, &row, out);
    }
}
