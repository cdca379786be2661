/* Memory accesses: translates addresses to the host's memory with all bounds checked, and counts
   their cost by the model's rules. */
#include <string.h>

#include "machine/emulator/clusters.h"
#include "machine/emulator/emulator_state.h"
#include "machine/emulator/matrix.h"
#include "machine/emulator/memory_shapes.h"
#include "machine/emulator/shadow.h"
#include "rules/banks.h"

/* --- Counts ----------------------------------------------------------------------------------- */

/* Keeps the access if it has more conflicts than the instruction's other ones. */
static void keep_worst(struct smc_worker *worker, const struct smc_op *op,
                       const struct smc_bank_cost *cost, const struct smc_shared_request *request,
                       const uint64_t address[SMC_LANES])
{
    struct smc_conflict_sample *sample = &worker->sample[op->instruction];
    const uint32_t conflicts = cost->wavefronts - cost->least;
    if (sample->taken && conflicts <= sample->conflicts)
        return;
    *sample = (struct smc_conflict_sample){
        .taken = true,
        .conflicts = conflicts,
        .block = worker->block,
        .access = {.mask = request->mask, .width_bytes = request->bytes, .op = request->op}};
    EACH_LANE(i)
        sample->access.address[i] = request->mask & smc_lane_bit[i] ? (uint32_t)address[i] : 0;
}

/* cp.async: what it reads counts too. */
static struct smc_bank_cost copy_cost(const struct smc_worker *worker, enum smc_bank_op served,
                                      const struct smc_warp_access *copy)
{
    const struct smc_emulation_request *request = worker->launch->request;
    struct smc_access access = {.mask = copy->mask, .width_bytes = copy->bytes, .op = served};
    EACH_ACTIVE(lane, copy->mask)
        access.address[lane] = (uint32_t)copy->address[lane];
    return smc_banks_count_copy(&request->banks, &access,
                                request->ignores_sources ? NULL : copy->from);
}

static void count_shared(struct smc_worker *worker, const struct smc_warp_access *access,
                         struct smc_shape *shape)
{
    const struct smc_op *op = access->op;
    const enum smc_bank_op kind = access->kind == SMC_READS ? SMC_BANK_LOAD : SMC_BANK_STORE;
    const bool is_atomic = access->kind == SMC_UPDATES;
    const uint64_t *address = access->address;
    const uint32_t mask = access->mask, bytes = access->bytes;
    struct smc_emulated_count *count = &worker->count[op->instruction];
    const enum smc_bank_op served = smc_op_bank_op(op, kind, mask);
    if (worker->log)
        smc_log_shared(worker, op, kind, address, mask, bytes);
    count->shared_atomics += is_atomic;
    if (served == SMC_BANK_OPS) {
        count->atomic_loops++;
        return;
    }
    const struct smc_shared_request request = {served, mask, bytes};
    struct smc_bank_cost cost =
        access->from ? copy_cost(worker, served, access)
                     : smc_shape_bank_cost(worker, is_atomic ? NULL : shape, 0, &request, address);
    if (is_atomic) {
        count->atomic_wavefronts += cost.wavefronts;
        count->least_atomic_wavefronts += cost.least;
        return;
    }
    count->least_wavefronts += cost.least;
    keep_worst(worker, op, &cost, &request, address);
    if (kind == SMC_BANK_STORE) {
        count->shared_stores++;
        count->store_wavefronts += cost.wavefronts;
        return;
    }
    count->shared_loads++;
    count->load_wavefronts += cost.wavefronts;
    if (!worker->launch->program->follows || op->machine_bytes == 0)
        return;
    if (op->machine_bytes != bytes)
        cost = smc_shape_bank_cost(
            worker, shape, 1, &(struct smc_shared_request){kind, mask, op->machine_bytes}, address);
    count->machine_loads++;
    count->machine_load_wavefronts += cost.wavefronts;
}

