/* Walking: one warp executes a program, lanes diverging and reconverging as the code's barriers
   (BSSY, BSYNC) order, and every step is counted. */
#ifndef SMC_MACHINE_WALK_H
#define SMC_MACHINE_WALK_H

#include "machine/patterns.h"
#include "machine/program.h"
#include "machine/warp.h"
#include "model/banks.h"

/* What memory instructions cost, if addresses are followed. */
struct smc_memory_counts {
    uint64_t shared_loads, shared_load_wavefronts;
    uint64_t shared_stores, shared_store_wavefronts; /* copies (LDGSTS) count as neither */
    uint64_t global_loads, global_load_sectors;      /* with at least one active lane */
    uint64_t global_stores, global_store_sectors;
    uint64_t copies, copy_sectors;
    uint64_t unknown_addresses; /* accesses that are missing above */
};

/* One executed instruction of the traced warp. */
struct smc_trace_entry {
    uint32_t step;      /* in the program, which has registers, pipe and control bits */
    uint32_t line;      /* the first of its lines in the trace; of an access to global memory */
    uint8_t lines;      /* 0: no lane accesses memory, or the addresses are not known */
    uint8_t wavefronts; /* through the banks of shared memory, or of L1 for global memory */
    uint8_t sectors;    /* of an access to global memory */
    uint8_t active_lanes;
    bool unknown_addresses;
};

/* Part of an access to global memory. */
struct smc_trace_line {
    uint64_t number; /* address / 128 */
    uint8_t sectors; /* bit n: sector n of 32 bytes */
};

/* Owned by the caller. */
struct smc_trace {
    struct smc_trace_entry *entry;
    size_t room, count; /* the walk goes on when the room is used up; count is then above room */
    struct smc_trace_line *line;
    size_t line_room, line_count;
    struct smc_patterns *patterns; /* may be shared by traces that are made one after the other;
                                      NULL if there is no room */
    uint64_t signature;            /* of the walk when the room was used up, or at the end */
    bool stop;                     /* the walk ends when the room is used up */
};

enum smc_walk_end {
    SMC_WALK_WHOLE,
    SMC_WALK_UNKNOWN_BRANCH,    /* what decides a branch is not known; it was not taken */
    SMC_WALK_UNKNOWN_OPERATION, /* that may decide control flow: the walk ended there */
    SMC_WALK_STUCK,             /* lanes wait for each other */
    SMC_WALK_OUTSIDE,           /* a branch leaves the code */
    SMC_WALK_TOO_LONG
};

struct smc_walk {
    const struct smc_machine_program *program;
    const struct smc_bank_layout *layout;
    bool follow_addresses;
    uint64_t most_steps;     /* of one warp that are evaluated */
    uint32_t most_decisions; /* the walk is cut off after so many branches and barriers; 0: not */
    uint64_t signature;      /* of what was decided, by which lanes; of the last warp */
    bool was_cut;            /* the last warp had more decisions */
    uint64_t *change; /* program->count + 1: executions of step n are the sum of change[0..n] */
    struct smc_memory_counts memory;
    struct smc_trace *trace; /* or NULL; needs follow_addresses */
    enum smc_walk_end end;   /* the worst of all warps so far */
    uint32_t end_at;         /* the step */
    uint32_t end_operation;  /* its low 12 bits */
};

/* Adds the executions of one warp. */
void smc_walk_warp(struct smc_walk *walk, const struct smc_machine_place *place,
                   struct smc_warp *warp);

#endif
