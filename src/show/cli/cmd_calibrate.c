/* smemcalc calibrate: measures the ceilings of a GPU, and stores them for later answers. */
#include "base/memory.h"
#include "show/cli/ask.h"
#include "show/cli/interrupt.h"
#include "show/cli/output.h"
#include "show/cli/progress.h"

/* Without starting CUDA and filling arrays; all of it takes less than ten seconds. */
static const double budget_ms = 5000;

static void show_step(void *context, size_t done, size_t total)
{
    struct smc_progress *progress = context;
    progress->total = total;
    smc_progress_step(progress, done);
}

static enum smc_status cmd_calibrate_measure(const struct smc_arguments *arguments,
                                             struct smc_calibration *calibration,
                                             struct smc_error *error)
{
    struct smc_progress progress;
    struct smc_text warnings = {0};
    const struct smc_calibrate_request request = {
        .gpu_index = (int)arguments->number[SMC_OPTION_MEASURED_GPU],
        .compile = {.no_cache = arguments->given[SMC_OPTION_NO_CACHE], .builds = arguments->builds},
        .budget_ms = budget_ms,
        .timeout_ms = (uint32_t)arguments->number[SMC_OPTION_TIMEOUT],
        .stop = smc_interrupt_requested,
        .step = show_step,
        .context = &progress,
    };
    if (smc_executor_default()->device_count(error) == 0)
        return smc_fail_in(error, SMC_UNAVAILABLE, "calibrate");
    smc_progress_begin(&progress, 1, "measurements");
    smc_interrupt_watch();
    enum smc_status status = smc_calibrate(&request, calibration, &warnings, error);
    smc_progress_erase(&progress);
    smc_output_warn(&warnings);
    return smc_fail_in(error, status, "calibrate");
}

/* Before seconds are spent on measurements that could not be stored. */
static enum smc_status check_file(const char *path, struct smc_error *error)
{
    SMC_AUTO(smc_ceilings_file_free) struct smc_ceilings_file file;
    return smc_ceilings_file_read(path, &file, error);
}

enum smc_status smc_cmd_calibrate(const struct smc_arguments *arguments, struct smc_text *out,
                                  struct smc_error *error)
{
    struct smc_calibration calibration;
    char path[SMC_CEILINGS_PATH];
    bool keeps = !arguments->given[SMC_OPTION_DRY_RUN];
    if (keeps) {
        SMC_TRY(smc_ceilings_path(path, error));
        SMC_TRY(check_file(path, error));
    }
    SMC_TRY(cmd_calibrate_measure(arguments, &calibration, error));
    smc_output_style(out);
    enum smc_status status = keeps ? smc_ceilings_keep(path, &calibration.ceilings, error) : SMC_OK;
    bool kept = keeps && status == SMC_OK;
    smc_ask_writer(arguments)->calibration(&calibration, kept ? path : NULL, out);
    return status;
}
