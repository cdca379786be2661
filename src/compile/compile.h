/* The true resources of a kernel for exactly the parameters and the architecture asked for: from
   NVRTC where one is found (with a cache of what it made), else from the built-in table, else
   assumed from the nearest architecture. Never a number without its source. */
#ifndef SMC_COMPILE_COMPILE_H
#define SMC_COMPILE_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "catalog/catalog.h"

enum smc_resource_source {
    SMC_RESOURCES_NVRTC,   /* compiled for this architecture by the NVRTC named */
    SMC_RESOURCES_TABLE,   /* data/resources.csv: compiled earlier, for this architecture */
    SMC_RESOURCES_ASSUMED, /* for another architecture or other parameters: `reason` says which */
    SMC_RESOURCES_GIVEN,   /* a person's number */
};

struct smc_resources {
    enum smc_resource_source source;
    int nvrtc_major, nvrtc_minor; /* 0.0 for GIVEN */
    uint16_t cc;                  /* what was compiled for */
    bool from_cache;
    uint32_t regs_per_thread;
    uint32_t static_smem_bytes; /* without the driver's reserve, as ptxas prints it */
    uint32_t stack_bytes, spill_store_bytes, spill_load_bytes;
    uint32_t barriers; /* named barriers: highest id + 1 */

    /* ptxas refused: the static shared memory is above what a block may declare. The two numbers
       are those it printed ("0xcb80 bytes, 0xc000 max"). Nothing else is set then. */
    bool refused;
    uint32_t refused_smem_bytes, refused_smem_limit_bytes;

    char reason[256]; /* why TABLE or ASSUMED, or "" */
};

/* Machine code and the PTX it was made from, owned by the caller. */
struct smc_binary {
    void *cubin;
    size_t cubin_bytes;
    char *ptx; /* ended by '\0'; NULL where the NVRTC keeps none */
    size_t ptx_bytes;
};

/* What a kernel was compiled to. */
struct smc_compiled {
    struct smc_resources resources;
    struct smc_binary binary;
};

struct smc_compile_options {
    bool no_cache;          /* neither read nor write the cache */
    bool no_nvrtc;          /* as on a machine without a toolkit */
    bool ptx_suffices;      /* without an NVRTC, `binary` may have PTX alone: the built-in */
    const char *kernel_dir; /* edited kernels, or NULL for the built-in text */
    uint32_t min_blocks;    /* __launch_bounds__ asks for so many blocks per SM as well; then only
                               NVRTC for the architecture serves; 0: as written */
    struct smc_text *log;   /* receives all that NVRTC says of a text it rejects; or NULL */
};

/* Fills `resources`, and `binary` where it is not NULL (then only NVRTC serves: SMC_UNAVAILABLE
   without one, unless `ptx_suffices` and the kernel's PTX is built in, which is a warning).
   `warnings` receives at most a line a problem that the answer survives (a cache that cannot be
   read or written). A kernel that ptxas refuses for its static shared memory is SMC_OK with
   `refused` set. SMC_USAGE: a kernel in kernel_dir that is missing or does not compile, named with
   file and line. SMC_MACHINE: memory. */
enum smc_status smc_compile(const struct smc_kernel *kernel, const struct smc_params *params,
                            uint16_t cc, const struct smc_compile_options *options,
                            struct smc_resources *resources, struct smc_binary *binary,
                            struct smc_text *warnings, struct smc_error *error);

void smc_binary_free(struct smc_binary *binary);

/* "NVRTC 13.0, sm_90", "table, NVRTC 13.0, sm_90", "given", "assumed: as sm_75 (NVRTC 13.0)". */
void smc_resources_describe(const struct smc_resources *resources, char text[128]);

/* The same for scripts: "nvrtc 13.0 sm_90", "table nvrtc 13.0 sm_90", "given", "assumed nvrtc 13.0
   sm_75". */
void smc_resources_source_name(const struct smc_resources *resources, char text[64]);

/* The NVRTC that would be used: SMC_UNAVAILABLE with the reason where there is none. `path` is
   where it was found; `ccs` (room for `capacity`) the architectures it compiles for. */
struct smc_nvrtc_info {
    int major, minor;
    char path[1024];
    uint16_t cc[64];
    size_t cc_count;
};
enum smc_status smc_nvrtc_describe(struct smc_nvrtc_info *info, struct smc_error *error);

#endif
