/* The GPU back end: the order in which a kernel is loaded, launched, checked and timed. Refusals
   are results. Each step notes its outcome; a step that depends on a failed one is not made and
   says why. Only other failures (out of memory, a kernel that crashed the context) end the run. */
#include <stdio.h>
#include <string.h>

#include "base/platform.h"
#include "code/nvrtc.h"
#include "hardware/executor/gpu.h"
#include "hardware/fleet/check.h"
#include "hardware/user.h"

struct gpu_job {
    const struct smc_run_request *request;
    struct smc_run_result *result;
    struct smc_text *warnings;
    struct smc_error *error;
    struct smc_device device;
    struct smc_compiled probe; /* the residency probe with the register count of the prediction */
    struct smc_gpu_kernel kernel;
    struct smc_gpu_buffers buffers;
    struct smc_gpu_flush flush;
    void *user_buffer[SMC_MAX_USER_MEMORIES];              /* in the GPU's memory */
    uint64_t address[SMC_MAX_USER_MEMORIES];               /* of these, or the object over it */
    struct smc_gpu_texture texture[SMC_MAX_USER_MEMORIES]; /* over these */
    /* Their contents before the launch, also there; NULL: not kept, or the launch changes nothing
     */
    void *initial[SMC_MAX_USER_MEMORIES];
};

static void make_nothing(struct smc_run_result *result, const char *why)
{
    struct smc_attempt *const steps[] = {&result->load,         &result->opt_in, &result->launch,
                                         &result->probe,        &result->check,  &result->timing,
                                         &result->api_occupancy};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (!steps[i]->made)
            smc_not_made(steps[i], why);
}

/* Sets up the residency probe with the register count of the prediction. */
static enum smc_status adapt_probe(struct gpu_job *run, const struct smc_binary **binary)
{
    const struct smc_run_request *request = run->request;
    const struct smc_query *query = &request->answer->query;
    uint32_t regs_per_thread = request->answer->launch.regs_per_thread;
    *binary = &request->compiled->binary;
    if (!query->kernel || !query->kernel->is_probe ||
        run->result->compiled.regs_per_thread == regs_per_thread)
        return SMC_OK;
    struct smc_params params = query->params;
    *binary = &run->probe.binary;
    const struct smc_live_search search = {query->kernel, query->device.sm.cc, &query->compile,
                                           &params,       &run->probe,         run->warnings,
                                           run->error};
    enum smc_status status = smc_live_find(&search, regs_per_thread);
    run->result->compiled = run->probe.resources;
    return status;
}

static void gpu_load(struct gpu_job *run, const struct smc_binary *binary)
{
    struct smc_run_result *result = run->result;
    if (!smc_gpu_load(binary, smc_run_entry(run->request), &run->kernel, &result->load))
        return;
    /* The workspace of cooperative groups is in these two registers. */
    run->kernel.is_cooperative =
        run->request->user &&
        smc_run_is_cooperative(run->request, binary->ptx && strstr(binary->ptx, "%envreg2"));
    run->kernel.stores_matrices = binary->ptx && strstr(binary->ptx, "stmatrix.");
    smc_run_cluster(run->request, run->kernel.cluster);
    const struct cudaFuncAttributes *attributes = &run->kernel.attributes;
    result->api_regs_per_thread = (uint32_t)attributes->numRegs;
    result->api_static_smem_bytes = (uint32_t)attributes->sharedSizeBytes;
    result->api_max_threads_per_block = (uint32_t)attributes->maxThreadsPerBlock;
}

/* Applies the settings for all following launches, and asks the API about occupancy. */
static enum smc_status gpu_configure(struct gpu_job *run)
{
    const struct smc_launch *launch = &run->request->answer->launch;
    struct smc_run_result *result = run->result;
    smc_gpu_reserved_smem(run->request->settings->gpu_index, &result->api_reserved_smem,
                          &result->api_reserved_smem_bytes);
    SMC_TRY(smc_gpu_configure(&run->kernel, launch, &result->opt_in, run->error));
    smc_gpu_occupancy(&run->kernel, launch, &result->api_occupancy, &result->api_blocks_per_sm);
    smc_gpu_available_smem(&run->kernel, launch, result);
    if (launch->blocks_per_cluster > 1)
        smc_gpu_clusters(&run->kernel, run->request->answer->plan.grid, launch,
                         &result->api_cluster_occupancy, &result->api_clusters);
    return SMC_OK;
}

