/* What instructions compute: integers, logic, comparisons, moves; floats.c has floating point. */
#include <math.h>
#include <string.h>

#include "machine/sass/floats.h"
#include "machine/sass/sass_warp.h"

/* The operands of one instruction, for one lane if all lanes compute the same, else for 32. */
struct operands {
    const struct smc_sass_warp *warp;
    const uint32_t *low[3], *high[3]; /* high: the upper register of a pair */
    struct smc_lanes copy[3][2];      /* what they point to, if not to the registers themselves */
    uint32_t unknown, unknown_of[3];  /* lanes with an unknown operand; with this one */
    uint32_t carry;                   /* the sum of 1 for each negated operand */
    uint32_t lanes;                   /* 1 or 32 */
    bool are_floats;                  /* negated operands are not inverted */
    uint32_t predicate[3], predicate_unknown[3];
};

struct results {
    uint32_t low[SMC_LANES], high[SMC_LANES];
    uint32_t predicate[2]; /* lane n in bit n */
    uint32_t predicate_unknown[2];
    uint32_t unknown;
};

#define EACH_LANE for (uint32_t l = 0; l < ops->lanes; l++)

/* Loops over all lanes, also if one would do: the compiler makes vector instructions of them. What
   is added up over lanes is added up in bits of `smc_warp_lane_bit`. */
#define ALL_LANES for (uint32_t l = 0; l < SMC_LANES; l++)

static const struct smc_lanes zero = {.same = true};

static const struct smc_lanes *register_of(const struct smc_sass_warp *warp,
                                           const struct smc_sass_operand *operand, unsigned part)
{
    if (operand->kind == SMC_OPERAND_REGISTER)
        return operand->number == SMC_ZERO_REGISTER ? &zero : &warp->reg[operand->number + part];
    return operand->number == SMC_ZERO_UNIFORM ? &zero : &warp->uniform[operand->number + part];
}

static void constant_lanes(const struct smc_sass_warp *warp, const struct smc_sass_operand *operand,
                           unsigned part, struct smc_lanes *lanes)
{
    const uint32_t at = operand->value + 4 * part;
    lanes->same = true;
    lanes->unknown = 0;
    if (!smc_warp_constant(warp, operand->number, at, 4, &lanes->value[0]))
        lanes->unknown = UINT32_MAX;
}

static inline const struct smc_lanes *sass_evaluate_fetch(const struct smc_sass_warp *warp,
                                                          const struct smc_sass_operand *operand,
                                                          unsigned part, struct smc_lanes *copy)
{
    if (operand->kind == SMC_OPERAND_REGISTER || operand->kind == SMC_OPERAND_UNIFORM)
        return register_of(warp, operand, part);
    if (operand->kind == SMC_OPERAND_CONSTANT) {
        constant_lanes(warp, operand, part, copy);
    } else { /* an immediate */
        copy->same = true;
        copy->unknown = 0;
        copy->value[0] = part ? 0 : operand->value;
    }
    return copy;
}

static void fill_lanes(uint32_t *restrict to, uint32_t value)
{
    ALL_LANES to[l] = value;
}

/* Computes the lanes' values in `copy`. */
static inline const uint32_t *sass_evaluate_spread(const struct smc_lanes *lanes, uint32_t count,
                                                   uint32_t flip, uint32_t *copy)
{
    if (count == 1)
        copy[0] = lanes->value[0] ^ flip;
    else if (lanes->same)
        fill_lanes(copy, lanes->value[0] ^ flip);
    else
        ALL_LANES copy[l] = lanes->value[l] ^ flip;
    return copy;
}

static bool is_same(uint32_t flags, uint32_t mask)
{
    return (flags & mask) == 0 || (flags & mask) == mask;
}

/* The predicates that an instruction reads; whether they are the same in all lanes of `mask`. */
static bool gather_predicates(const struct smc_sass_warp *warp,
                              const struct smc_sass_instruction *in, uint32_t mask,
                              struct operands *ops)
{
    bool same = true;
    for (int i = 0; i < 3; i++) {
        ops->predicate[i] = in->predicate[i].negated ? 0 : UINT32_MAX;
        ops->predicate_unknown[i] = 0;
    }
    for (int i = 0; i < 3 && !in->reads_no_predicates; i++) {
        if (in->predicate[i].number == SMC_TRUE_PREDICATE)
            continue;
        ops->predicate[i] = smc_warp_holds(warp, in->predicate[i], &ops->predicate_unknown[i]);
        same &= is_same(ops->predicate[i], mask) && is_same(ops->predicate_unknown[i], mask);
    }
    return same;
}

/* All lanes hold the same bits. */
static void take_one_lane(struct operands *ops, uint32_t mask)
{
    const unsigned lane = mask ? (unsigned)__builtin_ctz(mask) : 0;
    for (int i = 0; i < 3; i++) {
        ops->predicate[i] = ops->predicate[i] >> lane & 1 ? UINT32_MAX : 0;
        ops->predicate_unknown[i] = ops->predicate_unknown[i] >> lane & 1 ? UINT32_MAX : 0;
        ops->unknown_of[i] = ops->unknown_of[i] & mask ? UINT32_MAX : 0;
    }
    ops->unknown = ops->unknown & mask ? UINT32_MAX : 0;
}

/* LDC and ULDC add their index to the place of the operand: what is at the place itself may be
   outside the bank, as in c[0x3][R7+-0x1]. */
static bool reads_constants_itself(const struct smc_sass_instruction *in,
                                   const struct smc_sass_operand *from)
{
    return from->kind == SMC_OPERAND_CONSTANT &&
           (in->operation == SMC_OP_LDC || in->operation == SMC_OP_ULDC ||
            in->operation == SMC_OP_ULDC_INDEX);
}

