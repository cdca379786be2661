/* The first screen's state: one question, its answer, and what lies around it. Pure but for the
   built-in table of resources; compiling is asked for, and its result handed in. */
#ifndef SMC_TUI_EXPLORE_H
#define SMC_TUI_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>

#include "query/query.h"
#include "tui/chart.h"
#include "tui/fields.h"
#include "tui/memo.h"

enum { SMC_UNDO_STEPS = 100 };

struct smc_explore {
    struct smc_query query;
    struct smc_answer answer; /* to the query; where there is none, as much of it as was found: the
                                 parameters, and the launch if it has threads */
    bool answered;            /* false: `why` says what is wrong with the query */
    char why[1024];
    bool wants_compile; /* the answer's registers are the table's until NVRTC has answered */
    char compile_failure[1024]; /* what NVRTC said of this query, or "" */
    enum smc_field field;       /* under the cursor */
    struct smc_chart chart;     /* along that field */
    struct smc_memo memo;
    uint64_t carried; /* bit n: field n has a value that nobody gave it: it came with a lesson, or
                         from the kernel before */
    struct smc_query undo[SMC_UNDO_STEPS]; /* the last one on top */
    uint64_t undo_carried[SMC_UNDO_STEPS];
    size_t undo_count;
};

void smc_explore_open(struct smc_explore *explore, const struct smc_query *query);
void smc_explore_close(struct smc_explore *explore);

/* After the field under the cursor was changed, and with it perhaps others; `before` is what undo
   brings back. */
void smc_explore_changed(struct smc_explore *explore, const struct smc_query *before);

/* The same where the query was brought from another screen: no value of it was given here. */
void smc_explore_brought(struct smc_explore *explore, const struct smc_query *before);

/* What a field shows. */
void smc_explore_show(const struct smc_explore *explore, enum smc_field field,
                      struct smc_field_view *view);

/* False where there is nothing to take back. */
bool smc_explore_undo(struct smc_explore *explore);

/* The cursor on another field. */
void smc_explore_go(struct smc_explore *explore, enum smc_field field);

/* By so many places; stays at the ends. */
void smc_explore_move(struct smc_explore *explore, int by);

/* What NVRTC found for a query: kept, and used where it is still the present one. `failure` is NULL
   or why it has no answer. */
void smc_explore_compiled(struct smc_explore *explore, const struct smc_query *query,
                          const struct smc_resources *resources, const char *failure);

/* A GPU was found: it takes the place of a device that was only assumed. */
void smc_explore_find_device(struct smc_explore *explore, const struct smc_device *device);

/* The source was edited: what was compiled before counts no more. */
void smc_explore_recompile(struct smc_explore *explore);

#endif
