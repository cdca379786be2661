/* What loads return. */
#include "machine/sass/warp_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/sass/atomics.h"
#include "machine/sass/meetings.h"

enum {
    WORD = 4,
    LINE = SMC_STORED_LINE_BYTES,
    SECTOR = 32,
    MOST_BYTES = 16, /* of one lane's access */
    LEAST_ROOM = 64,
    MOST_ROOM = 1 << 21,
    LEAST_SHARED = 4096,
    MOST_SHARED = 256 * 1024 /* of every architecture */
};

enum space { GLOBAL, SHARED };

void smc_warp_memory_start(struct smc_warp_memory *memory)
{
    memory->start++;
    memory->count = 0;
    memory->full = false;
    smc_local_memory_start(&memory->local);
    if (memory->shared_bytes)
        memset(memory->shared_known, 0, memory->shared_bytes);
}

void smc_warp_memory_free(struct smc_warp_memory *memory)
{
    free(memory->line);
    smc_local_memory_free(&memory->local);
    free(memory->touched);
    free(memory->shared);
    free(memory->shared_known);
}

static uint32_t ones(unsigned count)
{
    return count < 32 ? (UINT32_C(1) << count) - 1 : UINT32_MAX;
}

/* --- Lines that were stored to ---------------------------------------------------------------- */

/* Where a line is, or after that; lines one after the other are near each other. */
static size_t slot_of(const struct smc_warp_memory *memory, uint64_t key)
{
    const uint64_t four = (key / 4 * UINT64_C(0x9e3779b97f4a7c15) >> 40) * 4;
    return (four + key % 4) & (memory->room - 1);
}

static bool is_kept(const struct smc_warp_memory *memory, const struct smc_stored_line *line)
{
    return memory->start ? line->start == memory->start : line->start != 0;
}

/* The entry of a line, or the free one for it. */
static struct smc_stored_line *line_of(const struct smc_warp_memory *memory, uint64_t key)
{
    size_t at = slot_of(memory, key);
    while (is_kept(memory, &memory->line[at]) && memory->line[at].key != key)
        at = (at + 1) & (memory->room - 1);
    return &memory->line[at];
}

/* Fetches what was stored where lanes access memory, which takes long if it is a lot. GCC leaves
   out calls of a function that does only this. */
static inline __attribute__((always_inline)) void prefetch_lines(const struct smc_warp_memory *from,
                                                                 size_t many, uint32_t mask,
                                                                 const uint64_t *place)
{
    for (uint32_t lanes = from->room < many ? 0 : mask; lanes; lanes &= lanes - 1)
        __builtin_prefetch(&from->line[slot_of(from, place[__builtin_ctz(lanes)] / LINE)]);
}

/* Of what the block and others stored, and of what the L1 caches have, of which there are many. */
static inline __attribute__((always_inline)) void prefetch(const struct smc_warp_memory *memory,
                                                           enum space space, uint32_t mask,
                                                           const uint64_t *place)
{
    enum { MANY = 1 << 14, MANY_OF_L1 = 1 << 8 };
    if (space == GLOBAL)
        prefetch_lines(memory, MANY, mask, place);
    if (space == GLOBAL && memory->l1)
        prefetch_lines(&memory->l1->kept, MANY_OF_L1, mask, place);
    if (space == GLOBAL && memory->others && memory->sees_others)
        prefetch_lines(memory->others, MANY, mask, place);
}

/* Makes space for one more line. False: there is none. */
static bool grow(struct smc_warp_memory *memory)
{
    if (memory->count < memory->room / 4 * 3)
        return true;
    struct smc_warp_memory larger = *memory;
    larger.room = memory->room ? memory->room * 2 : LEAST_ROOM;
    larger.line = larger.room <= MOST_ROOM ? smc_calloc(larger.room, sizeof *larger.line) : NULL;
    if (!larger.line)
        return false;
    for (size_t i = 0; i < memory->room; i++)
        if (is_kept(memory, &memory->line[i]))
            *line_of(&larger, memory->line[i].key) = memory->line[i];
    free(memory->line);
    *memory = larger;
    return true;
}

/* The line with a key, which is added where it is missing. NULL: there is no space for it. */
static struct smc_stored_line *added_line(struct smc_warp_memory *memory, uint64_t key)
{
    if (!grow(memory)) {
        memory->full = true;
        return NULL;
    }
    struct smc_stored_line *line = line_of(memory, key);
    if (!is_kept(memory, line)) {
        memory->lowest = memory->highest == 0 || key < memory->lowest ? key : memory->lowest;
        memory->highest = key > memory->highest ? key : memory->highest;
        *line = (struct smc_stored_line){.key = key,
                                         .start = memory->start ? memory->start : memory->block};
        memory->count++;
    }
    return line;
}

