/* A person's own kernel in words. */
#ifndef SMC_REPORT_WORDS_OWN_H
#define SMC_REPORT_WORDS_OWN_H

#include "base/text.h"
#include "own/own.h"

/* "no findings", "5 findings in 2 places", "it came to no end: ...". */
void smc_words_own_verdict(const struct smc_own_run *run, struct smc_text *out);

/* The first elements afterwards, as the emulator left them, else the GPU: "0, 1, 2, ...". */
void smc_words_own_values(const struct smc_own_memory *memory, struct smc_text *out);

/* The digest to show: the emulator's, else the GPU's; NULL where neither came to its end. */
const struct smc_own_digest *smc_words_own_digest(const struct smc_own_memory *memory);

#endif
