/* What synchronizes the threads of a block, for its shadow: how it orders their accesses is in
   order.c. */
#include "machine/emulator/shadow_cells.h"

void smc_shadow_sync_block(struct smc_shadow *shadow)
{
    shadow->reads = 0; /* all of them are ordered before everything that follows */
    smc_order_sync_block(&shadow->order);
    if (shadow->lines > MAX_LINES / 2)
        smc_shadow_empty(shadow); /* all its accesses are ordered before everything that follows */
}

void smc_shadow_sync_warps(struct smc_shadow *shadow, const struct smc_barrier *barrier)
{
    smc_shadow_catch_up(shadow);
    smc_order_sync_warps(&shadow->order, barrier);
}

bool smc_shadow_is_after(const struct smc_shadow *shadow, const struct smc_warp *warp,
                         uint32_t other_warp, uint32_t when)
{
    const struct smc_order *order = &shadow->order;
    return other_warp == warp->index || when < order->all_synced_at ||
           when < order->known[warp->index][other_warp];
}

uint32_t smc_shadow_now(const struct smc_shadow *shadow)
{
    return shadow->order.now;
}

uint32_t smc_shadow_arrive(struct smc_shadow *shadow)
{
    return ++shadow->order.now;
}

void smc_shadow_sync_lanes(struct smc_shadow *shadow, struct smc_warp *warp, uint32_t mask)
{
    smc_shadow_catch_up(shadow);
    smc_order_sync_lanes(&shadow->order, warp, mask);
}

void smc_shadow_sync_warp(struct smc_shadow *shadow, struct smc_warp *warp, uint32_t mask)
{
    smc_shadow_catch_up(shadow);
    if (mask == warp->live)
        smc_order_sync_lanes(&shadow->order, warp, mask);
    else
        smc_order_sync_some_lanes(&shadow->order, warp, mask);
}

void smc_shadow_fence(struct smc_shadow *shadow, const struct smc_warp *warp, uint32_t mask,
                      bool is_narrow)
{
    smc_shadow_catch_up(shadow);
    smc_order_fence(&shadow->order, warp, mask, is_narrow);
}

void smc_shadow_proxy_fence(struct smc_shadow *shadow, const struct smc_warp *warp, uint32_t mask,
                            uint32_t spaces)
{
    if (!shadow->proxies)
        return;
    smc_shadow_catch_up(shadow);
    smc_proxies_fence(shadow->proxies, &shadow->order, warp, mask, spaces);
}

void smc_shadow_finish(struct smc_shadow *shadow, const struct smc_warp *warp, uint32_t unit,
                       uint32_t when)
{
    smc_shadow_catch_up(shadow);
    smc_order_finish(&shadow->order, warp, unit, when);
}

void smc_shadow_acquire_all(struct smc_shadow *shadow, const struct smc_warp *warp, uint32_t mask)
{
    smc_shadow_catch_up(shadow);
    smc_order_acquire_all(&shadow->order, warp, mask);
}

void smc_shadow_order(struct smc_shadow *shadow, const struct smc_warp *warp,
                      const struct smc_warp_access *access)
{
    smc_shadow_catch_up(shadow);
    if (shadow->order.releases)
        smc_order_strong(&shadow->order, warp, access);
}
