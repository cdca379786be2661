/* The emulator's back end: compiles for the device asked about, runs the PTX on the CPU, and
   counts. What only a GPU can answer is not measured, and says so. */
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/memory.h"
#include "compile/source.h"
#include "executor/check.h"
#include "executor/clock.h"
#include "executor/emulated_run.h"
#include "executor/emulator_own.h"
#include "executor/request_compile.h"

struct run {
    const struct smc_run_request *request;
    struct smc_run_result *result;
    struct smc_text *warnings;
    struct smc_error *error;
    struct smc_binary binary;
    struct smc_program *program;
    struct smc_emulated_array arrays[SMC_MAX_BUFFERS];
    struct smc_emulation emulation;
    struct smc_bank_layout banks;
};

static void not_on_a_gpu(struct smc_run_result *result)
{
    struct smc_attempt *const steps[] = {&result->load,  &result->opt_in,        &result->launch,
                                         &result->probe, &result->api_occupancy, &result->timing};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        smc_not_made(steps[i], "only a GPU tells");
}

static void not_emulated(struct smc_run_result *result, const char *why)
{
    smc_not_made(&result->emulation, why);
    smc_not_made(&result->check, why);
}

static enum smc_status compile(struct run *run)
{
    struct smc_run_request request = *run->request;
    request.compile.ptx_suffices = true;
    enum smc_status status =
        smc_request_compile(&request, run->result, &run->binary, run->warnings, run->error);
    if (status == SMC_OK && run->result->compile.succeeded && !run->binary.ptx)
        return smc_fail(run->error, SMC_UNAVAILABLE, "this NVRTC gives no PTX");
    return status;
}

/* The arrays are written at once, and memory that only seems to be there ends other programs. */
static enum smc_status check_memory(const struct smc_plan *plan, struct smc_error *error)
{
    uint64_t total = 0, bytes, machine = smc_machine_memory_bytes();
    for (size_t i = 0; i < plan->buffer_count; i++)
        if (__builtin_mul_overflow(plan->buffer[i].elements, smc_dtype_bytes(plan->buffer[i].dtype),
                                   &bytes) ||
            __builtin_add_overflow(total, bytes, &total))
            total = UINT64_MAX;
    if (total <= machine / 4 * 3)
        return SMC_OK;
    return smc_fail(
        error, SMC_MACHINE,
        "--on emulator: the arrays take %llu MB, too much of the %llu MB of this machine; "
        "give smaller sizes",
        (unsigned long long)(total >> 20), (unsigned long long)(machine >> 20));
}

static enum smc_status make_arrays(struct run *run)
{
    const struct smc_plan *plan = &run->request->plan;
    enum smc_status status = check_memory(plan, run->error);
    if (status != SMC_OK)
        return status;
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct smc_buffer *buffer = &plan->buffer[i];
        size_t bytes;
        bool fits =
            !__builtin_mul_overflow(buffer->elements, smc_dtype_bytes(buffer->dtype), &bytes);
        void *data = fits ? smc_malloc(bytes ? bytes : 1) : NULL;
        if (!data)
            return smc_fail(run->error, SMC_MACHINE, "no memory for buffer %s", buffer->name);
        run->arrays[i] = (struct smc_emulated_array){buffer->name, data, bytes};
        if (buffer->output)
            memset(data, smc_dtype_poison(buffer->dtype), bytes);
        else
            smc_fill_random(buffer, run->request->seed + i, data);
    }
    return SMC_OK;
}

static bool is_wished(const void *request)
{
    return ((const struct smc_run_request *)request)->stop();
}

static enum smc_status emulate(struct run *run)
{
    const struct smc_run_request *request = run->request;
    const struct smc_plan *plan = &request->plan;
    struct smc_emulated_argument arguments[SMC_MAX_ARGUMENTS] = {{0}};
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct smc_argument *argument = &plan->argument[i];
        arguments[i].is_array = argument->kind == SMC_ARGUMENT_BUFFER;
        arguments[i].array = arguments[i].is_array ? (size_t)argument->value : 0;
        arguments[i].value = &argument->value; /* the low bytes come first */
    }
    struct smc_emulation_request launch = {
        .program = run->program,
        .grid = {plan->grid[0], plan->grid[1], plan->grid[2]},
        .block = {plan->block[0], plan->block[1], plan->block[2]},
        .dynamic_smem_bytes = request->launch.dynamic_smem_bytes,
        .arrays = run->arrays,
        .array_count = plan->buffer_count,
        .arguments = arguments,
        .argument_count = plan->argument_count,
        .sm_count = request->device.sm_count,
        .stop = request->stop ? is_wished : NULL,
        .stop_context = request,
        .progress = request->progress,
    };
    smc_bank_layout_of(&request->device.sm, SMC_BANK_MODE_4_BYTES, &run->banks);
    launch.banks = run->banks;
    double start_ms = smc_clock_ms();
    enum smc_status status = smc_emulate(&launch, &run->emulation, run->error);
    run->result->emulated.elapsed_ms = smc_clock_ms() - start_ms;
    return status;
}

