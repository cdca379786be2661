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

/* --- Carve-outs ------------------------------------------------------------------------------- */

/* The sizes that an SM's shared memory can be set to, and what a launch gains by each.

   All of it is a preference: the driver may configure another size (on an H200 with carve-out 0 and
   no shared memory the API said 8 blocks while 16 were resident). */

enum { SMC_CACHE_CONFIG_COUNT = SMC_CACHE_PREFER_EQUAL + 1 };

struct smc_carveout {
    uint32_t smem_bytes;  /* of the SM, as requested */
    uint32_t l1_bytes;    /* what is left for the L1 cache; 0: it is separate or absent */
    int32_t percent_from; /* percentages that request this size; -1 if none does */
    int32_t percent_to;
    enum smc_smem_mode smem_mode; /* with which it is requested */
    uint32_t configured_bytes;    /* above smem_bytes if that is too little for one block */
    uint32_t blocks_per_sm;
};

struct smc_carveouts {
    bool by_percent; /* from CC 7.0; before, only a cache configuration has an effect, if any */
    uint32_t count;
    struct smc_carveout size[SMC_MAX_CARVEOUTS]; /* ascending; those that can be requested. The last
                                                    is the oversized one if the launch's mode allows
                                                    it */
    struct smc_carveout preference[SMC_CACHE_CONFIG_COUNT]; /* by enum smc_cache_config */
    uint32_t most_blocks;                                   /* at any size */
};

/* The launch's own carve-out and cache configuration are ignored. */
void smc_carveouts_find(const struct smc_sm *sm, const struct smc_launch *launch,
                        struct smc_carveouts *out);

/* The smallest size with at least that many blocks; NULL if there is none. */
const struct smc_carveout *smc_carveouts_smallest(const struct smc_carveouts *carveouts,
                                                  uint32_t blocks_per_sm);

/* The CUDA runtime's name of a preference: "cudaFuncCachePreferL1". */
const char *smc_cache_config_name(enum smc_cache_config cache_config);

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
