/* Compilers' logs by their lines, and the numbers in them. Nothing is copied. */
#include "compile/log_lines.h"

#include <ctype.h>
#include <string.h>

bool smc_log_next_line(const char **cursor, struct smc_log_line *line)
{
    if (!**cursor)
        return false;
    line->start = *cursor;
    line->end = *cursor + strcspn(*cursor, "\n");
    *cursor = *line->end ? line->end + 1 : line->end;
    return true;
}

const char *smc_log_after(struct smc_log_line line, const char *text)
{
    size_t length = strlen(text);
    for (const char *s = line.start; s + length <= line.end; s++)
        if (memcmp(s, text, length) == 0)
            return s + length;
    return NULL;
}

bool smc_log_is_name(const char *s, const char *end, const char *name, size_t length, char closing)
{
    if ((size_t)(end - s) < length || memcmp(s, name, length) != 0)
        return false;
    s += length;
    if (closing)
        return s < end && *s == closing;
    while (s < end && isspace((unsigned char)*s))
        s++;
    return s == end;
}

const char *smc_log_read_number(const char *s, const char *end, uint32_t *value)
{
    bool hexadecimal = end - s > 2 && s[0] == '0' && s[1] == 'x';
    uint64_t n = 0;
    const char *first = hexadecimal ? s + 2 : s;
    for (s = first; s < end; s++) {
        int c = tolower((unsigned char)*s);
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
        if (digit >= (hexadecimal ? 16 : 10))
            break;
        n = n * (hexadecimal ? 16 : 10) + (unsigned)digit;
        if (n > UINT32_MAX)
            return NULL;
    }
    *value = (uint32_t)n;
    return s > first ? s : NULL;
}

/* The number before `unit`, which ends the item: "8192 bytes smem"; "8+4 bytes smem" is 12. */
static enum smc_log_item read_item(struct smc_log_line item, const char *unit, uint32_t *value)
{
    const char *close = item.end, *s = item.start;
    size_t length = strlen(unit);
    while (close > item.start && isspace((unsigned char)close[-1]))
        close--;
    if ((size_t)(close - item.start) < length || memcmp(close - length, unit, length) != 0)
        return SMC_LOG_ABSENT;
    close -= length;
    for (const char *at = item.start; at < close;
         at++) /* the last word: words may stand before it */
        s = isspace((unsigned char)*at) ? at + 1 : s;
    uint32_t n, more = 0;
    s = smc_log_read_number(s, close, &n);
    if (s && s < close && *s == '+')
        s = smc_log_read_number(s + 1, close, &more);
    if (s != close || more > UINT32_MAX - n)
        return SMC_LOG_DAMAGED;
    *value = n + more;
    return SMC_LOG_READ;
}

enum smc_log_item smc_log_read_list(const char *s, const char *end, const char *unit,
                                    uint32_t *value)
{
    while (s < end) {
        const char *comma = memchr(s, ',', (size_t)(end - s));
        struct smc_log_line item = {s, comma ? comma : end};
        enum smc_log_item read = read_item(item, unit, value);
        if (read != SMC_LOG_ABSENT)
            return read;
        s = item.end + 1;
    }
    return SMC_LOG_ABSENT;
}
