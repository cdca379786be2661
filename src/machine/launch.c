/* Counts of a whole launch from few of its warps. */
#include "machine/launch.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/sampling.h"

enum { AXES = 4, WARP_AXIS = 3, MOST_WALKS = 3000, CACHE = 8192 };
enum { MOST_STEPS = 2000000, MOST_STEPS_OF_ALL = 400000000 };
enum { MEMORY_SAMPLES = 6 };
enum { PROBED_VOLUME = 64, PROBES = 6 }; /* of boxes */

/* Of quick counts: instructions that are evaluated, about 50 ns each on one core. */
enum {
    QUICK_WALKS = 256,
    QUICK_STEPS = 35000,
    SAMPLING_STEPS = 20000,
    QUICK_STEPS_OF_WARP = 300000
};

/* Warps that execute every instruction equally often. */
struct kind {
    uint64_t hash;
    uint64_t *change; /* of struct smc_walk */
    uint64_t warps;
};

/* Warps of neighbouring blocks: from `low` to `high` on each axis, both included. */
struct box {
    uint32_t low[AXES], high[AXES];
};

struct cached {
    uint64_t warp; /* its number in the launch + 1; 0: free */
    uint32_t kind;
};

struct count {
    const struct smc_machine_launch *launch;
    struct smc_machine_counts *counts;
    struct smc_walk walk;
    struct smc_warp *warp;
    uint32_t warps_per_block;
    struct kind *kind;
    uint32_t kinds, kind_room;
    struct cached *cache;
    uint32_t walks;
    uint64_t all_warps;
    uint64_t steps, most_steps; /* evaluated, of quick counts */
    uint32_t most_walks;
    bool failed; /* memory */
};

/* --- Single warps ------------------------------------------------------------------------------
 */

void smc_launch_place(const struct smc_machine_launch *launch, const uint32_t index[3],
                      uint32_t warp, struct smc_machine_place *place)
{
    *place = (struct smc_machine_place){
        .constants = launch->constants,
        .constant_bytes = launch->constant_bytes,
        .first_thread = warp * SMC_LANES,
        .warp = warp,
    };
    memcpy(place->block, launch->block, sizeof place->block);
    memcpy(place->grid, launch->grid, sizeof place->grid);
    memcpy(place->index, index, sizeof place->index);
}

uint64_t smc_launch_steps(const struct smc_walk *walk)
{
    uint64_t times = 0, steps = 0;
    for (uint32_t i = 0; i < walk->program->count; i++) {
        times += walk->change[i];
        if (walk->program->step[i].purpose == SMC_PURPOSE_CONTROL ||
            (walk->follow_addresses && walk->program->step[i].purpose == SMC_PURPOSE_ADDRESS))
            steps += times;
    }
    return steps;
}

static size_t change_bytes(const struct count *count)
{
    return (count->launch->program->count + (size_t)1) * sizeof(uint64_t);
}

static void walk_at(struct count *count, const uint32_t at[AXES], bool follow_addresses)
{
    struct smc_machine_place place;
    smc_launch_place(count->launch, at, at[WARP_AXIS], &place);
    memset(count->walk.change, 0, change_bytes(count));
    if (count->walk.end == SMC_WALK_TOO_LONG)
        return; /* most likely the others do not end either */
    count->walk.follow_addresses = follow_addresses;
    smc_walk_warp(&count->walk, &place, count->warp);
    count->walks++;
    count->steps += smc_launch_steps(&count->walk);
    if (count->steps > MOST_STEPS_OF_ALL)
        count->walk.end = SMC_WALK_TOO_LONG;
}

static uint64_t hash_of(const uint64_t *word, size_t words)
{
    uint64_t hash = UINT64_C(1469598103934665603);
    for (size_t i = 0; i < words; i++)
        hash = (hash ^ word[i]) * UINT64_C(1099511628211);
    return hash;
}

