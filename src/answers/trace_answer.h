/* A trace answered by the model: the occupancy of each configuration, what limits it, the tail of
   its last wave, the next step; kernels and configurations sorted by their share of the time. */
#ifndef SMC_ANSWERS_TRACE_ANSWER_H
#define SMC_ANSWERS_TRACE_ANSWER_H

#include "answers/judge_findings.h"
#include "answers/query.h"
#include "answers/trace/trace.h"
#include "answers/trace/trace_input.h"
#include "machine/emulator.h"
#include "rules/next_steps.h"

enum smc_trace_agreement {
    SMC_TRACE_NOT_ASKED, /* no answer of the driver was recorded */
    SMC_TRACE_AGREES,
    SMC_TRACE_DIFFERS,
};

/* What keeps the GPU from being full while a configuration runs: the grid if it has fewer blocks
   than the GPU holds at a time; otherwise nothing if every warp slot is taken; otherwise the first
   of the limits that bind, in the order of rules/limits.def. */
enum smc_trace_bound {
#define TRACE_BOUND(id, name, label, words) SMC_TRACE_BOUND_##id,
#include "answers/trace/bounds.def"
#undef TRACE_BOUND
    SMC_TRACE_BOUND_COUNT
};

/* One configuration. */
struct smc_trace_row {
    const struct smc_trace_launch *launch;
    const struct smc_device *device; /* NULL: unknown */
    bool ran_there;                  /* as far as the trace tells: it names no other GPU */
    uint32_t sm_count;               /* of it, or else as recorded; 0: unknown */
    const char
        *unknown; /* why there is no occupancy ("registers were not recorded"); NULL: there is */
    struct smc_launch request; /* what the model was asked */
    struct smc_occupancy occupancy;
    double occupancy_percent;
    struct smc_next_steps next_steps;
    bool has_waves; /* the grid and the number of SMs are known, and a block fits */
    struct smc_waves waves;
    double tail_percent;     /* of the block slots of the last wave, empty; with has_waves */
    double resident_percent; /* warps resident on average over the waves, of the most the GPU holds:
                                the occupancy less what small grids and the tail leave empty; with
                                has_waves, else -1 */
    enum smc_trace_bound bound;
    enum smc_trace_agreement agreement;
    double share;         /* 0 to 1, of the time of all launches; of their number if no time is
                             known */
    double mean_ns;       /* of a launch; -1: unknown */
    bool barriers_matter; /* barriers are not recorded, 1 is assumed, and the most that a block can
                             have would limit it */
};

/* A kernel with its configurations, which are neighbours in `rows`. */
struct smc_trace_kernel {
    const char *shown;
    size_t first, count; /* in rows */
    uint64_t launches, timed_launches, total_ns;
    double share;
    double occupancy_percent; /* weighted by time; of the rows that have one; -1: none has */
    double resident_percent;  /* likewise */
};

struct smc_trace_answer {
    const struct smc_trace *trace;
    struct smc_trace_row *rows; /* by kernel, then by share, largest first */
    size_t row_count;
    struct smc_trace_kernel *kernels; /* by share, largest first */
    size_t kernel_count;
    bool has_times;
    uint64_t launches, timed_launches, total_ns;
    double occupancy_percent; /* weighted by time, of the rows that have one; -1: none has */
    double resident_percent;  /* likewise */
    double bound_share[SMC_TRACE_BOUND_COUNT]; /* of the time, or of the launches */
    size_t asked,
        differing; /* configurations that the driver answered; that it answered otherwise */
    const struct smc_device *instead; /* answered for this GPU instead of the recorded ones; or
                                         NULL */
    size_t refused;                   /* configurations that the model says cannot be launched */
    double short_us; /* of the GPUs whose ceilings are known: how long a launch takes; 0: unknown */
    uint64_t short_launches; /* of configurations that on average run for less, those of CUDA graphs
                                left out */
    double short_share;      /* of the time of all launches */
};

