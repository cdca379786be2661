/* A command: one file, one declarative entry. */
#ifndef SMC_CLI_COMMAND_H
#define SMC_CLI_COMMAND_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

struct smc_arguments;

enum smc_command_id {
#define COMMAND(ID, name) SMC_COMMAND_##ID,
#include "cli/commands.def"
#undef COMMAND
    SMC_COMMAND_COUNT
};

struct smc_command {
    const char *name;
    const char *usage;    /* what follows the name; where its first word is FILE, COMMAND, LESSON or
                             words joined by '|', that is what a word without dashes may be */
    const char *help;     /* one line */
    const char *examples; /* lines for its help, each ending in '\n', or NULL */
    size_t most_files;    /* words that are no options: files */

    /* Appends the report to `out`, which is printed whatever the status; `error` is printed where
       its message is not empty. */
    enum smc_status (*run)(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error);
};

/* Fails: `word` names no command; the message suggests the nearest. */
enum smc_status smc_command_fail_unknown(const char *word, struct smc_error *error);

#define COMMAND(ID, name) extern const struct smc_command smc_command_##name;
#include "cli/commands.def"
#undef COMMAND

extern const struct smc_command *const smc_commands[SMC_COMMAND_COUNT];

#endif
