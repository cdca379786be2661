/* Where and how `run` launches. */

#include "base/sandbox.h"
#include "show/cli/cmd_run.h"
#include "show/cli/interrupt.h"

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
    const bool emulated = settings->place == SMC_ON_EMULATOR,
               on_gpu = settings->place == SMC_ON_GPU, all = settings->gpu_index == SMC_ALL_GPUS;
    const struct {
        bool applies;
        int option;
        const char *why;
    } refused[] = {
        {emulated, SMC_OPTION_GPU, "--gpu: not with --on emulator; --device names what to emulate"},
        {emulated, SMC_OPTION_COLD, "--cold: not with --on emulator, which measures no time"},
        {emulated, SMC_OPTION_NO_COUNTERS,
         "--no-counters: not with --on emulator, which reads none"},
        {!emulated, SMC_OPTION_DEVICE,
         "--device: a run uses the GPU that --gpu names; --on emulator accepts any device"},
        {!emulated, SMC_OPTION_DEVICE_FILE,
         "--device: a run uses the GPU that --gpu names; --on emulator accepts any device"},
        {all, SMC_OPTION_SOURCE,
         "--gpu: 'all' is not for your own source; give the index of one GPU"},
        {all, SMC_OPTION_ANNOTATE, "--annotate: not with --gpu all; it shows one emulation"},
        {on_gpu, SMC_OPTION_ANNOTATE,
         "--annotate: only with --on emulator or both: the emulator counts by line"},
        {on_gpu, SMC_OPTION_STRICT,
         "--strict: only with --on emulator or both: only the emulator finds errors in a kernel"},
    };
    struct smc_error why = {""};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].applies && arguments->given[refused[i].option])
            return smc_fail(error, SMC_USAGE, "option %s", refused[i].why);
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
    SMC_TRY(run_settings_check_place(arguments, settings, error));
    if (settings->gpu_index == SMC_ALL_GPUS)
        return SMC_OK;
    enum smc_status status = settings->place == SMC_ON_EMULATOR
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

enum smc_status smc_ask_source(struct smc_arguments *arguments, struct smc_error *error)
{
    if (arguments->file_count == 0)
        return SMC_OK;
    if (arguments->given[SMC_OPTION_SOURCE])
        return smc_fail(error, SMC_USAGE, "option --source: not with FILE '%.64s'",
                        arguments->file[0]);
    arguments->given[SMC_OPTION_SOURCE] = true;
    arguments->text[SMC_OPTION_SOURCE] = arguments->file[0];
    return SMC_OK;
}
