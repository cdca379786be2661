/* Runs one launch on the GPU and then on the emulator, with the same inputs, and compares the two
   results bit for bit. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hardware/executor.h"

struct outputs {
    void *buffer[SMC_MAX_BUFFERS];
};

struct both_run {
    const struct smc_run_request *request;
    struct smc_run_result *result;   /* of the GPU, and then of both */
    struct smc_run_result *emulated; /* too large for the stack */
    struct smc_text *warnings;
    struct outputs gpu_outputs, emulated_outputs; /* of a kernel of the catalog */
};

static bool make_outputs(const struct smc_plan *plan, struct outputs *outputs)
{
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct smc_buffer *buffer = &plan->buffer[i];
        if (!buffer->output)
            continue;
        outputs->buffer[i] =
            smc_calloc(buffer->elements ? buffer->elements : 1, smc_dtype_bytes(buffer->dtype));
        if (!outputs->buffer[i])
            return false;
    }
    return true;
}

static void free_outputs(struct outputs *outputs)
{
    for (size_t i = 0; i < SMC_MAX_BUFFERS; i++)
        free(outputs->buffer[i]);
}

static void both_compare(const struct smc_plan *plan, const struct outputs *gpu,
                         const struct outputs *emulated, struct smc_agreement *agreement)
{
    agreement->compared = true;
    for (size_t i = 0; i < plan->buffer_count; i++) {
        size_t width = smc_dtype_bytes(plan->buffer[i].dtype);
        const char *a = gpu->buffer[i], *b = emulated->buffer[i];
        for (uint64_t k = 0; a && b && k < plan->buffer[i].elements; k++) {
            agreement->elements++;
            if (memcmp(a + k * width, b + k * width, width) == 0)
                continue;
            if (agreement->differing++ == 0)
                agreement->first = k;
        }
    }
}

/* Adds the emulator's results to those of the GPU. */
static void both_join(struct both_run *run)
{
    run->result->emulation = run->emulated->emulation;
    run->result->emulated = run->emulated->emulated;
    run->result->emulated_comparison = run->emulated->comparison;
}

/* The GPU runs first: a launch that it refuses need not be emulated. */
static enum smc_status both_run_kernel(struct both_run *run, struct smc_error *error)
{
    struct smc_run_result *result = run->result, *emulated = run->emulated;
    struct smc_run_request half = *run->request;
    half.outputs = run->gpu_outputs.buffer;
    SMC_TRY(smc_executor_default()->run(&half, result, run->warnings, error));
    if (smc_is_lost(&result->finish)) /* the emulator might not finish either */
        return SMC_OK;
    half.outputs = run->emulated_outputs.buffer;
    SMC_TRY(smc_executor_emulator.run(&half, emulated, run->warnings, error));
    both_join(run);
    if (result->check.made && emulated->check.made)
        both_compare(&half.answer->plan, &run->gpu_outputs, &run->emulated_outputs,
                     &result->agreement);
    return SMC_OK;
}

static enum smc_status run_catalog(struct both_run *run, struct smc_error *error)
{
    const struct smc_plan *plan = &run->request->answer->plan;
    enum smc_status status = SMC_MACHINE;
    if (make_outputs(plan, &run->gpu_outputs) && make_outputs(plan, &run->emulated_outputs))
        status = both_run_kernel(run, error);
    else
        smc_fail(error, status, "no memory for the results of the GPU and of the emulator");
    free_outputs(&run->gpu_outputs);
    free_outputs(&run->emulated_outputs);
    return status;
}

/* The emulator runs first: it reports the line of an error that would crash a GPU. */
static enum smc_status run_user(struct both_run *run, struct smc_error *error)
{
    enum smc_status status =
        smc_executor_emulator.run(run->request, run->emulated, run->warnings, error);
    if (status == SMC_OK && !run->emulated->emulated.stopped)
        status = smc_executor_default()->run(run->request, run->result, run->warnings, error);
    both_join(run);
    return status;
}

static enum smc_status both_run(const struct smc_run_request *request,
                                struct smc_run_result *result, struct smc_text *warnings,
                                struct smc_error *error)
{
    smc_auto_free struct smc_run_result *emulated = smc_calloc(1, sizeof *emulated);
    struct both_run run = {
        .request = request, .result = result, .emulated = emulated, .warnings = warnings};
    if (!emulated)
        return smc_out_of_memory(error);
    smc_run_begin(request, result);
    return request->user ? run_user(&run, error) : run_catalog(&run, error);
}

static int both_device_count(struct smc_error *why)
{
    return smc_executor_default()->device_count(why);
}

static enum smc_status both_device(int index, struct smc_device *out, struct smc_error *error)
{
    return smc_executor_default()->device(index, out, error);
}

const struct smc_executor smc_executor_both = {
    .name = "both",
    .device_count = both_device_count,
    .device = both_device,
    .run = both_run,
};

const struct smc_executor *smc_executor_default(void)
{
#ifdef HAVE_CUDA
    return &smc_executor_gpu;
#else
    return &smc_executor_none;
#endif
}
