/* smemcalc batch: a CSV stream of launches in, an answered row out for each. */
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sandbox.h"
#include "rules/batch.h"
#include "show/cli/ask.h"
#include "show/cli/output.h"

static enum smc_status read_input(void *context, char *bytes, size_t capacity, size_t *count,
                                  struct smc_error *error)
{
    return smc_stream_read(context, bytes, capacity, count, error);
}

static enum smc_status write_output(void *context, const char *bytes, size_t count,
                                    struct smc_error *error)
{
    (void)context;
    return smc_output_write(bytes, count, error);
}

static void tell_note(const char *note)
{
    smc_output_tell("note: ", note);
}

static enum smc_status cmd_batch_find_device(void *context, const char *name,
                                             struct smc_device *device, struct smc_error *error)
{
    struct smc_chosen_device chosen;
    SMC_TRY(smc_find_device_in(context, name, &chosen, error));
    *device = chosen.device;
    tell_note(chosen.note);
    return SMC_OK;
}

static void cmd_batch_read_numbers(const struct smc_arguments *arguments,
                                   struct smc_batch_defaults *defaults)
{
    static const enum smc_option_id options[SMC_COLUMN_COUNT] = {
        [SMC_COLUMN_THREADS] = SMC_OPTION_THREADS,
        [SMC_COLUMN_REGS] = SMC_OPTION_REGS,
        [SMC_COLUMN_STATIC_SMEM] = SMC_OPTION_SMEM,
        [SMC_COLUMN_DYNAMIC_SMEM] = SMC_OPTION_DYNAMIC_SMEM,
        [SMC_COLUMN_CARVEOUT] = SMC_OPTION_CARVEOUT,
        [SMC_COLUMN_BARRIERS] = SMC_OPTION_BARRIERS,
        [SMC_COLUMN_SMEM_MODE] = SMC_OPTION_SMEM_MODE,
        [SMC_COLUMN_CLUSTER] = SMC_OPTION_CLUSTER,
    };
    smc_batch_defaults_init(defaults);
    for (int i = SMC_COLUMN_DEVICE + 1; i < SMC_COLUMN_COUNT; i++)
        if (arguments->given[options[i]])
            defaults->value[i] = arguments->number[options[i]];
    smc_ask_shape(arguments, SMC_OPTION_THREADS, defaults->block);
    smc_ask_shape(arguments, SMC_OPTION_CLUSTER, defaults->cluster);
}

/* The device of rows that name none: --device, or the only one of a file. */
static enum smc_status cmd_batch_read_device(const struct smc_arguments *arguments,
                                             struct smc_chosen_devices *devices,
                                             struct smc_batch_defaults *defaults,
                                             struct smc_error *error)
{
    if (arguments->device.count > 1)
        return smc_fail(error, SMC_USAGE,
                        "option --device: several are named; one is for all rows, and a column "
                        "'device' gives each its own");
    SMC_TRY(smc_ask_named_device(arguments, devices, error));
    if (devices->count == 0)
        return SMC_OK;
    smc_output_note(devices->chosen->note);
    smc_idle_warn_of(arguments, &devices->chosen->device);
    const struct smc_device *device = &devices->chosen->device;
    defaults->device = (struct smc_batch_device){device->sm, device->sm_count, device->sm_groups};
    defaults->value[SMC_COLUMN_DEVICE] = 0;
    return SMC_OK;
}

static enum smc_batch_format cmd_batch_format(const struct smc_arguments *arguments)
{
    const char *word = arguments->text[SMC_OPTION_BATCH_FORMAT];
    return !word || strcmp(word, "csv") == 0 ? SMC_BATCH_CSV
           : strcmp(word, "json") == 0       ? SMC_BATCH_JSON
                                             : SMC_BATCH_JSONL;
}

static enum smc_status cmd_batch_answer_rows(const char *file, struct smc_batch *batch,
                                             struct smc_error *error)
{
    struct smc_stream input;
    SMC_TRY(smc_stream_open(file, &input, error));
    if (access("/dev/nvidiactl", F_OK) != 0) /* else a row may name a GPU of this machine */
        smc_sandbox_enter(SMC_SANDBOX_READING);
    if (isatty(input.descriptor))
        tell_note("reading launches from the terminal, the header first; Ctrl-D ends the input");
    batch->file = input.name;
    batch->source = (struct smc_csv_source){read_input, &input};
    enum smc_status status = smc_batch_run(batch, error);
    smc_stream_close(&input);
    return status;
}

enum smc_status smc_cmd_batch(const struct smc_arguments *arguments, struct smc_text *out,
                              struct smc_error *error)
{
    (void)out; /* each answer is written at once */
    const char *file = arguments->file_count ? arguments->file[0] : "-";
    SMC_AUTO(smc_chosen_devices_free) struct smc_chosen_devices devices = {0};
    struct smc_batch batch = {
        .sink = {write_output, NULL},
        .format = cmd_batch_format(arguments),
        .finder = {cmd_batch_find_device, &devices},
        .tell = tell_note,
        .passed = arguments->pass.item,
        .passed_count = arguments->pass.count,
    };
    cmd_batch_read_numbers(arguments, &batch.defaults);
    SMC_TRY(smc_ask_standard_input(arguments, file, error));
    SMC_TRY(cmd_batch_read_device(arguments, &devices, &batch.defaults, error));
    return cmd_batch_answer_rows(file, &batch, error);
}
