/* Which instances of kernel templates the host code launches: kernel<float, 4><<<...>>>(...),
   directly, through host templates and through macros. */
#ifndef SMC_CODE_INSTANTIATIONS_H
#define SMC_CODE_INSTANTIATIONS_H

#include "code/source_tree.h"

struct smc_instantiation {
    char *name;       /* qualified: "ns::kernel<float, 4>"; if it is left out, the kernel's name */
    const char *file; /* of the launch; the tree's */
    uint32_t line;
    bool is_left_out;  /* the text does not determine its arguments */
    bool is_requested; /* of the compiler; for the caller */
};

/* Start from {0}. */
struct smc_instantiations {
    struct smc_instantiation *item;
    size_t count, capacity;
    /* Where the text does not tell: members called on objects of unknown type; and the class
       templates of which it tells an object. */
    struct smc_name_set unsure_members, known_classes;
};

/* Finds all, each once. False: out of memory. */
bool smc_instantiations_find(const struct smc_source_tree *tree, struct smc_instantiations *found);
void smc_instantiations_free(struct smc_instantiations *found);

#endif
