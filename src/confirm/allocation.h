/* The rows of what a block takes of an SM, and of what stops the next one. Inside src/confirm only.
 */
#ifndef SMC_CONFIRM_ALLOCATION_H
#define SMC_CONFIRM_ALLOCATION_H

#include "confirm/confirm.h"

/* Shared memory of a block: the driver's reserve, predicted by the table of compute capabilities,
   and the bytes allocated, static, dynamic and reserved, which nobody reports. */
void smc_confirm_allocated_smem(const struct smc_answer *answer,
                                const struct smc_run_result *result, struct smc_confirmation *out);

/* The most dynamic shared memory with which as many blocks reside, where the API was asked for it
   about the same launch. */
void smc_confirm_available_smem(const struct smc_answer *answer,
                                const struct smc_run_result *result, struct smc_confirmation *out);

/* The resources that bind, in words; nobody reports them. */
void smc_show_binding_limits(const struct smc_answer *answer, struct smc_confirmation *out);

#endif
