/* The state of a running launch: the launch, its workers (one thread each, which run a block at a
   time), the block's warps, and the divergent groups of a warp's lanes. */
#ifndef SMC_MACHINE_EMULATOR_STATE_H
#define SMC_MACHINE_EMULATOR_STATE_H

#include <stdatomic.h>

#include "base/text.h"
#include "machine/emulator/emulator_program.h"

/* Of a block, for the system; CC 8.0 and later have this many. */
enum { SMC_RESERVED_SMEM_BYTES = 1024 };

enum {
    SMC_MAX_WARPS = 32,
    SMC_MAX_GROUPS = 64,
    SMC_WARPGROUP = 4, /* warps */
    SMC_PRODUCT_GROUPS = 16,
    SMC_WAITED_COPIES = 16,
    SMC_BARRIERS = 16,
    SMC_CLUSTER_BARRIER = SMC_BARRIERS,
    SMC_WARPGROUP_BARRIER, /* where a warp waits for its warpgroup, */
    SMC_REGISTER_BARRIER,  /* or for registers */
    SMC_KEPT_FINDINGS = 64
};

/* --- The launch: the same for all workers ----------------------------------------------------- */

struct smc_allocation {
    uint64_t address, bytes;
    char *data;
    bool is_constant;
    bool is_heap;     /* of malloc */
    bool is_freed;    /* data is NULL */
    uint8_t *written; /* as in struct smc_emulated_array */
    size_t array;     /* of the request; SIZE_MAX: a variable of the module */
    bool is_given;    /* a variable whose data are the request's */
    const char *name;
    size_t name_bytes;
};

struct smc_past;

struct smc_launch_state {
    const struct smc_emulation_request *request;
    const struct smc_program *program;
    struct smc_allocation *allocation; /* by address */
    size_t allocations;
    char *parameters;
    uint32_t smem_bytes, threads_per_block, warps_per_block;
    uint32_t regs_per_thread;  /* where the kernel begins, as they are given out; 0: unknown */
    uint32_t reserved_smem_at; /* where the system's part of smem_bytes begins, if it has one */
    uint64_t blocks;
    uint32_t cluster[3], cluster_blocks; /* see clusters.h */
    uint64_t together;                   /* blocks that make progress together */
    atomic_uint_fast64_t next_block;
    atomic_uint_fast64_t last_block; /* blocks above it need not run: it has an endless loop */
    atomic_bool stopped;             /* an early end was requested */
    struct smc_past *past;           /* past_blocks.h; NULL: not checked */
    struct smc_heap *heap;           /* NULL: the kernel has no malloc */
    struct smc_float_sum **sum;      /* as in struct smc_emulation, which becomes their owner */
};

/* --- Divergent groups of a warp's lanes ------------------------------------------------------- */

enum smc_group_state {
    SMC_GROUP_READY,
    SMC_GROUP_DIVERGED, /* waits until its children reconverge */
    SMC_GROUP_AT_BARRIER,
    SMC_GROUP_CONVERGING, /* waits for the lanes of `need` at an instruction they run together */
};

struct smc_group {
    uint32_t pc;            /* the op to run next */
    uint32_t reconverge_at; /* the op at which it ends and its parent continues */
    uint32_t active;        /* mask of its lanes */
    enum smc_group_state state;
    int parent; /* -1: none */
    uint32_t children;
    uint32_t need;
    uint64_t meets; /* which groups it waits for: those with the same number */
    uint32_t left;  /* lanes of `need` that went on elsewhere instead of taking part */
    uint32_t barrier;
    struct smc_call_frame *frame; /* of the function it is in; NULL: in the kernel */
};

struct smc_copy;
struct smc_pending;
struct smc_call_frame;
struct smc_shape;
struct smc_places;

/* The calls of a warp that have not returned: see frames.c. */
struct smc_frames {
    struct smc_call_frame **all, *unused;
    size_t count, room;
    uint32_t *entered;       /* by function: lanes that have entered it and not left it */
    uint64_t top[SMC_LANES]; /* of the stack in local memory, by lane */
};

