/* Translates PTX statements into ops: what the decoders of all groups of instructions share. A
   decoder reads `decoder->statement` and emits ops. On failure it returns false, either after
   smc_decode_refuse or after the message of an operand. Only decode*.c include this header. */
#ifndef SMC_MACHINE_DECODE_H
#define SMC_MACHINE_DECODE_H

#include "machine/emulator/emulator_program.h"

/* What contract.c found about a statement. */
struct smc_contraction {
    uint32_t product; /* of a sum: the mul that it is fused with, its index + 1; 0: none */
    unsigned addend;  /* which operand is added */
    bool negates_product, negates_addend;
    bool is_dropped;  /* a product, or a copy of one, that is only used by sums it is fused with */
    bool keeps[2];    /* of a mul: the factor is copied, because it is overwritten before the sum */
    uint32_t kept[2]; /* the copy */
};

struct smc_decoder {
    struct smc_program *program;
    const struct smc_ptx_statement *statement;
    struct smc_error *error;
    uint32_t *slot_of_register;          /* SMC_NO_SLOT: not used yet */
    struct smc_contraction *contraction; /* of each statement; NULL: nothing is fused */
    uint32_t instruction;
    uint32_t carry_slot; /* 0: not used yet */
    bool begun;          /* the statement already has an op */
    bool failed;
    bool lenient; /* instructions that are not supported become opaque ones */
};

typedef bool smc_decode(struct smc_decoder *decoder);
typedef bool smc_decode_typed(struct smc_decoder *decoder, enum smc_ptx_type type);

#define MNEMONIC(name, function, flags) smc_decode smc_decode_##function;
#define TYPED(name, function, flags)    smc_decode_typed smc_decode_##function;
#include "machine/emulator/mnemonics.def"

/* Reports "PTX line 12: 'foo.bar %r1' is not supported: why". Returns false. */
bool smc_decode_refuse(struct smc_decoder *decoder, const char *why);

/* Whether the opcode is `name`; whether ".name" is among the modifiers. */
bool smc_decode_is(const struct smc_decoder *decoder, const char *name);
bool smc_decode_has(const struct smc_decoder *decoder, const char *name);
/* The n-th type among the modifiers, from 0; SMC_PTX_TYPE_COUNT if it does not exist. */
enum smc_ptx_type smc_decode_type(const struct smc_decoder *decoder, unsigned n);
/* Sets the first type; refuses an instruction that has none. */
bool smc_decode_known_type(struct smc_decoder *decoder, enum smc_ptx_type *type);
/* Checks that the statement has between `least` and `most` operands. */
bool smc_decode_count(struct smc_decoder *decoder, unsigned least, unsigned most);

enum smc_slot_kind smc_slot_kind_of(enum smc_ptx_type type);
uint32_t smc_slot_new(struct smc_program *program, enum smc_slot_kind kind);

/* The slot of the source: a register of the type's size, a constant of it, a special register, or
   an address. A negated predicate is copied. SMC_NO_SLOT on failure. */
uint32_t smc_decode_source(struct smc_decoder *decoder, const struct smc_operand *operand,
                           enum smc_ptx_type type);
/* The slot of a register, which may be narrower or wider than the type; `kind` is its kind. */
uint32_t smc_decode_any_source(struct smc_decoder *decoder, const struct smc_operand *operand,
                               enum smc_ptx_type type, enum smc_slot_kind *kind);
uint32_t smc_decode_constant(struct smc_decoder *decoder, enum smc_slot_kind kind, uint64_t bits);
/* The slot of a register to write to; `_` gets a slot of its own. */
uint32_t smc_decode_target(struct smc_decoder *decoder, const struct smc_operand *operand,
                           enum smc_ptx_type type);
uint32_t smc_decode_any_target(struct smc_decoder *decoder, const struct smc_operand *operand,
                               enum smc_ptx_type type, enum smc_slot_kind *kind);
/* [register + offset]: the 64-bit register and the offset; sets `bits32` if the register has 32
   bits. */
bool smc_decode_address(struct smc_decoder *decoder, const struct smc_operand *operand,
                        struct smc_op *op);

/* Decodes mov from a clock register (%clock); returns true if the source was one. */
bool smc_decode_clock(struct smc_decoder *decoder);
/* decode_mbarrier.c: bulk copies, and copies whose end is an arrival. */
bool smc_decode_bulk(struct smc_decoder *decoder);
/* A 64-bit slot with the whole address, as SMC_NO_SLOT on failure. */
uint32_t smc_decode_whole_address(struct smc_decoder *decoder, const struct smc_operand *operand);
/* What an atomic operation or a reduction does. */
enum smc_reduction smc_decode_reduction(const struct smc_decoder *decoder);
/* contract.c: decides which sums are fused with a product. False: out of memory. */
bool smc_find_contractions(struct smc_decoder *decoder);
/* decode_arithmetic.c: a mul whose factors are overwritten before they are used. */
bool smc_decode_kept_factors(struct smc_decoder *decoder, struct smc_contraction *contraction);
/* Marks loads that only guess what a compare-and-swap will find. */
void smc_find_guesses(struct smc_program *program);
/* Sets adds_one of atomics. */
void smc_find_increments(struct smc_program *program);
/* The state space: .shared, .global...; generic if none is named. */
enum smc_ptx_space smc_decode_space(const struct smc_decoder *decoder);

/* decode_calls.c: before the first and after the last statement of a function. */
bool smc_decode_begin_function(struct smc_decoder *decoder, uint32_t number);
void smc_decode_end_function(struct smc_decoder *decoder, uint32_t number);

/* Appends an op with the statement's guard; returns NULL if out of memory. */
struct smc_op *smc_decode_emit(struct smc_decoder *decoder);
/* Appends a copy of `shape` with the statement's guard; returns NULL if out of memory. */
struct smc_op *smc_decode_emit_copy(struct smc_decoder *decoder, smc_step *step,
                                    const struct smc_op *shape);
/* The same; false also if a slot of the shape is SMC_NO_SLOT. */
bool smc_decode_emit_shape(struct smc_decoder *decoder, smc_step *step, const struct smc_op *shape);
struct smc_op *smc_decode_emit_alu(struct smc_decoder *decoder, smc_alu *alu,
                                   enum smc_slot_kind d_kind, uint32_t d, uint32_t a, uint32_t b,
                                   uint32_t c);
/* Appends an op whose d, a, b... are operands 0, 1..., each with its own type; NULL on failure. */
struct smc_op *smc_decode_simple(struct smc_decoder *decoder, smc_alu *alu,
                                 enum smc_ptx_type d_type, unsigned sources,
                                 const enum smc_ptx_type *source_type);
/* The same if all operands have one type. */
bool smc_decode_uniform(struct smc_decoder *decoder, smc_alu *alu, enum smc_ptx_type type,
                        unsigned sources);

#endif
