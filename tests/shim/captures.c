/* Which calls of CUDA's driver a capture of a stream permits, in all modes of the capture and of
   the calling thread. The answers are an H200's (driver 580.159.04, CUDA 13.0). */
#include <pthread.h>
#include <stdbool.h>

#include "tests/shim/calls.h"

enum { GLOBAL, PER_THREAD, RELAXED, MODES };
enum { PAGE = 4096 };

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry nothing()\n{\n    ret;\n}\n";

static void *captured, *beside, *done, *fresh, *empty_graph, *exec, *module, *kernel;
static uint64_t memory;
static char host_memory[PAGE] __attribute__((aligned(PAGE)));

/* --- The calls -------------------------------------------------------------------------------- */

static void nothing(void *data)
{
    (void)data;
}

static int launch(void *stream)
{
    return find("cuLaunchKernel")(kernel, 1u, 1u, 1u, 1u, 1u, 1u, 0u, stream, NULL, NULL);
}

static int allocate(void *stream)
{
    uint64_t address = 0;
    (void)stream;
    const int error = find("cuMemAlloc_v2")(&address, SIZE(16));
    return error;
}

static int allocate_in(void *stream)
{
    uint64_t address = 0;
    return find("cuMemAllocAsync")(&address, SIZE(16), stream);
}

static int allocate_on_host(void *stream)
{
    void *address = NULL;
    (void)stream;
    return find("cuMemHostAlloc")(&address, SIZE(16), 0u);
}

static int free_nothing(void *stream)
{
    (void)stream;
    return find("cuMemFree_v2")((uint64_t)0);
}

static int register_memory(void *stream)
{
    (void)stream;
    const int error = find("cuMemHostRegister_v2")(host_memory, SIZE(PAGE), 0u);
    return error == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED ? CUDA_SUCCESS : error;
}

static int ask_event(void *stream)
{
    (void)stream;
    return find("cuEventQuery")(done);
}

static int wait_for_event(void *stream)
{
    (void)stream;
    return find("cuEventSynchronize")(fresh);
}

static int set_limit(void *stream)
{
    (void)stream;
    return find("cuCtxSetLimit")(0, SIZE(2048));
}

static int instantiate(void *stream)
{
    void *instance;
    (void)stream;
    return find("cuGraphInstantiateWithFlags")(&instance, empty_graph, (uint64_t)0);
}

static int wait_for(void *stream)
{
    return find("cuStreamSynchronize")(stream);
}

static int ask(void *stream)
{
    return find("cuStreamQuery")(stream);
}

static int wait_for_device(void *stream)
{
    (void)stream;
    return find("cuCtxSynchronize")();
}

static int copy(void *stream)
{
    (void)stream;
    return find("cuMemcpyHtoD_v2")(memory, host_memory, SIZE(16));
}

static int copy_nothing(void *stream)
{
    return find("cuMemcpyHtoDAsync_v2")(memory, host_memory, SIZE(0), stream);
}

static int copy_in(void *stream)
{
    return find("cuMemcpyDtoDAsync_v2")(memory, memory + 16, SIZE(16), stream);
}

static int fill(void *stream)
{
    (void)stream;
    return find("cuMemsetD8_v2")(memory, 0, SIZE(16));
}

static int call_host(void *stream)
{
    return find("cuLaunchHostFunc")(stream, nothing, NULL);
}

static int add_callback(void *stream)
{
    return find("cuStreamAddCallback")(stream, nothing, NULL, 0u);
}

static int launch_graph(void *stream)
{
    return find("cuGraphLaunch")(exec, stream);
}

static int get_flags(void *stream)
{
    unsigned flags;
    return find("cuStreamGetFlags")(stream, &flags);
}

static int get_priority(void *stream)
{
    int priority;
    return find("cuStreamGetPriority")(stream, &priority);
}

static int create_stream(void *stream)
{
    void *other;
    (void)stream;
    const int error = find("cuStreamCreate")(&other, 0u);
    return error == CUDA_SUCCESS ? find("cuStreamDestroy_v2")(other) : error;
}

static int get_memory(void *stream)
{
    size_t left, total;
    (void)stream;
    return find("cuMemGetInfo_v2")(&left, &total);
}

