/* The bank conflicts that were found in a kernel's PTX without running it. */
#ifndef SMC_SHOW_BANK_ACCESSES_REPORT_H
#define SMC_SHOW_BANK_ACCESSES_REPORT_H

#include <jansson.h>

#include "machine/bank_accesses.h"
#include "show/report/report.h"

/* One line without its end: "31 bank conflicts per warp at k.cu:41, a load with a stride of 128 B:
   pad each row of 32 elements by 1 element; 2 of 8 accesses cannot be followed". "no bank conflicts
   in 8 accesses". Nothing if the kernel does not access shared memory. */
void smc_words_bank_accesses(const struct smc_bank_accesses *accesses, struct smc_text *out);

/* An object with the sums and the list "accesses"; null for NULL. */
json_t *smc_json_bank_accesses(const struct smc_bank_accesses *accesses);

#endif
