/* catalog, query: requests, sectors, wavefronts and ratios, compared with a walk through every
   thread of small launches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/query.h"
#include "share.h"
#include "unit.h"

/* The accesses to one array, or to shared memory. */
struct seen {
    double elements, requests, sectors;
};

/* One instruction of one warp: addresses of the active lanes. */
struct warp {
    int lanes;
    uint64_t address[32];
};

static void touch(struct warp *warp, uint64_t address)
{
    warp->address[warp->lanes++] = address;
}

/* The definition: counts each lane's sector that no earlier lane had. */
static void finish(struct warp *warp, struct seen *seen)
{
    seen->requests += warp->lanes > 0;
    seen->elements += warp->lanes;
    for (int i = 0; i < warp->lanes; i++) {
        int before = 0;
        while (warp->address[before] / 32 != warp->address[i] / 32)
            before++;
        seen->sectors += before == i;
    }
    warp->lanes = 0;
}

static bool same(const struct smc_global_access *access, const struct seen *seen)
{
    return access->elements == seen->elements && access->requests == seen->requests &&
           access->sectors == seen->sectors;
}

/* A product by tile x tile blocks, walked thread by thread according to its source in kernels/. In
   shared memory a_tile comes first, then the tile of B, whose rows are `row_b` elements apart. */
struct product {
    const char *kernel;
    uint64_t tile, pad, m, n, k, lda, ldb, ldc, bytes, block_rows, block_columns, row_a, row_b;
    bool aat, tiled, swizzled, a_only; /* a_only: B stays in global memory */
    uint64_t stages;                   /* pairs of tiles in shared memory */
    const struct smc_bank_layout *layout;
    struct seen a, b, c, shared_stores, shared_loads; /* in shared memory: wavefronts as sectors */
    double fma;
};

/* One instruction to shared memory: instructions and wavefronts. */
static void finish_shared(const struct product *p, enum smc_bank_op op, struct warp *warp,
                          struct seen *seen)
{
    struct smc_access access = {.width_bytes = (uint32_t)p->bytes, .op = op};
    for (int i = 0; i < warp->lanes; i++) {
        access.mask |= 1u << i; /* lanes after the block's last thread are inactive */
        access.address[i] = (uint32_t)warp->address[i];
    }
    seen->requests += warp->lanes > 0;
    seen->sectors += smc_banks_count(p->layout, &access).wavefronts;
    warp->lanes = 0;
}

static uint64_t in_a_tile(const struct product *p, uint64_t row, uint64_t column)
{
    return (row * p->row_a + column) * p->bytes;
}

static uint64_t in_b_tile(const struct product *p, uint64_t row, uint64_t column)
{
    uint64_t place = p->swizzled ? column ^ row : column;
    return (p->stages * p->tile * p->row_a + row * p->row_b + place) * p->bytes;
}

static void walk_tile_loads(struct product *p, uint64_t block_row, uint64_t block_column,
                            uint64_t first, uint64_t k)
{
    struct warp a = {0}, b = {0}, store_a = {0}, store_b = {0};
    for (uint64_t t = first; t < first + 32 && t < p->tile * p->tile; t++) {
        uint64_t x = t % p->tile, y = t / p->tile;
        uint64_t row = block_row * p->tile + y, column = block_column * p->tile + x;
        uint64_t fetched = block_column * p->tile + y;
        if (row < p->m && k + x < p->k)
            touch(&a, (row * p->lda + k + x) * p->bytes);
        if (p->aat && fetched < p->m && k + x < p->k)
            touch(&b, (fetched * p->lda + k + x) * p->bytes);
        if (!p->aat && !p->a_only && column < p->n && k + y < p->k)
            touch(&b, ((k + y) * p->ldb + column) * p->bytes);
        touch(&store_a, in_a_tile(p, y, x));
        if (!p->a_only)
            touch(&store_b, p->aat ? in_b_tile(p, x, y) : in_b_tile(p, y, x));
    }
    finish(&a, &p->a);
    finish(&b, p->aat ? &p->a : &p->b);
    finish_shared(p, SMC_BANK_STORE, &store_a, &p->shared_stores);
    finish_shared(p, SMC_BANK_STORE, &store_b, &p->shared_stores);
}

