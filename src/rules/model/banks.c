/* Shared-memory banks: wavefronts and conflicts. */
#include "rules/banks.h"

#include <inttypes.h>

#include "base/numbers.h"
#include "base/parse.h"

enum { MOST_WIDTH = 16 }; /* of a lane, in bytes */

/* --- Operations ------------------------------------------------------------------------------- */

const struct smc_bank_operation smc_bank_operations[SMC_BANK_OPS] = {
#define SMC_OPERATION(id, name, loads, matrices, trans, usual, widths, counted)                    \
    [SMC_BANK_##id] = {name, loads, matrices, trans, usual, widths, counted},
#include "rules/bank_operations.def"
};

const struct smc_bank_operation *smc_bank_op_describe(enum smc_bank_op op)
{
    return &smc_bank_operations[op];
}

enum smc_bank_op smc_bank_op_find(const char *name)
{
    enum smc_bank_op op = SMC_BANK_LOAD;
    while (op < SMC_BANK_OPS && !smc_equal_ignoring_case(smc_bank_operations[op].name, name))
        op++;
    return op;
}

enum smc_bank_op smc_bank_matrix_op(bool loads, uint32_t matrices)
{
    enum smc_bank_op first = loads ? SMC_BANK_LDMATRIX_X1 : SMC_BANK_STMATRIX_X1;
    return first + (matrices > 1) + (matrices > 2);
}

static bool is_copy(enum smc_bank_op op)
{
    return op >= SMC_BANK_CP_ASYNC_CA && op <= SMC_BANK_CP_ASYNC_CG;
}

static bool is_atomic(enum smc_bank_op op)
{
    return op >= SMC_BANK_ATOM && op <= SMC_BANK_RED_ONE;
}

bool smc_bank_op_exists(enum smc_bank_op op, const struct smc_sm *sm)
{
    const struct smc_bank_operation *operation = &smc_bank_operations[op];
    if (is_copy(op))
        return sm->has_async_copies;
    return operation->matrices == 0 ||
           (operation->loads ? sm->has_matrix_loads : sm->has_matrix_stores);
}

uint32_t smc_bank_op_lanes(enum smc_bank_op op)
{
    uint32_t matrices = smc_bank_operations[op].matrices;
    return matrices == 1 || matrices == 2 ? (1u << 8 * matrices) - 1 : SMC_ALL_LANES;
}

/* The lanes that access shared memory. */
static uint32_t lanes_of(const struct smc_access *access)
{
    return access->mask & smc_bank_op_lanes(access->op);
}

/* Others cost nothing: smc_access_validate says why. */
static bool is_countable(const struct smc_bank_layout *layout, const struct smc_access *access)
{
    const uint32_t width = access->width_bytes;
    return layout->banks && (unsigned)access->op < SMC_BANK_OPS && width <= MOST_WIDTH && width &&
           !(width & (width - 1));
}

/* Those that wait for banks. */
static uint32_t served_lanes(const struct smc_bank_layout *layout, const struct smc_access *access)
{
    return !is_countable(layout, access) || access->op == SMC_BANK_CP_ASYNC_CG ? 0
                                                                               : lanes_of(access);
}

/* --- Wavefronts and conflicts ----------------------------------------------------------------- */

enum { WORD_BYTES = 4 };

/* What one bank has to deliver to a set of lanes: one row (its words of one pass) after another. */
struct queue {
    uint32_t length;
    uint32_t row[SMC_WARP_LANES];
    uint32_t word[SMC_WARP_LANES];
    uint32_t lanes[SMC_WARP_LANES];
};

struct set {
    uint32_t lanes;
    uint32_t rows;   /* in all banks together */
    uint32_t passes; /* the longest queue */
    uint32_t times;  /* wavefronts of a pass: 2 for compare-and-swap */
    struct queue queue[SMC_MAX_BANKS];
};

void smc_bank_layout_of(const struct smc_sm *sm, enum smc_bank_mode mode,
                        struct smc_bank_layout *layout)
{
    bool half_warps = sm->smem_banks == SMC_MAX_BANKS / 2;
    uint32_t banks = half_warps ? SMC_MAX_BANKS / 2 : SMC_MAX_BANKS;
    uint32_t words_of_bank = sm->bank_width_bytes == 2 * WORD_BYTES ? 2 : 1;
    *layout = (struct smc_bank_layout){
        .banks = banks,
        .row_words = banks * words_of_bank,
        .neighbouring_words = mode == SMC_BANK_MODE_8_BYTES ? words_of_bank : 1,
        .half_warps = half_warps,
        .loads_join = !half_warps && words_of_bank == 1,
    };
}

uint32_t smc_access_misaligned(const struct smc_access *access)
{
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
        if (!access->width_bytes || access->address[lane] % access->width_bytes)
            lanes |= 1u << lane;
    return lanes & lanes_of(access);
}

enum smc_status smc_access_validate(const struct smc_bank_layout *layout,
                                    const struct smc_access *access, struct smc_error *error)
{
    const uint32_t width = access->width_bytes;
    if (layout->banks == 0)
        return smc_fail(error, SMC_USAGE, "a struct smc_bank_layout has no banks");
    if ((unsigned)access->op >= SMC_BANK_OPS)
        return smc_fail(error, SMC_USAGE, "'%d' is no operation of enum smc_bank_op",
                        (int)access->op);
    const char *name = smc_bank_operations[access->op].name;
    if (!is_countable(layout, access) || !(smc_bank_operations[access->op].widths & width))
        return smc_fail(error, SMC_USAGE, "'%s' has no width of %" PRIu32 " bytes", name, width);
    const uint32_t rows = smc_bank_op_lanes(access->op);
    if (smc_bank_operations[access->op].matrices && (access->mask & rows) != rows)
        return smc_fail(error, SMC_USAGE,
                        "mask '%" PRIx32 "' leaves out lanes that give rows of '%s'", access->mask,
                        name);
    const uint32_t misaligned = smc_access_misaligned(access);
    if (misaligned)
        return smc_fail(error, SMC_USAGE,
                        "lane %d: address %" PRIu32 " is not a multiple of the width %" PRIu32,
                        __builtin_ctz(misaligned), access->address[__builtin_ctz(misaligned)],
                        width);
    if (!smc_banks_are_known(layout, access))
        return smc_fail(error, SMC_USAGE,
                        "the wavefronts of '%s' of %" PRIu32 " bytes are not known on these banks",
                        name, width);
    return SMC_OK;
}

bool smc_banks_are_known(const struct smc_bank_layout *layout, const struct smc_access *access)
{
    if (!is_countable(layout, access))
        return false;
    if ((is_atomic(access->op) || is_copy(access->op)) && !layout->loads_join)
        return false;
    return smc_bank_operations[access->op].counted & access->width_bytes;
}

/* Whether every pair of active lanes that are `distance` apart shares its address. */
static bool pairs_share(const struct smc_access *access, uint32_t distance)
{
    for (uint32_t active = access->mask; active; active &= active - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(active), partner = lane ^ distance;
        if (access->mask >> partner & 1 && access->address[lane] != access->address[partner])
            return false;
    }
    return true;
}

/* How many lanes are served together: as many as all banks can deliver bytes for in one pass, or
   twice as many if a load's pairs share their addresses. */
static uint32_t lanes_of_set(const struct smc_bank_layout *layout, const struct smc_access *access)
{
    uint32_t lanes = layout->row_words * WORD_BYTES / access->width_bytes;
    if (layout->half_warps)
        return SMC_WARP_LANES / 2;
    if (lanes >= SMC_WARP_LANES)
        return SMC_WARP_LANES;
    bool joins = layout->loads_join && access->op == SMC_BANK_LOAD &&
                 (pairs_share(access, 1) || pairs_share(access, 2));
    return joins ? 2 * lanes : lanes;
}

/* `count` lanes from `first` on. */
static uint32_t lanes_from(uint32_t first, uint32_t count)
{
    return (uint32_t)(((UINT64_C(1) << count) - 1) << first);
}

/* --- Serving ---------------------------------------------------------------------------------- */

/* `apart`: also if another lane has requested the row. */
static void banks_add_word(struct queue *queue, uint32_t row, uint32_t word, uint32_t lane,
                           bool apart, struct set *set)
{
    uint32_t i = apart ? queue->length : 0;
    while (i < queue->length && queue->row[i] != row)
        i++;
    if (i == queue->length) {
        queue->row[i] = row;
        queue->word[i] = word;
        queue->lanes[i] = 0;
        queue->length++;
        set->rows++;
    }
    queue->lanes[i] |= 1u << lane;
    if (queue->length > set->passes)
        set->passes = queue->length;
}

/* Most of the run time is spent here. The numbers of banks and of words per row are powers of two,
   so this uses shifts: a division would take longer than the rest. */
static void banks_serve(const struct smc_bank_layout *layout, const struct smc_access *access,
                        uint32_t lanes, struct set *set)
{
    uint32_t bank_shift = (uint32_t)__builtin_ctz(layout->neighbouring_words);
    uint32_t row_shift = (uint32_t)__builtin_ctz(layout->row_words);
    uint32_t words = (uint32_t)divide_up(access->width_bytes, WORD_BYTES);
    bool apart = is_atomic(access->op) && access->op != SMC_BANK_RED_ONE;
    set->lanes = lanes & lanes_of(access);
    set->times = access->op == SMC_BANK_ATOM_CAS ? 2 : 1;
    set->rows = set->passes = 0;
    for (uint32_t bank = 0; bank < layout->banks; bank++)
        set->queue[bank].length = 0;
    for (uint32_t left = set->lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t first = access->address[lane] / WORD_BYTES;
        for (uint32_t word = first; word < first + words; word++)
            banks_add_word(&set->queue[(word >> bank_shift) & (layout->banks - 1)],
                           word >> row_shift, word, lane, apart, set);
    }
}

static uint32_t least_passes(const struct smc_bank_layout *layout, const struct set *set)
{
    return (uint32_t)divide_up(set->rows, layout->row_words);
}

static uint32_t crowded_banks(const struct smc_bank_layout *layout, const struct set *set)
{
    uint32_t least = least_passes(layout, set), crowded = 0;
    for (uint32_t bank = 0; bank < layout->banks; bank++)
        crowded |= (uint32_t)(set->queue[bank].length > least) << bank;
    return crowded;
}

/* Appends the set's passes to the wavefronts before them. */
static void add_to_map(const struct smc_bank_layout *layout, const struct set *set,
                       struct smc_bank_map *map)
{
    for (uint32_t i = 0; i < set->passes * set->times; i++) {
        struct smc_wavefront *wavefront = &map->wavefront[map->cost.wavefronts + i];
        const uint32_t pass = i / set->times;
        wavefront->set = set->lanes;
        wavefront->crowded = crowded_banks(layout, set);
        for (uint32_t bank = 0; bank < layout->banks; bank++) {
            const struct queue *queue = &set->queue[bank];
            if (pass >= queue->length)
                continue;
            wavefront->lanes[bank] = queue->lanes[pass];
            wavefront->word[bank] = queue->word[pass];
        }
    }
}

static void add_cost(const struct smc_bank_layout *layout, const struct set *set,
                     struct smc_bank_cost *cost)
{
    cost->wavefronts += set->passes * set->times;
    cost->least += least_passes(layout, set) * set->times;
    cost->phases++;
}

/* --- Copies ----------------------------------------------------------------------------------- */

static uint32_t banks_from(uint64_t address, uint32_t width_bytes)
{
    const uint32_t words = width_bytes / WORD_BYTES;
    return (uint32_t)(((UINT64_C(1) << words) - 1) << address / WORD_BYTES % SMC_MAX_BANKS);
}

/* Where a lane of a copy reads. */
static uint64_t source_of(const struct smc_access *access, const uint64_t *from, uint32_t lane)
{
    return from ? from[lane] : (uint64_t)lane * access->width_bytes;
}

/* Those of `waiting` whose lines are looked up next: in each bank of the tags that of the lowest
   lane. */
static uint32_t looked_up_next(const struct smc_access *access, const uint64_t *from,
                               uint32_t waiting)
{
    uint64_t looked_up[SMC_TAG_BANKS];
    uint32_t busy = 0, lanes = 0;
    for (uint32_t left = waiting; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t line = source_of(access, from, lane) / SMC_LINE_BYTES;
        const uint32_t bank = smc_tag_bank(line);
        if (!(busy >> bank & 1))
            looked_up[bank] = line;
        busy |= 1u << bank;
        lanes |= (uint32_t)(looked_up[bank] == line) << lane;
    }
    return lanes;
}

/* Those of `waiting` that are served next: no lower one reads or writes the same banks. */
static uint32_t copied_next(const struct smc_access *access, const uint64_t *from, uint32_t waiting)
{
    uint32_t read = 0, written = 0, lanes = 0;
    for (uint32_t left = waiting; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left), width = access->width_bytes;
        const uint32_t reads = banks_from(source_of(access, from, lane), width);
        const uint32_t writes = banks_from(access->address[lane], width);
        if (!(read & reads) && !(written & writes))
            lanes |= 1u << lane;
        read |= reads;
        written |= writes;
    }
    return lanes;
}