void smc_count_fragment(struct smc_worker *worker, const struct smc_op *op, enum smc_bank_op kind,
                        const uint64_t address[SMC_LANES], const struct smc_fragment_access *access,
                        const struct smc_access_bound *bound)
{
    struct smc_emulated_count *count = &worker->count[op->instruction];
    const enum smc_bank_op served = smc_fragment_bank_op(access, kind);
    const struct smc_shared_request request = {served, access->mask, access->bytes};
    struct smc_bank_cost cost = smc_shape_bank_cost(worker, NULL, 0, &request, address);
    struct smc_logged_access logged = {
        .instruction = op->instruction,
        .access = {.mask = access->mask, .width_bytes = access->bytes, .op = served},
        .bound = *bound,
    };
    if (worker->log)
        smc_log_access(worker, &logged, address);
    keep_worst(worker, op, &cost, &request, address);
    count->least_wavefronts += cost.least;
    count->shared_loads += kind == SMC_BANK_LOAD;
    count->shared_stores += kind == SMC_BANK_STORE;
    *(kind == SMC_BANK_LOAD ? &count->load_wavefronts : &count->store_wavefronts) +=
        cost.wavefronts;
}

void smc_emulated_traffic_add(const struct smc_emulated_traffic *from,
                              struct smc_emulated_traffic *to)
{
    to->requests += from->requests;
    to->sectors += from->sectors;
    to->elements += from->elements;
    to->bytes += from->bytes;
}

static void count_access_traffic(struct smc_worker *worker, const struct smc_op *op,
                                 enum smc_access_kind kind, const struct smc_allocation *allocation,
                                 const struct smc_emulated_traffic *traffic)
{
    static const unsigned of_kind[] = {[SMC_READS] = SMC_EMULATED_LOAD,
                                       [SMC_WRITES] = SMC_EMULATED_STORE,
                                       [SMC_UPDATES] = SMC_EMULATED_ATOMIC};
    struct smc_emulated_count *count = &worker->count[op->instruction];
    count->global_requests += traffic->requests;
    count->global_sectors += traffic->sectors;
    count->global_bytes += traffic->bytes;
    if (allocation->array != SIZE_MAX)
        smc_emulated_traffic_add(traffic,
                                 &worker->array_count[allocation->array].kind[of_kind[kind]]);
}

void smc_count_copy(struct smc_worker *worker, const struct smc_op *op,
                    const uint64_t from[SMC_LANES], const uint64_t to[SMC_LANES], uint32_t mask)
{
    const struct smc_allocation *allocation =
        worker->last_allocation < worker->launch->allocations
            ? &worker->launch->allocation[worker->last_allocation]
            : NULL; /* the heap */
    uint64_t as_load = smc_sectors_count(from, mask);
    uint64_t sectors = smc_sectors_count_copied(from, to, mask);
    struct smc_emulated_count *count = &worker->count[op->instruction];
    count->global_sectors = count->global_sectors - as_load + sectors;
    if (!allocation || allocation->array == SIZE_MAX)
        return;
    struct smc_emulated_traffic *loads =
        &worker->array_count[allocation->array].kind[SMC_EMULATED_LOAD];
    loads->sectors = loads->sectors - as_load + sectors;
}

void smc_emulated_count_add(const struct smc_emulated_count *from, struct smc_emulated_count *to)
{
    to->executions += from->executions;
    to->lanes += from->lanes;
    to->divergent += from->divergent;
    to->shared_loads += from->shared_loads;
    to->shared_stores += from->shared_stores;
    to->shared_atomics += from->shared_atomics;
    to->atomic_loops += from->atomic_loops;
    to->atomic_wavefronts += from->atomic_wavefronts;
    to->least_atomic_wavefronts += from->least_atomic_wavefronts;
    to->distributed += from->distributed;
    to->distributed_wavefronts += from->distributed_wavefronts;
    to->distributed_unknown += from->distributed_unknown;
    to->load_wavefronts += from->load_wavefronts;
    to->machine_loads += from->machine_loads;
    to->machine_load_wavefronts += from->machine_load_wavefronts;
    to->store_wavefronts += from->store_wavefronts;
    to->least_wavefronts += from->least_wavefronts;
    to->global_requests += from->global_requests;
    to->global_sectors += from->global_sectors;
    to->global_bytes += from->global_bytes;
}

uint64_t smc_emulated_wavefronts(const struct smc_emulated_count *count)
{
    return count->load_wavefronts + count->store_wavefronts;
}

uint64_t smc_emulated_conflicts(const struct smc_emulated_count *count)
{
    return smc_emulated_wavefronts(count) - count->least_wavefronts;
}

/* --- Accesses --------------------------------------------------------------------------------- */

