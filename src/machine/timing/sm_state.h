/* The state of the model of one SM, which the files about its schedule, its waits and its memory
   share. Only they include it. */
#ifndef SMC_MACHINE_SM_STATE_H
#define SMC_MACHINE_SM_STATE_H

#include "machine/sass/async.h"
#include "machine/timing/fetch.h"
#include "machine/timing/l1.h"
#include "machine/timing/phases.h"
#include "machine/timing/sm_schedule.h"

enum {
    SMC_SM_SCOREBOARDS = 8,
    SMC_SM_MOST_SUBPARTITIONS = 4, /* of every architecture */
    SMC_SM_NAMED_BARRIERS = 16,
    SMC_SM_NO_WARP = -1
};

/* What executing an instruction needs, found once for each step of the program. */
struct smc_sm_step {
    uint8_t pipe;
    uint8_t wait;              /* scoreboards */
    uint8_t write_sb, read_sb; /* 7: none */
    uint8_t stall;
    float reads[2], all_reads[2]; /* of registers of each bank, in clocks; with those kept */
    uint8_t holds;                /* dispatch, for so many clocks more than one */
    uint8_t kind;
    uint8_t scope;          /* of a fence: 2: the GPU, 3: the system */
    uint8_t missing_groups; /* that a wait for copies or products allows */
    uint8_t flops;          /* of a lane */
    uint8_t bytes;          /* that a lane accesses */
    bool has_result;        /* of an atomic */
    bool beyond_sm;         /* a load that L1 does not serve */
    bool is_float;          /* likewise: REDG, whose code integers do not have */
    bool is_double;         /* likewise, of 64 bits */
    bool swaps;             /* an atomic that compares */
    bool ends_group;        /* of a warpgroup's products */
    bool only_arrives;      /* at a named barrier */
    uint8_t barrier;        /* its number; SMC_SM_NAMED_BARRIERS: in the trace */
    uint8_t barrier_warps;  /* that it waits for; 0: all */
    float wavefronts;       /* of the operands that a product reads from shared memory */
    float occupies;         /* the pipe, in clocks */
    float latency;          /* to the result of what is not an access to memory */
};

enum smc_sm_kind {
    SMC_SM_PLAIN,
    SMC_SM_SHARED_LOAD,
    SMC_SM_SHARED_STORE,
    SMC_SM_SHARED_ATOMIC,
    SMC_SM_GLOBAL_LOAD,
    SMC_SM_GLOBAL_STORE,
    SMC_SM_COPY,
    SMC_SM_COPY_GROUP,
    SMC_SM_COPY_WAIT,
    SMC_SM_BARRIER,
    SMC_SM_BRANCH, /* also a call and the return from it */
    SMC_SM_SYNC,   /* of lanes that went apart */
    SMC_SM_SHUFFLE,
    SMC_SM_CONSTANTS,         /* at an address for each lane */
    SMC_SM_UNIFORM_CONSTANTS, /* at an index that all lanes share */
    SMC_SM_PHASES,            /* of barriers in shared memory */
    SMC_SM_BULK,
    SMC_SM_PRODUCT, /* of a warpgroup */
    SMC_SM_PRODUCT_WAIT,
    SMC_SM_TEXTURE, /* of a texture */
    SMC_SM_FENCE,   /* of memory */
    SMC_SM_ATOMIC,  /* in global memory */
    SMC_SM_MATCH,   /* of the lanes' values */
    SMC_SM_GENERIC, /* accesses to memory of any kind */
    SMC_SM_SLEEP
};

/* Of what an SM stores, L2 holds at least so much until it is loaded again: 1/132 of it on an H200.
 */
enum { SMC_SM_STORED_BYTES = 384 * 1024 };

/* What a warp has done up to a place of its trace, with what is left out before. */
struct smc_sm_mark {
    double clock, debt, delay, filled, waited, rounds, done;
};