/* A refused launch does not change the state of the GPU. */
static enum smc_status check_after_refusal(struct gpu_job *run)
{
    enum smc_status status = smc_gpu_check_context(run->error);
    run->result->worked_on = status == SMC_OK;
    return status;
}

/* The first launch: its outputs are poisoned before it and checked after it. */
static enum smc_status gpu_launch(struct gpu_job *run)
{
    const struct smc_run_request *request = run->request;
    struct smc_run_result *result = run->result;
    SMC_TRY(smc_gpu_buffers_create(&request->answer->plan, request->settings->seed, &run->buffers,
                                   run->error));
    for (size_t i = 0; i < run->buffers.count; i++)
        result->device_memory_bytes += run->buffers.bytes[i];
    cudaError_t code = smc_gpu_launch(&run->kernel, &request->answer->plan,
                                      request->answer->launch.dynamic_smem_bytes, &run->buffers);
    if (!smc_gpu_attempt(&result->launch, code))
        return check_after_refusal(run);
    code = smc_gpu_wait(request->settings->timeout_ms, NULL, "", &result->finish);
    if (code == cudaSuccess || code == cudaErrorNotReady)
        return SMC_OK;
    return smc_gpu_fail(run->error, code, "the kernel crashed");
}

static enum smc_status gpu_check(struct gpu_job *run)
{
    SMC_TRY(smc_gpu_buffers_fetch_outputs(&run->request->answer->plan, &run->buffers, run->error));
    smc_check_outputs(run->request, (const void *const *)run->buffers.host, NULL, run->result);
    return SMC_OK;
}

static enum smc_status measure_residency(struct gpu_job *run, double budget_ms)
{
    struct smc_occupancy expected;
    struct smc_gpu_probe probe = {
        .regs_per_thread = run->request->answer->launch.regs_per_thread,
        .launch = run->request->answer->launch,
        .budget_ms = budget_ms,
        .timeout_ms = run->request->settings->timeout_ms,
    };
    smc_occupancy_compute(&run->device.sm, &probe.launch, &expected);
    probe.expected_blocks = expected.blocks_per_sm;
    return smc_gpu_probe(&run->device, &probe, &run->request->answer->query.compile, run->result,
                         run->warnings, run->error);
}

/* Measures the residency and the time. */
static enum smc_status gpu_measure(struct gpu_job *run, const struct smc_gpu_work *work)
{
    const struct smc_kernel *kernel = run->request->answer->query.kernel;
    const struct smc_run_settings *settings = run->request->settings;
    double start_ms = smc_clock_ms();
    enum smc_status status = SMC_OK;
    if (settings->no_probe)
        smc_not_made(&run->result->probe, "not requested");
    else
        status = measure_residency(run, settings->timeout_ms / 2.0);
    double left_ms = settings->timeout_ms - (smc_clock_ms() - start_ms);
    if (settings->timing_ms && settings->timing_ms < left_ms)
        left_ms = settings->timing_ms;
    if (status != SMC_OK || smc_is_lost(&run->result->finish))
        return status;
    if (kernel && kernel->is_racy)
        smc_not_made(&run->result->timing, "a kernel with a race is never timed");
    if (run->result->timing.message[0])
        return SMC_OK;
    run->result->cold = settings->cold;
    if (settings->cold)
        status = smc_gpu_flush_create(&run->device, &run->flush, run->error);
    if (status == SMC_OK)
        status = smc_gpu_time(work, settings->gpu_index, settings->timeout_ms, left_ms, run->result,
                              run->error);
    return status == SMC_OK && !smc_is_lost(&run->result->finish)
               ? smc_gpu_time_empty(work, run->request, &run->device, run->result, run->error)
               : status;
}

/* A run of the residency probe as the kernel: its launch is the measurement. A probe that does not
   end counts as launched. */
static enum smc_status run_probe(struct gpu_job *run)
{
    struct smc_run_result *result = run->result;
    enum smc_status status = measure_residency(run, run->request->settings->timeout_ms);
    bool lost = smc_is_lost(&result->finish);
    result->launch = lost ? (struct smc_attempt){.made = true, .succeeded = true} : result->probe;
    make_nothing(result, "the residency probe computes nothing");
    if (status == SMC_OK && result->launch.made && !result->launch.succeeded)
        status = check_after_refusal(run);
    return status;
}

