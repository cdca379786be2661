/* The accesses of an answered query again, with their arrays in a layout that the user tries:
   padded rows or swapped columns. */
#ifndef SMC_QUERY_BANKS_CHANGE_H
#define SMC_QUERY_BANKS_CHANGE_H

#include "query/banks.h"

/* The layout of each array, indexed by smc_banks_pattern's `array`; row_elements 0: unchanged. */
struct smc_banks_change {
    struct smc_rearrangement array[SMC_MAX_SHARED_ACCESSES];
};

/* What one warp of the block accesses in one iteration of the loop; after the last one no lane is
   active. SMC_USAGE if an address moves beyond 32 bits. */
enum smc_status smc_banks_change_access(const struct smc_banks_answer *answer,
                                        const struct smc_banks_change *change, uint32_t pattern,
                                        uint32_t warp, uint32_t step, struct smc_access *access,
                                        struct smc_error *error);

/* The cost of all accesses that the answer counted, for each pattern. Errors as above. */
enum smc_status smc_banks_change_count(const struct smc_banks_answer *answer,
                                       const struct smc_banks_change *change,
                                       struct smc_bank_cost total[SMC_MAX_SHARED_ACCESSES],
                                       struct smc_error *error);

/* The expression of the changed layout. False if it cannot be expressed, and for a kernel. */
bool smc_banks_change_expression(const struct smc_banks_answer *answer,
                                 const struct smc_banks_change *change,
                                 char text[SMC_EXPRESSION_CHARS + 1]);

#endif
