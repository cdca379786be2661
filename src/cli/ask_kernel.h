/* From arguments to a kernel and its parameters. */
#ifndef SMC_CLI_ASK_KERNEL_H
#define SMC_CLI_ASK_KERNEL_H

#include "cli/options.h"
#include "query/query.h"

/* That of --kernel, or the one that --tile alone means. */
enum smc_status smc_ask_named_kernel(const struct smc_arguments *arguments,
                                     const struct smc_kernel **kernel, struct smc_error *error);

/* A kernel of the catalog: sets query->kernel and query->params. */
enum smc_status smc_ask_kernel(const struct smc_arguments *arguments, struct smc_query *query,
                               struct smc_error *error);

/* A person's own, described by --threads and the launch options. */
enum smc_status smc_ask_own_kernel(const struct smc_arguments *arguments, struct smc_query *query,
                                   struct smc_error *error);

/* A copy in which the shape of a block (banks and run), or its range, is the kernel's
   parameter. */
enum smc_status smc_ask_block_param(const struct smc_arguments *arguments,
                                    struct smc_arguments *with_block, struct smc_error *error);

#endif