/* How many of so many bytes are in the line that has the first of them. */
static unsigned bytes_there(uint64_t place, unsigned bytes)
{
    const unsigned there = LINE - (unsigned)(place % LINE);
    return bytes < there ? bytes : there;
}

/* Puts what a line has of the `count` bytes from `at` on in the place of what was there before. */
static void patch_from(const struct smc_stored_line *line, unsigned at, unsigned count,
                       unsigned char *to, unsigned char *known)
{
    if ((line->written & line->known) >> at == (int)(ones(LINE) >> at)) {
        memcpy(to, line->byte + at, count);
        memset(known, 1, count);
        return;
    }
    for (uint32_t rest = (uint32_t)line->written >> at & ones(count); rest; rest &= rest - 1) {
        const unsigned byte = (unsigned)__builtin_ctz(rest);
        to[byte] = line->byte[at + byte];
        known[byte] = line->known >> (at + byte) & 1;
    }
}

/* Puts what was stored of the bytes, by blocks of lower numbers than this, in the place of what was
   there before. `known`: 1 for each byte that is. */
static void patch(const struct smc_warp_memory *memory, uint32_t before, uint64_t place,
                  unsigned bytes, unsigned char *to, unsigned char *known)
{
    if ((place + bytes - 1) / LINE < memory->lowest || place / LINE > memory->highest)
        return;
    for (unsigned i = 0, count; i < bytes; i += count) {
        const unsigned at = (unsigned)((place + i) % LINE);
        const struct smc_stored_line *line = line_of(memory, (place + i) / LINE);
        count = bytes_there(place + i, bytes - i);
        if (is_kept(memory, line) && line->start < before)
            patch_from(line, at, count, to + i, known + i);
    }
}

/* Whether each of the bytes is known: 1. */
static bool all_known(const unsigned char *known, unsigned bytes)
{
    uint32_t half[2];
    if (bytes == 1)
        return *known;
    if (bytes != WORD && bytes != sizeof half)
        return !memchr(known, 0, bytes);
    memcpy(half, known, WORD);
    memcpy(&half[1], known + bytes - WORD, WORD);
    return half[0] == 0x01010101 && half[1] == 0x01010101;
}

/* --- Bytes ------------------------------------------------------------------------------------ */

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

/* After all that was stored to them since the launch began. */
static void read_stored(const struct smc_warp_memory *memory, uint64_t place, unsigned bytes,
                        unsigned char *to, unsigned char *known)
{
    if (memory->others && memory->sees_others && memory->others->count)
        patch(memory->others, memory->sees_earlier ? memory->block : UINT32_MAX, place, bytes, to,
              known);
    if (memory->full)
        memset(known, 0, bytes);
    if (memory->count)
        patch(memory, UINT32_MAX, place, bytes, to, known);
}

/* Whether L1 has a sector in the line of this one. */
static bool has_line(const struct smc_warp_memory *kept, uint64_t sector)
{
    enum { SECTORS = 4, PIECES = SECTOR / LINE };
    const uint64_t first = sector / SECTORS * SECTORS;
    bool has = false;
    for (uint64_t i = first; i < first + SECTORS && kept->room; i++)
        has |= is_kept(kept, line_of(kept, i * PIECES));
    return has;
}

/* Loads a sector into L1, which is emptied when it is full. */
static void fill_l1(const struct smc_warp_memory *memory, uint64_t sector)
{
    struct smc_loaded_sectors *l1 = memory->l1;
    const struct smc_contents *contents = memory->contents;
    unsigned char byte[SECTOR], known[SECTOR];
    unsigned array;
    if (l1->lines > 0 && l1->lines >= l1->most_lines) {
        memset(l1->kept.line, 0, l1->kept.room * sizeof *l1->kept.line);
        l1->kept.count = l1->lines = 0;
    }
    l1->lines += !has_line(&l1->kept, sector);
    memset(known, contents->read(contents->context, sector * SECTOR, SECTOR, byte, &array),
           sizeof known);
    if (memory->others->count)
        patch(memory->others, UINT32_MAX, sector * SECTOR, SECTOR, byte, known);
    for (unsigned at = 0; at < SECTOR; at += LINE) {
        struct smc_stored_line *line = added_line(&l1->kept, (sector * SECTOR + at) / LINE);
        if (!line)
            continue;
        memcpy(line->byte, byte + at, LINE);
        line->written = (uint16_t)ones(LINE);
        for (unsigned i = 0; i < LINE; i++)
            line->known |= (uint16_t)(known[at + i] << i);
    }
}

