/* Kernels on the GPU: loading machine code, settings, occupancy as reported by the API,
   launching. */
#include "config.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/platform.h"
#include "hardware/executor/gpu.h"

enum smc_status smc_gpu_check_context(struct smc_error *error)
{
    uint32_t *word = NULL, seen = 0;
    cudaError_t code = cudaMalloc((void **)&word, sizeof *word);
    if (code == cudaSuccess)
        code = cudaMemset(word, 0x5a, sizeof *word);
    if (code == cudaSuccess)
        code = cudaMemcpy(&seen, word, sizeof seen, cudaMemcpyDeviceToHost);
    cudaError_t freed = cudaFree(word);
    if (code == cudaSuccess)
        code = freed;
    if (code != cudaSuccess)
        return smc_gpu_fail(error, code, "the GPU did not survive the failure before");
    if (seen != 0x5a5a5a5a)
        return smc_fail(error, SMC_MACHINE, "the GPU's memory does not keep what is written to it");
    return SMC_OK;
}

/* The built-in PTX is of the newest PTX ISA, which a driver may not know; its instructions are of
   PTX ISA 7.4. Returns a copy for cudaLibraryLoadData. */
static char *lower_version(const char *ptx)
{
    static const char directive[] = ".version ", version[] = "7.4";
    char *copy = smc_strdup(ptx), *at = copy ? strstr(copy, directive) : NULL;
    if (at && strcspn(at + strlen(directive), "\n") == strlen(version))
        memcpy(at + strlen(directive), version, strlen(version));
    return copy;
}

bool smc_gpu_load(const struct smc_binary *binary, const char *entry, struct smc_gpu_kernel *kernel,
                  struct smc_attempt *attempt)
{
    smc_auto_free char *ptx = binary->cubin ? NULL : lower_version(binary->ptx);
    *kernel = (struct smc_gpu_kernel){0};
    cudaError_t code = binary->cubin || ptx
                           ? cudaLibraryLoadData(&kernel->library, ptx ? ptx : binary->cubin, NULL,
                                                 NULL, 0, NULL, NULL, 0)
                           : cudaErrorMemoryAllocation;
    if (code == cudaSuccess)
        code = cudaLibraryGetKernel(&kernel->handle, kernel->library, entry);
    if (code == cudaSuccess)
        code = cudaFuncGetAttributes(&kernel->attributes, kernel->handle);
    return smc_gpu_attempt(attempt, code);
}

void smc_gpu_unload(struct smc_gpu_kernel *kernel)
{
    if (kernel->library && cudaLibraryUnload(kernel->library) != cudaSuccess)
        cudaGetLastError(); /* a failure loses only memory of a process that is about to end */
    *kernel = (struct smc_gpu_kernel){0};
}

/* cudaFuncSetCacheConfig does not accept the handles of libraries; from CC 7.0 on the preferences
   are equivalent to these carve-outs. */
static int32_t gpu_launch_carveout_of(const struct smc_launch *launch)
{
    static const int32_t percents[] = {
        [SMC_CACHE_PREFER_NONE] = SMC_CARVEOUT_DEFAULT,
        [SMC_CACHE_PREFER_SHARED] = cudaSharedmemCarveoutMaxShared,
        [SMC_CACHE_PREFER_L1] = cudaSharedmemCarveoutMaxL1,
        [SMC_CACHE_PREFER_EQUAL] = 50,
    };
    bool given = launch->carveout_percent != SMC_CARVEOUT_DEFAULT;
    return given ? launch->carveout_percent : percents[launch->cache_config];
}

/* "13.5" of 13050. */
static void write_version(int version, char text[SMC_GPU_VERSION_CHARS])
{
    snprintf(text, SMC_GPU_VERSION_CHARS, "%d.%d", version / 1000, version % 1000 / 10);
}

/* Checked before the call, because an older runtime or driver refuses the mode only as an invalid
   value. */
static enum smc_status check_smem_mode(enum smc_smem_mode mode, struct smc_error *error)
{
    char driver[SMC_GPU_VERSION_CHARS], runtime[SMC_GPU_VERSION_CHARS];
    int of_driver = 0, of_runtime = 0;
    if (cudaDriverGetVersion(&of_driver) != cudaSuccess ||
        cudaRuntimeGetVersion(&of_runtime) != cudaSuccess)
        cudaGetLastError();
    if (of_driver >= SMC_GPU_FIRST_WITH_SMEM_MODE && of_runtime >= SMC_GPU_FIRST_WITH_SMEM_MODE)
        return SMC_OK;
    write_version(of_driver, driver);
    write_version(of_runtime, runtime);
    return smc_fail(error, SMC_UNAVAILABLE,
                    "option --smem-mode: '%s' needs the runtime and a driver of CUDA 13.5 "
                    "(cudaFuncAttributeSharedMemoryMode); the runtime in this program is of CUDA "
                    "%s, the driver of %s",
                    smc_smem_mode_name(mode), runtime, driver);
}

