/* The lessons view's state: the list of lessons, or one lesson open at a page. */
#ifndef SMC_SHOW_LESSONS_STATE_H
#define SMC_SHOW_LESSONS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answers/query.h"
#include "base/text.h"

/* Start from {0}. */
struct smc_lessons {
    size_t lesson;
    bool is_open; /* otherwise the list is shown */
    size_t page;  /* the question follows the last page */
    int top;      /* the first line shown */
    bool can_try; /* the page is about a launch: */
    struct smc_query launch;
    uint32_t solved;       /* bit n: lesson n's question was answered correctly */
    struct smc_text text;  /* the page as shown; owned */
    struct smc_text reply; /* to the last answer, or empty; owned */
    bool is_right;
};

static inline void smc_lessons_close(struct smc_lessons *lessons)
{
    smc_text_free(&lessons->text);
    smc_text_free(&lessons->reply);
}

#endif
