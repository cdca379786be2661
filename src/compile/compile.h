/* The true resources of a kernel for exactly the parameters and the architecture asked for: from
   NVRTC where one is found (with a cache of what it made), else from the built-in table, else
   assumed from the nearest architecture. Never a number without its source. */
#ifndef SMC_COMPILE_COMPILE_H
#define SMC_COMPILE_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "compile/resources.h"

struct smc_compile_options {
    bool no_cache;          /* neither read nor write the cache */
    bool no_nvrtc;          /* as on a machine without a toolkit */
    bool ptx_suffices;      /* without an NVRTC, `binary` may have PTX alone: the built-in */
    const char *kernel_dir; /* edited kernels, or NULL for the built-in text */
    uint32_t min_blocks;    /* __launch_bounds__ also asks for this many blocks per SM; then only
                               NVRTC for the architecture serves; 0: as written */
    struct smc_text *log;   /* receives all that NVRTC says of a text it rejects; or NULL */
};

/* Fills `resources`, and `binary` where it is not NULL (then only NVRTC serves: SMC_UNAVAILABLE
   without one, unless `ptx_suffices` and the kernel's PTX is built in, which is a warning).
   `warnings` receives at most a line a problem that the answer survives (a cache that cannot be
   read or written). A kernel that ptxas refuses for its static shared memory is SMC_OK with
   `refused` set. SMC_USAGE: a kernel in kernel_dir that is missing or does not compile, named with
   file and line. SMC_MACHINE: memory. */
enum smc_status smc_compile(const struct smc_kernel *kernel, const struct smc_params *params,
                            uint16_t cc, const struct smc_compile_options *options,
                            struct smc_resources *resources, struct smc_binary *binary,
                            struct smc_text *warnings, struct smc_error *error);

/* The NVRTC that would be used: SMC_UNAVAILABLE with the reason where there is none. */
enum smc_status smc_nvrtc_describe(struct smc_nvrtc_info *info, struct smc_error *error);

#endif
