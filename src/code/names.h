/* The parts of a demangled C++ name. */
#ifndef SMC_CODE_NAMES_H
#define SMC_CODE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Points into the name that was parsed. A name that cannot be parsed is a single component. All
   positions are bytes from `begin`. */
struct smc_name {
    const char *begin; /* without the return type */
    size_t length;     /* without the parameters */
    size_t last;       /* where the last component begins: "k<1>" of "a::b<int>::k<1>" */
    size_t arguments;  /* where its template arguments begin; `length`: it has none */
};

void smc_name_parse(const char *shown, struct smc_name *name);

/* The length from an opening bracket through the one that closes it; 0: nothing closes it. The '<'
   of "operator<" is no bracket. */
size_t smc_name_bracketed(const char *text);

/* A hash of the name without template arguments: the same for all instances of a template. */
uint64_t smc_name_family(const struct smc_name *name);

/* Copies the name without template arguments: "a::b::k". Returns its length, or 0 if it does not
   fit. */
size_t smc_name_bare(const struct smc_name *name, char *bare, size_t size);

/* Whether a pattern matches a kernel's name, demangled or mangled: see smc_name_matches_kernel. */
bool smc_name_matches(const char *pattern, const char *shown, const char *mangled);

/* Whether `typed` is the demangled name `shown` as a user writes it: blanks, the suffixes and
   casts of numbers, "int" after "unsigned", and true or 1 do not matter. Return type and parameters
   may be omitted, and template arguments if all are. With `any_namespace`, namespaces may be, too.
 */
bool smc_name_is_like(const char *shown, const char *typed, bool any_namespace);

/* The last component without template arguments: "scale" of "void a::scale<float>(float*)". NULL:
   out of memory. Free it. */
char *smc_name_last(const char *shown);

/* --- Names that change from build to build ---------------------------------------------------- */

/* Names of kernels that stay the same when a program is built again, and the similarity of two
   names. */

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
