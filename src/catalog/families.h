/* What the families share; only the files of this folder include it. */
#ifndef SMC_CATALOG_FAMILIES_H
#define SMC_CATALOG_FAMILIES_H

#include "catalog/catalog.h"

#define KERNEL(id) extern const struct smc_kernel smc_kernel_##id;
#include "catalog/kernels.def"
#undef KERNEL

#define SMC_PARAM_BIT(id) (1u << SMC_PARAM_##id)

/* Launches: x up to 2^31 - 1 blocks, y and z up to 65535. */
#define SMC_MAX_GRID_X  INT64_C(2147483647)
#define SMC_MAX_GRID_YZ INT64_C(65535)

/* Each parameter that the kernel takes is within its range, and nothing else was given. */
enum smc_status smc_params_check(const struct smc_kernel *kernel, const struct smc_params *params,
                                 struct smc_error *error);

/* Sets what follows from block and grid. */
void smc_plan_count(struct smc_plan *plan);

void smc_plan_add_buffer(struct smc_plan *plan, const char *name, enum smc_dtype dtype,
                         uint64_t elements, bool output);

/* An access with no lane active, to the first array of shared memory. `label` begins with the
   array's name and '['; shared.c. */
void smc_shared_begin(struct smc_shared_access *access, const char *label, enum smc_bank_op op,
                      uint32_t width_bytes, uint32_t row_elements, uint32_t steps);

/* Makes `lane` active and lets it access that element of the array; does nothing from step `steps`
   on. */
void smc_shared_lane(struct smc_shared_access *access, uint32_t lane, uint32_t step,
                     uint32_t element);

/* Adds one element of the output to the result. `share` is its error as a share of the bound: up
   to 1 is right; above, or not a number, is wrong. */
#define SMC_WRONG __builtin_inf() /* of a type without rounding */
void smc_comparison_add(struct smc_comparison *result, uint64_t index, double expected, double got,
                        double share);

/* Adds elements [index, index + count) of the output that nobody may write: right where they
   still hold the poison. */
void smc_comparison_add_gap(struct smc_comparison *result, enum smc_dtype dtype, const void *output,
                            uint64_t index, uint64_t count);

#endif
