/* A warp's registers and predicates, and the addresses made from them. */
#include "machine/sass/sass_warp.h"

#include "base/numbers.h"

const uint32_t smc_warp_lane_bit[SMC_LANES] = {
#define BITS(n) 1u << (n), 2u << (n), 4u << (n), 8u << (n)
    BITS(0), BITS(4), BITS(8), BITS(12), BITS(16), BITS(20), BITS(24), BITS(28)};

static const struct smc_lanes zero = {.same = true};

void smc_warp_start(struct smc_sass_warp *warp, const struct smc_machine_place *place)
{
    /* No program depends on what its registers hold before it writes to them, though instructions
       on halves of a register keep the other half. */
    for (unsigned i = 0; i < smc_place_registers(place); i++) {
        warp->reg[i].value[0] = warp->reg[i].unknown = 0;
        warp->reg[i].same = true;
    }
    for (int i = 0; i < 64; i++) {
        warp->uniform[i].same = true;
        warp->uniform[i].unknown = UINT32_MAX;
    }
    warp->reg[SMC_ZERO_REGISTER] = zero;
    warp->uniform[SMC_ZERO_UNIFORM] = zero;
    for (int i = 0; i < 8; i++) {
        bool known = i == SMC_TRUE_PREDICATE;
        warp->predicate[i] = (struct smc_flags){UINT32_MAX, known ? 0 : UINT32_MAX};
        warp->uniform_predicate[i] = warp->predicate[i];
    }
    uint32_t threads = place->block[0] * place->block[1] * place->block[2] - place->first_thread;
    warp->alive = threads >= SMC_LANES ? UINT32_MAX : (UINT32_C(1) << threads) - 1;
    warp->place = place;
}

static const struct smc_lanes *added_uniform(const struct smc_sass_warp *warp,
                                             const struct smc_sass_instruction *in)
{
    for (int i = 1; i < 3; i++)
        if (in->from[i].kind == SMC_OPERAND_UNIFORM)
            return &warp->uniform[in->from[i].number];
    return &zero;
}

/* Bits 78 and 79 scale the register of shared addresses: 1, 4, 8, 16. */
static unsigned scale_shift_of(const struct smc_sass_instruction *in)
{
    static const uint8_t shifts[4] = {0, 2, 3, 4};
    bool shared = in->operation == SMC_OP_LDS || in->operation == SMC_OP_STS ||
                  in->operation == SMC_OP_ATOMS || in->operation == SMC_OP_ATOMS_CAS;
    return shared ? shifts[smc_bits(in, 78, 2)] : 0;
}

/* The values of all lanes. */
static const uint32_t *spread_lanes(const struct smc_lanes *lanes, uint32_t *restrict copy)
{
    if (!lanes->same)
        return lanes->value;
    for (int lane = 0; lane < SMC_LANES; lane++)
        copy[lane] = lanes->value[0];
    return copy;
}

bool smc_warp_addresses(const struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                        uint32_t mask, uint64_t address[SMC_LANES])
{
    const struct smc_lanes *low = &warp->reg[in->from[0].number], *high = &zero;
    const struct smc_lanes *added = added_uniform(warp, in);
    const unsigned shift = scale_shift_of(in);
    uint32_t copy[2][SMC_LANES];
    if (in->from[0].registers == 2 && in->from[0].number != SMC_ZERO_REGISTER)
        high = &warp->reg[in->from[0].number + 1];
    if ((low->unknown | high->unknown | added->unknown) & mask)
        return false;
    const uint64_t rest = added->value[0] + (uint64_t)(int64_t)in->offset;
    const uint64_t limit = in->from[0].registers == 1 ? UINT32_MAX : UINT64_MAX;
    if (low->same && high->same) {
        const uint64_t one =
            ((((uint64_t)high->value[0] << 32 | low->value[0]) << shift) + rest) & limit;
        for (int lane = 0; lane < SMC_LANES; lane++)
            address[lane] = one;
        return true;
    }
    const uint32_t *lower = spread_lanes(low, copy[0]), *upper = spread_lanes(high, copy[1]);
    for (int lane = 0; lane < SMC_LANES; lane++)
        address[lane] = ((((uint64_t)upper[lane] << 32 | lower[lane]) << shift) + rest) & limit;
    return true;
}

bool smc_warp_copy_targets(const struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                           uint32_t mask, uint64_t to[SMC_LANES])
{
    struct smc_sass_instruction target = *in;
    target.from[0] = in->copy_to;
    target.from[1] = target.from[2] = (struct smc_sass_operand){.kind = SMC_OPERAND_NONE};
    target.offset = in->copy_offset;
    return smc_warp_addresses(warp, &target, mask, to);
}

void smc_thread_indices(const struct smc_machine_place *place, unsigned axis,
                        uint32_t to[SMC_LANES])
{
    const uint32_t *block = place->block;
    uint32_t at[3] = {place->first_thread % block[0], place->first_thread / block[0] % block[1],
                      place->first_thread / block[0] / block[1]};
    for (int l = 0; l < SMC_LANES; l++) {
        to[l] = at[axis];
        smc_next_place(block, at);
    }
}

bool smc_warp_operands_were_known(const struct smc_sass_warp *warp,
                                  const struct smc_sass_instruction *in, uint32_t mask,
                                  uint32_t before)
{
    uint32_t unknown = 0;
    for (int i = 0; i < 3; i++) {
        const struct smc_sass_operand *from = &in->from[i], *to = &in->to;
        const bool is_result = from->kind == to->kind &&
                               from->number < to->number + to->registers &&
                               to->number < from->number + from->registers;
        unknown |= is_result ? before : smc_warp_unknown_lanes(warp, from);
    }
    return (unknown & mask) == 0;
}

bool smc_warp_constant(const struct smc_sass_warp *warp, unsigned number, uint32_t at,
                       unsigned bytes, uint32_t *value)
{
    const struct smc_machine_place *place = warp->place;
    struct smc_constant_bank bank = {place->constants, place->constant_bytes};
    *value = 0;
    if (number > 0 && (!place->bank || number >= SMC_CONSTANT_BANKS))
        return false;
    if (number > 0)
        bank = place->bank[number];
    if ((size_t)at + bytes > bank.bytes)
        return false;
    for (unsigned i = bytes; i-- > 0;)
        *value = *value << 8 | bank.data[at + i];
    return true;
}
