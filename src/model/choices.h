/* Choosing among several block sizes: rule after rule drops those that are clearly worse. */
#ifndef SMC_MODEL_CHOICES_H
#define SMC_MODEL_CHOICES_H

#include <stdbool.h>
#include <stddef.h>

enum smc_rule {
#define RULE(id, name, percent, higher, text) SMC_RULE_##id,
#include "model/rules.def"
#undef RULE
    SMC_RULE_COUNT
};

struct smc_rule_info {
    const char *name;
    double percent; /* values within this percentage of the best count as equally good */
    bool higher_is_better;
    const char *text;
};

extern const struct smc_rule_info smc_rule_info[SMC_RULE_COUNT];

struct smc_choice {
    double value[SMC_RULE_COUNT]; /* what each rule compares; the same for all choices if unknown */
    enum smc_rule dropped_by;     /* SMC_RULE_COUNT: not dropped, this is the proposal */
};

/* Sets `dropped_by` of each. If no choice can be launched, the LAUNCHES rule drops them all;
   otherwise one proposal is left, the first of those that are equal by every rule. */
void smc_choices_apply(struct smc_choice *choices, size_t count);

#endif
