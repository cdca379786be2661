/* Which arrays decide what is executed, which are stored to, and whether blocks meet there. */
#include "machine/sass/meetings.h"

#include "base/hash.h"

enum { WORD = 4 };

static uint32_t ones(unsigned count)
{
    return count < 32 ? (UINT32_C(1) << count) - 1 : UINT32_MAX;
}

/* The entry of a word; what was noted of another one is lost. */
static struct smc_touched_word *touched_word(struct smc_warp_memory *memory, uint64_t key)
{
    enum { NEIGHBORS = 8 }; /* keep together */
    const uint64_t group = smc_hash_slot(key / NEIGHBORS, 16);
    struct smc_touched_word *word =
        &memory->touched[(group * NEIGHBORS + key % NEIGHBORS) % SMC_TOUCHED_WORDS];
    if (word->key != key)
        *word = (struct smc_touched_word){.key = key, .start = memory->start};
    return word;
}

/* Which bytes of a word an access touches. */
static uint8_t touched_bytes(uint64_t address, unsigned bytes)
{
    const uint32_t touched = bytes < WORD ? ones(bytes) << address % WORD : ones(WORD);
    return (uint8_t)(touched & ones(WORD));
}

void smc_meetings_note(struct smc_warp_memory *memory, const unsigned array[SMC_LANES],
                       const uint64_t address[SMC_LANES], unsigned bytes, uint32_t mask,
                       unsigned how)
{
    uint64_t last = UINT64_MAX; /* the word of the lane before */
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        const uint64_t key = address[lane] / WORD, bit = UINT64_C(1) << array[lane] % SMC_NO_ARRAY;
        const uint8_t touched = touched_bytes(address[lane], bytes);
        if (array[lane] >= SMC_NO_ARRAY || (key == last && bytes >= WORD))
            continue;
        last = key;
        memory->decides |= how & SMC_DECIDES ? bit : 0;
        memory->changed |= how & SMC_STORES ? bit : 0;
        if (!memory->touched || memory->meets & bit)
            continue;
        struct smc_touched_word *word = touched_word(memory, key);
        if (word->start != memory->start && (word->how | how) == (SMC_DECIDES | SMC_STORES) &&
            word->bytes & touched)
            memory->meets |= bit;
        word->start = memory->start;
        word->bytes |= touched;
        word->how |= (uint8_t)how;
    }
}

void smc_meetings_look(const struct smc_warp_memory *memory, const struct smc_sass_instruction *in,
                       uint32_t mask, const uint64_t address[SMC_LANES])
{
    uint64_t first = UINT64_MAX, last = 0;
    unsigned array;
    if (!memory || (in->operation != SMC_OP_LDG && in->operation != SMC_OP_STG &&
                    in->operation != SMC_OP_LDGSTS))
        return;
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        const uint64_t at = address[__builtin_ctz(lanes)];
        first = at < first ? at : first;
        last = at > last ? at : last;
    }
    memory->contents->read(memory->contents->context, first, 0, NULL, &array);
    memory->contents->read(memory->contents->context, last, 0, NULL, &array);
}
