/* Model = API = hardware: random launches of the residency probe, and many more questions to the
   API alone. */
#include <stdio.h>

#include "base/platform.h"
#include "gpu_tests.h"
#include "hardware/executor/gpu.h"
#include "results.h"

enum {
    LAUNCHES = 1300,
    SHAPES = 12,     /* kernels of different register counts for the API */
    QUESTIONS = 500, /* API questions for each kernel */
};

/* Usually at most the registers that a block of this many threads may have. */
static void random_case(uint64_t *random, char text[128])
{
    const struct smc_sm *sm = &gpu_device()->sm;
    uint32_t warps = 1 + gpu_random(random, 32);
    uint32_t most = sm->max_regs_per_block / (warps * sm->warp_size);
    uint32_t live = gpu_random(random, most < 240 ? most : 240);
    bool shared = gpu_random(random, 4) > 0;
    uint32_t bytes = shared ? gpu_random(random, sm->smem_per_block_optin_bytes + 1) : 0;
    if (shared && gpu_random(random, 2))
        bytes /= 1 + gpu_random(random, 32); /* also small amounts of shared memory */
    int carveout = gpu_random(random, 3) ? SMC_CARVEOUT_DEFAULT : (int)gpu_random(random, 101);
    snprintf(text, 128, "residency block=%u live=%u dynamic-smem=%u carveout=%d",
             warps * sm->warp_size, live, bytes, carveout);
}

/* The number of launches, and for how many of them the sources agree with the model. */
struct tally {
    unsigned launched, equal_api, equal_probe, with_carveout, beyond_hint;
    unsigned refusals, refused_as_predicted, failed;
};

static void count(const struct smc_answer *answer, const struct smc_run_result *result, bool agreed,
                  struct tally *tally)
{
    uint32_t predicted = answer->occupancy.blocks_per_sm;
    bool carveout = answer->launch.carveout_percent != SMC_CARVEOUT_DEFAULT;
    if (answer->outcome != SMC_LAUNCHES) {
        tally->refusals++;
        tally->refused_as_predicted += agreed;
        return;
    }
    tally->launched++;
    tally->with_carveout += carveout;
    tally->equal_api += result->api_blocks_per_sm == predicted;
    tally->equal_probe += result->probe_blocks_per_sm == predicted;
    tally->beyond_hint += carveout && result->probe_blocks_per_sm > predicted;
}

static void record(const struct tally *tally)
{
    gpu_result_number("residency", "launches", tally->launched);
    gpu_result_number("residency", "equal_api", tally->equal_api);
    gpu_result_number("residency", "equal_probe", tally->equal_probe);
    gpu_result_number("residency", "with_carveout", tally->with_carveout);
    gpu_result_number("residency", "beyond_carveout_hint", tally->beyond_hint);
    gpu_result_number("residency", "refusals", tally->refusals);
    gpu_result_number("residency", "refused_as_predicted", tally->refused_as_predicted);
    gpu_result_number("residency", "not_as_predicted", tally->failed);
}

static void test_model_api_hardware(void)
{
    uint64_t random = 20251;
    struct tally tally = {0};
    double start_ms = smc_clock_ms();
    for (int i = 0; i < LAUNCHES; i++) {
        char text[128];
        struct smc_query query;
        struct smc_answer answer;
        struct smc_run_result result;
        struct smc_confirmation confirmation;
        struct smc_error error = {""};
        random_case(&random, text);
        gpu_read_case(text, &query);
        bool ran = smc_query_answer(&query, &answer, NULL, &error) == SMC_OK &&
                   gpu_confirm(&answer, GPU_TIMEOUT_MS, &result, &confirmation);
        bool three_sources = ran && (answer.outcome != SMC_LAUNCHES ||
                                     (result.api_occupancy.succeeded && result.probe.succeeded));
        bool agreed = three_sources && confirmation.differing == 0;
        if (ran)
            count(&answer, &result, agreed, &tally);
        if (agreed)
            continue;
        tally.failed++;
        if (ran)
            gpu_print_rows(text, &confirmation);
        else
            printf("    %s: %s\n", text, error.message);
    }
    printf("    %u launches and %u refusals in %.1f s, %u not as predicted\n", tally.launched,
           tally.refusals, (smc_clock_ms() - start_ms) / 1e3, tally.failed);
    printf("    %u launches with a carve-out, which is a hint: more blocks resided on %u\n",
           tally.with_carveout, tally.beyond_hint);
    record(&tally);
    CU_ASSERT(tally.launched >= 1000);
    CU_ASSERT_EQUAL(tally.failed, 0);
}

