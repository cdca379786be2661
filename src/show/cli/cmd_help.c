/* smemcalc help [COMMAND], generated from the command and option rows. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "show/cli/options.h"
#include "show/lesson/lesson_words.h"
#include "show/words/layout.h"

enum { COLUMNS = 80, TEXT_COLUMN = 27, COMMAND_COLUMN = 13 };

static const char *const headings[] = {
#define GROUP(id, heading) [SMC_GROUP_##id] = heading,
#include "show/cli/groups.def"
};

static const char examples[] =
    "  smemcalc --tile 32                         the tiled matrix product, tile 32\n"
    "  smemcalc --threads 256 --regs 40 --smem 8K your own kernel, from its numbers\n"
    "  smemcalc x.cu --device A100 --device H100  your own kernels, from a file\n"
    "  smemcalc trace -- ./app                    all kernels that a program launches\n";

static void cmd_help_append_range(const struct smc_option *option, struct smc_text *text)
{
    if (option->type == SMC_OPTION_CHOICE) {
        smc_text_append(text, " (");
        for (const char *c = option->choices; *c; c++)
            smc_text_printf(text, *c == '|' ? ", " : "%c", *c);
        smc_text_append(text, ")");
    }
    if (option->type != SMC_OPTION_INTEGER)
        return;
    bool has_default = option->initial >= option->lowest && option->initial <= option->highest;
    bool bounded = option->highest < SMC_NO_HIGHEST;
    if (!bounded && (!has_default || option->initial == 0))
        return;
    smc_text_append(text, " (");
    if (bounded)
        smc_text_printf(text, "%" PRId64 " to %" PRId64, option->lowest, option->highest);
    if (has_default)
        smc_text_printf(text, "%sdefault %" PRId64, bounded ? ", " : "", option->initial);
    smc_text_append(text, ")");
}

static void cmd_help_append_row(const struct smc_option *option, const char *help,
                                struct smc_text *out)
{
    smc_auto_text left = {0};
    if (option->letter)
        smc_text_printf(&left, "  -%c, ", option->letter);
    else
        smc_text_append(&left, "      ");
    smc_text_printf(&left, "--%s%s%s", option->name, option->value ? " " : "",
                    option->value ? option->value : "");
    smc_layout_paragraph(out, smc_text_string(&left), TEXT_COLUMN, help, COLUMNS);
}

/* Whether an earlier row of these commands has the name: its meaning may depend on the command. */
static bool cmd_help_is_listed(int id, uint32_t commands)
{
    for (int i = 0; i < id; i++)
        if (smc_options[i].commands & commands &&
            strcmp(smc_options[i].name, smc_options[id].name) == 0)
            return true;
    return false;
}

static void cmd_help_append_options(uint32_t commands, struct smc_text *out)
{
    for (int group = 0; group < SMC_GROUP_COUNT; group++) {
        bool begun = false;
        for (int i = 0; i < SMC_OPTION_COUNT; i++) {
            const struct smc_option *option = &smc_options[i];
            if ((int)option->group != group || !(option->commands & commands) ||
                cmd_help_is_listed(i, commands))
                continue;
            if (!begun) {
                smc_text_append(out, "\n");
                smc_program_append(out, headings[group]);
                smc_text_append(out, ":\n");
            }
            begun = true;
            smc_auto_text help = {0};
            smc_program_append(&help, option->help);
            cmd_help_append_range(option, &help);
            cmd_help_append_row(option, smc_text_string(&help), out);
        }
    }
}

static void append_most_used(struct smc_text *out)
{
    static const struct {
        int id;
        const char *help;
    } options[] = {
        {SMC_OPTION_KERNEL, "a kernel of the catalog"},
        {SMC_OPTION_THREADS, "threads per block of your own kernel"},
        {SMC_OPTION_DEVICE, "a board (H200) or a compute capability (9.0)"},
        {SMC_OPTION_FORMAT, "text, json, jsonl or csv"},
    };
    smc_text_append(out, "\nMost used options:\n");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        cmd_help_append_row(&smc_options[options[i].id], options[i].help, out);
}

static void cmd_help_append_commands(struct smc_text *out)
{
    smc_text_append(out, "\nCommands (without one: query, or inspect of files):\n");
    for (int i = 0; i < SMC_COMMAND_COUNT; i++) {
        smc_auto_text left = {0};
        smc_text_printf(&left, "  %s", smc_commands[i].name);
        smc_layout_paragraph(out, smc_text_string(&left), COMMAND_COLUMN, smc_commands[i].help,
                             COLUMNS);
    }
}

static void cmd_help_append_head(struct smc_text *out)
{
    smc_program_append(out, examples);
    smc_program_append(out, "\nHow many blocks of a CUDA kernel fit on one SM, and what stops the "
                            "next one.\n"
                            "Usage: smemcalc [COMMAND | FILE...] [OPTION]...\n");
}

void smc_help_short(struct smc_text *out)
{
    cmd_help_append_head(out);
    cmd_help_append_commands(out);
    append_most_used(out);
    smc_program_append(out,
                       "\n'smemcalc help COMMAND' shows a command's options, 'smemcalc help all' "
                       "all.\n");
}

void smc_help_all(struct smc_text *out)
{
    cmd_help_append_head(out);
    cmd_help_append_commands(out);
    cmd_help_append_options(UINT32_MAX, out);
    smc_text_append(
        out, "\nExit status: 0 answered or confirmed, 1 a confirmation or requirement "
             "failed,\n2 wrong usage, 3 no device or feature for it here, 4 the machine failed.\n");
}

/* The manual of the files that a command accepts beside the program's own. */
static void append_manual(enum smc_command_id id, struct smc_text *out)
{
    if (id == SMC_COMMAND_LESSON)
        smc_text_append(out, "\nLESSON is a name of the list, or your own file: "
                             "smemcalc-lesson(5).\n");
    if (id == SMC_COMMAND_EXERCISE)
        smc_text_append(out, "\nEXERCISE is a name of the list, or your own folder: "
                             "smemcalc-formats(5).\n");
}

void smc_help_command(enum smc_command_id id, struct smc_text *out)
{
    const struct smc_command *command = &smc_commands[id];
    if (id == SMC_COMMAND_LESSON && smc_language_of_user() == SMC_LANGUAGE_CHINESE) {
        smc_lesson_help(smc_program_name(), out);
        return;
    }
    if (command->examples)
        smc_program_append(out, command->examples);
    smc_text_printf(out, "%s%s %s %s\n%s\n", command->examples ? "\n" : "", smc_program_name(),
                    command->name, command->usage, command->help);
    append_manual(id, out);
    cmd_help_append_options(1u << id, out);
}

void smc_help_version(struct smc_text *out)
{
    smc_text_append(out, PACKAGE_STRING "\n");
}

enum smc_status smc_cmd_help(const struct smc_arguments *arguments, struct smc_text *out,
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
