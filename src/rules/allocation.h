/* Registers: how many are allocated to a warp or a block, and how many blocks that allows. */
#ifndef SMC_RULES_ALLOCATION_H
#define SMC_RULES_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "rules/launch.h"

/* The allocation unit, in registers, for a thread of `regs_per_thread`. On CC 2.x it depends on
   the count (cuda_occupancy.h of CUDA 7.0 and 8.0). */
uint32_t smc_registers_unit(const struct smc_sm *sm, uint32_t regs_per_thread);

/* The launch check rounds a block's warps up to a multiple of this. */
uint32_t smc_registers_checked_subpartitions(const struct smc_sm *sm);

/* Sets the limit, the allocation, the refusals and the partitioned caching in effect. Expects
   out->warps_per_block and out->partitioned_caching to be set. */
void smc_registers_limit(const struct smc_sm *sm, const struct smc_launch *launch,
                         struct smc_occupancy *out);

/* --- Shared memory ---------------------------------------------------------------------------- */

/* Shared memory: how much is allocated to a block, the carve-out in effect, and how many blocks
   fit. */

/* The shared memory of an SM that a preference requests, before it is raised to fit a block. From
   CC 7.0 a percentage (0 to 100) is rounded up to a supported size; before, only the cache
   configuration has an effect, and on CC 5.x and 6.x neither has (cuda_occupancy.h of CUDA
   13.5). */
uint32_t smc_smem_preferred_bytes(const struct smc_sm *sm, int32_t carveout_percent,
                                  enum smc_cache_config cache_config);

/* The largest size of the SM's shared memory that a launch of this mode may configure. */
uint32_t smc_smem_largest_bytes(const struct smc_sm *sm, enum smc_smem_mode mode);

/* The most shared memory of a block, static plus dynamic and without the driver's reserve, that the
   launch's mode allows. In an oversized mode, an SM without an oversized configuration has its
   opt-in limit. */
uint32_t smc_smem_most_per_block(const struct smc_sm *sm, const struct smc_launch *launch);

/* The bytes that cudaFuncAttributeMaxDynamicSharedMemorySize must be set to before the launch; 0:
   it needs no call, or none helps. */
uint32_t smc_smem_to_opt_in(const struct smc_sm *sm, const struct smc_launch *launch);

/* Sets the limit, the allocation, the configured size and the refusals. */
void smc_smem_limit(const struct smc_sm *sm, const struct smc_launch *launch,
                    struct smc_occupancy *out);

/* --- Choosing the best ------------------------------------------------------------------------ */

/* Choosing among several block sizes: rule after rule drops those that are clearly worse. */

enum smc_rule {
#define RULE(id, name, percent, higher, text) SMC_RULE_##id,
#include "rules/model/rules.def"
    SMC_RULE_COUNT
};

enum { SMC_BEST_SMALL_BLOCK = 128 }; /* threads: a smaller one only if no larger one is as good */

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
