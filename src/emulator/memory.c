/* Memory accesses: translates addresses to the host's memory with all bounds checked, and counts
   their cost by the model's rules. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "emulator/clusters.h"
#include "emulator/operations.h"
#include "emulator/runtime.h"
#include "emulator/shadow.h"
#include "model/sectors.h"

/* --- What accesses cost ----------------------------------------------------------------------- */

/* The costs of address patterns in shared memory are cached: a kernel has only a few patterns,
   relative to their first address. */

enum { MEMO_BITS = 10, MEMO_SIZE = 1 << MEMO_BITS };

/* One pattern: addresses relative to its first address. */
struct pattern {
    struct smc_access access;
    struct smc_bank_cost cost;
    bool known;
};

enum { SECTOR_STEP = 4 }; /* other places are not cached */

/* How the addresses of one instruction lie to each other, which mostly is as when it was last
   executed: then their extent and their costs are known from the first address. */
struct smc_shape {
    struct smc_lane_layout layout; /* what is used most is at its end and after it */
    const struct smc_op *op;       /* NULL: none */
    uint64_t number;
    uint32_t mask, changes; /* times in a row that it was another one */
    uint32_t owner;         /* a warp, or ANY_WARP */
    bool is_by_warp;        /* of any warp: no longer used, each warp has its own */
    bool is_near;           /* every delta is that of its lower 32 bits */
    int64_t least, most;
    uint64_t bits; /* OR of all deltas */
    uint8_t
        sectors[SMC_SECTOR_BYTES / SECTOR_STEP]; /* by the place of the first address; 0: unknown */
    const struct smc_allocation *allocation; /* where it went last; NULL: unknown, or the heap */
    uint64_t low, high; /* of the first address, if all are within that or within shared memory */
    struct smc_places places; /* count 0: not found yet */
    uint32_t near_delta[SMC_LANES];
    uint32_t near_active[SMC_LANES]; /* all bits, or none */
    uint64_t active[SMC_LANES];
    struct {
        uint32_t bytes, place; /* of each access; of the first address in a row of banks */
        enum smc_bank_op kind;
        struct smc_bank_cost cost;
        bool is_known;
    } banks[2]; /* as in PTX and as in machine code */
};
/* What a load or a store adds to the counts each time that its addresses have this shape, and the
   first one this place modulo `unit`. */
struct costs {
    const struct smc_op *op; /* NULL: none */
    uint64_t shape;          /* its number */
    uint32_t unit, place;
    const struct smc_allocation *allocation; /* of global memory */
    uint64_t times;                          /* that are to be added */
    uint32_t instruction;
    enum smc_ptx_space space;
    bool stores;
    uint32_t least, wavefronts, machine_loads, machine_wavefronts; /* of shared memory */
    uint32_t sectors, elements, bytes;                             /* of global memory */
};

enum { MOST_SHAPES = 4096, WARP_SHAPES = 4096, ANY_WARP = SMC_MAX_WARPS };

struct smc_bank_memo {
    struct pattern pattern[MEMO_SIZE];
    struct smc_shape warp_shape[WARP_SHAPES]; /* by instruction and warp */
    uint64_t numbers;                         /* given to shapes */
    uint32_t shape_mask;
    struct costs *costs;      /* by instruction */
    struct smc_shape shape[]; /* by instruction */
};

struct smc_bank_memo *smc_bank_memo_new(const struct smc_program *program)
{
    uint32_t shapes = 1;
    while (shapes < MOST_SHAPES && shapes < program->instructions)
        shapes *= 2;
    struct smc_bank_memo *memo = smc_calloc(1, sizeof *memo + (size_t)shapes * sizeof *memo->shape);
    struct costs *costs = smc_calloc(shapes, sizeof *costs);
    if (!memo || !costs) {
        free(memo);
        free(costs);
        return NULL;
    }
    memo->shape_mask = shapes - 1;
    memo->costs = costs;
    return memo;
}

void smc_bank_memo_free(struct smc_bank_memo *memo)
{
    if (memo)
        free(memo->costs);
    free(memo);
}

static inline uint32_t bytes_of(const struct smc_op *op)
{
    return (uint32_t)op->width_bytes * op->vector;
}

static uint32_t hash_of(const struct smc_access *access)
{
    static const uint32_t factor[SMC_LANES] = {
#define FOUR(n) (n) * 2654435761u + 1, (n)*2246822519u + 3, (n)*3266489917u + 5, (n)*668265263u + 7
        FOUR(1), FOUR(3), FOUR(5), FOUR(7), FOUR(9), FOUR(11), FOUR(13), FOUR(15)};
    uint32_t sum = access->mask * 2654435761u + access->width_bytes * 31 + (uint32_t)access->op;
    EACH_LANE(i) sum += access->address[i] * factor[i];
    return (sum ^ sum >> 15) * 2246822519u >> (32 - MEMO_BITS);
}

/* The cost of a pattern does not change if it is shifted by whole rows of banks, or by words if a
   row is as long as there are banks. Inactive lanes count as address 0. */
static uint32_t unit_of(const struct smc_bank_layout *layout, uint32_t bytes)
{
    uint32_t unit = layout->row_words == layout->banks ? 4 : layout->row_words * 4;
    return bytes > unit ? bytes : unit;
}

