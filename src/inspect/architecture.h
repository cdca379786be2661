/* The architectures that the user's options of the compiler name, such as -arch=sm_90a. */
#ifndef SMC_INSPECT_ARCHITECTURE_H
#define SMC_INSPECT_ARCHITECTURE_H

#include "inspect/kernels.h"

/* Where source is compiled for what: options without architectures, and targets. Start from {0}. */
struct smc_architectures {
    struct smc_text options;
    struct smc_inspect_target target[SMC_INSPECT_MAX_TARGETS];
    size_t count;
    bool are_named; /* by the options, instead of assumed ones */
};

/* Takes the architectures out of `options`. The targets are those of `asked`, each with the letter
   of an architecture that the options name; with `assumed`, those of the options alone, if these
   name any. SMC_USAGE: an architecture of the options is none of the asked. Free the options. */
enum smc_status smc_architectures_read(const char *options, const struct smc_inspect_target *asked,
                                       size_t count, bool assumed, struct smc_architectures *read,
                                       struct smc_error *error);

/* Adds every "sm_90a" in the text; if there is none, every "compute_90a". */
void smc_architectures_add(const char *text, struct smc_inspect_target *target, size_t *count);

/* The target that has the features of its architecture alone: sm_90a for sm_90. False: there is
   none, or it is one already. */
bool smc_architecture_extend(struct smc_inspect_target *target);

#endif
