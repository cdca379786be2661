/* What a step of a run says that was not made. */
#include "executor/executor.h"

#include <stdio.h>

void smc_not_made(struct smc_attempt *attempt, const char *why)
{
    *attempt = (struct smc_attempt){0};
    snprintf(attempt->message, sizeof attempt->message, "%s", why);
}
