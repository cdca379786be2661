/* A launch of machine code, and what its warps know when they start. */
#ifndef SMC_MACHINE_SASS_LAUNCH_H
#define SMC_MACHINE_SASS_LAUNCH_H

#include "machine/sass/walk.h"

struct smc_machine_launch {
    const struct smc_machine_program *program;
    uint32_t block[3], grid[3];
    uint32_t cluster[3];            /* blocks; 0 or 1 in each direction: none */
    const unsigned char *constants; /* bank 0, with the parameters: smc_machine_constants */
    size_t constant_bytes;
    const struct smc_constant_bank *bank; /* as in struct smc_machine_place */
    const struct smc_bank_layout *layout;
    const struct smc_contents *contents;        /* of global memory; NULL: unknown */
    const struct smc_placed_textures *textures; /* among the arguments; NULL: none */
    const struct smc_time_array *array;         /* in global memory */
    size_t arrays;
    uint64_t resident; /* blocks that start before another one has ended */
    uint64_t sms;      /* that they are on */
    uint64_t l1_bytes; /* of each */
};

/* Where a warp is; `index` is that of its block. Of a cluster the first block stands for all: it
   does what one of them does for the others, and each what the others do. */
void smc_launch_place(const struct smc_machine_launch *launch, const uint32_t index[3],
                      uint32_t warp, struct smc_machine_place *place);

/* The size of constant bank 0: the sizes of block and grid; parameters begin at `parameters_at`. */
enum { SMC_MACHINE_CONSTANT_BYTES = 0x210 + 4096 };

/* The address by which code that needs one refers to byte 0 of the bank: of a tensor map among the
   parameters, say. */
#define SMC_MACHINE_CONSTANTS_ADDRESS (UINT64_C(1) << 52)

void smc_machine_constants(unsigned char bank[SMC_MACHINE_CONSTANT_BYTES], const uint32_t block[3],
                           const uint32_t grid[3], uint32_t parameters_at, const void *parameters,
                           size_t parameter_bytes);

/* Writes the shape of the clusters of a launch where code reads it. */
void smc_machine_cluster_constants(unsigned char bank[SMC_MACHINE_CONSTANT_BYTES],
                                   const uint32_t cluster[3]);

#endif
