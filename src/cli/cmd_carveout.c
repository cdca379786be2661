/* smemcalc carveout: the sizes of an SM's shared memory, and the blocks at each. */
#include "cli/ask.h"
#include "cli/ask_devices.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "model/carveouts.h"

/* Any of these describes a launch; without one only the device is asked about. */
static bool describes_launch(const struct smc_arguments *arguments)
{
    for (int i = 0; i < SMC_OPTION_COUNT; i++) {
        bool about = smc_options[i].group == SMC_GROUP_KERNEL ||
                     smc_options[i].group == SMC_GROUP_OWN ||
                     smc_options[i].group == SMC_GROUP_LAUNCH;
        if (about && arguments->given[i])
            return true;
    }
    return false;
}

static void report(const struct smc_arguments *arguments, const struct smc_answer *answer,
                   struct smc_text *out)
{
    struct smc_carveouts carveouts;
    struct smc_report_style style;
    smc_carveouts_find(&answer->query.device.sm, &answer->launch, &carveouts);
    smc_output_style(&style);
    smc_ask_writer(arguments)->carveouts(answer, &carveouts, &style, out);
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    struct smc_chosen_devices devices = {0};
    struct smc_answer answer = {0};
    enum smc_status status = describes_launch(arguments)
                                 ? smc_ask_answer(arguments, &devices, &answer, error)
                                 : smc_ask_one_device(arguments, &devices, &answer.query, error);
    if (status == SMC_OK)
        report(arguments, &answer, out);
    smc_chosen_devices_free(&devices);
    return status;
}

const struct smc_command smc_command_carveout = {
    .name = "carveout",
    .usage = "[--threads N | --tile N | --kernel NAME] [OPTION]...",
    .help = "the sizes shared memory can be set to, and the blocks at each",
    .examples = "  smemcalc carveout --device A100\n"
                "  smemcalc carveout --threads 128 --regs 32 --smem 16K --device 9.0\n",
    .run = run,
};
