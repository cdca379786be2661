/* Choosing the values of a kernel's parameters: lists every shape that is legal, compiles each,
   drops those that cannot launch or spill, and ranks the others by predicted time. Measuring the
   first of them is left to hardware/confirm/tuning.h. */
#ifndef SMC_ANSWERS_TUNE_H
#define SMC_ANSWERS_TUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answers/query.h"
#include "base/status.h"
#include "base/text.h"

enum {
    SMC_TUNE_MOST_AXES = 8,
    SMC_TUNE_MOST_VALUES = 128,    /* of one axis */
    SMC_TUNE_MOST_SHAPES = 20000,  /* compiled */
    SMC_TUNE_MOST_TRIED = 2000000, /* combinations of values, legal or not */
    SMC_TUNE_NAME_CHARS = 32,
    SMC_TUNE_RUNS = 12, /* measured if the user does not say how many */
};

enum smc_tune_kind {
    SMC_TUNE_PARAM,    /* a parameter of the catalog's kernel */
    SMC_TUNE_CARVEOUT, /* the preferred carve-out, in percent */
    SMC_TUNE_MACRO,    /* of the user's source: -DNAME=VALUE */
};

/* What varies: a name and its values, ascending as given. */
struct smc_tune_axis {
    char name[SMC_TUNE_NAME_CHARS]; /* as on the command line, without dashes: "block-m", "TM" */
    enum smc_tune_kind kind;
    enum smc_param param; /* of SMC_TUNE_PARAM */
    size_t count;
    int64_t value[SMC_TUNE_MOST_VALUES];
};

enum smc_tune_state {
#define STATE(id, name, meaning) SMC_TUNE_##id,
#include "answers/query/tune_states.def"
    SMC_TUNE_STATE_COUNT
};

struct smc_tune_state_info {
    const char *name;    /* in scripts */
    const char *meaning; /* for people, after a number of shapes */
};

extern const struct smc_tune_state_info smc_tune_state_info[SMC_TUNE_STATE_COUNT];

/* One combination of values. */
struct smc_tune_shape {
    int64_t value[SMC_TUNE_MOST_AXES]; /* in the order of the axes */
    enum smc_tune_state state;
    enum smc_status failure; /* of SMC_TUNE_FAILED: SMC_USAGE for source with errors */
    char why[200];           /* it was dropped or failed; or there is no prediction; or "" */
    uint32_t threads_per_block, regs_per_thread, smem_bytes_per_block, spill_bytes;
    uint32_t blocks_per_sm;
    uint32_t smem_configured_bytes; /* the carve-out that the launch gets */
    double percent;                 /* occupancy */
    struct smc_time time;
    uint64_t launch_hash; /* of the code and the launch of the user's kernel; 0: unknown */
    size_t rank;          /* from 1; 0: not ranked */

    /* Set by smc_tuning_measure. */
    bool tried;    /* on the GPU */
    size_t turn;   /* in which it was, from 1 */
    bool measured; /* and has a time */
    bool wrong;    /* but its result differs from the reference: never the winner */
    uint32_t timed_launches;
    double median_ms, fastest_ms, slowest_ms;
};

struct smc_tune;

/* Compiles a shape and predicts its time: sets everything up to `time`. Called by several threads
   with different shapes. A shape without an answer is not a failure; `error` is why. SMC_MACHINE:
   memory. */
typedef enum smc_status smc_tune_predict_function(const struct smc_tune *tune,
                                                  struct smc_tune_shape *shape,
                                                  struct smc_text *warnings,
                                                  struct smc_error *error);

struct smc_tune {
    struct smc_query query; /* what does not vary; without a kernel for the user's source */
    smc_tune_predict_function *predict;
    void *context;      /* of `predict`; not owned */
    const char *source; /* the user's file; NULL for a kernel of the catalog */
    const char *entry;  /* its kernel; NULL: the only one */
    size_t axis_count;  /* the last one varies fastest */
    struct smc_tune_axis axis[SMC_TUNE_MOST_AXES];
    uint64_t
        tried; /* combinations of values; those that the kernel does not allow are not shapes */
    size_t count;
    struct smc_tune_shape *shape; /* in the order of the values */
    size_t ranked;
    size_t *order;                  /* the ranked shapes, by rank */
    bool incomplete;                /* stopped before every shape was predicted */
    struct smc_error first_failure; /* why the first shape has no answer; or "" */

