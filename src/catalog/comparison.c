/* Counting right and wrong elements of a result. */
#include <math.h>
#include <string.h>

#include "catalog/families.h"

static void tally(struct smc_comparison *result, uint64_t index, bool wrong, double expected,
                  double got)
{
    result->checked++;
    if (!wrong)
        return;
    if (result->wrong++ == 0 || index < result->first_wrong) {
        result->first_wrong = index;
        result->expected = expected;
        result->got = got;
    }
}

void smc_comparison_add(struct smc_comparison *result, uint64_t index, double expected, double got,
                        double share)
{
    if (!(share <= result->worst))
        result->worst = isnan(share) ? INFINITY : share;
    tally(result, index, !(share <= 1), expected, got);
}

static double element(enum smc_dtype dtype, const void *at)
{
    float f;
    double d;
    int32_t i;
    switch (dtype) {
    case SMC_FLOAT:
        memcpy(&f, at, sizeof f);
        return f;
    case SMC_DOUBLE:
        memcpy(&d, at, sizeof d);
        return d;
    default:
        memcpy(&i, at, sizeof i);
        return i;
    }
}

void smc_comparison_add_gap(struct smc_comparison *result, enum smc_dtype dtype, const void *output,
                            uint64_t index, uint64_t count)
{
    size_t bytes = smc_dtype_bytes(dtype);
    unsigned char poison[8];
    memset(poison, smc_dtype_poison(dtype), sizeof poison);
    const unsigned char *at = (const unsigned char *)output + index * bytes;
    for (uint64_t i = 0; i < count; i++, at += bytes)
        tally(result, index + i, memcmp(at, poison, bytes) != 0, element(dtype, poison),
              element(dtype, at));
}
