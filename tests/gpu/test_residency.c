/* Model = API = hardware: random launches of the residency probe, and a great many questions to
   the API alone. */
#include <stdio.h>

#include "executor/clock.h"
#include "executor/gpu.h"
#include "gpu_tests.h"

enum {
    LAUNCHES = 1300,
    SHAPES = 12,     /* kernels of different register counts for the API */
    QUESTIONS = 500, /* to the API about each */
};

/* At most the registers that a block of this many threads may have, most of the time. */
static void random_case(uint64_t *random, char text[128])
{
    const struct smc_sm *sm = &gpu_device()->sm;
    uint32_t warps = 1 + gpu_random(random, 32);
    uint32_t most = sm->max_regs_per_block / (warps * sm->warp_size);
    uint32_t live = gpu_random(random, most < 240 ? most : 240);
    bool shared = gpu_random(random, 4) > 0;
    uint32_t bytes = shared ? gpu_random(random, sm->smem_per_block_optin_bytes + 1) : 0;
    if (shared && gpu_random(random, 2))
        bytes /= 1 + gpu_random(random, 32); /* small blocks of shared memory as well */
    int carveout = gpu_random(random, 3) ? SMC_CARVEOUT_DEFAULT : (int)gpu_random(random, 101);
    snprintf(text, 128, "residency block=%u live=%u dynamic-smem=%u carveout=%d",
             warps * sm->warp_size, live, bytes, carveout);
}

static void test_model_api_hardware(void)
{
    uint64_t random = 20251;
    unsigned launched = 0, with_carveout = 0, beyond_hint = 0, refused = 0, failed = 0;
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
                   gpu_confirm(&answer, &result, &confirmation);
        if (ran && answer.outcome == SMC_LAUNCHES) {
            bool carveout = answer.launch.carveout_percent != SMC_CARVEOUT_DEFAULT;
            launched++;
            with_carveout += carveout;
            beyond_hint += carveout && result.probe_blocks_per_sm > answer.occupancy.blocks_per_sm;
        } else if (ran) {
            refused++;
        }
        bool three_witnesses = ran && (answer.outcome != SMC_LAUNCHES ||
                                       (result.api_occupancy.succeeded && result.probe.succeeded));
        if (three_witnesses && confirmation.differing == 0)
            continue;
        failed++;
        if (ran)
            gpu_print_rows(text, &confirmation);
        else
            printf("    %s: %s\n", text, error.message);
    }
    printf("    %u launches and %u refusals in %.1f s, %u not as predicted\n", launched, refused,
           (smc_clock_ms() - start_ms) / 1e3, failed);
    printf("    %u launches with a carve-out, which is a hint: more blocks resided on %u\n",
           with_carveout, beyond_hint);
    CU_ASSERT(launched >= 1000);
    CU_ASSERT_EQUAL(failed, 0);
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

/* Asks about one compiled kernel; returns the answers that the model does not share. */
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
    CU_ASSERT_EQUAL_FATAL(residency->complete(&params, &error), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(smc_compile(residency, &params, gpu_device()->sm.cc, &options, &resources,
                                      &binary, NULL, &error),
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
    CU_ASSERT_EQUAL(different, 0);
}

CU_TestInfo gpu_tests_residency[] = {
    {"the model equals the API", test_model_api},
    {"the model equals the API and the hardware", test_model_api_hardware},
    CU_TEST_INFO_NULL,
};
