/* Kernel templates of a source of which nothing was compiled, because no launch of them was found
   whose template arguments are known. */
#ifndef SMC_CODE_UNLAUNCHED_H
#define SMC_CODE_UNLAUNCHED_H

#include "code/source/instantiations.h"

struct smc_unlaunched {
    const struct smc_instantiations *launches; /* of the tree: set it before the first */
    const char *name;                          /* without namespaces; not terminated */
    size_t name_length;
    const char *file; /* the tree's */
    uint32_t line;
    bool is_own;       /* in the source itself, not in a header */
    bool is_mentioned; /* other code that may be compiled names it, so that it may be launched */
    size_t next_file;  /* where the search continues */
    uint32_t next_declaration;
};

/* Marks the kernel's template as compiled. Names as for smc_source_tree_find_kernel. */
void smc_unlaunched_mark(struct smc_source_tree *tree, const char *mangled, const char *shown);

/* Finds the next template that is not marked; `found` has only `launches` before the first. False:
 * no more. */
bool smc_unlaunched_next(const struct smc_source_tree *tree, struct smc_unlaunched *found);

#endif
