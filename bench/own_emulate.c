/* Runs a kernel of bench/kernels/ on the emulator and checks its result. */
#include <stdlib.h>

#include "base/memory.h"
#include "machine/emulator.h"
#include "own_kernels.h"

enum { SEED = 1 };

struct launched {
    const struct bench_launch *launch;
    struct smc_plan plan;
    struct smc_program *program;
    void *data[SMC_MAX_BUFFERS];
};

static enum smc_status fill(struct launched *launched, struct smc_error *error)
{
    for (size_t i = 0; i < launched->plan.buffer_count; i++) {
        const struct smc_buffer *buffer = &launched->plan.buffer[i];
        launched->data[i] = smc_malloc(buffer->elements * smc_dtype_bytes(buffer->dtype));
        if (!launched->data[i])
            return smc_out_of_memory(error);
        bench_own_fill(launched->launch->kernel, &launched->launch->params, i, SEED,
                       launched->data[i]);
    }
    return SMC_OK;
}

static enum smc_status judge(const struct launched *launched, const struct smc_emulation *emulation,
                             struct smc_error *error)
{
    const struct smc_kernel *kernel = launched->launch->kernel;
    struct smc_comparison result = {0};
    if (emulation->findings_total > 0) {
        char text[512];
        smc_finding_describe(launched->program, &emulation->finding[0], kernel->file, text,
                             sizeof text);
        return smc_fail(error, SMC_SHORTFALL, "%s: %s", kernel->name, text);
    }
    kernel->compare(kernel, &launched->launch->params, (const void *const *)launched->data, 0,
                    launched->plan.output_rows, &result);
    if (result.wrong == 0 && result.checked == launched->plan.output_rows)
        return SMC_OK;
    return smc_fail(error, SMC_SHORTFALL, "%s: %llu of %llu wrong; element %llu is %g, not %g",
                    kernel->name, (unsigned long long)result.wrong,
                    (unsigned long long)result.checked, (unsigned long long)result.first_wrong,
                    result.got, result.expected);
}

static enum smc_status emulate(const struct launched *launched, const struct smc_device *device,
                               struct smc_error *error)
{
    const struct smc_plan *plan = &launched->plan;
    struct smc_emulated_array array[SMC_MAX_BUFFERS];
    struct smc_emulated_argument argument[SMC_MAX_ARGUMENTS];
    struct smc_emulation emulation = {0};
    for (size_t i = 0; i < plan->buffer_count; i++)
        array[i] = (struct smc_emulated_array){.name = plan->buffer[i].name,
                                               .data = launched->data[i],
                                               .bytes = plan->buffer[i].elements *
                                                        smc_dtype_bytes(plan->buffer[i].dtype)};
    for (size_t i = 0; i < plan->argument_count; i++)
        argument[i] = (struct smc_emulated_argument){
            .is_array = plan->argument[i].kind == SMC_ARGUMENT_BUFFER,
            .array = (size_t)plan->argument[i].value,
            .value = &plan->argument[i].value,
        };
    struct smc_emulation_request request = {
        .program = launched->program,
        .arrays = array,
        .array_count = plan->buffer_count,
        .arguments = argument,
        .argument_count = plan->argument_count,
        .sm_count = device->sm_count,
    };
    smc_bank_layout_of(&device->sm, SMC_BANK_MODE_4_BYTES, &request.banks);
    for (int i = 0; i < 3; i++) {
        request.grid[i] = plan->grid[i];
        request.block[i] = plan->block[i];
    }
    enum smc_status status = smc_emulate(&request, &emulation, error);
    if (status == SMC_OK)
        status = judge(launched, &emulation, error);
    smc_emulation_free(&emulation);
    return status;
}

enum smc_status bench_emulate(const struct bench_launch *launch, const struct smc_device *device,
                              const struct smc_compile_options *compile, struct smc_error *error)
{
    struct launched launched = {.launch = launch};
    struct smc_resources resources;
    struct smc_binary binary = {0};
    const struct smc_kernel *kernel = launch->kernel;
    kernel->plan(kernel, &launch->params, &launched.plan);
    enum smc_status status =
        smc_compile(&(struct smc_compile_request){kernel, &launch->params, device->sm.cc, compile},
                    &resources, &binary, NULL, error);
    if (status == SMC_OK && !binary.ptx)
        status = smc_fail(error, SMC_UNAVAILABLE, "this NVRTC gives no PTX");
    if (status == SMC_OK)
        status =
            smc_program_read(binary.ptx, binary.ptx_bytes, kernel->entry, &launched.program, error);
    if (status == SMC_OK)
        status = fill(&launched, error);
    if (status == SMC_OK)
        status = emulate(&launched, device, error);
    for (size_t i = 0; i < SMC_MAX_BUFFERS; i++)
        free(launched.data[i]);
    smc_program_free(launched.program);
    smc_binary_free(&binary);
    return status;
}
