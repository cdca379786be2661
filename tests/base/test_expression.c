/* base: expressions compared with what a C compiler makes of the same text, invalid texts with
   their columns, values that do not fit, and nesting. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/expression.h"
#include "unit.h"

/* The variables of the texts, as constants that the compiler sees too. */
enum { tx = 5, ty = 3, lane = 29, zero = 0 };

static const struct smc_variable variables[] = {{"tx", 0},   {"ty", 1},          {"lane", 2},
                                                {"zero", 3}, {"threadIdx.x", 0}, {NULL, 0}};
static const int64_t values[] = {tx, ty, lane, zero};

static const char *evaluate(const char *text, int64_t *result, struct smc_error *error)
{
    struct smc_expression expression;
    error->message[0] = '\0';
    if (smc_expression_parse(text, variables, &expression, error) != SMC_OK)
        return error->message;
    return smc_expression_evaluate(&expression, values, result);
}

/* The texts must be parsed without helpful parentheses. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"

static void test_as_in_c(void)
{
#define CASE(...)                                                                                  \
    {                                                                                              \
#__VA_ARGS__, (int64_t)(__VA_ARGS__)                                                       \
    }
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        /* clang-format off */
        CASE(0), CASE(7), CASE(0x1F), CASE(0xffffffffu), CASE(12u + 3L),
        CASE(1 + 2 * 3), CASE((1 + 2) * 3), CASE(10 - 4 - 3), CASE(100 / 7 / 2), CASE(100 / (7 / 2)),
        CASE(17 % 5 * 2), CASE(2 * 17 % 5), CASE(-7 / 2), CASE(-7 % 3), CASE(7 / -2), CASE(7 % -3),
        CASE(1 << 4 + 1), CASE((1 << 4) + 1), CASE(256 >> 2 >> 1), CASE(-16 >> 2), CASE(3 << 2 << 1),
        CASE(6 & 3 == 3), CASE((6 & 3) == 2), CASE(6 ^ 3 & 1), CASE(6 | 3 ^ 1), CASE(8 | 4 & 6),
        CASE(1 < 2), CASE(2 < 1), CASE(2 <= 2), CASE(3 > 2 > 1), CASE(2 >= 3), CASE(1 == 1 != 0),
        CASE(1 < 2 == 1), CASE(~5), CASE(~~5), CASE(-(-5)), CASE(- -5), CASE(+5), CASE(-~5),
        CASE(~tx & 31), CASE(-tx * 2), CASE(2 - -tx), CASE(tx - ty - 1),
        CASE((ty * 33 + tx) * 4), CASE(tx * 32 + ty ^ ty), CASE(lane / 8 * 8 + lane % 8),
        CASE(tx ? ty : lane), CASE(zero ? ty : lane), CASE(tx > ty ? tx : ty),
        CASE(zero ? 1 : tx ? 2 : 3), CASE(tx ? zero ? 1 : 2 : 3), CASE(zero ? 1 : 2 + 3),
        CASE((tx < ty ? 10 : 20) + 1), CASE(lane & 1 ? lane * 4 : lane * 8),
        CASE(lane >> 2 << 4 | (lane & 3) << 2), CASE((lane ^ lane >> 3 & 7) * 16),
        CASE(4611686018427387904 + 4611686018427387903), CASE(-9223372036854775807 - 1),
        CASE(0x7fffffffffffffff), CASE(1 + 2 + 3 + 4 + 5 * 6 - 7),
        /* clang-format on */
    };
#undef CASE
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = -77;
        struct smc_error error;
        const char *problem = evaluate(cases[i].text, &value, &error);
        if (!problem && value == cases[i].value)
            continue;
        wrong++;
        printf("\n    %s: %" PRId64 ", not %" PRId64 " (%s)", cases[i].text, value, cases[i].value,
               problem ? problem : "");
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

#pragma GCC diagnostic pop

static void test_blanks_and_names(void)
{
    int64_t value = 0;
    struct smc_error error;
    CU_ASSERT_PTR_NULL(evaluate(" \t( threadIdx.x\n+1 )*\r\n2 ", &value, &error));
    CU_ASSERT_EQUAL(value, 12);
    CU_ASSERT_PTR_NULL(evaluate("0XaB", &value, &error));
    CU_ASSERT_EQUAL(value, 0xab);
}

