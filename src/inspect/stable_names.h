/* Names of kernels that stay the same when a program is built again, and the similarity of two
   names. */
#ifndef SMC_INSPECT_STABLE_NAMES_H
#define SMC_INSPECT_STABLE_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* The mangled name without the parts that change from build to build: nvcc's hash of a translation
   unit in the names of anonymous namespaces and static functions (the file's name is kept, so that
   kernels of different files have different names), and the namespaces in which CUB and Thrust
   encode their release and architectures. NULL: out of memory. Free it. */
char *smc_stable_name(const char *mangled);

/* Skips the prefix that -rdc=true gives to static kernels: "_Z4statPf" of
   "__nv_static_22__37cfc621_4_a_cu_plain__Z4statPf". Other names are returned unchanged. */
const char *smc_name_without_static(const char *mangled);

/* The pairs of neighbouring characters of a name, by which many names are compared. */
struct smc_name_pairs {
    uint16_t *pair; /* ascending */
    size_t count;
};

/* `pair` is NULL if memory ran out. Free it. */
struct smc_name_pairs smc_name_pairs(const char *name);

/* 0: nothing in common, 1: the same pairs. */
double smc_name_similarity(const struct smc_name_pairs *a, const struct smc_name_pairs *b);

#endif