struct smc_sm_warp {
    const struct smc_warp_trace *trace;
    uint32_t at, count; /* entry of the trace, of `count` */
    uint32_t block;     /* the slot */
    double ready;       /* when its next instruction may issue, by the control bits */
    double scoreboard[SMC_SM_SCOREBOARDS]; /* when each is released; of number 7 nobody waits */
    struct smc_groups copies, products;
    uint8_t at_barrier;                       /* the number of a named one, from 1; 0: none */
    double released;                          /* from the last one */
    const struct smc_phased_barrier *awaited; /* or NULL */
    bool awaits_odd;
    uint8_t awaiting_scoreboard; /* that is released then */
    double received;             /* when it has what it loaded from shared memory so far */
    double stores_end;           /* when L2 has acknowledged its last store */
    uint32_t stored_at;          /* entry of its last store, and the first line */
    struct smc_warp_trace_line stored_line;
    bool is_apart; /* no longer in step with the block's other warps: it accessed global memory */
    bool is_held;  /* at instructions that are left out, until all warps are */
    double debt;   /* clocks of the instructions so far that its trace leaves out */
    double delay;  /* clocks for which its instructions so far waited for units that warps share,
                      with those that are left out */
    double least_debt;  /* the debt without such waits, and without those at barriers */
    double waited;      /* clocks at barriers so far, with those that are left out */
    double waited_debt; /* and those of the debt */
    double rounds;      /* barriers that it passed, with those that are left out */
    double left_rounds; /* and those that are */
    double end;
    double left_out;     /* instructions so far */
    const float *weight; /* of its trace's entries in smc_sm_run; NULL: 1 */
    double filled;       /* lines of L1 by its instructions so far, with those that are left out */
    double done;         /* instructions so far, with those that are left out */
    /* When loops began, by depth, the last: when the warp did; and when the last quarter of what is
       kept of them did, if bit n of `has_late` is set. */
    struct smc_sm_mark mark[SMC_WARP_TRACE_DEPTH + 1], late[SMC_WARP_TRACE_DEPTH];
    uint16_t has_late;
    const uint16_t *begins_late; /* by entry of the trace; or NULL */
    uint32_t subpartition;
    uint32_t age;           /* how many warps started before */
    uint32_t turn, turn_at; /* turns so far, and the entry of the trace where the last began */
};

struct smc_sm_named_barrier {
    uint32_t arrived, warps; /* warps: that it waits for; 0: all */
    double clock;            /* when the last one arrived */
};

/* A word of shared memory that warps swap: when the next one can succeed. */
struct smc_sm_swapped_word {
    uint64_t number;
    uint32_t age; /* of the warp that did so last */
    double free_clock;
};
enum { SMC_SM_SWAPPED_WORDS = 16 };

struct smc_sm_slot {
    bool used;
    uint32_t block; /* its number among those that the SM executes */
    uint32_t warps_left;
    uint32_t barriers; /* bit n: warps have arrived at named[n] */
    struct smc_sm_named_barrier named[SMC_SM_NAMED_BARRIERS];
    struct smc_phased_barriers phased;
    uint32_t first_warp;
    double debt;                      /* of its blocks so far */
    double last_debt, least_debt;     /* of the last one; the least, if no unit delays its warps */
    double merged_debt, merged_least; /* likewise, up to its last barrier */
    double left_out;                  /* instructions, by its traces */
    uint32_t rounds;                  /* blocks so far */
    double end;                       /* when the last of their warps ended */
    bool waits;                       /* at barriers */
    bool takes_turns;                 /* its warps wait for barriers in shared memory */
    bool leaves_waits_out;            /* a warp has: iterations, not just rounds */
    struct smc_sm_swapped_word swapped[SMC_SM_SWAPPED_WORDS]; /* by number */
};

/* A resident warp: when its next instruction can issue as far as it depends on the warp, and what
   it needs then. */
struct smc_sm_waiting {
    double ready;  /* INFINITY at a barrier */
    uint64_t rank; /* the lowest of those that are ready goes first: block, or turn and then age */
    uint32_t warp, age;
    uint8_t pipe;
};

/* Lines of constants, read at an index that all lanes share, that a sub-partition holds; each
   block, or each warp that is apart, has its own. */
enum { SMC_SM_UNIFORM_LINES = 8 };

