/* Instructions of machine code (SASS) with 16 bytes, CC 7.0 to 9.0: which operation, operands,
   predicates and control bits. NVIDIA publishes no encodings. Every field here was found by
   changing single bits of instructions that NVRTC and ptxas (13.0) produced, and reading what
   nvdisasm (13.5) makes of the result:

     0-8      operation; 9-11 the form of its operands
     12-15    guard: predicate, and whether negated; of the uniform datapath a uniform one
     16-23    register that is written; 24-31 first source (uniform: 6 bits of each)
     32-63    second source: a register (32-39), a uniform register (32-37), an immediate, or a
              constant: offset (38-53) and bank (54-58)
     64-71    third source. In forms 2, 3 and 7 the second and third change places: the immediate,
              constant or uniform register is the third source
     72, 73   sign and magnitude of the first source, 63, 62 of the second, 75, 74 of the third
     81-83, 84-86   predicates that are written
     87-90, 77-80, 68-71   predicates that are read, the highest bit negates
     105-108  cycles until the next instruction may issue; 109 yield
     110-112  scoreboard that is released when the result is written, 113-115 when the sources are
              read (7: none); 116-121 scoreboards to wait for
     122-124  sources kept in the operand cache ("reuse")

   Modifiers of an operation are read where it is evaluated or printed. */
#ifndef SMC_MACHINE_SASS_INSTRUCTION_H
#define SMC_MACHINE_SASS_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The newest machine_code_format (rules/devices.h) whose encodings are known. */
enum { SMC_NEWEST_CODE_FORMAT = 2 };

enum { SMC_INSTRUCTION_BYTES = 16 };
enum { SMC_ZERO_REGISTER = 255, SMC_ZERO_UNIFORM = 63, SMC_TRUE_PREDICATE = 7 };

/* Where the SM executes an instruction. */
enum smc_pipe {
    SMC_PIPE_NONE, /* issued, but in no counter of a pipe */
    SMC_PIPE_FMA,
    SMC_PIPE_FMA_HEAVY,
    SMC_PIPE_ALU,
    SMC_PIPE_FP64,
    SMC_PIPE_HALF,
    SMC_PIPE_TENSOR,
    SMC_PIPE_XU,
    SMC_PIPE_LSU,
    SMC_PIPE_UNIFORM,
    SMC_PIPE_UNIFORM_MOVE, /* ULDC, UMOV: not in the uniform datapath's counter */
    SMC_PIPE_BRANCH,       /* BRA: not in the CBU's counter */
    SMC_PIPE_CBU,
    SMC_PIPE_ADU,
    SMC_PIPE_TEXTURE,
    SMC_PIPE_UNKNOWN, /* of an operation that is not known */
    SMC_PIPE_COUNT
};

enum smc_operation {
    SMC_OP_UNKNOWN,
#define OPERATION(id, name, code, fields, to_registers, from_registers, pipe) SMC_OP_##id,
#include "machine/sass/sass_operations.def"
    SMC_OP_COUNT
};

enum smc_sass_operand_kind {
    SMC_OPERAND_NONE,
    SMC_OPERAND_REGISTER,
    SMC_OPERAND_UNIFORM,
    SMC_OPERAND_IMMEDIATE,
    SMC_OPERAND_CONSTANT
};

struct smc_sass_operand {
    uint8_t kind;      /* enum smc_sass_operand_kind */
    uint8_t number;    /* of the register, or of the constant bank */
    uint8_t registers; /* that it occupies from `number` on */
    bool negated, absolute;
    uint32_t value; /* the immediate's bits, or the constant's offset in bytes */
};

struct smc_predicate {
    uint8_t number; /* 7: true; also if the operation has no such operand */
    bool negated;
    bool uniform; /* of the uniform datapath */
};

