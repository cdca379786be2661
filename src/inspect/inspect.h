/* The user's kernels: read from CUDA source, PTX, machine code, programs that contain it and
   compilers' logs; answered for one or many devices; checked against launch bounds. */
#ifndef SMC_INSPECT_INSPECT_H
#define SMC_INSPECT_INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "compile/build_note.h"
#include "emulator/bank_accesses.h"
#include "query/query.h"

enum smc_inspect_source {
#define SOURCE(id, name, words) SMC_INSPECT_##id,
#include "inspect/sources.def"
#undef SOURCE
    SMC_INSPECT_SOURCE_COUNT
};

/* A kernel as compiled for one architecture. */
struct smc_inspect_kernel {
    const char *file; /* as given by the user; "-" is standard input */
    char *name;       /* as the compiler writes it */
    char *shown;      /* demangled if possible; safe for a terminal */
    uint64_t name_hash;
    uint64_t version_hash; /* the same for one kernel on every architecture */
    enum smc_inspect_source source;
    uint16_t cc;                              /* 0: the input does not say */
    char suffix;                              /* 'a' of sm_90a, 'f' of sm_100f, or 0 */
    bool has_spills, has_stack, has_barriers; /* the input records them */
    bool spills_are_negative;                 /* in the log, and so unknown */
    bool smem_has_reserve; /* static_smem_bytes may include the driver's reserve, because cc is
                              unknown */
    bool is_linked;        /* the numbers are the linker's */
    struct smc_resources resources;
    uint32_t max_threads_per_block;      /* __launch_bounds__; 0: none or unknown */
    uint32_t required_threads_per_block; /* .reqntid: the only block size that launches; 0: none */
    bool min_blocks_known;       /* false for machine code and logs, which do not record it */
    uint32_t min_blocks_per_sm;  /* of the same bounds; 0: none */
    bool bounds_ignored;         /* the compiler's log says that it ignores them */
    uint32_t blocks_per_cluster; /* __cluster_dims__; 0: none or unknown */
    char *source_file;    /* the source that defines it, as the input names it, or NULL: unknown */
    uint32_t source_line; /* the line of its definition; 0: unknown */
    struct smc_build_note build;         /* unknown for logs */
    uint32_t recorded_threads_per_block; /* a block size saved with the figures; 0: none */
    struct smc_declared_array *array;    /* that the source declares in shared memory */
    size_t arrays;
    struct smc_inspect_ptx *ptx; /* that it was compiled from, shared; NULL: unknown */
    bool dynamic_smem_known;     /* whether uses_dynamic_smem is known: it is of PTX and source */
    bool uses_dynamic_smem;      /* it has arrays whose size the launch gives */
    uint32_t block[3];   /* the shape of its bounds or required size; {0}: none, or only a number */
    bool calls_unlinked; /* figures before linking: it calls functions whose registers and stack
                            nvlink adds, so that no gate may judge it */
};

/* Start from {0}. Kernels are added with smc_inspect_add alone (inspect/kernels.h), and their names
   and files do not change: the index finds them by these. */
struct smc_inspect_kernels {
    struct smc_inspect_kernel *item;
    size_t count, capacity;
    struct smc_inspect_index *index;
    char **owned_file; /* names of files that other files mention */
    size_t owned_file_count;
    size_t left_out; /* kernels, and launches of kernels, that were not compiled because the
                        compiler could not learn their template arguments: a gate is incomplete */
};

enum { SMC_INSPECT_MAX_TARGETS = 64 };

/* An architecture to compile source for. */
struct smc_inspect_target {
    uint16_t cc;
    char suffix; /* 'a' of sm_90a, 'f' of sm_100f, or 0 */
};

/* Called often, and only by the calling thread, when `done` of `total` parts are read; done ==
   total once at the end. Returns false to stop reading. */
typedef bool smc_inspect_progress(void *context, uint64_t done, uint64_t total);

