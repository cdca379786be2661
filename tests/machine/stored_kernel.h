/* Kernels of tests/data/emulator, compiled by nvcc, on the emulator. */
#ifndef SMC_TESTS_STORED_KERNEL_H
#define SMC_TESTS_STORED_KERNEL_H

#include "machine/emulator.h"

struct stored_kernel {
    const char *file, *entry; /* "clusters": tests/data/emulator/clusters.ptx */
    /* Grid, block and arrays, which are the kernel's arguments in this order, and what else is
       unusual; the banks are those of new devices. */
    struct smc_emulation_request request;
};

/* Errors as for smc_program_read and smc_emulate. `program` and `emulation` are to be freed
   whatever the status, by stored_kernel_end. */
enum smc_status stored_kernel_try(const struct stored_kernel *kernel, struct smc_program **program,
                                  struct smc_emulation *emulation, struct smc_error *error);

/* The same; a failure ends the test. */
void stored_kernel_run(const struct stored_kernel *kernel, struct smc_program **program,
                       struct smc_emulation *emulation);

void stored_kernel_end(struct smc_program *program, struct smc_emulation *emulation);

#endif
