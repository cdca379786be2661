/* The option rows, and the arguments of one call read by them. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "answers/selection.h"
#include "show/cli/options.h"
#include "show/plot/plot.h"

enum {
#define COMMAND(ID, function, name, most_files, usage, help, examples) ID = 1 << SMC_COMMAND_##ID,
#include "show/cli/commands.def"
    ASKING = QUERY | SWEEP | LIMITS | BEST | CARVEOUT,   /* about a launch that is not run */
    SHOWING = ASKING | TUI,                              /* that, or a screen about it */
    OF_FILES = SWEEP | LIMITS | BEST | CARVEOUT | BANKS, /* about a kernel of a file */
    ALL = (1 << SMC_COMMAND_COUNT) - 1,
};

#define PARAM_TYPE(id)                                                                             \
    ((id) == SMC_PARAM_DTYPE          ? SMC_OPTION_DTYPE                                           \
     : (id) == SMC_PARAM_STATIC_BYTES ? SMC_OPTION_BYTES                                           \
                                      : SMC_OPTION_INTEGER)
#define PARAM_VALUE(id)                                                                            \
    ((id) == SMC_PARAM_DTYPE          ? "TYPE"                                                     \
     : (id) == SMC_PARAM_STATIC_BYTES ? "BYTES"                                                    \
     : (id) == SMC_PARAM_BLOCK        ? "SHAPE"                                                    \
                                      : "N")

/* `best` chooses the tile or the block itself; `banks`, `run` and `tune` read --block as a shape,
   and no bank depends on the problem's sizes, which begin with M. */
#define PARAM_COMMANDS(id)                                                                         \
    (QUERY | TUI | SWEEP | LIMITS | CARVEOUT | ((id) == SMC_PARAM_BLOCK ? 0 : RUN | TUNE) |        \
     ((id) == SMC_PARAM_TILE    ? BANKS                                                            \
      : (id) == SMC_PARAM_BLOCK ? 0                                                                \
      : (id) < SMC_PARAM_M      ? BANKS | BEST                                                     \
                                : BEST))

const struct smc_option smc_options[SMC_OPTION_COUNT] = {
#define OPTION(id, name, letter, value, type, lowest, highest, initial, choices, group, commands,  \
               help)                                                                               \
    [SMC_OPTION_##id] = {name,    letter,  value,   SMC_OPTION_##type, lowest,                     \
                         highest, initial, choices, SMC_GROUP_##group, commands,                   \
                         help},
