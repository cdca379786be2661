/* C = A B with several outputs per thread: parameters, launch arithmetic, accesses to global and
   shared memory. Whole panels and whole tiles of C are accessed 16 bytes at a time if the rows
   allow it; those at the edges of the matrices are accessed element by element. */
#include <inttypes.h>
#include <stdio.h>

#include "base/numbers.h"
#include "rules/catalog/product.h"

/* A warp's threads over its tile of C, as in kernels/matmul_register.cu. */
enum { LANES_M = 8, LANES_N = 4 };

struct register_launch {
    struct smc_product product; /* its tile and its grid are not used here */
    uint32_t block_m, block_n, block_k, thread_m, thread_n, stages;
    uint32_t vector; /* elements in 16 bytes, the widest access */
    uint32_t a_row;  /* elements between successive k in a panel of A */
    uint32_t threads;
};

enum { VECTOR_BYTES = 16, REGISTER_BYTES = 4, MOST_REGISTERS = 255, MOST_THREADS = 1024 };

/* By element type: the fastest parameters found for floats. Doubles need twice the registers, and
   these parameters do not spill on any architecture with 255 registers per thread. */
static const struct {
    enum smc_param param;
    int64_t initial[SMC_DTYPE_COUNT];
} shapes[] = {
    {SMC_PARAM_BLOCK_M, {[SMC_FLOAT] = 128, [SMC_DOUBLE] = 128}},
    {SMC_PARAM_BLOCK_N, {[SMC_FLOAT] = 256, [SMC_DOUBLE] = 64}},
    {SMC_PARAM_BLOCK_K, {[SMC_FLOAT] = 16, [SMC_DOUBLE] = 16}},
    {SMC_PARAM_THREAD_M, {[SMC_FLOAT] = 16, [SMC_DOUBLE] = 8}},
    {SMC_PARAM_THREAD_N, {[SMC_FLOAT] = 8, [SMC_DOUBLE] = 4}},
    {SMC_PARAM_STAGES, {[SMC_FLOAT] = 3, [SMC_DOUBLE] = 3}},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

static struct register_launch matmul_register_launch_of(const struct smc_kernel *kernel,
                                                        const struct smc_params *params)
{
    struct register_launch r = {
        .product = smc_product_of(kernel, params),
        .block_m = (uint32_t)params->value[SMC_PARAM_BLOCK_M],
        .block_n = (uint32_t)params->value[SMC_PARAM_BLOCK_N],
        .block_k = (uint32_t)params->value[SMC_PARAM_BLOCK_K],
        .thread_m = (uint32_t)params->value[SMC_PARAM_THREAD_M],
        .thread_n = (uint32_t)params->value[SMC_PARAM_THREAD_N],
        .stages = (uint32_t)params->value[SMC_PARAM_STAGES],
    };
    r.vector = VECTOR_BYTES / r.product.element_bytes;
    r.a_row = r.block_m + r.vector;
    r.threads = r.block_m / r.thread_m * (r.block_n / r.thread_n);
    return r;
}

static uint64_t blocks(const struct register_launch *r)
{
    return divide_up(r->product.m, r->block_m) * divide_up(r->product.n, r->block_n);
}

/* A valid layout: `threads` adjacent threads in a warp, each with as many outputs as `of`
   specifies; 0: no threads. */
struct matmul_register_rule {
    enum smc_param param;
    int64_t unit;
    const char *why;
    int64_t threads;
    enum smc_param of;
};

static enum smc_status check_multiple(const struct smc_params *params,
                                      const struct matmul_register_rule *rule,
                                      struct smc_error *error)
{
    int64_t value = params->value[rule->param];
    char threads[64] = "";
    if (value % rule->unit == 0)
        return SMC_OK;
    if (rule->threads)
        snprintf(threads, sizeof threads, ": %" PRId64 " threads of --%s %" PRId64, rule->threads,
                 smc_param_info[rule->of].option, params->value[rule->of]);
    return smc_fail(error, SMC_USAGE,
                    "option --%s: '%" PRId64 "' is not a multiple of %" PRId64 ", %s%s",
                    smc_param_info[rule->param].option, value, rule->unit, rule->why, threads);
}

static enum smc_status check_multiples(const struct smc_params *params, struct smc_error *error)
{
    const int64_t *value = params->value, lanes_m = LANES_M, lanes_n = LANES_N;
    size_t bytes = smc_dtype_bytes((enum smc_dtype)value[SMC_PARAM_DTYPE]);
    int64_t vector = VECTOR_BYTES / (int64_t)bytes;
    const struct matmul_register_rule rules[] = {
        {SMC_PARAM_THREAD_M, vector, "a load of 16 bytes", 0, 0},
        {SMC_PARAM_THREAD_N, vector, "a load of 16 bytes", 0, 0},
        {SMC_PARAM_BLOCK_M, lanes_m * value[SMC_PARAM_THREAD_M], "the rows of a warp", lanes_m,
         SMC_PARAM_THREAD_M},
        {SMC_PARAM_BLOCK_N, lanes_n * value[SMC_PARAM_THREAD_N], "the columns of a warp", lanes_n,
         SMC_PARAM_THREAD_N},
        {SMC_PARAM_BLOCK_K, 2, "the fragments in turn", 0, 0},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        SMC_TRY(check_multiple(params, &rules[i], error));
    return SMC_OK;
}

static enum smc_status matmul_register_check_shape(const struct smc_kernel *kernel,
                                                   const struct smc_params *params,
                                                   struct smc_error *error)
{
    SMC_TRY(check_multiples(params, error));
    const struct register_launch r = matmul_register_launch_of(kernel, params);
    if (r.stages < 2)
        return smc_fail(error, SMC_USAGE,
                        "option --stages: '%" PRIu32 "' is not between 2 and %" PRId64, r.stages,
                        smc_param_info[SMC_PARAM_STAGES].highest);
    uint32_t outputs = r.thread_m * r.thread_n;
    if (outputs * r.product.element_bytes / REGISTER_BYTES > MOST_REGISTERS)
        return smc_fail(error, SMC_USAGE,
                        "option --thread-m: %" PRIu32 " x %" PRIu32 " outputs (%s) take more than "
                        "the %d registers of a thread",
                        r.thread_m, r.thread_n, smc_dtype_name(r.product.dtype), MOST_REGISTERS);
    if (r.threads > MOST_THREADS)
        return smc_fail(error, SMC_USAGE,
                        "option --block-m: %" PRIu32 " x %" PRIu32 " outputs, %" PRIu32
                        " x %" PRIu32 " per thread, take %" PRIu32 " threads, more than %d",
                        r.block_m, r.block_n, r.thread_m, r.thread_n, r.threads, MOST_THREADS);
    if (blocks(&r) > SMC_MAX_GRID_X)
        return smc_fail(error, SMC_USAGE,
                        "option --m: %" PRIu64 " x %" PRIu64 " outputs take %" PRIu64
                        " blocks, more than the %" PRId64 " of a grid",
                        r.product.m, r.product.n, blocks(&r), SMC_MAX_GRID_X);
    return SMC_OK;
}

static enum smc_status matmul_register_complete(const struct smc_kernel *kernel,
                                                struct smc_params *params, struct smc_error *error)
{
    int64_t dtype = params->value[SMC_PARAM_DTYPE];
    bool known = dtype >= 0 && dtype < SMC_DTYPE_COUNT; /* any other value is refused below */
    for (size_t i = 0; known && i < SHAPES; i++)
        if (params->value[shapes[i].param] == 0)
            params->value[shapes[i].param] = shapes[i].initial[dtype];
    SMC_TRY(smc_product_complete(kernel, params, error));
    return matmul_register_check_shape(kernel, params, error);
}

static void matmul_register_defines(const struct smc_kernel *kernel,
                                    const struct smc_params *params, struct smc_text *options)
{
    const struct register_launch r = matmul_register_launch_of(kernel, params);
    smc_text_printf(options, "-DBM=%" PRIu32 "\n-DBN=%" PRIu32 "\n-DBK=%" PRIu32 "\n-DTM=%" PRIu32,
                    r.block_m, r.block_n, r.block_k, r.thread_m);
    smc_text_printf(options, "\n-DTN=%" PRIu32 "\n-DSTAGES=%" PRIu32 "\n-DELEMENT=%s\n", r.thread_n,
                    r.stages, smc_dtype_name(r.product.dtype));
}

static void matmul_register_plan(const struct smc_kernel *kernel, const struct smc_params *params,
                                 struct smc_plan *plan)
{
    const struct register_launch r = matmul_register_launch_of(kernel, params);
    smc_product_plan(&r.product, plan); /* the same arguments */
    plan->block[0] = r.threads;
    plan->grid[0] = (uint32_t)blocks(&r);
    for (int i = 1; i < 3; i++)
        plan->block[i] = plan->grid[i] = 1;
    smc_plan_count(plan);
    plan->dynamic_smem_bytes =
        (uint64_t)r.stages * r.block_k * (r.a_row + r.block_n) * r.product.element_bytes;
}

/* --- Accesses --------------------------------------------------------------------------------- */

enum { STORE_A, STORE_B, LOAD_A, LOAD_B, ACCESSES };

/* For one dimension: the whole tiles, then the remainder. */
struct tile_extent {
    uint64_t first, tiles;
    uint32_t active; /* of each tile */
};

struct extents {
    struct tile_extent rows[2], columns[2], steps[2];
};

static void matmul_register_split(uint64_t size, uint32_t tile, struct tile_extent extent[2])
{
    extent[0] = (struct tile_extent){0, size / tile, tile};
    extent[1] = (struct tile_extent){size / tile, size % tile != 0, (uint32_t)(size % tile)};
}

static struct extents extents_of(const struct register_launch *r)
{
    struct extents extents;
    matmul_register_split(r->product.m, r->block_m, extents.rows);
    matmul_register_split(r->product.n, r->block_n, extents.columns);
    matmul_register_split(r->product.k, r->block_k, extents.steps);
    return extents;
}

static uint64_t tiles_of(const struct tile_extent extent[2])
{
    return extent[0].tiles + extent[1].tiles;
}

/* The rows of a panel, `n` elements each; in the array a row is `leading` elements. */
struct panel_rows {
    uint32_t n;
    uint64_t leading;
    uint32_t active[2]; /* rows and columns that exist */
};

/* The loads of a panel of `elements` by vectors of `wide`: neighbouring lanes access neighbouring
   vectors. */
static void add_panel(struct smc_global_access *access, const struct register_launch *r,
                      const struct smc_phases *phases, const struct panel_rows *rows,
                      uint32_t elements, uint32_t wide)
{
    for (uint32_t first = 0; first < elements / wide; first += SMC_WARP_LANES) {
        uint64_t element[SMC_WARP_LANES];
        uint32_t mask = 0;
        for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
            uint32_t row = (first + lane) * wide / rows->n,
                     column = (first + lane) * wide % rows->n;
            element[lane] = row * rows->leading + column;
            mask |= (uint32_t)(row < rows->active[0] && column < rows->active[1]) << lane;
        }
        smc_work_add_request(access, r->product.element_bytes, wide, phases, element, mask);
    }
}

/* Loads of the panels of A: `row` of tiles and `step` of K, once for each column of tiles. */
static void add_a(struct smc_global_access *access, const struct register_launch *r,
                  const struct extents *extents, const struct tile_extent *row,
                  const struct tile_extent *step)
{
    const struct smc_product *p = &r->product;
    const struct panel_rows rows = {r->block_k, p->lda, {row->active, step->active}};
    uint64_t down = r->block_m * p->lda;
    struct smc_phases phases;
    smc_phases_begin(&phases, p->element_bytes, row->first * down + step->first * r->block_k);
    smc_phases_walk(&phases, row->tiles, down);
    smc_phases_walk(&phases, step->tiles, r->block_k);
    smc_phases_walk(&phases, tiles_of(extents->columns), 0);
    add_panel(access, r, &phases, &rows, r->block_m * r->block_k, 1);
}

static bool by_vectors(const struct register_launch *r, uint64_t leading)
{
    return leading % r->vector == 0;
}

/* Loads of the panels of B, for `times` rows of tiles. */
static void add_b(struct smc_global_access *access, const struct register_launch *r, uint64_t times,
                  const struct tile_extent *column, const struct tile_extent *step, bool vectors)
{
    const struct smc_product *p = &r->product;
    const struct panel_rows rows = {r->block_n, p->ldb, {step->active, column->active}};
    uint64_t down = r->block_k * p->ldb;
    struct smc_phases phases;
    smc_phases_begin(&phases, p->element_bytes, column->first * r->block_n + step->first * down);
    smc_phases_walk(&phases, column->tiles, r->block_n);
    smc_phases_walk(&phases, step->tiles, down);
    smc_phases_walk(&phases, times, 0);
    add_panel(access, r, &phases, &rows, r->block_k * r->block_n, vectors ? r->vector : 1);
}

/* The difference in sectors between copies and loads of the vectors that a warp accesses from
   element `first` of a panel of B on, for a panel whose first element is at `phase` of a line. */
static double copy_sectors(const struct register_launch *r, uint32_t first, uint32_t stage,
                           uint32_t phase)
{
    uint64_t from[SMC_WARP_LANES], to[SMC_WARP_LANES];
    uint64_t panel = (uint64_t)r->block_k * r->block_n, bytes = r->product.element_bytes;
    uint64_t b_panels = (uint64_t)r->stages * r->block_k * r->a_row;
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        uint64_t e = (uint64_t)(first + lane) * r->vector;
        uint64_t row = e / r->block_n, column = e % r->block_n;
        from[lane] = (phase + row * r->product.ldb + column) * bytes;
        to[lane] = (b_panels + stage * panel + e) * bytes;
        mask |= (uint32_t)(e < panel) << lane;
    }
    return (double)smc_sectors_count_copied(from, to, mask) - (double)smc_sectors_count(from, mask);
}

