/* Compares wavefronts as the GPU counts them with the model: random accesses of every width, loads
   and stores, with and without inactive lanes. Each launch is one warp that makes one access. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/platform.h"
#include "code/nvrtc.h"
#include "gpu_tests.h"
#include "hardware/executor/counters.h"
#include "hardware/executor/gpu.h"
#include "results.h"
#include "rules/banks.h"

enum {
    PATTERNS = 160, /* of each width, op and kind of mask */
    AT_A_TIME = 160,
    SMEM_BYTES = 49152,
    MOST_LISTED = 200,
};

static const char *const metrics[] = {
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
};
enum { LOAD_WAVEFRONTS, STORE_WAVEFRONTS, LOADS, STORES, METRICS };

/* The access is written in assembly, so that the compiler neither splits nor joins it. */
static const char source[] =
    "extern \"C\" __global__ void probe(const unsigned *address, unsigned mask, unsigned *sink)\n"
    "{\n"
    "    __shared__ __align__(128) unsigned char memory[49152];\n"
    "    unsigned at = (unsigned)__cvta_generic_to_shared(memory) + address[threadIdx.x];\n"
    "    unsigned a = at, b = at, c = at, d = at;\n"
    "    if (mask >> threadIdx.x & 1) {\n"
    "#if STORE\n"
    "        asm volatile(\"st.shared.\" TYPE \" [%0], \" VALUES \";\"\n"
    "                     :: \"r\"(at), \"r\"(a), \"r\"(b), \"r\"(c), \"r\"(d) : \"memory\");\n"
    "#else\n"
    "        asm volatile(\"ld.shared.\" TYPE \" \" VALUES \", [%4];\"\n"
    "                     : \"+r\"(a), \"+r\"(b), \"+r\"(c), \"+r\"(d) : \"r\"(at) : \"memory\");\n"
    "#endif\n"
    "    }\n"
    "    sink[threadIdx.x] = a + b + c + d;\n"
    "}\n";

static const struct width {
    uint32_t bytes;
    const char *type, *loaded, *stored;
} widths[] = {
    {1, "u8", "%0", "%1"},
    {2, "u16", "%0", "%1"},
    {4, "u32", "%0", "%1"},
    {8, "v2.u32", "{%0, %1}", "{%1, %2}"},
    {16, "v4.u32", "{%0, %1, %2, %3}", "{%1, %2, %3, %4}"},
};

/* What is tried on one GPU. */
struct bench {
    struct smc_nvrtc nvrtc;
    struct smc_counters *counters;
    struct smc_bank_layout layout;
    struct smc_gpu_kernel kernel;
    uint32_t *addresses; /* on the device, one row for each pattern */
    uint32_t *sink;
    uint64_t random;
    unsigned tried, differing;
    unsigned masked_wide_loads; /* of 16 bytes: for which a mask changes the rule */
    FILE *log; /* every pattern and its count, in the format of `smemcalc banks --csv`, or NULL */
};

static bool build(struct bench *bench, const struct width *width, enum smc_bank_op op)
{
    struct smc_nvrtc_output output;
    struct smc_attempt attempt = {0};
    char options[256];
    uint16_t cc = gpu_device()->sm.cc;
    snprintf(options, sizeof options,
             "--gpu-architecture=sm_%u\n-DSTORE=%d\n-DTYPE=\"%s\"\n-DVALUES=\"%s\"\n", cc,
             op == SMC_BANK_STORE, width->type,
             op == SMC_BANK_STORE ? width->stored : width->loaded);
    bool built = smc_nvrtc_compile(&bench->nvrtc, source, "probe.cu", options, &output) ==
                     SMC_NVRTC_COMPILED &&
                 smc_gpu_load(&output.binary, "probe", &bench->kernel, &attempt);
    if (!built)
        printf("    the probe is not built: %s%s\n", smc_text_string(&output.log), attempt.message);
    smc_nvrtc_output_free(&output);
    return built;
}

static uint32_t random_lanes(uint64_t *random)
{
    return gpu_random(random, 1u << 16) << 16 | gpu_random(random, 1u << 16);
}

/* Any lanes, few, many, those of a block's last warp, of one half, whole pairs, and many including
   the last lane. */
