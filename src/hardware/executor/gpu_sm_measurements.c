/* The measurements of what one SM does in a clock: its pipes, its caches, barriers, and the start
   of blocks. */

#include "hardware/executor/gpu_ceilings.h"

enum {
    WARP = 32,
    THREADS = 1024, /* of the block, which is alone on its SM */
    WARPS = THREADS / WARP,
    STEPS = 256,
    PIPE_PER_STEP = 256, /* instructions of a warp: kernels/ceiling_pipe.cu */
    BARRIERS_PER_STEP = 16,
    CHAIN_STEPS = 64,
    TENSOR_STEPS = 512,
    STEP_FMAS = 131072, /* of a warp: kernels/ceiling_tensor.cu */
    WARPGROUP = 4 * WARP,
};

/* One launch of one block, timed by its own clocks. `data` and `number`: what else the kernel
   accepts. */
static enum smc_status run_block(struct smc_gpu_bench *bench, uint32_t threads, uint32_t steps,
                                 void *second, void *third, double *clocks, struct smc_error *error)
{
    struct smc_gpu_sight sight = {0};
    void *arguments[] = {&bench->sight, &steps, second, third};
    cudaError_t code = smc_gpu_bench_write_sight(bench, &sight);
    if (code == cudaSuccess)
        code = smc_gpu_bench_launch(bench, 1, threads, arguments);
    code = smc_gpu_bench_read_sight(bench, code, &sight);
    *clocks = (double)sight.clocks;
    return smc_gpu_bench_status(bench, code, "measuring one SM", error);
}

static double rate(double amount, double clocks)
{
    return clocks > 0 ? amount / clocks : 0;
}

/* --- Pipes ------------------------------------------------------------------------------------ */

/* What a kernel of ceiling_pipe.cu gives: `amount` in a clock, or clocks for each of `amount`. */
struct smc_gpu_pipe {
    uint32_t threads, steps;
    double amount; /* of all steps */
    bool is_time;
};

static const struct smc_gpu_pipe of_warps = {THREADS, STEPS, (double)STEPS *PIPE_PER_STEP *WARPS,
                                             false};
static const struct smc_gpu_pipe of_barriers = {THREADS, STEPS, (double)STEPS *BARRIERS_PER_STEP,
                                                true};
static const struct smc_gpu_pipe of_one_warp = {WARP, STEPS, (double)STEPS *BARRIERS_PER_STEP,
                                                true};
static const struct smc_gpu_pipe of_chain = {WARP, CHAIN_STEPS, (double)CHAIN_STEPS *PIPE_PER_STEP,
                                             true};

static const struct smc_gpu_pipe of_products = {THREADS, TENSOR_STEPS,
                                                (double)TENSOR_STEPS *STEP_FMAS *WARPS, false};
static const struct smc_gpu_pipe of_group = {
    WARPGROUP, TENSOR_STEPS, (double)TENSOR_STEPS *STEP_FMAS *WARPGROUP / WARP, false};

static enum smc_status sample_pipe(struct smc_gpu_bench *bench, double seen[SMC_CEILING_COUNT],
                                   struct smc_error *error)
{
    const struct smc_gpu_pipe *pipe = bench->measurement->pipe;
    uint32_t a = 0x3f800001, b = 0x12345679; /* odd; as a float a little above 1 */
    double clocks = 0;
    enum smc_status status = run_block(bench, pipe->threads, pipe->steps, &a, &b, &clocks, error);
    seen[bench->measurement->ceiling] =
        pipe->is_time ? clocks / pipe->amount : rate(pipe->amount, clocks);
    return status;
}

/* --- Caches of one SM ------------------------------------------------------------------------- */

enum {
    LOADS_PER_STEP = 4,
    WIDE_BYTES = 16,    /* of a load */
    L1_ELEMENTS = 1024, /* 16 KiB, which every L1 cache holds */
};

