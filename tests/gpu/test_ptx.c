/* PTX, instruction by instruction: the same modules on the GPU and on the emulator give
   bit-identical results, except for approximations that were not measured on such a GPU, which must
   be within the error that the PTX ISA documents. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/platform.h"
#include "gpu_tests.h"
#include "hardware/executor/gpu.h"
#include "ptx/cases.h"
#include "results.h"

enum { ROUNDS = 4, ARRAYS = 4 };

/* Operands, and the GPU's results. */
struct bench {
    struct ptx_values values;
    uint64_t seen[PTX_ELEMENTS];
    void *device[ARRAYS];
    size_t elements, other_nans, approximated, refused, differing, exact;
    size_t known, too_new;
};

static bool say(const struct ptx_case *test, cudaError_t code, const char *call)
{
    if (code != cudaSuccess)
        printf("    %s: %s: %s\n", test->mnemonic, call, cudaGetErrorString(code));
    return code == cudaSuccess;
}

static bool run_on_gpu(const struct ptx_case *test, const struct smc_gpu_kernel *kernel,
                       struct bench *bench)
{
    uint64_t *const host[ARRAYS] = {bench->values.a, bench->values.b, bench->values.c,
                                    bench->values.d};
    void *arguments[ARRAYS];
    const uint32_t grid[] = {PTX_BLOCKS, 1, 1}, block[] = {PTX_THREADS, 1, 1};
    cudaError_t code = cudaSuccess;
    for (size_t i = 0; i < ARRAYS; i++) {
        arguments[i] = &bench->device[i];
        if (code == cudaSuccess)
            code =
                cudaMemcpy(bench->device[i], host[i], sizeof bench->seen, cudaMemcpyHostToDevice);
    }
    if (code == cudaSuccess)
        code = smc_gpu_start(kernel, grid, block, 0, arguments);
    if (code == cudaSuccess)
        code =
            cudaMemcpy(bench->seen, bench->device[3], sizeof bench->seen, cudaMemcpyDeviceToHost);
    return say(test, code, "the launch");
}

/* Whether different bits are as good as equal. */
static bool agrees(const struct ptx_case *test, const struct ptx_values *values, size_t i,
                   uint64_t seen)
{
    if (ptx_is_measured(test, gpu_device()->sm.cc))
        return ptx_is_nan(test->to, seen) && ptx_is_nan(test->to, values->d[i]);
    return ptx_same(test, values->a[i], values->b[i], seen, values->d[i]);
}

/* Counts the elements that differ and prints the first ones. */
static size_t compare(const struct ptx_case *test, struct bench *bench)
{
    const bool is_known = ptx_known_difference(test) != NULL;
    const struct ptx_values *values = &bench->values;
    size_t differing = 0;
    for (size_t i = 0; i < PTX_ELEMENTS; i++) {
        uint64_t seen = bench->seen[i], emulated = values->d[i];
        bench->elements++;
        if (seen == emulated)
            continue;
        if (!agrees(test, values, i, seen)) {
            if (differing++ == 0 && !is_known)
                printf("    %s, e.g. of a %" PRIx64 ", b %" PRIx64 ", c %" PRIx64 ": GPU %" PRIx64
                       ", emulator %" PRIx64,
                       test->mnemonic, values->a[i], values->b[i], values->c[i], seen, emulated);
        } else if (ptx_is_nan(test->to, seen)) {
            bench->other_nans++;
        } else {
            bench->approximated++;
        }
    }
    if (differing && !is_known)
        printf("; %zu of %d differ\n", differing, PTX_ELEMENTS);
    return differing;
}

