/* Ten kernels of bench/kernels/, which had no part in building the model of time, as if they were
   of the catalog: with sizes, launches, random inputs and references. */
#ifndef SMC_BENCH_OWN_KERNELS_H
#define SMC_BENCH_OWN_KERNELS_H

#include "timed_launch.h"

/* Ends with NULL. */
extern const struct smc_kernel *const bench_own_kernels[];

bool bench_is_own(const struct smc_kernel *kernel);

/* The launches to be measured, each kernel in several sizes and blocks; for emulation: small ones.
   NULL if there is no memory. */
struct bench_launch *bench_own_launches(const struct smc_device *device, bool small, size_t *count);

/* Fills a buffer. */
bench_fill bench_own_fill;

/* Runs a launch on the emulator and checks its result. SMC_SHORTFALL: it is wrong, or the emulator
   found something. */
enum smc_status bench_emulate(const struct bench_launch *launch, const struct smc_device *device,
                              const struct smc_compile_options *compile, struct smc_error *error);

#endif
