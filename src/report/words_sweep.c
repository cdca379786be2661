/* What a sweep keeps fixed, in words. */
#include <inttypes.h>
#include <stdio.h>

#include "report/words.h"

static bool varies(const struct smc_sweep *sweep, enum smc_axis_id id)
{
    for (size_t i = 0; i < sweep->axis_count; i++)
        if (sweep->axis[i].id == id)
            return true;
    return false;
}

static void append_fixed(const struct smc_sweep *sweep, enum smc_axis_id id, int64_t value,
                         const char *unit, struct smc_text *out)
{
    if (value == SMC_NOT_GIVEN || varies(sweep, id))
        return;
    smc_text_printf(out, "%s%" PRId64 " %s", out->length ? ", " : "", value, unit);
}

void smc_words_sweep_subject(const struct smc_sweep *sweep, struct smc_text *out)
{
    const struct smc_query *query = &sweep->query;
    struct smc_text given = {0};
    uint32_t varied = (varies(sweep, SMC_AXIS_TILE) ? 1u << SMC_PARAM_TILE : 0) |
                      (varies(sweep, SMC_AXIS_BLOCK) ? 1u << SMC_PARAM_BLOCK : 0) |
                      (varies(sweep, SMC_AXIS_RADIUS) ? 1u << SMC_PARAM_RADIUS : 0);
    const uint32_t derived = 1u << SMC_PARAM_LENGTH;
    append_fixed(sweep, SMC_AXIS_THREADS, query->kernel ? SMC_NOT_GIVEN : query->threads_per_block,
                 "threads", &given);
    append_fixed(sweep, SMC_AXIS_REGS, query->regs_per_thread, "registers", &given);
    append_fixed(sweep, SMC_AXIS_SMEM, query->static_smem_bytes, "B static", &given);
    append_fixed(sweep, SMC_AXIS_DYNAMIC_SMEM, query->dynamic_smem_bytes, "B dynamic", &given);
    append_fixed(sweep, SMC_AXIS_CARVEOUT, query->settings.carveout_percent, "% carve-out", &given);
    smc_text_append(out, query->kernel ? query->kernel->name : "your own kernel");
    if (query->kernel) {
        smc_text_append(out, ": ");
        smc_words_some_params(query, varied | (derived & ~query->params.given), out);
    }
    if (given.length)
        smc_text_printf(out, "%s%s", query->kernel ? "; " : ": ", smc_text_string(&given));
    out->failed |= given.failed;
    smc_text_free(&given);
}

void smc_words_sweep_device(const struct smc_sweep *sweep, struct smc_text *out)
{
    const struct smc_device *device = &sweep->query.device;
    if (varies(sweep, SMC_AXIS_DEVICE)) {
        uint64_t count = smc_axis_values(&sweep->axis[0]);
        smc_text_printf(out, "%" PRIu64 " devices", count);
        return;
    }
    smc_text_append(out, device->name);
    if (device->sm_count)
        smc_text_printf(out, ", CC %d.%d", device->sm.cc / 10, device->sm.cc % 10);
    if (sweep->query.device_assumed)
        smc_text_append(out, " (assumed)");
}

void smc_words_percent(double percent, char text[32])
{
    snprintf(text, 32, percent == (double)(int)percent ? "%.0f %%" : "%.1f %%", percent);
}

enum smc_limit smc_words_first_limiter(uint32_t limiters)
{
    return (enum smc_limit)__builtin_ctz(limiters);
}

static void append_source(const struct smc_sweep_point *point, bool first, struct smc_text *out)
{
    static const char *const names[] = {
        [SMC_RESOURCES_NVRTC] = "",
        [SMC_RESOURCES_TABLE] = "built-in table, ",
        [SMC_RESOURCES_ASSUMED] = "assumed from another architecture or other parameters, ",
    };
    smc_text_printf(out, "%s%sNVRTC %u.%u", first ? "" : "; ", names[point->source],
                    point->nvrtc / 100u, point->nvrtc % 100u);
}

static bool is_compiled(const struct smc_sweep_point *point)
{
    bool answered = point->state == SMC_POINT_LAUNCHES || point->state == SMC_POINT_REFUSED;
    return answered && point->source != SMC_RESOURCES_GIVEN &&
           point->regs_per_thread != SMC_UNLIMITED;
}

void smc_words_sweep_sources(const struct smc_sweep_result *result, struct smc_text *out)
{
    enum { KINDS = 8 };
    struct smc_sweep_point seen[KINDS];
    size_t kinds = 0;
    bool given = varies(result->sweep, SMC_AXIS_REGS) ||
                 result->sweep->query.regs_per_thread != SMC_NOT_GIVEN;
    for (uint64_t i = 0; i < result->answered && kinds < KINDS; i++) {
        const struct smc_sweep_point *point = &result->point[i];
        bool is_new = is_compiled(point);
        for (size_t k = 0; k < kinds; k++)
            is_new = is_new && (seen[k].source != point->source || seen[k].nvrtc != point->nvrtc);
        if (is_new) {
            append_source(point, kinds == 0, out);
            seen[kinds++] = *point;
        }
    }
    if (kinds == 0)
        smc_text_append(out, given ? "given" : "not known, not counted");
}
