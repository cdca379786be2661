/* Runs compared: the kernels of a family, one kernel over a range of values, or both; and two of
   the user's kernels. smc_series_build determines the runs without launching anything;
   smc_series_run launches them. */
#ifndef SMC_HARDWARE_SERIES_H
#define SMC_HARDWARE_SERIES_H

#include "base/parse.h"
#include "hardware/confirmed_launch.h"
#include "hardware/user.h"

enum {
    SMC_SERIES_MOST_MEMBERS = 8,
    SMC_SERIES_MOST_RUNS = 256,
    SMC_SERIES_WIDE = 32,   /* a range without a step is wide if it has more values than this */
    SMC_SERIES_SPREAD = 14, /* at most this many values of a wide range are run */
};

enum smc_series_vary {
    SMC_VARY_NOTHING,
    SMC_VARY_PARAM,
    SMC_VARY_DYNAMIC_SMEM,
    SMC_VARY_CARVEOUT,
    SMC_VARY_CACHE_CONFIG, /* values of enum smc_cache_config */
};

struct smc_series_axis {
    enum smc_series_vary vary;
    enum smc_param param; /* with SMC_VARY_PARAM */
    struct smc_range range;
    bool spread; /* the values are a selection from the range */
    size_t count;
    int64_t value[SMC_SERIES_MOST_RUNS];
};

/* The figures that are shown for a run. */
enum smc_figure {
#define FIGURE(id, key, above, below) SMC_FIGURE_##id,
#include "hardware/figures.def"
    SMC_FIGURE_COUNT
};

const char *smc_figure_key(enum smc_figure figure); /* "time_ms": for scripts */

enum { SMC_NO_RUN = -1 };

struct smc_series_run {
    struct smc_query query;
    bool has_value; /* the kernel has the varied parameter */
    int64_t value;
    int baseline; /* index of the run that this one is compared with, or SMC_NO_RUN */

    /* The rest is set by smc_series_run. */
    bool started;           /* false: the series was stopped, or the GPU lost, before it */
    enum smc_status status; /* stopped or not started: SMC_INTERRUPTED */
    char why[512];          /* of a run without a result, or that does not end */
    struct smc_confirmed_run seen;
};

struct smc_series {
    const char *family; /* NULL: one kernel */
    struct smc_series_axis axis;
    size_t count;
    struct smc_series_run *run;
};

/* The kernels of a family that are compared: first the one without shared memory, then the others
   in the order of the catalog, except those with an intentional race. Returns 0 if there is no such
   family. */
size_t smc_series_members(const char *family,
                          const struct smc_kernel *member[SMC_SERIES_MOST_MEMBERS]);

/* Sets the values of the axis from its range. `stepped`: the range was given with a step. Otherwise
   the values of a wide range are spread geometrically and include both ends; between them are only
   multiples of 32 for a block, of 128 bytes for shared memory. SMC_USAGE: too many. */
enum smc_status smc_series_take_range(const struct smc_range *range, bool stepped,
                                      struct smc_series_axis *axis, struct smc_error *error);

/* Makes one query for each run: for each value the members that have the varied parameter, then the
   other members once. Tiles that the user did not give are varied if the kernel demonstrates tiles.
   `small`: sizes that the user did not give are small enough for an emulator. SMC_USAGE: too many
   runs; SMC_MACHINE: memory. Free `series` whatever the status. */
enum smc_status smc_series_build(const struct smc_query *members, size_t count, bool small,
                                 struct smc_series *series, struct smc_error *error);
void smc_series_free(struct smc_series *series);

/* Also true if neither has the varied parameter. */
bool smc_series_same_value(const struct smc_series_run *run, const struct smc_series_run *other);

/* Runs the series in order; `step`, which may be NULL, receives how many runs are done. A failed
   run stores its reason and the next ones follow, unless the GPU was lost. SMC_INTERRUPTED: the
   settings' `stop` requested it. */
enum smc_status smc_series_run(struct smc_series *series, const struct smc_run_settings *settings,
                               void (*step)(void *context, size_t done), void *context,
                               struct smc_text *warnings, struct smc_error *error);

/* How many runs were started; the others are at the end. */
size_t smc_series_started(const struct smc_series *series);

/* SMC_MACHINE if a run failed with it; the status of the first run if none has a result; else
   SMC_SHORTFALL if one has no result or a prediction differs. */
enum smc_status smc_series_status(const struct smc_series *series, struct smc_error *error);

/* False if the run has no such figure. */
bool smc_series_figure(const struct smc_series *series, size_t index, enum smc_figure figure,
                       double *value);

/* The set of figures that are shown: times on a GPU, counts in an emulator, and resident blocks if
   only the launch varies. */
#define SMC_FIGURE_BIT(id) (1u << SMC_FIGURE_##id)
#define SMC_SHARED_COUNTS                                                                          \
    (SMC_FIGURE_BIT(LOAD_WAVEFRONTS) | SMC_FIGURE_BIT(STORE_WAVEFRONTS) | SMC_FIGURE_BIT(CONFLICTS))
uint32_t smc_series_shown(const struct smc_series *series);

bool smc_series_ran_on_gpu(const struct smc_series *series);

/* SMC_DIFFERS if any of the run's predictions differs. Otherwise judges the figures of
   smc_series_shown, or the failure shown instead: SMC_CONFIRMED if one is confirmed,
   SMC_INFORMATION if one was observed but counts neither way, SMC_NOT_MEASURED if there are only
   predictions. */
enum smc_verdict smc_series_verdict(const struct smc_series *series, size_t index);

/* For all runs: SMC_DIFFERS if one differs, SMC_NOT_MEASURED if none was measured, else
   SMC_CONFIRMED. */
enum smc_verdict smc_series_whole_verdict(const struct smc_series *series);

/* Whether it is the fastest of several runs with the same value; false for a single run. */
bool smc_series_is_best(const struct smc_series *series, size_t index);

/* --- Two of the user's kernels ---------------------------------------------------------------- */

/* Launched in turns with the same grid, block and arguments. */

enum { SMC_PAIR = 2, SMC_PAIR_ROUNDS = 2 };

struct smc_user_pair {
    struct smc_user_run *run[SMC_PAIR]; /* owned by the caller */
    struct smc_confirmation confirmation[SMC_PAIR];
    double ms[SMC_PAIR]; /* measured medians, else predicted times; 0: unknown */
    double speed_up;     /* how many times as fast the second kernel is by these; 0: unknown */
    bool is_measured;
    /* Measured: in no round the medians' confidence intervals overlap, and the same kernel is
       always ahead. */
    bool exceeds_noise;
    bool compares_results; /* both have the same arrays, and ran to their ends */
};

/* Launches both, the second after the first, and on a GPU both again, so that a drift of the clocks
   is not taken for a difference. Both are prepared. Fails as smc_user_launch does; the message
   names the kernel. */
enum smc_status smc_user_pair_launch(struct smc_user_pair *pair, struct smc_text *warnings,
                                     struct smc_error *error);

/* Fills the rest of the pair; also where nothing was launched. */
void smc_user_pair_compare(struct smc_user_pair *pair);

/* The elements of an array that differ bit for bit between the two kernels; `compared` is false
   where the pair compares no results. */
void smc_user_pair_result(const struct smc_user_pair *pair, size_t memory,
                          struct smc_agreement *agreement);

#endif
