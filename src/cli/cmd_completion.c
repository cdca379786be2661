/* smemcalc completion SHELL: a script that completes commands, options and their values. */
#include <string.h>

#include "cli/command.h"
#include "cli/completion.h"
#include "cli/options.h"

static enum smc_status fail_shell(const char *typed, struct smc_error *error)
{
    struct smc_text names = {0};
    for (int i = 0; i < SMC_SHELL_COUNT; i++)
        smc_text_printf(&names, "%s%s", i ? ", " : "", smc_shells[i]->name);
    if (typed)
        smc_fail(error, SMC_USAGE, "completion: '%s' is none of %s", typed,
                 smc_text_string(&names));
    else
        smc_fail(error, SMC_USAGE, "completion: name a shell, one of %s", smc_text_string(&names));
    smc_text_free(&names);
    return SMC_USAGE;
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    for (int i = 0; arguments->topic && i < SMC_SHELL_COUNT; i++)
        if (strcmp(smc_shells[i]->name, arguments->topic) == 0) {
            smc_shells[i]->write(out);
            return SMC_OK;
        }
    return fail_shell(arguments->topic, error);
}

const struct smc_command smc_command_completion = {
    .name = "completion",
    .usage = "bash|zsh|fish",
    .help = "print the completion script of a shell",
    .examples = "  source <(smemcalc completion bash)\n"
                "  smemcalc completion fish > ~/.config/fish/completions/smemcalc.fish\n",
    .run = run,
};
