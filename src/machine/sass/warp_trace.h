/* What one warp executed, instruction by instruction. Of a loop only the first iterations are kept;
   how many instructions the others have is noted in their place. */
#ifndef SMC_MACHINE_WARP_TRACE_H
#define SMC_MACHINE_WARP_TRACE_H

#include "machine/sass/patterns.h"
#include "machine/sass/sass_program.h"

/* Entries that are no instruction. */
enum {
    SMC_WARP_TRACE_LOOP =
        UINT32_MAX, /* the first iteration of a loop has ended; `line`: its depth */
    SMC_WARP_TRACE_SKIP = UINT32_MAX - 1 /* instructions are left out; `line`: of which `skip` */
};

enum { SMC_WARP_TRACE_DEPTH = 8 };

struct smc_warp_trace_entry {
    uint32_t step;      /* in the program, which has registers, pipe and control bits */
    uint32_t line;      /* the first of its lines in the trace; of an access to global memory */
    uint8_t lines;      /* 0: no lane accesses memory, or the addresses are not known */
    uint8_t wavefronts; /* through the banks of shared memory, or of L1 for global memory; words of
                           constants; different values of a match; of a fetch passes through the
                           texture unit */
    uint8_t sectors;    /* of an access to global memory */
    uint8_t atomics;    /* of one: those that L2 executes one by one */
    uint8_t active_lanes;
    uint8_t idle_banks; /* of an access to global memory, in each of its wavefronts */
    bool unknown_addresses;
    bool filters : 1, is_linear_memory : 1; /* of a fetch of a texture */
    uint8_t sectors_again : 6;              /* of a copy past L1: those that it asks L2 for twice */
};

/* Lines from this number on are of local memory, which a warp has for itself: the words of its
   lanes at one address. */
#define SMC_WARP_TRACE_LOCAL (UINT64_C(1) << 58)
enum { SMC_WARP_TRACE_LOCAL_WORDS = 1 << 16 };

/* And from this one on of constants, which all warps share: the address divided by the size of
   their lines. */
#define SMC_WARP_TRACE_CONSTANTS (UINT64_C(1) << 59)
enum { SMC_CONSTANT_LINE_BYTES = 64 };

/* Part of an access to global or local memory, or to constants by lane. */
struct smc_warp_trace_line {
    uint64_t number; /* address / 128 */
    uint8_t sectors; /* bit n: sector n of 32 bytes; of constants, word n */
    uint8_t sets;    /* bit n: set n of the lanes that are served together; 0: there is one; of
                        constants, word 8 + n */
};

/* Instructions that are left out, and the part of the trace that is like them. */
struct smc_warp_trace_skip {
    uint64_t executed;
    uint64_t window; /* instructions from the loop's mark to here, with those left out in between */
    uint32_t depth;  /* of the loop; SMC_WARP_TRACE_DEPTH: none, the window begins with the trace */
    bool rounds;     /* whole ones through the barriers that the loop waits for */
    bool waits;      /* iterations of a loop that waits for barriers in shared memory */
};

/* Barriers in shared memory whose waits are counted. */
enum { SMC_WARP_TRACE_BARRIERS = 32 };

/* A loop that the warp is in: closed by a branch back. */
struct smc_warp_trace_loop {
    uint32_t first, last; /* steps */
    uint32_t calls;       /* of the trace when it began */
    uint64_t length;      /* executed up to its mark */
    size_t count;         /* entries up to its mark */
    uint32_t iterations;
    uint32_t waits_left_out; /* of the trace when it began */
    uint32_t waited;         /* bit n: the warp has waited for barrier n in it */
};

/* What a trace has up to a place. */
struct smc_warp_trace_place {
    size_t count, line_count, skip_count;
    uint64_t length;
};

/* Steps [first, last) that a warp executed one after the other. */
struct smc_path_run {
    uint32_t first, last;
    uint8_t lanes;  /* how many */
    uint8_t calls;  /* functions that the warp is in */
    bool goes_back; /* by a branch, its last step */
    uint32_t back_to;
};

/* All that a warp executed, so that it can be traced again without walking. Owns `run`; start from
   {0}. */
