/* The memory of one kernel, by its kinds. */
#ifndef SMC_SHOW_MEMORY_REPORT_H
#define SMC_SHOW_MEMORY_REPORT_H

#include "answers/inspect.h"
#include "hardware/user.h"
#include "show/report/report.h"

/* A table after an empty line: of a kernel of a file, with the variables of its module; of a launch
   of one, with its arrays; of a kernel of the catalog, with its arrays (nothing for an answer about
   numbers alone, or the probe). Nothing where it was not compiled. What is not known is said. */
void smc_text_memory_of_row(const struct smc_inspect_row *row, struct smc_text *out);
void smc_text_memory_of_run(const struct smc_user_run *run, struct smc_text *out);
void smc_text_memory_of_answer(const struct smc_answer *answer, struct smc_text *out);

#endif
