/* C = A B, row-major, any sizes and leading dimensions: from global memory and by tiles. */
#include <inttypes.h>

#include "catalog/families.h"
#include "model/round.h"

enum { A, B, C };

/* One matrix as the parameters describe it; `leading` is also its parameter. */
struct matrix {
    const char *name;
    enum smc_param rows, columns, leading;
};

static const struct matrix matrices[] = {
    [A] = {"A", SMC_PARAM_M, SMC_PARAM_K, SMC_PARAM_LDA},
    [B] = {"B", SMC_PARAM_K, SMC_PARAM_N, SMC_PARAM_LDB},
    [C] = {"C", SMC_PARAM_M, SMC_PARAM_N, SMC_PARAM_LDC},
};

static enum smc_status complete_matrix(const struct matrix *matrix, struct smc_params *params,
                                       struct smc_error *error)
{
    int64_t rows = params->value[matrix->rows];
    int64_t columns = params->value[matrix->columns];
    int64_t *leading = &params->value[matrix->leading];
    if (*leading == 0)
        *leading = columns;
    if (*leading < columns)
        return smc_fail(error, SMC_USAGE,
                        "option --%s: '%" PRId64 "' is below %" PRId64 ", the columns of %s (--%s)",
                        smc_param_info[matrix->leading].option, *leading, columns, matrix->name,
                        smc_param_info[matrix->columns].option);
    int64_t bytes;
    size_t element = smc_dtype_bytes((enum smc_dtype)params->value[SMC_PARAM_DTYPE]);
    if (__builtin_mul_overflow(rows, *leading, &bytes) ||
        __builtin_mul_overflow(bytes, element, &bytes))
        return smc_fail(error, SMC_USAGE,
                        "option --%s: '%" PRId64 "' rows of %" PRId64 " elements (%s) are more "
                        "than any memory holds, 2^63 bytes",
                        smc_param_info[matrix->rows].option, rows, *leading, matrix->name);
    return SMC_OK;
}

static enum smc_status complete(const struct smc_kernel *kernel, struct smc_params *params,
                                struct smc_error *error)
{
    enum smc_status status = smc_params_check(kernel, params, error);
    for (int i = A; i <= C && status == SMC_OK; i++)
        status = complete_matrix(&matrices[i], params, error);
    return status;
}

static enum smc_status complete_naive(struct smc_params *params, struct smc_error *error)
{
    return complete(&smc_kernel_matmul_naive, params, error);
}

static enum smc_status complete_tiled(struct smc_params *params, struct smc_error *error)
{
    return complete(&smc_kernel_matmul_tiled, params, error);
}

static enum smc_status complete_racy(struct smc_params *params, struct smc_error *error)
{
    return complete(&smc_kernel_matmul_tiled_racy, params, error);
}

static void defines(const struct smc_params *params, struct smc_text *options)
{
    smc_text_printf(options, "-DTILE=%" PRId64 "\n-DELEMENT=%s\n", params->value[SMC_PARAM_TILE],
                    smc_dtype_name((enum smc_dtype)params->value[SMC_PARAM_DTYPE]));
}

static void plan_naive(const struct smc_params *params, struct smc_plan *plan)
{
    const int64_t *value = params->value;
    uint32_t tile = (uint32_t)value[SMC_PARAM_TILE];
    uint64_t tiles_down = divide_up((uint64_t)value[SMC_PARAM_M], tile);
    uint64_t layers = divide_up(tiles_down, SMC_MAX_GRID_YZ);
    *plan = (struct smc_plan){
        .block = {tile, tile, 1},
        .grid = {(uint32_t)divide_up((uint64_t)value[SMC_PARAM_N], tile),
                 (uint32_t)divide_up(tiles_down, layers), (uint32_t)layers},
        .output_rows = (uint64_t)value[SMC_PARAM_M],
    };
    smc_plan_count(plan);
    for (int i = A; i <= C; i++) {
        uint64_t elements =
            (uint64_t)value[matrices[i].rows] * (uint64_t)value[matrices[i].leading];
        smc_plan_add_buffer(plan, matrices[i].name, (enum smc_dtype)value[SMC_PARAM_DTYPE],
                            elements, i == C);
    }
    static const enum smc_param numbers[] = {SMC_PARAM_M,   SMC_PARAM_N,   SMC_PARAM_K,
                                             SMC_PARAM_LDA, SMC_PARAM_LDB, SMC_PARAM_LDC};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        plan->argument[plan->argument_count++] =
            (struct smc_argument){SMC_ARGUMENT_INT32, value[numbers[i]]};
}

