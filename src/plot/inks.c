/* The palette: Okabe and Ito's eight colours, which people tell apart whatever kind of colour they
   see, and a ramp of one hue for heat maps. */
#include "plot/picture.h"

#define RGB(hex) ((hex) >> 16 & 255) / 255.0, ((hex) >> 8 & 255) / 255.0, ((hex)&255) / 255.0

enum {
    ORANGE = 0xe69f00,
    SKY_BLUE = 0x56b4e9,
    GREEN = 0x009e73,
    YELLOW = 0xf0e442,
    BLUE = 0x0072b2,
    VERMILLION = 0xd55e00,
    PURPLE = 0xcc79a7,
};

#define LIMIT_INK(id) [SMC_INK_FIRST_LIMIT + SMC_LIMIT_##id]

const struct smc_ink_style smc_ink_styles[SMC_INK_COUNT] = {
    [SMC_INK_PAPER] = {RGB(0xffffff), SMC_HATCH_NONE, ' ', 15},
    [SMC_INK_TEXT] = {RGB(0x1a1a1a), SMC_HATCH_NONE, ' ', 0},
    [SMC_INK_MUTED] = {RGB(0x5f5f5f), SMC_HATCH_NONE, ' ', 245},
    [SMC_INK_GRID] = {RGB(0xdcdcdc), SMC_HATCH_NONE, ' ', 250},
    [SMC_INK_CURVE] = {RGB(0x1a1a1a), SMC_HATCH_NONE, ' ', 0},
    [SMC_INK_NOW] = {RGB(0x000000), SMC_HATCH_NONE, ' ', 0},
    [SMC_INK_BEST] = {RGB(VERMILLION), SMC_HATCH_NONE, '*', 166},
    [SMC_INK_REFUSED] = {RGB(0xb4b4b4), SMC_HATCH_CHECKED, '/', 245},
    [SMC_INK_SERVED] = {RGB(BLUE), SMC_HATCH_NONE, ' ', 32},
    [SMC_INK_CROWDED] = {RGB(VERMILLION), SMC_HATCH_NONE, '*', 166},
    [SMC_INK_HEAT] = {RGB(BLUE), SMC_HATCH_NONE, '#', 32},
    LIMIT_INK(WARPS) = {RGB(BLUE), SMC_HATCH_RISING, 'w', 32},
    LIMIT_INK(REGISTERS) = {RGB(VERMILLION), SMC_HATCH_FALLING, 'r', 166},
    LIMIT_INK(SHARED_MEMORY) = {RGB(GREEN), SMC_HATCH_LEVEL, 's', 36},
    LIMIT_INK(BLOCKS) = {RGB(ORANGE), SMC_HATCH_DOTTED, 'b', 214},
    LIMIT_INK(BARRIERS) = {RGB(PURPLE), SMC_HATCH_UPRIGHT, 'n', 175},
    LIMIT_INK(VIRTUAL_RESOURCES) = {RGB(SKY_BLUE), SMC_HATCH_CROSSED, 'v', 74},
    LIMIT_INK(CLUSTER) = {RGB(YELLOW), SMC_HATCH_CROSSED, 'c', 221},
};

enum smc_ink smc_ink_of_limit(enum smc_limit limit)
{
    return (enum smc_ink)(SMC_INK_FIRST_LIMIT + (int)limit);
}

static double between(double from, double to, double share)
{
    return from + (to - from) * share;
}

/* Lightness falls evenly, so that it also reads in grey. */
void smc_ink_heat(double shade, double *red, double *green, double *blue)
{
    static const double stop[][3] = {{RGB(0xe8eff6)}, {RGB(0x8fc3e6)}, {RGB(0x0b4f7d)}};
    const double *from = stop[shade < 0.5 ? 0 : 1], *to = stop[shade < 0.5 ? 1 : 2];
    double share = shade < 0.5 ? shade * 2 : shade * 2 - 1;
    *red = between(from[0], to[0], share);
    *green = between(from[1], to[1], share);
    *blue = between(from[2], to[2], share);
}
