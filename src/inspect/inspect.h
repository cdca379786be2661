/* The user's kernels: read from CUDA source, PTX, machine code, programs that hold it and
   compilers' logs; answered for one device or many; held to requirements and launch bounds. */
#ifndef SMC_INSPECT_INSPECT_H
#define SMC_INSPECT_INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "query/query.h"

enum smc_inspect_source {
#define SOURCE(id, name, words) SMC_INSPECT_##id,
#include "inspect/sources.def"
#undef SOURCE
    SMC_INSPECT_SOURCE_COUNT
};

/* A kernel as compiled for one architecture. */
struct smc_inspect_kernel {
    const char *file; /* as asked for; "-" is standard input */
    char *name;       /* as the compiler writes it */
    char *shown;      /* demangled where that can be done; safe for a terminal */
    uint64_t name_hash;
    uint64_t version_hash; /* the same for one kernel on every architecture */
    enum smc_inspect_source source;
    uint16_t cc; /* 0: the input does not say */
    char suffix; /* 'a' of sm_90a, 'f' of sm_100f, or 0 */
    bool has_spills, has_stack, has_barriers;
    bool smem_has_reserve; /* static_smem_bytes may hold the driver's reserve: cc is not known */
    bool is_linked;        /* the numbers are the linker's */
    struct smc_resources resources;
    uint32_t max_threads_per_block; /* __launch_bounds__; 0: none, or not known */
    bool min_blocks_known;          /* machine code and logs do not tell */
    uint32_t min_blocks_per_sm;     /* of the same bounds; 0: none */
    uint32_t blocks_per_cluster;    /* __cluster_dims__; 0: none, or not known */
};

/* Start from {0}. */
struct smc_inspect_kernels {
    struct smc_inspect_kernel *item;
    size_t count, capacity;
};

/* An architecture to compile source for. */
struct smc_inspect_target {
    uint16_t cc;
    char suffix; /* 'a' of sm_90a, 'f' of sm_100f, or 0 */
};

struct smc_inspect_request {
    const struct smc_inspect_target *targets; /* at least one */
    size_t target_count;
    bool targets_assumed;         /* none were named: PTX goes to its own architecture */
    bool skip_unsupported;        /* a target no compiler here serves is passed over */
    const char *compiler_options; /* joined by blanks, or NULL */
    bool no_cache;                /* of the search for NVRTC */
    const struct smc_device *devices;
    size_t device_count;       /* 0: each kernel on what it was compiled for */
    int64_t threads_per_block; /* SMC_NOT_GIVEN: the launch bound, else SMC_INSPECT_THREADS */
    uint32_t dynamic_smem_bytes;
    struct smc_launch settings; /* carve-out, cache configuration, cluster */
};

/* The block size where nothing tells. */
enum { SMC_INSPECT_THREADS = 256 };

/* What there is to say besides kernels and errors, a line each. */
struct smc_inspect_notes {
    struct smc_text warnings; /* what the answer survives */
    struct smc_text faults;   /* "file: ...": what of it is damaged or cut off; the rest is added */
};

/* Adds the kernels of a file, or of standard input. SMC_USAGE with "file: ..." or "file:line: ..."
   where it cannot be read or compiled; SMC_UNAVAILABLE where a tool of the CUDA Toolkit is missing;
   SMC_MACHINE: memory. Nothing is added then. */
enum smc_status smc_inspect_read(const char *file, const struct smc_inspect_request *request,
                                 struct smc_inspect_kernels *kernels,
                                 struct smc_inspect_notes *notes, struct smc_error *error);

void smc_inspect_free(struct smc_inspect_kernels *kernels);

enum smc_threads_source {
    SMC_THREADS_GIVEN,
    SMC_THREADS_BOUND,   /* the most that the kernel's launch bound allows */
    SMC_THREADS_ASSUMED, /* SMC_INSPECT_THREADS */
};

