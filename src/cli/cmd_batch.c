/* smemcalc batch: a CSV stream of launches in, an answered row out for each. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "batch/batch.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/stream.h"

static enum smc_status read_input(void *context, char *bytes, size_t capacity, size_t *count,
                                  struct smc_error *error)
{
    return smc_stream_read(context, bytes, capacity, count, error);
}

static enum smc_status write_output(void *context, const char *bytes, size_t count,
                                    struct smc_error *error)
{
    (void)context;
    while (count > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written < 0 && !smc_stream_retry(STDOUT_FILENO, POLLOUT))
            return smc_fail(error, SMC_MACHINE, "standard output: %s", strerror(errno));
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
        }
    }
    return SMC_OK;
}

static void tell_note(const char *note)
{
    smc_output_tell("note: ", note);
}

static enum smc_status read_defaults(const struct smc_arguments *arguments,
                                     struct smc_batch_defaults *defaults, struct smc_error *error)
{
    static const enum smc_option_id options[SMC_COLUMN_COUNT] = {
        [SMC_COLUMN_DEVICE] = SMC_OPTION_DEVICE,
        [SMC_COLUMN_THREADS] = SMC_OPTION_THREADS,
        [SMC_COLUMN_REGS] = SMC_OPTION_REGS,
        [SMC_COLUMN_STATIC_SMEM] = SMC_OPTION_SMEM,
        [SMC_COLUMN_DYNAMIC_SMEM] = SMC_OPTION_DYNAMIC_SMEM,
        [SMC_COLUMN_CARVEOUT] = SMC_OPTION_CARVEOUT,
        [SMC_COLUMN_BARRIERS] = SMC_OPTION_BARRIERS,
        [SMC_COLUMN_CLUSTER] = SMC_OPTION_CLUSTER,
    };
    struct smc_device device;
    char note[256];
    smc_batch_defaults_init(defaults);
    for (int i = 0; i < SMC_COLUMN_COUNT; i++)
        if (arguments->given[options[i]])
            defaults->value[i] = arguments->number[options[i]];
    if (arguments->device_count == 0)
        return SMC_OK;
    if (arguments->device_count > 1)
        return smc_fail(error, SMC_USAGE,
                        "option --device: one for all rows; a column 'device' gives each its own");
    enum smc_status status = smc_ask_device(arguments->device[0], &device, note, error);
    if (status != SMC_OK)
        return status;
    tell_note(note);
    defaults->sm = device.sm;
    return SMC_OK;
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    (void)out; /* the answers are written as they come */
    const char *file = arguments->file_count ? arguments->file[0] : "-";
    struct smc_stream input;
    struct smc_batch batch = {
        .source = {read_input, &input}, .sink = {write_output, NULL}, .tell = tell_note};
    enum smc_status status = read_defaults(arguments, &batch.defaults, error);
    if (status == SMC_OK)
        status = smc_stream_open(file, &input, error);
    if (status != SMC_OK)
        return status;
    if (isatty(input.descriptor))
        tell_note("launches are read from the terminal, the header first; Ctrl-D ends them");
    batch.file = input.name;
    status = smc_batch_run(&batch, error);
    smc_stream_close(&input);
    return status;
}

const struct smc_command smc_command_batch = {
    .name = "batch",
    .usage = "[FILE] [OPTION]...",
    .help = "answer a CSV stream of launches, a row for each",
    .examples = "  smemcalc batch launches.csv > answers.csv\n"
                "  smemcalc batch --device H200 --regs 40 < launches.csv\n",
    .most_files = 1,
    .run = run,
};
