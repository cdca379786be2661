/* The box sum by a scan of what enters and leaves the window: a block stages the inputs of a tile
   of outputs, four at a time. */
#include <inttypes.h>

#include "catalog/stencil.h"
#include "catalog/work_parts.h"
#include "model/round.h"
#include "model/sectors.h"

enum {
    BYTES = SMC_STENCIL_BYTES,
    QUAD = 4,  /* elements that a thread moves at once, where they are neighbours */
    QUADS = 8, /* a thread's outputs, in quads */
    WARP_QUADS = QUADS * SMC_WARP_LANES,
};

static uint64_t block_of(const struct smc_params *params)
{
    return (uint64_t)params->value[SMC_PARAM_BLOCK];
}

static uint64_t tile_of(const struct smc_params *params)
{
    return block_of(params) * QUADS * QUAD;
}

/* The most that a scanned sum has: a window's and as many of another's, or an entering and a
   leaving one for each output of the tile but the first. */
static uint64_t scanned_inputs(const struct smc_params *params)
{
    uint64_t window = smc_stencil_halo(params) + 1, steps = tile_of(params) - 1;
    return 2 * (window < steps ? window : steps);
}

static enum smc_status complete(struct smc_params *params, struct smc_error *error)
{
    enum smc_status status = smc_stencil_complete(&smc_kernel_stencil_window, params, error);
    if (status != SMC_OK)
        return status;
    if (block_of(params) % SMC_WARP_LANES)
        return smc_fail(error, SMC_USAGE,
                        "option --block: '%" PRIu64 "' is not a multiple of %d: stencil-window's "
                        "warps are whole",
                        block_of(params), SMC_WARP_LANES);
    return smc_stencil_check_exact(&smc_kernel_stencil_window, params, scanned_inputs(params),
                                   error);
}

static void defines(const struct smc_params *params, struct smc_text *options)
{
    smc_text_printf(options, "-DBLOCK=%" PRId64 "\n", params->value[SMC_PARAM_BLOCK]);
    smc_stencil_define_element(params, "unsigned", options);
}

static uint64_t warps_of(const struct smc_params *params)
{
    return block_of(params) / SMC_WARP_LANES;
}

/* Two sums for each warp, up to a whole number of sectors. */
static uint32_t parts_bytes(const struct smc_params *params)
{
    return (uint32_t)round_up(warps_of(params) * 2 * BYTES, SMC_SECTOR_BYTES);
}

/* Whole quads, and one for what is left over. */
static void plan(const struct smc_params *params, struct smc_plan *plan)
{
    uint64_t quads = (tile_of(params) + smc_stencil_halo(params)) / QUAD + 1;
    smc_stencil_plan(params, tile_of(params), true, plan);
    plan->dynamic_smem_bytes = quads * QUAD * BYTES;
    plan->static_smem_bytes = parts_bytes(params);
}

/* --- Shared memory -------------------------------------------------------------------------- */

/* One block with so many outputs. */
struct tile {
    uint64_t outputs, halo, inputs, warps;
};

static struct tile tile_with(const struct smc_params *params, uint64_t outputs)
{
    uint64_t halo = smc_stencil_halo(params);
    return (struct tile){outputs, halo, outputs + halo, warps_of(params)};
}

enum access { STAGE, REST, WINDOW, WINDOW_REST, BEFORE, LEAVING, LOW, HIGH, PART, PARTS, ACCESSES };
_Static_assert((int)ACCESSES <= (int)SMC_MAX_SHARED_ACCESSES, "room for a kernel's accesses");

static const struct {
    const char *label;
    enum smc_bank_op op;
    uint32_t elements; /* moved at once */
} shapes[ACCESSES] = {
    [STAGE] = {"quads[base + lane]", SMC_BANK_STORE, QUAD},
    [REST] = {"staged[i]", SMC_BANK_STORE, 1},
    [WINDOW] = {"quads[base + lane]", SMC_BANK_LOAD, QUAD},
    [WINDOW_REST] = {"staged[halo / 4 * 4 + threadIdx.x]", SMC_BANK_LOAD, 1},
    [BEFORE] = {"staged[mine - 1]", SMC_BANK_LOAD, 1},
    [LEAVING] = {"quads[i / 4]", SMC_BANK_LOAD, QUAD},
    [LOW] = {"staged[i + halo]", SMC_BANK_LOAD, 2},
    [HIGH] = {"staged[i + halo + 2]", SMC_BANK_LOAD, 2},
    [PART] = {"parts[warp]", SMC_BANK_STORE, 2},
    [PARTS] = {"parts[lane]", SMC_BANK_LOAD, 2},
};

/* The first element that the thread moves at that turn; false: it moves none. */
static bool element_of(const struct tile *tile, enum access access, uint64_t warp, uint64_t lane,
                       uint64_t turn, uint64_t *element)
{
    uint64_t thread = warp * SMC_WARP_LANES + lane;
    uint64_t quad = turn * tile->warps * SMC_WARP_LANES + thread; /* of those in turns */
    uint64_t mine = (warp * WARP_QUADS + lane) * QUAD;
    uint64_t output = mine + turn * SMC_WARP_LANES * QUAD;
    bool once = turn == 0;
    switch (access) {
    case STAGE:
        *element = quad * QUAD;
        return quad < tile->inputs / QUAD;
    case REST:
        *element = tile->inputs / QUAD * QUAD + thread;
        return once && thread < QUAD;
    case WINDOW:
        *element = quad * QUAD;
        return quad < tile->halo / QUAD;
    case WINDOW_REST:
        *element = tile->halo / QUAD * QUAD + thread;
        return once && thread <= tile->halo % QUAD;
    case BEFORE:
        *element = mine - 1;
        return once && lane == 0 && mine > 0 && mine < tile->outputs;
    case LEAVING:
        *element = output;
        return turn < QUADS && output < tile->outputs;
    case LOW:
        *element = output + tile->halo;
        return turn < QUADS && output < tile->outputs;
    case HIGH:
        *element = output + tile->halo + 2;
        return turn < QUADS && output + 2 < tile->outputs;
    case PART:
        *element = 2 * warp;
        return once && lane == 0;
    case PARTS:
        *element = 2 * lane;
        return once && lane < tile->warps;
    case ACCESSES:
        break;
    }
    return false;
}

