/* Device memory: allocations in a range of addresses that belongs to nothing else, with a gap after
   each, so that an access beyond one is in none. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "guests/shim/shim.h"

/* The gap leaves room for this many allocations: 1 MiB in the usual arena. In a small arena it
   shrinks when the arena is full. */
enum { MOST_GAPS = 1 << 18, LEAST_GAP = 512 };

/* Above the emulator's own windows (machine/emulator/emulator_program.h), below what the
   system gives out. */
#define ARENA_BASE UINT64_C(0x200000000000)
enum { ALIGN = 512, FRESH_BYTES = 1 << 20, MOST_FREED = 64 };

/* A byte of `written` for each of these, whose bits are theirs. */
enum { CELL_BYTES = 4, WHOLE_CELL = (1 << CELL_BYTES) - 1 };

static struct {
    uint64_t base, bytes; /* of the arena; 0: not yet reserved */
    uint64_t gap;         /* bytes after each allocation, at least */
    struct shim_allocation *item;
    size_t count, room;
    uint64_t used;
    unsigned numbered[SHIM_MEMORY_KINDS];
    struct shim_allocation freed[MOST_FREED]; /* the last ones */
    size_t freed_count;
} memory;

static bool shim_memory_reserve(void)
{
    if (memory.base)
        return true;
    for (uint64_t bytes = UINT64_C(1) << 38; bytes >= UINT64_C(1) << 26; bytes /= 2) {
        void *at = mmap((void *)(uintptr_t)ARENA_BASE, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED)
            continue;
        memory.base = (uint64_t)(uintptr_t)at;
        memory.bytes = bytes;
        memory.gap = bytes / MOST_GAPS > LEAST_GAP ? bytes / MOST_GAPS : LEAST_GAP;
        return true;
    }
    return false;
}

