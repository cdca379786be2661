/* Measures the shapes that answers/tune.h ranked first. */
#ifndef SMC_HARDWARE_TUNING_H
#define SMC_HARDWARE_TUNING_H

#include "answers/tune.h"
#include "hardware/executor.h"

/* Runs one shape where the settings say and sets what is measured. Failures as those of the back
 * end. */
typedef enum smc_status smc_tuning_run_function(const struct smc_tune *tune,
                                                struct smc_tune_shape *shape,
                                                const struct smc_run_settings *settings,
                                                struct smc_text *warnings, struct smc_error *error);

/* For the catalog's kernels: the result of each run is compared with the reference, a sample of its
   rows if it is large. */
smc_tuning_run_function smc_tuning_run_catalog;

/* Runs tune->wanted shapes, each once, in the order of smc_tune_next. A shape that fails has its
   reason in `why`, and the next ones follow. tune->cut_short: the watcher's `stop` ended it, with
   SMC_INTERRUPTED; or the GPU was lost, with SMC_MACHINE. */
enum smc_status smc_tuning_measure(struct smc_tune *tune, smc_tuning_run_function *run,
                                   const struct smc_run_settings *settings,
                                   const struct smc_tune_watcher *watcher,
                                   struct smc_text *warnings, struct smc_error *error);

/* Notes a result in the shape. */
void smc_tuning_note(const struct smc_run_result *result, struct smc_tune_shape *shape);

#endif