/* The whole panels of B, as in add_b for vectors; they cycle through the stages. */
static void add_copies(struct smc_global_access *access, const struct register_launch *r,
                       const struct extents *x)
{
    uint64_t down = r->block_k * r->product.ldb, steps = x->steps[0].tiles;
    for (uint32_t stage = 0; stage < r->stages && stage < steps; stage++) {
        struct smc_phases phases;
        smc_phases_begin_in_line(&phases, r->product.element_bytes, stage * down);
        smc_phases_walk(&phases, x->columns[0].tiles, r->block_n);
        smc_phases_walk(&phases, divide_up(steps - stage, r->stages), r->stages * down);
        smc_phases_walk(&phases, x->rows[0].tiles, 0);
        for (uint32_t p = 0; p < phases.count; p++)
            for (uint32_t e = 0; phases.times[p] > 0 && e < r->block_k * r->block_n / r->vector;
                 e += SMC_WARP_LANES)
                access->copy_sectors += phases.times[p] * copy_sectors(r, e, stage, p);
    }
}

/* The position of a thread's outputs in the block's tile of C: the bits of the lane are n0 m0 n1 m1
   m2. */
static void matmul_register_place(const struct register_launch *r, uint32_t warp, uint32_t lane,
                                  uint32_t *row, uint32_t *column)
{
    uint32_t warp_m = LANES_M * r->thread_m, warps_m = r->block_m / warp_m;
    *row = warp % warps_m * warp_m + (lane / 2 % 2 + lane / 8 * 2) * r->vector;
    *column = warp / warps_m * LANES_N * r->thread_n + (lane % 2 + lane / 4 % 2 * 2) * r->vector;
}

