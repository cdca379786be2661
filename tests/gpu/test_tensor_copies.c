/* Tensor copies: the kernels of tests/data/emulator/tensor_copies.cu leave the same bytes in memory
   on the GPU, with maps that its driver encodes, as on the emulator. */
#include <cuda.h>
#include <stdio.h>
#include <string.h>

#include "gpu_tests.h"
#include "hardware/executor/gpu.h"
#include "results.h"
#include "tensor_cases.h"

static unsigned char ptx[] = {
#include "tests/gpu/tensor_copies.inc"
    0};

typedef CUresult encode_tiled(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                              const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                              const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                              CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static encode_tiled *find_encoder(void)
{
    void *function = NULL;
    enum cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 13000
    cudaError_t code = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                        cudaEnableDefault, &found);
#else
    cudaError_t code =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);
#endif
    return code == cudaSuccess ? (encode_tiled *)function : NULL;
}

static bool encode(const struct tensor_case *test, void *tensor, CUtensorMap *map)
{
    static encode_tiled *encoder;
    struct smc_tensor_map own;
    cuuint32_t box[SMC_TENSOR_DIMENSIONS], step[SMC_TENSOR_DIMENSIONS];
    if (!encoder)
        encoder = find_encoder();
    if (!encoder || !tensor_case_map(test, (uint64_t)(uintptr_t)tensor, &own))
        return false;
    for (int i = 0; i < own.rank; i++) {
        box[i] = own.box[i];
        step[i] = own.step[i];
    }
    const CUtensorMapSwizzle swizzle = own.span == 32    ? CU_TENSOR_MAP_SWIZZLE_32B
                                       : own.span == 64  ? CU_TENSOR_MAP_SWIZZLE_64B
                                       : own.span == 128 ? CU_TENSOR_MAP_SWIZZLE_128B
                                                         : CU_TENSOR_MAP_SWIZZLE_NONE;
    const CUtensorMapFloatOOBfill fill = own.fills_nan
                                             ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                                             : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    return encoder(map, (CUtensorMapDataType)own.type, own.rank, tensor,
                   (const cuuint64_t *)own.size, (const cuuint64_t *)own.stride, box, step,
                   CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                   fill) == CUDA_SUCCESS;
}

struct bench {
    struct tensor_memory emulated, seen;
    struct tensor_memory *device;
    bool is_lost; /* the context, by an error of a kernel */
};

static bool run_on_gpu(const struct tensor_case *test, struct bench *bench)
{
    struct smc_gpu_kernel kernel;
    struct smc_attempt attempt = {0};
    const struct smc_binary binary = {.cubin = (char *)ptx, .cubin_bytes = sizeof ptx};
    struct tensor_place place = tensor_case_place(test);
    CUtensorMap map;
    void *out = bench->device->out, *in = bench->device->in;
    void *arguments[] = {&out, &in, &map, &place};
    const uint32_t grid[] = {tensor_case_blocks(test), 1, 1}, block[] = {TENSOR_THREADS, 1, 1};
    tensor_case_fill(test, &bench->seen);
    if (!encode(test, bench->device->tensor, &map)) {
        printf("    %s: its tensor map is refused\n", test->entry);
        return false;
    }
    if (!smc_gpu_load(&binary, test->entry, &kernel, &attempt)) {
        printf("    %s: not taken by the driver: %s\n", test->entry, attempt.message);
        return false;
    }
    cudaError_t code =
        cudaMemcpy(bench->device, &bench->seen, sizeof bench->seen, cudaMemcpyHostToDevice);
    if (code == cudaSuccess)
        code = smc_gpu_start(&kernel, grid, block, 0, arguments);
    if (code == cudaSuccess)
        code = cudaMemcpy(&bench->seen, bench->device, sizeof bench->seen, cudaMemcpyDeviceToHost);
    bench->is_lost = code != cudaSuccess;
    if (bench->is_lost)
        printf("    %s: %s: the other cases are not tried\n", test->entry,
               cudaGetErrorString(code));
    else
        smc_gpu_unload(&kernel);
    return !bench->is_lost;
}

static bool emulate(const struct tensor_case *test, struct bench *bench)
{
    struct smc_program *program = NULL;
    struct smc_emulation emulation = {0};
    struct smc_error error = {""};
    tensor_case_fill(test, &bench->emulated);
    enum smc_status status =
        smc_program_read((const char *)ptx, sizeof ptx - 1, test->entry, &program, &error);
    if (status == SMC_OK)
        status = tensor_case_emulate(test, program, &bench->emulated, &emulation, &error);
    if (status != SMC_OK)
        printf("    %s: %s\n", test->entry, error.message);
    smc_emulation_free(&emulation);
    smc_program_free(program);
    return status == SMC_OK;
}

/* Prints the first words of the memory that differ. */
static void print_differences(size_t number, const struct bench *bench)
{
    const uint32_t *seen = (const uint32_t *)&bench->seen;
    const uint32_t *emulated = (const uint32_t *)&bench->emulated;
    size_t differing = 0;
    printf("    tensor case %zu, %s:", number, tensor_cases[number].entry);
    for (size_t i = 0; i < sizeof bench->seen / sizeof *seen; i++)
        if (seen[i] != emulated[i] && differing++ < 8)
            printf(" word %zu: GPU %08x, emulator %08x;", i, seen[i], emulated[i]);
    printf(" %zu words differ\n", differing);
}

static void test_tensor_copies(void)
{
    static struct bench bench;
    size_t equal = 0;
    void *memory;
    if (gpu_device()->sm.cc < 90) {
        gpu_skip("the GPU is older than compute capability 9.0");
        return;
    }
    CU_ASSERT_EQUAL_FATAL(cudaMalloc(&memory, sizeof *bench.device), cudaSuccess);
    bench.device = memory;
    for (size_t i = 0; i < tensor_case_count && !bench.is_lost; i++) {
        if (!run_on_gpu(&tensor_cases[i], &bench) || !emulate(&tensor_cases[i], &bench))
            continue;
        if (memcmp(&bench.seen, &bench.emulated, sizeof bench.seen) == 0)
            equal++;
        else
            print_differences(i, &bench);
    }
    if (!bench.is_lost)
        CU_ASSERT_EQUAL(cudaFree(memory), cudaSuccess);
    printf("    %zu of %zu tensor copies leave the same memory\n", equal, tensor_case_count);
    gpu_result_number("tensor_copies", "cases", (double)tensor_case_count);
    gpu_result_number("tensor_copies", "equal", (double)equal);
    CU_ASSERT_EQUAL(equal, tensor_case_count);
}

CU_TestInfo gpu_tests_tensor_copies[] = {
    {"tensor copies leave the same memory", test_tensor_copies},
    CU_TEST_INFO_NULL,
};