struct smc_warp_path {
    struct smc_path_run *run;
    size_t count, room;
    bool failed; /* there is no memory for it */
};

/* The arrays are owned by the caller, who sets the members up to `path`. */
struct smc_warp_trace {
    struct smc_warp_trace_entry *entry;
    size_t capacity;
    struct smc_warp_trace_line *line;
    size_t line_capacity;
    struct smc_warp_trace_skip *skip; /* NULL: nothing is left out but what exceeds the capacity */
    size_t skip_capacity;
    struct smc_patterns *patterns; /* traces that are made one after the other may share them;
                                      NULL: accesses are not followed */
    uint64_t loop_entries;         /* kept of a loop, at least three iterations; of one with waits
                                      for barriers in shared memory, rounds through them */
    /* Called when the first instruction is left out: whether the rest of the trace was taken over
       from another one; then the walk ends. Or NULL. */
    bool (*take_over)(void *context, struct smc_warp_trace *trace, uint64_t signature);
    void *context;
    struct smc_warp_path *path; /* also receives what the warp executes; or NULL */

    uint32_t calls; /* functions that the warp is in: set by the walk */
    size_t count, line_count, skip_count;
    uint64_t length;                                  /* instructions executed, kept or not */
    uint64_t first_skip_length, first_skip_signature; /* when the first was left out */
    size_t first_skip_count;
    struct smc_warp_trace_loop loop[SMC_WARP_TRACE_DEPTH];
    uint32_t depth;
    bool skips, skipped, ends;
    uint32_t skipping;    /* the depth of the loop of which iterations are left out */
    uint64_t skip_length; /* executed when that began */

    /* Warps that wait for each other must leave out the same of what they do for each other,
       however many instructions and iterations it takes each: whole rounds through the barriers of
       a loop. They are kept until it is known that they are whole and that the loop goes on. */
    struct {
        uint32_t address;
        uint32_t waits; /* kept, since a loop with waits ended or rounds began to be left out */
    } barrier[SMC_WARP_TRACE_BARRIERS];
    uint32_t barriers;
    bool leaves_rounds, round_ends;
    uint32_t round_skip;                         /* its number */
    struct smc_warp_trace_place head, round_end; /* where rounds are left out; where one ends */
    uint32_t waits_left_out;                     /* skips of loops that wait for barriers */
    size_t most;                                 /* entries that it had at a time */
};

/* Whether the next instructions are counted but not kept. */
static inline bool smc_warp_trace_is_idle(const struct smc_warp_trace *trace)
{
    return trace->skips || trace->count >= trace->capacity;
}

/* The warp comes to a step, which may be behind the loop of which iterations are left out: then the
   next instructions are kept, and what their addresses come from has to be evaluated. */
void smc_warp_trace_reach(struct smc_warp_trace *trace, uint32_t step);

/* An instruction is executed; steps [from, to) are executed by so many lanes. */
void smc_warp_trace_add(struct smc_warp_trace *trace, const struct smc_warp_trace_entry *entry);
void smc_warp_trace_add_steps(struct smc_warp_trace *trace, uint32_t from, uint32_t to,
                              uint32_t lanes);

/* The warp waits for a phase of a barrier in shared memory, at this address. */
void smc_warp_trace_wait(struct smc_warp_trace *trace, uint32_t address);

/* A branch goes back from step `from` to step `to`. */
void smc_warp_trace_branch_back(struct smc_warp_trace *trace, uint32_t from, uint32_t to,
                                uint64_t signature);

/* The warp has ended. */
void smc_warp_trace_end(struct smc_warp_trace *trace);

/* A path goes on with a run whose last step may not yet be known, and which then branches back to a
   step. No path: nothing happens. */
void smc_warp_path_add(struct smc_warp_path *path, const struct smc_path_run *run);
void smc_warp_path_branch_back(struct smc_warp_path *path, uint32_t to);

/* Traces a warp again whose path was kept, without its accesses to memory. */
void smc_warp_trace_path(const struct smc_warp_path *path, struct smc_warp_trace *trace);

#endif