struct smc_inspect_request {
    const struct smc_inspect_target *targets; /* at least one */
    size_t target_count;
    bool targets_assumed;         /* none were named: PTX is compiled for its own architecture */
    bool skip_unsupported;        /* skip targets that no installed compiler supports */
    const char *compiler_options; /* separated by blanks, or NULL */
    bool no_cache;                /* neither read nor write the compile cache */
    const struct smc_device *devices;
    size_t device_count;                       /* 0: each kernel on what it was compiled for */
    int64_t threads_per_block;                 /* of every kernel, or SMC_NOT_GIVEN */
    const struct smc_inspect_threads *threads; /* by name; the first that matches counts */
    size_t threads_count;
    uint32_t assumed_threads_per_block; /* if it is not known otherwise; 0: none */
    uint32_t dynamic_smem_bytes;
    struct smc_launch settings;  /* carve-out, cache configuration, cluster */
    const char *const *patterns; /* only kernels that match one of these; see smc_inspect_matches */
    size_t pattern_count;        /* 0: all */

    /* More options for the compiler, one each, without the architecture. */
    const char *const *compiler_arguments;
    size_t compiler_argument_count;

    /* Called before each of several files is read; NULL: none. Returns false to stop. */
    bool (*progress)(void *context, size_t done, size_t total);
    void *progress_context;

    struct smc_text *ptx; /* receives the PTX of what is compiled; or NULL */
    /* Called while one file with machine code is read. */
    smc_inspect_progress *part_progress; /* NULL: none */
    void *part_context;
    uint32_t reading_threads; /* 0: as many as are useful */

    /* dynamic_smem_bytes is stated: it applies to kernels not known to use none. */
    bool dynamic_smem_given;
    const struct smc_inspect_dynamic_smem
        *dynamic_smem; /* of kernels by name; the first that matches counts */
    size_t dynamic_smem_count;
    uint32_t block[3];         /* the shape of threads_per_block; {0}: only the number is known */
    uint32_t assumed_block[3]; /* of assumed_threads_per_block */

    const char *label;    /* of kernels of source instead of the file's name; NULL: none */
    bool targets_present; /* targets_assumed, but of a GPU in this machine */
};

/* The dynamic shared memory of the kernels that a pattern names. */
struct smc_inspect_dynamic_smem {
    const char *pattern; /* as for smc_inspect_matches */
    uint32_t bytes;
};

/* The block size of the kernels that match a pattern. */
struct smc_inspect_threads {
    const char *pattern; /* as for smc_inspect_matches */
    uint32_t threads_per_block;
    uint32_t block[3]; /* its shape; {0}: only the number is known */
};

/* An architecture that no installed compiler supports. */
struct smc_inspect_unsupported {
    uint16_t cc;
    char reason[300]; /* "x.cu: nvcc does not compile for ..." */
};

/* Messages besides kernels and errors, one line each. */
struct smc_inspect_notes {
    struct smc_text warnings; /* problems that do not prevent an answer */
    struct smc_text faults;   /* "file: ...": damaged or truncated parts of it; the rest is added */
    bool holds_none;          /* the last file is sound, but has no kernel */
    struct smc_text remarks;  /* what was left out or assumed on purpose */
    /* Named targets that source was not compiled for, though it was for others; each once. */
    struct smc_inspect_unsupported unsupported[SMC_INSPECT_MAX_TARGETS];
    size_t unsupported_count;
};

/* Frees the texts; the targets remain. */
void smc_inspect_notes_free(struct smc_inspect_notes *notes);

/* Adds the kernels of a file, or of standard input. SMC_USAGE with "file: ..." or "file:line: ..."
   if it cannot be read or compiled; SMC_UNAVAILABLE if a tool of the CUDA Toolkit is missing, or
   code is compressed in a way that this build does not read; SMC_INTERRUPTED if
   request->part_progress stopped it; SMC_MACHINE: memory. After a failure nothing is added. SMC_OK
   also if source was compiled for some of the targets, and the notes have the others. */
enum smc_status smc_inspect_read(const char *file, const struct smc_inspect_request *request,
                                 struct smc_inspect_kernels *kernels,
                                 struct smc_inspect_notes *notes, struct smc_error *error);

void smc_inspect_free(struct smc_inspect_kernels *kernels);

/* The source of the block size. The first that applies counts. */
enum smc_threads_source {
    SMC_THREADS_LISTED,   /* request->threads */
    SMC_THREADS_GIVEN,    /* request->threads_per_block */
    SMC_THREADS_RECORDED, /* saved with the kernel's figures */
    SMC_THREADS_REQUIRED, /* the kernel launches with this size alone */
    SMC_THREADS_BOUND,    /* the most that the kernel's launch bound allows */
    SMC_THREADS_ASSUMED,  /* request->assumed_threads_per_block */
    SMC_THREADS_UNKNOWN,  /* the answer is for the best block size; gates do not check it */
    SMC_THREADS_SOURCE_COUNT
};

