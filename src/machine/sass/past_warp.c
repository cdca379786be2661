/* Finds warps that repeat themselves. */
#include "machine/sass/past_warp.h"

#include <string.h>

/* Whether a register holds the same; what lanes hold that is not known does not count. */
static bool is_as_before(const struct smc_lanes *now, const struct smc_lanes *before)
{
    const size_t values = now->same ? 1 : SMC_LANES;
    if (now->unknown != before->unknown)
        return false;
    return now->unknown == UINT32_MAX ||
           (now->same == before->same &&
            memcmp(now->value, before->value, values * sizeof *now->value) == 0);
}

static bool flags_are_as_before(const struct smc_flags *now, const struct smc_flags *before)
{
    for (int i = 0; i < SMC_TRUE_PREDICATE; i++)
        if (now[i].is != before[i].is || now[i].unknown != before[i].unknown)
            return false;
    return true;
}

/* Looks first at the register that differed last. */
static bool equals(struct smc_past_warp *past, const struct smc_sass_warp *warp, uint32_t at)
{
    const struct smc_sass_warp *before = &past->warp;
    if (!past->is_kept || past->at != at ||
        !is_as_before(&warp->reg[past->differed], &before->reg[past->differed]))
        return false;
    for (unsigned i = 0; i < smc_place_registers(warp->place); i++)
        if (!is_as_before(&warp->reg[i], &before->reg[i])) {
            past->differed = i;
            return false;
        }
    for (unsigned i = 0; i < SMC_ZERO_UNIFORM; i++)
        if (!is_as_before(&warp->uniform[i], &before->uniform[i]))
            return false;
    return flags_are_as_before(warp->predicate, before->predicate) &&
           flags_are_as_before(warp->uniform_predicate, before->uniform_predicate) &&
           warp->alive == before->alive;
}

bool smc_past_warp_is_due(struct smc_past_warp *past, const struct smc_sass_warp *warp, uint32_t at,
                          uint64_t steps)
{
    return steps >= past->next || equals(past, warp, at);
}

bool smc_past_warp_repeats(struct smc_past_warp *past, const struct smc_sass_warp *warp,
                           uint32_t at, uint64_t steps, uint64_t places)
{
    if (equals(past, warp, at) && past->places == places)
        return true;
    past->is_kept = true;
    past->read = 0;
    past->at = at;
    past->places = places;
    past->next = 2 * steps;
    past->differed = 0;
    past->warp = *warp;
    return false;
}