static enum smc_status gpu_run_kernel(struct gpu_job *run)
{
    const struct smc_answer *answer = run->request->answer;
    struct smc_run_result *result = run->result;
    struct smc_gpu_planned planned = {
        &run->kernel, &answer->plan, answer->launch.dynamic_smem_bytes, &run->buffers, &run->flush};
    const struct smc_gpu_work work = smc_gpu_planned_work(&planned);
    enum smc_status status = gpu_launch(run);
    if (status != SMC_OK || !result->launch.succeeded) {
        make_nothing(result, "the launch was refused");
        return status;
    }
    if (!smc_is_lost(&result->finish))
        status = gpu_check(run);
    if (status == SMC_OK && !smc_is_lost(&result->finish))
        status = gpu_measure(run, &work);
    if (status == SMC_OK && !smc_is_lost(&result->finish))
        status = smc_gpu_count(&work, run->request, &run->device, result, run->error);
    if (smc_is_lost(&result->finish))
        make_nothing(result, result->finish.message);
    return status;
}

/* --- The user's kernel: it may write anywhere and never end ----------------------------------- */

/* Global memory is allocated; a variable of the module has its place, and contents unless they were
   set. */
static cudaError_t gpu_find_place(struct gpu_job *run, size_t index)
{
    struct smc_user_memory *memory = &run->request->user->memory[index];
    void **place = &run->user_buffer[index];
    size_t bytes;
    if (!memory->symbol)
        return cudaMalloc(place, memory->bytes ? memory->bytes : 1);
    cudaError_t code = cudaLibraryGetGlobal(place, &bytes, run->kernel.library, memory->symbol);
    if (code != cudaSuccess || bytes < memory->bytes)
        return code == cudaSuccess ? cudaErrorInvalidSymbol : code;
    return memory->is_initial
               ? cudaMemcpy(memory->before, *place, memory->bytes, cudaMemcpyDeviceToHost)
               : cudaSuccess;
}

/* Tensor maps, textures and surfaces. */
static enum smc_status gpu_make_objects(struct gpu_job *run)
{
    struct smc_user_run *user = run->request->user;
    const char *ptx = run->request->compiled->binary.ptx;
    for (size_t i = 0; i < user->memory_count; i++) {
        struct smc_user_memory *memory = &user->memory[i];
        const struct smc_user_argument *argument = memory->argument;
        void *buffer = run->user_buffer[i];
        if (argument->form == SMC_USER_TENSOR_MAP)
            SMC_TRY(smc_gpu_tensor_map(argument, buffer, memory->map, run->error));
        if (argument->form != SMC_USER_TEXTURE)
            continue;
        SMC_TRY(smc_gpu_texture_make(argument, buffer, smc_gpu_texture_is_linear(argument, ptx),
                                     &run->texture[i], run->error));
        run->address[i] = run->texture[i].object;
    }
    return SMC_OK;
}

static enum smc_status gpu_copy_in(struct gpu_job *run)
{
    struct smc_user_run *user = run->request->user;
    uint64_t total = 0;
    for (size_t i = 0; i < user->memory_count; i++)
        if (__builtin_add_overflow(total, user->memory[i].bytes, &total))
            return smc_fail(run->error, SMC_MACHINE, "the buffers are larger than any memory");
    SMC_TRY(smc_gpu_check_memory(total, "--arg", run->error));
    for (size_t i = 0; i < user->memory_count; i++) {
        cudaError_t code = gpu_find_place(run, i);
        if (code != cudaSuccess)
            return smc_gpu_fail(run->error, code, "finding room for a buffer");
        run->address[i] = (uintptr_t)run->user_buffer[i];
    }
    SMC_TRY(gpu_make_objects(run));
    smc_user_place(user, true, run->address);
    for (size_t i = 0; i < user->memory_count; i++) {
        const struct smc_user_memory *memory = &user->memory[i];
        cudaError_t code = memory->bytes == 0 ? cudaSuccess
                                              : cudaMemcpy(run->user_buffer[i], memory->after_gpu,
                                                           memory->bytes, cudaMemcpyHostToDevice);
        if (code == cudaSuccess)
            code = smc_gpu_texture_fill(&run->texture[i], run->user_buffer[i]);
        if (code != cudaSuccess)
            return smc_gpu_fail(run->error, code, "filling a buffer");
    }
    run->result->device_memory_bytes = total;
    return SMC_OK;
}

