/* Outputs of compilers in the cache. An output is found again as long as the key and the contents
   of the files that were read for it are the same. */
#ifndef SMC_CODE_OUTPUT_CACHE_H
#define SMC_CODE_OUTPUT_CACHE_H

#include <stdbool.h>
#include <time.h>

#include "code/nvrtc.h"

/* How a compilation ended. */
struct smc_compile_outcome {
    enum smc_status status; /* SMC_OK or, if the source has errors, SMC_USAGE */
    struct smc_error error;
    struct smc_text warnings; /* lines */
    struct smc_nvrtc_output *output;
};

/* Start from {0}. `cache` is opened, `key` and `folders` are written by the caller. */
struct smc_output_cache {
    struct smc_cache cache;
    struct smc_text key;     /* all that the output depends on, except files; "": no caching */
    struct smc_text folders; /* in which included files are searched for, one a line: a new file
                                there may be included instead of another one */
    struct timespec begun;   /* set by smc_output_cache_find */
};

/* Fills the outcome; false if the cache does not have it. Call it before the compiler runs: nothing
   is stored if a file changes after this call. */
bool smc_output_cache_find(struct smc_output_cache *cache, struct smc_compile_outcome *outcome);

/* Stores the outcome of a compiler that read `files`. Each line is a path after a letter: 's' for
   the system's and the toolkit's files, 'u' for others, 'm' for a name that was not found in
   `folders`. Nothing is stored if a file cannot be read, has changed since, or checks which files
   exist (__has_include). Errors are stored only if the source is their cause. */
void smc_output_cache_store(struct smc_output_cache *cache, const struct smc_text *files,
                            const struct smc_compile_outcome *outcome);

void smc_output_cache_free(struct smc_output_cache *cache);

#endif
