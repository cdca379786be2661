/* The result of compiling a kernel: its registers and shared memory, their source, its machine code
   and PTX. */
#ifndef SMC_CODE_RESOURCES_H
#define SMC_CODE_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum smc_resource_source {
    SMC_RESOURCES_NVRTC,   /* compiled for this architecture by the NVRTC named */
    SMC_RESOURCES_TABLE,   /* data/resources.csv: compiled earlier, for this architecture */
    SMC_RESOURCES_ASSUMED, /* compiled for another architecture or other parameters, which `reason`
                              names */
    SMC_RESOURCES_GIVEN,   /* the user's number */
    SMC_RESOURCES_FILE,    /* read from the user's file: the query's file_kernel says how */
};

struct smc_resources {
    enum smc_resource_source source;
    int nvrtc_major, nvrtc_minor; /* 0.0 for GIVEN */
    uint16_t cc;                  /* what was compiled for */
    char suffix;                  /* 'a' of sm_90a, 'f' of sm_100f, or 0 */
    bool from_cache;
    /* What setmaxnreg sets after the launch, of which machine code tells; 0: not used, or unknown
     */
    uint32_t fewest_set_regs, most_set_regs;

    /* From here up to `reason`: what the cache keeps (build.c). */
    uint32_t regs_per_thread;
    uint32_t static_smem_bytes; /* without the driver's reserve, as ptxas prints it */
    uint32_t stack_bytes, spill_store_bytes, spill_load_bytes;
    uint32_t barriers; /* named barriers: highest id + 1 */

    /* ptxas refused: the static shared memory is above what a block may declare. The two numbers
       are those that it printed ("0xcb80 bytes, 0xc000 max"). Nothing else is set then. */
    bool refused;
    uint32_t refused_smem_bytes, refused_smem_limit_bytes;

    char reason[256]; /* why TABLE or ASSUMED, or "" */
};

/* Machine code and the PTX it was made from, owned by the caller. */
struct smc_binary {
    void *cubin;
    size_t cubin_bytes;
    char *ptx; /* ended by '\0'; NULL if the NVRTC provides none */
    size_t ptx_bytes;
};

void smc_binary_free(struct smc_binary *binary);

/* A compiled kernel. */
struct smc_compiled {
    struct smc_resources resources;
    struct smc_binary binary;
};

/* "NVRTC 13.0, sm_90", "table, NVRTC 13.0, sm_90", "given", "assumed: as sm_75 (NVRTC 13.0)". */
void smc_resources_describe(const struct smc_resources *resources, char text[128]);

/* The same for scripts: "nvrtc 13.0 sm_90", "table nvrtc 13.0 sm_90", "given", "assumed nvrtc 13.0
   sm_75". */
void smc_resources_source_name(const struct smc_resources *resources, char text[64]);

/* An NVRTC library: where it was found, and the architectures it compiles for. */
struct smc_nvrtc_info {
    int major, minor;
    char path[1024];
    uint16_t cc[64];
    size_t cc_count;
};

#endif
