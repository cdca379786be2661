/* Strict parsing of what a person types. */
#include "base/parse.h"

#include <string.h>
#include <strings.h>

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

bool smc_equal_ignoring_case(const char *a, const char *b)
{
    return strcasecmp(a, b) == 0;
}