static void walk_tiled_warp(struct product *p, uint64_t block_row, uint64_t block_column,
                            uint64_t first)
{
    struct warp a = {0}, b = {0}, c = {0}, direct = {0};
    for (uint64_t k = 0; k < p->k; k += p->tile) {
        walk_tile_loads(p, block_row, block_column, first, k);
        for (uint64_t i = 0; i < p->tile; i++) {
            for (uint64_t t = first; t < first + 32 && t < p->tile * p->tile; t++) {
                uint64_t row = block_row * p->tile + t / p->tile;
                uint64_t column = block_column * p->tile + t % p->tile;
                touch(&a, in_a_tile(p, t / p->tile, i));
                if (!p->a_only)
                    touch(&b, in_b_tile(p, i, t % p->tile));
                else if (row < p->m && column < p->n && k + i < p->k)
                    touch(&direct, ((k + i) * p->ldb + column) * p->bytes);
            }
            finish(&direct, &p->b);
            finish_shared(p, SMC_BANK_LOAD, &a, &p->shared_loads);
            finish_shared(p, SMC_BANK_LOAD, &b, &p->shared_loads);
            p->fma++;
        }
    }
    for (uint64_t t = first; t < first + 32 && t < p->tile * p->tile; t++) {
        uint64_t row = block_row * p->tile + t / p->tile;
        uint64_t column = block_column * p->tile + t % p->tile;
        if (row < p->m && column < p->n)
            touch(&c, (row * p->ldc + column) * p->bytes);
    }
    finish(&c, &p->c);
}

static void walk_naive_warp(struct product *p, uint64_t block_row, uint64_t block_column,
                            uint64_t first)
{
    struct warp a = {0}, b = {0}, c = {0};
    for (uint64_t k = 0; k <= p->k; k++) { /* the last iteration is the store */
        for (uint64_t t = first; t < first + 32 && t < p->tile * p->tile; t++) {
            uint64_t row = block_row * p->tile + t / p->tile;
            uint64_t column = block_column * p->tile + t % p->tile;
            if (row >= p->m || column >= p->n)
                continue;
            if (k == p->k) {
                touch(&c, (row * p->ldc + column) * p->bytes);
                continue;
            }
            touch(&a, (row * p->lda + k) * p->bytes);
            touch(&b, (p->aat ? column * p->lda + k : k * p->ldb + column) * p->bytes);
        }
        p->fma += a.lanes > 0;
        finish(&a, &p->a);
        finish(&b, p->aat ? &p->a : &p->b);
        finish(&c, &p->c);
    }
}

static void walk_product(struct product *p)
{
    for (uint64_t row = 0; row < p->block_rows; row++)
        for (uint64_t column = 0; column < p->block_columns; column++)
            for (uint64_t first = 0; first < p->tile * p->tile; first += 32)
                (p->tiled ? walk_tiled_warp : walk_naive_warp)(p, row, column, first);
}

static void set(struct smc_params *params, enum smc_param param, uint64_t value)
{
    params->value[param] = (int64_t)value;
    params->given |= 1u << param;
}

/* What the kernel's name implies, and the parameters that it accepts. */
static void begin_product(struct product *p, struct smc_params *params)
{
    const struct smc_kernel *kernel = smc_kernel_find(p->kernel);
    const uint64_t sizes[SMC_PARAM_COUNT] = {
        [SMC_PARAM_TILE] = p->tile, [SMC_PARAM_M] = p->m,
        [SMC_PARAM_N] = p->n,       [SMC_PARAM_K] = p->k,
        [SMC_PARAM_LDA] = p->lda,   [SMC_PARAM_LDB] = p->ldb,
        [SMC_PARAM_LDC] = p->ldc,   [SMC_PARAM_DTYPE] = p->bytes == 8 ? SMC_DOUBLE : SMC_FLOAT,
        [SMC_PARAM_PAD] = p->pad,
    };
    smc_params_init(kernel, params);
    for (int i = 0; i < SMC_PARAM_COUNT; i++)
        if (kernel->params & 1u << i)
            set(params, (enum smc_param)i, sizes[i]);
    p->aat = strcmp(kernel->family, "aat") == 0;
    p->n = p->aat ? p->m : p->n;
    p->tiled = !strstr(p->kernel, "naive");
    p->swizzled = strcmp(p->kernel, "aat-swizzled") == 0;
    p->a_only = strcmp(p->kernel, "matmul-a-tile") == 0;
    p->stages = strcmp(p->kernel, "matmul-async") == 0 ? 2 : 1;
    p->row_a = p->tile + (p->aat ? 0 : p->pad);
    p->row_b = p->tile + (kernel->params & 1u << SMC_PARAM_PAD ? p->pad : 0);
    while (p->swizzled && p->row_b & (p->row_b - 1))
        p->row_b++;
}

