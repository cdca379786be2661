/* Integer expressions: the steps of a compiled one, parsing, and evaluating. */
#include "base/expression.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"

/* --- Steps ------------------------------------------------------------------------------------ */

/* X(kind, name, precedence as in C), the longer names first where one begins like another. */
#define BINARY_OPERATORS(X)                                                                        \
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

enum step_kind {
    STEP_LITERAL,
    STEP_VARIABLE,
    STEP_NEGATE,
    STEP_COMPLEMENT,
    STEP_SKIP_IF_ZERO, /* pops a value; if it is 0, continues with the step given */
    STEP_SKIP,         /* continues with the step given */
#define BINARY(kind, name, precedence) STEP_##kind,
    BINARY_OPERATORS(BINARY)
#undef BINARY
};

/* --- Parsing ---------------------------------------------------------------------------------- */

enum { DEEPEST = 100 }; /* nested parentheses, signs and conditions */

struct parser {
    const char *text;
    const char *cursor;
    const struct smc_variable *variables;
    struct smc_expression *expression;
    struct smc_error *error;
    uint32_t depth;
    uint32_t stack; /* values on the stack at this point of the program */
};

/* Binary operators, the longer names first. All associate to the left. */
static const struct expression_binary {
    const char *name;
    int precedence;
    enum step_kind kind;
} binaries[] = {
#define BINARY(kind, name, precedence) {name, precedence, STEP_##kind},
    BINARY_OPERATORS(BINARY)
#undef BINARY
};

static bool parse_condition(struct parser *parser);

static void skip_space(struct parser *parser)
{
    while (*parser->cursor && strchr(" \t\r\n", *parser->cursor))
        parser->cursor++;
}

static bool fail_at(struct parser *parser, const char *place, const char *what)
{
    smc_fail(parser->error, SMC_USAGE, "column %zu: %s", (size_t)(place - parser->text) + 1, what);
    return false;
}

static bool expression_fail(struct parser *parser, const char *what)
{
    return fail_at(parser, parser->cursor, what);
}

/* A value is expected here, but something else was found. */
static bool fail_no_value(struct parser *parser)
{
    if (!*parser->cursor)
        return expression_fail(parser, "a number, a variable or '(' expected, but the text ends");
    smc_fail(parser->error, SMC_USAGE,
             "column %zu: a number, a variable or '(' expected, not '%.1s'",
             (size_t)(parser->cursor - parser->text) + 1, parser->cursor);
    return false;
}

static struct smc_expression_step *expression_add(struct parser *parser, enum step_kind kind,
                                                  int64_t operand)
{
    struct smc_expression *expression = parser->expression;
    if (expression->count == SMC_MAX_STEPS) {
        expression_fail(parser, "the expression is too long");
        return NULL;
    }
    struct smc_expression_step *step = &expression->step[expression->count++];
    *step = (struct smc_expression_step){.kind = kind, .operand = operand};
    return step;
}

static bool push(struct parser *parser, enum step_kind kind, int64_t operand)
{
    if (parser->stack == SMC_MAX_STACK)
        return expression_fail(parser, "the expression is nested too deeply");
    parser->stack++;
    return expression_add(parser, kind, operand) != NULL;
}

static int digit_value(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10 : 99;
}