/* The products of wgmma that a warp has issued. */
struct smc_products {
    const struct smc_op *op; /* waits for the other warps of its warpgroup; NULL: none */
    uint32_t lanes, active;  /* that issued it, and those whose guard holds */
    uint32_t groups;         /* committed */
    uint32_t committed[SMC_PRODUCT_GROUPS]; /* when the last ones were: group n at n modulo these */
    uint32_t complete;                      /* groups for which the warp has waited */
};

/* A register that a product uses until the warp has waited for its group. */
struct smc_product_use {
    uint32_t group, place; /* plus one, 0: none; the instruction that issued the product */
    bool is_read;          /* only: it holds a part of a */
    bool is_copied;        /* the register holds a copy of one that is used */
};

/* The groups of bulk copies that a warp's lanes have committed. */
struct smc_bulk_groups {
    uint32_t groups[SMC_LANES];
    uint32_t committed[SMC_LANES][SMC_PRODUCT_GROUPS]; /* times, as of products */
    uint32_t begun[SMC_LANES], place[SMC_LANES]; /* the last copy: when, 0: none; instruction */
};

struct smc_warp {
    char *file; /* registers */
    uint32_t index;
    uint32_t lanes;   /* mask of existing lanes */
    uint32_t live;    /* mask of lanes that have not exited */
    uint32_t left_at; /* the op at which the last ones did */
    struct smc_group group[SMC_MAX_GROUPS];
    uint64_t used; /* bit n: group n exists */
    int current;
    bool is_scattered; /* lanes went on because one that they would reconverge with polls memory */
    uint64_t steps, clock;
    uint32_t yields;  /* a wait failed: the index of its instruction plus one */
    uint32_t failing; /* of these lanes */
    uint32_t cluster_arrived, cluster_passed; /* lanes, at and past the cluster's barrier */
    uint32_t awaited; /* the address of that mbarrier object plus one; 0: none */
    struct smc_frames frames;
    struct smc_copy *copies; /* pending cp.async, oldest first */
    uint64_t copy_group;     /* the number of groups committed */
    struct smc_waited_copies {
        uint32_t begun_at, waited_at; /* times; 0: none */
    } waited[SMC_WAITED_COPIES];      /* the last cp.async that it has waited for, */
    uint32_t waits;                   /* of so many */
    struct smc_products products;
    struct smc_product_use *use;  /* by register (wgmma_registers.c); NULL: there is no wgmma */
    struct smc_bulk_groups *bulk; /* NULL: there are no bulk copies */
    struct smc_unset *unset;      /* what is followed if `has_unset`: unset_values.h */
    bool has_unset;
    uint32_t regs, wanted_regs; /* of each thread, by setmaxnreg; it waits for so many, or 0 */
    uint32_t lane_synced_at[SMC_LANES]; /* by a barrier, or __syncwarp of all lanes: order.h */
    struct smc_leader {
        uint32_t op;             /* a load that others follow (struct smc_op) */
        uint32_t mask;           /* of the lanes that executed it */
        uint64_t base;           /* the register of the first of them */
        uint64_t number;         /* of the shape; if it has another one now, it is no longer his */
        struct smc_shape *shape; /* of its addresses: see memory_shapes.h */
    } leader[SMC_LEADERS];
};

struct smc_barrier {
    uint32_t lanes; /* that arrived */
    uint32_t slots; /* the same rounded up to whole warps, as a barrier with a count counts them */
    uint32_t expected; /* its count; 0: all threads of the block */
    uint32_t warps;    /* bit n: warp n arrived */
    uint32_t waiting;  /* bit n: warp n waits */
    uint32_t arrived_at[SMC_MAX_WARPS];
    uint32_t true_lanes; /* of bar.red */
    uint32_t at;         /* the op and the thread that arrived first */
    uint32_t first;
};