/* Negated integers are inverted here; `carry` counts what is missing. */
static void sass_evaluate_gather(const struct smc_sass_warp *warp,
                                 const struct smc_sass_instruction *in, uint32_t mask, bool by_lane,
                                 struct operands *ops)
{
    const struct smc_lanes *low[3], *high[3];
    bool same = gather_predicates(warp, in, mask, ops) && !by_lane;
    ops->unknown = 0;
    ops->carry = 0;
    for (int i = 0; i < 3; i++) {
        const struct smc_sass_operand *from = &in->from[i];
        low[i] = high[i] = &zero;
        ops->unknown_of[i] = 0;
        ops->carry += from->negated;
        if (from->kind == SMC_OPERAND_NONE || reads_constants_itself(in, from))
            continue;
        low[i] = sass_evaluate_fetch(warp, from, 0, &ops->copy[i][0]);
        if (from->registers == 2)
            high[i] = sass_evaluate_fetch(warp, from, 1, &ops->copy[i][1]);
        same = same && low[i]->same && high[i]->same;
        ops->unknown_of[i] = low[i]->unknown | high[i]->unknown;
        ops->unknown |= ops->unknown_of[i];
    }
    ops->lanes = same ? 1 : SMC_LANES;
    if (same && (ops->unknown || !in->reads_no_predicates))
        take_one_lane(ops, mask);
    for (int i = 0; i < 3; i++) {
        const uint32_t flip = in->from[i].negated && !ops->are_floats ? UINT32_MAX : 0;
        ops->low[i] = low[i]->value; /* of which the first is read if it is the same for all */
        ops->high[i] = high[i]->value;
        if (flip || (!same && low[i]->same && low[i] != &zero))
            ops->low[i] = sass_evaluate_spread(low[i], ops->lanes, flip, ops->copy[i][0].value);
        if (flip || (!same && high[i]->same && high[i] != &zero))
            ops->high[i] = sass_evaluate_spread(high[i], ops->lanes, flip, ops->copy[i][1].value);
    }
}

/* --- Storing ---------------------------------------------------------------------------------- */

/* All ones for a lane of `mask`, else 0: a choice by it is no branch, so that vectors do it. */
static inline uint32_t all_ones(uint32_t mask, uint32_t l)
{
    return -(uint32_t)((mask & smc_warp_lane_bit[l]) != 0);
}

static void blend_lanes(uint32_t *restrict to, const uint32_t *restrict value, bool same,
                        uint32_t mask)
{
    uint32_t first = value[0];
    if (same)
        ALL_LANES to[l] ^= (to[l] ^ first) & all_ones(mask, l);
    else
        ALL_LANES to[l] ^= (to[l] ^ value[l]) & all_ones(mask, l);
}

static void store_register(struct smc_sass_warp *warp, struct smc_lanes *to, const uint32_t *value,
                           uint32_t not_known, uint32_t lanes, uint32_t mask)
{
    bool whole = (warp->alive & ~mask) == 0;
    if (lanes == 1 && whole) {
        to->value[0] = value[0];
        to->unknown = not_known;
        to->same = true;
        return;
    }
    if (to->same)
        fill_lanes(to->value, to->value[0]);
    to->same = false;
    if (whole)
        memcpy(to->value, value, sizeof to->value);
    else
        blend_lanes(to->value, value, lanes == 1, mask);
    to->unknown = (to->unknown & ~mask) | (not_known & mask);
}

static void store_flags(struct smc_flags *to, uint32_t is, uint32_t not_known, uint32_t mask)
{
    to->is = (to->is & ~mask) | (is & mask);
    to->unknown = (to->unknown & ~mask) | (not_known & mask);
}

static struct smc_lanes *target_register(struct smc_sass_warp *warp,
                                         const struct smc_sass_operand *to, unsigned part)
{
    if (to->kind == SMC_OPERAND_REGISTER && to->number + part < SMC_ZERO_REGISTER)
        return &warp->reg[to->number + part];
    if (to->kind == SMC_OPERAND_UNIFORM && to->number + part < SMC_ZERO_UNIFORM)
        return &warp->uniform[to->number + part];
    return NULL;
}

/* Most results set no predicates. */
static bool sets_predicates(const struct smc_sass_instruction *in)
{
    return in->to_predicate[0] != SMC_TRUE_PREDICATE || in->to_predicate[1] != SMC_TRUE_PREDICATE;
}

static void sass_evaluate_store(struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                                uint32_t mask, const struct operands *ops,
                                const struct results *out)
{
    uint32_t to_mask = in->to.kind == SMC_OPERAND_UNIFORM ? UINT32_MAX : mask;
    for (unsigned part = 0; part < in->to.registers; part++) {
        struct smc_lanes *to = target_register(warp, &in->to, part);
        if (to)
            store_register(warp, to, part ? out->high : out->low, out->unknown, ops->lanes,
                           to_mask);
    }
    for (int i = 0; i < 2 && sets_predicates(in); i++) {
        uint32_t is = out->predicate[i], not_known = out->predicate_unknown[i];
        if (in->to_predicate[i] == SMC_TRUE_PREDICATE)
            continue;
        if (ops->lanes == 1) {
            is = is & 1 ? UINT32_MAX : 0;
            not_known = not_known & 1 ? UINT32_MAX : 0;
        }
        store_flags(in->uniform ? &warp->uniform_predicate[in->to_predicate[i]]
                                : &warp->predicate[in->to_predicate[i]],
                    is, not_known, in->uniform ? UINT32_MAX : mask);
    }
}

void smc_warp_set_one(struct smc_sass_warp *warp, const struct smc_sass_operand *to, unsigned part,
                      uint32_t value, bool is_unknown, uint32_t mask)
{
    struct smc_lanes *reg = target_register(warp, to, part);
    if (reg)
        store_register(warp, reg, &value, is_unknown ? UINT32_MAX : 0, 1, mask);
}

