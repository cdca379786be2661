/* What loads return. */
#include "machine/sass/warp_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    WORD = 4,
    MOST_BYTES = 16, /* of one lane's access */
    LEAST_ROOM = 4096,
    MOST_ROOM = 1 << 22,
    MOST_SHARED = 256 * 1024 /* of every architecture */
};

/* Local memory has a space of its own for each lane. */
#define LOCAL_SPACE UINT64_C(0x8000000000000000)
enum { LOCAL_LANE_SHIFT = 40, LOCAL_WARP_SHIFT = 45 };

enum space { GLOBAL, LOCAL, SHARED };

void smc_warp_memory_start(struct smc_warp_memory *memory)
{
    memory->start++;
    memory->count = 0;
    memory->full = false;
    if (memory->shared_bytes)
        memset(memory->shared_known, 0, memory->shared_bytes);
}

void smc_warp_memory_free(struct smc_warp_memory *memory)
{
    free(memory->word);
    free(memory->touched);
    free(memory->shared);
    free(memory->shared_known);
}

/* --- Words that were stored ------------------------------------------------------------------- */

/* The entry of a word, or the free one for it. */
static struct smc_stored_word *word_of(const struct smc_warp_memory *memory, uint64_t key)
{
    uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    struct smc_stored_word *word = &memory->word[at & (memory->room - 1)];
    while (word->start == memory->start && word->key != key)
        word = &memory->word[++at & (memory->room - 1)];
    return word;
}

/* Makes space for one more word. False: there is none. */
static bool grow(struct smc_warp_memory *memory)
{
    struct smc_warp_memory larger = *memory;
    if (memory->count < memory->room / 4 * 3)
        return true;
    larger.room = memory->room ? memory->room * 2 : LEAST_ROOM;
    larger.word = larger.room <= MOST_ROOM ? smc_calloc(larger.room, sizeof *larger.word) : NULL;
    if (!larger.word)
        return false;
    for (size_t i = 0; i < memory->room; i++)
        if (memory->word[i].start == memory->start)
            *word_of(&larger, memory->word[i].key) = memory->word[i];
    free(memory->word);
    *memory = larger;
    return true;
}

/* --- Bytes ------------------------------------------------------------------------------------ */

static uint64_t key_of(const struct smc_warp_memory *memory, enum space space, uint64_t address,
                       unsigned lane)
{
    uint64_t word = address / WORD;
    if (space != LOCAL)
        return word;
    return LOCAL_SPACE | (uint64_t)memory->warp << LOCAL_WARP_SHIFT |
           (uint64_t)lane << LOCAL_LANE_SHIFT | (word & ((UINT64_C(1) << LOCAL_LANE_SHIFT) - 1));
}

/* Puts what was stored of the bytes in the place of what was there before. `known`: bit n, byte n.
 */
static uint32_t patch(const struct smc_warp_memory *memory, enum space space, uint64_t address,
                      unsigned lane, unsigned bytes, unsigned char *to, uint32_t known)
{
    for (unsigned i = 0; i < bytes;) {
        const struct smc_stored_word *word =
            word_of(memory, key_of(memory, space, address + i, lane));
        unsigned end = i + WORD - (unsigned)((address + i) % WORD);
        if (word->start != memory->start) {
            i = end;
            continue;
        }
        for (; i < end && i < bytes; i++) {
            unsigned byte = (unsigned)((address + i) % WORD);
            if (!(word->written >> byte & 1))
                continue;
            to[i] = (unsigned char)(word->value >> 8 * byte);
            known = (known & ~(UINT32_C(1) << i)) | (uint32_t)(word->known >> byte & 1) << i;
        }
    }
    return known;
}

static uint32_t warp_memory_read_shared(const struct smc_warp_memory *memory, uint64_t address,
                                        unsigned bytes, unsigned char *to)
{
    uint32_t known = 0;
    for (unsigned i = 0; i < bytes && address + i < memory->shared_bytes; i++) {
        to[i] = memory->shared[address + i];
        known |= (uint32_t)memory->shared_known[address + i] << i;
    }
    return known;
}