/* The kind of the warp that has just walked. */
static uint32_t find_kind(struct count *count)
{
    size_t bytes = change_bytes(count);
    uint64_t hash = hash_of(count->walk.change, bytes / sizeof(uint64_t));
    for (uint32_t i = 0; i < count->kinds; i++)
        if (count->kind[i].hash == hash &&
            memcmp(count->kind[i].change, count->walk.change, bytes) == 0)
            return i;
    if (count->kinds == count->kind_room) {
        uint32_t room = count->kind_room ? 2 * count->kind_room : 32;
        struct kind *more = smc_realloc(count->kind, room * sizeof *more);
        if (!more) {
            count->failed = true;
            return 0;
        }
        count->kind = more;
        count->kind_room = room;
    }
    uint64_t *copy = smc_malloc(bytes);
    if (!copy) {
        count->failed = true;
        return 0;
    }
    memcpy(copy, count->walk.change, bytes);
    count->kind[count->kinds] = (struct kind){.hash = hash, .change = copy};
    return count->kinds++;
}

static uint32_t kind_at(struct count *count, const uint32_t at[AXES])
{
    const uint32_t *grid = count->launch->grid;
    uint64_t block = ((uint64_t)at[2] * grid[1] + at[1]) * grid[0] + at[0];
    uint64_t warp = block * count->warps_per_block + at[WARP_AXIS] + 1;
    uint32_t slot = (uint32_t)(warp * UINT64_C(11400714819323198485) >> 51) % CACHE;
    while (count->cache[slot].warp != 0 && count->cache[slot].warp != warp)
        slot = (slot + 1) % CACHE;
    if (count->cache[slot].warp == warp)
        return count->cache[slot].kind;
    walk_at(count, at, false);
    uint32_t kind = find_kind(count);
    count->cache[slot] = (struct cached){warp, kind};
    return kind;
}

/* --- Boxes -------------------------------------------------------------------------------------
 */

/* A scrambled number below `below`. */
static uint32_t scatter(uint64_t seed, uint32_t below)
{
    seed = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    seed ^= seed >> 29;
    seed *= UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)((seed >> 32) * below >> 32);
}

static uint64_t volume(const struct box *box)
{
    uint64_t warps = 1;
    for (int axis = 0; axis < AXES; axis++)
        warps *= (uint64_t)box->high[axis] - box->low[axis] + 1;
    return warps;
}

static void corner(const struct box *box, unsigned number, uint32_t at[AXES])
{
    for (unsigned axis = 0; axis < AXES; axis++)
        at[axis] = number >> axis & 1 ? box->high[axis] : box->low[axis];
}

static void middle(const struct box *box, uint32_t at[AXES])
{
    for (int axis = 0; axis < AXES; axis++)
        at[axis] = box->low[axis] + (box->high[axis] - box->low[axis]) / 2;
}

/* The axis along which two corners differ, or AXES; `at` receives the lower one. */
static int differing_axis(struct count *count, const struct box *box, uint32_t at[AXES])
{
    for (int axis = 0; axis < AXES; axis++) {
        if (box->low[axis] == box->high[axis])
            continue;
        for (unsigned number = 0; number < 1U << AXES; number++) {
            uint32_t other[AXES];
            bool repeats = number >> axis & 1;
            for (int i = 0; i < AXES; i++)
                repeats |= (number >> i & 1) && box->low[i] == box->high[i];
            if (repeats)
                continue;
            corner(box, number, at);
            memcpy(other, at, sizeof other);
            other[axis] = box->high[axis];
            if (kind_at(count, at) != kind_at(count, other))
                return axis;
        }
    }
    return AXES;
}

/* The first place after `low` along an axis whose kind differs, if kinds change once. */
static uint32_t find_change(struct count *count, const struct box *box, const uint32_t at[AXES],
                            int axis)
{
    uint32_t place[AXES], low = box->low[axis], high = box->high[axis];
    memcpy(place, at, sizeof place);
    place[axis] = low;
    uint32_t kind = kind_at(count, place);
    if (high - low > 2) { /* most often only the last differs */
        place[axis] = high - 1;
        if (kind_at(count, place) == kind)
            return high;
        high--;
        place[axis] = low + 1;
        if (kind_at(count, place) != kind)
            return low + 1;
    }
    while (high - low > 1) {
        place[axis] = low + (high - low) / 2;
        if (kind_at(count, place) == kind)
            low = place[axis];
        else
            high = place[axis];
    }
    return high;
}

