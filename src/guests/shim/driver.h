/* What the files of the driver API share. */
#ifndef SMC_GUESTS_DRIVER_H
#define SMC_GUESTS_DRIVER_H

#include "guests/shim/shim.h"

/* The declarations of the calls are in CUDA's headers, which are not included. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define API __attribute__((visibility("default"))) int

enum { GPU_PITCH = 512 };

struct shim_context;

struct shim_context *shim_primary(void);
int shim_call_error(void);
void shim_leave(const int *held);

/* Takes the lock until the call returns. Calls that can fail asynchronously return what an earlier
   launch did wrong. */
#define BEGIN                                                                                      \
    __attribute__((cleanup(shim_leave))) int held = 1;                                             \
    shim_lock();                                                                                   \
    (void)held;                                                                                    \
    if (shim_call_error() != 0)                                                                    \
    return shim_call_error()

int cuCtxSynchronize(void);
int cuGetErrorString(int error, const char **text);

/* Copies bytes. An end of the device must be within an allocation. */
int shim_copy(uint64_t to, bool to_device, uint64_t from, bool from_device, size_t bytes);
/* Sets elements of device memory. */
int shim_fill(const struct shim_fill *plan);
int cuMemcpy3D_v2(const struct shim_copy_3d *plan);
/* A launch's packed arguments, from pairs of a key and a value, ended by NULL. */
void shim_read_extra(void **extra, struct shim_launch *launch);

/* --- graphs.c --------------------------------------------------------------------------------- */

struct shim_graph;

/* The graph that the calls in a stream are captured into; NULL: they are made. */
struct shim_graph *shim_capturing(const void *stream);
/* For a call that waits for the stream: whether it is captured, which the wait then invalidates. */
bool shim_capture_refuses_wait(const void *stream);
int shim_capture_launch(struct shim_graph *graph, const struct shim_launch *launch);
int shim_capture_copy(struct shim_graph *graph, const struct shim_copy_3d *plan);
int shim_capture_fill(struct shim_graph *graph, const struct shim_fill *plan);
int shim_capture_host(struct shim_graph *graph, const struct shim_host_call *call);
/* An event that is recorded in a captured stream adds streams that wait for it to the capture. */
bool shim_capture_event(const void *event, const void *stream);
void shim_capture_wait(const void *stream, const void *event);

#endif
