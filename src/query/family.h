/* The kernels of a family, asked the same question: what a kernel is compared with. */
#ifndef SMC_QUERY_FAMILY_H
#define SMC_QUERY_FAMILY_H

#include <stdbool.h>
#include <stddef.h>

#include "query/query.h"

enum { SMC_MOST_RELATIVES = 16 };

/* Answers for the other kernels of the family of `asked`, which has a kernel of the catalog: with
   its problem, element type and parameters as far as they accept them. Kernels that are never timed
   (probes, and those with a race) are left out. A kernel that cannot be asked has no predicted
   time, with the reason. `out` has room for SMC_MOST_RELATIVES. SMC_MACHINE:
   memory. */
enum smc_status smc_family_answer(const struct smc_answer *asked, struct smc_answer *out,
                                  size_t *count, struct smc_text *warnings,
                                  struct smc_error *error);

/* One after another: whether a kernel is another one of the family that is timed, and the question
   for it; its element type may be none of the kernel's. */
bool smc_family_has(const struct smc_kernel *asked, const struct smc_kernel *kernel);
void smc_family_ask(const struct smc_answer *asked, const struct smc_kernel *kernel,
                    struct smc_query *query);

#endif
