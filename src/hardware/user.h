/* Runs a user's kernel, from its source to the contents of its memory after the launch. It is
   compiled for the device and launched once through a back end of hardware/executor.h.

     smc_user_prepare      source, entry and arguments -> machine code and an answer
     smc_user_launch       -> counts, findings, memory
     smc_user_free                                                                              */
#ifndef SMC_HARDWARE_USER_H
#define SMC_HARDWARE_USER_H

#include "answers/inspect.h"
#include "hardware/executor.h"
#include "hardware/executor/user_argument.h"

enum { SMC_MAX_USER_ARGUMENTS = 64, SMC_MAX_USER_MEMORIES = 384 };

struct smc_user_run;

/* Computes what an array is compared with, from the memory before the launch. */
struct smc_user_reference {
    /* Writes the whole array. The message of an error has no prefix. */
    enum smc_status (*compute)(struct smc_user_reference *reference, struct smc_user_run *run,
                               void *values, struct smc_error *error);
    void (*free)(struct smc_user_reference *reference);
};

/* What the memory of an argument is compared with after the launch: the bytes of a file, or what a
   reference computes. Integers must be equal, floats within SMC_USER_TOLERANCE of the largest one
   expected. */
struct smc_user_expected {
    const char *typed;
    const char *path;                     /* NULL: a reference, */
    const char *name;                     /* which is named so, with its sizes: "matmul:m=64" */
    size_t argument;                      /* from 0: an array */
    struct smc_user_reference *reference; /* set between smc_user_prepare and smc_user_launch; owned
                                             by the run */
};
#define SMC_USER_TOLERANCE 1e-5
enum { SMC_MOST_EXPECTED = 4 }; /* rows of a report */

struct smc_user_request {
    const char *file;             /* a path; in a struct smc_user_run its name */
    const char *source;           /* its text; NULL: it is read */
    const char *entry;            /* NULL: the only one */
    const char *compiler_options; /* joined by blanks, or NULL */
    bool no_cache;                /* neither read nor write the compile cache */
    struct smc_builds *builds;    /* as in struct smc_compile_options */
    struct smc_device device;
    char suffix;                  /* 'a' to compile for sm_90a, or 0 */
    struct smc_ceilings ceilings; /* of the device, for the predicted time; or unknown */
    bool without_time;            /* predict none: that may take longer than the emulation */
    uint32_t grid[3], block[3];
    struct smc_launch launch; /* carve-out, cache configuration */
    uint32_t dynamic_smem_bytes;
    size_t argument_count;
    struct smc_user_argument argument[SMC_MAX_USER_ARGUMENTS];
    size_t variable_count; /* of the module: set before the launch, or wanted after it */
    struct smc_user_variable variable[SMC_MAX_USER_ARGUMENTS];
    size_t expected_count;
    struct smc_user_expected expected[SMC_MOST_EXPECTED];
    const struct smc_run_settings *settings;
    /* Called when a compilation begins and when it has ended; NULL: it is not. */
    void (*compiles)(const struct smc_user_request *request, bool begins);
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
    struct smc_user_argument own; /* of memory in a structure or list: what `argument` points to */
    unsigned char map[SMC_TENSOR_MAP_BYTES]; /* over it, as smc_user_place writes it */
    char *typed;                             /* its text; NULL: it is an argument itself */
    size_t position, part;                   /* of --arg, and of the memories in it, from 1 */
    char name[32];                           /* "arg 2", "arg 2.1", "coefficients" */
    const char *symbol; /* a variable of the module, as compiled; NULL: not a variable */
    bool is_initial;    /* a variable that was not set: the back end fills `before` */
    uint64_t bytes;
    void *before, *after_gpu, *after_emulated;
    struct smc_emulated_array_count traffic; /* as the emulator counted */
    struct smc_float_sum *sums;              /* as in struct smc_emulation */
    bool has_gpu, has_emulated;              /* the digest is valid: the kernel ended there */
    struct smc_user_digest gpu, emulated;
    struct smc_agreement agreement; /* of the two */
    const char *expected_as;        /* the file or the reference that the result was compared with;
                                       or NULL */
    struct smc_agreement expected;
    char expected_value[32], seen_value[32]; /* of the first that differs */
};

