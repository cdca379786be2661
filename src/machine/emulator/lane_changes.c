/* What changed in a warp's registers since a branch: see lane_values.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/lane_values.h"

static size_t bytes_of(const struct smc_lane_values *values, uint32_t slot)
{
    return values->kind[slot] == SMC_SLOT_64   ? 8 * SMC_LANES
           : values->kind[slot] == SMC_SLOT_32 ? 4 * SMC_LANES
                                               : 4;
}

struct smc_lane_change *smc_lane_change_add(struct smc_lane_change **list, size_t *count,
                                            size_t *room)
{
    if (!smc_make_room(list, *count, room, sizeof **list))
        return NULL;
    return &(*list)[(*count)++];
}

void smc_lane_register_copy(const struct smc_lane_values *values,
                            const struct smc_lane_state *state, uint32_t slot,
                            struct smc_lane_change *to)
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
    struct smc_lane_change *change =
        smc_lane_change_add(&state->change, &state->changes, &state->room);
    if (!change) {
        state->failed = true;
        return;
    }
    smc_lane_register_copy(values, state, slot, change);
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
        to = smc_lane_change_add(&changes->item, &changes->count, &changes->room);
        if (before)
            was = smc_lane_change_add(&before->item, &before->count, &before->room);
        taken = to && (was || !before);
        if (to)
            smc_lane_register_copy(values, state, slot, to);
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
