/* Compiles source with NVRTC, nvcc or ptxas, once for each requested architecture. */
#ifndef SMC_CODE_COMPILERS_H
#define SMC_CODE_COMPILERS_H

#include "code/nvrtc.h"
#include "code/user_kernels.h"

/* What to compile. */
struct smc_compilation {
    const char *file; /* its name, as smc_file_name has it */
    const char *text;
    struct smc_inspect_target target;
    const struct smc_inspect_request *request;
    struct smc_text *warnings;
    bool is_standard_input; /* no file has the text */
    bool is_part;           /* the file holds more than `text` */
    bool only_cached;       /* for nvcc: SMC_UNAVAILABLE if it must compile */
};

/* Each fills `output`, which the caller frees whatever the status. SMC_OK also if ptxas refused a
   kernel for its shared memory: the log says so. SMC_USAGE: the source has errors. SMC_UNAVAILABLE:
   this compiler is not installed, or does not support the target. */
enum smc_status smc_compile_with_nvrtc(const struct smc_compilation *compilation,
                                       struct smc_nvrtc_output *output, struct smc_error *error);

/* The same for a source with host code: NVRTC compiles its device part (code/source/device_part.h).
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

/* --- Architectures in options ----------------------------------------------------------------- */

/* The architectures that the user's options of the compiler name, such as -arch=sm_90a. */

/* Where source is compiled for what: options without architectures, and targets. Start from {0}. */
struct smc_architectures {
    struct smc_text options;
    struct smc_inspect_target target[SMC_INSPECT_MAX_TARGETS];
    size_t count;
    bool are_named; /* by the options, instead of assumed ones */
};

/* Takes the architectures out of `options`. The targets are those of `asked`, each with the letter
   of an architecture that the options name; with `assumed`, those of the options alone, if these
   name any. SMC_USAGE: an architecture of the options is none of the asked. Free the options. */
enum smc_status smc_architectures_read(const char *options, const struct smc_inspect_target *asked,
                                       size_t count, bool assumed, struct smc_architectures *read,
                                       struct smc_error *error);

/* Adds every "sm_90a" in the text; if there is none, every "compute_90a". */
void smc_architectures_add(const char *text, struct smc_inspect_target *target, size_t *count);

/* The target that has the features of its architecture alone: sm_90a for sm_90. False: there is
   none, or it is one already. */
bool smc_architecture_extend(struct smc_inspect_target *target);

/* The instruction that such a target alone has and the source or PTX uses: "wgmma. ..."; NULL:
   none of those known. */
const char *smc_feature_in(const char *text);

/* Whether the source has such an instruction, and nothing in it asks for the target's features, so
   that it could do without: then its PTX is the same for every target of the architecture. */
struct smc_source_tree;
bool smc_source_names_features(const struct smc_source_tree *tree);

#endif