/* What L1 has of bytes of global memory, which other SMs may have changed since. */
static void read_l1(const struct smc_warp_memory *memory, uint64_t place, unsigned bytes,
                    unsigned char *to, unsigned char *known)
{
    struct smc_warp_memory *kept = &memory->l1->kept;
    for (unsigned i = 0, count; i < bytes; i += count) {
        const uint64_t key = (place + i) / LINE;
        const struct smc_stored_line *line = kept->room ? line_of(kept, key) : NULL;
        count = bytes_there(place + i, bytes - i);
        if (!line || !is_kept(kept, line)) {
            fill_l1(memory, (place + i) / SECTOR);
            line = kept->room ? line_of(kept, key) : NULL;
        }
        if (line && is_kept(kept, line))
            patch_from(line, (unsigned)((place + i) % LINE), count, to + i, known + i);
    }
}

/* An SM changes what its L1 has of bytes. */
static void write_l1(struct smc_warp_memory *l1, uint64_t place, unsigned bytes,
                     const unsigned char *from, bool is_known)
{
    for (unsigned i = 0, count; i < bytes && l1->room; i += count) {
        const unsigned at = (unsigned)((place + i) % LINE);
        struct smc_stored_line *line = line_of(l1, (place + i) / LINE);
        count = bytes_there(place + i, bytes - i);
        const uint32_t written = ones(count) << at;
        if (!is_kept(l1, line))
            continue;
        memcpy(line->byte + at, from + i, count);
        line->known = (uint16_t)(is_known ? line->known | written : line->known & ~written);
    }
}

/* Reads bytes of a lane of shared or global memory, of which some may be unknown: `array` as in
   struct smc_contents. */
static bool warp_memory_read_bytes(struct smc_warp_memory *memory, enum space space,
                                   uint64_t address, unsigned bytes, unsigned char to[MOST_BYTES],
                                   unsigned *array)
{
    const struct smc_contents *contents = memory->contents;
    unsigned char known[MOST_BYTES];
    *array = SMC_NO_ARRAY;
    if (space == SHARED)
        return warp_memory_read_shared(memory, address, bytes, to) == ones(bytes);
    memset(known, contents->read(contents->context, address, bytes, to, array), bytes);
    read_stored(memory, address, bytes, to, known);
    return all_known(known, bytes);
}