struct smc_sm_uniform_line {
    uint64_t number; /* of the line, and above it of the block or warp; 0: none */
    double used;
};

/* Lines of local memory that a sub-partition has stored to and that later stores may join. */
enum { SMC_SM_LOCAL_STORES = 8 };

struct smc_sm_part {
    double issue_free;
    double pipe_free[SMC_PIPE_COUNT];
    bool heavy_is_next;  /* half of the FMA pipe */
    double port_free[2]; /* banks of registers */
    uint32_t last;       /* the warp that issued last */
    double memory_free;  /* its connection to the units that the sub-partitions share */
    double pipe_gate[SMC_PIPE_COUNT];       /* from when on an instruction of each pipe can issue */
    struct smc_warp_trace_line stored_line; /* the first of the last store, of so many */
    uint32_t stored_lines;
    double loaded_sectors;                    /* since then, that L1 lacked */
    uint64_t local_line[SMC_SM_LOCAL_STORES]; /* of local memory, that it stored to last; the last
                                                 one first */
    struct smc_sm_waiting *waiting; /* the one that has been ready for longest first, the older
                                one of two */
    struct smc_sm_uniform_line uniform_line[SMC_SM_UNIFORM_LINES];
    uint32_t warps;
    int next; /* position in `waiting` of what issues next */
    double next_clock;
};

/* A piece of global memory in which L2 executes atomics, or serves requests, one after the other:
   512 bytes. Of atomics 256, but every second piece of a kilobyte is in the same unit: of one lane
   at random places of 128 or 256 bytes they take 0.69 ns, of 512 or 1024 bytes half as long, of 2
   KiB a quarter (H200, CUDA 13.0, driver 580.159.04, 2026-11-30). */
enum {
    SMC_SM_HOT_PIECES = 4096,
    SMC_SM_HOT_LINES = 4,
    SMC_SM_ATOMIC_LINES = 2,
    SMC_SM_UNIT_SECTORS = 16 /* of the two pieces that a unit of L2 has of a kilobyte */
};

struct smc_sm_hot_piece {
    uint64_t number; /* from 1; 0: free */
    double accesses;
    double requests;                      /* of atomics, by instructions */
    double clocks;                        /* of the unit, for its atomics */
    uint64_t blocks;                      /* that made them: bit n, those of number n modulo 64 */
    float in_sector[SMC_SM_UNIT_SECTORS]; /* of its atomics */
    bool is_float;                        /* its last atomic */
    bool together;                        /* an instruction accesses several sectors */
    double first;                         /* the clock of its first one */
};

/* The cache of constants of an SM: lines of 64 bytes. Tables up to 2 KiB stay in it; of larger
   ones, read at random, it lacks what is beyond 45 lines (H200, CUDA 13.0, driver 580.159.04,
   2026-11-29). */
enum { SMC_SM_CONSTANT_LINES = 45, SMC_SM_CONSTANT_PLACES = 8192 };

struct smc_sm_constants {
    uint64_t line[SMC_SM_CONSTANT_LINES]; /* numbers in traces; 0: none */
    uint32_t next;                        /* of them that is replaced */
    uint8_t seen[SMC_SM_CONSTANT_PLACES / 8];
    uint32_t lines;  /* that were read so far */
    double drifting; /* smc_sm_drifting_constants */
    double free_clock;
};

/* What DRAM had to do lately, in clocks, and until which clock. */
struct smc_sm_dram_use {
    double loads, stores, seen;
};

/* The lines of an array from the first one that a block accesses to the last one. */
struct smc_sm_span {
    uint64_t first, last; /* last: 0 if none was accessed */
};

/* Where atomics of the SM's blocks are in an array. */
struct smc_sm_window {
    struct smc_sm_span all;
    double lines;  /* from the first to the last one of each block, added up */
    double clocks; /* of units of L2, for the atomics */
    uint32_t blocks;
};

/* Where a step accessed memory last, and how many lines it was lately from one time to the next. */
enum { SMC_SM_STRIDES = 8 };
struct smc_sm_strides {
    uint64_t last;
    int64_t apart[SMC_SM_STRIDES];
    uint32_t seen, next;
};

