/* How the values of a quantity are held against each other. Inside the files merge*. */
#ifndef SMC_MERGE_JUDGE_H
#define SMC_MERGE_JUDGE_H

#include "confirm/merge.h"

bool smc_merge_is_rate(const struct smc_merge_row *row);

/* Marks odd values, fills in what its peers have in common, and gives the verdict. `scratch` has
   room for all of its values. */
void smc_merge_judge(struct smc_merged_quantity *quantity, double *scratch);

#endif