void smc_warp_set_register(struct smc_sass_warp *warp, const struct smc_sass_operand *to,
                           unsigned part, const uint32_t value[SMC_LANES], uint32_t not_known,
                           uint32_t mask)
{
    struct smc_lanes *reg = target_register(warp, to, part);
    uint32_t first = mask ? value[__builtin_ctz(mask)] : 0;
    bool same = is_same(not_known, mask);
    for (uint32_t lanes = mask; lanes && same; lanes &= lanes - 1)
        same = value[__builtin_ctz(lanes)] == first;
    if (reg && same)
        store_register(warp, reg, &first, not_known & mask ? UINT32_MAX : 0, 1, mask);
    else if (reg)
        store_register(warp, reg, value, not_known, SMC_LANES, mask);
}

void smc_warp_forget(struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                     uint32_t mask)
{
    static const struct operands same = {.lanes = 1};
    static const struct results nothing = {.unknown = UINT32_MAX,
                                           .predicate_unknown = {UINT32_MAX, UINT32_MAX}};
    sass_evaluate_store(warp, in, mask, &same, &nothing);
    for (unsigned i = 0; i < in->to_rest.registers; i++)
        smc_warp_set_register(warp, &in->to_rest, i, nothing.low, UINT32_MAX, mask);
    for (unsigned i = 0; i < 7; i++)
        if (in->predicates_written >> i & 1)
            store_flags(&warp->predicate[i], 0, UINT32_MAX, mask);
}

/* --- Arithmetic ------------------------------------------------------------------------------- */

static uint32_t bit_of(uint32_t flags, uint32_t lane)
{
    return flags >> lane & 1;
}

/* Bit 74: .X, which adds the carries; negated operands are then only inverted. */
static bool extends(const struct smc_sass_instruction *in)
{
    return smc_bit(in, 74);
}

/* Adds a number for each lane with a flag. */
static void add_flags(uint32_t flags, uint32_t number, uint32_t *restrict to)
{
    ALL_LANES to[l] += flags & smc_warp_lane_bit[l] ? number : 0;
}

static void add_lanes(const struct operands *restrict ops, uint32_t carry, uint32_t *restrict to)
{
    const uint32_t *restrict a = ops->low[0], *restrict b = ops->low[1], *restrict c = ops->low[2];
    ALL_LANES to[l] = a[l] + b[l] + c[l] + carry;
}

static bool add_three(const struct smc_sass_instruction *in, const struct operands *ops,
                      struct results *out)
{
    bool x = extends(in);
    if (in->operation == SMC_OP_VIADD && smc_bits(in, 72, 4) != 0)
        return false;
    if (!sets_predicates(in) && ops->lanes == SMC_LANES) {
        add_lanes(ops, x ? 0 : ops->carry, out->low);
        for (int i = 0; x && i < 2; i++) {
            add_flags(ops->predicate[i], 1, out->low);
            out->unknown |= ops->predicate_unknown[i];
        }
        return true;
    }
    EACH_LANE {
        uint64_t carry =
            x ? bit_of(ops->predicate[0], l) + bit_of(ops->predicate[1], l) : ops->carry;
        uint64_t sum = carry + ops->low[0][l] + ops->low[1][l] + ops->low[2][l];
        out->low[l] = (uint32_t)sum;
        out->predicate[0] |= (uint32_t)(sum >> 32 >= 1) << l;
        out->predicate[1] |= (uint32_t)(sum >> 32 >= 2) << l;
    }
    if (x)
        out->unknown |= ops->predicate_unknown[0] | ops->predicate_unknown[1];
    return true;
}

/* `sign`: the upper words of what is shifted are its sign, not those of the third operand. */
static void shift_lanes_and_add(const struct operands *restrict ops, unsigned shift, bool high,
                                bool sign, uint32_t carry, uint32_t *restrict to)
{
    const uint32_t *restrict a = ops->low[0], *restrict b = ops->low[1], *above = ops->low[2];
    if (!high)
        ALL_LANES to[l] = (a[l] << shift) + b[l] + carry;
    else
        ALL_LANES
        {
            const uint32_t upper = sign ? (uint32_t)((int32_t)a[l] >> 31) : above[l];
            to[l] = (upper << shift | (shift ? a[l] >> (32 - shift) : 0)) + b[l] + carry;
        }
}

/* Bits 75 to 79: the shift; 80: .HI; 73: .SX32. */
static bool shift_and_add(const struct smc_sass_instruction *in, const struct operands *ops,
                          struct results *out)
{
    bool high = smc_bit(in, 80), sign = smc_bit(in, 73), x = extends(in);
    unsigned shift = (unsigned)smc_bits(in, 75, 5);
    bool negate_first = smc_bit(in, 72), negate_second = smc_bit(in, 63);
    bool has_sign_field = in->from[1].kind != SMC_OPERAND_IMMEDIATE;
    negate_second = negate_second && has_sign_field;
    if (!negate_first && !sets_predicates(in) && ops->lanes == SMC_LANES) {
        shift_lanes_and_add(ops, shift, high, sign, x ? 0 : negate_second, out->low);
        if (x) {
            add_flags(ops->predicate[0], 1, out->low);
            out->unknown |= ops->predicate_unknown[0];
        }
        return true;
    }
    EACH_LANE {
        /* The first operand's sign applies to what was shifted. */
        uint32_t first = negate_first ? ~ops->low[0][l] : ops->low[0][l];
        uint64_t wide = sign ? (uint64_t)(int64_t)(int32_t)first
                             : (uint64_t)(high ? ops->low[2][l] : 0) << 32 | first;
        uint32_t shifted = high ? (uint32_t)(shift ? wide >> (32 - shift) : wide >> 32)
                                : (uint32_t)(wide << shift);
        uint64_t carry = x ? bit_of(ops->predicate[0], l) : (uint64_t)negate_first + negate_second;
        uint64_t sum = carry + (negate_first ? (uint32_t)~shifted : shifted) + ops->low[1][l];
        out->low[l] = (uint32_t)sum;
        out->predicate[0] |= (uint32_t)(sum >> 32 != 0) << l;
    }
    if (x)
        out->unknown |= ops->predicate_unknown[0];
    return true;
}

