/* The table of limits: for each resource the blocks it allows and the arithmetic behind them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words.h"

enum { HOW_WIDTH = 24, FIXED_WIDTH = 65, SHARE_WIDTH = 7 };

/* What one block takes of what the SM has. */
struct demand {
    uint64_t amount, capacity;
    const char *unit;
    char how[64];
};

static void describe_registers(const struct smc_answer *answer, struct demand *demand)
{
    const struct smc_occupancy *occupancy = &answer->occupancy;
    const struct smc_sm *sm = &answer->query.device.sm;
    uint32_t regs = answer->launch.regs_per_thread;
    demand->amount = occupancy->regs_allocated_per_block;
    demand->capacity = sm->regs_per_sm;
    if (!smc_words_regs_known(answer)) {
        snprintf(demand->how, sizeof demand->how, "not known");
        return;
    }
    if (sm->regs_allocated_per_block) {
        snprintf(demand->how, sizeof demand->how, "%u a thread, unit %u", regs, sm->reg_alloc_unit);
        return;
    }
    uint32_t each = occupancy->regs_allocated_per_warp / sm->warp_size;
    if (each == regs)
        snprintf(demand->how, sizeof demand->how, "%u a thread", regs);
    else
        snprintf(demand->how, sizeof demand->how, "%u -> %u a thread", regs, each);
}

static void describe_smem(const struct smc_answer *answer, struct demand *demand)
{
    const struct smc_launch *launch = &answer->launch;
    const struct smc_sm *sm = &answer->query.device.sm;
    uint32_t reserved = sm->smem_reserved_per_block_bytes;
    uint64_t sum = (uint64_t)launch->static_smem_bytes + launch->dynamic_smem_bytes + reserved;
    demand->amount = answer->occupancy.smem_allocated_per_block_bytes;
    demand->capacity = answer->occupancy.smem_configured_bytes;
    demand->unit = " B";
    bool rounded = demand->amount != sum;
    struct smc_text how = {0};
    if (launch->dynamic_smem_bytes == 0 || launch->static_smem_bytes)
        smc_text_printf(&how, "%u%s", launch->static_smem_bytes,
                        reserved || rounded || launch->dynamic_smem_bytes ? "" : " static");
    if (launch->dynamic_smem_bytes)
        smc_text_printf(&how, "%s%u%s", how.length ? " + " : "", launch->dynamic_smem_bytes,
                        how.length || rounded ? "" : " dynamic");
    if (reserved)
        smc_text_printf(&how, " + %u%s", reserved,
                        rounded || launch->dynamic_smem_bytes ? "" : " reserved");
    if (rounded)
        smc_text_printf(&how, ", unit %u", sm->smem_alloc_unit_bytes);
    if (how.length <= HOW_WIDTH) /* --explain has the sum in full */
        snprintf(demand->how, sizeof demand->how, "%s", smc_text_string(&how));
    smc_text_free(&how);
}

static void describe(const struct smc_answer *answer, enum smc_limit limit, struct demand *demand)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    *demand = (struct demand){.unit = ""};
    switch (limit) {
    case SMC_LIMIT_WARPS:
        demand->amount = answer->occupancy.warps_per_block;
        demand->capacity = sm->max_warps_per_sm;
        snprintf(demand->how, sizeof demand->how, "%u threads / %u",
                 answer->launch.threads_per_block, sm->warp_size);
        return;
    case SMC_LIMIT_REGISTERS:
        describe_registers(answer, demand);
        return;
    case SMC_LIMIT_SHARED_MEMORY:
        describe_smem(answer, demand);
        return;
    case SMC_LIMIT_BLOCKS:
        demand->amount = 1;
        demand->capacity = sm->max_blocks_per_sm;
        return;
    case SMC_LIMIT_BARRIERS:
        demand->amount = answer->launch.barriers_per_block;
        demand->capacity = sm->barriers_per_sm;
        return;
    case SMC_LIMIT_VIRTUAL_RESOURCES:
        demand->amount = answer->launch.virtual_resources;
        demand->capacity = sm->virtual_resources_per_sm;
        return;
    case SMC_LIMIT_CLUSTER:
    case SMC_LIMIT_COUNT:
        return;
    }
}

/* How much of the resource the resident blocks use; bars only where there is something to see. */
static void append_share(const struct demand *demand, uint32_t blocks,
                         const struct smc_report_style *style, struct smc_text *out)
{
    if (blocks == 0 || demand->amount == 0 || demand->capacity == 0)
        return;
    double share = (double)demand->amount * blocks / (double)demand->capacity;
    unsigned width = style->columns - FIXED_WIDTH - SHARE_WIDTH;
    width = width > 24 ? 24 : width;
    smc_text_append_char(out, ' ', 1);
    smc_layout_bar(out, share, width, style->utf8);
    smc_text_printf(out, " %3.0f %%", 100 * share);
}

static void append_row(const struct smc_answer *answer, enum smc_limit limit,
                       const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_occupancy *occupancy = &answer->occupancy;
    struct demand demand;
    describe(answer, limit, &demand);
    bool binds = occupancy->limiters & 1u << limit;
    char blocks[16] = "-", amount[32] = "", capacity[32] = "";
    if (occupancy->limit[limit] != SMC_UNLIMITED)
        snprintf(blocks, sizeof blocks, "%u", occupancy->limit[limit]);
    if (demand.amount)
        snprintf(amount, sizeof amount, "%" PRIu64 "%s", demand.amount, demand.unit);
    if (demand.capacity)
        snprintf(capacity, sizeof capacity, "%" PRIu64 "%s", demand.capacity, demand.unit);
    struct smc_text line = {0};
    smc_text_printf(&line, "%-13s %c%5s %9s  %-*s %8s", smc_words_short_label(limit),
                    binds ? '>' : ' ', blocks, amount, HOW_WIDTH, demand.how, capacity);
    append_share(&demand, occupancy->blocks_per_sm, style, &line);
    if (binds)
        smc_layout_begin(out, style, SMC_STRONG);
    while (line.length && line.data[line.length - 1] == ' ')
        line.length--;
    smc_text_append_bytes(out, smc_text_string(&line), line.length);
    if (binds)
        smc_layout_end(out, style);
    smc_text_append_char(out, '\n', 1);
    smc_text_free(&line);
}

void smc_text_limits(const struct smc_answer *answer, const struct smc_report_style *style,
                     struct smc_text *out)
{
    bool resident = answer->occupancy.blocks_per_sm > 0;
    smc_text_printf(out, "%-13s %6s %9s  %-*s %8s%s\n", "", "blocks", "a block", HOW_WIDTH, "takes",
                    "of an SM", resident ? " in use" : "");
    for (int i = 0; i < SMC_LIMIT_COUNT; i++) {
        bool always = i == SMC_LIMIT_REGISTERS || i == SMC_LIMIT_SHARED_MEMORY;
        if (always || answer->occupancy.limit[i] != SMC_UNLIMITED)
            append_row(answer, (enum smc_limit)i, style, out);
    }
}