/* Each lane at the place of its wavefront in the queues of its banks. */
static void serve_copy(const struct smc_access *access, const uint64_t *from, uint32_t lanes,
                       struct set *set)
{
    *set = (struct set){.lanes = lanes, .times = 1};
    for (uint32_t waiting = set->lanes, next; waiting; waiting &= ~next, set->passes++) {
        next = copied_next(access, from, waiting);
        for (uint32_t left = next; left; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left);
            const uint32_t first = access->address[lane] / WORD_BYTES;
            for (uint32_t word = first; word < first + access->width_bytes / WORD_BYTES; word++) {
                struct queue *queue = &set->queue[word % SMC_MAX_BANKS];
                queue->lanes[set->passes] = 1u << lane;
                queue->word[set->passes] = word;
                queue->length = set->passes + 1;
                set->rows++;
            }
        }
    }
}

/* Active lanes that wait, and of these the ones that wait for banks alone: the others' lines of L1
   are still to be looked up. */
struct serving {
    uint32_t waiting, ready;
};

/* Serves the next set; false if no lane waits. */
static bool serve_next(const struct smc_bank_layout *layout, const struct smc_access *access,
                       const uint64_t *from, struct serving *serving, struct set *set)
{
    if (!serving->waiting)
        return false;
    const uint32_t count = lanes_of_set(layout, access);
    if (!serving->ready)
        serving->ready = access->op == SMC_BANK_CP_ASYNC_CA
                             ? looked_up_next(access, from, serving->waiting)
                             : serving->waiting;
    const uint32_t first = (uint32_t)__builtin_ctz(serving->ready) / count * count;
    const uint32_t lanes = serving->ready & lanes_from(first, count);
    if (is_copy(access->op) && layout->loads_join)
        serve_copy(access, from, lanes, set);
    else
        banks_serve(layout, access, lanes, set);
    serving->waiting &= ~lanes;
    serving->ready &= ~lanes;
    return true;
}

