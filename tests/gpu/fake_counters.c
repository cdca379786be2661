/* Hardware counters with values that the test sets. They define the names of counters.h, so that
   the linker does not use the real ones. */
#include "fake_cuda.h"

#include "hardware/executor/counters.h"

struct smc_counters {
    size_t launches_before;
};

static struct smc_counters counters;

enum smc_status smc_counters_find(struct smc_error *error)
{
    (void)error;
    return SMC_OK;
}

enum smc_status smc_counters_open(int gpu_index, const char *const *metrics, size_t metric_count,
                                  size_t most_launches, struct smc_counters **opened,
                                  struct smc_error *error)
{
    (void)gpu_index, (void)metrics, (void)most_launches;
    *opened = NULL;
    if (fake_cuda.counters_refused)
        return smc_fail(error, SMC_UNAVAILABLE, "%s", fake_cuda.counters_refused);
    if (metric_count != SMC_METRIC_COUNT)
        return smc_fail(error, SMC_MACHINE, "%zu metrics", metric_count);
    fake_cuda.counters_open++;
    *opened = &counters;
    return SMC_OK;
}

size_t smc_counters_passes(const struct smc_counters *opened)
{
    (void)opened;
    return 3;
}

enum smc_status smc_counters_begin(struct smc_counters *opened, struct smc_error *error)
{
    opened->launches_before = fake_cuda.launches;
    return fake_cuda.counters_fail ? smc_fail(error, SMC_MACHINE, "as the test wants it") : SMC_OK;
}

enum smc_status smc_counters_end(struct smc_counters *opened, size_t *launches,
                                 struct smc_error *error)
{
    (void)error;
    *launches = fake_cuda.launches - opened->launches_before;
    fake_cuda.counted_launches += *launches;
    return SMC_OK;
}

enum smc_status smc_counters_read(const struct smc_counters *opened, size_t launch, double *values,
                                  struct smc_error *error)
{
    (void)opened, (void)launch, (void)error;
    for (int i = 0; i < SMC_METRIC_COUNT; i++)
        values[i] = fake_cuda.counted[i];
    return SMC_OK;
}

void smc_counters_close(struct smc_counters *opened)
{
    fake_cuda.counters_open -= opened != NULL;
}
