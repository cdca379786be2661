/* The share of a long suite that is run. */
#include "share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct share sum;

bool share_is_whole(void)
{
    const char *whole = getenv("TEST_WHOLE");
    return whole && *whole && strcmp(whole, "0") != 0;
}

bool share_takes(bool is_chosen)
{
    const bool is_run = is_chosen || share_is_whole();
    sum.cases++;
    sum.run += is_run;
    return is_run;
}

bool share_has(size_t number, size_t of)
{
    return share_takes(number % of == 0);
}

size_t share_of(size_t cases, size_t of)
{
    const size_t run = share_is_whole() ? cases : cases / of;
    sum.cases += cases;
    sum.run += run;
    return run;
}

struct share share_so_far(void)
{
    return sum;
}

void share_add(struct share more)
{
    sum.cases += more.cases;
    sum.run += more.run;
}

void share_print(const char *cases)
{
    if (sum.run < sum.cases)
        printf("%zu of %zu %s; TEST_WHOLE=1 runs all\n", sum.run, sum.cases, cases);
    else
        printf("all %zu %s\n", sum.cases, cases);
}