struct smc_sm_state {
    const struct smc_sm_launch *launch;
    const struct smc_rates *rates;
    struct smc_sm_result *result;
    struct smc_sm_step *step;
    struct smc_sm_warp *warp;
    struct smc_sm_slot *slot;
    struct smc_sm_part part[SMC_SM_MOST_SUBPARTITIONS];
    struct smc_fetch fetch;
    struct smc_l1 cache;
    struct smc_l1 stored; /* what this SM stored last, of which L2 is assumed to hold
                             SMC_SM_STORED_BYTES */
    struct smc_sm_constants constants;
    bool shares_constants; /* smc_sm_shares_constants */
    double uniform_free;   /* what brings lines of constants to the sub-partitions */
    uint32_t slots;        /* blocks that reside at a time */
    uint32_t places, used; /* for blocks of which some warps have not ended */
    uint32_t alive[SMC_SM_MOST_SUBPARTITIONS]; /* such warps */
    uint32_t next_block, ended;                /* blocks */
    uint32_t started;                          /* warps */
    double data_free;                          /* L1's data stage */
    double asked_free;                         /* what asks L2 for lines that L1 lacks */
    double barriers_free;                      /* what counts the warps that arrive at barriers */
    double texture_free;                       /* the texture unit */
    double fences_free;                        /* what sends fences to L2 */
    double l2_free, stores_free, last_store, atomics_free, dram_free;
    double block_free; /* when the next block may start */
    double delay;      /* clocks for which the access that is being executed waits for units */
    struct smc_sm_dram_use dram_use;
    double dram_debt; /* sectors, or pieces of scattered ones, that are due to come from DRAM */
    struct smc_sm_hot_piece atomics[SMC_SM_HOT_PIECES]; /* of 512 bytes */
    struct smc_sm_hot_piece stores[SMC_SM_HOT_PIECES], loads[SMC_SM_HOT_PIECES];
    struct smc_sm_span *span;         /* slots x (arrays + 2); NULL: they are not noted */
    struct smc_sm_span *atomics_span; /* likewise, of atomics */
    struct smc_sm_window *window;     /* by array */
    struct smc_reuse reuse;           /* likewise */
    struct smc_sm_strides *strides;   /* of each step; likewise */
    double counts_for;                /* for how many in what a load asks L2 for, in smc_sm_run */
    double weight;                    /* for how many accesses the one that is executed stands */
    double left_out;                  /* pieces that traces leave out, since they did so last */
    double end;
    double first_copy, port_free;   /* bulk copies into the SM: the first one's clock, their port */
    double received_of_multicasts;  /* smc_sm_received_of_multicasts */
    uint64_t changed;               /* bit n: array n is stored to */
    bool timed;                     /* not only the accesses */
    bool oldest_first;              /* of the warps that can issue */
    bool in_turns;                  /* of a part of their iterations each, the oldest first */
    struct smc_step_work *work;     /* of the step that is being executed */
    double first_round, last_round; /* sums of the ends of their blocks; last_round() */
    double all_debts;
};

static inline double smc_later(double a, double b)
{
    return a > b ? a : b;
}

/* --- Blocks (sm_blocks.c) --------------------------------------------------------------------- */

/* How many blocks may have warps that have not ended, if so many reside as long as none has. */
uint32_t smc_sm_places(const struct smc_sm_launch *launch, uint32_t slots);

void smc_sm_start_block(struct smc_sm_state *sm, uint32_t slot, double clock);

/* A block has ended: adds its spans of atomics to the windows, and forgets them. */
void smc_sm_add_window(struct smc_sm_state *sm, uint32_t slot);

/* The last round of blocks that others follow, from one on; the second if none does. */
uint32_t smc_sm_last_round(const struct smc_sm_launch *launch);

void smc_sm_end_warp(struct smc_sm_state *sm, struct smc_sm_warp *warp, double clock);

/* --- Waits (sm_waits.c) ----------------------------------------------------------------------- */

/* What a warp, of this number, waits for before its next instruction. */
struct smc_sm_waiting smc_sm_waiting_of(const struct smc_sm_state *sm,
                                        const struct smc_sm_warp *warp, uint32_t number);