static inline uint32_t logic_of(const uint32_t *on, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t with_a = (b & ((c & on[7]) | (~c & on[6]))) | (~b & ((c & on[5]) | (~c & on[4])));
    uint32_t without = (b & ((c & on[3]) | (~c & on[2]))) | (~b & ((c & on[1]) | (~c & on[0])));
    return (a & with_a) | (~a & without);
}

static void logic_of_lanes(const uint32_t *restrict on, const struct operands *restrict ops,
                           uint32_t *restrict to)
{
    const uint32_t *restrict a = ops->low[0], *restrict b = ops->low[1], *restrict c = ops->low[2];
    ALL_LANES to[l] = logic_of(on, a[l], b[l], c[l]);
}

/* Bits 72 to 79: the table; 80: a predicate joins by AND instead of OR. */
static bool logic(const struct smc_sass_instruction *in, const struct operands *ops,
                  struct results *out)
{
    unsigned table = (unsigned)smc_bits(in, 72, 8);
    bool joins_by_and = smc_bit(in, 80);
    uint32_t on[8]; /* the combinations for which the table has a 1 */
    for (unsigned i = 0; i < 8; i++)
        on[i] = table >> i & 1 ? UINT32_MAX : 0;
    if (!sets_predicates(in) && ops->lanes == SMC_LANES) {
        logic_of_lanes(on, ops, out->low);
        return true;
    }
    EACH_LANE {
        uint32_t r = logic_of(on, ops->low[0][l], ops->low[1][l], ops->low[2][l]);
        uint32_t with = bit_of(ops->predicate[0], l);
        out->low[l] = r;
        out->predicate[0] |= (joins_by_and ? (r != 0) & with : (r != 0) | with) << l;
    }
    return true;
}

/* Bit 73: signed. `third` is 64 bits wide where the operand is a pair. */
static int64_t product(const struct operands *ops, uint32_t l, bool is_signed)
{
    if (is_signed)
        return (int64_t)(int32_t)ops->low[0][l] * (int32_t)ops->low[1][l];
    return (int64_t)((uint64_t)ops->low[0][l] * ops->low[1][l]);
}

static void multiply_lanes(const struct operands *restrict ops, uint32_t carry,
                           uint32_t *restrict to)
{
    const uint32_t *restrict a = ops->low[0], *restrict b = ops->low[1], *restrict c = ops->low[2];
    ALL_LANES to[l] = a[l] * b[l] + c[l] + carry;
}

/* A signed product is the unsigned one less each factor's 2^32 times the other where it is
   negative: vectors multiply without signs. */
static void multiply_wide_lanes(const struct operands *restrict ops, uint32_t carry, bool is_signed,
                                struct results *restrict out)
{
    const uint32_t *restrict a = ops->low[0], *restrict b = ops->low[1];
    const uint32_t *restrict low = ops->low[2], *restrict high = ops->high[2];
    const uint32_t sign = is_signed ? UINT32_MAX : 0;
    uint32_t *restrict to_low = out->low, *restrict to_high = out->high;
    ALL_LANES
    {
        const uint64_t sum = (uint64_t)a[l] * b[l] + ((uint64_t)high[l] << 32 | low[l]) + carry;
        const uint32_t less = (-(a[l] >> 31) & b[l]) + (-(b[l] >> 31) & a[l]);
        to_low[l] = (uint32_t)sum;
        to_high[l] = (uint32_t)(sum >> 32) - (less & sign);
    }
}

static bool multiply_add(const struct smc_sass_instruction *in, const struct operands *ops,
                         struct results *out)
{
    bool x = extends(in), is_signed = smc_bit(in, 73);
    bool high = in->operation == SMC_OP_IMAD_HI;
    bool narrow = in->operation == SMC_OP_IMAD || in->operation == SMC_OP_UIMAD;
    if (narrow && !x && !sets_predicates(in) && ops->lanes == SMC_LANES) {
        multiply_lanes(ops, ops->carry, out->low);
        return true;
    }
    if (!narrow && !high && !x && !sets_predicates(in) && ops->lanes == SMC_LANES) {
        multiply_wide_lanes(ops, ops->carry, is_signed, out);
        return true;
    }
    for (uint32_t l = 0; l < ops->lanes; l++) {
        uint64_t third = (uint64_t)ops->high[2][l] << 32 | ops->low[2][l];
        uint64_t carry = x ? bit_of(ops->predicate[0], l) : ops->carry;
        uint64_t multiplied = (uint64_t)product(ops, l, is_signed);
        uint64_t sum = multiplied + third, with_carry = sum + carry;
        out->low[l] = (uint32_t)(high ? with_carry >> 32 : with_carry);
        out->high[l] = (uint32_t)(with_carry >> 32);
        out->predicate[0] |= (uint32_t)(sum < multiplied || with_carry < sum) << l;
    }
    if (x)
        out->unknown |= ops->predicate_unknown[0];
    return true;
}

