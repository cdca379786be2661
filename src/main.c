/* smemcalc: the CUDA occupancy and shared-memory calculator that proves its answers. */
#include "show/cli/cli.h"

int main(int argc, char **argv)
{
    return smc_cli_main(argc, argv);
}