/* The mode determines how much dynamic shared memory a launch may request; the attribute of the
   default mode is ignored. */
static enum smc_status set_smem_mode(const struct smc_gpu_kernel *kernel, enum smc_smem_mode mode,
                                     struct smc_attempt *opt_in, struct smc_error *error)
{
    SMC_TRY(check_smem_mode(mode, error));
    smc_gpu_attempt(opt_in, cudaFuncSetAttribute(
                                kernel->handle, (enum cudaFuncAttribute)SMC_GPU_ATTRIBUTE_SMEM_MODE,
                                (int)mode));
    return SMC_OK;
}

/* Of every GPU: a larger one needs an attribute. */
enum { MOST_PORTABLE_CLUSTER = 8 };

enum smc_status smc_gpu_configure(const struct smc_gpu_kernel *kernel,
                                  const struct smc_launch *launch, struct smc_attempt *opt_in,
                                  struct smc_error *error)
{
    cudaError_t code =
        cudaFuncSetAttribute(kernel->handle, cudaFuncAttributePreferredSharedMemoryCarveout,
                             gpu_launch_carveout_of(launch));
    if (code != cudaSuccess)
        return smc_gpu_fail(error, code, "the shared-memory carve-out");
    if (launch->blocks_per_cluster > MOST_PORTABLE_CLUSTER && !launch->cluster_not_opted_in)
        code =
            cudaFuncSetAttribute(kernel->handle, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (code != cudaSuccess)
        return smc_gpu_fail(error, code, "the cluster size");
    if (launch->smem_mode != SMC_SMEM_MODE_DEFAULT)
        return set_smem_mode(kernel, launch->smem_mode, opt_in, error);

    int default_bytes = kernel->attributes.maxDynamicSharedSizeBytes;
    if (launch->dynamic_smem_bytes <= (uint32_t)default_bytes)
        smc_not_made(opt_in, "not needed");
    else if (launch->smem_not_opted_in)
        smc_not_made(opt_in, "not requested");
    else if (launch->dynamic_smem_bytes > INT32_MAX)
        smc_gpu_attempt(opt_in, cudaErrorInvalidValue); /* the attribute is an int */
    else
        smc_gpu_attempt(opt_in, cudaFuncSetAttribute(kernel->handle,
                                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                     (int)launch->dynamic_smem_bytes));
    return SMC_OK;
}

void smc_gpu_occupancy(const struct smc_gpu_kernel *kernel, const struct smc_launch *launch,
                       struct smc_attempt *attempt, uint32_t *blocks_per_sm)
{
    int blocks = 0;
    cudaError_t code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, kernel->handle, (int)launch->threads_per_block, launch->dynamic_smem_bytes);
    *blocks_per_sm = smc_gpu_attempt(attempt, code) ? (uint32_t)blocks : 0;
}

void smc_gpu_available_smem(const struct smc_gpu_kernel *kernel, const struct smc_launch *launch,
                            struct smc_run_result *result)
{
    size_t bytes = 0;
    uint32_t cap = (uint32_t)kernel->attributes.maxDynamicSharedSizeBytes;
    bool opted_in = result->opt_in.made && result->opt_in.succeeded;
    if (!result->api_occupancy.succeeded || result->api_blocks_per_sm == 0)
        return;
    result->dynamic_smem_cap_bytes = opted_in ? launch->dynamic_smem_bytes : cap;
    if (cudaDriverGetVersion(&result->driver_version) != cudaSuccess)
        cudaGetLastError();
    if (smc_gpu_attempt(&result->api_available_smem,
                        cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel->handle,
                                                                  (int)result->api_blocks_per_sm,
                                                                  (int)launch->threads_per_block)))
        result->api_available_smem_bytes = (uint32_t)bytes;
}

