/* The 1-D box sum over int32 or float: output[i] = input[i] + ... + input[i + 2 radius], for each
   position at which the whole window is within the input. Inputs are integers, and float must match
   the results of int32 bit for bit, so a radius at which float might round is refused. */
#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "base/numbers.h"
#include "rules/banks.h"
#include "rules/catalog/catalog_family.h"

enum { INPUT, OUTPUT };
enum { BYTES = sizeof(int32_t) }; /* of an element */
_Static_assert(sizeof(float) == sizeof(int32_t), "all elements are as long");

enum { DEFAULT_OUTPUTS = 1 << 20 };
enum { FLOAT_WHOLE = 1 << FLT_MANT_DIG }; /* up to which float represents every integer */

static enum smc_dtype dtype_of(const struct smc_params *params)
{
    return (enum smc_dtype)params->value[SMC_PARAM_DTYPE];
}

static uint64_t halo_of(const struct smc_params *params)
{
    return 2 * (uint64_t)params->value[SMC_PARAM_RADIUS];
}

static uint64_t outputs_of(const struct smc_params *params)
{
    return (uint64_t)params->value[SMC_PARAM_LENGTH] - halo_of(params);
}

/* SMC_USAGE if float might round: sums of `inputs` inputs, including partial sums. */
static enum smc_status check_exact(const struct smc_kernel *kernel, const struct smc_params *params,
                                   uint64_t inputs, struct smc_error *error)
{
    if (dtype_of(params) != SMC_FLOAT || inputs * SMC_LARGEST_WHOLE <= FLOAT_WHOLE)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "option --radius: '%" PRId64 "' is too much for float: %s's sums may have "
                    "%" PRIu64 " inputs of up to %d, and whole numbers are exact up to %d; "
                    "--dtype int32 accepts any radius",
                    params->value[SMC_PARAM_RADIUS], kernel->name, inputs, SMC_LARGEST_WHOLE,
                    FLOAT_WHOLE);
}

static enum smc_status stencil_complete(const struct smc_kernel *kernel, struct smc_params *params,
                                        struct smc_error *error)
{
    int64_t *length = &params->value[SMC_PARAM_LENGTH];
    int64_t block = params->value[SMC_PARAM_BLOCK], radius = params->value[SMC_PARAM_RADIUS];
    if (*length == 0)
        *length = DEFAULT_OUTPUTS + 2 * radius;
    SMC_TRY(smc_params_check(kernel, params, error));
    if (*length <= 2 * radius)
        return smc_fail(error, SMC_USAGE,
                        "option --length: '%" PRId64 "' is not above 2 x %" PRId64
                        ", twice the radius",
                        *length, radius);
    uint64_t blocks = divide_up(outputs_of(params), (uint64_t)block);
    if (blocks > SMC_MAX_GRID_X)
        return smc_fail(error, SMC_USAGE,
                        "option --length: '%" PRId64 "' takes %" PRIu64 " blocks of --block "
                        "%" PRId64 ", more than the %" PRId64 " of a grid",
                        *length, blocks, block, SMC_MAX_GRID_X);
    return check_exact(kernel, params, halo_of(params) + 1, error);
}

static void stencil_define_element(const struct smc_params *params, const char *int32,
                                   struct smc_text *options)
{
    smc_text_printf(options, "-DELEMENT=%s\n", dtype_of(params) == SMC_FLOAT ? "float" : int32);
}

static void stencil_defines(const struct smc_kernel *kernel, const struct smc_params *params,
                            struct smc_text *options)
{
    stencil_define_element(params, "int", options);
}

static void plan_blocks(const struct smc_params *params, uint64_t outputs_per_block,
                        bool takes_radius, struct smc_plan *plan)
{
    uint64_t outputs = outputs_of(params);
    *plan = (struct smc_plan){
        .block = {(uint32_t)params->value[SMC_PARAM_BLOCK], 1, 1},
        .grid = {(uint32_t)divide_up(outputs, outputs_per_block), 1, 1},
        .output_rows = outputs,
    };
    smc_plan_count(plan);
    smc_plan_add_buffer(plan, "input", dtype_of(params), (uint64_t)params->value[SMC_PARAM_LENGTH],
                        false);
    smc_plan_add_buffer(plan, "output", dtype_of(params), outputs, true);
    plan->buffer[INPUT].whole = true;
    plan->argument[plan->argument_count++] =
        (struct smc_argument){SMC_ARGUMENT_INT64, (int64_t)outputs};
    if (takes_radius)
        plan->argument[plan->argument_count++] =
            (struct smc_argument){SMC_ARGUMENT_INT32, params->value[SMC_PARAM_RADIUS]};
}