struct smc_shadow;
struct smc_past;
struct smc_bank_memo;
struct smc_heap;

/* What printf wrote: that of each block is a segment. */
struct smc_output {
    struct smc_text text;
    struct smc_output_segment {
        uint64_t block;
        size_t end; /* in the text; it begins where the one before ends */
    } * segment;
    size_t segments, room;
    bool is_cut;
};

/* A sum in the shared memory of one block. */
struct smc_shared_sum {
    uint64_t block; /* the block's index plus one; a sum of another block counts as empty */
    struct smc_float_sum sum;
};

/* How often groups entered a stretch of ops, and their lanes. */
struct smc_pass {
    uint64_t executions, lanes;
};

struct smc_worker {
    struct smc_launch_state *launch;
    struct smc_emulated_count *count; /* by instruction */
    struct smc_pass *pass;            /* by op */
    struct smc_conflict_sample *sample;
    struct smc_access_log *log; /* NULL: none is kept */
    struct smc_emulated_array_count *array_count;
    struct smc_warp *warp;
    struct smc_barrier barrier[SMC_BARRIERS + 1]; /* and that of the cluster */
    struct smc_barrier passed; /* the cluster's barrier, when it was last complete */
    bool is_running;           /* a block */
    bool shares;               /* the counts of the worker before it */
    char *files, *shared, *local;
    struct smc_shadow *shadow;         /* NULL: unchecked */
    struct smc_peers *peers;           /* NULL: there is no cluster, or unchecked */
    struct smc_concurrent *concurrent; /* of all workers: concurrent_blocks.h; or NULL */
    uint32_t index;                    /* of the worker */
    uint8_t *local_written;            /* for each byte of `local`; NULL: unchecked */
    struct smc_bank_memo *memo;
    size_t last_allocation;
    char cut[SMC_LANES][32]; /* what was loaded across the end of an allocation */
    struct smc_unset_note {
        bool any;
        uint32_t lanes[SMC_MAX_VECTOR]; /* by element */
        uint64_t address[SMC_LANES];
        uint32_t stored; /* lanes that read what was stored unset, of this origin */
        struct smc_unset_origin {
            uint32_t instruction, thread; /* that read it first */
            bool is_register;             /* or else from shared memory */
        } origin[SMC_LANES];
    } unset; /* what the load that is executed found unset: unset_values.h */
    uint64_t block;
    uint32_t block_index[3];
    uint64_t blocks_run;
    uint64_t float_adds;
    uint32_t fruitless; /* rounds in a row in which warps only waited */
    bool waits;         /* in the last round warps read again what other blocks may store, and none
                           changed memory */
    struct smc_object {
        uint32_t address, phases; /* of an mbarrier object; phases that are complete */
        uint32_t instruction;     /* that initialized it, */
        uint32_t number;          /* after so many others */
        struct smc_arrival {
            uint32_t at, thread, place; /* when, 0: unknown; with which instruction */
        } last, completing; /* arrival; the last one of the last phase that is complete */
    } * object;
    uint32_t objects;
    size_t object_room;
    struct smc_pending *pending; /* asynchronous operations, oldest first: pending.h */
    uint32_t free_regs;          /* that setmaxnreg has given back */
    struct {
        uint32_t barrier, left; /* ops; 0: none */
        bool passes_by;
        uint32_t copy[2]; /* ops; {0}: none */
        bool is_copy;
    } asked;                           /* last: of smc_passes_by and of copies */
    uint64_t polls, changes;           /* strong reads, and stores or atomics that changed memory */
    uint64_t polls_beyond;             /* strong reads of what other blocks may store */
    struct smc_shared_sum *shared_sum; /* one for each four bytes; NULL before the first addition */
    double shared_bound;
    struct smc_output output;
    bool gave_up; /* the block */
    bool out_of_memory;
    struct smc_finding finding[SMC_KEPT_FINDINGS];
    uint64_t finding_block[SMC_KEPT_FINDINGS];
    uint32_t findings;
    uint64_t findings_total;
};

