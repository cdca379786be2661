/* The command line: finds the command, reads its arguments, runs it and prints what it says. */
#include "show/cli/cli.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "show/cli/output.h"

static smc_command_function *const functions[SMC_COMMAND_COUNT] = {
#define COMMAND(ID, function, name, most_files, usage, help, examples)                             \
    [SMC_COMMAND_##ID] = smc_cmd_##function,
#include "show/cli/commands.def"
};

/* A file or folder that exists, or a word that can only be meant as one. */
static bool cli_is_file(const char *word)
{
    const char *dot = strrchr(word, '.');
    if (smc_file_is_standard_input(word) || strchr(word, '/') || strstr(word, ".so."))
        return true;
    if (dot && isalpha((unsigned char)dot[1]))
        return true;
    return *word && access(word, F_OK) == 0;
}

/* Without a command the first word may be a file, also after options. */
static bool begins_with_file(int count, char **words)
{
    enum smc_command_id id;
    const char *word = smc_arguments_first_word(count, words);
    return word && !smc_command_find(word, &id) && cli_is_file(word);
}

static enum smc_status run_command(int count, char **words, struct smc_text *out,
                                   struct smc_error *error)
{
    bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (count == 0 && !terminal) {
        smc_help_short(out);
        return SMC_OK;
    }
    if (count > 0 && strcmp(words[0], "__complete") == 0) {
        smc_completion_offer(count - 1, words + 1, out);
        return SMC_OK;
    }
    enum smc_command_id id = count == 0 ? SMC_COMMAND_TUI : SMC_COMMAND_QUERY;
    bool file = begins_with_file(count, words);
    bool named = count > 0 && words[0][0] != '-' && !file;
    if (file)
        id = SMC_COMMAND_INSPECT;
    if (named && !smc_command_find(words[0], &id))
        return smc_command_fail_unknown(words[0], error);
    struct smc_arguments arguments;
    SMC_TRY(smc_arguments_read(id, count - named, words + named, &arguments, error));
    if (arguments.given[SMC_OPTION_HELP]) {
        if (named || file)
            smc_help_command(id, out);
        else
            smc_help_short(out);
        return SMC_OK;
    }
    if (arguments.given[SMC_OPTION_VERSION] && arguments.given[SMC_OPTION_VERSION_VERBOSE])
        return smc_help_versions(out, error);
    if (arguments.given[SMC_OPTION_VERSION]) {
        smc_help_version(out);
        return SMC_OK;
    }
    if (arguments.given[SMC_OPTION_VERSION_VERBOSE])
        return smc_fail(error, SMC_USAGE,
                        "option --verbose: only with --version, and for merge, inspect and trace");
    SMC_AUTO(smc_builds_free) struct smc_builds builds = SMC_BUILDS_INIT;
    arguments.builds = &builds;
    return functions[id](&arguments, out, error);
}

int smc_cli_main(int argc, char **argv)
{
    struct smc_error error = {""};
    smc_auto_text out = {0};
    smc_program_set_name(argc > 0 ? argv[0] : NULL);
    enum smc_status status = smc_output_open(&error);
    if (status != SMC_OK) {
        smc_output_tell("", error.message);
        return status;
    }
    json_set_alloc_funcs(smc_malloc, free);
    status = run_command(argc > 0 ? argc - 1 : 0, argv + 1, &out, &error);
    return smc_output_end(&out, status, &error);
}
