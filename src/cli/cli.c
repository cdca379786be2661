/* The command line: finds the command and runs it. */
#include "cli/cli.h"

#include "base/status.h"

int smc_cli_main(int argc, char **argv)
{
    (void)argc, (void)argv;
    return SMC_USAGE;
}
