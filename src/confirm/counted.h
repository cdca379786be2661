/* What the GPU's counters saw, against the model: what they should show, where they are known to be
   off, and the verdict. Inside src/confirm and the GPU tests only.

   Instructions, wavefronts, requests and sectors are confirmed within 2 %.
   What is beyond that for a reason known from an H200 is information, and the note names the
   reason; the rest differs. DRAM: dram.h. */
#ifndef SMC_CONFIRM_COUNTED_H
#define SMC_CONFIRM_COUNTED_H

#include "confirm/confirm.h"

/* What the counters should show: of shared memory the machine code's loads, and the stores without
   those by cp.async, which they leave out; of DRAM every input read once, every output written
   once. */
void smc_counted_expect(const struct smc_answer *answer, double expected[SMC_METRIC_COUNT]);

/* Why this metric may be off, in words; NULL where no reason is known. */
const char *smc_counted_residue(const struct smc_answer *answer, enum smc_metric metric);

/* Whether anybody asked for counters. */
bool smc_counted_wanted(const struct smc_run_result *result);

/* One launch's counters, beside what they should show. */
struct smc_counted {
    const struct smc_answer *answer;
    const struct smc_run_result *result;
    double expected[SMC_METRIC_COUNT];
};

void smc_counted_begin(const struct smc_answer *answer, const struct smc_run_result *result,
                       struct smc_counted *counted);

/* Judges a row that has its other witnesses, with one metric as the measured one. Where nobody
   counted, the note says why if nothing else was seen. */
void smc_counted_judge(const struct smc_counted *counted, enum smc_metric metric,
                       struct smc_row *row);

/* The same of the bank conflicts of the machine code: its wavefronts beyond the least possible. */
void smc_counted_judge_conflicts(const struct smc_counted *counted, struct smc_row *row);

#endif
