/* Reading the arguments of one call by the option rows. */
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/program.h"
#include "base/suggest.h"
#include "cli/options.h"
#include "query/sweep.h"

/* The words still to be read. */
struct reader {
    int count;
    char *const *words;
    int next;
};

bool smc_command_find(const char *text, enum smc_command_id *command)
{
    for (int i = 0; i < SMC_COMMAND_COUNT; i++)
        if (strcmp(smc_commands[i]->name, text) == 0) {
            *command = (enum smc_command_id)i;
            return true;
        }
    return false;
}

enum smc_status smc_command_fail_unknown(const char *word, struct smc_error *error)
{
    struct smc_suggestion suggestion = {.typed = word};
    for (int i = 0; i < SMC_COMMAND_COUNT; i++)
        smc_suggest_consider(&suggestion, smc_commands[i]->name);
    if (suggestion.best)
        return smc_fail(error, SMC_USAGE, "unknown command '%.64s'; did you mean '%s'?", word,
                        suggestion.best);
    return smc_fail(error, SMC_USAGE, "unknown command '%.64s'; '%s help' lists them", word,
                    smc_program_name());
}

/* Commands may understand one name differently: the row of this command goes before others. */
static bool goes_before(int id, int found, enum smc_command_id command)
{
    return found < 0 || smc_options[id].commands & 1u << command;
}

static int find_by_name(const char *name, size_t length, enum smc_command_id command)
{
    int found = -1;
    for (int i = 0; i < SMC_OPTION_COUNT; i++) {
        if (strlen(smc_options[i].name) != length || strncmp(smc_options[i].name, name, length))
            continue;
        if (goes_before(i, found, command))
            found = i;
    }
    return found;
}

static int find_by_letter(char letter, enum smc_command_id command)
{
    int found = -1;
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        if (letter && smc_options[i].letter == letter && goes_before(i, found, command))
            found = i;
    return found;
}

static enum smc_status fail_unknown(const char *name, size_t length, enum smc_command_id command,
                                    struct smc_error *error)
{
    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    struct smc_suggestion suggestion = {.typed = typed};
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        if (smc_options[i].commands & 1u << command)
            smc_suggest_consider(&suggestion, smc_options[i].name);
    if (suggestion.best)
        return smc_fail(error, SMC_USAGE, "option --%s is unknown; did you mean --%s?", typed,
                        suggestion.best);
    return smc_fail(error, SMC_USAGE, "option --%s is unknown; '%s help %s' lists them", typed,
                    smc_program_name(), smc_commands[command]->name);
}

static enum smc_status fail_command(const struct smc_option *option, enum smc_command_id command,
                                    struct smc_error *error)
{
    struct smc_text takers = {0};
    uint32_t commands = 0; /* of all that have the name */
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        if (strcmp(smc_options[i].name, option->name) == 0)
            commands |= smc_options[i].commands;
    for (int i = 0; i < SMC_COMMAND_COUNT; i++)
        if (commands & 1u << i)
            smc_text_printf(&takers, "%s%s", takers.length ? ", " : "", smc_commands[i]->name);
    smc_fail(error, SMC_USAGE, "option --%s: not for the command %s, only for %s", option->name,
             smc_commands[command]->name, smc_text_string(&takers));
    smc_text_free(&takers);
    return SMC_USAGE;
}

static enum smc_status fail_number(const struct smc_option *option, const char *text,
                                   struct smc_error *error)
{
    const char *digits = text + (*text == '-');
    bool whole = *digits && !digits[strspn(digits, "0123456789")];
    struct smc_range range;
    if (smc_range_parse(text, INT64_MIN, INT64_MAX, option->type == SMC_OPTION_BYTES, &range) !=
        SMC_RANGE_MALFORMED)
        return smc_fail(error, SMC_USAGE, "option --%s: takes one value here, no range: '%s'",
                        option->name, text);
    const char *kind = option->type == SMC_OPTION_BYTES      ? "a size in bytes "
                       : whole                               ? ""
                       : strcmp(option->value, "SHAPE") == 0 ? "a number or shape (16x16) "
                                                             : "a whole number ";
    return smc_fail(error, SMC_USAGE, "option --%s: '%.64s%s' is not %sbetween %lld and %lld%s%s",
                    option->name, text, strlen(text) > 64 ? "..." : "", kind,
                    (long long)option->lowest, (long long)option->highest,
                    option->choices ? ", nor " : "", option->choices ? option->choices : "");
}

