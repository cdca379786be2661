/* The residency probe with the registers of another kernel. */
#ifndef SMC_EXECUTOR_LIVE_H
#define SMC_EXECUTOR_LIVE_H

#include "catalog/catalog.h"
#include "compile/compile.h"

/* Finds the number of live values (parameter LIVE, written into `params`) at which `probe` compiles
   to `regs_per_thread` registers, and fills `resources` and `binary` (owned by the caller) for it.
   Where no number gives exactly that count, the nearest count above it that exists is taken, or
   else the nearest below: compare resources->regs_per_thread. Fails as smc_compile does. */
enum smc_status smc_live_find(const struct smc_kernel *probe, uint32_t regs_per_thread, uint16_t cc,
                              const struct smc_compile_options *options, struct smc_params *params,
                              struct smc_resources *resources, struct smc_binary *binary,
                              struct smc_text *warnings, struct smc_error *error);

#endif