/* Keeps the contents before the launch, so that every timed launch begins with them; where there
   is no room for that, nothing is timed. */
static cudaError_t keep_initial(struct gpu_job *run)
{
    const struct smc_user_run *user = run->request->user;
    size_t available = 0, installed = 0;
    cudaError_t code = cudaMemGetInfo(&available, &installed);
    if (code == cudaSuccess && run->result->device_memory_bytes > available) {
        char why[128];
        snprintf(why, sizeof why,
                 "a launch can be repeated only with a second copy of the arrays, %llu MB, and "
                 "%zu MB are free",
                 smc_gpu_megabytes(run->result->device_memory_bytes), available / 1000000);
        smc_not_made(&run->result->timing, why);
        return cudaSuccess;
    }
    for (size_t i = 0; i < user->memory_count && code == cudaSuccess; i++) {
        size_t bytes = user->memory[i].bytes;
        code = bytes ? cudaMalloc(&run->initial[i], bytes) : cudaSuccess;
        if (code == cudaSuccess && bytes)
            code =
                cudaMemcpy(run->initial[i], run->user_buffer[i], bytes, cudaMemcpyDeviceToDevice);
    }
    if (code != cudaErrorMemoryAllocation)
        return code;
    cudaGetLastError();
    for (size_t i = 0; i < user->memory_count; i++) {
        smc_gpu_free(run->initial[i]);
        run->initial[i] = NULL;
    }
    smc_not_made(&run->result->timing, "there is no room for a second copy of the arrays, which a "
                                       "repeated launch needs");
    return cudaSuccess;
}

/* What the launch left as it was need not be restored. */
static void forget_unchanged(struct gpu_job *run)
{
    const struct smc_user_run *user = run->request->user;
    for (size_t i = 0; i < user->memory_count; i++) {
        const struct smc_user_memory *memory = &user->memory[i];
        if (run->initial[i] && memcmp(memory->before, memory->after_gpu, memory->bytes) == 0) {
            smc_gpu_free(run->initial[i]);
            run->initial[i] = NULL;
        }
    }
}

static cudaError_t restore_user(void *context)
{
    struct gpu_job *run = context;
    cudaError_t code = cudaSuccess;
    for (size_t i = 0; i < run->request->user->memory_count && code == cudaSuccess; i++) {
        if (!run->initial[i])
            continue;
        code = run->texture[i].array ? smc_gpu_texture_fill(&run->texture[i], run->initial[i])
                                     : cudaMemcpyAsync(run->user_buffer[i], run->initial[i],
                                                       run->request->user->memory[i].bytes,
                                                       cudaMemcpyDeviceToDevice, NULL);
    }
    return code == cudaSuccess ? smc_gpu_flush_enqueue(&run->flush) : code;
}

static cudaError_t launch_user(void *context)
{
    struct gpu_job *run = context;
    const struct smc_user_run *user = run->request->user;
    const struct smc_user_request *request = &user->request;
    void *arguments[SMC_MAX_USER_ARGUMENTS];
    for (size_t i = 0; i < request->argument_count; i++)
        /* The runtime reads as many bytes as the parameter has. */
        arguments[i] = smc_user_passes_memory(&request->argument[i])
                           ? (void *)&run->address[smc_user_memory_of(user, i)]
                           : (void *)(uintptr_t)smc_user_passed(user, i);
    return smc_gpu_start(&run->kernel, request->grid, request->block,
                         run->request->answer->launch.dynamic_smem_bytes, arguments);
}

static enum smc_status copy_out(const struct gpu_job *run)
{
    struct smc_user_run *user = run->request->user;
    for (size_t i = 0; i < user->memory_count; i++) {
        const struct smc_user_memory *memory = &user->memory[i];
        cudaError_t code = smc_gpu_texture_fetch(&run->texture[i], run->user_buffer[i]);
        if (code == cudaSuccess && memory->bytes > 0)
            code = cudaMemcpy(memory->after_gpu, run->user_buffer[i], memory->bytes,
                              cudaMemcpyDeviceToHost);
        if (code != cudaSuccess)
            return smc_gpu_fail(run->error, code, "copying a buffer back");
    }
    smc_user_unplace(user, true, run->address);
    return SMC_OK;
}

