/* The traces of the warps of one SM's blocks, and how often each instruction of the program is
   executed in all of them together. */
#ifndef SMC_MACHINE_TRACES_H
#define SMC_MACHINE_TRACES_H

#include "machine/sass/sass_launch.h"
#include "machine/sass/walk.h"
#include "machine/timing/sm_schedule.h"

/* How many warps a block has. */
uint32_t smc_traces_warps(const struct smc_machine_launch *launch);

/* Whether the warps of a block are walked together. */
bool smc_traces_together(const struct smc_machine_launch *launch);

/* A warp that was walked from beginning to end. */
struct smc_surveyed_warp {
    uint64_t place; /* its number in the grid */
    double length;  /* instructions */
};

enum { SMC_SURVEYED_WARPS = 256, SMC_LONGEST_BLOCKS = 16 };

/* Warps drawn evenly from the whole grid. */
struct smc_survey {
    uint64_t warps;     /* 0: there was none */
    double *executions; /* by step of the program, of all of them */
    double *sectors;    /* likewise, of accesses to global and local memory */
    double length;      /* the mean number of instructions of a warp */
    double spread;      /* their standard deviation */
    struct smc_surveyed_warp longest[SMC_LONGEST_BLOCKS]; /* of different blocks, which are the
                                                             places; 0: there are no more */
    double blocks;                                        /* walked as a whole */
    double block_spread;                                  /* of the mean lengths of their warps */
    struct smc_surveyed_warp first[SMC_SURVEYED_WARPS];   /* the first of them */
    bool whole;                                           /* these are all warps of the grid */
    uint64_t at_once; /* so many blocks, from the first one on, were walked at the same time
                         (walk_grid.h); 0: blocks one after the other */
    bool in_pairs;    /* of blocks next to each other */
    struct smc_returned returned;     /* then: what global memory returned to them */
    bool loads_stored;                /* as in struct smc_warp_memory */
    uint64_t decides, changed, meets; /* arrays: as in struct smc_warp_memory */
    struct smc_warp_memory *others;   /* what its blocks stored, where that is followed; or NULL */
    struct smc_ticket ticket;         /* likewise, that they drew */
    double seeing, unseeing; /* then: mean lengths of warps of blocks that see what others stored,
                                and of those that do not; 0: there are none; of blocks at the same
                                time, of the second half and the first */
    double seeing_error;     /* the standard error of their difference */
    double beside[2]; /* in pairs, of blocks that see it: [1] also what the next one stored */
    double steps;     /* evaluated, of all of them */
    enum smc_walk_end end;
    uint32_t end_at, first_unknown; /* as in struct smc_walk */
};

/* Start from {0}. */
struct smc_traces {
    uint32_t blocks, warps_per_block;
    bool scattered;               /* as in struct smc_traced */
    struct smc_warp_trace *trace; /* blocks x warps_per_block */
    struct smc_sm_block *block;
    const struct smc_warp_trace **pointer;
    double *executions; /* by step of the program */
    double *sectors;    /* likewise, or NULL: as often as in the traces */
    double length;      /* instructions of all, kept in a trace or not */
    double local_bytes; /* of its local memory that a warp stores to, at most; 0: not followed */
    enum smc_walk_end end;
    bool decides_and_changes; /* arrays that decide what these blocks execute are stored to */
    bool loads_stored;        /* as in struct smc_warp_memory */
    struct smc_warp_trace_entry *entries;
    struct smc_warp_trace_line *lines;
    struct smc_warp_trace_skip *skips;
    struct smc_patterns *patterns;
};

/* The blocks that are traced, and how much of them. */
struct smc_traced {
    uint64_t first, stride; /* block, and then every block so many further */
    uint32_t blocks;
    bool scattered;                  /* the others are drawn evenly from the grid instead */
    uint64_t among;                  /* then: from so many of its first blocks; 0: from all */
    bool each_apart;                 /* warps that began alike may continue differently */
    size_t entries;                  /* at most that many are kept of a warp */
    size_t room;                     /* for those of all warps, where these walk alone; 0: for as
                                        many of each */
    uint64_t loop_entries;           /* of a loop */
    struct smc_warp_memory *others;  /* what blocks see that others stored; or NULL */
    bool sees_all;                   /* of what others stored, even among those that start first */
    struct smc_survey *at_once;      /* one of blocks at the same time, of which these see what
                                        they saw there, instead of `others`; or NULL */
    uint64_t overwritten;            /* as in struct smc_warp_memory */
    const struct smc_survey *survey; /* of the grid, where its warps differ; or NULL */
};

