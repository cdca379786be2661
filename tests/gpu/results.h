/* What the GPU tests found, as one JSON object ("smemcalc-results/1"): recorded where it is
   printed, written at the end, and laid together with what other runs found. */
#ifndef SMC_TESTS_GPU_RESULTS_H
#define SMC_TESTS_GPU_RESULTS_H

#include <jansson.h>
#include <stdbool.h>

#include "devices/devices.h"

/* Sets a number of a section. */
void gpu_result_number(const char *section, const char *key, double value);

/* Appends to a section that is a list; `item` is taken over. */
void gpu_result_item(const char *section, json_t *item);

/* A section to fill; not the caller's. */
json_t *gpu_result_object(const char *section);

/* "580.159.04", from NVML where the driver brings it, else "". NVML stays open: to start it takes
   longer than many a launch, and every timing asks it for the clock. */
const char *gpu_driver(void);

/* All that was recorded, and on what it was seen. False: it cannot be written, and why is printed.
 */
bool gpu_results_write(const char *path, const struct smc_device *device);

/* Lays pieces together that were seen on the same GPU by the same program; a benchmark's piece,
   which has no "schema", becomes a part of "speed". The date is the latest one. False: the reason
   is printed. */
bool gpu_results_join(const char *path, int count, char *const *pieces);

#endif