void smc_launch_add_memory(const struct smc_memory_counts *memory, double scale,
                           struct smc_machine_counts *counts)
{
    counts->shared_loads += scale * (double)memory->shared_loads;
    counts->shared_load_wavefronts += scale * (double)memory->shared_load_wavefronts;
    counts->shared_stores += scale * (double)memory->shared_stores;
    counts->shared_store_wavefronts += scale * (double)memory->shared_store_wavefronts;
    counts->global_loads += scale * (double)(memory->global_loads + memory->copies);
    counts->global_load_sectors +=
        scale * (double)(memory->global_load_sectors + memory->copy_sectors);
    counts->global_stores += scale * (double)memory->global_stores;
    counts->global_store_sectors += scale * (double)memory->global_store_sectors;
    counts->unknown_addresses += scale * (double)memory->unknown_addresses;
}

static void sample_memory(struct count *count, const struct box *box)
{
    uint64_t warps = volume(box);
    bool small = warps * 50 < count->all_warps; /* 2 % of all */
    uint32_t samples = small ? 1 : warps < MEMORY_SAMPLES ? (uint32_t)warps : MEMORY_SAMPLES;
    count->walk.memory = (struct smc_memory_counts){0};
    for (uint32_t i = 0; i < samples; i++) {
        uint32_t at[AXES];
        for (unsigned axis = 0; axis < AXES; axis++)
            at[axis] = box->low[axis] +
                       scatter(i * AXES + axis + warps, box->high[axis] - box->low[axis] + 1);
        walk_at(count, at, true);
    }
    smc_launch_add_memory(&count->walk.memory, (double)warps / samples, count->counts);
}

/* Whether some warps spread over the box are all of this kind. */
static bool is_uniform(struct count *count, const struct box *box, uint32_t kind)
{
    uint32_t probes = volume(box) > PROBED_VOLUME ? PROBES : 0;
    for (uint32_t i = 0; i < probes; i++) {
        uint32_t at[AXES];
        for (unsigned axis = 0; axis < AXES; axis++)
            at[axis] =
                box->low[axis] + scatter((uint64_t)i * AXES + axis + (uint64_t)box->low[axis] * 64,
                                         box->high[axis] - box->low[axis] + 1);
        if (kind_at(count, at) != kind)
            return false;
    }
    return true;
}

static void count_box(struct count *count, const struct box *box)
{
    uint32_t at[AXES], between[AXES];
    if (count->failed)
        return;
    middle(box, between);
    uint32_t kind = kind_at(count, box->low);
    bool cut = count->walks > count->most_walks || count->steps > count->most_steps;
    int axis = cut ? AXES : differing_axis(count, box, at);
    if (axis == AXES &&
        (cut || (kind_at(count, between) == kind && is_uniform(count, box, kind)))) {
        count->counts->extrapolation_cut |= cut;
        count->kind[kind].warps += volume(box);
        count->counts->boxes++;
        if (count->launch->count_memory)
            sample_memory(count, box);
        return;
    }
    uint32_t change;
    if (axis == AXES) { /* only the inside differs: halve the longest axis */
        axis = 0;
        for (int i = 1; i < AXES; i++)
            if (box->high[i] - box->low[i] > box->high[axis] - box->low[axis])
                axis = i;
        change = between[axis] > box->low[axis] ? between[axis] : box->high[axis];
    } else {
        change = find_change(count, box, at, axis);
    }
    struct box low = *box, high = *box;
    low.high[axis] = change - 1;
    high.low[axis] = change;
    count_box(count, &low);
    count_box(count, &high);
}

/* --- Classes -----------------------------------------------------------------------------------
 */

/* Where the number of a block is divided into the row and column of a tile, blocks that behave
   alike are scattered. Then every warp walks a little, warps with the same first decisions are a
   class, and counts as one kind if a dozen of them and one in 32 agree; otherwise it is divided by
   more decisions. */