/* Resident blocks per SM at each block size in whole warps: blocks_per_sm[n - 1] for 32 n threads,
   0 where the launch fails. */
enum { SMC_BLOCK_SIZES = 32 };
struct smc_block_sizes {
    uint16_t blocks_per_sm[SMC_BLOCK_SIZES];
    uint32_t best_threads_per_block; /* by the rules of `best`; 0: none launches */
    double best_percent;             /* occupancy at that size */
};

/* The bank conflicts of rows that share them: see bank_conflicts.h. */
struct smc_inspect_banks {
    size_t references;
    struct smc_bank_accesses accesses;
};
void smc_inspect_banks_release(struct smc_inspect_banks *banks); /* NULL is allowed */

/* One kernel on one device: the figures that tables need. There may be many thousand rows, so the
   rest of the answer is computed when it is shown, by smc_inspect_complete. */
struct smc_inspect_row {
    const struct smc_inspect_kernel *kernel;
    const struct smc_device *device;
    enum smc_threads_source threads_source;
    enum smc_outcome outcome;
    bool exceeds_bound; /* more threads were requested than its launch bounds allow: no launch */
    struct smc_block_sizes sizes;
    struct smc_launch launch;
    struct smc_occupancy occupancy;
    double occupancy_percent;
    struct smc_inspect_banks *banks; /* set by smc_inspect_find_banks; NULL: not known */
    bool dynamic_smem_unknown; /* the kernel uses it, nothing states it, and it is counted as 0: the
                                  answer is the best possible; no gate may judge it */
    uint32_t block[3]; /* the shape of the block; {0}: only the number of threads is known */
    bool needs_shape;  /* set by smc_inspect_find_banks: unknown because the shape is */
};

/* Numbers of kernels for which something holds on at least one device. */
enum { SMC_LOW_PERCENT = 25 };
struct smc_inspect_summary {
    size_t kernels, files;
    size_t spilling;
    size_t low;     /* occupancy below SMC_LOW_PERCENT, also at the best block size if that is
                       unknown */
    size_t failing; /* cannot be compiled or launched */
    size_t unknown; /* the block size is unknown */
    size_t strays;  /* not counted above on at least one device, on which their machine code does
                       not load but other code of their file does */
    const struct smc_device *stray_device;  /* the only such device; NULL: none or several */
    const struct smc_inspect_kernel *worst; /* NULL without kernels */
    bool worst_settled, worst_launches;
    double worst_percent;
    uint32_t worst_limiters;
    bool undecided; /* a kernel was left out by its occupancy or limits at the best block size,
                       because its own is unknown */
};

/* Start from {0}. */
struct smc_inspect_rows {
    struct smc_inspect_row *item;
    size_t count, capacity;
    struct smc_device *device; /* that the rows are for: of the request, or one of each compute
                                  capability */
    size_t device_count;
    struct smc_inspect_summary summary; /* set by smc_inspect_select */
    unsigned order;                     /* enum smc_inspect_order, as of smc_inspect_select */
};

/* The row's whole answer. */
void smc_inspect_complete(const struct smc_inspect_row *row, struct smc_answer *answer);

/* Whether the registers per thread are known: not if ptxas refused the kernel. */
bool smc_inspect_regs_known(const struct smc_inspect_row *row);

/* Whether NVRTC counted the registers, and one unit of 8 registers more or fewer, which nvcc may
   count, changes the resident blocks: of the block size, or of the best one if it is unknown. */
bool smc_inspect_nvcc_may_differ(const struct smc_inspect_row *row);

/* Whether the answer's figures hold for the kernel's launches: its block size is known, or none
   launches. Else they are those of the best block size. */
bool smc_inspect_is_settled(const struct smc_inspect_row *row);

/* Whether the pattern matches the kernel: a glob ('*', '?', '[...]') of its demangled name, of its
   name without template arguments and parameters, or of its mangled name; without a special
   character, any part of the demangled name. */
bool smc_inspect_matches(const struct smc_inspect_kernel *kernel, const char *pattern);

