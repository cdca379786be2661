/* Shared by the two files that answer queries about banks: the source of the accesses, and
   remedies. */
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

/* What one warp accesses in one loop iteration, like smc_kernel's shared_accesses. */
enum smc_status smc_banks_source_get(const struct smc_banks_source *source, uint32_t warp,
                                     uint32_t step,
                                     struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES],
                                     size_t *count, struct smc_error *error);

/* The address of one thread. Returns NULL, or what is wrong. */
const char *smc_banks_source_address(const struct smc_banks_source *source,
                                     const struct smc_expression *expression, uint32_t thread,
                                     int64_t *address);

/* The places of the indices that may step through a row: tx, ty, tz, lane, warp. */
enum { SMC_BANKS_INDICES = 5 };

/* How many values the index has in the block, at least 2, so that a dimension of 1 can be examined
   too. */
uint32_t smc_banks_source_extent(const struct smc_banks_source *source, uint32_t place);

/* The distance from the lowest address at index 0 to the lowest address at `index`. */
bool smc_banks_source_stride(const struct smc_banks_source *source, uint32_t place, uint32_t index,
                             int64_t *bytes);

/* The most likely row length of the pattern's array, in elements. */
uint32_t smc_banks_likely_row(const struct smc_banks_source *source,
                              const struct smc_banks_pattern *pattern, uint32_t of_array);

/* Searches for a padding and a swizzle for a pattern with conflicts. SMC_MACHINE: memory. */
enum smc_status smc_banks_find_remedies(const struct smc_banks_source *source,
                                        const struct smc_banks_answer *answer, uint32_t index,
                                        struct smc_banks_pattern *pattern, struct smc_error *error);

/* The expression of a changed layout: with another literal if that is equivalent, else wrapped
   around the whole expression. `text` stays "" if neither is possible. */
void smc_banks_rewrite(const struct smc_banks_source *source,
                       const struct smc_rearrangement *rearrangement,
                       char text[SMC_EXPRESSION_CHARS + 1]);

#endif
