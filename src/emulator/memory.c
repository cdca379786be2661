/* From addresses to the host's memory, with every bound checked. */
#include <string.h>

#include "emulator/shadow.h"

/* Any 8 lanes of 64 bits lie in one vector of the widest CPUs: two passes each are vectorised. */
void smc_memory_addresses(const struct smc_warp *warp, const struct smc_op *op,
                          uint64_t address[SMC_LANES])
{
    const char *file = warp->file + op->a;
    if (op->address_is_32)
        EACH_LANE(i) address[i] = (uint32_t)(((const lane_u32 *)file)[i] + (uint32_t)op->immediate);
    else
        EACH_LANE(i) address[i] = ((const lane_u64 *)file)[i] + op->immediate;
}

/* The least and the greatest address of the active lanes, and the bits that any of them has. */
struct extent {
    uint64_t least, most, bits;
};

static struct extent extent_of(const uint64_t address[SMC_LANES], uint32_t mask)
{
    struct extent extent = {UINT64_MAX, 0, 0};
    EACH_ACTIVE(lane, mask)
    {
        uint64_t at = address[lane];
        extent.least = at < extent.least ? at : extent.least;
        extent.most = at > extent.most ? at : extent.most;
        extent.bits |= at;
    }
    return extent;
}

static void report(struct smc_worker *worker, const struct smc_warp *warp, const struct smc_op *op,
                   enum smc_finding_kind kind, enum smc_ptx_space space, uint64_t address,
                   uint32_t lane)
{
    struct smc_finding finding =
        smc_finding_at(worker, kind, op->instruction, smc_thread_of(warp, lane));
    smc_finding_set_address(worker, &finding, space, address,
                            (uint32_t)op->width_bytes * op->vector);
    smc_find(worker, &finding);
}

/* Leaves out the lanes whose address is no multiple of the width. */
static uint32_t drop_misaligned(struct smc_worker *worker, const struct smc_warp *warp,
                                const struct smc_op *op, enum smc_ptx_space space,
                                const uint64_t address[SMC_LANES], uint32_t mask)
{
    uint32_t bytes = (uint32_t)op->width_bytes * op->vector, good = mask;
    EACH_ACTIVE(lane, mask)
    if (address[lane] & (bytes - 1)) {
        report(worker, warp, op, SMC_FINDING_MISALIGNED, space, address[lane], lane);
        good &= ~(1u << lane);
    }
    return good;
}

/* One piece of memory of `bytes` that begins at address 0 of its space. */
static uint32_t locate_flat(struct smc_worker *worker, const struct smc_warp *warp,
                            const struct smc_op *op, enum smc_ptx_space space, char *data,
                            uint64_t bytes, uint64_t stride, const uint64_t address[SMC_LANES],
                            const struct extent *extent, uint32_t mask, char *host[SMC_LANES])
{
    uint32_t width = (uint32_t)op->width_bytes * op->vector, good = mask;
    if (extent->most > bytes || width > bytes - extent->most)
        EACH_ACTIVE(lane, mask)
    if (address[lane] > bytes || width > bytes - address[lane]) {
        report(worker, warp, op, SMC_FINDING_OUT_OF_BOUNDS, space, address[lane], lane);
        good &= ~(1u << lane);
    }
    EACH_ACTIVE(lane, good)
    host[lane] = data + address[lane] + stride * smc_thread_of(warp, lane);
    return good;
}