enum { CHECKED_SHARE = 32, LEAST_CHECKED = 12 };
enum {
    FEW_DECISIONS = 64,
    MORE_DECISIONS = 8,
    MOST_DECISIONS = 1 << 18,
    MOST_CLASSIFIED = 1 << 16
};

struct member {
    uint64_t signature;
    uint64_t warp; /* its number in the launch */
};

static void place_number(const struct count *count, uint64_t warp, uint32_t at[AXES])
{
    const uint32_t *grid = count->launch->grid;
    uint64_t block = warp / count->warps_per_block;
    at[0] = (uint32_t)(block % grid[0]);
    at[1] = (uint32_t)(block / grid[0] % grid[1]);
    at[2] = (uint32_t)(block / grid[0] / grid[1]);
    at[WARP_AXIS] = (uint32_t)(warp % count->warps_per_block);
}

static int compare_members(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->signature != b->signature)
        return a->signature < b->signature ? -1 : 1;
    return a->warp < b->warp ? -1 : a->warp > b->warp;
}

static uint32_t kind_of_member(struct count *count, const struct member *member)
{
    uint32_t at[AXES];
    place_number(count, member->warp, at);
    walk_at(count, at, false);
    return find_kind(count);
}

static void sign_members(struct count *count, struct member *member, size_t members,
                         uint32_t decisions)
{
    count->walk.most_decisions = decisions;
    for (size_t i = 0; i < members; i++) {
        uint32_t at[AXES];
        place_number(count, member[i].warp, at);
        walk_at(count, at, false);
        member[i].signature = count->walk.signature;
    }
    count->walk.most_decisions = 0;
    qsort(member, members, sizeof *member, compare_members);
}

static void add_members(struct count *count, uint32_t kind, const struct member *member,
                        size_t members)
{
    count->kind[kind].warps += members;
    count->counts->boxes++;
    if (!count->launch->count_memory)
        return;
    bool small = members * 50 < count->all_warps; /* 2 % of all */
    uint32_t samples = small ? 1 : members < MEMORY_SAMPLES ? (uint32_t)members : MEMORY_SAMPLES;
    count->walk.memory = (struct smc_memory_counts){0};
    for (uint32_t i = 0; i < samples; i++) {
        uint32_t at[AXES];
        place_number(count, member[scatter(i + members, (uint32_t)members)].warp, at);
        walk_at(count, at, true);
    }
    smc_launch_add_memory(&count->walk.memory, (double)members / samples, count->counts);
}

/* Whether members spread over the class are all of this kind, which is the first one's. */
static bool is_one_kind(struct count *count, const struct member *member, size_t members,
                        uint32_t kind)
{
    size_t checked = members / CHECKED_SHARE + LEAST_CHECKED;
    if (checked > members)
        checked = members;
    for (size_t i = 1; i < checked; i++)
        if (kind_of_member(count, &member[i * (members - 1) / (checked - 1)]) != kind)
            return false;
    return true;
}

static void classify(struct count *count, struct member *member, size_t members, uint32_t decisions)
{
    sign_members(count, member, members, decisions);
    for (size_t first = 0, next; first < members && !count->failed; first = next) {
        for (next = first + 1; next < members; next++)
            if (member[next].signature != member[first].signature)
                break;
        size_t size = next - first;
        uint32_t kind = kind_of_member(count, &member[first]);
        bool agree = is_one_kind(count, &member[first], size, kind);
        if (count->failed)
            return;
        if (agree || decisions >= MOST_DECISIONS) {
            count->counts->extrapolation_cut |= !agree;
            add_members(count, kind, &member[first], size);
        } else {
            classify(count, &member[first], size, decisions * MORE_DECISIONS);
        }
    }
}

/* Whether the control flow depends on a quotient. */
static bool divides(const struct smc_machine_program *program)
{
    for (uint32_t i = 0; i < program->count; i++)
        if (program->step[i].purpose == SMC_PURPOSE_CONTROL &&
            (program->step[i].in.operation == SMC_OP_IMAD_HI ||
             program->step[i].in.operation == SMC_OP_F2I))
            return true;
    return false;
}