    /* Set by smc_tuning_measure. */
    size_t wanted;          /* shapes to run */
    size_t wanted_first;    /* those that a search without --all runs: what regret is about */
    char not_measured[256]; /* why nothing was measured, or "" */
    int gpu_index;          /* that measured */
    bool cut_short;         /* stopped, or the GPU lost, before all of `wanted` were run */
    /* What the measurements say about the predictions, as natural logarithms of factors: that of
       all, and those of each value of each axis. */
    double common, effect[SMC_TUNE_MOST_AXES][SMC_TUNE_MOST_VALUES];
    double flops, fma; /* of a launch; 0: unknown */
};

/* Reads "NAME=4,8,16" or "NAME=8:32:8" (or a mix, joined by commas) into an axis without a kind.
   SMC_USAGE names what is wrong, without a prefix. */
enum smc_status smc_tune_read_axis(const char *text, struct smc_tune_axis *axis,
                                   struct smc_error *error);

/* Adds an axis of the catalog's kernel that the user gave: finds what its name means. SMC_USAGE,
   without a prefix: unknown, a problem's size, given twice or also as an option, values outside
   the parameter's range. */
enum smc_status smc_tune_add_axis(struct smc_tune *tune, const struct smc_tune_axis *axis,
                                  struct smc_error *error);

/* Adds an axis of known kind. SMC_USAGE: given twice, or too many. */
enum smc_status smc_tune_append_axis(struct smc_tune *tune, const struct smc_tune_axis *axis,
                                     struct smc_error *error);

/* Adds the other parameters of tune->query.kernel that determine its speed and not its result, if
   the user did not give their value, with the values worth trying; and sorts the axes. SMC_USAGE:
   there is nothing to vary. */
enum smc_status smc_tune_add_usual_axes(struct smc_tune *tune, struct smc_error *error);

/* Lists the shapes. `is_legal` says whether the values may be combined; NULL: what the kernel of
   the catalog allows. SMC_USAGE: too many, or none. */
enum smc_status smc_tune_list(struct smc_tune *tune,
                              bool (*is_legal)(const struct smc_tune *tune, const int64_t *value,
                                               struct smc_error *why),
                              struct smc_error *error);

/* The query of a shape of the catalog's kernel. */
void smc_tune_ask(const struct smc_tune *tune, const int64_t *value, struct smc_query *query);

/* For the catalog's kernels. */
smc_tune_predict_function smc_tune_predict_catalog;

/* Notes an answer in the shape: refused, spilling, predicted or without a prediction. */
void smc_tune_note(const struct smc_answer *answer, struct smc_tune_shape *shape);

struct smc_tune_watcher {
    bool (*stop)(void);                       /* called by several threads; or NULL */
    void (*step)(void *context, size_t done); /* called by the calling thread; or NULL */
    void *context;
};

/* Predicts every shape with all cores, and ranks them, those of one code and launch once: by
   predicted time; then those that only
   repeat another's prediction with a different carve-out; then those without one by occupancy.
   SMC_UNAVAILABLE or SMC_USAGE: no shape could be compiled. */
enum smc_status smc_tune_predict(struct smc_tune *tune, const struct smc_tune_watcher *watcher,
                                 struct smc_text *warnings, struct smc_error *error);

/* The next shape to run; NULL: all were. It is the one with the lowest predicted time, corrected by
   what smc_tune_learn found. */
struct smc_tune_shape *smc_tune_next(const struct smc_tune *tune);

/* To be called after each run: explains how far off the predictions of the measured shapes are by
   a factor for each value that varies, and one for all, each as small as it can be (ridge
   regression of the logarithms). */
void smc_tune_learn(struct smc_tune *tune);

/* The fastest measured shape among the first `runs`; NULL if there is none. */
const struct smc_tune_shape *smc_tune_fastest(const struct smc_tune *tune, size_t runs);

/* The winner: the fastest that was measured; without measurements NULL. */
const struct smc_tune_shape *smc_tune_winner(const struct smc_tune *tune);

/* Whether every ranked shape was run. */
bool smc_tune_is_exhaustive(const struct smc_tune *tune);

/* How many were run, and how many shapes are in a state. */
size_t smc_tune_run_count(const struct smc_tune *tune);
size_t smc_tune_state_count(const struct smc_tune *tune, enum smc_tune_state state);

/* By what share the fastest of the first `runs` is slower than the winner: 0.01 for 1 %. For an
   exhaustive search; negative if none of them was measured. */
double smc_tune_regret(const struct smc_tune *tune, size_t runs);

/* Mean and worst error of the predictions as a share of the measured time. False: none. */
bool smc_tune_errors(const struct smc_tune *tune, double *mean, double *worst);

void smc_tune_free(struct smc_tune *tune);

#endif
