/* check: what the emulator computed is stored, nothing is wrong without a fault, and faults that
   are injected into emulated SMs and memory are found and named: 100, or a share of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hardware/fleet/health.h"
#include "health_emulated.h"
#include "share.h"
#include "unit.h"

enum { CC = 90, SMS = 2, WORDS = 2048, MEMORY_BYTES = 1 << 16, OF_SMS = 36, INJECTED = 100 };

static const struct smc_health_injection nothing = {.unit = SMC_INJECT_NOTHING};

struct sms {
    struct smc_health_seen seen[SMS];
    uint32_t chains[SMS * SMC_HEALTH_EMULATED_BYTES / 4];
    struct smc_health_sms found;
    struct smc_health health;
};

static void check_sms(const struct smc_health_injection *injection, struct sms *sms)
{
    struct smc_error error = {""};
    smc_health_begin(0, &sms->health);
    sms->health.cc = CC;
    sms->found = (struct smc_health_sms){0};
    enum smc_status status =
        smc_health_emulate_sms(CC, SMS, WORDS, injection, sms->seen, sms->chains, &error);
    if (status != SMC_OK)
        printf("    %s\n", error.message);
    CU_ASSERT_EQUAL_FATAL(status, SMC_OK);
    smc_health_examine_sms(sms->seen, sms->chains, SMS, &sms->found, &sms->health);
}

static struct sms *new_sms(void)
{
    struct sms *sms = smc_calloc(1, sizeof *sms);
    CU_ASSERT_PTR_NOT_NULL_FATAL(sms);
    return sms;
}

static void test_stored_lanes(void)
{
    struct sms *sms = new_sms();
    check_sms(&nothing, sms);
    for (int unit = 0; unit < SMC_UNITS; unit++)
        for (unsigned lane = 0; lane < SMC_HEALTH_LANES; lane++) {
            uint32_t stored = smc_health_lane((enum smc_health_unit)unit, lane);
            CU_ASSERT_EQUAL(sms->chains[lane * SMC_HEALTH_VALUES + (unsigned)unit], stored);
            CU_ASSERT_NOT_EQUAL(stored, 0);
            for (unsigned other = 0; other < lane; other++) /* a chain tells its lane */
                CU_ASSERT_NOT_EQUAL(stored, smc_health_lane((enum smc_health_unit)unit, other));
        }
    CU_ASSERT_EQUAL(sms->found.count, SMS);
    CU_ASSERT_EQUAL(sms->health.faults_total, 0);
    free(sms);
}

static void test_stored_results(void)
{
    size_t count = 0;
    for (const struct smc_health_case *one = smc_health_cases; one->kernel; one++) {
        struct smc_error error = {""};
        uint64_t hash = 0;
        enum smc_status status =
            smc_health_emulate_case(one->kernel, one->options, CC, &hash, &error);
        /* The built-in PTX is for the default parameters: not for double. */
        if (status == SMC_UNAVAILABLE && strstr(error.message, "no NVRTC was found"))
            continue;
        CU_ASSERT_EQUAL(status, SMC_OK);
        CU_ASSERT_EQUAL(hash, one->hash);
        count++;
    }
    CU_ASSERT(count >= 6);
}

/* --- Injected faults -------------------------------------------------------------------------- */

static uint32_t draw(uint32_t limit)
{
    return (uint32_t)rand() % limit;
}

static bool lane_is_named(struct sms *sms)
{
    const struct smc_health_injection injection = {draw(SMC_UNITS),        draw(SMS),
                                                   draw(SMC_HEALTH_PARTS), draw(SMC_HEALTH_LANES),
                                                   draw(SMC_HEALTH_STEPS), 1u << draw(32)};
    const struct smc_fault *fault = &sms->health.fault[0];
    check_sms(&injection, sms);
    return sms->health.faults_total == 1 && fault->kind == SMC_FAULT_LANE &&
           fault->sm == (int32_t)injection.sm && fault->part == (int32_t)injection.part &&
           fault->lane == (int32_t)injection.lane;
}

static bool sm_is_named(struct sms *sms)
{
    const struct smc_health_injection injection = {
        draw(SMC_UNITS), draw(SMS), UINT32_MAX, UINT32_MAX, draw(SMC_HEALTH_STEPS), 1u << draw(32)};
    const struct smc_fault *fault = &sms->health.fault[0];
    check_sms(&injection, sms);
    return sms->health.faults_total == 1 && fault->kind == SMC_FAULT_SM &&
           fault->sm == (int32_t)injection.sm;
}

static bool shared_is_named(struct sms *sms)
{
    const struct smc_health_injection injection = {SMC_INJECT_SHARED, draw(SMS),   UINT32_MAX,
                                                   UINT32_MAX,        draw(WORDS), 1u << draw(32)};
    const struct smc_fault *fault = &sms->health.fault[0];
    check_sms(&injection, sms);
    return sms->health.faults_total == 1 && fault->kind == SMC_FAULT_MEMORY &&
           fault->sm == (int32_t)injection.sm && fault->address == 4 * (uint64_t)injection.step &&
           1u << fault->bit == injection.mask;
}

