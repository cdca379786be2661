/* One answer on one screen: the verdict, what was asked, the limits, what to try next. */
#include <inttypes.h>

#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words.h"

static void append_verdict(const struct smc_answer *answer, const struct smc_report_style *style,
                           struct smc_text *out)
{
    struct smc_text verdict = {0};
    const struct smc_occupancy *occupancy = &answer->occupancy;
    bool launches = answer->outcome == SMC_LAUNCHES;
    if (launches) {
        smc_words_blocks(occupancy->blocks_per_sm, &verdict);
        smc_text_append(&verdict, " per SM, occupancy ");
        smc_layout_percent(&verdict, answer->occupancy_percent);
        smc_text_printf(&verdict, " (%u/%u warps), limited by ", occupancy->warps_per_sm,
                        answer->query.device.sm.max_warps_per_sm);
        smc_words_limiters(occupancy, &verdict);
        smc_words_estimated(answer, &verdict);
    } else {
        smc_words_failure(answer, &verdict);
    }
    smc_layout_begin(out, style, launches ? SMC_GOOD : SMC_BAD);
    smc_layout_paragraph(out, "", 0, smc_text_string(&verdict), style->columns);
    smc_layout_end(out, style);
    smc_text_append_char(out, '\n', 1);
    smc_text_free(&verdict);
}

void smc_text_kernel_line(const struct smc_answer *answer, const struct smc_report_style *style,
                          struct smc_text *out)
{
    struct smc_text line = {0};
    if (answer->query.kernel) {
        smc_text_printf(&line, "%s: ", answer->query.kernel->name);
        smc_words_params(answer, &line);
    } else {
        smc_text_append(&line, "your own (threads and shared memory as given)");
    }
    smc_text_line(out, style, "kernel", &line);
    smc_text_free(&line);
}

void smc_text_device_line(const struct smc_answer *answer, const struct smc_report_style *style,
                          struct smc_text *out)
{
    static const char *const sources[] = {
        [SMC_DEVICE_TABLE] = "built-in table",
        [SMC_DEVICE_LIVE] = "this machine's",
        [SMC_DEVICE_FILE] = "from a file",
    };
    struct smc_text line = {0};
    const struct smc_device *device = &answer->query.device;
    smc_text_append(&line, device->name);
    if (device->sm_count)
        smc_text_printf(&line, ", CC %d.%d, %u SMs", device->sm.cc / 10, device->sm.cc % 10,
                        device->sm_count);
    smc_text_printf(&line, " (%s)", sources[device->source]);
    smc_words_assumed(&answer->query, &line);
    smc_text_line(out, style, "device", &line);
    smc_text_free(&line);
}

void smc_text_block_line(const struct smc_answer *answer, const struct smc_report_style *style,
                         struct smc_text *out)
{
    struct smc_text line = {0};
    const uint32_t *block = answer->plan.block;
    if (block[1] > 1)
        smc_text_printf(&line, "%u x %u = ", block[0], block[1]);
    smc_text_printf(&line, "%u thread%s, %u warp%s; ", answer->launch.threads_per_block,
                    answer->launch.threads_per_block == 1 ? "" : "s",
                    answer->occupancy.warps_per_block,
                    answer->occupancy.warps_per_block == 1 ? "" : "s");
    if (!smc_words_regs_known(answer)) {
        smc_text_append(&line, answer->query.kernel
                                   ? "registers unknown, as it does not compile"
                                   : "registers not given (--regs), so not counted");
    } else {
        char source[128] = "given";
        if (!answer->regs_given)
            smc_resources_describe(&answer->resources, source);
        smc_text_printf(&line, "%u register%s a thread (%s)", answer->launch.regs_per_thread,
                        answer->launch.regs_per_thread == 1 ? "" : "s", source);
    }
    if (answer->resources.spill_store_bytes || answer->resources.spill_load_bytes)
        smc_text_printf(&line, "; spills %u B stored, %u B loaded",
                        answer->resources.spill_store_bytes, answer->resources.spill_load_bytes);
    if (answer->launch.smem_mode != SMC_SMEM_MODE_DEFAULT)
        smc_text_printf(&line, "; shared-memory mode %s",
                        smc_smem_mode_name(answer->launch.smem_mode));
    smc_text_line(out, style, "block", &line);
    smc_text_free(&line);
}

static void append_clusters(const struct smc_answer *answer, struct smc_text *line)
{
    uint32_t cluster = answer->launch.blocks_per_cluster;
    smc_text_printf(line, "; clusters of %u: %" PRIu64 " at a time at most", cluster,
                    answer->resident_clusters);
    if (cluster > answer->query.device.sm.cluster_max_portable)
        smc_text_append(line, ", where cudaFuncAttributeNonPortableClusterSizeAllowed is set");
}

static void append_grid(const struct smc_answer *answer, const struct smc_report_style *style,
                        struct smc_text *out)
{
    if (!answer->has_waves)
        return;
    struct smc_text line = {0};
    const struct smc_waves *waves = &answer->waves;
    smc_text_printf(&line, "%" PRIu64 " block%s on %u SMs: ", waves->grid_blocks,
                    waves->grid_blocks == 1 ? "" : "s", answer->query.device.sm_count);
    if (waves->waves == 1)
        smc_text_printf(&line, "1 wave, of room for %" PRIu64, waves->resident_blocks);
    else
        smc_text_printf(&line, "%" PRIu64 " waves of %" PRIu64 ", the last of %" PRIu64,
                        waves->waves, waves->resident_blocks, waves->last_wave_blocks);
    if (waves->idle_sms)
        smc_text_printf(&line, "; %u SMs idle%s", waves->idle_sms,
                        waves->waves == 1 ? "" : " in the last");
    if (answer->resident_clusters)
        append_clusters(answer, &line);
    smc_text_line(out, style, "grid", &line);
    smc_text_free(&line);
}

void smc_text_one_answer(const struct smc_answer *answer, const struct smc_report_style *style,
                         struct smc_text *out)
{
    append_verdict(answer, style, out);
    smc_text_kernel_line(answer, style, out);
    smc_text_device_line(answer, style, out);
    smc_text_block_line(answer, style, out);
    append_grid(answer, style, out);
    smc_text_append_char(out, '\n', 1);
    smc_text_limits(answer, style, out);
    smc_text_append_char(out, '\n', 1);
    smc_text_advice(answer, style, out);
}
