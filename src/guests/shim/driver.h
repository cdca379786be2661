/* What the files of the driver API share. */
#ifndef SMC_GUESTS_DRIVER_H
#define SMC_GUESTS_DRIVER_H

#include "guests/shim/shim.h"

/* The declarations of the calls are in CUDA's headers, which are not included. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

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

int cuGetErrorString(int error, const char **text);

/* Copies bytes. An end of the device must be within an allocation. */
int shim_copy(uint64_t to, bool to_device, uint64_t from, bool from_device, size_t bytes);
/* Sets elements of device memory. */
int shim_fill(const struct shim_fill *plan);
int shim_copy_3d(const struct shim_copy_3d *plan);
/* A launch's packed arguments, from pairs of a key and a value, ended by NULL. */
void shim_read_extra(void **extra, struct shim_launch *launch);

/* What a call does, as far as captures of streams may not permit it. */
enum shim_call_kind {
    SHIM_CALL_UNSAFE,  /* potentially unsafe by CUDA's documents, such as an allocation */
    SHIM_CALL_WORK,    /* work in a stream */
    SHIM_CALL_OUTSIDE, /* work in a stream that no graph can hold */
    SHIM_CALL_WAIT,    /* a wait for a stream */
    SHIM_CALL_EVENT,   /* a wait for an event */
    SHIM_CALL_DEVICE,  /* a wait for the device */
};

/* Returns the error of a call that a capture does not permit; `handle`: the stream or event. */
#define UNLESS_CAPTURED(kind, handle)                                                              \
    do {                                                                                           \
        const int not_permitted = shim_capture_forbids(SHIM_CALL_##kind, handle);                  \
        if (not_permitted != SHIM_SUCCESS)                                                         \
            return not_permitted;                                                                  \
    } while (0)

/* API_LOCKED: the call holds the lock while it computes its result. API_UNLESS_CAPTURED: it also
   fails where a stream capture does not permit it. */
#define API_LOCKED(name, parameters, value)                                                        \
    API name parameters                                                                            \
    {                                                                                              \
        BEGIN;                                                                                     \
        return value;                                                                              \
    }
#define API_UNLESS_CAPTURED(name, parameters, kind, handle, value)                                 \
    API name parameters                                                                            \
    {                                                                                              \
        BEGIN;                                                                                     \
        UNLESS_CAPTURED(kind, handle);                                                             \
        return value;                                                                              \
    }

struct shim_stream {
    uint32_t flags;
    int32_t priority;
};

/* Of the streams that can be captured: whether it and the legacy one wait for each other. */
static inline bool shim_stream_is_blocking(const void *stream)
{
    return (uintptr_t)stream == SHIM_STREAM_PER_THREAD ||
           !(((const struct shim_stream *)stream)->flags & SHIM_STREAM_NON_BLOCKING);
}

/* --- captures.c ------------------------------------------------------------------------------- */

struct shim_graph;
struct shim_captured;

/* The error of a call that a capture does not permit, which it invalidates; 0: it is permitted. */
int shim_capture_forbids(enum shim_call_kind kind, const void *handle);
/* The stream as one that is being captured; NULL: its calls are made. */
struct shim_captured *shim_capturing(const void *stream);
/* The graph for the stream's next node; NULL: the capture is invalid. */
struct shim_graph *shim_captured_graph(struct shim_captured *stream);
void shim_captured_invalidate(struct shim_captured *item);
/* `stream` has a handle and is not captured yet. */
int shim_capture_begin(const void *stream, int mode, struct shim_graph *graph);
/* Whether it is an error or not, the capture is over if there is a graph, which the caller owns. */
int shim_capture_end(const void *stream, struct shim_graph **graph);
/* An event that is recorded in a captured stream adds streams that wait for it to the capture. */
int shim_capture_record(const void *event, const void *stream, bool *is_captured);
int shim_capture_wait(const void *stream, const void *event, bool is_recorded);
/* Whether the event was recorded last in a stream that is being captured. */
bool shim_capture_has_event(const void *event);
/* A stream or an event is destroyed. */
void shim_capture_forget(const void *handle);

/* --- graphs.c --------------------------------------------------------------------------------- */

int shim_capture_launch(struct shim_captured *stream, const struct shim_launch *launch);
int shim_capture_copy(struct shim_captured *stream, const struct shim_copy_3d *plan);
int shim_capture_fill(struct shim_captured *stream, const struct shim_fill *plan);
int shim_capture_host(struct shim_captured *stream, const struct shim_host_call *call);

#endif