/* Returns whether an early end is requested. */
static inline bool smc_launch_stops(struct smc_launch_state *launch)
{
    if (launch->request->stop && launch->request->stop(launch->request->stop_context))
        atomic_store(&launch->stopped, true);
    return atomic_load(&launch->stopped);
}

/* block.c */
void smc_block_run(struct smc_worker *worker, uint64_t block);
/* The same in parts: every warp has a turn until the block has ended. False: none got further. */
void smc_block_begin(struct smc_worker *worker, uint64_t block);
bool smc_block_advance(struct smc_worker *worker);
bool smc_block_has_ended(const struct smc_worker *worker);
void smc_block_end(struct smc_worker *worker);
/* Reports what the block waits for, for ever: first of all what its warps poll. */
void smc_block_report_waiting(struct smc_worker *worker);
/* Reports what its warps poll: each mbarrier object once. False: nothing. */
bool smc_block_report_polls(struct smc_worker *worker);
/* warp.c */
void smc_warp_begin(struct smc_warp *warp, uint32_t lanes);
/* Runs until every group waits or has ended, or until the time slice is over. Returns true if
   anything ran. */
bool smc_warp_run(struct smc_worker *worker, struct smc_warp *warp);
/* Divergence: the lanes of mask[i] continue at place[i]; all reconverge at op->reconverge_at. */
void smc_warp_diverge(struct smc_warp *warp, const struct smc_op *op, const uint32_t *place,
                      const uint32_t *mask, uint32_t count);
/* Runs an arithmetic op. */
void smc_warp_compute(const struct smc_warp *warp, const struct smc_op *op, uint32_t mask);
/* Adds what was counted by stretches to the counts of instructions. */
void smc_warp_add_passes(struct smc_worker *worker);
void smc_warp_end_lanes(struct smc_warp *warp, uint32_t mask);
/* The lanes return from the function that group `caller` has called. Returns false if other lanes
   of the running group remain. */
bool smc_warp_return(struct smc_warp *warp, uint32_t mask, int caller);
/* For an op that lanes run together: the converged lanes, or 0 while lanes of `need` are
   missing. They may be at any op of the same likeness; 0: only at this one. */
uint32_t smc_warp_converge(struct smc_warp *warp, uint32_t need, uint32_t likeness);
/* The lanes wait at a barrier, until smc_warp_release. */
void smc_warp_hold(struct smc_warp *warp, uint32_t mask, uint32_t barrier);
/* Lets all groups that converged continue after their op. */
void smc_warp_release(struct smc_warp *warp, uint32_t mask);

/* frames.c */
void smc_frames_begin(const struct smc_program *program, struct smc_warp *warp);
void smc_frames_free(struct smc_warp *warp);
/* The group has no lanes left in the function that it called: it continues after the call. Returns
   false if it has called none. */
bool smc_frame_leave(struct smc_warp *warp, int index);
/* The lanes of a group, also those that have returned from a function that it called. */
uint32_t smc_frames_lanes(const struct smc_warp *warp, int index);
/* Group `child` takes the place of its parent `index`, and returns in its stead. */
void smc_frames_hand_over(struct smc_warp *warp, int index, int child);
/* The lanes of the new group `alone` leave group `index` and return by themselves from the
   functions that it has called, from `frame` on, which they are in, or have already returned from.
   False: out of memory. */
bool smc_frames_split(struct smc_warp *warp, int index, struct smc_call_frame *frame,
                      bool are_in_it, int alone);
/* The call of the group from which lanes of `wanted` have returned while others have not; NULL:
   none. `alone`: the group that those lanes would be. */
struct smc_call_frame *smc_frames_waiting(const struct smc_warp *warp, int index, uint32_t wanted,
                                          struct smc_group *alone);
