/* Measuring what a GPU reaches at most, by small kernels of the program's own
   (kernels/ceiling_*.cu). */
#ifndef SMC_EXECUTOR_CEILINGS_H
#define SMC_EXECUTOR_CEILINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "compile/compile.h"
#include "devices/ceilings.h"

struct smc_calibrate_request {
    int gpu_index;
    struct smc_compile_options compile;
    double budget_ms;    /* for all samples together; what comes before them is not counted */
    uint32_t timeout_ms; /* for the launches of any one sample */
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

/* SMC_UNAVAILABLE: no such GPU, no NVRTC, or too little of the GPU's memory is free.
   SMC_INTERRUPTED: `stop` asked for it. SMC_MACHINE: a CUDA error, or launches without an end. Then
   the GPU may still be at work, and only the end of the process stops it. */
enum smc_status smc_calibrate(const struct smc_calibrate_request *request,
                              struct smc_calibration *calibration, struct smc_text *warnings,
                              struct smc_error *error);

/* --- Samples of one quantity -------------------------------------------------------------------
 */

enum { SMC_MOST_SAMPLES = 31 };

struct smc_samples {
    size_t count;
    double value[SMC_MOST_SAMPLES];
};

/* Samples that are not above 0 are left out, and those beyond the most. */
void smc_samples_add(struct smc_samples *samples, double value);

/* The median, 0 where there are none. Puts the samples in order. */
double smc_samples_median(struct smc_samples *samples, struct smc_spread *spread);

/* `amount` in that many milliseconds, per second; 0 where no time passed. */
double smc_rate_of_ms(double amount, double ms);

#endif
