/* A question in one line of the command line's words, as lessons ask it: answered without a shell
   or another process, and without an effect on files. */
#ifndef SMC_SHOW_ASK_WORDS_H
#define SMC_SHOW_ASK_WORDS_H

#include <jansson.h>
#include <stdbool.h>

#include "answers/query.h"
#include "base/status.h"
#include "base/text.h"
#include "code/compile.h"

struct smc_worded_question {
    const char *words;               /* "--tile 32", "banks --stride 2": quoted as for a shell */
    const struct smc_device *device; /* unless the words name one */
    const struct smc_compile_options *compile;
    struct smc_text *warnings; /* or NULL */
    bool whole;                /* with the work and the time of a query, which take longer */
    unsigned columns;          /* of an answer as text */
    bool utf8;
};

/* Where an answer goes: as the members of an object, or as text. */
struct smc_worded_answer {
    json_t *members; /* or NULL: */
    struct smc_text *out;
};

/* Appends the answer: of query, banks, carveout, limits or, on the emulator, run. SMC_USAGE: the
   words are another command, or options that write a file or ask for another form. */
enum smc_status smc_ask_words(const struct smc_worded_question *question,
                              const struct smc_worded_answer *answer, struct smc_error *error);

/* The launch that a query is about. The question's words are not needed afterwards. */
enum smc_status smc_ask_words_launch(const struct smc_worded_question *question,
                                     struct smc_query *query, struct smc_error *error);

#endif
