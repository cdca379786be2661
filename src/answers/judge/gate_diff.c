/* What a gate says of a comparison: how much growth it tolerates, and what its entries allow. */
#include "answers/diff.h"
#include "answers/gate.h"
#include "base/memory.h"

#define BIT(change) (1u << SMC_DIFF_##change)

/* --- [diff] ----------------------------------------------------------------------------------- */

static bool gate_diff_is_within(double before, double after, double growth)
{
    return after - before <= growth + 1e-9; /* of percentages, which are not binary fractions */
}

/* Blocks and occupancy at one of the block sizes. No launch is never tolerated. */
static uint32_t tolerates_at(const struct smc_gate_growth *growth, uint32_t before, uint32_t after,
                             double percent_before, double percent_after)
{
    if (after == 0 && before > 0)
        return 0;
    return (gate_diff_is_within(after, before, growth->blocks) ? BIT(BLOCKS) : 0) |
           (gate_diff_is_within(percent_after, percent_before, growth->occupancy_percent)
                ? BIT(OCCUPANCY)
                : 0);
}

/* Where the block size is unknown, what holds at every size. */
static uint32_t tolerates_launches(const struct smc_gate_growth *growth,
                                   const struct smc_diff_pair *pair)
{
    const struct smc_inspect_row *before = &pair->before, *after = &pair->after;
    uint32_t tolerated = BIT(BLOCKS) | BIT(OCCUPANCY);
    if (before->launch.threads_per_block > 0)
        return tolerates_at(growth, before->occupancy.blocks_per_sm, after->occupancy.blocks_per_sm,
                            before->occupancy_percent, after->occupancy_percent);
    for (uint32_t i = 0; i < SMC_BLOCK_SIZES; i++) {
        double percent = 100.0 * (i + 1) / pair->device->sm.max_warps_per_sm;
        uint32_t blocks = before->sizes.blocks_per_sm[i], now = after->sizes.blocks_per_sm[i];
        tolerated &= tolerates_at(growth, blocks, now, blocks * percent, now * percent);
    }
    return tolerated;
}

/* The changes for the worse that the allowed growth covers. */
static uint32_t find_tolerated(const struct smc_gate_growth *growth,
                               const struct smc_diff_pair *pair)
{
    const struct smc_resources *r = &pair->before.kernel->resources;
    const struct smc_resources *s = &pair->after.kernel->resources;
    uint32_t tolerated = tolerates_launches(growth, pair);
    if (gate_diff_is_within(r->regs_per_thread, s->regs_per_thread, growth->registers))
        tolerated |= BIT(REGISTERS);
    if (gate_diff_is_within((double)r->spill_store_bytes + r->spill_load_bytes,
                            (double)s->spill_store_bytes + s->spill_load_bytes,
                            growth->spill_bytes))
        tolerated |= BIT(SPILLS);
    if (gate_diff_is_within(r->stack_bytes, s->stack_bytes, growth->stack_bytes))
        tolerated |= BIT(STACK);
    if (gate_diff_is_within(pair->before.launch.static_smem_bytes,
                            pair->after.launch.static_smem_bytes, growth->static_smem_bytes))
        tolerated |= BIT(STATIC_SMEM);
    if (gate_diff_is_within(r->barriers, s->barriers, growth->barriers))
        tolerated |= BIT(BARRIERS);
    return tolerated & pair->worse;
}

/* --- [[allow]] -------------------------------------------------------------------------------- */

static const enum smc_gate_key limits[SMC_DIFF_CHANGE_COUNT] = {
#define CHANGE(id, name, limit) [SMC_DIFF_##id] = SMC_GATE_##limit,
#include "answers/judge/changes.def"
};

/* Of the changes: those that the entry is about. */
static uint32_t find_covered(const struct smc_gate_allowance *allowance,
                             const struct smc_diff_pair *pair, uint32_t changes)
{
    uint32_t covered = 0;
    for (int change = 0; change < SMC_DIFF_CHANGE_COUNT; change++)
        if (changes & 1u << change &&
            smc_gate_covers(allowance, pair->after.kernel, pair->device, limits[change]))
            covered |= 1u << change;
    return covered;
}

/* --- The comparison --------------------------------------------------------------------------- */

/* "registers, static smem", or nothing if that is all that is worse. */
static void append_changes(const struct smc_diff_pair *pair, uint32_t changes,
                           struct smc_text *text)
{
    const char *comma = "";
    smc_text_append(text, text->length > 0 ? "; " : "");
    if (changes == pair->worse)
        return;
    for (int change = 0; change < SMC_DIFF_CHANGE_COUNT; change++) {
        if (!(changes & 1u << change))
            continue;
        smc_text_append(text, comma);
        for (const char *c = smc_diff_change_name((enum smc_diff_change)change); *c; c++)
            smc_text_append_char(text, *c == '_' ? ' ' : *c, 1);
        comma = ", ";
    }
}

static void excuse_by_entries(const struct smc_gate *gate, uint32_t today,
                              struct smc_diff_pair *pair, bool *used, struct smc_text *text)
{
    for (int expired = 0; expired <= 1; expired++)
        for (size_t i = 0; i < gate->allowance_count; i++) {
            const struct smc_gate_allowance *allowance = &gate->allowance[i];
            uint32_t covered = find_covered(allowance, pair, pair->worse & ~pair->excused);
            if (covered == 0 || smc_gate_has_expired(allowance, today) != (expired == 1))
                continue;
            append_changes(pair, covered, text);
            smc_text_append(text, covered == pair->worse ? "" : expired ? ": " : " ");
            smc_text_append(text, expired ? "it was " : "");
            smc_gate_append_allowance(gate, allowance, today, text);
            pair->excused |= expired ? 0 : covered;
            used[i] = true;
        }
}

/* False: out of memory. */
static bool excuse(const struct smc_gate *gate, uint32_t today, struct smc_diff_pair *pair,
                   bool *used)
{
    smc_auto_text text = {0};
    pair->excused = find_tolerated(&gate->growth, pair);
    if (pair->excused) {
        append_changes(pair, pair->excused, &text);
        smc_text_append(&text, pair->excused == pair->worse ? "" : " ");
        smc_text_append(&text, "tolerated by [diff]");
    }
    excuse_by_entries(gate, today, pair, used, &text);
    bool done = !text.failed;
    if (done && text.length > 0) {
        pair->excuse = smc_strdup(smc_text_string(&text));
        done = pair->excuse != NULL;
    }
    return done;
}

/* The pairs of a kernel are adjacent. */
static void count_excused(struct smc_diff *diff)
{
    for (size_t begin = 0, end; begin < diff->count; begin = end) {
        bool worse = false, counts = false;
        for (end = begin; end < diff->count && diff->pair[end].group == diff->pair[begin].group;
             end++) {
            worse |= diff->pair[end].worse != 0;
            counts |= (diff->pair[end].worse & ~diff->pair[end].excused) != 0;
        }
        diff->excused += worse && !counts;
    }
}

bool smc_gate_excuse(const struct smc_gate *gate, uint32_t today, struct smc_diff *diff, bool *used)
{
    for (size_t i = 0; i < diff->count; i++)
        if (diff->pair[i].worse && !excuse(gate, today, &diff->pair[i], used))
            return false;
    count_excused(diff);
    return true;
}
