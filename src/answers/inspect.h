/* The user's kernels, answered for one or many devices and checked against launch bounds. */
#ifndef SMC_ANSWERS_INSPECT_H
#define SMC_ANSWERS_INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answers/query.h"
#include "base/status.h"
#include "code/user_kernels.h"
#include "machine/bank_accesses.h"

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

/* The bank conflicts of rows that share them: see bank_conflicts.c. */
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
    /* What a bound on the registers costs, set by smc_inspect_set_bounded; 0: it was not asked. */
    uint32_t bound_regs;
    const struct smc_inspect_row *bounded; /* compiled with it; NULL: it cannot be */
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
    struct smc_inspect_summary summary; /* set by smc_selection_apply */
    unsigned order;                     /* enum smc_inspect_order, as of smc_selection_apply */
};

/* Whether the kernel's input records launch bounds: logs of compilers do not. */
bool smc_inspect_records_bounds(const struct smc_inspect_kernel *kernel);

/* Whether both rows are of one kernel: rows of a kernel are adjacent. */
bool smc_inspect_is_same(const struct smc_inspect_row *a, const struct smc_inspect_row *b);
/* Whether row i is the first of its kernel; rows of one kernel follow each other. */
bool smc_inspect_begins_kernel(const struct smc_inspect_rows *rows, size_t i);

/* Notes for each row what the same kernel is on the same device in `bounded`, whose sources were
   compiled with at most so many registers per thread. Rows that do not keep the bound, since their
   __launch_bounds__ take precedence or they are no source, are left out. `bounded` must outlive the
   rows. */
void smc_inspect_set_bounded(struct smc_inspect_rows *rows, const struct smc_inspect_rows *bounded,
                             uint32_t regs);

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

/* The rows of a kernel are adjacent, in the order in which kernels first appear. If a kernel has
   several versions, each device gets the one that its driver would load. SMC_USAGE: a kernel's
   architecture is unknown and no device is named; the other rows are still filled. */
enum smc_status smc_inspect_answer(const struct smc_inspect_kernels *kernels,
                                   const struct smc_inspect_request *request,
                                   struct smc_inspect_rows *rows, struct smc_error *error);

void smc_inspect_rows_free(struct smc_inspect_rows *rows);

/* One kernel on one device, which the row points to. */
void smc_inspect_answer_one(const struct smc_inspect_kernel *kernel,
                            const struct smc_device *device,
                            const struct smc_inspect_request *request, struct smc_inspect_row *row);

/* The block sizes that the user gave, one for each kernel of the list, 0: none was given. NULL: out
   of memory. Free it. */
uint32_t *smc_inspect_given_threads(const struct smc_inspect_kernels *kernels,
                                    const struct smc_inspect_rows *rows);

/* --- Launch bounds ---------------------------------------------------------------------------- */

enum smc_promise_verdict {
#define VERDICT(id, name) SMC_PROMISE_##id,
#include "answers/inspect/verdicts.def"
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

/* --- Bank conflicts --------------------------------------------------------------------------- */

/* The bank conflicts of the user's kernels, from the PTX that they were compiled from. */

/* Fills `banks` of every row whose kernel has PTX and whose block size is known: in the shape
   `block`, or if that is NULL the row's own, or else one dimension. It stays NULL for a kernel
   whose accesses depend on an unknown shape, which sets needs_shape, or whose PTX is not
   understood. Rows of one kernel share an answer where their devices have the same banks.
   SMC_MACHINE: memory. */
enum smc_status smc_inspect_find_banks(struct smc_inspect_rows *rows, const uint32_t *block,
                                       struct smc_error *error);

/* --- The kernels that a command is about ------------------------------------------------------ */

/* The kernels of a file that a command is about: chosen by name, and as one device would load
   them. */

/* One kernel each, whatever the number of its versions; in the order of the file. Start from
   {0}. The kernels are those of the list that it was chosen from. */
struct smc_entries {
    const struct smc_inspect_kernel **item;
    size_t count;
};

/* Those that `entry` names: exactly if one has that name (smc_name_is_of_kernel), else as a pattern
   (smc_name_matches_kernel), or as a report shortens it ("k<..>"); NULL: all. SMC_USAGE: there is
   none; the message suggests the nearest name, or lists some. SMC_MACHINE: out of memory. */
enum smc_status smc_entries_choose(const struct smc_inspect_kernels *kernels, const char *file,
                                   const char *entry, struct smc_entries *entries,
                                   struct smc_error *error);

/* SMC_USAGE with a list of their names unless there is exactly one. */
enum smc_status smc_entries_need_one(const struct smc_entries *entries, const char *file,
                                     const char *entry, struct smc_error *error);

/* Appends the first names of the kernels: "a, b and 9 more". False: out of memory. */
bool smc_entries_list(const struct smc_inspect_kernels *kernels, struct smc_text *list);

void smc_entries_free(struct smc_entries *entries);

/* A kernel as the device would load it: of its versions the one of smc_user_kernels_best_version.
   The names are the caller's to set: `short_name` is NULL. */
void smc_entry_on_device(const struct smc_inspect_kernels *kernels,
                         const struct smc_inspect_kernel *entry, const struct smc_device *device,
                         struct smc_file_kernel *loaded);

/* If the query's device is only assumed, and no version of the kernel loads on it without
   recompilation, the kernel is answered for what it was compiled for. */
void smc_entry_assume_device(const struct smc_inspect_kernels *kernels,
                             const struct smc_inspect_kernel *entry, struct smc_query *query);

/* The name without return type and parameters; free it. NULL: out of memory. */
char *smc_entry_short_name(const struct smc_inspect_kernel *kernel);

#endif