static bool is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* C suffixes (32u) are accepted and ignored. */
static bool parse_literal(struct parser *parser)
{
    const char *begin = parser->cursor;
    int base = begin[0] == '0' && (begin[1] | 0x20) == 'x' ? 16 : 10;
    const char *c = begin + (base == 16 ? 2 : 0);
    int64_t value = 0;
    if (digit_value(*c) >= base)
        return fail_at(parser, begin, "'0x' without digits");
    for (; digit_value(*c) < base; c++)
        if (__builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, digit_value(*c), &value))
            return fail_at(parser, begin, "a number beyond 64 bits");
    size_t length = (size_t)(c - begin);
    bool octal = base == 10 && *begin == '0' && length > 1;
    if (octal)
        return fail_at(parser, begin, "a leading 0 (octal in C) is not taken");
    while ((*c | 0x20) == 'u' || (*c | 0x20) == 'l')
        c++;
    if (is_name_part(*c))
        return fail_at(parser, c, "an operator expected");
    if (!push(parser, STEP_LITERAL, value))
        return false;
    struct smc_expression_step *step = &parser->expression->step[parser->expression->count - 1];
    step->at = (uint32_t)(begin - parser->text);
    step->length = (uint32_t)length;
    parser->cursor = c;
    return true;
}

static bool parse_name(struct parser *parser)
{
    const char *name = parser->cursor;
    size_t length = 0;
    while (is_name_part(name[length]))
        length++;
    for (const struct smc_variable *v = parser->variables; v->name; v++) {
        if (strlen(v->name) != length || memcmp(v->name, name, length) != 0)
            continue;
        parser->cursor += length;
        return push(parser, STEP_VARIABLE, v->place);
    }
    char known[256] = "";
    for (const struct smc_variable *v = parser->variables; v->name; v++) {
        size_t used = strlen(known);
        if (used + strlen(v->name) + 3 > sizeof known)
            break;
        strcat(strcat(known, used ? ", " : ""), v->name);
    }
    smc_fail(parser->error, SMC_USAGE, "column %zu: unknown variable '%.*s'; known are %s",
             (size_t)(name - parser->text) + 1, (int)(length > 40 ? 40 : length), name, known);
    return false;
}

static bool parse_value(struct parser *parser)
{
    skip_space(parser);
    char c = *parser->cursor;
    if (isdigit((unsigned char)c))
        return parse_literal(parser);
    if (isalpha((unsigned char)c) || c == '_')
        return parse_name(parser);
    if (c != '(')
        return fail_no_value(parser);
    parser->cursor++;
    if (!parse_condition(parser))
        return false;
    skip_space(parser);
    if (*parser->cursor != ')')
        return expression_fail(parser, "')' expected");
    parser->cursor++;
    return true;
}

static bool expression_enter(struct parser *parser)
{
    return ++parser->depth <= DEEPEST ||
           expression_fail(parser, "the expression is nested too deeply");
}

static bool parse_unary(struct parser *parser)
{
    skip_space(parser);
    char sign = *parser->cursor;
    if (sign != '-' && sign != '+' && sign != '~')
        return parse_value(parser);
    parser->cursor++;
    if (!expression_enter(parser) || !parse_unary(parser))
        return false;
    parser->depth--;
    return sign == '+' || expression_add(parser, sign == '-' ? STEP_NEGATE : STEP_COMPLEMENT, 0);
}

static const struct expression_binary *binary_here(struct parser *parser)
{
    skip_space(parser);
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (strncmp(parser->cursor, binaries[i].name, strlen(binaries[i].name)) == 0)
            return &binaries[i];
    return NULL;
}

/* Values joined by operators of at least this precedence. */
static bool parse_binary(struct parser *parser, int precedence)
{
    if (!parse_unary(parser))
        return false;
    for (const struct expression_binary *binary;
         (binary = binary_here(parser)) && binary->precedence >= precedence;) {
        parser->cursor += strlen(binary->name);
        if (!parse_binary(parser, binary->precedence + 1) ||
            !expression_add(parser, binary->kind, 0))
            return false;
        parser->stack--;
    }
    return true;
}

/* a ? b : c evaluates only one of b and c. */
static bool parse_choice(struct parser *parser)
{
    struct smc_expression *expression = parser->expression;
    uint32_t test = expression->count;
    parser->cursor++;
    parser->stack--;
    if (!expression_add(parser, STEP_SKIP_IF_ZERO, 0) || !parse_condition(parser))
        return false;
    skip_space(parser);
    if (*parser->cursor != ':')
        return expression_fail(parser, "':' expected");
    parser->cursor++;
    uint32_t skip = expression->count;
    if (!expression_add(parser, STEP_SKIP, 0))
        return false;
    parser->stack--;
    expression->step[test].operand = expression->count;
    if (!parse_condition(parser))
        return false;
    expression->step[skip].operand = expression->count;
    return true;
}