static bool global_agrees(const struct product *p, const struct smc_work *work)
{
    const struct smc_global_access *a = &work->access[0], *c = &work->access[p->aat ? 1 : 2];
    double bytes = (double)p->bytes;
    return work->access_count == (p->aat ? 2 : 3) && same(a, &p->a) && !a->store &&
           (p->aat || (same(&work->access[1], &p->b) && !work->access[1].store)) &&
           same(c, &p->c) && c->store && work->fma_instructions == p->fma &&
           work->global_load_bytes == (p->a.elements + p->b.elements) * bytes &&
           work->global_store_bytes == p->c.elements * bytes;
}

static bool same_shared(const struct smc_shared_count *count, const struct seen *seen)
{
    return count->instructions == seen->requests && count->wavefronts == seen->sectors;
}

/* Whether the kernel's work equals what the walk counted. */
static bool product_agrees(const struct product *sizes, const struct smc_bank_layout *layout)
{
    struct product p = *sizes;
    const struct smc_kernel *kernel = smc_kernel_find(p.kernel);
    struct smc_params params;
    struct smc_plan plan;
    struct smc_work work;
    struct smc_shared_work shared = {0};
    p.layout = layout;
    begin_product(&p, &params);
    if (kernel->complete(kernel, &params, NULL) != SMC_OK || p.tiled != !!kernel->shared_work)
        return false;
    kernel->plan(kernel, &params, &plan);
    kernel->work(kernel, &params, &work);
    p.block_columns = plan.grid[0];
    p.block_rows = (uint64_t)plan.grid[1] * plan.grid[2];
    walk_product(&p);
    if (p.tiled)
        kernel->shared_work(kernel, &params, layout, &shared);
    uint64_t rows_elements = p.row_a + (p.a_only ? 0 : p.row_b);
    uint64_t tiles_bytes = p.tiled ? p.stages * p.tile * rows_elements * p.bytes : 0;
    return global_agrees(&p, &work) && plan.static_smem_bytes == tiles_bytes &&
           same_shared(&shared.stores, &p.shared_stores) &&
           same_shared(&shared.written_loads, &p.shared_loads);
}

/* --- matmul-register, walked thread by thread --- */

struct blocked {
    uint64_t bm, bn, bk, tm, tn, threads, m, n, k, lda, ldb, ldc, bytes, vector, a_row;
    const struct smc_bank_layout *layout;
    struct seen a, b, c, stores, loads;
    double fma;
};

static void finish_wide(const struct blocked *p, enum smc_bank_op op, uint64_t wide,
                        struct warp *warp, struct seen *seen)
{
    struct product product = {.bytes = p->bytes * wide, .layout = p->layout};
    finish_shared(&product, op, warp, seen);
}

/* One panel of A and one of B: by 16 bytes of B if all of it is inside and rows begin at multiples
   of 16 bytes. */
static void walk_panels(struct blocked *p, uint64_t row, uint64_t column, uint64_t k)
{
    bool whole = row + p->bm <= p->m && column + p->bn <= p->n && k + p->bk <= p->k;
    uint64_t wide = whole && p->ldb % p->vector == 0 ? p->vector : 1;
    struct warp global = {0}, shared = {0};
    for (uint64_t e = 0; e < p->bm * p->bk; e++) {
        uint64_t r = e / p->bk, step = e % p->bk;
        if (row + r < p->m && k + step < p->k)
            touch(&global, ((row + r) * p->lda + k + step) * p->bytes);
        touch(&shared, (step * p->a_row + r) * p->bytes);
        if (e % 32 < 31 && e + 1 < p->bm * p->bk)
            continue;
        finish(&global, &p->a);
        finish_wide(p, SMC_BANK_STORE, 1, &shared, &p->stores);
    }
    for (uint64_t e = 0; e < p->bk * p->bn; e += wide) {
        uint64_t c = e % p->bn, step = e / p->bn;
        if (column + c < p->n && k + step < p->k)
            touch(&global, ((k + step) * p->ldb + column + c) * p->bytes);
        touch(&shared, e * p->bytes);
        if (e / wide % 32 < 31 && e + wide < p->bk * p->bn)
            continue;
        p->b.elements += (double)(global.lanes * (wide - 1));
        finish(&global, &p->b);
        finish_wide(p, SMC_BANK_STORE, wide, &shared, &p->stores);
    }
}

/* A thread's first row and column, from the bits of the lane, counted from the lowest: 0 and 2
   select columns, 1, 3 and 4 rows. */