/* Reads bytes of a lane, of which some may be unknown: `array` as in struct smc_contents. */
static bool warp_memory_read_bytes(struct smc_warp_memory *memory, enum space space,
                                   uint64_t address, unsigned lane, unsigned bytes,
                                   unsigned char to[MOST_BYTES], unsigned *array)
{
    const uint32_t all = (UINT32_C(1) << bytes) - 1;
    uint32_t known = 0;
    *array = SMC_NO_ARRAY;
    if (space == SHARED)
        return warp_memory_read_shared(memory, address, bytes, to) == all;
    if (space == GLOBAL &&
        memory->contents->read(memory->contents->context, address, bytes, to, array))
        known = all;
    if (memory->others && memory->sees_others && memory->others->count && space == GLOBAL)
        known = patch(memory->others, space, address, lane, bytes, to, known);
    if (memory->full)
        known = 0;
    if (memory->count)
        known = patch(memory, space, address, lane, bytes, to, known);
    return known == all;
}

static bool make_shared(struct smc_warp_memory *memory, uint64_t end)
{
    size_t bytes = memory->shared_bytes ? memory->shared_bytes : LEAST_ROOM;
    while (bytes < end)
        bytes *= 2;
    unsigned char *shared = smc_realloc(memory->shared, bytes);
    if (shared)
        memory->shared = shared;
    unsigned char *known = smc_realloc(memory->shared_known, bytes);
    if (known)
        memory->shared_known = known;
    if (!shared || !known)
        return false;
    memset(known + memory->shared_bytes, 0, bytes - memory->shared_bytes);
    memory->shared_bytes = bytes;
    return true;
}

static void warp_memory_write_shared(struct smc_warp_memory *memory, uint64_t address,
                                     unsigned bytes, const unsigned char *from, bool known)
{
    uint64_t end = address + bytes;
    if (end > MOST_SHARED || (end > memory->shared_bytes && !make_shared(memory, end)))
        return;
    memcpy(memory->shared + address, from, bytes);
    memset(memory->shared_known + address, known, bytes);
}

static void write_bytes(struct smc_warp_memory *memory, enum space space, uint64_t address,
                        unsigned lane, unsigned bytes, const unsigned char *from, bool known)
{
    if (space == SHARED) {
        warp_memory_write_shared(memory, address, bytes, from, known);
        return;
    }
    for (unsigned i = 0; i < bytes;) {
        const uint64_t key = key_of(memory, space, address + i, lane);
        if (!grow(memory)) {
            memory->full = true;
            return;
        }
        struct smc_stored_word *word = word_of(memory, key);
        if (word->start != memory->start) {
            *word = (struct smc_stored_word){.key = key, .start = memory->start};
            memory->count++;
        }
        do {
            const unsigned byte = (unsigned)((address + i) % WORD), shift = 8 * byte;
            word->value = (word->value & ~(UINT32_C(0xff) << shift)) | (uint32_t)from[i] << shift;
            word->written |= (uint8_t)(1u << byte);
            word->known = (uint8_t)((word->known & ~(1u << byte)) | (unsigned)known << byte);
        } while (++i < bytes && (address + i) % WORD != 0);
    }
}

void smc_warp_memory_end(struct smc_warp_memory *memory)
{
    struct smc_warp_memory *others = memory->others;
    for (size_t i = 0; i < memory->room && others; i++) {
        const struct smc_stored_word *word = &memory->word[i];
        if (word->start != memory->start || word->key & LOCAL_SPACE)
            continue;
        for (unsigned byte = 0; byte < WORD; byte++) {
            const unsigned char value = (unsigned char)(word->value >> 8 * byte);
            if (word->written >> byte & 1)
                write_bytes(others, GLOBAL, word->key * WORD + byte, 0, 1, &value,
                            word->known >> byte & 1);
        }
    }
}

enum { DECIDES = 1, STORES = 2 };

/* Notes that an array decides, or is stored to, at an address. */
static void note(struct smc_warp_memory *memory, unsigned array, uint64_t address, unsigned how)
{
    const uint64_t key = address / WORD, bit = UINT64_C(1) << array % SMC_NO_ARRAY;
    if (array >= SMC_NO_ARRAY)
        return;
    if (how & DECIDES)
        memory->decides |= bit;
    if (how & STORES)
        memory->changed |= bit;
    if (!memory->touched)
        return;
    struct smc_touched_word *word =
        &memory->touched[key * UINT64_C(0x9e3779b97f4a7c15) >> 48 & (SMC_TOUCHED_WORDS - 1)];
    if (word->key != key)
        *word = (struct smc_touched_word){.key = key, .start = memory->start};
    if (word->start != memory->start && (word->how | how) == (DECIDES | STORES))
        memory->meets |= bit;
    word->start = memory->start;
    word->how |= (uint8_t)how;
}

/* --- Registers -------------------------------------------------------------------------------- */

static const struct smc_lanes zero = {.same = true};

