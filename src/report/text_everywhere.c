/* A question on every GPU of the machine: the verdict over all, then GPU by GPU. */
#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words_run.h"

struct sum {
    struct smc_confirmation all; /* of which only the counts are used */
    size_t failed;
};

static struct sum add_up(const struct smc_all_gpus *everywhere)
{
    struct sum sum = {.failed = 0};
    for (size_t i = 0; i < everywhere->count; i++) {
        const struct smc_gpu_part *part = &everywhere->part[i];
        sum.failed += smc_gpu_part_failed(part);
        for (size_t r = 0; r < part->count; r++)
            smc_confirmation_add(&part->runs[r].confirmation, &sum.all);
    }
    return sum;
}

static void write_part(const struct smc_gpu_part *part, const char *host_name,
                       const struct smc_report_style *style, struct smc_text *out)
{
    smc_layout_begin(out, style, SMC_STRONG);
    smc_text_printf(out, "\nGPU %d", part->gpu_index);
    smc_layout_end(out, style);
    smc_text_append(out, ": ");
    if (part->count > 0)
        smc_text_runs(part->runs, part->count, style, out);
    if (!smc_gpu_part_failed(part))
        return;
    struct smc_text line = {0};
    smc_text_printf(&line, "failed: %s", part->error.message);
    smc_layout_begin(out, style, SMC_BAD);
    smc_layout_paragraph(out, "", 0, smc_text_string(&line), style->columns);
    smc_layout_end(out, style);
    smc_text_free(&line);
    if (part->count > 0)
        return;
    smc_words_run_device(&part->device, &line);
    if (line.length > 0)
        smc_text_line(out, style, "device", &line);
    smc_text_machine_line(host_name, smc_gpu_part_uuid(part), style, out);
    smc_text_free(&line);
}

void smc_text_everywhere(const struct smc_all_gpus *everywhere,
                         const struct smc_report_style *style, struct smc_text *out)
{
    const struct sum sum = add_up(everywhere);
    smc_layout_begin(out, style, sum.failed || sum.all.differing ? SMC_BAD : SMC_GOOD);
    smc_text_printf(out, "%zu GPU%s", everywhere->count, everywhere->count == 1 ? "" : "s");
    if (sum.failed > 0)
        smc_text_printf(out, ", %zu of them failed", sum.failed);
    smc_text_append(out, ": ");
    smc_words_verdicts(&sum.all, out);
    smc_layout_end(out, style);
    smc_text_append_char(out, '\n', 1);
    for (size_t i = 0; i < everywhere->count; i++)
        write_part(&everywhere->part[i], everywhere->host_name, style, out);
}