static cudaError_t start_clusters(const struct smc_gpu_kernel *kernel, dim3 grid, dim3 block,
                                  uint32_t dynamic_smem_bytes, void **arguments)
{
    cudaLaunchAttribute attributes[2] = {
        {.id = cudaLaunchAttributeClusterDimension},
        {.id = cudaLaunchAttributeCooperative},
    };
    attributes[0].val.clusterDim.x = kernel->cluster[0];
    attributes[0].val.clusterDim.y = kernel->cluster[1];
    attributes[0].val.clusterDim.z = kernel->cluster[2];
    attributes[1].val.cooperative = 1;
    const cudaLaunchConfig_t config = {
        .gridDim = grid,
        .blockDim = block,
        .dynamicSmemBytes = dynamic_smem_bytes,
        .attrs = attributes,
        .numAttrs = kernel->is_cooperative ? 2 : 1,
    };
    return cudaLaunchKernelExC(&config, kernel->handle, arguments);
}

cudaError_t smc_gpu_start(const struct smc_gpu_kernel *kernel, const uint32_t grid[3],
                          const uint32_t block[3], uint32_t dynamic_smem_bytes, void **arguments)
{
    dim3 blocks = {grid[0], grid[1], grid[2]}, threads = {block[0], block[1], block[2]};
    cudaError_t code = kernel->cluster[0] > 0
                           ? start_clusters(kernel, blocks, threads, dynamic_smem_bytes, arguments)
                       : kernel->is_cooperative
                           ? cudaLaunchCooperativeKernel(kernel->handle, blocks, threads, arguments,
                                                         dynamic_smem_bytes, NULL)
                           : cudaLaunchKernel(kernel->handle, blocks, threads, arguments,
                                              dynamic_smem_bytes, NULL);
    cudaError_t last = cudaGetLastError();
    return code != cudaSuccess ? code : last;
}

cudaError_t smc_gpu_launch(const struct smc_gpu_kernel *kernel, const struct smc_plan *plan,
                           uint32_t dynamic_smem_bytes, struct smc_gpu_buffers *buffers)
{
    int32_t narrow[SMC_MAX_ARGUMENTS];
    int64_t wide[SMC_MAX_ARGUMENTS];
    void *arguments[SMC_MAX_ARGUMENTS];
    for (size_t i = 0; i < plan->argument_count; i++) {
        wide[i] = plan->argument[i].value;
        narrow[i] = (int32_t)wide[i];
        switch (plan->argument[i].kind) {
        case SMC_ARGUMENT_BUFFER:
            arguments[i] = &buffers->device[wide[i]];
            break;
        case SMC_ARGUMENT_INT32:
            arguments[i] = &narrow[i];
            break;
        case SMC_ARGUMENT_INT64:
            arguments[i] = &wide[i];
            break;
        }
    }
    return smc_gpu_start(kernel, plan->grid, plan->block, dynamic_smem_bytes, arguments);
}

/* --- Waiting ---------------------------------------------------------------------------------- */

/* A short launch is polled without a pause, so that the GPU does not idle between two measurements;
   the longer a launch takes, the less often it is polled. */
static void pause_after(double waited_ms)
{
    const double eager_ms = 1, longest_ms = 2;
    double pause_ms = waited_ms / 16 < longest_ms ? waited_ms / 16 : longest_ms;
    const struct timespec pause = {0, (long)(pause_ms * 1e6)};
    if (waited_ms > eager_ms)
        nanosleep(&pause, NULL);
}

static cudaError_t ask_until(double deadline_ms, bool (*stop)(void))
{
    double start_ms = smc_clock_ms();
    for (;;) {
        double now_ms = smc_clock_ms();
        cudaError_t code = cudaStreamQuery(NULL);
        if (code != cudaErrorNotReady)
            return code;
        cudaGetLastError(); /* "not ready" counts as an error */
        if (now_ms > deadline_ms || (stop && stop()))
            return code;
        pause_after(now_ms - start_ms);
    }
}

cudaError_t smc_gpu_wait(uint32_t timeout_ms, bool (*stop)(void), const char *what,
                         struct smc_attempt *finish)
{
    double start_ms = smc_clock_ms();
    cudaError_t code = ask_until(start_ms + timeout_ms, stop);
    double waited_ms = smc_clock_ms() - start_ms;
    bool late = waited_ms > timeout_ms;
    smc_gpu_attempt(finish, code);
    if (code == cudaErrorNotReady)
        snprintf(finish->message, sizeof finish->message,
                 "%snot finished after %.0f ms on the GPU%s", what, late ? timeout_ms : waited_ms,
                 late ? " (--timeout)" : "");
    return code;
}

/* --- Buffers ---------------------------------------------------------------------------------- */

unsigned long long smc_gpu_megabytes(uint64_t bytes)
{
    return (bytes + 999999) / 1000000;
}

