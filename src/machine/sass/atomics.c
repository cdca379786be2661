/* What atomics do, by their machine code. */
#include "machine/sass/atomics.h"

#include <string.h>

bool smc_warp_atomic_addresses(const struct smc_sass_warp *warp,
                               const struct smc_sass_instruction *in, uint32_t mask,
                               uint64_t address[SMC_LANES])
{
    struct smc_sass_instruction access = *in;
    access.offset = (int32_t)((uint32_t)smc_bits(in, 40, 24) << 8) >> 8;
    access.from[1] = access.from[2] = (struct smc_sass_operand){.kind = SMC_OPERAND_NONE};
    return smc_warp_addresses(warp, &access, mask, address);
}

/* Bits 73 to 75: the type, of integers U32, S32, U64, -, -, S64; of floats 1 is F32 and 7 F64. */
unsigned smc_atomic_bytes(const struct smc_sass_instruction *in)
{
    static const uint8_t integers[8] = {4, 4, 8, 0, 0, 8}, floats[8] = {0, 4, 0, 0, 0, 0, 0, 8};
    return (smc_is_float_atomic(in) ? floats : integers)[smc_bits(in, 73, 3)];
}

static uint64_t added(const struct smc_sass_instruction *in, uint64_t a, uint64_t b)
{
    float single[2];
    double wide[2];
    const uint32_t low[2] = {(uint32_t)a, (uint32_t)b};
    if (!smc_is_float_atomic(in))
        return a + b;
    if (smc_atomic_bytes(in) == sizeof *single) {
        memcpy(single, low, sizeof single);
        single[0] += single[1];
        uint32_t bits;
        memcpy(&bits, single, sizeof bits);
        return bits;
    }
    memcpy(&wide[0], &a, sizeof a);
    memcpy(&wide[1], &b, sizeof b);
    wide[0] += wide[1];
    memcpy(&a, wide, sizeof a);
    return a;
}

static bool is_less(const struct smc_sass_instruction *in, uint64_t a, uint64_t b)
{
    enum { S32 = 1, S64 = 5 };
    const uint64_t type = smc_bits(in, 73, 3);
    if (type == S32)
        return (int32_t)a < (int32_t)b;
    return type == S64 ? (int64_t)a < (int64_t)b : a < b;
}

enum { ADD, MIN, MAX, INC, DEC, AND, OR, XOR, EXCH, POPC_INC = 11 };

/* Bits 87 to 90; of those that return nothing, bit 90 is always 1. */
static uint64_t kind_of_atomic(const struct smc_sass_instruction *in)
{
    const bool returns = in->operation != SMC_OP_RED && in->operation != SMC_OP_REDG;
    return smc_bits(in, 87, returns ? 4 : 3);
}

bool smc_atomic_counts(const struct smc_sass_instruction *in)
{
    const uint64_t how = kind_of_atomic(in);
    return (in->operation == SMC_OP_ATOMG || in->operation == SMC_OP_ATOM) &&
           in->to.kind == SMC_OPERAND_REGISTER && in->to.number != SMC_ZERO_REGISTER &&
           (how == ADD || how == INC || how == POPC_INC);
}

bool smc_atomic_apply(const struct smc_sass_instruction *in, uint64_t before, uint64_t by,
                      uint64_t *after)
{
    switch (kind_of_atomic(in)) {
    case ADD:
        *after = added(in, before, by);
        return true;
    case MIN:
        *after = is_less(in, before, by) ? before : by;
        return true;
    case MAX:
        *after = is_less(in, before, by) ? by : before;
        return true;
    case INC:
        *after = before >= by ? 0 : before + 1;
        return true;
    case DEC:
        *after = before == 0 || before > by ? by : before - 1;
        return true;
    case AND:
        *after = before & by;
        return true;
    case OR:
        *after = before | by;
        return true;
    case XOR:
        *after = before ^ by;
        return true;
    case EXCH:
        *after = by;
        return true;
    case POPC_INC:
        *after = before + 1;
        return true;
    default:
        return false;
    }
}
