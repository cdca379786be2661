/* Which texels a texture's coordinates mean. */
#include "machine/texels.h"

#include <math.h>

#include "machine/narrow.h"

/* CUDA has wrap and mirror only for normalized coordinates. */
static enum smc_address_mode mode_of(const struct smc_emulated_texture *texture)
{
    bool repeats = texture->address == SMC_ADDRESS_WRAP || texture->address == SMC_ADDRESS_MIRROR;
    return repeats && !texture->normalized ? SMC_ADDRESS_CLAMP : texture->address;
}

/* The texel that an index means; false: it is outside of the border. */
static bool texels_resolve(enum smc_address_mode mode, int64_t index, uint32_t extent,
                           uint32_t *texel)
{
    int64_t count = extent, place = index;
    if (mode == SMC_ADDRESS_BORDER && (index < 0 || index >= count))
        return false;
    if (mode == SMC_ADDRESS_WRAP) {
        place = (index % count + count) % count;
    } else if (mode == SMC_ADDRESS_MIRROR) {
        place = (index % (2 * count) + 2 * count) % (2 * count);
        place = place < count ? place : 2 * count - 1 - place;
    }
    *texel = (uint32_t)(place < 0 ? 0 : place >= count ? count - 1 : place);
    return true;
}

/* A coordinate in texels, where its magnitude is small enough for an index. */
static double in_texels(const struct smc_emulated_texture *texture, uint32_t bits, uint32_t extent)
{
    const double most = 1 << 30;
    double x = (double)smc_float_of_bits(bits);
    if (isnan(x))
        return 0;
    if (texture->normalized && fabs(x) < most && mode_of(texture) != SMC_ADDRESS_CLAMP &&
        mode_of(texture) != SMC_ADDRESS_BORDER)
        x -= 2 * floor(x / 2); /* both repeat after two of them */
    x = texture->normalized ? x * extent : x;
    return fmin(fmax(x, -most), most);
}

struct smc_texel_axis smc_texels_between(const struct smc_emulated_texture *texture, uint32_t bits,
                                         uint32_t extent)
{
    double place = floor((in_texels(texture, bits, extent) - 0.5) * SMC_TEXEL_WEIGHT + 0.5);
    int64_t fixed = (int64_t)place, first = (int64_t)floor(place / SMC_TEXEL_WEIGHT);
    struct smc_texel_axis axis = {.weight = (uint32_t)(fixed - first * SMC_TEXEL_WEIGHT)};
    for (int i = 0; i < 2; i++)
        axis.inside[i] = texels_resolve(mode_of(texture), first + i, extent, &axis.texel[i]);
    return axis;
}

struct smc_texel_axis smc_texel_nearest(const struct smc_emulated_texture *texture, uint32_t bits,
                                        uint32_t extent)
{
    struct smc_texel_axis axis = {.weight = 0};
    int64_t index = (int64_t)floor(in_texels(texture, bits, extent));
    axis.inside[0] = texels_resolve(mode_of(texture), index, extent, &axis.texel[0]);
    return axis;
}

struct smc_texel_axis smc_texel_at_index(const struct smc_emulated_texture *texture, uint32_t bits,
                                         uint32_t extent, unsigned dimensions)
{
    struct smc_texel_axis axis = {.weight = 0};
    enum smc_address_mode mode = dimensions == 1                          ? SMC_ADDRESS_BORDER
                                 : texture->address == SMC_ADDRESS_BORDER ? SMC_ADDRESS_BORDER
                                                                          : SMC_ADDRESS_CLAMP;
    axis.inside[0] = texels_resolve(mode, (int32_t)bits, extent, &axis.texel[0]);
    return axis;
}
