/* Sets of parameters for each kernel of the catalog, from a fixed seed. */
#include "catalog_sets.h"

#include <stdlib.h>
#include <string.h>

#include "launches.h"

enum { MOST_VARIANTS = 100000, MOST_TRIES = 1000, MOST_EDGE = 200, MOST_OUTPUTS = 200000 };
static const double most_effort = 2e8; /* milliseconds on a GPU and for the CPU reference */

struct draw {
    struct catalog_sets *sets;
    const struct smc_sm *sm;
    uint64_t state;
};

/* --- What is compiled, and the shape of a block ----------------------------------------------- */

/* The ends, powers of two and their neighbours, of every parameter except the problem's size. */
static const struct {
    enum smc_param param;
    int64_t choice[30];
    int count;
} choices[] = {
    {SMC_PARAM_TILE, {1, 2, 3, 4, 5, 7, 8, 11, 13, 15, 16, 17, 24, 27, 29, 31, 32}, 17},
    {SMC_PARAM_PAD, {0, 1, 2, 3, 4, 7, 16, 32}, 8},
    {SMC_PARAM_BLOCK_M, {0, 32, 64, 96, 128, 192, 256}, 7},
    {SMC_PARAM_BLOCK_N, {0, 16, 32, 48, 64, 96, 128, 256}, 8},
    {SMC_PARAM_BLOCK_K, {0, 2, 4, 6, 8, 10, 16, 32}, 8},
    {SMC_PARAM_THREAD_M, {0, 2, 4, 8, 16}, 5},
    {SMC_PARAM_THREAD_N, {0, 2, 4, 8, 12}, 5},
    {SMC_PARAM_STAGES, {0, 2, 3, 4}, 4},
    {SMC_PARAM_BLOCK,
     {1,   2,   7,   16,  31,  32,  33,  48,  63,  64,  65,  77,  96,   100,  127,
      128, 160, 192, 255, 256, 288, 384, 480, 512, 640, 768, 992, 1000, 1023, 1024},
     30},
    {SMC_PARAM_RADIUS, {0, 1, 2, 3, 5, 16, 31, 64, 77, 300, 1025, 2500, 6000, 29000}, 14},
};

static enum smc_dtype draw_dtype(struct draw *draw)
{
    enum smc_dtype dtype;
    do
        dtype = (enum smc_dtype)launches_number(&draw->state, 0, SMC_DTYPE_COUNT - 1);
    while (!(draw->sets->kernel->dtypes >> dtype & 1));
    return dtype;
}

/* The first and the last choice more often than the others. */
static void draw_variant(struct draw *draw, struct smc_params *params)
{
    const struct smc_kernel *kernel = draw->sets->kernel;
    smc_params_init(kernel, params);
    launches_set(kernel, SMC_PARAM_DTYPE, draw_dtype(draw), params);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        int64_t last = choices[i].count - 1;
        int64_t drawn = launches_number(&draw->state, -1, last + 1);
        int64_t chosen = drawn < 0 ? 0 : drawn > last ? last : drawn;
        launches_set(kernel, choices[i].param, choices[i].choice[chosen], params);
    }
    if (kernel->params & 1u << SMC_PARAM_BINS)
        launches_set(kernel, SMC_PARAM_BINS, 1 << launches_number(&draw->state, 1, 8), params);
    if (kernel->has_clusters)
        params->blocks_per_cluster = 1u << launches_number(&draw->state, 0, 3);
}

/* --- Problem sizes ---------------------------------------------------------------------------- */

/* One of the twelve sizes, or any size if `kind` is CATALOG_SIZES. `edge` is what one block
   computes of M, N and K. */
static void matrix_size(struct draw *draw, int kind, const int64_t edge[3], int64_t size[3])
{
    static const int64_t fixed[CATALOG_SIZES][3] = {
        [0] = {1, 1, 1},    [4] = {97, 61, 89}, [5] = {1, 151, 83},
        [6] = {151, 1, 83}, [7] = {129, 67, 1}, [11] = {200, 200, 200},
    };
    for (int i = 0; i < 3; i++) {
        if (kind >= 1 && kind <= 3)
            size[i] = edge[i] + kind - 2;
        else if (kind == 8)
            size[i] = 2 * edge[i] + launches_number(&draw->state, -1, 1);
        else if (kind < CATALOG_SIZES && fixed[kind][i])
            size[i] = fixed[kind][i];
        else
            size[i] = launches_number(&draw->state, 1, MOST_EDGE);
        size[i] = size[i] < 1 ? 1 : size[i];
    }
}

/* What one block computes, after the kernel chose the values that were not given. */
static void block_edges(const struct smc_params *completed, const struct smc_kernel *kernel,
                        int64_t edge[3])
{
    bool has_tile = kernel->params & 1u << SMC_PARAM_TILE;
    for (int i = 0; i < 3; i++)
        edge[i] = completed->value[has_tile ? SMC_PARAM_TILE : SMC_PARAM_BLOCK_M + i];
}

static void set_matrices(struct draw *draw, int kind, const int64_t edge[3],
                         struct smc_params *params)
{
    const struct smc_kernel *kernel = draw->sets->kernel;
    bool has_n = kernel->params & 1u << SMC_PARAM_N; /* else C is m x m */
    int64_t size[3];
    matrix_size(draw, kind, edge, size);
    for (int i = 0; i < 3; i++)
        launches_set(kernel, SMC_PARAM_M + i, size[i], params);
    if (kind != 9 && kind != 10)
        return;
    const int64_t columns[] = {size[2], size[1], has_n ? size[1] : size[0]}; /* of A, B, C */
    for (int i = 0; i < 3; i++) {
        int64_t gap = kind == 9 ? launches_number(&draw->state, 1, 40) : 16 - columns[i] % 16;
        launches_set(kernel, SMC_PARAM_LDA + i, columns[i] + gap, params);
    }
}

