/* What the kernel families share; only the files of this folder include it. */
#ifndef SMC_CATALOG_FAMILY_H
#define SMC_CATALOG_FAMILY_H

#include "catalog/catalog.h"
#include "model/sectors.h"

#define KERNEL(id) extern const struct smc_kernel smc_kernel_##id;
#include "catalog/kernels.def"
#undef KERNEL

#define SMC_PARAM_BIT(id) (1u << SMC_PARAM_##id)

/* Launches: x up to 2^31 - 1 blocks, y and z up to 65535. */
#define SMC_MAX_GRID_X  INT64_C(2147483647)
#define SMC_MAX_GRID_YZ INT64_C(65535)

/* Each parameter that the kernel accepts is within its range, and no other was given. */
enum smc_status smc_params_check(const struct smc_kernel *kernel, const struct smc_params *params,
                                 struct smc_error *error);

/* Sets what follows from block and grid. */
void smc_plan_count(struct smc_plan *plan);

void smc_plan_add_buffer(struct smc_plan *plan, const char *name, enum smc_dtype dtype,
                         uint64_t elements, bool output);

/* --- The work of a launch, counted without walking its threads -------------------------------- */

/* Accesses that look alike to the memory are counted once, with how often they happen. */

/* How often accesses begin at each place within a sector, or a line, counted in elements of the
   array, whose first one begins a line. */
struct smc_phases {
    uint32_t count; /* elements in it: at most as many as bytes */
    double times[SMC_LINE_BYTES];
};

/* One access, at element `first`: its place within a sector, or within a line. */
void smc_phases_begin(struct smc_phases *phases, size_t element_bytes, uint64_t first);
void smc_phases_begin_in_line(struct smc_phases *phases, size_t element_bytes, uint64_t first);

/* What happened at one place now happens at `steps` places, each `stride` elements further. */
void smc_phases_walk(struct smc_phases *phases, uint64_t steps, uint64_t stride);

/* One request of a warp at every phase: each lane of `mask` accesses `wide` elements, which lie in
   one sector, from its element on. */
void smc_work_add_request(struct smc_global_access *access, size_t element_bytes, uint32_t wide,
                          const struct smc_phases *phases, const uint64_t element[SMC_WARP_LANES],
                          uint32_t mask);

/* A tile x tile block of threads whose thread (x, y) accesses element y * y_stride + x * x_stride
   of a tile, for every tile of rows x columns threads, those beyond left out. All of that
   `repeats` times, each `repeat_stride` elements further. */
struct smc_tiles {
    uint32_t tile;
    uint64_t rows, columns;
    uint64_t y_stride, x_stride;
    uint64_t repeats, repeat_stride;
};
void smc_work_add_tiles(struct smc_global_access *access, size_t element_bytes,
                        const struct smc_tiles *tiles);

/* `blocks` blocks of `threads` threads, each `block_stride` elements further than the one before;
   each walks over `elements` neighbouring elements, thread by thread, in strides of `threads`. All
   of that `times` times, each one element further. */
struct smc_lines {
    uint64_t first, blocks, block_stride, elements;
    uint32_t threads;
    uint64_t times;
};
void smc_work_add_lines(struct smc_global_access *access, size_t element_bytes,
                        const struct smc_lines *lines);

/* The next array of `work`: a load, or a store, of an array of `array_elements`. */
struct smc_global_access *smc_work_add_access(struct smc_work *work, const char *name, bool store,
                                              double array_elements);

/* Sets the bytes loaded and stored from the accesses. */
void smc_work_sum_bytes(struct smc_work *work, size_t element_bytes);

/* `times` accesses to shared memory by `lanes` threads of neighbouring elements of 4 bytes. */
void smc_shared_add_run(struct smc_shared_count *count, const struct smc_bank_layout *layout,
                        enum smc_bank_op op, uint32_t lanes, double times);

/* `times` such accesses by one warp. */
void smc_shared_add(struct smc_shared_count *count, const struct smc_bank_layout *layout,
                    const struct smc_access *access, double times);

/* --- Accesses to shared memory ---------------------------------------------------------------- */

/* An access with no lane active, to the first array of shared memory. `label` begins with the
   array's name and '['. */
void smc_shared_begin(struct smc_shared_access *access, const char *label, enum smc_bank_op op,
                      uint32_t width_bytes, uint32_t row_elements, uint32_t steps);

/* Makes `lane` active and lets it access that element of the array; does nothing from step `steps`
   on. */
void smc_shared_lane(struct smc_shared_access *access, uint32_t lane, uint32_t step,
                     uint32_t element);

/* --- Comparing -------------------------------------------------------------------------------- */

/* Adds one element of the output to the result. `share` is its error as a share of the bound: up
   to 1 is right; above, or not a number, is wrong. */
#define SMC_WRONG __builtin_inf() /* of a type without rounding */
void smc_comparison_add(struct smc_comparison *result, uint64_t index, double expected, double got,
                        double share);

/* Adds elements [index, index + count) of the output that no thread may write: right where they
   still hold the poison. */
void smc_comparison_add_gap(struct smc_comparison *result, enum smc_dtype dtype, const void *output,
                            uint64_t index, uint64_t count);

#endif
