/* What all compilers share: errors, checks of options, and the cache. */
#ifndef SMC_CODE_COMPILATION_H
#define SMC_CODE_COMPILATION_H

#include "code/compilers.h"
#include "code/readers/output_cache.h"

/* Whether the log says that ptxas refused a kernel, which is an answer and not a failure. */
bool smc_compilation_was_refused(const struct smc_text *log);

/* Fails with the first error of the log, in which the source is called `compiled`. */
enum smc_status smc_compilation_fail(const struct smc_compilation *compilation,
                                     const char *compiled, const struct smc_text *log,
                                     struct smc_error *error);

/* Appends the line by which the compiler calls what follows `file`, from its line 1 on. */
void smc_compilation_write_line(const char *file, struct smc_text *text);

/* SMC_UNAVAILABLE: the compiler is there, but does not support the target. `oldest`: the oldest
   architecture that it does support; 0: unknown. */
enum smc_status smc_compilation_fail_unsupported(const struct smc_compilation *compilation,
                                                 const char *compiler, uint16_t oldest,
                                                 struct smc_nvrtc_output *output,
                                                 struct smc_error *error);

/* Whether -lineinfo must be added, because the user's options request no source lines. */
bool smc_compilation_lacks_lines(const struct smc_inspect_request *request);

/* Opens the cache. The key has what the output of every compiler depends on: the version of this
   program, the current folder, the source. It is empty if there is no caching. */
void smc_compilation_open_cache(const struct smc_compilation *compilation,
                                struct smc_output_cache *cache);

#endif
