/* What changed in a warp's registers since a branch: see lane_values.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "emulator/lane_values.h"

static size_t bytes_of(const struct smc_lane_values *values, uint32_t slot)
{
    return values->kind[slot] == SMC_SLOT_64   ? 8 * SMC_LANES
           : values->kind[slot] == SMC_SLOT_32 ? 4 * SMC_LANES
                                               : 4;
}

/* Room for one more; NULL: out of memory. */
static struct smc_lane_change *add_change(struct smc_lane_change **list, size_t *count,
                                          size_t *room)
{
    if (*count == *room) {
        size_t more = *room ? 2 * *room : 64;
        struct smc_lane_change *larger = smc_realloc(*list, more * sizeof *larger);
        if (!larger)
            return NULL;
        *list = larger;
        *room = more;
    }
    return &(*list)[(*count)++];
}

static void copy_register(const struct smc_lane_values *values, const struct smc_lane_state *state,
                          uint32_t slot, struct smc_lane_change *to)
{
    to->slot = slot;
    to->known = state->known[slot];
    memcpy(to->value, state->file + (size_t)slot * SMC_SLOT_UNIT, bytes_of(values, slot));
}

/* To be called before a register changes. */
void smc_lane_state_keep(const struct smc_lane_values *values, struct smc_lane_state *state,
                         uint32_t slot)
{
    if (state->changed_at[slot] >= state->mark)
        return;
    struct smc_lane_change *change = add_change(&state->change, &state->changes, &state->room);
    if (!change) {
        state->failed = true;
        return;
    }
    copy_register(values, state, slot, change);
    change->mark = state->changed_at[slot];
    state->changed_at[slot] = state->mark;
}

static void set_register(const struct smc_lane_values *values, const struct smc_lane_change *from,
                         struct smc_lane_state *state)
{
    state->known[from->slot] = from->known;
    memcpy(state->file + (size_t)from->slot * SMC_SLOT_UNIT, from->value,
           bytes_of(values, from->slot));
}

struct smc_lane_mark smc_lane_state_mark(struct smc_lane_state *state)
{
    const struct smc_lane_mark mark = {state->changes, state->mark, state->mask, state->diverged,
                                       state->reduced};
    state->mark = ++state->marks;
    return mark;
}

void smc_lane_state_revert(const struct smc_lane_values *values, const struct smc_lane_mark *mark,
                           struct smc_lane_state *state)
{
    while (state->changes > mark->changes) {
        const struct smc_lane_change *change = &state->change[--state->changes];
        set_register(values, change, state);
        state->changed_at[change->slot] = change->mark;
    }
    state->mask = mark->mask;
    state->diverged = mark->diverged;
    state->reduced = mark->reduced;
}

void smc_lane_state_unmark(const struct smc_lane_mark *mark, struct smc_lane_state *state)
{
    state->mark = mark->outer;
}

bool smc_lane_changes_take(struct smc_lane_values *values, const struct smc_lane_state *state,
                           const struct smc_lane_mark *mark, struct smc_lane_changes *changes,
                           struct smc_lane_changes *before)
{
    bool taken = true;
    changes->count = 0;
    changes->mask = state->mask;
    changes->diverged = state->diverged;
    changes->reduced = state->reduced;
    for (size_t i = mark->changes; i < state->changes && taken; i++) {
        uint32_t slot = state->change[i].slot;
        struct smc_lane_change *to, *was = NULL;
        if (values->place[slot]++)
            continue;
        to = add_change(&changes->item, &changes->count, &changes->room);
        if (before)
            was = add_change(&before->item, &before->count, &before->room);
        taken = to && (was || !before);
        if (to)
            copy_register(values, state, slot, to);
        if (was)
            *was = state->change[i];
    }
    for (size_t i = mark->changes; i < state->changes; i++)
        values->place[state->change[i].slot] = 0;
    return taken;
}

void smc_lane_changes_apply(const struct smc_lane_values *values,
                            const struct smc_lane_changes *changes, struct smc_lane_state *state)
{
    for (size_t i = 0; i < changes->count; i++) {
        smc_lane_state_keep(values, state, changes->item[i].slot);
        set_register(values, &changes->item[i], state);
    }
    state->mask = changes->mask;
    state->diverged = changes->diverged;
    state->reduced = changes->reduced;
}

void smc_lane_changes_free(struct smc_lane_changes *changes)
{
    free(changes->item);
    *changes = (struct smc_lane_changes){0};
}

/* --- Joining ---------------------------------------------------------------------------------- */

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
    struct smc_lane_change *to = add_change(&into->item, &into->count, &into->room);
    if (to && join->before)
        *to = join->before->item[i];
    else if (to)
        copy_register(values, join->state, join->from->item[i].slot, to);
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
        copy_register(values, join->state, to->slot, &same);
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