enum smc_status smc_gpu_check_memory(uint64_t bytes, const char *option, struct smc_error *error)
{
    size_t available = 0, installed = 0;
    cudaError_t code = cudaMemGetInfo(&available, &installed);
    if (code != cudaSuccess)
        return smc_gpu_fail(error, code, "cudaMemGetInfo");
    if (bytes > available)
        return smc_fail(error, SMC_MACHINE,
                        "the buffers need %llu MB of GPU memory, of which %llu MB are free; a "
                        "smaller %s needs less",
                        smc_gpu_megabytes(bytes), available / 1000000ull, option);
    return SMC_OK;
}

void smc_gpu_free(void *memory)
{
    if (memory && cudaFree(memory) != cudaSuccess)
        cudaGetLastError();
}

static enum smc_status gpu_launch_measure(const struct smc_plan *plan,
                                          struct smc_gpu_buffers *buffers, struct smc_error *error)
{
    size_t total = 0;
    buffers->count = plan->buffer_count;
    for (size_t i = 0; i < plan->buffer_count; i++) {
        size_t element = smc_dtype_bytes(plan->buffer[i].dtype);
        if (__builtin_mul_overflow(plan->buffer[i].elements, element, &buffers->bytes[i]) ||
            __builtin_add_overflow(total, buffers->bytes[i], &total))
            return smc_fail(error, SMC_MACHINE, "buffer %s is larger than any memory",
                            plan->buffer[i].name);
    }
    uint64_t of_machine = smc_machine_memory_bytes();
    if (total > of_machine)
        return smc_fail(error, SMC_MACHINE,
                        "the buffers need %llu MB of this machine's memory, which has %llu MB; a "
                        "smaller --size needs less",
                        smc_gpu_megabytes(total), of_machine / 1000000ull);
    return smc_gpu_check_memory(total, "--size", error);
}

static enum smc_status gpu_launch_allocate(size_t bytes, const char *name, void **host,
                                           void **device, struct smc_error *error)
{
    size_t at_least_one = bytes ? bytes : 1;
    *host = smc_malloc(at_least_one);
    if (!*host)
        return smc_fail(error, SMC_MACHINE, "no memory for %llu MB of buffer %s",
                        smc_gpu_megabytes(bytes), name);
    cudaError_t code = cudaMalloc(device, at_least_one);
    return code == cudaSuccess ? SMC_OK : smc_gpu_fail(error, code, "cudaMalloc");
}

enum smc_status smc_gpu_buffers_create(const struct smc_plan *plan, uint64_t seed,
                                       struct smc_gpu_buffers *buffers, struct smc_error *error)
{
    *buffers = (struct smc_gpu_buffers){0};
    enum smc_status status = gpu_launch_measure(plan, buffers, error);
    for (size_t i = 0; i < plan->buffer_count && status == SMC_OK; i++) {
        const struct smc_buffer *buffer = &plan->buffer[i];
        size_t bytes = buffers->bytes[i];
        status =
            gpu_launch_allocate(bytes, buffer->name, &buffers->host[i], &buffers->device[i], error);
        if (status != SMC_OK)
            break;
        cudaError_t code;
        if (buffer->output) {
            code = cudaMemset(buffers->device[i], smc_dtype_poison(buffer->dtype), bytes);
        } else {
            smc_fill_random(buffer, seed + i, buffers->host[i]);
            code = cudaMemcpy(buffers->device[i], buffers->host[i], bytes, cudaMemcpyHostToDevice);
        }
        if (code != cudaSuccess)
            status = smc_gpu_fail(error, code, "filling a buffer");
    }
    return status;
}

enum smc_status smc_gpu_buffers_fetch_outputs(const struct smc_plan *plan,
                                              struct smc_gpu_buffers *buffers,
                                              struct smc_error *error)
{
    for (size_t i = 0; i < buffers->count; i++) {
        if (!plan->buffer[i].output)
            continue;
        cudaError_t code = cudaMemcpy(buffers->host[i], buffers->device[i], buffers->bytes[i],
                                      cudaMemcpyDeviceToHost);
        if (code != cudaSuccess)
            return smc_gpu_fail(error, code, "copying the result back");
    }
    return SMC_OK;
}

void smc_gpu_buffers_free(struct smc_gpu_buffers *buffers)
{
    for (size_t i = 0; i < buffers->count; i++)
        smc_gpu_free(buffers->device[i]);
    smc_gpu_buffers_leave(buffers);
}

void smc_gpu_buffers_leave(struct smc_gpu_buffers *buffers)
{
    for (size_t i = 0; i < buffers->count; i++)
        free(buffers->host[i]);
    *buffers = (struct smc_gpu_buffers){0};
}

/* --- Times ------------------------------------------------------------------------------------ */