/* An argument that is neither a number nor memory: the bytes that the kernel receives. Addresses in
   them are written by smc_user_place. */
struct smc_user_value {
    void *data;
    uint64_t bytes;
};

/* A variable of the request as the module declares it. */
struct smc_user_symbol {
    char *name; /* as compiled */
    enum smc_user_type type;
    uint64_t bytes;
};

/* An address in an argument or in memory, or a tensor map. */
struct smc_user_pointer {
    bool in_memory, is_map;
    size_t holder;         /* index in `memory` or `value` */
    uint64_t place;        /* in the holder, in bytes */
    size_t target;         /* index in `memory` */
    int64_t offset;        /* in bytes */
    size_t argument, part; /* of an address that was typed, until the target is known; or 0 */
};

/* Initialize with {0}. It contains pointers into itself, so do not move or copy it. */
struct smc_user_run {
    struct smc_user_request request;
    struct smc_text text; /* the source; or the file with machine code, or the PTX in it */
    bool is_part;         /* the file holds more than the text */
    struct smc_annotation annotation;
    struct smc_inspect_kernels kernels; /* all of the source */
    struct smc_inspect_row row;         /* the one chosen */
    struct smc_answer answer;           /* the model's about its launch */
    struct smc_compiled compiled;
    size_t memory_count;
    struct smc_user_memory memory[SMC_MAX_USER_MEMORIES];
    struct smc_text printed; /* by the emulated kernel's printf, made safe for a terminal */
    bool printed_is_cut;     /* it printed more than the emulator keeps */
    uint64_t param_bytes[SMC_MAX_USER_ARGUMENTS]; /* of the kernel's parameters */
    struct smc_user_value value[SMC_MAX_USER_ARGUMENTS];
    struct smc_user_symbol symbol[SMC_MAX_USER_ARGUMENTS]; /* of the request's variables */
    struct smc_user_pointer *pointer;
    size_t pointer_count, pointer_room;
    bool has_memory; /* that the arguments and variables need; its contents are those before */
    struct smc_run_result result;
    uint32_t barrier_after[2]; /* lines after which __syncthreads() removes the races; 0: none */
};

/* Whether the file that was read is machine code, or a program, library or container with some. */
bool smc_user_is_code(const struct smc_user_run *run);

/* Compiles, or takes machine code from the file, selects the kernel and checks the arguments.
   SMC_USAGE: a file that cannot be read or does not compile, no such kernel, arguments that do
   not match, more threads than the launch bounds allow. Whether the model predicts that the
   launch succeeds is in answer.outcome, and how long it takes in answer.time: from its machine
   code, the numbers and the sizes of the memory, and the contents that were typed.
   SMC_UNAVAILABLE: no NVRTC for the device. Always free it, even after a failure. */
enum smc_status smc_user_prepare(const struct smc_user_request *request, struct smc_user_run *run,
                                 struct smc_text *warnings, struct smc_error *error);

/* Fills the memory, at the first call, and launches. Fails as the back end does; SMC_MACHINE also
   if there is not enough memory; SMC_INTERRUPTED if the settings' `stop` requested it before the
   launch. The emulator's part of `result` is valid even if the GPU failed after it. */
enum smc_status smc_user_launch(struct smc_user_run *run, struct smc_text *warnings,
                                struct smc_error *error);

/* The outcome of a launch. SMC_MACHINE: the GPU's driver refused it, or it crashed or did not end
   on the GPU; the message says which. SMC_SHORTFALL: it did not end on the emulator.
   SMC_INTERRUPTED: `stop` ended it. */
enum smc_status smc_user_ending(const struct smc_user_run *run, struct smc_error *error);

/* For a run with races within a block: looks for one or two places for __syncthreads() and tries
   each on the emulator, in up to a few seconds. Only where a run with them has no race and no other
   finding that it did not have before, `barrier_after` is set. SMC_MACHINE: memory. */
enum smc_status smc_user_advise_barriers(struct smc_user_run *run, struct smc_error *error);

