/* Textures and surfaces: the kernels of tests/data/emulator/textures.cu read and write the same on
   the GPU, by objects as `run` makes them, as on the emulator. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpu_tests.h"
#include "hardware/executor/gpu.h"
#include "hardware/user.h"
#include "results.h"

static unsigned char ptx[] = {
#include "tests/gpu/textures.inc"
    0};

enum { THREADS = 256, BLOCKS = 4, OUTPUTS = THREADS * BLOCKS, MOST_BYTES = 65536 };

/* How far a filtered value may be off: a weight, of 8 bits, may be rounded otherwise, and so by so
   many of the last bits of it in each direction. */
struct texture_case {
    const char *entry, *typed;
    double slack;
};

static const struct texture_case cases[] = {
    {"linear_memory", "tex:f32x2048:random", 0},
    {"one", "tex:f32x24:random", 0},
    {"one", "tex.border:f16x24:random", 0},
    {"one", "tex.linear:f32x24:ramp", 1.0 / 256},
    {"two", "tex:f32x24x9:random", 0},
    {"two", "tex.border:f32x24x9:random", 0},
    {"two", "tex.linear:f32x24x9:ramp", 25.0 / 256},
    {"two", "tex.float:u8x24x9:random", 0},
    {"two", "tex.float:i16x24x9:random", 0},
    {"three", "tex:f32x24x9x5:random", 0},
    {"three", "tex.linear.border:f32x24x9x5:ramp", 1080.0 / 256},
    {"parts", "tex.normalized.wrap:f32x24x9:random", 0},
    {"parts", "tex.normalized.mirror:f32x24x9:random", 0},
    {"layers_of_one", "tex.layered:f32x24x8:random", 0},
    {"layers_of_two", "tex.layered:f32x24x9x4:random", 0},
    {"bytes", "tex.v4:u8x24x9:random", 0},
    {"shares", "tex.v2.float:u8x24x9:random", 0},
    {"surface", "surf:f32x32x8x4:random", 0},
    {"layers_of_surface", "surf.layered:f32x32x8x4:random", 0},
};

/* What a kernel leaves. */
struct seen {
    unsigned char texels[MOST_BYTES];
    float out[OUTPUTS];
};

struct bench {
    struct smc_user_argument argument;
    size_t bytes;
    struct seen before, gpu, emulated;
    void *texels; /* on the GPU, and so `out` */
    float *out;
};

static cudaError_t launch_on_gpu(const char *entry, const struct smc_gpu_kernel *kernel,
                                 const struct smc_gpu_texture *texture, struct bench *bench)
{
    uint64_t object = texture->object;
    void *out = bench->out, *arguments[] = {&object, &out};
    const uint32_t grid[] = {BLOCKS, 1, 1}, block[] = {THREADS, 1, 1};
    cudaError_t code =
        cudaMemcpy(bench->texels, bench->before.texels, bench->bytes, cudaMemcpyHostToDevice);
    if (code == cudaSuccess)
        code = smc_gpu_texture_fill(texture, bench->texels);
    if (code == cudaSuccess)
        code = smc_gpu_start(kernel, grid, block, 0, arguments);
    if (code == cudaSuccess)
        code = smc_gpu_texture_fetch(texture, bench->texels);
    if (code == cudaSuccess)
        code = cudaMemcpy(bench->gpu.texels, bench->texels, bench->bytes, cudaMemcpyDeviceToHost);
    if (code == cudaSuccess)
        code =
            cudaMemcpy(bench->gpu.out, bench->out, sizeof bench->gpu.out, cudaMemcpyDeviceToHost);
    if (code != cudaSuccess)
        printf("    %s: %s\n", entry, cudaGetErrorString(code));
    return code;
}

/* `is_linear`: as `run` decides it for a module that has no other kernel. */
static bool run_on_gpu(const char *entry, bool is_linear, struct bench *bench)
{
    struct smc_gpu_kernel kernel;
    struct smc_gpu_texture texture;
    struct smc_attempt attempt = {0};
    struct smc_error error = {""};
    const struct smc_binary binary = {.cubin = (char *)ptx, .cubin_bytes = sizeof ptx};
    if (!smc_gpu_load(&binary, entry, &kernel, &attempt)) {
        printf("    %s: not taken by the driver: %s\n", entry, attempt.message);
        return false;
    }
    bool runs = smc_gpu_texture_make(&bench->argument, bench->texels, is_linear, &texture,
                                     &error) == SMC_OK;
    if (!runs)
        printf("    %s: %s\n", entry, error.message);
    runs = runs && launch_on_gpu(entry, &kernel, &texture, bench) == cudaSuccess;
    smc_gpu_texture_free(&texture);
    smc_gpu_unload(&kernel);
    return runs;
}

