/* What the emulator found in a kernel: as text and as JSON. */
#ifndef SMC_REPORT_EMULATOR_FINDINGS_H
#define SMC_REPORT_EMULATOR_FINDINGS_H

#include <jansson.h>

#include "report/report.h"

/* A paragraph for each finding, and below it the call stacks of its accesses; nothing of an access
   that is in the kernel itself. */
void smc_text_findings(const struct smc_emulated_run *emulated,
                       const struct smc_report_style *style, struct smc_text *out);
/* Whether a finding has a stack that smc_text_findings shows. */
bool smc_findings_have_stacks(const struct smc_emulated_run *emulated);

/* "no findings", "2 findings in 1 place". */
void smc_words_findings(const struct smc_emulated_run *emulated, struct smc_text *out);

json_t *smc_json_findings(const struct smc_emulated_run *emulated);

#endif
