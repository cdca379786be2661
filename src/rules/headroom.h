/* The inverse question: the most resources that each block may use if a given number of blocks is
   to fit on an SM; the best block; the sizes of the SM's shared memory. */
#ifndef SMC_RULES_HEADROOM_H
#define SMC_RULES_HEADROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "occupancy.h"

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
    struct smc_bound_cost cost; /* of these registers, where they are fewer than the kernel has; the
                                   caller sets it, who compiles the kernel */
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
   together. Errors are those of smc_occupancy_compute; then there are no levels. */
enum smc_status smc_headroom_find(const struct smc_sm *sm, const struct smc_launch *launch,
                                  struct smc_fixed fixed, struct smc_headroom *out);

/* Adds the clusters of `size` blocks that are resident on a GPU of `sm_count` SMs. None with fewer
   than 2 blocks or without SMs. `groups` may be NULL, or not known; if they are known, the levels
   end at SMC_MOST_CLUSTERED_BLOCKS. */
void smc_headroom_set_clusters(struct smc_headroom *headroom, uint32_t sm_count,
                               const struct smc_sm_groups *groups, uint32_t size);

/* The block size of whole warps that suits the launch best: the most resident warps (sizes within 5
   % count as equal), then the most compute capabilities that can launch it, then 128 threads or
   more, the most blocks, and the most threads. Sets `out` to the launch with it: what its threads
   need is adapted (smem_bytes_per_thread). SMC_USAGE if it is not valid, or no size can be
   launched. Found by computing launches for every size and capability (a tenth of a millisecond).
 */
enum smc_status smc_best_block_find(const struct smc_sm *sm, const struct smc_launch *launch,
                                    struct smc_launch *out, struct smc_error *error);

/* --- Carve-outs ------------------------------------------------------------------------------- */

/* The sizes that an SM's shared memory can be set to, and what a launch gains by each.

   All of it is a preference: the driver may configure another size (on an H200 with carve-out 0 and
   no shared memory the API said 8 blocks while 16 were resident). */

enum { SMC_CACHE_CONFIGS = SMC_CACHE_PREFER_EQUAL + 1 };

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
    struct smc_carveout preference[SMC_CACHE_CONFIGS]; /* by enum smc_cache_config */
    uint32_t most_blocks;                              /* at any size */
    uint32_t reserved[8];                              /* 0; space for members of later versions */
};

/* The launch's own carve-out and cache configuration are ignored. Errors are those of
   smc_occupancy_compute; then there are no sizes. */
enum smc_status smc_carveouts_find(const struct smc_sm *sm, const struct smc_launch *launch,
                                   struct smc_carveouts *out);

/* The smallest size with at least that many blocks; NULL if there is none. */
const struct smc_carveout *smc_carveouts_smallest(const struct smc_carveouts *carveouts,
                                                  uint32_t blocks_per_sm);

/* The CUDA runtime's name of a preference: "cudaFuncCachePreferL1". */
const char *smc_cache_config_name(enum smc_cache_config cache_config);

/* --- Refused launches in words ---------------------------------------------------------------- */

/* Why a launch is refused, in words: "a block of 128 threads in z; this device allows 64".
   `occupancy` is what was computed or checked for the launch, `refusal` one of its refusals. */
void smc_refusal_explain(const struct smc_sm *sm, const struct smc_launch *launch,
                         const struct smc_occupancy *occupancy, enum smc_refusal refusal,
                         char reason[256]);

#endif
