/* smemcalc limits: for each number of blocks per SM, what a block may have at most. */
#include "cli/ask.h"
#include "cli/ask_devices.h"
#include "cli/command.h"
#include "cli/output.h"
#include "model/room.h"

static void report(const struct smc_arguments *arguments, const struct smc_answer *answer,
                   struct smc_text *out)
{
    struct smc_fixed fixed = {.regs = answer->regs_given,
                              .dynamic_smem = answer->dynamic_smem_given};
    struct smc_rooms rooms;
    struct smc_report_style style;
    smc_rooms_find(&answer->query.device.sm, &answer->launch, fixed, &rooms);
    smc_output_style(&style);
    smc_ask_writer(arguments)->rooms(answer, &rooms, &style, out);
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    struct smc_chosen_devices devices = {0};
    struct smc_answer answer;
    enum smc_status status = smc_ask_answer(arguments, &devices, &answer, error);
    if (status == SMC_OK)
        report(arguments, &answer, out);
    smc_chosen_devices_free(&devices);
    return status;
}

const struct smc_command smc_command_limits = {
    .name = "limits",
    .usage = "--threads N | --tile N | --kernel NAME [OPTION]...",
    .help = "the most registers and shared memory for each number of blocks per SM",
    .examples = "  smemcalc limits --threads 256 --device \"RTX 4090\"\n"
                "  smemcalc limits --threads 256 --regs 40 --smem 8K --device 9.0\n",
    .run = run,
};
