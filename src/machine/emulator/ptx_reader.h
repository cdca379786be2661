/* The state of reading a PTX module, and its tokens. Only ptx_*.c include this header. */
#ifndef SMC_MACHINE_PTX_READER_H
#define SMC_MACHINE_PTX_READER_H

#include <stdarg.h>
#include <stdio.h>

#include "machine/emulator/ptx.h"

struct reader {
    struct smc_lexer lexer;
    struct smc_token token; /* the next one */
    struct smc_ptx_module *module;
    struct smc_error *error;
    bool failed;
    bool withholds;    /* an error is kept in `refusal` instead of being reported */
    char refusal[512]; /* what a declaration has that is not supported */
    bool lenient;      /* what only a run must understand may be anything */
    uint32_t scope;
    uint32_t function;        /* whose body is read; 0: the kernel's */
    uint32_t depth;           /* nesting of vectors and initializers */
    uint32_t file, line, loc; /* of the last .loc */
};

static inline void advance(struct reader *reader)
{
    reader->token = smc_lexer_next(&reader->lexer);
}

/* Reports the first error, with its line. Returns false. */
__attribute__((format(printf, 2, 3))) static inline bool complain(struct reader *reader,
                                                                  const char *format, ...)
{
    char what[512];
    va_list args;
    if (reader->failed)
        return false;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (reader->withholds)
        snprintf(reader->refusal, sizeof reader->refusal, "%s", what);
    else
        smc_fail(reader->error, SMC_USAGE, "PTX line %u: %s", reader->token.line, what);
    reader->failed = true;
    return false;
}

static inline bool at_token(const struct reader *reader, const char *text)
{
    return reader->token.kind != SMC_TOKEN_STRING && smc_span_is(reader->token.text, text);
}

/* Skips the token if it equals `text`. */
static inline bool accept(struct reader *reader, const char *text)
{
    if (!at_token(reader, text))
        return false;
    advance(reader);
    return true;
}

static inline bool expect(struct reader *reader, const char *text)
{
    if (accept(reader, text))
        return true;
    return complain(reader, "'%s' expected, not '%.*s'", text,
                    (int)(reader->token.text.bytes < 80 ? reader->token.text.bytes : 80),
                    reader->token.text.at);
}

/* An integer with an optional sign, modulo 2^64. */
static inline bool read_integer(struct reader *reader, uint64_t *value)
{
    bool negative = accept(reader, "-");
    if (reader->token.kind != SMC_TOKEN_NUMBER || !smc_ptx_number_of(reader->token.text, value))
        return complain(reader, "a whole number expected");
    if (negative)
        *value = -*value;
    advance(reader);
    return true;
}

static inline bool skip_past(struct reader *reader, const char *sign)
{
    while (reader->token.kind != SMC_TOKEN_END)
        if (accept(reader, sign))
            return true;
        else
            advance(reader);
    return complain(reader, "a '%s' is missing", sign);
}

static inline bool out_of_memory(struct reader *reader)
{
    (void)reader; /* no message: reported as out of memory */
    return false;
}

static inline bool read_name(struct reader *reader, struct smc_span *name)
{
    *name = reader->token.text;
    if (reader->token.kind != SMC_TOKEN_WORD)
        return complain(reader, "a name expected");
    advance(reader);
    return true;
}

/* An offset after a name: +4, -4, +-4. */
static inline bool read_offset(struct reader *reader, uint64_t *offset)
{
    bool minus = at_token(reader, "-");
    *offset = 0;
    if (!accept(reader, "+") && !accept(reader, "-"))
        return true;
    if (!read_integer(reader, offset))
        return false;
    *offset = minus ? -*offset : *offset;
    return true;
}

/* ptx_operands.c: the symbol with this name that is visible in the current scope, or NULL; an
   operand of any form. */
struct smc_ptx_symbol *smc_ptx_find_symbol(const struct reader *reader, struct smc_span name);
bool smc_ptx_read_operand(struct reader *reader, struct smc_operand *operand);

/* ptx_loc.c: after ".loc". */
bool smc_ptx_read_loc(struct reader *reader);

/* The values after the '=' of a variable: numbers and addresses. */
bool smc_ptx_read_initial(struct reader *reader, struct smc_ptx_symbol *symbol);

#endif
