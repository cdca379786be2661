/* The text of a kernel: the program's own, or an edited copy. */
#ifndef SMC_COMPILE_SOURCE_H
#define SMC_COMPILE_SOURCE_H

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"
#include "catalog/catalog.h"

struct smc_source {
    struct smc_text text;
    bool is_edited;     /* differs from the built-in text: the table knows nothing of it */
    bool includes;      /* other files, whose text the cache cannot tell: it is not cached */
    const char *folder; /* where its includes are looked for, or NULL; the caller's string */
    char shown[1024];   /* its name in messages */
};

/* SMC_USAGE: no such file in kernel_dir, or no text. Free it in every case. */
enum smc_status smc_source_load(const struct smc_kernel *kernel, const char *kernel_dir,
                                struct smc_source *source, struct smc_error *error);

/* Makes __launch_bounds__(N) of the text __launch_bounds__(N, min_blocks). False where it has none
   with one argument. */
bool smc_source_bound(struct smc_source *source, uint32_t min_blocks);

void smc_source_free(struct smc_source *source);

#endif
