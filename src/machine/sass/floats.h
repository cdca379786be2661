/* Floating-point arithmetic, conversions and counts of bits in one lane: what indices are computed
   with, above all by the division of integers, which corrects an approximate reciprocal. */
#ifndef SMC_MACHINE_FLOATS_H
#define SMC_MACHINE_FLOATS_H

#include "machine/sass/sass_instruction.h"

/* The registers that an instruction reads; its signs and magnitudes are not applied to them. */
struct smc_float_operands {
    uint32_t low[3];
    uint32_t high;    /* the upper register of the second, if it is a pair */
    bool takes_first; /* of a minimum: its predicate */
};

struct smc_float_result {
    uint32_t low, high;
    bool holds; /* of a comparison */
};

/* False: the operation, or one of its modifiers, is not evaluated. */
bool smc_float_evaluate(const struct smc_sass_instruction *in,
                        const struct smc_float_operands *from, struct smc_float_result *result);

#endif
