/* The check of a GPU's health: no alarm on a GPU without a fault, and 100 injected faults found and
   named, all in the time that it may take. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/platform.h"
#include "gpu_tests.h"
#include "hardware/fleet/health.h"
#include "hardware/measured_ceilings.h"
#include "results.h"

enum { TIMEOUT_MS = 10000, CLEAN = 3, CLEAN_SMS = 50, INJECTED = 100 };

static bool check(uint32_t tests, const struct smc_health_faults *faults, struct smc_health *health)
{
    struct smc_error error = {""};
    struct smc_text warnings = {0};
    struct smc_health_request request = {
        .timeout_ms = TIMEOUT_MS,
        .faults = faults,
        .tests = tests,
    };
    smc_known_device_ceilings(gpu_device(), &request.ceilings, &warnings);
    smc_health_begin(0, health);
    enum smc_status status = smc_health_check(&request, health, &warnings, &error);
    smc_text_free(&warnings);
    if (status != SMC_OK)
        printf("    %s\n", error.message);
    return status == SMC_OK;
}

static void print_faults(const struct smc_health *health)
{
    for (uint32_t i = 0; i < health->fault_count; i++)
        printf("    %s\n", health->fault[i].detail);
}

static void print_tests(const struct smc_health *health)
{
    for (int i = 0; i < SMC_HEALTH_TESTS; i++)
        printf("    %-10s %s: %s\n", smc_health_test_info[i].name,
               smc_health_outcome_name(health->test[i].outcome), health->test[i].detail);
    for (int i = 0; i < SMC_HEALTH_FIGURES; i++)
        printf("    %-20s %.6g\n", smc_health_figure_info[i].key, health->figure[i]);
    printf("    %.2f s\n", health->elapsed_s);
}

static void test_clean(void)
{
    struct smc_health *health = smc_calloc(1, sizeof *health);
    CU_ASSERT_PTR_NOT_NULL_FATAL(health);
    double longest_s = 0;
    for (int i = 0; i < CLEAN; i++) {
        CU_ASSERT(check(0, NULL, health));
        print_tests(health);
        print_faults(health);
        CU_ASSERT_EQUAL(health->verdict, SMC_HEALTHY);
        CU_ASSERT_EQUAL(health->faults_total, 0);
        CU_ASSERT_EQUAL(health->test[SMC_HEALTH_SMS].outcome, SMC_HEALTH_PASSED);
        CU_ASSERT_EQUAL(health->test[SMC_HEALTH_RESULTS].outcome, SMC_HEALTH_PASSED);
        CU_ASSERT_EQUAL(health->test[SMC_HEALTH_RESIDENCY].outcome, SMC_HEALTH_PASSED);
        CU_ASSERT_EQUAL(health->test[SMC_HEALTH_MEMORY].outcome, SMC_HEALTH_PASSED);
        longest_s = health->elapsed_s > longest_s ? health->elapsed_s : longest_s;
    }
    CU_ASSERT(longest_s < 10);
    gpu_result_number("health", "longest_check_s", longest_s);
    free(health);
}

static void test_false_alarms(void)
{
    struct smc_health *health = smc_calloc(1, sizeof *health);
    CU_ASSERT_PTR_NOT_NULL_FATAL(health);
    int alarms = 0;
    double start_ms = smc_clock_ms();
    for (int i = 0; i < CLEAN_SMS; i++) {
        CU_ASSERT(check(1u << SMC_HEALTH_SMS | 1u << SMC_HEALTH_RESULTS, NULL, health));
        alarms += health->verdict != SMC_HEALTHY;
        print_faults(health);
    }
    printf("    %d checks of SMs and results, %d false alarms, %.1f s\n", CLEAN_SMS, alarms,
           (smc_clock_ms() - start_ms) / 1e3);
    CU_ASSERT_EQUAL(alarms, 0);
    free(health);
}

/* --- Injected faults -------------------------------------------------------------------------- */

enum place { LANE, WHOLE_SM, SHARED, GLOBAL, CACHE, PLACES };

static const char *const place_names[PLACES] = {"lane", "SM", "shared memory", "memory",
                                                "L2 cache"};

static uint32_t one_bit(uint64_t *random)
{
    return 1u << gpu_random(random, 32);
}

