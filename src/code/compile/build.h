/* Compiling one kernel with one NVRTC, or reading the outcome from the cache. */
#ifndef SMC_CODE_BUILD_H
#define SMC_CODE_BUILD_H

#include "code/compile.h"
#include "code/compile/resources.h"
#include "code/nvrtc.h"

struct smc_build {
    const struct smc_kernel *kernel;
    const struct smc_source *source;
    const char *defines; /* each followed by '\n' */
    const struct smc_nvrtc_place *place;
    uint16_t cc;               /* one that the NVRTC compiles for */
    struct smc_text *log;      /* as in struct smc_compile_options */
    struct smc_builds *builds; /* the same */
};

/* Fills the numbers of `resources`, and `binary` if it is not NULL. SMC_USAGE: an edited kernel
   does not compile. SMC_UNAVAILABLE: this NVRTC cannot be used; the message says why. */
enum smc_status smc_build_run(const struct smc_build *build, struct smc_cache *cache,
                              struct smc_resources *resources, struct smc_binary *binary,
                              struct smc_error *error);

#endif
