/* CUPTI: finds the library, subscribes to the program's calls and modules, and adds the records of
   what the GPU executed to the file. */
#include "config.h"

#include "guests/inject/cupti.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "answers/trace_records.h"
#include "guests/inject/abi.h"
#include "guests/inject/inject.h"
#include "guests/inject/inject_modules.h"
#include "guests/inject/inject_table.h"
#include "guests/inject/seen.h"

/* --- The library ------------------------------------------------------------------------------ */

#define CUPTI_FUNCTIONS(F)                                                                         \
    F(cuptiGetVersion, (uint32_t *))                                                               \
    F(cuptiGetResultString, (int, const char **))                                                  \
    F(cuptiSubscribe, (void **, cupti_callback *, void *))                                         \
    F(cuptiUnsubscribe, (void *))                                                                  \
    F(cuptiEnableCallback, (uint32_t, void *, int, uint32_t))                                      \
    F(cuptiActivityRegisterCallbacks, (cupti_buffer_requested *, cupti_buffer_completed *))        \
    F(cuptiActivityEnable, (int))                                                                  \
    F(cuptiActivityDisable, (int))                                                                 \
    F(cuptiActivityFlushAll, (uint32_t))                                                           \
    F(cuptiActivityGetNextRecord, (uint8_t *, size_t, void **))                                    \
    F(cuptiActivityGetNumDroppedRecords, (void *, uint32_t, size_t *))

static struct {
#define FUNCTION(name, parameters) int(*name) parameters;
    CUPTI_FUNCTIONS(FUNCTION)
#undef FUNCTION
} cupti;

static void *subscriber;
static uint32_t version;
static bool active;

/* False: it lacks a function. */
static bool cupti_find_functions(void *library)
{
    static const struct {
        const char *name;
        void *function;
    } functions[] = {
#define FUNCTION(name, parameters) {#name, &cupti.name},
        CUPTI_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = seen_symbol(library, functions[i].name);
        if (!address)
            return false;
        memcpy(functions[i].function, &address, sizeof address);
    }
    return cupti.cuptiGetVersion(&version) == CUPTI_OK && version >= CUPTI_VERSION_OLDEST;
}

static void cupti_say(const char *call, int result)
{
    char message[RECORD_MESSAGE];
    const char *reason = NULL;
    if (cupti.cuptiGetResultString(result, &reason) != CUPTI_OK || !reason)
        reason = "an error without a name";
    snprintf(message, sizeof message, "%s: %s (%d)", call, reason, result);
    table_message(message);
}

/* --- What the GPU executed -------------------------------------------------------------------- */

enum { BUFFER_BYTES = 1 << 20, KEPT_BUFFERS = 16 };

static uint8_t *kept[KEPT_BUFFERS]; /* empty, for the next request */