static bool make_shared(struct smc_warp_memory *memory, uint64_t end)
{
    size_t bytes = memory->shared_bytes ? memory->shared_bytes : LEAST_SHARED;
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

static void write_bytes(struct smc_warp_memory *memory, enum space space, uint64_t place,
                        unsigned bytes, const unsigned char *from, bool known)
{
    if (space == SHARED) {
        warp_memory_write_shared(memory, place, bytes, from, known);
        return;
    }
    if (space == GLOBAL && memory->l1)
        write_l1(&memory->l1->kept, place, bytes, from, known);
    if (space == GLOBAL && memory->at_once)
        memory = memory->others;
    for (unsigned i = 0, count; i < bytes; i += count) {
        const unsigned at = (unsigned)((place + i) % LINE);
        struct smc_stored_line *line = added_line(memory, (place + i) / LINE);
        if (!line)
            return;
        count = bytes_there(place + i, bytes - i);
        const uint32_t written = ones(count) << at;
        memcpy(line->byte + at, from + i, count);
        line->written |= (uint16_t)written;
        line->known = (uint16_t)(known ? line->known | written : line->known & ~written);
    }
}

void smc_warp_memory_end(struct smc_warp_memory *memory)
{
    enum { AHEAD = 16 };
    smc_ticket_end(&memory->ticket, memory->start);
    for (size_t i = 0; i < memory->room && memory->others; i++) {
        const struct smc_stored_line *line = &memory->line[i];
        if (i + AHEAD < memory->room && line[AHEAD].start == memory->start && memory->others->room)
            __builtin_prefetch(&memory->others->line[slot_of(memory->others, line[AHEAD].key)]);
        if (line->start != memory->start)
            continue;
        struct smc_stored_line *to = added_line(memory->others, line->key);
        for (uint32_t rest = to ? line->written : 0; rest; rest &= rest - 1)
            to->byte[__builtin_ctz(rest)] = line->byte[__builtin_ctz(rest)];
        if (!to)
            continue;
        to->start = memory->block;
        to->written |= line->written;
        to->known = (uint16_t)((to->known & ~line->written) | (line->known & line->written));
    }
}

/* --- Registers -------------------------------------------------------------------------------- */

static const struct smc_lanes zero = {.same = true};

static const struct smc_lanes *lanes_of(const struct smc_sass_warp *warp, unsigned number)
{
    return number >= SMC_ZERO_REGISTER ? &zero : &warp->reg[number];
}

static inline void put_little_endian(unsigned char *to, uint32_t value)
{
    to[0] = (unsigned char)value; /* compilers make one store of them */
    to[1] = (unsigned char)(value >> 8);
    to[2] = (unsigned char)(value >> 16);
    to[3] = (unsigned char)(value >> 24);
}

static inline uint32_t little_endian(const unsigned char *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

/* The bytes that a lane holds in registers from `number` on; false: some are unknown.
   Writes whole words. */
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

/* What the lanes of an access load: the bytes of lane n from n times their number on. */
struct loaded {
    unsigned char byte[SMC_LANES * MOST_BYTES];
    unsigned char known[SMC_LANES * MOST_BYTES]; /* 1: the byte is */
    unsigned array[SMC_LANES];                   /* as in struct smc_contents */
    uint32_t unknown;                            /* bit n: not all bytes of lane n are known */
    bool beyond_sm;                              /* L1 does not serve it */
};

/* How many of the lanes from the first on access places one after the other: two at least. */
static unsigned all_consecutive(uint32_t lanes, const uint64_t address[SMC_LANES], unsigned bytes)
{
    const unsigned first = (unsigned)__builtin_ctz(lanes);
    unsigned end = first + 2;
    uint64_t differ = ~lanes;
    for (unsigned lane = 1; lane < SMC_LANES && lanes == UINT32_MAX; lane++)
        differ |= address[lane] - address[lane - 1] - bytes;
    if (differ == 0)
        return SMC_LANES;
    while (end < SMC_LANES && lanes >> end & 1 && address[end] == address[end - 1] + bytes)
        end++;
    return end - first;
}

/* The same, often one. */
static inline unsigned consecutive(uint32_t lanes, const uint64_t address[SMC_LANES],
                                   unsigned bytes)
{
    const unsigned first = (unsigned)__builtin_ctz(lanes), next = first + 1;
    return next < SMC_LANES && lanes >> next & 1 && address[next] == address[first] + bytes
               ? all_consecutive(lanes, address, bytes)
               : 1;
}

/* Finds the arrays of `count` lanes with places one after the other; whether it is one. */
static bool find_arrays(const struct smc_warp_memory *memory, const uint64_t *address,
                        unsigned count, unsigned *array)
{
    const struct smc_contents *contents = memory->contents;
    contents->read(contents->context, address[0], 0, NULL, &array[0]);
    if (count > 1)
        contents->read(contents->context, address[count - 1], 0, NULL, &array[count - 1]);
    const bool is_one = count == 1 || array[0] == array[count - 1];
    for (unsigned i = 1; i + 1 < count; i++)
        if (is_one)
            array[i] = array[0];
        else
            contents->read(contents->context, address[i], 0, NULL, &array[i]);
    return is_one;
}

/* The contents before the launch, for `count` lanes with places one after the other. */
static void load_contents(const struct smc_warp_memory *memory, const uint64_t *address,
                          unsigned bytes, unsigned first, unsigned count, struct loaded *loaded)
{
    const struct smc_contents *contents = memory->contents;
    unsigned char *to = loaded->byte + (size_t)first * bytes;
    unsigned char *known = loaded->known + (size_t)first * bytes;
    unsigned *array = loaded->array + first;
    if (count > 1 && find_arrays(memory, address + first, count, array) &&
        contents->read(contents->context, address[first], (size_t)count * bytes, to, array))
        memset(known, 1, (size_t)count * bytes);
    else
        for (unsigned i = 0; i < count; i++)
            memset(known + (size_t)i * bytes,
                   contents->read(contents->context, address[first + i], bytes,
                                  to + (size_t)i * bytes, &array[i]),
                   bytes);
    for (unsigned i = 0; i < count && memory->overwritten; i++)
        if (array[i] < SMC_NO_ARRAY && memory->overwritten >> array[i] & 1)
            memset(known + (size_t)i * bytes, 0, bytes);
}

/* Bytes of shared memory that were not stored to are unknown. */
static void load_shared(const struct smc_warp_memory *memory, uint64_t address, unsigned bytes,
                        unsigned char *to, unsigned char *known)
{
    if (address >= memory->shared_bytes)
        return;
    const size_t there = memory->shared_bytes - address;
    memcpy(to, memory->shared + address, bytes < there ? bytes : there);
    memcpy(known, memory->shared_known + address, bytes < there ? bytes : there);
}

/* Lanes from the first one of `lanes` on that are loaded together; returns their number. */
static unsigned load_some(const struct smc_warp_memory *memory, enum space space,
                          const uint64_t *place, unsigned bytes, uint32_t lanes,
                          struct loaded *loaded)
{
    const unsigned first = (unsigned)__builtin_ctz(lanes);
    const unsigned count = consecutive(lanes, place, bytes), all = count * bytes;
    unsigned char *to = loaded->byte + (size_t)first * bytes;
    unsigned char *known = loaded->known + (size_t)first * bytes;
    if (space == SHARED) {
        load_shared(memory, place[first], all, to, known);
    } else if (memory->l1 && !loaded->beyond_sm) {
        find_arrays(memory, place + first, count, loaded->array + first);
        read_l1(memory, place[first], all, to, known);
    } else {
        load_contents(memory, place, bytes, first, count, loaded);
        read_stored(memory, place[first], all, to, known);
    }
    if (all_known(known, all))
        return count;
    for (unsigned lane = first; lane < first + count; lane++, known += bytes)
        if (!all_known(known, bytes))
            loaded->unknown |= UINT32_C(1) << lane;
    return count;
}

static void load_lanes(const struct smc_warp_memory *memory, enum space space,
                       const uint64_t *place, unsigned bytes, uint32_t mask, struct loaded *loaded)
{
    unsigned last = SMC_LANES; /* the one before */
    const size_t at = (size_t)__builtin_ctz(mask) * bytes;
    const size_t size = (size_t)(SMC_LANES - __builtin_clz(mask)) * bytes - at;
    memset(loaded->byte + at, 0, size);
    memset(loaded->known + at, 0, size);
    loaded->unknown = 0;
    prefetch(memory, space, mask, place);
    for (uint32_t lanes = mask; lanes;) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        unsigned count = 1;
        loaded->array[lane] = SMC_NO_ARRAY;
        if (last < SMC_LANES && place[lane] == place[last]) {
            memcpy(loaded->byte + (size_t)lane * bytes, loaded->byte + (size_t)last * bytes, bytes);
            loaded->array[lane] = loaded->array[last];
            loaded->unknown |= (loaded->unknown >> last & 1) << lane;
        } else {
            count = load_some(memory, space, place, bytes, lanes, loaded);
        }
        last = lane + count - 1;
        lanes &= ~(ones(count) << lane);
    }
}

/* Sets the registers of the result to what was loaded by `lanes`: all of `mask`, or the first one
   for all. */
static void give_loaded(struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                        uint32_t mask, uint32_t lanes, const struct loaded *loaded)
{
    const unsigned bytes = in->access_bytes;
    uint32_t value[SMC_LANES] = {0};
    for (unsigned at = 0; at < bytes && at / WORD < in->to.registers; at += WORD) {
        const bool is_plain = lanes == UINT32_MAX && bytes >= WORD;
        for (unsigned lane = 0; lane < SMC_LANES && is_plain; lane++)
            value[lane] = little_endian(loaded->byte + (size_t)lane * bytes + at);
        for (uint32_t rest = is_plain ? 0 : lanes; rest; rest &= rest - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(rest);
            const unsigned char *from = loaded->byte + (size_t)lane * bytes + at;
            value[lane] = bytes >= WORD
                              ? little_endian(from)
                              : warp_memory_extend(in, bytes > 1 ? from[0] | (uint32_t)from[1] << 8
                                                                 : from[0]);
        }
        if (lanes == mask)
            smc_warp_set_register(warp, &in->to, at / WORD, value, loaded->unknown, mask);
        else
            smc_warp_set_one(warp, &in->to, at / WORD, value[__builtin_ctz(lanes)],
                             loaded->unknown != 0, mask);
    }
}

/* How many registers of 4 bytes an access has. */
static unsigned words_of(unsigned bytes)
{
    return bytes < WORD ? 1 : bytes / WORD;
}

static void load_local(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                       const struct smc_sass_instruction *in, uint32_t mask)
{
    const unsigned bytes = in->access_bytes;
    uint64_t address[SMC_LANES];
    uint32_t value[SMC_LANES];
    struct smc_local_access access = {memory->warp, mask, address, 0, bytes < WORD ? bytes : WORD};
    if (bytes == 0 || mask == 0 || !smc_warp_addresses(warp, in, mask, address)) {
        smc_warp_forget(warp, in, mask);
        return;
    }
    for (; access.word < words_of(bytes); access.word++) {
        const uint32_t unknown = smc_local_memory_load(&memory->local, &access, value);
        for (unsigned lane = 0; lane < SMC_LANES && bytes < WORD; lane++)
            value[lane] = warp_memory_extend(in, value[lane]);
        if (access.word < in->to.registers)
            smc_warp_set_register(warp, &in->to, access.word, value, unknown, mask);
    }
}

/* Whether lanes access one place. */
static bool are_one(const uint64_t place[SMC_LANES], uint32_t mask)
{
    uint64_t differ = place[0] ^ place[1];
    for (unsigned lane = 2; lane < SMC_LANES && mask == UINT32_MAX && differ == 0; lane += 2)
        differ = (place[lane] ^ place[0]) | (place[lane + 1] ^ place[0]);
    if (mask == UINT32_MAX)
        return differ == 0;
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
        if (place[__builtin_ctz(lanes)] != place[__builtin_ctz(mask)])
            return false;
    return true;
}

/* Whether the block stored to a place in global memory that a lane of `mask` loads. */
static bool loads_stored(const struct smc_warp_memory *memory, const uint64_t *place,
                         unsigned bytes, uint32_t mask)
{
    for (uint32_t lanes = memory->count ? mask : 0; lanes; lanes &= lanes - 1) {
        const uint64_t at = place[__builtin_ctz(lanes)];
        const struct smc_stored_line *line = line_of(memory, at / LINE);
        if (is_kept(memory, line) && line->written >> at % LINE & ones(bytes))
            return true;
    }
    return false;
}

static void warp_memory_load(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                             const struct smc_sass_instruction *in, uint32_t mask, bool decides)
{
    const enum space space = space_of(in);
    const unsigned bytes = in->access_bytes;
    uint64_t place[SMC_LANES];
    struct loaded loaded;
    if (bytes == 0 || mask == 0 || !smc_warp_addresses(warp, in, mask, place)) {
        smc_warp_forget(warp, in, mask);
        return;
    }
    const uint32_t lanes = are_one(place, mask) ? mask & -mask : mask;
    loaded.beyond_sm = in->beyond_sm;
    load_lanes(memory, space, place, bytes, lanes, &loaded);
    give_loaded(warp, in, mask, lanes, &loaded);
    if (space == GLOBAL && !memory->values && loaded.unknown)
        memory->loads_stored |= loads_stored(memory, place, bytes, loaded.unknown & lanes);
    if (decides && space == GLOBAL)
        smc_meetings_note(memory, loaded.array, place, bytes, lanes, SMC_DECIDES);
}

/* --- Stores ----------------------------------------------------------------------------------- */

/* Lanes with places one after the other are stored together. `known`: bit n, the bytes of lane n.
 */
static void store_lanes(struct smc_warp_memory *memory, enum space space, const uint64_t *place,
                        unsigned bytes, uint32_t mask, const unsigned char *from, uint32_t known)
{
    for (uint32_t lanes = mask; lanes;) {
        const unsigned first = (unsigned)__builtin_ctz(lanes);
        const bool is_known = known >> first & 1;
        const unsigned count = consecutive(lanes & (is_known ? known : ~known), place, bytes);
        write_bytes(memory, space, place[first], count * bytes, from + (size_t)first * bytes,
                    is_known);
        lanes &= ~(ones(count) << first);
    }
}

/* Stores, and with `decides` also loads that decide. */
static void note_stores(struct smc_warp_memory *memory, const uint64_t *address, unsigned bytes,
                        uint32_t mask, bool decides)
{
    unsigned array[SMC_LANES], count;
    for (uint32_t lanes = mask; lanes; lanes &= ~(ones(count) << __builtin_ctz(lanes))) {
        const unsigned first = (unsigned)__builtin_ctz(lanes);
        count = consecutive(lanes, address, bytes);
        find_arrays(memory, address + first, count, array + first);
    }
    smc_meetings_note(memory, array, address, bytes, mask,
                      decides ? SMC_DECIDES | SMC_STORES : SMC_STORES);
}

/* The values that lanes store; returns the lanes of which some are unknown. */
static uint32_t stored_bytes(const struct smc_sass_warp *warp,
                             const struct smc_sass_instruction *in, uint32_t mask,
                             unsigned char to[SMC_LANES * MOST_BYTES])
{
    const unsigned bytes = in->access_bytes, number = in->from[1].number;
    uint32_t unknown = 0;
    for (unsigned part = 0; part < words_of(bytes); part++) {
        const struct smc_lanes *from =
            lanes_of(warp, number == SMC_ZERO_REGISTER ? number : number + part);
        unknown |= from->unknown;
        for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(lanes);
            put_little_endian(to + (size_t)lane * bytes + (size_t)part * WORD,
                              from->value[from->same ? 0 : lane]);
        }
    }
    return unknown;
}

