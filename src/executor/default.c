/* Which back end this program was built with. */
#include "config.h"

#include "executor/executor.h"

const struct smc_executor *smc_executor_default(void)
{
#ifdef HAVE_CUDA
    return &smc_executor_gpu;
#else
    return &smc_executor_none;
#endif
}