/* Sets the length so that the kernel has this number of outputs. */
static void set_length(struct draw *draw, int kind, struct smc_params *params)
{
    const struct smc_kernel *kernel = draw->sets->kernel;
    int64_t block = params->value[SMC_PARAM_BLOCK];
    int64_t radius = kernel->params & 1u << SMC_PARAM_RADIUS ? params->value[SMC_PARAM_RADIUS] : 0;
    const int64_t outputs[CATALOG_SIZES] = {
        1,         block - 1,      block,      block + 1, /* one block */
        2 * block, 32 * block - 1, 32 * block, 32 * block + 1,
        7,         9973,           100003,     launches_number(&draw->state, 1, block),
    };
    int64_t chosen = outputs[kind % CATALOG_SIZES];
    if (kind == CATALOG_SIZES)
        chosen =
            launches_number(&draw->state, 1, MOST_OUTPUTS) >> launches_number(&draw->state, 0, 16);
    launches_set(kernel, SMC_PARAM_LENGTH, 2 * radius + (chosen < 1 ? 1 : chosen), params);
}

/* --- Sets ------------------------------------------------------------------------------------- */

double catalog_set_effort(const struct smc_kernel *kernel, const struct smc_params *params)
{
    struct smc_work work = {0};
    kernel->work(kernel, params, &work);
    return work.flops + work.minimum_bytes;
}

static bool has_room(const struct draw *draw, const struct smc_params *params)
{
    struct smc_plan plan;
    draw->sets->kernel->plan(draw->sets->kernel, params, &plan);
    return plan.static_smem_bytes <= draw->sm->smem_per_block_default_bytes &&
           plan.static_smem_bytes + plan.dynamic_smem_bytes <= draw->sm->smem_per_block_optin_bytes;
}

static bool is_new(const struct catalog_sets *sets, const struct smc_params *params)
{
    for (size_t i = 0; i < sets->count; i++)
        if (memcmp(sets->set[i].value, params->value, sizeof params->value) == 0)
            return false;
    return true;
}

/* Adds a set that is valid, new and not too much work. At most an eighth of the sets may need more
   shared memory than a block can have. */
static bool add(struct draw *draw, const struct smc_params *params)
{
    struct catalog_sets *sets = draw->sets;
    struct smc_params completed = *params;
    if (sets->kernel->complete(sets->kernel, &completed, NULL) != SMC_OK ||
        catalog_set_effort(sets->kernel, &completed) > most_effort || !is_new(sets, &completed))
        return false;
    bool without_room = !has_room(draw, &completed);
    if (without_room && sets->without_room >= CATALOG_SETS / 8)
        return false;
    sets->without_room += without_room;
    sets->set[sets->count++] = completed;
    return true;
}

static bool add_size(struct draw *draw, const struct smc_params *variant, const int64_t edge[3],
                     int kind)
{
    struct smc_params params = *variant;
    if (draw->sets->kernel->params & 1u << SMC_PARAM_LENGTH)
        set_length(draw, kind, &params);
    else
        set_matrices(draw, kind, edge, &params);
    return add(draw, &params);
}

/* Adds the twelve sizes, with a random one for each that is impossible. Adds nothing if too few are
   possible. */
static void add_sizes(struct draw *draw, const struct smc_params *variant, const int64_t edge[3])
{
    struct catalog_sets *sets = draw->sets;
    size_t count = sets->count, without_room = sets->without_room;
    for (int kind = 0; kind < CATALOG_SIZES; kind++) {
        bool added = add_size(draw, variant, edge, kind);
        for (int tries = 0; !added && tries < MOST_TRIES; tries++)
            added = add_size(draw, variant, edge, CATALOG_SIZES);
        if (!added) {
            sets->count = count;
            sets->without_room = without_room;
            return;
        }
    }
}

/* Draws all parameters except the problem's. */
static bool is_known(const struct catalog_sets *sets, const struct smc_params *variant)
{
    for (size_t i = 0; i < sets->count; i += CATALOG_SIZES)
        if (memcmp(sets->set[i].value, variant->value, SMC_PARAM_M * sizeof *variant->value) == 0)
            return true;
    return false;
}

void catalog_sets_make(const struct smc_kernel *kernel, const struct smc_sm *sm,
                       struct catalog_sets *sets)
{
    struct draw draw = {sets, sm, 2026};
    *sets = (struct catalog_sets){.kernel = kernel};
    for (int tries = 0; sets->count < CATALOG_SETS && tries < MOST_VARIANTS; tries++) {
        struct smc_params variant, completed;
        int64_t edge[3] = {0};
        draw_variant(&draw, &variant);
        completed = variant;
        if (kernel->complete(kernel, &completed, NULL) != SMC_OK || is_known(sets, &completed))
            continue;
        block_edges(&completed, kernel, edge);
        add_sizes(&draw, &variant, edge);
    }
}

size_t catalog_sets_compiled(const struct catalog_sets *sets,
                             const struct smc_params *compiled[CATALOG_SETS])
{
    static struct smc_text text[CATALOG_SETS]; /* those found so far; freed below */
    size_t found = 0;
    for (size_t i = 0; i < sets->count; i++) {
        size_t known = 0;
        sets->kernel->defines(sets->kernel, &sets->set[i], &text[found]);
        while (strcmp(smc_text_string(&text[known]), smc_text_string(&text[found])) != 0)
            known++;
        if (known == found)
            compiled[found++] = &sets->set[i];
        else
            smc_text_free(&text[found]);
    }
    for (size_t i = 0; i < found; i++)
        smc_text_free(&text[i]);
    return found;
}
