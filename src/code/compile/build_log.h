/* The log of a build in which several compilers wrote at once: the lines of each compilation are
   brought together where they can only belong to it. */
#ifndef SMC_CODE_BUILD_LOG_H
#define SMC_CODE_BUILD_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* What a build's log holds besides its kernels, one line each, without the log's name. A line of
   `notes` is a kernel's name, as the log has it, a tab and the note about it; the name is empty if
   the note is about none or about all. */
struct smc_build_log {
    struct smc_text ordered; /* the log, for smc_log_next: one compilation after the other */
    struct smc_text faults;  /* what is missing or ambiguous, and that the build failed */
    struct smc_text notes;   /* kernels compiled again with another result: each is listed; launch
                                bounds that ptxas ignored; its remarks about performance */
    size_t cut_off_count;    /* kernels whose figures have no name or no architecture: `faults` */
};

/* Start from {0}. A kernel whose registers could be another's is left without any: smc_log_next
   then calls it incomplete. False: out of memory. Free the texts in any case. */
bool smc_build_log_read(const char *log, struct smc_build_log *read);

void smc_build_log_free(struct smc_build_log *read);

#endif
