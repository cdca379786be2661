/* Floating-point arithmetic in single and double precision, conversions and counts of bits: what
   indices and branches are computed with. */
#ifndef SMC_MACHINE_FLOATS_H
#define SMC_MACHINE_FLOATS_H

#include "machine/sass/sass_warp.h"

/* The registers that an instruction reads, of one lane if all lanes read the same, else of 32; its
   signs and magnitudes are not applied to them. */
struct smc_float_operands {
    const uint32_t *low[3];
    const uint32_t *high[3]; /* the upper registers of pairs */
    uint32_t lanes;          /* 1 or 32 */
    uint32_t takes_first;    /* of a minimum: its predicate; bit n: lane n */
};

/* Of as many lanes. The caller's arrays have 32 elements. */
struct smc_float_results {
    uint32_t *low, *high;
    uint32_t holds, holds_not; /* of a comparison: its two predicates */
};

/* False: the operation, or one of its modifiers, is not evaluated. */
bool smc_floats_evaluate(const struct smc_sass_instruction *in,
                         const struct smc_float_operands *from, struct smc_float_results *results);

#endif