static uint32_t draw_mask(uint64_t *random)
{
    uint32_t lanes = random_lanes(random), others = random_lanes(random);
    uint32_t distance = 1 + gpu_random(random, 2), pairs = distance == 1 ? 0x55555555 : 0x33333333;
    switch (gpu_random(random, 8)) {
    case 0:
        return lanes & others;
    case 1:
        return lanes | others;
    case 2:
        return (2u << gpu_random(random, 31)) - 1;
    case 3:
        return lanes & 0xffff;
    case 4:
        return lanes & 0xffff0000;
    case 5:
        return (lanes & pairs) | (lanes & pairs) << distance;
    case 6:
        return lanes | others | 1u << 31;
    default:
        return lanes;
    }
}

/* Strides, random addresses near and far, pairs of lanes that share, and mixtures of these. */
static void make_pattern(struct bench *bench, const struct width *width, enum smc_bank_op op,
                         bool masked, struct smc_access *access)
{
    static const uint32_t ranges[] = {1, 4, 16, 64, 256, SMEM_BYTES / 16};
    uint64_t *random = &bench->random;
    uint32_t range = ranges[gpu_random(random, 6)], stride = gpu_random(random, 66);
    uint32_t kind = gpu_random(random, 6), distance = 1u << gpu_random(random, 3);
    *access = (struct smc_access){.mask = SMC_ALL_LANES, .width_bytes = width->bytes, .op = op};
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        bool shares = kind >= 3 && (lane & distance) && gpu_random(random, 40);
        uint32_t element = kind % 3 == 0 ? lane * stride : gpu_random(random, range);
        access->address[lane] = shares ? access->address[lane & ~distance] : element * width->bytes;
    }
    while (masked && (access->mask == SMC_ALL_LANES || !access->mask))
        access->mask = draw_mask(random);
}

static bool say(cudaError_t code, const char *call)
{
    if (code != cudaSuccess)
        printf("    %s: %s\n", call, cudaGetErrorString(code));
    return code == cudaSuccess;
}

static bool copy(struct bench *bench, const struct smc_access *access, size_t count)
{
    bool copied = true;
    for (size_t i = 0; i < count && copied; i++)
        copied = say(cudaMemcpy(bench->addresses + i * SMC_WARP_LANES, access[i].address,
                                sizeof access[i].address, cudaMemcpyHostToDevice),
                     "cudaMemcpy");
    return copied;
}

static bool launch(struct bench *bench, size_t pattern, uint32_t mask)
{
    uint32_t *address = bench->addresses + pattern * SMC_WARP_LANES;
    void *arguments[] = {&address, &mask, &bench->sink};
    const uint32_t one[] = {1, 1, 1}, warp[] = {SMC_WARP_LANES, 1, 1};
    return say(smc_gpu_start(&bench->kernel, one, warp, 0, arguments), "cudaLaunchKernel");
}

static void list_difference(const struct bench *bench, const struct smc_access *access,
                            uint32_t expected, const double *seen)
{
    if (bench->differing > MOST_LISTED)
        return;
    printf("    %s of %u bytes, mask %08" PRIx32
           ": model %u, seen %g of %g instructions; addresses",
           access->op == SMC_BANK_LOAD ? "load" : "store", access->width_bytes, access->mask,
           expected, seen[access->op == SMC_BANK_LOAD ? LOAD_WAVEFRONTS : STORE_WAVEFRONTS],
           seen[access->op == SMC_BANK_LOAD ? LOADS : STORES]);
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
        if (access->mask >> lane & 1)
            printf(" %" PRIu32 ":%" PRIu32, lane, access->address[lane]);
    printf("\n");
}

static void log_pattern(const struct bench *bench, const struct smc_access *access, double seen)
{
    fprintf(bench->log, "%u,%s,%u,%08" PRIx32, bench->tried,
            access->op == SMC_BANK_LOAD ? "ld" : "st", access->width_bytes, access->mask);
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
        fprintf(bench->log, ",%" PRIu32, access->address[lane]);
    fprintf(bench->log, ",%g\n", seen);
}

static void compare(struct bench *bench, const struct smc_access *access, const double *seen)
{
    bool load = access->op == SMC_BANK_LOAD;
    uint32_t expected = smc_banks_count(&bench->layout, access).wavefronts;
    bench->tried++;
    if (bench->log)
        log_pattern(bench, access, seen[load ? LOAD_WAVEFRONTS : STORE_WAVEFRONTS]);
    bench->masked_wide_loads += load && access->width_bytes == 16 && access->mask != SMC_ALL_LANES;
    bool counted = seen[LOADS] == load && seen[STORES] == !load;
    if (counted && seen[load ? LOAD_WAVEFRONTS : STORE_WAVEFRONTS] == expected)
        return;
    bench->differing++;
    list_difference(bench, access, expected, seen);
}