#include "show/cli/options.def"
#undef OPTION
#define PARAM(id, option, lowest, highest, initial, unit, help)                                    \
    [SMC_OPTION_FIRST_PARAM + SMC_PARAM_##id] = {option,                                           \
                                                 SMC_PARAM_##id == SMC_PARAM_TILE ? 't' : 0,       \
                                                 PARAM_VALUE(SMC_PARAM_##id),                      \
                                                 PARAM_TYPE(SMC_PARAM_##id),                       \
                                                 lowest,                                           \
                                                 highest,                                          \
                                                 initial,                                          \
                                                 NULL,                                             \
                                                 SMC_GROUP_KERNEL,                                 \
                                                 PARAM_COMMANDS(SMC_PARAM_##id),                   \
                                                 help},
#include "rules/params.def"
};

/* The words still to be read. */
struct options_reader {
    int count;
    char *const *words;
    int next;
};

bool smc_command_find(const char *text, enum smc_command_id *command)
{
    for (int i = 0; i < SMC_COMMAND_COUNT; i++)
        if (strcmp(smc_commands[i].name, text) == 0) {
            *command = (enum smc_command_id)i;
            return true;
        }
    return false;
}

enum smc_status smc_command_fail_unknown(const char *word, struct smc_error *error)
{
    struct smc_suggestion suggestion = {.typed = word};
    for (int i = 0; i < SMC_COMMAND_COUNT; i++)
        smc_suggest_consider(&suggestion, smc_commands[i].name);
    return smc_suggest_fail(&suggestion, NULL, "command", "'smemcalc help' lists them", error);
}

/* The meaning of a name may depend on the command, whose own row goes before others. */
static bool goes_before(int id, int found, enum smc_command_id command)
{
    return found < 0 || smc_options[id].commands & 1u << command;
}

static int find_by_name(const char *name, size_t length, enum smc_command_id command)
{
    int found = -1;
    for (int i = 0; i < SMC_OPTION_COUNT; i++) {
        if (strlen(smc_options[i].name) != length ||
            strncmp(smc_options[i].name, name, length) != 0)
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

/* What other tools call an option of this one. */
static const struct {
    const char *name;
    enum smc_option_id option;
} other_names[] = {
    {"arch", SMC_OPTION_DEVICE},
    {"gpu-architecture", SMC_OPTION_DEVICE},
    {"registers", SMC_OPTION_REGS},
    {"maxrregcount", SMC_OPTION_MAX_REGS},
    {"shared-memory", SMC_OPTION_SMEM},
    {"shared", SMC_OPTION_SMEM},
    {"block-size", SMC_OPTION_THREADS},
    {"occupancy", SMC_OPTION_REQUIRE_OCCUPANCY},
    {"block-size", SMC_OPTION_OWN_THREADS},
    {"filter", SMC_OPTION_ONLY},
};

/* "device 9.0" of "--arch sm_90". */
static void options_append_value(enum smc_option_id option, const char *value, char *text,
                                 size_t size)
{
    uint16_t cc;
    size_t length = strlen(text);
    if (option == SMC_OPTION_DEVICE && value && smc_capability_named(value, &cc))
        snprintf(text + length, size - length, " %u.%u", cc / 10u, cc % 10u);
}

static enum smc_status options_fail_unknown(const char *name, size_t length, const char *value,
                                            enum smc_command_id command, struct smc_error *error)
{
    char typed[64], hint[64], other[64];
    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    snprintf(hint, sizeof hint, "'smemcalc help %s' lists them", smc_commands[command].name);
    struct smc_suggestion suggestion = {.typed = typed};
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        if (smc_options[i].commands & 1u << command)
            smc_suggest_consider(&suggestion, smc_options[i].name);
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++) {
        const struct smc_option *option = &smc_options[other_names[i].option];
        if (strcmp(typed, other_names[i].name) != 0 || !(option->commands & 1u << command))
            continue;
        snprintf(other, sizeof other, "%s", option->name);
        options_append_value(other_names[i].option, value, other, sizeof other);
        suggestion.best = other;
    }
    return smc_suggest_fail(&suggestion, NULL, "option --", hint, error);
}

/* What a command offers instead of an option of other commands. */
static const struct {
    const char *name;
    uint32_t commands;
    const char *instead;
} substitutes[] = {
    {"block", INSPECT | DIFF, "--threads accepts a shape, such as 32x8 or NAME=32x8"},
    {"tile", INSPECT | DIFF, "--threads N is the block size"},
    {"roofline", INSPECT,
     "that of your own kernel is drawn by 'run FILE' with its --grid, --block and --arg"},
    {"regs", DIFF, "'inspect FILE --regs N' says what a bound on the registers costs"},
    {"entry", INSPECT | DIFF, "--kernel PATTERN chooses kernels"},
    {"threads", TUNE | BANKS, "--block SHAPE is the block size"},
    {"smem", RUN | TUNE | INSPECT | DIFF,
     "the kernel states its static shared memory; --dynamic-smem is that of the launch"},
    {"threads", BEST,
     "it proposes a block size; 'limits' and 'inspect' answer for a given one with --threads"},
};

static enum smc_status fail_command(const struct smc_option *option, enum smc_command_id command,
                                    struct smc_error *error)
{
    for (size_t i = 0; i < sizeof substitutes / sizeof *substitutes; i++)
        if (strcmp(substitutes[i].name, option->name) == 0 &&
            substitutes[i].commands & 1u << command)
            return smc_fail(error, SMC_USAGE, "option --%s: not for the command %s: %s",
                            option->name, smc_commands[command].name, substitutes[i].instead);
    smc_auto_text accepting = {0};
    uint32_t commands = 0; /* of all that have the name */
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        if (strcmp(smc_options[i].name, option->name) == 0)
            commands |= smc_options[i].commands;
    for (int i = 0; i < SMC_COMMAND_COUNT; i++)
        if (commands & 1u << i)
            smc_text_printf(&accepting, "%s%s", accepting.length ? ", " : "", smc_commands[i].name);
    return smc_fail(error, SMC_USAGE, "option --%s: not for the command %s, only for %s",
                    option->name, smc_commands[command].name, smc_text_string(&accepting));
}

static enum smc_status options_fail_number(const struct smc_option *option, const char *text,
                                           struct smc_error *error)
{
    const char *digits = text + (*text == '-');
    bool whole = *digits && !digits[strspn(digits, "0123456789")];
    struct smc_range range;
    if (smc_range_parse(text, INT64_MIN, INT64_MAX, option->type == SMC_OPTION_BYTES, &range) !=
        SMC_RANGE_MALFORMED)
        return smc_fail(error, SMC_USAGE,
                        "option --%s: '%s' is a range; this command accepts one value",
                        option->name, text);
    const char *kind = option->type == SMC_OPTION_BYTES      ? "a size in bytes "
                       : whole                               ? ""
                       : strcmp(option->value, "SHAPE") == 0 ? "a number or shape (16x16) "
                                                             : "a whole number ";
    bool is_cluster = option == &smc_options[SMC_OPTION_CLUSTER];
    bool is_block = !is_cluster && strcmp(option->value, "SHAPE") == 0;
    return smc_fail(error, SMC_USAGE, "option --%s: '%.64s%s' is not %sbetween %lld and %lld%s%s%s",
                    option->name, text, strlen(text) > 64 ? "..." : "", kind,
                    (long long)option->lowest, (long long)option->highest,
                    is_block     ? " threads"
                    : is_cluster ? " blocks"
                                 : "",
                    option->choices ? ", nor " : "", option->choices ? option->choices : "");
}

static bool read_choice(const char *choices, const char *text, int64_t *index)
{
    if (strcmp(text, "regs") == 0) /* as reports write it */
        text = "registers";
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

static enum smc_status options_fail_choice(const struct smc_option *option, const char *text,
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
    return smc_fail(error, SMC_USAGE, "option --%s: '%.64s' is not one of %s", option->name, text,
                    list);
}

static enum smc_status fail_dtype(const struct smc_option *option, const char *text,
                                  struct smc_error *error)
{
    smc_auto_text names = {0};
    for (int i = 0; i < SMC_DTYPE_COUNT; i++)
        smc_text_printf(&names, "%s%s", i ? ", " : "", smc_dtype_name((enum smc_dtype)i));
    return smc_fail(error, SMC_USAGE, "option --%s: '%.64s' is not one of %s", option->name, text,
                    smc_text_string(&names));
}

/* "16x16": the threads of a block by its shape. */
static bool options_read_shape(const struct smc_option *option, const char *text, int64_t *number)
{
    uint32_t threads, shape[3];
    if (strcmp(option->value, "SHAPE") != 0 ||
        !smc_parse_block(text, (uint32_t)option->highest, &threads, shape))
        return false;
    *number = threads;
    return *number >= option->lowest;
}

static enum smc_status options_read_value(const struct smc_option *option, const char *text,
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
            !options_read_shape(option, text, number))
            return options_fail_number(option, text, error);
        return SMC_OK;
    case SMC_OPTION_BYTES:
        if (!smc_parse_size(text, (uint64_t)option->highest, &bytes))
            return options_fail_number(option, text, error);
        *number = (int64_t)bytes;
        return SMC_OK;
    case SMC_OPTION_CHOICE:
        return read_choice(option->choices, text, number)
                   ? SMC_OK
                   : options_fail_choice(option, text, error);
    case SMC_OPTION_DTYPE:
        if (!smc_dtype_parse(text, &dtype))
            return fail_dtype(option, text, error);
        *number = dtype;
        return SMC_OK;
    }
    return SMC_OK;
}

/* "-arch=sm_90", as other tools write an option; not "-d9.0". */
static bool is_name_with_one_dash(const char *name, enum smc_command_id command)
{
    const size_t length = strcspn(name, "=");
    bool known = length > 1 && find_by_name(name, length, command) >= 0;
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        known |= strlen(other_names[i].name) == length &&
                 strncmp(other_names[i].name, name, length) == 0;
    return known;
}

static enum smc_status fail_one_dash(const char *name, const char *value,
                                     enum smc_command_id command, struct smc_error *error)
{
    const size_t length = strcspn(name, "=");
    if (find_by_name(name, length, command) < 0)
        return options_fail_unknown(name, length, value, command, error);
    return smc_fail(error, SMC_USAGE, "unknown option -%.*s; did you mean --%.*s?", (int)length,
                    name, (int)length, name);
}

/* The next word, or NULL. */
static const char *options_peek(const struct options_reader *reader)
{
    return reader->next < reader->count ? reader->words[reader->next] : NULL;
}

/* The text after '=' or a letter, else the next word. If that is an option, the value is missing.
 */
static enum smc_status options_read_text(const struct smc_option *option, const char *attached,
                                         enum smc_command_id command, struct options_reader *reader,
                                         const char **value, struct smc_error *error)
{
    *value = attached;
    if (!option->value)
        return attached
                   ? smc_fail(error, SMC_USAGE, "option --%s: accepts no value, but '%s' is given",
                              option->name, attached)
                   : SMC_OK;
    if (attached)
        return SMC_OK;
    const char *next = options_peek(reader);
    bool is_option = next && strncmp(next, "--", 2) == 0 &&
                     find_by_name(next + 2, strcspn(next + 2, "="), command) >= 0;
    bool missing = !next || is_option;
    if (missing)
        return smc_fail(error, SMC_USAGE, "option --%s: the value %s is missing", option->name,
                        option->value);
    *value = reader->words[reader->next++];
    return SMC_OK;
}

/* A run varies the kernel or its launch, not the size of its problem. */
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

bool smc_option_accepts_range(int id, enum smc_command_id command)
{
    enum smc_axis_id axis;
    enum smc_option_type type = smc_options[id].type;
    if (command == SMC_COMMAND_RUN)
        return varies_in_run(id);
    if (id == SMC_OPTION_SIZE)
        return command == SMC_COMMAND_SWEEP;
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
    return smc_fail(
        error, SMC_USAGE,
        "option --%s: '%s' is not a range: FIRST:LAST or FIRST:LAST:STEP, whole numbers%s",
        option->name, text, sizes ? " or sizes such as 48K" : "");
}

static const struct repeatable {
    int id;
    size_t values; /* offset of its struct smc_repeated in struct smc_arguments */
    size_t most;
    const char *what;
} repeatable[] = {
#define VALUES(member) offsetof(struct smc_arguments, member)
    {SMC_OPTION_DEVICE, VALUES(device), SMC_MAX_DEVICES, "devices are compared"},
    {SMC_OPTION_DEVICE_FILE, VALUES(device_file), SMC_MAX_DEVICES, "files are read"},
    {SMC_OPTION_ARG, VALUES(arg), SMC_MAX_USER_ARGUMENTS, "arguments are passed"},
    {SMC_OPTION_SET, VALUES(set), SMC_MAX_USER_ARGUMENTS, "variables are set"},
    {SMC_OPTION_DUMP, VALUES(dump), SMC_MAX_USER_ARGUMENTS, "files are written"},
    {SMC_OPTION_EXPECTED, VALUES(expected), SMC_MOST_EXPECTED, "files are compared"},
    {SMC_OPTION_OWN_THREADS, VALUES(own_threads), SMC_MAX_LISTED, "lists are read"},
    {SMC_OPTION_OWN_DYNAMIC_SMEM, VALUES(own_dynamic_smem), SMC_MAX_LISTED, "lists are read"},
    {SMC_OPTION_OWN_KERNEL, VALUES(own_kernel), SMC_MAX_LISTED, "patterns are read"},
    {SMC_OPTION_VARY, VALUES(vary), SMC_TUNE_MOST_AXES, "names vary"},
    {SMC_OPTION_ONLY, VALUES(only), SMC_MAX_LISTED, "lists are read"},
    {SMC_OPTION_READ, VALUES(read), SMC_MAX_LISTED, "files are read"},
    {SMC_OPTION_TRACE_FILE, VALUES(trace_file), SMC_MAX_LISTED, "files are read"},
    {SMC_OPTION_PASS, VALUES(pass), SMC_MAX_LISTED, "lists are read"},
#undef VALUES
};
_Static_assert((int)SMC_MAX_USER_ARGUMENTS <= SMC_MAX_LISTED, "fits struct smc_repeated");
_Static_assert(SMC_MAX_DEVICES <= SMC_MAX_LISTED, "fits struct smc_repeated");

static const struct repeatable *find_repeatable(int id)
{
    for (size_t i = 0; i < sizeof repeatable / sizeof *repeatable; i++)
        if (repeatable[i].id == id)
            return &repeatable[i];
    return NULL;
}

bool smc_option_repeats(int option)
{
    return find_repeatable(option) != NULL;
}

/* Does nothing for an option that is not repeatable. */
static enum smc_status store_repeated(int id, const char *value, struct smc_arguments *arguments,
                                      struct smc_error *error)
{
    const struct repeatable *list = find_repeatable(id);
    if (!list)
        return SMC_OK;
    struct smc_repeated *values = (void *)((char *)arguments + list->values);
    if (values->count == list->most)
        return smc_fail(error, SMC_USAGE, "option --%s: at most %zu %s", smc_options[id].name,
                        list->most, list->what);
    values->item[values->count++] = value;
    return SMC_OK;
}

/* A range of --block is one of threads, a range of --size one of elements. */
static const struct smc_option *range_option(int id)
{
    return &smc_options[id == SMC_OPTION_BLOCK_SHAPE ? SMC_OPTION_FIRST_PARAM + SMC_PARAM_BLOCK
                        : id == SMC_OPTION_SIZE      ? SMC_OPTION_FIRST_PARAM + SMC_PARAM_LENGTH
                                                     : id];
}

static enum smc_status options_store(int id, const char *value, struct smc_arguments *arguments,
                                     struct smc_error *error)
{
    const struct smc_option *option = &smc_options[id];
    struct smc_range *read = &arguments->range[id];
    bool range =
        option->value && strchr(value, ':') && smc_option_accepts_range(id, arguments->command);
    bool all = id == SMC_OPTION_CACHE_CONFIG && arguments->command == SMC_COMMAND_RUN &&
               strcmp(value, "all") == 0;
    *read = (struct smc_range){0};
    if (range)
        SMC_TRY(read_range(range_option(id), value, read, error));
    else if (all)
        *read = (struct smc_range){option->lowest, option->highest, 1};
    else
        SMC_TRY(options_read_value(option, value, &arguments->number[id], error));
    if (read->step)
        arguments->number[id] = read->first;
    arguments->given[id] = true;
    arguments->text[id] = value;
    return store_repeated(id, value, arguments, error);
}

static enum smc_status read_option(const char *word, struct options_reader *reader,
                                   struct smc_arguments *arguments, struct smc_error *error)
{
    int id;
    const char *attached = NULL, *value = NULL;
    if (word[1] == '-') {
        const char *name = word + 2;
        size_t length = strcspn(name, "=");
        id = find_by_name(name, length, arguments->command);
        if (name[length] == '=')
            attached = name + length + 1;
        if (id < 0)
            return options_fail_unknown(name, length, attached ? attached : options_peek(reader),
                                        arguments->command, error);
    } else if (is_name_with_one_dash(word + 1, arguments->command)) {
        const char *equals = strchr(word, '=');
        return fail_one_dash(word + 1, equals ? equals + 1 : options_peek(reader),
                             arguments->command, error);
    } else {
        id = find_by_letter(word[1], arguments->command);
        if (id < 0 && word[1] == 'I')
            return smc_fail(error, SMC_USAGE,
                            "unknown option -I; --compiler-options \"-IFOLDER\" passes it to the "
                            "compiler");
        if (id < 0)
            return smc_fail(error, SMC_USAGE, "unknown option -%c; '%s help %s' lists them",
                            word[1], smc_program_name(), smc_commands[arguments->command].name);
        if (word[2])
            attached = word + 2;
    }
    const struct smc_option *option = &smc_options[id];
    if (!(option->commands & 1u << arguments->command))
        return fail_command(option, arguments->command, error);
    SMC_TRY(options_read_text(option, attached, arguments->command, reader, &value, error));
    return options_store(id, value, arguments, error);
}

static enum smc_status options_read_file(char *word, size_t most, struct smc_arguments *arguments,
                                         struct smc_error *error)
{
    if (arguments->file_count == most)
        return smc_fail(error, SMC_USAGE, "'%s': the command %s accepts at most %zu file%s", word,
                        smc_commands[arguments->command].name, most, smc_text_plural(most));
    arguments->file[arguments->file_count++] = word;
    return SMC_OK;
}

static enum smc_status options_read_word(char *word, struct smc_arguments *arguments,
                                         struct smc_error *error)
{
    size_t most_files = smc_commands[arguments->command].most_files;
    if (most_files > 0)
        return options_read_file(word, most_files, arguments, error);
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
    if (arguments->command == SMC_COMMAND_DEVICES)
        return smc_fail(error, SMC_USAGE,
                        "'%.64s' is not an option; did you mean --device '%.64s'?", word, word);
    return smc_fail(error, SMC_USAGE,
                    "'%.64s' is not an option; options begin with two dashes ('%s help %s')", word,
                    smc_program_name(), smc_commands[arguments->command].name);
}

static void options_move(struct smc_arguments *arguments, int from, int to)
{
    arguments->given[to] = true;
    arguments->number[to] = arguments->number[from];
    arguments->text[to] = arguments->text[from];
    arguments->range[to] = arguments->range[from];
    arguments->given[from] = false;
    arguments->number[from] = smc_options[from].initial;
    arguments->text[from] = NULL;
    arguments->range[from] = (struct smc_range){0};
}

/* What --block means depends on the kernel: of one of the catalog it is a parameter, whatever its
   shape; of your own it is the threads of a block, which run also accepts as --threads. */
static enum smc_status assign_block(struct smc_arguments *arguments, struct smc_error *error)
{
    const int param = SMC_OPTION_FIRST_PARAM + SMC_PARAM_BLOCK, shape = SMC_OPTION_BLOCK_SHAPE;
    const bool *given = arguments->given;
    bool catalog = given[SMC_OPTION_KERNEL] || given[SMC_OPTION_FIRST_PARAM + SMC_PARAM_TILE];
    bool own = arguments->file_count > 0 || given[SMC_OPTION_SOURCE] || given[SMC_OPTION_EXPR] ||
               given[SMC_OPTION_STRIDE] || given[SMC_OPTION_CSV];
    if (arguments->command == SMC_COMMAND_RUN && given[SMC_OPTION_THREADS]) {
        if (!own)
            return smc_fail(error, SMC_USAGE,
                            "option --threads: run has it only for your own source: smemcalc run "
                            "FILE --threads %.32s ...",
                            arguments->text[SMC_OPTION_THREADS]);
        if (given[shape])
            return smc_fail(error, SMC_USAGE, "option --threads: the same as --block; give one");
        options_move(arguments, SMC_OPTION_THREADS, shape);
    }
    if (given[param] && !given[SMC_OPTION_THREADS] && !catalog)
        options_move(arguments, param, SMC_OPTION_THREADS);
    bool undecided = arguments->command == SMC_COMMAND_BANKS && !catalog;
    if (!given[shape] || own || undecided)
        return SMC_OK;
    options_move(arguments, shape, param);
    return arguments->range[param].step
               ? SMC_OK
               : options_read_value(&smc_options[param], arguments->text[param],
                                    &arguments->number[param], error);
}

int smc_option_find(const char *word, enum smc_command_id command)
{
    if (word[0] != '-')
        return -1;
    return word[1] == '-' ? find_by_name(word + 2, strcspn(word + 2, "="), command)
                          : find_by_letter(word[1], command);
}

bool smc_option_value_follows(int id, const char *word)
{
    if (id < 0 || !smc_options[id].value)
        return false;
    return word[1] == '-' ? !strchr(word, '=') : word[2] == '\0';
}

const char *smc_arguments_first_word(int count, char **words)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(words[i], "--") == 0)
            return i + 1 < count ? words[i + 1] : NULL;
        if (words[i][0] != '-' || !words[i][1])
            return words[i];
        i += smc_option_value_follows(smc_option_find(words[i], SMC_COMMAND_INSPECT), words[i]);
    }
    return NULL;
}

