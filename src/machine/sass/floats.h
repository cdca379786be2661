/* Floating-point arithmetic in single and double precision, conversions and counts of bits in one
   lane: what indices and branches are computed with. */
#ifndef SMC_MACHINE_FLOATS_H
#define SMC_MACHINE_FLOATS_H

#include "machine/sass/sass_instruction.h"

/* The registers that an instruction reads; its signs and magnitudes are not applied to them. */
struct smc_float_operands {
    uint32_t low[3];
    uint32_t high[3]; /* the upper registers of pairs */
    bool takes_first; /* of a minimum: its predicate */
};

struct smc_float_result {
    uint32_t low, high;
    bool holds, holds_not; /* of a comparison: its two predicates */
};

/* False: the operation, or one of its modifiers, is not evaluated. */
bool smc_float_evaluate(const struct smc_sass_instruction *in,
                        const struct smc_float_operands *from, struct smc_float_result *result);

#endif