static bool try_rounds(const struct ptx_case *test, const struct smc_gpu_kernel *kernel,
                       struct bench *bench)
{
    struct smc_error error = {""};
    size_t before = bench->other_nans + bench->approximated, differing = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        ptx_fill(test, round, &bench->values);
        if (!run_on_gpu(test, kernel, bench))
            return false;
        if (ptx_emulate(test, &bench->values, &error) != SMC_OK) {
            printf("    %s: %s\n", test->mnemonic, error.message);
            return false;
        }
        differing += compare(test, bench);
    }
    if (differing && ptx_known_difference(test)) {
        printf("    %s: as known: %s; %zu results\n", test->mnemonic, ptx_known_difference(test),
               differing);
        bench->known++;
        return true;
    }
    bench->differing += differing > 0;
    bench->exact += !differing && before == bench->other_nans + bench->approximated;
    return true;
}

/* Returns false if the context is lost or the emulator failed. */
static bool try_case(const struct ptx_case *test, struct bench *bench)
{
    static char text[PTX_TEXT_BYTES];
    struct smc_gpu_kernel kernel;
    struct smc_attempt attempt = {0};
    if (!ptx_runs_on(test, gpu_device()->sm.cc)) {
        bench->too_new++;
        return true;
    }
    ptx_module(test, text, sizeof text);
    struct smc_binary binary = {.cubin = text, .cubin_bytes = strlen(text) + 1};
    bool tried = true;
    if (smc_gpu_load(&binary, "k", &kernel, &attempt)) {
        tried = try_rounds(test, &kernel, bench);
    } else {
        printf("    %s: not taken by the driver: %s\n", test->mnemonic, attempt.message);
        bench->refused++;
    }
    smc_gpu_unload(&kernel);
    return tried;
}

static void record(const struct bench *bench, size_t tried)
{
    gpu_result_number("ptx", "instructions", (double)tried);
    gpu_result_number("ptx", "exact", (double)bench->exact);
    gpu_result_number("ptx", "differing", (double)bench->differing);
    gpu_result_number("ptx", "known_differences", (double)bench->known);
    gpu_result_number("ptx", "for_newer_gpus", (double)bench->too_new);
    gpu_result_number("ptx", "refused", (double)bench->refused);
    gpu_result_number("ptx", "results", (double)bench->elements);
    gpu_result_number("ptx", "results_within_error", (double)bench->approximated);
    gpu_result_number("ptx", "nans_of_other_bits", (double)bench->other_nans);
}

static void test_instructions(void)
{
    static struct bench bench;
    size_t count, tried = 0;
    const struct ptx_case *cases = ptx_cases(&count);
    double begun = smc_clock_ms();
    if (gpu_device()->sm.cc < 90) { /* the modules were compiled for it */
        gpu_skip("the GPU is older than compute capability 9.0");
        return;
    }
    for (size_t i = 0; i < ARRAYS; i++)
        CU_ASSERT_EQUAL_FATAL(cudaMalloc(&bench.device[i], sizeof bench.seen), cudaSuccess);
    while (tried < count && try_case(&cases[tried], &bench))
        tried++;
    for (size_t i = 0; i < ARRAYS; i++)
        CU_ASSERT_EQUAL(cudaFree(bench.device[i]), cudaSuccess);
    printf(
        "    %zu of %zu PTX instructions, %zu results: %zu instructions bit for bit, %zu differ, "
        "%zu differ as known, %zu need a newer GPU, %zu not taken by the driver; %zu results "
        "within the documented error, %zu NaNs of other "
        "bits; %.1f s\n",
        tried, count, bench.elements, bench.exact, bench.differing, bench.known, bench.too_new,
        bench.refused, bench.approximated, bench.other_nans, (smc_clock_ms() - begun) / 1000);
    record(&bench, tried);
    CU_ASSERT_EQUAL(tried, count);
    CU_ASSERT_EQUAL(bench.differing, 0);
    CU_ASSERT_EQUAL(bench.refused, 0);
}

CU_TestInfo gpu_tests_ptx[] = {
    {"PTX instructions, bit for bit", test_instructions},
    CU_TEST_INFO_NULL,
};
