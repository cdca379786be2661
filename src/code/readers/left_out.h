/* Kernels of a source that were not compiled, although the program may launch them. */
#ifndef SMC_CODE_LEFT_OUT_H
#define SMC_CODE_LEFT_OUT_H

#include "code/source_tree.h"
#include "code/user_kernels.h"

/* Warns of each kernel template of the tree that has no instance in the list from index `begin` on,
   except templates of headers that no other code names, because nothing launches those. Adds to
   kernels->left_out the number of requested templates that other code names, of the launches that
   the warnings after the first `told` bytes name, and of the calls of Thrust and CUB that launch
   kernels of theirs, of which it warns as well. Marks compiled kernels in the tree. */
void smc_left_out_tell(struct smc_source_tree *tree, const struct smc_inspect_request *request,
                       struct smc_inspect_kernels *kernels, size_t begin, size_t told,
                       struct smc_inspect_notes *notes);

#endif
