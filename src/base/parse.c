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

bool smc_parse_size(const char *text, uint64_t max, uint64_t *bytes)
{
    static const char units[] = "KMG";
    uint64_t n;
    if (!parse_digits(&text, &n))
        return false;
    if (*text) {
        const char *unit = strchr(units, *text & ~0x20);
        if (!unit || !*unit)
            return false;
        for (const char *u = units; u <= unit; u++)
            if (__builtin_mul_overflow(n, 1024, &n))
                return false;
        text++;
        if (*text && strcasecmp(text, "B") != 0 && strcasecmp(text, "iB") != 0)
            return false;
    }
    if (n > max)
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

enum { PARTS = 3, LONGEST = 24 };

static bool parse_number(const char *text, size_t length, bool sizes, int64_t *value)
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
static int split(const char *text, bool sizes, int64_t part[PARTS])
{
    for (int count = 0; count < PARTS; text++) {
        size_t length = strcspn(text, ":");
        if (!parse_number(text, length, sizes, &part[count++]))
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
    if (split(text, sizes, part) < 2)
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
