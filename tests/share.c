/* The share of a long suite that is run. */
#include "share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t met, chosen;

bool share_is_whole(void)
{
    const char *whole = getenv("TEST_WHOLE");
    return whole && *whole && strcmp(whole, "0") != 0;
}

bool share_takes(bool is_chosen)
{
    const bool is_run = is_chosen || share_is_whole();
    met++;
    chosen += is_run;
    return is_run;
}

bool share_has(size_t number, size_t of)
{
    return share_takes(number % of == 0);
}

void share_print(const char *cases)
{
    if (chosen < met)
        printf("%zu of %zu %s; TEST_WHOLE=1 runs all\n", chosen, met, cases);
    else
        printf("all %zu %s\n", met, cases);
}
