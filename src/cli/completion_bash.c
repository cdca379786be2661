/* Completion for bash, version 4 or later. */
#include "cli/completion.h"

/* `cur` may begin with a quote or hold backslashes; then candidates are quoted in the same way. */
static const char head[] =
    "# bash completion of smemcalc, written by 'smemcalc completion bash'.\n"
    "\n"
    "_smemcalc_offer() { # WORD...: keeps those that begin as what is typed, in any case\n"
    "    local word typed=${cur//\\\\/} quote=\n"
    "    case $cur in \\\"* | \\'*) quote=${cur:0:1} typed=${cur:1} ;; esac\n"
    "    for word; do\n"
    "        [[ ${word,,} == \"${typed,,}\"* ]] || continue\n"
    "        [[ $quote ]] || printf -v word %q \"$word\"\n"
    "        COMPREPLY+=(\"$word\")\n"
    "    done\n"
    "}\n"
    "\n"
    "_smemcalc_offer_paths() { # -f or -d\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n"
    "}\n"
    "\n"
    "_smemcalc() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=query\n"
    "    COMPREPLY=()\n"
    "    if [[ $cur == = ]]; then # bash splits --option=value\n"
    "        cur=\n"
    "    elif [[ $previous == = ]]; then\n"
    "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n";

static void append_offer(enum smc_offer offer, const struct smc_text *words, struct smc_text *out)
{
    switch (offer) {
    case SMC_OFFER_NOTHING:
        return;
    case SMC_OFFER_WORDS:
        smc_text_printf(out, " _smemcalc_offer%s;", smc_text_string(words));
        return;
    case SMC_OFFER_DEVICES:
        smc_text_append(out, " _smemcalc_offer");
        smc_completion_devices(" ", out);
        smc_text_append(out, ";");
        return;
    case SMC_OFFER_KERNELS:
        smc_text_append(out, " _smemcalc_offer");
        smc_completion_kernels(" ", out);
        smc_text_append(out, ";");
        return;
    case SMC_OFFER_FILES:
        smc_text_append(out, " _smemcalc_offer_paths -f;");
        return;
    case SMC_OFFER_FOLDERS:
        smc_text_append(out, " _smemcalc_offer_paths -d;");
        return;
    }
}

static void append_values(struct smc_text *out)
{
    smc_text_append(out, "    case $previous in\n");
    for (int i = 0; i < SMC_OPTION_COUNT; i++) {
        const struct smc_option *option = &smc_options[i];
        struct smc_text words = {0};
        if (!option->value)
            continue;
        smc_text_printf(out, "    --%s", option->name);
        if (option->letter)
            smc_text_printf(out, " | -%c", option->letter);
        smc_text_append(out, ")");
        smc_completion_option_words(option, &words);
        append_offer(smc_completion_of_option(option), &words, out);
        smc_text_append(out, " return ;;\n");
        smc_text_free(&words);
    }
    smc_text_append(out, "    esac\n");
}

static void append_commands(struct smc_text *out)
{
    struct smc_text offered = {0};
    smc_text_append(out,
                    "    if ((COMP_CWORD > 1)); then\n        case ${COMP_WORDS[1]} in\n        ");
    for (int i = 0; i < SMC_COMMAND_COUNT; i++) {
        smc_text_printf(out, "%s%s", i ? " | " : "", smc_commands[i]->name);
        smc_text_printf(&offered, " %s", smc_commands[i]->name);
    }
    smc_text_printf(out,
                    ") command=${COMP_WORDS[1]} ;;\n        esac\n"
                    "    elif [[ $cur != -* ]]; then\n        _smemcalc_offer%s\n        return\n"
                    "    fi\n",
                    smc_text_string(&offered));
    smc_text_free(&offered);
}

/* A word without dashes is a file or a word where the command takes one; else options follow. */
static void append_words(struct smc_text *out)
{
    smc_text_append(out, "    case $command in\n");
    for (int c = 0; c < SMC_COMMAND_COUNT; c++) {
        enum smc_offer offer = smc_completion_of_command(smc_commands[c]);
        smc_text_printf(out, "    %s)\n", smc_commands[c]->name);
        if (offer != SMC_OFFER_NOTHING) {
            struct smc_text words = {0};
            smc_completion_command_words(smc_commands[c], &words);
            smc_text_append(out, "        [[ $cur == -* ]] || {");
            append_offer(offer, &words, out);
            smc_text_append(out, " return; }\n");
            smc_text_free(&words);
        }
        smc_text_append(out, "        _smemcalc_offer");
        for (int i = 0; i < SMC_OPTION_COUNT; i++)
            if (smc_options[i].commands & 1u << c)
                smc_text_printf(out, " --%s", smc_options[i].name);
        smc_text_append(out, " ;;\n");
    }
    smc_text_append(out, "    esac\n");
}

static void write_script(struct smc_text *out)
{
    smc_text_append(out, head);
    append_values(out);
    append_commands(out);
    append_words(out);
    smc_text_append(out, "}\n\ncomplete -F _smemcalc smemcalc\n");
}

const struct smc_shell smc_shell_bash = {
    .name = "bash",
    .write = write_script,
};