enum { CELL_BYTES = 4 }; /* of struct smc_emulated_array's `written` */

/* The lowest and highest addresses of the active lanes, and the OR of all their bits. */
struct address_extent {
    uint64_t least, most, bits;
};

/* By the shape, unless an address might be below 0 and so be the highest one. */
static struct address_extent extent_of(const uint64_t address[SMC_LANES], uint32_t mask,
                                       const struct smc_shape *shape)
{
    const int64_t far = INT64_C(1) << 48;
    struct address_extent extent = {UINT64_MAX, 0, 0};
    const uint64_t first = mask ? address[__builtin_ctz(mask)] : 0;
    if (shape && first < (uint64_t)far && shape->least >= -(int64_t)first && shape->most < far)
        return (struct address_extent){first - (uint64_t)-shape->least,
                                       first + (uint64_t)shape->most, first | shape->bits};
    EACH_ACTIVE(lane, mask) {
        uint64_t at = address[lane];
        extent.least = at < extent.least ? at : extent.least;
        extent.most = at > extent.most ? at : extent.most;
        extent.bits |= at;
    }
    return extent;
}

static void memory_report(struct smc_worker *worker, const struct smc_warp *warp,
                          const struct smc_warp_access *access, enum smc_finding_kind kind,
                          uint32_t lane)
{
    struct smc_finding finding =
        smc_finding_at(worker, kind, access->op->instruction, smc_thread_of(warp, lane));
    smc_finding_set_address(worker, &finding, access->space, access->address[lane], access->bytes);
    smc_find(worker, &finding);
}

/* Drops the lanes whose address is not a multiple of the width. */
static uint32_t drop_misaligned(struct smc_worker *worker, const struct smc_warp *warp,
                                const struct smc_warp_access *access)
{
    uint32_t good = access->mask;
    EACH_ACTIVE(lane, access->mask)
        if (access->address[lane] & (access->bytes - 1)) {
            memory_report(worker, warp, access, SMC_FINDING_MISALIGNED, lane);
            good &= ~(1u << lane);
        }
    return good;
}

/* A piece of memory that begins at address 0 of its space. */
struct flat {
    char *data;
    uint64_t bytes, stride; /* from one thread's to the next one's; 0: one for all */
};

static uint32_t locate_flat(struct smc_worker *worker, const struct smc_warp *warp,
                            const struct smc_warp_access *access,
                            const struct address_extent *extent, struct flat flat)
{
    const uint64_t *address = access->address;
    const uint32_t width = access->bytes;
    uint32_t good = access->mask;
    if (extent->most > flat.bytes || width > flat.bytes - extent->most)
        EACH_ACTIVE(lane, access->mask)
            if (address[lane] > flat.bytes || width > flat.bytes - address[lane]) {
                memory_report(worker, warp, access, SMC_FINDING_OUT_OF_BOUNDS, lane);
                good &= ~(1u << lane);
            }
    char **host = access->host;
    if (!flat.stride) { /* what is not in `good` is not used */
        EACH_LANE(lane)
            host[lane] = (char *)((uintptr_t)flat.data + address[lane]);
        return good;
    }
    EACH_ACTIVE(lane, good)
        host[lane] = flat.data + address[lane] + flat.stride * smc_thread_of(warp, lane);
    return good;
}

