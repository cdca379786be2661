/* Hardware counters of launches, through CUPTI's range profiler. Each launch is measured
   separately, and CUPTI replays it if the metrics need several passes. CUPTI is loaded at run time;
   nothing links to it. */
#ifndef SMC_HARDWARE_COUNTERS_H
#define SMC_HARDWARE_COUNTERS_H

#include <stddef.h>

#include "base/status.h"

struct smc_counters;

/* SMC_UNAVAILABLE if there is no CUPTI. Whether it may count on a GPU shows smc_counters_open. */
enum smc_status smc_counters_find(struct smc_error *error);

/* Prepares for `metric_count` metrics, by their full names ("smsp__inst_executed.sum"), of up to
   `most_launches` launches at a time (1 to 2000). `metrics` must remain valid until
   smc_counters_close. SMC_UNAVAILABLE: no CUPTI, a GPU or a metric that CUPTI does not support, or
   profiling is not permitted; the message says what to do. After a failure there is nothing to
   close. */
enum smc_status smc_counters_open(int gpu_index, const char *const *metrics, size_t metric_count,
                                  size_t most_launches, struct smc_counters **counters,
                                  struct smc_error *error);

/* The number of times that CUPTI runs each launch. */
size_t smc_counters_passes(const struct smc_counters *counters);

/* Launches from here to smc_counters_end are measured; earlier measurements are discarded. After a
   failure nothing is being measured. */
enum smc_status smc_counters_begin(struct smc_counters *counters, struct smc_error *error);

/* Waits for the GPU and reads the measurements; `launches` is their number. */
enum smc_status smc_counters_end(struct smc_counters *counters, size_t *launches,
                                 struct smc_error *error);

/* The metrics of one launch, in the order of smc_counters_open, summed over the GPU. */
enum smc_status smc_counters_read(const struct smc_counters *counters, size_t launch,
                                  double *values, struct smc_error *error);

void smc_counters_close(struct smc_counters *counters);

#endif
