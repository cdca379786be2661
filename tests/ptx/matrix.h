/* Elements of matrices and their products, which the cases of mma and of wgmma share. */
#ifndef SMC_TESTS_PTX_MATRIX_H
#define SMC_TESTS_PTX_MATRIX_H

#include "cases.h"

/* Bits of a register that are kept, and bits that are then set: numbers of similar size and either
   sign, so that every sum is exact; or, of `any`, numbers of many sizes. */
struct format {
    const char *name;
    unsigned bits;
    struct ptx_type type;
    uint64_t kept, set, any_kept, any_set;
};
const struct format *format_of(const char *name);
unsigned register_bits(const struct format *format);

/* An element of a register, as a number: integers and floats of all sizes fit exactly. */
double element_of(const struct format *format, uint64_t bits, unsigned place);

struct product {
    const char *mnemonic;
    unsigned m, n, k;
    const struct format *d, *a, *b, *c;
    bool any; /* numbers of many sizes */
};

/* Register `i` of a fragment, out of an operand of 64 bits. */
uint64_t register_of(const struct product *product, const struct format *format, uint64_t operand,
                     unsigned i);
/* An element of a fragment. */
double number_in(const struct product *product, const struct format *format,
                 const uint64_t *operands, unsigned lane, unsigned element);
/* The element of the fragment a of mma. */
double from_a(const struct product *product, const uint64_t *a, unsigned row, unsigned k);

/* The bits of an element of d: of the products x[k] * y[k], and c. */
uint64_t rounded_product(const struct ptx_case *test, const struct product *product,
                         const double *x, const double *y, double c);

#endif
