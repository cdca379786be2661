/* A person's own kernel, from its source to what became of its memory. */
#include "config.h"

#include "own/own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/memory.h"
#include "compile/ptxas_log.h"
#include "inspect/compilers.h"
#include "inspect/kernels.h"
#include "inspect/readers.h"
#include "own/entry.h"

/* --- The kernel ------------------------------------------------------------------------------- */

static enum smc_status read_source(const char *file, struct smc_text *text, struct smc_error *error)
{
    enum smc_status status = smc_input_read(file, text, error);
    if (status != SMC_OK)
        return status;
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, which NVRTC does not take */
    if (strncmp(smc_text_string(text), mark, sizeof mark - 1) == 0)
        memset(text->data, ' ', sizeof mark - 1);
    if (text->length && memchr(text->data, '\0', text->length))
        return smc_fail(error, SMC_USAGE, "%s: not a text: CUDA C++ is wanted", file);
    return SMC_OK;
}

/* -lineinfo changes neither the code nor the time; it names the lines of what is found. */
static enum smc_status compile(const struct smc_own_request *request, const char *text,
                               struct smc_nvrtc_output *output, struct smc_text *warnings,
                               struct smc_error *error)
{
    struct smc_text options = {0};
    smc_text_printf(&options, "-lineinfo %s",
                    request->compiler_options ? request->compiler_options : "");
    const struct smc_inspect_request compiling = {
        .compiler_options = smc_text_string(&options),
        .no_cache = request->no_cache,
    };
    const struct smc_compilation compilation = {
        .file = request->file,
        .text = text,
        .target = {.cc = request->device.sm.cc},
        .request = &compiling,
        .warnings = warnings,
    };
    enum smc_status status = options.failed ? smc_out_of_memory(error)
                                            : smc_compile_with_nvrtc(&compilation, output, error);
    smc_text_free(&options);
    if (status == SMC_OK)
        smc_log_tell_warnings(smc_text_string(&output->log), request->file, warnings);
    return status;
}

static enum smc_status list_kernels(struct smc_own_run *run, const struct smc_nvrtc_output *output,
                                    struct smc_error *error)
{
    const struct smc_inspect_kernel kind = {
        .file = run->request.file,
        .source = SMC_INSPECT_NVRTC,
        .cc = run->request.device.sm.cc,
    };
    struct smc_text faults = {0};
    enum smc_status status = smc_inspect_output(output, &kind, &run->kernels, &faults, error);
    smc_text_free(&faults);
    return status;
}

/* What the model says of the launch. */
static void answer(struct smc_own_run *run, const struct smc_inspect_kernel *kernel,
                   const struct smc_nvrtc_output *output)
{
    const struct smc_own_request *request = &run->request;
    const uint32_t *grid = request->grid, *block = request->block;
    const struct smc_inspect_request asked = {
        .threads_per_block = (int64_t)block[0] * block[1] * block[2],
        .dynamic_smem_bytes = request->dynamic_smem_bytes,
        .settings = request->settings,
    };
    smc_inspect_answer_one(kernel, &request->device, &asked, &run->row);
    struct smc_answer *answer = &run->row.answer;
    answer->regs_given = false;
    answer->dynamic_smem_given = request->dynamic_smem_bytes > 0;
    answer->resources.source = SMC_RESOURCES_NVRTC;
    answer->resources.cc = request->device.sm.cc;
    answer->resources.nvrtc_major = output->nvrtc_major;
    answer->resources.nvrtc_minor = output->nvrtc_minor;
    answer->plan.grid_blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    memcpy(answer->plan.grid, grid, sizeof answer->plan.grid);
    memcpy(answer->plan.block, block, sizeof answer->plan.block);
    smc_query_conclude(answer);
}

static enum smc_status check_block(const struct smc_own_run *run, struct smc_error *error)
{
    const struct smc_inspect_kernel *kernel = run->row.kernel;
    if (!run->row.exceeds_bound)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "option --block: %u threads are more than the %u of the launch bounds of %s",
                    run->row.answer.launch.threads_per_block, kernel->max_threads_per_block,
                    kernel->shown);
}