/* Output (i, j) of each thread of a warp. */
struct warp_output {
    uint32_t warp, i, j;
};

/* One store of a warp to its tile of C, of which `active` rows and columns exist. */
static void add_output(struct smc_global_access *access, const struct register_launch *r,
                       const struct smc_phases *phases, const struct warp_output *output,
                       uint32_t wide, const uint32_t active[2])
{
    uint64_t element[SMC_WARP_LANES];
    uint32_t mask = 0, v = r->vector;
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        uint32_t row, column;
        matmul_register_place(r, output->warp, lane, &row, &column);
        row += output->i / v * (LANES_M * v) + output->i % v;
        column += output->j / v * (LANES_N * v) + output->j % v;
        element[lane] = row * r->product.ldc + column;
        mask |= (uint32_t)(row < active[0] && column < active[1]) << lane;
    }
    smc_work_add_request(access, r->product.element_bytes, wide, phases, element, mask);
}

static void add_c(struct smc_global_access *access, const struct register_launch *r,
                  const struct tile_extent *row, const struct tile_extent *column, bool vectors)
{
    const struct smc_product *p = &r->product;
    const uint32_t active[2] = {row->active, column->active};
    uint32_t wide = vectors ? r->vector : 1;
    uint64_t down = r->block_m * p->ldc;
    struct smc_phases phases;
    smc_phases_begin(&phases, p->element_bytes, row->first * down + column->first * r->block_n);
    smc_phases_walk(&phases, row->tiles, down);
    smc_phases_walk(&phases, column->tiles, r->block_n);
    for (uint32_t warp = 0; warp < r->threads / SMC_WARP_LANES; warp++)
        for (uint32_t i = 0; i < r->thread_m; i++)
            for (uint32_t j = 0; j < r->thread_n; j += wide)
                add_output(access, r, &phases, &(struct warp_output){warp, i, j}, wide, active);
}

