/* smemcalc completion SHELL: a script that asks the program itself what may follow on a line, with
   the hidden command `smemcalc __complete WORD...`. */
#include <string.h>

#include "base/memory.h"
#include "hardware/exercise.h"
#include "show/cli/options.h"
#include "show/lesson/lesson.h"

/* --- What is offered -------------------------------------------------------------------------- */

/* The answer begins with "words", followed by a line for each, which may end in a tab and its
   meaning; or is only "files" or "directories". The shells choose among the words. */

static void offer(const char *word, const char *meaning, struct smc_text *out)
{
    smc_text_printf(out, "%s%s%s\n", word, meaning ? "\t" : "", meaning ? meaning : "");
}

/* "text|json|csv" */
static void offer_choices(const char *choices, size_t length, struct smc_text *out)
{
    for (size_t i = 0; i < length; i++)
        smc_text_append_char(out, choices[i] == '|' ? '\n' : choices[i], 1);
    smc_text_append(out, "\n");
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

static void offer_devices(struct smc_text *out)
{
    struct smc_device device;
    struct smc_capability capability;
    offer("gpu0", NULL, out);
    for (size_t i = 0; i < smc_device_count(); i++) {
        smc_device_at(i, &device);
        if (!seen_before(i, device.name))
            offer(smc_device_model(&device), NULL, out);
    }
    for (size_t i = 0; i < smc_capability_count(); i++) {
        smc_capability_at(i, &capability);
        smc_text_printf(out, "%d.%d\n", capability.sm.cc / 10, capability.sm.cc % 10);
    }
}

static void offer_commands(struct smc_text *out)
{
    for (int i = 0; i < SMC_COMMAND_COUNT; i++)
        offer(smc_commands[i].name, smc_commands[i].help, out);
}

/* Nothing for a number or an expression. */
static void offer_values(const struct smc_option *option, struct smc_text *out)
{
    if (option->choices)
        offer_choices(option->choices, strlen(option->choices), out);
    if (option == &smc_options[SMC_OPTION_DEVICE])
        offer_devices(out);
    for (size_t i = 0; option == &smc_options[SMC_OPTION_KERNEL] && i < smc_kernel_count(); i++)
        offer(smc_kernel_at(i)->name, NULL, out);
    for (int i = 0; option->type == SMC_OPTION_DTYPE && i < SMC_DTYPE_COUNT; i++)
        offer(smc_dtype_name((enum smc_dtype)i), NULL, out);
}

static bool is_given(int id, enum smc_command_id command, int count, char *const *words)
{
    for (int i = 0; i < count; i++)
        if (smc_option_find(words[i], command) == id)
            return !smc_option_repeats(id);
    return false;
}

static void offer_options(enum smc_command_id command, int count, char *const *words,
                          struct smc_text *out)
{
    for (int i = 0; i < SMC_OPTION_COUNT; i++) {
        const struct smc_option *option = &smc_options[i];
        if (!(option->commands & 1u << command) || is_given(i, command, count - 1, words))
            continue;
        smc_text_printf(out, "--%s\t%s\n", option->name, option->help);
        if (option->letter)
            smc_text_printf(out, "-%c\t%s\n", option->letter, option->help);
    }
}

/* The option whose value is being typed, or -1: attached to it, or after it, perhaps with '=' as a
   word of its own, into which bash splits words. */
static int option_being_given(enum smc_command_id command, int count, char *const *words)
{
    const char *typed = words[count - 1];
    int id = smc_option_find(typed, command), before = count - 2;
    if (id >= 0 && smc_options[id].value && !smc_option_value_follows(id, typed))
        return id;
    before -= before > 0 && strcmp(words[before], "=") == 0;
    id = before >= 0 ? smc_option_find(words[before], command) : -1;
    return smc_option_value_follows(id, before >= 0 ? words[before] : "") ? id : -1;
}

static void offer_exercises(struct smc_text *out)
{
    const char *name;
    for (size_t i = 0; (name = smc_exercise_name(i)); i++) {
        SMC_AUTO(smc_exercise_free) struct smc_exercise exercise;
        struct smc_error ignored;
        if (smc_exercise_read(name, &exercise, &ignored) == SMC_OK)
            offer(name, exercise.title, out);
    }
}

/* The first word of the command's usage, where it is not an option. */
static bool offer_operands(const struct smc_command *command, struct smc_text *out)
{
    const char *word = command->usage + strspn(command->usage, "[");
    const size_t length = strcspn(word, " ].");
    if (length == 0 || *word == '-' || strncmp(word, "OPTION", length) == 0)
        return false;
    if (strncmp(word, "COMMAND", length) == 0)
        offer_commands(out);
    else if (strncmp(word, "LESSON", length) == 0)
        for (size_t i = 0; i < smc_lesson_count(); i++) {
            struct smc_lesson_head head;
            smc_lesson_head_at(i, SMC_LANGUAGE_ENGLISH, &head);
            offer(head.name, head.summary, out);
        }
    else if (strncmp(word, "EXERCISE", length) == 0)
        offer_exercises(out);
    else
        offer_choices(word, length, out);
    return true;
}

void smc_completion_offer(int count, char *const *words, struct smc_text *out)
{
    enum smc_command_id command = SMC_COMMAND_QUERY;
    if (count > 1)
        smc_command_find(words[0], &command);
    const int id = count > 0 ? option_being_given(command, count, words) : -1;
    const char *value = id < 0 ? "" : smc_options[id].value;
    const bool is_operand = id < 0 && (count == 0 || words[count - 1][0] != '-');
    const bool is_exercise = command == SMC_COMMAND_EXERCISE && count == 2;
    const bool is_file =
        is_operand && count > 1 && !is_exercise && smc_commands[command].most_files > 0;
    smc_text_append(out, strcmp(value, "FOLDER") == 0            ? "directories\n"
                         : is_file || strcmp(value, "FILE") == 0 ? "files\n"
                                                                 : "words\n");
    if (id >= 0)
        offer_values(&smc_options[id], out);
    else if (is_operand && count <= 1)
        offer_commands(out);
    else if (!is_file && !(is_operand && offer_operands(&smc_commands[command], out)))
        offer_options(command, count, words, out);
}

/* --- The scripts ------------------------------------------------------------------------------ */

/* What is typed may begin with a quote or hold backslashes; words are quoted in the same way. */
static const char bash_script[] =
    "# bash completion of smemcalc, written by 'smemcalc completion bash'.\n"
    "_smemcalc() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} kind word typed quote= words\n"
    "    { read -r kind; mapfile -t words; } < <(\"${COMP_WORDS[0]/#\\~/$HOME}\" __complete \\\n"
    "        \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "    [[ $cur != = ]] || cur= # bash splits --option=value\n"
    "    COMPREPLY=()\n"
    "    if [[ $kind != words ]]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        mapfile -t COMPREPLY < <(compgen -\"${kind::1}\" -- \"$cur\")\n"
    "        return\n"
    "    fi\n"
    "    case $cur in \\\"* | \\'*) quote=${cur:0:1} cur=${cur:1} ;; esac\n"
    "    typed=${cur//\\\\/}\n"
    "    for word in \"${words[@]%%$'\\t'*}\"; do\n"
    "        [[ ${word,,} == \"${typed,,}\"* ]] || continue\n"
    "        [[ $quote ]] || printf -v word %q \"$word\"\n"
    "        COMPREPLY+=(\"$word\")\n"
    "    done\n"
    "}\n"
    "complete -F _smemcalc smemcalc\n";

static const char zsh_script[] =
    "#compdef smemcalc\n"
    "# zsh completion of smemcalc, written by 'smemcalc completion zsh'.\n"
    "_smemcalc() {\n"
    "    local -a match lines=(\"${(@f)$(${~words[1]} __complete \"${(@)words[2,CURRENT]}\" \\\n"
    "        2>/dev/null)}\")\n"
    "    compset -P '--*=' || { [[ $PREFIX != -* || ${lines[2]} == -* ]] || compset -P '-?' }\n"
    "    case $lines[1] in\n"
    "        files) _files ;;\n"
    "        directories) _directories ;;\n"
    "        *) shift lines\n"
    "            [[ ${lines[1]} == *$'\\t'* ]] || # values match in any case, also in part\n"
    "                match=(-M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]} l:|=* r:|=*')\n"
    "            lines=(\"${(@)lines/$'\\t'/:}\")\n"
    "            _describe -t words word lines $match ;;\n"
    "    esac\n"
    "}\n"
    "# Found by compinit it is run; sourced it announces itself.\n"
    "if [[ $funcstack[1] == _smemcalc ]]; then\n"
    "    _smemcalc \"$@\"\n"
    "else\n"
    "    compdef _smemcalc smemcalc\n"
    "fi\n";

static const char fish_script[] =
    "# fish completion of smemcalc, written by 'smemcalc completion fish'.\n"
    "function __smemcalc_offers\n"
    "    set -l typed (commandline -opc)\n"
    "    set -l token (commandline -ct)\n"
    "    set -l lines ($typed[1] __complete $typed[2..-1] $token 2>/dev/null)\n"
    "    set -l before (string match -r -- '^--[^=]*=|^-[^-]' $token)\n"
    "    string match -q -- '-*' $lines[2]; and set before\n"
    "    set -l rest (string sub -s (math 1 + (string length -- \"$before\")) -- \"$token\")\n"
    "    switch $lines[1]\n"
    "        case files\n"
    "            set lines (__fish_complete_path $rest)\n"
    "        case directories\n"
    "            set lines (__fish_complete_directories $rest)\n"
    "        case '*'\n"
    "            set -e lines[1]\n"
    "    end\n"
    "    printf \"$before%s\\n\" $lines\n"
    "end\n"
    "complete -c smemcalc -f -a '(__smemcalc_offers)'\n";

static const struct {
    const char *shell, *script;
} scripts[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

enum smc_status smc_cmd_completion(const struct smc_arguments *arguments, struct smc_text *out,
                                   struct smc_error *error)
{
    for (size_t i = 0; arguments->topic && i < sizeof scripts / sizeof *scripts; i++)
        if (strcmp(scripts[i].shell, arguments->topic) == 0) {
            smc_text_append(out, scripts[i].script);
            return SMC_OK;
        }
    if (arguments->topic)
        return smc_fail(error, SMC_USAGE, "unknown shell '%.64s'; name one of bash, zsh, fish",
                        arguments->topic);
    return smc_fail(error, SMC_USAGE, "completion: name a shell, one of bash, zsh, fish");
}