static void count_classes(struct count *count)
{
    size_t members = (size_t)count->all_warps;
    struct member *member = smc_malloc(members * sizeof *member);
    if (!member) {
        count->failed = true;
        return;
    }
    for (size_t i = 0; i < members; i++)
        member[i] = (struct member){.warp = i};
    classify(count, member, members, FEW_DECISIONS);
    free(member);
}

/* --- Warps in order ----------------------------------------------------------------------------
 */

static void count_every_warp(struct count *count)
{
    for (uint64_t i = 0; i < count->all_warps && !count->failed; i++) {
        uint32_t at[AXES];
        place_number(count, i, at);
        walk_at(count, at, false);
        uint32_t kind = find_kind(count);
        if (!count->failed)
            count->kind[kind].warps++;
    }
}

/* Runs of neighbouring warps that behave alike in the middle of the grid. */
static void count_runs(struct count *count)
{
    struct box all = {{0}, {0}};
    uint32_t at[AXES];
    for (int axis = 0; axis < WARP_AXIS; axis++)
        all.high[axis] = count->launch->grid[axis] - 1;
    middle(&all, at);
    at[WARP_AXIS] = 0;
    for (uint32_t first = 0; first < count->warps_per_block && !count->failed;) {
        if (count->steps > count->most_steps) {
            count->counts->extrapolation_cut = true;
            return;
        }
        uint32_t next = first + 1;
        at[WARP_AXIS] = first;
        uint32_t kind = kind_at(count, at);
        for (; next < count->warps_per_block && count->steps <= count->most_steps; next++) {
            at[WARP_AXIS] = next;
            if (kind_at(count, at) != kind)
                break;
        }
        all.low[WARP_AXIS] = first;
        all.high[WARP_AXIS] = next - 1;
        count_box(count, &all);
        first = next;
    }
}

/* --- Quickly -----------------------------------------------------------------------------------
 */

static void forget_kinds(struct count *count)
{
    for (uint32_t i = 0; i < count->kinds; i++)
        free(count->kind[i].change);
    count->kinds = 0;
}

/* Whether all warps can walk, if they are as one in the middle. */
static bool are_few(struct count *count)
{
    uint32_t at[AXES];
    if (count->all_warps > count->most_walks)
        return false;
    place_number(count, count->all_warps / 2, at);
    kind_at(count, at);
    return count->steps * count->all_warps <= count->most_steps;
}

static void count_quickly(struct count *count)
{
    struct smc_machine_counts *counts = count->counts;
    count->walk.most_steps = QUICK_STEPS_OF_WARP;
    count->most_walks = QUICK_WALKS;
    count->most_steps = QUICK_STEPS;
    if (are_few(count) && !count->failed) {
        count_every_warp(count);
        return;
    }
    if (!divides(count->launch->program)) {
        count_runs(count);
        if (count->failed || !counts->extrapolation_cut)
            return;
    }
    forget_kinds(count);
    uint64_t *executions = counts->executions;
    *counts = (struct smc_machine_counts){.executions = executions, .is_estimate = true};
    count->failed |= !smc_sampling_count(count->launch, &count->walk, count->warp, SAMPLING_STEPS,
                                         counts, &count->walks);
}

/* --- A launch ----------------------------------------------------------------------------------
 */

static void add_kinds(struct count *count)
{
    struct smc_machine_counts *counts = count->counts;
    const struct smc_machine_program *program = count->launch->program;
    for (uint32_t k = 0; k < count->kinds; k++) {
        uint64_t times = 0;
        for (uint32_t i = 0; i < program->count && count->kind[k].warps; i++) {
            times += count->kind[k].change[i];
            counts->executions[i] += times * count->kind[k].warps;
        }
    }
    for (uint32_t i = 0; i < program->count; i++) {
        counts->instructions += counts->executions[i];
        counts->pipe[program->step[i].in.pipe] += counts->executions[i];
    }
}

