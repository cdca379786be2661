/* A kernel as the emulator runs it: a sequence of `struct smc_op`. Everything that an instruction
   reads is in its warp's register file, laid out by lane: registers, and also constants and special
   registers (%tid.x), which are written once. An operand is therefore only an offset, and an
   arithmetic operation is a function over arrays of 32 lanes. A predicate is a mask of lanes.
   Values of 8 and 16 bits are stored in 32-bit lanes, zero-extended. decode*.c make the ops,
   reconvergence.c sets where divergent lanes reconverge, and ops_*.c and steps_*.c hold the
   functions that ops point to. */
#ifndef SMC_MACHINE_EMULATOR_PROGRAM_H
#define SMC_MACHINE_EMULATOR_PROGRAM_H

#include "machine/emulator.h"
#include "machine/emulator/arena.h"
#include "machine/emulator/ptx.h"

/* --- The lanes of a register ------------------------------------------------------------------ */

enum { SMC_LANES = 32 };

/* may_alias, because a register may be written as one type and read as another. */
typedef uint32_t __attribute__((may_alias)) lane_u32;
typedef uint64_t __attribute__((may_alias)) lane_u64;
typedef int32_t __attribute__((may_alias)) lane_s32;
typedef int64_t __attribute__((may_alias)) lane_s64;
typedef float __attribute__((may_alias)) lane_f32;
typedef double __attribute__((may_alias)) lane_f64;

/* Functions with loops over lanes are compiled for several CPUs; which one runs is decided when the
   program starts. The results are the same, as nothing is contracted (-ffp-contract=off). clang
   14 gives such functions names that calls from other files do not find. */
#if defined __x86_64__ && defined __GLIBC__ && defined __OPTIMIZE__ && !defined __clang__
#define SMC_FOR_EACH_CPU __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SMC_FOR_EACH_CPU
#endif

/* A loop over the lanes, whose iterations are independent of each other. */
#ifdef __clang__ /* clang checks the independence itself, at run time */
#define EACH_LANE(i) for (unsigned i = 0; i < SMC_LANES; i++)
#else
#define EACH_LANE(i) _Pragma("GCC ivdep") for (unsigned i = 0; i < SMC_LANES; i++)
#endif

/* A loop over the lanes whose bit is set in the mask. */
#define EACH_ACTIVE(i, mask)                                                                       \
    for (uint32_t left_##i = (mask), i; left_##i && (i = (uint32_t)__builtin_ctz(left_##i), 1);    \
         left_##i &= left_##i - 1)

extern const uint32_t smc_lane_bit[SMC_LANES]; /* 1 << lane, to avoid a shift by a variable */

static inline uint32_t smc_lane_count(uint32_t mask)
{
    return mask == UINT32_MAX ? SMC_LANES : (uint32_t)__builtin_popcount(mask);
}

/* Converts 32 bytes, each 0 or 1, into a mask. */
static inline uint32_t smc_mask_of(const uint8_t flag[SMC_LANES])
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < SMC_LANES / 8; i++) {
        uint64_t eight;
        __builtin_memcpy(&eight, flag + (size_t)8 * i, sizeof eight);
        mask |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
    }
    return mask;
}

/* --- Addresses -------------------------------------------------------------------------------- */

/* Shared, local and parameter addresses are offsets below 2^32; their windows begin here. */
#define SMC_SHARED_WINDOW UINT64_C(0x100000000)
#define SMC_LOCAL_WINDOW  UINT64_C(0x200000000)
#define SMC_PARAM_WINDOW  UINT64_C(0x300000000)
#define SMC_WINDOW_BYTES  UINT64_C(0x100000000)

/* Global addresses: the module's variables (constants among them), then the arrays of a launch.
   Between any two of them is a gap that belongs to neither. */
#define SMC_VARIABLES_BASE UINT64_C(0x40000000000)
#define SMC_HEAP_BASE      UINT64_C(0x60000000000)
#define SMC_ARRAYS_BASE    UINT64_C(0x7f0000000000)
/* The values of texture and surface objects, where no variable is. */
#define SMC_TEXTURES_BASE UINT64_C(0x30000000000)
/* The workspace of a cooperative launch. */
#define SMC_WORKSPACE_BASE UINT64_C(0x38000000000)
enum { SMC_WORKSPACE_BYTES = 1024 };
enum { SMC_TEXTURE_STEP = 64 };
enum { SMC_ALLOCATION_ALIGN = 512, SMC_ALLOCATION_GAP = 1 << 20 };

