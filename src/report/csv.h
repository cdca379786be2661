/* The header and the row of an answer in CSV. */
#ifndef SMC_REPORT_CSV_H
#define SMC_REPORT_CSV_H

#include "base/text.h"
#include "query/query.h"

void smc_csv_head(struct smc_text *out);

/* `why` is NULL, or says why there is no answer; then only the inputs are filled. */
void smc_csv_answer(const struct smc_answer *answer, const char *why, struct smc_text *out);

#endif
