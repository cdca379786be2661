/* Launches as the program calls for them, from CUPTI's callbacks or from the hooks: counted, and
   for each configuration the driver is asked once how many blocks of it are resident per SM. */
#ifndef SMC_TRACE_INJECT_SEEN_H
#define SMC_TRACE_INJECT_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/inject/abi.h"
#include "trace/inject/records.h"

/* The driver's functions that are asked, found in the library that the program has loaded. False:
   there is none. */
bool seen_find_driver(void);

/* What is known of a launch besides what the driver was passed. */
struct seen_caller {
    void *context;        /* NULL: the current one */
    const char *name;     /* of the kernel, or NULL: the driver is asked */
    uint32_t correlation; /* CUPTI's; 0: none */
};

/* After the driver accepted a launch: by cuLaunchKernel, by cuLaunchKernelEx, or by
   cuLaunchCooperativeKernelMultiDevice. */
void seen_launch(const struct driver_launch_params *params, const struct seen_caller *caller);
void seen_launch_ex(const struct driver_launch_config *config, void *function,
                    const struct seen_caller *caller);
void seen_launch_multi_device(const struct driver_multi_device_launch *list, uint32_t count,
                              const struct seen_caller *caller);

/* A capture of a stream begins or ends: launches meanwhile may only be recorded in a graph. */
void seen_capture(bool begins);

/* After a graph was made executable, or an executable graph was updated from `graph`. */
void seen_graph(void *executable, void *graph);
/* `newer`: the parameters are those of version 2. */
void seen_graph_node(void *executable, void *node, bool newer, const void *params);
void seen_graph_launch(void *executable, uint32_t correlation);
void seen_graph_destroyed(void *executable);

/* Function handles may now mean other functions, or the driver may answer differently. */
void seen_changed(void);

/* Whether a launch with this correlation id is within --skip and --count. */
bool seen_is_within(uint32_t correlation);

void seen_forget(void);

/* Adds the device to the file unless it is there. */
void seen_device(int32_t ordinal);

/* The real address, whoever hooks dlsym. */
void *seen_symbol(void *library, const char *name);

#endif