/* Whether one of request->patterns matches the kernel, or there is none. */
bool smc_inspect_is_asked(const struct smc_inspect_kernel *kernel,
                          const struct smc_inspect_request *request);

/* The kernel whose name is nearest to a pattern that matches none. Start from {.pattern = ...}. */
struct smc_inspect_near {
    const char *pattern;
    char name[128]; /* without namespaces and arguments; empty: none is near enough */
    size_t distance;
};
void smc_inspect_consider(const struct smc_inspect_kernel *kernel, struct smc_inspect_near *near);

/* SMC_USAGE, naming the option and the nearest kernel, if the pattern matches none. */
enum smc_status smc_inspect_check_pattern(const struct smc_inspect_kernels *kernels,
                                          const char *option, const char *pattern,
                                          struct smc_error *error);

/* Whether this is exactly the kernel's name: demangled, the same without return type and
   parameters, that without template arguments, or mangled. */
bool smc_inspect_is_named(const struct smc_inspect_kernel *kernel, const char *name);

/* Appends the demangled name without return type and parameters, and without template arguments
   unless they are wanted: "scale<float>" of "void scale<float>(float*)". */
void smc_inspect_append_bare(const struct smc_inspect_kernel *kernel, bool template_arguments,
                             struct smc_text *bare);

/* The rows of a kernel are adjacent, in the order in which kernels first appear. If a kernel has
   several versions, each device gets the one that its driver would load. SMC_USAGE: a kernel's
   architecture is unknown and no device is named; the other rows are still filled. */
enum smc_status smc_inspect_answer(const struct smc_inspect_kernels *kernels,
                                   const struct smc_inspect_request *request,
                                   struct smc_inspect_rows *rows, struct smc_error *error);

void smc_inspect_rows_free(struct smc_inspect_rows *rows);

/* --- Launch bounds ---------------------------------------------------------------------------- */

enum smc_promise_verdict {
#define VERDICT(id, name) SMC_PROMISE_##id,
#include "inspect/verdicts.def"
#undef VERDICT
    SMC_PROMISE_VERDICT_COUNT
};

/* What the launch bounds of one kernel achieve on one device. */
struct smc_inspect_promise {
    const struct smc_inspect_kernel *kernel;
    enum smc_promise_verdict verdict;
    bool regs_known;          /* compiled for this device; else the registers are assumed to fit */
    struct smc_answer answer; /* at the most threads that the bounds allow */
};

struct smc_inspect_promises {
    struct smc_inspect_promise *item;
    size_t count, capacity;
    size_t without_bounds; /* kernels without launch bounds */
};

/* SMC_SHORTFALL if a promise does not hold; SMC_USAGE if no promise could be checked. If no devices
   are named, checks the architectures that each kernel was compiled for; for source these are all
   that the installed compiler supports. */
enum smc_status smc_inspect_lint(const struct smc_inspect_kernels *kernels,
                                 const struct smc_inspect_request *request,
                                 struct smc_inspect_promises *promises, struct smc_error *error);

void smc_inspect_promises_free(struct smc_inspect_promises *promises);

/* "holds" ... */
const char *smc_promise_verdict_name(enum smc_promise_verdict verdict);

/* --- Architectures ---------------------------------------------------------------------------- */

/* "sm_90a" -> 90 and 'a'; other ways to name a device give no suffix. */
struct smc_inspect_target smc_inspect_target_of(const char *typed, uint16_t cc);

/* Every compute capability of the table. Returns how many. */
size_t smc_inspect_all_targets(struct smc_inspect_target targets[SMC_INSPECT_MAX_TARGETS]);

/* Writes "sm_90a" and returns `text`. The kernel's architecture must be known. */
enum { SMC_INSPECT_ARCHITECTURE = 16 };
const char *smc_inspect_architecture(const struct smc_inspect_kernel *kernel,
                                     char text[SMC_INSPECT_ARCHITECTURE]);

/* Whether a device of this compute capability runs the machine code without recompilation: it needs
   the same major version and the same or a later minor version, or with the suffix "a" exactly the
   same version. True if the code's architecture is unknown. */
bool smc_inspect_loads(const struct smc_inspect_kernel *kernel, uint16_t cc);

/* "ptxas", "cubin" ...; the same for people. */
const char *smc_inspect_source_name(enum smc_inspect_source source);
const char *smc_inspect_source_words(enum smc_inspect_source source);

#endif
