/* Shared memory: what a block is given, the carve-out in effect, and how many blocks fit. */
#include "model/shared_memory.h"

#include "model/round.h"

uint32_t smc_smem_carveout_for(const struct smc_sm *sm, uint64_t bytes)
{
    for (uint32_t i = 0; i < sm->smem_carveout_count; i++)
        if (sm->smem_carveout_bytes[i] >= bytes)
            return sm->smem_carveout_bytes[i];
    return sm->smem_per_sm_bytes;
}

/* What a cache configuration means as a carve-out percentage from CC 7.0 on. */
static int32_t percent_of_cache_config(enum smc_cache_config cache_config)
{
    switch (cache_config) {
    case SMC_CACHE_PREFER_SHARED:
        return 100;
    case SMC_CACHE_PREFER_L1:
        return 0;
    case SMC_CACHE_PREFER_EQUAL:
        return 50;
    case SMC_CACHE_PREFER_NONE:
        break;
    }
    return SMC_CARVEOUT_DEFAULT;
}

uint32_t smc_smem_preferred_bytes(const struct smc_sm *sm, int32_t carveout_percent,
                                  enum smc_cache_config cache_config)
{
    uint32_t last = sm->smem_carveout_count - 1;
    if (sm->cc < 70) {
        if (cache_config == SMC_CACHE_PREFER_L1)
            return sm->smem_carveout_bytes[0];
        if (cache_config == SMC_CACHE_PREFER_EQUAL && last == 2)
            return sm->smem_carveout_bytes[1]; /* CC 3.x; CC 2.x has no middle size */
        return sm->smem_per_sm_bytes;
    }
    if (carveout_percent == SMC_CARVEOUT_DEFAULT)
        carveout_percent = percent_of_cache_config(cache_config);
    if (carveout_percent == SMC_CARVEOUT_DEFAULT)
        return sm->smem_per_sm_bytes;
    return smc_smem_carveout_for(sm, (uint64_t)carveout_percent * sm->smem_per_sm_bytes / 100);
}

static uint32_t refusals(const struct smc_sm *sm, const struct smc_launch *launch,
                         uint64_t allocated)
{
    uint32_t found = 0;
    uint64_t reserved = sm->smem_reserved_per_block_bytes;
    if (launch->static_smem_bytes > sm->smem_per_block_default_bytes)
        found |= 1u << SMC_REFUSAL_STATIC_SMEM;
    if (allocated > sm->smem_per_block_optin_bytes + reserved)
        found |= 1u << SMC_REFUSAL_SMEM_PER_BLOCK;
    else if (launch->smem_not_opted_in && allocated > sm->smem_per_block_default_bytes + reserved)
        found |= 1u << SMC_REFUSAL_SMEM_NOT_OPTED_IN;
    return found;
}

void smc_smem_limit(const struct smc_sm *sm, const struct smc_launch *launch,
                    struct smc_occupancy *out)
{
    uint64_t used = (uint64_t)launch->static_smem_bytes + launch->dynamic_smem_bytes;
    uint64_t allocated =
        round_up(used + sm->smem_reserved_per_block_bytes, sm->smem_alloc_unit_bytes);
    uint32_t configured =
        smc_smem_preferred_bytes(sm, launch->carveout_percent, launch->cache_config);

    /* A preference too small for one block gives way: from CC 7.0 to the next size that fits. */
    if (configured < allocated)
        configured = sm->cc >= 70 ? smc_smem_carveout_for(sm, allocated) : sm->smem_per_sm_bytes;

    out->smem_allocated_per_block_bytes = saturate(allocated);
    out->smem_configured_bytes = configured;
    out->refusals |= refusals(sm, launch, allocated);
    if (allocated == 0)
        out->limit[SMC_LIMIT_SHARED_MEMORY] = SMC_UNLIMITED;
    else /* 32-bit division is the faster one; what saturates does not fit anyway */
        out->limit[SMC_LIMIT_SHARED_MEMORY] = configured / out->smem_allocated_per_block_bytes;
}
