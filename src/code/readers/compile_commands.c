/* compile_commands.json: how a build compiles each of its sources. */
#include "config.h"

#include "code/readers/compile_commands.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/platform.h"
#include "base/text.h"
#include "code/compilers.h"
#include "code/readers/nvcc_default.h"

/* --- Words ------------------------------------------------------------------------------------ */

bool smc_words_add(struct smc_words *words, const char *word, size_t length)
{
    if (!smc_make_room(&words->word, words->count, &words->capacity, sizeof *words->word))
        return false;
    words->word[words->count] = smc_strndup(word, length);
    return words->word[words->count] && ++words->count;
}

/* Copies one character of the word, or what is quoted; NULL if a quote is not closed. */
static const char *append_piece(const char *s, struct smc_text *word)
{
    if (*s == '\'') {
        const char *close = strchr(s + 1, '\'');
        if (close)
            smc_text_append_bytes(word, s + 1, (size_t)(close - s - 1));
        return close ? close + 1 : NULL;
    }
    if (*s == '"') {
        for (s++; *s && *s != '"'; s++) {
            if (*s == '\\' && s[1] && strchr("\"\\$`\n", s[1]))
                s++;
            smc_text_append_char(word, *s, 1);
        }
        return *s ? s + 1 : NULL;
    }
    if (*s == '\\' && s[1])
        s++;
    smc_text_append_char(word, *s, 1);
    return s + 1;
}

bool smc_words_split(const char *command, struct smc_words *words)
{
    smc_auto_text word = {0};
    const char *s = command;
    bool succeeded = true;
    *words = (struct smc_words){0};
    static const char blanks[] = " \t\n\r";
    while (succeeded && *(s += strspn(s, blanks))) {
        word.length = 0;
        while (s && *s && !strchr(blanks, *s))
            s = append_piece(s, &word);
        succeeded = s && !word.failed && smc_words_add(words, smc_text_string(&word), word.length);
        if (!succeeded)
            break;
    }
    if (!succeeded)
        smc_words_free(words);
    return succeeded;
}

void smc_words_free(struct smc_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->word[i]);
    free(words->word);
    *words = (struct smc_words){0};
}

/* --- One entry -------------------------------------------------------------------------------- */

/* An entry, as collected from its words. */
struct command_entry {
    const char *directory, *file, *output; /* in the JSON, or in the words */
    size_t number;                         /* from 1 */
    struct smc_words words;
    bool is_clang, is_cuda;
    bool names_target; /* or may: "-arch=native", a file of options */
    struct smc_words options;
    struct smc_inspect_target target[SMC_INSPECT_MAX_TARGETS];
    size_t target_count;
};

/* The value of an option at `*at`, joined or the next word; NULL if it is another option. */
static const char *compile_commands_value_of(const struct command_entry *entry, size_t *at,
                                             const char *option)
{
    const char *word = entry->words.word[*at];
    size_t length = strlen(option);
    if (strncmp(word, option, length) != 0)
        return NULL;
    if (word[length] == '=')
        return word + length + 1;
    if (word[length] != '\0')
        return option[1] != '-' && length == 2 ? word + length : NULL; /* -Ifolder */
    return *at + 1 < entry->words.count ? entry->words.word[++*at] : "";
}

static bool compile_commands_read_architecture(struct command_entry *entry, size_t *at)
{
    static const char *const names[] = {
        "-arch",           "--gpu-architecture", "-gencode",         "--generate-code",
        "-code",           "--gpu-code",         "--gencode",        "--arch",
        "--cuda-gpu-arch", "--offload-arch",     "-gpu-architecture"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = compile_commands_value_of(entry, at, names[i]);
        if (!value)
            continue;
        smc_architectures_add(value, entry->target, &entry->target_count);
        entry->names_target = true;
        return true;
    }
    return false;
}

static char *compile_commands_join(const char *folder, const char *path)
{
    size_t bytes = strlen(folder) + strlen(path) + 2;
    char *joined = smc_malloc(bytes);
    if (joined)
        snprintf(joined, bytes, "%s%s%s", *path == '/' ? "" : folder,
                 *path == '/' || !*folder || smc_ends(folder, "/") ? "" : "/", path);
    return joined;
}

