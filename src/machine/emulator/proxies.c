/* The fences between the generic and the async proxy: see proxies.h. For each warp the last fences
   are kept, with what they cover: all that was ordered before them. */
#include "machine/emulator/proxies.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { KEPT = 8 };

/* Covers accesses of unit v before before[v], of the fencing warp's lane i before lane[i]. */
struct proxy_fence {
    uint32_t at; /* time */
    uint32_t before[SMC_ORDER_UNITS], lane[SMC_LANES];
};

/* `dropped` joins what fences covered that are no longer kept. */
struct warp_fences {
    struct proxy_fence kept[KEPT], dropped;
    uint32_t count;
};

/* For shared memory, then global memory. */
struct smc_proxies {
    struct warp_fences warp[2][SMC_MAX_WARPS];
    bool any;
};

struct smc_proxies *smc_proxies_new(void)
{
    return smc_calloc(1, sizeof(struct smc_proxies));
}

void smc_proxies_free(struct smc_proxies *proxies)
{
    free(proxies);
}

void smc_proxies_begin_block(struct smc_proxies *proxies)
{
    if (proxies && proxies->any)
        memset(proxies, 0, sizeof *proxies);
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* What the lane's fellows in `mask` know of it. */
static uint32_t known_of_lane(const struct smc_order *order, const struct smc_warp *warp,
                              uint32_t lane, uint32_t mask)
{
    uint32_t synced = 0, acquired = 0;
    EACH_ACTIVE(i, mask) {
        synced = later(synced, warp->lane_synced_at[i]);
        acquired = later(acquired, order->lane_acquired_at[warp->index][i]);
        if (order->split >> warp->index & 1)
            acquired = later(acquired, order->lane_knows[warp->index][i][lane]);
    }
    const uint32_t both = synced < warp->lane_synced_at[lane] ? synced : warp->lane_synced_at[lane];
    return later(later(both, acquired), order->all_synced_at);
}

static void drop(struct warp_fences *fences, const struct proxy_fence *fence)
{
    for (uint32_t v = 0; v < SMC_ORDER_UNITS; v++)
        fences->dropped.before[v] = later(fences->dropped.before[v], fence->before[v]);
    for (uint32_t i = 0; i < SMC_LANES; i++)
        fences->dropped.lane[i] = later(fences->dropped.lane[i], fence->lane[i]);
}

static void add_fence(struct warp_fences *fences, const struct smc_order *order,
                      const struct smc_warp *warp, uint32_t mask)
{
    struct proxy_fence *fence = &fences->kept[fences->count % KEPT];
    if (fences->count >= KEPT)
        drop(fences, fence);
    fences->count++;
    fence->at = order->now;
    for (uint32_t v = 0; v < SMC_ORDER_UNITS; v++)
        fence->before[v] = later(order->known[warp->index][v], order->all_synced_at);
    for (uint32_t i = 0; i < SMC_LANES; i++)
        fence->lane[i] = mask >> i & 1 ? order->now : known_of_lane(order, warp, i, mask);
    fence->before[warp->index] = order->now;
}

void smc_proxies_fence(struct smc_proxies *proxies, struct smc_order *order,
                       const struct smc_warp *warp, uint32_t mask, uint32_t spaces)
{
    order->now++;
    proxies->any = true;
    for (uint32_t i = 0; i < 2; i++)
        if (spaces >> i & 1)
            add_fence(&proxies->warp[i][warp->index], order, warp, mask);
    order->now++; /* what follows is after it */
}

static bool covers(const struct proxy_fence *fence, uint32_t warp, uint32_t thread, uint32_t when)
{
    const uint32_t unit = thread / SMC_LANES;
    return when < (unit == warp ? fence->lane[thread % SMC_LANES] : fence->before[unit]);
}

/* Whether a fence of warp `fencer` before `until` covers the write. Of a fence that is not kept
   nobody knows when it was: it does. */
static bool covers_until(const struct warp_fences *fences, uint32_t fencer, uint32_t until,
                         const struct smc_generic_write *write)
{
    const uint32_t kept = fences->count < KEPT ? fences->count : KEPT;
    for (uint32_t i = 0; i < kept; i++)
        if (fences->kept[i].at < until &&
            covers(&fences->kept[i], fencer, write->thread, write->when))
            return true;
    return fences->count > KEPT && covers(&fences->dropped, fencer, write->thread, write->when);
}

static const struct warp_fences *fences_of(const struct smc_proxies *proxies,
                                           enum smc_ptx_space space)
{
    return proxies->warp[space == SMC_SPACE_SHARED ? 0 : 1];
}

bool smc_proxies_cover(const struct smc_proxies *proxies, const struct smc_order *order,
                       uint32_t warp, const struct smc_generic_write *write)
{
    const struct warp_fences *fences = fences_of(proxies, write->space);
    for (uint32_t u = 0; proxies->any && u < order->warps; u++) {
        const uint32_t until =
            u == warp ? UINT32_MAX : later(order->known[warp][u], order->all_synced_at);
        if (covers_until(&fences[u], u, until, write))
            return true;
    }
    return false;
}

bool smc_proxies_cover_until(const struct smc_proxies *proxies, const struct smc_order *order,
                             uint32_t until, const struct smc_generic_write *write)
{
    const struct warp_fences *fences = fences_of(proxies, write->space);
    for (uint32_t u = 0; u < order->warps; u++)
        if (covers_until(&fences[u], u, until, write))
            return true;
    return false;
}