/* "--roofline x.svg": the file would be a word of its own. */
static enum smc_status check_picture_name(int count, char **words, struct smc_error *error)
{
    enum smc_plot_format format;
    for (int i = 0; i + 1 < count; i++)
        if (strcmp(words[i], "--roofline") == 0 &&
            smc_plot_format_of(words[i + 1], &format, NULL) != SMC_USAGE)
            return smc_fail(error, SMC_USAGE,
                            "option --roofline: has no value; '--roofline --plot %.200s' writes "
                            "the picture to a file",
                            words[i + 1]);
    return SMC_OK;
}

char *smc_file_divide(char *word)
{
    if (access(word, F_OK) == 0)
        return NULL;
    for (char *colon = strchr(word, ':'); colon; colon = strchr(colon + 1, ':')) {
        *colon = '\0';
        if (access(word, F_OK) == 0 && colon[1])
            return colon + 1;
        *colon = ':';
    }
    return NULL;
}

/* FILE:KERNEL is FILE --entry KERNEL, and --kernel KERNEL for the commands that choose several. */
static enum smc_status options_read_kernel(struct smc_arguments *arguments, struct smc_error *error)
{
    const bool is_one = smc_options[SMC_OPTION_ENTRY].commands & 1u << arguments->command;
    const bool is_some = arguments->command == SMC_COMMAND_INSPECT && arguments->file_count == 1;
    const int id = is_one ? SMC_OPTION_ENTRY : SMC_OPTION_OWN_KERNEL;
    const char *kernel = arguments->file_count > 0 && (is_one || is_some)
                             ? smc_file_divide(arguments->file[0])
                             : NULL;
    if (kernel && arguments->given[id])
        return smc_fail(error, SMC_USAGE, "option --%s: '%.64s:%.64s' already names a kernel",
                        smc_options[id].name, arguments->file[0], kernel);
    return kernel ? options_store(id, kernel, arguments, error) : SMC_OK;
}

