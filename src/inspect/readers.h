/* One input file: reading it, recognizing its kind, and a reader for each kind. A reader adds
   copies of `kind`, changed only by what it read. */
#ifndef SMC_INSPECT_READERS_H
#define SMC_INSPECT_READERS_H

#include "compile/nvrtc.h"
#include "inspect/kernels.h"

enum smc_input_kind {
    SMC_INPUT_UNKNOWN,
    SMC_INPUT_LOG,      /* ptxas, nvlink, cuobjdump */
    SMC_INPUT_SOURCE,   /* CUDA C++ */
    SMC_INPUT_PTX,      /* the compiler's assembly text */
    SMC_INPUT_CUBIN,    /* machine code alone */
    SMC_INPUT_SAVED,    /* figures that inspect --save or --format json wrote */
    SMC_INPUT_EMBEDDED, /* a program, an object, a library, a container of machine code */
    SMC_INPUT_ERRORS,   /* what a compiler that failed printed */
};

/* Reads all of a file, or of standard input for "-". SMC_USAGE: it cannot be read. */
enum smc_status smc_input_read(const char *file, struct smc_text *bytes, struct smc_error *error);

/* Determined by the content, or by the file name if the content is ambiguous. */
enum smc_input_kind smc_input_kind(const char *file, const struct smc_text *bytes);

/* The bytes of a program or library with device code, which are large, and so are mapped instead of
   copied: munmap frees them. NULL: another kind of file. */
void *smc_input_map_code(const char *file, size_t *length);

/* Whether a file of this name is only included by others: in a folder it may well have no kernel.
 */
bool smc_input_is_header(const char *file);

/* Replaces binary zeros and carriage returns by line ends, so that the whole text is read. */
void smc_input_make_text(struct smc_text *bytes);

/* Reads a log of ptxas, nvlink or cuobjdump. The `source` of kernels from ptxas is kind->source.
   `faults` receives the kernels whose figures are missing. False: out of memory. */
bool smc_inspect_log(const char *log, const struct smc_inspect_kernel *kind,
                     struct smc_inspect_kernels *kernels, struct smc_text *faults);

/* Reads machine code. If kind->cc is not 0, it must match. SMC_USAGE: damaged, and nothing is
   added; SMC_MACHINE: out of memory. */
enum smc_status smc_inspect_cubin(const void *file, size_t bytes,
                                  const struct smc_inspect_kernel *kind,
                                  struct smc_inspect_kernels *kernels, struct smc_error *error);

/* The same without a list: can be called by several threads at once. Free what was found. */
struct smc_inspect_found {
    struct smc_inspect_kernel *kernel;
    size_t count;
    bool is_linked; /* by nvlink, or complete without it */
    bool is_empty;  /* neither kernels nor functions that kernels call */
};
enum smc_status smc_inspect_cubin_read(const void *file, size_t bytes,
                                       const struct smc_inspect_kernel *kind,
                                       struct smc_inspect_found *found, struct smc_error *error);
void smc_inspect_found_free(struct smc_inspect_found *found);

/* Reads a compiler's output: the log, plus what only machine code and PTX contain. Errors as
   above. */
enum smc_status smc_inspect_output(const struct smc_nvrtc_output *output,
                                   const struct smc_inspect_kernel *kind,
                                   struct smc_inspect_kernels *kernels, struct smc_text *faults,
                                   struct smc_error *error);

#endif