static void choose(enum place place, uint64_t *random, struct smc_health_faults *faults)
{
    bool in_sm = place == LANE || place == WHOLE_SM || place == SHARED;
    *faults = (struct smc_health_faults){
        .in_sms = in_sm, .in_memory = place == GLOBAL, .in_cache = place == CACHE};
    faults->sms = (struct smc_health_injection){
        .unit = place == SHARED ? SMC_INJECT_SHARED : gpu_random(random, SMC_UNITS),
        .sm = gpu_random(random, gpu_device()->sm_count),
        .part = place == LANE ? gpu_random(random, SMC_HEALTH_PARTS) : UINT32_MAX,
        .lane = place == LANE ? gpu_random(random, SMC_HEALTH_LANES) : UINT32_MAX,
        .step = gpu_random(random, place == SHARED ? 10000 : SMC_HEALTH_STEPS),
        .mask = one_bit(random),
    };
    faults->place = gpu_random(random, 1 << 30) / (double)(1 << 30);
    faults->mask = one_bit(random);
}

/* Whether the only fault is the injected one. */
static bool is_named(enum place place, const struct smc_health_faults *faults,
                     const struct smc_health *health)
{
    const struct smc_fault *fault = &health->fault[0];
    const struct smc_health_injection *sms = &faults->sms;
    double bytes = health->figure[SMC_HEALTH_FIGURE_MEMORY];
    uint64_t cached = gpu_device()->l2_bytes / 4 / 16 * 16;
    if (health->faults_total != 1 || health->verdict != SMC_HEALTH_DIFFERS)
        return false;
    switch (place) {
    case LANE:
        return fault->kind == SMC_FAULT_LANE && fault->sm == (int32_t)sms->sm &&
               fault->part == (int32_t)sms->part && fault->lane == (int32_t)sms->lane;
    case WHOLE_SM:
        return fault->kind == SMC_FAULT_SM && fault->sm == (int32_t)sms->sm;
    case SHARED:
        return fault->kind == SMC_FAULT_MEMORY && fault->sm == (int32_t)sms->sm &&
               fault->address == 4 * (uint64_t)sms->step && 1u << fault->bit == sms->mask;
    default:
        bytes = place == CACHE ? (double)cached : bytes;
        return fault->kind == SMC_FAULT_MEMORY && fault->sm == SMC_NOWHERE &&
               fault->address ==
                   health->memory_address + 4 * (uint64_t)(faults->place * floor(bytes / 4)) &&
               1u << fault->bit == faults->mask;
    }
}

static void test_injected(void)
{
    struct smc_health *health = smc_calloc(1, sizeof *health);
    CU_ASSERT_PTR_NOT_NULL_FATAL(health);
    uint64_t random = 18;
    int found = 0, named = 0, of_place[PLACES] = {0}, named_of[PLACES] = {0};
    double start_ms = smc_clock_ms();
    for (int i = 0; i < INJECTED; i++) {
        struct smc_health_faults faults;
        enum place place = (enum place)(i % PLACES);
        choose(place, &random, &faults);
        bool checked =
            check(1u << (faults.in_sms ? SMC_HEALTH_SMS : SMC_HEALTH_MEMORY), &faults, health);
        bool is_right = checked && is_named(place, &faults, health);
        of_place[place]++;
        named_of[place] += is_right;
        found += checked && health->verdict == SMC_HEALTH_DIFFERS;
        named += is_right;
        if (!is_right || i < PLACES)
            print_faults(health);
        if (!is_right)
            printf("    not named: %s of SM %u, part %u, lane %u, unit %u, step %u, mask %08x, "
                   "place %.9f; verdict %s\n",
                   place_names[place], faults.sms.sm, faults.sms.part, faults.sms.lane,
                   faults.sms.unit, faults.sms.step, faults.sms.mask, faults.place,
                   smc_health_verdict_name(health->verdict));
    }
    for (int i = 0; i < PLACES; i++)
        printf("    %s: %d of %d named\n", place_names[i], named_of[i], of_place[i]);
    printf("    %d of %d found, %d named, %.1f s\n", found, INJECTED, named,
           (smc_clock_ms() - start_ms) / 1e3);
    gpu_result_number("health", "faults_injected", INJECTED);
    gpu_result_number("health", "faults_found", found);
    gpu_result_number("health", "faults_named", named);
    CU_ASSERT_EQUAL(found, INJECTED);
    CU_ASSERT_EQUAL(named, INJECTED);
    free(health);
}

CU_TestInfo gpu_tests_health[] = {
    {"a GPU without a fault is healthy, soon", test_clean},
    {"no false alarms", test_false_alarms},
    {"100 injected faults are found and named", test_injected},
    CU_TEST_INFO_NULL,
};
