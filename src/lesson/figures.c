/* Small tables and pictures for pages. */
#include "lesson/figures.h"

#include "base/layout.h"

enum { WIDEST_BAR = 40 };

static void append_limit(const struct smc_answer *answer, enum smc_limit limit, uint32_t each,
                         uint32_t all, struct smc_text *out)
{
    uint32_t blocks = answer->occupancy.limit[limit];
    bool binds = answer->occupancy.limiters & 1u << limit;
    smc_text_printf(out, "%-14s%8u%8u", smc_limit_label(limit), each, all);
    if (blocks == SMC_UNLIMITED)
        smc_text_append(out, "       -\n");
    else
        smc_text_printf(out, "%8u%s\n", blocks, binds ? " <" : "");
}

void smc_figure_limits(struct smc_scene *scene, const char *name, const struct smc_answer *answer)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    const struct smc_occupancy *occupancy = &answer->occupancy;
    struct smc_text *out = smc_scene_value(scene, name);
    smc_text_append(out, "               a block   an SM  blocks\n");
    append_limit(answer, SMC_LIMIT_WARPS, occupancy->warps_per_block, sm->max_warps_per_sm, out);
    append_limit(answer, SMC_LIMIT_REGISTERS, occupancy->regs_allocated_per_block, sm->regs_per_sm,
                 out);
    append_limit(answer, SMC_LIMIT_SHARED_MEMORY, occupancy->smem_allocated_per_block_bytes,
                 occupancy->smem_configured_bytes, out);
    append_limit(answer, SMC_LIMIT_BLOCKS, 1, sm->max_blocks_per_sm, out);
}

void smc_figure_bar(const struct smc_scene *scene, double share, unsigned used,
                    struct smc_text *row)
{
    unsigned room = scene->setting->columns - used - 1;
    smc_text_append(row, " ");
    smc_layout_bar(row, share, room < WIDEST_BAR ? room : WIDEST_BAR, scene->setting->utf8);
    while (row->length && row->data[row->length - 1] == ' ')
        row->length--;
    smc_text_append(row, "\n");
}

static struct smc_occupancy with_registers(const struct smc_answer *answer, uint32_t regs)
{
    struct smc_launch launch = answer->launch;
    struct smc_occupancy occupancy;
    launch.regs_per_thread = regs;
    smc_occupancy_compute(&answer->query.device.sm, &launch, &occupancy);
    return occupancy;
}

void smc_figure_registers(struct smc_scene *scene, const char *name,
                          const struct smc_answer *answer)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    struct smc_text *out = smc_scene_value(scene, name);
    smc_text_append(out, "registers     blocks occupancy\n");
    for (uint32_t from = 1, to; from <= sm->max_regs_per_thread; from = to + 1) {
        struct smc_occupancy step = with_registers(answer, from);
        for (to = from; to < sm->max_regs_per_thread; to++)
            if (with_registers(answer, to + 1).blocks_per_sm != step.blocks_per_sm)
                break;
        double percent = smc_occupancy_percent(sm, &step);
        size_t begin = out->length;
        smc_text_printf(out, "%5u to %-5u%6u%8.1f %%", from, to, step.blocks_per_sm, percent);
        smc_figure_bar(scene, percent / 100, (unsigned)(out->length - begin), out);
    }
}

void smc_figure_banks(struct smc_scene *scene, const char *name,
                      const struct smc_banks_answer *answer, uint32_t lanes)
{
    const struct smc_banks_pattern *pattern = &answer->pattern[answer->worst];
    uint32_t banks = answer->layout.banks;
    struct smc_text *out = smc_scene_value(scene, name);
    smc_text_append(out, "bank    0       8       16      24\n");
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint32_t bank = pattern->worst.address[lane] / answer->query.device.sm.bank_width_bytes;
        smc_text_printf(out, "lane %-2u ", lane);
        for (uint32_t i = 0; i < banks; i++)
            smc_text_append(out, i == bank % banks ? "#" : ".");
        smc_text_append(out, "\n");
    }
}
