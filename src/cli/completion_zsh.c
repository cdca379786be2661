/* Completion for zsh. */
#include "cli/completion.h"

static const char quote[] = "'\\''";
static const char special[] = "[]:\\"; /* within an argument of _arguments */

static void append_names(const char *function, void (*append)(const char *, struct smc_text *),
                         struct smc_text *out)
{
    smc_text_printf(out,
                    "%s() {\n"
                    "    compadd -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]} l:|=* r:|=*' -- ",
                    function);
    append("\\\n        ", out);
    smc_text_append(out, "\n}\n\n");
}

static void append_action(enum smc_offer offer, const struct smc_text *words, struct smc_text *out)
{
    switch (offer) {
    case SMC_OFFER_NOTHING:
        smc_text_append(out, " ");
        return;
    case SMC_OFFER_WORDS:
        smc_text_printf(out, "(%s )", smc_text_string(words));
        return;
    case SMC_OFFER_DEVICES:
        smc_text_append(out, "_smemcalc_devices");
        return;
    case SMC_OFFER_KERNELS:
        smc_text_append(out, "_smemcalc_kernels");
        return;
    case SMC_OFFER_FILES:
        smc_text_append(out, "_files");
        return;
    case SMC_OFFER_FOLDERS:
        smc_text_append(out, "_directories");
        return;
    }
}

/* '(-k --kernel)'{-k+,--kernel=}'[help]:NAME:action' */
static void append_option(const struct smc_option *option, struct smc_text *out)
{
    const char *short_end = option->value ? "+" : "", *long_end = option->value ? "=" : "";
    bool repeats = smc_option_repeats((int)(option - smc_options));
    smc_text_append(out, " \\\n            ");
    smc_text_append(out, repeats ? "'*" : "'");
    if (option->letter && !repeats)
        smc_text_printf(out, "(-%c --%s)", option->letter, option->name);
    if (option->letter)
        smc_text_printf(out, "'{-%c%s,--%s%s}'[", option->letter, short_end, option->name,
                        long_end);
    else
        smc_text_printf(out, "--%s%s[", option->name, long_end);
    smc_completion_escape(option->help, quote, special, out);
    smc_text_append(out, "]");
    if (option->value) {
        struct smc_text words = {0};
        smc_completion_option_words(option, &words);
        smc_text_printf(out, ":%s:", option->value);
        append_action(smc_completion_of_option(option), &words, out);
        smc_text_free(&words);
    }
    smc_text_append(out, "'");
}

static void append_command(int id, struct smc_text *out)
{
    const struct smc_command *command = smc_commands[id];
    enum smc_offer offer = smc_completion_of_command(command);
    struct smc_text words = {0};
    smc_text_printf(out, "    %s)\n        _arguments -s -S", command->name);
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        if (smc_options[i].commands & 1u << id)
            append_option(&smc_options[i], out);
    if (offer != SMC_OFFER_NOTHING) {
        smc_completion_command_words(command, &words);
        smc_text_printf(out, " \\\n            '%s:word:", offer == SMC_OFFER_FILES ? "*" : "1");
        append_action(offer, &words, out);
        smc_text_append(out, "'");
    }
    smc_text_append(out, "\n        ;;\n");
    smc_text_free(&words);
}

static void append_commands(struct smc_text *out)
{
    smc_text_append(out, "    local -a commands=(\n");
    for (int i = 0; i < SMC_COMMAND_COUNT; i++) {
        smc_text_printf(out, "        '%s:", smc_commands[i]->name);
        smc_completion_escape(smc_commands[i]->help, quote, "", out);
        smc_text_append(out, "'\n");
    }
    smc_text_append(out, "    )\n");
}

static void write_script(struct smc_text *out)
{
    smc_text_append(out, "#compdef smemcalc\n"
                         "# zsh completion of smemcalc, written by 'smemcalc completion zsh'.\n\n");
    append_names("_smemcalc_devices", smc_completion_devices, out);
    append_names("_smemcalc_kernels", smc_completion_kernels, out);
    smc_text_append(out, "_smemcalc() {\n    local command=query\n");
    append_commands(out);
    smc_text_append(out, "    if ((CURRENT == 2)) && [[ $PREFIX != -* ]]; then\n"
                         "        _describe -t commands command commands\n"
                         "        return\n"
                         "    fi\n"
                         "    if [[ -n ${(M)commands:#$words[2]:*} ]]; then\n"
                         "        command=$words[2]\n"
                         "        shift words\n"
                         "        ((CURRENT--))\n"
                         "    fi\n"
                         "    case $command in\n");
    for (int i = 0; i < SMC_COMMAND_COUNT; i++)
        append_command(i, out);
    smc_text_append(out, "    esac\n"
                         "}\n"
                         "\n"
                         "# Found by compinit it is run; sourced it announces itself.\n"
                         "if [[ $funcstack[1] == _smemcalc ]]; then\n"
                         "    _smemcalc \"$@\"\n"
                         "else\n"
                         "    compdef _smemcalc smemcalc\n"
                         "fi\n");
}

const struct smc_shell smc_shell_zsh = {
    .name = "zsh",
    .write = write_script,
};
