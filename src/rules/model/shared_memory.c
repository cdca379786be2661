/* Shared memory: how much is allocated to a block, the carve-out in effect, and how many blocks
   fit. */
#include "rules/allocation.h"

#include "base/numbers.h"

/* The smallest size the SM can be configured to that holds `bytes`; the largest if none does. */
static uint32_t smallest_size_for(const struct smc_sm *sm, uint64_t bytes)
{
    /* Compares all sizes without stopping early: the branch would be mispredicted too often. */
    uint32_t found = sm->smem_per_sm_bytes, wanted = saturate(bytes);
    for (int i = SMC_MAX_CARVEOUTS - 1; i >= 0; i--)
        found = sm->smem_carveout_bytes[i] >= wanted ? sm->smem_carveout_bytes[i] : found;
    return found;
}

static bool allows_oversized(enum smc_smem_mode mode)
{
    return mode == SMC_SMEM_MODE_OVERSIZED || mode == SMC_SMEM_MODE_PREFER_OVERSIZED;
}

uint32_t smc_smem_most_per_block(const struct smc_sm *sm, const struct smc_launch *launch)
{
    bool oversized = allows_oversized(launch->smem_mode) && sm->smem_oversized_per_block_bytes > 0;
    bool portable = launch->smem_mode == SMC_SMEM_MODE_PORTABLE ||
                    (launch->smem_mode == SMC_SMEM_MODE_DEFAULT && launch->smem_not_opted_in);
    return oversized  ? sm->smem_oversized_per_block_bytes
           : portable ? sm->smem_per_block_default_bytes
                      : sm->smem_per_block_optin_bytes;
}

uint32_t smc_smem_to_opt_in(const struct smc_sm *sm, const struct smc_launch *launch)
{
    uint64_t bytes = (uint64_t)launch->static_smem_bytes + launch->dynamic_smem_bytes;
    bool needed = launch->smem_mode == SMC_SMEM_MODE_DEFAULT &&
                  bytes > sm->smem_per_block_default_bytes &&
                  bytes <= sm->smem_per_block_optin_bytes;
    return needed ? launch->dynamic_smem_bytes : 0;
}

/* The largest size that the mode lets the SM be configured to. */
uint32_t smc_smem_largest_bytes(const struct smc_sm *sm, enum smc_smem_mode mode)
{
    bool oversized = allows_oversized(mode) && sm->smem_oversized_per_sm_bytes > 0;
    return oversized ? sm->smem_oversized_per_sm_bytes : sm->smem_per_sm_bytes;
}

/* The size that a preference requests, before it is rounded up to a supported one. */
static uint32_t wanted_bytes(const struct smc_sm *sm, int32_t carveout_percent,
                             enum smc_cache_config cache_config)
{
    /* From CC 7.0; without any preference the driver chooses the largest size. */
    static const uint8_t percent_of_config[] = {
        [SMC_CACHE_PREFER_NONE] = 100,
        [SMC_CACHE_PREFER_SHARED] = 100,
        [SMC_CACHE_PREFER_L1] = 0,
        [SMC_CACHE_PREFER_EQUAL] = 50,
    };
    if (!sm->carveout_by_cache_config) {
        bool given = carveout_percent != SMC_CARVEOUT_DEFAULT;
        uint32_t percent = given ? (uint32_t)carveout_percent : percent_of_config[cache_config];
        return (uint32_t)((uint64_t)percent * sm->smem_per_sm_bytes / 100);
    }
    if (cache_config == SMC_CACHE_PREFER_L1)
        return 0;
    if (cache_config == SMC_CACHE_PREFER_EQUAL && sm->smem_carveout_count == 3)
        return sm->smem_carveout_bytes[1]; /* CC 3.x; CC 2.x has no middle size */
    return sm->smem_per_sm_bytes;
}

uint32_t smc_smem_preferred_bytes(const struct smc_sm *sm, int32_t carveout_percent,
                                  enum smc_cache_config cache_config)
{
    return smallest_size_for(sm, wanted_bytes(sm, carveout_percent, cache_config));
}

/* If the preferred size is too small for one block, the driver uses the next size that fits from CC
   7.0 on, and the largest before. The oversized configuration is tried after every carve-out,
   unless the mode prefers it. */
static uint32_t configured_bytes(const struct smc_sm *sm, const struct smc_launch *launch,
                                 uint32_t allocated)
{
    uint32_t wanted = wanted_bytes(sm, launch->carveout_percent, launch->cache_config);
    bool prefers_oversized = launch->smem_mode == SMC_SMEM_MODE_PREFER_OVERSIZED;
    if (prefers_oversized && sm->smem_oversized_per_sm_bytes > 0)
        return sm->smem_oversized_per_sm_bytes;
    if (!sm->carveout_by_cache_config && wanted < allocated)
        wanted = allocated;
    uint32_t configured = smallest_size_for(sm, wanted);
    return configured < allocated ? smc_smem_largest_bytes(sm, launch->smem_mode) : configured;
}

static uint32_t refusals(const struct smc_sm *sm, const struct smc_launch *launch,
                         uint64_t allocated)
{
    uint64_t reserved = sm->smem_reserved_per_block_bytes;
    uint64_t oversized = sm->smem_oversized_per_block_bytes, optin = sm->smem_per_block_optin_bytes;
    uint64_t most = allows_oversized(launch->smem_mode) && oversized ? oversized : optin;
    bool too_static = !launch->static_smem_compiled &&
                      launch->static_smem_bytes > sm->smem_per_block_default_bytes;
    bool too_much = allocated > most + reserved;
    bool above_default = !too_much & (allocated > sm->smem_per_block_default_bytes + reserved);
    bool by_default = launch->smem_mode == SMC_SMEM_MODE_DEFAULT;
    bool not_portable = launch->smem_mode == SMC_SMEM_MODE_PORTABLE;
    return (uint32_t)too_static << SMC_REFUSAL_STATIC_SMEM |
           (uint32_t)too_much << SMC_REFUSAL_SMEM_PER_BLOCK |
           (uint32_t)(above_default & not_portable) << SMC_REFUSAL_SMEM_NOT_PORTABLE |
           (uint32_t)(above_default & by_default & launch->smem_not_opted_in)
               << SMC_REFUSAL_SMEM_NOT_OPTED_IN;
}

void smc_smem_limit(const struct smc_sm *sm, const struct smc_launch *launch,
                    struct smc_occupancy *out)
{
    uint64_t used = (uint64_t)launch->static_smem_bytes + launch->dynamic_smem_bytes;
    uint64_t allocated =
        round_up(used + sm->smem_reserved_per_block_bytes, sm->smem_alloc_unit_bytes);
    uint32_t shown = saturate(allocated); /* a value this large does not fit anyway */
    out->smem_allocated_per_block_bytes = shown;
    out->smem_configured_bytes = configured_bytes(sm, launch, shown);
    out->refusals |= refusals(sm, launch, allocated);
    out->limit[SMC_LIMIT_SHARED_MEMORY] = times_fitting(out->smem_configured_bytes, shown);
}
