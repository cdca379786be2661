/* The 1-D box sum over int32 or float: output[i] = input[i] + ... + input[i + 2 radius], for each
   place where the whole window lies in the input. Inputs are whole numbers, and float is held to
   the results of int32, bit for bit: a radius at which it might round is refused. What the kernels
   share; only this folder includes it. */
#ifndef SMC_CATALOG_STENCIL_H
#define SMC_CATALOG_STENCIL_H

#include "catalog/families.h"

enum { SMC_STENCIL_BYTES = sizeof(int32_t) }; /* of an element */
_Static_assert(sizeof(float) == sizeof(int32_t), "all elements are as long");

#define SMC_STENCIL_PARAMS                                                                         \
    (SMC_PARAM_BIT(DTYPE) | SMC_PARAM_BIT(BLOCK) | SMC_PARAM_BIT(RADIUS) | SMC_PARAM_BIT(LENGTH))

#define SMC_STENCIL_DTYPES (1u << SMC_FLOAT | 1u << SMC_INT32)

uint64_t smc_stencil_halo(const struct smc_params *params); /* inputs: both sides of a window */
uint64_t smc_stencil_outputs(const struct smc_params *params);

/* "-DELEMENT=float" or that of int32. */
void smc_stencil_define_element(const struct smc_params *params, const char *int32,
                                struct smc_text *options);

/* SMC_USAGE where float might round: the kernel's largest sum, of partial ones too, has so many
   inputs. `complete` below tries a window's. */
enum smc_status smc_stencil_check_exact(const struct smc_kernel *kernel,
                                        const struct smc_params *params, uint64_t inputs,
                                        struct smc_error *error);

/* As smc_kernel's functions. */
enum smc_status smc_stencil_complete(const struct smc_kernel *kernel, struct smc_params *params,
                                     struct smc_error *error);
void smc_stencil_defines(const struct smc_params *params, struct smc_text *options);
void smc_stencil_compare(const struct smc_params *params, const void *const *buffers, uint64_t row,
                         uint64_t rows, struct smc_comparison *result);

/* A launch of blocks with so many outputs each. Its arguments: input, output, outputs, and the
   radius where the text is not compiled for one. */
void smc_stencil_plan(const struct smc_params *params, uint64_t outputs_per_block,
                      bool takes_radius, struct smc_plan *plan);

/* All but the accesses; `flops_per_output` additions. */
void smc_stencil_work(const struct smc_params *params, double flops_per_output,
                      struct smc_work *work);

#endif
