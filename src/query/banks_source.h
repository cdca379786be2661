/* What the parts of the answer about banks share: where the accesses come from, and remedies. */
#ifndef SMC_QUERY_BANKS_SOURCE_H
#define SMC_QUERY_BANKS_SOURCE_H

#include "query/banks.h"

struct smc_banks_source {
    const struct smc_banks_query *query;
    uint32_t threads; /* of the block */
    bool is_kernel;
    char text[SMC_EXPRESSION_CHARS + 1]; /* without a kernel: the byte address of a thread */
    struct smc_expression expression;
};

/* Completes the query's parameters. */
enum smc_status smc_banks_source_open(struct smc_banks_query *query,
                                      struct smc_banks_source *source, struct smc_error *error);

/* What one warp accesses at one turn, as smc_kernel's shared_accesses. */
enum smc_status smc_banks_source_get(const struct smc_banks_source *source, uint32_t warp,
                                     uint32_t step,
                                     struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES],
                                     size_t *count, struct smc_error *error);

/* The address of one thread. NULL, or what is wrong. */
const char *smc_banks_source_address(const struct smc_banks_source *source,
                                     const struct smc_expression *expression, uint32_t thread,
                                     int64_t *address);

/* The places of indices that a row may lie along: tx, ty, tz, lane, warp. */
enum { SMC_BANKS_INDICES = 5 };

/* How many values the index takes in the block, at least 2: a dimension of 1 is asked about as
   well. */
uint32_t smc_banks_source_extent(const struct smc_banks_source *source, uint32_t place);

/* How far the lowest address at `index` is from the lowest where it is 0. */
bool smc_banks_source_stride(const struct smc_banks_source *source, uint32_t place, uint32_t index,
                             int64_t *bytes);

/* The likeliest row of the pattern's array, in elements. */
uint32_t smc_banks_likely_row(const struct smc_banks_source *source,
                              const struct smc_banks_pattern *pattern, uint32_t of_array);

/* Looks for a padding and a swizzle for a pattern with conflicts. SMC_MACHINE: memory. */
enum smc_status smc_banks_find_remedies(const struct smc_banks_source *source,
                                        const struct smc_banks_answer *answer, uint32_t index,
                                        struct smc_banks_pattern *pattern, struct smc_error *error);

#endif
