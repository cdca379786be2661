/* smemcalc devices: the GPUs of this machine, then the boards of the table; one in full. */
#include <stdlib.h>

#include "cli/ask.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "executor/executor.h"

/* A GPU that cannot be read is left out; the rest is still true. */
static size_t read_all(struct smc_device *devices, int gpus)
{
    size_t count = 0;
    struct smc_error ignored;
    for (int i = 0; i < gpus; i++)
        if (smc_executor_default()->device(i, &devices[count], &ignored) == SMC_OK)
            count++;
    for (size_t i = 0; i < smc_device_count(); i++)
        smc_device_at(i, &devices[count++]);
    return count;
}

static enum smc_status read_named(const struct smc_arguments *arguments, struct smc_device *devices,
                                  struct smc_error *error)
{
    char note[256];
    for (size_t i = 0; i < arguments->device_count; i++) {
        enum smc_status status = smc_ask_device(arguments->device[i], &devices[i], note, error);
        if (status != SMC_OK)
            return status;
        smc_output_tell("note: ", note);
    }
    return SMC_OK;
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    bool named = arguments->device_count > 0;
    int gpus = named ? 0 : smc_executor_default()->device_count(NULL);
    size_t count = named ? arguments->device_count : smc_device_count() + (size_t)gpus;
    struct smc_device *devices = calloc(count, sizeof *devices);
    if (!devices)
        return smc_fail(error, SMC_MACHINE, "out of memory");
    enum smc_status status = SMC_OK;
    if (named)
        status = read_named(arguments, devices, error);
    else
        count = read_all(devices, gpus);
    if (status == SMC_OK) {
        struct smc_report_style style;
        smc_output_style(&style);
        smc_ask_writer(arguments)->devices(devices, count, &style, out);
    }
    free(devices);
    return status;
}

const struct smc_command smc_command_devices = {
    .name = "devices",
    .usage = "[--device NAME] [--format text|json|csv]",
    .help = "list the GPUs of this machine and of the table, or show one in full",
    .examples = "  smemcalc devices\n  smemcalc devices --device \"RTX 4090\"\n",
    .run = run,
};