/* The number of the function that a frame is of; 0 for NULL: the kernel. */
uint32_t smc_frame_function(const struct smc_call_frame *frame);
/* The instruction that called it, and its caller's frame: NULL for the kernel. */
uint32_t smc_frame_next(const struct smc_call_frame **frame);
/* What is passed to a function of the library, and its result. */
uint64_t smc_call_argument(const struct smc_worker *worker, const struct smc_warp *warp,
                           const struct smc_op *op, uint32_t index, uint32_t lane);
void smc_call_result(const struct smc_worker *worker, struct smc_warp *warp,
                     const struct smc_op *op, uint32_t lane, uint64_t value);

/* wgmma_registers.c */
bool smc_wgmma_registers_new(struct smc_worker *worker, struct smc_warp *warp);
void smc_wgmma_registers_begin_block(const struct smc_worker *worker, struct smc_warp *warp);
/* The warp issues a product. */
void smc_wgmma_registers_issue(struct smc_warp *warp, const struct smc_op *op);
/* Before the op of a register that may be in use: it reads, copies or writes it. False: it happens
   later. */
bool smc_wgmma_registers_check(struct smc_worker *worker, struct smc_warp *warp,
                               const struct smc_op *op, uint32_t mask);

/* bulk_copies.c: reports copies that may still read the shared memory of a block that ends. */
void smc_bulk_end_block(struct smc_worker *worker);

/* unwritten.c: lanes enter a function: none of its registers are written but parameters. `kept`:
   NULL, or the former marks, which are restored when the lanes return. */
void smc_marks_begin(const struct smc_function *function, const struct smc_warp *warp,
                     uint32_t mask, uint32_t *kept);
void smc_marks_restore(const struct smc_function *function, const struct smc_warp *warp,
                       uint32_t mask, const uint32_t *kept);

/* heap.c */
struct smc_heap *smc_heap_new(void);
/* Of many allocations that were freed before, no longer knows them. */
void smc_heap_forget(struct smc_heap *heap);
/* Whether the address is in what was given out; arrays may be above it. */
bool smc_heap_spans(const struct smc_heap *heap, uint64_t address);
/* The last allocation that begins at or before the address, or else the first; NULL: none. */
const struct smc_allocation *smc_heap_find(const struct smc_heap *heap, uint64_t address);
/* 0: not enough memory left in the heap; `failed`: not enough on this machine. */
uint64_t smc_heap_allocate(struct smc_heap *heap, uint64_t bytes, bool *failed);
enum smc_heap_release { SMC_HEAP_RELEASED, SMC_HEAP_RELEASED_BEFORE, SMC_HEAP_NOT_ALLOCATED };
enum smc_heap_release smc_heap_release(struct smc_heap *heap, uint64_t address);
/* malloc.c */
smc_step smc_library_allocate, smc_library_free;

/* print.c */
smc_step smc_library_print, smc_library_assert;
/* Joins what the workers printed, in the order of their blocks. False: out of memory. */
bool smc_output_merge(const struct smc_worker *worker, size_t count, uint64_t last_block,
                      struct smc_emulation *emulation);
void smc_output_free(struct smc_output *output);

/* emulator_memory.c */
struct smc_texel {
    size_t array; /* of the request */
    const char *data;
    uint32_t bytes;
};
/* A texel is read: one in memory that nothing has written is a finding, as with other reads. */
void smc_memory_read_texel(struct smc_worker *worker, const struct smc_warp *warp,
                           const struct smc_op *op, const struct smc_texel *texel, uint32_t lane);
/* Whether the sample shows more conflicts, or as many in an earlier block: the block decides so
   that the result does not depend on how blocks were distributed. */
static inline bool smc_sample_replaces(const struct smc_conflict_sample *sample,
                                       const struct smc_conflict_sample *kept)
{
    return sample->taken && (!kept->taken || sample->conflicts > kept->conflicts ||
                             (sample->conflicts == kept->conflicts && sample->block < kept->block));
}

