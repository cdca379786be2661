/* smemcalc help [COMMAND] */
#include "cli/command.h"
#include "cli/help.h"
#include "cli/options.h"

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    (void)error;
    enum smc_command_id topic;
    if (!arguments->topic)
        smc_help_short(out);
    else if (smc_command_find(arguments->topic, &topic))
        smc_help_command(topic, out);
    else
        smc_help_all(out);
    return SMC_OK;
}

const struct smc_command smc_command_help = {
    .name = "help",
    .usage = "[COMMAND]",
    .help = "show this help, or a command's options",
    .run = run,
};
