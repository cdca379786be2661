/* smemcalc inspect: your own kernels, from source, machine code or compilers' logs. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "executor/executor.h"
#include "inspect/inspect.h"

static smc_command_function run;

const struct smc_command smc_command_inspect = {
    .name = "inspect",
    .usage = "FILE... [OPTION]...",
    .help = "your own kernels: source, PTX, cubins, programs, ptxas logs",
    .examples = "  nvcc -Xptxas -v -c x.cu 2>&1 | smemcalc inspect - --threads 256\n"
                "  smemcalc inspect x.cu --device 8.0 --device 9.0 --max-regs 64\n"
                "  smemcalc inspect x.cu --lint\n",
    .most_files = SIZE_MAX,
    .run = run,
};

/* Everything that one call needs; the request points into it. */
struct inspection {
    struct smc_chosen_devices chosen;
    struct smc_device devices[SMC_MAX_DEVICES];
    struct smc_inspect_target targets[SMC_MAX_DEVICES + SMC_INSPECT_MAX_TARGETS];
    struct smc_inspect_request request;
    struct smc_inspect_kernels kernels;
    struct smc_inspect_rows rows;
    struct smc_inspect_promises promises;
};

/* Boards of one architecture share a compilation. */
static void add_target(struct smc_inspect_target target, struct inspection *inspection)
{
    struct smc_inspect_request *request = &inspection->request;
    for (size_t i = 0; i < request->target_count; i++)
        if (inspection->targets[i].cc == target.cc &&
            inspection->targets[i].suffix == target.suffix)
            return;
    inspection->targets[request->target_count++] = target;
}

static enum smc_status ask_devices(const struct smc_arguments *arguments,
                                   struct inspection *inspection, struct smc_error *error)
{
    struct smc_chosen_devices *chosen = &inspection->chosen;
    enum smc_status status = smc_ask_devices(arguments, SMC_MAX_DEVICES, chosen, error);
    if (status != SMC_OK)
        return status;
    for (size_t i = 0; i < chosen->count; i++) {
        const char *typed = i < arguments->device_count ? arguments->device[i] : "";
        inspection->devices[i] = chosen->chosen[i].device;
        smc_output_note(chosen->chosen[i].note);
        add_target(smc_inspect_target_of(typed, inspection->devices[i].sm.cc), inspection);
    }
    inspection->request.devices = inspection->devices;
    inspection->request.device_count = chosen->count;
    return SMC_OK;
}

/* Source for which no device is named: compiled for the device that a query would be about. */
static enum smc_status assume_target(struct inspection *inspection, struct smc_error *error)
{
    struct smc_query query;
    smc_query_init(&query);
    enum smc_status status = smc_ask_query_device(&inspection->chosen, 0, &query, error);
    inspection->targets[0] = (struct smc_inspect_target){query.device.sm.cc, '\0'};
    inspection->request.target_count = 1;
    return status;
}

static enum smc_status ask(const struct smc_arguments *arguments, struct inspection *inspection,
                           struct smc_error *error)
{
    const int64_t *number = arguments->number;
    struct smc_inspect_request *request = &inspection->request;
    if (arguments->file_count == 0)
        return smc_fail(error, SMC_USAGE,
                        "inspect: no FILE is given; '-' reads what a compiler prints");
    static const int judged[] = {SMC_OPTION_REQUIRE_OCCUPANCY, SMC_OPTION_REQUIRE_BLOCKS,
                                 SMC_OPTION_MAX_REGS, SMC_OPTION_THREADS,
                                 SMC_OPTION_ASSUME_THREADS};
    for (size_t i = 0; i < sizeof judged / sizeof *judged; i++)
        if (arguments->given[SMC_OPTION_LINT] && arguments->given[judged[i]])
            return smc_fail(
                error, SMC_USAGE,
                "option --%s: not together with --lint, which checks a kernel's own bounds",
                smc_options[judged[i]].name);
    *request = (struct smc_inspect_request){
        .targets = inspection->targets,
        .compiler_options = arguments->text[SMC_OPTION_COMPILER_OPTIONS],
        .no_cache = arguments->given[SMC_OPTION_NO_CACHE],
        .threads_per_block = number[SMC_OPTION_THREADS],
        .assumed_threads_per_block = (uint32_t)number[SMC_OPTION_ASSUME_THREADS],
        .settings = SMC_LAUNCH_INIT,
    };
    if (arguments->given[SMC_OPTION_DYNAMIC_SMEM])
        request->dynamic_smem_bytes = (uint32_t)number[SMC_OPTION_DYNAMIC_SMEM];
    smc_ask_settings(arguments, &request->settings);
    enum smc_status status = ask_devices(arguments, inspection, error);
    if (status != SMC_OK || request->target_count > 0)
        return status;
    request->targets_assumed = true;
    if (!arguments->given[SMC_OPTION_LINT])
        return assume_target(inspection, error);
    request->skip_unsupported = true;
    request->target_count = smc_inspect_all_targets(inspection->targets);
    return SMC_OK;
}

