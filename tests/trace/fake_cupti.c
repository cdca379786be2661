/* The fake CUPTI: one subscriber, kernel records in buffers that are full or flushed. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guests/inject/abi.h"
#include "tests/trace/fake.h"

#define API __attribute__((visibility("default")))

API int cuptiGetVersion(uint32_t *version);
API int cuptiGetResultString(int result, const char **text);
API int cuptiSubscribe(void **subscriber, cupti_callback *callback, void *data);
API int cuptiUnsubscribe(void *subscriber);
API int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t call);
API int cuptiActivityRegisterCallbacks(cupti_buffer_requested *requested,
                                       cupti_buffer_completed *completed);
API int cuptiActivityEnable(int kind);
API int cuptiActivityDisable(int kind);
API int cuptiActivityFlushAll(uint32_t flag);
API int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record);
API int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cupti_callback *callback;
static void *callback_data;
static cupti_buffer_requested *request;
static cupti_buffer_completed *complete;
static bool enabled[1024], resources[64], records_kernels;
static uint8_t *buffer;
static size_t buffer_size, buffer_used, dropped;

static uint32_t version(void)
{
    const char *chosen = getenv("FAKE_CUPTI_VERSION");
    return chosen ? (uint32_t)atoi(chosen) : 130001;
}

/* Of the record of each release. */
static size_t record_bytes(void)
{
    const uint32_t of = version();
    const size_t graph_end = offsetof(struct cupti_kernel, access_policy);
    return of < 15 ? graph_end : of < 17 ? graph_end + 8 : of < 18 ? graph_end + 16 : 208;
}

int cuptiGetVersion(uint32_t *out)
{
    *out = version();
    return CUPTI_OK;
}

int cuptiGetResultString(int result, const char **text)
{
    *text = result == CUPTI_MULTIPLE_SUBSCRIBERS ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                                                 : "CUPTI_ERROR_UNKNOWN";
    return CUPTI_OK;
}

/* --- Calls and modules ------------------------------------------------------------------------ */

static void on_call(int site, uint32_t call, const void *params, const int32_t *result,
                    const char *symbol, uint32_t correlation)
{
    const struct cupti_callback_data data = {
        .site = site,
        .params = params,
        .result = result,
        .symbol_name = symbol,
        .correlation = correlation,
    };
    if (callback && __atomic_load_n(&enabled[call], __ATOMIC_RELAXED))
        callback(callback_data, CUPTI_DOMAIN_DRIVER, call, &data);
}

static void on_module(int loaded, const void *code, size_t bytes)
{
    struct cupti_module_data module = {.id = 1, .bytes = bytes, .code = code};
    const struct cupti_resource_data data = {.descriptor = &module};
    const uint32_t call = loaded ? CUPTI_MODULE_LOADED : CUPTI_MODULE_UNLOADS;
    if (callback && resources[call])
        callback(callback_data, CUPTI_DOMAIN_RESOURCE, call, &data);
}

/* --- Records ---------------------------------------------------------------------------------- */

/* FAKE_CUPTI_SHOWS=COUNT:FILE: the file is made once so many records have been delivered. */
static void show_delivery(size_t bytes)
{
    static unsigned long records;
    char *file;
    const char *shows = getenv("FAKE_CUPTI_SHOWS");
    records += bytes / record_bytes();
    if (shows && records >= strtoul(shows, &file, 10) && *file == ':')
        close(open(file + 1, O_WRONLY | O_CREAT, 0600));
}

static void deliver(void)
{
    uint8_t *full = buffer;
    const size_t used = buffer_used;
    const char *drops = getenv("FAKE_CUPTI_DROPS");
    buffer = NULL;
    if (full && drops)
        dropped += (size_t)atoi(drops);
    if (!full)
        return;
    complete(NULL, 0, full, buffer_size, used);
    show_delivery(used);
}

