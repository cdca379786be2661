/* The measured ceilings of a GPU are physically plausible. */
#include <stdio.h>

#include "gpu_tests.h"
#include "hardware/measured_ceilings.h"

/* The same as in `smemcalc calibrate`, with the same budget. */
static bool calibrate(struct smc_calibration *calibration)
{
    struct smc_error error = {""};
    const struct smc_calibrate_request request = {
        .compile = {.no_cache = true},
        .budget_ms = 5000,
        .timeout_ms = 10000,
    };
    if (smc_calibrate(&request, calibration, NULL, &error) == SMC_OK)
        return true;
    printf("    %s\n", error.message);
    return false;
}

static void print(const struct smc_calibration *calibration)
{
    for (int i = 0; i < SMC_CEILING_COUNT; i++)
        printf("    %-32s %14.6g  %g .. %g of %u\n", smc_ceiling_info[i].key,
               calibration->ceilings.value[i], calibration->spread[i].lowest,
               calibration->spread[i].highest, calibration->spread[i].samples);
    printf("    %.0f ms\n", calibration->elapsed_ms);
}

static void check_share(const struct smc_calibration *calibration, enum smc_ceiling ceiling,
                        double least_percent, double most_percent)
{
    double peak = smc_ceiling_peak(ceiling, &calibration->device);
    double percent = 100 * calibration->ceilings.value[ceiling] / peak;
    bool sane = percent >= least_percent && percent <= most_percent;
    if (!sane)
        printf("    %s: %.1f %% of the theoretical peak\n", smc_ceiling_info[ceiling].key, percent);
    CU_ASSERT(sane);
}

/* What one SM does in a clock. No pipe is faster than the instructions are issued, one in each
   sub-partition. */
static void check_sm(const double *value, const struct smc_device *device)
{
    static const enum smc_ceiling pipes[] = {SMC_CEILING_FMA_REGISTERS, SMC_CEILING_IMAD,
                                             SMC_CEILING_IMAD_WIDE,     SMC_CEILING_ALU,
                                             SMC_CEILING_SPECIAL,       SMC_CEILING_CONVERSION};
    CU_ASSERT(value[SMC_CEILING_ISSUE] <= 1.01 * device->sm.subpartitions);
    CU_ASSERT(value[SMC_CEILING_ISSUE] >= 0.8 * device->sm.subpartitions);
    for (size_t i = 0; i < sizeof pipes / sizeof *pipes; i++)
        CU_ASSERT(value[pipes[i]] > 0.05 && value[pipes[i]] <= 1.02 * device->sm.subpartitions);
    CU_ASSERT(value[SMC_CEILING_SPECIAL] < value[SMC_CEILING_ALU]);
    CU_ASSERT(value[SMC_CEILING_FMA_CLOCKS] >= 2);
    CU_ASSERT(value[SMC_CEILING_FMA_CLOCKS] < value[SMC_CEILING_SHARED_CLOCKS]);
    CU_ASSERT(value[SMC_CEILING_FP64_CLOCKS] >= value[SMC_CEILING_FMA_CLOCKS]);
    CU_ASSERT(value[SMC_CEILING_SPECIAL_CLOCKS] >= value[SMC_CEILING_FMA_CLOCKS]);
    CU_ASSERT(value[SMC_CEILING_CONSTANT_CLOCKS] >= value[SMC_CEILING_FMA_CLOCKS]);
    CU_ASSERT(value[SMC_CEILING_BARRIER_CLOCKS] <= value[SMC_CEILING_BARRIER]);
    CU_ASSERT(value[SMC_CEILING_BARRIER] > 10 && value[SMC_CEILING_BARRIER] < 500);
    CU_ASSERT(value[SMC_CEILING_L1_HIT] <= 257 && value[SMC_CEILING_L1_HIT] >= 30);
}

