/* Traces for tests. */
#include "trace_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answers/trace_answer.h"
#include "temporary.h"

static void require(bool holds)
{
    if (!holds) {
        fprintf(stderr, "no trace for the test\n");
        exit(99);
    }
}

void test_trace_begin(struct test_trace *test)
{
    const struct smc_trace_gpu gpu = {.id = 0, .name = "NVIDIA H200", .cc = 90, .sm_count = 132};
    *test = (struct test_trace){.trace = calloc(1, sizeof *test->trace), .now_ns = 5000000};
    require(test->trace);
    test->trace->source = SMC_TRACE_NSIGHT_SYSTEMS;
    test->trace->program = strdup("python3 train.py --epochs 1");
    require(test->trace->program && smc_trace_device(test->trace, &gpu) == 0);
}

void test_trace_launch(const char *name, uint32_t regs, uint32_t dynamic_smem, uint32_t blocks,
                       struct smc_trace_launch *launch)
{
    smc_trace_launch_init(launch);
    launch->name = (char *)name;
    launch->device = 0;
    launch->regs_per_thread = (int32_t)regs;
    launch->static_smem_bytes = 0;
    launch->dynamic_smem_bytes = dynamic_smem;
    for (int i = 0; i < 3; i++)
        launch->grid[i] = launch->block[i] = 1;
    launch->grid[0] = blocks;
    launch->block[0] = 256;
}

void test_trace_add(struct test_trace *test, const struct smc_trace_launch *launch,
                    uint64_t launches, uint64_t ns)
{
    size_t index = 0;
    struct smc_trace_launch each = *launch;
    each.launches = launches;
    each.timed_launches = ns ? launches : 0;
    each.total_ns = launches * ns;
    each.least_ns = each.greatest_ns = ns;
    require(smc_trace_add_launches(test->trace, &each, &index, NULL) == SMC_OK);
    if (ns == 0)
        return;
    require(smc_trace_add_span(test->trace, index, test->now_ns, test->now_ns + launches * ns,
                               NULL) == SMC_OK);
    test->now_ns += launches * ns;
}

void test_trace_end(struct test_trace *test)
{
    require(smc_trace_answer_on(test->trace, NULL, &test->answer, NULL) == SMC_OK);
}

void test_trace_free(struct test_trace *test)
{
    smc_trace_answer_free(&test->answer);
    smc_trace_free(test->trace);
    free(test->trace);
}

static void add_kernel(struct test_trace *test, size_t index, bool times)
{
    static const uint32_t regs[] = {32, 255, 64, 40, 128, 24};
    static const uint32_t smem[] = {0, 0, 98304, 0, 49152, 1024};
    static const uint32_t blocks[] = {100000, 4096, 2500, 90, 1500, 3};
    static const char *const names[] = {
        ("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
         "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3>)"),
        "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_tn",
        "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4> >(Flash_params)",
        "layernorm_forward_kernel3(float*, float*, float*, const float*, int, int)",
        "reduce",
        "triton_poi_fused_add_0",
    };
    char name[512];
    struct smc_trace_launch launch;
    size_t kind = index % 6;
    snprintf(name, sizeof name, index < 6 ? "%s" : "k%.0s_%zu", names[kind], index);
    test_trace_launch(name, regs[kind], smem[kind], blocks[kind], &launch);
    if (index % 13 == 10)
        launch.regs_per_thread = SMC_TRACE_UNKNOWN;
    if (index % 5 == 3) { /* only the sum was recorded */
        launch.smem_bytes = smem[kind] + 2048;
        launch.static_smem_bytes = launch.dynamic_smem_bytes = SMC_TRACE_UNKNOWN;
    }
    uint64_t ns = times ? 2000000 / (index + 1) + 1500 : 0;
    test_trace_add(test, &launch, 7, ns);
    launch.block[0] = 128;
    if (index % 3 == 1)
        test_trace_add(test, &launch, 2, ns);
    launch.block[0] = 512;
    if (index % 7 == 2)
        test_trace_add(test, &launch, 1, ns / 2);
    test->now_ns += times && index % 4 == 3 ? 4 * ns : 0;
}

void test_trace_program(struct test_trace *test, size_t kernels, bool times)
{
    test_trace_begin(test);
    for (int epoch = 0; epoch < 3; epoch++) {
        for (size_t i = 0; i < kernels; i++)
            add_kernel(test, i, times);
        test->now_ns += 3000000;
    }
    test_trace_end(test);
}

/* --- Recorded files --------------------------------------------------------------------------- */

struct smc_error test_trace_error;

static const char *file_name(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/smemcalc-recorded-%ld", (long)getpid());
    return path;
}

struct smc_trace *test_trace_read(const char *bytes, size_t count,
                                  const struct smc_trace_filter *filter)
{
    struct smc_trace *trace = calloc(1, sizeof *trace);
    require(trace && temporary_write(file_name(), bytes, count));
    if (filter)
        trace->filter = *filter;
    test_trace_error.message[0] = '\0';
    const enum smc_status status = smc_trace_read(file_name(), trace, &test_trace_error);
    remove(file_name());
    if (status == SMC_OK)
        return trace;
    require(status == SMC_USAGE && !strchr(test_trace_error.message, '\n'));
    test_trace_release(trace);
    return NULL;
}

struct smc_trace *test_trace_read_text(const char *text)
{
    return test_trace_read(text, strlen(text), NULL);
}

void test_trace_release(struct smc_trace *trace)
{
    smc_trace_free(trace);
    free(trace);
}

bool test_trace_refuses(const char *text, const char *part)
{
    struct smc_trace *trace = test_trace_read_text(text);
    const char *message = test_trace_error.message;
    if (trace) {
        test_trace_release(trace);
        return false;
    }
    if (strstr(message, part) && strncmp(message, file_name(), strlen(file_name())) == 0)
        return true;
    fprintf(stderr, "%s: not '%s'\n", message, part);
    return false;
}

bool test_trace_has_note(const struct smc_trace *trace, const char *part)
{
    return strstr(smc_text_string(&trace->notes), part) != NULL;
}
