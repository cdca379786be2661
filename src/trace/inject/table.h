/* The file of this process: records of launches, found by what identifies them. Every function may
   be called from any thread, and does nothing where there is no file. */
#ifndef SMC_TRACE_INJECT_TABLE_H
#define SMC_TRACE_INJECT_TABLE_H

#include <stdbool.h>

#include "trace/inject/records.h"

/* The header, for counts that are added to with table_add; the file is begun if it is not yet.
   NULL: no file. */
struct record_header *table_header(void);

/* Adds to a count of the header or of a launch. */
static inline void table_add(uint64_t *count, uint64_t added)
{
    __atomic_fetch_add(count, added, __ATOMIC_RELAXED);
}

/* The launch with this key and name, without launches if it is new; `key->name` is ignored. NULL:
   no space in the file. */
struct record_launch *table_launch(const struct record_key *key, const char *name);

/* Adds a launch that ran from `begin_ns` to `end_ns`; 0 for both: not known. */
void table_add_time(struct record_launch *launch, uint64_t begin_ns, uint64_t end_ns);

void table_text(enum record_kind kind, const char *text);

/* Adds the device unless one with that ordinal is there; `entry` is ignored. */
void table_device(const struct record_device *device);
bool table_has_device(int32_t ordinal);

/* Why neither CUPTI nor the hooks work. The first message stays. */
void table_message(const char *text);

/* In a process that fork made: forgets the parent's file, so that the next call begins another. */
void table_forget(void);

#endif
