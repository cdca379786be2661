/* Compiles source with NVRTC, nvcc or ptxas, once for each requested architecture. */
#ifndef SMC_INSPECT_COMPILERS_H
#define SMC_INSPECT_COMPILERS_H

#include "compile/nvrtc.h"
#include "inspect/kernels.h"

/* What is to be compiled. */
struct smc_compilation {
    const char *file; /* as given by the user */
    const char *text;
    struct smc_inspect_target target;
    const struct smc_inspect_request *request;
    struct smc_text *warnings;
    bool is_part;     /* the file holds more than `text` */
    bool only_cached; /* for nvcc: SMC_UNAVAILABLE if it must compile */
};

/* Each fills `output`, which the caller frees whatever the status. SMC_OK also if ptxas refused a
   kernel for its shared memory: the log says so. SMC_USAGE: the source has errors. SMC_UNAVAILABLE:
   this compiler is not installed, or does not support the target. */
enum smc_status smc_compile_with_nvrtc(const struct smc_compilation *compilation,
                                       struct smc_nvrtc_output *output, struct smc_error *error);

/* The same for a source with host code: NVRTC compiles its device part (source/device_part.h).
   Warnings name the instances of templates that were left out. */
enum smc_status smc_compile_device_part(const struct smc_compilation *compilation,
                                        struct smc_nvrtc_output *output, struct smc_error *error);

enum smc_status smc_compile_with_nvcc(const struct smc_compilation *compilation,
                                      struct smc_nvrtc_output *output, struct smc_error *error);
enum smc_status smc_compile_with_ptxas(const struct smc_compilation *compilation,
                                       struct smc_nvrtc_output *output, struct smc_error *error);

/* Appends all of the request's options for the compiler, in one line; quotation marks hold those
   with blanks together. */
void smc_compile_options(const struct smc_inspect_request *request, struct smc_text *options);

#endif
