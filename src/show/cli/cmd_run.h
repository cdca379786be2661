/* smemcalc run: one run, a series, and your own source. */
#ifndef SMC_SHOW_CMD_RUN_H
#define SMC_SHOW_CMD_RUN_H

#include "hardware/confirmed_launch.h"
#include "hardware/user.h"
#include "show/cli/ask.h"
#include "show/report/emulator_findings.h"

/* The commands of --compare or a range, and of --source. */
enum smc_status smc_run_series(const struct smc_arguments *arguments, struct smc_text *out,
                               struct smc_error *error);
enum smc_status smc_run_source(const struct smc_arguments *arguments, struct smc_text *out,
                               struct smc_error *error);

/* --compare with a FILE: the kernel of --source and that of the second word, FILE or FILE:KERNEL.
 */
enum smc_status smc_run_pair(const struct smc_arguments *arguments, struct smc_text *out,
                             struct smc_error *error);

/* The steps of a run of your own source: what the options ask for, as it is launched and where;
   and compiling, with warnings told. Start `devices` from {0}; free it and `run`. */
enum smc_status smc_run_source_ask(const struct smc_arguments *arguments,
                                   struct smc_user_request *request,
                                   struct smc_run_settings *settings,
                                   struct smc_chosen_devices *devices, struct smc_error *error);
enum smc_status smc_run_source_prepare(const struct smc_user_request *request,
                                       struct smc_user_run *run, struct smc_error *error);

/* The first option from `from` on that has a range; SMC_OPTION_COUNT: none has. */
int smc_run_next_range(const struct smc_arguments *arguments, int from);

/* What the options say of a launch of this file; smc_ask_user_launch also reads --grid, which is
   needed, --arg and --set. SMC_USAGE names the option. The device is that of `place`. */
void smc_ask_user_request(const struct smc_arguments *arguments, const char *file,
                          struct smc_user_request *request);
enum smc_status smc_ask_user_launch(const struct smc_arguments *arguments, const char *file,
                                    struct smc_user_request *request, struct smc_error *error);
void smc_ask_user_place(const struct smc_arguments *arguments, const struct smc_query *place,
                        struct smc_user_request *request);

/* --compare, or a range: several runs are requested. */
bool smc_asks_series(const struct smc_arguments *arguments);

/* A FILE is the same as --source FILE. SMC_USAGE: there are both. */
enum smc_status smc_ask_source(struct smc_arguments *arguments, struct smc_error *error);

/* SMC_USAGE if an option is given that needs --source. */
enum smc_status smc_ask_no_source(const struct smc_arguments *arguments, struct smc_error *error);

/* The back end and the device: sets `settings` and, except for SMC_ALL_GPUS, the device of
   `query`. SMC_USAGE: options that contradict each other; SMC_UNAVAILABLE: no such GPU. `devices`
   starts from {0}; free it whatever the status. */
enum smc_status smc_ask_place(const struct smc_arguments *arguments,
                              struct smc_run_settings *settings, struct smc_chosen_devices *devices,
                              struct smc_query *query, struct smc_error *error);

/* --sanitize: SMC_USAGE if another option contradicts it; sets --on. */
enum smc_status smc_sanitize_ask(struct smc_arguments *arguments, struct smc_error *error);

/* Writes the findings of the runs in the form of --sanitize. SMC_SHORTFALL: there are some. */
enum smc_status smc_sanitize_report(const struct smc_arguments *arguments,
                                    const struct smc_sanitized *runs, size_t count,
                                    struct smc_text *out, struct smc_error *error);

/* A long emulation ends at Ctrl-C, and after --timeout if that is given. */
void smc_run_make_stoppable(const struct smc_arguments *arguments,
                            struct smc_run_settings *settings);

/* The status and message of what was stopped; `error` says how far it came. */
enum smc_status smc_run_fail_stopped(const struct smc_run_settings *settings,
                                     struct smc_error *error);

#endif