static const struct smc_lanes *lanes_of(const struct smc_sass_warp *warp, unsigned number)
{
    return number >= SMC_ZERO_REGISTER ? &zero : &warp->reg[number];
}

static void put_little_endian(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < WORD; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static uint32_t little_endian(const unsigned char *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

/* The bytes that a lane holds in registers from `number` on; false: some are unknown. */
static bool lane_bytes(const struct smc_sass_warp *warp, unsigned number, unsigned bytes,
                       unsigned lane, unsigned char to[MOST_BYTES])
{
    bool known = true;
    for (unsigned part = 0; part * WORD < bytes; part++) {
        const struct smc_lanes *from =
            lanes_of(warp, number == SMC_ZERO_REGISTER ? number : number + part);
        put_little_endian(to + (size_t)part * WORD, from->value[from->same ? 0 : lane]);
        known &= !(from->unknown >> lane & 1);
    }
    return known;
}

/* --- Loads ------------------------------------------------------------------------------------ */

static enum space space_of(const struct smc_sass_instruction *in)
{
    switch (in->operation) {
    case SMC_OP_LDL:
    case SMC_OP_STL:
        return LOCAL;
    case SMC_OP_LDS:
    case SMC_OP_STS:
    case SMC_OP_ATOMS:
    case SMC_OP_ATOMS_CAS:
        return SHARED;
    default:
        return GLOBAL;
    }
}

/* Bits 73 to 75: U8, S8, U16, S16. */
static uint32_t warp_memory_extend(const struct smc_sass_instruction *in, uint32_t word)
{
    unsigned bits = 8u * in->access_bytes;
    if (bits >= 32)
        return word;
    bool is_signed = smc_bit(in, 73);
    word &= (UINT32_C(1) << bits) - 1;
    return is_signed ? (uint32_t)((int32_t)(word << (32 - bits)) >> (32 - bits)) : word;
}

static void warp_memory_load(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                             const struct smc_sass_instruction *in, uint32_t mask, bool decides)
{
    enum { MOST_WORDS = MOST_BYTES / WORD };
    const enum space space = space_of(in);
    uint64_t address[SMC_LANES];
    uint32_t value[MOST_WORDS][SMC_LANES] = {{0}}, unknown = 0;
    if (in->access_bytes == 0 || !smc_warp_addresses(warp, in, mask, address)) {
        smc_warp_forget(warp, in, mask);
        return;
    }
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes), array;
        unsigned char bytes[MOST_BYTES] = {0};
        if (!warp_memory_read_bytes(memory, space, address[lane], lane, in->access_bytes, bytes,
                                    &array))
            unknown |= UINT32_C(1) << lane;
        for (unsigned part = 0; part < in->to.registers && part < MOST_WORDS; part++)
            value[part][lane] = warp_memory_extend(in, little_endian(bytes + (size_t)part * WORD));
        if (decides)
            note(memory, array, address[lane], DECIDES);
    }
    for (unsigned part = 0; part < in->to.registers && part < MOST_WORDS; part++)
        smc_warp_set_register(warp, &in->to, part, value[part], unknown, mask);
}

/* --- Stores ----------------------------------------------------------------------------------- */

static void store(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                  const struct smc_sass_instruction *in, uint32_t mask)
{
    const enum space space = space_of(in);
    const bool evaluated = memory->values || space != GLOBAL;
    uint64_t address[SMC_LANES];
    if (in->access_bytes == 0 || !smc_warp_addresses(warp, in, mask, address))
        return;
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes), array;
        unsigned char bytes[MOST_BYTES];
        if (space == GLOBAL) {
            warp_memory_read_bytes(memory, space, address[lane], lane, 1, bytes, &array);
            note(memory, array, address[lane], STORES);
        }
        bool known = lane_bytes(warp, in->from[1].number, in->access_bytes, lane, bytes);
        write_bytes(memory, space, address[lane], lane, in->access_bytes, bytes,
                    evaluated && known);
    }
}

/* LDGSTS: from global to shared memory. */
static void copy(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                 const struct smc_sass_instruction *in, uint32_t mask)
{
    struct smc_sass_instruction target = *in;
    uint64_t from[SMC_LANES], to[SMC_LANES];
    target.from[0] = in->copy_to;
    target.from[1] = target.from[2] = (struct smc_sass_operand){.kind = SMC_OPERAND_NONE};
    target.offset = in->copy_offset;
    if (!smc_warp_addresses(warp, &target, mask, to))
        return;
    bool known = smc_warp_addresses(warp, in, mask, from);
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes), array;
        unsigned char bytes[MOST_BYTES] = {0};
        bool read = known && warp_memory_read_bytes(memory, GLOBAL, from[lane], lane,
                                                    in->access_bytes, bytes, &array);
        write_bytes(memory, SHARED, to[lane], lane, in->access_bytes, bytes, read);
    }
}

