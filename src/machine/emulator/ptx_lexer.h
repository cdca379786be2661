/* Splits PTX into tokens. */
#ifndef SMC_MACHINE_PTX_LEXER_H
#define SMC_MACHINE_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of the text, not terminated by '\0'. */
struct smc_span {
    const char *at;
    size_t bytes;
};

enum smc_token_kind {
    SMC_TOKEN_END,
    SMC_TOKEN_WORD,   /* ld.shared.f32  .reg  %tid.x  $L__BB0_2 */
    SMC_TOKEN_NUMBER, /* 12  0x1f  0f3F800000  1.5e3  4U */
    SMC_TOKEN_STRING, /* without its quotes */
    SMC_TOKEN_SIGN,   /* one character */
};

struct smc_token {
    enum smc_token_kind kind;
    struct smc_span text;
    uint32_t line; /* from 1 */
};

struct smc_lexer {
    const char *at, *end;
    uint32_t line;
};

/* Skips blanks and comments. An unterminated comment or string extends to the end of the text. */
struct smc_token smc_lexer_next(struct smc_lexer *lexer);

/* Parses an integer token: 12, 0x1f, 017, 0b1, also with the suffix U. */
bool smc_ptx_number_of(struct smc_span text, uint64_t *value);
/* Parses 0f3F800000, 0d... or 1.5 into its bits, those of a float if `is_single` is set. */
bool smc_ptx_float_of(struct smc_span text, uint64_t *bits, bool *is_single);

bool smc_span_is(struct smc_span span, const char *text);
bool smc_span_equal(struct smc_span a, struct smc_span b);

#endif