static bool emulate(const char *entry, struct bench *bench)
{
    struct smc_program *program = NULL;
    struct smc_emulation emulation = {0};
    struct smc_error error = {""};
    bench->emulated = bench->before;
    struct smc_emulated_array arrays[] = {
        {.name = "texels", .data = bench->emulated.texels, .bytes = bench->bytes},
        {.name = "out", .data = bench->emulated.out, .bytes = sizeof bench->emulated.out}};
    const uint64_t handle = smc_emulated_texture_handle(0);
    const struct smc_emulated_argument arguments[] = {{.value = &handle},
                                                      {.is_array = true, .array = 1}};
    struct smc_emulation_request request = {.grid = {BLOCKS, 1, 1},
                                            .block = {THREADS, 1, 1},
                                            .arrays = arrays,
                                            .array_count = 2,
                                            .textures = &bench->argument.texture,
                                            .texture_count = 1,
                                            .arguments = arguments,
                                            .argument_count = 2,
                                            .banks = {32, 32, 1, false, true}};
    enum smc_status status =
        smc_program_read((const char *)ptx, sizeof ptx - 1, entry, &program, &error);
    request.program = program;
    if (status == SMC_OK)
        status = smc_emulate(&request, &emulation, &error);
    if (status != SMC_OK)
        printf("    %s: %s\n", entry, error.message);
    smc_emulation_free(&emulation);
    smc_program_free(program);
    return status == SMC_OK;
}

static bool is_equal(const struct texture_case *test, const struct bench *bench)
{
    size_t differing = 0;
    for (size_t i = 0; i < OUTPUTS; i++) {
        const double seen = bench->gpu.out[i], emulated = bench->emulated.out[i];
        if (!(fabs(seen - emulated) <= test->slack) && differing++ < 4)
            printf("    %s of %s: thread %zu: GPU %.9g, emulator %.9g\n", test->entry, test->typed,
                   i, seen, emulated);
    }
    const bool same = memcmp(bench->gpu.texels, bench->emulated.texels, bench->bytes) == 0;
    if (!same)
        printf("    %s of %s: other texels afterwards\n", test->entry, test->typed);
    return differing == 0 && same;
}

static void test_textures(void)
{
    static struct bench bench;
    const size_t count = sizeof cases / sizeof *cases;
    size_t equal = 0;
    void *out;
    CU_ASSERT_EQUAL_FATAL(cudaMalloc(&bench.texels, MOST_BYTES), cudaSuccess);
    CU_ASSERT_EQUAL_FATAL(cudaMalloc(&out, sizeof bench.gpu.out), cudaSuccess);
    bench.out = out;
    for (size_t i = 0; i < count; i++) {
        const struct texture_case *test = &cases[i];
        memset(&bench.before, 0, sizeof bench.before);
        CU_ASSERT_EQUAL_FATAL(smc_user_argument_parse(test->typed, &bench.argument, NULL), SMC_OK);
        bench.bytes = smc_user_argument_bytes(&bench.argument);
        CU_ASSERT_FATAL(bench.bytes <= MOST_BYTES);
        CU_ASSERT_EQUAL(smc_user_fill(&bench.argument, "texels", i, bench.before.texels, NULL),
                        SMC_OK);
        equal += run_on_gpu(test->entry, strcmp(test->entry, "linear_memory") == 0, &bench) &&
                 emulate(test->entry, &bench) && is_equal(test, &bench);
    }
    CU_ASSERT_EQUAL(cudaFree(bench.texels), cudaSuccess);
    CU_ASSERT_EQUAL(cudaFree(bench.out), cudaSuccess);
    printf("    %zu of %zu textures and surfaces are read and written alike\n", equal, count);
    gpu_result_number("textures", "cases", (double)count);
    gpu_result_number("textures", "equal", (double)equal);
    CU_ASSERT_EQUAL(equal, count);
}

CU_TestInfo gpu_tests_textures[] = {
    {"textures and surfaces are read and written alike", test_textures},
    CU_TEST_INFO_NULL,
};
