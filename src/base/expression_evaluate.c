/* Evaluating compiled expressions. */
#include "base/expression.h"
#include "base/expression_steps.h"

static const char beyond[] = "a value beyond 64 bits";

static const char *divide(enum smc_step_kind kind, int64_t a, int64_t b, int64_t *result)
{
    if (b == 0)
        return kind == SMC_STEP_DIVIDE ? "division by zero" : "remainder of a division by zero";
    if (b == -1) { /* INT64_MIN / -1 would overflow */
        if (kind == SMC_STEP_REMAINDER)
            *result = 0;
        else if (__builtin_sub_overflow((int64_t)0, a, result))
            return beyond;
        return NULL;
    }
    *result = kind == SMC_STEP_DIVIDE ? a / b : a % b;
    return NULL;
}

static const char *shift(enum smc_step_kind kind, int64_t a, int64_t b, int64_t *result)
{
    if (b < 0 || b > 63)
        return "a shift by less than 0 or more than 63";
    if (kind == SMC_STEP_SHIFT_RIGHT) {
        *result = a < 0 ? ~(~a >> b) : a >> b;
        return NULL;
    }
    if (a > INT64_MAX >> b || a < -(INT64_MAX >> b) - 1)
        return beyond;
    *result = (int64_t)((uint64_t)a << b);
    return NULL;
}

static const char *combine(enum smc_step_kind kind, int64_t a, int64_t b, int64_t *result)
{
    switch (kind) {
    case SMC_STEP_ADD:
        return __builtin_add_overflow(a, b, result) ? beyond : NULL;
    case SMC_STEP_SUBTRACT:
        return __builtin_sub_overflow(a, b, result) ? beyond : NULL;
    case SMC_STEP_MULTIPLY:
        return __builtin_mul_overflow(a, b, result) ? beyond : NULL;
    case SMC_STEP_DIVIDE:
    case SMC_STEP_REMAINDER:
        return divide(kind, a, b, result);
    case SMC_STEP_SHIFT_LEFT:
    case SMC_STEP_SHIFT_RIGHT:
        return shift(kind, a, b, result);
    case SMC_STEP_AND:
        *result = a & b;
        break;
    case SMC_STEP_OR:
        *result = a | b;
        break;
    case SMC_STEP_XOR:
        *result = a ^ b;
        break;
    case SMC_STEP_EQUAL:
        *result = a == b;
        break;
    case SMC_STEP_UNEQUAL:
        *result = a != b;
        break;
    case SMC_STEP_BELOW:
        *result = a < b;
        break;
    case SMC_STEP_ABOVE:
        *result = a > b;
        break;
    case SMC_STEP_AT_MOST:
        *result = a <= b;
        break;
    case SMC_STEP_AT_LEAST:
        *result = a >= b;
        break;
    default:
        return "no operator";
    }
    return NULL;
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
        switch ((enum smc_step_kind)step->kind) {
        case SMC_STEP_LITERAL:
            stack[height++] = step->operand;
            break;
        case SMC_STEP_VARIABLE:
            stack[height++] = values[step->operand];
            break;
        case SMC_STEP_NEGATE:
            problem = __builtin_sub_overflow((int64_t)0, *top, top) ? beyond : NULL;
            break;
        case SMC_STEP_COMPLEMENT:
            *top = ~*top;
            break;
        case SMC_STEP_SKIP_IF_ZERO:
            height--;
            if (*top == 0)
                i = (uint32_t)step->operand - 1;
            break;
        case SMC_STEP_SKIP:
            i = (uint32_t)step->operand - 1;
            break;
        default:
            height--;
            problem = combine((enum smc_step_kind)step->kind, top[-1], *top, &top[-1]);
        }
    }
    if (!problem)
        *result = stack[0];
    return problem;
}
