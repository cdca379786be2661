/* Characters as a terminal shows them. */
#include "tui/glyph.h"

enum { REPLACEMENT = 0xfffd };

struct range {
    uint32_t first, last;
};

static const struct range wide[] = {
#define WIDE(first, last) {first, last},
#include "tui/glyph_widths.def"
};

static const struct range zero[] = {
#define ZERO(first, last) {first, last},
#include "tui/glyph_widths.def"
};

static bool is_in(const struct range *ranges, size_t count, uint32_t glyph)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].last < glyph)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && ranges[low].first <= glyph;
}

int smc_glyph_columns(uint32_t glyph)
{
    if (glyph < 0x300) /* nearly all, and none of the tables */
        return 1;
    if (is_in(zero, sizeof zero / sizeof *zero, glyph))
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
        smc_text_append_bytes(out, bytes, smc_glyph_encode(glyph, bytes));
}