/* The index of the first allocation that begins above the address. */
static size_t index_above(uint64_t address)
{
    size_t low = 0, high = memory.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (memory.item[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct shim_allocation *shim_memory_insert(const struct shim_allocation *allocation)
{
    if (!smc_make_room(&memory.item, memory.count, &memory.room, sizeof *memory.item))
        return NULL;
    const size_t at = index_above(allocation->address);
    memmove(&memory.item[at + 1], &memory.item[at], (memory.count - at) * sizeof *memory.item);
    memory.item[at] = *allocation;
    memory.count++;
    return &memory.item[at];
}

static void remove_at(size_t at)
{
    memory.count--;
    memmove(&memory.item[at], &memory.item[at + 1], (memory.count - at) * sizeof *memory.item);
}

static bool is_in_arena(uint64_t address)
{
    return address >= memory.base && address < memory.base + memory.bytes;
}

static uint64_t rounded_with_gap(uint64_t bytes)
{
    return (bytes + memory.gap + ALIGN - 1) / ALIGN * ALIGN;
}

/* The first address from `at` on where so many bytes are not of what was freed last. */
static uint64_t after_freed(uint64_t at, uint64_t bytes)
{
    for (size_t i = 0; i < memory.freed_count;) {
        const struct shim_allocation *freed = &memory.freed[i];
        const bool overlaps = freed->address < at + bytes && at < freed->address + freed->bytes;
        if (overlaps)
            at = freed->address + rounded_with_gap(freed->bytes);
        i = overlaps ? 0 : i + 1;
    }
    return at;
}

/* The lowest gap that is large enough; 0: none. What was freed last is given out again only if it
   must be, so that accesses to it are found. */
static uint64_t find_space(uint64_t bytes, bool spares_freed)
{
    const uint64_t end = memory.base + memory.bytes;
    uint64_t at = memory.base;
    for (size_t i = 0; i <= memory.count; i++) {
        const struct shim_allocation *item = i < memory.count ? &memory.item[i] : NULL;
        const uint64_t limit = item ? item->address : end;
        if (item && !is_in_arena(item->address))
            continue;
        const uint64_t from = spares_freed ? after_freed(at, bytes) : at;
        if (from < limit && limit - from >= bytes)
            return from;
        at = item ? item->address + rounded_with_gap(item->bytes) : end;
    }
    return spares_freed ? find_space(bytes, false) : 0;
}

/* The same for an allocation of so many bytes and the gap after it. */
static uint64_t space_for(uint64_t bytes)
{
    uint64_t address = find_space(rounded_with_gap(bytes), true);
    if (address || memory.gap == LEAST_GAP)
        return address;
    memory.gap = LEAST_GAP;
    return find_space(rounded_with_gap(bytes), true);
}

static void name_it(struct shim_allocation *allocation, const char *name)
{
    static const char *const words[] = {"device memory",     "managed memory", "host memory",
                                        "registered memory", "variable",       "CUDA array"};
    if (name)
        snprintf(allocation->name, sizeof allocation->name, "%s", name);
    else
        snprintf(allocation->name, sizeof allocation->name, "%s %u", words[allocation->kind],
                 ++memory.numbered[allocation->kind]);
}

static bool is_of_gpu(enum shim_memory_kind kind)
{
    return kind == SHIM_MEMORY_DEVICE || kind == SHIM_MEMORY_MANAGED || kind == SHIM_MEMORY_ARRAY;
}

static void forget_freed(uint64_t address, uint64_t bytes)
{
    for (size_t i = memory.freed_count; i-- > 0;) {
        const struct shim_allocation *freed = &memory.freed[i];
        if (freed->address < address + bytes && address < freed->address + freed->bytes)
            memory.freed[i] = memory.freed[--memory.freed_count];
    }
}

static void note_freed(const struct shim_allocation *allocation)
{
    if (memory.freed_count == MOST_FREED)
        memmove(memory.freed, memory.freed + 1, --memory.freed_count * sizeof *memory.freed);
    memory.freed[memory.freed_count++] = *allocation;
}

const struct shim_allocation *shim_memory_freed(size_t *count)
{
    *count = memory.freed_count;
    return memory.freed;
}

uint64_t shim_memory_allocate(uint64_t bytes, enum shim_memory_kind kind, const char *name)
{
    const uint64_t most = shim_device()->global_mem_bytes;
    if (!shim_memory_reserve() || bytes > memory.bytes)
        return 0;
    if (is_of_gpu(kind) && kind != SHIM_MEMORY_MANAGED && most > 0 && memory.used + bytes > most)
        return 0;
    struct shim_allocation allocation = {.address = space_for(bytes), .bytes = bytes, .kind = kind};
    name_it(&allocation, name);
    if (kind == SHIM_MEMORY_DEVICE && allocation.address)
        allocation.written = smc_calloc(bytes / CELL_BYTES + 1, 1); /* or else it is not checked */
    if (!allocation.address || !shim_memory_insert(&allocation)) {
        free(allocation.written);
        return 0;
    }
    forget_freed(allocation.address, bytes);
    if (is_of_gpu(kind))
        memory.used += bytes;
    return allocation.address;
}

static const struct shim_allocation *beginning_at(uint64_t address)
{
    const size_t above = index_above(address);
    return above > 0 && memory.item[above - 1].address == address ? &memory.item[above - 1] : NULL;
}

bool shim_memory_free(uint64_t address)
{
    const struct shim_allocation *found = beginning_at(address);
    if (!found || found->kind == SHIM_MEMORY_REGISTERED)
        return false;
    if (is_of_gpu(found->kind))
        memory.used -= found->bytes;
    if (found->bytes >= FRESH_BYTES) { /* whole pages within it go back to the system */
        const uint64_t from = (address + 4095) / 4096 * 4096;
        const uint64_t to = (address + found->bytes) / 4096 * 4096;
        madvise((void *)(uintptr_t)from, to - from, MADV_DONTNEED);
    }
    free(found->written);
    if (is_of_gpu(found->kind))
        note_freed(found);
    remove_at((size_t)(found - memory.item));
    return true;
}

bool shim_memory_register(void *bytes_at, uint64_t bytes)
{
    const uint64_t address = (uint64_t)(uintptr_t)bytes_at;
    struct shim_allocation allocation = {
        .address = address, .bytes = bytes, .kind = SHIM_MEMORY_REGISTERED};
    const size_t above = index_above(address);
    const bool overlaps = (above < memory.count && memory.item[above].address - address < bytes) ||
                          shim_memory_find(address);
    name_it(&allocation, NULL);
    return !overlaps && shim_memory_insert(&allocation);
}

bool shim_memory_unregister(const void *bytes_at)
{
    const struct shim_allocation *found = beginning_at((uint64_t)(uintptr_t)bytes_at);
    if (!found || found->kind != SHIM_MEMORY_REGISTERED)
        return false;
    remove_at((size_t)(found - memory.item));
    return true;
}

const struct shim_allocation *shim_memory_find(uint64_t address)
{
    const size_t above = index_above(address);
    const struct shim_allocation *found = above > 0 ? &memory.item[above - 1] : NULL;
    return found && address - found->address < found->bytes ? found : NULL;
}

const struct shim_allocation *shim_memory_all(size_t *count)
{
    *count = memory.count;
    return memory.item;
}

void shim_memory_write(uint64_t address, uint64_t bytes)
{
    const size_t above = index_above(address);
    struct shim_allocation *found = above > 0 ? &memory.item[above - 1] : NULL;
    if (!found || !found->written || bytes == 0 || address - found->address >= found->bytes)
        return;
    const uint64_t begin = address - found->address;
    const uint64_t end = begin + bytes < found->bytes ? begin + bytes : found->bytes;
    for (uint64_t i = begin; i < end;) {
        if (i % CELL_BYTES == 0 && end - i >= CELL_BYTES) {
            const uint64_t cells = (end - i) / CELL_BYTES;
            memset(&found->written[i / CELL_BYTES], WHOLE_CELL, cells);
            i += cells * CELL_BYTES;
        } else {
            found->written[i / CELL_BYTES] |= (uint8_t)(1u << i % CELL_BYTES);
            i++;
        }
    }
}

void shim_memory_settle(void)
{
    for (size_t i = 0; i < memory.count; i++) {
        struct shim_allocation *item = &memory.item[i];
        const uint64_t whole = item->bytes / CELL_BYTES, rest = item->bytes % CELL_BYTES;
        if (!item->written)
            continue;
        while (item->known < whole && item->written[item->known] == WHOLE_CELL)
            item->known++;
        if (item->known < whole || (rest > 0 && item->written[whole] != (1u << rest) - 1))
            continue;
        free(item->written);
        item->written = NULL;
    }
}

uint64_t shim_memory_used(void)
{
    return memory.used;
}
