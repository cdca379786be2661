/* smemcalc completion SHELL: a script that completes commands, options and their values, written
   from the tables of commands, options, kernels and devices. */
#include <string.h>

#include "rules/devices.h"
#include "show/cli/command.h"
#include "show/cli/options.h"
#include "show/lesson/lesson.h"

/* What can be offered for an option's value or for a command's word. */
enum offer {
    OFFER_NOTHING, /* a number, an expression */
    OFFER_WORDS,   /* a few */
    OFFER_DEVICES,
    OFFER_KERNELS,
    OFFER_FILES,
    OFFER_FOLDERS,
    OFFER_COUNT,
};

struct shell {
    const char *name;
    void (*write)(const struct shell *shell, struct smc_text *out); /* appends the whole script */
    const char *quote;               /* how a quote is written in a quoted word */
    const char *special;             /* characters that need a backslash there */
    const char *action[OFFER_COUNT]; /* what offers it; '%' stands for the words */
    const char *names_begin,
        *names_open; /* of a function that offers names: around its own name, */
    const char *names_before, *names_end; /* before each name, and after the last */
};

/* --- What is offered --- */

static enum offer offer_of_option(const struct smc_option *option)
{
    if (option->choices || option->type == SMC_OPTION_DTYPE)
        return OFFER_WORDS;
    if (option == &smc_options[SMC_OPTION_DEVICE])
        return OFFER_DEVICES;
    if (option == &smc_options[SMC_OPTION_KERNEL])
        return OFFER_KERNELS;
    if (option->value && strcmp(option->value, "FILE") == 0)
        return OFFER_FILES;
    if (option->value && strcmp(option->value, "FOLDER") == 0)
        return OFFER_FOLDERS;
    return OFFER_NOTHING;
}

/* The first word of the usage without brackets and dots. */
static size_t operand_of(const struct smc_command *command, const char **word)
{
    *word = command->usage + strspn(command->usage, "[");
    return strcspn(*word, " ].");
}

static enum offer offer_of_command(const struct smc_command *command)
{
    const char *word;
    size_t length = operand_of(command, &word);
    bool is_option = *word == '-' || strncmp(word, "OPTION", length) == 0;
    if (length == 4 && strncmp(word, "FILE", length) == 0)
        return OFFER_FILES;
    return length == 0 || is_option ? OFFER_NOTHING : OFFER_WORDS;
}

static void append_split(const char *words, size_t length, struct smc_text *out)
{
    smc_text_append(out, " ");
    for (size_t i = 0; i < length; i++)
        smc_text_append_char(out, words[i] == '|' ? ' ' : words[i], 1);
}

/* The words of an offer, each after a space: nothing in them needs quoting. */
static void append_option_words(const struct smc_option *option, struct smc_text *out)
{
    if (option->choices)
        append_split(option->choices, strlen(option->choices), out);
    for (int i = 0; i < SMC_DTYPE_COUNT && option->type == SMC_OPTION_DTYPE; i++)
        smc_text_printf(out, " %s", smc_dtype_name((enum smc_dtype)i));
}

static void append_command_words(const struct smc_command *command, struct smc_text *out)
{
    const char *word;
    size_t length = operand_of(command, &word);
    bool commands = strncmp(word, "COMMAND", length) == 0;
    bool lessons = strncmp(word, "LESSON", length) == 0;
    if (!commands && !lessons)
        append_split(word, length, out);
    for (int i = 0; i < SMC_COMMAND_COUNT && commands; i++)
        smc_text_printf(out, " %s", smc_commands[i].name);
    for (size_t i = 0; i < smc_lesson_count() && lessons; i++)
        smc_text_printf(out, " %s", smc_lesson_at(i)->name);
}

static void append_escaped(const char *text, const char *quote, const char *special,
                           struct smc_text *out)
{
    for (; *text; text++) {
        if (strchr(special, *text))
            smc_text_append(out, "\\");
        if (*text == '\'')
            smc_text_append(out, quote);
        else
            smc_text_append_char(out, *text, 1);
    }
}

static bool seen_before(size_t index, const char *name)
{
    struct smc_device device;
    for (size_t i = 0; i < index; i++) {
        smc_device_at(i, &device);
        if (strcmp(device.name, name) == 0)
            return true;
    }
    return false;
}

