/* One row of a confirmation, from its witnesses to its verdict. Inside src/confirm only. */
#ifndef SMC_CONFIRM_ROWS_H
#define SMC_CONFIRM_ROWS_H

#include <stdint.h>

#include "confirm/confirm.h"

struct smc_witness smc_witness_of(double value);

/* Appends a row without witnesses. Never NULL: SMC_MAX_ROWS is above the number of rows there are.
 */
struct smc_row *smc_row_add(struct smc_confirmation *confirmation, const char *quantity,
                            const char *label, const char *unit);

/* Replaces the note, cut to its room. */
void smc_row_note(struct smc_row *row, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Counts the verdicts of all rows. */
void smc_rows_count(struct smc_confirmation *confirmation);

/* Compares every witness there is with the prediction. */
void smc_row_judge(struct smc_row *row);

#endif