static void store_local(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                        const struct smc_sass_instruction *in, uint32_t mask)
{
    const unsigned bytes = in->access_bytes, number = in->from[1].number;
    uint64_t address[SMC_LANES];
    uint32_t same[SMC_LANES];
    struct smc_local_access access = {memory->warp, mask, address, 0, bytes < WORD ? bytes : WORD};
    if (bytes == 0 || mask == 0 || !smc_warp_addresses(warp, in, mask, address))
        return;
    for (; access.word < words_of(bytes); access.word++) {
        const struct smc_lanes *from =
            lanes_of(warp, number == SMC_ZERO_REGISTER ? number : number + access.word);
        for (unsigned lane = 0; lane < SMC_LANES && from->same; lane++)
            same[lane] = from->value[0];
        memory->full |= !smc_local_memory_store(&memory->local, &access,
                                                from->same ? same : from->value, from->unknown);
    }
}

static void store(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                  const struct smc_sass_instruction *in, uint32_t mask)
{
    const enum space space = space_of(in);
    const unsigned bytes = in->access_bytes;
    uint64_t place[SMC_LANES];
    unsigned char from[SMC_LANES * MOST_BYTES];
    uint32_t unknown = UINT32_MAX;
    if (bytes == 0 || !smc_warp_addresses(warp, in, mask, place))
        return;
    prefetch(memory, space, mask, place);
    if (space == GLOBAL)
        note_stores(memory, place, bytes, mask, false);
    if (memory->values || space != GLOBAL)
        unknown = stored_bytes(warp, in, mask, from);
    else
        memset(from, 0, (size_t)bytes * SMC_LANES);
    store_lanes(memory, space, place, bytes, mask, from, ~unknown);
}