static bool read_choice(const char *choices, const char *text, int64_t *index)
{
    size_t length = strlen(text);
    for (int64_t i = 0; *choices; i++) {
        size_t word = strcspn(choices, "|");
        if (word == length && strncmp(choices, text, word) == 0) {
            *index = i;
            return true;
        }
        choices += word + (choices[word] == '|');
    }
    return false;
}

static enum smc_status fail_choice(const struct smc_option *option, const char *text,
                                   struct smc_error *error)
{
    char list[96];
    size_t n = 0;
    for (const char *c = option->choices; *c && n + 3 < sizeof list; c++) {
        list[n++] = *c == '|' ? ',' : *c;
        if (*c == '|')
            list[n++] = ' ';
    }
    list[n] = '\0';
    return smc_fail(error, SMC_USAGE, "option --%s: '%.64s' is none of %s", option->name, text,
                    list);
}

static enum smc_status fail_dtype(const struct smc_option *option, const char *text,
                                  struct smc_error *error)
{
    struct smc_text names = {0};
    for (int i = 0; i < SMC_DTYPE_COUNT; i++)
        smc_text_printf(&names, "%s%s", i ? ", " : "", smc_dtype_name((enum smc_dtype)i));
    smc_fail(error, SMC_USAGE, "option --%s: '%.64s' is none of %s", option->name, text,
             smc_text_string(&names));
    smc_text_free(&names);
    return SMC_USAGE;
}

/* "16x16": the threads of a block by its shape. */
static bool read_shape(const struct smc_option *option, const char *text, int64_t *number)
{
    int64_t edge[3] = {1, 1, 1}, threads;
    return strcmp(option->value, "SHAPE") == 0 &&
           smc_parse_dimensions(text, option->highest, edge, 3) > 0 &&
           !__builtin_mul_overflow(edge[0], edge[1], &threads) &&
           !__builtin_mul_overflow(threads, edge[2], number) && *number >= option->lowest &&
           *number <= option->highest;
}

static enum smc_status read_value(const struct smc_option *option, const char *text,
                                  int64_t *number, struct smc_error *error)
{
    uint64_t bytes;
    enum smc_dtype dtype;
    switch (option->type) {
    case SMC_OPTION_FLAG:
        *number = 1;
        return SMC_OK;
    case SMC_OPTION_TEXT:
        return SMC_OK;
    case SMC_OPTION_INTEGER:
        if (option->choices && read_choice(option->choices, text, number)) {
            *number = -1 - *number;
            return SMC_OK;
        }
        if (!smc_parse_integer(text, option->lowest, option->highest, number) &&
            !read_shape(option, text, number))
            return fail_number(option, text, error);
        return SMC_OK;
    case SMC_OPTION_BYTES:
        if (!smc_parse_size(text, (uint64_t)option->highest, &bytes))
            return fail_number(option, text, error);
        *number = (int64_t)bytes;
        return SMC_OK;
    case SMC_OPTION_CHOICE:
        return read_choice(option->choices, text, number) ? SMC_OK
                                                          : fail_choice(option, text, error);
    case SMC_OPTION_DTYPE:
        if (!smc_dtype_parse(text, &dtype))
            return fail_dtype(option, text, error);
        *number = dtype;
        return SMC_OK;
    }
    return SMC_OK;
}

/* The text after '=' or a letter, else the next word. Where that is an option, its predecessor
   lacks its value. */
static enum smc_status take_value(const struct smc_option *option, const char *attached,
                                  enum smc_command_id command, struct reader *reader,
                                  const char **value, struct smc_error *error)
{
    *value = attached;
    if (!option->value)
        return attached ? smc_fail(error, SMC_USAGE,
                                   "option --%s: takes no value, but '%s' is "
                                   "given",
                                   option->name, attached)
                        : SMC_OK;
    if (attached)
        return SMC_OK;
    const char *next = reader->next < reader->count ? reader->words[reader->next] : NULL;
    bool is_option = next && strncmp(next, "--", 2) == 0 &&
                     find_by_name(next + 2, strcspn(next + 2, "="), command) >= 0;
    bool missing = !next || is_option;
    if (missing)
        return smc_fail(error, SMC_USAGE, "option --%s: the value %s is missing", option->name,
                        option->value);
    *value = reader->words[reader->next++];
    return SMC_OK;
}

/* A run varies what makes the kernel or its launch, not the size of its problem. */
static bool varies_in_run(int id)
{
    int param = id - SMC_OPTION_FIRST_PARAM;
    enum smc_option_type type = smc_options[id].type;
    if (param < 0)
        return id == SMC_OPTION_BLOCK_SHAPE || id == SMC_OPTION_DYNAMIC_SMEM ||
               id == SMC_OPTION_CARVEOUT;
    return (type == SMC_OPTION_INTEGER || type == SMC_OPTION_BYTES) &&
           (param < SMC_PARAM_M || param > SMC_PARAM_LENGTH);
}