static void test_wrong_texts(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "column 1: a number, a variable or '(' expected, but the text ends"},
        {"   ", "column 4: a number, a variable or '(' expected, but the text ends"},
        {"1 +", "column 4: a number, a variable or '(' expected, but the text ends"},
        {"(ty*33 + tx*4", "column 14: ')' expected"},
        {"(1 2)", "column 4: ')' expected"},
        {"1 2", "column 3: an operator expected"},
        {"1)", "column 2: ')' without '('"},
        {"()", "column 2: a number, a variable or '(' expected, not ')'"},
        {"tx && ty", "column 5: a number, a variable or '(' expected, not '&'"},
        {"1 ? 2", "column 6: ':' expected"},
        {"1 ? : 2", "column 5: a number, a variable or '(' expected, not ':'"},
        {"1 : 2", "column 3: an operator expected"},
        {"4*tz", "column 3: unknown variable 'tz'; known are tx, ty, lane, zero, threadIdx.x"},
        {"TX", "column 1: unknown variable 'TX'; known are tx, ty, lane, zero, threadIdx.x"},
        {"010", "column 1: a leading 0 (octal in C) is not taken"},
        {"0x", "column 1: '0x' without digits"},
        {"0xg", "column 1: '0x' without digits"},
        {"12abc", "column 3: an operator expected"},
        {"1.5", "column 2: an operator expected"},
        {"9223372036854775808", "column 1: a number beyond 64 bits"},
        {"1 + 0x8000000000000000", "column 5: a number beyond 64 bits"},
        {"tx = 3", "column 4: an operator expected"},
        {"!tx", "column 1: a number, a variable or '(' expected, not '!'"},
        {"tx\33[31m", "column 3: an operator expected"},
        {"1 + \33", "column 5: a number, a variable or '(' expected, not '?'"},
    };
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 77;
        struct smc_error error;
        const char *problem = evaluate(cases[i].text, &value, &error);
        if (problem && strcmp(problem, cases[i].message) == 0 && value == 77)
            continue;
        wrong++;
        printf("\n    '%s': %s", cases[i].text, problem ? problem : "taken");
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_values_that_do_not_fit(void)
{
    static const struct {
        const char *text, *problem;
    } cases[] = {
        {"1/zero", "division by zero"},
        {"1%zero", "remainder of a division by zero"},
        {"9223372036854775807 + 1", "a value beyond 64 bits"},
        {"-9223372036854775807 - 2", "a value beyond 64 bits"},
        {"4294967296 * 4294967296", "a value beyond 64 bits"},
        {"-(-9223372036854775807 - 1)", "a value beyond 64 bits"},
        {"(-9223372036854775807 - 1) / -1", "a value beyond 64 bits"},
        {"1 << 63", "a value beyond 64 bits"},
        {"-3 << 62", "a value beyond 64 bits"},
        {"1 << 64", "a shift by less than 0 or more than 63"},
        {"1 >> -1", "a shift by less than 0 or more than 63"},
        {"(1/zero) * 0", "division by zero"},
        {"tx ? 1/zero : 2", "division by zero"},
        /* the branch that is not chosen is not evaluated */
        {"zero ? 1/zero : 2", NULL},
        {"tx ? 2 : 1/zero", NULL},
        {"(-9223372036854775807 - 1) % -1", NULL},
        {"-1 << 63", NULL},
        {"1 << 62", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 77;
        struct smc_error error;
        const char *problem = evaluate(cases[i].text, &value, &error);
        if (cases[i].problem)
            CU_ASSERT(problem && strcmp(problem, cases[i].problem) == 0 && value == 77);
        if (!cases[i].problem)
            CU_ASSERT(!problem && value != 77);
    }
}

static void test_nesting(void)
{
    char text[2048] = "";
    int64_t value = 0;
    struct smc_error error;
    memset(text, '(', 90);
    memset(text + 91, ')', 90);
    text[90] = '5';
    CU_ASSERT_PTR_NULL(evaluate(text, &value, &error));
    CU_ASSERT_EQUAL(value, 5);
    memset(text, '(', 1000);
    text[1000] = '\0';
    CU_ASSERT_STRING_EQUAL(evaluate(text, &value, &error),
                           "column 101: the expression is nested too deeply");
    memset(text, '-', 1000);
    CU_ASSERT_PTR_NOT_NULL(strstr(evaluate(text, &value, &error), "nested too deeply"));
    for (size_t i = 0; i < 1000; i += 4)
        memcpy(text + i, "1?2:", 4);
    CU_ASSERT_PTR_NOT_NULL(strstr(evaluate(text, &value, &error), "nested too deeply"));
    for (size_t i = 0; i < 1000; i += 2)
        memcpy(text + i, "1+", 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(evaluate(text, &value, &error), "too long"));
}

/* Random trees, printed with all parentheses and evaluated while they are built. */
struct tree {
    char text[4000];
    size_t length;
    bool fits; /* no division by zero or overflow in evaluated parts */
};

static uint64_t state = 1;

static uint32_t pick(uint32_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % limit);
}