static const struct smc_allocation *memory_find(struct smc_worker *worker, uint64_t address)
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
    if (launch->heap && smc_heap_spans(launch->heap, address)) {
        const struct smc_allocation *nearest = smc_heap_find(launch->heap, address);
        return nearest && address - nearest->address < nearest->bytes ? nearest : NULL;
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

/* The lanes of `mask` that access this allocation. */
static uint32_t emulator_memory_lanes_within(const struct smc_allocation *allocation,
                                             const uint64_t address[SMC_LANES], uint32_t mask,
                                             uint32_t width, const struct address_extent *extent)
{
    uint32_t within = 0;
    if (holds(allocation, extent->least, width) && holds(allocation, extent->most, width))
        return mask;
    EACH_ACTIVE(lane, mask)
        within |= (uint32_t)holds(allocation, address[lane], width) << lane;
    return within;
}

/* Copies what the lanes load that cross the end of the allocation, and returns them. */
static uint32_t cut_at_end(struct smc_worker *worker, const struct smc_warp_access *access,
                           const struct smc_allocation *allocation, uint32_t mask)
{
    uint32_t cut = 0;
    EACH_ACTIVE(lane, mask)
        if (!holds(allocation, access->address[lane], access->bytes)) {
            memset(worker->cut[lane], 0, access->bytes);
            memcpy(worker->cut[lane], access->host[lane], access->op->used_bytes);
            access->host[lane] = worker->cut[lane];
            cut |= 1u << lane;
        }
    return cut;
}

/* The bytes of cell `i` that lie between `begin` and `end`: a bit each. */
static uint8_t bytes_of_cell(uint64_t i, uint64_t begin, uint64_t end)
{
    const uint64_t first = i * CELL_BYTES;
    const uint32_t from = begin > first ? (uint32_t)(begin - first) : 0;
    const uint32_t to = end < first + CELL_BYTES ? (uint32_t)(end - first) : CELL_BYTES;
    return (uint8_t)((1u << to) - (1u << from));
}

struct coverage {
    bool any, all; /* of the bytes are written */
};

static struct coverage coverage_of(const struct smc_allocation *allocation, uint64_t begin,
                                   uint64_t bytes)
{
    struct coverage found = {.all = true};
    const uint64_t end = begin + bytes;
    for (uint64_t i = begin / CELL_BYTES; i <= (end - 1) / CELL_BYTES; i++) {
        const uint8_t mask = bytes_of_cell(i, begin, end);
        const uint8_t now = __atomic_load_n(&allocation->written[i], __ATOMIC_RELAXED) & mask;
        found.any |= now != 0;
        found.all &= now == mask;
    }
    return found;
}

/* Whether a read of bytes not all of which are written is a fault. Where a structure is copied, the
   padding between its members is read along with them; so of what is only copied some bytes must be
   written, and of bulk copies some of each 16. Elements that are computed with must be written, and
   single ones to the last byte: those of vectors may be words of a structure. */
static bool reads_unwritten(const struct smc_op *op, const struct smc_allocation *allocation,
                            uint64_t begin, uint32_t bytes)
{
    enum { MOST_LOADED = 32, BULK_UNIT = 16 };
    const uint32_t unit = bytes <= MOST_LOADED ? bytes : BULK_UNIT;
    for (uint32_t at = 0; at < bytes; at += unit)
        if (!coverage_of(allocation, begin + at, bytes - at < unit ? bytes - at : unit).any)
            return true;
    for (uint32_t n = 0; op->computed >> n && (n + 1) * op->width_bytes <= bytes; n++) {
        const struct coverage found =
            coverage_of(allocation, begin + (uint64_t)n * op->width_bytes, op->width_bytes);
        if (op->computed >> n & 1 && !(op->vector == 1 ? found.all : found.any))
            return true;
    }
    return false;
}

/* Notes what is written, and reports what nothing has written before it is read: once. Another
   worker may do so at the same time, also for bytes of the same four. */
static void emulator_memory_check_written(struct smc_worker *worker, const struct smc_op *op,
                                          uint32_t thread, const struct smc_bulk *place)
{
    const struct smc_allocation *allocation = place->allocation;
    const uint64_t begin = place->address - allocation->address, end = begin + place->bytes;
    if (coverage_of(allocation, begin, place->bytes).all)
        return;
    if (place->kind == SMC_READS ? reads_unwritten(op, allocation, begin, place->bytes)
                                 : place->kind != SMC_WRITES)
        smc_memory_report_bulk(worker, op, thread, SMC_FINDING_UNWRITTEN_GLOBAL, place);
    for (uint64_t i = begin / CELL_BYTES; i <= (end - 1) / CELL_BYTES; i++)
        __atomic_fetch_or(&allocation->written[i], bytes_of_cell(i, begin, end), __ATOMIC_RELAXED);
}

void smc_memory_read_texel(struct smc_worker *worker, const struct smc_warp *warp,
                           const struct smc_op *op, const struct smc_texel *texel, uint32_t lane)
{
    const struct smc_launch_state *launch = worker->launch;
    if (!launch->request->arrays[texel->array].written)
        return;
    for (size_t i = 0; i < launch->allocations; i++) {
        const struct smc_allocation *allocation = &launch->allocation[i];
        if (allocation->array != texel->array || !allocation->written)
            continue;
        const struct smc_bulk place = {.kind = SMC_READS,
                                       .space = SMC_SPACE_GLOBAL,
                                       .address = allocation->address +
                                                  (uint64_t)(texel->data - allocation->data),
                                       .bytes = texel->bytes,
                                       .allocation = allocation};
        emulator_memory_check_written(worker, op, smc_thread_of(warp, lane), &place);
        return;
    }
}

/* `cut`: the lanes that load a vector whose end lies beyond the allocation, and is not used. */
static uint32_t locate_global(struct smc_worker *worker, const struct smc_warp *warp,
                              const struct smc_warp_access *access,
                              const struct address_extent *extent, struct smc_shape *shape,
                              uint32_t *cut)
{
    const struct smc_op *op = access->op;
    const uint64_t *address = access->address;
    char **host = access->host;
    const uint32_t mask = access->mask, bytes = access->bytes;
    const uint32_t width = op->used_bytes ? op->used_bytes : bytes;
    uint32_t good = mask;
    const struct smc_allocation *allocation = NULL;
    if (worker->last_allocation < worker->launch->allocations)
        allocation = &worker->launch->allocation[worker->last_allocation];
    for (uint32_t left = mask; left;) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (!allocation || !holds(allocation, address[lane], width))
            allocation = memory_find(worker, address[lane]);
        bool refused = allocation && allocation->is_constant && access->kind != SMC_READS;
        bool freed = allocation && !allocation->data;
        if (!allocation || refused || freed || !holds(allocation, address[lane], width)) {
            memory_report(worker, warp, access,
                          refused ? SMC_FINDING_READ_ONLY
                          : freed ? SMC_FINDING_USE_AFTER_FREE
                                  : SMC_FINDING_OUT_OF_BOUNDS,
                          lane);
            left &= left - 1;
            good &= ~(1u << lane);
            continue;
        }
        uint32_t within = emulator_memory_lanes_within(allocation, address, left, width, extent);
        worker->last_allocation = allocation->is_heap
                                      ? worker->launch->allocations
                                      : (size_t)(allocation - worker->launch->allocation);
        if (shape)
            smc_shape_set_allocation(worker, shape,
                                     within == mask && !allocation->is_heap ? allocation : NULL);
        if (within == mask) { /* what is not in `mask` is not used */
            const uintptr_t data = (uintptr_t)allocation->data;
            EACH_LANE(n)
                host[n] = (char *)(data + (address[n] - allocation->address));
        } else {
            EACH_ACTIVE(n, within)
                host[n] = allocation->data + (address[n] - allocation->address);
        }
        if (allocation->written)
            EACH_ACTIVE(n, within) {
                const struct smc_bulk place = {.kind = access->kind,
                                               .space = SMC_SPACE_GLOBAL,
                                               .address = address[n],
                                               .bytes = width,
                                               .allocation = allocation};
                emulator_memory_check_written(worker, op, smc_thread_of(warp, n), &place);
            }
        if (width < bytes)
            *cut |= cut_at_end(worker, access, allocation, within);
        const uint64_t lanes = smc_lane_count(within);
        const struct smc_emulated_traffic traffic = {1, smc_shape_sectors(shape, address, within),
                                                     lanes * op->vector, lanes * bytes};
        count_access_traffic(worker, op, access->kind, allocation, &traffic);
        left &= ~within;
    }
    return good;
}