enum smc_status smc_own_prepare(const struct smc_own_request *request, struct smc_own_run *run,
                                struct smc_text *warnings, struct smc_error *error)
{
    struct smc_nvrtc_output output = {0};
    const struct smc_inspect_kernel *kernel = NULL;
    run->request = *request;
    enum smc_status status = read_source(request->file, &run->text, error);
    if (status == SMC_OK)
        status = compile(request, smc_text_string(&run->text), &output, warnings, error);
    if (status == SMC_OK)
        status = list_kernels(run, &output, error);
    if (status == SMC_OK)
        status = smc_own_choose(&run->kernels, request->file, request->entry, &kernel, error);
    if (status == SMC_OK && !kernel->resources.refused)
        status = smc_own_check_arguments(smc_text_string(&output.ptx), kernel, request->argument,
                                         request->argument_count, error);
    if (status == SMC_OK) {
        answer(run, kernel, &output);
        status = check_block(run, error);
        run->binary = output.binary;
        output.binary = (struct smc_binary){0};
        run->binary.ptx = output.ptx.data; /* both are malloc's */
        run->binary.ptx_bytes = output.ptx.length;
        output.ptx = (struct smc_text){0};
    }
    smc_nvrtc_output_free(&output);
    return status;
}

/* --- Its memory ------------------------------------------------------------------------------- */

/* The contents before and those after it on each of two back ends. */
enum { COPIES = 3 };

static enum smc_status check_memory(const struct smc_own_request *request, struct smc_error *error)
{
    uint64_t total = 0;
    for (size_t i = 0; i < request->argument_count; i++)
        if (request->argument[i].is_buffer &&
            __builtin_add_overflow(total, smc_own_argument_bytes(&request->argument[i]), &total))
            total = UINT64_MAX;
    uint64_t of_machine = smc_machine_memory_bytes();
    uint64_t of_device = request->device.global_mem_bytes;
    if (of_device > 0 && total > of_device)
        return smc_fail(error, SMC_USAGE,
                        "option --arg: %llu MB of memory are more than the %llu MB of %s",
                        (unsigned long long)(total >> 20), (unsigned long long)(of_device >> 20),
                        request->device.name);
    if (total > of_machine / COPIES)
        return smc_fail(
            error, SMC_MACHINE,
            "option --arg: %llu MB of memory, each copied twice, are more than the %llu "
            "MB of this machine",
            (unsigned long long)(total >> 20), (unsigned long long)(of_machine >> 20));
    return SMC_OK;
}

static enum smc_status make_memory(struct smc_own_run *run, struct smc_error *error)
{
    const struct smc_own_request *request = &run->request;
    enum smc_status status = check_memory(request, error);
    for (size_t i = 0; i < request->argument_count && status == SMC_OK; i++) {
        const struct smc_own_argument *argument = &request->argument[i];
        if (!argument->is_buffer)
            continue;
        struct smc_own_memory *memory = &run->memory[run->memory_count++];
        size_t bytes = smc_own_argument_bytes(argument);
        if (request->stop && request->stop())
            return smc_fail(error, SMC_INTERRUPTED, "interrupted: before the launch");
        memory->argument = argument;
        memory->position = i + 1;
        snprintf(memory->name, sizeof memory->name, "arg %zu", memory->position);
        memory->before = smc_malloc(bytes);
        memory->after_gpu = smc_malloc(bytes);
        memory->after_emulated = smc_malloc(bytes);
        if (!memory->before || !memory->after_gpu || !memory->after_emulated)
            return smc_fail(error, SMC_MACHINE, "option --arg: no memory for '%.64s'",
                            argument->typed);
        struct smc_error reason = {""};
        status = smc_own_fill(argument, memory->name, request->seed, memory->before, &reason);
        if (status != SMC_OK)
            smc_fail(error, status, "option --arg: %.900s", reason.message);
    }
    return status;
}