static void put(struct tree *tree, const char *text)
{
    tree->length +=
        (size_t)snprintf(tree->text + tree->length, sizeof tree->text - tree->length, "%s", text);
}

static int64_t grow_leaf(struct tree *tree)
{
    static const char *const names[] = {"tx", "ty", "lane", "zero"};
    char number[16];
    uint32_t kind = pick(8);
    if (kind < 4) {
        put(tree, names[kind]);
        return values[kind];
    }
    uint32_t n = pick(40);
    snprintf(number, sizeof number, kind & 1 ? "0x%x" : "%u", n);
    put(tree, number);
    return n;
}

static int64_t combine(struct tree *tree, uint32_t kind, int64_t a, int64_t b)
{
    switch (kind) {
    case 0:
        return a + b;
    case 1:
        return a - b;
    case 2:
        tree->fits = tree->fits && a < 1000000 && a > -1000000 && b < 1000000 && b > -1000000;
        return tree->fits ? a * b : 0;
    case 3:
        tree->fits = tree->fits && b != 0;
        return b ? a / b : 0;
    case 4:
        tree->fits = tree->fits && b != 0;
        return b ? a % b : 0;
    case 5:
        return a & b;
    case 6:
        return a | b;
    case 7:
        return a ^ b;
    case 8:
        return a < b;
    case 9:
        return a == b;
    default:
        tree->fits = tree->fits && b >= 0 && b < 64;
        return tree->fits ? a >> b : 0;
    }
}

static int64_t grow(struct tree *tree, uint32_t depth)
{
    static const char *const names[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<", "==", ">>"};
    if (depth == 0 || pick(5) == 0)
        return grow_leaf(tree);
    uint32_t kind = pick(sizeof names / sizeof *names);
    put(tree, "(");
    int64_t a = grow(tree, depth - 1);
    put(tree, names[kind]);
    int64_t b = grow(tree, depth - 1);
    put(tree, ")");
    return combine(tree, kind, a, b);
}

static void test_random_trees(void)
{
    size_t wrong = 0, compared = 0;
    for (size_t i = 0; i < 20000; i++) {
        struct tree tree = {.fits = true};
        struct smc_error error;
        int64_t expected = grow(&tree, 1 + pick(5)), value = 0;
        const char *problem = evaluate(tree.text, &value, &error);
        if (!tree.fits)
            continue;
        compared++;
        if (problem || value != expected)
            wrong++;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(compared > 5000);
}

static void test_literals(void)
{
    struct smc_expression expression;
    uint32_t at, length;
    int64_t value;
    CU_ASSERT_EQUAL_FATAL(smc_expression_parse("(tx*32 + 0x10u)*4", variables, &expression, NULL),
                          SMC_OK);
    CU_ASSERT(smc_expression_literal(&expression, 0, &at, &length, &value));
    CU_ASSERT(at == 4 && length == 2 && value == 32);
    CU_ASSERT(smc_expression_literal(&expression, 1, &at, &length, &value));
    CU_ASSERT(at == 9 && length == 4 && value == 16);
    CU_ASSERT(smc_expression_literal(&expression, 2, &at, &length, &value));
    CU_ASSERT(at == 16 && length == 1 && value == 4);
    CU_ASSERT(!smc_expression_literal(&expression, 3, &at, &length, &value));
}

CU_TestInfo tests_expression[] = {
    {"as a C compiler has it", test_as_in_c},
    {"blanks and names", test_blanks_and_names},
    {"wrong texts are refused with their column", test_wrong_texts},
    {"values that do not fit", test_values_that_do_not_fit},
    {"nesting and length are bounded", test_nesting},
    {"random trees", test_random_trees},
    {"literals are found in the text", test_literals},
    CU_TEST_INFO_NULL,
};
