/* How much of arrays L2 keeps from one launch to the next. */
#include "machine/timing/l2.h"

#include <math.h>

void smc_touched_add(struct smc_touched *sum, const struct smc_touched *part)
{
    sum->read += part->read;
    sum->written += part->written;
    sum->both += part->both;
    sum->copied += part->copied;
    sum->asked_read += part->asked_read;
    sum->asked_written += part->asked_written;
    sum->filled += part->filled;
}

double smc_l2_share_of_dram(const struct smc_touched *touched, double both, double l2_bytes)
{
    double bytes = touched->read + touched->written;
    double kept =
        bytes > 0 ? (SMC_L2_KEEPS_LOADED * touched->read + SMC_L2_KEEPS_STORED * touched->written) /
                        bytes * l2_bytes
                  : 0;
    double share = (both - kept) / (SMC_L2_KEEPS_NONE * l2_bytes - kept);
    return fmin(fmax(share, 0), 1);
}
