/* From arguments to the kernels of the user's files: for which devices and block sizes, and the
   files themselves. */
#ifndef SMC_SHOW_ASK_INSPECT_H
#define SMC_SHOW_ASK_INSPECT_H

#include "answers/gate.h"
#include "code/inputs.h"
#include "show/cli/ask.h"

/* Start from {0}; large. `request` points into it. */
struct smc_inspection_question {
    struct smc_chosen_devices chosen;
    struct smc_device devices[SMC_MAX_DEVICES];
    struct smc_inspect_target targets[SMC_MAX_DEVICES + SMC_INSPECT_MAX_TARGETS];
    struct smc_inspect_request request; /* request.stated is owned */
};

/* Devices, targets, launch. `all_targets`: source for which no device is named is compiled for
   every architecture that the compiler supports, else for the one that a query would be about.
   SMC_USAGE with a message that names the option. */
enum smc_status smc_ask_inspection(const struct smc_arguments *arguments, bool all_targets,
                                   struct smc_inspection_question *question,
                                   struct smc_error *error);
void smc_inspection_question_free(struct smc_inspection_question *question);

/* Files that cannot be read, and damaged parts of others, are reported one by one; the rest is
   read. A device for which nothing compiles, while others have code, is reported and leaves the
   question: SMC_UNAVAILABLE. Returns the worst status. The kernels point into `inputs`. */
enum smc_status smc_ask_kernels(char *const *files, size_t count,
                                struct smc_inspection_question *question, struct smc_inputs *inputs,
                                struct smc_inspect_kernels *kernels, struct smc_error *error);

/* Notes how many kernels have figures from before linking. */
void smc_ask_tell_unlinked(const struct smc_inspect_kernels *kernels);

/* A pattern of --kernel that names no kernel is a mistake: SMC_USAGE. One of --threads or
   --dynamic-smem, perhaps from a list for many files, is a warning. */
enum smc_status smc_ask_known_names(const struct smc_inspect_request *request,
                                    const struct smc_inspect_kernels *kernels,
                                    struct smc_error *error);

/* --- The limits of --gate and --require-..., and the findings as a report (ask_gate.c) --- */

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