static void make_relative(const struct smc_bank_layout *layout, const uint64_t address[SMC_LANES],
                          struct smc_access *access)
{
    uint32_t unit = unit_of(layout, access->width_bytes);
    uint32_t first = (uint32_t)address[__builtin_ctz(access->mask)];
    uint32_t base = first - first % unit, mask = access->mask;
    /* Wraps for lanes below the first one; adding the window size corrects that. */
    EACH_LANE(i)
    access->address[i] = mask & smc_lane_bit[i] ? (uint32_t)address[i] - base : 0;
}

static struct smc_bank_cost cost_of(const struct smc_bank_layout *layout,
                                    const struct smc_access *relative, uint32_t base)
{
    struct smc_access access = *relative;
    EACH_LANE(i) access.address[i] = access.mask & smc_lane_bit[i] ? access.address[i] + base : 0;
    return smc_banks_count(layout, &access);
}

/* The cost of one access, from the cache or computed. */
static struct smc_bank_cost find_cost(struct smc_worker *worker, enum smc_bank_op kind,
                                      const uint64_t address[SMC_LANES], uint32_t mask,
                                      uint32_t bytes)
{
    const struct smc_bank_layout *layout = &worker->launch->request->banks;
    struct smc_access access = {.mask = mask, .width_bytes = bytes, .op = kind};
    make_relative(layout, address, &access);
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    struct pattern *pattern = &worker->memo->pattern[hash_of(&access)];
    if (!pattern->known || memcmp(&pattern->access, &access, sizeof access) != 0) {
        pattern->known = true;
        pattern->access = access;
        pattern->cost = cost_of(layout, &access, (uint32_t)address[lane] - access.address[lane]);
    }
    return pattern->cost;
}

/* --- Shapes ----------------------------------------------------------------------------------- */

/* How 8 lanes from `lane` on lie. */
static enum smc_eight_lanes eight_lanes(const struct smc_shape *shape, uint32_t lane)
{
    const int64_t *delta = &shape->layout.delta[lane], bytes = shape->op->width_bytes;
    bool same = true, next = shape->op->vector == 1;
    if ((shape->mask >> lane & 0xff) != 0xff)
        return SMC_EIGHT_OTHER;
    for (int i = 1; i < 8; i++) {
        same &= delta[i] == delta[0];
        next &= delta[i] == delta[0] + i * bytes;
    }
    return same ? SMC_EIGHT_SAME : next ? SMC_EIGHT_NEIGHBORS : SMC_EIGHT_OTHER;
}

static void describe(struct smc_shape *shape, const struct smc_op *op,
                     const uint64_t address[SMC_LANES], uint32_t mask)
{
    const uint64_t first = address[__builtin_ctz(mask)];
    int64_t *const deltas = shape->layout.delta;
    *shape = (struct smc_shape){.op = op, .mask = mask};
    EACH_LANE(i)
    {
        shape->active[i] = mask & smc_lane_bit[i] ? UINT64_MAX : 0;
        shape->near_active[i] = (uint32_t)shape->active[i];
        deltas[i] = (int64_t)((address[i] - first) & shape->active[i]);
        shape->near_delta[i] = (uint32_t)deltas[i];
    }
    EACH_LANE(i)
    {
        const int64_t delta = deltas[i];
        shape->least = delta < shape->least ? delta : shape->least;
        shape->most = delta > shape->most ? delta : shape->most;
        shape->bits |= (uint64_t)delta;
    }
    shape->is_near = shape->least >= INT32_MIN && shape->most <= INT32_MAX;
    for (uint32_t i = 0; i < SMC_LANES / 8; i++) {
        shape->layout.eight[i] = (uint8_t)eight_lanes(shape, 8 * i);
        shape->layout.base[i] = deltas[(size_t)8 * i];
    }
}

/* The accesses are to memory that begins at this address. */
static void set_reach(struct smc_shape *shape, uint64_t begin, uint64_t bytes)
{
    const uint64_t below = (uint64_t)-shape->least, above = (uint64_t)shape->most;
    const uint32_t width = bytes_of(shape->op);
    const bool fits =
        bytes >= width && below <= bytes && above <= bytes && below + above <= bytes - width;
    shape->low = fits ? begin + below : 1;
    shape->high = fits ? begin + (bytes - width - above) : 0;
}

static void set_allocation(struct smc_worker *worker, struct smc_shape *shape,
                           const struct smc_allocation *allocation)
{
    if (shape->allocation == allocation)
        return;
    shape->allocation = allocation;
    shape->number = ++worker->memo->numbers;
    if (allocation)
        set_reach(shape, allocation->address, allocation->bytes);
}

SMC_FOR_EACH_CPU static uint64_t differing(const struct smc_shape *shape, const lane_u64 *address,
                                           uint64_t first)
{
    const int64_t *const delta = shape->layout.delta;
    uint64_t found = 0;
    EACH_LANE(i) found |= ((address[i] - first) ^ (uint64_t)delta[i]) & shape->active[i];
    return found;
}