enum kind { HARMLESS, UNSAFE, IN_LEGACY, IN_LEGACY_OR_UNSAFE, NEVER };
enum where { NOWHERE, LEGACY, BESIDE, CAPTURED };

static const struct trial {
    const char *name;
    int (*make)(void *stream);
    enum where where;
    enum kind kind;
} trials[] = {
    {"a launch beside", launch, BESIDE, HARMLESS},
    {"a launch in the legacy stream", launch, LEGACY, IN_LEGACY},
    {"a launch in the capture", launch, CAPTURED, HARMLESS},
    {"an allocation", allocate, NOWHERE, UNSAFE},
    {"an allocation in a stream", allocate_in, BESIDE, UNSAFE},
    {"an allocation in the legacy stream", allocate_in, LEGACY, IN_LEGACY_OR_UNSAFE},
    {"an allocation of host memory", allocate_on_host, NOWHERE, UNSAFE},
    {"a free of nothing", free_nothing, NOWHERE, UNSAFE},
    {"a registration", register_memory, NOWHERE, UNSAFE},
    {"a query of an event", ask_event, NOWHERE, UNSAFE},
    {"a wait for an event that was not recorded", wait_for_event, NOWHERE, UNSAFE},
    {"a limit", set_limit, NOWHERE, UNSAFE},
    {"an instantiation", instantiate, NOWHERE, UNSAFE},
    {"a wait for another stream", wait_for, BESIDE, UNSAFE},
    {"a wait for the legacy stream", wait_for, LEGACY, IN_LEGACY_OR_UNSAFE},
    {"a wait for the captured stream", wait_for, CAPTURED, NEVER},
    {"a query of another stream", ask, BESIDE, UNSAFE},
    {"a query of the captured stream", ask, CAPTURED, NEVER},
    {"a wait for the device", wait_for_device, NOWHERE, NEVER},
    {"a synchronous copy", copy, NOWHERE, IN_LEGACY},
    {"a copy of no bytes", copy_nothing, LEGACY, HARMLESS},
    {"a copy in the legacy stream", copy_in, LEGACY, IN_LEGACY},
    {"a copy beside", copy_in, BESIDE, HARMLESS},
    {"a synchronous fill", fill, NOWHERE, IN_LEGACY},
    {"a host function in the legacy stream", call_host, LEGACY, IN_LEGACY},
    {"a host function in the capture", call_host, CAPTURED, HARMLESS},
    {"a callback in the capture", add_callback, CAPTURED, NEVER},
    {"a callback beside", add_callback, BESIDE, HARMLESS},
    {"a graph in the legacy stream", launch_graph, LEGACY, IN_LEGACY},
    {"a graph beside", launch_graph, BESIDE, HARMLESS},
    {"a graph in the capture", launch_graph, CAPTURED, NEVER},
    {"the flags of the captured stream", get_flags, CAPTURED, NEVER},
    {"the priority of the legacy stream", get_priority, LEGACY, IN_LEGACY},
    {"the priority of the captured stream", get_priority, CAPTURED, HARMLESS},
    {"a new stream", create_stream, NOWHERE, HARMLESS},
    {"the free memory", get_memory, NOWHERE, HARMLESS},
};

/* --- All of them, in all modes ---------------------------------------------------------------- */

struct setting {
    const struct trial *trial;
    bool is_blocking, is_other_thread;
    int capture_mode, thread_mode;
    int answer;
};

/* By the capture's mode and thread: the modes of the calling thread that forbid unsafe calls. */
static bool is_unsafe(const struct setting *setting)
{
    static const char *const forbidden[MODES][2] = {
        [GLOBAL] = {"gt", "g"}, [PER_THREAD] = {"gt", ""}, [RELAXED] = {"", ""}};
    return strchr(forbidden[setting->capture_mode][setting->is_other_thread],
                  "gtr"[setting->thread_mode]) != NULL;
}

static int captures_expected(const struct setting *setting)
{
    const int unsafe = is_unsafe(setting) ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
    const int implicit = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    switch (setting->trial->kind) {
    case UNSAFE:
        return unsafe;
    case IN_LEGACY:
        return setting->is_blocking ? implicit : CUDA_SUCCESS;
    case IN_LEGACY_OR_UNSAFE:
        return setting->is_blocking ? implicit : unsafe;
    case NEVER:
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    case HARMLESS:
        break;
    }
    return CUDA_SUCCESS;
}

