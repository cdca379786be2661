/* The inverse question: the most resources that each block may use if a given number of blocks is
   to fit on an SM. */
#ifndef SMC_RULES_HEADROOM_H
#define SMC_RULES_HEADROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "rules/occupancy.h"

enum {
    SMC_MAX_HEADROOM_LEVELS = 64
}; /* no known SM holds more blocks; if one does, only the first
      64 levels are reported */

/* A kernel compiled with a bound on its registers. */
struct smc_bound_cost {
    bool is_known;
    uint32_t regs_per_thread, spill_store_bytes, spill_load_bytes;
    double predicted_ms; /* 0: not known */
    char with[48];       /* what the bound was: "__launch_bounds__(256, 8)" */
};

/* The largest values with which at least `blocks_per_sm` blocks are resident. A fixed resource has
   the launch's own value. */
struct smc_headroom_level {
    uint32_t blocks_per_sm;
    uint32_t warps_per_sm;
    double percent; /* of the SM's warp slots */
    uint32_t regs_per_thread;
    uint32_t dynamic_smem_bytes; /* per block; the static bytes are the launch's */
    uint64_t resident_clusters;  /* on the GPU, if the headroom has clusters */
    struct smc_bound_cost cost; /* of these registers, where they are fewer than the kernel has; for
                                   the caller to set */
};

/* Which values of the launch stay as they are. The others are searched, and their values in the
   launch are ignored. */
struct smc_fixed {
    bool regs, dynamic_smem;
};

struct smc_headroom {
    struct smc_fixed fixed;
    uint32_t count;
    struct smc_headroom_level level[SMC_MAX_HEADROOM_LEVELS]; /* for 1 block per SM, 2, ... */
    bool has_clusters;       /* smc_headroom_set_clusters has set them */
    bool clusters_are_bound; /* no more, but perhaps fewer: how the SMs are grouped is not known */

    /* The launch with the least possible amount of each resource that is not fixed: its limiters
       show what prevents another block, its refusals why not even one block fits. */
    struct smc_occupancy most;
};

/* Registers and shared memory limit the blocks independently, so both maxima of a level can be used
   together. */
void smc_headroom_find(const struct smc_sm *sm, const struct smc_launch *launch,
                       struct smc_fixed fixed, struct smc_headroom *out);

/* Adds the clusters of `size` blocks that are resident on a GPU of `sm_count` SMs. None with fewer
   than 2 blocks or without SMs. `groups` may be NULL, or not known. */
void smc_headroom_set_clusters(struct smc_headroom *headroom, uint32_t sm_count,
                               const struct smc_sm_groups *groups, uint32_t size);

/* --- Choosing the best ------------------------------------------------------------------------ */

/* Choosing among several block sizes: rule after rule drops those that are clearly worse. */

enum smc_rule {
#define RULE(id, name, percent, higher, text) SMC_RULE_##id,
#include "rules/model/rules.def"
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

/* --- Refused launches in words ---------------------------------------------------------------- */

/* Why a launch is refused, in words. */

/* Appends "a block of 128 threads in z; this device allows 64". `occupancy` is what was computed or
   checked for the launch; `refusal` is one of its refusals. */
void smc_refusal_describe(const struct smc_sm *sm, const struct smc_launch *launch,
                          const struct smc_occupancy *occupancy, enum smc_refusal refusal,
                          struct smc_text *out);

#endif
