/* A trace of a program that never ran. */
#include "trace_sample.h"

#include <CUnit/CUnit.h>

struct smc_trace_launch trace_sample_launch(const char *name, uint32_t blocks)
{
    struct smc_trace_launch launch;
    smc_trace_launch_init(&launch);
    launch.name = (char *)(uintptr_t)name;
    launch.device = launch.process = 0;
    launch.grid[0] = blocks;
    launch.grid[1] = launch.grid[2] = 1;
    launch.block[0] = 256;
    launch.block[1] = launch.block[2] = 1;
    launch.regs_per_thread = 32;
    launch.static_smem_bytes = launch.dynamic_smem_bytes = 0;
    return launch;
}

void trace_sample_add(struct smc_trace *trace, struct smc_trace_launch launch, uint64_t ns)
{
    struct smc_error error = {""};
    if (ns > 0) {
        launch.timed_launches = launch.launches;
        launch.total_ns = ns;
        launch.least_ns = ns / launch.launches / 2;
        launch.greatest_ns = 2 * ns / launch.launches;
    }
    CU_ASSERT_EQUAL_FATAL(smc_trace_add_launches(trace, &launch, NULL, &error), SMC_OK);
}

static void add_gemms(struct smc_trace *trace)
{
    struct smc_trace_launch gemm = trace_sample_launch(
        "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_nn_"
        "align8>(cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_nn_align8::Params)",
        1000);
    gemm.regs_per_thread = 238;
    gemm.dynamic_smem_bytes = 73728;
    gemm.grid[1] = 2;
    gemm.launches = 1200;
    gemm.api_blocks_per_sm = 1;
    trace_sample_add(trace, gemm, 3420000000u);
    gemm.grid[0] = 16;
    gemm.process = 1;
    gemm.device = 1;
    gemm.launches = 96;
    trace_sample_add(trace, gemm, 12300000u);
}

static void add_norms(struct smc_trace *trace)
{
    struct smc_trace_launch norm =
        trace_sample_launch("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<"
                            "float, float>(int, float, float const*, float const*, float const*, "
                            "float*, float*, float*)",
                            4096);
    norm.block[0] = 32;
    norm.block[1] = 4;
    norm.regs_per_thread = 56;
    norm.dynamic_smem_bytes = 24;
    norm.launches = 600;
    norm.api_blocks_per_sm = 9;
    trace_sample_add(trace, norm, 410000000u);
    norm = trace_sample_launch("void scale_kernel<float>(float*, float, int)", 8);
    norm.launches = 9000;
    for (norm.grid[0] = 8; norm.grid[0] <= 128; norm.grid[0] *= 2)
        trace_sample_add(trace, norm, 25200000u);
    norm.grid[0] = 1500;
    norm.launches = 100;
    trace_sample_add(trace, norm, 1200000u);
}

void trace_sample_make(struct smc_trace *trace)
{
    struct smc_error error = {""};
    size_t index;
    *trace = (struct smc_trace){.source = SMC_TRACE_CUPTI};
    for (int64_t id = 0; id < 2; id++) {
        const struct smc_trace_gpu gpu = {.id = id, .name = "NVIDIA H100 80GB HBM3"};
        CU_ASSERT_EQUAL_FATAL(smc_trace_device(trace, &gpu), id);
    }
    CU_ASSERT_EQUAL_FATAL(smc_trace_process(trace, 4711, "python3 train.py"), 0);
    CU_ASSERT_EQUAL_FATAL(smc_trace_process(trace, 4712, NULL), 1);
    add_gemms(trace);
    add_norms(trace);
    struct smc_trace_launch unknown = trace_sample_launch("ncclDevKernel_AllReduce", 24);
    unknown.regs_per_thread = SMC_TRACE_UNKNOWN;
    unknown.block[0] = 640;
    trace_sample_add(trace, unknown, 90000000u);
    struct smc_trace_launch last = trace_sample_launch("softmax", 1320);
    last.launches = 12;
    last.total_ns = 600000;
    last.timed_launches = 12;
    CU_ASSERT_EQUAL_FATAL(smc_trace_add_launches(trace, &last, &index, &error), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(smc_trace_add_span(trace, index, 5000, 8000, &error), SMC_OK);
    smc_trace_note(trace, "3 launches of a graph were not recorded");
}
