/* Runs compared: the kernels of a family, one kernel over a range of values, or both.
   What is run is worked out here without launching anything; smc_series_run launches. */
#ifndef SMC_CONFIRM_SERIES_H
#define SMC_CONFIRM_SERIES_H

#include "base/range.h"
#include "confirm/launch.h"

enum {
    SMC_SERIES_MOST_MEMBERS = 8,
    SMC_SERIES_MOST_RUNS = 256,
    SMC_SERIES_WIDE = 32,   /* a range without a step is wide above so many values: then only */
    SMC_SERIES_SPREAD = 14, /* so many of them are taken at most */
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
    bool spread; /* the values are a choice out of the range */
    size_t count;
    int64_t value[SMC_SERIES_MOST_RUNS];
};

/* What is read off a run. */
enum smc_figure {
#define FIGURE(id, key, above, below) SMC_FIGURE_##id,
#include "confirm/figures.def"
#undef FIGURE
    SMC_FIGURE_COUNT
};

const char *smc_figure_key(enum smc_figure figure); /* "time_ms": for scripts */

enum { SMC_NO_RUN = -1 };

struct smc_series_run {
    struct smc_query query;
    bool has_value; /* the kernel takes what varies */
    int64_t value;
    int baseline; /* index of the run that this one is laid beside, or SMC_NO_RUN */

    /* The rest is there after smc_series_run. */
    bool started;           /* not: what came before it was stopped or lost */
    enum smc_status status; /* stopped or not started: SMC_INTERRUPTED */
    char why[512];          /* of a run without a result, or without an end */
    struct smc_confirmed_run seen;
};

struct smc_series {
    const char *family; /* NULL: one kernel */
    struct smc_series_axis axis;
    size_t count;
    struct smc_series_run *run;
};

/* The kernels of a family that are compared: first the one without shared memory, then the others
   as the catalog has them; none with a race by intention. 0 where there is no such family. */
size_t smc_series_members(const char *family,
                          const struct smc_kernel *member[SMC_SERIES_MOST_MEMBERS]);

/* Sets the axis' values, by what varies, from its range. `stepped`: the range came with a step;
   else, where it is wide, they are spread geometrically, both ends included and between them, of a
   block, multiples of 32, of shared memory of 128 bytes. SMC_USAGE: too many. */
enum smc_status smc_series_take_range(const struct smc_range *range, bool stepped,
                                      struct smc_series_axis *axis, struct smc_error *error);

/* One question for each run: value after value, and for each the members that take what varies;
   then, once, the others. Tiles that the user did not give vary where they make the difference.
   `small`: sizes that the user did not give are small ones, as an emulator needs them. SMC_USAGE:
   too many runs; SMC_MACHINE: memory. To be freed whatever the status. */
enum smc_status smc_series_build(const struct smc_query *members, size_t count, bool small,
                                 struct smc_series *series, struct smc_error *error);
void smc_series_free(struct smc_series *series);

/* Also where neither takes what varies. */
bool smc_series_same_value(const struct smc_series_run *run, const struct smc_series_run *other);

/* Runs one after the other; `step`, which may be NULL, receives how many are done. A run that fails
   keeps its reason, and the others follow, but not where the GPU is lost with it. SMC_INTERRUPTED:
   the settings' `stop` asked for it. */
enum smc_status smc_series_run(struct smc_series *series, const struct smc_run_settings *settings,
                               void (*step)(void *context, size_t done), void *context,
                               struct smc_text *warnings, struct smc_error *error);

/* How many runs were started; those that were not are the last. */
size_t smc_series_started(const struct smc_series *series);

/* SMC_MACHINE where a run failed so; as the first one failed where none has a result; else
   SMC_SHORTFALL where one has none or a prediction differs. */
enum smc_status smc_series_status(const struct smc_series *series, struct smc_error *error);

/* False where the run has no such figure. */
bool smc_series_figure(const struct smc_series *series, size_t index, enum smc_figure figure,
                       double *value);

/* What the series is about, as a set: a GPU times, an emulator counts; where the launch alone
   varies, the resident blocks are the lesson. */
#define SMC_FIGURE_BIT(id) (1u << SMC_FIGURE_##id)
#define SMC_SHARED_COUNTS                                                                          \
    (SMC_FIGURE_BIT(LOAD_WAVEFRONTS) | SMC_FIGURE_BIT(STORE_WAVEFRONTS) | SMC_FIGURE_BIT(CONFLICTS))
uint32_t smc_series_shown(const struct smc_series *series);

bool smc_series_ran_on_gpu(const struct smc_series *series);

/* SMC_DIFFERS where any of the run's predictions does; else of the figures of smc_series_shown, or
   of the failure shown in their place: SMC_CONFIRMED where one is, SMC_INFORMATION where one was
   seen and counts neither way, SMC_NOT_MEASURED where they are nothing but predictions. */
enum smc_verdict smc_series_verdict(const struct smc_series *series, size_t index);

/* Of all runs: SMC_DIFFERS where one does, SMC_NOT_MEASURED where none was measured, else
   SMC_CONFIRMED. */
enum smc_verdict smc_series_whole_verdict(const struct smc_series *series);

/* The fastest of the runs with the same value; it needs company to be so. */
bool smc_series_is_best(const struct smc_series *series, size_t index);

#endif