/* The list stays in order: puts an entry where the one at `position` was, or before or after it. */
void smc_sm_replace(struct smc_sm_part *part, uint32_t position, const struct smc_sm_waiting *by);
void smc_sm_add_waiting(struct smc_sm_state *sm, const struct smc_sm_warp *warp, uint32_t number);
void smc_sm_remove_waiting(struct smc_sm_part *part, uint32_t position);

/* How long the debt of a slot takes. */
double smc_sm_paid_debt(const struct smc_sm_state *sm, const struct smc_sm_slot *slot);

/* An iteration of a warp has ended, and with it its turn if that was long enough. */
void smc_sm_end_turn(const struct smc_sm_state *sm, struct smc_sm_warp *warp);

/* Instructions that are left out fill as many lines of L1 as the same loop did before. */
void smc_sm_fill_left_out(struct smc_sm_state *sm, struct smc_sm_warp *warp,
                          const struct smc_warp_trace_skip *skip);

/* How long the instructions take that the traces of a block's warps leave out, which ended, or have
   met, at a clock. `least`: if no unit delays them. */
double smc_sm_debt_of_block(const struct smc_sm_state *sm, const struct smc_sm_slot *slot,
                            double clock, double *least);

/* Passes entries of a warp's trace that are no instruction. */
void smc_sm_pass_marks(struct smc_sm_state *sm, struct smc_sm_warp *warp);

/* BAR: a warp arrives, and waits unless it only arrives. */
void smc_sm_arrive(struct smc_sm_state *sm, struct smc_sm_warp *warp,
                   const struct smc_sm_step *step, const struct smc_warp_trace_entry *entry,
                   double clock);
void smc_sm_check_barriers(struct smc_sm_state *sm, struct smc_sm_slot *slot);

/* An instruction of a barrier in shared memory; returns when its result is there. */
double smc_sm_execute_phases(struct smc_sm_state *sm, struct smc_sm_warp *warp,
                             const struct smc_sm_step *step,
                             const struct smc_warp_trace_entry *entry, double clock);
double smc_sm_execute_bulk(struct smc_sm_state *sm, struct smc_sm_warp *warp,
                           const struct smc_warp_trace_entry *entry, double clock);

/* MATCH: the values are matched one after the other; returns when the result is there. */
double smc_sm_match(const struct smc_sm_state *sm, struct smc_sm_part *part,
                    const struct smc_sm_step *step, const struct smc_warp_trace_entry *entry,
                    double clock);

/* How many times what a block copies to several blocks of its cluster it receives of such copies.
 */
double smc_sm_received_of_multicasts(const struct smc_sm_state *sm);

/* No warp can go on: those that are held do; if there are none, warps wait for each other since
   their traces leave out different parts of loops, and the one that has waited for longest goes on.
   False: there is none. */
bool smc_sm_unblock(struct smc_sm_state *sm);

/* The same for the warps of one block, if all that are left wait for each other: no other block
   ends that. */
void smc_sm_unblock_block(struct smc_sm_state *sm, const struct smc_sm_slot *slot);

/* --- Memory (sm_memory.c) --------------------------------------------------------------------- */

/* The clock at which L1's data stage is free after so many more wavefronts. */
double smc_sm_data_stage(struct smc_sm_state *sm, double clock, double wavefronts);

/* The arrays that the traces store to: bit n, array n. */
uint64_t smc_sm_changed_arrays(const struct smc_sm_state *sm);

/* The wavefronts of an access to shared memory, whose addresses may be unknown. */
double smc_sm_shared_wavefronts(struct smc_sm_state *sm, const struct smc_warp_trace_entry *entry,
                                bool known);

/* How long an atomic in shared memory waits for other warps that compare and swap the same word. */
double smc_sm_wait_to_swap(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                           const struct smc_warp_trace_entry *entry, double clock);