enum smc_status smc_arguments_read(enum smc_command_id command, int count, char **words,
                                   struct smc_arguments *arguments, struct smc_error *error)
{
    *arguments = (struct smc_arguments){.command = command, .file = words};
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        arguments->number[i] = smc_options[i].initial;
    struct options_reader reader = {.count = count, .words = words};
    bool options_ended = false;
    SMC_TRY(check_picture_name(count, words, error));
    while (reader.next < reader.count) {
        char *word = reader.words[reader.next++];
        if (!options_ended && strcmp(word, "--") == 0) {
            options_ended = true;
            continue;
        }
        /* What follows the name of the program to trace is the program's own. */
        options_ended = options_ended || (command == SMC_COMMAND_TRACE && word[0] != '-' &&
                                          !arguments->given[SMC_OPTION_READ]);
        SMC_TRY(word[0] == '-' && word[1] && !options_ended
                    ? read_option(word, &reader, arguments, error)
                    : options_read_word(word, arguments, error));
    }
    SMC_TRY(options_read_kernel(arguments, error));
    return assign_block(arguments, error);
}

enum smc_status smc_refuse_given(const struct smc_arguments *arguments, const int *options,
                                 struct smc_error *error, const char *why, ...)
{
    char text[256];
    while (*options < SMC_OPTION_COUNT && !arguments->given[*options])
        options++;
    if (*options == SMC_OPTION_COUNT)
        return SMC_OK;
    SMC_PRINT_TO(text, why);
    return smc_fail(error, SMC_USAGE, "option --%s: %s", smc_options[*options].name, text);
}
