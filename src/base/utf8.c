/* UTF-8, and the columns that its characters occupy on a terminal. */
#include "config.h"

#include "base/text.h"

#include <stdbool.h>
#include <string.h>
#include <utf8proc.h>

enum { REPLACEMENT = 0xfffd, FIRST_COMBINING = 0x300 };

/* C0, DEL and C1: control characters, which a terminal interprets instead of printing. */
static bool utf8_is_control(utf8proc_int32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

/* Embeddings, overrides and isolates, which change the order in which text is displayed. */
static bool changes_direction(utf8proc_int32_t character)
{
    return (character >= 0x202a && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

/* The length of the character at `bytes`, or 0 if they are not UTF-8. */
static size_t read_character(const char *bytes, size_t left, utf8proc_int32_t *character)
{
    utf8proc_ssize_t length =
        utf8proc_iterate((const utf8proc_uint8_t *)bytes, (utf8proc_ssize_t)left, character);
    return length > 0 ? (size_t)length : 0;
}

uint32_t smc_utf8_next(const char **text)
{
    utf8proc_int32_t character;
    if (**text == '\0')
        return 0;
    size_t length = read_character(*text, strnlen(*text, 4), &character);
    if (length == 0 || utf8_is_control(character)) {
        (*text)++;
        return REPLACEMENT;
    }
    *text += length;
    return (uint32_t)character;
}

int smc_utf8_columns(uint32_t character)
{
    if (character < FIRST_COMBINING) /* nearly all characters; saves the lookup */
        return 1;
    const utf8proc_property_t *property = utf8proc_get_property((utf8proc_int32_t)character);
    switch (property->boundclass) {
    case UTF8PROC_BOUNDCLASS_V: /* Hangul vowels and finals join the syllable before */
    case UTF8PROC_BOUNDCLASS_T:
        return 0;
    default:
        break;
    }
    switch (property->category) {
    case UTF8PROC_CATEGORY_CN: /* unassigned: shown as a box */
    case UTF8PROC_CATEGORY_MC: /* a spacing mark; utf8proc has 0, the C library 1 */
        return 1;
    default:
        return (int)property->charwidth;
    }
}

int smc_utf8_string_columns(const char *text)
{
    int columns = 0;
    for (uint32_t character; (character = smc_utf8_next(&text)) != 0;)
        columns += smc_utf8_columns(character);
    return columns;
}

size_t smc_utf8_fit(const char *text, int width)
{
    const char *end = text;
    for (const char *next = text; *end; end = next) {
        width -= smc_utf8_columns(smc_utf8_next(&next));
        if (width < 0)
            break;
    }
    return (size_t)(end - text);
}

/* The bytes of the well-formed character at the first of `left` bytes that a terminal prints and
   that does not change the direction of text; 0 where there is none. */
static size_t printable(const char *bytes, size_t left)
{
    utf8proc_int32_t character;
    size_t length = read_character(bytes, left, &character);
    return length > 0 && !utf8_is_control(character) && !changes_direction(character) ? length : 0;
}

size_t smc_utf8_encode(uint32_t character, char bytes[4])
{
    return (size_t)utf8proc_encode_char((utf8proc_int32_t)character, (utf8proc_uint8_t *)bytes);
}

/* A fast path for ASCII, eight bytes at a time. Returns how many bytes are certainly printable. */
static size_t printable_ascii(const unsigned char *s, size_t length)
{
    const uint64_t ones = UINT64_MAX / 0xff;
    size_t i = 0;
    for (uint64_t word; length - i >= sizeof word; i += sizeof word) {
        memcpy(&word, s + i, sizeof word);
        if ((word | (word + ones) | (word - 0x20 * ones)) & 0x80 * ones)
            break; /* a byte from 0x80 on, of 0x7f, or below 0x20 */
    }
    return i;
}

static bool is_blank_of_csv(const unsigned char *s, size_t left)
{
    return s[0] == '\t' || s[0] == '\n' || (s[0] == '\r' && left > 1 && s[1] == '\n');
}

static void make_safe(unsigned char *s, size_t length, bool is_csv)
{
    for (size_t i = printable_ascii(s, length); i < length;) {
        size_t step = printable((const char *)s + i, length - i);
        if (step == 0 && !(is_csv && is_blank_of_csv(s + i, length - i)))
            s[i] = '?';
        i += step ? step : 1;
    }
}

void smc_utf8_make_safe(char *string)
{
    make_safe((unsigned char *)string, strlen(string), false);
}

void smc_utf8_make_safe_csv(char *bytes, size_t length)
{
    make_safe((unsigned char *)bytes, length, true);
}
