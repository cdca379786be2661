/* Decoding of machine code. */
#include "machine/sass/sass_instruction.h"

/* The operands of an operation. */
enum {
    TO = 1 << 0,
    A = 1 << 1,
    B = 1 << 2,
    C = 1 << 3,
    P81 = 1 << 4, /* predicates written */
    P84 = 1 << 5,
    Q87 = 1 << 6, /* predicates read */
    Q77 = 1 << 7,
    Q68 = 1 << 8,
    UNIFORM = 1 << 9,
    TO_UNIFORM = 1 << 10, /* only the result is a uniform register */
    SIGN_A = 1 << 11,     /* sources that may be negated */
    SIGN_B = 1 << 12,
    SIGN_C = 1 << 22,
    MAGNITUDES = 1 << 23, /* and of which the magnitude may be taken */
    ASYNCHRONOUS = 1 << 24,
    CONSTANT_READ = 1 << 13,
    MEMORY = 1 << 14,
    CONTROL = 1 << 15,
    TARGET = 1 << 16,
    SHUFFLE = 1 << 17,
    COPY_TO = 1 << 18,
    BARRIER = 1 << 19,
    ALL_PREDICATES_READ = 1 << 20,
    ALL_PREDICATES_WRITTEN = 1 << 21,
    TEXTURE = 1 << 25
};

struct sass_operation {
    const char *name;
    uint32_t fields;
    uint16_t code;
    uint8_t to_registers, from_registers;
    uint8_t pipe;
};

