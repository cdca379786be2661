/* Accesses that have the same shape as before: their costs, and loads and stores that are executed
   again without translating each lane's address. */
#include "machine/emulator/memory_shapes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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

/* What a load or a store adds to the counts each time that its addresses have this shape, and the
   first one this place modulo `unit`. */
struct costs {
    const struct smc_op *op; /* NULL: none */
    uint64_t shape;          /* its number */
    uint32_t unit, place;
    const struct smc_allocation *allocation; /* of global memory */
    uint64_t times;                          /* still to be added */
    uint32_t instruction;
    enum smc_ptx_space space;
    bool stores;
    uint32_t least, wavefronts, machine_loads, machine_wavefronts; /* of shared memory */
    uint32_t sectors, elements, bytes;                             /* of global memory */
};

enum { LOGGED_BITS = 13, LOGGED = 1 << LOGGED_BITS };

enum { MOST_SHAPES = 4096, WARP_SHAPES = 4096, ANY_WARP = SMC_MAX_WARPS, COSTS_PER_SHAPE = 8 };

struct smc_bank_memo {
    struct pattern pattern[MEMO_SIZE];
    struct smc_shape warp_shape[WARP_SHAPES]; /* by instruction and warp */
    uint64_t numbers;                         /* given to shapes */
    uint32_t shape_mask, costs_mask;
    struct costs *costs; /* by instruction and shape: see costs_at */
    struct {
        uint64_t shape;
        uint32_t first, instruction;
    } logged[LOGGED];         /* accesses that are in the log */
    struct smc_shape shape[]; /* by instruction */
};

struct smc_bank_memo *smc_bank_memo_new(const struct smc_program *program)
{
    uint32_t shapes = 1;
    while (shapes < MOST_SHAPES && shapes < program->instructions)
        shapes *= 2;
    struct smc_bank_memo *memo = smc_calloc(1, sizeof *memo + (size_t)shapes * sizeof *memo->shape);
    struct costs *costs = smc_calloc((size_t)shapes * COSTS_PER_SHAPE, sizeof *costs);
    if (!memo || !costs) {
        free(memo);
        free(costs);
        return NULL;
    }
    memo->shape_mask = shapes - 1;
    memo->costs_mask = shapes * COSTS_PER_SHAPE - 1;
    memo->costs = costs;
    return memo;
}

void smc_bank_memo_free(struct smc_bank_memo *memo)
{
    if (memo)
        free(memo->costs);
    free(memo);
}

static uint32_t memory_shapes_hash_of(const struct smc_access *access)
{
    static const uint32_t factor[SMC_LANES] = {
#define FOUR(n) (n) * 2654435761u + 1, (n)*2246822519u + 3, (n)*3266489917u + 5, (n)*668265263u + 7
        FOUR(1), FOUR(3), FOUR(5), FOUR(7), FOUR(9), FOUR(11), FOUR(13), FOUR(15)};
    uint32_t sum = access->mask * 2654435761u + access->width_bytes * 31 + (uint32_t)access->op;
    EACH_LANE(i)
        sum += access->address[i] * factor[i];
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
    EACH_LANE(i)
        access.address[i] = access.mask & smc_lane_bit[i] ? access.address[i] + base : 0;
    return smc_banks_count(layout, &access);
}

static bool is_same_access(const struct smc_access *a, const struct smc_access *b)
{
    return a->mask == b->mask && a->width_bytes == b->width_bytes && a->op == b->op &&
           memcmp(a->address, b->address, sizeof a->address) == 0;
}

/* The cost of one access, from the cache or computed. */
static struct smc_bank_cost find_cost(struct smc_worker *worker,
                                      const struct smc_shared_request *request,
                                      const uint64_t address[SMC_LANES])
{
    const struct smc_bank_layout *layout = &worker->launch->request->banks;
    struct smc_access access = {
        .mask = request->mask, .width_bytes = request->bytes, .op = request->op};
    make_relative(layout, address, &access);
    uint32_t lane = (uint32_t)__builtin_ctz(request->mask);
    struct pattern *pattern = &worker->memo->pattern[memory_shapes_hash_of(&access)];
    if (!pattern->known || !is_same_access(&pattern->access, &access)) {
        pattern->known = true;
        pattern->access = access;
        pattern->cost = cost_of(layout, &access, (uint32_t)address[lane] - access.address[lane]);
    }
    return pattern->cost;
}

/* --- Shapes ----------------------------------------------------------------------------------- */

/* Any 8 lanes of 64 bits lie in one vector of the widest CPUs: two passes each are vectorised. */
SMC_FOR_EACH_CPU void smc_memory_addresses(const struct smc_warp *warp, const struct smc_op *op,
                                           uint64_t address[SMC_LANES])
{
    const char *file = warp->file + op->a;
    if (op->address_is_32)
        EACH_LANE(i)
            address[i] = (uint32_t)(((const lane_u32 *)file)[i] + (uint32_t)op->immediate);
    else
        EACH_LANE(i)
            address[i] = ((const lane_u64 *)file)[i] + op->immediate;
}

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