static void shift_lanes(const uint32_t *restrict a, uint32_t count, bool left, bool is_signed,
                        uint32_t *restrict to)
{
    if (left)
        ALL_LANES to[l] = a[l] << count;
    else if (is_signed)
        ALL_LANES to[l] = (uint32_t)((int32_t)a[l] >> count);
    else
        ALL_LANES to[l] = a[l] >> count;
}

/* Bits 73 and 74: S64, U64, S32, U32; 75: wraps the count; 76: right; 80: the high half. */
static bool sass_evaluate_shift(const struct smc_sass_instruction *in, const struct operands *ops,
                                struct results *out)
{
    unsigned type = (unsigned)smc_bits(in, 73, 2);
    bool is_signed = type == 0 || type == 2, wraps = smc_bit(in, 75), left = !smc_bit(in, 76);
    bool high = smc_bit(in, 80);
    uint32_t most = type < 2 ? 64 : 32;
    if (in->from[1].kind == SMC_OPERAND_IMMEDIATE && ops->low[1][0] < 32 && left != high &&
        ops->lanes == SMC_LANES) { /* the shift of one word by fewer than 32 bits */
        shift_lanes(ops->low[left ? 0 : 2], ops->low[1][0], left, is_signed, out->low);
        return true;
    }
    EACH_LANE {
        uint64_t wide = (uint64_t)ops->low[2][l] << 32 | ops->low[0][l];
        uint32_t count = ops->low[1][l];
        count = wraps ? count % most : count > most ? most : count;
        uint64_t r;
        if (left)
            r = count == 64 ? 0 : wide << count;
        else if (is_signed)
            r = (uint64_t)((int64_t)wide >> (count == 64 ? 63 : count));
        else
            r = count == 64 ? 0 : wide >> count;
        out->low[l] = (uint32_t)(high ? r >> 32 : r);
    }
    return true;
}

static void select_lanes(uint32_t first, const uint32_t *restrict a, const uint32_t *restrict b,
                         uint32_t *restrict to)
{
    ALL_LANES to[l] = b[l] ^ ((a[l] ^ b[l]) & all_ones(first, l));
}

/* The operands of FSEL may have signs, as floats. */
static const uint32_t *float_lanes(const struct smc_sass_instruction *in,
                                   const struct operands *ops, int i, uint32_t copy[SMC_LANES])
{
    const struct smc_sass_operand *from = &in->from[i];
    const uint32_t sign = UINT32_C(1) << 31;
    if (in->operation != SMC_OP_FSEL || (!from->negated && !from->absolute))
        return ops->low[i];
    EACH_LANE {
        const uint32_t bits = ops->low[i][l];
        copy[l] = (from->absolute ? bits & ~sign : bits) ^ (from->negated ? sign : 0);
    }
    return copy;
}

static bool select_one(const struct smc_sass_instruction *in, const struct operands *ops,
                       struct results *out)
{
    uint32_t copy[2][SMC_LANES];
    const uint32_t *a = float_lanes(in, ops, 0, copy[0]), *b = float_lanes(in, ops, 1, copy[1]);
    const uint32_t first = ops->predicate[0];
    if (ops->lanes == 1)
        out->low[0] = first & 1 ? a[0] : b[0];
    else
        select_lanes(first, a, b, out->low);
    out->unknown =
        ops->predicate_unknown[0] | (ops->unknown_of[0] & first) | (ops->unknown_of[1] & ~first);
    return true;
}

static bool less(uint32_t a, uint32_t b, bool is_signed)
{
    return is_signed ? (int32_t)a < (int32_t)b : a < b;
}

/* The least or the greatest, of words or of each of their halves of 16 bits. */
static uint32_t extreme_of(uint32_t a, uint32_t b, bool least, bool is_signed, bool halves)
{
    const uint32_t low = UINT16_MAX;
    if (!halves)
        return less(a, b, is_signed) == least ? a : b;
    return ((less(a << 16, b << 16, is_signed) == least ? a : b) & low) |
           ((less(a & ~low, b & ~low, is_signed) == least ? a : b) & ~low);
}

/* A predicate chooses the minimum instead of the maximum. From 7.5 on bit 73: of halves; 76: .RELU,
   at least 0. A sum of halves whose second operand is negated is not known. */
static bool sass_evaluate_minimum(const struct smc_sass_instruction *in, const struct operands *ops,
                                  struct results *out)
{
    const bool is_plain = in->operation == SMC_OP_IMNMX, adds = in->operation == SMC_OP_VIADDMNMX;
    const bool is_signed = smc_bit(in, is_plain ? 73 : 72), halves = !is_plain && smc_bit(in, 73);
    const uint32_t high = UINT32_MAX << 16;
    if (adds && halves && ops->carry)
        return false;
    EACH_LANE {
        const bool least = bit_of(ops->predicate[0], l) != 0;
        uint32_t r = ops->low[0][l], b = ops->low[1][l];
        if (adds) {
            r = halves ? ((r + b) & ~high) | ((r & high) + (b & high)) : r + b + ops->carry;
            b = ops->low[2][l];
        }
        r = extreme_of(r, b, least, is_signed, halves);
        if (in->operation == SMC_OP_VIMNMX3)
            r = extreme_of(r, ops->low[2][l], least, is_signed, halves);
        out->low[l] = !is_plain && smc_bit(in, 76) ? extreme_of(r, 0, false, true, halves) : r;
    }
    out->unknown |= ops->predicate_unknown[0];
    return true;
}

/* `how` is a set: bit 0 less, 1 equal, 2 greater. */
static uint32_t compare(uint32_t a, uint32_t b, unsigned how, bool is_signed)
{
    uint32_t flip = is_signed ? UINT32_C(1) << 31 : 0;
    uint32_t less_than = (a ^ flip) < (b ^ flip), equal = a == b;
    return (how & less_than) | (how >> 1 & equal) | (how >> 2 & (1 ^ less_than ^ equal));
}