static void random_launch(uint64_t *random, uint32_t regs, struct smc_launch *launch)
{
    const struct smc_sm *sm = &gpu_device()->sm;
    *launch = (struct smc_launch)SMC_LAUNCH_INIT;
    launch->regs_per_thread = regs;
    launch->threads_per_block = 1 + gpu_random(random, sm->max_threads_per_block);
    launch->dynamic_smem_bytes = gpu_random(random, sm->smem_per_block_optin_bytes + 1);
    if (gpu_random(random, 2))
        launch->dynamic_smem_bytes /= 1 + gpu_random(random, 64);
    if (gpu_random(random, 2))
        launch->carveout_percent = (int32_t)gpu_random(random, 101);
}

/* Asks about one compiled kernel; returns the number of answers that differ from the model's. */
static unsigned ask_api(const struct smc_gpu_kernel *kernel, uint64_t *random)
{
    unsigned different = 0;
    uint32_t regs = (uint32_t)kernel->attributes.numRegs;
    for (int i = 0; i < QUESTIONS; i++) {
        struct smc_launch launch;
        struct smc_occupancy occupancy;
        struct smc_attempt attempt = {0};
        uint32_t blocks = 0;
        random_launch(random, regs, &launch);
        cudaError_t code =
            cudaFuncSetAttribute(kernel->handle, cudaFuncAttributePreferredSharedMemoryCarveout,
                                 launch.carveout_percent);
        if (code == cudaSuccess)
            code = cudaFuncSetAttribute(kernel->handle, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)launch.dynamic_smem_bytes);
        CU_ASSERT_EQUAL_FATAL(code, cudaSuccess);
        smc_gpu_occupancy(kernel, &launch, &attempt, &blocks);
        smc_occupancy_compute(&gpu_device()->sm, &launch, &occupancy);
        if (attempt.succeeded && blocks == occupancy.blocks_per_sm)
            continue;
        if (different++ < 5)
            printf("    %u threads, %u registers, %u B, carve-out %d: model %u, API %u %s\n",
                   launch.threads_per_block, regs, launch.dynamic_smem_bytes,
                   launch.carveout_percent, occupancy.blocks_per_sm, blocks, attempt.message);
    }
    return different;
}

static unsigned ask_about(int64_t live, uint64_t *random)
{
    const struct smc_kernel *residency = smc_kernel_find("residency");
    struct smc_params params;
    struct smc_resources resources;
    struct smc_binary binary = {0};
    struct smc_gpu_kernel kernel = {0};
    struct smc_attempt attempt = {0};
    struct smc_error error = {""};
    const struct smc_compile_options options = {0};
    CU_ASSERT_PTR_NOT_NULL_FATAL(residency);
    smc_params_init(residency, &params);
    params.value[SMC_PARAM_LIVE] = live;
    CU_ASSERT_EQUAL_FATAL(residency->complete(residency, &params, &error), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(smc_compile(&(struct smc_compile_request){residency, &params,
                                                                    gpu_device()->sm.cc, &options},
                                      &resources, &binary, NULL, &error),
                          SMC_OK);
    CU_ASSERT_FATAL(smc_gpu_load(&binary, residency->entry, &kernel, &attempt));
    unsigned different = ask_api(&kernel, random);
    smc_gpu_unload(&kernel);
    smc_binary_free(&binary);
    return different;
}

static void test_model_api(void)
{
    uint64_t random = 777;
    unsigned different = 0;
    for (int i = 0; i < SHAPES; i++)
        different += ask_about(i * 240 / (SHAPES - 1), &random);
    printf("    %d questions to the API, %u answers differ\n", SHAPES * QUESTIONS, different);
    gpu_result_number("api", "questions", SHAPES * QUESTIONS);
    gpu_result_number("api", "differing", different);
    CU_ASSERT_EQUAL(different, 0);
}

CU_TestInfo gpu_tests_residency[] = {
    {"the model equals the API", test_model_api},
    {"the model equals the API and the hardware", test_model_api_hardware},
    CU_TEST_INFO_NULL,
};
