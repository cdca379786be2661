/* The table of metrics. */
#include "executor/metrics.h"

const struct smc_metric_info smc_metric_info[SMC_METRIC_COUNT] = {
#define METRIC(id, name, quantity, label, tolerance) {name, quantity, label, tolerance},
#include "executor/metrics.def"
#undef METRIC
};
