/* Wavefronts of accesses to the shared memory of other blocks of a cluster. */
#include "rules/banks.h"

enum { WORD_BYTES = 4, TURNS_TOGETHER = 8, MOST_STORE_TURNS = 9 };

static const struct smc_bank_layout clustered = {
    .banks = 32, .row_words = 32, .neighbouring_words = 1, .loads_join = true};

static bool is_stored(enum smc_bank_op op)
{
    return op == SMC_BANK_STORE;
}

static bool is_changed(enum smc_bank_op op)
{
    return op == SMC_BANK_ATOM || op == SMC_BANK_ATOM_EXCH || op == SMC_BANK_RED ||
           op == SMC_BANK_RED_ONE;
}

static bool was_counted(const struct smc_access *access)
{
    const uint32_t width = access->width_bytes;
    if (access->op == SMC_BANK_LOAD || is_stored(access->op))
        return width == 4 || width == 8 || width == 16;
    return is_changed(access->op) && (width == 4 || width == 8);
}

static uint32_t distributed_banks(const struct smc_access *access, uint32_t lane)
{
    const uint64_t words = (UINT64_C(1) << access->width_bytes / WORD_BYTES) - 1;
    return (uint32_t)(words << access->address[lane] / WORD_BYTES % SMC_MAX_BANKS);
}

/* Those of `waiting` whose lines are looked up next: in each bank of the tags that of the lowest
   lane. An atomic leaves out lanes with a bank of a lower one that waits for the same tags. */
static uint32_t distributed_next(const struct smc_access *access, uint32_t waiting)
{
    uint32_t line[SMC_TAG_BANKS], wanted[SMC_TAG_BANKS] = {0}, busy = 0, lanes = 0;
    for (uint32_t left = waiting; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint32_t mine = access->address[lane] / SMC_LINE_BYTES, tag = smc_tag_bank(mine);
        const uint32_t banks = distributed_banks(access, lane);
        if (!(busy >> tag & 1))
            line[tag] = mine;
        busy |= 1u << tag;
        if (line[tag] == mine && !(is_changed(access->op) && wanted[tag] & banks))
            lanes |= 1u << lane;
        wanted[tag] |= banks;
    }
    return lanes;
}

static uint32_t wavefronts_of(const struct smc_access *access, uint32_t lanes)
{
    struct smc_access served = *access;
    served.mask = lanes;
    served.op = is_changed(access->op) ? SMC_BANK_ATOM_EXCH : SMC_BANK_STORE;
    return smc_banks_count(&clustered, &served).wavefronts;
}

uint32_t smc_banks_count_distributed(const struct smc_access *access)
{
    uint32_t wavefronts = 0, turns = 0, together = 0;
    if (!was_counted(access))
        return 0;
    for (uint32_t waiting = access->mask, next; waiting; waiting &= ~next) {
        next = distributed_next(access, waiting);
        together |= next;
        if (is_stored(access->op) && ++turns % TURNS_TOGETHER != 0)
            continue;
        wavefronts += wavefronts_of(access, together);
        together = 0;
    }
    if (together)
        wavefronts += wavefronts_of(access, together);
    return turns > MOST_STORE_TURNS ? 0 : wavefronts;
}
