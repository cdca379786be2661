/* smemcalc batch: a CSV stream of launches in, an answered row out for each. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "batch/batch.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/output.h"

struct input {
    const char *name;
    int descriptor;
};

/* Whether the call is worth repeating: interrupted, or made on a pipe that does not block. */
static bool can_retry(int descriptor, short events)
{
    struct pollfd ready = {.fd = descriptor, .events = events};
    if (errno == EAGAIN || errno == EWOULDBLOCK)
        return poll(&ready, 1, -1) >= 0 || errno == EINTR;
    return errno == EINTR;
}

static enum smc_status read_input(void *context, char *bytes, size_t capacity, size_t *count,
                                  struct smc_error *error)
{
    const struct input *input = context;
    ssize_t got;
    do
        got = read(input->descriptor, bytes, capacity);
    while (got < 0 && can_retry(input->descriptor, POLLIN));
    if (got < 0)
        return smc_fail(error, errno == EISDIR ? SMC_USAGE : SMC_MACHINE, "%s: %s", input->name,
                        strerror(errno));
    *count = (size_t)got;
    return SMC_OK;
}

static enum smc_status write_output(void *context, const char *bytes, size_t count,
                                    struct smc_error *error)
{
    (void)context;
    while (count > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written < 0 && !can_retry(STDOUT_FILENO, POLLOUT))
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

static enum smc_status open_input(const struct smc_arguments *arguments, struct input *input,
                                  struct smc_error *error)
{
    const char *file = arguments->file_count ? arguments->file[0] : "-";
    if (strcmp(file, "-") == 0) {
        *input = (struct input){"standard input", STDIN_FILENO};
        if (isatty(STDIN_FILENO))
            tell_note("launches are read from the terminal, the header first; Ctrl-D ends them");
        return SMC_OK;
    }
    *input = (struct input){file, open(file, O_RDONLY | O_CLOEXEC)};
    if (input->descriptor < 0)
        return smc_fail(error, SMC_USAGE, "%s: %s", file, strerror(errno));
    return SMC_OK;
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
    struct input input;
    struct smc_batch batch = {
        .source = {read_input, &input}, .sink = {write_output, NULL}, .tell = tell_note};
    enum smc_status status = read_defaults(arguments, &batch.defaults, error);
    if (status == SMC_OK)
        status = open_input(arguments, &input, error);
    if (status != SMC_OK)
        return status;
    batch.file = input.name;
    status = smc_batch_run(&batch, error);
    if (input.descriptor != STDIN_FILENO)
        close(input.descriptor);
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