static void cmd_completion_append_devices(const char *before, struct smc_text *out)
{
    struct smc_device device;
    struct smc_capability capability;
    smc_text_printf(out, "%s'gpu0'", before);
    for (size_t i = 0; i < smc_device_count(); i++) {
        smc_device_at(i, &device);
        if (seen_before(i, device.name))
            continue;
        smc_text_printf(out, "%s'", before);
        append_escaped(smc_device_model(&device), "'\\''", "", out);
        smc_text_append(out, "'");
    }
    for (size_t i = 0; i < smc_capability_count(); i++) {
        smc_capability_at(i, &capability);
        smc_text_printf(out, "%s'%d.%d'", before, capability.sm.cc / 10, capability.sm.cc % 10);
    }
}

static void append_kernels(const char *before, struct smc_text *out)
{
    for (size_t i = 0; i < smc_kernel_count(); i++)
        smc_text_printf(out, "%s'%s'", before, smc_kernel_at(i)->name);
}

/* A function of the shell that offers names. */
static void append_names(const struct shell *shell, const char *function,
                         void (*append)(const char *before, struct smc_text *out),
                         struct smc_text *out)
{
    smc_text_printf(out, "%s%s%s", shell->names_begin, function, shell->names_open);
    append(shell->names_before, out);
    smc_text_append(out, shell->names_end);
}

static void append_action(const struct shell *shell, enum offer offer, const struct smc_text *words,
                          struct smc_text *out)
{
    for (const char *at = shell->action[offer]; *at; at++)
        if (*at == '%')
            smc_text_append(out, smc_text_string(words));
        else
            smc_text_append_char(out, *at, 1);
}

static void append_option_action(const struct shell *shell, const struct smc_option *option,
                                 struct smc_text *out)
{
    struct smc_text words = {0};
    append_option_words(option, &words);
    append_action(shell, offer_of_option(option), &words, out);
    smc_text_free(&words);
}

static void append_command_action(const struct shell *shell, const struct smc_command *command,
                                  struct smc_text *out)
{
    struct smc_text words = {0};
    append_command_words(command, &words);
    append_action(shell, offer_of_command(command), &words, out);
    smc_text_free(&words);
}

/* --- bash, version 4 or later --- */

/* `cur` may begin with a quote or hold backslashes; then candidates are quoted in the same way. */
static const char bash_head[] =
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
    "\n";

static const char bash_begin[] =
    "_smemcalc() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=query\n"
    "    COMPREPLY=()\n"
    "    if [[ $cur == = ]]; then # bash splits --option=value\n"
    "        cur=\n"
    "    elif [[ $previous == = ]]; then\n"
    "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n";

static void append_bash_values(const struct shell *shell, struct smc_text *out)
{
    smc_text_append(out, "    case $previous in\n");
    for (int i = 0; i < SMC_OPTION_COUNT; i++) {
        const struct smc_option *option = &smc_options[i];
        if (!option->value)
            continue;
        smc_text_printf(out, "    --%s", option->name);
        if (option->letter)
            smc_text_printf(out, " | -%c", option->letter);
        smc_text_append(out, ")");
        append_option_action(shell, option, out);
        smc_text_append(out, " return ;;\n");
    }
    smc_text_append(out, "    esac\n");
}

static void append_bash_commands(struct smc_text *out)
{
    struct smc_text offered = {0};
    smc_text_append(out,
                    "    if ((COMP_CWORD > 1)); then\n        case ${COMP_WORDS[1]} in\n        ");
    for (int i = 0; i < SMC_COMMAND_COUNT; i++) {
        smc_text_printf(out, "%s%s", i ? " | " : "", smc_commands[i].name);
        smc_text_printf(&offered, " %s", smc_commands[i].name);
    }
    smc_text_printf(out,
                    ") command=${COMP_WORDS[1]} ;;\n        esac\n"
                    "    elif [[ $cur != -* ]]; then\n        _smemcalc_offer%s\n        return\n"
                    "    fi\n",
                    smc_text_string(&offered));
    smc_text_free(&offered);
}

/* A word without dashes is a file or a word if the command takes one; otherwise options follow. */
static void append_bash_words(const struct shell *shell, struct smc_text *out)
{
    smc_text_append(out, "    case $command in\n");
    for (int c = 0; c < SMC_COMMAND_COUNT; c++) {
        smc_text_printf(out, "    %s)\n", smc_commands[c].name);
        if (offer_of_command(&smc_commands[c]) != OFFER_NOTHING) {
            smc_text_append(out, "        [[ $cur == -* ]] || {");
            append_command_action(shell, &smc_commands[c], out);
            smc_text_append(out, " return; }\n");
        }
        smc_text_append(out, "        _smemcalc_offer");
        for (int i = 0; i < SMC_OPTION_COUNT; i++)
            if (smc_options[i].commands & 1u << c)
                smc_text_printf(out, " --%s", smc_options[i].name);
        smc_text_append(out, " ;;\n");
    }
    smc_text_append(out, "    esac\n");
}

