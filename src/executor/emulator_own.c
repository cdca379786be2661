/* A person's own kernel on the emulator: its PTX, its memory, the time it may take. */
#include "executor/emulator_own.h"

#include <stdio.h>
#include <string.h>

#include "executor/clock.h"
#include "executor/emulated_run.h"

struct run {
    const struct smc_own_launch *launch;
    struct smc_own_emulated *result;
    struct smc_program *program;
    struct smc_emulation emulation;
    double deadline_ms; /* by smc_clock_ms */
    bool late;
    struct smc_emulated_array arrays[SMC_MAX_OWN_ARGUMENTS];
    struct smc_emulated_argument arguments[SMC_MAX_OWN_ARGUMENTS];
};

static void pass_memory(struct run *run)
{
    const struct smc_own_launch *launch = run->launch;
    for (size_t i = 0; i < launch->buffer_count; i++) {
        const struct smc_own_buffer *buffer = &launch->buffers[i];
        if (buffer->bytes > 0)
            memcpy(buffer->after_emulated, buffer->before, buffer->bytes);
        run->arrays[i] =
            (struct smc_emulated_array){buffer->name, buffer->after_emulated, buffer->bytes};
    }
    for (size_t i = 0; i < launch->value_count; i++) {
        const struct smc_own_value *value = &launch->values[i];
        run->arguments[i] = (struct smc_emulated_argument){
            .is_array = value->is_buffer,
            .array = value->buffer,
            .value = &value->bits, /* the low bytes come first */
        };
    }
}

static bool is_stopped(const struct run *run)
{
    return run->launch->stop && run->launch->stop();
}

static bool is_late(const void *context)
{
    const struct run *run = context;
    return smc_clock_ms() > run->deadline_ms || is_stopped(run);
}

static enum smc_status emulate(struct run *run, struct smc_error *error)
{
    const struct smc_own_launch *launch = run->launch;
    struct smc_emulation_request request = {
        .program = run->program,
        .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
        .block = {launch->block[0], launch->block[1], launch->block[2]},
        .dynamic_smem_bytes = launch->launch.dynamic_smem_bytes,
        .arrays = run->arrays,
        .array_count = launch->buffer_count,
        .arguments = run->arguments,
        .argument_count = launch->value_count,
        .sm_count = launch->device->sm_count,
        .stop = is_late,
        .stop_context = run,
    };
    smc_bank_layout_of(&launch->device->sm, SMC_BANK_MODE_4_BYTES, &request.banks);
    double start_ms = smc_clock_ms();
    run->deadline_ms = start_ms + launch->timeout_ms;
    enum smc_status status = smc_emulate(&request, &run->emulation, error);
    run->late = status == SMC_INTERRUPTED;
    run->result->stopped = run->late && is_stopped(run);
    run->result->counts.elapsed_ms = smc_clock_ms() - start_ms;
    return status;
}

/* Where a launch that does not end spent its time: the line of the instruction that most warps
   executed. */
static uint32_t busiest_line(const struct run *run)
{
    size_t busiest = 0;
    for (size_t i = 1; i < run->emulation.count_length; i++)
        if (run->emulation.count[i].executions > run->emulation.count[busiest].executions)
            busiest = i;
    return run->emulation.count_length > 0 ? smc_program_instruction(run->program, busiest)->line
                                           : 0;
}

static void note_end(const struct run *run)
{
    struct smc_attempt *finish = &run->result->finish;
    *finish = (struct smc_attempt){.made = true, .succeeded = !run->late};
    if (finish->succeeded)
        return;
    uint32_t line = busiest_line(run);
    int used =
        run->result->stopped
            ? snprintf(finish->message, sizeof finish->message,
                       "not at its end after %.0f ms of emulation", run->result->counts.elapsed_ms)
            : snprintf(finish->message, sizeof finish->message,
                       "not at its end after %u ms of emulation (--timeout)",
                       run->launch->timeout_ms);
    if (line > 0 && used > 0)
        snprintf(finish->message + used, sizeof finish->message - (size_t)used,
                 "; busiest at %.120s:%u", run->launch->file, line);
}

static enum smc_status annotate(struct run *run, struct smc_error *error)
{
    const struct smc_own_launch *launch = run->launch;
    if (!launch->annotation)
        return SMC_OK;
    enum smc_status status = smc_annotate(run->program, &run->emulation, launch->file, launch->text,
                                          launch->annotation, error);
    if (status == SMC_OK)
        run->result->counts.annotation = launch->annotation;
    return status;
}

static enum smc_status run_steps(struct run *run, struct smc_error *error)
{
    const struct smc_own_launch *launch = run->launch;
    struct smc_own_emulated *result = run->result;
    enum smc_status status = smc_program_read(launch->binary->ptx, launch->binary->ptx_bytes,
                                              launch->entry, &run->program, error);
    if (status == SMC_USAGE) { /* the compiler's own text: what is missing is missing here */
        struct smc_error reason = *error;
        return smc_fail(error, SMC_UNAVAILABLE, "%s: the emulator does not run it: %.800s",
                        launch->file, reason.message);
    }
    if (status != SMC_OK)
        return status;
    smc_emulated_follow(run->program, launch->binary, launch->entry, &result->counts);
    pass_memory(run);
    status = emulate(run, error);
    if (status != SMC_OK && status != SMC_INTERRUPTED)
        return status;
    error->message[0] = '\0';
    result->run = (struct smc_attempt){.made = true, .succeeded = true};
    note_end(run);
    smc_emulated_take(run->program, &run->emulation, NULL, &result->counts);
    struct smc_bank_layout banks;
    smc_bank_layout_of(&launch->device->sm, SMC_BANK_MODE_4_BYTES, &banks);
    status = smc_emulated_find_conflicts(run->program, &run->emulation, &banks,
                                         &result->counts.site, error);
    if (status != SMC_OK)
        return status;
    result->total = run->emulation.total;
    result->float_adds = run->emulation.float_adds;
    result->shared_bound = run->emulation.shared_bound;
    for (size_t i = 0; i < launch->buffer_count; i++) {
        result->buffer[i] = run->emulation.array[i];
        result->sum[i] = run->emulation.sum[i];
        run->emulation.sum[i] = NULL;
    }
    return annotate(run, error);
}

enum smc_status smc_emulator_run_own(const struct smc_own_launch *launch,
                                     struct smc_own_result *result, struct smc_error *error)
{
    struct run run = {.launch = launch, .result = &result->emulated};
    result->emulated = (struct smc_own_emulated){0};
    enum smc_status status = run_steps(&run, error);
    smc_emulation_free(&run.emulation);
    smc_program_free(run.program);
    return status;
}
