/* The command line: parses arguments, runs one command, prints its report. */
#ifndef SMC_SHOW_CLI_H
#define SMC_SHOW_CLI_H

/* Returns the exit status (enum smc_status). */
int smc_cli_main(int argc, char **argv);

#endif
