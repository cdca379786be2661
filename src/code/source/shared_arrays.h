/* The arrays that the source declares in shared memory, so that advice speaks of them as it does:
   half t[16][64]. */
#ifndef SMC_CODE_SHARED_ARRAYS_H
#define SMC_CODE_SHARED_ARRAYS_H

#include "code/source_tree.h"
#include "rules/banks.h"

/* Start from {0}. */
struct smc_shared_arrays {
    struct smc_declared_array *item;
    size_t count, capacity;
};

/* Finds those that the kernel may use, its own first. `shown` is the demangled name, whose template
   arguments decide extents such as [N]. What cannot be evaluated has extent 0, or no element_bytes.
   False: out of memory. */
bool smc_shared_arrays_find(const struct smc_source_tree *tree, const char *mangled,
                            const char *shown, struct smc_shared_arrays *found);

#endif
