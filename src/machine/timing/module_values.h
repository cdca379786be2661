/* What the module itself holds in memory when a kernel starts: its banks of constants, and its
   variables as arrays in global memory. */
#ifndef SMC_MACHINE_MODULE_VALUES_H
#define SMC_MACHINE_MODULE_VALUES_H

#include "code/machine_code.h"
#include "machine/sass/sass_program.h"
#include "machine/sass/sass_warp.h"
#include "machine/sass/warp_trace.h"
#include "machine/timing/arguments.h"

/* Owns the memory of the banks and of `global`. Do not move: `arguments` points into it. */
struct smc_module_values {
    struct smc_constant_bank bank[SMC_CONSTANT_BANKS]; /* 0 is the launch's */
    unsigned char *owned[SMC_CONSTANT_BANKS];
    unsigned char *global; /* __device__ variables: those with and those without initial values */
    size_t global_bytes, zeroed_at;
    uint64_t address;                    /* of `global` */
    struct smc_time_arguments arguments; /* of the launch, and an array of the variables */
};

/* `arguments` must outlive the values. SMC_MACHINE: memory. */
enum smc_status smc_module_values_make(const struct smc_cubin *cubin, const char *kernel,
                                       const struct smc_time_arguments *arguments,
                                       struct smc_module_values *values, struct smc_error *error);
void smc_module_values_free(struct smc_module_values *values);

/* Leaves out of the program the functions that ptxas calls for exceptional floating-point operands
   (zeros, infinities, denormal numbers), but those on the path of a warp. Functions for 64-bit
   integers handle ordinary operands and stay. False: nothing was left out. */
bool smc_module_leave_out(struct smc_machine_program *program, const struct smc_cubin *cubin,
                          const char *kernel, const struct smc_warp_path *path);

#endif