struct smc_sass_instruction {
    uint64_t low, high;
    enum smc_operation operation;
    enum smc_pipe pipe;
    bool uniform;  /* executed by the uniform datapath: its registers and predicates are uniform */
    bool branches; /* decides where the warp goes on, or which lanes */
    bool asynchronous; /* of a barrier in shared memory, or a bulk copy: machine/sass/async.h */
    struct smc_predicate guard;
    struct smc_sass_operand to; /* SMC_OPERAND_NONE: writes no register */
    struct smc_sass_operand from[3];
    uint8_t to_predicate[2];           /* 7: none */
    struct smc_predicate predicate[3]; /* at 87, 77 and 68 */
    bool reads_no_predicates;          /* all of these are true, or negated: false */
    uint8_t predicates_read;           /* bit n: predicate n, in addition to those; only P2R */
    uint8_t predicates_written;        /* only R2P */
    int64_t target;                    /* of branches: bytes into the code */
    int32_t offset;                    /* of memory accesses */
    bool beyond_sm;                    /* LDG of the scope GPU or system, .cg or .cv; cp.async.cg */
    uint8_t access_bytes;              /* of one lane; 0: no access to memory, or an atomic whose
                                          wavefronts are not known */
    bool exchanges, increments;        /* ATOMS.EXCH, ATOMS.POPC.INC */
    uint8_t matrices; /* LDSM, STSM: the first 8 lanes have the rows of the first, ...; 0: others */
    struct smc_sass_operand to_rest; /* TEX, TLD, TLD4, TXD: the channels after the first two */
    struct smc_sass_operand copy_to; /* LDGSTS: the address in shared memory */
    int32_t copy_offset;
};

/* Bits first to first + count - 1; at most 64, not across bit 64. */
static inline uint64_t smc_bits(const struct smc_sass_instruction *in, unsigned first,
                                unsigned count)
{
    uint64_t word = first < 64 ? in->low >> first : in->high >> (first - 64);
    return count < 64 ? word & ((UINT64_C(1) << count) - 1) : word;
}

static inline bool smc_bit(const struct smc_sass_instruction *in, unsigned bit)
{
    return smc_bits(in, bit, 1) != 0;
}

/* Decodes the instruction `at` bytes into the code, of a machine_code_format (rules/devices.h)
   that is not 0. False: the operation is unknown; then only `low`, `high` and `guard` are valid. */
bool smc_instruction_decode(const void *bytes, uint64_t at, uint32_t format,
                            struct smc_sass_instruction *in);

/* Fetches of textures: the coordinates are the first source, the object the third; from sm_90 on
   it is in a uniform register. */
static inline bool smc_is_fetch(const struct smc_sass_instruction *in)
{
    return in->operation >= SMC_OP_TEX && in->operation <= SMC_OP_TXD_REGISTER;
}

/* Of a fetch, bits 61 to 63. */
enum smc_fetched_shape {
    SMC_FETCHES_1D,
    SMC_FETCHES_2D,
    SMC_FETCHES_3D,
    SMC_FETCHES_CUBE,
    SMC_FETCHES_1D_LAYERED,
    SMC_FETCHES_2D_LAYERED,
    SMC_FETCHES_CUBE_LAYERED = 7
};

static inline enum smc_fetched_shape smc_fetched_shape(const struct smc_sass_instruction *in)
{
    return (enum smc_fetched_shape)smc_bits(in, 61, 3);
}

const char *smc_operation_name(enum smc_operation operation);

/* N of a warpgroup's product, M64NxK: HGMMA, IGMMA, BGMMA or QGMMA. */
unsigned smc_product_columns(const struct smc_sass_instruction *in);

/* LD, ST: the address may be in global, shared or local memory. */
static inline bool smc_is_generic(const struct smc_sass_instruction *in)
{
    return in->operation == SMC_OP_LD || in->operation == SMC_OP_ST;
}

/* Unlike BRA.U, which decides by a uniform predicate. */
static inline bool smc_branches_plainly(const struct smc_sass_instruction *in)
{
    return smc_bits(in, 32, 2) == 0;
}

/* BRA.U.ANY: all lanes go where one does. */
static inline bool smc_branches_if_any(const struct smc_sass_instruction *in)
{
    return smc_bits(in, 32, 2) == 1;
}

/* Loads, stores and atomics of shared memory. */
static inline bool smc_accesses_shared(const struct smc_sass_instruction *in)
{
    return in->operation == SMC_OP_LDS || in->operation == SMC_OP_STS || in->matrices ||
           in->operation == SMC_OP_ATOMS || in->operation == SMC_OP_ATOMS_CAS;
}

/* BRA.DIV: branches unless all the lanes that a uniform register names execute it together. */
bool smc_branches_if_diverged(const struct smc_sass_instruction *in);

