/* Registers: how many are allocated to a warp or a block, and how many blocks that allows. */
#include "rules/allocation.h"

#include "base/numbers.h"

uint32_t smc_registers_unit(const struct smc_sm *sm, uint32_t regs_per_thread)
{
    /* CC 2.x: 21, 22, 29, 30, 37, 38, 45 and 46 registers are allocated in twice the unit. */
    bool doubled = regs_per_thread >= 21 && regs_per_thread <= 46 && (regs_per_thread - 21) % 8 < 2;
    return sm->reg_alloc_unit_varies && doubled ? 2 * sm->reg_alloc_unit : sm->reg_alloc_unit;
}

/* CC 6.0 has two sub-partitions, but the driver also refuses what CC 6.1 with four would refuse. */
uint32_t smc_registers_checked_subpartitions(const struct smc_sm *sm)
{
    return sm->launch_check_subpartitions ? sm->launch_check_subpartitions : sm->subpartitions;
}

/* CC 1.x allocates registers per block, after rounding up its warps. */
static void limit_by_block(const struct smc_sm *sm, uint32_t regs_per_thread,
                           struct smc_occupancy *out)
{
    uint64_t warps = round_up(out->warps_per_block, sm->warp_alloc_granularity);
    uint64_t regs = round_up(warps * sm->warp_size * regs_per_thread, sm->reg_alloc_unit);
    out->regs_allocated_per_block = saturate(regs);
    out->limit[SMC_LIMIT_REGISTERS] = times_fitting(sm->regs_per_sm, out->regs_allocated_per_block);
    if (regs > sm->max_regs_per_block)
        out->refusals |= 1u << SMC_REFUSAL_REGS_PER_BLOCK;
}

/* The launch check assumes that all sub-partitions get the same number of warps. */
static bool launch_check_fails(const struct smc_sm *sm, uint64_t regs_per_warp, uint64_t warps)
{
    uint64_t checked_warps = round_up(warps, smc_registers_checked_subpartitions(sm));
    return regs_per_warp * checked_warps > sm->max_regs_per_block;
}

static uint32_t blocks_by_warp(const struct smc_sm *sm, uint32_t regs_per_warp, bool fails,
                               struct smc_occupancy *out)
{
    uint32_t regs = (uint32_t)whole_units(sm->regs_per_sm, sm->subpartitions);
    uint32_t warps_per_subpartition = regs / regs_per_warp;
    bool in_halves = out->partitioned_caching != SMC_PARTITIONED_CACHING_OFF;
    if (in_halves & !fails) {
        uint32_t warps_per_half = warps_per_subpartition * (sm->subpartitions / 2);
        uint32_t blocks = warps_per_half / out->warps_per_block * 2;
        if (blocks > 0 || out->partitioned_caching == SMC_PARTITIONED_CACHING_STRICT)
            return blocks;
        out->partitioned_caching = SMC_PARTITIONED_CACHING_OFF;
    }
    return warps_per_subpartition * sm->subpartitions / out->warps_per_block;
}

static void limit_by_warp(const struct smc_sm *sm, uint32_t regs_per_thread,
                          struct smc_occupancy *out)
{
    uint64_t regs_per_warp = round_up((uint64_t)regs_per_thread * sm->warp_size,
                                      smc_registers_unit(sm, regs_per_thread));
    uint64_t warps = out->warps_per_block;
    out->regs_allocated_per_warp = saturate(regs_per_warp);
    out->regs_allocated_per_block = saturate(regs_per_warp * warps);
    if (regs_per_warp == 0) {
        out->limit[SMC_LIMIT_REGISTERS] = SMC_UNLIMITED;
        return;
    }
    bool fails = launch_check_fails(sm, regs_per_warp, warps);
    out->refusals |= (uint32_t)fails << SMC_REFUSAL_REGS_PER_BLOCK;
    out->limit[SMC_LIMIT_REGISTERS] = blocks_by_warp(sm, (uint32_t)regs_per_warp, fails, out);
}

void smc_registers_limit(const struct smc_sm *sm, const struct smc_launch *launch,
                         struct smc_occupancy *out)
{
    if (launch->regs_per_thread > sm->max_regs_per_thread)
        out->refusals |= 1u << SMC_REFUSAL_REGS_PER_THREAD; /* nothing is allocated */
    else if (sm->regs_allocated_per_block)
        limit_by_block(sm, launch->regs_per_thread, out);
    else
        limit_by_warp(sm, launch->regs_per_thread, out);
}