/* LDGSTS: from global to shared memory. */
static void copy(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                 const struct smc_sass_instruction *in, uint32_t mask)
{
    uint64_t from[SMC_LANES], to[SMC_LANES];
    struct loaded loaded = {.unknown = UINT32_MAX, .beyond_sm = in->beyond_sm};
    if (mask == 0 || !smc_warp_copy_targets(warp, in, mask, to))
        return;
    if (!memory->returned.again && smc_warp_addresses(warp, in, mask, from))
        load_lanes(memory, GLOBAL, from, in->access_bytes, mask, &loaded);
    if (memory->returned.all) {
        smc_returned_bytes(&memory->returned, memory->warp, &loaded.unknown, sizeof loaded.unknown);
        smc_returned_bytes(&memory->returned, memory->warp, loaded.byte,
                           (size_t)SMC_LANES * in->access_bytes);
    }
    store_lanes(memory, SHARED, to, in->access_bytes, mask, loaded.byte, ~loaded.unknown);
}

/* --- Atomics ---------------------------------------------------------------------------------- */

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
    const bool swaps = smc_compares_and_swaps(in);
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
    exchange->known_after =
        smc_atomic_apply(in, before, in->increments ? 1 : value_of(by, bytes), &after) && known &&
        exchange->known;
    put_little_endian(exchange->after, (uint32_t)after);
    put_little_endian(exchange->after + WORD, (uint32_t)(after >> 32));
}

