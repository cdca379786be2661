/* Calls in host code that launch kernels of Thrust or CUB, which only nvcc compiles: their
   templates are in headers of the toolkit. */
#ifndef SMC_CODE_LIBRARY_CALLS_H
#define SMC_CODE_LIBRARY_CALLS_H

#include "code/source_tree.h"

/* {0} before the first. */
struct smc_library_call {
    char name[96]; /* "thrust::sort", "cub::DeviceReduce::Sum" */
    const char *file;
    uint32_t line;
    size_t next_file; /* where the search continues: after the files come the macros */
    uint32_t next_token;
};

/* Finds the next call. False: no more. Calls in device code are not found: they launch nothing. */
bool smc_library_call_next(const struct smc_source_tree *tree, struct smc_library_call *found);

/* The first header of Thrust or CUB that the user's files include; NULL: none. `line` is that of
   the directive in `file`. nvcc compiles kernels such as cub::EmptyKernel wherever it reads them.
 */
const char *smc_library_header_find(const struct smc_source_tree *tree, const char **file,
                                    uint32_t *line);

#endif
