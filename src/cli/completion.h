/* Completion scripts for shells, written from the tables of commands, options, kernels, devices. */
#ifndef SMC_CLI_COMPLETION_H
#define SMC_CLI_COMPLETION_H

#include "base/text.h"
#include "cli/options.h"

/* A shell: one file, one row of shells.def. */
struct smc_shell {
    const char *name;
    void (*write)(struct smc_text *out); /* appends the whole script */
};

enum smc_shell_id {
#define SHELL(ID, name) SMC_SHELL_##ID,
#include "cli/shells.def"
#undef SHELL
    SMC_SHELL_COUNT
};

#define SHELL(ID, name) extern const struct smc_shell smc_shell_##name;
#include "cli/shells.def"
#undef SHELL

extern const struct smc_shell *const smc_shells[SMC_SHELL_COUNT];

/* What can be offered for an option's value or for a command's word. */
enum smc_offer {
    SMC_OFFER_NOTHING, /* a number, an expression */
    SMC_OFFER_WORDS,   /* a few, those of smc_completion_words */
    SMC_OFFER_DEVICES,
    SMC_OFFER_KERNELS,
    SMC_OFFER_FILES,
    SMC_OFFER_FOLDERS,
};

enum smc_offer smc_completion_of_option(const struct smc_option *option);

/* By the first word of the command's usage. */
enum smc_offer smc_completion_of_command(const struct smc_command *command);

/* The words of an offer, each behind a space: nothing in them needs quoting. */
void smc_completion_option_words(const struct smc_option *option, struct smc_text *out);
void smc_completion_command_words(const struct smc_command *command, struct smc_text *out);

/* Each behind `before`, single-quoted. Devices: by model ("RTX 4090"), as they are typed. */
void smc_completion_devices(const char *before, struct smc_text *out);
void smc_completion_kernels(const char *before, struct smc_text *out);

/* For use within single quotes: a quote becomes `quote`, and a backslash stands before each of
   `special`. */
void smc_completion_escape(const char *text, const char *quote, const char *special,
                           struct smc_text *out);

#endif