/* --- Atomics ---------------------------------------------------------------------------------- */

bool smc_warp_atomic_addresses(const struct smc_sass_warp *warp,
                               const struct smc_sass_instruction *in, uint32_t mask,
                               uint64_t address[SMC_LANES])
{
    struct smc_sass_instruction access = *in;
    access.offset = (int32_t)((uint32_t)smc_bits(in, 40, 24) << 8) >> 8;
    access.from[1] = access.from[2] = (struct smc_sass_operand){.kind = SMC_OPERAND_NONE};
    return smc_warp_addresses(warp, &access, mask, address);
}

/* Bits 73 to 75: the type, of integers U32, S32, U64, -, -, S64; of floats 1 is F32 and 7 F64. 0:
   others. */
static unsigned bytes_of_atomic(const struct smc_sass_instruction *in)
{
    static const uint8_t integers[8] = {4, 4, 8, 0, 0, 8}, floats[8] = {0, 4, 0, 0, 0, 0, 0, 8};
    const bool is_float = in->operation == SMC_OP_REDG || in->operation == SMC_OP_ATOMG_FLOAT ||
                          in->operation == SMC_OP_ATOM_FLOAT;
    return (is_float ? floats : integers)[smc_bits(in, 73, 3)];
}

static uint64_t added(const struct smc_sass_instruction *in, uint64_t a, uint64_t b)
{
    float single[2];
    double wide[2];
    const uint32_t low[2] = {(uint32_t)a, (uint32_t)b};
    if (in->operation != SMC_OP_REDG && in->operation != SMC_OP_ATOMG_FLOAT &&
        in->operation != SMC_OP_ATOM_FLOAT)
        return a + b;
    if (bytes_of_atomic(in) == sizeof *single) {
        memcpy(single, low, sizeof single);
        single[0] += single[1];
        uint32_t bits;
        memcpy(&bits, single, sizeof bits);
        return bits;
    }
    memcpy(&wide[0], &a, sizeof a);
    memcpy(&wide[1], &b, sizeof b);
    wide[0] += wide[1];
    memcpy(&a, wide, sizeof a);
    return a;
}

static bool is_less(const struct smc_sass_instruction *in, uint64_t a, uint64_t b)
{
    enum { S32 = 1, S64 = 5 };
    const uint64_t type = smc_bits(in, 73, 3);
    if (type == S32)
        return (int32_t)a < (int32_t)b;
    return type == S64 ? (int64_t)a < (int64_t)b : a < b;
}

/* Bits 87 to 90: what an atomic makes of a value. False: not known. */
static bool apply(const struct smc_sass_instruction *in, uint64_t before, uint64_t by,
                  uint64_t *after)
{
    enum { ADD, MIN, MAX, INC, DEC, AND, OR, XOR, EXCH, POPC_INC = 11 };
    switch (smc_bits(in, 87, 4)) {
    case ADD:
        *after = added(in, before, by);
        return true;
    case MIN:
        *after = is_less(in, before, by) ? before : by;
        return true;
    case MAX:
        *after = is_less(in, before, by) ? by : before;
        return true;
    case INC:
        *after = before >= by ? 0 : before + 1;
        return true;
    case DEC:
        *after = before == 0 || before > by ? by : before - 1;
        return true;
    case AND:
        *after = before & by;
        return true;
    case OR:
        *after = before | by;
        return true;
    case XOR:
        *after = before ^ by;
        return true;
    case EXCH:
        *after = by;
        return true;
    case POPC_INC:
        *after = before + 1;
        return true;
    default:
        return false;
    }
}

/* A lane's atomic: what was there before, and what is there after it. */
struct exchange {
    unsigned char before[MOST_BYTES], after[MOST_BYTES];
    bool known, known_after, swapped;
};

static uint64_t value_of(const unsigned char *bytes, unsigned count)
{
    return little_endian(bytes) | (count > WORD ? (uint64_t)little_endian(bytes + WORD) << 32 : 0);
}