static bool add_option(struct command_entry *entry, const char *option, const char *value,
                       char separator)
{
    smc_auto_text text = {0};
    smc_text_append(&text, option);
    if (separator)
        smc_text_append_char(&text, separator, 1);
    smc_text_append(&text, value);
    return !text.failed && smc_words_add(&entry->options, smc_text_string(&text), text.length);
}

/* Options with a path, which is relative to the entry's directory. */
static bool read_path(struct command_entry *entry, size_t *at, bool *added)
{
    static const struct {
        const char *name, *written;
        char separator;
    } names[] = {{"-I", "-I", 0},
                 {"--include-path", "-I", 0},
                 {"-isystem", "-I", 0},
                 {"--system-include", "-I", 0},
                 {"-include", "--pre-include", '='},
                 {"--pre-include", "--pre-include", '='},
                 {"-optf", "--options-file", '='},
                 {"--options-file", "--options-file", '='}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = compile_commands_value_of(entry, at, names[i].name);
        if (!value)
            continue;
        entry->names_target |= strcmp(names[i].written, "--options-file") == 0;
        smc_auto_free char *path = compile_commands_join(entry->directory, value);
        *added = path && add_option(entry, names[i].written, path, names[i].separator);
        return true;
    }
    return false;
}

/* Options that say what to write or to do, not how to compile. */
static bool is_left_out(struct command_entry *entry, size_t *at)
{
    static const char *const alone[] = {"-c",         "--compile",
                                        "-M",         "-MM",
                                        "-MD",        "-MMD",
                                        "-MP",        "--device-c",
                                        "-v",         "-cubin",
                                        "-ptx",       "-fatbin",
                                        "-Xptxas=-v", "--ptxas-options=-v",
                                        "-res-usage", "--resource-usage",
                                        "--keep",     "-keep",
                                        "--cubin",    "--ptx",
                                        "-E",         "--preprocess",
                                        "-run",       "--run",
                                        "-clean",     "--clean-targets",
                                        "-dryrun",    "--dryrun",
                                        "-h",         "--help",
                                        "-V",         "--version",
                                        "-cuda",      "--cuda",
                                        "-lib",       "--lib",
                                        "-link",      "--link",
                                        "-dlink",     "--device-link"};
    static const char *const valued[] = {"-MT",
                                         "-MF",
                                         "-MQ",
                                         "-x",
                                         "--x",
                                         "-ccbin",
                                         "--compiler-bindir",
                                         "--keep-dir",
                                         "-t",
                                         "--threads",
                                         "--dependency-output",
                                         "-odir",
                                         "--output-directory",
                                         "-forward-unknown-opts"};
    const char *word = entry->words.word[*at];
    if (SMC_ANY(smc_is_same, word, alone))
        return true;
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++)
        if (strcmp(word, valued[i]) == 0 ||
            (strncmp(word, valued[i], strlen(valued[i])) == 0 && word[strlen(valued[i])] == '=')) {
            const char *value = compile_commands_value_of(entry, at, valued[i]);
            bool is_language = strcmp(valued[i], "-x") == 0 || strcmp(valued[i], "--x") == 0;
            entry->is_cuda |=
                is_language && value && (strcmp(value, "cu") == 0 || strcmp(value, "cuda") == 0);
            return true;
        }
    return strcmp(word, "-forward-unknown-to-host-compiler") == 0;
}

/* Of clang's options only those that nvcc and NVRTC know as well. */
static bool compile_commands_is_shared(const char *word)
{
    return strncmp(word, "-D", 2) == 0 || strncmp(word, "-U", 2) == 0 ||
           strncmp(word, "-std", 4) == 0;
}

