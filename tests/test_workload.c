/* catalog, query: requests, sectors, wavefronts and ratios, against walking every thread of small
   launches. */
#include <stdio.h>
#include <stdlib.h>

#include "query/query.h"
#include "unit.h"

/* What one array, or shared memory, saw. */
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

/* The definition: each lane's sector that no lane before had. */
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

/* Thread by thread, as kernels/matmul_tiled.cu and matmul_naive.cu. */
struct product {
    uint64_t tile, m, n, k, lda, ldb, ldc, bytes, block_rows, block_columns;
    struct seen a, b, c;
    double fma;
};

static void walk_tiled_warp(struct product *p, uint64_t block_row, uint64_t block_column,
                            uint64_t first)
{
    struct warp a = {0}, b = {0}, c = {0};
    for (uint64_t k = 0; k < p->k; k += p->tile) {
        for (uint64_t t = first; t < first + 32 && t < p->tile * p->tile; t++) {
            uint64_t x = t % p->tile, y = t / p->tile;
            uint64_t row = block_row * p->tile + y, column = block_column * p->tile + x;
            if (row < p->m && k + x < p->k)
                touch(&a, (row * p->lda + k + x) * p->bytes);
            if (column < p->n && k + y < p->k)
                touch(&b, ((k + y) * p->ldb + column) * p->bytes);
        }
        finish(&a, &p->a);
        finish(&b, &p->b);
        p->fma += (double)p->tile;
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
    for (uint64_t k = 0; k <= p->k; k++) { /* the last turn is the store */
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
            touch(&b, (k * p->ldb + column) * p->bytes);
        }
        p->fma += a.lanes > 0;
        finish(&a, &p->a);
        finish(&b, &p->b);
        finish(&c, &p->c);
    }
}

static void walk_product(struct product *p, bool tiled)
{
    for (uint64_t row = 0; row < p->block_rows; row++)
        for (uint64_t column = 0; column < p->block_columns; column++)
            for (uint64_t first = 0; first < p->tile * p->tile; first += 32)
                (tiled ? walk_tiled_warp : walk_naive_warp)(p, row, column, first);
}

static void set(struct smc_params *params, enum smc_param param, uint64_t value)
{
    params->value[param] = (int64_t)value;
    params->given |= 1u << param;
}

/* True where the kernel's work is what the walk saw. */
static bool product_agrees(const struct product *sizes, bool tiled)
{
    struct product p = *sizes;
    const struct smc_kernel *kernel = smc_kernel_find(tiled ? "matmul-tiled" : "matmul-naive");
    struct smc_params params;
    struct smc_plan plan;
    struct smc_work work;
    smc_params_init(kernel, &params);
    set(&params, SMC_PARAM_TILE, p.tile);
    set(&params, SMC_PARAM_DTYPE, p.bytes == 8 ? SMC_DOUBLE : SMC_FLOAT);
    set(&params, SMC_PARAM_M, p.m);
    set(&params, SMC_PARAM_N, p.n);
    set(&params, SMC_PARAM_K, p.k);
    set(&params, SMC_PARAM_LDA, p.lda);
    set(&params, SMC_PARAM_LDB, p.ldb);
    set(&params, SMC_PARAM_LDC, p.ldc);
    if (kernel->complete(&params, NULL) != SMC_OK)
        return false;
    kernel->plan(&params, &plan);
    kernel->work(&params, &work);
    p.block_columns = plan.grid[0];
    p.block_rows = (uint64_t)plan.grid[1] * plan.grid[2];
    walk_product(&p, tiled);
    double bytes = (double)p.bytes;
    return work.access_count == 3 && same(&work.access[0], &p.a) && same(&work.access[1], &p.b) &&
           same(&work.access[2], &p.c) && work.access[2].store && !work.access[0].store &&
           work.fma_instructions == p.fma &&
           work.global_load_bytes == (p.a.elements + p.b.elements) * bytes &&
           work.global_store_bytes == p.c.elements * bytes;
}

static uint64_t random_from(uint64_t lowest, uint64_t highest)
{
    return lowest + (uint64_t)rand() % (highest - lowest + 1);
}

