/* Somebody's own kernels in CSV: a row a kernel and device; unknown values are empty. */
#include "report/csv_parts.h"
#include "report/words.h"

static void append_known(bool known, uint32_t value, struct smc_text *out)
{
    smc_text_append(out, ",");
    if (known)
        smc_text_printf(out, "%u", value);
}

static void append_names(const struct smc_inspect_kernel *kernel, const struct smc_answer *answer,
                         struct smc_text *out)
{
    smc_csv_field(out, kernel->file);
    smc_text_append(out, ",");
    smc_csv_field(out, kernel->shown);
    smc_text_append(out, ",");
    smc_csv_field(out, answer->query.device.name);
}

void smc_csv_inspection(const struct smc_inspect_rows *rows, const struct smc_report_style *style,
                        struct smc_text *out)
{
    (void)style;
    smc_text_append(out, "file,kernel,device,registers,spill_stores,spill_loads,static_smem,"
                         "dynamic_smem,barriers,blocks_per_sm,warps_per_sm,occupancy_percent,"
                         "limiters\n");
    for (size_t i = 0; i < rows->count; i++) {
        const struct smc_inspect_row *row = &rows->item[i];
        const struct smc_answer *answer = &row->answer;
        const struct smc_resources *resources = &answer->resources;
        append_names(row->kernel, answer, out);
        append_known(smc_words_regs_known(answer), resources->regs_per_thread, out);
        append_known(row->kernel->has_spills, resources->spill_store_bytes, out);
        append_known(row->kernel->has_spills, resources->spill_load_bytes, out);
        smc_text_printf(out, ",%u,%u", answer->launch.static_smem_bytes,
                        answer->launch.dynamic_smem_bytes);
        append_known(row->kernel->has_barriers, resources->barriers, out);
        smc_text_printf(out, ",%u,%u,%.10g,", answer->occupancy.blocks_per_sm,
                        answer->occupancy.warps_per_sm, answer->occupancy_percent);
        smc_words_limiter_names(&answer->occupancy, "+", out);
        smc_text_append(out, "\n");
    }
}

void smc_csv_promises(const struct smc_inspect_promises *promises,
                      const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    smc_text_append(out, "file,kernel,device,max_threads,min_blocks,registers,blocks_per_sm,"
                         "limiters,verdict\n");
    for (size_t i = 0; i < promises->count; i++) {
        const struct smc_inspect_promise *promise = &promises->item[i];
        const struct smc_answer *answer = &promise->answer;
        append_names(promise->kernel, answer, out);
        smc_text_printf(out, ",%u", promise->kernel->max_threads_per_block);
        append_known(promise->kernel->min_blocks_per_sm > 0, promise->kernel->min_blocks_per_sm,
                     out);
        append_known(promise->regs_known, answer->launch.regs_per_thread, out);
        smc_text_printf(out, ",%u,", answer->occupancy.blocks_per_sm);
        smc_words_limiter_names(&answer->occupancy, "+", out);
        smc_text_printf(out, ",%s\n", smc_promise_verdict_name(promise->verdict));
    }
}
