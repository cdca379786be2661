/* The resources of a kernel for exactly the requested parameters and architecture: from NVRTC if
   one is found (its output is cached), else from the built-in table, else assumed from the nearest
   architecture. Every number comes with its source. */
#ifndef SMC_CODE_COMPILE_H
#define SMC_CODE_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "code/compile/resources.h"
#include "code/nvrtc.h"
#include "rules/catalog.h"

struct smc_compile_options {
    bool no_cache;          /* neither read nor write the cache */
    bool no_nvrtc;          /* as on a machine without a toolkit */
    bool ptx_suffices;      /* without an NVRTC, `binary` may have only the built-in PTX */
    const char *kernel_dir; /* edited kernels, or NULL for the built-in text */
    uint32_t min_blocks;    /* __launch_bounds__ also requests this many blocks per SM, which needs
                               an NVRTC for the architecture; 0: as in the source */
    struct smc_text *log;   /* receives NVRTC's whole log if it rejects the source; or NULL */
    struct smc_builds *builds; /* what this question has compiled so far, which is not compiled
                                  again; or NULL; not owned */
};

/* What to compile; nothing is owned. */
struct smc_compile_request {
    const struct smc_kernel *kernel;
    const struct smc_params *params;
    uint16_t cc; /* compute capability: 90 for sm_90 */
    const struct smc_compile_options *options;
};

/* Fills `resources`, and `binary` if it is not NULL. `binary` needs NVRTC: SMC_UNAVAILABLE without
   one, unless `ptx_suffices` is set and the kernel's PTX is built in; then there is a warning.
   `warnings` receives at most one line for each problem that does not prevent an answer (a cache
   that cannot be read or written). A kernel that ptxas refuses for its static shared memory is
   SMC_OK with `refused` set. SMC_USAGE: a kernel in kernel_dir that is missing or does not compile,
   named with file and line. SMC_MACHINE: memory. */
enum smc_status smc_compile(const struct smc_compile_request *request,
                            struct smc_resources *resources, struct smc_binary *binary,
                            struct smc_text *warnings, struct smc_error *error);

/* Describes the NVRTC that would be used: SMC_UNAVAILABLE with the reason if there is none. */
enum smc_status smc_nvrtc_describe(struct smc_nvrtc_info *info, struct smc_error *error);

/* --- The source of a kernel ------------------------------------------------------------------- */

/* The source of a kernel: the built-in text, or an edited copy. */

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

void smc_source_free(struct smc_source *source);

/* Changes each __launch_bounds__(N) and __launch_bounds__(N, M) in CUDA C++ to __launch_bounds__(N,
   min_blocks). False if there is none. */
bool smc_launch_bounds_set(struct smc_text *text, uint32_t min_blocks);

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
