/* A cell of the screen as text. */
#include "tui/glyph.h"

char smc_glyph_ascii(uint32_t glyph)
{
    static const struct {
        uint32_t glyph;
        char ascii;
    } likeness[] = {
        {0x00b7, '.'}, {0x00d7, 'x'}, {0x2013, '-'}, {0x2019, '\''}, {0x2022, '*'}, {0x2026, '~'},
        {0x2190, '<'}, {0x2191, '^'}, {0x2192, '>'}, {0x2193, 'v'},  {0x2500, '-'}, {0x2502, '|'},
        {0x2591, ':'}, {0x2592, '%'}, {0x2593, '#'}, {0x25b2, '^'},  {0x25b6, '>'}, {0x25bc, 'v'},
        {0x25c0, '<'}, {0x25cf, '*'}, {0x2571, '/'}, {0x2713, 'v'},  {0x2717, 'x'},
    };
    if (glyph > 0 && glyph < 0x80)
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

void smc_glyph_append(uint32_t glyph, bool utf8, struct smc_text *out)
{
    char bytes[4];
    if (!utf8)
        smc_text_append_char(out, smc_glyph_ascii(glyph), 1);
    else if (glyph)
        smc_text_append_bytes(out, bytes, smc_utf8_encode(glyph, bytes));
}