/* WARPSYNC.ALL: all lanes of the warp that have not ended meet there. */
bool smc_syncs_whole_warp(const struct smc_sass_instruction *in);

/* An atomic of an address of any space; its predicate holds where the memory is global. */
static inline bool smc_is_generic_atomic(const struct smc_sass_instruction *in)
{
    return in->operation == SMC_OP_ATOM || in->operation == SMC_OP_ATOM_FLOAT ||
           in->operation == SMC_OP_ATOM_CAS;
}

/* A compare-and-swap, of any space. */
static inline bool smc_compares_and_swaps(const struct smc_sass_instruction *in)
{
    return in->operation == SMC_OP_ATOMG_CAS || in->operation == SMC_OP_ATOMS_CAS ||
           in->operation == SMC_OP_ATOM_CAS;
}

/* Atomics of global memory: their address is a pair of registers and 24 bits of offset. A generic
   one is taken to be. */
static inline bool smc_is_global_atomic(const struct smc_sass_instruction *in)
{
    return in->operation == SMC_OP_ATOMG || in->operation == SMC_OP_ATOMG_CAS ||
           in->operation == SMC_OP_ATOMG_FLOAT || in->operation == SMC_OP_RED ||
           in->operation == SMC_OP_REDG || smc_is_generic_atomic(in);
}

/* Of global memory, of floats. */
static inline bool smc_is_float_atomic(const struct smc_sass_instruction *in)
{
    return in->operation == SMC_OP_REDG || in->operation == SMC_OP_ATOMG_FLOAT ||
           in->operation == SMC_OP_ATOM_FLOAT;
}

/* LDC with a register: the lanes may read constants at different addresses. Or from another bank
   than the parameters', bank 0, whose lines are few. */
static inline bool smc_reads_constants_by_lane(const struct smc_sass_instruction *in)
{
    return in->operation == SMC_OP_LDC && in->from[0].kind == SMC_OPERAND_REGISTER &&
           (in->from[0].number != SMC_ZERO_REGISTER || in->from[1].number > 0);
}

/* The same, or at an index that all lanes share: ULDC. */
static inline bool smc_indexes_constants(const struct smc_sass_instruction *in)
{
    return smc_reads_constants_by_lane(in) ||
           (in->operation == SMC_OP_ULDC_INDEX && in->from[0].number != SMC_ZERO_UNIFORM);
}

/* BAR.RED, which combines a predicate of all threads: bits 74 and 75 0 count, 1 AND, 2 OR.
   B2R.RESULT reads it. */
bool smc_barrier_reduces(const struct smc_sass_instruction *in);

/* Whether it calls a function pointer, or a function that the module does not have: CALL.ABS, and
   CALL.REL with a register. */
static inline bool smc_calls_elsewhere(const struct smc_sass_instruction *in)
{
    enum { CALL_ABSOLUTE = 0x143, CALL_RELATIVE = 0x144, BY_REGISTER = 1 };
    const uint64_t code = smc_bits(in, 0, 9);
    return code == CALL_ABSOLUTE || (code == CALL_RELATIVE && smc_bits(in, 9, 3) == BY_REGISTER);
}

/* Control bits. */
static inline unsigned smc_stall_cycles(const struct smc_sass_instruction *in)
{
    return (unsigned)smc_bits(in, 105, 4);
}

/* 7: none. */
static inline unsigned smc_write_scoreboard(const struct smc_sass_instruction *in)
{
    return (unsigned)smc_bits(in, 110, 3);
}

static inline unsigned smc_read_scoreboard(const struct smc_sass_instruction *in)
{
    return (unsigned)smc_bits(in, 113, 3);
}

/* LDGSTS.BYPASS, which copies 16 bytes a lane. */
static inline bool smc_copies_past_l1(const struct smc_sass_instruction *in)
{
    return in->operation == SMC_OP_LDGSTS && in->beyond_sm;
}

/* UBLKCP and UTMALDG: whether the copy goes to several blocks of the cluster; a register has their
   mask. */
static inline bool smc_is_multicast(const struct smc_sass_instruction *in)
{
    return smc_bit(in, 75);
}

/* Bit n: waits for scoreboard n. */
static inline unsigned smc_awaited_scoreboards(const struct smc_sass_instruction *in)
{
    return (unsigned)smc_bits(in, 116, 6);
}

#endif