/* Added to an address of the space to make it generic. */
static inline uint64_t smc_window_of(enum smc_ptx_space space)
{
    return space == SMC_SPACE_SHARED  ? SMC_SHARED_WINDOW
           : space == SMC_SPACE_LOCAL ? SMC_LOCAL_WINDOW
           : space == SMC_SPACE_PARAM ? SMC_PARAM_WINDOW
                                      : 0;
}

/* Global includes constant. */
static inline enum smc_ptx_space smc_space_of(uint64_t generic)
{
    switch (generic / SMC_WINDOW_BYTES) {
    case SMC_SHARED_WINDOW / SMC_WINDOW_BYTES:
        return SMC_SPACE_SHARED;
    case SMC_LOCAL_WINDOW / SMC_WINDOW_BYTES:
        return SMC_SPACE_LOCAL;
    case SMC_PARAM_WINDOW / SMC_WINDOW_BYTES:
        return SMC_SPACE_PARAM;
    default:
        return SMC_SPACE_GLOBAL;
    }
}

/* --- Ops -------------------------------------------------------------------------------------- */

struct smc_op;
struct smc_worker;
struct smc_warp;

/* Computes all lanes. Results of inactive lanes are discarded, but computing them must not crash. d
   may be the same as a, b or c. */
#define SMC_UNUSED __attribute__((unused))
/* Not every function needs them all. */
#define SMC_ALU_PARAMETERS                                                                         \
    SMC_UNUSED const struct smc_op *op, void *d, SMC_UNUSED const void *a,                         \
        SMC_UNUSED const void *b, SMC_UNUSED const void *c
typedef void smc_alu(SMC_ALU_PARAMETERS);

/* What happens to the lanes that ran an op. */
enum smc_next {
    SMC_GO_ON,    /* to the next op */
    SMC_FOLLOWS,  /* the same, but the warp is followed from now on: unset_values.h */
    SMC_MOVED,    /* the step set their pc or ended them */
    SMC_WAITS,    /* for other lanes or warps */
    SMC_GIVES_UP, /* the block cannot continue: there is a finding */
};

/* Everything else: memory, control flow, operations across lanes. `mask` is not 0, except for
   branches. */
typedef enum smc_next smc_step(struct smc_worker *worker, struct smc_warp *warp,
                               const struct smc_op *op, uint32_t mask);

enum smc_slot_kind { SMC_SLOT_NONE, SMC_SLOT_PREDICATE, SMC_SLOT_32, SMC_SLOT_64 };

#define SMC_NO_SLOT UINT32_MAX
#define SMC_NO_PC   UINT32_MAX

enum { SMC_MAX_VECTOR = 8, SMC_LEADERS = 4 };

enum smc_reduction {
    SMC_REDUCE_NONE,
    SMC_REDUCE_ADD,
    SMC_REDUCE_MIN,
    SMC_REDUCE_MAX,
    SMC_REDUCE_AND,
    SMC_REDUCE_OR,
    SMC_REDUCE_XOR,
    SMC_REDUCE_INC,
    SMC_REDUCE_DEC,
    SMC_REDUCE_EXCHANGE,
    SMC_REDUCE_COMPARE_AND_SWAP,
    SMC_REDUCE_POPC,
    SMC_REDUCE_UNIFORM,
    SMC_REDUCE_BALLOT,
};

/* What happens to a floating-point result in the end. */
enum {
    SMC_FINISH_RELU = 1,      /* negative numbers become 0 */
    SMC_FINISH_FINITE = 2,    /* .satfinite: at most the largest finite number */
    SMC_FINISH_NAN = 4,       /* min, max: a NaN if an operand is one */
    SMC_FINISH_XOR_SIGN = 8,  /* min, max: of the magnitudes, with the product's sign */
    SMC_FINISH_TIES_AWAY = 16 /* .rna */
};

/* The shape of a product of matrices, its types (enum smc_matrix_type), and how many registers of
   the op's list each of them has. */
struct smc_matrix {
    uint16_t k, n;
    uint8_t m;
    uint8_t a, b, c, d;
    uint8_t a_registers, b_registers, c_registers, d_registers;
};

