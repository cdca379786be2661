/* The result of a submission compared with the reference's, and what explains it if it is wrong. */
#ifndef SMC_HARDWARE_WRONG_RESULT_H
#define SMC_HARDWARE_WRONG_RESULT_H

#include "hardware/exercise/exercise_launch.h"

/* Two launches of one case, both with a result. */
struct smc_exercise_comparison {
    const struct smc_exercise *exercise;
    struct smc_exercise_launch *own, *reference;
};

/* Counts the wrong elements and describes the first of them. */
void smc_exercise_compare(const struct smc_exercise_comparison *comparison,
                          struct smc_wrong_result *wrong);

/* For a wrong result: tries what students do wrong, on the result itself and by launching the
   reference with other contents and numbers. The reference's memory is as before afterwards, except
   for its result. SMC_MACHINE: memory. */
enum smc_status smc_exercise_find_cause(const struct smc_exercise_comparison *comparison,
                                        struct smc_wrong_result *wrong, struct smc_text *warnings,
                                        struct smc_error *error);

#endif
