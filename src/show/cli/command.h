/* The commands: what each is called and takes, a row of commands.def, and its function. */
#ifndef SMC_SHOW_COMMAND_H
#define SMC_SHOW_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

struct smc_arguments;

enum smc_command_id {
#define COMMAND(ID, function, name, most_files, usage, help, examples) SMC_COMMAND_##ID,
#include "show/cli/commands.def"
    SMC_COMMAND_COUNT
};

/* Appends the report to `out`, which is printed whatever the status; `error` is printed if its
   message is not empty. */
typedef enum smc_status smc_command_function(const struct smc_arguments *arguments,
                                             struct smc_text *out, struct smc_error *error);

struct smc_command {
    const char *name;
    const char *usage;    /* what follows the name; if its first word is FILE, COMMAND, LESSON or
                             words joined by '|', that is what a word without dashes may be */
    const char *help;     /* one line */
    const char *examples; /* lines for its help, each ending in '\n', or NULL */
    size_t most_files;    /* words that are not options: files */
};

extern const struct smc_command smc_commands[SMC_COMMAND_COUNT];

#define COMMAND(ID, function, name, most_files, usage, help, examples)                             \
    smc_command_function smc_cmd_##function;
#include "show/cli/commands.def"

/* Whether `text` is the command's name; else `command` is unchanged. */
bool smc_command_find(const char *text, enum smc_command_id *command);

/* What may follow `words`, of which the last is being typed: for the scripts of `completion`
   (cmd_completion.c). */
void smc_completion_offer(int count, char *const *words, struct smc_text *out);

/* Help, generated from the rows of commands and options. */
void smc_help_short(struct smc_text *out); /* one screen: examples, commands, most used options */
void smc_help_all(struct smc_text *out);   /* examples, commands, every option */
void smc_help_command(enum smc_command_id command, struct smc_text *out); /* those it accepts */
void smc_help_version(struct smc_text *out);

/* What a report of a bug needs: this build, the system, the driver and NVRTC (cmd_doctor.c). */
enum smc_status smc_help_versions(struct smc_text *out, struct smc_error *error);

/* Fails: `word` is not a command; the message suggests the nearest. */
enum smc_status smc_command_fail_unknown(const char *word, struct smc_error *error);

#endif
