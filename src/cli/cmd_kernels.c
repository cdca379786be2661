/* smemcalc kernels: the catalog. */
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/output.h"

static smc_command_function run;

const struct smc_command smc_command_kernels = {
    .name = "kernels",
    .usage = "[--format text|json|csv]",
    .help = "list the kernels of the catalog and their parameters",
    .examples = "  smemcalc kernels\n",
    .run = run,
};

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    (void)error;
    struct smc_report_style style;
    smc_output_style(&style);
    smc_ask_writer(arguments)->kernels(&style, out);
    return SMC_OK;
}