/* A compare-and-swap has the new value in the register at bits 64 to 71. */
static void exchange_lane(const struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                          unsigned lane, unsigned bytes, struct exchange *exchange)
{
    const bool swaps = in->operation == SMC_OP_ATOMG_CAS || in->operation == SMC_OP_ATOMS_CAS;
    const unsigned by_register = (unsigned)smc_bits(in, 32, 8);
    unsigned char by[MOST_BYTES];
    uint64_t before = value_of(exchange->before, bytes), after = 0;
    bool known = in->increments || lane_bytes(warp, by_register, bytes, lane, by);
    if (swaps) {
        exchange->swapped = known && exchange->known && before == value_of(by, bytes);
        memcpy(exchange->after, exchange->before, sizeof exchange->after);
        exchange->known_after = known && exchange->known;
        if (exchange->swapped)
            exchange->known_after =
                lane_bytes(warp, (unsigned)smc_bits(in, 64, 8), bytes, lane, exchange->after);
        return;
    }
    exchange->known_after = apply(in, before, in->increments ? 1 : value_of(by, bytes), &after) &&
                            known && exchange->known;
    put_little_endian(exchange->after, (uint32_t)after);
    put_little_endian(exchange->after + WORD, (uint32_t)(after >> 32));
}

/* The compare-and-swap of a loop, ATOMS.CAST.SPIN, returns 1 if it swapped, else 0. Where that is
   not known it did, so that the loop ends. */
static bool tells_success(const struct smc_sass_instruction *in)
{
    enum { SPIN = 3 };
    return in->operation == SMC_OP_ATOMS_CAS && smc_bits(in, 87, 4) == SPIN;
}

/* Lanes go one after the other. Other blocks come neither before nor in between. */
static void change(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                   const struct smc_sass_instruction *in, uint32_t mask, bool decides)
{
    const enum space space = space_of(in);
    const unsigned bytes = bytes_of_atomic(in);
    uint64_t address[SMC_LANES];
    uint32_t value[2][SMC_LANES] = {{0}}, unknown = 0;
    bool known = space == SHARED ? smc_warp_addresses(warp, in, mask, address)
                                 : smc_warp_atomic_addresses(warp, in, mask, address);
    const bool generic = smc_is_generic_atomic(in);
    if (generic && known && mask && address[__builtin_ctz(mask)] >> 32 == SMC_SHARED_WINDOW)
        known = false;
    if (!known || bytes == 0) {
        smc_warp_forget(warp, in, mask);
        if (generic && known)
            smc_warp_set_predicate(warp, in, UINT32_MAX, 0, mask);
        return;
    }
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes), array;
        struct exchange exchange = {.swapped = false};
        exchange.known = warp_memory_read_bytes(memory, space, address[lane], lane, bytes,
                                                exchange.before, &array);
        exchange_lane(warp, in, lane, bytes, &exchange);
        write_bytes(memory, space, address[lane], lane, bytes, exchange.after,
                    exchange.known_after);
        value[0][lane] = little_endian(exchange.before);
        value[1][lane] = little_endian(exchange.before + WORD);
        if (tells_success(in)) {
            value[0][lane] = exchange.swapped || !exchange.known_after;
            value[1][lane] = 0;
        } else if (!exchange.known) {
            unknown |= UINT32_C(1) << lane;
        }
        note(memory, array, address[lane], decides ? DECIDES | STORES : STORES);
    }
    smc_warp_forget(warp, in, mask);
    for (unsigned part = 0; part * WORD < bytes && part < in->to.registers; part++)
        smc_warp_set_register(warp, &in->to, part, value[part], unknown, mask);
    if (generic)
        smc_warp_set_predicate(warp, in, UINT32_MAX, 0, mask);
}

bool smc_warp_memory_execute(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                             const struct smc_sass_instruction *in, uint32_t mask, bool decides)
{
    switch (in->operation) {
    case SMC_OP_LDG:
    case SMC_OP_LDL:
    case SMC_OP_LDS:
        warp_memory_load(memory, warp, in, mask, decides);
        return true;
    case SMC_OP_STG:
    case SMC_OP_STL:
    case SMC_OP_STS:
        store(memory, warp, in, mask);
        return true;
    case SMC_OP_LDGSTS:
        copy(memory, warp, in, mask);
        return true;
    case SMC_OP_ATOM:
    case SMC_OP_ATOM_FLOAT:
    case SMC_OP_ATOMG:
    case SMC_OP_ATOMG_CAS:
    case SMC_OP_ATOMG_FLOAT:
    case SMC_OP_RED:
    case SMC_OP_REDG:
    case SMC_OP_ATOMS:
    case SMC_OP_ATOMS_CAS:
        change(memory, warp, in, mask, decides);
        return true;
    default:
        return false;
    }
}