/* Beside each of the model's arrays, what was seen of it. */
static void copy_accesses(const struct run *run, struct smc_emulated_run *emulated)
{
    const struct smc_run_request *request = run->request;
    struct smc_work work = {0};
    request->kernel->work(request->kernel, &request->params, &work);
    emulated->access_count = work.access_count;
    for (size_t i = 0; i < work.access_count; i++) {
        struct smc_global_access *out = &emulated->access[i];
        *out =
            (struct smc_global_access){.name = work.access[i].name, .store = work.access[i].store};
        for (size_t a = 0; a < request->plan.buffer_count; a++) {
            const struct smc_emulated_traffic *seen =
                &run->emulation.array[a].kind[out->store ? SMC_EMULATED_STORE : SMC_EMULATED_LOAD];
            if (strcmp(request->plan.buffer[a].name, out->name) != 0)
                continue;
            out->requests = (double)seen->requests;
            out->sectors = (double)seen->sectors;
            out->elements =
                (double)seen->bytes / (double)smc_dtype_bytes(request->plan.buffer[a].dtype);
        }
    }
}

/* The counts beside the lines of the kernel's text. */
static enum smc_status annotate(struct run *run)
{
    const struct smc_run_request *request = run->request;
    struct smc_source source = {0};
    if (!request->annotation)
        return SMC_OK;
    enum smc_status status =
        smc_source_load(request->kernel, request->compile.kernel_dir, &source, run->error);
    if (status == SMC_OK)
        status = smc_annotate(run->program, &run->emulation, request->kernel->file,
                              smc_text_string(&source.text), request->annotation, run->error);
    smc_source_free(&source);
    if (status == SMC_OK)
        run->result->emulated.annotation = request->annotation;
    return status;
}

static enum smc_status check(struct run *run)
{
    const struct smc_run_request *request = run->request;
    const void *buffers[SMC_MAX_BUFFERS] = {0};
    for (size_t i = 0; i < request->plan.buffer_count; i++)
        buffers[i] = run->arrays[i].data;
    smc_check_outputs(request, buffers, request->stop, run->result);
    if (request->stop && request->stop())
        return smc_fail(run->error, SMC_INTERRUPTED, "the results were being checked");
    return SMC_OK;
}

static enum smc_status run_kernel(struct run *run)
{
    struct smc_run_result *result = run->result;
    enum smc_status status =
        smc_program_read(run->binary.ptx, run->binary.ptx_bytes, run->request->kernel->entry,
                         &run->program, run->error);
    if (status == SMC_OK) {
        smc_emulated_follow(run->program, &run->binary, run->request->kernel->entry,
                            &result->emulated);
        status = make_arrays(run);
    }
    if (status == SMC_OK)
        status = emulate(run);
    if (status != SMC_OK)
        return status;
    result->emulation.made = result->emulation.succeeded = true;
    smc_emulated_take(run->program, &run->emulation, run->request->kernel->file, &result->emulated);
    copy_accesses(run, &result->emulated);
    status = smc_emulated_find_conflicts(run->program, &run->emulation, &run->banks,
                                         &result->emulated.site, run->error);
    if (status == SMC_OK)
        status = check(run);
    return status == SMC_OK ? annotate(run) : status;
}

static enum smc_status run_steps(struct run *run)
{
    const struct smc_run_request *request = run->request;
    struct smc_occupancy occupancy;
    enum smc_status status = compile(run);
    if (status != SMC_OK)
        return status;
    not_on_a_gpu(run->result);
    smc_occupancy_compute(&request->device.sm, &request->launch, &occupancy);
    if (!run->result->compile.succeeded)
        not_emulated(run->result, "the kernel did not compile");
    else if (request->kernel->is_probe)
        not_emulated(run->result, "the residency probe measures a GPU");
    else if (occupancy.blocks_per_sm == 0)
        not_emulated(run->result, "no GPU would launch it");
    else
        return run_kernel(run);
    return SMC_OK;
}

static enum smc_status run(const struct smc_run_request *request, struct smc_run_result *result,
                           struct smc_text *warnings, struct smc_error *error)
{
    *result = (struct smc_run_result){0};
    struct run state = {.request = request, .result = result, .warnings = warnings, .error = error};
    enum smc_status status = run_steps(&state);
    for (size_t i = 0; i < SMC_MAX_BUFFERS; i++)
        free(state.arrays[i].data);
    smc_emulation_free(&state.emulation);
    smc_program_free(state.program);
    smc_binary_free(&state.binary);
    return status;
}

static int device_count(struct smc_error *why)
{
    (void)why;
    return 1;
}

static enum smc_status device(int index, struct smc_device *out, struct smc_error *error)
{
    (void)index, (void)out;
    return smc_fail(error, SMC_UNAVAILABLE, "the emulator has no device of its own; name one");
}

const struct smc_executor smc_executor_emulator = {
    .name = "emulator",
    .device_count = device_count,
    .device = device,
    .run = run,
    .run_own = smc_emulator_run_own,
};
