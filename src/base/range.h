/* Ranges as a person types them: first:last or first:last:step, both ends included. */
#ifndef SMC_BASE_RANGE_H
#define SMC_BASE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct smc_range {
    int64_t first, last; /* first <= last; `last` is a value only where the steps meet it */
    int64_t step;        /* 1 or more; 0: no range */
};

enum smc_range_fault {
    SMC_RANGE_SOUND,
    SMC_RANGE_MALFORMED, /* not two or three numbers joined by colons */
    SMC_RANGE_OUTSIDE,   /* an end is below `min` or above `max` */
    SMC_RANGE_EMPTY,     /* it ends before it begins */
    SMC_RANGE_NO_STEP,   /* the step is 0 or negative */
};

/* Strict: no blanks, nothing left over. With `sizes` the numbers may end in K, M or G, as for
   smc_parse_size. `range` is set only where the range is sound. */
enum smc_range_fault smc_range_parse(const char *text, int64_t min, int64_t max, bool sizes,
                                     struct smc_range *range);

/* Values of a sound range, 1 or more. */
uint64_t smc_range_count(const struct smc_range *range);

/* `index` is below the count. */
int64_t smc_range_value(const struct smc_range *range, uint64_t index);

#endif
