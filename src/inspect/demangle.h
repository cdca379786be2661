/* C++ names as they are written in the source. */
#ifndef SMC_INSPECT_DEMANGLE_H
#define SMC_INSPECT_DEMANGLE_H

/* The name demangled, or a copy where it is no mangled name, is too long, or this build has no
   demangler. NULL: no memory. Free it. */
char *smc_demangle(const char *name);

#endif
