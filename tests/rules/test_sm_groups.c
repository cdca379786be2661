/* The groups of SMs are found from how many clusters the driver holds, for whatever groups. */
#include <string.h>

#include "rules/ceilings.h"
#include "rules/occupancy.h"
#include "unit.h"

static uint64_t random_state = 20261128;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 32) * bound >> 32);
}

static uint32_t sms_of(const struct smc_sm_groups *groups)
{
    uint32_t sms = 0;
    for (uint32_t i = 0; i < groups->count; i++)
        sms += groups->sms[i];
    return sms;
}

/* What a driver answers on a GPU with these groups, for up to so many blocks per SM. */
static void count_clusters(const struct smc_sm_groups *groups, uint32_t largest_size,
                           uint32_t blocks, struct smc_cluster_counts *counts)
{
    *counts = (struct smc_cluster_counts){.largest_size = largest_size};
    for (uint32_t b = 1; b <= blocks; b++)
        for (uint32_t size = 1; size <= largest_size; size++) {
            counts->is_counted[b - 1] = true;
            counts->clusters[b - 1][size - 1] =
                (uint32_t)smc_resident_clusters(sms_of(groups), groups, size, b);
        }
}

static uint32_t times_in(const struct smc_sm_groups *groups, uint32_t sms)
{
    uint32_t times = 0;
    for (uint32_t i = 0; i < groups->count; i++)
        times += groups->sms[i] == sms;
    return times;
}

static bool are_same(const struct smc_sm_groups *a, const struct smc_sm_groups *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; i < a->count; i++)
        same &= times_in(a, a->sms[i]) == times_in(b, a->sms[i]);
    return same;
}

static bool answer_alike(const struct smc_sm_groups *a, const struct smc_sm_groups *b,
                         uint32_t largest_size, uint32_t blocks)
{
    struct smc_cluster_counts of_a, of_b;
    count_clusters(a, largest_size, blocks, &of_a);
    count_clusters(b, largest_size, blocks, &of_b);
    return memcmp(&of_a, &of_b, sizeof of_a) == 0;
}

/* Those of two H100 and two H200, as the driver counts them. */
static void test_measured(void)
{
    static const struct smc_sm_groups groups = {12, {16, 16, 16, 16, 16, 18, 18, 8, 2, 2, 2, 2}};
    static const uint32_t of_one_block[] = {132, 66, 40, 32, 22, 18, 15, 15,
                                            9,   7,  7,  7,  7,  7,  7,  7};
    struct smc_cluster_counts counts;
    struct smc_sm_groups found;
    count_clusters(&groups, 16, 8, &counts);
    CU_ASSERT_EQUAL(counts.clusters[0][7], of_one_block[7]);
    CU_ASSERT_EQUAL(counts.clusters[0][15], of_one_block[15]);
    CU_ASSERT(smc_sm_groups_find(132, &counts, &found));
    CU_ASSERT(are_same(&groups, &found));
}

/* Chips of up to 16 clusters of SMs with up to 20 SMs each, and single SMs. */
static void test_random(void)
{
    enum { CHIPS = 500 };
    int exact = 0;
    for (int chip = 0; chip < CHIPS; chip++) {
        struct smc_sm_groups groups = {.count = 1 + random_below(16)}, found;
        struct smc_cluster_counts counts;
        uint32_t usual = 2 + random_below(19);
        for (uint32_t i = 0; i < groups.count; i++)
            groups.sms[i] = (uint16_t)(random_below(3) ? usual : 1 + random_below(20));
        count_clusters(&groups, 16, 8, &counts);
        CU_ASSERT(smc_sm_groups_find(sms_of(&groups), &counts, &found));
        CU_ASSERT_EQUAL(sms_of(&groups), sms_of(&found));
        CU_ASSERT(answer_alike(&groups, &found, 16, 8));
        exact += are_same(&groups, &found);
    }
    CU_ASSERT(exact > CHIPS * 9 / 10);
}

/* Of a device whose clusters have up to 8 blocks. */
static void test_small_clusters(void)
{
    for (int chip = 0; chip < 100; chip++) {
        struct smc_sm_groups groups = {.count = 1 + random_below(8)}, found;
        struct smc_cluster_counts counts;
        const uint32_t blocks = 8;
        for (uint32_t i = 0; i < groups.count; i++)
            groups.sms[i] = (uint16_t)(8 + random_below(12));
        count_clusters(&groups, 8, blocks, &counts);
        CU_ASSERT(smc_sm_groups_find(sms_of(&groups), &counts, &found));
        CU_ASSERT(answer_alike(&groups, &found, 8, blocks));
    }
}

/* Another rule than the model's: nothing is better than something wrong. */
static void test_none(void)
{
    static const struct smc_sm_groups groups = {3, {16, 16, 4}};
    struct smc_cluster_counts counts;
    struct smc_sm_groups found;
    count_clusters(&groups, 16, 8, &counts);
    CU_ASSERT(!smc_sm_groups_find(35, &counts, &found));
    CU_ASSERT_EQUAL(found.count, 0);
    CU_ASSERT(smc_sm_groups_find(36, &counts, &found));
    counts.clusters[2][4]++;
    CU_ASSERT(!smc_sm_groups_find(36, &counts, &found));
    counts.clusters[2][4]--;
    counts.is_counted[0] = false;
    CU_ASSERT(!smc_sm_groups_find(36, &counts, &found));
    counts = (struct smc_cluster_counts){.largest_size = 1, .is_counted = {true}};
    CU_ASSERT(!smc_sm_groups_find(36, &counts, &found));
}

/* Of a calibrated GPU they replace the table's, not those of the user's file, and not those of a
   GPU with another number of SMs. */
static void test_set(void)
{
    struct smc_ceilings ceilings = {.sm_groups = {2, {100, 32}}};
    struct smc_device device = {
        .source = SMC_DEVICE_TABLE, .sm_count = 132, .sm_groups = {1, {132}}};
    struct smc_device other = device;
    smc_ceilings_set_groups(&ceilings, &device);
    CU_ASSERT_EQUAL(device.sm_groups.count, 2);
    other.sm_count = 131;
    smc_ceilings_set_groups(&ceilings, &other);
    CU_ASSERT_EQUAL(other.sm_groups.count, 1);
    other = (struct smc_device){.source = SMC_DEVICE_FILE, .sm_count = 132};
    smc_ceilings_set_groups(&ceilings, &other);
    CU_ASSERT_EQUAL(other.sm_groups.count, 2);
    other.sm_groups = (struct smc_sm_groups){1, {132}};
    smc_ceilings_set_groups(&ceilings, &other);
    CU_ASSERT_EQUAL(other.sm_groups.count, 1);
    ceilings.sm_groups.count = 0;
    smc_ceilings_set_groups(&ceilings, &device);
    CU_ASSERT_EQUAL(device.sm_groups.count, 2);
}

CU_TestInfo tests_sm_groups[] = {
    {"the groups of H100 and H200 are found", test_measured},
    {"groups of 500 random chips answer as those that are found", test_random},
    {"clusters of up to 8 blocks", test_small_clusters},
    {"counts that follow another rule have no groups", test_none},
    {"measured groups replace the table's", test_set},
    CU_TEST_INFO_NULL,
};
