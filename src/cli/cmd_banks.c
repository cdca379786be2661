/* smemcalc banks: wavefronts and bank conflicts of accesses to shared memory. */
#include <stdlib.h>

#include "base/memory.h"
#include "cli/ask.h"
#include "cli/ask_banks.h"
#include "cli/banks_csv.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/picture.h"

static enum smc_status answer_rows(const struct smc_arguments *arguments,
                                   const struct smc_banks_query *query, struct smc_text *out,
                                   struct smc_error *error)
{
    struct smc_bank_layout layout;
    smc_bank_layout_of(&query->device.sm, query->mode, &layout);
    return smc_banks_csv(arguments->text[SMC_OPTION_CSV], &layout, out, error);
}

/* A picture in the terminal takes the place of the text. */
static enum smc_status report(const struct smc_arguments *arguments,
                              const struct smc_banks_answer *answer, enum smc_plot_target target,
                              struct smc_text *out, struct smc_error *error)
{
    struct smc_report_style style;
    smc_output_style(&style);
    if (target != SMC_PLOT_TERMINAL)
        smc_ask_writer(arguments)->banks(answer, &style, out);
    if (target == SMC_PLOT_NOWHERE)
        return SMC_OK;
    struct smc_picture picture = {0};
    struct smc_canvas canvas = smc_picture_canvas(target, &style);
    smc_plot_banks(answer, &canvas, &picture);
    return smc_picture_finish(arguments, target, &picture, &style, out, error);
}

static enum smc_status answer_pattern(const struct smc_arguments *arguments,
                                      const struct smc_banks_query *query, struct smc_text *out,
                                      struct smc_error *error)
{
    enum smc_plot_target target;
    enum smc_status status = smc_picture_target(arguments, &target, error);
    if (status != SMC_OK)
        return status;
    struct smc_banks_answer *answer = smc_calloc(1, sizeof *answer);
    if (!answer)
        return smc_out_of_memory(error);
    status = smc_banks_answer(query, answer, error);
    if (status == SMC_OK)
        status = report(arguments, answer, target, out, error);
    free(answer);
    return status;
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    struct smc_banks_query query;
    struct smc_chosen_devices devices = {0};
    bool rows = arguments->given[SMC_OPTION_CSV];
    enum smc_status status = rows ? smc_ask_banks_rows(arguments, &devices, &query, error)
                                  : smc_ask_banks(arguments, &devices, &query, error);
    if (status == SMC_OK)
        status = rows ? answer_rows(arguments, &query, out, error)
                      : answer_pattern(arguments, &query, out, error);
    smc_chosen_devices_free(&devices);
    return status;
}

const struct smc_command smc_command_banks = {
    .name = "banks",
    .usage = "--expr TEXT | --stride N | --kernel NAME | --csv FILE [OPTION]...",
    .help = "bank conflicts in shared memory, and what removes them",
    .examples = "  smemcalc banks --expr '(tx*32 + ty)*4' --block 32x8\n"
                "  smemcalc banks --stride 8 --width 8 --store\n"
                "  smemcalc banks --kernel aat-conflict --tile 32\n"
                "  smemcalc banks --csv accesses.csv\n",
    .run = run,
};
