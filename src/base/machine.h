/* What the machine has. */
#ifndef SMC_BASE_MACHINE_H
#define SMC_BASE_MACHINE_H

#include <stdint.h>

/* Room for names, with the byte behind them: of a machine; of a GPU, "GPU-..." as nvidia-smi prints
   it. */
enum { SMC_HOST_NAME_CHARS = 65, SMC_GPU_UUID_CHARS = 48 };

/* Bytes of memory; UINT64_MAX where nobody tells. */
uint64_t smc_machine_memory_bytes(void);

/* What the machine is called, cut to its room and made safe for a terminal; "" where nobody tells.
 */
void smc_machine_host_name(char name[SMC_HOST_NAME_CHARS]);

#endif
