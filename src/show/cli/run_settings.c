/* Where and how `run` launches. */

#include "base/sandbox.h"
#include "show/cli/ask.h"
#include "show/cli/cmd_run.h"
#include "show/cli/progress.h"

static struct smc_run_settings settings_of(const struct smc_arguments *arguments)
{
    return (struct smc_run_settings){
        .place = (enum smc_place)arguments->number[SMC_OPTION_ON],
        .gpu_index = (int)arguments->number[SMC_OPTION_GPU],
        .strictness = (enum smc_strictness)arguments->number[SMC_OPTION_STRICT],
        .seed = (uint64_t)arguments->number[SMC_OPTION_SEED],
        .timeout_ms = (uint32_t)arguments->number[SMC_OPTION_TIMEOUT],
        .no_counters = arguments->given[SMC_OPTION_NO_COUNTERS],
        .cold = arguments->given[SMC_OPTION_COLD],
    };
}

static enum smc_status run_settings_check_place(const struct smc_arguments *arguments,
                                                const struct smc_run_settings *settings,
                                                struct smc_error *error)
{
    struct smc_error why = {""};
    bool emulated = settings->place == SMC_ON_EMULATOR;
    if (emulated && arguments->given[SMC_OPTION_GPU])
        return smc_fail(error, SMC_USAGE,
                        "option --gpu: not with --on emulator; --device names "
                        "what to emulate");
    if (emulated && arguments->given[SMC_OPTION_COLD])
        return smc_fail(error, SMC_USAGE,
                        "option --cold: not with --on emulator, which measures no time");
    if (emulated && arguments->given[SMC_OPTION_NO_COUNTERS])
        return smc_fail(error, SMC_USAGE,
                        "option --no-counters: not with --on emulator, which reads none");
    if (!emulated && (arguments->device.count > 0 || arguments->device_file.count > 0))
        return smc_fail(error, SMC_USAGE,
                        "option --device: a run uses the GPU that --gpu names; "
                        "--on emulator accepts any device");
    if (settings->gpu_index == SMC_ALL_GPUS && arguments->given[SMC_OPTION_SOURCE])
        return smc_fail(
            error, SMC_USAGE,
            "option --gpu: 'all' is not for your own source; give the index of one GPU");
    if (settings->gpu_index == SMC_ALL_GPUS && arguments->given[SMC_OPTION_ANNOTATE])
        return smc_fail(error, SMC_USAGE,
                        "option --annotate: not with --gpu all; it shows one emulation");
    if (settings->place == SMC_ON_GPU && arguments->given[SMC_OPTION_ANNOTATE])
        return smc_fail(
            error, SMC_USAGE,
            "option --annotate: only with --on emulator or both: the emulator counts by "
            "line");
    if (settings->place == SMC_ON_GPU && arguments->given[SMC_OPTION_STRICT])
        return smc_fail(error, SMC_USAGE,
                        "option --strict: only with --on emulator or both: only the emulator finds "
                        "errors in a kernel");
    if (smc_place_executor(settings->place)->device_count(&why) > 0)
        return SMC_OK;
    return smc_fail(error, SMC_UNAVAILABLE, "run: %s; --on emulator needs none", why.message);
}

static enum smc_status ask_gpu(const struct smc_arguments *arguments,
                               const struct smc_run_settings *settings, struct smc_query *query,
                               struct smc_error *error)
{
    struct smc_error why = {""};
    const struct smc_executor *executor = smc_place_executor(settings->place);
    enum smc_status status = executor->device(settings->gpu_index, &query->device, &why);
    const char *option = arguments->given[SMC_OPTION_GPU] ? "option --gpu: " : "";
    return status == SMC_OK ? SMC_OK : smc_fail(error, status, "%s%s", option, why.message);
}

enum smc_status smc_ask_place(const struct smc_arguments *arguments,
                              struct smc_run_settings *settings, struct smc_chosen_devices *devices,
                              struct smc_query *query, struct smc_error *error)
{
    *settings = settings_of(arguments);
    query->cold = settings->cold;
    enum smc_status status = run_settings_check_place(arguments, settings, error);
    if (status != SMC_OK)
        return status;
    if (settings->gpu_index == SMC_ALL_GPUS)
        return SMC_OK;
    status = settings->place == SMC_ON_EMULATOR
                 ? smc_ask_one_device(arguments, devices, query, error)
                 : ask_gpu(arguments, settings, query, error);
    if (status == SMC_OK)
        smc_ask_ceilings(query, 1);
    if (settings->place == SMC_ON_EMULATOR) /* the user's source may need nvcc */
        smc_sandbox_enter(arguments->given[SMC_OPTION_SOURCE] ? SMC_SANDBOX_COMPILERS
                                                              : SMC_SANDBOX_READING);
    return status;
}

void smc_run_make_stoppable(const struct smc_arguments *arguments,
                            struct smc_run_settings *settings)
{
    if (settings->place == SMC_ON_GPU) /* a launch has a deadline, and Ctrl-C ends the program */
        return;
    settings->stop = smc_interrupt_requested;
    smc_interrupt_watch();
    if (arguments->given[SMC_OPTION_TIMEOUT])
        smc_interrupt_after(settings->timeout_ms);
}

enum smc_status smc_run_fail_stopped(const struct smc_run_settings *settings,
                                     struct smc_error *error)
{
    const struct smc_error reached = *error;
    if (smc_interrupt_seen())
        return smc_fail(error, SMC_INTERRUPTED, "interrupted: %.900s", reached.message);
    return smc_fail(error, SMC_SHORTFALL, "option --timeout: %u ms are over: %.900s",
                    settings->timeout_ms, reached.message);
}

bool smc_asks_series(const struct smc_arguments *arguments)
{
    return arguments->given[SMC_OPTION_COMPARE] ||
           smc_run_next_range(arguments, 0) < SMC_OPTION_COUNT;
}

int smc_run_next_range(const struct smc_arguments *arguments, int from)
{
    for (int i = from; i < SMC_OPTION_COUNT; i++)
        if (arguments->range[i].step > 0)
            return i;
    return SMC_OPTION_COUNT;
}
