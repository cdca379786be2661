/* The figures of kernels in a file, to be compared with later builds: what the compiler recorded,
   without any device. JSON, one kernel a line, in a fixed order, so that the file may be kept under
   version control. The schema is "smemcalc-inspect/1"; smemcalc-formats(5) lists the members. */
#ifndef SMC_INSPECT_SAVED_H
#define SMC_INSPECT_SAVED_H

#include "inspect/kernels.h"

/* Appends the file's text: the kernels that the request's patterns name, each with its block size
   of `threads` unless that is 0 (smc_inspect_given_threads); NULL: none. SMC_MACHINE: out of
   memory. */
enum smc_status smc_saved_write(const struct smc_inspect_kernels *kernels,
                                const struct smc_inspect_request *request, const uint32_t *threads,
                                struct smc_text *out, struct smc_error *error);

/* Whether this may be such a file: it begins like a JSON object. */
bool smc_saved_is(const struct smc_text *bytes);

/* Adds the kernels of such a file, or of what `inspect --format json` prints. SMC_USAGE: it is
   damaged or something else; the message says where and what is wrong. After a failure the kernels
   added so far are the caller's to cut. */
enum smc_status smc_saved_read(const char *file, const struct smc_text *bytes,
                               struct smc_inspect_kernels *kernels, struct smc_error *error);

#endif