/* Reads the word at `*at`. False: out of memory. */
static bool compile_commands_read_word(struct command_entry *entry, size_t *at)
{
    const char *word = entry->words.word[*at], *value;
    bool added = true;
    value = strcmp(word, "-o") == 0 || strncmp(word, "-o=", 3) == 0
                ? compile_commands_value_of(entry, at, "-o")
                : NULL;
    if (value || (value = compile_commands_value_of(entry, at, "--output-file"))) {
        entry->output = entry->output ? entry->output : value;
        return true;
    }
    if (compile_commands_read_architecture(entry, at) || read_path(entry, at, &added) ||
        is_left_out(entry, at))
        return added;
    if (strcmp(word, "-dc") == 0)
        return add_option(entry, "-rdc=true", "", 0);
    if (strcmp(word, entry->file) == 0 || smc_ends(word, ".cu") ||
        (entry->is_clang && !compile_commands_is_shared(word)))
        return true;
    if ((value = compile_commands_value_of(entry, at, "-D")) ||
        (value = compile_commands_value_of(entry, at, "-U")))
        return add_option(entry, word[1] == 'D' ? "-D" : "-U", value, 0);
    if (word[0] == '-' && word[1] == 'X' && !strchr(word, '=') && *at + 1 < entry->words.count)
        return add_option(entry, word, entry->words.word[++*at], '='); /* -Xcompiler -fPIC */
    return add_option(entry, word, "", 0);
}

/* The index of the compiler, which may follow a launcher: "ccache nvcc -c x.cu". */
static size_t find_compiler(const struct smc_words *words)
{
    for (size_t i = 0; i < words->count && words->word[i][0] != '-'; i++)
        if (strstr(smc_last_part(words->word[i]), "nvcc") ||
            strstr(smc_last_part(words->word[i]), "clang"))
            return i;
    return 0;
}

/* What nvcc compiles for if the entry does not say. False: out of memory. */
static bool add_default_target(struct command_entry *entry, const char *compiler)
{
    if (entry->names_target || !strstr(smc_last_part(compiler), "nvcc"))
        return true;
    smc_auto_free char *path = strchr(compiler, '/')
                                   ? compile_commands_join(entry->directory, compiler)
                                   : smc_strdup(compiler);
    const uint16_t cc = path ? smc_nvcc_default(path) : 0;
    if (cc > 0)
        entry->target[entry->target_count++] = (struct smc_inspect_target){cc, '\0'};
    return path != NULL;
}

static bool compile_commands_read_words(struct command_entry *entry)
{
    const size_t index = find_compiler(&entry->words);
    const char *compiler = entry->words.word[index];
    entry->is_clang = strstr(smc_last_part(compiler), "clang") != NULL;
    entry->is_cuda = smc_ends(entry->file, ".cu") || strstr(smc_last_part(compiler), "nvcc");
    /* nvcc also compiles C++. */
    entry->is_cuda &= !smc_ends(entry->file, ".cpp") && !smc_ends(entry->file, ".c");
    for (size_t at = index + 1; at < entry->words.count; at++)
        if (!compile_commands_read_word(entry, &at))
            return false;
    return !entry->is_cuda || add_default_target(entry, compiler);
}

/* --- The file --------------------------------------------------------------------------------- */

bool smc_compile_commands_is(const struct smc_text *text)
{
    const char *s = smc_text_string(text);
    s += strspn(s, " \t\r\n");
    return *s == '[' && strstr(s, "\"file\"") && strstr(s, "\"directory\"");
}

static bool take_arguments(const json_t *arguments, struct smc_words *words)
{
    for (size_t i = 0; i < json_array_size(arguments); i++) {
        const char *word = json_string_value(json_array_get(arguments, i));
        if (!word || !smc_words_add(words, word, strlen(word)))
            return false;
    }
    return true;
}

/* What is wrong with the entry, or NULL. */
static const char *open_entry(const json_t *object, struct command_entry *entry)
{
    const char *command = json_string_value(json_object_get(object, "command"));
    const json_t *arguments = json_object_get(object, "arguments");
    entry->directory = json_string_value(json_object_get(object, "directory"));
    entry->file = json_string_value(json_object_get(object, "file"));
    entry->output = json_string_value(json_object_get(object, "output"));
    if (!entry->file)
        return "has no \"file\"";
    if (!entry->directory)
        return "has no \"directory\"";
    if (json_is_array(arguments) ? !take_arguments(arguments, &entry->words)
        : command                ? !smc_words_split(command, &entry->words)
                                 : true)
        return "has neither \"arguments\" nor a \"command\" with closed quotes";
    return entry->words.count > 0 ? NULL : "has an empty command";
}

