/* smemcalc query, or smemcalc with nothing but options: one question, on one device or several. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ask.h"
#include "cli/ask_devices.h"
#include "cli/command.h"
#include "cli/output.h"
#include "executor/executor.h"

static const char assumed_device[] = "NVIDIA H200";

/* Nobody named a device: the first GPU here, else one that is said to be assumed. The driver is
   asked only then, for it takes longer to start than everything else. */
static enum smc_status choose_device(struct smc_query *query, struct smc_error *error)
{
    const struct smc_executor *executor = smc_executor_default();
    if (executor->device_count(NULL) > 0)
        return executor->device(0, &query->device, error);
    query->device_assumed = true;
    return smc_device_find(assumed_device, &query->device, query->device_note, error);
}

static enum smc_status set_device(const struct smc_chosen_devices *devices, size_t index,
                                  struct smc_query *query, struct smc_error *error)
{
    if (devices->count == 0)
        return choose_device(query, error);
    query->device = devices->chosen[index].device;
    memcpy(query->device_note, devices->chosen[index].note, sizeof query->device_note);
    return SMC_OK;
}

static enum smc_status answer_all(const struct smc_chosen_devices *devices,
                                  const struct smc_query *query, struct smc_answer *answers,
                                  size_t count, struct smc_text *warnings, struct smc_error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct smc_query asked = *query;
        enum smc_status status = set_device(devices, i, &asked, error);
        if (status == SMC_OK)
            status = smc_query_answer(&asked, &answers[i], warnings, error);
        if (status != SMC_OK)
            return status;
    }
    return SMC_OK;
}

static void report(const struct smc_arguments *arguments, const struct smc_answer *answers,
                   size_t count, struct smc_text *out)
{
    struct smc_report_style style;
    smc_output_style(&style);
    style.explain = arguments->given[SMC_OPTION_EXPLAIN];
    const struct smc_writer *writer = smc_ask_writer(arguments);
    for (size_t i = 0; i < count && writer != &smc_writer_json; i++)
        smc_output_tell("note: ", answers[i].query.device_note);
    writer->answers(answers, count, &style, out);
}

static enum smc_status ask(const struct smc_arguments *arguments, const struct smc_query *query,
                           const struct smc_chosen_devices *devices, struct smc_text *out,
                           struct smc_error *error)
{
    size_t count = devices->count ? devices->count : 1;
    struct smc_answer *answers = calloc(count, sizeof *answers);
    if (!answers)
        return smc_fail(error, SMC_MACHINE, "out of memory");
    struct smc_text warnings = {0};
    enum smc_status status = answer_all(devices, query, answers, count, &warnings, error);
    smc_output_tell("warning: ", smc_text_string(&warnings));
    smc_text_free(&warnings);
    if (status == SMC_OK)
        report(arguments, answers, count, out);
    free(answers);
    return status;
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    struct smc_query query;
    struct smc_chosen_devices devices = {0};
    enum smc_status status = smc_ask_query(arguments, &query, error);
    if (status == SMC_OK)
        status = smc_ask_devices(arguments, SMC_MAX_DEVICES, &devices, error);
    if (status == SMC_OK)
        status = ask(arguments, &query, &devices, out, error);
    smc_chosen_devices_free(&devices);
    return status;
}

const struct smc_command smc_command_query = {
    .name = "query",
    .usage = "[OPTION]...",
    .help = "how many blocks fit on an SM, and what stops the next one",
    .examples = "  smemcalc --tile 32 --device \"RTX 4090\"\n"
                "  smemcalc --threads 256 --regs 40 --smem 8K --device 9.0 --explain\n",
    .run = run,
};
