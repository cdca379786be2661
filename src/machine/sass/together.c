/* What the lanes of a warp compute together. */
#include "machine/sass/sass_warp.h"

void smc_warp_set_predicate(struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                            uint32_t is, uint32_t unknown, uint32_t mask)
{
    const uint8_t number = in->to_predicate[0];
    struct smc_flags *to =
        in->uniform ? &warp->uniform_predicate[number] : &warp->predicate[number];
    if (number == SMC_TRUE_PREDICATE)
        return;
    if (in->uniform)
        mask = UINT32_MAX;
    to->is = (to->is & ~mask) | (is & mask);
    to->unknown = (to->unknown & ~mask) | (unknown & mask);
}

/* Sets the register of the result to one value in all lanes; a uniform one has no lanes. */
static void give_all(struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                     uint32_t value, uint32_t mask)
{
    uint32_t values[SMC_LANES];
    for (unsigned lane = 0; lane < SMC_LANES; lane++)
        values[lane] = value;
    if (in->to.kind == SMC_OPERAND_UNIFORM)
        mask = UINT32_MAX;
    smc_warp_set_register(warp, &in->to, 0, values, 0, mask);
}

/* Bits 72 and 73: all, any, or equal in all. The register receives the lanes. */
static void vote(struct smc_sass_warp *warp, const struct smc_sass_instruction *in, uint32_t mask)
{
    enum { ALL, ANY, EQUAL };
    unsigned how = (unsigned)smc_bits(in, 72, 2);
    uint32_t unknown, yes = smc_warp_holds(warp, in->predicate[0], &unknown) & mask;
    smc_warp_forget(warp, in, mask);
    if (how > EQUAL || unknown & mask)
        return;
    bool is = how == ALL ? yes == mask : how == ANY ? yes != 0 : yes == 0 || yes == mask;
    give_all(warp, in, yes, mask);
    smc_warp_set_predicate(warp, in, is ? UINT32_MAX : 0, 0, mask);
}

static const struct smc_lanes zero = {.same = true};

/* The first source's register, or the one after it. */
static const struct smc_lanes *source_of(const struct smc_sass_warp *warp,
                                         const struct smc_sass_instruction *in, unsigned part)
{
    return in->from[0].number == SMC_ZERO_REGISTER || part >= in->from[0].registers
               ? &zero
               : &warp->reg[in->from[0].number + part];
}

static uint32_t value_of_lane(const struct smc_lanes *lanes, unsigned lane)
{
    return lanes->value[lanes->same ? 0 : lane];
}

/* The lanes of `mask` that hold the same as a lane. */
static uint32_t lanes_with_value(const struct smc_lanes *low, const struct smc_lanes *high,
                                 unsigned lane, uint32_t mask)
{
    uint32_t same = 0;
    for (; mask; mask &= mask - 1) {
        unsigned other = (unsigned)__builtin_ctz(mask);
        if (value_of_lane(low, lane) == value_of_lane(low, other) &&
            value_of_lane(high, lane) == value_of_lane(high, other))
            same |= mask & -mask;
    }
    return same;
}

/* Bits 79 and 80: .ALL is 0, .ANY is 1: the lanes that hold the same value; 73: of 64 bits. */
static void match(struct smc_sass_warp *warp, const struct smc_sass_instruction *in, uint32_t mask)
{
    const struct smc_lanes *low = source_of(warp, in, 0), *high = source_of(warp, in, 1);
    const bool any = smc_bit(in, 79);
    uint32_t value[SMC_LANES] = {0}, all = 0, unknown = (low->unknown | high->unknown) & mask;
    for (uint32_t lanes = mask; lanes && !unknown; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        value[lane] = lanes_with_value(low, high, lane, mask);
        all |= (uint32_t)(value[lane] == mask) << lane;
        if (!any && value[lane] != mask)
            value[lane] = 0;
    }
    smc_warp_forget(warp, in, mask);
    if (unknown)
        return;
    smc_warp_set_register(warp, &in->to, 0, value, 0, mask);
    smc_warp_set_predicate(warp, in, all, 0, mask);
}

unsigned smc_warp_values_matched(const struct smc_sass_warp *warp,
                                 const struct smc_sass_instruction *in, uint32_t mask)
{
    const struct smc_lanes *low = source_of(warp, in, 0), *high = source_of(warp, in, 1);
    unsigned values = 0;
    if (!smc_bit(in, 79))
        return 1;
    if ((low->unknown | high->unknown) & mask)
        return 0;
    for (uint32_t lanes = mask; lanes; values++)
        lanes &= ~lanes_with_value(low, high, (unsigned)__builtin_ctz(lanes), lanes);
    return values;
}

/* Bits 78 to 80: AND, OR, XOR, SUM, MIN, MAX; 73: signed. */
static void reduce(struct smc_sass_warp *warp, const struct smc_sass_instruction *in, uint32_t mask)
{
    enum { AND, OR, XOR, SUM, MIN, MAX };
    const struct smc_lanes *from = source_of(warp, in, 0);
    const unsigned how = (unsigned)smc_bits(in, 78, 3);
    const uint32_t flip = smc_bit(in, 73) ? UINT32_C(1) << 31 : 0;
    const bool known = (from->unknown & mask) == 0 && how <= MAX;
    uint32_t result = value_of_lane(from, (unsigned)__builtin_ctz(mask));
    for (uint32_t lanes = mask & (mask - 1); lanes; lanes &= lanes - 1) {
        uint32_t value = value_of_lane(from, (unsigned)__builtin_ctz(lanes));
        bool less = (value ^ flip) < (result ^ flip);
        switch (how) {
        case AND:
            result &= value;
            break;
        case OR:
            result |= value;
            break;
        case XOR:
            result ^= value;
            break;
        case SUM:
            result += value;
            break;
        default:
            result = less == (how == MIN) ? value : result;
            break;
        }
    }
    smc_warp_forget(warp, in, mask);
    if (known)
        give_all(warp, in, result, mask);
}

