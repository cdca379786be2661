/* The user's file that is open in the explorer: its kernels as the worker read them last, listed
   like those of a trace, and what changed since they were read before. */
#ifndef SMC_SHOW_OPEN_FILE_H
#define SMC_SHOW_OPEN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answers/inspect.h"
#include "answers/query.h"
#include "answers/trace_answer.h"

enum {
    SMC_OPEN_PATH_CHARS = 1024,
    SMC_OPEN_TEXT_CHARS = 512,
    SMC_OPEN_ARGUMENTS_CHARS = 512,
    SMC_MOST_OPEN_KERNELS = 4096, /* the worst; a list of more is not read on a screen */
    SMC_MOST_OPEN_ACCESSES = SMC_MAX_SHARED_ACCESSES,
    SMC_MOST_OPEN_LAUNCHES = 16,
};

/* The launch that the user gave one kernel. */
struct smc_open_launch {
    char kernel[SMC_OPEN_TEXT_CHARS]; /* as compiled */
    int64_t threads_per_block;
    uint32_t block[3];   /* its shape; {0}: only the number is known */
    int64_t grid_blocks; /* or SMC_NOT_GIVEN */
    uint32_t grid_y, grid_z;
    int64_t dynamic_smem_bytes; /* or SMC_NOT_GIVEN */
};

/* What the worker is asked about the file, or about one kernel of it; without pointers. The launch
   of one kernel is that of the job's query. */
struct smc_open_question {
    char file[SMC_OPEN_PATH_CHARS];    /* "": none is open */
    char options[SMC_OPEN_TEXT_CHARS]; /* for the compiler, separated by blanks */
    bool no_cache;
    int64_t threads_per_block; /* of every kernel, or SMC_NOT_GIVEN */
    uint32_t block[3];         /* its shape; {0}: only the number is known */
    int64_t grid_blocks;       /* of every launch, or SMC_NOT_GIVEN */
    uint32_t grid_y, grid_z;
    int64_t dynamic_smem_bytes; /* of every kernel that uses it, or SMC_NOT_GIVEN */
    struct smc_open_launch launch[SMC_MOST_OPEN_LAUNCHES]; /* of single kernels */
    size_t launch_count;
    uint32_t saves, changed_launches;         /* how often the file and `launch` have changed */
    char kernel[SMC_OPEN_TEXT_CHARS];         /* as compiled; "": all of them */
    char arguments[SMC_OPEN_ARGUMENTS_CHARS]; /* of its launch, one a line, as --arg reads them */
};

/* What a change is measured by. */
struct smc_open_figures {
    uint32_t regs_per_thread, static_smem_bytes, blocks_per_sm;
    uint64_t spilled_bytes; /* by a thread, loads and stores */
    uint64_t conflicts;     /* of one block */
    bool conflicts_known;
};

/* A kernel of the file. */
struct smc_open_kernel {
    struct smc_file_kernel file_kernel; /* its names point to those below */
    char file[SMC_OPEN_PATH_CHARS];     /* safe for a terminal */
    char symbol[SMC_OPEN_TEXT_CHARS];   /* as compiled */
    char name[SMC_OPEN_TEXT_CHARS];     /* demangled */
    char short_name[SMC_OPEN_TEXT_CHARS];
    struct smc_open_figures now, before; /* `before`: with is_changed */
    bool is_changed, is_new;             /* by the last change of the file */
    bool is_gone;                        /* the file no longer has it, or another file is open */
    bool was_there;                      /* when the file was read before; of one that is gone */
    enum smc_threads_source threads_source;
    bool dynamic_smem_unknown; /* it uses some, and nothing states how much: counted as none */
    uint32_t block[3]; /* the shape of the block; {0}: only the number of threads is known */
    struct smc_launch launch;
    struct smc_occupancy occupancy;
    double occupancy_percent;
    struct smc_next_steps next_steps;
    uint32_t source_line; /* of its definition; 0: unknown */
};

/* An instruction of a kernel that accesses shared memory, all unrolled copies of it together. */
struct smc_open_access {
    char label[160];  /* the line of the source, with its number */
    char remark[512]; /* what removes the conflicts, or why it was not followed; or "" */
    enum smc_bank_op op;
    uint32_t width_bytes;
    bool unknown;               /* its wavefronts are not known: the rest is unset */
    struct smc_bank_cost total; /* of one block */
    struct smc_access worst;    /* what the lanes of the worst warp access */
    uint32_t worst_warp;
};