/* SMC_MACHINE: memory. SMC_USAGE: a warp does not end. */
enum smc_status smc_traces_make(const struct smc_machine_launch *launch,
                                const struct smc_traced *traced, struct smc_traces *traces,
                                struct smc_error *error);
void smc_traces_free(struct smc_traces *traces);

/* SMC_USAGE: names the branch or the call at which a walk ended that was not walked to its end, or
   where warps or lanes wait for each other. */
enum smc_status smc_traces_fail(const struct smc_walk *walk, struct smc_error *error);

/* How often the steps of the traced blocks are executed and how many sectors they access, by a
   survey of the grid that differs from the traces. SMC_MACHINE. */
enum smc_status smc_traces_set_survey(struct smc_traces *traces, const struct smc_survey *survey,
                                      const struct smc_machine_program *program,
                                      struct smc_error *error);

enum { SMC_RACING_STEPS = 1500000 /* of all warps of blocks that walk at the same time */ };

/* How the grid is surveyed. */
struct smc_surveyed {
    uint64_t length;  /* warps are about as long, in instructions */
    uint64_t at_once; /* as in struct smc_survey */
    bool in_pairs;    /* likewise, a few */
};

/* Walks warps of the whole grid: all of a small one, else as many as are quickly walked. With
   `at_once` the program follows what they store. Fails as smc_traces_make does; SMC_USAGE, too:
   blocks at the same time take too many steps. */
enum smc_status smc_survey_make(const struct smc_machine_launch *launch, struct smc_surveyed how,
                                struct smc_survey *survey, struct smc_error *error);
void smc_survey_free(struct smc_survey *survey);

/* Returns the first block of the SM to execute, which has as many blocks as any. If all blocks
   start at once, it is the SM of the grid's last block if that executes clearly more than others,
   else the one with the fewest of the grid's last blocks, which takes longest. If not, faster SMs
   get more blocks, and it is one from the middle. */
uint64_t smc_traces_first_block(const struct smc_machine_launch *launch, uint64_t sms);

/* Walks the first warp of a block and keeps what it executes; free `path->run`. SMC_USAGE: it does
   not end. SMC_MACHINE: memory. */
enum smc_status smc_traces_follow(const struct smc_machine_launch *launch, uint64_t block,
                                  struct smc_warp_path *path, struct smc_error *error);

/* What a trace keeps. */
struct smc_trace_size {
    uint64_t loop_entries; /* of each loop, at least */
    size_t most;           /* entries that it may have */
    size_t entries;        /* received: that it has */
    uint64_t length;       /* received: instructions executed, at least */
    bool cut;              /* received: whether any were left out */
};

/* Measures the trace of such a warp, up to `most`. SMC_MACHINE: memory. */
enum smc_status smc_traces_measure(const struct smc_warp_path *path, struct smc_trace_size *size,
                                   struct smc_error *error);

/* Whether warps wait for barriers in shared memory: then those of a block do different things. */
bool smc_traces_take_turns(const struct smc_machine_program *program);

/* Of such warps, the longest trace of a block. Fails as smc_traces_make does. */
enum smc_status smc_traces_measure_turns(const struct smc_machine_launch *launch, uint64_t block,
                                         struct smc_trace_size *size, struct smc_error *error);

/* Whether traces, which have no survey's executions yet, lack the steps that access most of the
   sectors of a survey: of 512 blocks 16 compare points, and none of 12 that are traced may be one
   of these, so that the launch would seem to access nothing. */
bool smc_survey_exceeds(const struct smc_survey *survey, const struct smc_traces *traces,
                        uint32_t steps);

/* Notes a warp of a survey if its block is one of the longest. */
void smc_survey_add_long(struct smc_survey *survey, uint64_t block, double length);

/* Whether the warps of a survey differ from each other, so that it tells more than any traces. */
bool smc_survey_spreads(const struct smc_survey *survey);

/* Whether a survey of the grid tells more than the traces: its warps differ from each other or from
   those. */
bool smc_survey_differs(const struct smc_survey *survey, const struct smc_traces *traces);

#endif