/* One series of measurements. */
static bool measure(struct bench *bench, const struct smc_access *access, size_t count)
{
    struct smc_error error = {""};
    size_t launches = 0;
    double seen[METRICS] = {0};
    bool launched = true;
    if (!copy(bench, access, count))
        return false;
    if (smc_counters_begin(bench->counters, &error) != SMC_OK) {
        printf("    %s\n", error.message);
        return false;
    }
    for (size_t i = 0; i < count && launched; i++)
        launched = launch(bench, i, access[i].mask);
    enum smc_status status = smc_counters_end(bench->counters, &launches, &error);
    if (launched && status == SMC_OK && launches != count)
        printf("    %zu launches were measured, not %zu\n", launches, count);
    for (size_t i = 0; i < count && launched && status == SMC_OK && launches == count; i++) {
        status = smc_counters_read(bench->counters, i, seen, &error);
        if (status == SMC_OK)
            compare(bench, &access[i], seen);
    }
    if (status != SMC_OK)
        printf("    %s\n", error.message);
    return launched && status == SMC_OK && launches == count;
}

static bool try_all(struct bench *bench)
{
    static struct smc_access access[AT_A_TIME];
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (int op = SMC_BANK_LOAD; op <= SMC_BANK_STORE; op++) {
            bool done = build(bench, &widths[w], (enum smc_bank_op)op);
            size_t most =
                op == SMC_BANK_LOAD && widths[w].bytes >= 8 ? 12 * PATTERNS : 2 * PATTERNS;
            for (size_t n = 0; n < most && done; n += AT_A_TIME) {
                for (size_t i = 0; i < AT_A_TIME; i++)
                    make_pattern(bench, &widths[w], (enum smc_bank_op)op, (n + i) % 2, &access[i]);
                done = measure(bench, access, AT_A_TIME);
            }
            smc_gpu_unload(&bench->kernel);
            if (!done)
                return false;
        }
    return true;
}

static bool open_bench(struct bench *bench)
{
    struct smc_nvrtc_info info, opened;
    struct smc_error error = {""};
    CU_ASSERT_EQUAL_FATAL(smc_nvrtc_describe(&info, &error), SMC_OK);
    CU_ASSERT_FATAL(smc_nvrtc_open(info.path, &bench->nvrtc, &opened, &error) == SMC_OK);
    smc_bank_layout_of(&gpu_device()->sm, SMC_BANK_MODE_4_BYTES, &bench->layout);
    enum smc_status status =
        smc_counters_open(0, metrics, METRICS, AT_A_TIME, &bench->counters, &error);
    if (status == SMC_UNAVAILABLE) {
        gpu_skip(error.message);
        return false;
    }
    if (status != SMC_OK)
        printf("    %s\n", error.message);
    CU_ASSERT_EQUAL_FATAL(status, SMC_OK);
    size_t bytes = sizeof(uint32_t) * SMC_WARP_LANES;
    CU_ASSERT_EQUAL_FATAL(cudaMalloc((void **)&bench->addresses, AT_A_TIME * bytes), cudaSuccess);
    CU_ASSERT_EQUAL_FATAL(cudaMalloc((void **)&bench->sink, bytes), cudaSuccess);
    return true;
}

static void test_wavefronts(void)
{
    struct bench bench = {.random = 1};
    const char *log = getenv("SMEMCALC_BANKS_LOG");
    if (!open_bench(&bench))
        return;
    double begun = smc_clock_ms();
    bench.log = log ? fopen(log, "w") : NULL;
    CU_ASSERT(try_all(&bench));
    if (bench.log)
        CU_ASSERT_EQUAL(fclose(bench.log), 0);
    printf("    %u patterns, %u differ; %zu passes, %.1f s\n", bench.tried, bench.differing,
           smc_counters_passes(bench.counters), (smc_clock_ms() - begun) / 1000);
    gpu_result_number("banks", "patterns", bench.tried);
    gpu_result_number("banks", "equal", bench.tried - bench.differing);
    gpu_result_number("banks", "wide_masked_loads", bench.masked_wide_loads);
    smc_counters_close(bench.counters);
    CU_ASSERT_EQUAL(cudaFree(bench.addresses), cudaSuccess);
    CU_ASSERT_EQUAL(cudaFree(bench.sink), cudaSuccess);
    CU_ASSERT(bench.tried >= 1000);
    CU_ASSERT_EQUAL(bench.differing, 0);
}

CU_TestInfo gpu_tests_banks[] = {
    {"wavefronts of random accesses", test_wavefronts},
    CU_TEST_INFO_NULL,
};
