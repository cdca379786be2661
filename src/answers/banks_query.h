/* A query about accesses to shared memory and its complete answer: wavefronts, conflicts, which
   lanes conflict, and what removes the conflicts. A pattern is an index expression, or comes from a
   kernel of the catalog. */
#ifndef SMC_ANSWERS_BANKS_QUERY_H
#define SMC_ANSWERS_BANKS_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/csv_reader.h"
#include "base/expression.h"
#include "base/status.h"
#include "rules/banks.h"
#include "rules/catalog.h"
#include "rules/devices.h"

enum {
    SMC_ALL_WARPS = -1,
    SMC_EXPRESSION_CHARS = 400, /* the longest expression accepted */
    SMC_COUNTED_STEPS = 32,     /* counted loop iterations: enough to reach every bank */
};

/* Adds the wavefronts of one more access to a sum, which starts from {0}. */
static inline void smc_bank_cost_add(struct smc_bank_cost *to, struct smc_bank_cost more)
{
    to->wavefronts += more.wavefronts;
    to->least += more.least;
    to->phases += more.phases;
}

/* An array and how warps access it. */
struct smc_tile_question {
    struct smc_tile tile;
    char element[16]; /* "f16" */
    uint32_t access_count;
    struct smc_tile_access access[SMC_TILE_ACCESSES];
};

struct smc_banks_query {
    struct smc_device device;
    bool device_assumed;     /* the user did not name a device */
    enum smc_bank_mode mode; /* CC 3.x only */
    const char *expression;  /* the byte address of a thread, or NULL */
    int64_t stride;          /* elements between neighbouring lanes of one warp; -1: none */
    uint32_t block[3];       /* with an expression */
    uint32_t width_bytes;    /* with an expression or a stride */
    enum smc_bank_op op;
    uint32_t mask;                   /* active lanes of every warp */
    const struct smc_kernel *kernel; /* or NULL */
    struct smc_params params;        /* of the kernel; completed by smc_banks_answer */
    int32_t warp;                    /* SMC_ALL_WARPS, or the requested warp */
    uint32_t row_elements;           /* of the array, for proposals; 0: derived from the accesses */
    const char *expression_name;     /* how messages name it: "option --expr" */
    const struct smc_tile_question *tile; /* or NULL; then only device and mode matter */
};

void smc_banks_query_init(struct smc_banks_query *query);

/* A change of the layout that leaves no conflict, verified on every counted access. */
struct smc_remedy {
    bool found;
    struct smc_rearrangement rearrangement;
    char expression[SMC_EXPRESSION_CHARS + 1]; /* of the changed layout, if it can be expressed */
};

struct smc_banks_pattern {
    char label[SMC_EXPRESSION_CHARS + 1];
    enum smc_bank_op op;
    uint32_t width_bytes;
    uint32_t array;        /* the first pattern of the same array */
    uint32_t first_byte;   /* of the array */
    uint32_t row_elements; /* row length of the array: all banks if it has one dimension; with an
                              expression, derived from its indices */
    uint32_t steps, steps_counted; /* iterations of the loop around the access */
    uint32_t warps_counted;
    uint32_t accesses; /* counted accesses: warps x steps with an active lane */
    bool unknown; /* how the hardware serves them is not known: costs, map and remedies are unset */
    struct smc_bank_cost total;      /* of all accesses counted */
    uint32_t worst_warp, worst_step; /* the first access with the most conflicts */
    struct smc_access worst;
    struct smc_bank_map map; /* of the worst */
    struct smc_remedy padding, swizzle;
    struct smc_remedy narrower; /* an expression's rows without their existing padding */
};

struct smc_banks_answer {
    struct smc_banks_query query; /* completed */
    struct smc_bank_layout layout;
    uint32_t warps_per_block;
    uint32_t pattern_count;
    struct smc_banks_pattern pattern[SMC_MAX_SHARED_ACCESSES];
    uint32_t worst; /* the pattern with the most conflicts in one access */
    struct smc_tile_remedy tile_padding, tile_swizzle; /* of query.tile, if it has conflicts */
};

/* Answers. SMC_USAGE: an expression that cannot be read or evaluated, a misaligned address, a warp
   outside the block; the message names the option. */
enum smc_status smc_banks_answer(const struct smc_banks_query *query,
                                 struct smc_banks_answer *answer, struct smc_error *error);

/* The names of an expression's variables, and their places for smc_expression_parse. */
extern const struct smc_variable smc_banks_variables[];

/* Whether the device has the operation, and that of this width. SMC_USAGE with a message in which
   `prefix` stands before the names of op and width. */
enum smc_status smc_banks_check_op(enum smc_bank_op op, uint32_t width_bytes,
                                   const struct smc_sm *sm, const char *prefix,
                                   struct smc_error *error);

/* The operation of that name. SMC_USAGE as above. */
enum smc_status smc_banks_read_op(const char *text, const char *prefix, enum smc_bank_op *op,
                                  struct smc_error *error);

struct smc_banks_row {
    struct smc_access access;
    bool has_sources; /* a copy whose global addresses are given */
    uint64_t source[SMC_WARP_LANES];
};