SMC_FOR_EACH_CPU static uint32_t differing_near_all(const struct smc_shape *shape,
                                                    const lane_u32 *address, uint32_t first)
{
    uint32_t found = 0;
    EACH_LANE(i) found |= (address[i] - first) ^ shape->near_delta[i];
    return found;
}

SMC_FOR_EACH_CPU static uint32_t differing_near(const struct smc_shape *shape,
                                                const lane_u32 *address, uint32_t first)
{
    uint32_t found = 0;
    EACH_LANE(i) found |= ((address[i] - first) ^ shape->near_delta[i]) & shape->near_active[i];
    return found;
}

/* Where the shape of an instruction is kept: one for all warps, or each warp's own. */
static struct smc_shape *shape_at(const struct smc_worker *worker, const struct smc_warp *warp,
                                  const struct smc_op *op, uint32_t *owner)
{
    struct smc_shape *shape = &worker->memo->shape[op->instruction & worker->memo->shape_mask];
    *owner = ANY_WARP;
    if (shape->op != op || !shape->is_by_warp)
        return shape;
    *owner = warp->index;
    return &worker->memo->warp_shape[(op->instruction * SMC_MAX_WARPS + warp->index) % WARP_SHAPES];
}

/* The shape of these addresses, or NULL if the instruction has had too many of them. */
static struct smc_shape *shape_of(struct smc_worker *worker, const struct smc_warp *warp,
                                  const struct smc_op *op, const uint64_t address[SMC_LANES],
                                  uint32_t mask)
{
    enum { MANY = 16 };
    uint32_t owner;
    struct smc_shape *shape = shape_at(worker, warp, op, &owner);
    const bool is_mine = shape->op == op && shape->owner == owner;
    uint32_t changes = is_mine ? shape->changes : 0;
    if (is_mine && shape->mask == mask &&
        !differing(shape, address, address[__builtin_ctz(mask)])) {
        shape->changes = 0;
        return shape;
    }
    if (changes == MANY && owner == ANY_WARP && worker->launch->warps_per_block > 1) {
        shape->is_by_warp = true;
        shape = shape_at(worker, warp, op, &owner);
        changes = 0;
    }
    if (changes >= MANY && changes % MANY) {
        shape->changes++;
        return NULL;
    }
    if (shape->places.count && worker->shadow)
        smc_shadow_catch_up(worker->shadow);
    describe(shape, op, address, mask);
    shape->high = 0;
    shape->low = 1;
    if (op->space == SMC_SPACE_SHARED)
        set_reach(shape, 0, worker->launch->smem_bytes);
    shape->number = ++worker->memo->numbers;
    shape->owner = owner;
    shape->changes = changes + 1;
    return shape;
}

static void list_cell(struct smc_places *places, uint64_t cell, bool has_several)
{
    const uint32_t cells = sizeof places->word->cells * 8, bit = 1u << cell % cells;
    uint32_t i = 0;
    while (i < places->words && places->word[i].number != cell / cells)
        i++;
    if (i == places->words)
        places->word[places->words++] = (struct smc_place_word){.number = cell / cells};
    places->word[i].cells |= bit;
    places->word[i].several |= has_several ? bit : 0;
}

/* The cells of all places, as words of bits from the lowest one on. */
static void list_words(struct smc_places *places, uint64_t least, uint32_t bytes,
                       uint32_t cell_bytes)
{
    places->words = 0;
    places->least = least;
    for (uint32_t n = 0; n < places->count; n++)
        for (uint32_t at = 0; at < bytes; at += cell_bytes)
            list_cell(places, (places->offset[n] - least + at) / cell_bytes,
                      places->lanes[n] & (places->lanes[n] - 1));
}

static const struct smc_places *places_of(const struct smc_worker *worker, struct smc_shape *shape,
                                          enum smc_ptx_space space)
{
    struct smc_places *places = &shape->places;
    if (places->count)
        return places;
    for (uint32_t left = shape->mask; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t offset = (uint64_t)shape->layout.delta[lane];
        uint32_t i = 0;
        while (i < places->count && places->offset[i] != offset)
            i++;
        places->offset[i] = offset;
        places->lanes[i] |= 1u << lane;
        places->count += i == places->count;
    }
    list_words(places, (uint64_t)shape->least, (uint32_t)shape->op->width_bytes * shape->op->vector,
               smc_shadow_cell_bytes(worker->shadow, space));
    return places;
}

/* With the shape of the addresses, if that is known; `form` is 1 for machine code. */
static struct smc_bank_cost cost_by_shape(struct smc_worker *worker, struct smc_shape *shape,
                                          int form, enum smc_bank_op kind,
                                          const uint64_t address[SMC_LANES], uint32_t mask,
                                          uint32_t bytes)
{
    if (!shape)
        return find_cost(worker, kind, address, mask, bytes);
    const uint32_t unit = unit_of(&worker->launch->request->banks, bytes);
    const uint32_t place = (uint32_t)address[__builtin_ctz(mask)] % unit;
    if (!shape->banks[form].is_known || shape->banks[form].place != place ||
        shape->banks[form].bytes != bytes || shape->banks[form].kind != kind) {
        shape->banks[form].cost = find_cost(worker, kind, address, mask, bytes);
        shape->banks[form].is_known = true;
        shape->banks[form].place = place;
        shape->banks[form].bytes = bytes;
        shape->banks[form].kind = kind;
    }
    return shape->banks[form].cost;
}

