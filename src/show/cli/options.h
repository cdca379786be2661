/* The options as rows, and the arguments of one call read by them. */
#ifndef SMC_SHOW_OPTIONS_H
#define SMC_SHOW_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/parse.h"
#include "base/status.h"
#include "hardware/user.h"
#include "rules/catalog.h"
#include "show/cli/command.h"

/* An option without an upper limit. */
#define SMC_NO_HIGHEST INT32_MAX

enum smc_option_id {
#define OPTION(id, ...) SMC_OPTION_##id,
#include "show/cli/options.def"
#undef OPTION
    SMC_OPTION_FIRST_PARAM,
    SMC_OPTION_COUNT = SMC_OPTION_FIRST_PARAM + SMC_PARAM_COUNT
};

enum smc_option_type {
    SMC_OPTION_FLAG,
    SMC_OPTION_INTEGER,
    SMC_OPTION_BYTES,  /* a size such as 48K */
    SMC_OPTION_CHOICE, /* the index of a word */
    SMC_OPTION_DTYPE,  /* an enum smc_dtype */
    SMC_OPTION_TEXT,
};

enum smc_option_group {
#define GROUP(id, heading) SMC_GROUP_##id,
#include "show/cli/groups.def"
    SMC_GROUP_COUNT
};

struct smc_option {
    const char *name;
    char letter;
    const char *value; /* its name in the help; NULL for a flag */
    enum smc_option_type type;
    int64_t lowest, highest, initial;
    const char *choices; /* joined by '|'; of a number, words instead: -1, -2, ... */
    enum smc_option_group group;
    uint32_t commands; /* bit n: command n accepts it */
    const char *help;
};

extern const struct smc_option smc_options[SMC_OPTION_COUNT];

enum { SMC_MAX_DEVICES = 16, SMC_MAX_LISTED = 64 };

/* The values of an option that may be given several times, in that order. */
struct smc_repeated {
    const char *item[SMC_MAX_LISTED];
    size_t count;
};

struct smc_arguments {
    enum smc_command_id command;
    bool given[SMC_OPTION_COUNT];
    int64_t number[SMC_OPTION_COUNT];         /* the default if not given */
    const char *text[SMC_OPTION_COUNT];       /* as typed; NULL if not given */
    struct smc_range range[SMC_OPTION_COUNT]; /* step 0: a plain value */
    char **file; /* the first of the words that were read; "-": standard input */
    size_t file_count;
    struct smc_repeated device, device_file;      /* at most SMC_MAX_DEVICES */
    struct smc_repeated arg, set, dump, expected; /* at most SMC_MAX_USER_ARGUMENTS */
    struct smc_repeated own_threads, own_dynamic_smem, own_kernel, only, vary, read, trace_file,
        pass;
    const char *topic;         /* help: the command asked about, completion: the shell,
                                  lesson: its name; or NULL */
    struct smc_builds *builds; /* what the command has compiled so far, or NULL; not owned */
};

/* Reads everything after the command's name, and moves the files among `words`, which must outlive
   `arguments`, to its beginning. SMC_USAGE with a message that names the option. */
enum smc_status smc_arguments_read(enum smc_command_id command, int count, char **words,
                                   struct smc_arguments *arguments, struct smc_error *error);

/* Ends `word`, FILE:KERNEL, after the first FILE that exists and returns KERNEL, which may have
   colons itself. NULL: the whole word is a file, or no part of it is. */
char *smc_file_divide(char *word);

/* The first word that is neither an option nor its value, or NULL. */
const char *smc_arguments_first_word(int count, char **words);

/* The option that a word such as "--tile", "--tile=8", "-t" or "-t8" names, or -1. */
int smc_option_find(const char *word, enum smc_command_id command);

/* Whether the word after this one is the option's value. */
bool smc_option_value_follows(int id, const char *word);

/* Whether the command accepts a range for it. */
bool smc_option_accepts_range(int id, enum smc_command_id command);

/* A list for smc_refuse_given. */
#define SMC_OPTIONS(...)                                                                           \
    (const int[])                                                                                  \
    {                                                                                              \
        __VA_ARGS__, SMC_OPTION_COUNT                                                              \
    }

/* SMC_USAGE with "option --NAME: WHY" if one of the options is given; the first is named. */
enum smc_status smc_refuse_given(const struct smc_arguments *arguments, const int *options,
                                 struct smc_error *error, const char *why, ...)
    __attribute__((format(printf, 4, 5)));

/* Whether the option may be given several times, and each counts. */
bool smc_option_repeats(int option);

#endif
