/* Characters as a terminal shows them. */
#include "tui/glyph.h"

#include <stdbool.h>

enum { REPLACEMENT = 0xfffd };

struct range {
    uint32_t first, last;
};

static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x2e80, 0x303e},   {0x3041, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97f},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},
    {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18cff}, {0x1b000, 0x1b2ff},
    {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd},
};

static const struct range zero_width[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a},
    {0x064b, 0x065f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
    {0x202a, 0x202e}, {0x2060, 0x2064}, {0x2066, 0x206f}, {0x20d0, 0x20f0},
    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0000, 0xe01ef},
};

static bool is_in(const struct range *ranges, size_t count, uint32_t glyph)
{
    for (size_t i = 0; i < count && ranges[i].first <= glyph; i++)
        if (glyph <= ranges[i].last)
            return true;
    return false;
}

int smc_glyph_columns(uint32_t glyph)
{
    if (glyph < 0x300)
        return 1;
    if (is_in(zero_width, sizeof zero_width / sizeof *zero_width, glyph))
        return 0;
    return is_in(wide, sizeof wide / sizeof *wide, glyph) ? 2 : 1;
}

int smc_glyph_string_columns(const char *text)
{
    int columns = 0;
    for (uint32_t glyph; (glyph = smc_glyph_next(&text)) != 0;)
        columns += smc_glyph_columns(glyph);
    return columns;
}

/* Bytes of a sequence that begins so, and the least value it may have: longer forms are refused. */
static size_t sequence_bytes(unsigned char lead, uint32_t *bits, uint32_t *least)
{
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = lead >= 0xf0 && lead < 0xf8   ? 4
                   : lead >= 0xe0 && lead < 0xf0 ? 3
                   : lead >= 0xc0 && lead < 0xe0 ? 2
                                                 : 0;
    *bits = bytes ? lead & (0x7fu >> bytes) : 0;
    *least = lowest[bytes];
    return bytes;
}

uint32_t smc_glyph_next(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    if (*at == 0)
        return 0;
    (*text)++;
    if (*at < 0x80)
        return *at < 0x20 || *at == 0x7f ? REPLACEMENT : *at;
    uint32_t glyph, least;
    size_t bytes = sequence_bytes(*at, &glyph, &least);
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return REPLACEMENT;
        glyph = glyph << 6 | (at[i] & 0x3fu);
    }
    bool surrogate = glyph >= 0xd800 && glyph <= 0xdfff;
    if (bytes == 0 || glyph < least || surrogate || glyph > 0x10ffff || glyph < 0xa0)
        return REPLACEMENT;
    *text += bytes - 1;
    return glyph;
}

size_t smc_glyph_encode(uint32_t glyph, char bytes[4])
{
    if (glyph < 0x80) {
        bytes[0] = (char)glyph;
        return 1;
    }
    size_t count = glyph < 0x800 ? 2 : glyph < 0x10000 ? 3 : 4;
    for (size_t i = count - 1; i > 0; i--, glyph >>= 6)
        bytes[i] = (char)(0x80 | (glyph & 0x3f));
    bytes[0] = (char)(0xf00u >> count | glyph);
    return count;
}

char smc_glyph_ascii(uint32_t glyph)
{
    static const struct {
        uint32_t glyph;
        char ascii;
    } likeness[] = {
        {0x00b7, '.'}, {0x00d7, 'x'}, {0x2013, '-'}, {0x2019, '\''}, {0x2022, '*'}, {0x2026, '~'},
        {0x2190, '<'}, {0x2191, '^'}, {0x2192, '>'}, {0x2193, 'v'},  {0x2500, '-'}, {0x2502, '|'},
        {0x2591, ':'}, {0x2592, '%'}, {0x2593, '#'}, {0x25b2, '^'},  {0x25b6, '>'}, {0x25bc, 'v'},
        {0x25c0, '<'}, {0x25cf, '*'}, {0x2713, 'v'}, {0x2717, 'x'},  {0x2571, '/'},
    };
    if (glyph < 0x80)
        return (char)glyph;
    for (size_t i = 0; i < sizeof likeness / sizeof *likeness; i++)
        if (likeness[i].glyph == glyph)
            return likeness[i].ascii;
    if (glyph > 0x2500 && glyph < 0x2580)
        return '+';
    if (glyph >= 0x2580 && glyph < 0x25a0)
        return '#';
    return '?';
}