static uint64_t first_row(const struct blocked *p, uint64_t t)
{
    uint64_t lane = t % 32, warps = p->bm / (8 * p->tm);
    return t / 32 % warps * 8 * p->tm + ((lane >> 1 & 1) + (lane >> 3) * 2) * p->vector;
}

static uint64_t first_column(const struct blocked *p, uint64_t t)
{
    uint64_t lane = t % 32, warps = p->bm / (8 * p->tm);
    return t / 32 / warps * 4 * p->tn + ((lane & 1) + (lane >> 2 & 1) * 2) * p->vector;
}

static void walk_fragments(struct blocked *p)
{
    struct warp a = {0}, b = {0};
    uint64_t v = p->vector;
    for (uint64_t first = 0; first < p->threads; first += 32)
        for (uint64_t k = 0; k < p->bk; k++) {
            for (uint64_t i = 0; i < p->tm; i += v) {
                for (uint64_t t = first; t < first + 32; t++)
                    touch(&a, (k * p->a_row + first_row(p, t) + i * 8) * p->bytes);
                finish_wide(p, SMC_BANK_LOAD, v, &a, &p->loads);
            }
            for (uint64_t j = 0; j < p->tn; j += v) {
                for (uint64_t t = first; t < first + 32; t++)
                    touch(&b, (k * p->bn + first_column(p, t) + j * 4) * p->bytes);
                finish_wide(p, SMC_BANK_LOAD, v, &b, &p->loads);
            }
            p->fma += (double)(p->tm * p->tn);
        }
}

static void walk_outputs(struct blocked *p, uint64_t row, uint64_t column)
{
    bool whole = row + p->bm <= p->m && column + p->bn <= p->n;
    uint64_t v = p->vector, wide = whole && p->ldc % v == 0 ? v : 1;
    struct warp c = {0};
    for (uint64_t first = 0; first < p->threads; first += 32)
        for (uint64_t i = 0; i < p->tm; i++)
            for (uint64_t j = 0; j < p->tn; j += wide) {
                for (uint64_t t = first; t < first + 32; t++) {
                    uint64_t r = row + first_row(p, t) + i / v * 8 * v + i % v;
                    uint64_t at = column + first_column(p, t) + j / v * 4 * v + j % v;
                    if (r < p->m && at < p->n)
                        touch(&c, (r * p->ldc + at) * p->bytes);
                }
                p->c.elements += (double)(c.lanes * (wide - 1));
                finish(&c, &p->c);
            }
}

static bool blocked_agrees(struct blocked p)
{
    const struct smc_kernel *kernel = smc_kernel_find("matmul-register");
    struct smc_params params;
    struct smc_plan plan;
    struct smc_work work;
    struct smc_shared_work shared = {0};
    const uint64_t given[][2] = {
        {SMC_PARAM_BLOCK_M, p.bm},
        {SMC_PARAM_BLOCK_N, p.bn},
        {SMC_PARAM_BLOCK_K, p.bk},
        {SMC_PARAM_THREAD_M, p.tm},
        {SMC_PARAM_THREAD_N, p.tn},
        {SMC_PARAM_STAGES, 2},
        {SMC_PARAM_M, p.m},
        {SMC_PARAM_N, p.n},
        {SMC_PARAM_K, p.k},
        {SMC_PARAM_LDA, p.lda},
        {SMC_PARAM_LDB, p.ldb},
        {SMC_PARAM_LDC, p.ldc},
        {SMC_PARAM_DTYPE, p.bytes == 8 ? SMC_DOUBLE : SMC_FLOAT},
    };
    smc_params_init(kernel, &params);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        set(&params, (enum smc_param)given[i][0], given[i][1]);
    if (kernel->complete(kernel, &params, NULL) != SMC_OK)
        return false;
    kernel->plan(kernel, &params, &plan);
    kernel->work(kernel, &params, &work);
    kernel->shared_work(kernel, &params, p.layout, &shared);
    p.threads = plan.threads_per_block;
    p.vector = 16 / p.bytes;
    p.a_row = p.bm + p.vector;
    uint64_t blocks = 0;
    for (uint64_t row = 0; row < p.m; row += p.bm)
        for (uint64_t column = 0; column < p.n; column += p.bn, blocks++) {
            for (uint64_t k = 0; k < p.k; k += p.bk) {
                walk_panels(&p, row, column, k);
                walk_fragments(&p);
            }
            walk_outputs(&p, row, column);
        }
    return plan.grid_blocks == blocks && p.threads * p.tm * p.tn == p.bm * p.bn &&
           plan.dynamic_smem_bytes == 2 * p.bk * (p.a_row + p.bn) * p.bytes &&
           same(&work.access[0], &p.a) && same(&work.access[1], &p.b) &&
           same(&work.access[2], &p.c) && work.fma_instructions == p.fma &&
           same_shared(&shared.stores, &p.stores) && same_shared(&shared.loads, &p.loads);
}

