/* The kernels of the catalog and, for given parameters, their geometry, shared memory, buffers,
   work and reference results. Nothing here compiles or launches. A kernel is one file in kernels/
   and one row of its family's file, listed in kernels.def. */
#ifndef SMC_RULES_CATALOG_H
#define SMC_RULES_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "rules/banks.h"

enum smc_param {
#define PARAM(id, option, lowest, highest, initial, unit, help) SMC_PARAM_##id,
#include "rules/params.def"
    SMC_PARAM_COUNT
};

struct smc_param_info {
    const char *option; /* "tile": the command-line option without the dashes */
    int64_t lowest, highest, initial;
    const char *unit;
    const char *help;
};

extern const struct smc_param_info smc_param_info[SMC_PARAM_COUNT];

/* The sizes of a product, as bits: --size sets those that a kernel accepts, in this order. */
#define SMC_MATRIX_SIZES (1u << SMC_PARAM_M | 1u << SMC_PARAM_N | 1u << SMC_PARAM_K)

enum smc_dtype { SMC_FLOAT, SMC_DOUBLE, SMC_INT32, SMC_DTYPE_COUNT };

const char *smc_dtype_name(enum smc_dtype dtype); /* "float", "double", "int32" */
size_t smc_dtype_bytes(enum smc_dtype dtype);
bool smc_dtype_parse(const char *name, enum smc_dtype *dtype);

/* The largest magnitude of random whole numbers. */
enum { SMC_LARGEST_WHOLE = 1000 };

/* The fill pattern of outputs before a launch: no result of bounded inputs has this pattern. */
unsigned char smc_dtype_poison(enum smc_dtype dtype);

/* Values by parameter; bit n of `given` is set if the user chose value n. */
struct smc_params {
    int64_t value[SMC_PARAM_COUNT];
    uint32_t given;
    uint32_t blocks_per_cluster; /* of the launch; 0: not given */
};

enum { SMC_MAX_BUFFERS = 4, SMC_MAX_ARGUMENTS = 16 };

struct smc_buffer {
    const char *name; /* "A" */
    enum smc_dtype dtype;
    uint64_t elements;
    bool output; /* filled with poison and compared; otherwise filled with random values */
    bool whole;  /* of float: its random values are the whole numbers of int32 */
};

struct smc_argument {
    enum { SMC_ARGUMENT_BUFFER, SMC_ARGUMENT_INT32, SMC_ARGUMENT_INT64 } kind;
    int64_t value; /* the buffer's index, or the number */
};

/* The parameters of one launch, as the kernel's source requires them. */
struct smc_plan {
    uint32_t block[3];
    uint32_t grid[3];
    uint32_t threads_per_block;
    uint64_t grid_blocks;
    uint64_t static_smem_bytes;  /* declared in the source */
    uint64_t dynamic_smem_bytes; /* given at launch */
    uint64_t output_rows;        /* rows for `compare`, which may be called for ranges of them */
    size_t buffer_count;
    struct smc_buffer buffer[SMC_MAX_BUFFERS];
    size_t argument_count;
    struct smc_argument argument[SMC_MAX_ARGUMENTS];
};

/* One array of global memory, accessed by all warps of a launch. It begins at a sector boundary, as
   allocations do. A request is one instruction of one warp with an active lane; a sector is 32
   bytes, counted separately for each request. */
struct smc_global_access {
    const char *name; /* the buffer's */
    bool store;
    double array_elements; /* of the array, without gaps between rows */
    double elements;       /* accessed by all threads together */
    double requests;
    double sectors;
    double copy_sectors; /* to add on CC 8.0 and up: the difference between the sectors of copies
                            that bypass L1 and of loads (smc_sectors_count_copied) */
};

