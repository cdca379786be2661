/* Each size that the shared memory of an SM can be set to. */
#include "rules/allocation.h"

#include <stddef.h>

#include "rules/headroom.h"

/* The carve-out of `bytes` that a launch is made with. */
static struct smc_carveout carveout_of(const struct smc_sm *sm, const struct smc_launch *launch,
                                       uint32_t bytes, int32_t percent)
{
    struct smc_occupancy occupancy;
    smc_occupancy_compute(sm, launch, &occupancy);
    return (struct smc_carveout){
        .smem_mode = launch->smem_mode,
        .smem_bytes = bytes,
        .l1_bytes = sm->l1_smem_unified_bytes > bytes ? sm->l1_smem_unified_bytes - bytes : 0,
        .percent_from = percent,
        .percent_to = percent,
        .configured_bytes = occupancy.smem_configured_bytes,
        .blocks_per_sm = occupancy.blocks_per_sm,
    };
}

static struct smc_carveout carveouts_ask(const struct smc_sm *sm, const struct smc_launch *launch,
                                         int32_t percent, enum smc_cache_config cache_config)
{
    struct smc_launch asked = *launch;
    bool prefers = launch->smem_mode == SMC_SMEM_MODE_PREFER_OVERSIZED;
    asked.carveout_percent = percent;
    asked.cache_config = cache_config;
    asked.smem_mode = prefers ? SMC_SMEM_MODE_OVERSIZED : launch->smem_mode;
    return carveout_of(sm, &asked, smc_smem_preferred_bytes(sm, percent, cache_config), percent);
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
            out->size[out->count++] = carveouts_ask(sm, launch, percent, SMC_CACHE_PREFER_NONE);
    }
}

static void find_by_preference(const struct smc_sm *sm, struct smc_carveouts *out)
{
    for (uint32_t i = 0; i < sm->smem_carveout_count; i++)
        for (int config = 0; config < SMC_CACHE_CONFIGS; config++)
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
    uint32_t bytes = smc_smem_largest_bytes(sm, launch->smem_mode);
    if (bytes == sm->smem_per_sm_bytes || out->count == SMC_MAX_CARVEOUTS)
        return;
    asked.smem_mode = SMC_SMEM_MODE_PREFER_OVERSIZED;
    out->size[out->count++] = carveout_of(sm, &asked, bytes, SMC_CARVEOUT_DEFAULT);
}

enum smc_status smc_carveouts_find(const struct smc_sm *sm, const struct smc_launch *launch,
                                   struct smc_carveouts *out)
{
    *out = (struct smc_carveouts){.by_percent = !sm->carveout_by_cache_config};
    const enum smc_status status = smc_launch_validate(sm, launch, NULL);
    if (status != SMC_OK)
        return status;
    for (int config = 0; config < SMC_CACHE_CONFIGS; config++)
        out->preference[config] =
            carveouts_ask(sm, launch, SMC_CARVEOUT_DEFAULT, (enum smc_cache_config)config);
    if (out->by_percent)
        find_by_percent(sm, launch, out);
    else
        find_by_preference(sm, out);
    add_oversized(sm, launch, out);
    for (uint32_t i = 0; i < out->count; i++)
        if (out->size[i].blocks_per_sm > out->most_blocks)
            out->most_blocks = out->size[i].blocks_per_sm;
    return SMC_OK;
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
