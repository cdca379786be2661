/* From arguments to a question about accesses to shared memory (cmd_banks.c). */
#ifndef SMC_SHOW_ASK_BANKS_H
#define SMC_SHOW_ASK_BANKS_H

#include "answers/banks_query.h"
#include "show/cli/options.h"

/* The pattern of --expr, --stride or a kernel, without a device. Its texts are the arguments'. */
enum smc_status smc_ask_banks(const struct smc_arguments *arguments, struct smc_banks_query *query,
                              struct smc_error *error);

#endif