static void test_products(void)
{
    unsigned wrong = 0;
    srand(7);
    for (int round = 0; round < 600; round++) {
        uint64_t most = round % 3 ? 70 : 9; /* small ones: rows that share a sector */
        struct product p = {.tile = round % 32 + 1u, .bytes = round % 2 ? 4 : 8};
        p.m = random_from(1, most);
        p.n = random_from(1, most);
        p.k = random_from(1, most);
        p.lda = p.k + random_from(0, 9);
        p.ldb = p.n + random_from(0, 9);
        p.ldc = p.n + random_from(0, 9);
        wrong += !product_agrees(&p, true);
        wrong += !product_agrees(&p, false);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* More tiles down than a grid has rows: the blocks of the second layer beyond C still load B. */
static void test_layers(void)
{
    struct product p = {
        .tile = 1, .m = 65537, .n = 1, .k = 2, .lda = 2, .ldb = 1, .ldc = 1, .bytes = 4};
    CU_ASSERT(product_agrees(&p, true));
    CU_ASSERT(product_agrees(&p, false));
}

/* The textbook's ratio, and each element of A once for every tile along C. */
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

/* Thread by thread, as the stencil and reverse kernels; shared memory with it. */
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

static struct smc_bank_layout layout_of(uint16_t cc)
{
    struct smc_capability capability;
    struct smc_bank_layout layout = {0};
    if (smc_capability_find(cc, &capability))
        smc_bank_layout_of(&capability.sm, SMC_BANK_MODE_4_BYTES, &layout);
    return layout;
}

/* Side by side, 4 bytes each: an instruction is one wavefront where warps are served whole. */
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
        wrong += kernel->complete(&params, NULL) != SMC_OK;
        kernel->work(&params, &work);
        kernel->shared_work(&params, &layout, &shared);
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
        wrong += kernel->complete(&params, NULL) != SMC_OK;
        kernel->work(&params, &work);
        kernel->shared_work(&params, &layout, &shared);
        wrong += !same(&work.access[0], &global) || !same(&work.access[1], &global);
        wrong += !one_each(&shared.stores, &global) || !one_each(&shared.loads, &global);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* What a block does at full size, from the accesses that the kernel hands over for `banks`. */
static void add_handed_over(const struct smc_kernel *kernel, const struct smc_params *params,
                            const struct smc_bank_layout *layout, uint32_t threads, double times,
                            struct smc_shared_work *out)
{
    for (uint32_t warp = 0; warp * 32 < threads; warp++)
        for (uint32_t step = 0, active = 1; active; step++) {
            struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES];
            size_t count = kernel->shared_accesses(params, warp, step, list);
            active = 0;
            for (size_t i = 0; i < count; i++) {
                const struct smc_access *access = &list[i].access;
                struct smc_shared_count *sum =
                    access->op == SMC_BANK_STORE ? &out->stores : &out->written_loads;
                sum->instructions += access->mask ? times : 0;
                sum->wavefronts += times * smc_banks_count(layout, access).wavefronts;
                active |= access->mask;
            }
        }
}

static bool same_count(const struct smc_shared_count *a, const struct smc_shared_count *b)
{
    return a->instructions == b->instructions && a->wavefronts == b->wavefronts;
}

/* Stores and loads as written, on every kind of banks, against the accesses handed over. */
static void test_shared_as_written(void)
{
    static const uint16_t ccs[] = {13, 20, 35, 52, 90};
    unsigned wrong = 0;
    const struct smc_kernel *kernel = smc_kernel_find("matmul-tiled");
    for (size_t c = 0; c < sizeof ccs / sizeof *ccs; c++)
        for (uint32_t tile = 1; tile <= 32; tile++)
            for (int dtype = SMC_FLOAT; dtype <= SMC_DOUBLE; dtype++) {
                const struct smc_bank_layout layout = layout_of(ccs[c]);
                struct smc_params params;
                struct smc_shared_work work = {0}, walked = {0};
                smc_params_init(kernel, &params);
                set(&params, SMC_PARAM_TILE, tile);
                set(&params, SMC_PARAM_DTYPE, (uint64_t)dtype);
                set(&params, SMC_PARAM_M, 70);
                set(&params, SMC_PARAM_N, 50);
                set(&params, SMC_PARAM_K, 33);
                wrong += kernel->complete(&params, NULL) != SMC_OK;
                kernel->shared_work(&params, &layout, &work);
                uint32_t down = (70 + tile - 1) / tile, across = (50 + tile - 1) / tile;
                add_handed_over(kernel, &params, &layout, tile * tile,
                                (double)down * across * ((33 + tile - 1) / tile), &walked);
                wrong += !same_count(&work.stores, &walked.stores);
                wrong += !same_count(&work.written_loads, &walked.written_loads);
            }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Loads of A joined to at most 16 bytes: so many instructions, and the wavefronts of tile 32 and 16
   worked out by hand. */
static void test_joined_loads(void)
{
    static const struct {
        uint64_t tile, dtype;
        double instructions, wavefronts; /* of all warps of a block, for one tile */
    } cases[] = {
        {32, SMC_FLOAT, 32 * (32 + 8), 32 * (32 + 2 * 8)}, /* 16 bytes, all lanes one address */
        {31, SMC_FLOAT, 31 * 62, 31 * 62},                 /* odd: none joined */
        {6, SMC_FLOAT, 2 * (6 + 3), 2 * (6 + 3)},          /* 36 threads; pairs of 8 bytes */
        {16, SMC_FLOAT, 8 * (16 + 4), 8 * (16 + 2 * 4)},
        {1, SMC_FLOAT, 2, 2},
        {2, SMC_DOUBLE, 2 + 1, 2 + 1},
        {32, SMC_DOUBLE, 32 * (32 + 16), 32 * (2 * 32 + 2 * 16)}, /* 8 bytes: half warps */
    };
    unsigned wrong = 0;
    const struct smc_kernel *kernel = smc_kernel_find("matmul-tiled");
    const struct smc_bank_layout layout = layout_of(90);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_params params;
        struct smc_shared_work work = {0};
        smc_params_init(kernel, &params);
        set(&params, SMC_PARAM_TILE, cases[i].tile);
        set(&params, SMC_PARAM_DTYPE, cases[i].dtype);
        set(&params, SMC_PARAM_M, cases[i].tile);
        set(&params, SMC_PARAM_N, cases[i].tile);
        set(&params, SMC_PARAM_K, cases[i].tile);
        wrong += kernel->complete(&params, NULL) != SMC_OK;
        kernel->shared_work(&params, &layout, &work);
        bool good = work.loads.instructions == cases[i].instructions &&
                    work.loads.wavefronts == cases[i].wavefronts;
        if (!good)
            printf("tile %d: %g instructions, %g wavefronts\n", (int)cases[i].tile,
                   work.loads.instructions, work.loads.wavefronts);
        wrong += !good;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

CU_TestInfo tests_workload[] = {
    {"products: requests and sectors of every thread", test_products},
    {"products: blocks beyond C still load B", test_layers},
    {"products: the textbook's ratios", test_textbook},
    {"stencils: requests, sectors, shared memory", test_lines},
    {"reverse: requests, sectors, shared memory", test_reverse},
    {"shared memory as the kernel hands it over", test_shared_as_written},
    {"loads of A are joined to 16 bytes", test_joined_loads},
    CU_TEST_INFO_NULL,
};
