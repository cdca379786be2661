/* The rows of a confirmation. Inside src/confirm and the GPU tests only. */
#ifndef SMC_CONFIRM_ROWS_H
#define SMC_CONFIRM_ROWS_H

#include <stdint.h>

#include "confirm/confirm.h"

struct smc_reading smc_reading_of(double value);

/* Appends a row without values. Never NULL: SMC_MAX_ROWS is above the number of rows there are.
 */
struct smc_row *smc_row_add(struct smc_confirmation *confirmation, const char *quantity,
                            const char *label, const char *unit);

/* Replaces the note, cut to its length. */
void smc_row_note(struct smc_row *row, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Counts the verdicts of all rows. */
void smc_rows_count(struct smc_confirmation *confirmation);

/* Compares every source's value with the prediction. */
void smc_row_judge(struct smc_row *row);

/* The rows of shared and global memory: what the emulator and the GPU's counters saw, and what the
   emulator found; none where neither counted. */
void smc_confirm_memory(const struct smc_answer *answer, const struct smc_run_result *result,
                        struct smc_confirmation *out);

/* What the counters should show: of shared memory the machine code's loads, and the stores without
   those by cp.async, which they leave out; of DRAM every input read once, every output written
   once. */
void smc_counted_expect(const struct smc_answer *answer, double expected[SMC_METRIC_COUNT]);

/* Why this metric may be off, in words; NULL where no reason is known. */
const char *smc_counted_residue(const struct smc_answer *answer, enum smc_metric metric);

#endif
