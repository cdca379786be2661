/* Compares predictions with what was observed: one row per quantity, one verdict per row. Uses no
   CUDA and no I/O, so that every verdict can be tested without a GPU. */
#ifndef SMC_HARDWARE_CONFIRM_H
#define SMC_HARDWARE_CONFIRM_H

#include <stdbool.h>
#include <stddef.h>

#include "hardware/user.h"

enum smc_verdict {
    SMC_CONFIRMED,
    SMC_DIFFERS,
    SMC_NOT_MEASURED,
    /* Neither confirmed nor different: */
    SMC_INFORMATION, /* observed without a certain prediction */
    SMC_BY_ORDER,    /* differs, but the order of atomic additions explains it */
    SMC_BY_TURNS,    /* differs, and so do two emulations in different orders */
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
    char words[SMC_ROW_WORDS]; /* the prediction if it is not a number: "warps+registers" */
    enum smc_verdict verdict;
    char note[256]; /* why it differs or was not measured, or a remark ("carve-out is a hint") */
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

/* The same for a user's kernel. Its counts are shown without a prediction; errors of the kernel,
   and disagreements between a GPU and the emulator, count as differences. */
void smc_confirm_user(const struct smc_user_run *run, struct smc_confirmation *out);

/* Adds the counts of confirmed, differing and unmeasured rows to `total`, but no rows. */
void smc_confirmation_add(const struct smc_confirmation *one, struct smc_confirmation *total);

/* SMC_SHORTFALL if any row differs, else SMC_OK. */
enum smc_status smc_confirmation_status(const struct smc_confirmation *confirmation);

/* Whether no source has a value different from the prediction. The row's verdict may still be that
   it differs; the note then says why. */
bool smc_row_agrees(const struct smc_row *row);

/* "confirmed", "differs", "not measured", "information", "depends on the order of atomics". */
const char *smc_verdict_name(enum smc_verdict verdict);

/* --- For the files of this folder and the GPU tests ------------------------------------------- */

struct smc_reading smc_reading_of(double value);

/* Appends a row without values. Never NULL: there are fewer rows than SMC_MAX_ROWS. */
struct smc_row *smc_row_add(struct smc_confirmation *confirmation, const char *quantity,
                            const char *label, const char *unit);

/* Replaces the note, truncated to fit. */
void smc_row_note(struct smc_row *row, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Counts the verdicts of all rows. */
void smc_rows_count(struct smc_confirmation *confirmation);

/* Compares every source's value with the prediction. */
void smc_row_judge(struct smc_row *row);

/* The row of the clusters that the GPU holds at a time; none for a launch without clusters. */
void smc_confirm_clusters(const struct smc_answer *answer, const struct smc_run_result *result,
                          struct smc_confirmation *out);

/* The rows of shared and global memory: what the emulator and the GPU's counters counted, and the
   errors that the emulator found; no rows if neither counted. */
void smc_confirm_memory(const struct smc_answer *answer, const struct smc_run_result *result,
                        struct smc_confirmation *out);

/* Resident blocks, warps and occupancy: predicted, by the API, and by the residency probe. */
void smc_confirm_occupancy(const struct smc_answer *answer, const struct smc_run_result *result,
                           struct smc_confirmation *out);

/* The time of the launch, which a prediction neither confirms nor refutes. */
void smc_confirm_time(const struct smc_answer *answer, const struct smc_run_result *result,
                      struct smc_confirmation *out);

/* The expected values of the counters. For shared memory: the loads of the machine code, and the
   stores without those by cp.async, which the counters omit. For DRAM: every input is read once and
   every output written once. */
void smc_counted_expect(const struct smc_answer *answer, double expected[SMC_METRIC_COUNT]);

/* Why this metric may be larger than expected by `more`, in words; NULL if no reason is known. */
const char *smc_counted_residue(const struct smc_answer *answer, enum smc_metric metric,
                                double more);

#endif
