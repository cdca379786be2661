/* The memory that kernels allocate with malloc. Addresses are not given out twice, so that an
   access to memory that was freed is recognized. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/emulator_state.h"

enum {
    ALIGN = 16,
    MANY = 1 << 16,
    GAP = 256,      /* between two allocations, which belongs to neither */
    CONTENTS = 0xcd /* of new memory, which a kernel must not rely on */
};

struct smc_heap {
    struct smc_allocation *allocation; /* by address, those that were freed among them */
    size_t count, room;
    uint64_t used, next;
};

struct smc_heap *smc_heap_new(void)
{
    struct smc_heap *heap = smc_calloc(1, sizeof *heap);
    if (heap)
        heap->next = SMC_HEAP_BASE + GAP;
    return heap;
}

void smc_heap_free(struct smc_heap *heap)
{
    for (size_t i = 0; heap && i < heap->count; i++)
        free(heap->allocation[i].data);
    free(heap ? heap->allocation : NULL);
    free(heap);
}

void smc_heap_forget(struct smc_heap *heap)
{
    size_t kept = 0;
    if (heap->count < MANY)
        return;
    for (size_t i = 0; i < heap->count; i++)
        if (heap->allocation[i].data)
            heap->allocation[kept++] = heap->allocation[i];
    heap->count = kept;
}

bool smc_heap_spans(const struct smc_heap *heap, uint64_t address)
{
    return address >= SMC_HEAP_BASE && address < heap->next;
}

const struct smc_allocation *smc_heap_find(const struct smc_heap *heap, uint64_t address)
{
    size_t low = 0, high = heap->count;
    while (low < high) { /* the first one that begins above the address */
        size_t middle = (low + high) / 2;
        if (heap->allocation[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return heap->count ? &heap->allocation[low ? low - 1 : 0] : NULL;
}

uint64_t smc_heap_allocate(struct smc_heap *heap, uint64_t bytes, bool *failed)
{
    if (bytes > SMC_HEAP_BYTES)
        return 0;
    uint64_t taken = (bytes + ALIGN - !!bytes) / ALIGN * ALIGN;
    if (taken > SMC_HEAP_BYTES - heap->used)
        return 0;
    const bool has_room =
        smc_make_room(&heap->allocation, heap->count, &heap->room, sizeof *heap->allocation);
    char *data = has_room ? smc_malloc(bytes) : NULL;
    *failed = !data;
    if (!data)
        return 0;
    memset(data, CONTENTS, bytes);
    heap->allocation[heap->count++] = (struct smc_allocation){.address = heap->next,
                                                              .bytes = bytes,
                                                              .data = data,
                                                              .is_heap = true,
                                                              .array = SIZE_MAX,
                                                              .name = "memory of malloc",
                                                              .name_bytes = 16};
    uint64_t address = heap->next;
    heap->next += (taken + GAP + ALIGN - 1) / ALIGN * ALIGN;
    heap->used += taken;
    return address;
}

enum smc_heap_release smc_heap_release(struct smc_heap *heap, uint64_t address)
{
    struct smc_allocation *found = NULL;
    if (heap->count > 0 && smc_heap_spans(heap, address))
        found = &heap->allocation[smc_heap_find(heap, address) - heap->allocation];
    if (!found || found->address != address)
        return SMC_HEAP_NOT_ALLOCATED;
    if (!found->data)
        return SMC_HEAP_RELEASED_BEFORE;
    heap->used -= (found->bytes + ALIGN - !!found->bytes) / ALIGN * ALIGN;
    free(found->data);
    found->data = NULL;
    return SMC_HEAP_RELEASED;
}