static void begin_work(const struct smc_params *params, double flops_per_output,
                       struct smc_work *work)
{
    double outputs = (double)outputs_of(params);
    double window = (double)(halo_of(params) + 1);
    *work = (struct smc_work){
        .flops = outputs * flops_per_output,
        .untiled_load_bytes = outputs * window * BYTES,
        .minimum_bytes = ((double)params->value[SMC_PARAM_LENGTH] + outputs) * BYTES,
    };
}

static int64_t input_at(const void *input, enum smc_dtype dtype, uint64_t i)
{
    return dtype == SMC_FLOAT ? (int64_t)((const float *)input)[i] : ((const int32_t *)input)[i];
}

/* Bit for bit: not even -0 counts as 0. */
static void compare_float(struct smc_comparison *result, uint64_t i, float expected, float got)
{
    uint32_t expected_bits, got_bits;
    memcpy(&expected_bits, &expected, sizeof expected);
    memcpy(&got_bits, &got, sizeof got);
    smc_comparison_add(result, i, expected, got, expected_bits == got_bits ? 0 : SMC_WRONG);
}

static void compare_at(struct smc_comparison *result, uint64_t i, int64_t expected,
                       const void *output, enum smc_dtype dtype)
{
    if (dtype == SMC_FLOAT) {
        compare_float(result, i, (float)expected, ((const float *)output)[i]);
        return;
    }
    int32_t got = ((const int32_t *)output)[i];
    smc_comparison_add(result, i, (double)expected, got, expected == got ? 0 : SMC_WRONG);
}

/* A sliding sum: one addition and one subtraction per output, exact in 64 bits. */
static void stencil_compare(const struct smc_kernel *kernel, const struct smc_params *params,
                            const void *const *buffers, uint64_t row, uint64_t rows,
                            struct smc_comparison *result)
{
    const void *input = buffers[INPUT];
    enum smc_dtype dtype = dtype_of(params);
    uint64_t around = halo_of(params);
    int64_t sum = 0;
    if (rows == 0)
        return;
    for (uint64_t i = row; i < row + around; i++)
        sum += input_at(input, dtype, i);
    for (uint64_t i = row; i < row + rows; i++) {
        sum += input_at(input, dtype, i + around);
        compare_at(result, i, sum, buffers[OUTPUT], dtype);
        sum -= input_at(input, dtype, i);
    }
}

/* Everything except the functions that differ. */
#define STENCIL                                                                                    \
    .family = "stencil",                                                                           \
    .params = SMC_PARAM_BIT(DTYPE) | SMC_PARAM_BIT(BLOCK) | SMC_PARAM_BIT(RADIUS) |                \
              SMC_PARAM_BIT(LENGTH),                                                               \
    .dtypes = 1u << SMC_FLOAT | 1u << SMC_INT32, .default_dtype = SMC_INT32, .streams = true,      \
    .compare = stencil_compare

/* --- From global memory alone ----------------------------------------------------------------- */

static void plan_naive(const struct smc_kernel *kernel, const struct smc_params *params,
                       struct smc_plan *plan)
{
    plan_blocks(params, (uint64_t)params->value[SMC_PARAM_BLOCK], true, plan);
}

/* Adjacent threads have adjacent windows; each thread loops over its own window. */
static void work_naive(const struct smc_kernel *kernel, const struct smc_params *params,
                       struct smc_work *work)
{
    uint32_t block = (uint32_t)params->value[SMC_PARAM_BLOCK];
    uint64_t halo = halo_of(params), results = outputs_of(params);
    uint64_t whole = results / block, first = whole * block, rest = results % block;
    begin_work(params, (double)halo, work);
    struct smc_global_access *load =
        smc_work_add_access(work, "input", false, (double)params->value[SMC_PARAM_LENGTH]);
    struct smc_global_access *store = smc_work_add_access(work, "output", true, (double)results);
    struct smc_lines all = {0, whole, block, block, block, halo + 1};
    struct smc_lines last = {first, 1, 0, rest, block, halo + 1};
    smc_work_add_lines(load, BYTES, &all);
    smc_work_add_lines(load, BYTES, &last);
    all.times = last.times = 1;
    smc_work_add_lines(store, BYTES, &all);
    smc_work_add_lines(store, BYTES, &last);
    smc_work_sum_bytes(work, BYTES);
}