enum smc_rounding { SMC_ROUND_NEAREST, SMC_ROUND_ZERO, SMC_ROUND_DOWN, SMC_ROUND_UP };

/* What an op does, for files below those of the steps, which therefore cannot name them. */
enum smc_op_kind {
    SMC_OP_OTHER,
#define OP_KIND(id, name) SMC_OP_##id,
#include "machine/emulator/op_kinds.def"
};

struct smc_op {
    smc_alu *alu; /* or */
    smc_step *step;
    uint32_t d, a, b, c; /* offsets in the register file */
    enum smc_slot_kind d_kind;
    uint32_t guard; /* a predicate, or SMC_NO_SLOT */
    bool guard_negated;
    bool step_without_lanes; /* call the step even if no lane is active: branches */
    bool is_first;           /* first op of its instruction, where executions are counted */
    uint32_t stretch;        /* ops from this one on that lanes run together: see find_stretches */
    uint32_t instruction;
    uint64_t immediate; /* a table of lop3, a comparison, an offset to an address */

    /* Memory. */
    enum smc_ptx_space space;
    enum smc_ptx_type type;
    uint8_t width_bytes;   /* of one element */
    uint8_t vector;        /* elements: 1, 2, 4 or 8 */
    uint8_t machine_bytes; /* width of a load of shared memory in machine code; 0: joined with
                              another load */
    bool address_is_32;    /* the register of the address has 32 bits */
    bool is_strong; /* two such accesses do not race: atomics, volatile, .relaxed and above */
    bool is_narrow; /* strong, or a fence, only within the block or the cluster */
    bool acquires, releases;
    bool is_volatile;         /* strong, but only as .volatile */
    bool polls;               /* such a load, in a loop that does nothing but wait for its value */
    bool is_of_warpgroup : 1; /* its reads are those of the warpgroup: see order.h */
    bool is_of_group : 1;    /* of bulk copies: it reads shared memory until a wait for the group */
    bool is_async : 1;       /* it accesses memory through the async proxy: see proxies.h */
    bool is_noncoherent : 1; /* ld.global.nc: the kernel must not write what it reads */
    bool only_copies;        /* a load of what is only stored again, if both may be local memory */
    uint8_t used_bytes;      /* of a vector that is loaded: up to the last register read; 0: all */
    uint8_t computed; /* of what is loaded: the elements that are used other than by copying */
    bool skips_l1;    /* .cg, .cv */
    bool adds_one;    /* an atomic that adds 1 and whose result is not used */
    uint8_t v_kind[SMC_MAX_VECTOR]; /* enum smc_slot_kind */
    uint32_t v[SMC_MAX_VECTOR];     /* the elements' registers, SMC_NO_SLOT: `_` */
    uint64_t source_offset;         /* of cp.async, whose source is at b */
    /* Of loads: the first one like it with the same value of the register a, since which nothing
       else can have run; itself, if others follow; or SMC_NO_PC. */
    uint32_t leader;
    uint8_t leader_slot; /* where a warp keeps what is known of it */
    bool leads;
    uint8_t kind; /* enum smc_op_kind */

    /* Floating point. */
    smc_alu *inner; /* of an operation with another rounding mode, flushing or saturation */
    enum smc_rounding rounding;
    bool flushes, saturates, to_integral;
    uint8_t finish; /* SMC_FINISH_... */

    /* Control. */
    enum smc_reduction reduction; /* of bar.red, vote, redux, atom */
    uint32_t seen;   /* of operations across lanes: a slot with the lanes that ran it */
    uint32_t track;  /* of smc_step_tracked: its place in the program's list */
    uint32_t target; /* op to branch to */
    uint32_t
        reconverge_at; /* op at which lanes that diverge here reconverge; SMC_NO_PC: at the end */
    bool is_aligned;   /* a barrier that whole warps must reach */
    union {
        uint32_t *targets;
        const struct smc_call *call; /* of smc_step_call */
    };
    uint32_t target_count;

    /* Instructions with more registers than d, a, b and c: matrix fragments. The first `written` of
       them are results. */
    uint32_t *list;
    uint32_t listed, written;
    struct smc_matrix matrix;
};

/* op_slots.c: visits the registers that an op reads, its guard among them, or those that it writes,
   until a visit returns true, as the function then does. */
