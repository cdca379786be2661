/* Shared memory: how much is allocated to a block, the carve-out in effect, and how many blocks
   fit. */
#include "model/shared_memory.h"

#include "model/round.h"

/* --- A block and an SM ------------------------------------------------------------------------ */

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

/* The largest size that the mode lets the SM be configured to. */
static uint32_t largest_size(const struct smc_sm *sm, enum smc_smem_mode mode)
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
    return configured < allocated ? largest_size(sm, launch->smem_mode) : configured;
}

static uint32_t refusals(const struct smc_sm *sm, const struct smc_launch *launch,
                         uint64_t allocated)
{
    uint64_t reserved = sm->smem_reserved_per_block_bytes;
    uint64_t oversized = sm->smem_oversized_per_block_bytes, optin = sm->smem_per_block_optin_bytes;
    uint64_t most = allows_oversized(launch->smem_mode) && oversized ? oversized : optin;
    bool too_static = launch->static_smem_bytes > sm->smem_per_block_default_bytes;
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

/* --- Each size that an SM can be set to ------------------------------------------------------- */

static struct smc_carveout ask(const struct smc_sm *sm, const struct smc_launch *launch,
                               int32_t percent, enum smc_cache_config cache_config)
{
    struct smc_launch asked = *launch;
    struct smc_occupancy occupancy;
    bool prefers = launch->smem_mode == SMC_SMEM_MODE_PREFER_OVERSIZED;
    asked.carveout_percent = percent;
    asked.cache_config = cache_config;
    asked.smem_mode = prefers ? SMC_SMEM_MODE_OVERSIZED : launch->smem_mode;
    smc_occupancy_compute(sm, &asked, &occupancy);
    uint32_t bytes = smc_smem_preferred_bytes(sm, percent, cache_config);
    return (struct smc_carveout){
        .smem_mode = asked.smem_mode,
        .smem_bytes = bytes,
        .l1_bytes = sm->l1_smem_unified_bytes > bytes ? sm->l1_smem_unified_bytes - bytes : 0,
        .percent_from = percent,
        .percent_to = percent,
        .configured_bytes = occupancy.smem_configured_bytes,
        .blocks_per_sm = occupancy.blocks_per_sm,
    };
}

/* Percentages come in ascending order, and so do the sizes. */
static void find_by_percent(const struct smc_sm *sm, const struct smc_launch *launch,
                            struct smc_carveouts *out)
{
    for (int32_t percent = 0; percent <= 100; percent++) {
        uint32_t bytes = smc_smem_preferred_bytes(sm, percent, SMC_CACHE_PREFER_NONE);
        bool same = out->count && out->size[out->count - 1].smem_bytes == bytes;
        if (same)
            out->size[out->count - 1].percent_to = percent;
        else if (out->count < SMC_MAX_CARVEOUTS)
            out->size[out->count++] = ask(sm, launch, percent, SMC_CACHE_PREFER_NONE);
    }
}

static void find_by_preference(const struct smc_sm *sm, struct smc_carveouts *out)
{
    for (uint32_t i = 0; i < sm->smem_carveout_count; i++)
        for (int config = 0; config < SMC_CACHE_CONFIG_COUNT; config++)
            if (out->preference[config].smem_bytes == sm->smem_carveout_bytes[i]) {
                out->size[out->count++] = out->preference[config];
                break;
            }
}

/* No percentage requests this size, only a mode. */
static void add_oversized(const struct smc_sm *sm, const struct smc_launch *launch,
                          struct smc_carveouts *out)
{
    struct smc_launch asked = *launch;
    struct smc_occupancy occupancy;
    uint32_t bytes = largest_size(sm, launch->smem_mode);
    if (bytes == sm->smem_per_sm_bytes || out->count == SMC_MAX_CARVEOUTS)
        return;
    asked.smem_mode = SMC_SMEM_MODE_PREFER_OVERSIZED;
    smc_occupancy_compute(sm, &asked, &occupancy);
    out->size[out->count++] = (struct smc_carveout){
        .smem_mode = asked.smem_mode,
        .smem_bytes = bytes,
        .l1_bytes = sm->l1_smem_unified_bytes > bytes ? sm->l1_smem_unified_bytes - bytes : 0,
        .percent_from = SMC_CARVEOUT_DEFAULT,
        .percent_to = SMC_CARVEOUT_DEFAULT,
        .configured_bytes = occupancy.smem_configured_bytes,
        .blocks_per_sm = occupancy.blocks_per_sm,
    };
}

void smc_carveouts_find(const struct smc_sm *sm, const struct smc_launch *launch,
                        struct smc_carveouts *out)
{
    *out = (struct smc_carveouts){.by_percent = !sm->carveout_by_cache_config};
    for (int config = 0; config < SMC_CACHE_CONFIG_COUNT; config++)
        out->preference[config] =
            ask(sm, launch, SMC_CARVEOUT_DEFAULT, (enum smc_cache_config)config);
    if (out->by_percent)
        find_by_percent(sm, launch, out);
    else
        find_by_preference(sm, out);
    add_oversized(sm, launch, out);
    for (uint32_t i = 0; i < out->count; i++)
        if (out->size[i].blocks_per_sm > out->most_blocks)
            out->most_blocks = out->size[i].blocks_per_sm;
}

const struct smc_carveout *smc_carveouts_smallest(const struct smc_carveouts *carveouts,
                                                  uint32_t blocks_per_sm)
{
    for (uint32_t i = 0; i < carveouts->count; i++)
        if (carveouts->size[i].blocks_per_sm >= blocks_per_sm)
            return &carveouts->size[i];
    return NULL;
}

const char *smc_cache_config_name(enum smc_cache_config cache_config)
{
    static const char *const names[] = {
        [SMC_CACHE_PREFER_NONE] = "cudaFuncCachePreferNone",
        [SMC_CACHE_PREFER_SHARED] = "cudaFuncCachePreferShared",
        [SMC_CACHE_PREFER_L1] = "cudaFuncCachePreferL1",
        [SMC_CACHE_PREFER_EQUAL] = "cudaFuncCachePreferEqual",
    };
    return names[cache_config];
}
