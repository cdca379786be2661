/* What asynchronous instructions do. */
#include "machine/sass/async.h"

#include <string.h>

#include "machine/sass/sass_launch.h"
#include "machine/sass/warp_memory.h"
#include "machine/tensor_maps.h"

enum { SHARED_ADDRESS_BITS = 24 /* above them: which block of a cluster */ };

static const uint32_t shared_mask = (1u << SHARED_ADDRESS_BITS) - 1;

/* --- Operands --------------------------------------------------------------------------------- */

/* A register of an operand, its `part`th, in a lane; false: unknown. */
static bool async_value(const struct smc_sass_warp *warp, const struct smc_sass_operand *operand,
                        unsigned part, unsigned lane, uint32_t *value)
{
    bool uniform = operand->kind == SMC_OPERAND_UNIFORM;
    unsigned zero = uniform ? SMC_ZERO_UNIFORM : SMC_ZERO_REGISTER;
    *value = 0;
    if (operand->kind == SMC_OPERAND_NONE || operand->number == zero)
        return true;
    if (operand->number + part >= zero)
        return false;
    const struct smc_lanes *lanes =
        uniform ? &warp->uniform[operand->number + part] : &warp->reg[operand->number + part];
    *value = lanes->value[lanes->same ? 0 : lane];
    return (lanes->unknown >> lane & 1) == 0;
}

static bool async_pair(const struct smc_sass_warp *warp, const struct smc_sass_operand *operand,
                       uint64_t *value)
{
    uint32_t low, high;
    bool known = async_value(warp, operand, 0, 0, &low);
    known &= async_value(warp, operand, 1, 0, &high);
    *value = (uint64_t)high << 32 | low;
    return known;
}

/* --- Barriers in shared memory ---------------------------------------------------------------- */

static bool barrier_address(const struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                            unsigned lane, uint32_t *address)
{
    uint32_t base, added;
    bool known = async_value(warp, &in->from[0], 0, lane, &base);
    known &= async_value(warp, &in->from[2], 0, lane, &added);
    *address = (base + added + (uint32_t)in->offset) & shared_mask;
    return known;
}

/* SYNCS.EXCH: the 64 bits that mbarrier.init writes hold twice what 2^20 exceeds the count by. */
static void read_init(const struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                      struct smc_async *async)
{
    uint32_t base, state;
    if (!async_value(warp, &in->from[0], 0, 0, &base) ||
        !async_value(warp, &in->from[1], 0, 0, &state))
        return;
    async->kind = SMC_ASYNC_INIT;
    async->barrier = (base + (uint32_t)in->offset) & shared_mask;
    async->count = ((1u << 20) - state / 2) & ((1u << 20) - 1);
}

/* SYNCS: form 2 is PHASECHK, which waits for the phase whose parity is in bit 31. Others arrive;
   bits 84 to 86: once, with bytes in the register, or without; not at all, with bytes; as often as
   the register says. */
static void read_syncs(const struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                       uint32_t mask, struct smc_async *async)
{
    enum { PHASECHK = 2, ONCE_WITH_BYTES = 0, ONCE = 1, ONLY_BYTES = 3, MANY = 5 };
    unsigned lane = (unsigned)__builtin_ctz(mask), how = (unsigned)smc_bits(in, 84, 3);
    uint32_t lanes = (uint32_t)__builtin_popcount(mask), value;
    bool known = async_value(warp, &in->from[1], 0, lane, &value);
    if (!barrier_address(warp, in, lane, &async->barrier))
        return;
    if (smc_bits(in, 9, 3) == PHASECHK) {
        async->kind = !known        ? SMC_ASYNC_WAIT_ARRIVED
                      : value >> 31 ? SMC_ASYNC_WAIT_ODD
                                    : SMC_ASYNC_WAIT_EVEN;
        return;
    }
    if (!known && how != ONCE)
        return;
    async->kind = SMC_ASYNC_ARRIVE;
    async->count = how == ONLY_BYTES ? 0 : how == MANY ? lanes * value : lanes;
    async->bytes = how == ONCE_WITH_BYTES || how == ONLY_BYTES ? lanes * value : 0;
}

/* --- Bulk copies ------------------------------------------------------------------------------ */

/* The tensor map that an address is of. */
static bool find_map(const struct smc_sass_warp *warp, uint64_t address,
                     const struct smc_contents *contents, struct smc_tensor_map *map)
{
    const struct smc_machine_place *place = warp->place;
    char bytes[SMC_TENSOR_MAP_BYTES];
    uint64_t at = address - SMC_MACHINE_CONSTANTS_ADDRESS;
    unsigned array;
    if (address >= SMC_MACHINE_CONSTANTS_ADDRESS && at <= place->constant_bytes &&
        place->constant_bytes - at >= sizeof bytes)
        memcpy(bytes, place->constants + at, sizeof bytes);
    else if (!contents || !contents->read(contents->context, address, sizeof bytes, bytes, &array))
        return false;
    return smc_tensor_map_read(bytes, map);
}

