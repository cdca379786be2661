/* One launch, from the question to its verdicts: what `smemcalc run` and the explorer share. */
#ifndef SMC_CONFIRM_LAUNCH_H
#define SMC_CONFIRM_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include "confirm/confirm.h"
#include "executor/executor.h"
#include "query/banks.h"
#include "query/query.h"

enum { SMC_MOST_VARIANTS = 4 };

/* The bank conflicts of a run, and what removes them from the access with the most. */
struct smc_conflict_fix {
    double conflicts, wavefronts; /* emulated, else predicted; 0 conflicts: none */
    uint32_t line;                /* of the kernel's file; 0: not known */
    char access[96];              /* "t_tile[x][y]", or the array's name; "" where not known */
    bool has_padding, has_swizzle;
    struct smc_rearrangement padding, swizzle;
    const char *variant[SMC_MOST_VARIANTS]; /* kernels of its family without conflicts */
    size_t variant_count;
};

/* The fix for the conflicts at a place in the user's own kernel, as the emulator counted them;
   `out` is {0} if there are none. */
void smc_conflict_fix_of_site(const struct smc_conflict_site *site, struct smc_conflict_fix *out);

/* What was predicted, what was seen, and the two side by side. */
struct smc_confirmed_run {
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation confirmation;
    struct smc_conflict_fix conflicts;
    bool has_result; /* also where it came to no good end */
};

enum { SMC_MOST_RUNS = 2 };

/* Answers `query`, whose device is as below, runs it and confirms; `run`, which starts as {0}, says
   whether there is a result. SMC_SHORTFALL: a prediction differs. SMC_MACHINE with a result: the
   launch has no end. Else fails as smc_query_answer and the back end do. */
enum smc_status smc_confirm_one(const struct smc_query *query,
                                const struct smc_run_settings *settings,
                                struct smc_confirmed_run *run, struct smc_text *warnings,
                                struct smc_error *error);

/* Answers `query`, whose device is that of the GPU named or any one to emulate, runs it and
   confirms. A kernel that cannot compile is said to have a sibling that can: that is run as well.
   The first `count` runs then have a result, also where a later one failed. Status as above, the
   message of a launch without an end beginning with the kernel's name. `runs` starts as {0}. */
enum smc_status smc_confirm_launch(const struct smc_query *query,
                                   const struct smc_run_settings *settings,
                                   struct smc_confirmed_run runs[SMC_MOST_RUNS], size_t *count,
                                   struct smc_text *warnings, struct smc_error *error);

#endif
