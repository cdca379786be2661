/* Joins what changed on two paths from a branch: see lane_values.h. */
#include "machine/emulator/lane_values.h"

/* Whether joining made a register less known. A new shared part counts only once at each
   instruction: it then stands for all others that are joined there. */
static bool lost(const struct smc_known *before, const struct smc_known *after, uint32_t mask,
                 uint32_t instruction)
{
    return (before->id != after->id && before->joined_at != instruction + 1) ||
           before->align != after->align || before->bits != after->bits ||
           (before->lanes & mask) != (after->lanes & mask) || before->wraps != after->wraps ||
           before->points != after->points;
}

/* A register of two states, one of which may have it as it is at the mark. */
static bool join_change(struct smc_lane_values *values, const struct smc_lane_join *join,
                        const struct smc_lane_change *from, struct smc_lane_change *into,
                        uint32_t into_mask)
{
    const struct smc_known before = into->known;
    const enum smc_slot_kind kind = (enum smc_slot_kind)values->kind[into->slot];
    struct smc_known known = from->known;
    const struct smc_lane_register one = {kind, (char *)(uintptr_t)from->value, &known,
                                          join->from->mask};
    struct smc_lane_register other = {kind, (char *)into->value, &into->known, into_mask};
    smc_lane_values_join(values, &one, join->apart, &other);
    if (into->known.cause == SMC_CAUSE_PATHS && before.cause == SMC_CAUSE_NONE)
        into->known.instruction = join->instruction;
    bool changed = lost(&before, &into->known, into_mask, join->instruction);
    if (before.id != into->known.id)
        into->known.joined_at = join->instruction + 1;
    return changed;
}

/* The change of a register that only the other state has changed. */
static struct smc_lane_change *add_unchanged(struct smc_lane_values *values,
                                             const struct smc_lane_join *join, size_t i,
                                             struct smc_lane_changes *into)
{
    struct smc_lane_change *to = smc_lane_change_add(&into->item, &into->count, &into->room);
    if (to && join->before)
        *to = join->before->item[i];
    else if (to)
        smc_lane_register_copy(values, join->state, join->from->item[i].slot, to);
    return to;
}

bool smc_lane_changes_join(struct smc_lane_values *values, const struct smc_lane_join *join,
                           struct smc_lane_changes *into, bool *changed)
{
    const struct smc_lane_changes *from = join->from;
    const uint32_t mask = into->mask;
    const size_t own = into->count;
    bool joined = true;
    *changed |= (from->mask & ~mask) != 0 || (from->reduced && !into->reduced) ||
                (from->diverged && !into->diverged);
    for (size_t i = 0; i < own; i++)
        values->place[into->item[i].slot] = (uint32_t)i + 1;
    for (size_t i = 0; i < from->count && joined; i++) {
        uint32_t place = values->place[from->item[i].slot];
        struct smc_lane_change *to =
            place ? &into->item[place - 1] : add_unchanged(values, join, i, into);
        joined = to != NULL;
        if (to)
            *changed |= join_change(values, join, &from->item[i], to, mask);
        values->place[from->item[i].slot] = 0;
    }
    for (size_t i = 0; i < own && joined && !join->before; i++) { /* what only `into` changed */
        struct smc_lane_change *to = &into->item[i], same;
        if (!values->place[to->slot])
            continue;
        smc_lane_register_copy(values, join->state, to->slot, &same);
        *changed |= join_change(values, join, &same, to, mask);
    }
    for (size_t i = 0; i < own; i++)
        values->place[into->item[i].slot] = 0;
    into->mask |= from->mask;
    into->reduced |= from->reduced;
    into->diverged |= from->diverged;
    return joined;
}

void smc_lane_changes_part(const struct smc_lane_state *state, uint32_t instruction,
                           struct smc_lane_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        struct smc_known *known = &changes->item[i].known;
        if (known->align == SMC_EXACT || known->id == state->known[changes->item[i].slot].id)
            continue;
        known->lanes = 0;
        if (known->cause == SMC_CAUSE_NONE) {
            known->cause = SMC_CAUSE_PATHS;
            known->instruction = instruction;
        }
    }
}
