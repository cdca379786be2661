/* Which of many measured rates are too low to be noise. */
#include "hardware/fleet/stragglers.h"

#include <math.h>

#include "base/numbers.h"

/* The constants of the rule, chosen by simulation: see tests/hardware/test_stragglers.c. */
static const double DEVIATIONS = 4;               /* standard deviations that noise may reach */
static const double DEVIATION_OF_MEDIAN = 1.4826; /* of normal noise, per median deviation */
static const double FAST_SHARE = 0.005;  /* of the fast side that is left out as too fast */
static const double FAST_FACTOR = 2.6;   /* by how much the slow side may exceed the fast one */
static const double ENOUGH_FAST = 200;   /* values on one side: fewer widen the limit */
static const double TAIL_FACTOR = 8;     /* ln(0.2 / 0.00013) / ln(0.5 / 0.2) */
static const double TAIL_WIDENING = 2.5; /* with 1 / sqrt of the values */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The slowness of the value at `rank`, where 0 is the slowest of all. */
static double slowness_at(const struct smc_peer_spread *spread, const double *sorted, size_t rank,
                          bool higher_is_better)
{
    size_t at = higher_is_better ? rank : spread->count - 1 - rank;
    return smc_peer_slowness(spread, sorted[at], higher_is_better);
}

/* The median of the distances from the median: the two sides are merged from the ends inward. */
static double median_deviation(const struct smc_peer_spread *spread, const double *sorted)
{
    size_t low = 0, high = spread->count - 1;
    double distance = 0;
    for (size_t dropped = 0; dropped <= spread->count / 2 && low <= high; dropped++) {
        double below = fabs(sorted[low] - spread->median);
        double above = fabs(sorted[high] - spread->median);
        distance = larger(below, above);
        if (below > above)
            low++;
        else if (high == 0)
            break;
        else
            high--;
    }
    return distance / fabs(spread->median);
}

static double stragglers_limit_of(const struct smc_peer_spread *spread, const double *sorted,
                                  bool higher_is_better)
{
    size_t half = spread->count / 2;
    double few = cbrt(larger(1, ENOUGH_FAST / (double)half));
    size_t fastest = spread->count - 1 - (size_t)(FAST_SHARE * (double)half);
    double fast = -slowness_at(spread, sorted, fastest, higher_is_better);
    double middle = slowness_at(spread, sorted, half / 2, higher_is_better);
    double outer = slowness_at(spread, sorted, half / 5, higher_is_better);
    double tail = outer + TAIL_FACTOR * (1 + TAIL_WIDENING / sqrt((double)half)) * (outer - middle);
    double noise = DEVIATIONS * DEVIATION_OF_MEDIAN * median_deviation(spread, sorted);
    return larger(larger(SMC_STRAGGLER_SHARE, noise), larger(FAST_FACTOR * few * fast, tail));
}

struct smc_peer_spread smc_peer_spread_of(double *values, size_t count, bool higher_is_better)
{
    struct smc_peer_spread spread = {.count = count};
    if (count == 0)
        return spread;
    smc_numbers_sort(values, count);
    spread.median = smc_numbers_median(values, count);
    spread.least = values[0];
    spread.most = values[count - 1];
    if (count >= SMC_FEWEST_PEERS && spread.median > 0)
        spread.limit = stragglers_limit_of(&spread, values, higher_is_better);
    return spread;
}

/* A rate that is halved is 50 % slower; so is a time that doubles. */
double smc_peer_slowness(const struct smc_peer_spread *spread, double value, bool higher_is_better)
{
    if (spread->median <= 0)
        return 0;
    if (higher_is_better)
        return 1 - value / spread->median;
    return value > 0 ? 1 - spread->median / value : 0;
}

bool smc_peer_straggles(const struct smc_peer_spread *spread, double value, bool higher_is_better)
{
    return spread->limit > 0 && smc_peer_slowness(spread, value, higher_is_better) > spread->limit;
}