static enum smc_status sample_l1(struct smc_gpu_bench *bench, double seen[SMC_CEILING_COUNT],
                                 struct smc_error *error)
{
    uint32_t mask = L1_ELEMENTS - 1;
    double clocks = 0;
    enum smc_status status =
        run_block(bench, THREADS, STEPS, &bench->array[1], &mask, &clocks, error);
    seen[SMC_CEILING_L1_HIT] = rate((double)STEPS * LOADS_PER_STEP * THREADS * WIDE_BYTES, clocks);
    return status;
}

/* --- The list --------------------------------------------------------------------------------- */

#define KERNEL(kernel_file, kernel_entry, features)                                                \
    &(const struct smc_kernel)                                                                     \
    {                                                                                              \
        .name = "ceiling-" kernel_entry, .file = "ceiling_" kernel_file ".cu",                     \
        .entry = "ceiling_" kernel_entry, .needs_features = (features),                            \
        .defines = smc_defines_nothing                                                             \
    }
#define ROW(file, entry, features, CEILING, label, of)                                             \
    {                                                                                              \
        .name = label, .kernel = KERNEL(file, entry, features), .sample = sample_pipe,             \
        .ceiling = SMC_CEILING_##CEILING, .pipe = &(of)                                            \
    }
#define PIPE(entry, CEILING, label, of)   ROW("pipe", entry, false, CEILING, label, of)
#define TENSOR(entry, CEILING, label, of) ROW("tensor", entry, true, CEILING, label, of)

const struct smc_gpu_measurement smc_gpu_sm_measurements[SMC_GPU_SM_MEASUREMENTS] = {
    PIPE("pipe_issue", ISSUE, "issuing instructions", of_warps),
    PIPE("pipe_fma", FMA_REGISTERS, "FMA of three registers", of_warps),
    PIPE("pipe_imad", IMAD, "integer multiply-add", of_warps),
    PIPE("pipe_wide", IMAD_WIDE, "integer multiply-add of 64 bits", of_warps),
    PIPE("pipe_alu", ALU, "integer logic", of_warps),
    PIPE("pipe_special", SPECIAL, "special functions", of_warps),
    PIPE("pipe_convert", CONVERSION, "conversions", of_warps),
    PIPE("pipe_barrier", BARRIER, "barriers", of_barriers),
    PIPE("chain_float", FMA_CLOCKS, "latency of float FMA", of_chain),
    PIPE("chain_double", FP64_CLOCKS, "latency of double FMA", of_chain),
    PIPE("chain_special", SPECIAL_CLOCKS, "latency of special functions", of_chain),
    PIPE("chain_constant", CONSTANT_CLOCKS, "latency of constants", of_chain),
    PIPE("pipe_barrier", BARRIER_CLOCKS, "barriers of a warp", of_one_warp),
    {.name = "hits in L1", .kernel = KERNEL("cache", "cache_l1", false), .sample = sample_l1},
    TENSOR("mma_fp16", MMA_FP16, "mma.sync of FP16", of_products),
    TENSOR("mma_bf16", MMA_BF16, "mma.sync of BF16", of_products),
    TENSOR("mma_tf32", MMA_TF32, "mma.sync of TF32", of_products),
    TENSOR("mma_int8", MMA_INT8, "mma.sync of INT8", of_products),
    TENSOR("mma_fp64", MMA_FP64, "mma.sync of FP64", of_products),
    TENSOR("wgmma_fp16", WGMMA_FP16, "wgmma of FP16", of_group),
    TENSOR("wgmma_bf16", WGMMA_BF16, "wgmma of BF16", of_group),
    TENSOR("wgmma_tf32", WGMMA_TF32, "wgmma of TF32", of_group),
    TENSOR("wgmma_int8", WGMMA_INT8, "wgmma of INT8", of_group),
    TENSOR("wgmma_fp8", WGMMA_FP8, "wgmma of FP8", of_group),
};