static bool start(struct count *count)
{
    count->walk = (struct smc_walk){.program = count->launch->program,
                                    .layout = count->launch->layout,
                                    .most_steps = MOST_STEPS};
    count->walk.change = smc_malloc(change_bytes(count));
    count->warp = smc_malloc(sizeof *count->warp);
    count->cache = smc_calloc(CACHE, sizeof *count->cache);
    size_t steps = count->launch->program->count;
    count->counts->executions = smc_calloc(steps ? steps : 1, sizeof *count->counts->executions);
    return count->walk.change && count->warp && count->cache && count->counts->executions;
}

static void finish(struct count *count)
{
    forget_kinds(count);
    free(count->kind);
    free(count->walk.change);
    free(count->warp);
    free(count->cache);
}

static uint64_t product(const uint32_t size[3])
{
    return (uint64_t)size[0] * size[1] * size[2];
}

enum smc_status smc_machine_count(const struct smc_machine_launch *launch,
                                  struct smc_machine_counts *counts, struct smc_error *error)
{
    *counts = (struct smc_machine_counts){0};
    uint64_t threads = product(launch->block), blocks = product(launch->grid);
    if (threads == 0 || threads > 1024 || blocks == 0 || launch->program->count == 0)
        return smc_fail(error, SMC_USAGE, "a launch of %llu blocks with %llu threads",
                        (unsigned long long)blocks, (unsigned long long)threads);
    struct count count = {.launch = launch,
                          .counts = counts,
                          .most_walks = MOST_WALKS,
                          .most_steps = UINT64_MAX,
                          .warps_per_block = (uint32_t)((threads + SMC_LANES - 1) / SMC_LANES)};
    count.all_warps = blocks * count.warps_per_block;
    count.failed = !start(&count);
    if (!count.failed && launch->every_warp)
        count_every_warp(&count);
    else if (!count.failed && launch->precision == SMC_PRECISION_QUICK)
        count_quickly(&count);
    else if (!count.failed && count.all_warps <= MOST_CLASSIFIED && divides(launch->program))
        count_classes(&count);
    else if (!count.failed)
        count_runs(&count);
    if (!count.failed)
        add_kinds(&count);
    counts->end = count.walk.end;
    counts->end_at = count.walk.end_at;
    counts->end_operation = count.walk.end_operation;
    counts->exact =
        counts->end == SMC_WALK_WHOLE && !counts->extrapolation_cut && !counts->is_estimate;
    counts->warps_walked = count.walks;
    finish(&count);
    if (!count.failed)
        return SMC_OK;
    smc_machine_counts_free(counts);
    return smc_out_of_memory(error);
}

void smc_machine_counts_free(struct smc_machine_counts *counts)
{
    free(counts->executions);
    *counts = (struct smc_machine_counts){0};
}

enum smc_status smc_machine_trace(const struct smc_machine_launch *launch, const uint32_t index[3],
                                  uint32_t warp, struct smc_trace *trace, struct smc_error *error)
{
    struct smc_machine_counts counts = {0};
    struct count count = {.launch = launch, .counts = &counts};
    uint32_t at[AXES] = {index[0], index[1], index[2], warp};
    bool started = start(&count);
    if (started) {
        count.walk.trace = trace;
        walk_at(&count, at, true);
    }
    finish(&count);
    smc_machine_counts_free(&counts);
    return started ? SMC_OK : smc_out_of_memory(error);
}

static void put(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

/* The sizes of block and grid are at the beginning, as the code that ptxas makes expects. */
void smc_machine_constants(unsigned char bank[SMC_MACHINE_CONSTANT_BYTES], const uint32_t block[3],
                           const uint32_t grid[3], uint32_t parameters_at, const void *parameters,
                           size_t parameter_bytes)
{
    memset(bank, 0, SMC_MACHINE_CONSTANT_BYTES);
    for (int axis = 0; axis < 3; axis++) {
        put(bank + 4 * axis, block[axis]);
        put(bank + 0xc + 4 * axis, grid[axis]);
    }
    if (parameters_at <= SMC_MACHINE_CONSTANT_BYTES &&
        parameter_bytes <= SMC_MACHINE_CONSTANT_BYTES - parameters_at)
        memcpy(bank + parameters_at, parameters, parameter_bytes);
}