static void write_bash(const struct shell *shell, struct smc_text *out)
{
    smc_text_append(out, bash_head);
    append_names(shell, "_smemcalc_devices", cmd_completion_append_devices, out);
    append_names(shell, "_smemcalc_kernels", append_kernels, out);
    smc_text_append(out, bash_begin);
    append_bash_values(shell, out);
    append_bash_commands(out);
    append_bash_words(shell, out);
    smc_text_append(out, "}\n\ncomplete -F _smemcalc smemcalc\n");
}

/* --- zsh --- */

/* '(-k --kernel)'{-k+,--kernel=}'[help]:NAME:action' */
static void append_zsh_option(const struct shell *shell, const struct smc_option *option,
                              struct smc_text *out)
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
    append_escaped(option->help, shell->quote, shell->special, out);
    smc_text_append(out, "]");
    if (option->value) {
        smc_text_printf(out, ":%s:", option->value);
        append_option_action(shell, option, out);
    }
    smc_text_append(out, "'");
}

static void append_zsh_command(const struct shell *shell, int id, struct smc_text *out)
{
    const struct smc_command *command = &smc_commands[id];
    enum offer offer = offer_of_command(command);
    smc_text_printf(out, "    %s)\n        _arguments -s -S", command->name);
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        if (smc_options[i].commands & 1u << id)
            append_zsh_option(shell, &smc_options[i], out);
    if (offer != OFFER_NOTHING) {
        smc_text_printf(out, " \\\n            '%s:word:", offer == OFFER_FILES ? "*" : "1");
        append_command_action(shell, command, out);
        smc_text_append(out, "'");
    }
    smc_text_append(out, "\n        ;;\n");
}

static void append_zsh_commands(const struct shell *shell, struct smc_text *out)
{
    smc_text_append(out, "    local -a commands=(\n");
    for (int i = 0; i < SMC_COMMAND_COUNT; i++) {
        smc_text_printf(out, "        '%s:", smc_commands[i].name);
        append_escaped(smc_commands[i].help, shell->quote, "", out);
        smc_text_append(out, "'\n");
    }
    smc_text_append(out, "    )\n");
}