const struct smc_kernel smc_kernel_stencil_naive = {
    SMC_KERNEL_NAMES(stencil_naive, "stencil-naive"),
    STENCIL,
    .summary = "1-D box sum, each window loaded from global memory",
    .complete = stencil_complete,
    .defines = stencil_defines,
    .plan = plan_naive,
    .work = work_naive,
};

/* --- Blocks that stage the inputs of their windows in shared memory --------------------------- */

static void stencil_defines_static(const struct smc_kernel *kernel, const struct smc_params *params,
                                   struct smc_text *options)
{
    smc_text_printf(options, "-DBLOCK=%" PRId64 "\n-DRADIUS=%" PRId64 "\n",
                    params->value[SMC_PARAM_BLOCK], params->value[SMC_PARAM_RADIUS]);
    stencil_defines(kernel, params, options);
}

/* A block stages the inputs of its own outputs and a halo on both sides. */
static uint64_t staged_bytes(const struct smc_params *params)
{
    return ((uint64_t)params->value[SMC_PARAM_BLOCK] + halo_of(params)) * BYTES;
}

static void stencil_plan_static(const struct smc_kernel *kernel, const struct smc_params *params,
                                struct smc_plan *plan)
{
    plan_blocks(params, (uint64_t)params->value[SMC_PARAM_BLOCK], false, plan);
    plan->static_smem_bytes = staged_bytes(params);
}

static void stencil_plan_dynamic(const struct smc_kernel *kernel, const struct smc_params *params,
                                 struct smc_plan *plan)
{
    plan_blocks(params, (uint64_t)params->value[SMC_PARAM_BLOCK], true, plan);
    plan->dynamic_smem_bytes = staged_bytes(params);
}

/* The block's threads stage the window in strides of a block; then each thread sums its part. */
static size_t staged_accesses(const struct smc_kernel *kernel, const struct smc_params *params,
                              uint32_t warp, uint32_t step,
                              struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    uint32_t block = (uint32_t)params->value[SMC_PARAM_BLOCK];
    uint32_t halo = (uint32_t)halo_of(params), inputs = block + halo;
    struct smc_shared_access *store = &list[0], *load = &list[1];
    smc_shared_begin(store, "window[i]", SMC_BANK_STORE, BYTES, 0,
                     (uint32_t)divide_up(inputs, block));
    smc_shared_begin(load, "window[threadIdx.x + i]", SMC_BANK_LOAD, BYTES, 0, halo + 1);
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        uint32_t thread = warp * SMC_WARP_LANES + lane;
        if (thread >= block)
            break;
        if (thread + (uint64_t)step * block < inputs)
            smc_shared_lane(store, lane, step, thread + step * block);
        smc_shared_lane(load, lane, step, thread + step);
    }
    return 2;
}

/* Each block loads its own halo; the last block computes the remaining outputs. */
static void work_staged(const struct smc_kernel *kernel, const struct smc_params *params,
                        struct smc_work *work)
{
    uint32_t block = (uint32_t)params->value[SMC_PARAM_BLOCK];
    uint64_t around = halo_of(params), results = outputs_of(params);
    uint64_t whole = results / block, rest = results % block;
    begin_work(params, (double)around, work);
    struct smc_global_access *load =
        smc_work_add_access(work, "input", false, (double)params->value[SMC_PARAM_LENGTH]);
    struct smc_global_access *store = smc_work_add_access(work, "output", true, (double)results);
    smc_work_add_lines(load, BYTES, &(struct smc_lines){0, whole, block, block + around, block, 1});
    smc_work_add_lines(store, BYTES, &(struct smc_lines){0, whole, block, block, block, 1});
    if (rest) {
        uint64_t first = whole * block;
        smc_work_add_lines(load, BYTES, &(struct smc_lines){first, 1, 0, rest + around, block, 1});
        smc_work_add_lines(store, BYTES, &(struct smc_lines){first, 1, 0, rest, block, 1});
    }
    smc_work_sum_bytes(work, BYTES);
}

