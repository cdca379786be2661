/* Choosing among several block sizes: rule after rule drops those that are clearly worse. */
#include "rules/headroom.h"

const struct smc_rule_info smc_rule_info[SMC_RULE_COUNT] = {
#define RULE(id, name, percent, higher, text) [SMC_RULE_##id] = {name, percent, higher, text},
#include "rules/model/rules.def"
#undef RULE
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
