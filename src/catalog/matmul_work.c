/* The work of C = A B: flops, global memory by array, shared memory by warp. */
#include "catalog/work_parts.h"
#include "model/round.h"

/* The sizes and strides of one launch. */
struct shape {
    uint32_t tile;
    size_t bytes;
    uint64_t m, n, k, lda, ldb, ldc;
    uint64_t block_rows, block_columns; /* of the grid; rows that are all beyond C included */
};

static struct shape shape_of(const struct smc_params *params)
{
    const int64_t *value = params->value;
    uint64_t tile = (uint64_t)value[SMC_PARAM_TILE];
    uint64_t down = divide_up((uint64_t)value[SMC_PARAM_M], tile);
    uint64_t layers = divide_up(down, SMC_MAX_GRID_YZ);
    return (struct shape){
        .tile = (uint32_t)tile,
        .bytes = smc_dtype_bytes((enum smc_dtype)value[SMC_PARAM_DTYPE]),
        .m = (uint64_t)value[SMC_PARAM_M],
        .n = (uint64_t)value[SMC_PARAM_N],
        .k = (uint64_t)value[SMC_PARAM_K],
        .lda = (uint64_t)value[SMC_PARAM_LDA],
        .ldb = (uint64_t)value[SMC_PARAM_LDB],
        .ldc = (uint64_t)value[SMC_PARAM_LDC],
        .block_rows = divide_up(down, layers) * layers,
        .block_columns = divide_up((uint64_t)value[SMC_PARAM_N], tile),
    };
}

static void begin(const struct shape *s, struct smc_work *work)
{
    double m = (double)s->m, n = (double)s->n, k = (double)s->k, bytes = (double)s->bytes;
    *work = (struct smc_work){
        .flops = 2 * m * n * k,
        .untiled_load_bytes = 2 * m * n * k * bytes,
        .minimum_bytes = (m * k + k * n + m * n) * bytes,
    };
}

static void add(struct smc_work *work, const struct shape *s, const char *name, double elements,
                const struct smc_tiles *tiles)
{
    struct smc_global_access *access = smc_work_add_access(work, name, *name == 'C', elements);
    smc_work_add_tiles(access, s->bytes, tiles);
}

static void add_c(struct smc_work *work, const struct shape *s)
{
    const struct smc_tiles c = {s->tile, s->m, s->n, s->ldc, 1, 1, 0};
    add(work, s, "C", (double)s->m * (double)s->n, &c);
    smc_work_sum_bytes(work, s->bytes);
}

static uint64_t warps_of(const struct shape *s)
{
    return divide_up((uint64_t)s->tile * s->tile, SMC_WARP_LANES);
}

/* Threads beyond C return at once. A warp reads one element of A for each row of its threads, and
   one of B for each column, at each step of k. */
void smc_matmul_naive_work(const struct smc_params *params, struct smc_work *work)
{
    const struct shape s = shape_of(params);
    const struct smc_tiles a = {s.tile, s.m, s.n, s.lda, 0, s.k, 1};
    const struct smc_tiles b = {s.tile, s.m, s.n, 0, 1, s.k, s.ldb};
    begin(&s, work);
    add(work, &s, "A", (double)s.m * (double)s.k, &a);
    add(work, &s, "B", (double)s.k * (double)s.n, &b);
    work->fma_instructions = work->access[0].requests;
    add_c(work, &s);
}

/* A is loaded once for each column of blocks, B once for each row of blocks. All threads multiply,
   also those beyond C. */
void smc_matmul_tiled_work(const struct smc_params *params, struct smc_work *work)
{
    const struct shape s = shape_of(params);
    const struct smc_tiles a = {s.tile, s.m, s.k, s.lda, 1, s.block_columns, 0};
    const struct smc_tiles b = {s.tile, s.k, s.n, s.ldb, 1, s.block_rows, 0};
    double blocks = (double)s.block_rows * (double)s.block_columns;
    begin(&s, work);
    add(work, &s, "A", (double)s.m * (double)s.k, &a);
    add(work, &s, "B", (double)s.k * (double)s.n, &b);
    work->fma_instructions =
        blocks * (double)(divide_up(s.k, s.tile) * s.tile) * (double)warps_of(&s);
    add_c(work, &s);
}

/* ptxas makes one load of up to 16 bytes out of a thread's neighbouring elements of a_tile, where
   a row of the tile is a whole number of them (seen in the machine code of every tile, CC 7.5 to
   12.0). */
static uint32_t joined_elements(const struct shape *s)
{
    uint32_t joined = (uint32_t)(16 / s->bytes);
    while (s->tile % joined)
        joined /= 2;
    return joined;
}

/* One warp's accesses to the two tiles: b_tile lies behind a_tile. */
static void add_warp(const struct shape *s, const struct smc_bank_layout *layout, uint32_t warp,
                     double times, struct smc_shared_work *work)
{
    uint32_t tile = s->tile, bytes = (uint32_t)s->bytes, joined = joined_elements(s);
    uint32_t b_tile = tile * tile * bytes;
    struct smc_access store_a = {.width_bytes = bytes, .op = SMC_BANK_STORE}, store_b = store_a;
    struct smc_access a = {.width_bytes = bytes}, vector = {.width_bytes = bytes * joined};
    struct smc_access b = {.width_bytes = bytes};
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        uint32_t thread = warp * SMC_WARP_LANES + lane;
        if (thread >= tile * tile)
            break;
        store_a.mask |= 1u << lane;
        store_a.address[lane] = thread * bytes;
        store_b.address[lane] = b_tile + thread * bytes;
        a.address[lane] = vector.address[lane] = thread / tile * tile * bytes;
        b.address[lane] = b_tile + thread % tile * bytes;
    }
    a.mask = vector.mask = b.mask = store_b.mask = store_a.mask;
    smc_shared_add(&work->stores, layout, &store_a, times);
    smc_shared_add(&work->stores, layout, &store_b, times);
    for (uint32_t i = 0; i < tile; i++) {
        smc_shared_add(&work->written_loads, layout, &a, times);
        smc_shared_add(&work->written_loads, layout, &b, times);
        smc_shared_add(&work->loads, layout, &b, times);
        if (i % joined == 0)
            smc_shared_add(&work->loads, layout, &vector, times);
        for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
            a.address[lane] += bytes;
            b.address[lane] += tile * bytes;
            vector.address[lane] += (i + 1) % joined ? 0 : bytes * joined;
        }
    }
}

void smc_matmul_tiled_shared_work(const struct smc_params *params,
                                  const struct smc_bank_layout *layout,
                                  struct smc_shared_work *work)
{
    const struct shape s = shape_of(params);
    double steps = (double)divide_up(s.k, s.tile);
    double times = (double)s.block_rows * (double)s.block_columns * steps;
    for (uint32_t warp = 0; warp < warps_of(&s); warp++)
        add_warp(&s, layout, warp, times, work);
}
