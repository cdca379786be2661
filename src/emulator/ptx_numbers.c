/* Numbers as PTX writes them. */
#include <stdlib.h>
#include <string.h>

#include "emulator/ptx_parts.h"

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

/* All of `text` as digits of that base, up to 64 bits. */
static bool read_digits(struct smc_span text, unsigned base, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < text.bytes; i++) {
        unsigned digit = (unsigned)digit_of(text.at[i]);
        if (digit >= base || __builtin_mul_overflow(*value, (uint64_t)base, value) ||
            __builtin_add_overflow(*value, (uint64_t)digit, value))
            return false;
    }
    return text.bytes > 0;
}

bool smc_ptx_number_of(struct smc_span text, uint64_t *value)
{
    if (text.bytes > 1 && text.at[text.bytes - 1] == 'U')
        text.bytes--;
    bool prefixed = text.bytes > 1 && text.at[0] == '0';
    char letter = prefixed ? text.at[1] : '\0';
    unsigned base = letter == 'x' || letter == 'X' ? 16 : letter == 'b' || letter == 'B' ? 2 : 0;
    if (base) {
        text.at += 2;
        text.bytes -= 2;
    }
    return read_digits(text, base ? base : prefixed ? 8 : 10, value);
}

bool smc_ptx_float_of(struct smc_span text, uint64_t *bits, bool *is_single)
{
    if (text.bytes > 2 && text.at[0] == '0' && strchr("fFdD", text.at[1])) {
        *is_single = text.at[1] == 'f' || text.at[1] == 'F';
        struct smc_span digits = {text.at + 2, text.bytes - 2};
        return digits.bytes == (*is_single ? 8 : 16) && read_digits(digits, 16, bits);
    }
    char copy[64], *end;
    if (text.bytes >= sizeof copy || !memchr(text.at, '.', text.bytes))
        return false;
    memcpy(copy, text.at, text.bytes);
    copy[text.bytes] = '\0';
    double value = strtod(copy, &end);
    memcpy(bits, &value, sizeof value);
    *is_single = false;
    return *end == '\0';
}

bool smc_ptx_integer(struct smc_ptx_reader *reader, uint64_t *value)
{
    bool negative = smc_ptx_accept(reader, "-");
    if (reader->token.kind != SMC_TOKEN_NUMBER || !smc_ptx_number_of(reader->token.text, value))
        return smc_ptx_complain(reader, "a whole number expected");
    if (negative)
        *value = -*value;
    smc_ptx_advance(reader);
    return true;
}