static uint32_t bytes_of_box(const struct smc_tensor_map *map)
{
    uint32_t bytes = smc_tensor_bytes((enum smc_tensor_type)map->type);
    for (int i = 0; i < map->rank; i++)
        bytes *= (uint32_t)((map->box[i] + map->step[i] - 1) / map->step[i]);
    return bytes;
}

/* Where the box begins and how its rows lie: those of the innermost dimension in which it has any.
   What is outside the tensor is not copied. */
static void place_box(const struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                      const struct smc_tensor_map *map, struct smc_async *async)
{
    const unsigned coordinates = async->kind == SMC_ASYNC_LOAD ? 2 : 1;
    uint64_t address = map->address, rows = 1;
    for (unsigned i = 0; i < map->rank; i++) {
        const uint64_t apart =
            i > 0 ? map->stride[i - 1] : smc_tensor_bytes((enum smc_tensor_type)map->type);
        uint32_t at;
        if (!async_value(warp, &in->from[1], coordinates + i, 0, &at))
            return;
        const uint64_t inside = (int32_t)at < 0 ? 0 : at;
        address += (inside < map->size[i] ? inside : map->size[i] - 1) * apart;
        if (i > 0 && rows == 1)
            async->pitch = apart * map->step[i];
        rows *= i > 0 ? (uint64_t)(map->box[i] + map->step[i] - 1) / map->step[i] : 1;
    }
    async->address = address;
    async->rows = (uint32_t)rows;
}

/* The registers: the tensor map; the address in shared memory, that of the barrier of a load, and
   the coordinates. */
static void read_tensor_copy(const struct smc_sass_warp *warp,
                             const struct smc_sass_instruction *in,
                             const struct smc_contents *contents, struct smc_async *async)
{
    struct smc_tensor_map map;
    uint64_t at;
    if (!async_pair(warp, &in->from[0], &at) || !find_map(warp, at, contents, &map))
        return;
    async->bytes = bytes_of_box(&map);
    async->address = map.address;
    place_box(warp, in, &map, async);
}

/* The source; the destination and, of a load, its barrier; the size in units of 16 bytes. */
static void read_plain_copy(const struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                            struct smc_async *async)
{
    enum { UNIT = 16, UNITS_MASK = 0xffff };
    bool loads = async->kind == SMC_ASYNC_LOAD;
    uint32_t units;
    if (async_value(warp, &in->from[2], 0, 0, &units))
        async->bytes = (units & UNITS_MASK) * UNIT;
    async->rows = 1;
    if (!async_pair(warp, &in->from[loads ? 0 : 1], &async->address))
        async->address = 0;
}

/* How many blocks of the cluster receive a load: those of the mask in the upper half of a register.
 */
static uint32_t blocks_of_copy(const struct smc_sass_warp *warp,
                               const struct smc_sass_instruction *in)
{
    enum { MASK_AT = 16 };
    uint32_t mask;
    if (!smc_is_multicast(in) || !async_value(warp, &in->from[2], 0, 0, &mask))
        return 1;
    return mask >> MASK_AT ? (uint32_t)__builtin_popcount(mask >> MASK_AT) : 1;
}

/* UBLKCP: bit 73: into shared memory. */
bool smc_loads_in_bulk(const struct smc_sass_instruction *in)
{
    return in->operation == SMC_OP_UTMALDG || (in->operation == SMC_OP_UBLKCP && smc_bit(in, 73));
}

static void read_copy(const struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                      const struct smc_contents *contents, struct smc_async *async)
{
    bool plain = in->operation == SMC_OP_UBLKCP || in->operation == SMC_OP_UBLKRED;
    bool loads = smc_loads_in_bulk(in);
    async->kind = loads ? SMC_ASYNC_LOAD : SMC_ASYNC_STORE;
    async->count = loads ? blocks_of_copy(warp, in) : 1;
    if (loads && !async_value(warp, &in->from[1], 1, 0, &async->barrier)) {
        async->kind = SMC_ASYNC_NOTHING;
        return;
    }
    async->barrier &= shared_mask;
    if (plain)
        read_plain_copy(warp, in, async);
    else
        read_tensor_copy(warp, in, contents, async);
}