struct smc_bank_cost smc_banks_count_copy(const struct smc_bank_layout *layout,
                                          const struct smc_access *access,
                                          const uint64_t from[SMC_WARP_LANES])
{
    struct smc_bank_cost cost = {0};
    struct serving serving = {.waiting = served_lanes(layout, access)};
    struct set set;
    while (serve_next(layout, access, from, &serving, &set))
        add_cost(layout, &set, &cost);
    return cost;
}

struct smc_bank_cost smc_banks_count(const struct smc_bank_layout *layout,
                                     const struct smc_access *access)
{
    return smc_banks_count_copy(layout, access, NULL);
}

void smc_banks_map(const struct smc_bank_layout *layout, const struct smc_access *access,
                   struct smc_bank_map *map)
{
    struct serving serving = {.waiting = served_lanes(layout, access)};
    struct set set;
    *map = (struct smc_bank_map){.cost = {0}};
    while (serve_next(layout, access, NULL, &serving, &set)) {
        add_to_map(layout, &set, map);
        add_cost(layout, &set, &map->cost);
    }
}

bool smc_banks_idle(const struct smc_bank_map *map, uint32_t first, uint32_t count)
{
    for (uint32_t row = 0; row < map->cost.wavefronts; row++)
        for (uint32_t bank = first; bank < first + count; bank++)
            if (map->wavefront[row].lanes[bank])
                return false;
    return true;
}

