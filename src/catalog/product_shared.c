/* A matrix product's tiles in shared memory: its accesses, and how many ptxas makes of them. */
#include "catalog/product.h"
#include "catalog/work_parts.h"
#include "model/round.h"

enum { STORE_A, STORE_B, LOAD_A, LOAD_B, ACCESSES };
enum { WIDEST_LOAD_BYTES = 16 };

static uint32_t place(const struct smc_product_tile *tile, uint32_t row, uint32_t column)
{
    return row * tile->row_elements + (tile->swizzled ? column ^ row : column);
}

/* A tile is stored once for all steps of the inner product, and loaded at each. */
static void begin(const struct smc_product *p, const struct smc_product_tile *tile,
                  uint32_t first_byte, struct smc_shared_access *store,
                  struct smc_shared_access *load)
{
    uint32_t bytes = p->element_bytes, row = tile->row_elements;
    smc_shared_begin(store, tile->store, SMC_BANK_STORE, bytes, row, 1);
    smc_shared_begin(load, tile->load, SMC_BANK_LOAD, bytes, row, p->tile);
    store->first_byte = load->first_byte = first_byte;
}

/* Step i of the inner product. Of a tile that is not in shared memory no lane is active. */
static void list_accesses(const struct smc_product *p, uint32_t warp, uint32_t step,
                          struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    const struct smc_product_tile *a = &p->a_tile, *b = &p->b_tile;
    begin(p, a, 0, &list[STORE_A], &list[LOAD_A]);
    begin(p, b, p->stages * p->tile * a->row_elements * p->element_bytes, &list[STORE_B],
          &list[LOAD_B]);
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        uint32_t thread = warp * SMC_WARP_LANES + lane;
        uint32_t x = thread % p->tile, y = thread / p->tile;
        if (y >= p->tile)
            break;
        smc_shared_lane(&list[STORE_A], lane, step, place(a, y, x));
        smc_shared_lane(&list[LOAD_A], lane, step, place(a, y, step));
        if (b->row_elements == 0)
            continue;
        smc_shared_lane(&list[STORE_B], lane, step, b->turned ? place(b, x, y) : place(b, y, x));
        smc_shared_lane(&list[LOAD_B], lane, step, place(b, step, x));
    }
}

size_t smc_product_shared_accesses(const struct smc_product *p, uint32_t warp, uint32_t step,
                                   struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    list_accesses(p, warp, step, list);
    if (p->b_tile.row_elements > 0)
        return ACCESSES;
    list[1] = list[LOAD_A];
    return 2;
}

/* ptxas joins a thread's neighbouring loads, those of a_tile, into the widest that begin at a
   multiple of their width in every row: 16 bytes or 8. Of three floats left in a row that has room
   for four, it loads four. Seen in the machine code of every tile, CC 7.5 to 12.0, and of every
   padding on 9.0; but for tile 1, where from CC 10.0 on it joins the loads of both tiles. */
static uint32_t joined_elements(const struct smc_product *p, uint32_t step)
{
    uint32_t bytes = p->element_bytes, left = p->tile - step;
    uint32_t row_bytes = p->a_tile.row_elements * bytes;
    uint32_t wide = WIDEST_LOAD_BYTES / bytes;
    while (row_bytes % (wide * bytes) || step % wide || (wide > left && (wide < 4 || left < 3)))
        wide /= 2;
    return wide;
}

static void add_warp(const struct smc_product *p, const struct smc_bank_layout *layout,
                     uint32_t warp, double times, struct smc_shared_work *work)
{
    struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES];
    uint32_t next_load = 0;
    for (uint32_t step = 0; step < p->tile; step++) {
        list_accesses(p, warp, step, list);
        struct smc_access *a = &list[LOAD_A].access, *b = &list[LOAD_B].access;
        smc_shared_add(&work->stores, layout, &list[STORE_A].access, times);
        smc_shared_add(&work->stores, layout, &list[STORE_B].access, times);
        smc_shared_add(&work->written_loads, layout, a, times);
        smc_shared_add(&work->written_loads, layout, b, times);
        smc_shared_add(&work->loads, layout, b, times);
        if (step < next_load)
            continue;
        uint32_t joined = joined_elements(p, step);
        a->width_bytes *= joined;
        smc_shared_add(&work->loads, layout, a, times);
        next_load += joined;
    }
}

void smc_product_shared_work(const struct smc_product *p, const struct smc_bank_layout *layout,
                             struct smc_shared_work *work)
{
    double blocks = (double)p->grid[0] * (double)smc_product_blocks_down(p);
    double times = blocks * (double)divide_up(p->k, p->tile);
    uint32_t warps = (uint32_t)divide_up(p->tile * p->tile, SMC_WARP_LANES);
    for (uint32_t warp = 0; warp < warps; warp++)
        add_warp(p, layout, warp, times, work);
}