static void matmul_register_work(const struct smc_kernel *kernel, const struct smc_params *params,
                                 struct smc_work *work)
{
    const struct register_launch r = matmul_register_launch_of(kernel, params);
    const struct smc_product *p = &r.product;
    const struct extents x = extents_of(&r);
    double blocks = (double)tiles_of(x.rows) * (double)tiles_of(x.columns);
    smc_product_begin_work(p, work);
    work->fma_instructions = blocks * (double)tiles_of(x.steps) * r.block_k *
                             (r.thread_m * r.thread_n) * (r.threads / SMC_WARP_LANES);
    struct smc_global_access *a =
        smc_work_add_access(work, "A", false, (double)p->m * (double)p->k);
    struct smc_global_access *b =
        smc_work_add_access(work, "B", false, (double)p->k * (double)p->n);
    struct smc_global_access *c = smc_work_add_access(work, "C", true, (double)p->m * (double)p->n);
    for (int row = 0; row < 2; row++)
        for (int step = 0; step < 2; step++)
            add_a(a, &r, &x, &x.rows[row], &x.steps[step]);
    for (int row = 0; row < 2; row++)
        for (int column = 0; column < 2; column++) {
            bool is_whole = row == 0 && column == 0;
            add_c(c, &r, &x.rows[row], &x.columns[column], is_whole && by_vectors(&r, p->ldc));
            for (int step = 0; step < 2; step++)
                add_b(b, &r, x.rows[row].tiles, &x.columns[column], &x.steps[step],
                      is_whole && step == 0 && by_vectors(&r, p->ldb));
        }
    if (by_vectors(&r, p->ldb))
        add_copies(b, &r, &x);
    smc_work_sum_bytes(work, p->element_bytes);
}