static void test_sane(void)
{
    struct smc_calibration calibration;
    CU_ASSERT_FATAL(calibrate(&calibration));
    print(&calibration);
    const double *value = calibration.ceilings.value;
    for (int i = 0; i < SMC_CEILING_COUNT; i++)
        CU_ASSERT(calibration.spread[i].samples >= 3 && value[i] > 0);
    CU_ASSERT(calibration.elapsed_ms < 10000);

    check_share(&calibration, SMC_CEILING_COPY, 30, 105);
    check_share(&calibration, SMC_CEILING_READ, 30, 105);
    check_share(&calibration, SMC_CEILING_SHARED, 70, 101);
    check_share(&calibration, SMC_CEILING_FLOAT, 30, 105);
    check_share(&calibration, SMC_CEILING_CLOCK, 20, 105);
    CU_ASSERT(value[SMC_CEILING_L2] > value[SMC_CEILING_READ]);
    CU_ASSERT(value[SMC_CEILING_L2_WRITE] > value[SMC_CEILING_COPY] / 2);
    CU_ASSERT(value[SMC_CEILING_L2_WRITE] < 1.1 * value[SMC_CEILING_L2]);
    CU_ASSERT(value[SMC_CEILING_BLOCKS] > 1e8 && value[SMC_CEILING_BLOCKS] < 1e10);
    CU_ASSERT(value[SMC_CEILING_DOUBLE] < value[SMC_CEILING_FLOAT]);

    CU_ASSERT(value[SMC_CEILING_SHARED_CLOCKS] >= 10);
    CU_ASSERT(value[SMC_CEILING_SHARED_CLOCKS] < value[SMC_CEILING_L2_CLOCKS]);
    CU_ASSERT(value[SMC_CEILING_L1_CLOCKS] < value[SMC_CEILING_L2_CLOCKS]);
    CU_ASSERT(value[SMC_CEILING_L2_CLOCKS] < value[SMC_CEILING_DRAM_CLOCKS]);
    CU_ASSERT(value[SMC_CEILING_SHARED_NS] < value[SMC_CEILING_L2_NS]);
    CU_ASSERT(value[SMC_CEILING_L2_NS] < value[SMC_CEILING_DRAM_NS]);
    CU_ASSERT(value[SMC_CEILING_LAUNCH] < value[SMC_CEILING_ROUND_TRIP]);
    CU_ASSERT(value[SMC_CEILING_EMPTY_LAUNCH] < value[SMC_CEILING_ROUND_TRIP]);
    check_sm(value, &calibration.device);
}

/* Measures the same GPU twice: values that do not depend on chance are alike. */
static void test_repeatable(void)
{
    static const enum smc_ceiling steady[] = {SMC_CEILING_COPY, SMC_CEILING_SHARED,
                                              SMC_CEILING_FLOAT, SMC_CEILING_L2_CLOCKS,
                                              SMC_CEILING_SHARED_CLOCKS};
    struct smc_calibration first, second;
    CU_ASSERT_FATAL(calibrate(&first) && calibrate(&second));
    CU_ASSERT(first.ceilings.gpu_uuid[0] && first.ceilings.driver[0]);
    CU_ASSERT_STRING_EQUAL(first.ceilings.gpu_uuid, second.ceilings.gpu_uuid);
    for (size_t i = 0; i < sizeof steady / sizeof *steady; i++) {
        double a = first.ceilings.value[steady[i]], b = second.ceilings.value[steady[i]];
        CU_ASSERT_DOUBLE_EQUAL(a, b, 0.1 * a);
    }
}

static bool at_once(void)
{
    return true;
}

static void test_stop(void)
{
    struct smc_calibration calibration;
    struct smc_error error = {""};
    const struct smc_calibrate_request request = {
        .compile = {.no_cache = true},
        .budget_ms = 5000,
        .timeout_ms = 10000,
        .stop = at_once,
    };
    CU_ASSERT_EQUAL(smc_calibrate(&request, &calibration, NULL, &error), SMC_INTERRUPTED);
}

CU_TestInfo gpu_tests_ceilings[] = {
    {"sane, in their order, and soon", test_sane},
    {"the same again", test_repeatable},
    {"stopped when wished", test_stop},
    CU_TEST_INFO_NULL,
};
