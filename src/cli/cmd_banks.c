/* smemcalc banks: wavefronts and bank conflicts of accesses to shared memory. */
#include <stdlib.h>

#include "cli/ask.h"
#include "cli/ask_banks.h"
#include "cli/banks_csv.h"
#include "cli/command.h"
#include "cli/output.h"

/* Rows say everything but the device themselves. */
static enum smc_status run_csv(const struct smc_arguments *arguments, struct smc_text *out,
                               struct smc_error *error)
{
    struct smc_banks_query query;
    struct smc_bank_layout layout;
    char note[256] = "";
    enum smc_status status = smc_ask_banks_rows(arguments, &query, note, error);
    if (status != SMC_OK)
        return status;
    smc_output_tell("note: ", note);
    smc_bank_layout_of(&query.device.sm, query.mode, &layout);
    return smc_banks_csv(arguments->text[SMC_OPTION_CSV], &layout, out, error);
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    struct smc_banks_query query;
    char note[256] = "";
    if (arguments->given[SMC_OPTION_CSV])
        return run_csv(arguments, out, error);
    enum smc_status status = smc_ask_banks(arguments, &query, note, error);
    if (status != SMC_OK)
        return status;
    smc_output_tell("note: ", note);
    struct smc_banks_answer *answer = calloc(1, sizeof *answer);
    if (!answer)
        return smc_fail(error, SMC_MACHINE, "out of memory");
    status = smc_banks_answer(&query, answer, error);
    if (status == SMC_OK) {
        struct smc_report_style style;
        smc_output_style(&style);
        smc_ask_writer(arguments)->banks(answer, &style, out);
    }
    free(answer);
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
