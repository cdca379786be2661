/* The library as a whole: what its environment asks for, when it starts and ends. */
#ifndef SMC_GUESTS_INJECT_H
#define SMC_GUESTS_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inject_settings {
    const char *folder;        /* NULL: this process is not traced */
    const char *module_folder; /* NULL: machine code is not kept */
    const char *cupti;         /* the user's choice of the library, or NULL */
    const char *found_cupti;   /* one that smemcalc found, used if no other is; or NULL */
    bool hooks;                /* the driver's launch calls are hooked */
    bool uses_cupti;           /* if it works */
    uint64_t until_ns;         /* of CLOCK_MONOTONIC; 0: to the end */
    uint64_t skip, count;      /* launches that are left out, then counted; count 0: all */
    uint64_t *launches_so_far; /* of all processes, in the order of their calls; NULL: uncounted */
};

/* Read from the environment once, when the library is loaded. */
const struct inject_settings *inject_settings(void);

/* Starts CUPTI, the thread that empties its buffers, and the handlers of the process's end. Only
   the first call in a process does something. */
void inject_start(void);

/* Whether the hooks count: CUPTI does not work here, or is not wanted. */
bool inject_counts_hooks(void);

/* Whether this process is a child of a fork that has not executed another program since. */
bool inject_forked(void);

/* False after --duration. */
extern bool inject_is_over;
static inline bool inject_records(void)
{
    return !__atomic_load_n(&inject_is_over, __ATOMIC_RELAXED);
}

/* Zeroed memory apart from the program's heap, which a crash may have left locked or broken. NULL:
   there is none. */
void *inject_allocate(size_t bytes);
void inject_release(void *memory, size_t bytes);

#endif