/* Compares the high words; `low` is what comparing the low words gave. */
static uint32_t compare_high(uint32_t a, uint32_t b, unsigned how, bool is_signed, uint32_t low)
{
    enum { NEVER = 0, EQUAL = 2 };
    if (a == b)
        return how == NEVER ? 0 : low;
    return how == EQUAL ? 0 : compare(a, b, how, is_signed);
}

enum { JOIN_AND, JOIN_OR, JOIN_XOR };

static uint32_t join_flags(unsigned how, uint32_t a, uint32_t b)
{
    return how == JOIN_AND ? a & b : how == JOIN_OR ? a | b : a ^ b;
}

/* Where a known operand alone decides: false AND x, true OR x. */
static uint32_t decides(unsigned how, uint32_t a, uint32_t unknown_a)
{
    return how == JOIN_XOR ? 0 : ~unknown_a & (how == JOIN_OR ? a : ~a);
}

/* The lanes for which the comparison holds. */
static uint32_t compare_lanes(const uint32_t *a, const uint32_t *b, unsigned how, bool is_signed)
{
    uint32_t flip = is_signed ? 0 : UINT32_C(1) << 31, is = 0;
    uint32_t if_less = how & 1 ? UINT32_MAX : 0, if_equal = how & 2 ? UINT32_MAX : 0;
    uint32_t if_greater = how & 4 ? UINT32_MAX : 0;
    ALL_LANES
    {
        int32_t left = (int32_t)(a[l] ^ flip), right = (int32_t)(b[l] ^ flip);
        uint32_t yes = left < right ? if_less : left == right ? if_equal : if_greater;
        is |= yes & smc_warp_lane_bit[l];
    }
    return is;
}

/* Bits 74 and 75: how the lanes for which a comparison holds join the predicate. */
static void join_comparison(const struct smc_sass_instruction *in, const struct operands *ops,
                            uint32_t is, uint32_t is_not, uint32_t not_known, struct results *out)
{
    const unsigned join = (unsigned)smc_bits(in, 74, 2);
    const uint32_t by = ops->predicate[0], missing = ops->predicate_unknown[0];
    for (int i = 0; i < 2; i++) {
        const uint32_t holds = i ? is_not : is;
        out->predicate[i] = join_flags(join, holds, by);
        out->predicate_unknown[i] = (not_known & ~decides(join, by, missing)) |
                                    (missing & ~decides(join, holds, not_known));
    }
}

/* Bits 76 to 78: the comparison; 73: signed; 72: .EX. */
static bool set_predicate(const struct smc_sass_instruction *in, const struct operands *ops,
                          struct results *out)
{
    unsigned how = (unsigned)smc_bits(in, 76, 3);
    bool is_signed = smc_bit(in, 73), ex = smc_bit(in, 72);
    uint32_t is = 0, not_known = ops->unknown;
    if (!ex && ops->lanes == SMC_LANES)
        is = compare_lanes(ops->low[0], ops->low[1], how, is_signed);
    else
        EACH_LANE {
            uint32_t a = ops->low[0][l], b = ops->low[1][l];
            uint32_t yes = ex ? compare_high(a, b, how, is_signed, bit_of(ops->predicate[2], l))
                              : compare(a, b, how, is_signed);
            is |= yes << l;
        }
    if (ex)
        not_known |= ops->predicate_unknown[2];
    join_comparison(in, ops, is, ~is, not_known, out);
    return true;
}

static uint32_t by_table(unsigned table, const uint32_t in[3])
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 8; i++)
        if (table >> i & 1)
            r |= (i & 4 ? in[0] : ~in[0]) & (i & 2 ? in[1] : ~in[1]) & (i & 1 ? in[2] : ~in[2]);
    return r;
}

/* Known where the result is the same for all values of what is unknown. */
static void sass_evaluate_look_up(unsigned table, const struct operands *ops, uint32_t *is,
                                  uint32_t *not_known)
{
    const uint32_t *missing = ops->predicate_unknown;
    const unsigned guesses = missing[0] | missing[1] | missing[2] ? 8 : 1;
    uint32_t all = UINT32_MAX, any = 0;
    for (unsigned guess = 0; guess < guesses; guess++) {
        uint32_t in[3];
        for (unsigned i = 0; i < 3; i++) {
            uint32_t assumed = guess >> i & 1 ? UINT32_MAX : 0;
            in[i] = (ops->predicate[i] & ~missing[i]) | (assumed & missing[i]);
        }
        uint32_t r = by_table(table, in);
        all &= r;
        any |= r;
    }
    *is = all;
    *not_known = any & ~all;
}

/* Bits 64 to 66 and 72 to 76: the table of the first result; 16 to 23: of the second. */
static bool predicate_logic(const struct smc_sass_instruction *in, const struct operands *ops,
                            struct results *out)
{
    const unsigned table[2] = {(unsigned)(smc_bits(in, 64, 3) | smc_bits(in, 72, 5) << 3),
                               (unsigned)smc_bits(in, 16, 8)};
    for (int i = 0; i < 2; i++)
        if (in->to_predicate[i] != SMC_TRUE_PREDICATE)
            sass_evaluate_look_up(table[i], ops, &out->predicate[i], &out->predicate_unknown[i]);
    return true;
}

static bool permute(const struct smc_sass_instruction *in, const struct operands *ops,
                    struct results *out)
{
    if (smc_bits(in, 72, 3) != 0)
        return false;
    EACH_LANE {
        uint64_t bytes = (uint64_t)ops->low[2][l] << 32 | ops->low[0][l];
        uint32_t r = 0;
        for (unsigned i = 0; i < 4; i++) {
            unsigned pick = ops->low[1][l] >> (4 * i) & 0xf;
            uint32_t byte = (uint32_t)(bytes >> (8 * (pick & 7))) & 0xff;
            if (pick & 8)
                byte = byte & 0x80 ? 0xff : 0;
            r |= byte << (8 * i);
        }
        out->low[l] = r;
    }
    return true;
}

