/* The fragments of matrices that the threads of a warp hold for mma, wmma and their loads. */
#ifndef SMC_EMULATOR_MATRIX_H
#define SMC_EMULATOR_MATRIX_H

#include "emulator/operations.h"

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

/* Steps. list: the registers of d, a, b and c, as many as `matrix` counts. */
smc_step smc_step_mma;
/* list: one fragment; a: the address, b: the stride in elements. */
smc_step smc_step_load_fragment, smc_step_store_fragment;
/* movmatrix: d from a. */
smc_step smc_step_transpose;

#endif
