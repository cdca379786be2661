/* Integer expressions as in C, compiled to a small program of a stack machine:
   + - * / % & | ^ ~ << >> < <= > >= == != ?: and parentheses, decimal and hexadecimal literals,
   and the variables that the caller names. Arithmetic is in 64 bits; an overflow or a division by
   zero is detected during evaluation. */
#ifndef SMC_BASE_EXPRESSION_H
#define SMC_BASE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { SMC_MAX_STEPS = 512, SMC_MAX_STACK = 128 };

/* A name and the place (index) of its value; a place may have several names. Lists end with a NULL
   name. */
struct smc_variable {
    const char *name; /* letters, digits, '_' and '.' */
    uint32_t place;
};

struct smc_expression_step {
    int kind;
    int64_t operand;     /* a literal's value, a variable's place, or the step to continue with */
    uint32_t at, length; /* of a literal: its position in the text */
};

struct smc_expression {
    uint32_t count;
    struct smc_expression_step step[SMC_MAX_STEPS];
};

/* SMC_USAGE with a message that begins "column 9: ". */
enum smc_status smc_expression_parse(const char *text, const struct smc_variable *variables,
                                     struct smc_expression *expression, struct smc_error *error);

/* Returns NULL or what is wrong: "division by zero", "a value beyond 64 bits", ...; `result` is
   then unchanged. `values` is indexed by place. */
const char *smc_expression_evaluate(const struct smc_expression *expression, const int64_t *values,
                                    int64_t *result);

/* Parses and evaluates. The message of a failure begins with the text in quotes. */
enum smc_status smc_expression_value(const char *text, const struct smc_variable *variables,
                                     const int64_t *values, int64_t *result,
                                     struct smc_error *error);

/* The edges of a shape: one such as 32x8, or up to three expressions joined by commas; those that
   are not given are 1. SMC_USAGE where one is not between 1 and its `most`. */
enum smc_status smc_expression_shape(const char *text, const struct smc_variable *variables,
                                     const int64_t *values, const int64_t most[3],
                                     uint32_t edges[3], struct smc_error *error);

/* Finds a literal by its position in the order of the text; false if there are fewer. */
bool smc_expression_literal(const struct smc_expression *expression, size_t index, uint32_t *at,
                            uint32_t *length, int64_t *value);

#endif