/* --- Shared memory ---------------------------------------------------------------------------- */

/* The number of panels of B that are stored as vectors; all others are stored element by
   element. */
static uint64_t vector_panels(const struct register_launch *r, const struct extents *x)
{
    return by_vectors(r, r->product.ldb)
               ? x->rows[0].tiles * x->columns[0].tiles * x->steps[0].tiles
               : 0;
}

/* Iteration `step` of the copies, thread by thread; a panel of A is transposed. */
static void matmul_register_store(const struct register_launch *r, uint32_t warp, uint32_t step,
                                  struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    uint32_t wide = list[STORE_B].access.width_bytes / r->product.element_bytes;
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        uint32_t e = step * r->threads + warp * SMC_WARP_LANES + lane;
        if (e < r->block_m * r->block_k)
            smc_shared_lane(&list[STORE_A], lane, step, e % r->block_k * r->a_row + e / r->block_k);
        if (e < r->block_k * r->block_n / wide)
            smc_shared_lane(&list[STORE_B], lane, step, e);
    }
}

/* Each iteration loads one vector of A and one of B: all vectors of one k, then those of the
   next. */
static void matmul_register_load(const struct register_launch *r, uint32_t warp, uint32_t step,
                                 struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    uint32_t v = r->vector, per_a = r->thread_m / v, per_b = r->thread_n / v;
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        uint32_t row, column;
        matmul_register_place(r, warp, lane, &row, &column);
        row += step % per_a * (LANES_M * v);
        column += step % per_b * (LANES_N * v);
        smc_shared_lane(&list[LOAD_A], lane, step, (step / per_a * r->a_row + row) / v);
        smc_shared_lane(&list[LOAD_B], lane, step, (step / per_b * r->block_n + column) / v);
    }
}