static void *make_call(void *argument)
{
    struct setting *setting = argument;
    void *const streams[] = {
        [NOWHERE] = NULL, [LEGACY] = NULL, [BESIDE] = beside, [CAPTURED] = captured};
    int mode = setting->thread_mode;
    CALL(CUDA_SUCCESS, cuThreadExchangeStreamCaptureMode, &mode);
    setting->answer = setting->trial->make(streams[setting->trial->where]);
    CALL(CUDA_SUCCESS, cuThreadExchangeStreamCaptureMode, &mode);
    return NULL;
}

static void captures_check(struct setting *setting)
{
    void *graph = NULL;
    pthread_t thread;
    const int wanted = captures_expected(setting);
    CALL(CUDA_SUCCESS, cuStreamCreate, &captured, setting->is_blocking ? 0u : 1u);
    CALL(CUDA_SUCCESS, cuStreamBeginCapture_v2, captured, setting->capture_mode);
    IS(CUDA_SUCCESS, launch(captured));
    if (!setting->is_other_thread)
        make_call(setting);
    else if (pthread_create(&thread, NULL, make_call, setting) == 0)
        pthread_join(thread, NULL);
    const int after = wanted == CUDA_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (setting->answer != wanted) {
        printf("%s: %s capture, mode %d, %s thread of mode %d: %d, expected %d\n",
               setting->trial->name, setting->is_blocking ? "blocking" : "non-blocking",
               setting->capture_mode, setting->is_other_thread ? "other" : "same",
               setting->thread_mode, setting->answer, wanted);
        failures++;
    }
    IS(after, launch(captured));
    IS(after, find("cuStreamEndCapture")(captured, &graph));
    IS(wanted == CUDA_SUCCESS, graph != NULL);
    if (graph)
        CALL(CUDA_SUCCESS, cuGraphDestroy, graph);
    CALL(CUDA_SUCCESS, cuStreamDestroy_v2, captured);
}

static void check_modes(void)
{
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        for (int other = 0; other < 2; other++)
            for (int blocking = 0; blocking < 2; blocking++)
                for (int mode = 0; mode < MODES; mode++)
                    for (int own = 0; own < MODES; own++)
                        captures_check(&(struct setting){.trial = &trials[i],
                                                         .is_blocking = blocking,
                                                         .is_other_thread = other,
                                                         .capture_mode = mode,
                                                         .thread_mode = own});
}

/* --- Forks, events, threads, modules ---------------------------------------------------------- */

static void begin(void)
{
    CALL(CUDA_SUCCESS, cuStreamBeginCapture_v2, captured, GLOBAL);
    IS(CUDA_SUCCESS, launch(captured));
}

static void end(int error)
{
    void *graph = NULL;
    IS(error, find("cuStreamEndCapture")(captured, &graph));
    if (graph)
        CALL(CUDA_SUCCESS, cuGraphDestroy, graph);
}