/* One kernel on one device. */
struct smc_inspect_row {
    const struct smc_inspect_kernel *kernel;
    enum smc_threads_source threads_source;
    bool exceeds_bound; /* more threads were asked for than its launch bounds allow: no launch */
    struct smc_answer answer;
};

struct smc_inspect_rows {
    struct smc_inspect_row *item;
    size_t count, capacity;
};

/* Rows of one kernel stand together, in the order of its first appearance. Of several versions of
   a kernel a device gets the one that its driver would load. SMC_USAGE: a kernel whose
   architecture is unknown, and no device is named; the other rows are there. */
enum smc_status smc_inspect_answer(const struct smc_inspect_kernels *kernels,
                                   const struct smc_inspect_request *request,
                                   struct smc_inspect_rows *rows, struct smc_error *error);

void smc_inspect_rows_free(struct smc_inspect_rows *rows);

struct smc_requirements {
    double occupancy_percent;   /* 0: none */
    uint32_t blocks_per_sm;     /* 0: none */
    uint32_t registers_at_most; /* 0: none */
};

/* Appends a line for each row that falls short; SMC_SHORTFALL where there is one. */
enum smc_status smc_inspect_require(const struct smc_inspect_rows *rows,
                                    const struct smc_requirements *requirements,
                                    struct smc_text *shortfalls);

/* --- Launch bounds ---------------------------------------------------------------------------- */

enum smc_promise_verdict {
#define VERDICT(id, name) SMC_PROMISE_##id,
#include "inspect/verdicts.def"
#undef VERDICT
    SMC_PROMISE_VERDICT_COUNT
};

/* What the launch bounds of one kernel come to on one device. */
struct smc_inspect_promise {
    const struct smc_inspect_kernel *kernel;
    enum smc_promise_verdict verdict;
    bool regs_known;          /* compiled for this device; else they are taken to suffice */
    struct smc_answer answer; /* at the most threads that the bounds allow */
};

struct smc_inspect_promises {
    struct smc_inspect_promise *item;
    size_t count, capacity;
    size_t without_bounds; /* kernels that promise nothing */
};

/* SMC_SHORTFALL where a promise does not hold; SMC_USAGE where there was none to be held to
   anything. Without devices named: what each kernel was compiled for, which of
   source is every architecture that the compiler here supports. */
enum smc_status smc_inspect_lint(const struct smc_inspect_kernels *kernels,
                                 const struct smc_inspect_request *request,
                                 struct smc_inspect_promises *promises, struct smc_error *error);

void smc_inspect_promises_free(struct smc_inspect_promises *promises);

/* "holds" ... */
const char *smc_promise_verdict_name(enum smc_promise_verdict verdict);

/* --- Architectures ---------------------------------------------------------------------------- */

enum { SMC_INSPECT_MAX_TARGETS = 64 };

/* "sm_90a" -> 90 and 'a'; every other way to name a device has no suffix. */
struct smc_inspect_target smc_inspect_target_of(const char *typed, uint16_t cc);

/* Every compute capability of the table. Returns how many. */
size_t smc_inspect_all_targets(struct smc_inspect_target targets[SMC_INSPECT_MAX_TARGETS]);

/* "sm_90a". Returns `text`. Of a kernel whose architecture is known. */
enum { SMC_INSPECT_ARCHITECTURE = 16 };
const char *smc_inspect_architecture(const struct smc_inspect_kernel *kernel,
                                     char text[SMC_INSPECT_ARCHITECTURE]);

/* Whether a device of that compute capability runs the machine code as it is: the same major
   version and the same minor or a later one, but for "a" the very same alone. True where it is not
   known what the code was compiled for. */
bool smc_inspect_loads(const struct smc_inspect_kernel *kernel, uint16_t cc);

/* "ptxas", "cubin" ...; the same for people. */
const char *smc_inspect_source_name(enum smc_inspect_source source);
const char *smc_inspect_source_words(enum smc_inspect_source source);

#endif