/* Files that cannot be read, and damaged parts of others, are reported one by one; the rest is
   answered. */
static enum smc_status read_files(const struct smc_arguments *arguments,
                                  struct inspection *inspection)
{
    enum smc_status worst = SMC_OK;
    struct smc_inspect_notes notes = {0};
    for (size_t i = 0; i < arguments->file_count && worst != SMC_MACHINE; i++) {
        struct smc_error error = {""};
        enum smc_status status = smc_inspect_read(arguments->file[i], &inspection->request,
                                                  &inspection->kernels, &notes, &error);
        if (status != SMC_OK)
            smc_output_tell("", error.message);
        if (status > worst || status == SMC_USAGE)
            worst = status == SMC_UNAVAILABLE && worst == SMC_USAGE ? worst : status;
    }
    smc_output_warn(&notes.warnings);
    smc_output_tell("", smc_text_string(&notes.faults));
    if (notes.faults.length > 0 && worst != SMC_MACHINE)
        worst = SMC_USAGE;
    smc_text_free(&notes.faults);
    return worst;
}

/* CSV has no column for it. */
static void tell_estimates(const struct smc_inspect_rows *rows)
{
    size_t count = 0;
    char text[128];
    for (size_t i = 0; i < rows->count; i++)
        count += !smc_inspect_loads(rows->item[i].kernel, rows->item[i].answer.query.device.sm.cc);
    snprintf(text, sizeof text,
             "in %zu of %zu rows the machine code does not load on the device: estimates", count,
             rows->count);
    if (count > 0)
        smc_output_note(text);
}

static enum smc_status answer(const struct smc_arguments *arguments, struct inspection *inspection,
                              struct smc_text *out, struct smc_error *error)
{
    const struct smc_requirements requirements = {
        .occupancy_percent = (double)arguments->number[SMC_OPTION_REQUIRE_OCCUPANCY],
        .blocks_per_sm = (uint32_t)arguments->number[SMC_OPTION_REQUIRE_BLOCKS],
        .registers_at_most = (uint32_t)arguments->number[SMC_OPTION_MAX_REGS],
    };
    struct smc_report_style style;
    struct smc_text shortfalls = {0};
    enum smc_status status =
        smc_inspect_answer(&inspection->kernels, &inspection->request, &inspection->rows, error);
    if (status == SMC_MACHINE)
        return status;
    smc_output_style(&style);
    if (inspection->rows.count > 0)
        smc_ask_writer(arguments)->inspection(&inspection->rows, &style, out);
    if (smc_ask_writer(arguments) == &smc_writer_csv)
        tell_estimates(&inspection->rows);
    struct smc_error refused = {""};
    enum smc_status judged =
        smc_inspect_require(&inspection->rows, &requirements, &shortfalls, &refused);
    smc_output_tell("", smc_text_string(&shortfalls));
    smc_output_tell("", refused.message);
    smc_text_free(&shortfalls);
    return status == SMC_OK ? judged : status;
}

static enum smc_status lint(const struct smc_arguments *arguments, struct inspection *inspection,
                            struct smc_text *out, struct smc_error *error)
{
    struct smc_report_style style;
    enum smc_status status =
        smc_inspect_lint(&inspection->kernels, &inspection->request, &inspection->promises, error);
    smc_output_style(&style);
    if (status != SMC_MACHINE)
        smc_ask_writer(arguments)->promises(&inspection->promises, &style, out);
    return status;
}

static enum smc_status inspect(const struct smc_arguments *arguments, struct inspection *inspection,
                               struct smc_text *out, struct smc_error *error)
{
    enum smc_status status = ask(arguments, inspection, error);
    if (status != SMC_OK)
        return status;
    enum smc_status reading = read_files(arguments, inspection);
    if (reading == SMC_MACHINE || inspection->kernels.count == 0)
        return reading;
    status = arguments->given[SMC_OPTION_LINT] ? lint(arguments, inspection, out, error)
                                               : answer(arguments, inspection, out, error);
    return reading == SMC_OK ? status : reading;
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    struct inspection *inspection = smc_calloc(1, sizeof *inspection);
    if (!inspection)
        return smc_out_of_memory(error);
    enum smc_status status = inspect(arguments, inspection, out, error);
    smc_inspect_promises_free(&inspection->promises);
    smc_inspect_rows_free(&inspection->rows);
    smc_inspect_free(&inspection->kernels);
    smc_chosen_devices_free(&inspection->chosen);
    free(inspection);
    return status;
}
