/* Statistics of a few measured numbers. */
#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void smc_numbers_sort(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, ascending);
}

double smc_numbers_median(const double *sorted, size_t count)
{
    return count > 0 ? (sorted[(count - 1) / 2] + sorted[count / 2]) / 2 : 0;
}

bool smc_number_is_whole(double number)
{
    return fabs(number) < 1e15 && number == floor(number);
}
