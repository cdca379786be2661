/* What PTX instructions are tested with: cases, their modules and inputs, and what each must give.
   Shared by the emulator's conformance test and the test that holds it to a GPU. */
#ifndef SMC_TESTS_PTX_CASES_H
#define SMC_TESTS_PTX_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { PTX_THREADS = 256, PTX_BLOCKS = 16, PTX_ELEMENTS = PTX_THREADS * PTX_BLOCKS };
enum { PTX_TEXT_BYTES = 65536 }; /* of a module */

struct ptx_type {
    char class; /* 'u', 's', 'b' and 'f' as PTX has them, 'x' for bf16, 'p' for a predicate */
    unsigned bits;
};

struct ptx_case;
/* The bits that the instruction gives; operands are cut to their registers. */
typedef uint64_t ptx_reference(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c);

/* The same for threads that see each other's operands: a block of PTX_THREADS. */
typedef void ptx_block_reference(const struct ptx_case *test, const uint64_t *a, const uint64_t *b,
                                 const uint64_t *c, uint64_t *d);

struct ptx_case {
    const char *mnemonic; /* "add.sat.s32": its parts say what is computed */
    const char *text;     /* of %d, %a, %b and %c; NULL: the mnemonic and its operands */
    const char *shape;    /* of d, a, b, c: h, w, l: registers of 16, 32, 64 bits; p: predicate */
    ptx_reference *reference; /* or */
    ptx_block_reference *block_reference;
    uint32_t number;          /* for the block's */
    unsigned blocks;          /* of a cluster, whose threads the reference gets; 0: one */
    struct ptx_type to, from; /* the first and the second type of the mnemonic */
};

/* All cases; they live as long as the program. */
const struct ptx_case *ptx_cases(size_t *count);

/* Whether ".name" is a part of the mnemonic; its first part. */
bool ptx_has(const struct ptx_case *test, const char *name);
bool ptx_is(const struct ptx_case *test, const char *name);

/* Whether a GPU of the compute capability runs its module. */
bool ptx_runs_on(const struct ptx_case *test, unsigned capability);

/* What an H100 does instead of what the PTX ISA says and the emulator does (driver 580.159.04,
   2026-11-22); NULL: the same. */
const char *ptx_known_difference(const struct ptx_case *test);

/* Whether the emulator computes this approximation as a GPU of the compute capability does, bit for
   bit. */
bool ptx_is_measured(const struct ptx_case *test, unsigned capability);

/* A module with the kernel k(a, b, c, d), each an array of PTX_ELEMENTS of 8 bytes. */
void ptx_module(const struct ptx_case *test, char *text, size_t room);

struct ptx_values {
    uint64_t a[PTX_ELEMENTS], b[PTX_ELEMENTS], c[PTX_ELEMENTS], d[PTX_ELEMENTS];
};

/* Operands: with seed 0 every pair of edge values comes first; then, and with other seeds, random
   bits, small integers, and floats of similar size. */
void ptx_fill(const struct ptx_case *test, uint64_t seed, struct ptx_values *values);

/* What d must be. */
void ptx_expect(const struct ptx_case *test, const struct ptx_values *values,
                uint64_t expected[PTX_ELEMENTS]);

/* Fills d by the emulator. */
enum smc_status ptx_emulate(const struct ptx_case *test, struct ptx_values *values,
                            struct smc_error *error);

/* Whether two results are as equal as PTX makes them: the same bits, or both NaN, or, for an
   approximation, within the error that the PTX ISA documents (approximate.c). */
bool ptx_same(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t x, uint64_t y);
bool ptx_is_nan(struct ptx_type type, uint64_t bits);

/* The documented error of an approximation for these operands: |x - y| <= relative * |y| +
   absolute. False: there is none, so that anything goes. */
bool ptx_error_of(const struct ptx_case *test, uint64_t a, uint64_t b, double *relative,
                  double *absolute);

#define OP(reference, shape, mnemonic)          ptx_reference ptx_##reference;
#define TEXT(reference, shape, mnemonic, text_) ptx_reference ptx_##reference;
#include "cases.def"
#undef OP
#undef TEXT
ptx_reference ptx_convert;

#endif
