/* One launch, from the query to its verdicts, for `smemcalc run` and the explorer. */
#ifndef SMC_HARDWARE_CONFIRMED_LAUNCH_H
#define SMC_HARDWARE_CONFIRMED_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include "answers/banks_query.h"
#include "answers/query.h"
#include "hardware/confirm/confirm.h"
#include "hardware/executor.h"

enum { SMC_MOST_VARIANTS = 4 };

/* The bank conflicts of a run, and what removes them from the access with the most. */
struct smc_conflict_fix {
    double conflicts, wavefronts;          /* emulated, else predicted; 0 conflicts: none */
    uint32_t line;                         /* 0: unknown */
    char file[96];                         /* of the line; "": the kernel's */
    char access[96];                       /* "t_tile[x][y]", or the array's name; "" if unknown */
    const struct smc_array_advice *advice; /* for a user's array; NULL: of the catalog */
    bool has_padding, has_swizzle;
    struct smc_rearrangement padding, swizzle;
    const char *variant[SMC_MOST_VARIANTS]; /* kernels of its family without conflicts */
    size_t variant_count;
};

/* The same for a user's kernel, from the emulator's counts. */
void smc_conflict_fix_of_site(const struct smc_conflict_site *site, struct smc_conflict_fix *out);

/* The prediction, the observed result, and their comparison. */
struct smc_confirmed_run {
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation confirmation;
    struct smc_conflict_fix conflicts;
    bool has_result; /* also set if the run failed */
};

enum { SMC_MOST_RUNS = 2 };

/* Answers `query` (for its device see smc_confirm_launch), runs it and compares. `run` must start
   as {0}; it says whether there is a result. SMC_SHORTFALL: a prediction differs. SMC_MACHINE with
   a result: the launch does not end. Other failures are those of smc_query_answer and the back
   end. */
enum smc_status smc_confirm_one(const struct smc_query *query,
                                const struct smc_run_settings *settings,
                                struct smc_confirmed_run *run, struct smc_text *warnings,
                                struct smc_error *error);

/* Answers `query`, whose device is that of the selected GPU or any device to emulate, runs it and
   compares. If a kernel cannot compile and the catalog names a sibling that can, the sibling is run
   as well. The first `count` runs have a result, even if a later one failed. Status as above; the
   message about a launch that does not end begins with the kernel's name. `runs` must start as
   {0}. */
enum smc_status smc_confirm_launch(const struct smc_query *query,
                                   const struct smc_run_settings *settings,
                                   struct smc_confirmed_run runs[SMC_MOST_RUNS], size_t *count,
                                   struct smc_text *warnings, struct smc_error *error);

#endif