static const struct sass_operation operations[SMC_OP_COUNT] = {
#define PIPE_NONE         SMC_PIPE_NONE
#define PIPE_FMA          SMC_PIPE_FMA
#define PIPE_FMA_HEAVY    SMC_PIPE_FMA_HEAVY
#define PIPE_ALU          SMC_PIPE_ALU
#define PIPE_FP64         SMC_PIPE_FP64
#define PIPE_HALF         SMC_PIPE_HALF
#define PIPE_TENSOR       SMC_PIPE_TENSOR
#define PIPE_BRANCH       SMC_PIPE_BRANCH
#define PIPE_UNIFORM_MOVE SMC_PIPE_UNIFORM_MOVE
#define PIPE_XU           SMC_PIPE_XU
#define PIPE_LSU          SMC_PIPE_LSU
#define PIPE_UNIFORM      SMC_PIPE_UNIFORM
#define PIPE_CBU          SMC_PIPE_CBU
#define PIPE_ADU          SMC_PIPE_ADU
#define PIPE_TEXTURE      SMC_PIPE_TEXTURE
    [SMC_OP_UNKNOWN] = {"?", 0, 0, 0, 0, SMC_PIPE_UNKNOWN},
#define OPERATION(id, name, code, fields, to_registers, from_registers, pipe)                      \
    [SMC_OP_##id] = {name, fields, code, to_registers, from_registers, pipe},
#include "machine/sass/sass_operations.def"
};

enum { CODES = 513 /* and one that no instruction has */, MATRIX_ROW_BYTES = 16 };

static const uint8_t operation_of_code[CODES] = {
#define OPERATION(id, name, code, fields, to_registers, from_registers, pipe) [code] = SMC_OP_##id,
#include "machine/sass/sass_operations.def"
};

/* Branches have more bits, and VIADD has its code, from this machine_code_format on. */
enum { BRANCHES_HAVE_LOW_BITS = 2, HAS_VIADD = 2 };

/* Bits 9 to 11. */
enum form {
    FORM_REGISTERS = 1,
    FORM_THIRD_IMMEDIATE = 2,
    FORM_THIRD_CONSTANT = 3,
    FORM_IMMEDIATE = 4,
    FORM_CONSTANT = 5,
    FORM_UNIFORM = 6,
    FORM_THIRD_UNIFORM = 7
};

const char *smc_operation_name(enum smc_operation operation)
{
    return operations[operation].name;
}

static uint64_t little_endian(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static int64_t signed_bits(uint64_t value, unsigned count)
{
    return (int64_t)(value << (64 - count)) >> (64 - count);
}

static struct smc_sass_operand register_at(const struct smc_sass_instruction *in, unsigned bit,
                                           bool uniform, uint8_t registers)
{
    return (struct smc_sass_operand){
        .kind = uniform ? SMC_OPERAND_UNIFORM : SMC_OPERAND_REGISTER,
        .number = (uint8_t)smc_bits(in, bit, uniform ? 6 : 8),
        .registers = registers,
    };
}

static struct smc_sass_operand constant_at(const struct smc_sass_instruction *in, uint8_t registers)
{
    return (struct smc_sass_operand){
        .kind = SMC_OPERAND_CONSTANT,
        .number = (uint8_t)smc_bits(in, 54, 5),
        .registers = registers,
        .value = (uint32_t)smc_bits(in, 38, 16),
    };
}

/* The source at bits 32 to 63, which the form describes. */
static struct smc_sass_operand second_slot(const struct smc_sass_instruction *in, enum form form,
                                           uint8_t registers)
{
    switch (form) {
    case FORM_IMMEDIATE:
    case FORM_THIRD_IMMEDIATE:
        return (struct smc_sass_operand){.kind = SMC_OPERAND_IMMEDIATE,
                                         .value = (uint32_t)smc_bits(in, 32, 32)};
    case FORM_CONSTANT:
    case FORM_THIRD_CONSTANT:
        return constant_at(in, registers);
    case FORM_UNIFORM:
    case FORM_THIRD_UNIFORM:
        return register_at(in, 32, true, registers);
    default:
        return register_at(in, 32, in->uniform, registers);
    }
}

/* Signs belong to a position in the instruction: 63 and 62 to bits 32 to 63, 75 and 74 to bits 64
 * to 71. */
static void read_sign(const struct smc_sass_instruction *in, struct smc_sass_operand *operand,
                      unsigned negation, unsigned magnitude, bool has_magnitude)
{
    if (operand->kind == SMC_OPERAND_IMMEDIATE || operand->kind == SMC_OPERAND_NONE)
        return;
    operand->negated = smc_bit(in, negation);
    operand->absolute = has_magnitude && smc_bit(in, magnitude);
}

static void read_signs(struct smc_sass_instruction *in, uint32_t fields, bool swapped,
                       struct smc_sass_operand *second, struct smc_sass_operand *third)
{
    bool magnitudes = (fields & MAGNITUDES) != 0;
    if (fields & SIGN_A)
        read_sign(in, &in->from[0], 72, 73, magnitudes);
    if (fields & (swapped ? SIGN_C : SIGN_B))
        read_sign(in, second, 63, 62, magnitudes);
    if (fields & (swapped ? SIGN_B : SIGN_C))
        read_sign(in, third, 75, 74, magnitudes);
}

static void read_sources(struct smc_sass_instruction *in, const struct sass_operation *operation)
{
    uint8_t registers = operation->from_registers;
    enum form form = (enum form)smc_bits(in, 9, 3);
    struct smc_sass_operand second = {0}, third = {0};
    bool swapped =
        form == FORM_THIRD_IMMEDIATE || form == FORM_THIRD_CONSTANT || form == FORM_THIRD_UNIFORM;
    const bool last = (operation->fields & (B | C)) == C; /* of two sources; DADD */
    if (operation->fields & A)
        in->from[0] = register_at(in, 24, in->uniform, registers);
    if (operation->fields & B || (last && swapped))
        second = second_slot(in, form, registers);
    if (operation->fields & C && !(last && swapped))
        third = register_at(in, 64, in->uniform, registers);
    swapped = swapped && operation->fields & C;
    read_signs(in, operation->fields, swapped, &second, &third);
    in->from[1] = swapped != last ? third : second;
    if (!last)
        in->from[2] = swapped ? second : third;
}

static struct smc_predicate predicate_at(const struct smc_sass_instruction *in, unsigned bit)
{
    return (struct smc_predicate){(uint8_t)smc_bits(in, bit, 3), smc_bit(in, bit + 3), in->uniform};
}

static void read_predicates(struct smc_sass_instruction *in, uint32_t fields)
{
    static const struct smc_predicate none = {.number = SMC_TRUE_PREDICATE};
    in->to_predicate[0] = fields & P81 ? (uint8_t)smc_bits(in, 81, 3) : SMC_TRUE_PREDICATE;
    in->to_predicate[1] = fields & P84 ? (uint8_t)smc_bits(in, 84, 3) : SMC_TRUE_PREDICATE;
    in->predicate[0] = fields & Q87 ? predicate_at(in, 87) : none;
    if (in->operation == SMC_OP_VOTEU)
        in->predicate[0].uniform = false; /* the lanes' */
    in->predicate[1] = fields & Q77 ? predicate_at(in, 77) : none;
    in->predicate[2] = fields & Q68 ? predicate_at(in, 68) : none;
    if (in->operation == SMC_OP_PLOP3 && smc_bit(in, 67))
        in->predicate[2].uniform = true;
    uint8_t mask =
        fields & (ALL_PREDICATES_READ | ALL_PREDICATES_WRITTEN) ? (uint8_t)smc_bits(in, 32, 7) : 0;
    in->predicates_read = fields & ALL_PREDICATES_READ ? mask : 0;
    in->predicates_written = fields & ALL_PREDICATES_WRITTEN ? mask : 0;
}

/* Widths by bits 73 to 75: U8, S8, U16, S16, 32, 64, 128. */
static uint8_t bytes_of_width(const struct smc_sass_instruction *in)
{
    static const uint8_t widths[8] = {1, 1, 2, 2, 4, 8, 16, 0};
    return widths[smc_bits(in, 73, 3)];
}

static uint8_t registers_of(uint8_t bytes)
{
    return bytes <= 4 ? 1 : bytes / 4;
}

static void read_memory(struct smc_sass_instruction *in, uint32_t fields)
{
    in->access_bytes = bytes_of_width(in);
    in->offset = (int32_t)signed_bits(smc_bits(in, 40, 24), 24);
    in->to.registers = registers_of(in->access_bytes);
    bool wide = in->operation == SMC_OP_LDG || in->operation == SMC_OP_STG ||
                in->operation == SMC_OP_LDGSTS || smc_is_generic(in);
    in->from[0].registers = fields & COPY_TO || (wide && smc_bit(in, 72)) ? 2 : 1; /* .E */
    if (fields & B) {
        in->from[1] = register_at(in, 32, false, registers_of(in->access_bytes));
    } else if (smc_bit(in, 91) && !wide) {
        in->from[1] = register_at(in, 32, true, 1); /* added to the address */
    }
    if (fields & B && !wide && smc_bit(in, 91))
        in->from[2] = register_at(in, 64, true, 1);
    if (fields & COPY_TO) {
        in->copy_to = register_at(in, 16, false, 1);
        in->copy_offset = (int32_t)signed_bits(smc_bits(in, 44, 20), 20);
        in->offset = (int32_t)signed_bits(smc_bits(in, 32, 12), 12);
    }
}

/* Fetches of textures: bits 72 to 75 are the channels that are wanted; the first two go to the
   register at 16, the others to that at 64. From sm_90 on, with bit 91, the object is in the
   uniform registers at 40. */
static void read_fetch(struct smc_sass_instruction *in)
{
    enum { TEXEL_WORD = 4, FIRST = 2 };
    static const uint8_t coordinates[8] = {1, 2, 3, 3, 2, 3, 4, 4}; /* with the layer */
    const unsigned channels = (unsigned)__builtin_popcount((unsigned)smc_bits(in, 72, 4));
    in->to.registers = (uint8_t)(channels < FIRST ? channels : FIRST);
    in->to_rest = register_at(in, 64, false, (uint8_t)(channels > FIRST ? channels - FIRST : 0));
    in->from[0].registers = coordinates[smc_fetched_shape(in)];
    in->from[1] = register_at(in, 32, false, 1); /* the level */
    if (smc_bit(in, 91))
        in->from[2] = (struct smc_sass_operand){
            .kind = SMC_OPERAND_UNIFORM, .number = (uint8_t)smc_bits(in, 40, 6), .registers = 2};
    if (in->operation != SMC_OP_TXQ)
        in->access_bytes = TEXEL_WORD;
}

/* SHFL: the lane and the limits are each a register or an immediate. */
static void read_shuffle(struct smc_sass_instruction *in)
{
    enum form form = (enum form)smc_bits(in, 9, 3);
    bool lane_is_immediate = form == FORM_IMMEDIATE || form == FORM_THIRD_UNIFORM;
    bool limits_are_immediate = form == FORM_THIRD_IMMEDIATE || form == FORM_THIRD_UNIFORM;
    in->from[1] = lane_is_immediate
                      ? (struct smc_sass_operand){.kind = SMC_OPERAND_IMMEDIATE,
                                                  .value = (uint32_t)smc_bits(in, 53, 5)}
                      : register_at(in, 32, false, 1);
    in->from[2] = limits_are_immediate
                      ? (struct smc_sass_operand){.kind = SMC_OPERAND_IMMEDIATE,
                                                  .value = (uint32_t)smc_bits(in, 40, 13)}
                      : register_at(in, 64, false, 1);
}

/* Bits 34 and up count 4 bytes from the next instruction on; those of branches have 8 bits more
   below them, at 16 to 23, from sm_90 on. */
static void sass_instruction_read_target(struct smc_sass_instruction *in, uint64_t at,
                                         uint32_t format)
{
    uint64_t above = in->low >> 34 | (in->high & 0x3ffff) << 30;
    int64_t words =
        in->operation == SMC_OP_BSSY ? signed_bits(in->low >> 34, 30) : signed_bits(above, 48);
    bool branches =
        in->operation == SMC_OP_BRA || in->operation == SMC_OP_BRX || in->operation == SMC_OP_CALL;
    if (branches && format >= BRANCHES_HAVE_LOW_BITS)
        words = words * 256 + (int64_t)smc_bits(in, 16, 8);
    in->target = (int64_t)at + SMC_INSTRUCTION_BYTES + words * 4;
}

/* Special registers: threadIdx. */
enum { SR_THREAD_X = 0x21, SR_THREAD_Z = 0x23 };

/* Types of conversions have the logarithm of their bytes. */
static bool is_64_bits(const struct smc_sass_instruction *in, unsigned bit)
{
    return smc_bits(in, bit, 2) == 3;
}

/* Atomics on shared memory by bits 87 to 90: add, min, max, inc, dec, and, or, xor, exchange; 11:
   POPC.INC, which adds 1 for each lane. The compare-and-swap of a loop (CAST.SPIN) is another. */
static void read_shared_atomic(struct smc_sass_instruction *in)
{
    enum { EXCHANGE = 8, INCREMENT = 11, SWAP = 0 };
    static const uint8_t bytes_of_type[8] = {4, 4, 8};
    const uint64_t kind = smc_bits(in, 87, 4);
    const uint8_t bytes = bytes_of_type[smc_bits(in, 73, 3)];
    const bool swaps = in->operation == SMC_OP_ATOMS_CAS;
    in->offset = (int32_t)signed_bits(smc_bits(in, 40, 24), 24);
    in->exchanges = !swaps && kind == EXCHANGE;
    in->increments = !swaps && kind == INCREMENT;
    if (in->increments)
        in->from[1] = (struct smc_sass_operand){.kind = SMC_OPERAND_NONE};
    if (!swaps && smc_bit(in, 91)) /* added to the address */
        in->from[2] = register_at(in, 64, true, 1);
    else if (swaps) /* the new value */
        in->from[2] = register_at(in, 64, false, 2);
    in->to.registers = bytes == 8 ? 2 : 1;
    if (swaps ? kind == SWAP : in->exchanges || ((kind < EXCHANGE || in->increments) && bytes == 4))
        in->access_bytes = bytes;
}

/* Types by bits 73 to 75: 64 bits of integers and of floats. */
static bool is_wide_atomic(const struct smc_sass_instruction *in)
{
    enum { U64 = 2, S64_SINCE_9 = 3, S64 = 5, F64 = 7 };
    const uint64_t type = smc_bits(in, 73, 3);
    if (smc_is_float_atomic(in))
        return type == F64;
    return type == U64 || type == S64 || type == S64_SINCE_9;
}

/* Of the second operand of a bulk copy: an address in each memory; of a tensor copy the address in
   shared memory, that of a load's barrier, and the coordinates, one more than bits 79 to 81 say. */
static uint8_t registers_of_copy(const struct smc_sass_instruction *in)
{
    const uint8_t coordinates = (uint8_t)(smc_bits(in, 79, 3) + 1);
    if (in->operation == SMC_OP_UBLKCP || in->operation == SMC_OP_UBLKRED)
        return 2;
    return (uint8_t)(coordinates + (in->operation == SMC_OP_UTMALDG ? 2 : 1));
}

/* Registers of a warpgroup's result: 64 rows of 32 bits, or of 16 (bit 75 clear), in 128 threads.
 */
static uint8_t registers_of_product(const struct smc_sass_instruction *in)
{
    bool halves = in->operation != SMC_OP_IGMMA && !smc_bit(in, 75);
    return (uint8_t)(smc_product_columns(in) / (halves ? 4 : 2));
}

/* A uniform register is added to the address. */
static void read_barrier_address(struct smc_sass_instruction *in)
{
    if (smc_bit(in, 91))
        in->from[2] = register_at(in, 64, true, 1);
    in->offset = (int32_t)signed_bits(smc_bits(in, 40, 24), 24);
}

/* Corrects what depends on modifiers. */
static void read_widths(struct smc_sass_instruction *in)
{
    switch (in->operation) {
    case SMC_OP_IMAD_WIDE:
    case SMC_OP_IMAD_HI:
    case SMC_OP_UIMAD_WIDE:
        in->from[2].registers = 2;
        break;
    case SMC_OP_S2R:
        if (smc_bits(in, 72, 8) >= SR_THREAD_X && smc_bits(in, 72, 8) <= SR_THREAD_Z)
            in->pipe = SMC_PIPE_LSU;
        break;
    case SMC_OP_CS2R:
        in->to.registers = smc_bit(in, 80) ? 2 : 1;
        break;
    case SMC_OP_F2F_64:
    case SMC_OP_F2I_64:
    case SMC_OP_I2F_64:
    case SMC_OP_FRND_64:
        in->to.registers = is_64_bits(in, 75) ? 2 : 1;
        in->from[1].registers = is_64_bits(in, 84) ? 2 : 1;
        break;
    case SMC_OP_LDSM: /* each of .2 or .4 matrices has a register, and eight rows of 16 bytes */
    case SMC_OP_STSM:
        in->matrices = (uint8_t)(1u << (smc_bits(in, 72, 2) % 3));
        in->access_bytes = MATRIX_ROW_BYTES;
        (in->operation == SMC_OP_LDSM ? &in->to : &in->from[1])->registers = in->matrices;
        break;
    case SMC_OP_ATOMS:
    case SMC_OP_ATOMS_CAS:
        read_shared_atomic(in);
        break;
    case SMC_OP_ATOM:
    case SMC_OP_ATOM_CAS:
    case SMC_OP_ATOM_FLOAT:
    case SMC_OP_ATOMG:
    case SMC_OP_ATOMG_CAS:
    case SMC_OP_ATOMG_FLOAT:
        in->to.registers = is_wide_atomic(in) ? 2 : 1;
        in->from[1] = register_at(in, 32, false, in->to.registers); /* whatever their form */
        if (smc_compares_and_swaps(in))                             /* the new value */
            in->from[2] = register_at(in, 64, false, 2);
        break;
    case SMC_OP_RED:
    case SMC_OP_REDG:
        in->from[1] = register_at(in, 32, false, is_wide_atomic(in) ? 2 : 1);
        break;
    case SMC_OP_MATCH:
        in->from[0].registers = smc_bit(in, 73) ? 2 : 1;
        break;
    case SMC_OP_BAR:
        if (smc_barrier_reduces(in))
            in->predicate[0] = predicate_at(in, 87);
        if (smc_bits(in, 9, 3) <= FORM_THIRD_IMMEDIATE) { /* otherwise its number is an immediate */
            in->from[0] = register_at(in, 32, false, 1);
            in->asynchronous = true;
        }
        in->asynchronous |= in->guard.number != SMC_TRUE_PREDICATE;
        break;
    case SMC_OP_SYNCS: /* its form is no one of the operands; only waits set a predicate */
        in->from[1] = register_at(in, 32, false, 1);
        in->to.registers = in->to.number % 2 ? 1 : 2; /* the state: a pair of registers */
        if (smc_bits(in, 9, 3) != FORM_THIRD_IMMEDIATE)
            in->to_predicate[0] = SMC_TRUE_PREDICATE;
        else /* and no register, though the field of R0 is there */
            in->to = (struct smc_sass_operand){.kind = SMC_OPERAND_NONE};
        read_barrier_address(in);
        break;
    case SMC_OP_ARRIVES:
        read_barrier_address(in);
        break;
    case SMC_OP_NANOSLEEP: /* bit 84: .SYNCS, which ends with the wait that it is part of */
        in->asynchronous = !smc_bit(in, 84);
        break;
    case SMC_OP_UBLKCP:
    case SMC_OP_UBLKRED:
    case SMC_OP_UTMALDG:
    case SMC_OP_UTMASTG:
    case SMC_OP_UTMAREDG:
        in->from[1] = register_at(in, 32, true, registers_of_copy(in));
        if (smc_is_multicast(in))
            in->from[2] = register_at(in, 64, true, 1);
        break;
    case SMC_OP_SYNCS_EXCH:
        in->from[1] = register_at(in, 32, true, 2);
        in->offset = (int32_t)signed_bits(smc_bits(in, 40, 24), 24);
        break;
    case SMC_OP_HGMMA:
    case SMC_OP_IGMMA:
    case SMC_OP_BGMMA:
    case SMC_OP_QGMMA:
        in->to.registers = registers_of_product(in);
        break;
    case SMC_OP_HMMA: /* 16 x 8 sums, of FP32 or FP16 */
        in->to.registers = smc_bit(in, 76) ? 4 : 2;
        break;
    case SMC_OP_IMMA: /* 16 x 8 sums of 32 bits, or 8 x 8 */
        in->to.registers = smc_bit(in, 75) || smc_bits(in, 85, 2) ? 4 : 2;
        break;
    case SMC_OP_BMMA: /* 16 x 8 sums of 32 bits, or 8 x 8 */
        in->to.registers = smc_bits(in, 75, 2) ? 4 : 2;
        break;
    case SMC_OP_DMMA: /* 16 x 8 sums of 64 bits, or 8 x 8 */
        in->to.registers = smc_bits(in, 76, 2) ? 8 : 4;
        break;
    case SMC_OP_BRA:
        if (smc_branches_if_diverged(in))
            in->from[0] = register_at(in, 24, true, 1);
        break;
    case SMC_OP_LDC:
    case SMC_OP_ULDC:
    case SMC_OP_ULDC_INDEX:
        in->to.registers = registers_of(bytes_of_width(in));
        break;
    default:
        break;
    }
}

unsigned smc_product_columns(const struct smc_sass_instruction *in)
{
    enum { LEAST = 8, FEW = 3, STEP = 16 };
    unsigned number = (unsigned)smc_bits(in, 53, in->operation == SMC_OP_IGMMA ? 6 : 5);
    if (in->operation != SMC_OP_IGMMA)
        return LEAST * (number + 1);
    number /= 3;
    return number <= FEW ? LEAST * (number + 1) : STEP * (number - 1);
}

bool smc_branches_if_diverged(const struct smc_sass_instruction *in)
{
    enum { DIV = 2 };
    return in->operation == SMC_OP_BRA && smc_bits(in, 32, 2) == DIV;
}

/* The form with an immediate; bit 86: .COLLECTIVE, of lanes that execute what follows together. */
bool smc_syncs_whole_warp(const struct smc_sass_instruction *in)
{
    return in->operation == SMC_OP_WARPSYNC && smc_bits(in, 9, 3) == FORM_IMMEDIATE &&
           !smc_bit(in, 86);
}

bool smc_barrier_reduces(const struct smc_sass_instruction *in)
{
    enum { RED = 2 };
    return in->operation == SMC_OP_BAR && smc_bits(in, 77, 3) == RED;
}

/* The order and scope of a load, bits 77 to 80. Until 7.5: 10 GPU, 11 system; since 8.0: 7 GPU, 10
   system, where 7 of 7.5 has no order. Formats do not tell 7.5 from 8.0. LDGSTS: bit 81:
   through L1. */
static bool is_beyond_sm(const struct smc_sass_instruction *in, uint32_t format)
{
    enum { GPU = 7, GPU_OR_SYSTEM = 10, OLD_SYSTEM = 11, TELLS_GPU = 2 };
    const uint64_t scope = smc_bits(in, 77, 4);
    if (in->operation == SMC_OP_LDGSTS)
        return !smc_bit(in, 81);
    return in->operation == SMC_OP_LDG &&
           (scope == GPU_OR_SYSTEM || scope == OLD_SYSTEM || (scope == GPU && format >= TELLS_GPU));
}

static bool are_constant(const struct smc_predicate predicate[3])
{
    return predicate[0].number == SMC_TRUE_PREDICATE && predicate[1].number == SMC_TRUE_PREDICATE &&
           predicate[2].number == SMC_TRUE_PREDICATE;
}

bool smc_instruction_decode(const void *bytes, uint64_t at, uint32_t format,
                            struct smc_sass_instruction *in)
{
    *in = (struct smc_sass_instruction){.low = little_endian(bytes),
                                        .high = little_endian((const unsigned char *)bytes + 8)};
    in->operation = operation_of_code[smc_bits(in, 0, 9)];
    if (in->operation == SMC_OP_VIADD && format < HAS_VIADD)
        in->operation = SMC_OP_HMMA_OLD;
    const struct sass_operation *operation = &operations[in->operation];
    uint32_t fields = operation->fields;
    in->pipe = operation->pipe;
    in->uniform = (fields & UNIFORM) != 0;
    in->guard = predicate_at(in, 12);
    in->branches = (fields & CONTROL) != 0;
    in->asynchronous = (fields & ASYNCHRONOUS) != 0;
    if (fields & TO)
        in->to =
            register_at(in, 16, (fields & (UNIFORM | TO_UNIFORM)) != 0, operation->to_registers);
    read_sources(in, operation);
    read_predicates(in, fields);
    in->reads_no_predicates = are_constant(in->predicate);
    if (fields & CONSTANT_READ)
        in->from[1] = constant_at(in, 1);
    if (fields & MEMORY)
        read_memory(in, fields);
    if (fields & TEXTURE)
        read_fetch(in);
    if (fields & SHUFFLE)
        read_shuffle(in);
    if (fields & TARGET)
        sass_instruction_read_target(in, at, format);
    read_widths(in);
    in->beyond_sm = is_beyond_sm(in, format);
    return in->operation != SMC_OP_UNKNOWN;
}
