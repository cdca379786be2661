/* The parts of a demangled C++ name. */
#ifndef SMC_INSPECT_NAMES_H
#define SMC_INSPECT_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Points into the name that was parsed. A name that cannot be parsed is one part. */
struct smc_name {
    const char *begin; /* without the return type */
    size_t length;     /* without the parameters */
    size_t last;       /* where the last component begins: "k<1>" of "a::b<int>::k<1>" */
    size_t arguments;  /* where its template arguments begin; `length`: it has none */
};

void smc_name_parse(const char *shown, struct smc_name *name);

/* From an opening bracket to after the one that closes it; 0: nothing closes it. The brackets of
   "operator<" are none. */
size_t smc_name_bracketed(const char *text);

/* The same for all instances of a template: ignores every template argument. */
uint64_t smc_name_family(const struct smc_name *name);

/* Copies the name without template arguments: "a::b::k". Returns its length, or 0 if it does not
   fit. */
size_t smc_name_bare(const struct smc_name *name, char *bare, size_t size);

#endif
