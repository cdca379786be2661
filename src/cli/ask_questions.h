/* One question on every device that a call is about. */
#ifndef SMC_CLI_ASK_QUESTIONS_H
#define SMC_CLI_ASK_QUESTIONS_H

#include "cli/ask_devices.h"

/* Start from {0}. */
struct smc_questions {
    struct smc_query
        *query; /* one for each device chosen, or for the one taken where nobody chose */
    size_t count;
    struct smc_chosen_devices devices; /* own the texts */
};

/* Asks `query` on each device. Tells how their names were understood, but to JSON, which says it
   itself, and which options do nothing there. To be freed whatever the status. */
enum smc_status smc_ask_questions(const struct smc_arguments *arguments,
                                  const struct smc_query *query, struct smc_questions *questions,
                                  struct smc_error *error);

/* The answers, in the same order, and warnings told; free() them whatever the status. */
enum smc_status smc_answer_questions(const struct smc_questions *questions,
                                     struct smc_answer **answers, struct smc_error *error);

void smc_questions_free(struct smc_questions *questions);

#endif
