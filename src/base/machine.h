/* What the machine has. */
#ifndef SMC_BASE_MACHINE_H
#define SMC_BASE_MACHINE_H

#include <stdint.h>

/* Bytes of memory; UINT64_MAX where nobody tells. */
uint64_t smc_machine_memory_bytes(void);

#endif