/* access_log.c: keeps an access to shared memory in the log, which exists. */
void smc_log_access(struct smc_worker *worker, struct smc_logged_access *logged,
                    const uint64_t address[SMC_LANES]);
void smc_log_shared(struct smc_worker *worker, const struct smc_op *op, enum smc_bank_op kind,
                    const uint64_t address[SMC_LANES], uint32_t mask, uint32_t bytes);
/* Counts an access of the machine code of wmma.load or wmma.store to shared memory. */
struct smc_fragment_access;
void smc_count_fragment(struct smc_worker *worker, const struct smc_op *op, enum smc_bank_op kind,
                        const uint64_t address[SMC_LANES], const struct smc_fragment_access *access,
                        const struct smc_access_bound *bound);

/* After a copy past L1 was counted as a load: counts its sectors as those of a copy. The
   lanes access one allocation, the last one. */
void smc_count_copy(struct smc_worker *worker, const struct smc_op *op,
                    const uint64_t from[SMC_LANES], const uint64_t to[SMC_LANES], uint32_t mask);
enum smc_access_kind { SMC_READS, SMC_WRITES, SMC_UPDATES };
/* An access of lanes of a warp to one space, with addresses relative to it. */
struct smc_warp_access {
    const struct smc_op *op;
    enum smc_access_kind kind;
    enum smc_ptx_space space;
    uint32_t mask;
    uint32_t bytes; /* of a lane; smc_memory_access_at sets it */
    const uint64_t *address;
    const uint64_t *from; /* of copies (cp.async): the global addresses that are read, or NULL */
    const void *const *value; /* of writes, or NULL */
    char **host;
};
/* Finds where in the host's memory the accesses of the lanes of `mask` go, at the addresses of
   `op`: sets access->host. Lanes with an invalid access are reported and left out of the returned
   mask. Also counts and checks the accesses. */
uint32_t smc_memory_access(struct smc_worker *worker, struct smc_warp *warp,
                           const struct smc_warp_access *access);
/* The same at access->address in access->space. Only the lanes that are returned have a place in
   `host`; the others' elements are overwritten. */
uint32_t smc_memory_access_at(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_warp_access *access);
/* Where a lane's generic address is in the host's memory, and how many bytes follow there; NULL if
   it is in no memory. Neither counted nor checked for races. */
const char *smc_memory_peek(struct smc_worker *worker, const struct smc_warp *warp, uint32_t lane,
                            uint64_t address, uint64_t *bytes);
void smc_emulated_traffic_add(const struct smc_emulated_traffic *from,
                              struct smc_emulated_traffic *to);
/* Many bytes that one lane accesses at once. */
struct smc_bulk {
    enum smc_access_kind kind;
    enum smc_ptx_space space; /* shared or global */
    uint64_t address;         /* in it */
    uint32_t bytes;
    char *data;                              /* in the host's memory */
    const struct smc_allocation *allocation; /* of global memory */
};
/* Sets `data`, of global memory also `allocation`. SMC_FINDING_KINDS, or what is wrong with such an
   access, which is not reported. */
enum smc_finding_kind smc_memory_find_bulk(struct smc_worker *worker, struct smc_bulk *bulk);
/* The same, and counts the access. False, after a finding: it is not in one array. */
bool smc_memory_bulk(struct smc_worker *worker, const struct smc_op *op, uint32_t thread,
                     struct smc_bulk *bulk);
/* Reports what is wrong with it. */
void smc_memory_report_bulk(struct smc_worker *worker, const struct smc_op *op, uint32_t thread,
                            enum smc_finding_kind kind, const struct smc_bulk *bulk);
/* memory_shapes.c */
/* Each lane's address, generic or relative to op->space: register + immediate. */
void smc_memory_addresses(const struct smc_warp *warp, const struct smc_op *op,
                          uint64_t address[SMC_LANES]);
