/* A trace answered by the model: the occupancy of each configuration, what limits it, the tail of
   its last wave, the next step; kernels and configurations sorted by their share of the time. */
#ifndef SMC_TRACE_ANSWER_H
#define SMC_TRACE_ANSWER_H

#include "model/next_steps.h"
#include "query/query.h"
#include "trace/trace.h"

enum smc_trace_agreement {
    SMC_TRACE_NOT_ASKED, /* no answer of the driver was recorded */
    SMC_TRACE_AGREES,
    SMC_TRACE_DIFFERS,
};

/* What keeps the GPU from being full while a configuration runs: the grid if it has fewer blocks
   than the GPU holds at a time; otherwise nothing if every warp slot is taken; otherwise the first
   of the limits that bind, in the order of model/limits.def. */
enum smc_trace_bound {
#define TRACE_BOUND(id, name, label, words) SMC_TRACE_BOUND_##id,
#include "trace/bounds.def"
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

/* Answers each configuration. Configurations of a process that differ in nothing else are shown as
   one row only if they are one record. SMC_MACHINE: memory. Free it in any case. */
enum smc_status smc_trace_answer(const struct smc_trace *trace, struct smc_trace_answer *answer,
                                 struct smc_error *error);

/* The same for another GPU, to which `answer` then points: the same launches with the registers
   that were recorded. NULL: the recorded GPUs. */
enum smc_status smc_trace_answer_on(const struct smc_trace *trace, const struct smc_device *device,
                                    struct smc_trace_answer *answer, struct smc_error *error);
/* What --device has to do with the GPUs of a trace: notes in the trace which GPU answers if it
   names none, and warns if it has other SMs than the trace. `instead` may be NULL. */
void smc_trace_compare_gpus(struct smc_trace *trace, const struct smc_device *instead,
                            struct smc_text *warnings);

void smc_trace_answer_free(struct smc_trace_answer *answer);

/* The whole answer to the question of a row that has an occupancy, as for a query. */
void smc_trace_complete(const struct smc_trace_row *row, struct smc_answer *answer);

/* Threads of a block; 0: unknown. */
uint64_t smc_trace_threads(const struct smc_trace_launch *launch);

/* Blocks of a grid; 0: unknown. */
uint64_t smc_trace_blocks(const struct smc_trace_launch *launch);

/* In JSON "smem", "grid"; for people "shared memory", "small grid"; after a share of the time
   "limited by shared memory", "in launches too small to fill the GPU". */
const char *smc_trace_bound_name(enum smc_trace_bound bound);
const char *smc_trace_bound_label(enum smc_trace_bound bound);
const char *smc_trace_bound_words(enum smc_trace_bound bound);

#endif
