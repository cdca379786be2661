/* From arguments to the place of a run: which back end, which device. */
#include "cli/ask_place.h"

#include "cli/ask_ceilings.h"

static struct smc_run_settings settings_of(const struct smc_arguments *arguments)
{
    return (struct smc_run_settings){
        .place = (enum smc_place)arguments->number[SMC_OPTION_ON],
        .gpu_index = (int)arguments->number[SMC_OPTION_GPU],
        .seed = (uint64_t)arguments->number[SMC_OPTION_SEED],
        .timeout_ms = (uint32_t)arguments->number[SMC_OPTION_TIMEOUT],
        .no_counters = arguments->given[SMC_OPTION_NO_COUNTERS],
    };
}

static enum smc_status check_place(const struct smc_arguments *arguments,
                                   const struct smc_run_settings *settings, struct smc_error *error)
{
    struct smc_error why = {""};
    bool emulated = settings->place == SMC_ON_EMULATOR;
    if (emulated && arguments->given[SMC_OPTION_GPU])
        return smc_fail(error, SMC_USAGE,
                        "option --gpu: not with --on emulator; --device names "
                        "what to emulate");
    if (emulated && arguments->given[SMC_OPTION_NO_COUNTERS])
        return smc_fail(error, SMC_USAGE,
                        "option --no-counters: not with --on emulator, which reads none");
    if (!emulated && (arguments->device_count > 0 || arguments->device_file_count > 0))
        return smc_fail(error, SMC_USAGE,
                        "option --device: a run is on the GPU that --gpu names; "
                        "--on emulator takes any device");
    if (settings->gpu_index == SMC_ALL_GPUS && arguments->given[SMC_OPTION_SOURCE])
        return smc_fail(error, SMC_USAGE,
                        "option --gpu: 'all' is not for --source; give the number of one");
    if (settings->gpu_index == SMC_ALL_GPUS && arguments->given[SMC_OPTION_ANNOTATE])
        return smc_fail(error, SMC_USAGE,
                        "option --annotate: of one emulation; not with --gpu all");
    if (settings->place == SMC_ON_GPU && arguments->given[SMC_OPTION_ANNOTATE])
        return smc_fail(
            error, SMC_USAGE,
            "option --annotate: only with --on emulator or both: the emulator counts by "
            "line");
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
    enum smc_status status = check_place(arguments, settings, error);
    if (status != SMC_OK)
        return status;
    if (settings->gpu_index == SMC_ALL_GPUS)
        return SMC_OK;
    status = settings->place == SMC_ON_EMULATOR
                 ? smc_ask_one_device(arguments, devices, query, error)
                 : ask_gpu(arguments, settings, query, error);
    if (status == SMC_OK)
        smc_ask_ceilings(query, 1);
    return status;
}