/* The accesses of one kernel in one launch. */
struct smc_open_accesses {
    bool known;
    bool is_due; /* the file was read again since; until they are found, these stay */
    char kernel[SMC_OPEN_TEXT_CHARS];
    int64_t threads_per_block;
    uint32_t block[3];                                   /* as the query has it */
    struct smc_open_access item[SMC_MOST_OPEN_ACCESSES]; /* the worst, in the order of the code */
    size_t count, all;                                   /* listed; in the kernel */
    uint32_t warps;                                      /* of the block */
    char why[256];                                       /* there are none */
};

/* Start from {0}; do not move it: the list points into it. */
struct smc_open_file {
    struct smc_open_question question;
    bool is_read;                     /* at least once; before, the list is empty */
    bool is_stale;                    /* the file changed since it was read */
    uint32_t saves, changed_launches; /* of the question that was answered last */
    struct smc_device device;         /* that it was read for */
    struct smc_open_kernel **kernel;  /* every kernel that was ever read: queries point to them */
    size_t count, capacity;
    size_t *listed; /* the kernels of the last reading, the worst first */
    size_t listed_count;
    struct smc_trace trace; /* the same as a list */
    struct smc_trace_answer answer;
    char shown[SMC_OPEN_PATH_CHARS]; /* the name, safe for a terminal */
    char failure[1024];              /* why the last reading failed, or "" */
    struct smc_open_accesses accesses;
};

/* Opens a file; kernels of one that was open before stay valid. */
void smc_open_file_begin(struct smc_open_file *file, const struct smc_open_question *question);
void smc_open_file_close(struct smc_open_file *file);

/* The launch of a query about a kernel of the file is from now on that of the kernel in the list.
 */
void smc_open_file_keep_launch(struct smc_open_file *file, const struct smc_query *query);

/* A query whose launch was not set by the user has that of its kernel in the list. */
void smc_open_file_follow(const struct smc_open_file *file, struct smc_query *query);

/* It was saved or built again. */
void smc_open_file_changed(struct smc_open_file *file);

/* Whether a file is open that has to be read again, or answered for other launches or another
   device than before. */
bool smc_open_file_is_due(const struct smc_open_file *file, const struct smc_device *device);

/* The answer to a question for a device replaces the one before: kernels of the same name stay
   where they are. False: out of memory. */
bool smc_open_file_take(struct smc_open_file *file, const struct smc_open_question *asked,
                        const struct smc_device *device, const struct smc_open_kernel *kernels,
                        size_t count, const char *notes);

/* It could not be read; what was read before stays. */
void smc_open_file_fail(struct smc_open_file *file, const struct smc_open_question *asked,
                        const struct smc_device *device, const char *why);

/* The kernel of the file that a query is about; NULL: none of it. */
const struct smc_open_kernel *smc_open_kernel_of(const struct smc_open_file *file,
                                                 const struct smc_query *query);

/* The kernel in a row of the list. */
const struct smc_open_kernel *smc_open_kernel_at(const struct smc_open_file *file, size_t row);

/* Appends "64 -> 72 registers, 4 -> 3 blocks per SM"; nothing if nothing changed. */
void smc_open_kernel_append_change(const struct smc_open_kernel *kernel, struct smc_text *out);

/* Appends the kernels that the last change of the file affected, or that it affected none. */
void smc_open_file_append_changes(const struct smc_open_file *file, struct smc_text *out);

/* What a query about a kernel of the file asks the worker. */
void smc_open_file_ask(const struct smc_open_file *file, const struct smc_query *query,
                       struct smc_open_question *question);

/* Whether they can be read, one a line (open_file_launch.c). */
enum smc_status smc_open_check_arguments(const char *lines, struct smc_error *error);

/* Appends the words and options that name the kernel and its launch to `run`. */
void smc_open_file_append_launch(const struct smc_open_file *file, const struct smc_query *query,
                                 struct smc_text *out);

/* Their conflicts, as far as they are known, and whether they are those of that kernel in the
   query's launch. */
uint64_t smc_open_conflicts(const struct smc_open_accesses *accesses);
bool smc_open_accesses_fit(const struct smc_open_accesses *accesses, const char *kernel,
                           const struct smc_query *query);

/* --- The worker's part (open_file_jobs.c) ----------------------------------------------------- */

/* Reads the file for the query's device, which becomes that of the code if it was only assumed and
   does not load the code. `kernels`: the worst first; to be freed. `notes`: what was left out or is
   damaged. */
enum smc_status smc_open_read(const struct smc_open_question *question, struct smc_query *query,
                              struct smc_open_kernel **kernels, size_t *count,
                              struct smc_text *notes, struct smc_error *error);

/* The accesses to shared memory of one kernel in the query's launch. */
void smc_open_find_accesses(const struct smc_open_question *question, const struct smc_query *query,
                            struct smc_open_accesses *accesses);

#endif
