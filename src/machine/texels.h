/* Which texels a texture's coordinates mean, along one axis at a time: for the emulator and for the
   predicted time. CUDA C++ Programming Guide, texture fetching. */
#ifndef SMC_MACHINE_TEXELS_H
#define SMC_MACHINE_TEXELS_H

#include "machine/emulator.h"

enum { SMC_TEXEL_WEIGHT = 256 }; /* of a whole texel */

/* The two texels that a coordinate is between, and the weight of the second; or only the first. */
struct smc_texel_axis {
    uint32_t texel[2];
    bool inside[2]; /* false: outside of the border */
    uint32_t weight;
};

/* `bits`: a float. Linear filtering reads both texels, point sampling the nearest one. */
struct smc_texel_axis smc_texels_between(const struct smc_emulated_texture *texture, uint32_t bits,
                                         uint32_t extent);
struct smc_texel_axis smc_texel_nearest(const struct smc_emulated_texture *texture, uint32_t bits,
                                        uint32_t extent);

/* `bits`: a whole number: not normalized, and not filtered. Memory without a texture's layout,
   which has one dimension, reads as 0 outside. */
struct smc_texel_axis smc_texel_at_index(const struct smc_emulated_texture *texture, uint32_t bits,
                                         uint32_t extent, unsigned dimensions);

#endif
