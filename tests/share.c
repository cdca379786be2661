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

static bool choose(bool is_chosen)
{
    met++;
    chosen += is_chosen;
    return is_chosen;
}

bool share_has(size_t number, size_t of)
{
    return choose(number % of == 0 || share_is_whole());
}

bool share_has_always(void)
{
    return choose(true);
}

void share_print(const char *cases)
{
    if (chosen < met)
        printf("%zu of %zu %s; TEST_WHOLE=1 runs all\n", chosen, met, cases);
    else
        printf("all %zu %s\n", met, cases);
}
