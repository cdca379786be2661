/* Ending a long emulation, beside a GPU or alone: at Ctrl-C, and after --timeout where it is given.
 */
#include "cli/run_stop.h"

#include "cli/interrupt.h"

void smc_run_make_stoppable(const struct smc_arguments *arguments,
                            struct smc_run_settings *settings)
{
    if (settings->place == SMC_ON_GPU) /* a launch has a deadline, and Ctrl-C its usual effect */
        return;
    settings->stop = smc_interrupt_wished;
    smc_interrupt_watch();
    if (arguments->given[SMC_OPTION_TIMEOUT])
        smc_interrupt_after(settings->timeout_ms);
}

enum smc_status smc_run_tell_stopped(const struct smc_run_settings *settings,
                                     struct smc_error *error)
{
    const struct smc_error reached = *error;
    if (smc_interrupt_seen())
        return smc_fail(error, SMC_INTERRUPTED, "interrupted: %.900s", reached.message);
    return smc_fail(error, SMC_SHORTFALL, "option --timeout: %u ms are over: %.900s",
                    settings->timeout_ms, reached.message);
}
