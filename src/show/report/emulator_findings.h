/* What the emulator found in a kernel: as text, as JSON, and as findings of a check. */
#ifndef SMC_SHOW_EMULATOR_FINDINGS_H
#define SMC_SHOW_EMULATOR_FINDINGS_H

#include <jansson.h>

#include "answers/judge_findings.h"
#include "show/report/report.h"

/* A paragraph for each finding, and below it the call stacks of its accesses; nothing of an access
   that is in the kernel itself. */
void smc_text_findings(const struct smc_emulated_run *emulated, struct smc_text *out);
/* The same with the most telling one first, and what mends it below that; `advice` may be "". */
void smc_text_leading_findings(const struct smc_emulated_run *emulated, const char *advice,
                               struct smc_text *out);
/* Whether a finding has a stack that smc_text_findings shows. */
bool smc_findings_have_stacks(const struct smc_emulated_run *emulated);

/* "add __syncthreads() after line 4: a run with it has no race", of the lines of a struct
   smc_user_run; nothing if there are none. */
void smc_words_barrier_advice(const uint32_t after[2], struct smc_text *out);

/* "no findings", "2 findings in 1 place". */
void smc_words_findings(const struct smc_emulated_run *emulated, struct smc_text *out);
/* What is not as on a GPU, and how far it may have come; nothing if all instructions are exact. */
void smc_words_fidelity(const struct smc_fidelity *fidelity, struct smc_text *out);
json_t *smc_json_fidelity(const struct smc_fidelity *fidelity);

/* "RACE on t, line 14; " of the most telling finding; nothing without findings. */
void smc_words_headline(const struct smc_emulated_run *emulated, struct smc_text *out);

json_t *smc_json_findings(const struct smc_emulated_run *emulated);

/* A kernel that was emulated. */
struct smc_sanitized {
    const char *file, *kernel, *device;
    const struct smc_emulated_run *emulated;
};

/* Adds each finding as an error. False: out of memory. */
bool smc_findings_of_run(const struct smc_sanitized *run, struct smc_findings *findings);

/* The kernels with their findings, as JSON. */
void smc_json_sanitized(const struct smc_sanitized *runs, size_t count, struct smc_text *out);

#endif
