/* What frames.c and calls.c share: the frame of a call, and the places of the values that it
   passes. What others ask of frames is in emulator_state.h. */
#ifndef SMC_MACHINE_FRAMES_H
#define SMC_MACHINE_FRAMES_H

#include <string.h>

#include "machine/emulator/emulator_state.h"

/* A call that has not returned. */
struct smc_call_frame {
    struct smc_call_frame *below; /* that of the caller; NULL: the kernel */
    struct smc_call_frame *next;  /* of the unused ones */
    const struct smc_op *op;      /* the call */
    int group;                    /* that called */
    uint32_t number;              /* of the function */
    uint32_t active; /* lanes of the group that called; some of them may not have called */
    uint32_t pc, reconverge_at; /* where they continue */
    uint64_t base[SMC_LANES];   /* the caller's frame and the top of the stack, by lane */
    uint64_t top[SMC_LANES];
    uint32_t saved; /* lanes whose registers are saved, */
    char *registers;
    uint32_t *marks; /* and their marks, after them */
    size_t register_bytes;
};

/* NULL: out of memory. */
struct smc_call_frame *smc_frame_new(struct smc_warp *warp);

static inline char *smc_frame_memory(const struct smc_worker *worker, const struct smc_warp *warp,
                                     uint32_t lane)
{
    return worker->local + (size_t)worker->launch->program->local_bytes * smc_thread_of(warp, lane);
}

/* A place in local memory begins a new life, or is written by a call. */
static inline void smc_frame_mark(const struct smc_worker *worker, const char *place,
                                  uint64_t bytes, bool is_written)
{
    if (worker->local_written)
        memset(worker->local_written + (place - worker->local), is_written, bytes);
}

static inline lane_u64 *smc_frame_bases(const struct smc_worker *worker,
                                        const struct smc_warp *warp)
{
    return (lane_u64 *)(warp->file + worker->launch->program->frame_slot);
}

/* A value that is passed in a register. */
uint64_t smc_passed_value(const struct smc_warp *warp, const struct smc_passed *passed,
                          uint32_t lane);
void smc_passed_set(struct smc_warp *warp, const struct smc_passed *passed, uint32_t lane,
                    uint64_t value);
/* Copies `bytes` to a lane's memory from what was passed by this frame. */
void smc_passed_fetch(const struct smc_warp *warp, const struct smc_passed *from, const char *frame,
                      uint32_t lane, char *to, uint32_t bytes);

#endif