/* A crash is a result, but it destroys the context and so ends the run. */
static enum smc_status gpu_run_user(struct gpu_job *run)
{
    const struct smc_run_settings *settings = run->request->settings;
    const struct smc_gpu_work work = {launch_user, restore_user, run, run->kernel.stores_matrices};
    struct smc_run_result *result = run->result;
    SMC_TRY(gpu_copy_in(run));
    cudaError_t kept = keep_initial(run);
    if (kept != cudaSuccess)
        return smc_gpu_fail(run->error, kept, "a second copy of the arrays");
    if (!smc_gpu_attempt(&result->launch, launch_user(run)))
        return check_after_refusal(run);
    double start_ms = smc_clock_ms();
    cudaError_t code = smc_gpu_wait(settings->timeout_ms, settings->stop, "", &result->finish);
    result->first_launch_ms = smc_clock_ms() - start_ms;
    result->stopped = code == cudaErrorNotReady && settings->stop && settings->stop();
    enum smc_status status = result->finish.succeeded ? copy_out(run) : SMC_OK;
    if (status != SMC_OK || !result->finish.succeeded)
        return status;
    forget_unchanged(run);
    status = gpu_measure(run, &work);
    if (status == SMC_OK && !smc_is_lost(&result->finish))
        status = smc_gpu_count(&work, run->request, &run->device, result, run->error);
    return status;
}

/* --- A run ------------------------------------------------------------------------------------ */

static enum smc_status gpu_run_steps(struct gpu_job *run)
{
    const struct smc_run_request *request = run->request;
    struct smc_run_result *result = run->result;
    const struct smc_binary *binary;
    if (!result->compile.succeeded) {
        make_nothing(result, "the kernel did not compile");
        return SMC_OK;
    }
    SMC_TRY(adapt_probe(run, &binary));
    gpu_load(run, binary);
    if (!result->load.succeeded) {
        make_nothing(result, "the driver did not take the machine code");
        return SMC_OK;
    }
    SMC_TRY(gpu_configure(run));
    return request->user                             ? gpu_run_user(run)
           : request->answer->query.kernel->is_probe ? run_probe(run)
                                                     : gpu_run_kernel(run);
}

/* Memory that a running kernel may still use is not freed before the process ends. */
static void clean_up(struct gpu_job *run)
{
    if (smc_is_lost(&run->result->finish)) {
        smc_gpu_buffers_leave(&run->buffers);
    } else {
        for (size_t i = 0; run->request->user && i < run->request->user->memory_count; i++) {
            smc_gpu_free(run->initial[i]);
            smc_gpu_texture_free(&run->texture[i]);
            if (!run->request->user->memory[i].symbol) /* a variable goes with the module */
                smc_gpu_free(run->user_buffer[i]);
        }
        smc_gpu_free(run->flush.memory);
        smc_gpu_buffers_free(&run->buffers);
        smc_gpu_unload(&run->kernel);
    }
    smc_binary_free(&run->probe.binary);
}

static enum smc_status gpu_run(const struct smc_run_request *request, struct smc_run_result *result,
                               struct smc_text *warnings, struct smc_error *error)
{
    struct gpu_job state = {
        .request = request, .result = result, .warnings = warnings, .error = error};
    int gpu_index = request->settings->gpu_index;
    smc_run_begin(request, result);
    SMC_TRY(smc_gpu_device(gpu_index, &state.device, error));
    if (smc_gpu_is_slice(&state.device))
        smc_warn(warnings,
                 "GPU %d is a slice of a GPU (MIG): its SMs, its memory and its speed are the "
                 "slice's, and counters may be out of reach",
                 gpu_index);
    smc_gpu_uuid(gpu_index, result->gpu_uuid);
    SMC_TRY(smc_gpu_use(gpu_index, error));
    smc_gpu_versions(result->driver, result->runtime);
    enum smc_status status = gpu_run_steps(&state);
    clean_up(&state);
    return status;
}

const struct smc_executor smc_executor_gpu = {
    .name = "gpu",
    .device_count = smc_gpu_device_count,
    .device = smc_gpu_device,
    .run = gpu_run,
};
