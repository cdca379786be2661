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

/* --- Built-in PTX: the catalog's kernels with their default parameters, and tiles 1 to 32 of the
   tiled ones, for one architecture. The emulator runs it where no NVRTC is found. */

struct smc_built_in_ptx {
    const char *kernel;
    const char *defines; /* joined by blanks */
    int nvrtc_major, nvrtc_minor;
    uint16_t cc;   /* that it was compiled for */
    uint64_t hash; /* of the source that it was made from */
    const char *ptx;
};

/* NULL where there is none for these defines (each followed by '\n'), for this device, or for this
   text of the kernel. */
const struct smc_built_in_ptx *smc_built_in_ptx_find(const char *kernel,
                                                     const struct smc_source *source,
                                                     const char *defines, uint16_t cc);

uint64_t smc_source_hash(const struct smc_source *source);

/* As data/ptx.txt has them, from defines that each end in '\n'. */
void smc_join_defines(const char *defines, struct smc_text *joined);

/* What the emulator does not read is left out: comments, blank lines, places in the source. */
void smc_ptx_shorten(const char *ptx, struct smc_text *out);

#endif
