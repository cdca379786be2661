/* compile_commands.json: how a build compiles each of its sources. */
#ifndef SMC_CODE_COMPILE_COMMANDS_H
#define SMC_CODE_COMPILE_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "code/inputs.h"

/* Whether the text looks like one: a list of objects with "directory" and "file". */
bool smc_compile_commands_is(const struct smc_text *text);

/* Appends an input for each CUDA source: its object if that exists and is newer, else the source
   with the options of its entry, in which paths are absolute. `others` counts the entries that are
   not CUDA. Entries that cannot be read are lines of `faults`. SMC_USAGE: the file is not JSON;
   SMC_MACHINE: memory. */
enum smc_status smc_compile_commands_read(const char *file, const struct smc_text *text,
                                          struct smc_inputs *inputs, size_t *others,
                                          struct smc_text *faults, struct smc_error *error);

/* A list of words. smc_words_add copies one; false: out of memory. smc_words_split sets the list to
   the words of a command as a POSIX shell splits them: quotes and backslashes, nothing is expanded;
   false: a quote is not closed, or out of memory, and the list is empty. */
struct smc_words {
    char **word;
    size_t count, capacity;
};
bool smc_words_add(struct smc_words *words, const char *word, size_t length);
bool smc_words_split(const char *command, struct smc_words *words);
void smc_words_free(struct smc_words *words);

#endif