static void write_zsh(const struct shell *shell, struct smc_text *out)
{
    smc_text_append(out, "#compdef smemcalc\n"
                         "# zsh completion of smemcalc, written by 'smemcalc completion zsh'.\n\n");
    append_names(shell, "_smemcalc_devices", cmd_completion_append_devices, out);
    append_names(shell, "_smemcalc_kernels", append_kernels, out);
    smc_text_append(out, "_smemcalc() {\n    local command=query\n");
    append_zsh_commands(shell, out);
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
        append_zsh_command(shell, i, out);
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

/* --- fish, version 3 or later --- */

static void append_fish_head(struct smc_text *out)
{
    smc_text_append(out, "# fish completion of smemcalc, written by 'smemcalc completion fish'.\n"
                         "\n"
                         "function __smemcalc_command # the command given so far\n"
                         "    set -l typed (commandline -opc)\n"
                         "    if set -q typed[2]; and contains -- $typed[2]");
    for (int i = 0; i < SMC_COMMAND_COUNT; i++)
        smc_text_printf(out, " %s", smc_commands[i].name);
    smc_text_append(out, "\n"
                         "        echo $typed[2]\n"
                         "    else\n"
                         "        echo query\n"
                         "    end\n"
                         "end\n"
                         "\n"
                         "function __smemcalc_accepts # COMMAND...\n"
                         "    contains -- (__smemcalc_command) $argv\n"
                         "end\n"
                         "\n"
                         "function __smemcalc_first # no word is given yet\n"
                         "    test (count (commandline -opc)) -eq 1\n"
                         "end\n"
                         "\n");
}

static void append_fish_option(const struct shell *shell, const struct smc_option *option,
                               struct smc_text *out)
{
    smc_text_append(out, "complete -c smemcalc -n '__smemcalc_accepts");
    for (int i = 0; i < SMC_COMMAND_COUNT; i++)
        if (option->commands & 1u << i)
            smc_text_printf(out, " %s", smc_commands[i].name);
    smc_text_append(out, "'");
    if (option->letter)
        smc_text_printf(out, " -s %c", option->letter);
    smc_text_printf(out, " -l %s", option->name);
    if (option->value)
        append_option_action(shell, option, out);
    smc_text_append(out, " -d '");
    append_escaped(option->help, shell->quote, shell->special, out);
    smc_text_append(out, "'\n");
}

static void append_fish_command(const struct shell *shell, const struct smc_command *command,
                                struct smc_text *out)
{
    enum offer offer = offer_of_command(command);
    smc_text_printf(out, "complete -c smemcalc -n __smemcalc_first -a %s -d '", command->name);
    append_escaped(command->help, shell->quote, shell->special, out);
    smc_text_append(out, "'\n");
    if (offer == OFFER_NOTHING)
        return;
    struct smc_text words = {0};
    append_command_words(command, &words);
    smc_text_printf(out,
                    "complete -c smemcalc -n 'not __smemcalc_first; and __smemcalc_accepts %s'",
                    command->name);
    if (offer == OFFER_FILES)
        smc_text_append(out, " -F");
    else
        smc_text_printf(out, " -a '%s'", smc_text_string(&words));
    smc_text_append(out, "\n");
    smc_text_free(&words);
}

static void write_fish(const struct shell *shell, struct smc_text *out)
{
    append_fish_head(out);
    append_names(shell, "__smemcalc_devices", cmd_completion_append_devices, out);
    append_names(shell, "__smemcalc_kernels", append_kernels, out);
    smc_text_append(out, "complete -c smemcalc -f\n");
    for (int i = 0; i < SMC_COMMAND_COUNT; i++)
        append_fish_command(shell, &smc_commands[i], out);
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        append_fish_option(shell, &smc_options[i], out);
}

/* --- The shells --- */

static const struct shell shells[] = {
    {
        .name = "bash",
        .write = write_bash,
        .quote = "'\\''",
        .special = "",
        .action = {"", " _smemcalc_offer%;", " _smemcalc_devices;", " _smemcalc_kernels;",
                   " _smemcalc_offer_paths -f;", " _smemcalc_offer_paths -d;"},
        .names_begin = "",
        .names_open = "() {\n    _smemcalc_offer",
        .names_before = " ",
        .names_end = "\n}\n\n",
    },
    {
        .name = "zsh",
        .write = write_zsh,
        .quote = "'\\''",
        .special = "[]:\\", /* within an argument of _arguments */
        .action = {" ", "(% )", "_smemcalc_devices", "_smemcalc_kernels", "_files", "_directories"},
        .names_begin = "",
        .names_open = "() {\n"
                      "    compadd -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]} l:|=* r:|=*' "
                      "-- ",
        .names_before = "\\\n        ",
        .names_end = "\n}\n\n",
    },
    {
        .name = "fish",
        .write = write_fish,
        .quote = "\\'",
        .special = "\\",
        .action = {" -x", " -x -a '%'", " -x -a '(__smemcalc_devices)'",
                   " -x -a '(__smemcalc_kernels)'", " -r -F",
                   " -x -a '(__fish_complete_directories)'"},
        .names_begin = "function ",
        .names_open = "\n    printf '%s\\n'",
        .names_before = " ",
        .names_end = "\nend\n\n",
    },
};

enum { SHELLS = sizeof shells / sizeof *shells };

static enum smc_status fail_shell(const char *typed, struct smc_error *error)
{
    struct smc_text names = {0};
    for (size_t i = 0; i < SHELLS; i++)
        smc_text_printf(&names, "%s%s", i ? ", " : "", shells[i].name);
    if (typed)
        smc_fail(error, SMC_USAGE, "unknown shell '%.64s'; name one of %s", typed,
                 smc_text_string(&names));
    else
        smc_fail(error, SMC_USAGE, "completion: name a shell, one of %s", smc_text_string(&names));
    smc_text_free(&names);
    return SMC_USAGE;
}

enum smc_status smc_cmd_completion(const struct smc_arguments *arguments, struct smc_text *out,
                                   struct smc_error *error)
{
    for (size_t i = 0; arguments->topic && i < SHELLS; i++)
        if (strcmp(shells[i].name, arguments->topic) == 0) {
            shells[i].write(&shells[i], out);
            return SMC_OK;
        }
    return fail_shell(arguments->topic, error);
}
