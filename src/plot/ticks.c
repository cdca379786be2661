/* Where the ticks of an axis stand. */
#include "plot/ticks.h"

/* 1, 2, 4, 8 ... or 1, 2, 5, 10 ... */
static int64_t next_round(int64_t step, enum smc_tick_kind kind)
{
    if (kind == SMC_TICKS_BINARY)
        return step * 2;
    int64_t lead = step;
    while (lead >= 10)
        lead /= 10;
    return lead == 2 ? step / 2 * 5 : step * 2;
}

/* Towards plus infinity. */
static int64_t multiple_from(int64_t value, int64_t step)
{
    int64_t rest = value % step;
    return value - rest + (rest > 0 ? step : 0);
}

struct smc_ticks smc_ticks_between(int64_t low, int64_t high, enum smc_tick_kind kind,
                                   unsigned most)
{
    int64_t step = 1;
    while ((high - low) / step >= most && step <= high - low)
        step = next_round(step, kind);
    int64_t first = multiple_from(low, step);
    return first <= high ? (struct smc_ticks){first, step} : (struct smc_ticks){low, 0};
}

/* The first value that is a multiple of `round`; `first` + count x step where there is none. */
static int64_t first_multiple(int64_t first, int64_t step, uint64_t count, int64_t round)
{
    uint64_t period = (uint64_t)(round / step);
    for (uint64_t i = 0; i < count && i < period; i++)
        if ((first + (int64_t)i * step) % round == 0)
            return first + (int64_t)i * step;
    return first + (int64_t)count * step;
}

struct smc_ticks smc_ticks_among(int64_t first, int64_t step, uint64_t count,
                                 enum smc_tick_kind kind, unsigned most)
{
    int64_t end = first + (int64_t)count * step;
    if (count <= most)
        return (struct smc_ticks){first, step};
    int64_t last = end - step;
    for (int64_t round = 1; round <= last - first; round = next_round(round, kind)) {
        if (round % step != 0 || (uint64_t)((last - first) / round) >= most)
            continue;
        int64_t from = first_multiple(first, step, count, round);
        if (from < end)
            return (struct smc_ticks){from, round};
    }
    int64_t every = (int64_t)((count + most - 1) / most);
    return (struct smc_ticks){first, every * step};
}
