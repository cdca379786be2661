/* The functions that PTX approximates: their true values, by the C library's widest type, and the
   errors that the PTX ISA states. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "cases.h"

static const long double pi = 3.14159265358979323846264338327950288L;

/* Relative and absolute error for operands whose magnitude is at most `most`. */
static const struct {
    const char *name;
    unsigned bits;
    double relative, absolute, most;
} errors[] = {
    {"rcp", 32, 0x1p-23, 0, INFINITY},   {"rcp", 64, 0x1p-19, 0, INFINITY},
    {"div", 32, 0x1p-22, 0, INFINITY},   {"sqrt", 32, 0x1p-23, 0, INFINITY},
    {"rsqrt", 32, 0x1p-22, 0, INFINITY}, {"rsqrt", 64, 0x1p-22, 0, INFINITY},
    {"ex2", 32, 0x1p-22, 0, INFINITY},   {"lg2", 32, 0x1p-22, 0x1p-22, INFINITY},
    {"sin", 32, 0, 0x1p-20, 6.283185},   {"sin", 32, 0, 0x1p-14, 314.159},
    {"cos", 32, 0, 0x1p-20, 6.283185},   {"cos", 32, 0, 0x1p-14, 314.159},
    {"tanh", 32, 0x1p-10, 0, INFINITY},
};

static long double read(const struct ptx_case *test, uint64_t bits)
{
    float single;
    double number;
    memcpy(&single, &bits, sizeof single);
    memcpy(&number, &bits, sizeof number);
    number = test->to.bits == 32 ? (double)single : number;
    double least = test->to.bits == 32 ? (double)FLT_MIN : DBL_MIN;
    bool flushes = ptx_has(test, "ftz") && fabs(number) < least;
    return flushes ? copysignl(0, (long double)number) : (long double)number;
}

static uint64_t write(const struct ptx_case *test, long double value)
{
    float single = (float)value;
    double number = (double)value;
    uint64_t bits = 0;
    if (test->to.bits == 32) {
        single = ptx_has(test, "ftz") && fabsf(single) < FLT_MIN ? copysignf(0, single) : single;
        memcpy(&bits, &single, sizeof single);
    } else {
        number = ptx_has(test, "ftz") && fabs(number) < DBL_MIN ? copysign(0, number) : number;
        memcpy(&bits, &number, sizeof number);
    }
    return bits;
}

uint64_t ptx_approximate(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    long double x = read(test, a), y = read(test, b);
    (void)c;
    if (ptx_is(test, "rcp"))
        return write(test, 1 / x);
    if (ptx_is(test, "div"))
        return write(test, x / y);
    if (ptx_is(test, "sqrt"))
        return write(test, sqrtl(x));
    if (ptx_is(test, "rsqrt"))
        return write(test, 1 / sqrtl(x));
    if (ptx_is(test, "ex2"))
        return write(test, exp2l(x));
    if (ptx_is(test, "lg2"))
        return write(test, log2l(x));
    if (ptx_is(test, "tanh"))
        return write(test, tanhl(x));
    /* Reduced here: the library's own reduction is the emulator's as well. */
    long double reduced = fabsl(x) < 1000 ? x - 2 * pi * roundl(x / (2 * pi)) : x;
    return write(test, ptx_is(test, "sin") ? sinl(reduced) : cosl(reduced));
}

bool ptx_error_of(const struct ptx_case *test, uint64_t a, uint64_t b, double *relative,
                  double *absolute)
{
    double x = fabs((double)read(test, a)), y = fabs((double)read(test, b));
    /* Above 2^126 div.approx may give 0: no error is stated. */
    if (ptx_is(test, "div") && ptx_has(test, "approx") && !(y >= 0x1p-126 && y <= 0x1p126))
        return false;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (!ptx_is(test, errors[i].name) || errors[i].bits != test->to.bits)
            continue;
        if (x > errors[i].most)
            continue;
        *relative = errors[i].relative;
        *absolute = errors[i].absolute + (test->to.bits == 32 ? 0x1p-148 : 0x1p-1073);
        return true;
    }
    return isnan(x) || isinf(x);
}
