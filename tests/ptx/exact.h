/* Numbers of any float as they are, without rounding: a sign and a long row of bits. */
#ifndef SMC_TESTS_PTX_EXACT_H
#define SMC_TESTS_PTX_EXACT_H

#include "cases.h"

typedef unsigned __int128 uint128;

/* Bit i is worth 2^(i - EXACT_POINT): below a quotient's last bit, above the greatest product. */
enum { EXACT_POINT = 2304, EXACT_LIMBS = 70, EXACT_BITS = EXACT_LIMBS * 64 };

struct exact {
    bool negative;
    uint64_t limb[EXACT_LIMBS];
};

enum rounding { NEAREST, ZERO, DOWN, UP };

/* What the bits of a float stand for: significand * 2^exponent where it is finite. */
struct number {
    enum { FINITE, INFINITE, NOT_A_NUMBER } kind;
    bool negative;
    uint64_t significand;
    int exponent;
};

struct number number_of(struct ptx_type type, uint64_t bits);

/* The type's bits of what is not finite, and of a zero. */
uint64_t bits_of_nan(struct ptx_type type);
uint64_t bits_of_infinity(struct ptx_type type, bool negative);
uint64_t bits_of_zero(struct ptx_type type, bool negative);

struct exact exact_place(bool negative, uint128 value, int exponent);
struct exact exact_sum(const struct exact *x, const struct exact *y);
bool exact_is_zero(const struct exact *x);

/* To a float; of zero the sign is kept. Beyond the greatest: as IEEE 754 has it. */
uint64_t exact_round(const struct exact *x, struct ptx_type type, enum rounding rounding);
/* To an integer: its magnitude; false where that has more than 64 bits. */
bool exact_round_to_integer(const struct exact *x, enum rounding rounding, uint64_t *magnitude);

#endif