/* One block of `results` outputs: stores in strides of a block, then the sum of each thread. */
static void add_shared(const struct smc_params *params, const struct smc_bank_layout *layout,
                       uint64_t results, double times, struct smc_shared_work *work)
{
    uint32_t block = (uint32_t)params->value[SMC_PARAM_BLOCK];
    uint64_t halo = halo_of(params), staged = results + halo;
    smc_shared_add_run(&work->stores, layout, SMC_BANK_STORE, block,
                       times * (double)(staged / block));
    smc_shared_add_run(&work->stores, layout, SMC_BANK_STORE, (uint32_t)(staged % block), times);
    smc_shared_add_run(&work->loads, layout, SMC_BANK_LOAD, (uint32_t)results,
                       times * (double)(halo + 1));
}

/* A thread's loads begin at any word, so none can be joined. */
static void staged_work(const struct smc_kernel *kernel, const struct smc_params *params,
                        const struct smc_bank_layout *layout, struct smc_shared_work *work)
{
    uint64_t block = (uint64_t)params->value[SMC_PARAM_BLOCK];
    uint64_t results = outputs_of(params);
    add_shared(params, layout, block, (double)(results / block), work);
    if (results % block)
        add_shared(params, layout, results % block, 1, work);
    work->written_loads = work->loads;
}

const struct smc_kernel smc_kernel_stencil_static = {
    SMC_KERNEL_NAMES(stencil_static, "stencil-static"),
    STENCIL,
    .summary = "1-D box sum, staged in static shared memory",
    .sibling = "stencil-dynamic",
    .complete = stencil_complete,
    .defines = stencil_defines_static,
    .plan = stencil_plan_static,
    .work = work_staged,
    .shared_work = staged_work,
    .shared_accesses = staged_accesses,
};

const struct smc_kernel smc_kernel_stencil_dynamic = {
    SMC_KERNEL_NAMES(stencil_dynamic, "stencil-dynamic"),
    STENCIL,
    .summary = "1-D box sum, staged in dynamic shared memory",
    .complete = stencil_complete,
    .defines = stencil_defines,
    .plan = stencil_plan_dynamic,
    .work = work_staged,
    .shared_work = staged_work,
    .shared_accesses = staged_accesses,
};

/* --- By a scan of what enters and leaves the window ------------------------------------------- */