/* --- Moves between kinds ---------------------------------------------------------------------- */

/* MOV and R2UR, which have different operands; IABS. */
static bool copy_one(const struct smc_sass_instruction *in, const struct operands *ops,
                     struct results *out)
{
    const bool is_first = in->operation == SMC_OP_R2UR || in->operation == SMC_OP_R2UR_OLD;
    const uint32_t *from = ops->low[is_first ? 0 : 1];
    EACH_LANE
        out->low[l] = in->operation == SMC_OP_IABS && from[l] >> 31 ? 0 - from[l] : from[l];
    return true;
}

static bool predicates_to_register(const struct smc_sass_instruction *in,
                                   const struct operands *ops, struct results *out)
{
    const struct smc_flags *predicate = ops->warp->predicate;
    unsigned at = 8 * (unsigned)smc_bits(in, 76, 2);
    uint32_t mask = in->predicates_read;
    ALL_LANES out->low[l] = ops->low[0][l] & ~(mask << at);
    for (unsigned i = 0; i < 7; i++) {
        if (!(mask >> i & 1))
            continue;
        add_flags(predicate[i].is, UINT32_C(1) << (at + i), out->low);
        out->unknown |= predicate[i].unknown;
    }
    return true;
}

static void register_to_predicates(struct smc_sass_warp *warp,
                                   const struct smc_sass_instruction *in,
                                   const struct operands *ops, uint32_t mask)
{
    unsigned at = 8 * (unsigned)smc_bits(in, 76, 2);
    for (unsigned i = 0; i < 7; i++) {
        uint32_t is = 0;
        if (!(in->predicates_written >> i & 1))
            continue;
        EACH_LANE
            is |= (ops->low[0][l] >> (at + i) & 1) << l;
        store_flags(&warp->predicate[i], is, ops->unknown, mask);
    }
}

/* Special registers, by the number in bits 72 to 79. */
enum {
    SR_LANE = 0x00,
    SR_THREAD_X = 0x21,
    SR_THREAD_Z = 0x23,
    SR_BLOCK_X = 0x25,
    SR_BLOCK_Z = 0x27,
    SR_SHARED_WINDOW = 0x2f,
    SR_BLOCK_OF_CLUSTER = 0x88,
    SR_ZERO = 0xff
};

static bool sass_evaluate_special(const struct smc_sass_instruction *in, const struct operands *ops,
                                  struct results *out)
{
    unsigned number = (unsigned)smc_bits(in, 72, 8);
    const struct smc_machine_place *place = ops->warp->place;
    if (number >= SR_THREAD_X && number <= SR_THREAD_Z) {
        smc_thread_indices(place, number - SR_THREAD_X, out->low);
        return true;
    }
    EACH_LANE {
        out->low[l] = out->high[l] = 0;
        if (number >= SR_BLOCK_X && number <= SR_BLOCK_Z)
            out->low[l] = place->index[number - SR_BLOCK_X];
        else if (number == SR_LANE || number == SR_SHARED_WINDOW)
            out->low[l] = number == SR_LANE ? l : SMC_SHARED_WINDOW;
        else if (number != SR_ZERO && number != SR_BLOCK_OF_CLUSTER)
            return false;
    }
    return true;
}

/* Lanes that do not execute it may have any index. */
static bool load_constant(const struct smc_sass_instruction *in, const struct operands *ops,
                          struct results *out)
{
    const struct smc_sass_warp *warp = ops->warp;
    static const uint8_t widths[8] = {1, 1, 2, 2, 4, 8, 16, 0};
    unsigned width = widths[smc_bits(in, 73, 3)], low = width < 4 ? width : 4;
    bool is_signed = smc_bits(in, 73, 3) == 1 || smc_bits(in, 73, 3) == 3;
    if (width == 0 || width > 8 || smc_bits(in, 78, 2) != 0)
        return false;
    EACH_LANE {
        uint32_t at = (in->from[1].value + ops->low[0][l]) & UINT16_MAX;
        if (!smc_warp_constant(warp, in->from[1].number, at, low, &out->low[l]) ||
            (width == 8 && !smc_warp_constant(warp, in->from[1].number, at + 4, 4, &out->high[l])))
            out->unknown |= ops->lanes == 1 ? UINT32_MAX : smc_warp_lane_bit[l];
        if (is_signed)
            out->low[l] = (uint32_t)((int32_t)(out->low[l] << (32 - 8 * low)) >> (32 - 8 * low));
    }
    return true;
}

/* --- Floating point --------------------------------------------------------------------------- */

static bool floating(const struct smc_sass_instruction *in, const struct operands *ops,
                     struct results *out)
{
    struct smc_float_operands from = {.lanes = ops->lanes, .takes_first = ops->predicate[0]};
    struct smc_float_results results = {.low = out->low, .high = out->high};
    for (int i = 0; i < 3; i++) {
        from.low[i] = ops->low[i];
        from.high[i] = ops->high[i];
    }
    if (!smc_floats_evaluate(in, &from, &results))
        return false;
    if (in->operation == SMC_OP_FSET || in->operation == SMC_OP_FSETP ||
        in->operation == SMC_OP_DSETP)
        join_comparison(in, ops, results.holds, results.holds_not, ops->unknown, out);
    else if (in->operation == SMC_OP_FCHK)
        out->predicate[0] = results.holds;
    if (in->operation == SMC_OP_FMNMX)
        out->unknown |= ops->predicate_unknown[0];
    return true;
}

