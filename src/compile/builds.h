/* What one question has compiled so far, so that it compiles no kernel twice, even without the
   cache. */
#ifndef SMC_COMPILE_BUILDS_H
#define SMC_COMPILE_BUILDS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "compile/nvrtc.h"
#include "compile/resources.h"

/* How a build ended. */
struct smc_built {
    enum smc_status status;
    struct smc_error error;
    struct smc_resources resources; /* of a kernel of the catalog */
    struct smc_nvrtc_output output; /* a compiler's */
};

void smc_built_free(struct smc_built *built);

struct smc_builds_entry;

/* Start from SMC_BUILDS_INIT; free it. Threads may share it. */
struct smc_builds {
    pthread_mutex_t lock;
    pthread_cond_t ended; /* a build */
    struct smc_builds_entry *first;
    size_t bytes; /* of all entries; the oldest are forgotten above 64 MiB */
};

#define SMC_BUILDS_INIT                                                                            \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER                       \
    }

/* Copies the outcome for a key, waiting while another thread builds it. False: the caller must
   build it and then call smc_builds_keep. `builds` may be NULL: nothing is found or kept. */
bool smc_builds_find(struct smc_builds *builds, const struct smc_text *key,
                     struct smc_built *built);

/* Keeps a copy, except of a failure for lack of memory. */
void smc_builds_keep(struct smc_builds *builds, const struct smc_text *key,
                     const struct smc_built *built);

void smc_builds_free(struct smc_builds *builds);

#endif