static void on_kernel(const char *name, int device, const uint32_t *grid, const uint32_t *block,
                      const uint32_t *cluster, int regs, int static_smem, uint32_t dynamic_smem,
                      uint64_t start, uint64_t end, uint32_t correlation, uint64_t graph_node)
{
    size_t most = 0;
    const size_t bytes = record_bytes();
    struct cupti_kernel record;
    if (!__atomic_load_n(&records_kernels, __ATOMIC_RELAXED))
        return;
    memset(&record, 0xee, sizeof record); /* what a release lacks must not be read */
    record.kind = CUPTI_KIND_CONCURRENT_KERNEL;
    record.cache_config = 0x20;
    record.regs = (uint16_t)(regs < 16 ? 16 : regs); /* as on an H200 */
    record.start_ns = start;
    record.end_ns = end;
    record.device = (uint32_t)device;
    record.static_smem = static_smem;
    record.dynamic_smem = (int32_t)dynamic_smem;
    record.correlation = correlation;
    record.name = name;
    record.carveout_requested = 0;
    record.smem_configured = 102400;
    record.graph_node = graph_node;
    for (int i = 0; i < 3; i++) {
        record.grid[i] = (int32_t)grid[i];
        record.block[i] = (int32_t)block[i];
        record.cluster[i] = cluster[i];
    }
    pthread_mutex_lock(&lock);
    if (buffer && buffer_used + bytes > buffer_size)
        deliver();
    if (!buffer) {
        request(&buffer, &buffer_size, &most);
        buffer_used = 0;
    }
    if (buffer) {
        memset(buffer + buffer_used, 0xee, bytes);
        memcpy(buffer + buffer_used, &record, bytes < sizeof record ? bytes : sizeof record);
        buffer_used += bytes;
    }
    pthread_mutex_unlock(&lock);
}

/* --- The interface ---------------------------------------------------------------------------- */

static struct fake_observer *observer(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return driver ? dlsym(driver, "fake_observer") : NULL;
}

int cuptiSubscribe(void **subscriber, cupti_callback *called, void *data)
{
    struct fake_observer *driver = observer();
    if (getenv("FAKE_CUPTI_REFUSES"))
        return CUPTI_MULTIPLE_SUBSCRIBERS;
    if (!driver)
        return 999;
    callback = called;
    callback_data = data;
    *subscriber = &callback;
    driver->call = on_call;
    driver->module = on_module;
    driver->kernel = on_kernel;
    return CUPTI_OK;
}

int cuptiUnsubscribe(void *subscriber)
{
    (void)subscriber;
    callback = NULL;
    return CUPTI_OK;
}

int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t call)
{
    const char *lacks = getenv("FAKE_CUPTI_LACKS");
    (void)subscriber;
    if (lacks && domain == CUPTI_DOMAIN_DRIVER && call == (uint32_t)atoi(lacks))
        return 1;
    if (domain == CUPTI_DOMAIN_DRIVER)
        __atomic_store_n(&enabled[call % 1024], enable, __ATOMIC_RELAXED);
    else
        resources[call % 64] = enable;
    return CUPTI_OK;
}

int cuptiActivityRegisterCallbacks(cupti_buffer_requested *requested,
                                   cupti_buffer_completed *completed)
{
    request = requested;
    complete = completed;
    return CUPTI_OK;
}

int cuptiActivityEnable(int kind)
{
    __atomic_store_n(&records_kernels, kind == CUPTI_KIND_CONCURRENT_KERNEL, __ATOMIC_RELAXED);
    return CUPTI_OK;
}

int cuptiActivityDisable(int kind)
{
    (void)kind;
    __atomic_store_n(&records_kernels, false, __ATOMIC_RELAXED);
    return CUPTI_OK;
}

int cuptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    pthread_mutex_lock(&lock);
    deliver();
    pthread_mutex_unlock(&lock);
    return CUPTI_OK;
}

int cuptiActivityGetNextRecord(uint8_t *in, size_t valid, void **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + record_bytes() : in;
    if (next + record_bytes() > in + valid)
        return CUPTI_MAX_LIMIT_REACHED;
    *record = next;
    return CUPTI_OK;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count)
{
    (void)context, (void)stream;
    *count = dropped;
    dropped = 0;
    return CUPTI_OK;
}
