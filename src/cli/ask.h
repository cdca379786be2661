/* From arguments to questions: which launch, which writer. */
#ifndef SMC_CLI_ASK_H
#define SMC_CLI_ASK_H

#include "base/status.h"
#include "cli/options.h"
#include "query/query.h"
#include "report/report.h"

/* Everything but the device. SMC_USAGE with a message that names the option. */
enum smc_status smc_ask_query(const struct smc_arguments *arguments, struct smc_query *query,
                              struct smc_error *error);

/* Only the numbers of the launch, without a kernel; `query` is initialised. */
void smc_ask_launch(const struct smc_arguments *arguments, struct smc_query *query);

const struct smc_writer *smc_ask_writer(const struct smc_arguments *arguments);

#endif
