/* What it costs a kernel to use fewer registers: what the compiler then spills, and the time. */
#ifndef SMC_QUERY_BOUND_COST_H
#define SMC_QUERY_BOUND_COST_H

#include "query/query.h"

/* From a compilation. */
void smc_bound_cost_set(const struct smc_resources *resources, struct smc_bound_cost *cost);

/* Compiles the answer's kernel of the catalog with __launch_bounds__(threads, blocks), where that
   many blocks with these registers fit into the register file. Without NVRTC for it the cost stays
   unknown. SMC_MACHINE: memory. */
enum smc_status smc_bound_cost_find(const struct smc_answer *answer, uint32_t regs,
                                    struct smc_bound_cost *cost, struct smc_error *error);

#endif