static void memory_shapes_describe(struct smc_shape *shape, const struct smc_op *op,
                                   const uint64_t address[SMC_LANES], uint32_t mask)
{
    const uint64_t first = address[__builtin_ctz(mask)];
    int64_t *const deltas = shape->layout.delta;
    *shape = (struct smc_shape){
        .op = op, .mask = mask, .instruction = op->instruction, .bytes = smc_op_bytes(op)};
    EACH_LANE(i) {
        shape->active[i] = mask & smc_lane_bit[i] ? UINT64_MAX : 0;
        shape->near_active[i] = (uint32_t)shape->active[i];
        deltas[i] = (int64_t)((address[i] - first) & shape->active[i]);
        shape->near_delta[i] = (uint32_t)deltas[i];
    }
    EACH_LANE(i) {
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
    const uint32_t width = shape->bytes;
    const bool fits =
        bytes >= width && below <= bytes && above <= bytes && below + above <= bytes - width;
    shape->low = fits ? begin + below : 1;
    shape->high = fits ? begin + (bytes - width - above) : 0;
}

void smc_shape_set_allocation(struct smc_worker *worker, struct smc_shape *shape,
                              const struct smc_allocation *allocation)
{
    if (shape->allocation == allocation)
        return;
    shape->allocation = allocation;
    shape->number = ++worker->memo->numbers;
    if (allocation)
        set_reach(shape, allocation->address, allocation->bytes);
    if (allocation && allocation->written) { /* each access is noted */
        shape->low = 1;
        shape->high = 0;
    }
}

SMC_FOR_EACH_CPU static uint64_t differing(const struct smc_shape *shape, const lane_u64 *address,
                                           uint64_t first)
{
    const int64_t *const delta = shape->layout.delta;
    uint64_t found = 0;
    EACH_LANE(i)
        found |= ((address[i] - first) ^ (uint64_t)delta[i]) & shape->active[i];
    return found;
}

SMC_FOR_EACH_CPU static uint32_t differing_near_all(const struct smc_shape *shape,
                                                    const lane_u32 *address, uint32_t first)
{
    uint32_t found = 0;
    EACH_LANE(i)
        found |= (address[i] - first) ^ shape->near_delta[i];
    return found;
}

SMC_FOR_EACH_CPU static uint32_t differing_near(const struct smc_shape *shape,
                                                const lane_u32 *address, uint32_t first)
{
    uint32_t found = 0;
    EACH_LANE(i)
        found |= ((address[i] - first) ^ shape->near_delta[i]) & shape->near_active[i];
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

struct smc_shape *smc_shape_of(struct smc_worker *worker, const struct smc_warp *warp,
                               const struct smc_op *op, const uint64_t address[SMC_LANES],
                               uint32_t mask)
{
    enum { MANY = 16 };
    uint32_t owner;
    struct smc_shape *shape = shape_at(worker, warp, op, &owner);
    const bool is_mine = shape->op == op && shape->owner == owner &&
                         shape->instruction == op->instruction && shape->bytes == smc_op_bytes(op);
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
    memory_shapes_describe(shape, op, address, mask);
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

const struct smc_places *smc_shape_list_places(const struct smc_worker *worker,
                                               struct smc_shape *shape, enum smc_ptx_space space)
{
    struct smc_places *places = &shape->places;
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
    list_words(places, (uint64_t)shape->least, shape->bytes,
               smc_shadow_cell_bytes(worker->shadow, space));
    return places;
}

struct smc_bank_cost smc_shape_bank_cost(struct smc_worker *worker, struct smc_shape *shape,
                                         int form, const struct smc_shared_request *request,
                                         const uint64_t address[SMC_LANES])
{
    const uint32_t bytes = request->bytes;
    if (!shape)
        return find_cost(worker, request, address);
    const uint32_t unit = unit_of(&worker->launch->request->banks, bytes);
    const uint32_t place = (uint32_t)address[__builtin_ctz(request->mask)] % unit;
    if (!shape->banks[form].is_known || shape->banks[form].place != place ||
        shape->banks[form].bytes != bytes || shape->banks[form].kind != request->op) {
        shape->banks[form].cost = find_cost(worker, request, address);
        shape->banks[form].is_known = true;
        shape->banks[form].place = place;
        shape->banks[form].bytes = bytes;
        shape->banks[form].kind = request->op;
    }
    return shape->banks[form].cost;
}

/* 0: not known. */
static uint32_t sectors_at(const struct smc_shape *shape, uint64_t first)
{
    const uint32_t place = (uint32_t)first % SMC_SECTOR_BYTES;
    return place % SECTOR_STEP ? 0 : shape->sectors[place / SECTOR_STEP];
}

uint32_t smc_shape_sectors(struct smc_shape *shape, const uint64_t address[SMC_LANES],
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
    for (uint32_t i = 0; i <= memo->costs_mask; i++)
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
    const uint32_t mask = load->shape->mask, bytes = smc_op_bytes(op);
    const struct smc_shared_request request = {costs->stores ? SMC_BANK_STORE : SMC_BANK_LOAD, mask,
                                               bytes};
    const struct smc_bank_cost cost =
        smc_shape_bank_cost(worker, load->shape, 0, &request, address);
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
    const struct smc_shared_request machine = {SMC_BANK_LOAD, mask, op->machine_bytes};
    costs->machine_wavefronts =
        smc_shape_bank_cost(worker, load->shape, 1, &machine, address).wavefronts;
    return true;
}

/* False if they are not known. */
static bool memory_shapes_find_costs(struct smc_worker *worker, const struct smc_op *op,
                                     const struct again *load, struct costs *costs)
{
    const struct smc_shape *shape = load->shape;
    struct costs found = {.op = op,
                          .instruction = op->instruction,
                          .shape = shape->number,
                          .space = op->space,
                          .stores = op->kind == SMC_OP_STORE,
                          .allocation = shape->allocation};
    uint64_t address[SMC_LANES];
    EACH_LANE(i)
        address[i] = load->first + (uint64_t)shape->layout.delta[i];
    if (op->space == SMC_SPACE_SHARED) {
        if (!find_shared_costs(worker, op, load, address, &found))
            return false;
    } else {
        const uint32_t lanes = smc_lane_count(shape->mask);
        found.unit = 1; /* count_again compares the sectors instead */
        found.sectors = smc_shape_sectors(load->shape, address, shape->mask);
        found.elements = lanes * op->vector;
        found.bytes = lanes * smc_op_bytes(op);
    }
    if (found.unit & (found.unit - 1))
        return false;
    found.place = (uint32_t)load->first & (found.unit - 1);
    add_costs(worker, costs);
    *costs = found;
    return true;
}

/* Loads and stores that were executed before are in the log, unless they begin elsewhere. */
static void log_again(struct smc_worker *worker, const struct smc_op *op, const struct again *load)
{
    const struct smc_shape *shape = load->shape;
    const uint32_t first = (uint32_t)load->first, instruction = op->instruction;
    const uint64_t hash =
        (shape->number + ((uint64_t)instruction << 32 | first)) * UINT64_C(0x9e3779b97f4a7c15);
    struct smc_bank_memo *memo = worker->memo;
    size_t at = hash >> (64 - LOGGED_BITS);
    uint64_t address[SMC_LANES];
    for (int i = 0; i < 2; i++, at ^= 1) /* one of two places */
        if (memo->logged[at].shape == shape->number && memo->logged[at].first == first &&
            memo->logged[at].instruction == instruction)
            return;
    at ^= memo->logged[at].shape ? hash & 1 : 0;
    memo->logged[at].shape = shape->number;
    memo->logged[at].first = first;
    memo->logged[at].instruction = instruction;
    EACH_LANE(i)
        address[i] = load->first + (uint64_t)shape->layout.delta[i];
    smc_log_shared(worker, op, op->kind == SMC_OP_STORE ? SMC_BANK_STORE : SMC_BANK_LOAD, address,
                   shape->mask, smc_op_bytes(op));
}

/* Where the costs of such an access are kept: warps that have different shapes would replace each
   other's. */
static struct costs *costs_at(const struct smc_bank_memo *memo, const struct smc_op *op,
                              const struct again *load)
{
    const uint32_t by_warp = load->shape->owner == ANY_WARP ? 0 : (uint32_t)load->shape->number;
    return &memo->costs[(op->instruction * COSTS_PER_SHAPE + by_warp) & memo->costs_mask];
}

/* What such a load adds to the counts is only counted, and added when another one comes. */
static bool count_again(struct smc_worker *worker, const struct smc_op *op,
                        const struct again *load)
{
    struct costs *costs = costs_at(worker->memo, op, load);
    const struct smc_shape *shape = load->shape;
    bool is_known = costs->op == op && costs->shape == shape->number;
    if (is_known && op->space == SMC_SPACE_GLOBAL)
        is_known = costs->sectors == sectors_at(shape, load->first);
    else if (is_known)
        is_known = ((uint32_t)load->first & (costs->unit - 1)) == costs->place;
    if (!is_known && !memory_shapes_find_costs(worker, op, load, costs))
        return false;
    costs->times++;
    if (worker->log && op->space == SMC_SPACE_SHARED)
        log_again(worker, op, load);
    return true;
}

static uint64_t address_register_at(const struct smc_warp *warp, const struct smc_op *op,
                                    uint32_t lane)
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
    const uint64_t base = address_register_at(warp, op, (uint32_t)__builtin_ctz(mask));
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
    if ((load->first | shape->bits) & (smc_op_bytes(op) - 1) || load->first < shape->low ||
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
    const struct smc_places *places = places_of(worker, load->shape, op->space);
    if (smc_shadow_passes(worker, warp, op, load->first, places))
        return;
    uint64_t address[SMC_LANES];
    const struct smc_warp_access access = {.op = op,
                                           .kind = SMC_READS,
                                           .space = op->space,
                                           .mask = load->shape->mask,
                                           .bytes = smc_op_bytes(op),
                                           .address = address};
    smc_memory_addresses(warp, op, address);
    smc_shadow_check(worker, warp, &access, places);
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