static bool memory_is_named(struct smc_health *health)
{
    struct smc_health_found found;
    struct smc_error error = {""};
    uint64_t base = 0, word = draw(MEMORY_BYTES / 4);
    uint32_t mask = 1u << draw(32);
    const struct smc_fault *fault = &health->fault[0];
    smc_health_begin(0, health);
    CU_ASSERT_EQUAL(smc_health_emulate_memory(CC, MEMORY_BYTES, word, mask, &found, &base, &error),
                    SMC_OK);
    smc_health_examine_memory(&found, base, "memory", health);
    return health->faults_total == 1 && fault->kind == SMC_FAULT_MEMORY &&
           fault->sm == SMC_NOWHERE && fault->address == base + 4 * word &&
           1u << fault->bit == mask;
}

static void test_injected(void)
{
    static bool (*const of_sms[])(struct sms *) = {lane_is_named, sm_is_named, shared_is_named};
    struct sms *sms = new_sms();
    int injected = 0, named = 0;
    srand(18);
    for (size_t i = 0; i < INJECTED; i++) {
        if (!share_has(i / 3, 20)) /* three, each of another kind */
            continue;
        injected++;
        named += i < OF_SMS ? of_sms[i % 3](sms) : memory_is_named(&sms->health);
    }
    printf("    %d of %d injected faults are named\n", named, injected);
    CU_ASSERT_EQUAL(named, injected);
    free(sms);
}

static void test_memory_without_fault(void)
{
    struct smc_health_found found;
    struct smc_error error = {""};
    uint64_t base;
    CU_ASSERT_EQUAL(smc_health_emulate_memory(CC, MEMORY_BYTES, 0, 0, &found, &base, &error),
                    SMC_OK);
    CU_ASSERT_EQUAL(found.wrong, 0);
}

/* A word that is wrong in both passes, or in several launches, is one fault; the first ones are
   kept, all are counted. */
static void test_many_faults(void)
{
    struct smc_health *health = smc_calloc(1, sizeof *health);
    struct smc_health_found found = {.wrong = 3};
    CU_ASSERT_PTR_NOT_NULL_FATAL(health);
    smc_health_begin(0, health);
    for (uint32_t i = 0; i < 3; i++) {
        found.fault[i].word = 100 - i;
        found.fault[i].bits = 6;
    }
    smc_health_examine_memory(&found, 4096, "memory", health);
    smc_health_examine_memory(&found, 4096, "memory", health);
    CU_ASSERT_EQUAL(health->faults_total, 3);
    CU_ASSERT_EQUAL(health->fault[0].address, 4096 + 4 * 98);
    CU_ASSERT_EQUAL(health->fault[0].bit, 1);
    for (int i = 0; i < 2 * SMC_MOST_FAULTS; i++)
        smc_health_add(health, SMC_HEALTH_MEMORY, SMC_FAULT_RATE, "fault %d", i);
    CU_ASSERT_EQUAL(health->fault_count, SMC_MOST_FAULTS);
    CU_ASSERT_EQUAL(health->faults_total, 3 + 2 * SMC_MOST_FAULTS);
    smc_health_judge(health);
    CU_ASSERT_EQUAL(health->verdict, SMC_HEALTH_DIFFERS);
    free(health);
}

/* On an architecture whose special functions were not measured, most SMs decide. */
static void test_unknown_bits(void)
{
    struct sms *sms = new_sms();
    check_sms(&nothing, sms);
    for (size_t t = 0; t < SMS * SMC_HEALTH_THREADS; t++)
        sms->chains[t * SMC_HEALTH_VALUES + SMC_UNIT_SPECIAL] += 7;
    smc_health_begin(0, &sms->health);
    sms->health.cc = CC;
    smc_health_examine_sms(sms->seen, sms->chains, SMS, &sms->found, &sms->health);
    CU_ASSERT_EQUAL(sms->health.faults_total, SMS);
    smc_health_begin(0, &sms->health);
    sms->health.cc = 86;
    smc_health_examine_sms(sms->seen, sms->chains, SMS, &sms->found, &sms->health);
    CU_ASSERT_EQUAL(sms->health.faults_total, 0);
    sms->chains[5 * SMC_HEALTH_VALUES + SMC_UNIT_SPECIAL] ^= 1;
    smc_health_examine_sms(sms->seen, sms->chains, SMS, &sms->found, &sms->health);
    CU_ASSERT_EQUAL(sms->health.faults_total, 1);
    CU_ASSERT_EQUAL(sms->health.fault[0].lane, 5);
    free(sms);
}

CU_TestInfo tests_health[] = {
    {"the emulator computes the stored chains", test_stored_lanes},
    {"the emulator computes the stored results", test_stored_results},
    {"memory without a fault", test_memory_without_fault},
    {"injected faults are found and named", test_injected},
    {"many faults", test_many_faults},
    {"bits that are not known", test_unknown_bits},
    CU_TEST_INFO_NULL,
};
