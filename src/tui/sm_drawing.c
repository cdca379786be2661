/* One SM's resources as they are filled, block by block, to scale. */
#include "tui/sm_drawing.h"

#include <stdbool.h>

#include "report/words.h"

static struct smc_share threads_share(const struct smc_answer *answer)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    uint64_t lanes = (uint64_t)answer->occupancy.warps_per_block * sm->warp_size;
    uint64_t threads = answer->launch.threads_per_block;
    return (struct smc_share){
        .total = (uint64_t)sm->max_warps_per_sm * sm->warp_size,
        .allocated = lanes,
        .used = threads,
        .rounding = lanes - threads,
    };
}

/* CC 1.x gives registers to whole blocks, later ones to warps. */
static struct smc_share registers_share(const struct smc_answer *answer)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    uint64_t allocated = answer->occupancy.regs_allocated_per_block;
    uint64_t used = (uint64_t)answer->launch.regs_per_thread * answer->launch.threads_per_block;
    return (struct smc_share){
        .total = sm->regs_per_sm,
        .allocated = allocated,
        .used = used < allocated ? used : allocated,
        .rounding = used < allocated ? allocated - used : 0,
    };
}

static struct smc_share shared_memory_share(const struct smc_answer *answer)
{
    const struct smc_launch *launch = &answer->launch;
    uint64_t allocated = answer->occupancy.smem_allocated_per_block_bytes;
    uint64_t used = (uint64_t)launch->static_smem_bytes + launch->dynamic_smem_bytes;
    uint64_t reserved = answer->query.device.sm.smem_reserved_per_block_bytes;
    if (used + reserved > allocated) /* refused: nothing is allocated */
        used = reserved = allocated = 0;
    return (struct smc_share){
        .total = answer->occupancy.smem_configured_bytes,
        .allocated = allocated,
        .used = used,
        .reserved = reserved,
        .rounding = allocated - used - reserved,
    };
}

static struct smc_share slots_share(const struct smc_answer *answer)
{
    return (struct smc_share){
        .total = answer->query.device.sm.max_blocks_per_sm, .allocated = 1, .used = 1};
}

/* Up to CC 8.9 a table may have them, but nothing is known to run short. */
static struct smc_share barriers_share(const struct smc_answer *answer)
{
    bool counted = answer->occupancy.limit[SMC_LIMIT_BARRIERS] != SMC_UNLIMITED;
    return (struct smc_share){
        .total = counted ? answer->query.device.sm.barriers_per_sm : 0,
        .allocated = answer->launch.barriers_per_block,
        .used = answer->launch.barriers_per_block,
    };
}

size_t smc_sm_shares(const struct smc_answer *answer, struct smc_share share[SMC_LIMIT_COUNT])
{
    static struct smc_share (*const shares[SMC_LIMIT_COUNT])(const struct smc_answer *) = {
        [SMC_LIMIT_WARPS] = threads_share,
        [SMC_LIMIT_REGISTERS] = registers_share,
        [SMC_LIMIT_SHARED_MEMORY] = shared_memory_share,
        [SMC_LIMIT_BLOCKS] = slots_share,
        [SMC_LIMIT_BARRIERS] = barriers_share,
    };
    size_t count = 0;
    for (int limit = 0; limit < SMC_LIMIT_COUNT; limit++) {
        if (!shares[limit])
            continue;
        struct smc_share *next = &share[count];
        *next = shares[limit](answer);
        if (next->total == 0)
            continue;
        next->limit = (enum smc_limit)limit;
        next->unit = limit == SMC_LIMIT_WARPS ? answer->query.device.sm.warp_size : 1;
        next->label = smc_words_short_label(next->limit);
        next->blocks = answer->occupancy.blocks_per_sm;
        next->binds = answer->occupancy.limit[limit] <= next->blocks;
        count++;
    }
    return count;
}

static uint64_t rounded(uint64_t numerator, uint64_t denominator)
{
    return (2 * numerator + denominator) / (2 * denominator);
}

/* The cell at which a block begins. */
static uint64_t edge(const struct smc_share *share, uint64_t block, uint32_t cells)
{
    return rounded(block * share->allocated * cells, share->total);
}

/* A cell of a block that takes whole ones: what it asked for first, in one cell at least. */
static enum smc_part_kind kind_within(const struct smc_share *share, uint64_t cell, uint64_t cells)
{
    uint64_t used = rounded(cells * share->used, share->allocated);
    uint64_t reserved = rounded(cells * (share->used + share->reserved), share->allocated);
    if (cell < used || (cell == 0 && share->used > 0))
        return SMC_PART_USED;
    return cell < reserved ? SMC_PART_RESERVED : SMC_PART_ROUNDING;
}

struct smc_part smc_sm_part(const struct smc_share *share, uint32_t cell, uint32_t cells)
{
    uint64_t filled = edge(share, share->blocks, cells), width = share->allocated * cells;
    bool some = share->allocated > 0 && share->blocks > 0;
    if (cell >= filled + (some && filled == 0))
        return (struct smc_part){share->binds ? SMC_PART_UNREACHABLE : SMC_PART_FREE, 0};
    if (width < share->total) { /* several blocks share a cell: the one at its beginning */
        uint64_t block = cell * share->total / width;
        return (struct smc_part){kind_within(share, 0, 1), (uint32_t)block};
    }
    uint64_t block = (2 * (uint64_t)cell + 1) * share->total / (2 * width);
    if (edge(share, block, cells) > cell)
        block--;
    uint64_t first = edge(share, block, cells), end = edge(share, block + 1, cells);
    return (struct smc_part){kind_within(share, cell - first, end - first), (uint32_t)block};
}