/* What a lane has of an operand of SHFL. */
static uint32_t shuffle_operand(const struct smc_sass_warp *warp,
                                const struct smc_sass_operand *operand, unsigned lane)
{
    if (operand->kind == SMC_OPERAND_IMMEDIATE)
        return operand->value;
    return operand->number == SMC_ZERO_REGISTER ? 0
                                                : value_of_lane(&warp->reg[operand->number], lane);
}

/* The lane that a lane reads; false: itself, since that one is beyond the limits. Bits 58 and 59:
   by index, up, down, XOR. */
static bool shuffle_source(const struct smc_sass_instruction *in, unsigned lane, uint32_t by,
                           uint32_t limits, unsigned *source)
{
    enum { INDEX, UP, DOWN, LAST_LANE = SMC_LANES - 1 };
    const uint32_t segment = limits >> 8 & LAST_LANE, least = lane & segment;
    const int most = (int)(least | (limits & LAST_LANE & ~segment)), step = (int)(by & LAST_LANE);
    const unsigned how = (unsigned)smc_bits(in, 58, 2);
    const int from = how == INDEX  ? (int)(least | ((uint32_t)step & ~segment))
                     : how == UP   ? (int)lane - step
                     : how == DOWN ? (int)lane + step
                                   : (int)lane ^ step;
    bool inside = how == UP ? from >= most : from <= most;
    *source = inside ? (unsigned)from & LAST_LANE : lane;
    return inside;
}

static void shuffle(struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                    uint32_t mask)
{
    const struct smc_lanes *from = source_of(warp, in, 0);
    uint32_t value[SMC_LANES], operands = from->unknown, unknown = 0, inside = 0;
    for (int i = 1; i < 3; i++)
        if (in->from[i].kind == SMC_OPERAND_REGISTER && in->from[i].number != SMC_ZERO_REGISTER)
            operands |= warp->reg[in->from[i].number].unknown;
    for (unsigned lane = 0; lane < SMC_LANES; lane++) {
        unsigned source;
        inside |= (uint32_t)shuffle_source(in, lane, shuffle_operand(warp, &in->from[1], lane),
                                           shuffle_operand(warp, &in->from[2], lane), &source)
                  << lane;
        value[lane] = value_of_lane(from, source);
        unknown |= (operands >> source & 1) << lane;
    }
    smc_warp_set_register(warp, &in->to, 0, value, unknown, mask);
    smc_warp_set_predicate(warp, in, inside, operands, mask);
}

/* Special registers with masks of lanes, by the number in bits 72 to 79: the lane itself, those
   before, up to, after and from it on. False: another one. */
static bool lane_masks(struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                       uint32_t mask)
{
    enum { EQUAL = 0x38, BEFORE, UP_TO, AFTER, FROM };
    const unsigned number = (unsigned)smc_bits(in, 72, 8);
    uint32_t value[SMC_LANES];
    if (number < EQUAL || number > FROM)
        return false;
    for (unsigned lane = 0; lane < SMC_LANES; lane++) {
        const uint32_t own = UINT32_C(1) << lane, before = own - 1;
        value[lane] = number == EQUAL    ? own
                      : number == BEFORE ? before
                      : number == UP_TO  ? before | own
                      : number == AFTER  ? ~(before | own)
                                         : ~before;
    }
    smc_warp_set_register(warp, &in->to, 0, value, 0, mask);
    return true;
}

/* SYNCS in form 2 waits for a phase of a barrier; other forms arrive. */
static bool waits_for_phase(const struct smc_sass_instruction *in)
{
    enum { PHASECHK = 2 };
    return smc_bits(in, 9, 3) == PHASECHK;
}

bool smc_warp_evaluate_together(struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                                uint32_t mask)
{
    if (mask == 0)
        return false;
    switch (in->operation) {
    case SMC_OP_VOTE:
    case SMC_OP_VOTEU:
        vote(warp, in, mask);
        return true;
    case SMC_OP_MATCH:
        match(warp, in, mask);
        return true;
    case SMC_OP_SHFL:
        shuffle(warp, in, mask);
        return true;
    case SMC_OP_REDUX:
        reduce(warp, in, mask);
        return true;
    case SMC_OP_S2R:
        return lane_masks(warp, in, mask);
    case SMC_OP_ELECT: /* the first lane */
        smc_warp_set_predicate(warp, in, mask & -mask, 0, mask);
        return true;
    case SMC_OP_SYNCS: /* what is waited for has come */
        if (!waits_for_phase(in))
            return false;
        smc_warp_set_predicate(warp, in, UINT32_MAX, 0, mask);
        return true;
    case SMC_OP_USETMAXREG: /* there are enough registers */
        smc_warp_set_predicate(warp, in, UINT32_MAX, 0, UINT32_MAX);
        return true;
    default:
        return false;
    }
}