/* A read of local memory of which no byte was written: several elements may be loaded at once, not
   all of which are used. */
static void check_local(struct smc_worker *worker, const struct smc_warp *warp,
                        const struct smc_warp_access *access)
{
    if (!worker->local_written || access->op->only_copies)
        return;
    EACH_ACTIVE(lane, access->mask) {
        uint8_t *written = worker->local_written + (access->host[lane] - worker->local);
        if (access->kind != SMC_WRITES && !memchr(written, 1, access->bytes))
            memory_report(worker, warp, access, SMC_FINDING_UNWRITTEN_LOCAL, lane);
        memset(written, 1, access->bytes);
    }
}

/* Of vectors that cross the end of an allocation only the elements that are used are checked. */
static void check_cut(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                      const uint64_t address[SMC_LANES], uint32_t cut)
{
    for (uint32_t offset = 0; offset < op->used_bytes; offset += op->width_bytes) {
        uint64_t element[SMC_LANES];
        char *host[SMC_LANES];
        const struct smc_warp_access access = {.op = op,
                                               .kind = SMC_READS,
                                               .space = SMC_SPACE_GLOBAL,
                                               .mask = cut,
                                               .bytes = op->width_bytes,
                                               .address = element,
                                               .host = host};
        EACH_LANE(lane) {
            element[lane] = address[lane] + offset;
            host[lane] = worker->cut[lane] + offset;
        }
        smc_shadow_check(worker, warp, &access, NULL);
    }
}

