/* Which kernels exist, and for given parameters: their geometry, shared memory, buffers, work and
   reference results. Nothing here compiles or launches. A kernel is one file in kernels/ and one
   row of its family's file, listed in kernels.def. */
#ifndef SMC_CATALOG_CATALOG_H
#define SMC_CATALOG_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "model/banks.h"

enum smc_param {
#define PARAM(id, option, lowest, highest, initial, unit, help) SMC_PARAM_##id,
#include "catalog/params.def"
#undef PARAM
    SMC_PARAM_COUNT
};

struct smc_param_info {
    const char *option; /* "tile": the command line's name without the dashes */
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

/* What outputs are filled with before a launch: no result of bounded inputs has this pattern. */
unsigned char smc_dtype_poison(enum smc_dtype dtype);

/* Values by parameter; bit n of `given` is set where the user chose value n. */
struct smc_params {
    int64_t value[SMC_PARAM_COUNT];
    uint32_t given;
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

/* One launch, as the source text asks for it. */
struct smc_plan {
    uint32_t block[3];
    uint32_t grid[3];
    uint32_t threads_per_block;
    uint64_t grid_blocks;
    uint64_t static_smem_bytes;  /* declared in the source */
    uint64_t dynamic_smem_bytes; /* given at launch */
    uint64_t output_rows;        /* what `compare` can be asked for, in parts */
    size_t buffer_count;
    struct smc_buffer buffer[SMC_MAX_BUFFERS];
    size_t argument_count;
    struct smc_argument argument[SMC_MAX_ARGUMENTS];
};

/* One array of global memory, accessed by all warps of a launch; it begins at a whole sector, as
   allocations do. A request is one instruction of one warp with an active lane; a sector is 32
   bytes, counted again for each request. */
struct smc_global_access {
    const char *name; /* the buffer's */
    bool store;
    double array_elements; /* of the array, gaps between rows left out */
    double elements;       /* accessed by all threads together */
    double requests;
    double sectors;
    double copy_sectors; /* to add on CC 8.0 and up: what copies past L1 count more, or fewer, than
                            loads (smc_sectors_count_copied) */
};

/* What one launch does, counted from the algorithm. */
struct smc_work {
    double flops;            /* additions and multiplications; integer ones for int32 */
    double fma_instructions; /* of warps, each up to 32 multiplications with an addition; 0: none */
    double global_load_bytes; /* asked for by all threads, tile reuse counted */
    double global_store_bytes;
    double untiled_load_bytes; /* what the same algorithm loads without shared memory */
    double minimum_bytes;      /* every input read once, every output written once */
    size_t access_count;
    struct smc_global_access access[SMC_MAX_BUFFERS];
};

/* Instructions of warps with an active lane, the passes they take, and the least they could. */
struct smc_shared_count {
    double instructions, wavefronts, least;
};

static inline double smc_bank_conflicts(const struct smc_shared_count *count)
{
    return count->wavefronts - count->least;
}

/* What one launch does in shared memory. */
struct smc_shared_work {
    struct smc_shared_count stores;
    struct smc_shared_count loads;         /* as ptxas makes them: neighbouring ones of a thread are
                                              joined, up to 16 bytes, where the index allows */
    struct smc_shared_count written_loads; /* as the source text and its PTX have them */
    struct smc_shared_count copies;        /* of the stores, those by cp.async from CC 8.0 on */
};

enum { SMC_MAX_SHARED_ACCESSES = 10 };

/* One access to shared memory, as the source text has it, by one warp at one turn of the loop
   around it. The compiler may join neighbouring ones. */
struct smc_shared_access {
    const char *label;     /* "a_tile[y][i]": the array's name up to '[' */
    uint32_t first_byte;   /* where the array begins */
    uint32_t row_elements; /* of the array; 0: it has one dimension */
    uint32_t steps;        /* turns of the loop, 1 where there is none */
    struct smc_access access;
};

struct smc_comparison {
    uint64_t checked;     /* output elements, gaps between rows included */
    uint64_t wrong;       /* outside the error bound, or a gap that was written */
    uint64_t first_wrong; /* element index in the output buffer */
    double expected, got; /* of the first wrong element */
    double worst;         /* largest error as a share of its bound; infinite where one has none:
                             NaN, or a wrong integer */
};

struct smc_kernel {
    const char *name;    /* "matmul-tiled" */
    const char *family;  /* "matmul" */
    const char *file;    /* in kernels/: "matmul_tiled.cu" */
    const char *entry;   /* the extern "C" function */
    const char *summary; /* one line for lists */
    uint32_t params;     /* bit n: accepts parameter n */
    uint32_t dtypes;     /* bit n: exists for dtype n */
    enum smc_dtype default_dtype;
    bool is_probe;       /* residency: has no result to compare, is launched by the executor */
    bool is_racy;        /* with a race by intention: its result is not determined, never timed */
    bool streams;        /* all accesses to one element are near in time: DRAM moves each once */
    int64_t default_pad; /* where --pad is not given */
    const char *sibling; /* does the same with dynamic shared memory, or NULL */
    const void
        *variant; /* what tells the kernels of a family apart, for its own functions; or NULL */