cudaError_t smc_gpu_stopwatch_create(struct smc_gpu_stopwatch *watch)
{
    cudaError_t code = cudaEventCreate(&watch->before);
    return code == cudaSuccess ? cudaEventCreate(&watch->after) : code;
}

void smc_gpu_stopwatch_destroy(struct smc_gpu_stopwatch *watch)
{
    const cudaEvent_t events[] = {watch->before, watch->after};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i] && cudaEventDestroy(events[i]) != cudaSuccess)
            cudaGetLastError();
    *watch = (struct smc_gpu_stopwatch){0};
}

cudaError_t smc_gpu_stopwatch_start(const struct smc_gpu_stopwatch *watch)
{
    return cudaEventRecord(watch->before, NULL);
}

cudaError_t smc_gpu_stopwatch_stop(const struct smc_gpu_stopwatch *watch, cudaError_t code)
{
    return code == cudaSuccess ? cudaEventRecord(watch->after, NULL) : code;
}

cudaError_t smc_gpu_stopwatch_read(const struct smc_gpu_stopwatch *watch, cudaError_t code,
                                   double *ms)
{
    float elapsed = 0;
    if (code == cudaSuccess)
        code = cudaEventElapsedTime(&elapsed, watch->before, watch->after);
    *ms = elapsed;
    return code;
}

enum smc_status smc_gpu_flush_create(const struct smc_device *device, struct smc_gpu_flush *flush,
                                     struct smc_error *error)
{
    const size_t of_unknown_cache = 256 << 20;
    *flush = (struct smc_gpu_flush){.bytes = device->l2_bytes ? 2 * (size_t)device->l2_bytes
                                                              : of_unknown_cache};
    cudaError_t code = cudaMalloc(&flush->memory, flush->bytes);
    return code == cudaSuccess ? SMC_OK : smc_gpu_fail(error, code, "room to flush the L2 cache");
}

cudaError_t smc_gpu_flush_enqueue(const struct smc_gpu_flush *flush)
{
    return flush->memory ? cudaMemsetAsync(flush->memory, 0, flush->bytes, NULL) : cudaSuccess;
}

/* The host and the GPU's queue share a gate, and the last of the two frees it. */
struct gate {
    atomic_int holders;
    atomic_bool open;
};

static void leave_gate(struct gate *gate)
{
    if (atomic_fetch_sub(&gate->holders, 1) == 1)
        free(gate);
}

static void CUDART_CB wait_at_gate(void *data)
{
    enum { LONGEST_MS = 100 };
    struct gate *gate = data;
    double start_ms = smc_clock_ms();
    while (!atomic_load(&gate->open) && smc_clock_ms() - start_ms < LONGEST_MS)
        sched_yield();
    leave_gate(gate);
}

static cudaError_t close_gate(struct gate **gate)
{
    *gate = smc_malloc(sizeof **gate);
    if (!*gate)
        return cudaErrorMemoryAllocation;
    atomic_init(&(*gate)->holders, 2);
    atomic_init(&(*gate)->open, false);
    cudaError_t code = cudaLaunchHostFunc(NULL, wait_at_gate, *gate);
    if (code != cudaSuccess) {
        free(*gate);
        *gate = NULL;
    }
    return code;
}

static void open_gate(struct gate *gate)
{
    if (!gate)
        return;
    atomic_store(&gate->open, true);
    leave_gate(gate);
}

static cudaError_t launch_planned(void *context)
{
    const struct smc_gpu_planned *planned = context;
    return smc_gpu_launch(planned->kernel, planned->plan, planned->dynamic_smem_bytes,
                          planned->buffers);
}

static cudaError_t flush_before(void *context)
{
    const struct smc_gpu_planned *planned = context;
    return smc_gpu_flush_enqueue(planned->flush);
}

struct smc_gpu_work smc_gpu_planned_work(struct smc_gpu_planned *planned)
{
    return (struct smc_gpu_work){.launch = launch_planned,
                                 .prepare = planned->flush ? flush_before : NULL,
                                 .context = planned};
}

cudaError_t smc_gpu_time_batch(const struct smc_gpu_stopwatch *watch, int launches,
                               const struct smc_gpu_work *work)
{
    struct gate *gate;
    cudaError_t code = close_gate(&gate);
    for (int i = 0; i < launches && code == cudaSuccess; i++) {
        if (work->prepare)
            code = work->prepare(work->context);
        if (code == cudaSuccess)
            code = smc_gpu_stopwatch_start(&watch[i]);
        if (code == cudaSuccess)
            code = work->launch(work->context);
        code = smc_gpu_stopwatch_stop(&watch[i], code);
    }
    open_gate(gate);
    return code;
}
