/* Standard output and standard error: what the terminal can show, and printing that is checked. */
#ifndef SMC_CLI_OUTPUT_H
#define SMC_CLI_OUTPUT_H

#include "base/status.h"
#include "base/text.h"
#include "report/report.h"

/* Before anything opens a file: SMC_MACHINE where standard output is closed. A closed standard
   input or error becomes /dev/null, so that no file takes its number. */
enum smc_status smc_output_open(struct smc_error *error);

/* Writes all of `text` to standard output and closes it. SMC_MACHINE with the reason where it
   cannot. */
enum smc_status smc_output_write(const struct smc_text *text, struct smc_error *error);

/* The same for a part of it: writes `text` and empties it; more may follow. */
enum smc_status smc_output_flush(struct smc_text *text, struct smc_error *error);

/* One line on standard error a line of `text`, each behind "smemcalc: " and `kind` ("note: "). */
void smc_output_tell(const char *kind, const char *text);

/* What standard output is: width, character set, colour (NO_COLOR and TERM=dumb respected). */
void smc_output_style(struct smc_report_style *style);

#endif
