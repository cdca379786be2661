/* Counting the work of a launch without walking its threads: accesses that look alike to the
   memory are counted once, with how often they happen. Only this folder includes it. */
#ifndef SMC_CATALOG_WORK_PARTS_H
#define SMC_CATALOG_WORK_PARTS_H

#include "catalog/families.h"
#include "model/sectors.h"

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

#endif
