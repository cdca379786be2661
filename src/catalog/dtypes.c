/* Element types. */
#include "base/parse.h"
#include "catalog/catalog.h"

static const struct {
    const char *name;
    size_t bytes;
    unsigned char poison;
} dtypes[SMC_DTYPE_COUNT] = {
    [SMC_FLOAT] = {"float", 4, 0xff}, /* a NaN */
    [SMC_DOUBLE] = {"double", 8, 0xff},
    /* -2139062144: below every sum of up to 2 x 1000000 + 1 values down to -SMC_LARGEST_WHOLE. */
    [SMC_INT32] = {"int32", 4, 0x80},
};

const char *smc_dtype_name(enum smc_dtype dtype)
{
    return dtypes[dtype].name;
}

size_t smc_dtype_bytes(enum smc_dtype dtype)
{
    return dtypes[dtype].bytes;
}

unsigned char smc_dtype_poison(enum smc_dtype dtype)
{
    return dtypes[dtype].poison;
}

bool smc_dtype_parse(const char *name, enum smc_dtype *dtype)
{
    for (int i = 0; i < SMC_DTYPE_COUNT; i++)
        if (smc_equal_ignoring_case(name, dtypes[i].name)) {
            *dtype = (enum smc_dtype)i;
            return true;
        }
    return false;
}
