/* Allocation that is remembered when it fails. */
#include "config.h"

#include "base/memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef SMC_LIBRARY /* the library keeps no state: its callers get a status */
void smc_memory_note_failure(void)
{
}

bool smc_memory_failed(void)
{
    return false;
}
#else
static atomic_bool failed;

void smc_memory_note_failure(void)
{
    atomic_store(&failed, true);
}

bool smc_memory_failed(void)
{
    return atomic_load(&failed);
}
#endif

static void *noted(void *memory)
{
    if (!memory)
        smc_memory_note_failure();
    return memory;
}

void *smc_malloc(size_t bytes)
{
    return noted(malloc(bytes ? bytes : 1));
}

void *smc_calloc(size_t count, size_t bytes)
{
    return noted(calloc(count ? count : 1, bytes ? bytes : 1));
}

void *smc_realloc(void *memory, size_t bytes)
{
    return noted(realloc(memory, bytes ? bytes : 1));
}

void smc_free_pointer(void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

bool smc_grow_list(void *list, size_t count, size_t *capacity, size_t size)
{
    enum { FIRST = 16 };
    void *items; /* copied, since the pointer has the type of its items */
    const size_t room = !capacity ? count + 1 : *capacity ? 2 * *capacity : FIRST;
    memcpy(&items, list, sizeof items);
    items = room <= SIZE_MAX / size ? smc_realloc(items, room * size) : noted(NULL);
    if (!items)
        return false;
    memcpy(list, &items, sizeof items);
    if (capacity)
        *capacity = room;
    return true;
}

void *smc_aligned_alloc(size_t alignment, size_t bytes)
{
    return noted(aligned_alloc(alignment, bytes));
}

char *smc_strdup(const char *string)
{
    return noted(strdup(string));
}

char *smc_strndup(const char *string, size_t bytes)
{
    return noted(strndup(string, bytes));
}

enum smc_status smc_memory_status(int reason, enum smc_status otherwise)
{
    if (reason != ENOMEM)
        return otherwise;
    smc_memory_note_failure();
    return SMC_MACHINE;
}

enum smc_status smc_out_of_memory(struct smc_error *error)
{
    smc_memory_note_failure();
    return smc_fail(error, SMC_MACHINE, "out of memory");
}