/* 0: not known. */
static uint32_t sectors_at(const struct smc_shape *shape, uint64_t first)
{
    const uint32_t place = (uint32_t)first % SMC_SECTOR_BYTES;
    return place % SECTOR_STEP ? 0 : shape->sectors[place / SECTOR_STEP];
}

static uint32_t sectors_by_shape(struct smc_shape *shape, const uint64_t address[SMC_LANES],
                                 uint32_t mask)
{
    if (!shape || shape->mask != mask)
        return smc_sectors_count(address, mask);
    const uint32_t place = (uint32_t)address[__builtin_ctz(mask)] % SMC_SECTOR_BYTES;
    if (place % SECTOR_STEP)
        return smc_sectors_count(address, mask);
    uint8_t *sectors = &shape->sectors[place / SECTOR_STEP];
    if (!*sectors)
        *sectors = (uint8_t)smc_sectors_count(address, mask);
    return *sectors;
}

/* --- Counts ----------------------------------------------------------------------------------- */

static void take_sample(struct smc_worker *worker, const struct smc_op *op, enum smc_bank_op kind,
                        uint32_t conflicts, const uint64_t address[SMC_LANES], uint32_t mask,
                        uint32_t bytes)
{
    struct smc_conflict_sample *sample = &worker->sample[op->instruction];
    *sample = (struct smc_conflict_sample){
        .taken = true,
        .conflicts = conflicts,
        .block = worker->block,
        .access = {.mask = mask, .width_bytes = bytes, .op = kind},
    };
    EACH_LANE(i) sample->access.address[i] = mask & smc_lane_bit[i] ? (uint32_t)address[i] : 0;
}

static void count_shared(struct smc_worker *worker, const struct smc_op *op, enum smc_bank_op kind,
                         bool is_atomic, const uint64_t address[SMC_LANES], uint32_t mask,
                         uint32_t bytes, struct smc_shape *shape)
{
    struct smc_emulated_count *count = &worker->count[op->instruction];
    if (is_atomic) {
        count->shared_atomics++;
        return;
    }
    struct smc_bank_cost cost = cost_by_shape(worker, shape, 0, kind, address, mask, bytes);
    count->least_wavefronts += cost.least;
    const struct smc_conflict_sample *kept = &worker->sample[op->instruction];
    if (!kept->taken || cost.wavefronts - cost.least > kept->conflicts)
        take_sample(worker, op, kind, cost.wavefronts - cost.least, address, mask, bytes);
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
        cost = cost_by_shape(worker, shape, 1, kind, address, mask, op->machine_bytes);
    count->machine_loads++;
    count->machine_load_wavefronts += cost.wavefronts;
}

