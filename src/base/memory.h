/* Allocation that is remembered when it fails. Whoever asks for memory still checks for NULL; but a
   report that misses a part because one of many allocations failed is noticed once, where it would
   be printed: smc_memory_failed. The caller frees the memory with free(). */
#ifndef SMC_BASE_MEMORY_H
#define SMC_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

void *smc_malloc(size_t bytes) __attribute__((malloc, warn_unused_result));
void *smc_calloc(size_t count, size_t bytes) __attribute__((malloc, warn_unused_result));
void *smc_realloc(void *memory, size_t bytes) __attribute__((warn_unused_result));
void *smc_aligned_alloc(size_t alignment, size_t bytes) __attribute__((malloc, warn_unused_result));
char *smc_strdup(const char *string) __attribute__((malloc, warn_unused_result));
char *smc_strndup(const char *string, size_t bytes) __attribute__((malloc, warn_unused_result));

/* Has any of these failed in this process, in whichever thread? */
bool smc_memory_failed(void);

/* Remembers a failure that another library reports. */
void smc_memory_note_failure(void);

/* The same where `reason`, a value of errno, is ENOMEM. Returns SMC_MACHINE then, else `otherwise`:
   the status of a call that failed for that reason. */
enum smc_status smc_memory_status(int reason, enum smc_status otherwise);

/* SMC_MACHINE with the message 'out of memory'; remembered too. */
enum smc_status smc_out_of_memory(struct smc_error *error);

#endif