bool smc_option_takes_range(int id, enum smc_command_id command)
{
    enum smc_axis_id axis;
    enum smc_option_type type = smc_options[id].type;
    if (command == SMC_COMMAND_RUN)
        return varies_in_run(id);
    return command == SMC_COMMAND_SWEEP &&
           (type == SMC_OPTION_INTEGER || type == SMC_OPTION_BYTES) &&
           smc_axis_find(smc_options[id].name, &axis);
}

static enum smc_status read_range(const struct smc_option *option, const char *text,
                                  struct smc_range *range, struct smc_error *error)
{
    bool sizes = option->type == SMC_OPTION_BYTES;
    switch (smc_range_parse(text, option->lowest, option->highest, sizes, range)) {
    case SMC_RANGE_SOUND:
        return SMC_OK;
    case SMC_RANGE_MALFORMED:
        break;
    case SMC_RANGE_OUTSIDE:
        return smc_fail(error, SMC_USAGE,
                        "option --%s: the range '%s' is not between %lld and %lld", option->name,
                        text, (long long)option->lowest, (long long)option->highest);
    case SMC_RANGE_EMPTY:
        return smc_fail(error, SMC_USAGE,
                        "option --%s: the range '%s' is empty: it ends before it begins",
                        option->name, text);
    case SMC_RANGE_NO_STEP:
        return smc_fail(error, SMC_USAGE,
                        "option --%s: the step of the range '%s' is not 1 or more", option->name,
                        text);
    }
    return smc_fail(error, SMC_USAGE,
                    "option --%s: '%s' is no range: FIRST:LAST or FIRST:LAST:STEP, whole numbers%s",
                    option->name, text, sizes ? " or sizes such as 48K" : "");
}

bool smc_option_repeats(int option)
{
    return option == SMC_OPTION_DEVICE || option == SMC_OPTION_DEVICE_FILE ||
           option == SMC_OPTION_ARG || option == SMC_OPTION_DUMP;
}

static enum smc_status store_repeated(int id, const char *value, struct smc_arguments *arguments,
                                      struct smc_error *error)
{
    struct smc_arguments *a = arguments;
    const struct {
        int id;
        const char **list;
        size_t *count, most;
        const char *what;
    } lists[] = {
        {SMC_OPTION_DEVICE, a->device, &a->device_count, SMC_MAX_DEVICES, "devices are compared"},
        {SMC_OPTION_DEVICE_FILE, a->device_file, &a->device_file_count, SMC_MAX_DEVICES,
         "files are read"},
        {SMC_OPTION_ARG, a->arg, &a->arg_count, SMC_MAX_USER_ARGUMENTS, "arguments are passed"},
        {SMC_OPTION_DUMP, a->dump, &a->dump_count, SMC_MAX_USER_ARGUMENTS, "files are written"},
    };
    size_t i = 0;
    while (lists[i].id != id)
        i++;
    if (*lists[i].count == lists[i].most)
        return smc_fail(error, SMC_USAGE, "option --%s: at most %zu %s", smc_options[id].name,
                        lists[i].most, lists[i].what);
    lists[i].list[(*lists[i].count)++] = value;
    return SMC_OK;
}

/* A shape has no range, but the threads of a kernel's block. */
static const struct smc_option *range_option(int id)
{
    return &smc_options[id == SMC_OPTION_BLOCK_SHAPE ? SMC_OPTION_FIRST_PARAM + SMC_PARAM_BLOCK
                                                     : id];
}

static enum smc_status store(int id, const char *value, struct smc_arguments *arguments,
                             struct smc_error *error)
{
    const struct smc_option *option = &smc_options[id];
    struct smc_range *taken = &arguments->range[id];
    bool range =
        option->value && strchr(value, ':') && smc_option_takes_range(id, arguments->command);
    bool all = id == SMC_OPTION_CACHE_CONFIG && arguments->command == SMC_COMMAND_RUN &&
               strcmp(value, "all") == 0;
    *taken = (struct smc_range){0};
    enum smc_status status = SMC_OK;
    if (range)
        status = read_range(range_option(id), value, taken, error);
    else if (all)
        *taken = (struct smc_range){option->lowest, option->highest, 1};
    else
        status = read_value(option, value, &arguments->number[id], error);
    if (status != SMC_OK)
        return status;
    if (taken->step)
        arguments->number[id] = taken->first;
    arguments->given[id] = true;
    arguments->text[id] = value;
    return smc_option_repeats(id) ? store_repeated(id, value, arguments, error) : SMC_OK;
}