static void look_at_memory(struct smc_own_run *run)
{
    bool gpu = run->result.gpu.finish.succeeded;
    bool emulated = run->result.emulated.run.succeeded;
    for (size_t i = 0; i < run->memory_count; i++) {
        struct smc_own_memory *memory = &run->memory[i];
        const struct smc_own_argument *argument = memory->argument;
        memory->has_gpu = gpu;
        memory->has_emulated = emulated;
        if (gpu)
            smc_own_digest(argument, memory->before, memory->after_gpu, &memory->gpu);
        if (emulated)
            smc_own_digest(argument, memory->before, memory->after_emulated, &memory->emulated);
        if (gpu && emulated)
            smc_own_compare_sums(argument, memory->after_gpu, memory->after_emulated,
                                 &run->result.emulated, i, &memory->agreement);
    }
}

/* --- The launch ------------------------------------------------------------------------------- */

static enum smc_status launch(struct smc_own_run *run, struct smc_error *error)
{
    const struct smc_own_request *request = &run->request;
    struct smc_own_buffer buffers[SMC_MAX_OWN_ARGUMENTS];
    struct smc_own_value values[SMC_MAX_OWN_ARGUMENTS];
    size_t next = 0;
    for (size_t i = 0; i < request->argument_count; i++) {
        const struct smc_own_argument *argument = &request->argument[i];
        values[i] = (struct smc_own_value){argument->is_buffer, next, argument->bits};
        if (!argument->is_buffer)
            continue;
        const struct smc_own_memory *memory = &run->memory[next];
        buffers[next] = (struct smc_own_buffer){
            .name = memory->name,
            .bytes = smc_own_argument_bytes(argument),
            .before = memory->before,
            .after_gpu = memory->after_gpu,
            .after_emulated = memory->after_emulated,
        };
        next++;
    }
    const struct smc_own_launch launch = {
        .file = request->file,
        .text = smc_text_string(&run->text),
        .annotation = request->annotate ? &run->annotation : NULL,
        .entry = run->row.kernel->name,
        .binary = &run->binary,
        .grid = {request->grid[0], request->grid[1], request->grid[2]},
        .block = {request->block[0], request->block[1], request->block[2]},
        .launch = run->row.answer.launch,
        .device = &run->request.device,
        .gpu_index = request->gpu_index,
        .timeout_ms = request->timeout_ms,
        .stop = request->stop,
        .buffers = buffers,
        .buffer_count = run->memory_count,
        .values = values,
        .value_count = request->argument_count,
    };
    return request->executor->run_own(&launch, &run->result, error);
}

enum smc_status smc_own_launch(struct smc_own_run *run, struct smc_error *error)
{
    enum smc_status status = make_memory(run, error);
    smc_machine_host_name(run->result.host_name);
    if (status == SMC_OK)
        status = launch(run, error);
    if (status == SMC_OK || run->result.emulated.run.made)
        look_at_memory(run);
    return status;
}

enum smc_status smc_own_ending(const struct smc_own_run *run, struct smc_error *error)
{
    const struct smc_own_on_gpu *gpu = &run->result.gpu;
    const struct smc_attempt *finish = &run->result.emulated.finish;
    const struct {
        const struct smc_attempt *attempt;
        const char *what;
    } steps[] = {{&gpu->load, "the driver does not take the machine code"},
                 {&gpu->launch, "the launch was refused"},
                 {&gpu->finish, "the kernel crashed or hangs on the GPU"}};
    const char *name = run->row.kernel->shown;
    if (gpu->stopped || run->result.emulated.stopped)
        return smc_fail(error, SMC_INTERRUPTED, "interrupted: %.256s: %s", name,
                        gpu->stopped ? gpu->finish.message : finish->message);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i].attempt->made && !steps[i].attempt->succeeded)
            return smc_fail(error, SMC_MACHINE, "%.256s: %s: %s", name, steps[i].what,
                            steps[i].attempt->message);
    if (finish->made && !finish->succeeded)
        return smc_fail(error, SMC_SHORTFALL, "%.256s: %s", name, finish->message);
    return SMC_OK;
}

void smc_own_free(struct smc_own_run *run)
{
    for (size_t i = 0; i < run->memory_count; i++) {
        free(run->memory[i].before);
        free(run->memory[i].after_gpu);
        free(run->memory[i].after_emulated);
        free(run->result.emulated.sum[i]);
    }
    smc_annotation_free(&run->annotation);
    smc_text_free(&run->text);
    smc_binary_free(&run->binary);
    smc_inspect_free(&run->kernels);
    *run = (struct smc_own_run){0};
}
