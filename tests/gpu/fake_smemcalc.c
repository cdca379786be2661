/* smemcalc on a fake CUDA runtime: launches go as the words of FAKE_GPU say.
   Its kernels have 16 registers; --regs 16 predicts that. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "fake_cuda.h"

static bool says(const char *words, const char *word)
{
    return words && strstr(words, word);
}

int main(int argc, char **argv)
{
    const char *words = getenv("FAKE_GPU");
    fake_cuda_reset();
    if (says(words, "none"))
        fake_cuda.device_count = 0;
    if (says(words, "two"))
        fake_cuda.device_count = 2;
    fake_cuda.hangs = says(words, "hangs");
    if (says(words, "endless"))
        fake_cuda.endless_from = 1;
    if (says(words, "endless-probe"))
        fake_cuda.endless_from = 2; /* behind the launch whose result is checked */
    if (says(words, "endless-timing"))
        fake_cuda.endless_from = 4;
    fake_cuda.wrong_result = says(words, "wrong");
    if (says(words, "refuses"))
        fake_cuda.launch_error = cudaErrorInvalidValue;
    if (says(words, "crashes"))
        fake_cuda.crash = cudaErrorIllegalAddress;
    return smc_cli_main(argc, argv);
}
