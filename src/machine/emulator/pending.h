/* Asynchronous operations whose results are not there yet: bulk and tensor copies, asynchronous
   stores, and products of wgmma. Each is walked through twice. When it is issued, its accesses are
   checked and counted as those of the thread that issues it. Its data move as late as the memory
   model allows, so that what a program does not wait for is not there: sources are read, and
   results written, when a wait would fail otherwise, or covers the operation's group. What a block
   has not waited for happens when it ends, or when its threads only poll memory.

   Without checks (struct smc_emulation_request), everything happens at once. */
#ifndef SMC_MACHINE_PENDING_H
#define SMC_MACHINE_PENDING_H

#include "machine/emulator/emulator_state.h"

enum smc_walk_step {
    SMC_WALK_CHECKS, /* accesses are checked and counted; nothing moves */
    SMC_WALK_READS,  /* of what is written later: its sources are read, and kept */
    SMC_WALK_WRITES, /* and then written */
    SMC_WALK_MOVES   /* both */
};

/* The lane that issues an operation. */
struct smc_issuer {
    struct smc_worker *worker;
    struct smc_warp *warp;
    const struct smc_op *op;
    uint32_t lane;
    uint32_t blocks;   /* of a copy to shared memory: a mask of smc_bulk_blocks */
    uint32_t begun_at; /* when a copy that completes transactions read its source; 0: not checked */
    enum smc_walk_step step;
    struct smc_kept {
        char *data;
        size_t at, bytes;
    } * kept; /* between reads and writes */
};

/* Does what the step says; `operands` are those of the time when it was issued. False: there is
   nothing to do, after a finding. */
typedef bool smc_walk(const struct smc_issuer *by, const void *operands);

struct smc_pending {
    struct smc_pending *next;
    struct smc_issuer by;
    struct smc_op op; /* by.op */
    smc_walk *walk;
    uint32_t unit;  /* whose groups it belongs to (order.h), or 0: it completes transactions */
    uint32_t group; /* of its lane or warp */
    /* The mbarrier object in the worker's shared memory whose transactions it completes, and which
       phase of it that was. */
    uint32_t object, transactions, phase;
    bool is_done;
    /* Where its lanes copy to, if that is marked as pending, and how many bytes each. */
    const uint64_t *to;
    uint64_t place;
    uint32_t to_lanes, to_bytes;
    struct smc_kept kept;
    _Alignas(max_align_t) char operands[];
};

/* The copies of one cp.async for which its thread has not waited. */
struct smc_copy {
    struct smc_copy *next;
    const struct smc_op *op;
    uint64_t group;
    uint32_t mask, begun_at;
    uint64_t to[SMC_LANES], from[SMC_LANES];
    uint8_t bytes[SMC_LANES]; /* the rest is 0 */
};

/* Keeps an operation for later, after all others of the worker. NULL: out of memory. */
struct smc_pending *smc_pending_add(struct smc_worker *worker, const struct smc_issuer *by,
                                    smc_walk *walk, const void *operands, size_t bytes);
/* Moves the data of an operation. */
void smc_pending_move(struct smc_pending *pending);
/* Removes and frees the operation at this place of the list. */
void smc_pending_remove(struct smc_pending **place);

/* A lane of a warp, or 0 for the warp itself, waits for its groups below `groups` of a unit. */
struct smc_group_wait {
    const struct smc_warp *warp;
    uint32_t lane, unit, groups;
    bool reads_only;
};
/* Moves the data of what it waits for, and of all that the block issued for the unit before. */
void smc_pending_finish(struct smc_worker *worker, const struct smc_group_wait *wait);
/* Of these, up to the last that `uses` is true for. */
void smc_pending_finish_uses(struct smc_worker *worker, uint32_t unit,
                             bool (*uses)(const struct smc_pending *pending, const void *context),
                             const void *context);

/* When the thread waited for what it began to copy from global memory at that time, by this
   instruction: UINT32_MAX if it may still be read, 0 if it is not known. */
uint32_t smc_copy_waited_at(const struct smc_worker *worker, uint32_t thread, uint32_t instruction,
                            uint32_t begun_at);

/* Moves the data of all bulk copies that belong to groups. */
void smc_pending_finish_bulk(struct smc_worker *worker);
/* The block ends: its bulk copies to global memory happen, and the rest is forgotten. */
void smc_pending_end_block(struct smc_worker *worker);

#endif
