/* PTX that comes with the program: the catalog's kernels with their default parameters, and tiles 1
   to 32 of the tiled ones, for one architecture. What the emulator runs where no NVRTC is found. */
#ifndef SMC_COMPILE_BUILT_IN_PTX_H
#define SMC_COMPILE_BUILT_IN_PTX_H

#include "compile/source.h"

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
