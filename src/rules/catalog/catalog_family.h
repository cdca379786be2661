/* What the kernel families share. Only the files of this folder include it. */
#ifndef SMC_RULES_CATALOG_FAMILY_H
#define SMC_RULES_CATALOG_FAMILY_H

#include "rules/banks.h"
#include "rules/catalog.h"

/* The functions of a kernel's row do not all need the row. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define KERNEL(id) extern const struct smc_kernel smc_kernel_##id;
#include "rules/catalog/kernels.def"

#define SMC_PARAM_BIT(id) (1u << SMC_PARAM_##id)

/* Launches: x up to 2^31 - 1 blocks, y and z up to 65535. */
#define SMC_MAX_GRID_X  INT64_C(2147483647)
#define SMC_MAX_GRID_YZ INT64_C(65535)

/* Checks that each parameter that the kernel accepts is in its range, and that no other was
   given. */
enum smc_status smc_params_check(const struct smc_kernel *kernel, const struct smc_params *params,
                                 struct smc_error *error);

/* Sets the members that follow from block and grid. */
void smc_plan_count(struct smc_plan *plan);

void smc_plan_add_buffer(struct smc_plan *plan, const char *name, enum smc_dtype dtype,
                         uint64_t elements, bool output);

/* --- The work of a launch, counted without walking its threads -------------------------------- */

/* Accesses that are equivalent for the memory are counted once, with their frequency. */

/* How often accesses begin at each position within a sector or a line. Positions are in elements of
   the array, whose first element begins a line. */
struct smc_phases {
    uint32_t count; /* elements per sector or line, at most its size in bytes */
    double times[SMC_LINE_BYTES];
};

/* Sets one access, at element `first`, as its position within a sector or a line. */
void smc_phases_begin(struct smc_phases *phases, size_t element_bytes, uint64_t first);
void smc_phases_begin_in_line(struct smc_phases *phases, size_t element_bytes, uint64_t first);

/* Repeats each access `steps` times, each time `stride` elements further. */
void smc_phases_walk(struct smc_phases *phases, uint64_t steps, uint64_t stride);

/* Adds one request of a warp for every phase: each lane of `mask` accesses `wide` elements, which
   are within one sector, starting at its `element`. */
void smc_work_add_request(struct smc_global_access *access, size_t element_bytes, uint32_t wide,
                          const struct smc_phases *phases, const uint64_t element[SMC_WARP_LANES],
                          uint32_t mask);

/* A tile x tile block of threads, whose thread (x, y) accesses element y * y_stride + x * x_stride
   of a tile, for every tile of rows x columns threads; threads beyond that are not counted. All of
   this is repeated `repeats` times, each time `repeat_stride` elements further. */
struct smc_tiles {
    uint32_t tile;
    uint64_t rows, columns;
    uint64_t y_stride, x_stride;
    uint64_t repeats, repeat_stride;
};
void smc_work_add_tiles(struct smc_global_access *access, size_t element_bytes,
                        const struct smc_tiles *tiles);

/* `blocks` blocks of `threads` threads, each `block_stride` elements further than the one before.
   Each block covers `elements` neighboring elements, one per thread, in strides of `threads`. All
   of this is repeated `times` times, each time one element further. */
struct smc_lines {
    uint64_t first, blocks, block_stride, elements;
    uint32_t threads;
    uint64_t times;
};
void smc_work_add_lines(struct smc_global_access *access, size_t element_bytes,
                        const struct smc_lines *lines);

/* Adds the next array of `work`: a load or a store of an array of `array_elements`. */
struct smc_global_access *smc_work_add_access(struct smc_work *work, const char *name, bool store,
                                              double array_elements);

/* Sets the bytes loaded and stored, computed from the accesses. */
void smc_work_sum_bytes(struct smc_work *work, size_t element_bytes);

/* Adds `times` accesses to shared memory, in which `lanes` threads access neighboring 4-byte
   elements. */
void smc_shared_add_run(struct smc_shared_count *count, const struct smc_bank_layout *layout,
                        enum smc_bank_op op, uint32_t lanes, double times);

/* `times` such accesses by one warp. */
void smc_shared_add(struct smc_shared_count *count, const struct smc_bank_layout *layout,
                    const struct smc_access *access, double times);

/* --- Accesses to shared memory ---------------------------------------------------------------- */

/* Initializes an access to the first array of shared memory, with no active lane. `label` begins
   with the array's name and '['. */
void smc_shared_begin(struct smc_shared_access *access, const char *label, enum smc_bank_op op,
                      uint32_t width_bytes, uint32_t row_elements, uint32_t steps);

/* Makes `lane` active with that element of the array; does nothing if `step` is not below
   `steps`. */
void smc_shared_lane(struct smc_shared_access *access, uint32_t lane, uint32_t step,
                     uint32_t element);

/* --- Comparing -------------------------------------------------------------------------------- */

/* Adds one element of the output to the result. `share` is its error as a share of the bound: up to
   1 is right; a larger value or a NaN is wrong. */
#define SMC_WRONG __builtin_inf() /* for a type without rounding */
void smc_comparison_add(struct smc_comparison *result, uint64_t index, double expected, double got,
                        double share);

/* Adds elements [index, index + count) of the output, which no thread may write: they are right if
   they still hold the poison. */
void smc_comparison_add_gap(struct smc_comparison *result, enum smc_dtype dtype, const void *output,
                            uint64_t index, uint64_t count);

#endif
