/* The state of one warp that walks through machine code: what its 32 lanes hold in registers and
   predicates, as far as it is known. Half precision and the results of tensor cores are unknown. */
#ifndef SMC_MACHINE_SASS_WARP_H
#define SMC_MACHINE_SASS_WARP_H

#include "machine/sass/sass_instruction.h"

enum { SMC_LANES = 32 };

/* The upper words of generic addresses of shared memory: one that arrays do not have. */
enum { SMC_SHARED_WINDOW = 0x7ffe };

struct smc_lanes {
    uint32_t unknown;          /* bit n: lane n */
    bool same;                 /* all lanes that are still alive hold the same */
    uint32_t value[SMC_LANES]; /* only the first, if `same`: next to what is read with it */
};

struct smc_flags {
    uint32_t is; /* bit n: lane n */
    uint32_t unknown;
};

/* A bank of constants; what is beyond it is unknown. */
struct smc_constant_bank {
    const unsigned char *data;
    size_t bytes;
};

enum { SMC_CONSTANT_BANKS = 5 /* that machine code refers to */ };

/* What a launch gives to every block. */
struct smc_machine_place {
    uint32_t block[3], grid[3], index[3]; /* index: of the block */
    const unsigned char *constants;       /* bank 0 */
    size_t constant_bytes;
    const struct smc_constant_bank *bank; /* the others, by their number; NULL: they are unknown */
    uint32_t registers;                   /* that are accessed, from 0 on; 0: all */
    uint32_t first_thread;                /* of the warp within the block */
    uint32_t warp;
};

struct smc_sass_warp {
    struct smc_lanes reg[256];
    struct smc_lanes uniform[64];
    struct smc_flags predicate[8];
    struct smc_flags uniform_predicate[8];
    uint32_t alive; /* lanes that have not ended */
    const struct smc_machine_place *place;
};

/* Bit n of element n, for loops over lanes: the compiler makes vector instructions of them. */
extern const uint32_t smc_warp_lane_bit[SMC_LANES];

/* How many registers of a warp there have a value, from 0 on. */
static inline unsigned smc_place_registers(const struct smc_machine_place *place)
{
    return place->registers ? place->registers : SMC_ZERO_REGISTER;
}

void smc_warp_start(struct smc_sass_warp *warp, const struct smc_machine_place *place);

/* The indices of the lanes' threads along an axis: lanes go along x, then y, then z. */
void smc_thread_indices(const struct smc_machine_place *place, unsigned axis,
                        uint32_t to[SMC_LANES]);

/* The lanes for which a predicate holds. `unknown` receives those for which it is not known. */
static inline uint32_t smc_warp_holds(const struct smc_sass_warp *warp,
                                      struct smc_predicate predicate, uint32_t *unknown)
{
    const struct smc_flags *flags = predicate.uniform ? &warp->uniform_predicate[predicate.number]
                                                      : &warp->predicate[predicate.number];
    *unknown = flags->unknown;
    return predicate.negated ? ~flags->is : flags->is;
}

/* Evaluates an instruction for the lanes of `mask`. What it does not know how to evaluate makes its
   results unknown. */
void smc_warp_evaluate(struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                       uint32_t mask);

/* Sets a register of a result, the `part`th, for the lanes of `mask`; unknown in some. */
void smc_warp_set_register(struct smc_sass_warp *warp, const struct smc_sass_operand *to,
                           unsigned part, const uint32_t value[SMC_LANES], uint32_t unknown,
                           uint32_t mask);

/* The same of a value that all lanes of `mask` have, or that is not known. */
void smc_warp_set_one(struct smc_sass_warp *warp, const struct smc_sass_operand *to, unsigned part,
                      uint32_t value, bool is_unknown, uint32_t mask);

/* Sets the first predicate of a result for the lanes of `mask`; unknown in some. */
void smc_warp_set_predicate(struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                            uint32_t is, uint32_t unknown, uint32_t mask);

/* Evaluates what the lanes of `mask` compute together or know of each other: votes, matches,
   reductions, masks of lanes. False: the instruction is none of these. */
bool smc_warp_evaluate_together(struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                                uint32_t mask);

/* How many different values the lanes of `mask` hold that MATCH.ANY compares; 0: unknown. */
unsigned smc_warp_values_matched(const struct smc_sass_warp *warp,
                                 const struct smc_sass_instruction *in, uint32_t mask);

/* Makes the results of an instruction unknown. */
void smc_warp_forget(struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                     uint32_t mask);

/* The lanes for which a register of an operand is unknown. */
static inline uint32_t smc_warp_unknown_lanes(const struct smc_sass_warp *warp,
                                              const struct smc_sass_operand *operand)
{
    const bool is_register = operand->kind == SMC_OPERAND_REGISTER;
    const struct smc_lanes *lanes = is_register ? warp->reg : warp->uniform;
    const unsigned zero_register = is_register ? SMC_ZERO_REGISTER : SMC_ZERO_UNIFORM;
    const unsigned end = (unsigned)operand->number + operand->registers;
    uint32_t unknown = 0;
    if (!is_register && operand->kind != SMC_OPERAND_UNIFORM)
        return 0;
    for (unsigned number = operand->number; number < end && number < zero_register; number++)
        unknown |= lanes[number].unknown;
    return unknown;
}

/* Reads `bytes` (1 to 4) at an offset into a bank of constants. False: it does not have all. */
bool smc_warp_constant(const struct smc_sass_warp *warp, unsigned number, uint32_t at,
                       unsigned bytes, uint32_t *value);

/* Whether the operands of an instruction that has been executed were known for the lanes of `mask`.
   `before`: the lanes for which the registers of its result were unknown, which may be operands as
   well. */
bool smc_warp_operands_were_known(const struct smc_sass_warp *warp,
                                  const struct smc_sass_instruction *in, uint32_t mask,
                                  uint32_t before);

/* The addresses of an access; false if one of a lane of `mask` is unknown. */
bool smc_warp_addresses(const struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                        uint32_t mask, uint64_t address[SMC_LANES]);

/* Where in shared memory LDGSTS copies to, likewise. */
bool smc_warp_copy_targets(const struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                           uint32_t mask, uint64_t to[SMC_LANES]);

#endif
