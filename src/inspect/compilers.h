/* Source to kernels: through NVRTC, nvcc or ptxas, once for each architecture asked for. */
#ifndef SMC_INSPECT_COMPILERS_H
#define SMC_INSPECT_COMPILERS_H

#include "compile/nvrtc.h"
#include "inspect/inspect.h"

/* What is to be compiled. */
struct smc_compilation {
    const char *file; /* as asked for */
    const char *text;
    struct smc_inspect_target target;
    const struct smc_inspect_request *request;
    struct smc_text *warnings;
};

/* Each fills `output`, to be freed by the caller whatever comes back. SMC_OK also where ptxas
   refused a kernel for its shared memory: the log says so. SMC_USAGE: the text is at fault.
   SMC_UNAVAILABLE: there is no such compiler here, or none for the target. */
enum smc_status smc_compile_with_nvrtc(const struct smc_compilation *compilation,
                                       struct smc_nvrtc_output *output, struct smc_error *error);
enum smc_status smc_compile_with_nvcc(const struct smc_compilation *compilation,
                                      struct smc_nvrtc_output *output, struct smc_error *error);
enum smc_status smc_compile_with_ptxas(const struct smc_compilation *compilation,
                                       struct smc_nvrtc_output *output, struct smc_error *error);

#endif
