/* The fragments of matrices that the threads of a warp hold for mma, wmma and their loads. */
#ifndef SMC_MACHINE_MATRIX_H
#define SMC_MACHINE_MATRIX_H

#include "machine/emulator/emulator_steps.h"

enum smc_matrix_type {
    SMC_MATRIX_F16,
    SMC_MATRIX_BF16,
    SMC_MATRIX_TF32,
    SMC_MATRIX_F32,
    SMC_MATRIX_F64,
    SMC_MATRIX_E4M3,
    SMC_MATRIX_E5M2,
    SMC_MATRIX_S32,
    SMC_MATRIX_S8,
    SMC_MATRIX_U8,
    SMC_MATRIX_S4,
    SMC_MATRIX_U4,
    SMC_MATRIX_B1,
    SMC_MATRIX_TYPES,
};

/* d (m x n) = a (m x k) * b (k x n) + c (m x n). */
enum smc_matrix_role { SMC_MATRIX_A, SMC_MATRIX_B, SMC_MATRIX_C };

enum { SMC_MATRIX_REGISTERS = 8 }; /* of a fragment, at most */

/* The bits of one element. */
unsigned smc_matrix_bits(enum smc_matrix_type type);
/* How many registers of a thread hold its part of the matrix, each element once. */
unsigned smc_matrix_registers(const struct smc_matrix *matrix, enum smc_matrix_role role,
                              enum smc_matrix_type type);

/* --- What wgmma.c shares with ops_matrix.c ---------------------------------------------------- */

/* One number of a matrix: integers and doubles as they are, other floats with a significand. */
union smc_element {
    double number;
    int32_t integer;
};

/* The element that the lower bits are. */
union smc_element smc_matrix_element(enum smc_matrix_type type, uint64_t bits);
/* Reads a whole matrix, by rows, from the registers of all lanes. */
void smc_matrix_gather(const struct smc_warp *warp, const struct smc_matrix *matrix,
                       enum smc_matrix_role role, enum smc_matrix_type type, const uint32_t *list,
                       union smc_element *out);
/* Writes d, by rows, to the registers of the lanes of `mask`. */
void smc_matrix_scatter(const struct smc_warp *warp, const struct smc_matrix *matrix, uint32_t mask,
                        const uint32_t *list, const union smc_element *from);
/* One element of d: the sum of c and of a[i] * b[i * n], rounded as the type of d demands. */
union smc_element smc_matrix_multiply(const struct smc_op *op, const union smc_element *a,
                                      const union smc_element *b, union smc_element c);
/* All lanes that are still there run such an op together; 0 until they have arrived. `active` are
   those whose guard holds. */
uint32_t smc_matrix_converge(struct smc_warp *warp, const struct smc_op *op, uint32_t *active);

/* Steps. list: the registers of d, a, b and c, as many as `matrix` counts. */
smc_step smc_step_mma;
/* list: one fragment; a: the address, b: the stride in elements. */
smc_step smc_step_load_fragment, smc_step_store_fragment;

/* One access of the machine code of such a step: lane n accesses `bytes` from element along[n] of
   line[n] on. Lines are the rows of the matrix, or its columns where the layout is that. */
struct smc_fragment_access {
    uint32_t mask;
    uint8_t bytes;
    bool is_rows; /* ldmatrix's or stmatrix's */
    uint16_t line[SMC_LANES], along[SMC_LANES];
};

/* The operation by which the banks serve it, given that of plain accesses. */
static inline enum smc_bank_op smc_fragment_bank_op(const struct smc_fragment_access *access,
                                                    enum smc_bank_op plain)
{
    const uint32_t matrices = (uint32_t)__builtin_popcount(access->mask) / 8;
    return access->is_rows ? smc_bank_matrix_op(plain == SMC_BANK_LOAD, matrices) : plain;
}

/* How many there are for an address with or without the state space .shared; the one at `index`. */
unsigned smc_fragment_accesses(const struct smc_op *op, bool is_shared);
void smc_fragment_access_at(const struct smc_op *op, bool is_shared, unsigned index,
                            struct smc_fragment_access *access);
/* The bits of an element, and how many elements of a line are accessed. */
unsigned smc_fragment_line(const struct smc_op *op, unsigned *bits);
/* movmatrix: d from a. */
smc_step smc_step_transpose;

/* wgmma.c. list: the registers of d, of a unless that is in shared memory, and of c, which are d's;
   a, b: the descriptors; c: a predicate, whether c counts; immediate: of enum smc_wgmma_flags. The
   shape is that of a warp's part: m is 16. */
enum smc_wgmma_flags {
    SMC_WGMMA_SHARED_A = 1,
    SMC_WGMMA_NEGATED_A = 2,
    SMC_WGMMA_NEGATED_B = 4,
    SMC_WGMMA_TRANSPOSED_A = 8, /* by columns */
    SMC_WGMMA_TRANSPOSED_B = 16 /* by rows */
};
smc_step smc_step_wgmma;
/* wait: immediate: the groups that need not be complete. */
smc_step smc_step_wgmma_commit, smc_step_wgmma_wait;
/* setmaxnreg: immediate: the registers of each thread from then on. */
smc_step smc_step_setmaxnreg;

#endif
