/* Rows held to what a build asks of its kernels. */
#include <stdio.h>

#include "inspect/inspect.h"

static void append_line(const struct smc_inspect_row *row, const char *shortfall,
                        struct smc_text *out)
{
    smc_text_safe_line(out, "%s: %s on %s: %s", row->kernel->file, row->kernel->shown,
                       row->answer.query.device.name, shortfall);
}

/* Why nothing can be required of it, or NULL. */
static const char *reason_unknown(const struct smc_inspect_row *row)
{
    if (row->answer.outcome == SMC_CANNOT_COMPILE)
        return "cannot compile";
    if (row->answer.launch.regs_per_thread == 0)
        return "its registers are not told";
    return smc_inspect_loads(row->kernel, row->answer.query.device.sm.cc)
               ? NULL
               : "its machine code does not load there";
}

enum smc_status smc_inspect_require(const struct smc_inspect_rows *rows,
                                    const struct smc_requirements *requirements,
                                    struct smc_text *shortfalls)
{
    const size_t before = shortfalls->length;
    const bool anything = requirements->occupancy_percent > 0 || requirements->blocks_per_sm > 0 ||
                          requirements->registers_at_most > 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct smc_inspect_row *row = &rows->item[i];
        const struct smc_answer *answer = &row->answer;
        uint32_t blocks = answer->occupancy.blocks_per_sm, regs = answer->launch.regs_per_thread;
        const char *unknown = anything ? reason_unknown(row) : NULL;
        char text[128];
        if (unknown) {
            append_line(row, unknown, shortfalls);
            continue;
        }
        if (answer->occupancy_percent < requirements->occupancy_percent) {
            snprintf(text, sizeof text, "occupancy %.4g %%, but %.4g %% is required",
                     answer->occupancy_percent, requirements->occupancy_percent);
            append_line(row, text, shortfalls);
        }
        if (blocks < requirements->blocks_per_sm) {
            snprintf(text, sizeof text, "%u block%s per SM, but %u required", blocks,
                     smc_text_plural(blocks), requirements->blocks_per_sm);
            append_line(row, text, shortfalls);
        }
        if (requirements->registers_at_most && regs > requirements->registers_at_most) {
            snprintf(text, sizeof text, "%u registers a thread, but at most %u allowed", regs,
                     requirements->registers_at_most);
            append_line(row, text, shortfalls);
        }
    }
    return shortfalls->length > before ? SMC_SHORTFALL : SMC_OK;
}
