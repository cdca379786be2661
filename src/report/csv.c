/* The CSV report: one header, a row an answer; the results have the names of the batch format. */
#include <inttypes.h>
#include <string.h>

#include "report/csv_parts.h"
#include "report/words.h"

void smc_csv_field(struct smc_text *out, const char *value)
{
    if (!value[strcspn(value, ",\"\r\n")]) {
        smc_text_append(out, value);
        return;
    }
    smc_text_append(out, "\"");
    for (; *value; value++)
        smc_text_append_char(out, *value, *value == '"' ? 2 : 1);
    smc_text_append(out, "\"");
}

static void append_head(struct smc_text *out)
{
    smc_text_append(out, "device,kernel");
    for (int i = 0; i < SMC_PARAM_COUNT; i++)
        smc_text_printf(out, ",%s", smc_param_info[i].option);
    smc_text_append(out, ",threads,regs,static_smem,dynamic_smem,carveout,barriers,cluster,"
                         "blocks_per_sm,warps_per_sm,occupancy_percent,limiters,limit_warps,"
                         "limit_blocks,limit_registers,limit_shared_memory,limit_barriers,"
                         "allocated_registers,allocated_smem,error\n");
}

static void append_params(const struct smc_answer *answer, struct smc_text *out)
{
    const struct smc_kernel *kernel = answer->query.kernel;
    for (int i = 0; i < SMC_PARAM_COUNT; i++) {
        int64_t value = answer->query.params.value[i];
        smc_text_append(out, ",");
        if (!kernel || !(kernel->params & 1u << i))
            continue;
        if (i == SMC_PARAM_DTYPE)
            smc_text_append(out, smc_dtype_name((enum smc_dtype)value));
        else
            smc_text_printf(out, "%" PRId64, value);
    }
}

static void append_limit(uint32_t limit, struct smc_text *out)
{
    smc_text_append(out, ",");
    if (limit != SMC_UNLIMITED)
        smc_text_printf(out, "%u", limit);
}

static void append_answer(const struct smc_answer *answer, struct smc_text *out)
{
    static const enum smc_limit limits[] = {SMC_LIMIT_WARPS, SMC_LIMIT_BLOCKS, SMC_LIMIT_REGISTERS,
                                            SMC_LIMIT_SHARED_MEMORY, SMC_LIMIT_BARRIERS};
    const struct smc_launch *launch = &answer->launch;
    const struct smc_occupancy *occupancy = &answer->occupancy;
    smc_csv_field(out, answer->query.device.name);
    smc_text_printf(out, ",%s", answer->query.kernel ? answer->query.kernel->name : "");
    append_params(answer, out);
    smc_text_printf(out, ",%u,", launch->threads_per_block);
    if (smc_words_regs_known(answer))
        smc_text_printf(out, "%u", launch->regs_per_thread);
    smc_text_printf(out, ",%u,%u,%d,%u,%u", launch->static_smem_bytes, launch->dynamic_smem_bytes,
                    launch->carveout_percent, launch->barriers_per_block,
                    launch->blocks_per_cluster);
    smc_text_printf(out, ",%u,%u,%.10g,", occupancy->blocks_per_sm, occupancy->warps_per_sm,
                    answer->occupancy_percent);
    smc_words_limiter_names(occupancy, "+", out);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        append_limit(occupancy->limit[limits[i]], out);
    smc_text_printf(out, ",%u,%u,\n", occupancy->regs_allocated_per_block,
                    occupancy->smem_allocated_per_block_bytes);
}

static void write_answers(const struct smc_answer *answers, size_t count,
                          const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    append_head(out);
    for (size_t i = 0; i < count; i++)
        append_answer(&answers[i], out);
}

static void append_witness(const struct smc_witness *witness, struct smc_text *out)
{
    smc_text_append(out, ",");
    if (witness->present)
        smc_text_printf(out, "%.10g", witness->value);
}

static void write_runs(const struct smc_confirmed_run *runs, size_t count,
                       const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    smc_text_append(out, "kernel,quantity,unit,predicted,api,emulated,measured,verdict,note\n");
    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; i < runs[r].confirmation.row_count; i++) {
            const struct smc_row *row = &runs[r].confirmation.row[i];
            smc_text_printf(out, "%s,%s,%s", runs[r].answer.query.kernel->name, row->quantity,
                            row->unit);
            append_witness(&row->predicted, out);
            append_witness(&row->api, out);
            append_witness(&row->emulated, out);
            append_witness(&row->measured, out);
            smc_text_printf(out, ",%s,", smc_verdict_name(row->verdict));
            smc_csv_field(out, row->note);
            smc_text_append(out, "\n");
        }
}

static void append_known(double value, struct smc_text *out)
{
    smc_text_append(out, ",");
    if (value > 0)
        smc_text_printf(out, "%.15g", value);
}

static void write_devices(const struct smc_device *devices, size_t count,
                          const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    smc_text_append(out, "name,compute_capability,source,sm_count,sm_clock_khz,memory_bytes_per_s,"
                         "smem_per_sm_bytes,l2_bytes,global_mem_bytes,fp32_peak_tflops\n");
    for (size_t i = 0; i < count; i++) {
        const struct smc_device *device = &devices[i];
        smc_csv_field(out, device->name);
        smc_text_printf(out, ",%d.%d,%s", device->sm.cc / 10, device->sm.cc % 10,
                        smc_device_source_name(device->source));
        append_known(device->sm_count, out);
        append_known(device->sm_clock_khz, out);
        append_known(device->memory_bytes_per_s, out);
        append_known(device->sm.smem_per_sm_bytes, out);
        append_known((double)device->l2_bytes, out);
        append_known((double)device->global_mem_bytes, out);
        append_known(device->fp32_peak_tflops, out);
        smc_text_append(out, "\n");
    }
}

static void write_kernels(const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    smc_text_append(out, "name,family,parameters,summary\n");
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i);
        smc_text_printf(out, "%s,%s,", kernel->name, kernel->family);
        bool first = true;
        for (int p = 0; p < SMC_PARAM_COUNT; p++) {
            if (!(kernel->params & 1u << p))
                continue;
            smc_text_printf(out, "%s%s", first ? "" : "+", smc_param_info[p].option);
            first = false;
        }
        smc_text_append(out, ",");
        smc_csv_field(out, kernel->summary);
        smc_text_append(out, "\n");
    }
}

const struct smc_writer smc_writer_csv = {
    .name = "csv",
    .answers = write_answers,
    .runs = write_runs,
    .devices = write_devices,
    .rooms = smc_csv_rooms,
    .carveouts = smc_csv_carveouts,
    .best = smc_csv_best,
    .inspection = smc_csv_inspection,
    .promises = smc_csv_promises,
    .kernels = write_kernels,
    .banks = smc_csv_banks,
};