enum {
    QUAD = 4,  /* elements that a thread moves at once if they are neighbors */
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

/* The most inputs in a scanned sum: those of a window and as many of another, or an entering and a
   leaving one for each output of the tile except the first. */
static uint64_t scanned_inputs(const struct smc_params *params)
{
    uint64_t window = halo_of(params) + 1, steps = tile_of(params) - 1;
    return 2 * (window < steps ? window : steps);
}

static enum smc_status complete_window(const struct smc_kernel *kernel, struct smc_params *params,
                                       struct smc_error *error)
{
    SMC_TRY(stencil_complete(kernel, params, error));
    if (block_of(params) % SMC_WARP_LANES)
        return smc_fail(error, SMC_USAGE,
                        "option --block: '%" PRIu64 "' is not a multiple of %d: stencil-window's "
                        "warps are whole",
                        block_of(params), SMC_WARP_LANES);
    return check_exact(kernel, params, scanned_inputs(params), error);
}

static void defines_window(const struct smc_kernel *kernel, const struct smc_params *params,
                           struct smc_text *options)
{
    smc_text_printf(options, "-DBLOCK=%" PRId64 "\n", params->value[SMC_PARAM_BLOCK]);
    stencil_define_element(params, "unsigned", options);
}

static uint64_t warps_of(const struct smc_params *params)
{
    return block_of(params) / SMC_WARP_LANES;
}

/* Two sums for each warp, rounded up to whole sectors. */
static uint32_t parts_bytes(const struct smc_params *params)
{
    return (uint32_t)round_up(warps_of(params) * 2 * BYTES, SMC_SECTOR_BYTES);
}

/* Whole quads, and one for the remainder. */
static void plan_window(const struct smc_kernel *kernel, const struct smc_params *params,
                        struct smc_plan *plan)
{
    uint64_t quads = (tile_of(params) + halo_of(params)) / QUAD + 1;
    plan_blocks(params, tile_of(params), true, plan);
    plan->dynamic_smem_bytes = quads * QUAD * BYTES;
    plan->static_smem_bytes = parts_bytes(params);
}

/* --- Shared memory ---------------------------------------------------------------------------- */

/* One block's share of the work. */
struct tile {
    uint64_t outputs, halo, inputs, warps;
};

static struct tile tile_with(const struct smc_params *params, uint64_t outputs)
{
    uint64_t halo = halo_of(params);
    return (struct tile){outputs, halo, outputs + halo, warps_of(params)};
}

enum stencil_access {
    STAGE,
    REST,
    WINDOW,
    WINDOW_REST,
    BEFORE,
    LEAVING,
    LOW,
    HIGH,
    PART,
    PARTS,
    ACCESSES
};
_Static_assert((int)ACCESSES <= (int)SMC_MAX_SHARED_ACCESSES, "room for a kernel's accesses");

static const struct {
    const char *label;
    enum smc_bank_op op;
    uint32_t elements; /* moved in one access */
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

/* The first element that the thread moves in that iteration; returns false if it moves none. */
static bool stencil_element_of(const struct tile *tile, enum stencil_access access, uint64_t warp,
                               uint64_t lane, uint64_t turn, uint64_t *element)
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

static void stencil_describe(const struct tile *tile, enum stencil_access access, uint64_t warp,
                             uint64_t turn, struct smc_access *shape)
{
    uint32_t bytes = shapes[access].elements * BYTES;
    *shape = (struct smc_access){.width_bytes = bytes, .op = shapes[access].op};
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        uint64_t element;
        if (!stencil_element_of(tile, access, warp, lane, turn, &element))
            continue;
        shape->mask |= 1u << lane;
        shape->address[lane] = (uint32_t)element * BYTES;
    }
}

/* For the first block. The parts are before the staged inputs, which begin at a multiple of 16. */
static size_t window_accesses(const struct smc_kernel *kernel, const struct smc_params *params,
                              uint32_t warp, uint32_t step,
                              struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    uint64_t outputs = outputs_of(params), most = tile_of(params);
    struct tile tile = tile_with(params, outputs < most ? outputs : most);
    for (enum stencil_access access = 0; access < ACCESSES; access++) {
        bool is_part = access == PART || access == PARTS;
        list[access] = (struct smc_shared_access){
            .label = shapes[access].label,
            .first_byte = is_part ? 0 : parts_bytes(params),
            .steps = turns_of(&tile),
            .bypasses_l1 = access == STAGE,
        };
        stencil_describe(&tile, access, warp, step, &list[access].access);
        for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
            list[access].access.address[lane] += list[access].first_byte;
    }
    return ACCESSES;
}

static void stencil_add_tile(const struct tile *tile, const struct smc_bank_layout *layout,
                             double tiles, struct smc_shared_work *work)
{
    for (enum stencil_access access = 0; access < ACCESSES; access++)
        for (uint64_t warp = 0; warp < tile->warps; warp++)
            for (uint64_t turn = 0; turn < turns_of(tile); turn++) {
                struct smc_access shape;
                stencil_describe(tile, access, warp, turn, &shape);
                if (access == STAGE)
                    smc_shared_add(&work->copies, layout, &shape, tiles);
                smc_shared_add(shape.op == SMC_BANK_STORE ? &work->stores : &work->loads, layout,
                               &shape, tiles);
            }
}

/* The source already uses the widest loads: ptxas joins none. */
static void window_work(const struct smc_kernel *kernel, const struct smc_params *params,
                        const struct smc_bank_layout *layout, struct smc_shared_work *work)
{
    uint64_t most = tile_of(params), outputs = outputs_of(params);
    struct tile whole = tile_with(params, most), last = tile_with(params, outputs % most);
    if (outputs >= most)
        stencil_add_tile(&whole, layout, (double)(outputs / most), work);
    if (last.outputs)
        stencil_add_tile(&last, layout, 1, work);
    work->written_loads = work->loads;
    work->bypassing = work->copies;
}

/* --- Global memory ---------------------------------------------------------------------------- */

/* Accesses to `tiles` tiles of `elements` elements, each from a sector boundary on: quads, 32 per
   request, then the remainder, at once or one element after the other. */
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

/* One addition for each entering input, one subtraction for each leaving one. */
static void work_window(const struct smc_kernel *kernel, const struct smc_params *params,
                        struct smc_work *work)
{
    uint64_t tile = tile_of(params), outputs = outputs_of(params);
    uint64_t halo = halo_of(params), whole = outputs / tile, rest = outputs % tile;
    begin_work(params, 2, work);
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
    SMC_KERNEL_NAMES(stencil_window, "stencil-window"),
    STENCIL,
    .summary = "1-D box sum whose additions do not grow with the radius",
    .complete = complete_window,
    .defines = defines_window,
    .plan = plan_window,
    .work = work_window,
    .shared_work = window_work,
    .shared_accesses = window_accesses,
};