/* The compare-and-swap of a loop (CAST.SPIN) returns 1 if it swapped, else 0. Where that is
   not known, the first lane of each address did, so that the loop ends. */
static bool tells_success(const struct smc_sass_instruction *in)
{
    enum { SPIN = 3 };
    return smc_compares_and_swaps(in) && smc_bits(in, 87, 4) == SPIN;
}

bool smc_warp_memory_draw_after(struct smc_warp_memory *others, const struct smc_contents *contents,
                                const struct smc_ticket *ticket, uint64_t drawn)
{
    unsigned char byte[MOST_BYTES] = {0};
    unsigned array;
    if (!smc_ticket_is_drawn(ticket) ||
        !contents->read(contents->context, ticket->address, ticket->bytes, byte, &array))
        return false;
    const uint64_t value = value_of(byte, ticket->bytes) + drawn * ticket->by;
    put_little_endian(byte, (uint32_t)value);
    put_little_endian(byte + WORD, (uint32_t)(value >> 32));
    write_bytes(others, GLOBAL, ticket->address, ticket->bytes, byte, true);
    return true;
}

static bool is_first_there(const uint64_t address[SMC_LANES], uint32_t mask, unsigned lane)
{
    for (uint32_t lanes = mask & ones(lane); lanes; lanes &= lanes - 1)
        if (address[__builtin_ctz(lanes)] == address[lane])
            return false;
    return true;
}

/* The line that has all bytes of a place of global memory, known, so that nothing else needs to be
   looked up. NULL: there is none. */
