/* Two of the user's kernels compared: launched in turns with the same grid, block and arguments. */
#ifndef SMC_HARDWARE_USER_PAIR_H
#define SMC_HARDWARE_USER_PAIR_H

#include "hardware/confirm/confirm.h"
#include "hardware/user.h"

enum { SMC_PAIR = 2, SMC_PAIR_ROUNDS = 2 };

struct smc_user_pair {
    struct smc_user_run *run[SMC_PAIR]; /* owned by the caller */
    struct smc_confirmation confirmation[SMC_PAIR];
    double ms[SMC_PAIR]; /* measured medians, else predicted times; 0: unknown */
    double speed_up;     /* how many times as fast the second kernel is by these; 0: unknown */
    bool is_measured;
    /* Measured: in every round the medians' confidence intervals lay apart, the same kernel ahead.
     */
    bool exceeds_noise;
    bool compares_results; /* both have the same arrays, and ran to their ends */
};

/* Launches both, the second after the first, and on a GPU both again, so that a drift of the clocks
   is told from a difference. Both are prepared. Fails as smc_user_launch does; the message names
   the kernel. */
enum smc_status smc_user_pair_launch(struct smc_user_pair *pair, struct smc_text *warnings,
                                     struct smc_error *error);

/* Fills the rest of the pair; also where nothing was launched. */
void smc_user_pair_compare(struct smc_user_pair *pair);

/* The elements of an array that differ bit for bit between the two kernels; `compared` is false
   where the pair compares no results. */
void smc_user_pair_result(const struct smc_user_pair *pair, size_t memory,
                          struct smc_agreement *agreement);

#endif