static bool parse_condition(struct parser *parser)
{
    if (!expression_enter(parser) || !parse_binary(parser, 0))
        return false;
    skip_space(parser);
    if (*parser->cursor == '?' && !parse_choice(parser))
        return false;
    parser->depth--;
    return true;
}

enum smc_status smc_expression_parse(const char *text, const struct smc_variable *variables,
                                     struct smc_expression *expression, struct smc_error *error)
{
    struct parser parser = {.text = text,
                            .cursor = text,
                            .variables = variables,
                            .expression = expression,
                            .error = error};
    expression->count = 0;
    if (!parse_condition(&parser))
        return SMC_USAGE;
    if (*parser.cursor == ')')
        expression_fail(&parser, "')' without '('");
    else if (*parser.cursor)
        expression_fail(&parser, "an operator expected");
    return *parser.cursor ? SMC_USAGE : SMC_OK;
}

bool smc_expression_literal(const struct smc_expression *expression, size_t index, uint32_t *at,
                            uint32_t *length, int64_t *value)
{
    for (uint32_t i = 0; i < expression->count; i++) {
        const struct smc_expression_step *step = &expression->step[i];
        if (step->kind != STEP_LITERAL || index-- > 0)
            continue;
        *at = step->at;
        *length = step->length;
        *value = step->operand;
        return true;
    }
    return false;
}

/* --- Evaluating ------------------------------------------------------------------------------- */

static const char beyond[] = "a value beyond 64 bits";

static const char *expression_divide(enum step_kind kind, int64_t a, int64_t b, int64_t *result)
{
    if (b == 0)
        return kind == STEP_DIVIDE ? "division by zero" : "remainder of a division by zero";
    if (b == -1) { /* INT64_MIN / -1 would overflow */
        if (kind == STEP_REMAINDER)
            *result = 0;
        else if (__builtin_sub_overflow((int64_t)0, a, result))
            return beyond;
        return NULL;
    }
    *result = kind == STEP_DIVIDE ? a / b : a % b;
    return NULL;
}

static const char *expression_shift(enum step_kind kind, int64_t a, int64_t b, int64_t *result)
{
    if (b < 0 || b > 63)
        return "a shift by less than 0 or more than 63";
    if (kind == STEP_SHIFT_RIGHT) {
        *result = a < 0 ? ~(~a >> b) : a >> b;
        return NULL;
    }
    if (a > INT64_MAX >> b || a < -(INT64_MAX >> b) - 1)
        return beyond;
    *result = (int64_t)((uint64_t)a << b);
    return NULL;
}

/* An operator that has a result for all operands. */
#define PLAIN(id, operator)                                                                        \
    case STEP_##id:                                                                                \
        *result = a operator b;                                                                    \
        return NULL;

static const char *expression_combine(enum step_kind kind, int64_t a, int64_t b, int64_t *result)
{
    switch (kind) {
    case STEP_ADD:
        return __builtin_add_overflow(a, b, result) ? beyond : NULL;
    case STEP_SUBTRACT:
        return __builtin_sub_overflow(a, b, result) ? beyond : NULL;
    case STEP_MULTIPLY:
        return __builtin_mul_overflow(a, b, result) ? beyond : NULL;
    case STEP_DIVIDE:
    case STEP_REMAINDER:
        return expression_divide(kind, a, b, result);
    case STEP_SHIFT_LEFT:
    case STEP_SHIFT_RIGHT:
        return expression_shift(kind, a, b, result);
        PLAIN(AND, &)
        PLAIN(OR, |)
        PLAIN(XOR, ^)
        PLAIN(EQUAL, ==)
        PLAIN(UNEQUAL, !=)
        PLAIN(BELOW, <)
        PLAIN(ABOVE, >)
        PLAIN(AT_MOST, <=)
        PLAIN(AT_LEAST, >=)
    default:
        return "no operator";
    }
}