/* Reads one row of accesses in CSV: id,op,width,mask,a0,...,a31, and for a copy optionally
   g0,...,g31, where it reads global memory. The mask is hexadecimal, addresses decimal or with 0x.
   Those of lanes that are inactive, or give no row of a matrix, may be empty, and a row may end
   before them. SMC_USAGE with a message that names the field. */
enum smc_status smc_banks_row_read(const struct smc_csv_record *record, const struct smc_sm *sm,
                                   struct smc_banks_row *row, struct smc_error *error);

/* Whether the record is a header with column names. */
bool smc_banks_row_is_header(const struct smc_csv_record *record);

/* --- Arrays that a layout places -------------------------------------------------------------- */

/* Reads the array, its swizzle, and its accesses, joined by ';'. Texts may be NULL: f16, unless the
   layout is a declaration with a type; no swizzle; no layout of threads. SMC_USAGE: the message
   begins with the option. */
struct smc_tile_texts {
    const char *layout, *element, *swizzle, *accesses, *threads_values;
};
enum smc_status smc_tile_question_read(const struct smc_tile_texts *texts,
                                       struct smc_tile_question *question, struct smc_error *error);

/* What smc_banks_answer does for a query with `tile`: a pattern is an access, whose steps are its
   instructions. */
enum smc_status smc_tile_answer(const struct smc_banks_query *query,
                                struct smc_banks_answer *answer, struct smc_error *error);

/* One instruction of the access `pattern`, in the array `tile` instead of the question's. */
enum smc_status smc_tile_answer_access(const struct smc_tile_question *question,
                                       const struct smc_tile *tile, uint32_t pattern, uint32_t step,
                                       struct smc_access *access, struct smc_error *error);

/* --- For banks_query.c and banks_change.c: where accesses come from, and remedies ------------- */

struct smc_banks_source {
    const struct smc_banks_query *query;
    uint32_t threads; /* of the block */
    bool is_kernel;
    char text[SMC_EXPRESSION_CHARS + 1]; /* without a kernel: the byte address of a thread */
    struct smc_expression expression;
};

/* Completes the query's parameters. */
enum smc_status smc_banks_source_open(struct smc_banks_query *query,
                                      struct smc_banks_source *source, struct smc_error *error);

/* What one warp accesses in one loop iteration, like smc_kernel's shared_accesses. */
enum smc_status smc_banks_source_get(const struct smc_banks_source *source, uint32_t warp,
                                     uint32_t step,
                                     struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES],
                                     size_t *count, struct smc_error *error);

/* The address of one thread. Returns NULL, or what is wrong. */
const char *smc_banks_source_address(const struct smc_banks_source *source,
                                     const struct smc_expression *expression, uint32_t thread,
                                     int64_t *address);

/* The places of the indices that may step through a row: tx, ty, tz, lane, warp. */
enum { SMC_BANKS_INDICES = 5 };

/* How many values the index has in the block, at least 2, so that a dimension of 1 can be examined
   too. */
uint32_t smc_banks_source_extent(const struct smc_banks_source *source, uint32_t place);

/* The distance from the lowest address at index 0 to the lowest address at `index`. */
bool smc_banks_source_stride(const struct smc_banks_source *source, uint32_t place, uint32_t index,
                             int64_t *bytes);

/* The most likely row length of the pattern's array, in elements. */
uint32_t smc_banks_likely_row(const struct smc_banks_source *source,
                              const struct smc_banks_pattern *pattern, uint32_t of_array);

/* Searches for a padding and a swizzle for a pattern with conflicts. SMC_MACHINE: memory. */
enum smc_status smc_banks_find_remedies(const struct smc_banks_source *source,
                                        const struct smc_banks_answer *answer, uint32_t index,
                                        struct smc_banks_pattern *pattern, struct smc_error *error);

/* --- Changes to an access --------------------------------------------------------------------- */

/* The accesses of an answered query again, with their arrays in a layout that the user tries:
   padded rows or swapped columns. */

/* The layout of each array, indexed by smc_banks_pattern's `array`; row_elements 0: unchanged. */
struct smc_banks_change {
    struct smc_rearrangement array[SMC_MAX_SHARED_ACCESSES];
};

/* What one warp of the block accesses in one iteration of the loop; after the last one no lane is
   active. SMC_USAGE if an address moves beyond 32 bits. */
enum smc_status smc_banks_change_access(const struct smc_banks_answer *answer,
                                        const struct smc_banks_change *change, uint32_t pattern,
                                        uint32_t warp, uint32_t step, struct smc_access *access,
                                        struct smc_error *error);

/* The cost of all accesses that the answer counted, for each pattern. Errors as above. */
enum smc_status smc_banks_change_count(const struct smc_banks_answer *answer,
                                       const struct smc_banks_change *change,
                                       struct smc_bank_cost total[SMC_MAX_SHARED_ACCESSES],
                                       struct smc_error *error);

/* The expression of the changed layout. False if it cannot be expressed, and for a kernel. */
bool smc_banks_change_expression(const struct smc_banks_answer *answer,
                                 const struct smc_banks_change *change,
                                 char text[SMC_EXPRESSION_CHARS + 1]);

#endif
