/* The joint histogram of two int32 arrays: one for the pairs of each block, or of each cluster of
   blocks, over which its bins are spread. */
#include <inttypes.h>

#include "base/numbers.h"
#include "rules/catalog/catalog_family.h"

enum { X, Y, COUNTS };
enum { BYTES = sizeof(int32_t) };
enum { PAIRS_PER_THREAD = 64, DEFAULT_PAIRS = 1 << 22, DEFAULT_CLUSTER = 8 };

static bool is_power_of_two(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static uint64_t pairs_of(const struct smc_params *params)
{
    return (uint64_t)params->value[SMC_PARAM_LENGTH];
}

/* Of all pairs of values. */
static uint64_t bins_of(const struct smc_params *params)
{
    return (uint64_t)(params->value[SMC_PARAM_BINS] * params->value[SMC_PARAM_BINS]);
}

/* Blocks that hold a histogram together. */
static uint64_t sharers_of(const struct smc_kernel *kernel, const struct smc_params *params)
{
    return kernel->has_clusters && params->blocks_per_cluster > 1 ? params->blocks_per_cluster : 1;
}

static uint64_t pairs_per_block(const struct smc_params *params)
{
    return (uint64_t)(params->value[SMC_PARAM_BLOCK] * PAIRS_PER_THREAD);
}

static uint64_t bins_per_block(const struct smc_kernel *kernel, const struct smc_params *params)
{
    return bins_of(params) / sharers_of(kernel, params);
}

static uint64_t histograms_of(const struct smc_kernel *kernel, const struct smc_params *params)
{
    return divide_up(pairs_of(params), pairs_per_block(params) * sharers_of(kernel, params));
}

static enum smc_status check_histogram(const struct smc_kernel *kernel,
                                       const struct smc_params *params, struct smc_error *error)
{
    if (!is_power_of_two(params->value[SMC_PARAM_BINS]))
        return smc_fail(error, SMC_USAGE, "option --bins: '%" PRId64 "' is not a power of two",
                        params->value[SMC_PARAM_BINS]);
    uint64_t sharers = sharers_of(kernel, params);
    if (!is_power_of_two((int64_t)sharers) || sharers > bins_of(params))
        return smc_fail(error, SMC_USAGE,
                        "option --cluster: '%" PRIu64 "' is not a power of two up to %" PRIu64
                        ", the bins that %s spreads over a cluster",
                        sharers, bins_of(params), kernel->name);
    uint64_t blocks = histograms_of(kernel, params) * sharers;
    if (blocks > SMC_MAX_GRID_X)
        return smc_fail(error, SMC_USAGE,
                        "option --length: '%" PRIu64 "' takes %" PRIu64 " blocks of --block "
                        "%" PRId64 ", more than the %" PRId64 " of a grid",
                        pairs_of(params), blocks, params->value[SMC_PARAM_BLOCK], SMC_MAX_GRID_X);
    return SMC_OK;
}

static enum smc_status histogram_complete(const struct smc_kernel *kernel,
                                          struct smc_params *params, struct smc_error *error)
{
    if (params->value[SMC_PARAM_LENGTH] == 0)
        params->value[SMC_PARAM_LENGTH] = DEFAULT_PAIRS;
    if (kernel->has_clusters && params->blocks_per_cluster == 0)
        params->blocks_per_cluster =
            bins_of(params) < DEFAULT_CLUSTER ? (uint32_t)bins_of(params) : DEFAULT_CLUSTER;
    SMC_TRY(smc_params_check(kernel, params, error));
    return check_histogram(kernel, params, error);
}

static void histogram_defines(const struct smc_kernel *kernel, const struct smc_params *params,
                              struct smc_text *options)
{
    smc_text_printf(options, "-DBINS=%" PRId64 "\n-DBLOCK=%" PRId64 "\n",
                    params->value[SMC_PARAM_BINS], params->value[SMC_PARAM_BLOCK]);
}

static void histogram_plan(const struct smc_kernel *kernel, const struct smc_params *params,
                           struct smc_plan *plan)
{
    uint64_t histograms = histograms_of(kernel, params), sharers = sharers_of(kernel, params);
    *plan = (struct smc_plan){
        .block = {(uint32_t)params->value[SMC_PARAM_BLOCK], 1, 1},
        .grid = {(uint32_t)(histograms * sharers), 1, 1},
        .dynamic_smem_bytes = bins_per_block(kernel, params) * BYTES,
        .output_rows = histograms,
    };
    smc_plan_count(plan);
    smc_plan_add_buffer(plan, "x", SMC_INT32, pairs_of(params), false);
    smc_plan_add_buffer(plan, "y", SMC_INT32, pairs_of(params), false);
    smc_plan_add_buffer(plan, "counts", SMC_INT32, histograms * bins_of(params), true);
    plan->argument[plan->argument_count++] =
        (struct smc_argument){SMC_ARGUMENT_INT64, params->value[SMC_PARAM_LENGTH]};
}

static void histogram_add_loads(const struct smc_params *params, const char *array,
                                struct smc_work *work)
{
    uint64_t each = pairs_per_block(params), whole = pairs_of(params) / each;
    uint32_t threads = (uint32_t)params->value[SMC_PARAM_BLOCK];
    const struct smc_lines blocks = {0, whole, each, each, threads, 1};
    const struct smc_lines rest = {whole * each, 1, 0, pairs_of(params) % each, threads, 1};
    struct smc_global_access *access =
        smc_work_add_access(work, array, false, (double)pairs_of(params));
    smc_work_add_lines(access, BYTES, &blocks);
    smc_work_add_lines(access, BYTES, &rest);
}

static void histogram_work(const struct smc_kernel *kernel, const struct smc_params *params,
                           struct smc_work *work)
{
    uint64_t histograms = histograms_of(kernel, params), each = bins_per_block(kernel, params);
    double pairs = (double)pairs_of(params), counts = (double)(histograms * bins_of(params));
    const struct smc_lines stores = {0,    histograms * sharers_of(kernel, params),  each,
                                     each, (uint32_t)params->value[SMC_PARAM_BLOCK], 1};
    *work = (struct smc_work){
        .flops = pairs,
        .untiled_load_bytes = 2 * pairs * BYTES,
        .minimum_bytes = (2 * pairs + counts) * BYTES,
    };
    histogram_add_loads(params, "x", work);
    histogram_add_loads(params, "y", work);
    smc_work_add_lines(smc_work_add_access(work, "counts", true, counts), BYTES, &stores);
    smc_work_sum_bytes(work, BYTES);
}

/* Bins are cleared and read one after the other. The additions between depend on the values. */
static void histogram_shared_work(const struct smc_kernel *kernel, const struct smc_params *params,
                                  const struct smc_bank_layout *layout,
                                  struct smc_shared_work *work)
{
    uint64_t block = (uint64_t)params->value[SMC_PARAM_BLOCK];
    uint64_t bins = bins_per_block(kernel, params);
    double blocks = (double)(histograms_of(kernel, params) * sharers_of(kernel, params));
    double turns = (double)(bins / block) * blocks;
    uint32_t rest = (uint32_t)(bins % block);
    smc_shared_add_run(&work->stores, layout, SMC_BANK_STORE, (uint32_t)block, turns);
    smc_shared_add_run(&work->stores, layout, SMC_BANK_STORE, rest, blocks);
    smc_shared_add_run(&work->loads, layout, SMC_BANK_LOAD, (uint32_t)block, turns);
    smc_shared_add_run(&work->loads, layout, SMC_BANK_LOAD, rest, blocks);
    work->written_loads = work->loads;
}

/* Compares `count` bins of one histogram, from `first` on. */
enum { BINS_AT_A_TIME = 4096 };
static void compare_bins(const struct smc_kernel *kernel, const struct smc_params *params,
                         const void *const *buffers, uint64_t histogram, uint64_t first,
                         struct smc_comparison *result)
{
    const int32_t *x = buffers[X], *y = buffers[Y], *counts = buffers[COUNTS];
    uint32_t bins = (uint32_t)params->value[SMC_PARAM_BINS], low = bins - 1;
    uint64_t pairs = pairs_per_block(params) * sharers_of(kernel, params);
    uint64_t begin = histogram * pairs, end = begin + pairs;
    uint64_t at = histogram * bins_of(params) + first;
    int32_t expected[BINS_AT_A_TIME] = {0};
    if (end > pairs_of(params))
        end = pairs_of(params);
    for (uint64_t i = begin; i < end; i++) {
        uint64_t bin = ((uint32_t)x[i] & low) * bins + ((uint32_t)y[i] & low);
        if (bin >= first && bin - first < BINS_AT_A_TIME)
            expected[bin - first]++;
    }
    for (uint64_t i = 0; i < BINS_AT_A_TIME && first + i < bins_of(params); i++)
        smc_comparison_add(result, at + i, expected[i], counts[at + i],
                           expected[i] == counts[at + i] ? 0 : SMC_WRONG);
}

static void histogram_compare(const struct smc_kernel *kernel, const struct smc_params *params,
                              const void *const *buffers, uint64_t row, uint64_t rows,
                              struct smc_comparison *result)
{
    for (uint64_t histogram = row; histogram < row + rows; histogram++)
        for (uint64_t first = 0; first < bins_of(params); first += BINS_AT_A_TIME)
            compare_bins(kernel, params, buffers, histogram, first, result);
}

#define HISTOGRAM                                                                                  \
    .family = "histogram", .dtypes = 1u << SMC_INT32, .default_dtype = SMC_INT32, .streams = true, \
    .params =                                                                                      \
        SMC_PARAM_BIT(DTYPE) | SMC_PARAM_BIT(BLOCK) | SMC_PARAM_BIT(BINS) | SMC_PARAM_BIT(LENGTH), \
    .complete = histogram_complete, .defines = histogram_defines, .plan = histogram_plan,          \
    .work = histogram_work, .shared_work = histogram_shared_work, .compare = histogram_compare

const struct smc_kernel smc_kernel_histogram_block = {
    SMC_KERNEL_NAMES(histogram_block, "histogram-block"),
    HISTOGRAM,
    .summary = "a joint histogram of two arrays, all of its bins in each block",
};

const struct smc_kernel smc_kernel_histogram_cluster = {
    SMC_KERNEL_NAMES(histogram_cluster, "histogram-cluster"),
    HISTOGRAM,
    .has_clusters = true,
    .summary = "the same, its bins spread over the blocks of a cluster",
};
