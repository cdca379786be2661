/* Standard output and standard error: what the terminal can show, and printing that is checked. */
#ifndef SMC_CLI_OUTPUT_H
#define SMC_CLI_OUTPUT_H

#include "base/status.h"
#include "base/text.h"
#include "report/report.h"

/* Before anything opens a file: SMC_MACHINE where standard output is closed. A closed standard
   input or error becomes /dev/null, so that no file takes its number. */
enum smc_status smc_output_open(struct smc_error *error);

/* The end of every command: writes its report to standard output, which it closes, and `error` to
   standard error. A report is whole or absent: where memory was short at any time, nothing of it is
   written, and the status is SMC_MACHINE. Returns the exit status. */
enum smc_status smc_output_end(const struct smc_text *report, enum smc_status status,
                               struct smc_error *error);

/* A part of a report that is a stream of rows: writes `text` and empties it; more may follow. */
enum smc_status smc_output_flush(struct smc_text *text, struct smc_error *error);

/* The same for a part of a report that is whole or absent: kept in a temporary file until the end.
 */
enum smc_status smc_output_hold(struct smc_text *text, struct smc_error *error);

/* One line on standard error a line of `text`, each behind "smemcalc: " and `kind` ("note: ").
   Nothing once memory was short: what was noticed then may be wrong. */
void smc_output_tell(const char *kind, const char *text);

/* Takes over the character set of the environment: is it UTF-8? A locale that is not installed, or
   that memory is too short for, goes by its name. */
bool smc_output_locale(void);

/* What standard output is: width, character set, colour (NO_COLOR and TERM=dumb respected). */
void smc_output_style(struct smc_report_style *style);

#endif