/* The work of one launch, counted from the algorithm. */
struct smc_work {
    double flops;             /* additions and multiplications; integer ones for int32 */
    double fma_instructions;  /* of warps, each with up to 32 multiply-adds; 0: none */
    double global_load_bytes; /* requested by all threads, including tile reuse */
    double global_store_bytes;
    double untiled_load_bytes; /* what the same algorithm loads without shared memory */
    double minimum_bytes;      /* every input read once, every output written once */
    size_t access_count;
    struct smc_global_access access[SMC_MAX_BUFFERS];
};

/* Instructions of warps with an active lane, their wavefronts, and the minimum number of
   wavefronts. */
struct smc_shared_count {
    double instructions, wavefronts, least;
};

static inline double smc_bank_conflicts(const struct smc_shared_count *count)
{
    return count->wavefronts - count->least;
}

/* The work of one launch in shared memory. */
struct smc_shared_work {
    struct smc_shared_count stores;
    struct smc_shared_count loads; /* as ptxas joins them: neighboring loads of a thread, up to 16
                                      bytes, if the index allows it */
    struct smc_shared_count written_loads; /* as in the source text and its PTX */
    struct smc_shared_count copies; /* the part of the stores that uses cp.async from CC 8.0 on */
    struct smc_shared_count bypassing; /* of the copies those past L1, cp.async.cg, as stores */
};

enum { SMC_MAX_SHARED_ACCESSES = 10 };

/* One access to shared memory in the source text, by one warp in one iteration of the surrounding
   loop. The compiler may join neighboring accesses. */
struct smc_shared_access {
    const char *label;     /* "a_tile[y][i]": the array's name up to '[' */
    uint32_t first_byte;   /* the array's offset in shared memory */
    uint32_t row_elements; /* of the array; 0: it has one dimension */
    uint32_t steps;        /* iterations of the loop; 1 without a loop */
    bool bypasses_l1;      /* a store that is cp.async.cg from CC 8.0 on */
    struct smc_access access;
};

struct smc_comparison {
    uint64_t checked;     /* output elements, including gaps between rows */
    uint64_t wrong;       /* elements outside the error bound, and gap elements that were written */
    uint64_t first_wrong; /* element index in the output buffer */
    double expected, got; /* of the first wrong element */
    double worst; /* largest error as a share of its bound; infinite for a NaN or a wrong integer */
};

/* The names of a kernel whose file has the name of its function. */
#define SMC_KERNEL_NAMES(id, dashed) .name = (dashed), .file = #id ".cu", .entry = #id

struct smc_kernel {
    const char *name;    /* "matmul-tiled" */
    const char *family;  /* "matmul" */
    const char *file;    /* in kernels/: "matmul_tiled.cu" */
    const char *entry;   /* the extern "C" function */
    const char *summary; /* one line for lists */
    uint32_t params;     /* bit n: accepts parameter n */
    uint32_t dtypes;     /* bit n: exists for dtype n */
    enum smc_dtype default_dtype;
    bool is_probe;       /* residency: has no result to compare and is launched by the executor */
    bool needs_features; /* compiled for sm_90a where sm_90 is asked for */
    bool is_racy;        /* has an intentional race: nondeterministic result, never timed */
    bool streams; /* all accesses to one element are close in time, so DRAM transfers each element
                     once */
    bool has_clusters; /* its blocks access each other's shared memory; without --cluster it chooses
                          the size of the clusters */
    int64_t default_pad; /* if --pad is not given */
    const char *sibling; /* the kernel that does the same with dynamic shared memory, or NULL */
    const void *variant; /* the variant within a family, for the family's own functions; or NULL */

    /* The functions below receive the kernel that they belong to. */

    /* Sets derived defaults (leading dimensions, length) and checks that the values are consistent.
       SMC_USAGE with a message that names the options. Call before the functions below. */
    enum smc_status (*complete)(const struct smc_kernel *kernel, struct smc_params *params,
                                struct smc_error *error);

    /* Compiler options, each followed by '\n': "-DTILE=32\n-DELEMENT=float\n". Includes only
       options that the code depends on, so that the text identifies the compiled kernel. */
    void (*defines)(const struct smc_kernel *kernel, const struct smc_params *params,
                    struct smc_text *options);

