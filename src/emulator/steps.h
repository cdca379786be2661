/* The steps that decoders choose from: all that is no arithmetic. */
#ifndef SMC_EMULATOR_STEPS_H
#define SMC_EMULATOR_STEPS_H

#include "emulator/program.h"

/* steps_memory.c: a: the address, immediate: its offset, v: the elements. */
smc_step smc_step_load, smc_step_store;
/* steps_atomic.c: d: the old value, or SMC_SLOT_NONE; b, c: the operands. */
smc_step smc_step_atomic;
/* steps_async.c: a: where to, b: where from, c: how many bytes of it; of a wait, immediate: how
   many groups may still be on their way. */
#define SMC_WAIT_FOR_ALL UINT64_MAX /* also for what is in no group yet */
smc_step smc_step_copy, smc_step_commit, smc_step_wait;
/* steps_control.c */
smc_step smc_step_branch, smc_step_indexed_branch, smc_step_exit, smc_step_trap, smc_step_barrier,
    smc_step_arrive, smc_step_sync_warp, smc_step_clock;
/* steps_warp.c: immediate: what is done; b, c: its operands; v[0]: the lanes that take part. */
smc_step smc_step_shuffle, smc_step_vote, smc_step_active_mask, smc_step_match, smc_step_reduce;

enum smc_shuffle { SMC_SHUFFLE_INDEX, SMC_SHUFFLE_UP, SMC_SHUFFLE_DOWN, SMC_SHUFFLE_BUTTERFLY };

#endif