/* Whether the object exists and is not older than its source. */
static bool is_fresh(const char *object, const char *source)
{
    struct stat made, from;
    if (stat(object, &made) != 0 || !S_ISREG(made.st_mode))
        return false;
    return stat(source, &from) != 0 || made.st_mtim.tv_sec > from.st_mtim.tv_sec ||
           (made.st_mtim.tv_sec == from.st_mtim.tv_sec &&
            made.st_mtim.tv_nsec >= from.st_mtim.tv_nsec);
}

/* Paths below the current folder are shown without it. */
static const char *compile_commands_shortened(const char *path)
{
    char here[4096];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    bool is_below = length > 1 && strncmp(path, here, length) == 0 && path[length] == '/';
    return is_below ? path + length + 1 : path;
}

static bool add_source(struct command_entry *entry, const char *source, struct smc_inputs *inputs)
{
    struct smc_input *input = smc_inputs_add(inputs, compile_commands_shortened(source));
    if (!input)
        return false;
    input->content = SMC_CONTENT_SOURCE;
    input->may_be_empty = true;
    input->number = entry->number;
    input->output = entry->output ? smc_strdup(entry->output) : NULL;
    if (entry->output && !input->output)
        return false;
    input->argument = entry->options.word;
    input->argument_count = entry->options.count;
    entry->options = (struct smc_words){0};
    if (entry->target_count > 0) {
        size_t bytes = entry->target_count * sizeof *input->target;
        input->target = smc_malloc(bytes);
        if (!input->target)
            return false;
        memcpy(input->target, entry->target, bytes);
        input->target_count = entry->target_count;
    }
    return true;
}

/* A pipe or a device would be waited for, or read without end. */
static bool compile_commands_is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static bool compile_commands_add_entry(struct command_entry *entry, const char **fault,
                                       struct smc_inputs *inputs)
{
    smc_auto_free char *source = compile_commands_join(entry->directory, entry->file);
    smc_auto_free char *object =
        entry->output ? compile_commands_join(entry->directory, entry->output) : NULL;
    bool succeeded = source && (object || !entry->output);
    if (succeeded && object && is_fresh(object, source)) {
        struct smc_input *input = smc_inputs_add(inputs, compile_commands_shortened(object));
        succeeded = input != NULL;
        if (input)
            input->may_be_empty = true;
    } else if (succeeded && compile_commands_is_special(source)) {
        *fault = "is not a file";
    } else if (succeeded) {
        succeeded = add_source(entry, source, inputs);
    }
    return succeeded;
}

static bool compile_commands_read_entry(const char *file, size_t number, const json_t *object,
                                        struct smc_inputs *inputs, size_t *others,
                                        struct smc_text *faults)
{
    struct command_entry entry = {.number = number};
    const char *fault = open_entry(object, &entry);
    bool succeeded = fault ? !smc_memory_failed() : compile_commands_read_words(&entry);
    if (!fault && !entry.is_cuda)
        ++*others;
    else if (!fault && succeeded)
        succeeded = compile_commands_add_entry(&entry, &fault, inputs);
    if (fault && succeeded)
        smc_text_safe_line(faults, "%s: entry %zu (%s) %s", file, number,
                           entry.file ? entry.file : "?", fault);
    smc_words_free(&entry.words);
    smc_words_free(&entry.options);
    return succeeded;
}

enum smc_status smc_compile_commands_read(const char *file, const struct smc_text *text,
                                          struct smc_inputs *inputs, size_t *others,
                                          struct smc_text *faults, struct smc_error *error)
{
    json_error_t problem;
    json_auto_t *root = json_loadb(smc_text_string(text), text->length, 0, &problem);
    bool succeeded = true;
    *others = 0;
    if (!json_is_array(root)) {
        bool is_json = root != NULL;
        return is_json ? smc_fail(error, SMC_USAGE, "%s: not a list of compile commands", file)
                       : smc_fail(error, SMC_USAGE, "%s:%d: %s", file, problem.line, problem.text);
    }
    for (size_t i = 0; i < json_array_size(root) && succeeded; i++)
        succeeded = compile_commands_read_entry(file, i + 1, json_array_get(root, i), inputs,
                                                others, faults);
    return succeeded ? SMC_OK : smc_out_of_memory(error);
}
