/* What the work of a launch comes to on the device: ratios, shared memory, its wall. */
#ifndef SMC_QUERY_WORKLOAD_H
#define SMC_QUERY_WORKLOAD_H

#include "query/query.h"

/* For a completed query of a kernel that has work. */
void smc_workload_find(const struct smc_query *query, const struct smc_work *work,
                       struct smc_workload *out);

/* The share of the FMA peak, 0 to 1, that shared memory leaves. For a workload with a wall. */
double smc_workload_peak_share(const struct smc_workload *workload);

#endif
