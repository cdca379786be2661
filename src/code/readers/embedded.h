/* Machine code within other files: programs, objects, archives, libraries, and containers alone. */
#ifndef SMC_CODE_EMBEDDED_H
#define SMC_CODE_EMBEDDED_H

#include "code/user_kernels.h"

enum { SMC_EMBEDDED_MOST_THREADS = 8 };

/* PTX of a file whose machine code, if it has any, is empty. A driver compiles it for the compute
   capabilities from `first_cc` to `last_cc`; for later ones its container has other PTX. For the
   earliest PTX of a container `first_cc` is 0, although older devices cannot run it. */
struct smc_embedded_ptx {
    const char *text; /* not ended by '\0' */
    size_t bytes;
    uint32_t first_cc, last_cc;
};

/* If it returns SMC_USAGE, the PTX is reported as a fault, and the next PTX is read. */
typedef enum smc_status smc_embedded_take_ptx(void *context, const struct smc_embedded_ptx *ptx,
                                              struct smc_error *error);

struct smc_embedded_request {
    const void *file;
    size_t bytes;
    const struct smc_inspect_kernel *kind; /* what all its kernels have */
    uint32_t threads; /* of the CPU, for reading; 0: one for each processor if the file is large */
    bool is_mapped;   /* the file is a mapping whose pages may be dropped once they are read */
    smc_inspect_progress *progress; /* or NULL */
    void *progress_context;
    smc_embedded_take_ptx *take_ptx; /* or NULL; is called for PTX that has kernels */
    void *ptx_context;
};

struct smc_embedded_count {
    size_t read, empty; /* parts with machine code; those of them without any function */
    size_t ptx;         /* parts with PTX */
    size_t linked;      /* parts with a linker's intermediate code */
    bool has_any;       /* parts of any kind */
};

/* Adds the kernels, in the order of the file whatever the threads. `notes` gets a fault for each
   damaged part, and a remark about empty ones. SMC_UNAVAILABLE: code is compressed in a way that
   this build does not read; nothing is added then. SMC_INTERRUPTED: `progress` returned false.
   SMC_MACHINE: out of memory. Else any status of `take_ptx` but SMC_USAGE. */
enum smc_status smc_embedded_read(const struct smc_embedded_request *request,
                                  struct smc_inspect_kernels *kernels,
                                  struct smc_embedded_count *count, struct smc_inspect_notes *notes,
                                  struct smc_error *error);

#endif