/* NANOSLEEP: the warp waits for the lane that sleeps longest. */
static void read_sleep(const struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                       uint32_t mask, struct smc_async *async)
{
    enum { LONGEST = (1 << 20) - 1 };
    const struct smc_sass_operand *time = &in->from[1];
    uint32_t longest = time->kind == SMC_OPERAND_IMMEDIATE ? time->value : 0, ns;
    if (time->kind == SMC_OPERAND_CONSTANT)
        return;
    for (; mask && time->kind != SMC_OPERAND_IMMEDIATE; mask &= mask - 1) {
        if (!async_value(warp, time, 0, (unsigned)__builtin_ctz(mask), &ns))
            return;
        longest = ns > longest ? ns : longest;
    }
    async->kind = SMC_ASYNC_SLEEP;
    async->bytes = longest < LONGEST ? longest : LONGEST;
}

struct smc_async smc_async_of(const struct smc_sass_warp *warp,
                              const struct smc_sass_instruction *in, uint32_t mask,
                              const struct smc_contents *contents)
{
    struct smc_async async = {.kind = SMC_ASYNC_NOTHING};
    if (mask == 0)
        return async;
    switch (in->operation) {
    case SMC_OP_SYNCS_EXCH:
        read_init(warp, in, &async);
        break;
    case SMC_OP_SYNCS:
        read_syncs(warp, in, mask, &async);
        break;
    case SMC_OP_ARRIVES:
        async.count = (uint32_t)__builtin_popcount(mask);
        if (barrier_address(warp, in, (unsigned)__builtin_ctz(mask), &async.barrier))
            async.kind = SMC_ASYNC_COPIES_ARRIVE;
        break;
    case SMC_OP_BAR:
        if (async_value(warp, &in->from[0], 0, (unsigned)__builtin_ctz(mask), &async.count))
            async.kind = SMC_ASYNC_NUMBER;
        break;
    case SMC_OP_NANOSLEEP:
        read_sleep(warp, in, mask, &async);
        break;
    default:
        read_copy(warp, in, contents, &async);
        break;
    }
    return async;
}

/* --- In the trace ----------------------------------------------------------------------------- */

/* Numbers above those of global memory stay when a trace is taken over. */
enum { BYTES_BITS = 20, COUNT_BITS = 12, PITCH_UNIT = 16, PITCH_BITS = 40, ROWS_BITS = 16 };

unsigned smc_async_pack(const struct smc_async *async,
                        struct smc_warp_trace_line line[SMC_ASYNC_LINES])
{
    uint64_t bytes = async->bytes & ((1u << BYTES_BITS) - 1),
             count = async->count & ((1u << COUNT_BITS) - 1);
    line[0].number = SMC_WARP_TRACE_LOCAL | (async->barrier & shared_mask) |
                     bytes << SHARED_ADDRESS_BITS | count << (SHARED_ADDRESS_BITS + BYTES_BITS);
    line[0].sectors = (uint8_t)async->kind;
    if (async->address == 0)
        return 1;
    line[1] = (struct smc_warp_trace_line){
        .number = async->address / SMC_LINE_BYTES,
        .sectors = (uint8_t)(1u << async->address % SMC_LINE_BYTES / SMC_SECTOR_BYTES)};
    const uint64_t pitch = async->pitch / PITCH_UNIT & ((UINT64_C(1) << PITCH_BITS) - 1),
                   rows = async->rows & ((1u << ROWS_BITS) - 1);
    line[2] =
        (struct smc_warp_trace_line){.number = SMC_WARP_TRACE_LOCAL | pitch | rows << PITCH_BITS};
    return SMC_ASYNC_LINES;
}

struct smc_async smc_async_unpack(const struct smc_warp_trace_line *line, unsigned lines)
{
    struct smc_async async = {.kind = SMC_ASYNC_NOTHING};
    if (lines == 0)
        return async;
    uint64_t number = line[0].number;
    async.kind = (enum smc_async_kind)line[0].sectors;
    async.barrier = (uint32_t)number & shared_mask;
    async.bytes = (uint32_t)(number >> SHARED_ADDRESS_BITS) & ((1u << BYTES_BITS) - 1);
    async.count =
        (uint32_t)(number >> (SHARED_ADDRESS_BITS + BYTES_BITS)) & ((1u << COUNT_BITS) - 1);
    if (lines < SMC_ASYNC_LINES)
        return async;
    number = line[2].number;
    async.address = line[1].number * SMC_LINE_BYTES +
                    (uint64_t)__builtin_ctz(line[1].sectors) * SMC_SECTOR_BYTES;
    async.pitch = (number & ((UINT64_C(1) << PITCH_BITS) - 1)) * PITCH_UNIT;
    async.rows = (uint32_t)(number >> PITCH_BITS) & ((1u << ROWS_BITS) - 1);
    return async;
}
