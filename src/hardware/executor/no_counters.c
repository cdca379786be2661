/* Hardware counters in a build without CUPTI: every call reports that they are not available. */
#include "hardware/executor/counters.h"

static enum smc_status no_counters_fail(struct smc_error *error)
{
    return smc_fail(error, SMC_UNAVAILABLE, "this program was built without CUPTI");
}

enum smc_status smc_counters_find(struct smc_error *error)
{
    return no_counters_fail(error);
}

enum smc_status smc_counters_open(int gpu_index, const char *const *metrics, size_t metric_count,
                                  size_t most_launches, struct smc_counters **counters,
                                  struct smc_error *error)
{
    (void)gpu_index, (void)metrics, (void)metric_count, (void)most_launches;
    *counters = NULL;
    return no_counters_fail(error);
}

size_t smc_counters_passes(const struct smc_counters *counters)
{
    (void)counters;
    return 0;
}

enum smc_status smc_counters_begin(struct smc_counters *counters, struct smc_error *error)
{
    (void)counters;
    return no_counters_fail(error);
}

enum smc_status smc_counters_end(struct smc_counters *counters, size_t *launches,
                                 struct smc_error *error)
{
    (void)counters;
    *launches = 0;
    return no_counters_fail(error);
}

enum smc_status smc_counters_read(const struct smc_counters *counters, size_t launch,
                                  double *values, struct smc_error *error)
{
    (void)counters, (void)launch, (void)values;
    return no_counters_fail(error);
}

void smc_counters_close(struct smc_counters *counters)
{
    (void)counters;
}
