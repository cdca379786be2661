/* One SM's resources as they are filled, block by block, to scale. */
#include "tui/sm_drawing.h"

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

static struct smc_share barriers_share(const struct smc_answer *answer)
{
    return (struct smc_share){
        .total = answer->query.device.sm.barriers_per_sm,
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
        next->label = smc_words_short_label(next->limit);
        next->blocks = answer->occupancy.blocks_per_sm;
        next->binds = answer->occupancy.limit[limit] <= next->blocks;
        count++;
    }
    return count;
}

struct smc_part smc_sm_part(const struct smc_share *share, double place)
{
    double at = place * (double)share->total;
    double filled = (double)share->allocated * share->blocks;
    if (share->allocated == 0 || at >= filled)
        return (struct smc_part){share->binds ? SMC_PART_UNREACHABLE : SMC_PART_FREE, 0};
    uint32_t block = (uint32_t)(at / (double)share->allocated);
    double within = at - (double)share->allocated * block;
    enum smc_part_kind kind = within < (double)share->used ? SMC_PART_USED
                              : within < (double)(share->used + share->reserved)
                                  ? SMC_PART_RESERVED
                                  : SMC_PART_ROUNDING;
    return (struct smc_part){kind, block};
}
