/* Launches as the program calls for them, from CUPTI's callbacks or from the hooks: counted, and
   for each configuration the driver is asked once how many blocks of it are resident per SM. */
#ifndef SMC_GUESTS_SEEN_H
#define SMC_GUESTS_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answers/trace_records.h"
#include "guests/inject/abi.h"

/* The driver's functions that are asked, found in the library that the program has loaded. False:
   there is none. */
bool seen_find_driver(void);

/* What a watched call does: the third column of driver_calls.def. */
enum seen_kind {
    SEEN_NOTHING, /* a call that is not watched */
    SEEN_LAUNCH,
    SEEN_LAUNCH_EX,
    SEEN_MULTI_DEVICE,
    SEEN_INSTANTIATE,
    SEEN_GRAPH_LAUNCH,
    SEEN_EXEC_DESTROY,
    SEEN_EXEC_UPDATE,
    SEEN_EXEC_SET_KERNEL,
    SEEN_EXEC_SET_KERNEL_2, /* parameters of version 2 */
    SEEN_EXEC_SET_NODE,
    SEEN_EXEC_SET_CHILD,
    SEEN_EXEC_ENABLE_NODE,
    SEEN_BEGIN_CAPTURE,
    SEEN_END_CAPTURE,
    SEEN_UNLOAD,         /* handles of functions may be given to other functions */
    SEEN_SET_PREFERENCE, /* the driver may answer differently from now on */
    SEEN_SET_ATTRIBUTE,
    SEEN_SET_KERNEL_ATTRIBUTE,
    SEEN_PROC_ADDRESS /* returns addresses of the driver's functions */
};

/* The streams that NULL stands for; the last column of driver_calls.def. */
enum { LEGACY = 0, PER_THREAD = 1 };

/* What is known of a call besides its parameters. */
struct seen_caller {
    void *context;          /* NULL: the current one */
    const char *name;       /* of the kernel, or NULL: the driver is asked */
    uint32_t correlation;   /* CUPTI's; 0: none */
    bool per_thread_stream; /* what a stream of NULL stands for */
    bool is_one_of_many;    /* one call launches on several devices, of which one is current */
};

/* Before any watched call, and after one that succeeded. `words` are its parameters, as many as it
   has, each in 64 bits. */
void seen_before(enum seen_kind kind, void *const *words);
void seen_after(enum seen_kind kind, void *const *words, const struct seen_caller *caller);

/* After the driver accepted a launch: instead of seen_after, for SEEN_LAUNCH. */
void seen_launch(const struct driver_launch_params *params, const struct seen_caller *caller);

/* Function handles may now mean other functions, or the driver may answer differently. */
void seen_changed(void);

/* Whether a launch with this correlation id is within --skip and --count. */
bool seen_is_within(uint32_t correlation);

void seen_forget(void);

/* CUPTI reports an execution on this device. The driver must not be called where it does so, in a
   callback that may hold locks of CUPTI: seen_ask_devices does it later. */
void seen_execution_on(int32_t ordinal);

/* Adds the devices of those executions to the file. The caller holds no lock. */
void seen_ask_devices(void);

/* The real address, whoever hooks dlsym. */
void *seen_symbol(void *library, const char *name);

#endif
