/* The shapes of a user's kernel: macros of its source vary, and with them the grid, the block and
   the arguments, which may be expressions of the macros' names. */
#ifndef SMC_HARDWARE_TUNING_SOURCE_H
#define SMC_HARDWARE_TUNING_SOURCE_H

#include "hardware/confirm/tuning.h"
#include "hardware/user.h"

/* The `context` of the struct smc_tune. Start from {0}; free it. */
struct smc_tuned_source {
    struct smc_user_request
        request;              /* what does not vary: file, entry, options, device, settings */
    const char *grid, *block; /* "4096/(TM*16)", "64,4096/TN", "32x8" */
    const char *dynamic_smem; /* bytes, or NULL */
    const char *argument[SMC_MAX_USER_ARGUMENTS]; /* as for smc_user_argument_parse, but numbers
                                                     may be expressions: "i32:4096/TM",
                                                     "f32xTM*1024:random" */
    size_t argument_count;

    /* Set by smc_tuning_run_source: the memory after the first run, with which that of the others
       is compared. */
    bool has_first;
    int64_t first[SMC_TUNE_MOST_AXES];
    void *after[SMC_MAX_USER_MEMORIES];
};

void smc_tuned_source_free(struct smc_tuned_source *source);

/* Adds an axis of a macro. SMC_USAGE, without a prefix. */
enum smc_status smc_tuning_add_macro(struct smc_tune *tune, const struct smc_tune_axis *axis,
                                     struct smc_error *error);

/* After all axes were added: the file can be read, and if it is compiled already, every macro
   changes the launch. SMC_USAGE. */
enum smc_status smc_tuning_check_file(const struct smc_tune *tune, struct smc_error *error);

/* For smc_tune_list: whether the expressions have a value that can be launched. */
bool smc_tuning_is_source_legal(const struct smc_tune *tune, const int64_t *value,
                                struct smc_error *why);

smc_tune_predict_function smc_tuning_predict_source;

/* The memory after the launch is compared with that of the first shape that ran: integers must be
   equal, floats within a thousandth of the largest one. */
smc_tuning_run_function smc_tuning_run_source;

#endif