static enum smc_status read_option(const char *word, struct reader *reader,
                                   struct smc_arguments *arguments, struct smc_error *error)
{
    int id;
    const char *attached = NULL, *value = NULL;
    if (word[1] == '-') {
        const char *name = word + 2;
        size_t length = strcspn(name, "=");
        id = find_by_name(name, length, arguments->command);
        if (id < 0)
            return fail_unknown(name, length, arguments->command, error);
        if (name[length] == '=')
            attached = name + length + 1;
    } else {
        id = find_by_letter(word[1], arguments->command);
        if (id < 0)
            return smc_fail(error, SMC_USAGE, "option -%c is unknown; '%s help %s' lists them",
                            word[1], smc_program_name(), smc_commands[arguments->command]->name);
        if (word[2])
            attached = word + 2;
    }
    const struct smc_option *option = &smc_options[id];
    if (!(option->commands & 1u << arguments->command))
        return fail_command(option, arguments->command, error);
    enum smc_status status =
        take_value(option, attached, arguments->command, reader, &value, error);
    return status == SMC_OK ? store(id, value, arguments, error) : status;
}

static enum smc_status read_file(char *word, size_t most, struct smc_arguments *arguments,
                                 struct smc_error *error)
{
    if (arguments->file_count == most)
        return smc_fail(error, SMC_USAGE, "'%s': the command %s takes at most %zu file%s", word,
                        smc_commands[arguments->command]->name, most, most == 1 ? "" : "s");
    arguments->file[arguments->file_count++] = word;
    return SMC_OK;
}

static enum smc_status read_word(char *word, struct smc_arguments *arguments,
                                 struct smc_error *error)
{
    size_t most_files = smc_commands[arguments->command]->most_files;
    if (most_files > 0)
        return read_file(word, most_files, arguments, error);
    enum smc_command_id command;
    bool known = smc_command_find(word, &command);
    bool is_topic = arguments->command == SMC_COMMAND_COMPLETION ||
                    arguments->command == SMC_COMMAND_LESSON ||
                    (arguments->command == SMC_COMMAND_HELP && (known || strcmp(word, "all") == 0));
    if (is_topic && !arguments->topic) {
        arguments->topic = word;
        return SMC_OK;
    }
    if (known)
        return smc_fail(error, SMC_USAGE, "'%s': a command comes first: %s %s ...", word,
                        smc_program_name(), word);
    if (arguments->command == SMC_COMMAND_HELP)
        return smc_command_fail_unknown(word, error);
    return smc_fail(error, SMC_USAGE,
                    "'%.64s' is no option; options begin with two dashes ('%s help %s')", word,
                    smc_program_name(), smc_commands[arguments->command]->name);
}

/* Without a kernel of the catalog, --block is the block of your own kernel: --threads. */
static void read_block_as_threads(struct smc_arguments *arguments)
{
    int block = SMC_OPTION_FIRST_PARAM + SMC_PARAM_BLOCK;
    if (!arguments->given[block] || arguments->given[SMC_OPTION_THREADS] ||
        arguments->given[SMC_OPTION_KERNEL] ||
        arguments->given[SMC_OPTION_FIRST_PARAM + SMC_PARAM_TILE])
        return;
    arguments->given[SMC_OPTION_THREADS] = true;
    arguments->number[SMC_OPTION_THREADS] = arguments->number[block];
    arguments->text[SMC_OPTION_THREADS] = arguments->text[block];
    arguments->range[SMC_OPTION_THREADS] = arguments->range[block];
    arguments->given[block] = false;
    arguments->number[block] = smc_options[block].initial;
    arguments->text[block] = NULL;
    arguments->range[block] = (struct smc_range){0};
}

enum smc_status smc_arguments_read(enum smc_command_id command, int count, char **words,
                                   struct smc_arguments *arguments, struct smc_error *error)
{
    *arguments = (struct smc_arguments){.command = command, .file = words};
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        arguments->number[i] = smc_options[i].initial;
    struct reader reader = {.count = count, .words = words};
    bool options_ended = false;
    while (reader.next < reader.count) {
        char *word = reader.words[reader.next++];
        if (!options_ended && strcmp(word, "--") == 0) {
            options_ended = true;
            continue;
        }
        enum smc_status status = word[0] == '-' && word[1] && !options_ended
                                     ? read_option(word, &reader, arguments, error)
                                     : read_word(word, arguments, error);
        if (status != SMC_OK)
            return status;
    }
    read_block_as_threads(arguments);
    return SMC_OK;
}
