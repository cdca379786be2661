/* The bank conflicts of the user's kernels, from the PTX that they were compiled from. */
#ifndef SMC_INSPECT_BANK_CONFLICTS_H
#define SMC_INSPECT_BANK_CONFLICTS_H

#include "emulator/bank_accesses.h"
#include "inspect/inspect.h"

/* The kernel in a block of this shape on the device. Start `accesses` from {0}, and free it also
   after a failure. SMC_UNAVAILABLE: the kernel's file has no PTX; SMC_USAGE: the PTX is not
   understood, or the block is impossible; SMC_MACHINE: memory. */
enum smc_status smc_inspect_bank_accesses(const struct smc_inspect_kernel *kernel,
                                          const struct smc_device *device, const uint32_t block[3],
                                          uint32_t dynamic_smem_bytes,
                                          struct smc_bank_accesses *accesses,
                                          struct smc_error *error);

/* Fills `banks` of every row whose kernel has PTX and whose block size is known: in the shape
   `block`, or if that is NULL the row's own, or else one dimension. It stays NULL for a kernel
   whose accesses depend on an unknown shape, which sets needs_shape, or whose PTX is not
   understood. Rows of one kernel share an answer where their devices have the same banks.
   SMC_MACHINE: memory. */
enum smc_status smc_inspect_find_banks(struct smc_inspect_rows *rows, const uint32_t *block,
                                       struct smc_error *error);

#endif