/* Accesses of some lanes of an instruction: keeps the others' elements of `host`. */
static uint32_t access_some(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_warp_access *access)
{
    char *found[SMC_LANES];
    struct smc_warp_access some = *access;
    some.host = found;
    const uint32_t good = smc_memory_access_at(worker, warp, &some);
    EACH_ACTIVE(lane, good)
        access->host[lane] = found[lane];
    return good;
}

/* Accesses of which some are to the shared memory of other blocks of the cluster. */
static uint32_t access_cluster(struct smc_worker *worker, struct smc_warp *warp,
                               const struct smc_warp_access *access)
{
    struct smc_cluster_lanes lanes = {.mine = 0};
    const uint32_t good = smc_cluster_reach(worker, warp, access, &lanes);
    struct smc_warp_access own = *access;
    own.mask = lanes.mine;
    own.address = lanes.own;
    return lanes.mine ? good | access_some(worker, warp, &own) : good;
}

uint32_t smc_memory_access_at(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_warp_access *access)
{
    const struct smc_launch_state *launch = worker->launch;
    const struct smc_op *op = access->op;
    struct smc_warp_access at = *access; /* of the lanes whose accesses are valid so far */
    at.bytes = smc_op_bytes(op);
    struct smc_shape *shape = smc_shape_of(worker, warp, op, at.address, at.mask);
    struct address_extent extent = extent_of(at.address, at.mask, shape);
    if (extent.bits & (at.bytes - 1)) {
        at.mask = drop_misaligned(worker, warp, &at);
        shape = NULL;
        extent = extent_of(at.address, at.mask, NULL);
    }
    if (!at.mask)
        return 0;
    uint64_t local = launch->program->local_bytes;
    uint32_t cut = 0;
    switch (at.space) {
    case SMC_SPACE_SHARED:
        if (extent.most >= SMC_CLUSTER_STRIDE && launch->cluster_blocks > 1)
            return access_cluster(worker, warp, &at);
        at.mask = locate_flat(worker, warp, &at, &extent,
                              (struct flat){worker->shared, launch->smem_bytes, 0});
        if (at.mask && op->kind != SMC_OP_LOAD_FRAGMENT && op->kind != SMC_OP_STORE_FRAGMENT)
            count_shared(worker, &at, shape && at.mask == shape->mask ? shape : NULL);
        break;
    case SMC_SPACE_LOCAL:
        at.mask =
            locate_flat(worker, warp, &at, &extent, (struct flat){worker->local, local, local});
        check_local(worker, warp, &at);
        return at.mask;
    case SMC_SPACE_PARAM:
        return locate_flat(worker, warp, &at, &extent,
                           (struct flat){launch->parameters, launch->program->parameter_bytes, 0});
    default:
        at.space = SMC_SPACE_GLOBAL;
        at.mask = locate_global(worker, warp, &at, &extent, shape, &cut);
    }
    if (cut && worker->shadow)
        check_cut(worker, warp, op, at.address, cut);
    const uint32_t located = at.mask;
    at.mask &= ~cut;
    if (worker->shadow && at.mask) {
        const bool is_shaped = shape && !shape->changes && at.mask == shape->mask;
        smc_shadow_check(worker, warp, &at,
                         is_shaped && at.kind == SMC_READS && !op->is_strong
                             ? places_of(worker, shape, at.space)
                             : NULL);
    }
    return located;
}