/* Answers each configuration, for the GPUs that were recorded, or for another one, `device`, to
   which `answer` then points: the same launches with the registers that were recorded.
   Configurations of a process that differ in nothing else are shown as one row only if they are one
   record. SMC_MACHINE: memory. Free it in any case. */
enum smc_status smc_trace_answer_on(const struct smc_trace *trace, const struct smc_device *device,
                                    struct smc_trace_answer *answer, struct smc_error *error);
/* What --device has to do with the GPUs of a trace: notes in the trace which GPU answers if it
   names none, and warns if it has other SMs than the trace. `instead` may be NULL. */
void smc_trace_compare_gpus(struct smc_trace *trace, const struct smc_device *instead,
                            struct smc_text *warnings);

void smc_trace_answer_free(struct smc_trace_answer *answer);

/* The whole answer to the question of a row that has an occupancy, as for a query. */
void smc_trace_complete(const struct smc_trace_row *row, struct smc_answer *answer);

/* What keeps the GPU from being full, from the row's occupancy and waves. */
enum smc_trace_bound smc_trace_bound_of(const struct smc_trace_row *row);

/* Threads of a block; 0: unknown. */
uint64_t smc_trace_threads(const struct smc_trace_launch *launch);

/* Blocks of a grid; 0: unknown. */
uint64_t smc_trace_blocks(const struct smc_trace_launch *launch);

struct smc_trace_bound_words {
    const char *name;  /* in JSON: "smem", "grid" */
    const char *label; /* for people: "shared memory", "small grid" */
    const char *words; /* after a share of the time: "limited by shared memory" */
};
extern const struct smc_trace_bound_words smc_trace_bounds[SMC_TRACE_BOUND_COUNT];

/* The bound that takes most of a kernel's time, and how many others take some of it. */
enum smc_trace_bound smc_trace_main_bound(const struct smc_trace_answer *answer,
                                          const struct smc_trace_kernel *kernel, int *others);

/* --- Traces of other tools -------------------------------------------------------------------- */

/* Traces that other tools recorded. Each reader streams: memory does not grow with the number of
   launches. What a file does not record stays unknown and is noted. */

/* Reads a file of any kind below, recognised by its content: an export of Nsight Systems (SQLite),
   the table of `nsys stats --report cuda_gpu_trace` or `nvprof --print-gpu-trace`, `ncu --csv`, a
   Chrome trace of PyTorch, the JSON that Triton's cache has for a kernel, a folder of those, or
   `smemcalc trace --format json`. It may be compressed by gzip, and a pipe; "-" is standard input.
   SMC_USAGE with "FILE: ..." or "FILE:LINE: ..." if it is none of these or damaged; SMC_UNAVAILABLE
   if this build lacks the library for it; SMC_MACHINE: memory. The trace is then incomplete and may
   only be freed. */
enum smc_status smc_trace_read(const char *file, struct smc_trace *trace, struct smc_error *error);

/* Reads one file or several of one program, such as one of each rank; their GPUs and processes are
   all different ones. With several, the filter may have patterns only. SMC_USAGE also: two of them
   cannot be merged. */
enum smc_status smc_trace_read_files(const char *const *files, size_t count,
                                     struct smc_trace *trace, struct smc_error *error);

/* Reads the metadata of all kernels in a folder, such as ~/.triton/cache, and in folders within it.
   SMC_USAGE: there are none. */
enum smc_status smc_trace_read_triton_cache(const char *folder, struct smc_trace *trace,
                                            struct smc_error *error);

/* One reader. `begins`: whether a file that begins with these bytes (at most
   SMC_TRACE_BEGINNING, '\0' after them) is its kind. `read`: of an input that was just opened. */
struct smc_trace_reader {
    bool (*begins)(const char *bytes, size_t count);
    enum smc_status (*read)(struct smc_trace_input *input, struct smc_trace *trace,
                            struct smc_error *error);
};

/* Reads the tables of nsys stats and nvprof from a file's beginning on, whatever is before them.
   `found`: whether it has such a table; without one it is refused. */
