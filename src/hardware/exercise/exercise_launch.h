/* One launch of an exercise: a source in one case. */
#ifndef SMC_HARDWARE_EXERCISE_LAUNCH_H
#define SMC_HARDWARE_EXERCISE_LAUNCH_H

#include "hardware/exercise.h"

struct smc_exercise_launch {
    struct smc_user_request request;
    struct smc_user_run run;
    struct smc_text file; /* request.file */
    struct smc_text argument[SMC_EXERCISE_MOST_ARGUMENTS];
    uint64_t extent[SMC_EXERCISE_MOST_ARGUMENTS][SMC_EXERCISE_MOST_EXTENTS];
};

/* The value of an expression of the case's names. SMC_USAGE, without a prefix. */
enum smc_status smc_exercise_evaluate(const struct smc_exercise *exercise,
                                      const struct smc_exercise_case *one, const char *expression,
                                      int64_t *value, struct smc_error *error);

/* Compiles the source for the case. A line "// launch: block = 32,8; grid = ...; smem = ..." of it
   replaces the task's. No time is predicted yet. `file` names the source in
   messages. SMC_USAGE: it does not compile, or does not have the task's kernel. Free the launch if
   it is not NULL. */
enum smc_status smc_exercise_launch_prepare(const struct smc_exercise_request *request,
                                            const struct smc_exercise_case *one, const char *file,
                                            const char *source, struct smc_exercise_launch **out,
                                            struct smc_text *warnings, struct smc_error *error);
void smc_exercise_launch_free(struct smc_exercise_launch *launch);

/* Makes its memory, with the contents before the launch, and names it as the task does. */
enum smc_status smc_exercise_make_memory(const struct smc_exercise *exercise,
                                         struct smc_exercise_launch *launch,
                                         struct smc_error *error);

/* Whether errors were found: notes and findings of the same kind, such as printf's, are none. */
bool smc_exercise_has_fault(const struct smc_emulated_run *emulated);

/* Launches the exercise's reference, which has memory. SMC_USAGE: it has a fault or does not end.
   SMC_INTERRUPTED. */
enum smc_status smc_exercise_launch_reference(const struct smc_exercise *exercise,
                                              struct smc_exercise_launch *launch,
                                              struct smc_text *warnings, struct smc_error *error);

/* Launches it again, perhaps with other contents or numbers than before. */
enum smc_status smc_exercise_launch_again(struct smc_exercise_launch *launch,
                                          struct smc_text *warnings, struct smc_error *error);

/* The memory of an argument, which is an array. */
struct smc_user_memory *smc_exercise_memory(struct smc_exercise_launch *launch, size_t argument);

#endif
