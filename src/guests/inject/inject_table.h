/* The file of this process: records of launches, found by what identifies them. Every function may
   be called from any thread, and does nothing where there is no file. */
#ifndef SMC_GUESTS_INJECT_TABLE_H
#define SMC_GUESTS_INJECT_TABLE_H

#include <stdbool.h>

#include "answers/trace_records.h"

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

/* What CUPTI reports of one execution besides its key. */
struct table_execution {
    const char *name;
    uint64_t begin_ns, end_ns; /* 0 for both: not known */
    uint64_t smem_configured_bytes;
    bool of_graph;
};

/* Counts an execution. `key->name` is ignored. False: no space in the file. */
bool table_execution(const struct record_key *key, const struct table_execution *execution);

void table_text(enum record_kind kind, const char *text);

/* Adds a file with the machine code of a module unless it is there. False: no space. */
bool table_module(const char *path);

/* Whether the limit of file sizes (ulimit -f) allows so many: beyond it the kernel sends SIGXFSZ,
   which ends the program. */
bool table_within_limit(uint64_t bytes);

/* Adds the device unless one with that ordinal is there; `entry` is ignored. */
void table_device(const struct record_device *device);
bool table_has_device(int32_t ordinal);

/* Why neither CUPTI nor the hooks work. The first message stays. */
void table_message(const char *text);

/* In a process that fork made: forgets the parent's file, so that the next call begins another. */
void table_forget(void);

#endif
