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

void smc_csv_head(struct smc_text *out)
{
    smc_text_append(out, "device,kernel");
    smc_csv_params_head(out);
    smc_text_append(out,
                    ",threads,regs,static_smem,dynamic_smem,carveout,barriers,cluster,"
                    "smem_mode,blocks_per_sm,warps_per_sm,occupancy_percent,limiters,limit_warps,"
                    "limit_blocks,limit_registers,limit_shared_memory,limit_barriers,"
                    "allocated_registers,allocated_smem,error\n");
}

/* Numbers without snprintf, which would take most of a long sweep's time. */
static void append_number(uint64_t value, struct smc_text *out)
{
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    digits[--at] = ',';
    smc_text_append_bytes(out, digits + at, sizeof digits - at);
}

void smc_csv_params(const struct smc_query *query, struct smc_text *out)
{
    const struct smc_kernel *kernel = query->kernel;
    for (int i = 0; i < SMC_PARAM_COUNT; i++) {
        int64_t value = query->params.value[i];
        bool taken = kernel && kernel->params & 1u << i;
        if (taken && i != SMC_PARAM_DTYPE) {
            append_number((uint64_t)value, out);
            continue;
        }
        smc_text_append(out, ",");
        if (taken)
            smc_text_append(out, smc_dtype_name((enum smc_dtype)value));
    }
}

static void append_limit(uint32_t limit, struct smc_text *out)
{
    if (limit == SMC_UNLIMITED)
        smc_text_append(out, ",");
    else
        append_number(limit, out);
}

static void append_inputs(const struct smc_answer *answer, struct smc_text *out)
{
    const struct smc_launch *launch = &answer->launch;
    smc_csv_field(out, answer->query.device.name);
    smc_text_append(out, ",");
    smc_text_append(out, answer->query.kernel ? answer->query.kernel->name : "");
    smc_csv_params(&answer->query, out);
    append_number(launch->threads_per_block, out);
    if (smc_words_regs_known(answer))
        append_number(launch->regs_per_thread, out);
    else
        smc_text_append(out, ",");
    append_number(launch->static_smem_bytes, out);
    append_number(launch->dynamic_smem_bytes, out);
    if (launch->carveout_percent < 0)
        smc_text_append(out, ",-1");
    else
        append_number((uint64_t)launch->carveout_percent, out);
    append_number(launch->barriers_per_block, out);
    append_number(launch->blocks_per_cluster, out);
    smc_text_append(out, ",");
    smc_text_append(out, smc_smem_mode_name(launch->smem_mode));
}

static void append_percent(double percent, struct smc_text *out)
{
    if (percent == (double)(unsigned)percent)
        append_number((unsigned)percent, out);
    else
        smc_text_printf(out, ",%.10g", percent);
}

static void append_results(const struct smc_answer *answer, struct smc_text *out)
{
    static const enum smc_limit limits[] = {SMC_LIMIT_WARPS, SMC_LIMIT_BLOCKS, SMC_LIMIT_REGISTERS,
                                            SMC_LIMIT_SHARED_MEMORY, SMC_LIMIT_BARRIERS};
    const struct smc_occupancy *occupancy = &answer->occupancy;
    append_number(occupancy->blocks_per_sm, out);
    append_number(occupancy->warps_per_sm, out);
    append_percent(answer->occupancy_percent, out);
    smc_text_append(out, ",");
    smc_words_limiter_names(occupancy, "+", out);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        append_limit(occupancy->limit[limits[i]], out);
    append_number(occupancy->regs_allocated_per_block, out);
    append_number(occupancy->smem_allocated_per_block_bytes, out);
}

void smc_csv_answer(const struct smc_answer *answer, const char *why, struct smc_text *out)
{
    append_inputs(answer, out);
    if (why)
        smc_text_append(out, ",,,,,,,,,,,");
    else
        append_results(answer, out);
    smc_text_append(out, ",");
    smc_csv_field(out, why ? why : "");
    smc_text_append(out, "\n");
}

static void write_answers(const struct smc_answer *answers, size_t count,
                          const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    smc_csv_head(out);
    for (size_t i = 0; i < count; i++)
        smc_csv_answer(&answers[i], NULL, out);
}

void smc_csv_number(double value, struct smc_text *out)
{
    smc_text_printf(out, smc_number_is_whole(value) ? "%.0f" : "%.10g", value);
}

static void append_known(double value, struct smc_text *out)
{
    smc_text_append(out, ",");
    if (value > 0)
        smc_text_printf(out, "%.15g", value);
}

static void write_devices(const struct smc_device *devices, const struct smc_ceilings *ceilings,
                          size_t count, const struct smc_report_style *style, struct smc_text *out)
{
    (void)style, (void)ceilings;
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

static void begin_sweep(const struct smc_sweep *sweep, struct smc_text *out)
{
    (void)sweep;
    smc_csv_head(out);
}

static void write_sweep_point(const struct smc_sweep *sweep, uint64_t point,
                              const struct smc_answer *answer, const char *why,
                              struct smc_text *out)
{
    (void)sweep;
    (void)point;
    smc_csv_answer(answer, why, out);
}

static void end_sweep(const struct smc_sweep_result *result, const struct smc_report_style *style,
                      struct smc_text *out)
{
    (void)result;
    (void)style;
    (void)out;
}

const struct smc_writer smc_writer_csv = {
    .name = "csv",
    .answers = write_answers,
    .runs = smc_csv_runs,
    .series = smc_csv_series,
    .everywhere = smc_csv_everywhere,
    .merge = smc_csv_merge,
    .own = smc_csv_own,
    .devices = write_devices,
    .calibration = smc_csv_calibration,
    .rooms = smc_csv_rooms,
    .carveouts = smc_csv_carveouts,
    .best = smc_csv_best,
    .inspection = smc_csv_inspection,
    .promises = smc_csv_promises,
    .kernels = write_kernels,
    .sweep_begin = begin_sweep,
    .sweep_point = write_sweep_point,
    .sweep_end = end_sweep,
    .banks = smc_csv_banks,
};