    /* The functions below receive the kernel that they are a member of. */

    /* Sets derived defaults (leading dimensions, length) and checks relations between values.
       SMC_USAGE with a message that names the options. Call before the functions below. */
    enum smc_status (*complete)(const struct smc_kernel *kernel, struct smc_params *params,
                                struct smc_error *error);

    /* Compiler options, each followed by '\n': "-DTILE=32\n-DELEMENT=float\n". Only what the code
       depends on, so that the text identifies the compiled kernel. */
    void (*defines)(const struct smc_kernel *kernel, const struct smc_params *params,
                    struct smc_text *options);

    void (*plan)(const struct smc_kernel *kernel, const struct smc_params *params,
                 struct smc_plan *plan);
    void (*work)(const struct smc_kernel *kernel, const struct smc_params *params,
                 struct smc_work *work);

    /* Fills `list` with what warp `warp` of a block accesses at turn `step`, from 0, and returns
       how many there are, always the same; nothing is active after the last step. NULL: the kernel
       has no shared memory. */
    size_t (*shared_accesses)(const struct smc_kernel *kernel, const struct smc_params *params,
                              uint32_t warp, uint32_t step,
                              struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES]);

    /* Counts the whole launch; `work` is zero before. NULL: the kernel has no shared memory. */
    void (*shared_work)(const struct smc_kernel *kernel, const struct smc_params *params,
                        const struct smc_bank_layout *layout, struct smc_shared_work *work);

    /* Compares rows [row, row + rows) of the output with a reference of higher precision, and adds
       to `result`. `buffers` are host copies, in the plan's order. Thread-safe for disjoint
       results, so that rows can be shared out. NULL for a probe. */
    void (*compare)(const struct smc_kernel *kernel, const struct smc_params *params,
                    const void *const *buffers, uint64_t row, uint64_t rows,
                    struct smc_comparison *result);
};

size_t smc_kernel_count(void);
const struct smc_kernel *smc_kernel_at(size_t index);

/* By exact name, case-insensitive; NULL where there is none. */
const struct smc_kernel *smc_kernel_find(const char *name);

/* Every value at its default, nothing given; DTYPE the kernel's default. */
void smc_params_init(const struct smc_kernel *kernel, struct smc_params *params);

/* For smc_kernel's `defines` where one text serves every parameter. */
void smc_defines_nothing(const struct smc_kernel *kernel, const struct smc_params *params,
                         struct smc_text *options);

/* The built-in text of a file in kernels/; NULL where there is none. Not owned by the caller. */
const char *smc_kernel_text(const char *file, size_t *length);

/* 64 random bits: element i of the sequence that begins at `start`, the same on every machine. */
uint64_t smc_random_bits(uint64_t start, uint64_t i);

/* Random values for an input buffer, the same for the same seed: whole numbers up to
   SMC_LARGEST_WHOLE of either sign, other floats in [-1, 1). */
void smc_fill_random(const struct smc_buffer *buffer, uint64_t seed, void *values);

#endif
