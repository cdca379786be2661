/* The quantities that hardware counters tell of a launch. */
#ifndef SMC_EXECUTOR_METRICS_H
#define SMC_EXECUTOR_METRICS_H

enum smc_metric {
#define METRIC(id, name, quantity, label, tolerance) SMC_METRIC_##id,
#include "executor/metrics.def"
#undef METRIC
    SMC_METRIC_COUNT
};

struct smc_metric_info {
    const char *name;     /* CUPTI's: "dram__bytes_read.sum" */
    const char *quantity; /* in scripts */
    const char *label;    /* for people; indented where it belongs to the one before */
    double tolerance;     /* a share of the prediction */
};

extern const struct smc_metric_info smc_metric_info[SMC_METRIC_COUNT];

#endif