struct smc_bank_memo *smc_bank_memo_new(const struct smc_program *program);
void smc_bank_memo_free(struct smc_bank_memo *memo);
/* Adds what repeated loads have not yet added to the counts. */
void smc_memory_add_costs(struct smc_worker *worker);
/* Where the lanes of one access go. */
enum smc_eight_lanes { SMC_EIGHT_OTHER, SMC_EIGHT_SAME, SMC_EIGHT_NEIGHBORS };
struct smc_lane_layout {
    int64_t delta[SMC_LANES];     /* distance from the first active lane */
    int64_t base[SMC_LANES / 8];  /* delta of the first of each eight */
    uint8_t eight[SMC_LANES / 8]; /* enum smc_eight_lanes */
};
/* A load whose addresses lie as when it was executed last, all valid: counts and checks it, and
   returns where the first active lane's data is. NULL: nothing happened, smc_memory_access serves.
 */
const char *smc_memory_load_again(struct smc_worker *worker, struct smc_warp *warp,
                                  const struct smc_op *op, uint32_t mask,
                                  const struct smc_lane_layout **layout);
/* The same for a store: NULL, or where the first active lane's data go. After they are stored,
   Call smc_shadow_written if there are places. */
struct smc_again {
    const struct smc_lane_layout *layout;
    uint64_t first; /* address */
    const struct smc_places *places;
};
char *smc_memory_store_again(struct smc_worker *worker, struct smc_warp *warp,
                             const struct smc_op *op, uint32_t mask, struct smc_again *again);
/* steps_memory.c */
void smc_copies_forget(struct smc_warp *warp);
/* Stores what the lanes have copied. */
void smc_copies_complete(struct smc_worker *worker, struct smc_warp *warp, uint32_t mask);
/* Checks the first copy of these lanes that is not stored, which becomes an operation of the worker
   (pending.h). NULL: there is none. */
struct smc_pending *smc_copies_later(struct smc_worker *worker, struct smc_warp *warp,
                                     uint32_t mask);

/* findings.c */
void smc_find(struct smc_worker *worker, const struct smc_finding *finding);
/* After an error that ends the launch: blocks above this one need not run. */
void smc_end_launch(struct smc_worker *worker);
struct smc_finding smc_finding_at(const struct smc_worker *worker, enum smc_finding_kind kind,
                                  uint32_t instruction, uint32_t thread);
/* call_stack.c: the calls that the thread has made and not returned from; called by
   smc_finding_at. */
void smc_finding_set_calls(const struct smc_worker *worker, struct smc_finding *finding,
                           uint32_t thread);
/* Whether two instructions are of the same line, inlined at the same lines; those of an unrolled
   loop are. Instructions without a line are not. */
bool smc_same_lines(const struct smc_program *program, uint32_t a, uint32_t b);
/* Says in a note what would be right, where it is always the same. */
void smc_finding_hint(struct smc_finding *finding);
/* The thread of the other access, of a block of the same shape. */
void smc_finding_set_other(const struct smc_worker *worker, struct smc_finding *finding,
                           uint32_t thread);
void smc_finding_set_address(const struct smc_worker *worker, struct smc_finding *finding,
                             enum smc_ptx_space space, uint64_t address, uint32_t bytes);
/* Adds a finding with its `times` after all others, or to one of the same kind and place. */
void smc_finding_add(const struct smc_program *program, const struct smc_finding *finding,
                     struct smc_emulation *emulation);
void smc_findings_merge(const struct smc_worker *worker, size_t count, uint64_t last_block,
                        struct smc_emulation *emulation);

static inline uint32_t smc_thread_of(const struct smc_warp *warp, uint32_t lane)
{
    return warp->index * SMC_LANES + lane;
}

/* The lanes of `mask` that execute the op. */
static inline uint32_t smc_guarded(const struct smc_warp *warp, const struct smc_op *op,
                                   uint32_t mask)
{
    if (op->guard == SMC_NO_SLOT)
        return mask;
    uint32_t holds = *(const lane_u32 *)(warp->file + op->guard);
    return mask & (op->guard_negated ? ~holds : holds);
}

#endif