/* FSET: 1 where the comparison holds, else 0. */
static bool floating_set(const struct smc_sass_instruction *in, const struct operands *ops,
                         struct results *out)
{
    const float one = 1;
    if (!floating(in, ops, out))
        return false;
    out->unknown = out->predicate_unknown[0];
    EACH_LANE {
        out->low[l] = 0;
        if (bit_of(out->predicate[0], l))
            memcpy(&out->low[l], &one, sizeof one);
    }
    return true;
}

/* HFMA2 of zeros and a constant: how ptxas moves a constant through the FMA pipe. */
static bool half_constant(const struct smc_sass_instruction *in, const struct operands *ops,
                          struct results *out)
{
    if (in->from[0].number != SMC_ZERO_REGISTER || in->from[1].number != SMC_ZERO_REGISTER ||
        in->from[2].kind != SMC_OPERAND_IMMEDIATE)
        return false;
    EACH_LANE
        out->low[l] = in->from[2].value;
    return true;
}

/* False: not evaluated. Operations that are not listed are of floating point, or unknown. */
static bool (*const evaluate[SMC_OP_COUNT])(const struct smc_sass_instruction *in,
                                            const struct operands *ops, struct results *out) = {
    [SMC_OP_IADD3] = add_three,
    [SMC_OP_UIADD3] = add_three,
    [SMC_OP_VIADD] = add_three,
    [SMC_OP_LEA] = shift_and_add,
    [SMC_OP_ULEA] = shift_and_add,
    [SMC_OP_LOP3] = logic,
    [SMC_OP_ULOP3] = logic,
    [SMC_OP_IMAD] = multiply_add,
    [SMC_OP_IMAD_WIDE] = multiply_add,
    [SMC_OP_IMAD_HI] = multiply_add,
    [SMC_OP_UIMAD] = multiply_add,
    [SMC_OP_UIMAD_WIDE] = multiply_add,
    [SMC_OP_SHF] = sass_evaluate_shift,
    [SMC_OP_USHF] = sass_evaluate_shift,
    [SMC_OP_SEL] = select_one,
    [SMC_OP_USEL] = select_one,
    [SMC_OP_FSEL] = select_one,
    [SMC_OP_FSET] = floating_set,
    [SMC_OP_IMNMX] = sass_evaluate_minimum,
    [SMC_OP_VIMNMX] = sass_evaluate_minimum,
    [SMC_OP_VIMNMX3] = sass_evaluate_minimum,
    [SMC_OP_VIADDMNMX] = sass_evaluate_minimum,
    [SMC_OP_ISETP] = set_predicate,
    [SMC_OP_UISETP] = set_predicate,
    [SMC_OP_PLOP3] = predicate_logic,
    [SMC_OP_UPLOP3] = predicate_logic,
    [SMC_OP_PRMT] = permute,
    [SMC_OP_UPRMT] = permute,
    [SMC_OP_MOV] = copy_one,
    [SMC_OP_UMOV] = copy_one,
    [SMC_OP_R2UR] = copy_one,
    [SMC_OP_R2UR_OLD] = copy_one,
    [SMC_OP_IABS] = copy_one,
    [SMC_OP_P2R] = predicates_to_register,
    [SMC_OP_CS2R] = sass_evaluate_special,
    [SMC_OP_S2R] = sass_evaluate_special,
    [SMC_OP_S2UR] = sass_evaluate_special,
    [SMC_OP_LDC] = load_constant,
    [SMC_OP_ULDC] = load_constant,
    [SMC_OP_ULDC_INDEX] = load_constant,
    [SMC_OP_HFMA2] = half_constant,
    [SMC_OP_HFMA2_MMA] = half_constant,
};

static bool has_floats(const struct smc_sass_instruction *in)
{
    return !evaluate[in->operation] || in->operation == SMC_OP_FSEL || in->operation == SMC_OP_FSET;
}

/* Whether lanes differ although their operands do not. */
static bool differs_by_lane(const struct smc_sass_instruction *in)
{
    unsigned number = (unsigned)smc_bits(in, 72, 8);
    switch (in->operation) {
    case SMC_OP_S2R:
        return number == SR_LANE || (number >= SR_THREAD_X && number <= SR_THREAD_Z);
    case SMC_OP_P2R:
    case SMC_OP_R2P:
        return true;
    default:
        return false;
    }
}

/* A uniform register receives what the first active lane holds. */
static void take_first_lane(struct operands *ops, uint32_t mask)
{
    unsigned lane = mask ? (unsigned)__builtin_ctz(mask) : 0;
    ops->copy[0][0].value[0] = ops->low[0][lane];
    ops->low[0] = ops->copy[0][0].value;
    ops->unknown = ops->unknown >> lane & 1 ? UINT32_MAX : 0;
    ops->lanes = 1;
}

void smc_warp_evaluate(struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                       uint32_t mask)
{
    struct operands ops;
    struct results out;
    ops.warp = warp;
    ops.are_floats = has_floats(in);
    sass_evaluate_gather(warp, in, mask, differs_by_lane(in), &ops);
    if (ops.lanes > 1 && (in->operation == SMC_OP_R2UR || in->operation == SMC_OP_R2UR_OLD))
        take_first_lane(&ops, mask);
    out.unknown = ops.unknown;
    for (int i = 0; i < 2; i++) {
        out.predicate[i] = 0;
        out.predicate_unknown[i] = ops.unknown;
    }
    if (in->operation == SMC_OP_R2P)
        register_to_predicates(warp, in, &ops, mask);
    else if ((evaluate[in->operation] ? evaluate[in->operation] : floating)(in, &ops, &out))
        sass_evaluate_store(warp, in, mask, &ops, &out);
    else
        smc_warp_forget(warp, in, mask);
}
