/* --gate and --require-...: the limits for kernels, and the findings as a report. */
#ifndef SMC_SHOW_ASK_GATE_H
#define SMC_SHOW_ASK_GATE_H

#include "answers/gate.h"
#include "show/cli/ask_inspect.h"
#include "show/cli/options.h"

/* Reads the file of --gate, and appends a limit made from the options --require-...
   Devices and the block size that the file assumes become those of `arguments`, which point into
   the gate, unless the command line names its own. Free the gate whatever the status. */
enum smc_status smc_ask_gate(struct smc_arguments *arguments, struct smc_gate *gate,
                             struct smc_error *error);

/* SMC_USAGE if the gate file, or --format, is for limits, and there are none. */
enum smc_status smc_gate_check_limits(const struct smc_arguments *arguments,
                                      const struct smc_gate *gate, struct smc_error *error);

/* Adds the block sizes of the file: those of --threads go before. */
enum smc_status smc_gate_add_threads(const struct smc_gate *gate,
                                     struct smc_inspection_question *question,
                                     struct smc_error *error);

/* Whether the report is the findings themselves: as text, or in a format that is of findings. */
bool smc_gate_reports(const struct smc_arguments *arguments);

/* Checks the rows. Appends the findings if smc_gate_reports, else prints them as messages. */
enum smc_status smc_answer_gate(const struct smc_arguments *arguments, const struct smc_gate *gate,
                                const struct smc_inspect_rows *rows, struct smc_text *out,
                                struct smc_error *error);

/* `status`, or SMC_USAGE with a message if it is SMC_OK and kernels of a source were left out: a
   verdict on the others alone would pass by mistake. */
enum smc_status smc_gate_check_complete(const struct smc_gate *gate,
                                        const struct smc_inspect_kernels *kernels,
                                        enum smc_status status);

/* As messages: the findings, and for a gate file with limits the summary. */
void smc_gate_tell(const struct smc_gate *gate, const struct smc_gate_verdict *verdict,
                   bool with_findings);

#endif
