/* smemcalc run --source: compiles a person's own kernel, launches it, and reports. */
#include "cli/run_source.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/ask.h"
#include "cli/ask_own.h"
#include "cli/ask_place.h"
#include "cli/idle_options.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "report/words.h"

static enum smc_status ask(const struct smc_arguments *arguments, struct smc_user_request *request,
                           struct smc_run_settings *settings, struct smc_chosen_devices *devices,
                           struct smc_error *error)
{
    struct smc_query query;
    smc_query_init(&query);
    enum smc_status status = smc_ask_own(arguments, request, error);
    if (status == SMC_OK)
        status = smc_ask_place(arguments, settings, devices, &query, error);
    if (status != SMC_OK)
        return status;
    request->device = query.device;
    request->settings = settings;
    return smc_ask_own_block(arguments, request, error);
}

/* A launch that the model rules out is not tried: it is the arguments that are wrong. */
static enum smc_status check_launch(const struct smc_user_run *run, struct smc_error *error)
{
    const struct smc_answer *answer = &run->row.answer;
    if (answer->outcome == SMC_LAUNCHES)
        return SMC_OK;
    struct smc_text reason = {0};
    smc_words_failure(answer, &reason);
    smc_fail(error, SMC_USAGE, "%.256s of %.256s %.400s", run->row.kernel->shown, run->request.file,
             smc_text_string(&reason));
    smc_text_free(&reason);
    return SMC_USAGE;
}

static enum smc_status prepare(const struct smc_user_request *request, struct smc_user_run *run,
                               struct smc_error *error)
{
    struct smc_text warnings = {0};
    enum smc_status status = smc_user_prepare(request, run, &warnings, error);
    smc_output_tell("warning: ", smc_text_string(&warnings));
    smc_text_free(&warnings);
    return status == SMC_OK ? check_launch(run, error) : status;
}

static enum smc_status launch(struct smc_user_run *run, struct smc_error *error)
{
    struct smc_text warnings = {0};
    enum smc_status status = smc_user_launch(run, &warnings, error);
    smc_output_tell("warning: ", smc_text_string(&warnings));
    smc_text_free(&warnings);
    return status;
}

/* What the emulator left, else the GPU. */
static enum smc_status dump(const struct smc_arguments *arguments, const struct smc_user_run *run,
                            struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < arguments->dump_count && status == SMC_OK; i++) {
        size_t argument;
        const char *path;
        status = smc_ask_dump(arguments->dump[i], &run->request, &argument, &path, error);
        for (size_t k = 0; k < run->memory_count && status == SMC_OK; k++) {
            const struct smc_user_memory *memory = &run->memory[k];
            if (memory->position != argument + 1 || !(memory->has_emulated || memory->has_gpu))
                continue;
            const struct smc_text bytes = {
                .data = memory->has_emulated ? memory->after_emulated : memory->after_gpu,
                .length = smc_user_argument_bytes(memory->argument),
            };
            status = smc_file_write(path, true, &bytes, error);
        }
    }
    return status;
}

/* The first failure counts. */
static enum smc_status first_of(enum smc_status first, enum smc_status second)
{
    return first == SMC_OK ? second : first;
}

static enum smc_status report(const struct smc_arguments *arguments, const struct smc_user_run *run,
                              struct smc_text *out, struct smc_error *error)
{
    struct smc_confirmation confirmation;
    struct smc_report_style style;
    smc_confirm_user(run, &confirmation);
    smc_output_style(&style);
    enum smc_status status = smc_user_ending(run, error);
    if (run->result.emulation.made || run->result.finish.succeeded)
        smc_ask_writer(arguments)->own(run, &confirmation, &style, out);
    struct smc_error reason = {""};
    enum smc_status dumped = dump(arguments, run, &reason);
    if (dumped != SMC_OK && status == SMC_OK)
        return smc_fail(error, dumped, "option --dump: %.900s", reason.message);
    return first_of(status, smc_confirmation_status(&confirmation));
}

enum smc_status smc_run_source(const struct smc_arguments *arguments, struct smc_text *out,
                               struct smc_error *error)
{
    struct smc_chosen_devices devices = {0};
    struct smc_idle_options idle = {0};
    struct smc_run_settings settings;
    struct smc_user_request *request = smc_calloc(1, sizeof *request); /* much for the stack */
    struct smc_user_run *run = smc_calloc(1, sizeof *run);
    enum smc_status status = request && run ? ask(arguments, request, &settings, &devices, error)
                                            : smc_out_of_memory(error);
    if (status == SMC_OK) {
        smc_idle_consider(arguments, &request->device, &idle);
        smc_idle_tell(&idle);
        status = prepare(request, run, error);
    }
    if (status == SMC_OK) {
        settings.stop = smc_interrupt_seen;
        settings.annotation = arguments->given[SMC_OPTION_ANNOTATE] ? &run->annotation : NULL;
        smc_interrupt_watch(); /* compiling ends with the program */
        status = launch(run, error);
        struct smc_error *second = status == SMC_OK ? error : NULL;
        if (status == SMC_OK || run->result.emulation.made)
            status = first_of(status, report(arguments, run, out, second));
    }
    if (run)
        smc_user_free(run);
    free(run);
    free(request);
    smc_chosen_devices_free(&devices);
    return status;
}
