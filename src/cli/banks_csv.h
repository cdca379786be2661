/* smemcalc banks --csv: a stream of accesses in, a row of wavefronts and conflicts out for each. */
#ifndef SMC_CLI_BANKS_CSV_H
#define SMC_CLI_BANKS_CSV_H

#include "base/status.h"
#include "base/text.h"
#include "model/banks.h"

/* Answers every row of the file ("-": standard input) in its place. A row that cannot be read has
   no numbers, and standard error tells why; then the result is SMC_USAGE, after all rows. What is
   not yet written stands in `out`. Memory does not grow with the input. */
enum smc_status smc_banks_csv(const char *path, const struct smc_bank_layout *layout,
                              struct smc_text *out, struct smc_error *error);

#endif
