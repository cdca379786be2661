/* Completion for fish, version 3 or later. */
#include "cli/completion.h"

static const char quote[] = "\\'";
static const char special[] = "\\";

static void append_names(const char *function, void (*append)(const char *, struct smc_text *),
                         struct smc_text *out)
{
    smc_text_printf(out, "function %s\n    printf '%%s\\n'", function);
    append(" ", out);
    smc_text_append(out, "\nend\n\n");
}

static const char begin[] = "complete -c smemcalc -f\n";

static void append_head(struct smc_text *out)
{
    smc_text_append(out, "# fish completion of smemcalc, written by 'smemcalc completion fish'.\n"
                         "\n"
                         "function __smemcalc_command # the command given so far\n"
                         "    set -l typed (commandline -opc)\n"
                         "    if set -q typed[2]; and contains -- $typed[2]");
    for (int i = 0; i < SMC_COMMAND_COUNT; i++)
        smc_text_printf(out, " %s", smc_commands[i]->name);
    smc_text_append(out, "\n"
                         "        echo $typed[2]\n"
                         "    else\n"
                         "        echo query\n"
                         "    end\n"
                         "end\n"
                         "\n"
                         "function __smemcalc_takes # COMMAND...\n"
                         "    contains -- (__smemcalc_command) $argv\n"
                         "end\n"
                         "\n"
                         "function __smemcalc_first # no word is given yet\n"
                         "    test (count (commandline -opc)) -eq 1\n"
                         "end\n"
                         "\n");
}

static void append_action(enum smc_offer offer, const struct smc_text *words, struct smc_text *out)
{
    switch (offer) {
    case SMC_OFFER_NOTHING:
        smc_text_append(out, " -x");
        return;
    case SMC_OFFER_WORDS:
        smc_text_printf(out, " -x -a '%s'", smc_text_string(words));
        return;
    case SMC_OFFER_DEVICES:
        smc_text_append(out, " -x -a '(__smemcalc_devices)'");
        return;
    case SMC_OFFER_KERNELS:
        smc_text_append(out, " -x -a '(__smemcalc_kernels)'");
        return;
    case SMC_OFFER_FILES:
        smc_text_append(out, " -r -F");
        return;
    case SMC_OFFER_FOLDERS:
        smc_text_append(out, " -x -a '(__fish_complete_directories)'");
        return;
    }
}

static void append_option(const struct smc_option *option, struct smc_text *out)
{
    smc_text_append(out, "complete -c smemcalc -n '__smemcalc_takes");
    for (int i = 0; i < SMC_COMMAND_COUNT; i++)
        if (option->commands & 1u << i)
            smc_text_printf(out, " %s", smc_commands[i]->name);
    smc_text_append(out, "'");
    if (option->letter)
        smc_text_printf(out, " -s %c", option->letter);
    smc_text_printf(out, " -l %s", option->name);
    if (option->value) {
        struct smc_text words = {0};
        smc_completion_option_words(option, &words);
        append_action(smc_completion_of_option(option), &words, out);
        smc_text_free(&words);
    }
    smc_text_append(out, " -d '");
    smc_completion_escape(option->help, quote, special, out);
    smc_text_append(out, "'\n");
}

static void append_command(const struct smc_command *command, struct smc_text *out)
{
    enum smc_offer offer = smc_completion_of_command(command);
    smc_text_printf(out, "complete -c smemcalc -n __smemcalc_first -a %s -d '", command->name);
    smc_completion_escape(command->help, quote, special, out);
    smc_text_append(out, "'\n");
    if (offer == SMC_OFFER_NOTHING)
        return;
    struct smc_text words = {0};
    smc_completion_command_words(command, &words);
    smc_text_printf(out, "complete -c smemcalc -n 'not __smemcalc_first; and __smemcalc_takes %s'",
                    command->name);
    if (offer == SMC_OFFER_FILES)
        smc_text_append(out, " -F");
    else
        smc_text_printf(out, " -a '%s'", smc_text_string(&words));
    smc_text_append(out, "\n");
    smc_text_free(&words);
}

static void write_script(struct smc_text *out)
{
    append_head(out);
    append_names("__smemcalc_devices", smc_completion_devices, out);
    append_names("__smemcalc_kernels", smc_completion_kernels, out);
    smc_text_append(out, begin);
    for (int i = 0; i < SMC_COMMAND_COUNT; i++)
        append_command(smc_commands[i], out);
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        append_option(&smc_options[i], out);
}

const struct smc_shell smc_shell_fish = {
    .name = "fish",
    .write = write_script,
};
