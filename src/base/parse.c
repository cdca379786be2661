/* Strict parsing of what a user types. */
#include "base/parse.h"

#include <string.h>
#include <strings.h>

/* --- Numbers, sizes, dimensions --------------------------------------------------------------- */

static bool parse_digits(const char **cursor, uint64_t *value)
{
    const char *s = *cursor;
    uint64_t n = 0;
    if (*s < '0' || *s > '9')
        return false;
    for (; *s >= '0' && *s <= '9'; s++)
        if (__builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n))
            return false;
    *cursor = s;
    *value = n;
    return true;
}

bool smc_parse_integer(const char *text, int64_t min, int64_t max, int64_t *value)
{
    bool negative = *text == '-' && min < 0;
    uint64_t magnitude;
    if (negative)
        text++;
    if (!parse_digits(&text, &magnitude) || *text || magnitude > INT64_MAX)
        return false;
    int64_t n = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    if (n < min || n > max)
        return false;
    *value = n;
    return true;
}

bool smc_parse_hexadecimal(const char *text, uint64_t max, uint64_t *value)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t n = 0;
    if (text[0] == '0' && (text[1] | 0x20) == 'x')
        text += 2;
    if (!*text)
        return false;
    for (; *text; text++) {
        int lower = *text >= 'A' && *text <= 'F' ? *text | 0x20 : *text;
        const char *digit = strchr(digits, lower);
        if (!digit || n >> 60)
            return false;
        n = n << 4 | (uint64_t)(digit - digits);
    }
    if (n > max)
        return false;
    *value = n;
    return true;
}

static bool skip_word(const char **cursor, const char *word)
{
    size_t length = strlen(word);
    if (strncasecmp(*cursor, word, length) != 0)
        return false;
    *cursor += length;
    return true;
}

/* "K", "KB", "KiB" and so on; 1 if there is none of them. */
static uint64_t parse_multiple(const char **cursor)
{
    static const char prefixes[] = "KMG";
    const char *prefix = **cursor ? strchr(prefixes, **cursor & ~0x20) : NULL;
    uint64_t multiple = 1;
    if (!prefix || !*prefix)
        return 1;
    for (const char *p = prefixes; p <= prefix; p++)
        multiple *= 1024;
    ++*cursor;
    if (!skip_word(cursor, "iB"))
        skip_word(cursor, "B");
    return multiple;
}

bool smc_parse_count(const char *text, uint64_t max, uint64_t *count)
{
    uint64_t n;
    if (!parse_digits(&text, &n) || __builtin_mul_overflow(n, parse_multiple(&text), &n) || *text ||
        n > max)
        return false;
    *count = n;
    return true;
}

/* Digits, or digits in groups of three: 49152, 49,152. */
static bool parse_grouped(const char **cursor, uint64_t *value)
{
    enum { GROUP = 3 };
    const char *s = *cursor;
    size_t first = strspn(s, "0123456789");
    if (!parse_digits(cursor, value))
        return false;
    for (; **cursor == ',' && first <= GROUP; *cursor += GROUP + 1) {
        uint64_t group = 0;
        for (int i = 1; i <= GROUP; i++) {
            char c = (*cursor)[i];
            if (c < '0' || c > '9')
                return false;
            group = group * 10 + (uint64_t)(c - '0');
        }
        if (__builtin_mul_overflow(*value, 1000, value) ||
            __builtin_add_overflow(*value, group, value))
            return false;
    }
    return true;
}

/* The digits after a point, as `fraction` of `scale`, a power of ten. */
static bool parse_fraction(const char **cursor, uint64_t *fraction, uint64_t *scale)
{
    enum { MOST_DIGITS = 12 };
    const char *s = *cursor;
    size_t digits = strspn(s, "0123456789");
    *fraction = 0;
    *scale = 1;
    *cursor += digits;
    while (digits > 0 && s[digits - 1] == '0')
        digits--;
    for (size_t i = 0; i < digits && digits <= MOST_DIGITS; i++) {
        *fraction = *fraction * 10 + (uint64_t)(s[i] - '0');
        *scale *= 10;
    }
    return *cursor > s && digits <= MOST_DIGITS;
}

/* A multiple, or "B", "byte", "bytes", "byte/block". */
static uint64_t parse_unit(const char **cursor)
{
    uint64_t multiple = parse_multiple(cursor);
    if (multiple > 1)
        return multiple;
    if (skip_word(cursor, "bytes") || skip_word(cursor, "byte"))
        skip_word(cursor, "/block");
    else
        skip_word(cursor, "B");
    return 1;
}