static void check_forks(void)
{
    void *graph, *event;
    CALL(CUDA_SUCCESS, cuEventCreate, &event, 0u);
    begin(); /* a fork that is not joined */
    CALL(CUDA_SUCCESS, cuEventRecord, event, captured);
    CALL(CUDA_SUCCESS, cuStreamWaitEvent, beside, event, 0u);
    IS(CUDA_SUCCESS, launch(beside));
    end(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    begin(); /* work after the join is not joined */
    CALL(CUDA_SUCCESS, cuEventRecord, event, captured);
    CALL(CUDA_SUCCESS, cuStreamWaitEvent, beside, event, 0u);
    IS(CUDA_SUCCESS, launch(beside));
    CALL(CUDA_SUCCESS, cuEventRecord, event, beside);
    CALL(CUDA_SUCCESS, cuStreamWaitEvent, captured, event, 0u);
    IS(CUDA_SUCCESS, launch(beside));
    end(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    begin(); /* the end in the other stream */
    CALL(CUDA_SUCCESS, cuEventRecord, event, captured);
    CALL(CUDA_SUCCESS, cuStreamWaitEvent, beside, event, 0u);
    CALL(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture, beside, &graph);
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    begin(); /* a fork into the legacy stream */
    CALL(CUDA_SUCCESS, cuEventRecord, event, captured);
    CALL(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuStreamWaitEvent, NULL, event, 0u);
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CALL(CUDA_SUCCESS, cuEventDestroy_v2, event);
}

static void check_events(void)
{
    void *event;
    float ms;
    CALL(CUDA_SUCCESS, cuEventCreate, &event, 0u);
    begin(); /* what was recorded before the capture */
    CALL(CUDA_SUCCESS, cuStreamWaitEvent, captured, fresh, 0u);
    CALL(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cuStreamWaitEvent, captured, done, 0u);
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    begin(); /* what was recorded in it */
    CALL(CUDA_SUCCESS, cuEventRecord, event, captured);
    CALL(CUDA_ERROR_CAPTURED_EVENT, cuEventElapsedTime, &ms, done, event);
    end(CUDA_SUCCESS);
    begin();
    CALL(CUDA_SUCCESS, cuEventRecord, event, captured);
    CALL(CUDA_ERROR_CAPTURED_EVENT, cuEventQuery, event);
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    begin(); /* an event may be destroyed, and its memory used for another */
    CALL(CUDA_SUCCESS, cuEventRecord, event, captured);
    CALL(CUDA_SUCCESS, cuEventDestroy_v2, event);
    end(CUDA_SUCCESS);
}

static void *end_elsewhere(void *mode)
{
    void *graph = NULL;
    const bool is_relaxed = *(const int *)mode == RELAXED;
    IS(is_relaxed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
       find("cuStreamEndCapture")(captured, &graph));
    IS(is_relaxed, graph != NULL);
    if (graph)
        CALL(CUDA_SUCCESS, cuGraphDestroy, graph);
    return NULL;
}

static void check_threads(void)
{
    for (int mode = 0; mode < MODES; mode++) {
        pthread_t thread;
        CALL(CUDA_SUCCESS, cuStreamBeginCapture_v2, captured, mode);
        if (pthread_create(&thread, NULL, end_elsewhere, &mode) == 0)
            pthread_join(thread, NULL);
        end(CUDA_ERROR_ILLEGAL_STATE);
    }
}

static void check_others(void)
{
    int status = 77;
    void *loaded, *gone;
    begin(); /* a module is loaded, and yet */
    CALL(CUDA_SUCCESS, cuModuleLoadData, &loaded, ptx);
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CALL(CUDA_SUCCESS, cuModuleUnload, loaded);
    begin();
    CALL(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuStreamIsCapturing, NULL, &status);
    IS(77, status);
    end(CUDA_SUCCESS);
    CALL(CUDA_SUCCESS, cuStreamIsCapturing, NULL, &status);
    IS(0, status);
    CALL(CUDA_SUCCESS, cuStreamCreate, &gone, 0u); /* a capture ends with its stream */
    CALL(CUDA_SUCCESS, cuStreamBeginCapture_v2, gone, GLOBAL);
    CALL(CUDA_SUCCESS, cuStreamDestroy_v2, gone);
    CALL(CUDA_SUCCESS, cuCtxSynchronize);
}

int main(void)
{
    void *context;
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        puts(dlerror());
        return 99;
    }
    CALL(CUDA_SUCCESS, cuInit, 0u);
    CALL(CUDA_SUCCESS, cuDevicePrimaryCtxRetain, &context, 0);
    CALL(CUDA_SUCCESS, cuCtxSetCurrent, context);
    CALL(CUDA_SUCCESS, cuModuleLoadData, &module, ptx);
    CALL(CUDA_SUCCESS, cuModuleGetFunction, &kernel, module, "nothing");
    CALL(CUDA_SUCCESS, cuMemAlloc_v2, &memory, SIZE(64));
    CALL(CUDA_SUCCESS, cuStreamCreate, &beside, 0u);
    CALL(CUDA_SUCCESS, cuEventCreate, &done, 0u);
    CALL(CUDA_SUCCESS, cuEventCreate, &fresh, 0u);
    CALL(CUDA_SUCCESS, cuEventRecord, done, beside);
    CALL(CUDA_SUCCESS, cuGraphCreate, &empty_graph, 0u);
    CALL(CUDA_SUCCESS, cuGraphInstantiateWithFlags, &exec, empty_graph, (uint64_t)0);
    check_modes();
    CALL(CUDA_SUCCESS, cuStreamCreate, &captured, 0u);
    check_forks();
    check_events();
    check_threads();
    check_others();
    return failures > 0 ? 99 : 0;
}
