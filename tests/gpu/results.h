/* What the GPU tests found, as one JSON object ("smemcalc-results/1"): recorded when it is printed,
   written at the end, and combined with the results of other runs. */
#ifndef SMC_TESTS_GPU_RESULTS_H
#define SMC_TESTS_GPU_RESULTS_H

#include <jansson.h>
#include <stdbool.h>

#include "rules/devices.h"

/* Sets a number of a section. */
void gpu_result_number(const char *section, const char *key, double value);

/* Appends to a section that is a list; takes ownership of `item`. */
void gpu_result_item(const char *section, json_t *item);

/* A section to fill; the caller does not own it. */
json_t *gpu_result_object(const char *section);

/* "580.159.04", from NVML if the driver includes it, else "". NVML stays open, because it takes
   longer to start than many launches, and every timing asks it for the clock. */
const char *gpu_driver(void);

/* Writes everything that was recorded, and the environment. On failure it returns false and prints
   the reason. */
bool gpu_results_write(const char *path, const struct smc_device *device);

/* Combines pieces from the same GPU and the same program; a benchmark's piece, which has no
   "schema", becomes a part of "speed". The date is the latest one. On failure it returns false and
   prints the reason. */
bool gpu_results_join(const char *path, int count, char *const *pieces);

#endif