enum smc_finding_kind smc_memory_find_bulk(struct smc_worker *worker, struct smc_bulk *bulk)
{
    const uint64_t address = bulk->address, shared = worker->launch->smem_bytes;
    const uint32_t bytes = bulk->bytes;
    bulk->data = NULL;
    if (bulk->space == SMC_SPACE_SHARED) {
        if (address <= shared && bytes <= shared - address)
            bulk->data = worker->shared + address;
        return bulk->data ? SMC_FINDING_KINDS : SMC_FINDING_OUT_OF_BOUNDS;
    }
    const struct smc_allocation *allocation = memory_find(worker, address);
    bulk->allocation = allocation;
    if (allocation && allocation->is_constant && bulk->kind != SMC_READS)
        return SMC_FINDING_READ_ONLY;
    if (allocation && !allocation->data)
        return SMC_FINDING_USE_AFTER_FREE;
    if (!allocation || !holds(allocation, address, bytes))
        return SMC_FINDING_OUT_OF_BOUNDS;
    bulk->data = allocation->data + (address - allocation->address);
    return SMC_FINDING_KINDS;
}

void smc_memory_report_bulk(struct smc_worker *worker, const struct smc_op *op, uint32_t thread,
                            enum smc_finding_kind kind, const struct smc_bulk *bulk)
{
    struct smc_finding finding = smc_finding_at(worker, kind, op->instruction, thread);
    smc_finding_set_address(worker, &finding, bulk->space, bulk->address, bulk->bytes);
    smc_find(worker, &finding);
}

bool smc_memory_bulk(struct smc_worker *worker, const struct smc_op *op, uint32_t thread,
                     struct smc_bulk *bulk)
{
    const enum smc_finding_kind fault = smc_memory_find_bulk(worker, bulk);
    if (fault != SMC_FINDING_KINDS) {
        smc_memory_report_bulk(worker, op, thread, fault, bulk);
        return false;
    }
    if (bulk->space == SMC_SPACE_SHARED)
        return true;
    const uint64_t last = bulk->address + bulk->bytes - 1;
    const struct smc_emulated_traffic traffic = {
        1, last / SMC_SECTOR_BYTES - bulk->address / SMC_SECTOR_BYTES + 1,
        bulk->bytes / op->width_bytes, bulk->bytes};
    count_access_traffic(worker, op, bulk->kind, bulk->allocation, &traffic);
    if (bulk->allocation->written)
        emulator_memory_check_written(worker, op, thread, bulk);
    return true;
}

const char *smc_memory_peek(struct smc_worker *worker, const struct smc_warp *warp, uint32_t lane,
                            uint64_t address, uint64_t *bytes)
{
    const struct smc_launch_state *launch = worker->launch;
    enum smc_ptx_space space = smc_space_of(address);
    uint64_t offset = address - smc_window_of(space), local = launch->program->local_bytes;
    const char *data = space == SMC_SPACE_SHARED ? worker->shared
                       : space == SMC_SPACE_LOCAL
                           ? worker->local + local * smc_thread_of(warp, lane)
                           : launch->parameters;
    *bytes = space == SMC_SPACE_SHARED  ? launch->smem_bytes
             : space == SMC_SPACE_LOCAL ? local
                                        : launch->program->parameter_bytes;
    if (space == SMC_SPACE_GLOBAL) {
        const struct smc_allocation *allocation = memory_find(worker, address);
        if (!allocation || !allocation->data)
            return NULL;
        offset = address - allocation->address;
        data = allocation->data;
        *bytes = allocation->bytes;
    }
    if (offset >= *bytes)
        return NULL;
    *bytes -= offset;
    return data + offset;
}

uint32_t smc_memory_access(struct smc_worker *worker, struct smc_warp *warp,
                           const struct smc_warp_access *wanted)
{
    uint64_t address[SMC_LANES];
    struct smc_warp_access access = *wanted;
    access.space = wanted->op->space;
    access.address = address;
    smc_memory_addresses(warp, access.op, address);
    if (access.space != SMC_SPACE_GENERIC)
        return smc_memory_access_at(worker, warp, &access);
    uint32_t done = 0;
    for (uint32_t left = wanted->mask; left;) { /* usually one iteration */
        access.space = smc_space_of(address[__builtin_ctz(left)]);
        access.mask = 0;
        EACH_ACTIVE(lane, left)
            if (smc_space_of(address[lane]) == access.space) {
                access.mask |= 1u << lane;
                address[lane] -= smc_window_of(access.space);
            }
        done |= access_some(worker, warp, &access);
        left &= ~access.mask;
    }
    return done;
}