/* No set of lanes needs more words than one row of the banks has: so none has a conflict if no bank
   has to deliver two words to one set. */
static bool is_set_free(const struct smc_access *access, uint32_t lanes)
{
    uint32_t word_of_bank[SMC_MAX_BANKS];
    uint32_t words = (uint32_t)divide_up(access->width_bytes, WORD_BYTES), taken = 0;
    for (uint32_t left = lanes & lanes_of(access); left; left &= left - 1) {
        uint32_t first = access->address[__builtin_ctz(left)] / WORD_BYTES;
        for (uint32_t word = first; word < first + words; word++) {
            uint32_t bank = word % SMC_MAX_BANKS;
            if (taken >> bank & 1 && word_of_bank[bank] != word)
                return false;
            word_of_bank[bank] = word;
            taken |= 1u << bank;
        }
    }
    return true;
}

bool smc_banks_are_free(const struct smc_bank_layout *layout, const struct smc_access *access)
{
    if (layout->half_warps || layout->row_words != SMC_MAX_BANKS || is_atomic(access->op) ||
        is_copy(access->op)) {
        const struct smc_bank_cost cost = smc_banks_count(layout, access);
        return cost.wavefronts == cost.least;
    }
    if (!is_countable(layout, access))
        return true;
    uint32_t count = lanes_of_set(layout, access);
    for (uint32_t first = 0; first < SMC_WARP_LANES; first += count)
        if (!is_set_free(access, lanes_from(first, count)))
            return false;
    return true;
}