static struct smc_stored_line *known_line(struct smc_warp_memory *memory, uint64_t place,
                                          unsigned bytes)
{
    const struct smc_warp_memory *stored = memory->at_once ? memory->others : memory;
    const uint32_t all = ones(bytes) << place % LINE;
    if (stored->count == 0 || memory->full || place % LINE + bytes > LINE)
        return NULL;
    struct smc_stored_line *line = line_of(stored, place / LINE);
    return is_kept(stored, line) && (line->written & line->known & all) == all ? line : NULL;
}

/* What a lane of an atomic finds. `line`: receives that which has it, or NULL. */
static bool find_before(struct smc_warp_memory *memory, enum space space, uint64_t address,
                        unsigned bytes, unsigned char before[MOST_BYTES],
                        struct smc_stored_line **line)
{
    unsigned array;
    *line = space == GLOBAL ? known_line(memory, address, bytes) : NULL;
    if (!*line)
        return warp_memory_read_bytes(memory, space, address, bytes, before, &array);
    memcpy(before, (*line)->byte + address % LINE, bytes);
    return true;
}

/* Lanes go one after the other. Other blocks come neither before nor in between. */
static void change(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                   const struct smc_sass_instruction *in, uint32_t mask, bool decides)
{
    const enum space space = space_of(in);
    const unsigned bytes = smc_atomic_bytes(in);
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
    memory->changes = false;
    /* A block that takes its number from a counter comes after all that have a lower one. */
    memory->sees_others |= space == GLOBAL && smc_atomic_counts(in) && memory->count == 0;
    prefetch(memory, space, mask, address);
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        struct exchange exchange = {.swapped = false};
        struct smc_stored_line *line;
        exchange.known = find_before(memory, space, address[lane], bytes, exchange.before, &line);
        exchange_lane(warp, in, lane, bytes, &exchange);
        memory->changes |= !exchange.known || !exchange.known_after ||
                           memcmp(exchange.before, exchange.after, bytes) != 0;
        if (space == GLOBAL && smc_atomic_counts(in) && exchange.known && exchange.known_after)
            smc_ticket_draw(&memory->ticket, memory->start, memory->count > 0 || memory->at_once,
                            address[lane], bytes,
                            value_of(exchange.after, bytes) - value_of(exchange.before, bytes));
        if (line && exchange.known_after && !memory->l1)
            memcpy(line->byte + address[lane] % LINE, exchange.after, bytes);
        else
            write_bytes(memory, space, address[lane], bytes, exchange.after, exchange.known_after);
        value[0][lane] = little_endian(exchange.before);
        value[1][lane] = little_endian(exchange.before + WORD);
        if (tells_success(in)) {
            value[0][lane] =
                exchange.swapped || (!exchange.known_after && is_first_there(address, mask, lane));
            value[1][lane] = 0;
        } else if (!exchange.known) {
            unknown |= UINT32_C(1) << lane;
        }
    }
    if (space == GLOBAL)
        note_stores(memory, address, bytes, mask, decides && in->to.registers > 0);
    smc_warp_forget(warp, in, mask);
    for (unsigned part = 0; part * WORD < bytes && part < in->to.registers; part++)
        smc_warp_set_register(warp, &in->to, part, value[part], unknown, mask);
    if (generic)
        smc_warp_set_predicate(warp, in, UINT32_MAX, 0, mask);
}

static bool execute_access(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                           const struct smc_sass_instruction *in, uint32_t mask, bool decides)
{
    memory->changes =
        in->operation != SMC_OP_LDL && in->operation != SMC_OP_LDG && in->operation != SMC_OP_LDS;
    switch (in->operation) {
    case SMC_OP_LDL:
        load_local(memory, warp, in, mask);
        return true;
    case SMC_OP_STL:
        store_local(memory, warp, in, mask);
        return true;
    case SMC_OP_LDG:
    case SMC_OP_LDS:
        warp_memory_load(memory, warp, in, mask, decides);
        return true;
    case SMC_OP_STG:
    case SMC_OP_STS:
        store(memory, warp, in, mask);
        return true;
    case SMC_OP_LDGSTS:
        copy(memory, warp, in, mask);
        return true;
    case SMC_OP_ATOM:
    case SMC_OP_ATOM_CAS:
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

/* Loads, stores and atomics of global memory. */
static bool is_global(const struct smc_sass_instruction *in)
{
    return in->operation == SMC_OP_LDG || in->operation == SMC_OP_STG || smc_is_global_atomic(in);
}

bool smc_warp_memory_execute(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                             const struct smc_sass_instruction *in, uint32_t mask, bool decides)
{
    const bool keeps = memory->returned.all && is_global(in);
    const bool done =
        (keeps && memory->returned.again) || execute_access(memory, warp, in, mask, decides);
    if (keeps)
        smc_returned_results(&memory->returned, memory->warp, warp, in);
    return done;
}