/* "0xc400", "0xc400 bytes"; not "0xc400B", whose B may be a digit. */
static bool parse_hexadecimal_size(const char *text, uint64_t *bytes)
{
    char digits[32];
    size_t length = strcspn(text, " ");
    const char *rest = text + length + strspn(text + length, " ");
    if (length >= sizeof digits || text[length - 1] == 'b' || text[length - 1] == 'B' ||
        text[2] == '\0')
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    return smc_parse_hexadecimal(digits, UINT64_MAX, bytes) && parse_unit(&rest) == 1 && !*rest;
}

bool smc_parse_size(const char *text, uint64_t max, uint64_t *bytes)
{
    uint64_t n, unit, fraction = 0, scale = 1;
    text += strspn(text, " ");
    if (text[0] == '0' && (text[1] | 0x20) == 'x') {
        if (!parse_hexadecimal_size(text, &n) || n > max)
            return false;
        *bytes = n;
        return true;
    }
    if (!parse_grouped(&text, &n))
        return false;
    if (*text == '.') {
        text++;
        if (!parse_fraction(&text, &fraction, &scale))
            return false;
    }
    text += strspn(text, " ");
    unit = parse_unit(&text);
    text += strspn(text, " ");
    /* 1.5K is whole, 48.3K is not. */
    if (*text || __builtin_mul_overflow(n, unit, &n) ||
        __builtin_mul_overflow(fraction, unit, &fraction) || fraction % scale != 0 ||
        __builtin_add_overflow(n, fraction / scale, &n) || n > max)
        return false;
    *bytes = n;
    return true;
}

size_t smc_parse_dimensions(const char *text, int64_t max, int64_t *values, size_t capacity)
{
    for (size_t count = 0; count < capacity;) {
        uint64_t n;
        if (!parse_digits(&text, &n) || n < 1 || n > (uint64_t)max)
            return 0;
        values[count++] = (int64_t)n;
        if (!*text)
            return count;
        if (*text != 'x' && *text != 'X' && *text != ',')
            return 0;
        text++;
    }
    return 0;
}

bool smc_parse_block(const char *text, uint32_t max, uint32_t *threads, uint32_t shape[3])
{
    int64_t edge[3] = {1, 1, 1}, number;
    const size_t edges = smc_parse_dimensions(text, max, edge, 3);
    if (edges == 0 || __builtin_mul_overflow(edge[0], edge[1], &number) ||
        __builtin_mul_overflow(number, edge[2], &number) || number > max)
        return false;
    *threads = (uint32_t)number;
    for (int i = 0; i < 3; i++)
        shape[i] = edges > 1 ? (uint32_t)edge[i] : 0;
    return true;
}

bool smc_equal_ignoring_case(const char *a, const char *b)
{
    return strcasecmp(a, b) == 0;
}

/* --- Ranges ----------------------------------------------------------------------------------- */

enum { PARTS = 3, LONGEST = 32 };

static bool parse_range_part(const char *text, size_t length, bool sizes, int64_t *value)
{
    char part[LONGEST + 1];
    uint64_t bytes;
    if (length > LONGEST)
        return false;
    memcpy(part, text, length);
    part[length] = '\0';
    if (!sizes)
        return smc_parse_integer(part, -INT64_MAX, INT64_MAX, value);
    if (!smc_parse_size(part, INT64_MAX, &bytes))
        return false;
    *value = (int64_t)bytes;
    return true;
}

/* Returns how many numbers there are; 0 if the text is malformed. */
static int parse_split(const char *text, bool sizes, int64_t part[PARTS])
{
    for (int count = 0; count < PARTS; text++) {
        size_t length = strcspn(text, ":");
        if (!parse_range_part(text, length, sizes, &part[count++]))
            return 0;
        text += length;
        if (!*text)
            return count;
    }
    return 0;
}

enum smc_range_fault smc_range_parse(const char *text, int64_t min, int64_t max, bool sizes,
                                     struct smc_range *range)
{
    int64_t part[PARTS] = {0, 0, 1};
    if (parse_split(text, sizes, part) < 2)
        return SMC_RANGE_MALFORMED;
    if (part[0] < min || part[0] > max || part[1] < min || part[1] > max)
        return SMC_RANGE_OUTSIDE;
    if (part[2] < 1)
        return SMC_RANGE_NO_STEP;
    if (part[0] > part[1])
        return SMC_RANGE_EMPTY;
    *range = (struct smc_range){part[0], part[1], part[2]};
    return SMC_RANGE_SOUND;
}

uint64_t smc_range_count(const struct smc_range *range)
{
    return ((uint64_t)range->last - (uint64_t)range->first) / (uint64_t)range->step + 1;
}

int64_t smc_range_value(const struct smc_range *range, uint64_t index)
{
    return range->first + (int64_t)index * range->step;
}
