/* Runs a user's kernel, from its source to the contents of its memory after the launch. It is
   compiled by NVRTC for the device and launched once through a back end of executor/executor.h.

     smc_user_prepare      source, entry and arguments -> machine code and an answer
     smc_user_launch       -> counts, findings, memory
     smc_user_free                                                                              */
#ifndef SMC_EXECUTOR_USER_H
#define SMC_EXECUTOR_USER_H

#include "executor/executor.h"
#include "executor/user_argument.h"
#include "inspect/inspect.h"

enum { SMC_MAX_USER_ARGUMENTS = 64 };

struct smc_user_request {
    const char *file;             /* "-": standard input */
    const char *entry;            /* NULL: the only one */
    const char *compiler_options; /* joined by blanks, or NULL */
    bool no_cache;                /* neither read nor write the compile cache */
    struct smc_device device;
    struct smc_ceilings ceilings; /* of the device, for the predicted time; or unknown */
    uint32_t grid[3], block[3];
    struct smc_launch launch; /* carve-out, cache configuration */
    uint32_t dynamic_smem_bytes;
    size_t argument_count;
    struct smc_user_argument argument[SMC_MAX_USER_ARGUMENTS];
    const struct smc_run_settings *settings;
};

/* A summary of a buffer's contents. */
struct smc_user_digest {
    uint32_t crc32;         /* of ISO 3309, as zlib and gzip have it */
    uint64_t changed;       /* number of elements whose bits changed */
    uint64_t first_changed; /* index; only valid if `changed` is not 0 */
};

/* One buffer of a launch. The back ends read `before` and fill their own part. */
struct smc_user_memory {
    const struct smc_user_argument *argument;
    size_t position; /* of --arg, from 1 */
    char name[32];   /* "arg 2" */
    uint64_t bytes;
    void *before, *after_gpu, *after_emulated;
    struct smc_emulated_array_count traffic; /* as the emulator counted */
    struct smc_float_sum *sums;              /* as in struct smc_emulation */
    bool has_gpu, has_emulated;              /* the digest is valid: the kernel ended there */
    struct smc_user_digest gpu, emulated;
    struct smc_agreement agreement; /* of the two */
};

/* Initialize with {0}. It contains pointers into itself, so do not move or copy it. */
struct smc_user_run {
    struct smc_user_request request;
    struct smc_text text; /* the source */
    struct smc_annotation annotation;
    struct smc_inspect_kernels kernels; /* all of the source */
    struct smc_inspect_row row;         /* the one chosen */
    struct smc_answer answer;           /* the model's about its launch */
    struct smc_compiled compiled;
    size_t memory_count;
    struct smc_user_memory memory[SMC_MAX_USER_ARGUMENTS];
    struct smc_text printed; /* by the emulated kernel's printf, made safe for a terminal */
    bool printed_is_cut;     /* it printed more than the emulator keeps */
    struct smc_run_result result;
};

/* Compiles, selects the kernel and checks the arguments. SMC_USAGE: a file that cannot be read or
   does not compile, no such kernel, arguments that do not match, more threads than the launch
   bounds allow. Whether the model predicts that the launch succeeds is in answer.outcome, and how
   long it takes in answer.time: from its machine code, the numbers and the sizes of the memory,
   whose contents are unknown then.
   SMC_UNAVAILABLE: no NVRTC for the device. Always free it, even after a failure. */
enum smc_status smc_user_prepare(const struct smc_user_request *request, struct smc_user_run *run,
                                 struct smc_text *warnings, struct smc_error *error);

/* Fills the memory and launches. Fails as the back end does; SMC_MACHINE also if there is not
   enough memory; SMC_INTERRUPTED if the settings' `stop` requested it before the launch. The
   emulator's part of `result` is valid even if the GPU failed after it. */
enum smc_status smc_user_launch(struct smc_user_run *run, struct smc_text *warnings,
                                struct smc_error *error);

/* The outcome of a launch. SMC_MACHINE: the GPU's driver refused it, or it crashed or did not end
   on the GPU; the message says which. SMC_SHORTFALL: it did not end on the emulator.
   SMC_INTERRUPTED: `stop` ended it. */
enum smc_status smc_user_ending(const struct smc_user_run *run, struct smc_error *error);

void smc_user_free(struct smc_user_run *run);

/* --- Steps, for tests ------------------------------------------------------------------------- */

/* Finds a kernel by the compiler's name, the name in the source ("scale", "ns::scale"), or that
   name with its parameters; NULL: the only one. SMC_USAGE: no kernel or several match; the message
   lists all. */
enum smc_status smc_user_choose(const struct smc_inspect_kernels *kernels, const char *file,
                                const char *entry, const struct smc_inspect_kernel **kernel,
                                struct smc_error *error);

/* Compares the arguments with the PTX declaration of the kernel. SMC_USAGE names the first
   mismatch. */
enum smc_status smc_user_check_arguments(const char *ptx, const struct smc_inspect_kernel *kernel,
                                         const struct smc_user_argument *arguments, size_t count,
                                         struct smc_error *error);

/* Fills the argument's buffer. SMC_USAGE: the file cannot be read, or its length differs from the
   buffer's; the message has no prefix. SMC_MACHINE: out of memory. */
enum smc_status smc_user_fill(const struct smc_user_argument *argument, const char *name,
                              uint64_t seed, void *data, struct smc_error *error);

void smc_user_digest(const struct smc_user_argument *argument, const void *before,
                     const void *after, struct smc_user_digest *digest);

/* Finds the elements whose bits differ. */
void smc_user_compare(const struct smc_user_argument *argument, const void *a, const void *b,
                      struct smc_agreement *agreement);

#endif