static void plan_tiled(const struct smc_params *params, struct smc_plan *plan)
{
    plan_naive(params, plan);
    uint64_t tile = plan->block[0];
    plan->static_smem_bytes = 2 * tile * tile * smc_dtype_bytes(plan->buffer[A].dtype);
}

/* Step i of the inner product; the tiles are stored once for all its steps. */
static size_t shared_accesses(const struct smc_params *params, uint32_t warp, uint32_t step,
                              struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    uint32_t tile = (uint32_t)params->value[SMC_PARAM_TILE];
    uint32_t bytes = (uint32_t)smc_dtype_bytes((enum smc_dtype)params->value[SMC_PARAM_DTYPE]);
    uint32_t b_tile = tile * tile; /* its first element, behind a_tile */
    struct smc_shared_access *store_a = &list[0], *store_b = &list[1];
    struct smc_shared_access *load_a = &list[2], *load_b = &list[3];
    smc_shared_begin(store_a, "a_tile[y][x]", SMC_BANK_STORE, bytes, tile, 1);
    smc_shared_begin(store_b, "b_tile[y][x]", SMC_BANK_STORE, bytes, tile, 1);
    smc_shared_begin(load_a, "a_tile[y][i]", SMC_BANK_LOAD, bytes, tile, tile);
    smc_shared_begin(load_b, "b_tile[i][x]", SMC_BANK_LOAD, bytes, tile, tile);
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        uint32_t thread = warp * SMC_WARP_LANES + lane, x = thread % tile, y = thread / tile;
        if (thread >= tile * tile)
            break;
        smc_shared_lane(store_a, lane, step, thread);
        smc_shared_lane(store_b, lane, step, b_tile + thread);
        smc_shared_lane(load_a, lane, step, y * tile + step);
        smc_shared_lane(load_b, lane, step, b_tile + step * tile + x);
    }
    return 4;
}

#define PARAMS                                                                                     \
    SMC_PARAM_BIT(TILE) | SMC_PARAM_BIT(DTYPE) | SMC_PARAM_BIT(M) | SMC_PARAM_BIT(N) |             \
        SMC_PARAM_BIT(K) | SMC_PARAM_BIT(LDA) | SMC_PARAM_BIT(LDB) | SMC_PARAM_BIT(LDC)

const struct smc_kernel smc_kernel_matmul_naive = {
    .name = "matmul-naive",
    .family = "matmul",
    .file = "matmul_naive.cu",
    .entry = "matmul_naive",
    .summary = "C = A B, one output per thread straight from global memory",
    .params = PARAMS,
    .dtypes = 1u << SMC_FLOAT | 1u << SMC_DOUBLE,
    .complete = complete_naive,
    .defines = defines,
    .plan = plan_naive,
    .work = smc_matmul_naive_work,
    .compare = smc_matmul_compare,
};

const struct smc_kernel smc_kernel_matmul_tiled = {
    .name = "matmul-tiled",
    .family = "matmul",
    .file = "matmul_tiled.cu",
    .entry = "matmul_tiled",
    .summary = "C = A B by square tiles of A and B in shared memory",
    .params = PARAMS,
    .dtypes = 1u << SMC_FLOAT | 1u << SMC_DOUBLE,
    .complete = complete_tiled,
    .defines = defines,
    .plan = plan_tiled,
    .work = smc_matmul_tiled_work,
    .shared_work = smc_matmul_tiled_shared_work,
    .shared_accesses = shared_accesses,
    .compare = smc_matmul_compare,
};

const struct smc_kernel smc_kernel_matmul_tiled_racy = {
    .name = "matmul-tiled-racy",
    .family = "matmul",
    .file = "matmul_tiled_racy.cu",
    .entry = "matmul_tiled_racy",
    .summary = "matmul-tiled without its second barrier: for race detection only",
    .params = PARAMS,
    .dtypes = 1u << SMC_FLOAT | 1u << SMC_DOUBLE,
    .is_racy = true,
    .complete = complete_racy,
    .defines = defines,
    .plan = plan_tiled,
    .work = smc_matmul_tiled_work,
    .shared_work = smc_matmul_tiled_shared_work,
    .shared_accesses = shared_accesses,
    .compare = smc_matmul_compare,
};