const char *smc_expression_evaluate(const struct smc_expression *expression, const int64_t *values,
                                    int64_t *result)
{
    int64_t stack[SMC_MAX_STACK + 1];
    uint32_t height = 0;
    const char *problem = NULL;
    for (uint32_t i = 0; i < expression->count && !problem; i++) {
        const struct smc_expression_step *step = &expression->step[i];
        int64_t *top = &stack[height ? height - 1 : 0];
        switch ((enum step_kind)step->kind) {
        case STEP_LITERAL:
            stack[height++] = step->operand;
            break;
        case STEP_VARIABLE:
            stack[height++] = values[step->operand];
            break;
        case STEP_NEGATE:
            problem = __builtin_sub_overflow((int64_t)0, *top, top) ? beyond : NULL;
            break;
        case STEP_COMPLEMENT:
            *top = ~*top;
            break;
        case STEP_SKIP_IF_ZERO:
            height--;
            if (*top == 0)
                i = (uint32_t)step->operand - 1;
            break;
        case STEP_SKIP:
            i = (uint32_t)step->operand - 1;
            break;
        default:
            height--;
            problem = expression_combine((enum step_kind)step->kind, top[-1], *top, &top[-1]);
        }
    }
    if (!problem)
        *result = stack[0];
    return problem;
}

enum smc_status smc_expression_value(const char *text, const struct smc_variable *variables,
                                     const int64_t *values, int64_t *result,
                                     struct smc_error *error)
{
    smc_auto_free struct smc_expression *expression = smc_malloc(sizeof *expression); /* large */
    if (!expression)
        return smc_out_of_memory(error);
    enum smc_status status = smc_expression_parse(text, variables, expression, error);
    const char *wrong =
        status == SMC_OK ? smc_expression_evaluate(expression, values, result) : NULL;
    if (wrong)
        status = smc_fail(error, SMC_USAGE, "%s", wrong);
    return smc_fail_in(error, status, "'%.128s'", text);
}

enum smc_status smc_expression_shape(const char *text, const struct smc_variable *variables,
                                     const int64_t *values, const int64_t most[3],
                                     uint32_t edges[3], struct smc_error *error)
{
    int64_t edge[3] = {1, 1, 1};
    struct smc_error why = {""};
    const char *at = text;
    const size_t count = smc_parse_dimensions(text, INT32_MAX, edge, 3);
    for (size_t i = 0; count == 0 && *at; i++) {
        char part[256];
        const size_t length = strcspn(at, ",");
        if (i == 3 || length >= sizeof part)
            return smc_fail(error, SMC_USAGE,
                            "'%.64s' is not a shape such as 256, 32x8 or 4096/(TM*16),64", text);
        snprintf(part, sizeof part, "%.*s", (int)length, at);
        enum smc_status status = smc_expression_value(part, variables, values, &edge[i], &why);
        if (status != SMC_OK)
            return smc_fail(error, status, "%.700s%s", why.message,
                            strchr(part, 'x') ? "; commas separate the dimensions of expressions, "
                                                "such as 4096/(TM*16),64"
                                              : "");
        at += length + (at[length] == ',');
    }
    for (int i = 0; i < 3; i++) {
        if (edge[i] < 1 || edge[i] > most[i])
            return smc_fail(error, SMC_USAGE,
                            "'%.64s' is %" PRId64 " in %c, not between 1 and %" PRId64, text,
                            edge[i], "xyz"[i], most[i]);
        edges[i] = (uint32_t)edge[i];
    }
    return SMC_OK;
}