static void matmul_register_list_accesses(const struct register_launch *r, bool vectors,
                                          uint32_t warp, uint32_t step,
                                          struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    uint32_t bytes = r->product.element_bytes, v = r->vector, k = r->block_k;
    uint32_t wide = vectors ? v : 1;
    smc_shared_begin(&list[STORE_A], "a_panel[step][row]", SMC_BANK_STORE, bytes, r->a_row,
                     (uint32_t)divide_up((uint64_t)r->block_m * k, r->threads));
    smc_shared_begin(&list[STORE_B], "b_panel[step][column]", SMC_BANK_STORE, bytes * wide,
                     r->block_n / wide, (uint32_t)divide_up(k * r->block_n / wide, r->threads));
    smc_shared_begin(&list[LOAD_A], "a_panel[k][m]", SMC_BANK_LOAD, bytes * v, r->a_row / v,
                     k * r->thread_m / v);
    smc_shared_begin(&list[LOAD_B], "b_panel[k][n]", SMC_BANK_LOAD, bytes * v, r->block_n / v,
                     k * r->thread_n / v);
    list[STORE_B].first_byte = list[LOAD_B].first_byte = r->stages * k * r->a_row * bytes;
    list[STORE_B].bypasses_l1 = vectors;
    matmul_register_store(r, warp, step, list);
    matmul_register_load(r, warp, step, list);
}

static size_t shared_accesses(const struct smc_kernel *kernel, const struct smc_params *params,
                              uint32_t warp, uint32_t step,
                              struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    const struct register_launch r = matmul_register_launch_of(kernel, params);
    const struct extents x = extents_of(&r);
    matmul_register_list_accesses(&r, vector_panels(&r, &x) > 0, warp, step, list);
    return ACCESSES;
}

/* One panel of each matrix: the accesses of all warps of a block. */
static void add_panels(const struct register_launch *r, const struct smc_bank_layout *layout,
                       bool vectors, double times, struct smc_shared_work *work)
{
    for (uint32_t warp = 0; warp < r->threads / SMC_WARP_LANES; warp++) {
        struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES];
        uint32_t steps = 1;
        for (uint32_t step = 0; step < steps; step++) {
            matmul_register_list_accesses(r, vectors, warp, step, list);
            for (int i = 0; i < ACCESSES; i++) {
                smc_shared_add(i == STORE_A || i == STORE_B ? &work->stores : &work->loads, layout,
                               &list[i].access, times);
                if (list[i].bypasses_l1)
                    smc_shared_add(&work->bypassing, layout, &list[i].access, times);
                steps = list[i].steps > steps ? list[i].steps : steps;
            }
        }
    }
}

/* All loads already have 16 bytes, so ptxas joins none. */
static void matmul_register_shared_work(const struct smc_kernel *kernel,
                                        const struct smc_params *params,
                                        const struct smc_bank_layout *layout,
                                        struct smc_shared_work *work)
{
    const struct register_launch r = matmul_register_launch_of(kernel, params);
    const struct extents x = extents_of(&r);
    double vectors = (double)vector_panels(&r, &x);
    double all = (double)tiles_of(x.rows) * (double)tiles_of(x.columns) * (double)tiles_of(x.steps);
    if (vectors > 0)
        add_panels(&r, layout, true, vectors, work);
    if (all > vectors)
        add_panels(&r, layout, false, all - vectors, work);
    work->written_loads = work->loads;
    work->copies = work->stores;
}

const struct smc_kernel smc_kernel_matmul_register = {
    SMC_KERNEL_NAMES(matmul_register, "matmul-register"),
    .family = "matmul",
    .summary = "C = A B, many outputs in each thread's registers: low occupancy, and fast",
    .params = SMC_PARAM_BIT(DTYPE) | SMC_PARAM_BIT(BLOCK_M) | SMC_PARAM_BIT(BLOCK_N) |
              SMC_PARAM_BIT(BLOCK_K) | SMC_PARAM_BIT(THREAD_M) | SMC_PARAM_BIT(THREAD_N) |
              SMC_PARAM_BIT(STAGES) | SMC_PARAM_BIT(M) | SMC_PARAM_BIT(N) | SMC_PARAM_BIT(K) |
              SMC_PARAM_BIT(LDA) | SMC_PARAM_BIT(LDB) | SMC_PARAM_BIT(LDC),
    .dtypes = 1u << SMC_FLOAT | 1u << SMC_DOUBLE,
    .complete = matmul_register_complete,
    .defines = matmul_register_defines,
    .plan = matmul_register_plan,
    .work = matmul_register_work,
    .shared_work = matmul_register_shared_work,
    .shared_accesses = shared_accesses,
    .compare = smc_product_compare,
};
