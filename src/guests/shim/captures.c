/* The driver API on the emulator: which streams are being captured into graphs, and which calls
   CUDA does not permit meanwhile, with the errors that an H200 returned (CUDA 13.0).

   A potentially unsafe call, such as an allocation or a wait, is not permitted beside captures that
   its thread and the modes allow nobody to disturb. Work in the legacy stream, which would wait for
   all blocking streams, is not permitted while one of these is captured. Either invalidates the
   captures concerned, whose end then fails. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "guests/shim/driver.h"

enum { MOST_STREAMS = 64 }; /* of a capture; with more it is not checked that all were joined */

struct capture {
    struct shim_graph *graph;
    int mode;
    const void *thread; /* that began it */
    bool is_invalid;
    uint32_t streams; /* that have taken part */
};

/* A stream that is being captured, or an event that was recorded in one. Streams have an index in
   their capture, 0 where it began, and depend on the first `seen` nodes of the others. */
struct shim_captured {
    struct shim_captured *next;
    const void *handle;
    struct capture *capture;
    bool is_event, is_blocking;
    uint32_t index, nodes;
    uint32_t seen[MOST_STREAMS];
};

static struct shim_captured *all;
static __thread int thread_mode; /* SHIM_CAPTURE_MODE_GLOBAL until it is exchanged */
static __thread char thread_mark;

/* --- Streams and events ----------------------------------------------------------------------- */

static struct shim_captured *captures_find(const void *handle, bool is_event)
{
    struct shim_captured *item = all;
    while (item && (item->handle != handle || item->is_event != is_event))
        item = item->next;
    return item;
}

static struct shim_captured *captures_add(const void *handle, struct capture *capture,
                                          bool is_event)
{
    struct shim_captured *item = captures_find(handle, is_event);
    struct shim_captured *const next = item ? item->next : all;
    if (!item) {
        item = smc_malloc(sizeof *item);
        if (!item)
            return NULL;
        all = item;
    }
    *item = (struct shim_captured){
        .next = next, .handle = handle, .capture = capture, .is_event = is_event};
    return item;
}

static struct shim_captured *add_stream(const void *stream, struct capture *capture)
{
    struct shim_captured *item = captures_add(stream, capture, false);
    if (item) {
        item->is_blocking = shim_stream_is_blocking(stream);
        item->index = capture->streams++;
    }
    return item;
}

/* Forgets all of a capture, or what has the handle. */
static void captures_remove(const struct capture *capture, const void *handle)
{
    for (struct shim_captured **item = &all; *item;) {
        struct shim_captured *this = *item;
        if (this->capture == capture || this->handle == handle) {
            *item = this->next;
            free(this);
        } else {
            item = &this->next;
        }
    }
}

struct shim_captured *shim_capturing(const void *stream)
{
    return all && stream ? captures_find(stream, false) : NULL;
}

struct shim_graph *shim_captured_graph(struct shim_captured *stream)
{
    if (stream->capture->is_invalid)
        return NULL;
    stream->nodes++;
    return stream->capture->graph;
}

void shim_captured_invalidate(struct shim_captured *item)
{
    item->capture->is_invalid = true;
}

void shim_capture_forget(const void *handle)
{
    shim_lock();
    const struct shim_captured *item = shim_capturing(handle);
    if (item && item->index == 0) {
        struct capture *capture = item->capture;
        captures_remove(capture, NULL);
        free(capture);
    } else if (all && handle) {
        captures_remove(NULL, handle);
    }
    shim_unlock();
}

int shim_capture_record(const void *event, const void *stream, bool *is_captured)
{
    const struct shim_captured *from = shim_capturing(stream);
    struct shim_captured *item;
    *is_captured = from != NULL;
    if (!from) {
        shim_capture_forget(event);
        return SHIM_SUCCESS;
    }
    if (from->capture->is_invalid)
        return SHIM_CAPTURE_INVALIDATED;
    item = captures_add(event, from->capture, true);
    if (!item)
        return SHIM_OUT_OF_MEMORY;
    memcpy(item->seen, from->seen, sizeof item->seen);
    if (from->index < MOST_STREAMS)
        item->seen[from->index] = from->nodes;
    return SHIM_SUCCESS;
}

int shim_capture_wait(const void *stream, const void *event, bool is_recorded)
{
    struct shim_captured *from = all ? captures_find(event, true) : NULL;
    struct shim_captured *item = shim_capturing(stream);
    if (!from && !(item && is_recorded))
        return SHIM_SUCCESS;
    if (!from || (uintptr_t)stream <= SHIM_STREAM_LEGACY) {
        shim_captured_invalidate(from ? from : item);
        return from ? SHIM_CAPTURE_IMPLICIT : SHIM_CAPTURE_ISOLATION;
    }
    if (!item)
        item = add_stream(stream, from->capture);
    if (!item)
        return SHIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < MOST_STREAMS && item->capture == from->capture; i++)
        if (item->seen[i] < from->seen[i])
            item->seen[i] = from->seen[i];
    return SHIM_SUCCESS;
}

/* --- What is not permitted -------------------------------------------------------------------- */

/* Whether a potentially unsafe call of this thread disturbs the capture. */
static bool is_disturbed(const struct capture *capture)
{
    const bool is_own =
        capture->thread == &thread_mark && capture->mode != SHIM_CAPTURE_MODE_RELAXED;
    switch (thread_mode) {
    case SHIM_CAPTURE_MODE_GLOBAL:
        return is_own || capture->mode == SHIM_CAPTURE_MODE_GLOBAL;
    case SHIM_CAPTURE_MODE_THREAD:
        return is_own;
    default:
        return false;
    }
}

