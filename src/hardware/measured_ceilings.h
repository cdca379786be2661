/* Measures the maximum throughput of a GPU with the program's own small kernels
   (kernels/ceiling_*.cu). */
#ifndef SMC_HARDWARE_MEASURED_CEILINGS_H
#define SMC_HARDWARE_MEASURED_CEILINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answers/query.h"
#include "base/status.h"
#include "base/text.h"
#include "code/compile.h"
#include "rules/ceilings.h"

struct smc_calibrate_request {
    int gpu_index;
    struct smc_compile_options compile;
    double budget_ms;    /* for all samples together, without the preparation */
    uint32_t timeout_ms; /* for the launches of one sample */
    bool (*stop)(void);  /* asked between samples; or NULL */
    void (*step)(void *context, size_t done, size_t total); /* before each measurement; or NULL */
    void *context;
};

/* The range of the samples of one ceiling, in its key's unit. */
struct smc_spread {
    uint32_t samples; /* 0: not measured */
    double lowest, highest;
};

struct smc_calibration {
    struct smc_device device;
    struct smc_ceilings ceilings; /* the medians */
    struct smc_spread spread[SMC_CEILING_COUNT];
    double elapsed_ms; /* from the first call to the last */
};

/* SMC_UNAVAILABLE: no such GPU, no NVRTC, or not enough free GPU memory. SMC_INTERRUPTED: `stop`
   requested it. SMC_MACHINE: a CUDA error, or launches that did not end in time. The GPU may then
   still be running them, and only the end of the process stops it. */
enum smc_status smc_calibrate(const struct smc_calibrate_request *request,
                              struct smc_calibration *calibration, struct smc_text *warnings,
                              struct smc_error *error);

/* --- Samples of one quantity ------------------------------------------------------------------ */

enum { SMC_MOST_SAMPLES = 31 };

struct smc_samples {
    size_t count;
    double value[SMC_MOST_SAMPLES];
};

/* Samples that are not above 0, or exceed the capacity, are dropped. */
void smc_samples_add(struct smc_samples *samples, double value);

/* The median; 0 if there are no samples. Sorts the samples. */
double smc_samples_median(struct smc_samples *samples, struct smc_spread *spread);

/* `amount` in this many milliseconds, per second; 0 if the time is 0. */
double smc_rate_of_ms(double amount, double ms);

/* --- Ceilings that are known ------------------------------------------------------------------ */

/* The measured ceilings that are known for a device: the user's own, else those of the built-in
   table. */

/* Sets each query's ceilings to those of its device. A damaged file is ignored, with one line in
   `warnings`. */
void smc_known_ceilings(struct smc_query *queries, size_t count, struct smc_text *warnings);

/* The same for a device without a query. */
void smc_known_device_ceilings(const struct smc_device *device, struct smc_ceilings *ceilings,
                               struct smc_text *warnings);

#endif
