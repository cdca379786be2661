/* What the loads of one warp return. */
#include "machine/sass/warp_memory.h"

#include <string.h>

enum { WORD = 4, MOST_WORDS = 4, FULL = SMC_STORED_WORDS / 4 * 3 };

/* Local memory has a space of its own for each lane. */
#define LOCAL_SPACE UINT64_C(0x8000000000000000)
enum { LOCAL_LANE_SHIFT = 40 };

void smc_warp_memory_start(struct smc_warp_memory *memory)
{
    memory->warp++;
    memory->count = 0;
}

/* --- What was stored -------------------------------------------------------------------------- */

/* The entry of a word, or the free one for it. */
static struct smc_stored_word *word_of(struct smc_warp_memory *memory, uint64_t key)
{
    uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 51;
    struct smc_stored_word *word = &memory->word[at % SMC_STORED_WORDS];
    while (word->warp == memory->warp && word->key != key)
        word = &memory->word[++at % SMC_STORED_WORDS];
    return word;
}

static void put_word(struct smc_warp_memory *memory, uint64_t key, uint32_t value, bool known)
{
    struct smc_stored_word *word = word_of(memory, key);
    if (word->warp != memory->warp && memory->count == FULL)
        return;
    memory->count += word->warp != memory->warp;
    *word = (struct smc_stored_word){key, value, memory->warp, known};
}

/* The word at an address that is a multiple of 4. */
static bool get_word(struct smc_warp_memory *memory, uint64_t address, uint64_t key, bool local,
                     uint32_t *value, unsigned *array)
{
    unsigned char bytes[WORD];
    *array = SMC_NO_ARRAY;
    bool known =
        !local && memory->contents->read(memory->contents->context, address, WORD, bytes, array);
    if (known)
        *value = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                 (uint32_t)bytes[3] << 24;
    if (memory->count == 0)
        return known;
    const struct smc_stored_word *word = word_of(memory, key);
    if (word->warp != memory->warp)
        return known;
    *value = word->value;
    return word->known;
}

static uint64_t key_of(uint64_t address, bool local, unsigned lane)
{
    uint64_t word = address / WORD;
    return local ? LOCAL_SPACE | (uint64_t)lane << LOCAL_LANE_SHIFT | word : word;
}

static void note(uint64_t *arrays, unsigned array)
{
    if (array < SMC_NO_ARRAY)
        *arrays |= UINT64_C(1) << array;
}

/* --- Loads ------------------------------------------------------------------------------------ */

/* Bits 73 to 75: U8, S8, U16, S16. */
static uint32_t part_of_word(const struct smc_sass_instruction *in, uint32_t word, uint64_t address)
{
    unsigned bits = 8u * in->access_bytes;
    bool is_signed = smc_bit(in, 73);
    word = word >> 8 * (address % WORD) & ((UINT32_C(1) << bits) - 1);
    return is_signed ? (uint32_t)((int32_t)(word << (32 - bits)) >> (32 - bits)) : word;
}

static void load(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                 const struct smc_sass_instruction *in, uint32_t mask, bool decides)
{
    const bool local = in->operation == SMC_OP_LDL;
    uint64_t address[SMC_LANES];
    uint32_t value[MOST_WORDS][SMC_LANES] = {{0}}, unknown[MOST_WORDS] = {0};
    if (!smc_warp_addresses(warp, in, mask, address)) {
        smc_warp_forget(warp, in, mask);
        return;
    }
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes), array;
        uint64_t at = address[lane] / WORD * WORD;
        for (unsigned part = 0; part < in->to.registers && part < MOST_WORDS; part++) {
            uint32_t *to = &value[part][lane];
            if (!get_word(memory, at + (uint64_t)part * WORD,
                          key_of(at + (uint64_t)part * WORD, local, lane), local, to, &array))
                unknown[part] |= UINT32_C(1) << lane;
            else if (in->access_bytes < WORD)
                *to = part_of_word(in, *to, address[lane]);
            if (decides)
                note(&memory->decides, array);
        }
    }
    for (unsigned part = 0; part < in->to.registers && part < MOST_WORDS; part++)
        smc_warp_set_register(warp, &in->to, part, value[part], unknown[part], mask);
}

/* --- Stores ----------------------------------------------------------------------------------- */

static void store_part(struct smc_warp_memory *memory, const struct smc_sass_instruction *in,
                       uint64_t address, unsigned lane, uint32_t value, bool known)
{
    const bool local = in->operation == SMC_OP_STL;
    uint64_t at = address / WORD * WORD, key = key_of(address, local, lane);
    uint32_t before = 0;
    unsigned array;
    bool was_known = get_word(memory, at, key, local, &before, &array);
    note(&memory->changed, array);
    if (in->access_bytes < WORD) {
        unsigned shift = 8 * (unsigned)(address % WORD);
        uint32_t bits = ((UINT32_C(1) << 8 * in->access_bytes) - 1) << shift;
        value = (before & ~bits) | (value << shift & bits);
        known = known && was_known;
    }
    put_word(memory, key, value, known);
}

static void store(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                  const struct smc_sass_instruction *in, uint32_t mask)
{
    static const struct smc_lanes zero = {.same = true};
    const bool evaluated = memory->values || in->operation == SMC_OP_STL;
    uint64_t address[SMC_LANES];
    if (!smc_warp_addresses(warp, in, mask, address))
        return;
    for (unsigned part = 0; part < in->from[1].registers; part++) {
        unsigned number = in->from[1].number;
        const struct smc_lanes *from =
            number == SMC_ZERO_REGISTER ? &zero : &warp->reg[(number + part) & 0xff];
        for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
            unsigned lane = (unsigned)__builtin_ctz(lanes);
            store_part(memory, in, address[lane] + (uint64_t)part * WORD, lane,
                       from->value[from->same ? 0 : lane],
                       evaluated && !(from->unknown >> lane & 1));
        }
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

/* What is added up depends on the order
   of all warps; what is compared or replaced is as before the launch, unless this warp changed it.
 */
static void change(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                   const struct smc_sass_instruction *in, uint32_t mask, bool decides)
{
    uint64_t address[SMC_LANES];
    uint32_t value[SMC_LANES] = {0}, unknown = 0;
    bool known = smc_warp_atomic_addresses(warp, in, mask, address);
    smc_warp_forget(warp, in, mask);
    if (!known)
        return;
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes), array;
        uint64_t key = key_of(address[lane], false, lane);
        if (!get_word(memory, address[lane] / WORD * WORD, key, false, &value[lane], &array))
            unknown |= UINT32_C(1) << lane;
        note(&memory->changed, array);
        if (decides)
            note(&memory->decides, array);
        put_word(memory, key, 0, false);
    }
    if (in->operation == SMC_OP_ATOMG_CAS && smc_bits(in, 73, 3) == 0)
        smc_warp_set_register(warp, &in->to, 0, value, unknown, mask);
}

bool smc_warp_memory_execute(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                             const struct smc_sass_instruction *in, uint32_t mask, bool decides)
{
    switch (in->operation) {
    case SMC_OP_LDG:
    case SMC_OP_LDL:
        load(memory, warp, in, mask, decides);
        return true;
    case SMC_OP_STG:
    case SMC_OP_STL:
        store(memory, warp, in, mask);
        return true;
    case SMC_OP_ATOMG:
    case SMC_OP_ATOMG_CAS:
    case SMC_OP_RED:
    case SMC_OP_REDG:
        change(memory, warp, in, mask, decides);
        return true;
    default:
        return false;
    }
}
