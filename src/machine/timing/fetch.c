/* How instructions come to an SM. */
#include "machine/timing/fetch.h"

#include <stdlib.h>

#include "base/memory.h"

/* Of a line, by where it comes from. */
static const double near_clocks = 20, far_clocks = 42;

bool smc_fetch_open(struct smc_fetch *fetch, const bool *executed, uint32_t lines)
{
    uint32_t count = 0;
    *fetch = (struct smc_fetch){.arrives = NULL};
    for (uint32_t i = 0; i < lines; i++)
        count += executed[i];
    if (count <= SMC_FETCH_LINES)
        return true;
    fetch->clocks = count <= SMC_FETCH_NEAR_LINES ? near_clocks : far_clocks;
    fetch->arrives = smc_malloc(lines * sizeof *fetch->arrives);
    for (uint32_t i = 0; i < lines && fetch->arrives; i++)
        fetch->arrives[i] = -1;
    return fetch->arrives != NULL;
}

void smc_fetch_close(struct smc_fetch *fetch)
{
    free(fetch->arrives);
    fetch->arrives = NULL;
}

double smc_fetch_step(struct smc_fetch *fetch, uint32_t step, double clock)
{
    const uint32_t line = step / SMC_FETCH_LINE;
    if (!fetch->arrives)
        return clock;
    if (fetch->arrives[line] < 0) {
        uint32_t *place = &fetch->held[fetch->next++ % SMC_FETCH_LINES];
        if (fetch->next > SMC_FETCH_LINES)
            fetch->arrives[*place] = -1;
        *place = line;
        const bool goes_on = line == fetch->last + 1; /* it was asked for with the one before */
        const double asked = goes_on ? clock - fetch->clocks : clock;
        fetch->free_clock = (fetch->free_clock > asked ? fetch->free_clock : asked) + fetch->clocks;
        fetch->last = line;
        fetch->arrives[line] = fetch->free_clock;
    }
    return fetch->arrives[line] > clock ? fetch->arrives[line] : clock;
}
