/* smemcalc run: launches the kernel and confirms the predictions. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/ask.h"
#include "cli/ask_devices.h"
#include "cli/command.h"
#include "cli/idle_options.h"
#include "cli/output.h"
#include "confirm/confirm.h"
#include "executor/executor.h"

enum { ON_GPU, ON_EMULATOR };

static const struct smc_executor *executor_of(const struct smc_arguments *arguments)
{
    bool emulated = arguments->number[SMC_OPTION_ON] == ON_EMULATOR;
    return emulated ? &smc_executor_emulator : smc_executor_default();
}

static enum smc_status check_place(const struct smc_arguments *arguments, struct smc_error *error)
{
    struct smc_error why = {""};
    bool emulated = arguments->number[SMC_OPTION_ON] == ON_EMULATOR;
    if (emulated && arguments->given[SMC_OPTION_GPU])
        return smc_fail(error, SMC_USAGE,
                        "option --gpu: not with --on emulator; --device names "
                        "what to emulate");
    if (!emulated && (arguments->device_count > 0 || arguments->device_file_count > 0))
        return smc_fail(error, SMC_USAGE,
                        "option --device: a run is on the GPU that --gpu names; "
                        "--on emulator takes any device");
    if (executor_of(arguments)->device_count(&why) > 0)
        return SMC_OK;
    return smc_fail(error, SMC_UNAVAILABLE, "run: %s",
                    why.message[0] ? why.message : "no GPU was found");
}

static enum smc_status ask_gpu(const struct smc_arguments *arguments, struct smc_query *query,
                               struct smc_error *error)
{
    struct smc_error why = {""};
    int index = (int)arguments->number[SMC_OPTION_GPU];
    enum smc_status status = smc_executor_default()->device(index, &query->device, &why);
    return status == SMC_OK ? SMC_OK : smc_fail(error, status, "option --gpu: %s", why.message);
}

static struct smc_run_request request_of(const struct smc_answer *answer,
                                         const struct smc_arguments *arguments)
{
    return (struct smc_run_request){
        .kernel = answer->query.kernel,
        .params = answer->query.params,
        .plan = answer->plan,
        .launch = answer->launch,
        .device = answer->query.device,
        .gpu_index = (int)arguments->number[SMC_OPTION_GPU],
        .cc = answer->query.device.sm.cc,
        .seed = (uint64_t)arguments->number[SMC_OPTION_SEED],
        .timeout_ms = (uint32_t)arguments->number[SMC_OPTION_TIMEOUT],
        .compile = answer->query.compile,
    };
}

static enum smc_status confirm(const struct smc_arguments *arguments, const struct smc_query *query,
                               struct smc_confirmed_run *run, struct smc_text *warnings,
                               struct smc_error *error)
{
    enum smc_status status = smc_query_answer(query, &run->answer, warnings, error);
    if (status != SMC_OK)
        return status;
    struct smc_run_request request = request_of(&run->answer, arguments);
    status = executor_of(arguments)->run(&request, &run->result, warnings, error);
    if (status != SMC_OK)
        return status;
    smc_confirm(&run->answer, &run->result, &run->confirmation);
    return smc_confirmation_status(&run->confirmation);
}

static bool has_result(enum smc_status status)
{
    return status == SMC_OK || status == SMC_SHORTFALL;
}

/* A kernel that cannot compile is said to have a sibling that can: that is confirmed as well. */
static enum smc_status confirm_all(const struct smc_arguments *arguments, struct smc_query *query,
                                   struct smc_confirmed_run runs[2], size_t *count,
                                   struct smc_text *warnings, struct smc_error *error)
{
    enum smc_status status = confirm(arguments, query, &runs[0], warnings, error);
    *count = has_result(status);
    const char *sibling = query->kernel ? query->kernel->sibling : NULL;
    if (!has_result(status) || runs[0].answer.outcome != SMC_CANNOT_COMPILE || !sibling)
        return status;
    query->kernel = smc_kernel_find(sibling);
    enum smc_status second = confirm(arguments, query, &runs[1], warnings, error);
    *count += has_result(second);
    return second > status ? second : status;
}

static enum smc_status run_query(const struct smc_arguments *arguments, struct smc_query *query,
                                 struct smc_text *out, struct smc_error *error)
{
    struct smc_confirmed_run *runs = calloc(2, sizeof *runs); /* too much for the stack */
    if (!runs)
        return smc_fail(error, SMC_MACHINE, "out of memory");
    struct smc_text warnings = {0};
    size_t count = 0;
    struct smc_idle_options idle = {0};
    smc_idle_consider(arguments, &query->device, &idle);
    smc_idle_tell(&idle);
    enum smc_status status = confirm_all(arguments, query, runs, &count, &warnings, error);
    smc_output_tell("warning: ", smc_text_string(&warnings));
    smc_text_free(&warnings);
    if (count > 0) {
        struct smc_report_style style;
        smc_output_style(&style);
        smc_ask_writer(arguments)->runs(runs, count, &style, out);
    }
    free(runs);
    return status;
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    struct smc_query query;
    struct smc_chosen_devices devices = {0};
    enum smc_status status = smc_ask_query(arguments, &query, error);
    if (status == SMC_OK)
        status = check_place(arguments, error);
    if (status == SMC_OK && arguments->number[SMC_OPTION_ON] == ON_EMULATOR)
        status = smc_ask_one_device(arguments, &devices, &query, error);
    else if (status == SMC_OK)
        status = ask_gpu(arguments, &query, error);
    if (status == SMC_OK)
        status = run_query(arguments, &query, out, error);
    smc_chosen_devices_free(&devices);
    return status;
}

const struct smc_command smc_command_run = {
    .name = "run",
    .usage = "[OPTION]...",
    .help = "launch the kernel on a GPU, or emulate it, and confirm every prediction",
    .examples = "  smemcalc run --tile 32\n"
                "  smemcalc run --tile 16 --size 64 --on emulator --device 'RTX 4090'\n"
                "  smemcalc run --kernel stencil-dynamic --radius 6000 --format json\n",
    .run = run,
};
