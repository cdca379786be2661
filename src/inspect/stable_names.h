/* Names of kernels that stay the same when a program is built again, and how similar two are. */
#ifndef SMC_INSPECT_STABLE_NAMES_H
#define SMC_INSPECT_STABLE_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* The mangled name without what changes from build to build: nvcc's hash of a translation unit in
   names of anonymous namespaces and static functions (the file's name is kept, so that kernels of
   different files stay apart), and CUB's and Thrust's namespaces for a release and its
   architectures. NULL: out of memory. Free it. */
char *smc_stable_name(const char *mangled);

/* The name itself after what -rdc=true writes before that of a static kernel:
   "_Z4statPf" of "__nv_static_22__37cfc621_4_a_cu_plain__Z4statPf". Else `mangled`. */
const char *smc_name_without_static(const char *mangled);

/* The name without return type, namespaces, template arguments and parameters: "scale" of
   "void (anonymous namespace)::scale<float>(float*)". NULL: out of memory. Free it. */
char *smc_bare_name(const char *shown);

/* Pairs of neighbouring characters, for comparing many names. */
struct smc_name_pairs {
    uint16_t *pair; /* ascending */
    size_t count;
};

/* `pair` is NULL if memory ran out. Free it. */
struct smc_name_pairs smc_name_pairs(const char *name);

/* 0: nothing in common, 1: the same pairs. */
double smc_name_similarity(const struct smc_name_pairs *a, const struct smc_name_pairs *b);

#endif