static uint32_t turns_of(const struct tile *tile)
{
    uint64_t turns = divide_up(tile->inputs / QUAD, tile->warps * SMC_WARP_LANES);
    return (uint32_t)(turns > QUADS ? turns : QUADS);
}

static void describe(const struct tile *tile, enum access access, uint64_t warp, uint64_t turn,
                     struct smc_access *shape)
{
    uint32_t bytes = shapes[access].elements * BYTES;
    *shape = (struct smc_access){.width_bytes = bytes, .op = shapes[access].op};
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        uint64_t element;
        if (!element_of(tile, access, warp, lane, turn, &element))
            continue;
        shape->mask |= 1u << lane;
        shape->address[lane] = (uint32_t)element * BYTES;
    }
}

/* The first block's. The parts lie before the staged inputs, which begin at a multiple of 16. */
static size_t shared_accesses(const struct smc_params *params, uint32_t warp, uint32_t step,
                              struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    uint64_t outputs = smc_stencil_outputs(params), most = tile_of(params);
    struct tile tile = tile_with(params, outputs < most ? outputs : most);
    for (enum access access = 0; access < ACCESSES; access++) {
        bool is_part = access == PART || access == PARTS;
        list[access] = (struct smc_shared_access){
            .label = shapes[access].label,
            .first_byte = is_part ? 0 : parts_bytes(params),
            .steps = turns_of(&tile),
        };
        describe(&tile, access, warp, step, &list[access].access);
        for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
            list[access].access.address[lane] += list[access].first_byte;
    }
    return ACCESSES;
}

static void add_tile(const struct tile *tile, const struct smc_bank_layout *layout, double tiles,
                     struct smc_shared_work *work)
{
    for (enum access access = 0; access < ACCESSES; access++)
        for (uint64_t warp = 0; warp < tile->warps; warp++)
            for (uint64_t turn = 0; turn < turns_of(tile); turn++) {
                struct smc_access shape;
                describe(tile, access, warp, turn, &shape);
                if (access == STAGE)
                    smc_shared_add(&work->copies, layout, &shape, tiles);
                smc_shared_add(shape.op == SMC_BANK_STORE ? &work->stores : &work->loads, layout,
                               &shape, tiles);
            }
}

/* What can be joined is written so. */
static void shared_work(const struct smc_params *params, const struct smc_bank_layout *layout,
                        struct smc_shared_work *work)
{
    uint64_t most = tile_of(params), outputs = smc_stencil_outputs(params);
    struct tile whole = tile_with(params, most), last = tile_with(params, outputs % most);
    if (outputs >= most)
        add_tile(&whole, layout, (double)(outputs / most), work);
    if (last.outputs)
        add_tile(&last, layout, 1, work);
    work->written_loads = work->loads;
}

/* --- Global memory -------------------------------------------------------------------------- */

/* `tiles` of so many elements, each from a whole sector on: quads, 32 a request, then what is left,
   at once or one after the other. */
static void add_quads(struct smc_global_access *access, uint64_t elements, bool rest_at_once,
                      double tiles)
{
    uint64_t quads = elements / QUAD, rest = elements % QUAD;
    uint64_t requests = rest_at_once && rest ? 1 : rest;
    uint64_t sectors = divide_up(quads * QUAD * BYTES, SMC_SECTOR_BYTES);
    access->elements += tiles * (double)elements;
    access->requests += tiles * (double)(divide_up(quads, SMC_WARP_LANES) + requests);
    access->sectors += tiles * (double)(sectors + requests);
}

/* An addition for what enters, a subtraction for what leaves. */
static void work(const struct smc_params *params, struct smc_work *work)
{
    uint64_t tile = tile_of(params), outputs = smc_stencil_outputs(params);
    uint64_t halo = smc_stencil_halo(params), whole = outputs / tile, rest = outputs % tile;
    smc_stencil_work(params, 2, work);
    struct smc_global_access *load =
        smc_work_add_access(work, "input", false, (double)params->value[SMC_PARAM_LENGTH]);
    struct smc_global_access *store = smc_work_add_access(work, "output", true, (double)outputs);
    add_quads(load, tile + halo, true, (double)whole);
    add_quads(store, tile, false, (double)whole);
    if (rest) {
        add_quads(load, rest + halo, true, 1);
        add_quads(store, rest, false, 1);
    }
    smc_work_sum_bytes(work, BYTES);
}

const struct smc_kernel smc_kernel_stencil_window = {
    .name = "stencil-window",
    .family = "stencil",
    .file = "stencil_window.cu",
    .entry = "stencil_window",
    .summary = "1-D box sum with as many additions at any radius",
    .params = SMC_STENCIL_PARAMS,
    .dtypes = SMC_STENCIL_DTYPES,
    .default_dtype = SMC_INT32,
    .streams = true,
    .complete = complete,
    .defines = defines,
    .plan = plan,
    .work = work,
    .shared_work = shared_work,
    .shared_accesses = shared_accesses,
    .compare = smc_stencil_compare,
};
