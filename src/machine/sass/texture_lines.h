/* What a warp's texture fetch brings from memory. A texture of two or three dimensions is a CUDA
   array, one of one dimension is linear memory. */
#ifndef SMC_MACHINE_TEXTURE_LINES_H
#define SMC_MACHINE_TEXTURE_LINES_H

#include "machine/emulator.h"
#include "machine/sass/sass_warp.h"
#include "machine/sass/warp_trace.h"

/* A texture among the arguments; its `array` and `offset` are not used. */
struct smc_placed_texture {
    struct smc_emulated_texture texture;
    uint64_t address; /* of its first texel in global memory */
};

enum { SMC_MOST_TEXTURES = 64 };

struct smc_placed_textures {
    struct smc_placed_texture texture[SMC_MOST_TEXTURES];
    size_t count;
};

/* What the kernel is given for texture `index`: a number of 32 bits, not 0. */
uint64_t smc_placed_texture_handle(size_t index);

/* The bytes of global memory that a texture occupies. */
uint64_t smc_placed_texture_bytes(const struct smc_emulated_texture *texture);

enum { SMC_TEXTURE_LINES = 4 * SMC_LANES };

struct smc_fetched {
    unsigned lines, sectors;
    unsigned passes; /* of quads of lanes through the texture unit */
    bool filters, is_linear_memory;
    struct smc_warp_trace_line line[SMC_TEXTURE_LINES];
};

/* What the lanes of `mask` fetch; their texels, if more lines than there is room for, are left out.
   False: the object or a coordinate is unknown, or the object is
   none of these. */
bool smc_warp_fetches(const struct smc_sass_warp *warp, const struct smc_placed_textures *textures,
                      const struct smc_sass_instruction *in, uint32_t mask,
                      struct smc_fetched *fetched);

/* The sectors of that; as many as the schedule takes where it is unknown. */
unsigned smc_fetch_sectors(const struct smc_sass_warp *warp,
                           const struct smc_placed_textures *textures,
                           const struct smc_sass_instruction *in, uint32_t mask);

/* Keeps what a trace needs of it. */
void smc_trace_fetch(const struct smc_sass_warp *warp, const struct smc_placed_textures *textures,
                     const struct smc_sass_instruction *in, uint32_t mask,
                     struct smc_warp_trace *trace, struct smc_warp_trace_entry *entry);

#endif
