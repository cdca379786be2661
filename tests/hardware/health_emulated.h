/* Runs the kernels of smemcalc check on the emulator: for the stored results (data/health_*.csv),
   and for tests without a GPU. */
#ifndef HEALTH_EMULATED_H
#define HEALTH_EMULATED_H

#include "hardware/fleet/health.h"

/* The size of the chains of one block. */
enum { SMC_HEALTH_EMULATED_BYTES = SMC_HEALTH_THREADS * SMC_HEALTH_VALUES * 4 };

/* Runs kernels/health_sms.cu with a block for each of `sms` SMs, and `words` words of 32 bits of
   shared memory. `seen` has room for `sms` elements, `chains` for SMC_HEALTH_EMULATED_BYTES for
   each. */
enum smc_status smc_health_emulate_sms(uint16_t cc, uint32_t sms, uint32_t words,
                                       const struct smc_health_injection *injection,
                                       struct smc_health_seen *seen, uint32_t *chains,
                                       struct smc_error *error);

/* Writes and reads `bytes` of memory (a multiple of 16), and in between changes the bits `mask` of
   word number `word`. `found` is what the kernel reported, `base` the address that the emulator
   gave to the memory. */
enum smc_status smc_health_emulate_memory(uint16_t cc, uint64_t bytes, uint64_t word, uint32_t mask,
                                          struct smc_health_found *found, uint64_t *base,
                                          struct smc_error *error);

/* The hash (smc_health_hash) of the outputs of a kernel, with the options of a struct
   smc_health_case. */
enum smc_status smc_health_emulate_case(const char *kernel, const char *options, uint16_t cc,
                                        uint64_t *hash, struct smc_error *error);

#endif
