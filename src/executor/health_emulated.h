/* What smemcalc check runs on a GPU, on the emulator: for the stored results, and for tests without
   a GPU. */
#ifndef SMC_EXECUTOR_HEALTH_EMULATED_H
#define SMC_EXECUTOR_HEALTH_EMULATED_H

#include "executor/health.h"

/* Of the chains of one block. */
enum { SMC_HEALTH_EMULATED_BYTES = SMC_HEALTH_THREADS * SMC_HEALTH_VALUES * 4 };

/* Runs kernels/health_sms.cu with as many blocks as there are SMs, and so many words of shared
   memory. `seen` and `chains` are of all blocks. */
enum smc_status smc_health_emulate_sms(uint16_t cc, uint32_t sms, uint32_t words,
                                       const struct smc_health_injection *injection,
                                       struct smc_health_seen *seen, uint32_t *chains,
                                       struct smc_error *error);

/* Writes and reads `bytes` of memory, and changes the bits `mask` of a word in between if there are
   any. */
enum smc_status smc_health_emulate_memory(uint16_t cc, uint64_t bytes, uint64_t word, uint32_t mask,
                                          struct smc_health_found *found, uint64_t *base,
                                          struct smc_error *error);

/* The hash of a kernel's outputs (smc_health_hash). */
enum smc_status smc_health_emulate_case(const char *kernel, const char *options, uint16_t cc,
                                        uint64_t *hash, struct smc_error *error);

#endif
