/* The source of a kernel: the built-in text, or an edited copy. */
#ifndef SMC_COMPILE_SOURCE_H
#define SMC_COMPILE_SOURCE_H

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"
#include "catalog/catalog.h"

struct smc_source {
    struct smc_text text;
    bool is_edited;     /* differs from the built-in text, so the table does not apply */
    bool includes;      /* includes other files; not cached, since the cache key lacks their text */
    const char *folder; /* the include folder, or NULL; the caller's string */
    char shown[1024];   /* its name in messages */
};

/* SMC_USAGE: the file is missing in kernel_dir, or is not text. Free `source` in every case. */
enum smc_status smc_source_load(const struct smc_kernel *kernel, const char *kernel_dir,
                                struct smc_source *source, struct smc_error *error);

/* Changes __launch_bounds__(N) or __launch_bounds__(N, M) in the source to __launch_bounds__(N,
   min_blocks). False if the source has neither. */
bool smc_source_bound(struct smc_source *source, uint32_t min_blocks);

void smc_source_free(struct smc_source *source);

/* --- Built-in PTX: the catalog's kernels with their default parameters, and tiles 1 to 32 of the
   tiled ones, for one architecture. The emulator runs it where no NVRTC is found. */

struct smc_built_in_ptx {
    const char *kernel;
    const char *defines; /* joined by blanks */
    int nvrtc_major, nvrtc_minor;
    uint16_t cc;   /* the architecture that it was compiled for */
    uint64_t hash; /* of the source that it was compiled from */
    const char *ptx;
};

/* NULL if there is none for these defines (each followed by '\n'), for this device, or for this
   source of the kernel. */
const struct smc_built_in_ptx *smc_built_in_ptx_find(const char *kernel,
                                                     const struct smc_source *source,
                                                     const char *defines, uint16_t cc);

uint64_t smc_source_hash(const struct smc_source *source);

/* Joins defines, which each end in '\n', as in data/ptx.txt. */
void smc_join_defines(const char *defines, struct smc_text *joined);

/* Removes what the emulator does not read: comments, blank lines, source locations. */
void smc_ptx_shorten(const char *ptx, struct smc_text *out);

#endif
