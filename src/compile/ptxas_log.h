/* What `ptxas -v` says of one kernel, and the first error of a compiler's log. */
#ifndef SMC_COMPILE_PTXAS_LOG_H
#define SMC_COMPILE_PTXAS_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "compile/compile.h"

enum smc_ptxas_reading {
    SMC_PTXAS_NO_ENTRY, /* the log says nothing of this kernel */
    SMC_PTXAS_READ,     /* registers, shared memory, stack, spills and barriers are set */
    SMC_PTXAS_REFUSED,  /* too much static shared memory: the refusal's fields are set */
};

/* Reads the lines on `entry`. `has_barriers` tells whether the log counts barriers: that of CUDA 11
   and older does not, and `barriers` is then 0. */
enum smc_ptxas_reading smc_ptxas_log_read(const char *log, const char *entry,
                                          struct smc_resources *out, bool *has_barriers);

/* The first error, as "file:line: error: message" where the log names a line of `file`, else as it
   stands; "" where the log has none. `shown` replaces the file's name. */
void smc_log_first_error(const char *log, const char *file, const char *shown, char *text,
                         size_t capacity);

#endif