static uint64_t random_from(uint64_t lowest, uint64_t highest)
{
    return lowest + (uint64_t)rand() % (highest - lowest + 1);
}

static struct smc_bank_layout layout_of(uint16_t cc)
{
    struct smc_capability capability;
    struct smc_bank_layout layout = {0};
    if (smc_capability_find(cc, &capability))
        smc_bank_layout_of(&capability.sm, SMC_BANK_MODE_4_BYTES, &layout);
    return layout;
}

static const char *const products[] = {"matmul-naive",  "matmul-tiled", "matmul-async",
                                       "matmul-a-tile", "aat-naive",    "aat-conflict",
                                       "aat-padded",    "aat-swizzled"};
enum { PRODUCTS = sizeof products / sizeof *products };

/* Every kernel, tile and type on every kind of banks: 32 x 2 x 5 rounds. */
static void test_products(void)
{
    static const uint16_t ccs[] = {13, 20, 35, 52, 90};
    unsigned wrong = 0;
    srand(7);
    for (int round = 0; round < 320; round++) {
        uint64_t most = round % 3 ? 45 : 9; /* small ones: rows that share a sector */
        struct product p = {.tile = round % 32 + 1u, .bytes = round / 32 % 2 ? 4 : 8};
        const struct smc_bank_layout layout = layout_of(ccs[round % 5]);
        p.m = round % 7 ? random_from(1, most) : p.tile + random_from(0, 1); /* also one more */
        p.n = random_from(1, most);
        p.k = random_from(1, most);
        p.lda = p.k + random_from(0, 9);
        p.ldb = p.n + random_from(0, 9);
        uint64_t gap = random_from(0, 9);
        p.pad = random_from(0, 3) ? random_from(0, 32) : 0;
        for (int i = 0; i < PRODUCTS; i++) {
            if (!share_has((size_t)(round + i), 11)) /* no factor of the rounds above */
                continue;
            p.kernel = products[i];
            bool aat = strncmp(p.kernel, "aat", 3) == 0;
            p.ldc = (aat ? p.m : p.n) + gap;
            wrong += !product_agrees(&p, &layout);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_blocked(void)
{
    static const uint64_t shapes[][5] = {
        {32, 16, 2, 4, 4}, {64, 32, 8, 8, 8}, {32, 64, 6, 4, 4}, {96, 48, 4, 4, 12}};
    const struct smc_bank_layout layout = layout_of(90);
    unsigned wrong = 0;
    srand(11);
    for (int round = 0; round < 64; round++) {
        const uint64_t *shape = shapes[round % 4];
        struct blocked p = {.bm = shape[0],
                            .bn = shape[1],
                            .bk = shape[2],
                            .tm = shape[3],
                            .tn = shape[4],
                            .bytes = round / 4 % 2 ? 4 : 8,
                            .layout = &layout};
        bool whole = round % 3 == 0; /* else anything */
        p.m = whole ? 2 * p.bm : random_from(1, 2 * p.bm + 1);
        p.n = whole ? p.bn : random_from(1, 2 * p.bn + 1);
        p.k = whole ? 2 * p.bk : random_from(1, 3 * p.bk);
        p.lda = p.k + random_from(0, 5);
        p.ldb = p.n + random_from(0, 1) * random_from(0, 5);
        p.ldc = p.n + random_from(0, 1) * random_from(0, 5);
        wrong += !blocked_agrees(p);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Counted on an H200 (l1tex__t_sectors_pipe_lsu_mem_global_op_ld): rows of B of 80 bytes are copied
   to rows of 64, in pieces that split sectors. */
static void test_copied_sectors(void)
{
    static struct smc_answer answer; /* too large for the stack */
    struct smc_query query;
    struct smc_capability capability;
    smc_query_init(&query);
    query.kernel = smc_kernel_find("matmul-register");
    smc_params_init(query.kernel, &query.params);
    smc_capability_find(90, &capability);
    smc_device_of_capability(&capability, &query.device);
    static const struct {
        enum smc_param param;
        uint64_t value;
    } given[] = {
        {SMC_PARAM_BLOCK_M, 32}, {SMC_PARAM_BLOCK_N, 16}, {SMC_PARAM_BLOCK_K, 2},
        {SMC_PARAM_THREAD_M, 4}, {SMC_PARAM_THREAD_N, 4}, {SMC_PARAM_STAGES, 2},
        {SMC_PARAM_M, 34},       {SMC_PARAM_N, 17},       {SMC_PARAM_K, 6},
        {SMC_PARAM_LDB, 20},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        set(&query.params, given[i].param, given[i].value);
    CU_ASSERT_EQUAL_FATAL(smc_query_answer(&query, &answer, NULL, NULL), SMC_OK);
    smc_query_find_work(&answer);
    double sectors = 0;
    for (size_t i = 0; i < answer.work.access_count; i++)
        sectors += answer.work.access[i].store ? 0 : answer.work.access[i].sectors;
    CU_ASSERT_EQUAL(sectors, 195);
}

/* More tiles down than a grid has rows: the blocks of the second layer that are beyond C still load
   B. */
static void test_layers(void)
{
    const struct smc_bank_layout layout = layout_of(90);
    struct product p = {
        .tile = 1, .m = 65537, .n = 1, .k = 2, .lda = 2, .ldb = 1, .ldc = 1, .bytes = 4};
    p.kernel = "matmul-tiled";
    CU_ASSERT(product_agrees(&p, &layout));
    p.kernel = "matmul-naive";
    CU_ASSERT(product_agrees(&p, &layout));
}

/* The textbook's ratio, and each element of A loaded once for every tile along C. */
static void test_textbook(void)
{
    unsigned wrong = 0;
    for (int64_t tile = 1; tile <= 32; tile *= 2) {
        struct smc_query query;
        struct smc_answer answer;
        smc_query_init(&query);
        CU_ASSERT_EQUAL(smc_device_find("9.0", &query.device, query.device_note, NULL), SMC_OK);
        query.kernel = smc_kernel_find("matmul-tiled");
        query.regs_per_thread = 32;
        smc_params_init(query.kernel, &query.params);
        query.params.value[SMC_PARAM_TILE] = tile;
        CU_ASSERT_EQUAL(smc_query_answer(&query, &answer, NULL, NULL), SMC_OK);
        const struct smc_global_access *a = &answer.work.access[0];
        wrong += answer.workload.flops_per_load != (double)tile;
        wrong += answer.workload.flops_per_load_byte != (double)tile / 4;
        wrong += a->elements / a->array_elements != 1024.0 / (double)tile;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Thread by thread, like the stencil and reverse kernels, including shared memory. */
struct line {
    uint64_t block, halo, outputs;
    struct seen load, store, shared_load, shared_store;
};

static void walk_line(struct line *l)
{
    uint64_t inputs = l->outputs + l->halo;
    for (uint64_t first = 0; first < l->outputs; first += l->block)
        for (uint64_t w = 0; w < l->block; w += 32) {
            struct warp global = {0}, shared = {0};
            for (uint64_t turn = 0; turn < l->block + l->halo; turn += l->block) {
                for (uint64_t t = w; t < w + 32 && t < l->block; t++) {
                    uint64_t i = turn + t;
                    if (i >= l->block + l->halo || first + i >= inputs)
                        continue;
                    touch(&global, (first + i) * 4);
                    touch(&shared, i * 4);
                }
                finish(&global, &l->load);
                finish(&shared, &l->shared_store);
            }
            for (uint64_t i = 0; i <= l->halo; i++) {
                for (uint64_t t = w; t < w + 32 && t < l->block && first + t < l->outputs; t++)
                    touch(&shared, (t + i) * 4);
                finish(&shared, &l->shared_load);
            }
            for (uint64_t t = w; t < w + 32 && t < l->block && first + t < l->outputs; t++)
                touch(&global, (first + t) * 4);
            finish(&global, &l->store);
        }
}

/* Neighbouring lanes, 4 bytes each: an instruction is one wavefront if warps are served whole. */
static bool one_each(const struct smc_shared_count *count, const struct seen *seen)
{
    return count->instructions == seen->requests && count->wavefronts == seen->requests;
}

static void test_lines(void)
{
    unsigned wrong = 0;
    const struct smc_bank_layout layout = layout_of(90);
    srand(8);
    for (int round = 0; round < 600; round++) {
        const struct smc_kernel *kernel =
            smc_kernel_find(round % 2 ? "stencil-static" : "stencil-dynamic");
        struct line l = {.block = random_from(1, round % 3 ? 100 : 40)};
        uint64_t radius = random_from(0, round % 5 ? 20 : 120);
        l.halo = 2 * radius;
        l.outputs = random_from(1, 400);
        struct smc_params params;
        struct smc_work work;
        struct smc_shared_work shared = {0};
        smc_params_init(kernel, &params);
        set(&params, SMC_PARAM_BLOCK, l.block);
        set(&params, SMC_PARAM_RADIUS, radius);
        set(&params, SMC_PARAM_LENGTH, l.outputs + l.halo);
        wrong += kernel->complete(kernel, &params, NULL) != SMC_OK;
        kernel->work(kernel, &params, &work);
        kernel->shared_work(kernel, &params, &layout, &shared);
        walk_line(&l);
        wrong += !same(&work.access[0], &l.load) || !same(&work.access[1], &l.store);
        wrong += work.global_load_bytes != 4 * l.load.elements;
        wrong += work.global_store_bytes != 4 * l.store.elements;
        wrong += !one_each(&shared.stores, &l.shared_store);
        wrong += !one_each(&shared.loads, &l.shared_load);
        wrong += !one_each(&shared.written_loads, &l.shared_load);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_reverse(void)
{
    unsigned wrong = 0;
    const struct smc_bank_layout layout = layout_of(90);
    srand(9);
    for (int round = 0; round < 300; round++) {
        const struct smc_kernel *kernel = smc_kernel_find("reverse-dynamic");
        uint64_t block = random_from(1, 130), length = random_from(1, 700);
        struct seen global = {0};
        for (uint64_t turn = 0; turn < length; turn += block)
            for (uint64_t w = 0; w < block; w += 32) {
                struct warp warp = {0};
                for (uint64_t t = w; t < w + 32 && t < block && turn + t < length; t++)
                    touch(&warp, (turn + t) * 4);
                finish(&warp, &global);
            }
        struct smc_params params;
        struct smc_work work;
        struct smc_shared_work shared = {0};
        smc_params_init(kernel, &params);
        set(&params, SMC_PARAM_BLOCK, block);
        set(&params, SMC_PARAM_LENGTH, length);
        wrong += kernel->complete(kernel, &params, NULL) != SMC_OK;
        kernel->work(kernel, &params, &work);
        kernel->shared_work(kernel, &params, &layout, &shared);
        wrong += !same(&work.access[0], &global) || !same(&work.access[1], &global);
        wrong += !one_each(&shared.stores, &global) || !one_each(&shared.loads, &global);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Runs of `each` neighbouring elements of `all`, one by a block, one element by a thread. */
static void walk_runs(uint64_t block, uint64_t each, uint64_t all, struct seen *seen)
{
    for (uint64_t first = 0; first < all; first += each)
        for (uint64_t turn = 0; turn < each; turn += block)
            for (uint64_t w = 0; w < block; w += 32) {
                struct warp warp = {0};
                for (uint64_t t = w; t < w + 32 && t < block && turn + t < each; t++)
                    if (first + turn + t < all)
                        touch(&warp, (first + turn + t) * 4);
                finish(&warp, seen);
            }
}

static void test_histogram(void)
{
    unsigned wrong = 0;
    const struct smc_bank_layout layout = layout_of(90);
    srand(10);
    for (int round = 0; round < 200; round++) {
        const struct smc_kernel *kernel =
            smc_kernel_find(round % 2 ? "histogram-cluster" : "histogram-block");
        uint64_t block = random_from(1, 70), length = random_from(1, 20000);
        uint64_t bins = 2u << random_from(0, 4), cluster = round % 2 ? 1u << random_from(0, 2) : 1;
        struct seen loads = {0}, stores = {0};
        struct smc_params params;
        struct smc_work work;
        struct smc_shared_work shared = {0};
        struct smc_plan plan;
        smc_params_init(kernel, &params);
        set(&params, SMC_PARAM_BLOCK, block);
        set(&params, SMC_PARAM_LENGTH, length);
        set(&params, SMC_PARAM_BINS, bins);
        params.blocks_per_cluster = (uint32_t)cluster;
        wrong += kernel->complete(kernel, &params, NULL) != SMC_OK;
        kernel->plan(kernel, &params, &plan);
        kernel->work(kernel, &params, &work);
        kernel->shared_work(kernel, &params, &layout, &shared);
        walk_runs(block, 64 * block, length, &loads);
        walk_runs(block, bins * bins / cluster, plan.buffer[2].elements, &stores);
        wrong += !same(&work.access[0], &loads) || !same(&work.access[1], &loads);
        wrong += !same(&work.access[2], &stores);
        wrong += !one_each(&shared.stores, &stores) || !one_each(&shared.loads, &stores);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Loads of A are joined to at most 16 bytes: the number of instructions, and their wavefronts,
   calculated by hand for all warps of a block and one tile. */
static void test_joined_loads(void)
{
    static const struct {
        const char *kernel;
        uint64_t tile, pad, bytes;
        double instructions, wavefronts;
    } cases[] = {
        {"matmul-tiled", 32, 0, 4, 32 * (32 + 8), 32 * (32 + 2 * 8)}, /* 16 bytes, one address */
        {"matmul-tiled", 31, 0, 4, 31 * 62, 31 * 62},                 /* odd: none joined */
        {"matmul-tiled", 6, 0, 4, 2 * (6 + 3), 2 * (6 + 3)}, /* 36 threads; pairs of 8 bytes */
        {"matmul-tiled", 16, 0, 4, 8 * (16 + 4), 8 * (16 + 2 * 4)},
        {"matmul-tiled", 1, 0, 4, 2, 2},
        {"matmul-tiled", 2, 0, 8, 2 + 1, 2 + 1},
        {"matmul-tiled", 32, 0, 8, 32 * (32 + 16), 32 * (2 * 32 + 2 * 16)}, /* 8: half warps */
        {"matmul-tiled", 32, 1, 4, 32 * 64, 32 * 64},                 /* rows of 33: none joined */
        {"matmul-tiled", 32, 2, 4, 32 * (32 + 16), 32 * (32 + 16)},   /* of 34: pairs */
        {"matmul-tiled", 32, 4, 4, 32 * (32 + 8), 32 * (32 + 2 * 8)}, /* of 36: fours */
        {"matmul-tiled", 6, 2, 4, 2 * (6 + 2), 2 * 6 + 2 + 2 + 2},    /* of 8: four and a pair */
        /* 9 threads. Three floats by one load of four, of a quarter warp and one more thread, since
           neither the pairs (n, n^1) nor (n, n^2) all share their rows; */
        {"matmul-tiled", 3, 1, 4, 3 + 1, 3 + 2},
        /* three doubles by a pair, likewise, and one. */
        {"matmul-tiled", 3, 1, 8, 3 + 2, 3 + 2 + 1},
        {"matmul-async", 32, 0, 4, 32 * (32 + 8), 32 * (32 + 2 * 8)},
        {"matmul-a-tile", 32, 0, 4, 32 * 8, 32 * 2 * 8}, /* of A alone */
        {"matmul-a-tile", 31, 0, 4, 31 * 31, 31 * 31},
        {"aat-conflict", 32, 0, 4, 32 * (32 + 8), 32 * (32 + 2 * 8)},
        {"aat-padded", 32, 1, 4, 32 * (32 + 8), 32 * (32 + 2 * 8)}, /* a_tile is not padded */
        {"aat-swizzled", 32, 0, 4, 32 * (32 + 8), 32 * (32 + 2 * 8)},
    };
    unsigned wrong = 0;
    const struct smc_bank_layout layout = layout_of(90);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct product p = {.kernel = cases[i].kernel, .pad = cases[i].pad};
        struct smc_params params;
        struct smc_shared_work work = {0};
        p.tile = p.m = p.n = p.k = p.lda = p.ldb = p.ldc = cases[i].tile;
        p.bytes = cases[i].bytes;
        begin_product(&p, &params);
        const struct smc_kernel *kernel = smc_kernel_find(p.kernel);
        kernel->shared_work(kernel, &params, &layout, &work);
        bool good = work.loads.instructions == cases[i].instructions &&
                    work.loads.wavefronts == cases[i].wavefronts;
        if (!good)
            printf("%s, tile %d, pad %d: %g instructions, %g wavefronts\n", p.kernel, (int)p.tile,
                   (int)p.pad, work.loads.instructions, work.loads.wavefronts);
        wrong += !good;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

CU_TestInfo tests_workload[] = {
    {"products: requests, sectors and wavefronts of every thread", test_products},
    {"products: many outputs a thread", test_blocked},
    {"products: sectors of copies past L1", test_copied_sectors},
    {"products: blocks beyond C still load B", test_layers},
    {"products: the textbook's ratios", test_textbook},
    {"stencils: requests, sectors, shared memory", test_lines},
    {"reverse: requests, sectors, shared memory", test_reverse},
    {"histograms: requests, sectors, shared memory", test_histogram},
    {"loads of A are joined to 16 bytes", test_joined_loads},
    CU_TEST_INFO_NULL,
};
