/* Allocation that is remembered when it fails. Callers still check for NULL, but a report that is
   incomplete because one of many allocations failed is detected once, before it is printed:
   smc_memory_failed. The caller frees the memory with free(), or says so where it declares it. */
#ifndef SMC_BASE_MEMORY_H
#define SMC_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

void *smc_malloc(size_t bytes) __attribute__((malloc, warn_unused_result));
void *smc_calloc(size_t count, size_t bytes) __attribute__((malloc, warn_unused_result));
void *smc_realloc(void *memory, size_t bytes) __attribute__((warn_unused_result));

/* smc_make_room when the capacity is used up. */
bool smc_grow_list(void *list, size_t count, size_t *capacity, size_t size);

/* Makes room for one more item in a list of `count` of `size` bytes each; `list` is the address of
   the pointer to it. Doubles *capacity when it is used up; NULL: the list grows by one each time.
   False: out of memory, and the list is unchanged. */
static inline bool smc_make_room(void *list, size_t count, size_t *capacity, size_t size)
{
    return (capacity && count < *capacity) || smc_grow_list(list, count, capacity, size);
}

void *smc_aligned_alloc(size_t alignment, size_t bytes) __attribute__((malloc, warn_unused_result));
char *smc_strdup(const char *string) __attribute__((malloc, warn_unused_result));
char *smc_strndup(const char *string, size_t bytes) __attribute__((malloc, warn_unused_result));

/* A local variable that is freed where its scope ends; it must be initialized:
     smc_auto_free char *name = smc_strdup(...);
     SMC_AUTO(smc_tokens_free) struct smc_tokens tokens = {0}; */
#define SMC_AUTO(function) __attribute__((cleanup(function)))
#define smc_auto_free      SMC_AUTO(smc_free_pointer)
void smc_free_pointer(void *pointer); /* the address of the pointer */

/* Whether any of these allocations has failed in this process, in any thread. */
bool smc_memory_failed(void);

/* Remembers a failure that another library reports. */
void smc_memory_note_failure(void);

/* The status of a call that failed with `reason`, an errno value: SMC_MACHINE for ENOMEM, which is
   also remembered, else `otherwise`. */
enum smc_status smc_memory_status(int reason, enum smc_status otherwise);

/* SMC_MACHINE with the message 'out of memory'; remembered too. */
enum smc_status smc_out_of_memory(struct smc_error *error);

#endif
