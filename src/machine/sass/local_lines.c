/* Where lanes access local memory. */
#include "machine/sass/local_lines.h"

#include "machine/sass/patterns.h"
#include "machine/sass/warp_trace.h"

enum { WORD = 4 };

unsigned smc_local_addresses(const struct smc_sass_warp *warp,
                             const struct smc_sass_instruction *in, uint32_t mask,
                             uint64_t address[SMC_LANES])
{
    const unsigned words = in->access_bytes < WORD ? 1 : in->access_bytes / WORD;
    if (!smc_warp_addresses(warp, in, mask, address))
        for (unsigned lane = 0; lane < SMC_LANES; lane++)
            address[lane] = (uint32_t)in->offset + lane * (words > 1 ? in->access_bytes : WORD);
    return words;
}

void smc_local_place(const uint64_t address[SMC_LANES], unsigned i, uint64_t place[SMC_LANES])
{
    for (unsigned lane = 0; lane < SMC_LANES; lane++)
        place[lane] = (address[lane] / WORD + i) % SMC_WARP_TRACE_LOCAL_WORDS * SMC_LINE_BYTES +
                      (uint64_t)lane * WORD + address[lane] % WORD;
}

unsigned smc_local_sectors(const struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                           uint32_t mask)
{
    uint64_t address[SMC_LANES], place[SMC_LANES];
    const unsigned words = smc_local_addresses(warp, in, mask, address);
    const unsigned bytes = in->access_bytes < WORD ? in->access_bytes : WORD;
    const bool is_one = warp->reg[in->from[0].number].same && address[0] == address[1];
    unsigned sectors = 0;
    if (is_one && address[0] % WORD + bytes <= WORD) { /* as of registers that were spilled */
        for (uint32_t lanes = mask; lanes; lanes >>= 8)
            sectors += lanes & 0xff ? words : 0;
        return sectors;
    }
    for (unsigned i = 0; i < words; i++) {
        smc_local_place(address, i, place);
        sectors += smc_count_sectors(mask, place, bytes);
    }
    return sectors;
}