    void (*plan)(const struct smc_kernel *kernel, const struct smc_params *params,
                 struct smc_plan *plan);
    void (*work)(const struct smc_kernel *kernel, const struct smc_params *params,
                 struct smc_work *work);

    /* Fills `list` with the accesses of warp `warp` of a block in iteration `step`, from 0. Returns
       their number, which is always the same; no lane is active after the last step. NULL: the
       kernel uses no shared memory. */
    size_t (*shared_accesses)(const struct smc_kernel *kernel, const struct smc_params *params,
                              uint32_t warp, uint32_t step,
                              struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES]);

    /* Counts the work of the whole launch; `work` is zero before. NULL: the kernel uses no shared
       memory. */
    void (*shared_work)(const struct smc_kernel *kernel, const struct smc_params *params,
                        const struct smc_bank_layout *layout, struct smc_shared_work *work);

    /* Compares rows [row, row + rows) of the output with a higher-precision reference, and adds to
       `result`. `buffers` are host copies, in the plan's order. Thread-safe with separate results,
       so that rows can be distributed over threads. NULL for a probe. */
    void (*compare)(const struct smc_kernel *kernel, const struct smc_params *params,
                    const void *const *buffers, uint64_t row, uint64_t rows,
                    struct smc_comparison *result);
};

size_t smc_kernel_count(void);
const struct smc_kernel *smc_kernel_at(size_t index);

/* Finds a kernel by exact name, case-insensitive; NULL if there is none. */
const struct smc_kernel *smc_kernel_find(const char *name);

/* Sets every value to its default, as not given; DTYPE to the kernel's default. */
void smc_params_init(const struct smc_kernel *kernel, struct smc_params *params);

/* The bytes of a launch's arguments, laid out as the members of a structure. */
uint64_t smc_plan_parameter_bytes(const struct smc_plan *plan);

/* The bytes of its buffers together. */
uint64_t smc_plan_array_bytes(const struct smc_plan *plan);

/* For the `defines` of kernels whose text is the same for all parameters. */
void smc_defines_nothing(const struct smc_kernel *kernel, const struct smc_params *params,
                         struct smc_text *options);

/* The built-in text of a file in kernels/; NULL if there is none. Do not free it. */
const char *smc_kernel_text(const char *file, size_t *length);

/* 64 random bits: element i of the sequence that begins at `start`, the same on every machine. */
uint64_t smc_random_bits(uint64_t start, uint64_t i);

/* Where a sequence begins: different for each buffer of a launch, even with the same seed. */
uint64_t smc_random_start(const char *name, uint64_t seed);

/* Random values for an input buffer, the same for the same seed: whole numbers up to
   SMC_LARGEST_WHOLE of either sign, other floats in [-1, 1). */
void smc_fill_random(const struct smc_buffer *buffer, uint64_t seed, void *values);

/* The same values from element `first` on, `buffer->elements` of them, where the sequence begins at
   `start`, which is smc_random_start(buffer->name, seed). */
void smc_fill_random_from(const struct smc_buffer *buffer, uint64_t start, uint64_t first,
                          void *values);

/* --- Other kernels ---------------------------------------------------------------------------- */

/* The program's own kernels that it also has as PTX, for machines without an NVRTC. They have a
   name, a file, an entry and `defines`, but nothing else of a kernel of the catalog. */

extern const struct smc_kernel smc_kernel_health_sms;
extern const struct smc_kernel smc_kernel_health_memory; /* and health_read, health_flip */
extern const struct smc_kernel smc_kernel_ceiling_read;
extern const struct smc_kernel smc_kernel_ceiling_fma; /* built in for floats */

enum { SMC_HELPER_KERNELS = 4 };
extern const struct smc_kernel *const smc_helper_kernels[SMC_HELPER_KERNELS];

#endif