typedef bool smc_slot_visit(void *context, uint32_t slot);
bool smc_op_sources(const struct smc_op *op, smc_slot_visit *visit, void *context);
bool smc_op_targets(const struct smc_op *op, smc_slot_visit *visit, void *context);

/* What each lane accesses, in all elements of a vector. */
static inline uint32_t smc_op_bytes(const struct smc_op *op)
{
    return (uint32_t)op->width_bytes * op->vector;
}

/* Marks the ops that a branch leads to, in an array of one more than there are ops. */
void smc_mark_targets(const struct smc_program *program, bool *leads);
/* The same for those that begin a basic block. */
void smc_mark_leaders(const struct smc_program *program, bool *leads);

static inline bool smc_op_is_branch(const struct smc_op *op)
{
    return op->kind == SMC_OP_BRANCH || op->kind == SMC_OP_INDEXED_BRANCH;
}

/* Whether, unless its guard is false, the next op does not follow. */
static inline bool smc_op_ends_flow(const struct smc_op *op)
{
    return smc_op_is_branch(op) || op->kind == SMC_OP_EXIT || op->kind == SMC_OP_RETURN ||
           op->kind == SMC_OP_TRAP;
}

/* ldmatrix and stmatrix. */
static inline bool smc_op_is_rows(const struct smc_op *op)
{
    return op->kind == SMC_OP_LOAD_ROWS || op->kind == SMC_OP_STORE_ROWS;
}

/* The operation by which the banks serve an access of these lanes, `plain` if it is a load or a
   store; SMC_BANK_OPS: an atomic that ptxas makes a loop of several instructions. */
enum smc_bank_op smc_op_bank_op(const struct smc_op *op, enum smc_bank_op plain, uint32_t mask);

/* --- Functions -------------------------------------------------------------------------------- */

/* The functions that the device's runtime library provides; see print.c and malloc.c. */
enum smc_library_function {
    SMC_LIBRARY_NONE,
    SMC_LIBRARY_VPRINTF,
    SMC_LIBRARY_ASSERTFAIL,
    SMC_LIBRARY_MALLOC,
    SMC_LIBRARY_FREE,
    SMC_LIBRARY_COUNT
};

/* A value that a call passes or returns: in the frame of the caller or the callee, or in a
   register. Parameters of a callee always have a place in its frame. */
struct smc_passed {
    uint32_t place; /* bytes from the beginning of the frame; the kernel's frame begins at 0 */
    uint32_t bytes;
    uint32_t slot; /* SMC_NO_SLOT: only in memory */
    enum smc_slot_kind kind;
};

struct smc_call {
    uint32_t callee; /* the function's number; 0: its address is in the register a of the op */
    struct smc_passed *result, *argument;
    uint32_t results, arguments;
};

/* Where the lanes that have written a register are kept: see unwritten.c. */
struct smc_mark {
    uint32_t offset;
    bool is_parameter;
};

/* Each thread's frames lie one above the other in its local memory: that of the kernel, then one
   for each function that was called and has not returned. */
struct smc_function {
    struct smc_span name;
    enum smc_library_function library;
    bool is_defined;
    uint32_t first_op, end_op;
    uint32_t frame_bytes;
    uint32_t first_slot, end_slot; /* its registers: indexes of smc_program.slot */
    struct smc_passed *result, *parameter;
    uint32_t results, parameters;
    struct smc_mark *mark; /* of those registers that are tracked */
    uint32_t marks;
};

enum {
    SMC_FRAME_ALIGN = 16,
    /* Local memory of a thread for functions whose depth is not bounded: recursion, alloca, calls
       through addresses. */
    SMC_STACK_BYTES = 64 << 10,
    SMC_HEAP_BYTES = 8 << 20, /* of malloc, as CUDA has it by default */
};

/* --- The program ------------------------------------------------------------------------------ */

/* A value that is the same for all lanes, or depends only on the lane. */
enum smc_special {
    SMC_SPECIAL_CONSTANT,
#define SPECIAL(id, name) SMC_SPECIAL_##id,
#include "machine/emulator/specials.def"
    SMC_SPECIAL_COUNT
};

struct smc_fixed_slot {
    uint32_t offset;
    enum smc_slot_kind kind;
    enum smc_special special;
    uint64_t bits; /* of a constant */
};

