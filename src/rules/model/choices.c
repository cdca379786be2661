/* Choosing among several block sizes: rule after rule drops those that are clearly worse. */
#include "rules/allocation.h"
#include "rules/devices.h"
#include "rules/headroom.h"
#include "rules/next_steps.h"

const struct smc_rule_info smc_rule_info[SMC_RULE_COUNT] = {
#define RULE(id, name, percent, higher, text) [SMC_RULE_##id] = {name, percent, higher, text},
#include "rules/model/rules.def"
};

static bool is_left(const struct smc_choice *choice)
{
    return choice->dropped_by == SMC_RULE_COUNT;
}

static bool is_as_good(const struct smc_rule_info *info, double value, double best)
{
    if (info->higher_is_better)
        return value >= best * (1 - info->percent / 100);
    return value <= best * (1 + info->percent / 100);
}

static void drop_worse(enum smc_rule rule, struct smc_choice *choices, size_t count)
{
    const struct smc_rule_info *info = &smc_rule_info[rule];
    const double *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const double *value = &choices[i].value[rule];
        if (is_left(&choices[i]) &&
            (!best || (info->higher_is_better ? *value > *best : *value < *best)))
            best = value;
    }
    for (size_t i = 0; best && i < count; i++)
        if (is_left(&choices[i]) && !is_as_good(info, choices[i].value[rule], *best))
            choices[i].dropped_by = rule;
}

void smc_choices_apply(struct smc_choice *choices, size_t count)
{
    bool launches = false, chosen = false;
    for (size_t i = 0; i < count; i++) {
        choices[i].dropped_by = SMC_RULE_COUNT;
        launches |= choices[i].value[SMC_RULE_LAUNCHES] > 0;
    }
    for (size_t i = 0; i < count && !launches; i++)
        choices[i].dropped_by = SMC_RULE_LAUNCHES;
    for (int rule = 0; rule < SMC_RULE_COUNT; rule++)
        drop_worse((enum smc_rule)rule, choices, count);
    for (size_t i = 0; i < count; i++) {
        if (is_left(&choices[i]) && chosen)
            choices[i].dropped_by = SMC_RULE_THREADS;
        chosen |= is_left(&choices[i]);
    }
}

/* --- The best block of a launch --------------------------------------------------------------- */

enum { MOST_BLOCK_SIZES = 64 };

/* Of those that the current CUDA Toolkit compiles for, and the launch's own. */
static uint32_t choices_count_architectures(const struct smc_sm *sm,
                                            const struct smc_launch *launch)
{
    uint32_t count = 0;
    for (size_t i = 0; i < smc_capability_count(); i++) {
        struct smc_capability capability;
        struct smc_occupancy occupancy;
        smc_capability_at(i, &capability);
        if (!smc_capability_is_current(capability.sm.cc) && capability.sm.cc != sm->cc)
            continue;
        smc_occupancy_compute(&capability.sm, launch, &occupancy);
        count += occupancy.blocks_per_sm > 0;
    }
    return count;
}

/* What is the same for all sizes stays 0. */
static struct smc_choice choices_value(const struct smc_sm *sm, const struct smc_launch *launch)
{
    struct smc_occupancy occupancy;
    struct smc_choice choice = {0};
    smc_occupancy_compute(sm, launch, &occupancy);
    choice.value[SMC_RULE_LAUNCHES] = occupancy.blocks_per_sm > 0;
    choice.value[SMC_RULE_WARPS] = smc_occupancy_percent(sm, &occupancy);
    choice.value[SMC_RULE_ARCHITECTURES] = choices_count_architectures(sm, launch);
    choice.value[SMC_RULE_SMALLEST] = launch->threads_per_block >= SMC_BEST_SMALL_BLOCK;
    choice.value[SMC_RULE_BLOCKS] = occupancy.blocks_per_sm;
    choice.value[SMC_RULE_THREADS] = launch->threads_per_block;
    return choice;
}

enum smc_status smc_best_block_find(const struct smc_sm *sm, const struct smc_launch *launch,
                                    struct smc_launch *out, struct smc_error *error)
{
    struct smc_choice choices[MOST_BLOCK_SIZES];
    struct smc_launch tried = *launch;
    size_t count = 0;
    *out = *launch;
    if (smc_launch_validate(sm, launch, error) != SMC_OK)
        return SMC_USAGE;
    tried.block[0] = 0; /* any shape is allowed */
    for (uint32_t threads = sm->warp_size;
         threads <= sm->max_threads_per_block && count < MOST_BLOCK_SIZES;
         threads += sm->warp_size) {
        smc_launch_set_threads(&tried, threads);
        choices[count++] = choices_value(sm, &tried);
    }
    smc_choices_apply(choices, count);
    for (size_t i = 0; i < count; i++)
        if (choices[i].dropped_by == SMC_RULE_COUNT) {
            smc_launch_set_threads(&tried, (uint32_t)choices[i].value[SMC_RULE_THREADS]);
            *out = tried;
            return SMC_OK;
        }
    return smc_fail(error, SMC_USAGE, "no block size can be launched with these resources");
}
