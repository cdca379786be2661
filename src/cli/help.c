/* Help, generated from the command and option rows. */
#include "cli/help.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/program.h"
#include "cli/options.h"
#include "config.h"
#include "report/layout.h"

enum { COLUMNS = 80, TEXT_COLUMN = 27, COMMAND_COLUMN = 13 };

static const char *const headings[] = {
#define GROUP(id, heading) [SMC_GROUP_##id] = heading,
#include "cli/groups.def"
#undef GROUP
};

static const char examples[] =
    "  smemcalc --tile 32                         the tiled matrix product, tile 32\n"
    "  smemcalc --threads 256 --regs 40 --smem 8K your own kernel, from its numbers\n";

static void append_range(const struct smc_option *option, struct smc_text *text)
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

static void append_option(const struct smc_option *option, struct smc_text *out)
{
    struct smc_text left = {0}, right = {0};
    if (option->letter)
        smc_text_printf(&left, "  -%c, ", option->letter);
    else
        smc_text_append(&left, "      ");
    smc_text_printf(&left, "--%s%s%s", option->name, option->value ? " " : "",
                    option->value ? option->value : "");
    smc_program_append(&right, option->help);
    append_range(option, &right);
    smc_layout_paragraph(out, smc_text_string(&left), TEXT_COLUMN, smc_text_string(&right),
                         COLUMNS);
    smc_text_free(&left);
    smc_text_free(&right);
}

/* Whether an earlier row of these commands has the name: commands may read one name differently. */
static bool is_listed(int id, uint32_t commands)
{
    for (int i = 0; i < id; i++)
        if (smc_options[i].commands & commands &&
            strcmp(smc_options[i].name, smc_options[id].name) == 0)
            return true;
    return false;
}

static void append_options(uint32_t commands, struct smc_text *out)
{
    for (int group = 0; group < SMC_GROUP_COUNT; group++) {
        bool begun = false;
        for (int i = 0; i < SMC_OPTION_COUNT; i++) {
            const struct smc_option *option = &smc_options[i];
            if ((int)option->group != group || !(option->commands & commands) ||
                is_listed(i, commands))
                continue;
            if (!begun) {
                smc_text_append(out, "\n");
                smc_program_append(out, headings[group]);
                smc_text_append(out, ":\n");
            }
            begun = true;
            append_option(option, out);
        }
    }
}

/* The beginning of each option's help, so that all of them fit on one screen. */
static void append_most_used(struct smc_text *out)
{
    static const int ids[] = {
        SMC_OPTION_KERNEL,       SMC_OPTION_FIRST_PARAM + SMC_PARAM_TILE,
        SMC_OPTION_SIZE,         SMC_OPTION_THREADS,
        SMC_OPTION_REGS,         SMC_OPTION_SMEM,
        SMC_OPTION_DYNAMIC_SMEM, SMC_OPTION_DEVICE,
        SMC_OPTION_FORMAT,
    };
    smc_text_append(out, "\nMost used options:\n");
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char help[64];
        struct smc_option option = smc_options[ids[i]];
        const char *end = option.help + strcspn(option.help, ";(");
        const char *comma = strchr(option.help, ',');
        end = comma && comma < end ? comma : end;
        while (end > option.help && end[-1] == ' ')
            end--;
        snprintf(help, sizeof help, "%.*s", (int)(end - option.help), option.help);
        option.help = help;
        append_option(&option, out);
    }
}

static void append_commands(struct smc_text *out)
{
    smc_text_append(out, "\nCommands (without one: query):\n");
    for (int i = 0; i < SMC_COMMAND_COUNT; i++) {
        struct smc_text left = {0};
        smc_text_printf(&left, "  %s", smc_commands[i]->name);
        smc_layout_paragraph(out, smc_text_string(&left), COMMAND_COLUMN, smc_commands[i]->help,
                             COLUMNS);
        smc_text_free(&left);
    }
}

static void append_head(struct smc_text *out)
{
    smc_program_append(out, examples);
    smc_program_append(out, "\nHow many blocks of a CUDA kernel fit on one SM, and what stops the "
                            "next one.\n"
                            "Usage: smemcalc [COMMAND] [OPTION]...\n");
}

void smc_help_short(struct smc_text *out)
{
    append_head(out);
    append_commands(out);
    append_most_used(out);
    smc_program_append(out, "\n'smemcalc help COMMAND' shows a command's options and examples,\n"
                            "'smemcalc help all' every option.\n");
}

void smc_help_all(struct smc_text *out)
{
    append_head(out);
    append_commands(out);
    append_options(UINT32_MAX, out);
    smc_text_append(
        out, "\nExit status: 0 answered or confirmed, 1 a confirmation or requirement "
             "failed,\n2 wrong usage, 3 no device or feature for it here, 4 the machine failed.\n");
}

void smc_help_command(enum smc_command_id id, struct smc_text *out)
{
    const struct smc_command *command = smc_commands[id];
    if (command->examples)
        smc_program_append(out, command->examples);
    smc_text_printf(out, "%s%s %s %s\n%s\n", command->examples ? "\n" : "", smc_program_name(),
                    command->name, command->usage, command->help);
    append_options(1u << id, out);
}

void smc_help_version(struct smc_text *out)
{
    smc_text_append(out, PACKAGE_STRING "\n");
}
