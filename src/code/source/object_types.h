/* Instances of class templates in host code, and the type of an object whose member is called.
   Types are written without blanks and without other namespaces than std: "Buffer<double>". */
#ifndef SMC_CODE_OBJECT_TYPES_H
#define SMC_CODE_OBJECT_TYPES_H

#include "code/source/host_piece.h"

/* A class template with its arguments. Only those of its members are instantiated that are used. */
struct smc_class_instance {
    const struct smc_declaration *declaration;
    size_t file;
    char *type;
    struct smc_piece of; /* with the bindings */
    bool is_explicit;
};

/* Start from {0}. */
struct smc_class_instances {
    struct smc_class_instance *item;
    size_t count, capacity;
};

/* The number of the instance of that type, from 1; 0: there is none. */
size_t smc_class_instance_find(const struct smc_class_instances *all, const char *type);

/* Takes the bindings of `of`. Returns its number; 0: out of memory. */
size_t smc_class_instance_add(struct smc_class_instances *all,
                              const struct smc_declaration *declaration, struct smc_piece *of,
                              const char *type);
void smc_class_instances_free(struct smc_class_instances *all);

/* Appends the type in the form above. */
void smc_object_type_append(const char *type, struct smc_text *text);

/* Writes the type of the object whose member is named at `i`: of "o.b" in "o.b.fill()". */
bool smc_object_type_write(const struct smc_source_tree *tree,
                           const struct smc_class_instances *all, const struct smc_piece *owner,
                           uint32_t i, struct smc_text *type);

/* The instance that the type means, also by an alias; `is_inner`: what a pointer of the library
   points to, or a container has. 0: none. `type` becomes that type. */
size_t smc_object_type_instance(const struct smc_source_tree *tree,
                                const struct smc_class_instances *all, bool is_inner,
                                struct smc_text *type);

/* Whether a class that is not a template has the member itself. */
bool smc_object_type_has_member(const struct smc_source_tree *tree, const char *type,
                                uint64_t hash);

#endif
