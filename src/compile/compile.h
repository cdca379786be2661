/* The resources of a kernel for exactly the requested parameters and architecture: from NVRTC if
   one is found (its output is cached), else from the built-in table, else assumed from the nearest
   architecture. Every number comes with its source. */
#ifndef SMC_COMPILE_COMPILE_H
#define SMC_COMPILE_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "compile/builds.h"
#include "compile/resources.h"

struct smc_compile_options {
    bool no_cache;          /* neither read nor write the cache */
    bool no_nvrtc;          /* as on a machine without a toolkit */
    bool ptx_suffices;      /* without an NVRTC, `binary` may have only the built-in PTX */
    const char *kernel_dir; /* edited kernels, or NULL for the built-in text */
    uint32_t min_blocks;    /* __launch_bounds__ also requests this many blocks per SM, which needs
                               an NVRTC for the architecture; 0: as in the source */
    struct smc_text *log;   /* receives NVRTC's whole log if it rejects the source; or NULL */
    struct smc_builds *builds; /* what the question has compiled so far: not compiled again; or
                                  NULL; not owned */
};

/* Fills `resources`, and `binary` if it is not NULL. `binary` needs NVRTC: SMC_UNAVAILABLE without
   one, unless `ptx_suffices` is set and the kernel's PTX is built in; then there is a warning.
   `warnings` receives at most one line for each problem that does not prevent an answer (a cache
   that cannot be read or written). A kernel that ptxas refuses for its static shared memory is
   SMC_OK with `refused` set. SMC_USAGE: a kernel in kernel_dir that is missing or does not compile,
   named with file and line. SMC_MACHINE: memory. */
enum smc_status smc_compile(const struct smc_kernel *kernel, const struct smc_params *params,
                            uint16_t cc, const struct smc_compile_options *options,
                            struct smc_resources *resources, struct smc_binary *binary,
                            struct smc_text *warnings, struct smc_error *error);

/* Describes the NVRTC that would be used: SMC_UNAVAILABLE with the reason if there is none. */
enum smc_status smc_nvrtc_describe(struct smc_nvrtc_info *info, struct smc_error *error);

#endif
