/* What completion scripts offer, whatever the shell. */
#include "cli/completion.h"

#include <string.h>

#include "devices/devices.h"
#include "lesson/lesson.h"

const struct smc_shell *const smc_shells[SMC_SHELL_COUNT] = {
#define SHELL(ID, name) [SMC_SHELL_##ID] = &smc_shell_##name,
#include "cli/shells.def"
#undef SHELL
};

enum smc_offer smc_completion_of_option(const struct smc_option *option)
{
    if (option->choices || option->type == SMC_OPTION_DTYPE)
        return SMC_OFFER_WORDS;
    if (option == &smc_options[SMC_OPTION_DEVICE])
        return SMC_OFFER_DEVICES;
    if (option == &smc_options[SMC_OPTION_KERNEL])
        return SMC_OFFER_KERNELS;
    if (option->value && strcmp(option->value, "FILE") == 0)
        return SMC_OFFER_FILES;
    if (option->value && strcmp(option->value, "FOLDER") == 0)
        return SMC_OFFER_FOLDERS;
    return SMC_OFFER_NOTHING;
}

/* The first word of the usage without brackets and dots. */
static size_t operand_of(const struct smc_command *command, const char **word)
{
    *word = command->usage + strspn(command->usage, "[");
    return strcspn(*word, " ].");
}

enum smc_offer smc_completion_of_command(const struct smc_command *command)
{
    const char *word;
    size_t length = operand_of(command, &word);
    bool is_option = *word == '-' || strncmp(word, "OPTION", length) == 0;
    if (length == 4 && strncmp(word, "FILE", length) == 0)
        return SMC_OFFER_FILES;
    return length == 0 || is_option ? SMC_OFFER_NOTHING : SMC_OFFER_WORDS;
}

static void append_split(const char *words, size_t length, struct smc_text *out)
{
    smc_text_append(out, " ");
    for (size_t i = 0; i < length; i++)
        smc_text_append_char(out, words[i] == '|' ? ' ' : words[i], 1);
}

void smc_completion_option_words(const struct smc_option *option, struct smc_text *out)
{
    if (option->choices)
        append_split(option->choices, strlen(option->choices), out);
    for (int i = 0; i < SMC_DTYPE_COUNT && option->type == SMC_OPTION_DTYPE; i++)
        smc_text_printf(out, " %s", smc_dtype_name((enum smc_dtype)i));
}

void smc_completion_command_words(const struct smc_command *command, struct smc_text *out)
{
    const char *word;
    size_t length = operand_of(command, &word);
    bool commands = strncmp(word, "COMMAND", length) == 0;
    bool lessons = strncmp(word, "LESSON", length) == 0;
    if (!commands && !lessons)
        append_split(word, length, out);
    for (int i = 0; i < SMC_COMMAND_COUNT && commands; i++)
        smc_text_printf(out, " %s", smc_commands[i]->name);
    for (size_t i = 0; i < smc_lesson_count() && lessons; i++)
        smc_text_printf(out, " %s", smc_lesson_at(i)->name);
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

void smc_completion_devices(const char *before, struct smc_text *out)
{
    struct smc_device device;
    struct smc_capability capability;
    smc_text_printf(out, "%s'gpu0'", before);
    for (size_t i = 0; i < smc_device_count(); i++) {
        smc_device_at(i, &device);
        if (seen_before(i, device.name))
            continue;
        smc_text_printf(out, "%s'", before);
        smc_completion_escape(smc_device_model(&device), "'\\''", "", out);
        smc_text_append(out, "'");
    }
    for (size_t i = 0; i < smc_capability_count(); i++) {
        smc_capability_at(i, &capability);
        smc_text_printf(out, "%s'%d.%d'", before, capability.sm.cc / 10, capability.sm.cc % 10);
    }
}

void smc_completion_kernels(const char *before, struct smc_text *out)
{
    for (size_t i = 0; i < smc_kernel_count(); i++)
        smc_text_printf(out, "%s'%s'", before, smc_kernel_at(i)->name);
}

void smc_completion_escape(const char *text, const char *quote, const char *special,
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
