/* What warps wait for: phases of barriers, and groups of asynchronous work. */
#include "machine/timing/phases.h"

#include <stddef.h>

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* --- Groups ----------------------------------------------------------------------------------- */

void smc_groups_commit(struct smc_groups *groups)
{
    groups->group[groups->count++ % SMC_MOST_GROUPS] = groups->last;
}

double smc_groups_wait(const struct smc_groups *groups, uint32_t missing)
{
    return missing < groups->count ? groups->group[(groups->count - 1 - missing) % SMC_MOST_GROUPS]
                                   : 0;
}

/* --- Barriers --------------------------------------------------------------------------------- */

struct smc_phased_barrier *smc_phases_find(struct smc_phased_barriers *barriers, uint32_t address)
{
    for (uint32_t i = 0; i < barriers->count; i++)
        if (barriers->barrier[i].address == address)
            return &barriers->barrier[i];
    if (barriers->count == SMC_MOST_PHASED_BARRIERS)
        return NULL;
    struct smc_phased_barrier *added = &barriers->barrier[barriers->count++];
    *added = (struct smc_phased_barrier){.address = address};
    return added;
}

void smc_phases_init(struct smc_phased_barrier *barrier, uint32_t count)
{
    *barrier = (struct smc_phased_barrier){
        .address = barrier->address, .expected = count, .arrivals = count};
}

/* All that the phase lacked has arrived. */
static bool end_phase(struct smc_phased_barrier *barrier)
{
    if (barrier->expected == 0 || barrier->arrivals > 0 || barrier->bytes > 0)
        return false;
    barrier->phases++;
    barrier->ended = later(barrier->ended, barrier->when);
    barrier->arrivals += barrier->expected;
    barrier->when = 0;
    return true;
}

bool smc_phases_arrive(struct smc_phased_barrier *barrier, uint32_t count, uint32_t bytes,
                       double clock)
{
    barrier->arrivals -= count;
    barrier->bytes += bytes;
    barrier->when = later(barrier->when, clock);
    return end_phase(barrier);
}

bool smc_phases_receive(struct smc_phased_barrier *barrier, uint32_t bytes, double clock)
{
    int64_t lacking = barrier->bytes > 0 ? barrier->bytes : 0;
    barrier->bytes -= bytes ? (int64_t)bytes : lacking;
    barrier->when = later(barrier->when, clock);
    return end_phase(barrier);
}

void smc_phases_end(struct smc_phased_barrier *barrier, double clock)
{
    barrier->arrivals = barrier->bytes = 0;
    barrier->when = later(barrier->when, clock);
    end_phase(barrier);
}

bool smc_phases_passes(const struct smc_phased_barrier *barrier, bool odd)
{
    return barrier->expected == 0 || (barrier->phases & 1) != (odd ? 1u : 0u);
}
