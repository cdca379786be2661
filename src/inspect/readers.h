/* One input: its bytes, what they are, and the reader of each kind. A reader adds kernels that
   differ from `kind` only in what it read. */
#ifndef SMC_INSPECT_READERS_H
#define SMC_INSPECT_READERS_H

#include "compile/nvrtc.h"
#include "inspect/inspect.h"

enum smc_input_kind {
    SMC_INPUT_UNKNOWN,
    SMC_INPUT_LOG,      /* ptxas, nvlink, cuobjdump */
    SMC_INPUT_SOURCE,   /* CUDA C++ */
    SMC_INPUT_PTX,      /* the compiler's assembly text */
    SMC_INPUT_CUBIN,    /* machine code alone */
    SMC_INPUT_EMBEDDED, /* a program, an object, a library, a container of machine code */
};

/* Reads all of a file, or of standard input for "-". SMC_USAGE: it cannot be read. */
enum smc_status smc_input_read(const char *file, struct smc_text *bytes, struct smc_error *error);

/* From the content; where that leaves a choice, from the name. */
enum smc_input_kind smc_input_kind(const char *file, const struct smc_text *bytes);

/* Makes binary zeros and carriage returns line ends, so that all of a text is read. */
void smc_input_make_text(struct smc_text *bytes);

/* What a log says: ptxas, nvlink, cuobjdump. `source` of ptxas's kernels is kind->source. `faults`
   receives the kernels whose figures are missing. False: no memory. */
bool smc_inspect_log(const char *log, const struct smc_inspect_kernel *kind,
                     struct smc_inspect_kernels *kernels, struct smc_text *faults);

/* Machine code; kind->cc, where it is not 0, is what it should be for. SMC_USAGE: damaged, and
   nothing is added; SMC_MACHINE: no memory. */
enum smc_status smc_inspect_cubin(const void *file, size_t bytes,
                                  const struct smc_inspect_kernel *kind,
                                  struct smc_inspect_kernels *kernels, struct smc_error *error);

/* What a compiler gave back: the log, with what only machine code and PTX know. As above. */
enum smc_status smc_inspect_output(const struct smc_nvrtc_output *output,
                                   const struct smc_inspect_kernel *kind,
                                   struct smc_inspect_kernels *kernels, struct smc_text *faults,
                                   struct smc_error *error);

/* Machine code within a program, an object or a library, uncompressed. `closed` counts the parts
   that are compressed, `ptx` those that are PTX. `faults` receives the parts that are damaged.
   False: no memory. */
struct smc_embedded_count {
    size_t read, closed, ptx;
};
bool smc_inspect_embedded(const void *file, size_t bytes, const struct smc_inspect_kernel *kind,
                          struct smc_inspect_kernels *kernels, struct smc_embedded_count *count,
                          struct smc_text *faults);

#endif
