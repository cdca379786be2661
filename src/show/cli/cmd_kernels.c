/* smemcalc kernels: the catalog. */
#include "show/cli/ask.h"
#include "show/cli/output.h"

enum smc_status smc_cmd_kernels(const struct smc_arguments *arguments, struct smc_text *out,
                                struct smc_error *error)
{
    (void)error;
    smc_output_style(out);
    smc_ask_writer(arguments)->kernels(out);
    return SMC_OK;
}
