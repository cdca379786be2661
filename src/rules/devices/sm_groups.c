/* The groups of SMs of a GPU, found from how many clusters the driver says are resident. */
#include "rules/ceilings.h"

#include "rules/occupancy.h"

/* The largest size of a cluster tells only of groups with at least as many SMs, several at a time:
   their sizes are searched. With them, each smaller size tells how many groups have exactly as many
   SMs. */
struct search {
    uint32_t sm_count;
    const struct smc_cluster_counts *counts;
    struct smc_sm_groups groups;
    uint32_t steps_left;
};

static uint32_t sm_groups_counted(const struct search *search, uint32_t blocks, uint32_t size)
{
    return search->counts->clusters[blocks - 1][size - 1];
}

static uint32_t sms_in_groups(const struct search *search)
{
    uint32_t sms = 0;
    for (uint32_t i = 0; i < search->groups.count; i++)
        sms += search->groups.sms[i];
    return sms;
}

/* In the groups found so far. */
static uint64_t resident(const struct search *search, uint32_t blocks, uint32_t size)
{
    return smc_resident_clusters(sms_in_groups(search), &search->groups, size, blocks);
}

static bool sm_groups_add(struct search *search, uint32_t sms)
{
    if (search->groups.count == SMC_MOST_SM_GROUPS)
        return false;
    search->groups.sms[search->groups.count++] = (uint16_t)sms;
    return true;
}

static bool sm_groups_agrees(const struct search *search)
{
    for (uint32_t blocks = 1; blocks <= SMC_MOST_COUNTED_BLOCKS; blocks++)
        for (uint32_t size = 2;
             search->counts->is_counted[blocks - 1] && size <= search->counts->largest_size; size++)
            if (resident(search, blocks, size) != sm_groups_counted(search, blocks, size))
                return false;
    return true;
}

/* Adds the groups that are smaller than the largest cluster. Those of one SM hold no clusters. */
static bool add_small(struct search *search)
{
    for (uint32_t size = search->counts->largest_size - 1; size > 1; size--)
        for (uint64_t n = resident(search, 1, size); n < sm_groups_counted(search, 1, size); n++)
            if (!sm_groups_add(search, size))
                return false;
    uint32_t sms = sms_in_groups(search);
    for (; sms < search->sm_count; sms++)
        if (!sm_groups_add(search, 1))
            return false;
    return sms == search->sm_count && sm_groups_agrees(search);
}

/* Whether further groups of at most `most` SMs can lead to the counts of the largest clusters. A
   group holds at least b times as many clusters with b blocks per SM as with one, and compared with
   these the most if it has less than two clusters' SMs. */
static bool can_agree(const struct search *search, uint32_t most)
{
    const struct smc_cluster_counts *counts = search->counts;
    const uint32_t size = counts->largest_size;
    const uint64_t missing = sm_groups_counted(search, 1, size) - resident(search, 1, size);
    const uint32_t fullest = most < 2 * size ? most : 2 * size - 1;
    for (uint32_t blocks = 1; blocks <= SMC_MOST_COUNTED_BLOCKS; blocks++) {
        const uint64_t now = resident(search, blocks, size),
                       wanted = sm_groups_counted(search, blocks, size);
        if (counts->is_counted[blocks - 1] &&
            (now + missing * blocks > wanted || now + missing * (fullest * blocks / size) < wanted))
            return false;
    }
    return sms_in_groups(search) + missing * size <= search->sm_count;
}

/* Adds groups of at most `most` SMs until they hold as many of the largest clusters as counted;
   then the others. */
static bool add_large(struct search *search, uint32_t most)
{
    const uint32_t size = search->counts->largest_size, count = search->groups.count;
    if (search->steps_left == 0 || resident(search, 1, size) > sm_groups_counted(search, 1, size) ||
        !can_agree(search, most))
        return false;
    search->steps_left--;
    if (resident(search, 1, size) == sm_groups_counted(search, 1, size)) {
        if (add_small(search))
            return true;
        search->groups.count = count;
        return false;
    }
    for (uint32_t sms = most; sms >= size && sm_groups_add(search, sms); sms--) {
        if (add_large(search, sms))
            return true;
        search->groups.count = count;
    }
    return false;
}

bool smc_sm_groups_find(uint32_t sm_count, const struct smc_cluster_counts *counts,
                        struct smc_sm_groups *groups)
{
    enum { MOST_STEPS = 100000, USUAL = 31 }; /* no group of SMs was ever larger */
    struct search search = {.sm_count = sm_count, .counts = counts, .steps_left = MOST_STEPS};
    bool found = counts->largest_size > 1 && counts->largest_size <= SMC_MOST_COUNTED_SIZE &&
                 sm_count <= UINT16_MAX && counts->is_counted[0] &&
                 (add_large(&search, USUAL) || add_large(&search, sm_count));
    *groups = found ? search.groups : (struct smc_sm_groups){0};
    return found;
}

void smc_ceilings_set_groups(const struct smc_ceilings *ceilings, struct smc_device *device)
{
    bool is_own = device->source == SMC_DEVICE_FILE && device->sm_groups.count > 0;
    if (!is_own && smc_sm_groups_are_known(&ceilings->sm_groups, device->sm_count))
        device->sm_groups = ceilings->sm_groups;
}
