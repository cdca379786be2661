/* The steps of a compiled expression; for the files of expressions only. */
#ifndef SMC_BASE_EXPRESSION_STEPS_H
#define SMC_BASE_EXPRESSION_STEPS_H

/* X(kind, name, precedence as in C), the longer names first where one begins like another. */
#define SMC_BINARY_OPERATORS(X)                                                                    \
    X(SHIFT_LEFT, "<<", 6)                                                                         \
    X(SHIFT_RIGHT, ">>", 6)                                                                        \
    X(AT_MOST, "<=", 5)                                                                            \
    X(AT_LEAST, ">=", 5)                                                                           \
    X(EQUAL, "==", 4)                                                                              \
    X(UNEQUAL, "!=", 4)                                                                            \
    X(BELOW, "<", 5)                                                                               \
    X(ABOVE, ">", 5)                                                                               \
    X(OR, "|", 1)                                                                                  \
    X(XOR, "^", 2)                                                                                 \
    X(AND, "&", 3)                                                                                 \
    X(ADD, "+", 7)                                                                                 \
    X(SUBTRACT, "-", 7)                                                                            \
    X(MULTIPLY, "*", 8)                                                                            \
    X(DIVIDE, "/", 8)                                                                              \
    X(REMAINDER, "%", 8)

enum smc_step_kind {
    SMC_STEP_LITERAL,
    SMC_STEP_VARIABLE,
    SMC_STEP_NEGATE,
    SMC_STEP_COMPLEMENT,
    SMC_STEP_SKIP_IF_ZERO, /* takes a value; goes on with the step named where it is 0 */
    SMC_STEP_SKIP,         /* goes on with the step named */
#define BINARY(kind, name, precedence) SMC_STEP_##kind,
    SMC_BINARY_OPERATORS(BINARY)
#undef BINARY
};

#endif
