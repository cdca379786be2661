/* Divergence of the lanes of a warp. */
#include "machine/sass/lane_groups.h"

#include "base/hash.h"

void smc_lane_groups_start(struct smc_lane_groups *groups, uint32_t lanes)
{
    *groups = (struct smc_lane_groups){.count = 1};
    groups->group[0] = (struct smc_lane_group){.lanes = lanes, .awaited = SMC_NO_BARRIER};
}

void smc_lane_groups_split(struct smc_lane_groups *groups, uint32_t index, uint32_t others,
                           uint32_t at)
{
    struct smc_lane_group *apart = &groups->group[groups->count++];
    *apart = groups->group[index];
    apart->lanes = others;
    apart->at = at;
    groups->group[index].lanes &= ~others;
}

void smc_lane_groups_remove(struct smc_lane_groups *groups, uint32_t index)
{
    groups->group[index] = groups->group[--groups->count];
}

uint64_t smc_lane_groups_hash(const struct smc_lane_groups *groups)
{
    const uint32_t all[] = {groups->count, groups->joined, groups->joined_at};
    uint64_t hash = smc_hash(SMC_HASH_START, all, sizeof all);
    for (const struct smc_lane_group *group = groups->group; group < groups->group + groups->count;
         group++) {
        const uint32_t place[] = {group->lanes, group->at, (uint32_t)group->awaited, group->calls};
        hash = smc_hash(hash, place, sizeof place);
        hash = smc_hash(hash, group->back, group->calls * sizeof *group->back);
        hash = smc_hash(hash, group->meets, sizeof group->meets);
    }
    return hash;
}

/* --- Barriers --------------------------------------------------------------------------------- */

/* The lanes that take part in a barrier with those of a group that waits there: also by what others
   that wait at the same place took part in, since a function that the group called may have used
   the barrier meanwhile. */
static uint32_t lanes_that_meet(const struct smc_lane_groups *groups,
                                const struct smc_lane_group *group, int barrier)
{
    uint32_t lanes = group->lanes;
    if (barrier == SMC_WARP_BARRIER)
        return lanes | groups->joined;
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct smc_lane_group *other = &groups->group[i];
        if (other->awaited == barrier && other->at == group->at && other->calls == group->calls)
            lanes |=
                other == group || other->meets[barrier] & group->lanes ? other->meets[barrier] : 0;
    }
    return lanes;
}

/* Of these lanes, those that wait at a barrier, and also those that have yielded. */
static uint32_t lanes_that_wait(const struct smc_lane_groups *groups, int barrier, uint32_t lanes,
                                bool or_yielded)
{
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct smc_lane_group *group = &groups->group[i];
        if (group->awaited == barrier || (or_yielded && group->yields))
            waiting |= group->lanes & lanes;
    }
    return waiting;
}

/* The groups that wait at a barrier, of these lanes, go on as one. */
static void join_waiting(struct smc_lane_groups *groups, int barrier, uint32_t lanes)
{
    struct smc_lane_group joined = {.lanes = 0};
    for (uint32_t i = groups->count; i-- > 0;) {
        const uint32_t before = joined.lanes;
        if (groups->group[i].awaited != barrier || (groups->group[i].lanes & lanes) == 0)
            continue;
        joined = before ? joined : groups->group[i];
        joined.lanes = before | groups->group[i].lanes;
        smc_lane_groups_remove(groups, i);
    }
    joined.at = barrier == SMC_WARP_BARRIER ? groups->joined_at : joined.at + 1;
    joined.awaited = SMC_NO_BARRIER;
    groups->group[groups->count++] = joined;
    if (barrier == SMC_WARP_BARRIER)
        groups->joined = 0;
    else
        for (uint32_t i = 0; i < groups->count; i++)
            groups->group[i].meets[barrier] &= ~joined.lanes;
}

/* Lets those go on that wait at a barrier for nobody any more. */
static void release_lanes(struct smc_lane_groups *groups, int barrier, uint32_t alive,
                          bool or_yielded)
{
    for (uint32_t i = groups->count; i-- > 0;) {
        const struct smc_lane_group *group = &groups->group[i];
        if (group->awaited != barrier)
            continue;
        const uint32_t lanes = lanes_that_meet(groups, group, barrier);
        if ((lanes & alive & ~lanes_that_wait(groups, barrier, lanes, or_yielded)) != 0)
            continue;
        join_waiting(groups, barrier, lanes);
        i = groups->count;
    }
}

void smc_lane_groups_end(struct smc_lane_groups *groups, uint32_t alive)
{
    for (int i = 0; i <= SMC_WARP_BARRIER && groups->count > 0; i++)
        release_lanes(groups, i, alive, false);
}

void smc_lane_groups_take_part(struct smc_lane_group *group, unsigned barrier)
{
    group->meets[barrier] = group->lanes;
}

void smc_lane_groups_break(struct smc_lane_groups *groups, unsigned barrier, uint32_t lanes,
                           uint32_t alive)
{
    for (uint32_t i = 0; i < groups->count; i++)
        groups->group[i].meets[barrier] &= ~lanes;
    release_lanes(groups, (int)barrier, alive, false);
}

void smc_lane_groups_wait(struct smc_lane_groups *groups, uint32_t index, unsigned barrier,
                          uint32_t alive)
{
    groups->group[index].awaited = (int8_t)barrier;
    release_lanes(groups, (int)barrier, alive, false);
}

void smc_lane_groups_meet(struct smc_lane_groups *groups, uint32_t index, uint32_t alive)
{
    struct smc_lane_group *group = &groups->group[index];
    const bool is_elsewhere = groups->joined != 0 && groups->joined_at != group->at;
    if (group->lanes == alive || is_elsewhere)
        return;
    groups->joined = alive;
    groups->joined_at = group->at;
    group->awaited = SMC_WARP_BARRIER;
    release_lanes(groups, SMC_WARP_BARRIER, alive, false);
}

bool smc_lane_groups_part(struct smc_lane_groups *groups)
{
    bool any = false;
    for (uint32_t i = 0; i < groups->count; i++)
        if (groups->group[i].awaited == SMC_WARP_BARRIER) {
            groups->group[i].awaited = SMC_NO_BARRIER;
            any = true;
        }
    groups->joined = 0;
    return any;
}

void smc_lane_groups_yield(struct smc_lane_groups *groups, uint32_t index, uint32_t alive)
{
    struct smc_lane_group yielded = groups->group[index];
    yielded.yields = true;
    for (; index > 0; index--)
        groups->group[index] = groups->group[index - 1];
    groups->group[0] = yielded;
    for (int i = 0; i < SMC_LANE_BARRIERS; i++)
        release_lanes(groups, i, alive, true);
}