/* Accesses to global memory; return when their result is there, or what they store on its way. */
enum smc_sm_load_way {
    SMC_SM_LOAD,
    SMC_SM_LOAD_COPIES,           /* to shared memory */
    SMC_SM_LOAD_COPIES_BEYOND_SM, /* cp.async.cg: likewise, past L1 */
    SMC_SM_LOAD_BEYOND_SM,        /* from L2, whatever L1 has */
    SMC_SM_LOAD_TEXELS            /* for the texture unit */
};

double smc_sm_load(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                   const struct smc_warp_trace_entry *entry, double clock,
                   enum smc_sm_load_way way);
double smc_sm_texture(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                      const struct smc_warp_trace_entry *entry, double clock);
double smc_sm_store(struct smc_sm_state *sm, struct smc_sm_warp *warp,
                    const struct smc_sm_step *step, const struct smc_warp_trace_entry *entry,
                    double clock);
double smc_sm_atomic(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                     const struct smc_sm_step *step, const struct smc_warp_trace_entry *entry,
                     double clock);
/* A fence; returns when the warp goes on. */
double smc_sm_fence(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                    const struct smc_sm_step *step, double clock);
double smc_sm_unfollowed(struct smc_sm_state *sm, const struct smc_warp_trace_entry *entry,
                         double clock);
double smc_sm_bulk_copy(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                        const struct smc_async *async, uint32_t sectors, double clock);

/* --- Atomics (sm_atomics.c) ------------------------------------------------------------------- */

/* Sets what a step of an atomic in global memory does. */
void smc_sm_read_atomic(const struct smc_sass_instruction *in, struct smc_sm_step *step);

/* The number of a line among `count` arrays if each began with a kilobyte, as it is taken to do. */
uint64_t smc_sm_atomic_line(const struct smc_time_array *arrays, size_t count, uint64_t line);

/* How long a unit of L2 takes for each atomic of an instruction. */
double smc_sm_atomic_clocks(const struct smc_rates *rates, const struct smc_sm_step *step,
                            const struct smc_warp_trace_entry *entry);

/* Counts so many atomics in sectors of a line of a piece: bit n of `sectors`, its sector n. */
void smc_sm_count_in_sectors(struct smc_sm_hot_piece *piece, uint32_t sectors, double atomics);

/* Adds the atomics of another piece to those of a unit, from sector `at` of the unit on. */
void smc_sm_join_in_unit(struct smc_sm_hot_piece *unit, const struct smc_sm_hot_piece *piece,
                         uint32_t at);

/* How long it takes for one in a piece. */
double smc_sm_clocks_of_atomic(const struct smc_rates *rates, const struct smc_sm_hot_piece *piece);

/* As many atomics of single lanes as an instruction's take as long as on the way to L2. */
double smc_sm_atomic_slots(const struct smc_atomic_slots *slots,
                           const struct smc_warp_trace_entry *entry, double atomics);

/* For how many clocks a warp's atomics in a line leave an SM. */
double smc_sm_atomics_leave(const struct smc_warp_trace_entry *entry, uint32_t sectors,
                            double atomics);

/* How long L2 and DRAM take for atomics if one of them takes `a` and the other `b`. */
double smc_sm_both_take(double a, double b);

/* --- Constants (sm_constants.c) --------------------------------------------------------------- */

/* The most lines of constants that a warp of the first block reads at indices of its lanes, while
   others read other ones; 0 if all blocks start at once: warps then read the same at about the same
   time. */
double smc_sm_drifting_constants(const struct smc_sm_state *sm);

/* Whether the warps read no more lines, at indices that their lanes share, than a sub-partition
   holds. Then warps that have drifted apart do not take them from each other: 64 of an SM read a
   line of tables of 6 to 8 lines four times in 4.4 clocks of the SM, in step or 1000 clocks apart;
   of tables of 64 lines in 8.6 if they are apart (H200, CUDA 13.0, driver 580.159.04, 2026-11-30).
 */
bool smc_sm_shares_constants(const struct smc_sm_state *sm);

double smc_sm_constants(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                        const struct smc_warp_trace_entry *entry, double clock);
double smc_sm_uniform_constants(struct smc_sm_state *sm, struct smc_sm_part *part,
                                const struct smc_sm_warp *warp,
                                const struct smc_warp_trace_entry *entry, double clock);

#endif
