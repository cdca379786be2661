/* The lanes of a warp that have diverged: groups of those at the same place, and the barriers where
   they wait for each other. A warp runs one of its groups at a time. */
#ifndef SMC_MACHINE_LANE_GROUPS_H
#define SMC_MACHINE_LANE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/sass/sass_warp.h"

/* Barriers of a warp: those that BSSY names, and the place where WARPSYNC.ALL joins all lanes. */
enum {
    SMC_LANE_BARRIERS = 16,
    SMC_WARP_BARRIER = SMC_LANE_BARRIERS,
    SMC_BLOCK_BARRIER, /* of the block */
    SMC_NO_BARRIER = -1
};

enum { SMC_MOST_CALLS = 24 };

/* Lanes that are at the same place. */
struct smc_lane_group {
    uint32_t lanes;
    uint32_t at;
    int8_t awaited;                    /* the barrier that it waits at */
    bool yields;                       /* since it ran last */
    bool may_yield, has_waited;        /* as the walk uses them */
    uint8_t calls;                     /* functions that it is in */
    uint32_t back[SMC_MOST_CALLS];     /* where each of them returns to */
    uint32_t meets[SMC_LANE_BARRIERS]; /* the lanes that take part in a barrier with these */
};

struct smc_lane_groups {
    struct smc_lane_group group[SMC_LANES];
    uint32_t count;
    uint32_t joined;    /* lanes that take part in SMC_WARP_BARRIER */
    uint32_t joined_at; /* where they go on */
};

/* One group of so many lanes, at step 0. */
void smc_lane_groups_start(struct smc_lane_groups *groups, uint32_t lanes);

/* A hash of where the lanes are. */
uint64_t smc_lane_groups_hash(const struct smc_lane_groups *groups);

/* The lanes of a group that do not go with it have a group of their own, at a step. */
void smc_lane_groups_split(struct smc_lane_groups *groups, uint32_t index, uint32_t others,
                           uint32_t at);

void smc_lane_groups_remove(struct smc_lane_groups *groups, uint32_t index);

/* Lanes have ended; `alive`: those that have not. */
void smc_lane_groups_end(struct smc_lane_groups *groups, uint32_t alive);

/* BSSY: the lanes of a group take part in a barrier. BREAK: some no longer do. BSYNC: they wait
   until all that take part wait or have ended, and go on together after it. */
void smc_lane_groups_take_part(struct smc_lane_group *group, unsigned barrier);
void smc_lane_groups_break(struct smc_lane_groups *groups, unsigned barrier, uint32_t lanes,
                           uint32_t alive);
void smc_lane_groups_wait(struct smc_lane_groups *groups, uint32_t index, unsigned barrier,
                          uint32_t alive);

/* WARPSYNC.ALL, at whose next step the group is: lanes that have diverged wait for each other and
   go on together. Those that wait at another one stay apart. */
void smc_lane_groups_meet(struct smc_lane_groups *groups, uint32_t index, uint32_t alive);

/* Lanes that wait for others which wait elsewhere go on alone. Whether there were any. */
bool smc_lane_groups_part(struct smc_lane_groups *groups);

/* The other groups run before this one does again. Of a barrier at which all that take part wait or
   have yielded, those that wait go on without the others, and no longer take part. */
void smc_lane_groups_yield(struct smc_lane_groups *groups, uint32_t index, uint32_t alive);

#endif
