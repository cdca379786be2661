/* A user's kernel in machine code: a cubin, or a program, library or container with some. */
#ifndef SMC_HARDWARE_USER_CODE_H
#define SMC_HARDWARE_USER_CODE_H

#include "code/nvrtc.h"
#include "hardware/user.h"

/* Lists its kernels, as `inspect` reads them. SMC_USAGE: there are none, or the file is standard
   input. */
enum smc_status smc_user_list_code(struct smc_user_run *run, struct smc_text *warnings,
                                   struct smc_error *error);

/* Changes `kernel` to the version that the device loads, and copies its machine code, and the PTX
   that the file has beside it, to `output`. If the file has PTX alone, that becomes the text of the
   run, to be compiled, and `output` is empty. SMC_USAGE: none of its code is for the device. */
enum smc_status smc_user_take_code(struct smc_user_run *run,
                                   const struct smc_inspect_kernel **kernel,
                                   struct smc_nvrtc_output *output, struct smc_error *error);

/* Appends declarations of PTX for the variables of machine code that has none, of which only names
   and sizes are known. SMC_USAGE: it is damaged. */
enum smc_status smc_user_declare_variables(const struct smc_binary *binary, struct smc_text *ptx,
                                           struct smc_error *error);

#endif
