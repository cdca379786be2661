/* Predictions against what was seen: one row a quantity, one verdict a row. Pure: no CUDA, no I/O,
   so that every verdict is tested without a GPU. */
#ifndef SMC_CONFIRM_CONFIRM_H
#define SMC_CONFIRM_CONFIRM_H

#include <stdbool.h>
#include <stddef.h>

#include "executor/user.h"

enum smc_verdict {
    SMC_CONFIRMED,
    SMC_DIFFERS,
    SMC_NOT_MEASURED,
    SMC_INFORMATION, /* seen, with nothing predicted for certain: counts neither way */
    SMC_BY_ORDER, /* differs, by what the order of atomic additions explains: neither way either */
};

/* Where a value of a row comes from. */
enum smc_row_source {
    SMC_SOURCE_PREDICTED,
    SMC_SOURCE_API,
    SMC_SOURCE_EMULATED,
    SMC_SOURCE_MEASURED,
    SMC_SOURCE_COUNT
};

/* A value from one source (predicted, API, emulated, measured), or none. Booleans are 0 and 1. */
struct smc_reading {
    bool present;
    double value;
};

enum { SMC_ROW_WORDS = 96 };

struct smc_row {
    const char *quantity; /* in scripts: "blocks_per_sm" */
    const char *label;    /* for people: "blocks per SM" */
    const char *unit;     /* "", "B", "ms", "GFLOP/s", ... */
    struct smc_reading predicted, api, emulated, measured;
    char words[SMC_ROW_WORDS]; /* what is predicted, where that is no number: "warps+registers" */
    enum smc_verdict verdict;
    char note[256]; /* why it differs or was not measured, or a remark such as "carve-out is a hint"
                     */
};

enum { SMC_MAX_ROWS = 48 };

struct smc_confirmation {
    size_t row_count;
    struct smc_row row[SMC_MAX_ROWS];
    size_t confirmed, differing, not_measured;
};

/* Compares the answer's predictions with the result. A predicted failure to compile or launch is a
   row of its own, confirmed when the attempt failed as predicted. */
void smc_confirm(const struct smc_answer *answer, const struct smc_run_result *result,
                 struct smc_confirmation *out);

/* The same of a kernel of the user's: nothing is predicted of its counts, which are shown; what it
   does wrong, and where a GPU and the emulator disagree, differs. */
void smc_confirm_user(const struct smc_user_run *run, struct smc_confirmation *out);

/* Adds up how many were confirmed, differ and were not measured; no rows. */
void smc_confirmation_add(const struct smc_confirmation *one, struct smc_confirmation *total);

/* SMC_SHORTFALL where any row differs, else SMC_OK. */
enum smc_status smc_confirmation_status(const struct smc_confirmation *confirmation);

/* No source has another value than the prediction. A row may differ all the same: its note then
   says in what. */
bool smc_row_agrees(const struct smc_row *row);

/* "confirmed", "differs", "not measured", "information", "depends on the order of atomics". */
const char *smc_verdict_name(enum smc_verdict verdict);

/* --- For the files of this folder and the GPU tests ------------------------------------------- */

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
