/* C = A B with several outputs a thread: parameters and launch arithmetic. */
#include "catalog/matmul_register.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/round.h"

enum { VECTOR_BYTES = 16, REGISTER_BYTES = 4, MOST_REGISTERS = 255, MOST_THREADS = 1024 };

/* By element type: the fastest found for floats; doubles take twice the registers, and these spill
   none on any architecture with 255 of them. */
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

struct smc_register smc_register_of(const struct smc_params *params)
{
    struct smc_register r = {
        .product = smc_product_of(params, false),
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

static uint64_t blocks(const struct smc_register *r)
{
    return divide_up(r->product.m, r->block_m) * divide_up(r->product.n, r->block_n);
}

/* `threads` of them side by side in a warp, each with as many outputs as `of` says; 0: no threads.
 */
struct rule {
    enum smc_param param;
    int64_t unit;
    const char *why;
    int64_t threads;
    enum smc_param of;
};

static enum smc_status check_multiple(const struct smc_params *params, const struct rule *rule,
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
                    "option --%s: '%" PRId64 "' is no multiple of %" PRId64 ", %s%s",
                    smc_param_info[rule->param].option, value, rule->unit, rule->why, threads);
}

static enum smc_status check_multiples(const struct smc_params *params, struct smc_error *error)
{
    const int64_t *value = params->value, lanes_m = SMC_REGISTER_LANES_M,
                  lanes_n = SMC_REGISTER_LANES_N;
    size_t bytes = smc_dtype_bytes((enum smc_dtype)value[SMC_PARAM_DTYPE]);
    int64_t vector = VECTOR_BYTES / (int64_t)bytes;
    const struct rule rules[] = {
        {SMC_PARAM_THREAD_M, vector, "a load of 16 bytes", 0, 0},
        {SMC_PARAM_THREAD_N, vector, "a load of 16 bytes", 0, 0},
        {SMC_PARAM_BLOCK_M, lanes_m * value[SMC_PARAM_THREAD_M], "the rows of a warp", lanes_m,
         SMC_PARAM_THREAD_M},
        {SMC_PARAM_BLOCK_N, lanes_n * value[SMC_PARAM_THREAD_N], "the columns of a warp", lanes_n,
         SMC_PARAM_THREAD_N},
        {SMC_PARAM_BLOCK_K, 2, "the fragments in turn", 0, 0},
    };
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && status == SMC_OK; i++)
        status = check_multiple(params, &rules[i], error);
    return status;
}

static enum smc_status check_shape(const struct smc_params *params, struct smc_error *error)
{
    enum smc_status status = check_multiples(params, error);
    if (status != SMC_OK)
        return status;
    const struct smc_register r = smc_register_of(params);
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
                        " x %" PRIu32 " a thread, take %" PRIu32 " threads, more than %d",
                        r.block_m, r.block_n, r.thread_m, r.thread_n, r.threads, MOST_THREADS);
    if (blocks(&r) > SMC_MAX_GRID_X)
        return smc_fail(error, SMC_USAGE,
                        "option --m: %" PRIu64 " x %" PRIu64 " outputs take %" PRIu64
                        " blocks, more than the %" PRId64 " of a grid",
                        r.product.m, r.product.n, blocks(&r), SMC_MAX_GRID_X);
    return SMC_OK;
}

static enum smc_status complete(struct smc_params *params, struct smc_error *error)
{
    int64_t dtype = params->value[SMC_PARAM_DTYPE];
    bool known = dtype >= 0 && dtype < SMC_DTYPE_COUNT; /* another one is refused below */
    for (size_t i = 0; known && i < SHAPES; i++)
        if (params->value[shapes[i].param] == 0)
            params->value[shapes[i].param] = shapes[i].initial[dtype];
    enum smc_status status = smc_product_complete(&smc_kernel_matmul_register, params, error);
    return status == SMC_OK ? check_shape(params, error) : status;
}

static void defines(const struct smc_params *params, struct smc_text *options)
{
    const struct smc_register r = smc_register_of(params);
    smc_text_printf(options, "-DBM=%" PRIu32 "\n-DBN=%" PRIu32 "\n-DBK=%" PRIu32 "\n-DTM=%" PRIu32,
                    r.block_m, r.block_n, r.block_k, r.thread_m);
    smc_text_printf(options, "\n-DTN=%" PRIu32 "\n-DSTAGES=%" PRIu32 "\n-DELEMENT=%s\n", r.thread_n,
                    r.stages, smc_dtype_name(r.product.dtype));
}

static void plan(const struct smc_params *params, struct smc_plan *plan)
{
    const struct smc_register r = smc_register_of(params);
    smc_product_plan_naive(&r.product, plan); /* the same arguments */
    plan->block[0] = r.threads;
    plan->grid[0] = (uint32_t)blocks(&r);
    for (int i = 1; i < 3; i++)
        plan->block[i] = plan->grid[i] = 1;
    smc_plan_count(plan);
    plan->dynamic_smem_bytes =
        (uint64_t)r.stages * r.block_k * (r.a_row + r.block_n) * r.product.element_bytes;
}

static void compare(const struct smc_params *params, const void *const *buffers, uint64_t row,
                    uint64_t rows, struct smc_comparison *result)
{
    const struct smc_register r = smc_register_of(params);
    smc_product_compare(&r.product, buffers, row, rows, result);
}

const struct smc_kernel smc_kernel_matmul_register = {
    .name = "matmul-register",
    .family = "matmul",
    .file = "matmul_register.cu",
    .entry = "matmul_register",
    .summary = "C = A B, many outputs in each thread's registers: low occupancy, and fast",
    .params = SMC_PARAM_BIT(DTYPE) | SMC_PARAM_BIT(BLOCK_M) | SMC_PARAM_BIT(BLOCK_N) |
              SMC_PARAM_BIT(BLOCK_K) | SMC_PARAM_BIT(THREAD_M) | SMC_PARAM_BIT(THREAD_N) |
              SMC_PARAM_BIT(STAGES) | SMC_PARAM_BIT(M) | SMC_PARAM_BIT(N) | SMC_PARAM_BIT(K) |
              SMC_PARAM_BIT(LDA) | SMC_PARAM_BIT(LDB) | SMC_PARAM_BIT(LDC),
    .dtypes = 1u << SMC_FLOAT | 1u << SMC_DOUBLE,
    .complete = complete,
    .defines = defines,
    .plan = plan,
    .work = smc_register_work,
    .shared_work = smc_register_shared_work,
    .shared_accesses = smc_register_shared_accesses,
    .compare = compare,
};
