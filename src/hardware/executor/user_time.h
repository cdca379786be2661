/* The predicted time of a user's kernel. */
#ifndef SMC_HARDWARE_USER_TIME_H
#define SMC_HARDWARE_USER_TIME_H

#include "hardware/user.h"

/* Sets answer.time, or the reason why there is none. For a run that was compiled. SMC_MACHINE:
   memory. */
enum smc_status smc_user_find_time(struct smc_user_run *run, struct smc_error *error);

#endif