static bool is_beside_legacy(const struct shim_captured *item)
{
    return !item->is_event && item->is_blocking;
}

/* Whether a blocking stream is captured. */
static bool is_legacy_forbidden(void)
{
    const struct shim_captured *item = all;
    while (item && !is_beside_legacy(item))
        item = item->next;
    return item != NULL;
}

static int captures_check_unsafe(void)
{
    int result = SHIM_SUCCESS;
    for (struct shim_captured *item = all; item; item = item->next)
        if (!item->is_event && is_disturbed(item->capture)) {
            shim_captured_invalidate(item);
            result = SHIM_CAPTURE_UNSUPPORTED;
        }
    return result;
}

static int captures_check_work(const void *stream)
{
    if ((uintptr_t)stream > SHIM_STREAM_LEGACY || !is_legacy_forbidden())
        return SHIM_SUCCESS;
    for (struct shim_captured *item = all; item; item = item->next)
        if (is_beside_legacy(item))
            shim_captured_invalidate(item);
    return SHIM_CAPTURE_IMPLICIT;
}

static int captures_check_outside(const void *stream)
{
    struct shim_captured *item = shim_capturing(stream);
    if (!item)
        return captures_check_work(stream);
    shim_captured_invalidate(item);
    return SHIM_CAPTURE_UNSUPPORTED;
}

static int captures_check_wait(const void *stream)
{
    const int result = captures_check_outside(stream);
    return result == SHIM_SUCCESS ? captures_check_unsafe() : result;
}

static int captures_check_event(const void *event)
{
    struct shim_captured *item = captures_find(event, true);
    if (!item)
        return captures_check_unsafe();
    shim_captured_invalidate(item);
    return SHIM_CAPTURED_EVENT;
}

static int captures_check_device(void)
{
    const bool is_any = all != NULL;
    for (struct shim_captured *item = all; item; item = item->next)
        shim_captured_invalidate(item);
    return is_any ? SHIM_CAPTURE_UNSUPPORTED : SHIM_SUCCESS;
}

int shim_capture_forbids(enum shim_call_kind kind, const void *handle)
{
    int result = SHIM_SUCCESS;
    shim_lock();
    if (all)
        switch (kind) {
        case SHIM_CALL_UNSAFE:
            result = captures_check_unsafe();
            break;
        case SHIM_CALL_WORK:
            result = captures_check_work(handle);
            break;
        case SHIM_CALL_OUTSIDE:
            result = captures_check_outside(handle);
            break;
        case SHIM_CALL_WAIT:
            result = captures_check_wait(handle);
            break;
        case SHIM_CALL_EVENT:
            result = captures_check_event(handle);
            break;
        case SHIM_CALL_DEVICE:
            result = captures_check_device();
            break;
        }
    shim_unlock();
    return result;
}

bool shim_capture_has_event(const void *event)
{
    return all && captures_find(event, true);
}

/* --- Begin and end ---------------------------------------------------------------------------- */

int shim_capture_begin(const void *stream, int mode, struct shim_graph *graph)
{
    struct capture *capture = smc_malloc(sizeof *capture);
    if (!capture)
        return SHIM_OUT_OF_MEMORY;
    *capture = (struct capture){.graph = graph, .mode = mode, .thread = &thread_mark};
    if (add_stream(stream, capture))
        return SHIM_SUCCESS;
    free(capture);
    return SHIM_OUT_OF_MEMORY;
}

/* Whether the capture's first stream does not depend on all nodes of another one. */
static bool is_unjoined(const struct shim_captured *first)
{
    for (const struct shim_captured *item = all; item; item = item->next)
        if (item->capture == first->capture && !item->is_event && item->index > 0 &&
            item->index < MOST_STREAMS && first->seen[item->index] < item->nodes)
            return true;
    return false;
}

int shim_capture_end(const void *stream, struct shim_graph **graph)
{
    struct shim_captured *item = shim_capturing(stream);
    *graph = NULL;
    if (!item)
        return SHIM_ILLEGAL_STATE;
    if (item->index > 0) {
        shim_captured_invalidate(item);
        return SHIM_CAPTURE_UNMATCHED;
    }
    struct capture *capture = item->capture;
    const bool is_foreign =
        capture->mode != SHIM_CAPTURE_MODE_RELAXED && capture->thread != &thread_mark;
    const int result = is_foreign            ? SHIM_CAPTURE_WRONG_THREAD
                       : capture->is_invalid ? SHIM_CAPTURE_INVALIDATED
                       : is_unjoined(item)   ? SHIM_CAPTURE_UNJOINED
                                             : SHIM_SUCCESS;
    *graph = capture->graph;
    captures_remove(capture, NULL);
    free(capture);
    return result;
}

API cuStreamIsCapturing(const void *stream, int *status)
{
    BEGIN;
    const struct shim_captured *item = shim_capturing(stream);
    if ((uintptr_t)stream <= SHIM_STREAM_LEGACY && is_legacy_forbidden())
        return SHIM_CAPTURE_IMPLICIT;
    *status = item ? 1 + item->capture->is_invalid : 0;
    return SHIM_SUCCESS;
}

API cuThreadExchangeStreamCaptureMode(int *mode)
{
    if (!mode || *mode < 0 || *mode > SHIM_CAPTURE_MODE_RELAXED)
        return SHIM_INVALID_VALUE;
    const int before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return SHIM_SUCCESS;
}