const struct smc_allocation *smc_memory_find(struct smc_worker *worker, uint64_t address)
{
    const struct smc_launch_state *launch = worker->launch;
    size_t low = 0, high = launch->allocations;
    while (low < high) { /* the first one that begins above the address */
        size_t middle = (low + high) / 2;
        if (launch->allocation[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const struct smc_allocation *found = &launch->allocation[low - 1];
    return address - found->address < found->bytes ? found : NULL;
}

static bool holds(const struct smc_allocation *allocation, uint64_t address, uint32_t width)
{
    uint64_t offset = address - allocation->address;
    return address >= allocation->address && offset <= allocation->bytes &&
           width <= allocation->bytes - offset;
}

static unsigned traffic_kind(enum smc_access_kind kind)
{
    return kind == SMC_READS    ? SMC_EMULATED_LOAD
           : kind == SMC_WRITES ? SMC_EMULATED_STORE
                                : SMC_EMULATED_ATOMIC;
}

/* The lanes of `mask` that access this allocation. */
static uint32_t lanes_within(const struct smc_allocation *allocation,
                             const uint64_t address[SMC_LANES], uint32_t mask, uint32_t width,
                             const struct extent *extent)
{
    uint32_t within = 0;
    if (holds(allocation, extent->least, width) && holds(allocation, extent->most, width))
        return mask;
    EACH_ACTIVE(lane, mask)
    within |= (uint32_t)holds(allocation, address[lane], width) << lane;
    return within;
}

static uint32_t locate_global(struct smc_worker *worker, const struct smc_warp *warp,
                              const struct smc_op *op, enum smc_access_kind kind,
                              const uint64_t address[SMC_LANES], const struct extent *extent,
                              uint32_t mask, char *host[SMC_LANES])
{
    uint32_t width = (uint32_t)op->width_bytes * op->vector, good = mask;
    const struct smc_allocation *allocation = NULL;
    if (worker->last_allocation < worker->launch->allocations)
        allocation = &worker->launch->allocation[worker->last_allocation];
    for (uint32_t left = mask; left;) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (!allocation || !holds(allocation, address[lane], width))
            allocation = smc_memory_find(worker, address[lane]);
        bool refused = allocation && allocation->is_constant && kind != SMC_READS;
        if (!allocation || refused || !holds(allocation, address[lane], width)) {
            report(worker, warp, op, refused ? SMC_FINDING_READ_ONLY : SMC_FINDING_OUT_OF_BOUNDS,
                   SMC_SPACE_GLOBAL, address[lane], lane);
            left &= left - 1;
            good &= ~(1u << lane);
            continue;
        }
        uint32_t within = lanes_within(allocation, address, left, width, extent);
        worker->last_allocation = (size_t)(allocation - worker->launch->allocation);
        EACH_ACTIVE(n, within)
        host[n] = allocation->data + (address[n] - allocation->address);
        smc_count_global(worker, op, traffic_kind(kind), address, within, width, allocation);
        left &= ~within;
    }
    return good;
}

uint32_t smc_memory_access_at(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_op *op, enum smc_ptx_space space,
                              enum smc_access_kind kind, const uint64_t address[SMC_LANES],
                              uint32_t mask, const void *const *value, char *host[SMC_LANES])
{
    const struct smc_launch_state *launch = worker->launch;
    uint32_t width = (uint32_t)op->width_bytes * op->vector;
    struct extent extent = extent_of(address, mask);
    if (extent.bits & (width - 1)) {
        mask = drop_misaligned(worker, warp, op, space, address, mask);
        extent = extent_of(address, mask);
    }
    if (!mask)
        return 0;
    uint64_t local = launch->program->local_bytes;
    switch (space) {
    case SMC_SPACE_SHARED:
        mask = locate_flat(worker, warp, op, space, worker->shared, launch->smem_bytes, 0, address,
                           &extent, mask, host);
        if (mask)
            smc_count_shared(worker, op, kind == SMC_READS ? SMC_BANK_LOAD : SMC_BANK_STORE,
                             kind == SMC_UPDATES, address, mask, width);
        break;
    case SMC_SPACE_LOCAL:
        return locate_flat(worker, warp, op, space, worker->local, local, local, address, &extent,
                           mask, host);
    case SMC_SPACE_PARAM:
        return locate_flat(worker, warp, op, space, launch->parameters,
                           launch->program->parameter_bytes, 0, address, &extent, mask, host);
    default:
        mask = locate_global(worker, warp, op, kind, address, &extent, mask, host);
        space = SMC_SPACE_GLOBAL;
    }
    if (worker->shadow && mask)
        smc_shadow_check(worker, warp, op, space, kind, address, mask, width, value, host);
    return mask;
}

uint32_t smc_memory_access(struct smc_worker *worker, struct smc_warp *warp,
                           const struct smc_op *op, enum smc_access_kind kind, uint32_t mask,
                           const void *const *value, char *host[SMC_LANES])
{
    uint64_t address[SMC_LANES];
    smc_memory_addresses(warp, op, address);
    if (op->space != SMC_SPACE_GENERIC)
        return smc_memory_access_at(worker, warp, op, op->space, kind, address, mask, value, host);
    uint32_t done = 0;
    for (uint32_t left = mask; left;) { /* mostly one turn */
        enum smc_ptx_space space = smc_space_of(address[__builtin_ctz(left)]);
        uint32_t same = 0;
        EACH_ACTIVE(lane, left)
        if (smc_space_of(address[lane]) == space) {
            same |= 1u << lane;
            address[lane] -= smc_window_of(space);
        }
        done |= smc_memory_access_at(worker, warp, op, space, kind, address, same, value, host);
        left &= ~same;
    }
    return done;
}
