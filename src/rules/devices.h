/* The built-in tables of compute capabilities and boards, and functions that look up a device. The
   tables belong to a version of the library; `uncertain` names what sources disagree about. The
   caller owns the structs; the strings that structs from the tables point to are constants. */
#ifndef SMC_RULES_DEVICES_H
#define SMC_RULES_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/status.h"
#include "sm.h"

/* The version whose headers a program is compiled with. smc_version: of the library that it runs
   with, which is the same or newer while the soname, libsmemcalc.so.0, is the same. */
#define SMEMCALC_VERSION_MAJOR 0
#define SMEMCALC_VERSION_MINOR 1
#define SMEMCALC_VERSION_PATCH 0
#define SMEMCALC_VERSION                                                                           \
    (SMEMCALC_VERSION_MAJOR * 10000 + SMEMCALC_VERSION_MINOR * 100 + SMEMCALC_VERSION_PATCH)
uint32_t smc_version(void);

enum smc_device_source {
    SMC_DEVICE_TABLE, /* the built-in table */
    SMC_DEVICE_LIVE,  /* read from a GPU of this machine */
    SMC_DEVICE_FILE,  /* read from a user's file */
};

struct smc_capability {
    struct smc_sm sm;
    const char *family;    /* "Hopper (GH100)" */
    const char *uncertain; /* columns whose values are unverified, or "" */
    const char *sources;
    uint32_t last_cuda_major;     /* the last CUDA Toolkit that compiles for it; 0: the current one
                                     does */
    bool cubin_smem_has_reserve;  /* a cubin counts the driver's reserve as static shared memory */
    bool cubin_for_itself_only;   /* its machine code is incompatible with the other devices of its
                                     generation, in both directions */
    bool ptxas_writes_properties; /* ptxas -v writes "Function properties for KERNEL" */
    uint32_t machine_code_format; /* 0: instructions of 64 bits; 1: of 128 bits; 2: the same, with
                                     8 more low bits in the targets of branches; 3: also with the
                                     width of asynchronous copies in two bits */
    uint32_t fp64_lanes_per_sm;   /* 0: none */
    uint32_t tensor_fmas_per_sm;  /* of FP16, dense, in a clock; 0: no tensor cores */
    uint32_t half_lanes_per_sm;   /* each of two halves; 0: not used by the model */
    uint32_t tensor_bit_fmas_per_sm; /* of single bits; 0: unknown, or none */
    uint32_t reserved[7];            /* 0; space for members of later versions */
};

struct smc_device {
    char name[128];
    char chip[64]; /* "GH100"; "" if unknown */
    struct smc_sm sm;
    enum smc_device_source source;
    int gpu_index;     /* of a live device; -1 otherwise */
    uint32_t sm_count; /* 0: unknown, a bare compute capability */
    struct smc_sm_groups sm_groups;
    uint32_t sm_clock_khz;     /* boost; on CC 1.x and 2.x the shader clock; 0: unknown */
    uint32_t memory_bus_bits;  /* 0: unknown */
    double memory_bytes_per_s; /* 0: unknown */
    uint64_t l2_bytes;
    uint64_t global_mem_bytes;
    double fp32_peak_tflops; /* 0: unknown */
    const char *family;      /* never NULL */
    const char *uncertain;   /* never NULL; "" if all values are verified */
    const char *sources;     /* never NULL */
    const char *file;        /* of a device from a file: its path; else NULL */
    uint32_t reserved[8];    /* 0; space for members of later versions */
};

/* Compute capabilities, ascending; `index` is below the count. */
size_t smc_capability_count(void);
void smc_capability_at(size_t index, struct smc_capability *out);

/* `cc` is 10 x major + minor. False if the table has no such compute capability. */
bool smc_capability_find(uint16_t cc, struct smc_capability *out);

/* The same, but if the table has no such row, the newest row before it, or else the first. */
void smc_capability_nearest(uint16_t cc, struct smc_capability *out);

/* Whether it is at least the oldest one that the current CUDA Toolkit compiles for. */
bool smc_capability_is_current(uint16_t cc);

/* Fails with `status`, for a compute capability that the table does not have: "compute capability
   10.9 is newer than this table; MORE", or "is not in this table" if the table has newer ones of
   its generation. */
enum smc_status smc_capability_fail(uint16_t cc, const char *more, enum smc_status status,
                                    struct smc_error *error);

/* "9.0", "9.0a", "compute capability 9.0", "sm_90", "sm_90a", "compute_90" -> 90. False if the text
   has none of these forms. */
bool smc_capability_parse(const char *text, uint16_t *cc);