static void count_global(struct smc_worker *worker, const struct smc_op *op, unsigned kind,
                         const uint64_t address[SMC_LANES], uint32_t mask, uint32_t bytes,
                         const struct smc_allocation *allocation, struct smc_shape *shape)
{
    struct smc_emulated_count *count = &worker->count[op->instruction];
    uint64_t lanes = smc_lane_count(mask);
    uint64_t sectors = sectors_by_shape(shape, address, mask);
    count->global_requests++;
    count->global_sectors += sectors;
    count->global_bytes += lanes * bytes;
    if (allocation->array == SIZE_MAX)
        return;
    struct smc_emulated_traffic *traffic = &worker->array_count[allocation->array].kind[kind];
    traffic->requests++;
    traffic->sectors += sectors;
    traffic->elements += lanes * op->vector;
    traffic->bytes += lanes * bytes;
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

/* Any 8 lanes of 64 bits lie in one vector of the widest CPUs: two passes each are vectorised. */
SMC_FOR_EACH_CPU void smc_memory_addresses(const struct smc_warp *warp, const struct smc_op *op,
                                           uint64_t address[SMC_LANES])
{
    const char *file = warp->file + op->a;
    if (op->address_is_32)
        EACH_LANE(i) address[i] = (uint32_t)(((const lane_u32 *)file)[i] + (uint32_t)op->immediate);
    else
        EACH_LANE(i) address[i] = ((const lane_u64 *)file)[i] + op->immediate;
}

/* The lowest and highest addresses of the active lanes, and the OR of all their bits. */
struct extent {
    uint64_t least, most, bits;
};

/* By the shape, unless an address might be below 0 and so be the highest one. */
static struct extent extent_of(const uint64_t address[SMC_LANES], uint32_t mask,
                               const struct smc_shape *shape)
{
    const int64_t far = INT64_C(1) << 48;
    struct extent extent = {UINT64_MAX, 0, 0};
    const uint64_t first = mask ? address[__builtin_ctz(mask)] : 0;
    if (shape && first < (uint64_t)far && shape->least >= -(int64_t)first && shape->most < far)
        return (struct extent){first - (uint64_t)-shape->least, first + (uint64_t)shape->most,
                               first | shape->bits};
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

/* Drops the lanes whose address is not a multiple of the width. */
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

/* Accesses to one piece of memory of `bytes` that begins at address 0 of its space. */
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
    if (!stride) { /* what is not in `good` is not used */
        EACH_LANE(lane) host[lane] = (char *)((uintptr_t)data + address[lane]);
        return good;
    }
    EACH_ACTIVE(lane, good)
    host[lane] = data + address[lane] + stride * smc_thread_of(warp, lane);
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

/* Copies what the lanes load that cross the end of the allocation, and returns them. */
static uint32_t cut_at_end(struct smc_worker *worker, const struct smc_op *op,
                           const struct smc_allocation *allocation,
                           const uint64_t address[SMC_LANES], uint32_t mask, uint32_t width,
                           char *host[SMC_LANES])
{
    uint32_t cut = 0;
    EACH_ACTIVE(lane, mask)
    if (!holds(allocation, address[lane], width)) {
        memset(worker->cut[lane], 0, width);
        memcpy(worker->cut[lane], host[lane], op->used_bytes);
        host[lane] = worker->cut[lane];
        cut |= 1u << lane;
    }
    return cut;
}

/* `cut`: the lanes that load a vector whose end lies beyond the allocation, and is not used. */
static uint32_t locate_global(struct smc_worker *worker, const struct smc_warp *warp,
                              const struct smc_op *op, enum smc_access_kind kind,
                              const uint64_t address[SMC_LANES], const struct extent *extent,
                              uint32_t mask, char *host[SMC_LANES], struct smc_shape *shape,
                              uint32_t *cut)
{
    const uint32_t bytes = (uint32_t)op->width_bytes * op->vector;
    const uint32_t width = op->used_bytes ? op->used_bytes : bytes;
    uint32_t good = mask;
    const struct smc_allocation *allocation = NULL;
    if (worker->last_allocation < worker->launch->allocations)
        allocation = &worker->launch->allocation[worker->last_allocation];
    for (uint32_t left = mask; left;) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (!allocation || !holds(allocation, address[lane], width))
            allocation = memory_find(worker, address[lane]);
        bool refused = allocation && allocation->is_constant && kind != SMC_READS;
        bool freed = allocation && allocation->is_heap && !allocation->data;
        if (!allocation || refused || freed || !holds(allocation, address[lane], width)) {
            report(worker, warp, op,
                   refused ? SMC_FINDING_READ_ONLY
                   : freed ? SMC_FINDING_USE_AFTER_FREE
                           : SMC_FINDING_OUT_OF_BOUNDS,
                   SMC_SPACE_GLOBAL, address[lane], lane);
            left &= left - 1;
            good &= ~(1u << lane);
            continue;
        }
        uint32_t within = lanes_within(allocation, address, left, width, extent);
        worker->last_allocation = allocation->is_heap
                                      ? worker->launch->allocations
                                      : (size_t)(allocation - worker->launch->allocation);
        if (shape)
            set_allocation(worker, shape,
                           within == mask && !allocation->is_heap ? allocation : NULL);
        if (within == mask) { /* what is not in `mask` is not used */
            const uintptr_t data = (uintptr_t)allocation->data;
            EACH_LANE(n) host[n] = (char *)(data + (address[n] - allocation->address));
        } else {
            EACH_ACTIVE(n, within)
            host[n] = allocation->data + (address[n] - allocation->address);
        }
        if (width < bytes)
            *cut |= cut_at_end(worker, op, allocation, address, within, bytes, host);
        count_global(worker, op, traffic_kind(kind), address, within, bytes, allocation, shape);
        left &= ~within;
    }
    return good;
}

/* A read of local memory of which no byte was written: several elements may be loaded at once, not
   all of which are used. */
static void check_local(struct smc_worker *worker, const struct smc_warp *warp,
                        const struct smc_op *op, enum smc_access_kind kind,
                        const uint64_t address[SMC_LANES], uint32_t mask, char *const *host)
{
    uint32_t width = (uint32_t)op->width_bytes * op->vector;
    if (!worker->local_written || op->only_copies)
        return;
    EACH_ACTIVE(lane, mask)
    {
        uint8_t *written = worker->local_written + (host[lane] - worker->local);
        if (kind != SMC_WRITES && !memchr(written, 1, width))
            report(worker, warp, op, SMC_FINDING_UNWRITTEN_LOCAL, SMC_SPACE_LOCAL, address[lane],
                   lane);
        memset(written, 1, width);
    }
}

/* Of vectors that cross the end of an allocation only the elements that are used are checked. */
static void check_cut(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                      const uint64_t address[SMC_LANES], uint32_t cut)
{
    for (uint32_t offset = 0; offset < op->used_bytes; offset += op->width_bytes) {
        uint64_t element[SMC_LANES];
        char *host[SMC_LANES];
        EACH_LANE(lane)
        {
            element[lane] = address[lane] + offset;
            host[lane] = worker->cut[lane] + offset;
        }
        smc_shadow_check(worker, warp, op, SMC_SPACE_GLOBAL, SMC_READS, element, cut,
                         op->width_bytes, NULL, host, NULL);
    }
}

uint32_t smc_memory_access_at(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_op *op, enum smc_ptx_space space,
                              enum smc_access_kind kind, const uint64_t address[SMC_LANES],
                              uint32_t mask, const void *const *value, char *host[SMC_LANES])
{
    const struct smc_launch_state *launch = worker->launch;
    uint32_t width = (uint32_t)op->width_bytes * op->vector;
    struct smc_shape *shape = shape_of(worker, warp, op, address, mask);
    struct extent extent = extent_of(address, mask, shape);
    if (extent.bits & (width - 1)) {
        mask = drop_misaligned(worker, warp, op, space, address, mask);
        shape = NULL;
        extent = extent_of(address, mask, NULL);
    }
    if (!mask)
        return 0;
    uint64_t local = launch->program->local_bytes;
    uint32_t cut = 0;
    switch (space) {
    case SMC_SPACE_SHARED:
        if (extent.most >= SMC_CLUSTER_STRIDE && launch->cluster_blocks > 1)
            return smc_cluster_access(worker, warp, op, kind, address, mask, value, host);
        mask = locate_flat(worker, warp, op, space, worker->shared, launch->smem_bytes, 0, address,
                           &extent, mask, host);
        if (mask)
            count_shared(worker, op, kind == SMC_READS ? SMC_BANK_LOAD : SMC_BANK_STORE,
                         kind == SMC_UPDATES, address, mask, width,
                         shape && mask == shape->mask ? shape : NULL);
        break;
    case SMC_SPACE_LOCAL:
        mask = locate_flat(worker, warp, op, space, worker->local, local, local, address, &extent,
                           mask, host);
        check_local(worker, warp, op, kind, address, mask, host);
        return mask;
    case SMC_SPACE_PARAM:
        return locate_flat(worker, warp, op, space, launch->parameters,
                           launch->program->parameter_bytes, 0, address, &extent, mask, host);
    default:
        mask = locate_global(worker, warp, op, kind, address, &extent, mask, host, shape, &cut);
        space = SMC_SPACE_GLOBAL;
    }
    if (cut && worker->shadow)
        check_cut(worker, warp, op, address, cut);
    const uint32_t located = mask;
    mask &= ~cut;
    if (worker->shadow && mask) {
        const bool is_shaped = shape && !shape->changes && mask == shape->mask;
        smc_shadow_check(worker, warp, op, space, kind, address, mask, width, value, host,
                         is_shaped && kind == SMC_READS && !op->is_strong
                             ? places_of(worker, shape, space)
                             : NULL);
    }
    return located;
}

/* --- Loads and stores that were executed before ----------------------------------------------- */

/* The addresses of a load or a store that have a shape. */
struct again {
    struct smc_shape *shape;
    uint64_t first;
};

static void add_costs(struct smc_worker *worker, struct costs *costs)
{
    struct smc_emulated_count *count = &worker->count[costs->instruction];
    const uint64_t times = costs->times;
    costs->times = 0;
    if (!times)
        return;
    if (costs->space == SMC_SPACE_SHARED && costs->stores) {
        count->shared_stores += times;
        count->least_wavefronts += times * costs->least;
        count->store_wavefronts += times * costs->wavefronts;
        return;
    }
    if (costs->space == SMC_SPACE_SHARED) {
        count->shared_loads += times;
        count->least_wavefronts += times * costs->least;
        count->load_wavefronts += times * costs->wavefronts;
        count->machine_loads += times * costs->machine_loads;
        count->machine_load_wavefronts += times * costs->machine_wavefronts;
        return;
    }
    count->global_requests += times;
    count->global_sectors += times * costs->sectors;
    count->global_bytes += times * costs->bytes;
    if (costs->allocation->array == SIZE_MAX)
        return;
    struct smc_emulated_traffic *traffic =
        &worker->array_count[costs->allocation->array]
             .kind[costs->stores ? SMC_EMULATED_STORE : SMC_EMULATED_LOAD];
    traffic->requests += times;
    traffic->sectors += times * costs->sectors;
    traffic->elements += times * costs->elements;
    traffic->bytes += times * costs->bytes;
}

void smc_memory_add_costs(struct smc_worker *worker)
{
    struct smc_bank_memo *memo = worker->memo;
    for (uint32_t i = 0; i <= memo->shape_mask; i++)
        if (memo->costs[i].times)
            add_costs(worker, &memo->costs[i]);
}

/* False if it has more conflicts than the sample, which is then to be taken. */
static bool find_shared_costs(struct smc_worker *worker, const struct smc_op *op,
                              const struct again *load, const uint64_t address[SMC_LANES],
                              struct costs *costs)
{
    const struct smc_conflict_sample *kept = &worker->sample[op->instruction];
    const struct smc_bank_layout *layout = &worker->launch->request->banks;
    const uint32_t mask = load->shape->mask, bytes = bytes_of(op);
    const struct smc_bank_cost cost =
        cost_by_shape(worker, load->shape, 0, costs->stores ? SMC_BANK_STORE : SMC_BANK_LOAD,
                      address, mask, bytes);
    if (!kept->taken || cost.wavefronts - cost.least > kept->conflicts)
        return false;
    costs->unit = unit_of(layout, bytes);
    costs->least = cost.least;
    costs->wavefronts = cost.wavefronts;
    if (costs->stores || !worker->launch->program->follows || !op->machine_bytes)
        return true;
    costs->machine_loads = 1;
    costs->machine_wavefronts = cost.wavefronts;
    if (op->machine_bytes == bytes)
        return true;
    const uint32_t unit = unit_of(layout, op->machine_bytes);
    costs->unit = unit > costs->unit ? unit : costs->unit;
    costs->machine_wavefronts =
        cost_by_shape(worker, load->shape, 1, SMC_BANK_LOAD, address, mask, op->machine_bytes)
            .wavefronts;
    return true;
}

/* False if they are not known. */
static bool find_costs(struct smc_worker *worker, const struct smc_op *op, const struct again *load,
                       struct costs *costs)
{
    const struct smc_shape *shape = load->shape;
    struct costs found = {.op = op,
                          .instruction = op->instruction,
                          .shape = shape->number,
                          .space = op->space,
                          .stores = op->step == smc_step_store,
                          .allocation = shape->allocation};
    uint64_t address[SMC_LANES];
    EACH_LANE(i) address[i] = load->first + (uint64_t)shape->layout.delta[i];
    if (op->space == SMC_SPACE_SHARED) {
        if (!find_shared_costs(worker, op, load, address, &found))
            return false;
    } else {
        const uint32_t lanes = smc_lane_count(shape->mask);
        found.unit = 1; /* count_again compares the sectors instead */
        found.sectors = sectors_by_shape(load->shape, address, shape->mask);
        found.elements = lanes * op->vector;
        found.bytes = lanes * bytes_of(op);
    }
    if (found.unit & (found.unit - 1))
        return false;
    found.place = (uint32_t)load->first & (found.unit - 1);
    add_costs(worker, costs);
    *costs = found;
    return true;
}

/* What such a load adds to the counts is only counted, and added when another one comes. */
static bool count_again(struct smc_worker *worker, const struct smc_op *op,
                        const struct again *load)
{
    struct costs *costs = &worker->memo->costs[op->instruction & worker->memo->shape_mask];
    const struct smc_shape *shape = load->shape;
    bool is_known = costs->op == op && costs->shape == shape->number;
    if (is_known && op->space == SMC_SPACE_GLOBAL)
        is_known = costs->sectors == sectors_at(shape, load->first);
    else if (is_known)
        is_known = ((uint32_t)load->first & (costs->unit - 1)) == costs->place;
    if (!is_known && !find_costs(worker, op, load, costs))
        return false;
    costs->times++;
    return true;
}

static uint64_t register_at(const struct smc_warp *warp, const struct smc_op *op, uint32_t lane)
{
    const char *file = warp->file + op->a;
    return op->address_is_32 ? ((const lane_u32 *)file)[lane] : ((const lane_u64 *)file)[lane];
}

static uint64_t sum_of(const struct smc_op *op, uint64_t base)
{
    return op->address_is_32 ? (uint32_t)(base + op->immediate) : base + op->immediate;
}

/* Whether the addresses have the shape. As bounds are checked, no sum of 32 bits wraps. */
static bool has_shape(const struct smc_warp *warp, const struct smc_op *op,
                      const struct smc_shape *shape)
{
    const char *file = warp->file + op->a;
    const uint32_t lane = (uint32_t)__builtin_ctz(shape->mask);
    if (!op->address_is_32)
        return !differing(shape, (const lane_u64 *)file, ((const lane_u64 *)file)[lane]);
    const uint32_t first = ((const lane_u32 *)file)[lane];
    if (!shape->is_near)
        return false;
    return shape->mask == SMC_ALL_LANES ? !differing_near_all(shape, (const lane_u32 *)file, first)
                                        : !differing_near(shape, (const lane_u32 *)file, first);
}

/* What this load has in common with when it, or the load that it follows, was executed last. */
static bool find_again(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                       uint32_t mask, struct again *load)
{
    struct smc_leader *leader = &warp->leader[op->leader_slot];
    if (op->leader != SMC_NO_PC && !op->leads && leader->op == op->leader && leader->mask == mask &&
        leader->shape->number == leader->number) {
        *load = (struct again){leader->shape, sum_of(op, leader->base)};
        return true;
    }
    uint32_t owner;
    struct smc_shape *shape = shape_at(worker, warp, op, &owner);
    if (shape->op != op || shape->owner != owner || shape->mask != mask ||
        !has_shape(warp, op, shape))
        return false;
    const uint64_t base = register_at(warp, op, (uint32_t)__builtin_ctz(mask));
    *load = (struct again){shape, sum_of(op, base)};
    shape->changes = 0;
    if (op->leads)
        *leader = (struct smc_leader){op->leader, mask, base, shape->number, shape};
    return true;
}

/* Where the first lane's data is; NULL if any access is not aligned and within one array. */
static inline const char *locate_again(const struct smc_worker *worker, const struct smc_op *op,
                                       const struct again *load)
{
    const struct smc_shape *shape = load->shape;
    if ((load->first | shape->bits) & (bytes_of(op) - 1) || load->first < shape->low ||
        load->first > shape->high)
        return NULL;
    if (op->space == SMC_SPACE_SHARED)
        return worker->shared + load->first;
    const struct smc_allocation *allocation = shape->allocation;
    return allocation ? allocation->data + (load->first - allocation->address) : NULL;
}

static void check_again(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                        const struct again *load)
{
    const uint32_t bytes = bytes_of(op);
    const struct smc_places *places = &load->shape->places;
    if (!places->count)
        places = places_of(worker, load->shape, op->space);
    if (smc_shadow_passes(worker, warp, op, load->first, places))
        return;
    uint64_t address[SMC_LANES];
    smc_memory_addresses(warp, op, address);
    smc_shadow_check(worker, warp, op, op->space, SMC_READS, address, load->shape->mask, bytes,
                     NULL, NULL, places);
}

const char *smc_memory_load_again(struct smc_worker *worker, struct smc_warp *warp,
                                  const struct smc_op *op, uint32_t mask,
                                  const struct smc_lane_layout **layout)
{
    struct again load;
    if (op->leads)
        warp->leader[op->leader_slot].op = SMC_NO_PC;
    if (op->is_strong || (op->space != SMC_SPACE_SHARED && op->space != SMC_SPACE_GLOBAL) ||
        !find_again(worker, warp, op, mask, &load))
        return NULL;
    const char *host = locate_again(worker, op, &load);
    if (!host || !count_again(worker, op, &load))
        return NULL;
    if (op->space == SMC_SPACE_GLOBAL)
        worker->last_allocation = (size_t)(load.shape->allocation - worker->launch->allocation);
    if (worker->shadow)
        check_again(worker, warp, op, &load);
    *layout = &load.shape->layout;
    return host;
}

char *smc_memory_store_again(struct smc_worker *worker, struct smc_warp *warp,
                             const struct smc_op *op, uint32_t mask, struct smc_again *again)
{
    struct again store;
    if (op->is_strong || (op->space != SMC_SPACE_SHARED && op->space != SMC_SPACE_GLOBAL) ||
        !find_again(worker, warp, op, mask, &store))
        return NULL;
    const struct smc_allocation *allocation = store.shape->allocation;
    const char *host = locate_again(worker, op, &store);
    if (!host || (allocation && allocation->is_constant))
        return NULL;
    again->layout = &store.shape->layout;
    again->first = store.first;
    again->places = worker->shadow ? places_of(worker, store.shape, op->space) : NULL;
    if (again->places && !smc_shadow_may_write(worker->shadow, op, store.first, again->places))
        return NULL;
    if (!count_again(worker, op, &store))
        return NULL;
    if (op->space == SMC_SPACE_GLOBAL)
        worker->last_allocation = (size_t)(allocation - worker->launch->allocation);
    return (char *)(uintptr_t)host;
}

static void count_bulk(struct smc_worker *worker, const struct smc_op *op,
                       enum smc_access_kind kind, uint64_t address, uint32_t bytes,
                       const struct smc_allocation *allocation)
{
    const uint64_t sectors =
        (address + bytes - 1) / SMC_SECTOR_BYTES - address / SMC_SECTOR_BYTES + 1;
    struct smc_emulated_count *count = &worker->count[op->instruction];
    count->global_requests++;
    count->global_sectors += sectors;
    count->global_bytes += bytes;
    if (allocation->array == SIZE_MAX)
        return;
    struct smc_emulated_traffic *traffic =
        &worker->array_count[allocation->array].kind[traffic_kind(kind)];
    traffic->requests++;
    traffic->sectors += sectors;
    traffic->elements += bytes / op->width_bytes;
    traffic->bytes += bytes;
}

bool smc_memory_bulk(struct smc_worker *worker, const struct smc_warp *warp,
                     const struct smc_op *op, enum smc_access_kind kind, uint32_t bytes,
                     uint32_t lane, struct smc_bulk *bulk)
{
    const uint64_t address = bulk->address, shared = worker->launch->smem_bytes;
    enum smc_finding_kind fault = SMC_FINDING_OUT_OF_BOUNDS;
    if (bulk->space == SMC_SPACE_SHARED) {
        bulk->data =
            address <= shared && bytes <= shared - address ? worker->shared + address : NULL;
    } else {
        const struct smc_allocation *allocation = memory_find(worker, address);
        bulk->data = NULL;
        if (allocation && allocation->is_constant && kind != SMC_READS)
            fault = SMC_FINDING_READ_ONLY;
        else if (allocation && allocation->is_heap && !allocation->data)
            fault = SMC_FINDING_USE_AFTER_FREE;
        else if (allocation && holds(allocation, address, bytes))
            bulk->data = allocation->data + (address - allocation->address);
        if (bulk->data)
            count_bulk(worker, op, kind, address, bytes, allocation);
    }
    if (bulk->data)
        return true;
    struct smc_finding finding =
        smc_finding_at(worker, fault, op->instruction, smc_thread_of(warp, lane));
    smc_finding_set_address(worker, &finding, bulk->space, address, bytes);
    smc_find(worker, &finding);
    return false;
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
                           const struct smc_op *op, enum smc_access_kind kind, uint32_t mask,
                           const void *const *value, char *host[SMC_LANES])
{
    uint64_t address[SMC_LANES];
    smc_memory_addresses(warp, op, address);
    if (op->space != SMC_SPACE_GENERIC)
        return smc_memory_access_at(worker, warp, op, op->space, kind, address, mask, value, host);
    uint32_t done = 0;
    for (uint32_t left = mask; left;) { /* usually one iteration */
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
