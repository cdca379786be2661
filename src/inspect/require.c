/* Rows held to what a build asks of its kernels. */
#include "inspect/inspect.h"

static void begin_line(const struct smc_inspect_row *row, struct smc_text *out)
{
    smc_text_printf(out, "%s: %s on %s: ", row->kernel->file, row->kernel->shown,
                    row->answer.query.device.name);
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
        if (anything && (answer->outcome == SMC_CANNOT_COMPILE || regs == 0)) {
            begin_line(row, shortfalls);
            smc_text_append(shortfalls, answer->outcome == SMC_CANNOT_COMPILE
                                            ? "cannot compile\n"
                                            : "its registers are not told\n");
            continue;
        }
        if (answer->occupancy_percent < requirements->occupancy_percent) {
            begin_line(row, shortfalls);
            smc_text_printf(shortfalls, "occupancy %.4g %%, but %.4g %% is required\n",
                            answer->occupancy_percent, requirements->occupancy_percent);
        }
        if (blocks < requirements->blocks_per_sm) {
            begin_line(row, shortfalls);
            smc_text_printf(shortfalls, "%u block%s per SM, but %u required\n", blocks,
                            blocks == 1 ? "" : "s", requirements->blocks_per_sm);
        }
        if (requirements->registers_at_most && regs > requirements->registers_at_most) {
            begin_line(row, shortfalls);
            smc_text_printf(shortfalls, "%u registers a thread, but at most %u allowed\n", regs,
                            requirements->registers_at_most);
        }
    }
    return shortfalls->length > before ? SMC_SHORTFALL : SMC_OK;
}