void smc_user_free(struct smc_user_run *run);

/* --- For the back ends ------------------------------------------------------------------------ */

/* The part of the memory that is the back end's. */
static inline void *smc_user_after(const struct smc_user_memory *memory, bool on_gpu)
{
    return on_gpu ? memory->after_gpu : memory->after_emulated;
}

/* Copies the contents before the launch to the back end's part, and writes all addresses and tensor
   maps, there and in the values. `address` has one for each memory. A GPU's driver has made the
   tensor maps already, in `map` of each memory. */
void smc_user_place(struct smc_user_run *run, bool on_gpu, const uint64_t *address);

/* After the launch: an address or a tensor map that is still where it was placed becomes 0 again,
   so that the back ends can be compared. */
void smc_user_unplace(struct smc_user_run *run, bool on_gpu, const uint64_t *address);

/* The index of the memory that an argument is; the argument must be memory. */
size_t smc_user_memory_of(const struct smc_user_run *run, size_t argument);

/* What the kernel receives for an argument that is not memory. */
static inline const void *smc_user_passed(const struct smc_user_run *run, size_t argument)
{
    return run->value[argument].data ? run->value[argument].data
                                     : &run->request.argument[argument].bits;
}

/* --- Steps, for tests ------------------------------------------------------------------------- */

/* Finds a kernel by the compiler's name, the name in the source ("scale", "ns::scale"), or that
   name with its parameters; NULL: the only one. SMC_USAGE: no kernel or several match; the message
   lists all. */
enum smc_status smc_user_choose(const struct smc_inspect_kernels *kernels, const char *file,
                                const char *entry, const struct smc_inspect_kernel **kernel,
                                struct smc_error *error);

/* Compares the request's arguments with the PTX declaration of the kernel, gives literals the types
   of their parameters, and stores the sizes of the parameters. SMC_USAGE names the first mismatch,
   with the parameter's declaration and an argument that fits. Appends a line to `warnings` for an
   array whose elements are of another type than the parameter's. */
enum smc_status smc_user_check_arguments(const char *ptx, const struct smc_inspect_kernel *kernel,
                                         struct smc_user_run *run, struct smc_text *warnings,
                                         struct smc_error *error);

/* The same with the parameters that machine code lists, of which only the sizes are known, and by
   the kernel's demangled name the types. A number without a type needs the latter. */
enum smc_status smc_user_check_code_arguments(const struct smc_binary *binary,
                                              const struct smc_inspect_kernel *kernel,
                                              struct smc_user_run *run, struct smc_text *warnings,
                                              struct smc_error *error);

/* Whether the files that arguments, variables and expectations name can be read and have the sizes
   of the memory. SMC_USAGE: the message names the file. */
enum smc_status smc_user_check_files(const struct smc_user_run *run, struct smc_error *error);

/* Finds the request's variables in the PTX, and compares their sizes with the values. SMC_USAGE: it
   has no such variable, or several. */
enum smc_status smc_user_find_variables(const char *ptx, struct smc_user_run *run,
                                        struct smc_error *error);

/* Makes the memory and the values of the arguments, as smc_user_launch does. */
enum smc_status smc_user_make_memory(struct smc_user_run *run, struct smc_error *error);

/* Fills the argument's buffer. SMC_USAGE: the file cannot be read, or its length differs from the
   buffer's; the message has no prefix. SMC_MACHINE: out of memory. */
enum smc_status smc_user_fill(const struct smc_user_argument *argument, const char *name,
                              uint64_t seed, void *data, struct smc_error *error);

/* The same for some elements, of what is not a file. `start`: smc_random_start(name, seed). */
void smc_user_make_elements(const struct smc_user_argument *argument, uint64_t start,
                            uint64_t first, uint64_t count, void *data);

void smc_user_digest(const struct smc_user_argument *argument, const void *before,
                     const void *after, struct smc_user_digest *digest);

/* Finds the elements whose bits differ. */
void smc_user_compare(const struct smc_user_argument *argument, const void *a, const void *b,
                      struct smc_agreement *agreement);

#endif
