/* smemcalc devices: the GPUs of this machine, then the boards of the table; one in full. */

#include "base/memory.h"
#include "show/cli/ask.h"
#include "show/cli/output.h"

/* A GPU that cannot be read is omitted; the rest is still right. */
static size_t cmd_devices_read_all(struct smc_device *devices, int gpus)
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

static size_t copy_chosen(const struct smc_chosen_devices *chosen, struct smc_device *devices)
{
    for (size_t i = 0; i < chosen->count; i++) {
        devices[i] = chosen->chosen[i].device;
        smc_output_note(chosen->chosen[i].note);
    }
    return chosen->count;
}

static enum smc_status cmd_devices_show(const struct smc_arguments *arguments,
                                        const struct smc_chosen_devices *chosen,
                                        struct smc_text *out, struct smc_error *error)
{
    bool any = chosen->count > 0;
    int gpus = any ? 0 : smc_executor_default()->device_count(NULL);
    size_t most = any ? chosen->count : smc_device_count() + (size_t)gpus;
    smc_auto_free struct smc_device *devices = smc_calloc(most, sizeof *devices);
    if (!devices)
        return smc_out_of_memory(error);
    size_t count = any ? copy_chosen(chosen, devices) : cmd_devices_read_all(devices, gpus);
    struct smc_ceilings ceilings;
    smc_output_style(out);
    if (count == 1)
        smc_ask_device_ceilings(devices, &ceilings);
    smc_ask_writer(arguments)->devices(devices, count == 1 ? &ceilings : NULL, count, out);
    return SMC_OK;
}

enum smc_status smc_cmd_devices(const struct smc_arguments *arguments, struct smc_text *out,
                                struct smc_error *error)
{
    SMC_AUTO(smc_chosen_devices_free) struct smc_chosen_devices chosen = {0};
    SMC_TRY(smc_ask_devices(arguments, SIZE_MAX, &chosen, error));
    return cmd_devices_show(arguments, &chosen, out, error);
}
