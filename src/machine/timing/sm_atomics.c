/* Atomics in the units of L2: where they are, and how long each takes. */
#include <math.h>

#include "machine/timing/sm_state.h"

/* Atomics: the type at bits 73 to 75, of integers U32, S32, U64, S64, of floats F16x2, F32, and two
   or four of these. L2 gives a result also where the program drops it: exchanges at random places
   take 0.0130 ns each, as additions whose result is needed (H200, CUDA 13.0, driver 580.159.04,
   2026-11-30). */
void smc_sm_read_atomic(const struct smc_sass_instruction *in, struct smc_sm_step *step)
{
    enum { DOUBLE = 7 };
    static const uint8_t integers[8] = {4, 4, 8, 8, 4, 8, 4, 4},
                         floats[8] = {4, 4, 8, 16, 4, 4, 4, 8};
    const uint64_t type = smc_bits(in, 73, 3);
    step->is_float = smc_is_float_atomic(in);
    step->bytes = (step->is_float ? floats : integers)[type];
    step->is_double = step->is_float && type == DOUBLE;
    step->swaps = smc_compares_and_swaps(in);
    step->has_result |= in->operation != SMC_OP_RED && in->operation != SMC_OP_REDG;
}

/* Doubles are added two at a time, and what several lanes compare and swap is as long again. */
static bool takes_twice(const struct smc_sm_step *step, const struct smc_warp_trace_entry *entry,
                        double atomics)
{
    const bool several = entry->active_lanes > atomics;
    return (step->is_double && several) || (step->swaps && (several || entry->sectors > 1));
}

/* Longer where sectors are not whole: lanes that are missing leave half of a sector, as where a row
   begins and ends anywhere. Atomics of four, two and one words of each sector take equally long
   (H200, CUDA 13.0, driver 580.159.04, 2026-11-30). */
double smc_sm_atomic_clocks(const struct smc_rates *rates, const struct smc_sm_step *step,
                            const struct smc_warp_trace_entry *entry)
{
    const double atomics = entry->lines ? entry->atomics : entry->active_lanes;
    if (takes_twice(step, entry, atomics))
        return 2 * rates->atomic_whole_clocks;
    const double filled = entry->active_lanes * step->bytes / fmax(atomics * SMC_SECTOR_BYTES, 1);
    const double parts = fmin(fmax(2 * (1 - filled), 0), 1);
    return rates->atomic_whole_clocks +
           parts * (rates->atomic_unit_clocks - rates->atomic_whole_clocks);
}

void smc_sm_count_in_sectors(struct smc_sm_hot_piece *piece, uint32_t sectors, double atomics)
{
    const float each = (float)(atomics / fmax(__builtin_popcount(sectors), 1));
    for (uint32_t i = 0; i < SMC_SM_UNIT_SECTORS; i++)
        piece->in_sector[i] += (sectors >> i & 1) ? each : 0;
}

void smc_sm_join_in_unit(struct smc_sm_hot_piece *unit, const struct smc_sm_hot_piece *piece,
                         uint32_t at)
{
    unit->accesses += piece->accesses;
    unit->clocks += piece->clocks;
    unit->is_float |= piece->is_float;
    unit->together |= piece->together;
    for (uint32_t i = at; i < SMC_SM_UNIT_SECTORS; i++)
        unit->in_sector[i] += piece->in_sector[i - at];
}

/* Atomics of floats wait for the one before in their sector, so that others come meanwhile: in turn
   where an instruction accesses several sectors, else by chance. No unit is done before those of
   its fullest sector are: a launch of 398 thousand additions, 12.4 thousand of them to one word,
   takes 26.5 us, 21.8 at 1.757 ns for each of the 12.4 thousand (H200, CUDA 13.0, driver
   580.159.04, 2026-12-01). */
double smc_sm_clocks_of_atomic(const struct smc_rates *rates, const struct smc_sm_hot_piece *piece)
{
    const double each = piece->accesses > 0 ? piece->clocks / piece->accesses : 0;
    const double wait = smc_later(rates->atomic_float_clocks, each);
    double all = 0, most = 0, pairs = 0;
    for (uint32_t i = 0; i < SMC_SM_UNIT_SECTORS; i++) {
        const double own = piece->in_sector[i];
        all += own;
        most = fmax(most, own);
        pairs += own * fmax(own - 1, 0);
    }
    if (!piece->is_float || all <= 0)
        return each;
    const double in_order = wait * most / all;
    const double same = all > 1 ? pairs / (all * (all - 1)) : 1;
    return smc_later(in_order, piece->together ? each : each + (wait - each) * same);
}

uint64_t smc_sm_atomic_line(const struct smc_time_array *arrays, size_t count, uint64_t line)
{
    enum { KILOBYTE = 1024 / SMC_LINE_BYTES };
    const size_t array = smc_time_array_with(arrays, count, line);
    return line - (array < count ? arrays[array].address / SMC_LINE_BYTES % KILOBYTE : 0);
}

/* As many atomics of single lanes as take the same time on the way to L2. */
double smc_sm_atomic_slots(const struct smc_atomic_slots *slots,
                           const struct smc_warp_trace_entry *entry, double atomics)
{
    if (entry->active_lanes <= atomics || entry->sectors == 0)
        return atomics;
    return atomics * (slots->line * entry->lines / entry->sectors + slots->sector);
}

/* For how many clocks a warp's atomics in a line leave an SM: one for the line and one for each
   sector, but a single word in one. Additions to words at distances of 4 to 64 bytes, in 1 to 16
   lines, take 5, 10, 20, 25, 40 and 48 clocks of the only SM that adds, and at larger distances 32.
   Lanes that share words leave one after the other, and where words share a sector, too, a clock
   later each: 2, 4, 8, 16 and 32 lanes at a word, 16 to 1 words one beside the other,
   take 8.5, 12.9, 25, 48 and 62 clocks, 8 at each of 4 words in as many sectors 41, in as many
   lines 64, of one of 32 SMs as of one (H200, CUDA 13.0, driver 580.159.04, 2026-11-30). */
double smc_sm_atomics_leave(const struct smc_warp_trace_entry *entry, uint32_t sectors,
                            double atomics)
{
    if (entry->sectors > 0 && atomics > entry->sectors) {
        const double turns = atomics / entry->sectors;
        return turns * (1 + sectors + (entry->active_lanes > atomics));
    }
    return sectors > 1 || 2 * entry->lines < entry->active_lanes ? 1 + sectors : 1;
}

/* How long L2 and DRAM take for atomics if one of them takes `a` and the other `b`: half of the
   shorter time is not beside the longer one. Of exchanges of one, two and four words at 4 million
   random places, L2 takes 60, 112 and 218 us if it has them all, and 250, 278 and 351 us in 410 MB,
   after a counter for each place 293 and 359 us. Additions in order to 128 MiB, all words or one of
   each sector, take 93 us, where L2 takes 57 and 53 and DRAM 64; to one word of each line 40, not
   12, and DRAM takes 32 (H200, CUDA 13.0, driver 580.159.04, 2026-11-30). */
double smc_sm_both_take(double a, double b)
{
    static const double waits = 0.5;
    return fmax(a, b) + waits * fmin(a, b);
}
