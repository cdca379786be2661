/* Help, generated from the command and option rows. */
#ifndef SMC_SHOW_HELP_H
#define SMC_SHOW_HELP_H

#include "base/text.h"
#include "show/cli/command.h"

void smc_help_short(struct smc_text *out); /* one screen: examples, commands, most used options */
void smc_help_all(struct smc_text *out);   /* examples, commands, every option */
void smc_help_command(enum smc_command_id command, struct smc_text *out); /* those it accepts */
void smc_help_version(struct smc_text *out);

/* What a report of a bug needs: this build, the system, the driver and NVRTC (cmd_doctor.c). */
enum smc_status smc_help_versions(struct smc_text *out, struct smc_error *error);

#endif