struct smc_slot {
    uint32_t offset;
    enum smc_slot_kind kind;
};

/* An op that reads or writes registers that may be read before they are written. For each of them
   there is a slot with the lanes that have written it; 0: not tracked. */
struct smc_track {
    uint32_t op;
    uint32_t a, b, c, guard, d;
    uint32_t v[SMC_MAX_VECTOR];
    uint32_t listed[SMC_MAX_VECTOR]; /* written by a matrix instruction or a call */
    uint32_t is_of_product; /* 1: it has registers that wgmma may still use (wgmma_registers.c);
                               without padding, as tracks are compared byte by byte */
};

struct smc_program {
    struct smc_ptx_module module;
    struct smc_arena arena;
    char *entry;
    struct smc_op *op;
    size_t ops, op_room;
    struct smc_instruction *instruction;
    size_t instructions;
    char **file_name; /* by smc_ptx_module.file */
    struct smc_fixed_slot *fixed;
    size_t fixed_count, fixed_room;
    uint32_t file_bytes;   /* of one warp's register file */
    struct smc_slot *slot; /* what it holds, in order */
    size_t slots, slot_room;
    struct smc_track *track; /* see unwritten.c */
    size_t tracks, track_room;
    uint32_t parameter_bytes;
    uint32_t static_smem_bytes; /* where dynamic shared memory begins */
    uint32_t local_bytes; /* of a thread: the kernel's variables and the frames of functions */
    uint32_t kernel_frame_bytes;   /* the kernel's part of it */
    struct smc_function *function; /* number n is [n - 1], as in the module */
    size_t functions;
    uint32_t frame_slot; /* the register that holds where a lane's frame begins; 0: none */
    bool has_calls;      /* of functions of the module */
    bool has_alloca;
    bool has_heap;            /* malloc or free */
    bool reads_reserved_smem; /* has the system's shared memory (%reserved_smem_offset_begin) */
    bool follows;             /* machine_bytes is valid: see joins.c */
    bool runs_in_order;       /* blocks run in order: has atomics on global memory, or strong
                                 stores to it */
    bool asks_cooperative;    /* reads %envreg1 or %envreg2 */
    bool has_fences;          /* or accesses that acquire or release */
    bool has_products;        /* wgmma */
    bool has_async;           /* ops that access memory through the async proxy */
    bool splits_shared_words, splits_global_words; /* has accesses of less than 4 bytes */
};

/* wgmma_registers.c: marks the ops that have registers of wgmma, or copies of them; NULL: there is
   no wgmma, or no memory. To be freed. */
bool *smc_wgmma_registers_find_ops(const struct smc_program *program);
/* unwritten.c: finds the registers that may be read before they are written, and the ops that must
   be watched for them. False: out of memory. */
bool smc_find_tracks(struct smc_program *program);
/* The program's ops with those replaced by smc_step_tracked; to be freed. NULL: out of memory. */
struct smc_op *smc_tracked_ops(const struct smc_program *program);
/* decode_calls.c */
/* Lays out local variables and parameters of calls, and sets program->function. */
enum smc_status smc_lay_out_frames(struct smc_program *program, struct smc_error *error);
/* Sets the size of a thread's local memory, once all ops are decoded; false: out of memory. */
bool smc_bound_stack(struct smc_program *program);

/* functions.c */
/* The function of the device's runtime library with this name, or SMC_LIBRARY_NONE. */
enum smc_library_function smc_library_named(struct smc_span name);
/* The number of the function at this address; 0: none. */
uint32_t smc_function_at(const struct smc_program *program, uint64_t address);
/* Whether the callee has as many parameters as the call passes, of the same sizes. */
bool smc_call_matches(const struct smc_call *call, const struct smc_function *callee);

/* Sets `reconverge_at` of every branch. */
bool smc_find_reconvergence(struct smc_program *program);

/* sequences.c: finds the loads that follow another with the same address, the loads that poll, and
   the stretches. False: out of memory. */
bool smc_find_sequences(struct smc_program *program);
/* Whether threads that exit at op `left` have executed something that follows the barrier: they
   have passed it by, and not just returned. */
bool smc_passes_by(const struct smc_program *program, uint32_t barrier, uint32_t left);
/* Whether op `to` may run after op `from`. */
bool smc_may_follow(const struct smc_program *program, uint32_t from, uint32_t to);

#endif
