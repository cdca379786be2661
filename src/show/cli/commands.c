/* The commands' descriptions. */
#include "show/cli/command.h"

const struct smc_command smc_commands[SMC_COMMAND_COUNT] = {
#define COMMAND(ID, function, name, most_files, usage, help, examples)                             \
    [SMC_COMMAND_##ID] = {name, usage, help, examples, most_files},
#include "show/cli/commands.def"
};
