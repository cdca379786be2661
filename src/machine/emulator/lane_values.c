/* What is known of a warp's registers without running it: see lane_values.h. */
#include "machine/emulator/lane_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/emulator_steps.h"

enum rule {
    RULE_NONE,
    RULE_ADD,
    RULE_SUB,
    RULE_MUL,
    RULE_MUL_WIDE,
    RULE_MAD,
    RULE_MAD_WIDE,
    RULE_SHL,
    RULE_SHR,
    RULE_AND,
    RULE_OR,
    RULE_XOR,
    RULE_NOT,
    RULE_NEG,
    RULE_MOVE,
    RULE_CONVERT,
    RULE_SELECT,
    RULE_PACK_32,
    RULE_UNPACK_LOW,
    RULE_BFE,
    RULE_COUNT,
    RULE_MASK = 31,
    NARROW = 32, /* of operands with 16 bits */
    WIDE = 64,   /* of operands with 64 bits */
};

/* --- Rules by the emulator's functions -------------------------------------------------------- */

static uint8_t rule_in_tables(smc_alu *alu)
{
    static const struct {
        smc_alu_by_type *by_type;
        uint8_t rule;
    } tables[] = {
        {&smc_integer_add, RULE_ADD},    {&smc_integer_sub, RULE_SUB},
        {&smc_integer_mul_lo, RULE_MUL}, {&smc_integer_mul_wide, RULE_MUL_WIDE},
        {&smc_integer_mad_lo, RULE_MAD}, {&smc_integer_mad_wide, RULE_MAD_WIDE},
        {&smc_bits_shl, RULE_SHL},       {&smc_bits_shr, RULE_SHR},
        {&smc_bits_and, RULE_AND},       {&smc_bits_or, RULE_OR},
        {&smc_bits_xor, RULE_XOR},       {&smc_bits_not, RULE_NOT},
        {&smc_integer_neg, RULE_NEG},    {&smc_bits_bfe, RULE_BFE},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (int type = SMC_PTX_B16; type < SMC_PTX_F16; type++)
            if ((*tables[i].by_type)[type] == alu) {
                uint8_t bytes = smc_ptx_type_info[type].bytes;
                return tables[i].rule | (bytes == 8 ? WIDE : bytes == 2 ? NARROW : 0);
            }
    return RULE_NONE;
}

static bool converts_integers(const struct smc_op *op)
{
    enum smc_ptx_class to = smc_ptx_type_info[op->type].class;
    enum smc_ptx_class from = smc_ptx_type_info[op->immediate % SMC_PTX_TYPE_COUNT].class;
    return !op->saturates && to != SMC_CLASS_FLOAT && from != SMC_CLASS_FLOAT;
}

static uint8_t rule_of(const struct smc_op *op)
{
    bool converts = op->alu == smc_convert || op->alu == smc_convert_fast(op);
    if (!op->alu)
        return RULE_NONE;
    if (op->alu == smc_move_32 || op->alu == smc_move_64 || op->alu == smc_move_predicate)
        return RULE_MOVE;
    if (op->alu == smc_select_32 || op->alu == smc_select_64)
        return RULE_SELECT;
    if (op->alu == smc_pack_32)
        return RULE_PACK_32;
    if (op->alu == smc_unpack_low)
        return RULE_UNPACK_LOW;
    if (converts && op->v_kind[0] != SMC_SLOT_NONE)
        return converts_integers(op) ? RULE_CONVERT : RULE_NONE;
    return rule_in_tables(op->alu);
}

bool smc_lane_values_open(const struct smc_program *program, struct smc_lane_values *values)
{
    size_t slots = program->file_bytes / SMC_SLOT_UNIT + 1;
    *values = (struct smc_lane_values){.program = program,
                                       .rule = smc_calloc(program->ops + 1, 1),
                                       .kind = smc_calloc(slots, 1),
                                       .slots = slots,
                                       .place = smc_calloc(slots, sizeof *values->place)};
    if (!values->rule || !values->kind || !values->place)
        return false;
    for (size_t i = 0; i < program->slots; i++)
        values->kind[program->slot[i].offset / SMC_SLOT_UNIT] = (uint8_t)program->slot[i].kind;
    for (size_t i = 0; i < program->ops; i++)
        values->rule[i] = rule_of(&program->op[i]);
    return true;
}

void smc_lane_values_close(struct smc_lane_values *values)
{
    free(values->rule);
    free(values->kind);
    free(values->place);
    *values = (struct smc_lane_values){0};
}

/* --- States ----------------------------------------------------------------------------------- */

bool smc_lane_state_new(const struct smc_lane_values *values, struct smc_lane_state *state)
{
    *state = (struct smc_lane_state){.file = smc_calloc(values->slots, SMC_SLOT_UNIT),
                                     .known = smc_calloc(values->slots, sizeof *state->known),
                                     .changed_at = smc_calloc(values->slots, sizeof(uint32_t))};
    if (state->file && state->known && state->changed_at)
        return true;
    smc_lane_state_free(state);
    return false;
}

void smc_lane_state_free(struct smc_lane_state *state)
{
    free(state->file);
    free(state->known);
    free(state->changed_at);
    free(state->change);
    *state = (struct smc_lane_state){0};
}

void smc_lane_state_begin(const struct smc_lane_values *values, struct smc_lane_state *state)
{
    memset(state->changed_at, 0, values->slots * sizeof *state->changed_at);
    state->changes = 0;
    state->mark = state->marks = 0;
}

/* --- Lanes of a register ---------------------------------------------------------------------- */

static uint64_t lane_of(const void *register_, enum smc_slot_kind kind, uint32_t lane)
{
    if (kind == SMC_SLOT_64)
        return ((const lane_u64 *)register_)[lane];
    if (kind == SMC_SLOT_32)
        return ((const lane_u32 *)register_)[lane];
    return *(const lane_u32 *)register_ >> lane & 1;
}

static void set_lane(void *register_, enum smc_slot_kind kind, uint32_t lane, uint64_t value)
{
    if (kind == SMC_SLOT_64)
        ((lane_u64 *)register_)[lane] = value;
    else if (kind == SMC_SLOT_32)
        ((lane_u32 *)register_)[lane] = (uint32_t)value;
    else
        *(lane_u32 *)register_ = (*(lane_u32 *)register_ & ~(1u << lane)) | (uint32_t)(value & 1)
                                                                                << lane;
}

static unsigned bits_of(enum smc_slot_kind kind)
{
    return kind == SMC_SLOT_64 ? 64 : kind == SMC_SLOT_32 ? 32 : 1;
}

static uint64_t low_bits(unsigned count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* Whether the lanes have the same value above their lowest `align` bits. */
static bool same_above(const void *register_, enum smc_slot_kind kind, uint32_t mask,
                       unsigned align)
{
    if (!mask || align >= 64)
        return true;
    uint64_t first = lane_of(register_, kind, (uint32_t)__builtin_ctz(mask)) >> align;
    EACH_ACTIVE(lane, mask)
        if (lane_of(register_, kind, lane) >> align != first)
            return false;
    return true;
}

bool smc_lane_values_uniform(const struct smc_lane_values *values,
                             const struct smc_lane_state *state, uint32_t slot, uint32_t mask)
{
    enum smc_slot_kind kind = (enum smc_slot_kind)values->kind[slot / SMC_SLOT_UNIT];
    return (smc_known_of(state, slot)->lanes & mask) == mask &&
           same_above(state->file + slot, kind, mask, 0);
}

/* --- Sources ---------------------------------------------------------------------------------- */

struct source {
    const char *at;
    enum smc_slot_kind kind;
    struct smc_known known;
};

struct lane_operation {
    struct smc_lane_values *values;
    const struct smc_op *op;
    struct source source[3];
    uint32_t mask;
    unsigned width;             /* in bits, of the operands */
    enum smc_slot_kind kind;    /* of the result */
    lane_u64 result[SMC_LANES]; /* as wide as the kind says */
    struct smc_known known;
};

static bool is_exact(const struct source *source)
{
    return source->known.align == SMC_EXACT;
}

/* An exact source with the same value in all lanes. */
static bool lane_values_is_constant(const struct lane_operation *operation,
                                    const struct source *source, uint64_t *value)
{
    uint32_t mask = operation->mask;
    if (!is_exact(source) || (source->known.lanes & mask) != mask || !mask ||
        !same_above(source->at, source->kind, mask, 0))
        return false;
    *value = lane_of(source->at, source->kind, (uint32_t)__builtin_ctz(mask));
    return true;
}

static bool is_uniform(const struct lane_operation *operation, const struct source *source)
{
    return (source->known.lanes & operation->mask) == operation->mask &&
           same_above(source->at, source->kind, operation->mask, 0);
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The source because of which a result is unknown. */
static void blame(struct lane_operation *operation)
{
    const struct source *worst = NULL;
    for (int i = 0; i < 3; i++) {
        const struct source *source = &operation->source[i];
        bool missing = (source->known.lanes & operation->mask) != operation->mask;
        if (missing ? !worst || (worst->known.lanes & operation->mask) == operation->mask
                    : !worst && !is_exact(source))
            worst = source;
    }
    operation->known.cause = worst ? worst->known.cause : SMC_CAUSE_NONE;
    operation->known.instruction = worst ? worst->known.instruction : operation->op->instruction;
}

/* The result is unknown, but the same for all lanes if the sources are. */
static void lane_values_give_up(struct lane_operation *operation)
{
    bool uniform = true;
    for (int i = 0; i < 3; i++)
        uniform &= is_uniform(operation, &operation->source[i]);
    memset(operation->result, 0, sizeof operation->result);
    operation->known.lanes = uniform ? operation->mask : 0;
    operation->known.align = 0;
    operation->known.bits = (uint8_t)bits_of(operation->kind);
}

/* --- Rules of arithmetic ---------------------------------------------------------------------- */

static void set(struct lane_operation *operation, unsigned align, unsigned bits)
{
    bool exact = align >= SMC_EXACT;
    operation->known.align = (uint8_t)(exact ? SMC_EXACT : align);
    operation->known.bits =
        (uint8_t)(exact ? bits_of(operation->kind) : least(bits, bits_of(operation->kind)));
}

/* Whether the sum of two sources wraps as one of them does: the other is the same for all lanes,
   and known to as many bits. */
static bool sum_wraps(const struct lane_operation *operation, const struct source *one,
                      const struct source *other)
{
    return one->known.wraps && is_uniform(operation, other) && other->known.bits >= one->known.bits;
}

static void add(struct lane_operation *operation)
{
    const struct source *a = &operation->source[0], *b = &operation->source[1];
    set(operation, least(a->known.align, b->known.align),
        least(least(a->known.bits, b->known.bits), operation->width));
    operation->known.wraps = sum_wraps(operation, a, b) || sum_wraps(operation, b, a);
}

static unsigned zeros_of(uint64_t value)
{
    return value ? (unsigned)__builtin_ctzll(value) : 64;
}

/* The zeros below the lowest bit that any lane may have set. */
static unsigned zeros_of_source(const struct lane_operation *operation, const struct source *source)
{
    unsigned zeros = source->known.align;
    EACH_ACTIVE(lane, operation->mask)
        zeros = least(zeros, zeros_of(lane_of(source->at, source->kind, lane)));
    return zeros;
}

/* a times b, known modulo 2^*bits with a shared part of 2^*align. False: not of this form. */
static bool lane_values_product(const struct lane_operation *operation, const struct source *a,
                                const struct source *b, unsigned *align, unsigned *bits)
{
    uint64_t factor;
    unsigned width = operation->width;
    if (is_exact(a) && is_exact(b)) {
        *align = SMC_EXACT;
        *bits = 64;
        return true;
    }
    if (lane_values_is_constant(operation, a, &factor) ||
        lane_values_is_constant(operation, b, &factor)) {
        const struct source *other = is_exact(a) ? b : a;
        if (!factor) {
            *align = SMC_EXACT;
            *bits = 64;
            return true;
        }
        *align = least(other->known.align + zeros_of(factor), 63);
        *bits = least(least(other->known.bits, width) + zeros_of(factor), 64);
        return true;
    }
    if (!is_uniform(operation, a) || !is_uniform(operation, b))
        return false;
    *align = least(zeros_of_source(operation, a) + zeros_of_source(operation, b), 63);
    *bits = least(least(a->known.bits, b->known.bits), width);
    return true;
}

/* A constant factor keeps different lanes different: each trailing zero of it makes one more bit
   known. */
static bool product_wraps(const struct lane_operation *operation)
{
    uint64_t factor;
    const struct source *a = &operation->source[0], *b = &operation->source[1];
    return (a->known.wraps && lane_values_is_constant(operation, b, &factor) && factor) ||
           (b->known.wraps && lane_values_is_constant(operation, a, &factor) && factor);
}

/* d = a * b + c; `wide`: c and d are twice as wide as the factors. */
static void lane_values_multiply(struct lane_operation *operation, bool adds, bool wide)
{
    unsigned align, bits, width = wide ? 64 : operation->width;
    const struct smc_known *c = &operation->source[2].known;
    if (!lane_values_product(operation, &operation->source[0], &operation->source[1], &align,
                             &bits)) {
        lane_values_give_up(operation);
        return;
    }
    if (adds) {
        align = least(align, c->align);
        bits = least(bits, c->bits);
    }
    set(operation, align, least(bits, wide && operation->width == 16 ? 32 : width));
    operation->known.wraps =
        product_wraps(operation) && (!adds || (is_uniform(operation, &operation->source[2]) &&
                                               c->bits >= operation->known.bits));
}

/* A product of values that are the same for all lanes is the same for all lanes. */
static void shift_left(struct lane_operation *operation)
{
    const struct source *a = &operation->source[0];
    uint64_t count;
    if (!lane_values_is_constant(operation, &operation->source[1], &count)) {
        lane_values_give_up(operation);
        return;
    }
    if (count >= operation->width)
        set(operation, SMC_EXACT, 64);
    else
        set(operation, least(a->known.align + (unsigned)count, 63),
            least(least(a->known.bits, operation->width) + (unsigned)count, operation->width));
    operation->known.wraps = a->known.wraps;
}

/* v + u with u a multiple of 2^n: (v >> n) + (u >> n), of which the upper n bits are unknown. */
static void shift_right(struct lane_operation *operation)
{
    const struct source *a = &operation->source[0];
    uint64_t count;
    unsigned bits = least(a->known.bits, operation->width);
    if (!lane_values_is_constant(operation, &operation->source[1], &count) || count >= bits ||
        a->known.align < count)
        lane_values_give_up(operation);
    else
        set(operation, a->known.align - (unsigned)count, bits - (unsigned)count);
}

/* --- Rules of bits ---------------------------------------------------------------------------- */

/* What an operation does to the shared part, if the other source is `value` above it. */
enum effect { KEEPS, DROPS, MIXES };

static enum effect effect_of(unsigned rule, uint64_t above, uint64_t ones)
{
    if (above == 0)
        return rule == RULE_AND ? DROPS : KEEPS;
    if (above == ones)
        return rule == RULE_OR ? DROPS : KEEPS; /* xor: negates it */
    return MIXES;
}

/* The exact source's effect in all lanes. */
static enum effect effect_in_lanes(const struct lane_operation *operation, unsigned rule,
                                   const struct source *exact, unsigned align, unsigned bits)
{
    uint64_t ones = low_bits(bits) >> align;
    enum effect effect = MIXES;
    bool first = true;
    EACH_ACTIVE(lane, operation->mask) {
        uint64_t above = (lane_of(exact->at, exact->kind, lane) & low_bits(bits)) >> align;
        enum effect here = effect_of(rule, above, ones);
        if (!first && here != effect)
            return MIXES;
        effect = here;
        first = false;
    }
    return effect;
}

static bool is_below(const struct lane_operation *operation, const struct source *source,
                     unsigned bits)
{
    EACH_ACTIVE(lane, operation->mask)
        if (lane_of(source->at, source->kind, lane) & ~low_bits(bits))
            return false;
    return true;
}

/* Of a result whose upper bits are the same for all lanes: a constant's zeros stay zeros. */
static unsigned align_of_shared(const struct lane_operation *operation, unsigned rule,
                                unsigned align)
{
    uint64_t ones;
    const struct source *a = &operation->source[0], *b = &operation->source[1];
    bool masked =
        rule == RULE_AND && lane_values_is_constant(operation, is_exact(a) ? a : b, &ones);
    return masked && zeros_of(ones) > align ? least(zeros_of(ones), 63) : align;
}

/* With a constant whose ones are bits `low` to `high` - 1, `low` up to the alignment: the value is
   known modulo 2^high. */
static bool keep_low_bits(struct lane_operation *operation, unsigned align, unsigned bits)
{
    const struct source *a = &operation->source[0], *b = &operation->source[1];
    uint64_t ones;
    if (!lane_values_is_constant(operation, is_exact(a) ? a : b, &ones) || !ones)
        return false;
    unsigned low = zeros_of(ones), high = 64 - (unsigned)__builtin_clzll(ones);
    if (low > align || high > bits || ones != (low_bits(high) & ~low_bits(low)))
        return false;
    set(operation, align, high);
    operation->known.wraps = true;
    return true;
}

/* Below the alignment of the shared parts the bits are exact. */
static void combine_bits(struct lane_operation *operation, unsigned rule)
{
    const struct source *a = &operation->source[0], *b = &operation->source[1];
    unsigned align = least(a->known.align, b->known.align);
    unsigned bits = least(least(a->known.bits, b->known.bits), operation->width);
    enum effect effect = MIXES;
    if (is_exact(a) || is_exact(b))
        effect = effect_in_lanes(operation, rule, is_exact(a) ? a : b, align, bits);
    bool dropped =
        rule == RULE_AND && effect == DROPS && is_below(operation, is_exact(a) ? a : b, bits);
    if (effect == KEEPS) {
        set(operation, align, bits);
    } else if (dropped) {
        set(operation, SMC_EXACT, 64);
    } else if (same_above(a->at, a->kind, operation->mask, align) &&
               same_above(b->at, b->kind, operation->mask, align)) {
        EACH_LANE(i)
            set_lane(operation->result, operation->kind, i,
                     lane_of(operation->result, operation->kind, i) & low_bits(align));
        set(operation, align_of_shared(operation, rule, align), bits);
    } else if (rule != RULE_AND || !keep_low_bits(operation, align, bits)) {
        lane_values_give_up(operation);
    }
}

/* bfe.u32 d, a, b, c: (a >> b) & (2^c - 1). */
static void extract_bits(struct lane_operation *operation)
{
    const struct source *a = &operation->source[0];
    uint64_t place, length;
    if (lane_values_is_constant(operation, &operation->source[1], &place) &&
        lane_values_is_constant(operation, &operation->source[2], &length) &&
        (place & 255) + (length & 255) <=
            least(a->known.align, least(a->known.bits, operation->width)))
        set(operation, SMC_EXACT, 64);
    else
        lane_values_give_up(operation);
}

/* --- Other rules ------------------------------------------------------------------------------ */

static void lane_values_convert(struct lane_operation *operation)
{
    const struct smc_op *op = operation->op;
    const struct source *a = &operation->source[0];
    unsigned from = 8u * smc_ptx_type_info[op->immediate].bytes;
    unsigned to = 8u * smc_ptx_type_info[op->type].bytes;
    set(operation, a->known.align, least(a->known.bits, least(from, to > from ? 64 : to)));
    operation->known.wraps = a->known.wraps && operation->known.bits == a->known.bits;
}

/* Where a value points that is one or the other. */
static uint8_t joined_points(const struct smc_known *one, const struct smc_known *other)
{
    const uint8_t points = one->points | other->points;
    const bool differ = (one->points ^ other->points) & SMC_INTO_SHARED;
    return differ ? points | SMC_ELSEWHERE : points;
}

/* Lanes of both sources need the same shared part. */
static void select_known_lanes(struct lane_operation *operation)
{
    const struct source *choice = &operation->source[2];
    uint32_t mask = operation->mask, holds = *(const lane_u32 *)choice->at & mask;
    bool known = is_exact(choice) && (choice->known.lanes & mask) == mask;
    const struct source *one = holds == mask ? &operation->source[0]
                               : holds == 0  ? &operation->source[1]
                                             : NULL;
    if (!known || !one) {
        lane_values_give_up(operation);
        operation->known.points =
            joined_points(&operation->source[0].known, &operation->source[1].known);
        return;
    }
    operation->known = one->known;
    memcpy(operation->result, one->at, operation->kind == SMC_SLOT_64 ? 256 : 128);
}

/* low | high << 32 */
static void lane_values_pack(struct lane_operation *operation)
{
    const struct smc_known *low = &operation->source[0].known, *high = &operation->source[1].known;
    if (low->align != SMC_EXACT)
        set(operation, low->align, least(low->bits, 32));
    else
        set(operation, least(32u + high->align, 63), 64);
}

static void apply_rule(struct lane_operation *operation, uint8_t rule)
{
    switch (rule & RULE_MASK) {
    case RULE_ADD:
    case RULE_SUB:
        add(operation);
        break;
    case RULE_MUL:
    case RULE_MUL_WIDE:
        lane_values_multiply(operation, false, (rule & RULE_MASK) == RULE_MUL_WIDE);
        break;
    case RULE_MAD:
    case RULE_MAD_WIDE:
        lane_values_multiply(operation, true, (rule & RULE_MASK) == RULE_MAD_WIDE);
        break;
    case RULE_SHL:
        shift_left(operation);
        break;
    case RULE_SHR:
        shift_right(operation);
        break;
    case RULE_AND:
    case RULE_OR:
    case RULE_XOR:
        combine_bits(operation, rule & RULE_MASK);
        break;
    case RULE_NOT:
    case RULE_NEG:
        set(operation, operation->source[0].known.align,
            least(operation->source[0].known.bits, operation->width));
        break;
    case RULE_MOVE:
        operation->known = operation->source[0].known;
        break;
    case RULE_CONVERT:
        lane_values_convert(operation);
        break;
    case RULE_SELECT:
        select_known_lanes(operation);
        break;
    case RULE_PACK_32:
        lane_values_pack(operation);
        break;
    case RULE_UNPACK_LOW:
        set(operation, operation->source[0].known.align,
            least(operation->source[0].known.bits, 32));
        break;
    case RULE_BFE:
        extract_bits(operation);
        break;
    default:
        lane_values_give_up(operation);
    }
}

/* --- Computing -------------------------------------------------------------------------------- */

/* cvta adds the window of shared memory; sums keep where they point. */
static uint8_t points_of(const struct lane_operation *operation, uint8_t rule)
{
    uint64_t window;
    const struct source *a = &operation->source[0], *b = &operation->source[1];
    unsigned plain = rule & RULE_MASK;
    if (plain == RULE_MOVE)
        return a->known.points;
    if (plain == RULE_MAD_WIDE || plain == RULE_MAD)
        return operation->source[2].known.points;
    if (plain != RULE_ADD && plain != RULE_SUB)
        return 0;
    if (plain == RULE_ADD && lane_values_is_constant(operation, b, &window) &&
        window == SMC_SHARED_WINDOW)
        return SMC_INTO_SHARED;
    return a->known.points && b->known.points ? 0 : a->known.points | b->known.points;
}

/* The lanes of `mask` of a register receive a value; the others keep theirs, which becomes unknown
   if its shared part is another. */
static void lane_values_store(const struct smc_lane_values *values, struct smc_lane_state *state,
                              uint32_t slot, const void *result, const struct smc_known *new,
                              uint32_t mask)
{
    struct smc_known *known = smc_known_of(state, slot);
    enum smc_slot_kind kind = (enum smc_slot_kind)values->kind[slot / SMC_SLOT_UNIT];
    bool both_exact = known->align == SMC_EXACT && new->align == SMC_EXACT;
    uint32_t kept = both_exact ? known->lanes & ~mask : 0;
    smc_lane_state_keep(values, state, slot / SMC_SLOT_UNIT);
    if (mask == SMC_ALL_LANES && kind != SMC_SLOT_PREDICATE)
        memcpy(state->file + slot, result, kind == SMC_SLOT_64 ? 256 : 128);
    else
        EACH_ACTIVE(lane, mask)
            set_lane(state->file + slot, kind, lane, lane_of(result, kind, lane));
    *known = *new;
    known->lanes = (new->lanes &mask) | kept;
}

void smc_lane_values_compute(struct smc_lane_values *values, struct smc_lane_state *state,
                             const struct smc_op *op, uint32_t sure, uint32_t maybe, bool together)
{
    uint8_t rule = values->rule[op - values->program->op];
    struct lane_operation operation = {.values = values,
                                       .op = op,
                                       .mask = sure | maybe,
                                       .width = rule & WIDE     ? 64
                                                : rule & NARROW ? 16
                                                                : 32,
                                       .kind = op->d_kind};
    const uint32_t slots[] = {op->a, op->b, op->c};
    uint32_t lanes = SMC_ALL_LANES;
    bool exact = true;
    for (int i = 0; i < 3; i++) {
        operation.source[i] = (struct source){
            state->file + slots[i], (enum smc_slot_kind)values->kind[slots[i] / SMC_SLOT_UNIT],
            *smc_known_of(state, slots[i])};
        lanes &= operation.source[i].known.lanes;
        exact &= is_exact(&operation.source[i]);
    }
    op->alu(op, operation.result, state->file + op->a, state->file + op->b, state->file + op->c);
    operation.known = (struct smc_known){
        .lanes = lanes, .align = SMC_EXACT, .bits = (uint8_t)bits_of(op->d_kind), .id = 0};
    blame(&operation);
    const uint8_t points = points_of(&operation, rule);
    operation.known.points = points;
    if (!exact)
        apply_rule(&operation, rule);
    operation.known.points |= points;
    if (operation.known.align != SMC_EXACT && (rule & RULE_MASK) != RULE_MOVE)
        operation.known.id = ++values->ids;
    if (maybe) { /* the old value may stay */
        uint32_t mask = sure | maybe;
        const struct smc_lane_register old = {op->d_kind, state->file + op->d,
                                              smc_known_of(state, op->d), mask & ~sure};
        struct smc_lane_register new = {op->d_kind, (char *)operation.result, &operation.known,
                                        mask};
        smc_lane_values_join(values, &old, !together, &new);
    }
    lane_values_store(values, state, op->d, operation.result, &operation.known, sure | maybe);
}

void smc_lane_values_forget(struct smc_lane_values *values, struct smc_lane_state *state,
                            uint32_t slot, const struct smc_lane_loss *loss)
{
    const uint32_t mask = loss->mask;
    static const lane_u64 zeros[SMC_LANES];
    enum smc_slot_kind kind = (enum smc_slot_kind)values->kind[slot / SMC_SLOT_UNIT];
    const struct smc_known unknown = {.lanes = loss->uniform ? mask : 0,
                                      .align = 0,
                                      .bits = (uint8_t)bits_of(kind),
                                      .cause = (uint8_t)loss->cause,
                                      .instruction = loss->instruction,
                                      .id = ++values->ids};
    struct smc_known *known = smc_known_of(state, slot);
    uint32_t kept = known->align == SMC_EXACT ? known->lanes & ~mask : 0;
    if (!loss->uniform && kept) { /* other lanes stay exact */
        smc_lane_state_keep(values, state, slot / SMC_SLOT_UNIT);
        known->lanes = kept;
        known->cause = (uint8_t)loss->cause;
        known->instruction = loss->instruction;
        return;
    }
    lane_values_store(values, state, slot, zeros, &unknown, mask);
}

/* --- Joining ---------------------------------------------------------------------------------- */

static bool same_register(const struct smc_lane_register *one,
                          const struct smc_lane_register *other)
{
    const struct smc_known *from = one->known, *into = other->known;
    const uint32_t mask = one->mask & other->mask;
    if (mask != (one->mask | other->mask))
        return false;
    if (from->align != into->align || from->id != into->id ||
        (from->lanes & mask) != (into->lanes & mask) || from->bits != into->bits)
        return false;
    EACH_ACTIVE(lane, mask & into->lanes)
        if (lane_of(one->at, one->kind, lane) != lane_of(other->at, one->kind, lane))
            return false;
    return true;
}

/* The distance between the values, if all lanes of `mask` have the same. */
static bool lane_values_distance(enum smc_slot_kind kind, const char *from_at, const char *into_at,
                                 uint32_t mask, unsigned bits, uint64_t *apart)
{
    bool first = true;
    *apart = 0;
    EACH_ACTIVE(lane, mask) {
        uint64_t here =
            (lane_of(from_at, kind, lane) - lane_of(into_at, kind, lane)) & low_bits(bits);
        if (!first && here != *apart)
            return false;
        *apart = here;
        first = false;
    }
    return !first;
}

/* Registers with the same shared part: lanes with equal values stay known. */
static void join_equal(const struct smc_lane_register *one, struct smc_lane_register *other)
{
    const enum smc_slot_kind kind = one->kind;
    const struct smc_known *from = one->known;
    struct smc_known *into = other->known;
    uint32_t lanes = into->lanes & ~one->mask & other->mask;
    EACH_ACTIVE(lane, from->lanes & one->mask) {
        const uint64_t value = lane_of(one->at, kind, lane);
        if (!(other->mask >> lane & 1))
            set_lane(other->at, kind, lane, value);
        else if (!(into->lanes >> lane & 1) || value != lane_of(other->at, kind, lane))
            continue;
        lanes |= 1u << lane;
    }
    into->lanes = lanes;
    into->cause = into->cause ? into->cause : from->cause;
}

/* Registers whose values are one distance apart in all lanes that both have. */
static void join_shifted(const struct smc_lane_register *one, struct smc_lane_register *other,
                         uint64_t apart)
{
    const struct smc_known *from = one->known;
    struct smc_known *into = other->known;
    uint32_t common = from->lanes & into->lanes & one->mask & other->mask;
    uint32_t lanes = common | (into->lanes & other->mask & ~one->mask);
    EACH_ACTIVE(lane, from->lanes & one->mask & ~other->mask) {
        set_lane(other->at, one->kind, lane, lane_of(one->at, one->kind, lane) - apart);
        lanes |= 1u << lane;
    }
    unsigned align = least(least(from->align, into->align), apart ? zeros_of(apart) : SMC_EXACT);
    into->lanes = lanes;
    into->align = (uint8_t)align;
    into->bits = (uint8_t)least(from->bits, into->bits);
}

void smc_lane_values_join(struct smc_lane_values *values, const struct smc_lane_register *one,
                          bool apart, struct smc_lane_register *other)
{
    const struct smc_known *from = one->known;
    struct smc_known *into = other->known;
    unsigned bits = least(from->bits, into->bits);
    uint64_t shift;
    if (same_register(one, other))
        return;
    uint8_t wraps = into->wraps && from->wraps && from->bits == into->bits;
    const uint8_t points = joined_points(from, into);
    uint32_t before = into->lanes & other->mask;
    uint32_t common = from->lanes & one->mask & before;
    bool found = lane_values_distance(one->kind, one->at, other->at, common, bits, &shift);
    bool keeps = from->id == into->id && from->align == into->align && from->bits == into->bits &&
                 (apart || !found || shift == 0);
    if (keeps)
        join_equal(one, other);
    else if (!apart && found)
        join_shifted(one, other, shift);
    else
        into->lanes = 0;
    into->points = points;
    into->wraps = wraps;
    if (!keeps)
        into->id = ++values->ids;
    if ((into->align != SMC_EXACT || before & ~into->lanes) && !into->cause) {
        into->cause = from->cause ? from->cause : SMC_CAUSE_PATHS;
        into->instruction = from->instruction;
    }
}