/* The same, but also accepts "90", "90a" and "90f" if the table has that compute capability. */
bool smc_capability_named(const char *text, uint16_t *cc);

/* Boards, in the order of the table: by compute capability, then by release; `index` is below the
   count. smc_device_cc_at is fast: it does not fill in a whole device. */
size_t smc_device_count(void);
uint16_t smc_device_cc_at(size_t index);
void smc_device_at(size_t index, struct smc_device *out);

/* Makes a device from a compute capability alone: it has no SM count, clocks or memory. */
void smc_device_of_capability(const struct smc_capability *capability, struct smc_device *out);

/* Looks up a board or a compute capability. Case, spaces, hyphens and brand words in a board's name
   are ignored ("h200", "rtx4090", "a100-80gb"). Text that is not a board's whole name must consist
   of words of it, or of words that are true of it: its memory ("80G"), SXM, Laptop, Mobile, Max-Q,
   Desktop, GPU. If several boards match, the one whose name has the fewest other words is chosen,
   then the one with the most SMs, unless that is ambiguous. `note` then names the choice and the
   other boards; it is "" if the name is exact. Fails with SMC_USAGE if the name is unknown or
   ambiguous; the message has no prefix naming an option. `error` may be NULL. */
enum smc_status smc_device_find(const char *text, struct smc_device *out, char note[256],
                                struct smc_error *error);

/* What the CUDA runtime tells of a GPU: members of cudaDeviceProp, under their names there. */
struct smc_device_properties {
    size_t size; /* sizeof(struct smc_device_properties): later versions have more members */
    const char *name;
    int major, minor, multiProcessorCount, warpSize;
    int maxThreadsPerBlock, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
    int regsPerBlock, regsPerMultiprocessor;
    size_t sharedMemPerBlock, sharedMemPerBlockOptin, reservedSharedMemPerBlock;
    size_t sharedMemPerMultiprocessor, totalGlobalMem;
    int l2CacheSize, memoryBusWidth;
    int maxThreadsDim[3], maxGridSize[3];
};

/* Initialises one from a cudaDeviceProp. */
#define SMC_DEVICE_PROPERTIES(p)                                                                   \
    {                                                                                              \
        sizeof(struct smc_device_properties), (p).name, (p).major, (p).minor,                      \
            (p).multiProcessorCount, (p).warpSize, (p).maxThreadsPerBlock,                         \
            (p).maxThreadsPerMultiProcessor, (p).maxBlocksPerMultiProcessor, (p).regsPerBlock,     \
            (p).regsPerMultiprocessor, (p).sharedMemPerBlock, (p).sharedMemPerBlockOptin,          \
            (p).reservedSharedMemPerBlock, (p).sharedMemPerMultiprocessor, (p).totalGlobalMem,     \
            (p).l2CacheSize, (p).memoryBusWidth,                                                   \
            {(p).maxThreadsDim[0], (p).maxThreadsDim[1], (p).maxThreadsDim[2]},                    \
        {                                                                                          \
            (p).maxGridSize[0], (p).maxGridSize[1], (p).maxGridSize[2]                             \
        }                                                                                          \
    }

/* Makes a device of source SMC_DEVICE_LIVE. The limits that the runtime does not tell, such as
   allocation units, are those of its compute capability in the table; its chip and the groups of
   its SMs those of the board of its name. Clocks are 0: CUDA 13 removed them from cudaDeviceProp.
   SMC_USAGE if the table does not have the compute capability, or smc_sm_check fails. */
enum smc_status smc_device_of_properties(const struct smc_device_properties *properties,
                                         struct smc_device *out, struct smc_error *error);

/* How text must match a device's name; each value also accepts what the values before it accept.
   Case, punctuation and brand words ("NVIDIA GeForce") are ignored. */
enum smc_name_match {
    SMC_NAME_WHOLE,
    SMC_NAME_WORDS, /* whole words of it */
    SMC_NAME_PART,  /* any part of it, for a search while typing */
};

bool smc_device_has_name(const struct smc_device *device, const char *typed,
                         enum smc_name_match match);

/* Whether a board that the text may also mean has another compute capability than the chosen one,
   and so other limits per SM: what is answered per SM then depends on the choice. */
bool smc_device_limits_vary(const char *typed, const struct smc_device *chosen);

/* Whether this is the name of the board at `index` of the table, or one of its other names. */
bool smc_board_is_called(size_t index, const char *name);

/* The name without "NVIDIA", "GeForce" and "Tesla": "RTX 4090" of "NVIDIA GeForce RTX 4090". Points
   into it. */
const char *smc_device_model(const struct smc_device *device);

/* "table", "live", "file". */
const char *smc_device_source_name(enum smc_device_source source);

#endif
