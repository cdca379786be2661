/* Fuzzes the parsing and evaluating of index expressions. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/expression.h"

static const struct smc_variable variables[] = {
    {"tx", 0}, {"ty", 1}, {"lane", 2}, {"threadIdx.x", 0}, {NULL, 0}};

/* The text of each literal is found where it is said to stand. */
static void check_literals(const char *text, const struct smc_expression *expression)
{
    uint32_t at, length;
    int64_t value;
    for (size_t i = 0; smc_expression_literal(expression, i, &at, &length, &value); i++)
        if (length == 0 || at + length > strlen(text) || text[at] < '0' || text[at] > '9')
            abort();
}

int fuzz_expression(const uint8_t *data, size_t size)
{
    static struct smc_expression expression;
    struct smc_error error = {""};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    enum smc_status status = smc_expression_parse(text, variables, &expression, &error);
    if (status != SMC_OK && strncmp(error.message, "column ", 7) != 0)
        abort();
    if (status == SMC_OK)
        check_literals(text, &expression);
    for (int64_t tx = 0; tx < 3 && status == SMC_OK; tx++) {
        const int64_t values[] = {tx, -1, INT64_MIN};
        int64_t result = 77, again = 77;
        const char *problem = smc_expression_evaluate(&expression, values, &result);
        if (problem && result != 77)
            abort();
        if (smc_expression_evaluate(&expression, values, &again) != problem || again != result)
            abort();
    }
    free(text);
    return 0;
}
