/* The lessons' screen: the list, or one lesson open at a page. */
#ifndef SMC_TUI_LESSONS_STATE_H
#define SMC_TUI_LESSONS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "query/query.h"

struct smc_lessons {
    size_t lesson;
    bool is_open; /* else the list is shown */
    size_t page;  /* behind the last page comes the question */
    int top;      /* the first line shown */
    bool can_try; /* the page is about a launch: */
    struct smc_query launch;
    uint32_t solved;       /* bit n: lesson n's question was answered rightly */
    struct smc_text text;  /* the page as it is shown; owned */
    struct smc_text reply; /* to the last answer, or empty; owned */
    bool is_right;
};

void smc_lessons_close(struct smc_lessons *lessons);

#endif