enum smc_status smc_trace_read_tables(FILE *stream, struct smc_trace *trace, bool *found,
                                      struct smc_error *error);

extern const struct smc_trace_reader smc_trace_reader_nsys, smc_trace_reader_ncu,
    smc_trace_reader_tables, smc_trace_reader_chrome, smc_trace_reader_triton, smc_trace_reader_own;

/* --- Recording a program ---------------------------------------------------------------------- */

/* Runs a program, unmodified, with the library that records its launches, and gathers what the
   library of each of its processes wrote. */

struct smc_trace_request {
    char *const *command;    /* the program and its arguments, NULL after them */
    uint64_t duration_ms;    /* record only this long after its start; 0: until it ends */
    const char *keep_folder; /* where the machine code of its modules is kept; NULL: nowhere */
    bool without_cupti;      /* use the driver's launch calls even if CUPTI is there */
    const char *emulated;    /* run its kernels on the emulator, as this device; NULL: on the GPU */
    enum smc_strictness strictness; /* of the emulator */
};

/* A program that keeps running after all that was requested is recorded. */
struct smc_trace_program;

/* Runs the program to its end, or until `duration_ms` is over: then `*program` is the one that goes
   on, to be awaited after the report; else NULL. Its standard input, output and error are its own.
   The filter of `trace` applies. SMC_USAGE if the program cannot be started, with its name and the
   reason; SMC_UNAVAILABLE if the library is missing or this build is without it; SMC_MACHINE:
   memory, no space for the records. A program that fails is no failure of this: see
   trace->exit_status. */
enum smc_status smc_trace_collect(const struct smc_trace_request *request, struct smc_trace *trace,
                                  struct smc_trace_program **program, struct smc_error *error);

/* Waits for the end of the program and notes its exit status in `trace`. NULL: does nothing. */
void smc_trace_await(struct smc_trace_program *program, struct smc_trace *trace);

/* --- Requirements ----------------------------------------------------------------------------- */

/* A requirement for the kernels of a trace: those that take much of the time have at least so much
   occupancy, except for those that a file allows to have less. */

/* A line of the file: a kernel that may have less. */
struct smc_trace_allowance {
    char *pattern; /* as for smc_name_matches */
    uint32_t line; /* from 1 */
    bool used;     /* a kernel that matches has less: set by smc_trace_gate_judge */
};

/* Start from {0}, with `least_percent` and `above_share` set. */
struct smc_trace_gate {
    double least_percent; /* required occupancy; 0: nothing is required */
    double above_share;   /* 0 to 1: only of kernels that take more of the time */
    char *path;           /* of the file, safe for a terminal; NULL: none */
    struct smc_trace_allowance *allowance;
    size_t count;
};

/* Adds the patterns of a file, one in a line; what follows a '#' at the start of a line or after a
   blank is a comment. SMC_USAGE: "FILE: ..." if it cannot be read; SMC_MACHINE: memory. */
enum smc_status smc_trace_gate_allow(const char *path, struct smc_trace_gate *gate,
                                     struct smc_error *error);
void smc_trace_gate_free(struct smc_trace_gate *gate);

/* Start from {0}. Its strings belong to the answer, the trace and itself. */
struct smc_trace_verdict {
    struct smc_findings findings;     /* errors: less than required, or unknown; notes: allowed */
    struct smc_judgements judgements; /* the kernels that take that much of the time */
    size_t low, allowed, unknown;     /* kernels */
};

/* Judges each kernel that takes more than the share of the time by the mean occupancy of its
   configurations, weighted by their time. SMC_SHORTFALL: one has less; SMC_USAGE: none has, but of
   one the occupancy is unknown, or a share is given for a trace without times; SMC_MACHINE:
   memory. Free the verdict in any case. */
enum smc_status smc_trace_gate_judge(struct smc_trace_gate *gate,
                                     const struct smc_trace_answer *answer,
                                     struct smc_trace_verdict *verdict, struct smc_error *error);
void smc_trace_verdict_free(struct smc_trace_verdict *verdict);

#endif
