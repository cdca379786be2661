/* Which kernel of a source is meant, and whether the arguments fit it. */
#ifndef SMC_OWN_ENTRY_H
#define SMC_OWN_ENTRY_H

#include "inspect/inspect.h"
#include "own/argument.h"

/* By the compiler's name, the name in the source ("scale", "ns::scale"), or that with its
   parameters; NULL: the only one. SMC_USAGE: none or several are meant; the message lists all. */
enum smc_status smc_own_choose(const struct smc_inspect_kernels *kernels, const char *file,
                               const char *entry, const struct smc_inspect_kernel **kernel,
                               struct smc_error *error);

/* Holds the arguments to what the PTX declares of the kernel. SMC_USAGE names the one that does
   not fit. */
enum smc_status smc_own_check_arguments(const char *ptx, const struct smc_inspect_kernel *kernel,
                                        const struct smc_own_argument *arguments, size_t count,
                                        struct smc_error *error);

#endif
