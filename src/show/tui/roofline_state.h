/* The roofline's screen: the present launch under the ceilings of its device, beside the other
   kernels of its family. The family is predicted while the screen is shown, one kernel after
   another. */
#ifndef SMC_SHOW_ROOFLINE_STATE_H
#define SMC_SHOW_ROOFLINE_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "answers/query.h"
#include "show/tui/explore.h"
#include "show/tui/worker.h"

enum { SMC_ROOFLINE_KERNELS = 8 };

/* Start from {0}. */
struct smc_roofline_state {
    struct smc_answer answer[SMC_ROOFLINE_KERNELS]; /* the first screen's, then its family's */
    size_t count;                                   /* 0: the first screen has no answer */
    uint64_t serial;                                /* of the first screen's */
    size_t next; /* the kernel of the catalog to look at next for the family; those of the family
                    after it are answers to a question before */
    int top;     /* the first row shown */
    size_t left_out; /* of the family, because the machine failed */
    struct smc_error why;
};

/* The next kernel of the family to predict; kind NONE if there is none. */
void smc_roofline_job(const struct smc_roofline_state *roofline, const struct smc_explore *explore,
                      struct smc_job *job);

/* The result of such a job; a kernel that cannot be predicted is omitted, and the screen says so
   where that is the machine's failure. */
void smc_roofline_take(struct smc_roofline_state *roofline, const struct smc_job_result *result);

#endif
