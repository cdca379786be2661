/* Kernels of a source that were not compiled, although the program may launch them. */
#ifndef SMC_INSPECT_LEFT_OUT_H
#define SMC_INSPECT_LEFT_OUT_H

#include "inspect/inspect.h"
#include "source/source_tree.h"

/* Names the kernel templates of the tree of which the list has nothing from index `begin` on, in
   notes->warnings, and adds to kernels->left_out those that other code names and that the request
   asks for, and the launches that warnings after the first `told` bytes name as left out. Templates
   of headers that no other code names are not mentioned: nothing launches them. `tree` is changed:
   compiled kernels are marked. */
void smc_left_out_tell(struct smc_source_tree *tree, const struct smc_inspect_request *request,
                       struct smc_inspect_kernels *kernels, size_t begin, size_t told,
                       struct smc_inspect_notes *notes);

#endif
