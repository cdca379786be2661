/* Splits PTX into tokens, and parses numbers. */
#include "machine/emulator/ptx_lexer.h"

#include <stdlib.h>
#include <string.h>

#include "machine/narrow.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || c == '%' || c == '.';
}

static bool starts(const struct smc_lexer *lexer, const char *two)
{
    return lexer->end - lexer->at >= 2 && lexer->at[0] == two[0] && lexer->at[1] == two[1];
}

static void skip_comment(struct smc_lexer *lexer)
{
    for (lexer->at += 2; lexer->at < lexer->end && !starts(lexer, "*/"); lexer->at++)
        lexer->line += *lexer->at == '\n';
    lexer->at += lexer->at < lexer->end ? 2 : 0;
}

static void ptx_lexer_skip_gap(struct smc_lexer *lexer)
{
    while (lexer->at < lexer->end) {
        if (starts(lexer, "//"))
            while (lexer->at < lexer->end && *lexer->at != '\n')
                lexer->at++;
        else if (starts(lexer, "/*"))
            skip_comment(lexer);
        else if (strchr(" \t\r\n", *lexer->at) || !*lexer->at)
            lexer->line += *lexer->at++ == '\n';
        else
            return;
    }
}

static const char *end_of_number(const struct smc_lexer *lexer)
{
    const char *s = lexer->at;
    bool hexadecimal = lexer->end - s > 1 && s[0] == '0' && strchr("xXfFdD", s[1]);
    for (; s < lexer->end; s++) {
        bool exponent = !hexadecimal && s > lexer->at && (s[-1] == 'e' || s[-1] == 'E');
        if (!is_word(*s) && !(exponent && (*s == '+' || *s == '-')))
            break;
    }
    return s;
}

/* An instruction is one word with its modifiers; .reg.b16 is two, as .reg .b16 is. */
static const char *end_of_word(const struct smc_lexer *lexer)
{
    const char *s = lexer->at;
    while (s < lexer->end)
        if (is_word(*s) && !(*lexer->at == '.' && *s == '.' && s > lexer->at))
            s++;
        else if (lexer->end - s > 2 && s[0] == ':' && s[1] == ':' && is_word(s[2]))
            s += 2; /* shared::cta */
        else
            break;
    return s;
}

struct smc_token smc_lexer_next(struct smc_lexer *lexer)
{
    ptx_lexer_skip_gap(lexer);
    struct smc_token token = {SMC_TOKEN_END, {lexer->at, 0}, lexer->line};
    if (lexer->at >= lexer->end)
        return token;
    const char *end = lexer->at + 1;
    if (*lexer->at == '"') {
        token.kind = SMC_TOKEN_STRING;
        const char *quote = memchr(end, '"', (size_t)(lexer->end - end));
        end = quote ? quote : lexer->end;
        token.text = (struct smc_span){lexer->at + 1, (size_t)(end - lexer->at - 1)};
        for (size_t i = 0; i < token.text.bytes; i++)
            lexer->line += token.text.at[i] == '\n';
        lexer->at = quote ? end + 1 : end;
        return token;
    }
    token.kind = SMC_TOKEN_SIGN;
    if (is_digit(*lexer->at)) {
        token.kind = SMC_TOKEN_NUMBER;
        end = end_of_number(lexer);
    } else if (is_word(*lexer->at)) {
        token.kind = SMC_TOKEN_WORD;
        end = end_of_word(lexer);
    }
    token.text.bytes = (size_t)(end - lexer->at);
    lexer->at = end;
    return token;
}

bool smc_span_is(struct smc_span span, const char *text)
{
    return strlen(text) == span.bytes && (!span.bytes || memcmp(span.at, text, span.bytes) == 0);
}

bool smc_span_equal(struct smc_span a, struct smc_span b)
{
    return a.bytes == b.bytes && memcmp(a.at, b.at, a.bytes) == 0;
}

/* --- Numbers ---------------------------------------------------------------------------------- */

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

/* Parses all of `text` as digits of the base, up to 64 bits. */
static bool ptx_lexer_read_digits(struct smc_span text, unsigned base, uint64_t *value)
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
    return ptx_lexer_read_digits(text, base ? base : prefixed ? 8 : 10, value);
}

bool smc_ptx_float_of(struct smc_span text, uint64_t *bits, bool *is_single)
{
    if (text.bytes > 2 && text.at[0] == '0' && strchr("fFdD", text.at[1])) {
        *is_single = text.at[1] == 'f' || text.at[1] == 'F';
        struct smc_span digits = {text.at + 2, text.bytes - 2};
        return digits.bytes == (*is_single ? 8 : 16) && ptx_lexer_read_digits(digits, 16, bits);
    }
    char copy[64], *end;
    if (text.bytes >= sizeof copy || !memchr(text.at, '.', text.bytes))
        return false;
    memcpy(copy, text.at, text.bytes);
    copy[text.bytes] = '\0';
    *bits = smc_bits_of_double(strtod(copy, &end));
    *is_single = false;
    return *end == '\0';
}
