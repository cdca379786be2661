/* Which of many measured rates are too low to be noise. */
#ifndef SMC_HARDWARE_STRAGGLERS_H
#define SMC_HARDWARE_STRAGGLERS_H

#include <stdbool.h>
#include <stddef.h>

/* Fewer peers do not tell noise from a slow GPU. A straggler is more than this share slower than
   the median. */
enum { SMC_FEWEST_PEERS = 16 };
#define SMC_STRAGGLER_SHARE 0.03

/* What the values of one figure on equal GPUs look like. */
struct smc_peer_spread {
    size_t count;
    double median, least, most;
    double limit; /* the share of the median beyond which a GPU is a straggler; 0: too few peers, or
                     a median of 0 */
};

/* Summarizes `count` values, which it sorts; none is NaN. `higher_is_better` for a rate, not for a
   time. The limit is the largest of
     - 3 %,
     - 4 standard deviations, estimated from the median of the deviations,
     - what the values on the fast side, which are no stragglers, reach,
     - what the slower half would reach if its tail were exponential, extrapolated from its median
       and its 80th percentile, so that up to a tenth of the peers may be stragglers,
   where the last two are widened the more the fewer peers there are. doc/many-gpus.md has the rates
   of detection and of false alarms; tests/hardware/test_stragglers.c simulates them. */
struct smc_peer_spread smc_peer_spread_of(double *values, size_t count, bool higher_is_better);

/* By which share the value is slower than the median: negative if it is faster. */
double smc_peer_slowness(const struct smc_peer_spread *spread, double value, bool higher_is_better);

/* Whether the value is that of a straggler. */
bool smc_peer_straggles(const struct smc_peer_spread *spread, double value, bool higher_is_better);

#endif