static void request_buffer(uint8_t **buffer, size_t *size, size_t *most_records)
{
    *buffer = NULL;
    for (size_t i = 0; i < KEPT_BUFFERS && !*buffer; i++)
        *buffer = __atomic_exchange_n(&kept[i], NULL, __ATOMIC_ACQ_REL);
    if (!*buffer)
        *buffer = inject_allocate(BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *most_records = 0;
}

static void keep_buffer(uint8_t *buffer)
{
    for (size_t i = 0; i < KEPT_BUFFERS; i++) {
        uint8_t *none = NULL;
        if (__atomic_compare_exchange_n(&kept[i], &none, buffer, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return;
    }
    inject_release(buffer, BUFFER_BYTES);
}

/* CUPTI has a record even of a launch that the driver refuses for want of registers, as seen on an
   H100 (driver 580.159.04, CUPTI 13.0). A record is delivered with many others, long after its call
   has returned; so many of the last refused calls are remembered. */
enum { REFUSED = 1 << 16 };
static uint32_t refused[REFUSED]; /* correlation ids, by their lowest bits; 0: none */

static void note_refused(uint32_t correlation)
{
    __atomic_store_n(&refused[correlation % REFUSED], correlation, __ATOMIC_RELAXED);
}

static bool is_refused(uint32_t correlation)
{
    return correlation != 0 &&
           __atomic_load_n(&refused[correlation % REFUSED], __ATOMIC_RELAXED) == correlation;
}

static void cupti_add_kernel(const struct cupti_kernel *kernel)
{
    struct record_key key = {
        .origin = RECORD_EXECUTED,
        .device = (int32_t)kernel->device,
        .regs_per_thread = kernel->regs,
        .static_smem_bytes = kernel->static_smem,
        .dynamic_smem_bytes = kernel->dynamic_smem,
        .carveout_percent = kernel->carveout_requested ? kernel->carveout_percent : RECORD_UNKNOWN,
        .cache_config = kernel->cache_config & 15,
    };
    for (int i = 0; i < 3; i++) {
        key.grid[i] = (uint32_t)kernel->grid[i];
        key.block[i] = (uint32_t)kernel->block[i];
        key.cluster[i] = version >= CUPTI_VERSION_CLUSTER ? kernel->cluster[i] : 0;
    }
    const struct table_execution execution = {
        .name = kernel->name ? kernel->name : "(unknown kernel)",
        .begin_ns = kernel->start_ns,
        .end_ns = kernel->end_ns,
        .smem_configured_bytes = kernel->smem_configured,
        .of_graph = kernel->graph_node != 0,
    };
    seen_execution_on(key.device);
    struct record_header *header = table_header();
    if (!table_execution(&key, &execution) && header)
        table_add(&header->lost_times, 1);
}

static void complete_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                            size_t valid)
{
    void *record = NULL;
    size_t dropped = 0;
    (void)size;
    while (valid > 0 && cupti.cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_OK) {
        const struct cupti_kernel *kernel = record;
        if (kernel->kind == CUPTI_KIND_CONCURRENT_KERNEL && !is_refused(kernel->correlation) &&
            seen_is_within(kernel->correlation))
            cupti_add_kernel(kernel);
    }
    struct record_header *header = table_header();
    if (header && cupti.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_OK)
        table_add(&header->dropped, dropped);
    if (buffer)
        keep_buffer(buffer);
}

/* --- What the program calls ------------------------------------------------------------------- */

struct watched {
    uint8_t kind; /* enum seen_kind */
    bool per_thread;
};

/* By CUPTI's number of the call. The calls that return addresses concern only the hooks. */
static const struct watched watched[CALL_NUMBERS] = {
#define LAUNCH_CALL(name, number, stream)      [number] = {SEEN_LAUNCH, stream},
#define COOPERATIVE_CALL(name, number, stream) [number] = {SEEN_LAUNCH, stream},
#define OTHER_CALL(name, number, kind, stream) [number] = {SEEN_##kind, stream},
#include "guests/inject/driver_calls.def"
};

static void watch(bool enable)
{
    /* Older versions do not know the newest calls and refuse them, which does no harm. */
    for (uint32_t i = 0; i < CALL_NUMBERS; i++)
        if (watched[i].kind != SEEN_NOTHING && watched[i].kind != SEEN_PROC_ADDRESS)
            cupti.cuptiEnableCallback(enable, subscriber, CUPTI_DOMAIN_DRIVER, i);
}

/* The parameters are a struct with a member for each. Those of a launch are more than pointers; in
   all others that are used, each member takes 64 bits, or is the last one that is read. */
static void on_call(uint32_t call, const struct cupti_callback_data *data)
{
    const int32_t *result = data->result;
    const struct watched *is = &watched[call < CALL_NUMBERS ? call : 0];
    const struct seen_caller caller = {data->context, data->symbol_name, data->correlation,
                                       is->per_thread, false};
    if (data->site != CUPTI_SITE_EXIT) {
        seen_before(is->kind, data->params);
        return;
    }
    if (result && *result != DRIVER_SUCCESS) {
        note_refused(data->correlation);
        return;
    }
    seen_ask_devices();
    if (is->kind == SEEN_LAUNCH)
        seen_launch(data->params, &caller);
    else
        seen_after(is->kind, data->params, &caller);
}

static void on_resource(uint32_t call, const struct cupti_resource_data *data)
{
    const struct cupti_module_data *module = data->descriptor;
    if (call == CUPTI_MODULE_UNLOADS)
        seen_changed();
    else if (call == CUPTI_MODULE_LOADED && module && module->code)
        modules_keep(module->code, module->bytes);
}

static void on_callback(void *unused, int domain, uint32_t call, const void *details)
{
    (void)unused;
    if (!details)
        return;
    if (domain == CUPTI_DOMAIN_DRIVER)
        on_call(call, details);
    else if (domain == CUPTI_DOMAIN_RESOURCE)
        on_resource(call, details);
}

/* --- Start and end ---------------------------------------------------------------------------- */

static bool is_taken; /* by another tool: no other library of CUPTI would be given the driver */

static bool subscribe(void)
{
    int result = cupti.cuptiSubscribe(&subscriber, on_callback, NULL);
    if (result != CUPTI_OK) {
        cupti_say("cuptiSubscribe", result);
        is_taken = result == CUPTI_MULTIPLE_SUBSCRIBERS;
        return false;
    }
    watch(true);
    cupti.cuptiEnableCallback(1, subscriber, CUPTI_DOMAIN_RESOURCE, CUPTI_MODULE_UNLOADS);
    if (inject_settings()->module_folder)
        cupti.cuptiEnableCallback(1, subscriber, CUPTI_DOMAIN_RESOURCE, CUPTI_MODULE_LOADED);
    result = cupti.cuptiActivityRegisterCallbacks(request_buffer, complete_buffer);
    if (result == CUPTI_OK)
        result = cupti.cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL);
    if (result == CUPTI_OK)
        return true;
    cupti_say("cuptiActivityEnable", result);
    cupti.cuptiUnsubscribe(subscriber);
    return false;
}

static bool try_library(void *library)
{
    if (!library || !cupti_find_functions(library))
        return false;
    struct record_header *header = table_header();
    header->cupti_version = (int32_t)version;
    active = subscribe();
    return active;
}

static void try_path(const char *path, int flags)
{
    if (path && !active && !is_taken)
        try_library(dlopen(path, flags));
}

/* The user's choice, or else the first that works. One that the program has loaded comes first: two
   of them in a process disturb each other. */
bool cupti_start(void)
{
    const struct inject_settings *settings = inject_settings();
    try_path(settings->cupti, RTLD_NOW | RTLD_LOCAL);
    if (!settings->cupti) {
        for (size_t i = 0; i < TRACE_CUPTI_NAMES; i++)
            try_path(trace_cupti_paths[i], RTLD_NOW | RTLD_NOLOAD);
        for (size_t i = 0; i < TRACE_CUPTI_PATHS; i++)
            try_path(trace_cupti_paths[i], RTLD_NOW | RTLD_LOCAL);
        try_path(settings->found_cupti, RTLD_NOW | RTLD_LOCAL);
    }
    if (!active)
        table_message("no CUPTI of CUDA 11 or later was found");
    return active;
}

void cupti_flush(bool all)
{
    if (active)
        cupti.cuptiActivityFlushAll(all ? CUPTI_FLUSH_FORCED : 0);
}

void cupti_stop(void)
{
    if (!active)
        return;
    cupti.cuptiActivityDisable(CUPTI_KIND_CONCURRENT_KERNEL);
    watch(false);
}

void cupti_forget(void)
{
    active = false;
}
