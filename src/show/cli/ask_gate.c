/* The gate of a call, from a file and from options. */
#include "show/cli/ask_inspect.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "show/cli/output.h"
#include "show/report/findings_report.h"

/* --- Formats ---------------------------------------------------------------------------------- */

static const char *ask_gate_format_of(const struct smc_arguments *arguments)
{
    const char *format = arguments->text[SMC_OPTION_FINDINGS_FORMAT];
    return format ? format : "text";
}

static bool is_of_findings(const char *format)
{
    return strcmp(format, "markdown") == 0 || strcmp(format, "junit") == 0 ||
           strcmp(format, "sarif") == 0;
}

bool smc_gate_reports(const struct smc_arguments *arguments)
{
    const char *format = ask_gate_format_of(arguments);
    return is_of_findings(format) ||
           (arguments->given[SMC_OPTION_GATE] && strcmp(format, "text") == 0);
}

/* --- The gate --------------------------------------------------------------------------------- */

/* The requirements of the command line: a limit for all kernels, after those of the file. */
static enum smc_status add_options(const struct smc_arguments *arguments, struct smc_gate *gate,
                                   struct smc_error *error)
{
    static const struct {
        int option;
        enum smc_gate_key key;
    } rows[] = {
        {SMC_OPTION_REQUIRE_OCCUPANCY, SMC_GATE_OCCUPANCY},
        {SMC_OPTION_REQUIRE_BLOCKS, SMC_GATE_BLOCKS},
        {SMC_OPTION_MAX_REGS, SMC_GATE_REGISTERS},
    };
    struct smc_gate_limit limit = {0};
    bool any = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        limit.has[rows[i].key] = arguments->given[rows[i].option];
        limit.value[rows[i].key] = (double)arguments->number[rows[i].option];
        any |= limit.has[rows[i].key];
    }
    if (!any)
        return SMC_OK;
    if (!smc_make_room(&gate->limit, gate->limit_count, NULL, sizeof *gate->limit))
        return smc_out_of_memory(error);
    gate->limit[gate->limit_count++] = limit;
    return SMC_OK;
}

enum smc_status smc_ask_gate(struct smc_arguments *arguments, struct smc_gate *gate,
                             struct smc_error *error)
{
    const char *path = arguments->text[SMC_OPTION_GATE];
    if (path)
        SMC_TRY(smc_gate_read(path, gate, error));
    SMC_TRY(add_options(arguments, gate, error));
    gate->partial = arguments->given[SMC_OPTION_OWN_KERNEL];
    if (arguments->device.count > 0 || arguments->device_file.count > 0)
        return SMC_OK;
    if (gate->device_count > SMC_MAX_DEVICES)
        return smc_fail(error, SMC_USAGE, "%.300s: %zu devices are more than %d", gate->path,
                        gate->device_count, SMC_MAX_DEVICES);
    for (size_t i = 0; i < gate->device_count; i++)
        arguments->device.item[arguments->device.count++] = gate->device[i];
    return SMC_OK;
}

enum smc_status smc_gate_check_limits(const struct smc_arguments *arguments,
                                      const struct smc_gate *gate, struct smc_error *error)
{
    if (gate->limit_count > 0)
        return SMC_OK;
    if (gate->path)
        return smc_fail(error, SMC_USAGE, "%.300s: no [[limit]] in it: at least one is needed",
                        gate->path);
    if (is_of_findings(ask_gate_format_of(arguments)))
        return smc_fail(error, SMC_USAGE,
                        "option --format: '%s' needs --gate, --require-occupancy, "
                        "--require-blocks or --max-regs",
                        ask_gate_format_of(arguments));
    return SMC_OK;
}

enum smc_status smc_gate_add_threads(const struct smc_gate *gate,
                                     struct smc_inspection_question *question,
                                     struct smc_error *error)
{
    struct smc_inspect_request *request = &question->request;
    if (request->assumed_threads_per_block == 0) {
        request->assumed_threads_per_block = gate->assumed_threads_per_block;
        memcpy(request->assumed_block, gate->assumed_block, sizeof request->assumed_block);
    }
    for (int kind = 0; kind < SMC_STATED_KINDS; kind++)
        for (size_t i = 0; i < gate->stated[kind].count; i++) {
            struct smc_stated stated = gate->stated[kind].item[i];
            stated.pattern = smc_strdup(stated.pattern);
            if (!stated.pattern || !smc_stated_add(&request->stated[kind], &stated))
                return smc_out_of_memory(error);
        }
    return SMC_OK;
}

/* --- The verdict ------------------------------------------------------------------------------ */

void smc_gate_tell(const struct smc_gate *gate, const struct smc_gate_verdict *verdict,
                   bool with_findings)
{
    smc_auto_text text = {0};
    if (with_findings)
        smc_lines_of_findings(&verdict->findings, &text);
    if (gate->path && gate->limit_count > 0)
        smc_gate_summary(verdict, &text);
    smc_output_tell("", smc_text_string(&text));
}

/* A report of the kernels follows, unless smc_gate_reports. */
static void ask_gate_report(const struct smc_arguments *arguments, const struct smc_gate *gate,
                            const struct smc_gate_verdict *verdict, struct smc_text *out)
{
    if (!smc_gate_reports(arguments)) {
        smc_gate_tell(gate, verdict, true);
    } else if (is_of_findings(ask_gate_format_of(arguments))) {
        const char *format = ask_gate_format_of(arguments);
        if (strcmp(format, "markdown") == 0)
            smc_markdown_findings(&verdict->findings, "smemcalc", out);
        else if (strcmp(format, "junit") == 0)
            smc_junit_findings(&verdict->findings, &verdict->judgements, out);
        else
            smc_sarif_findings(&verdict->findings, out);
        smc_gate_tell(gate, verdict, false);
    } else {
        smc_lines_of_findings(&verdict->findings, out);
        smc_gate_summary(verdict, out);
    }
}

enum smc_status smc_answer_gate(const struct smc_arguments *arguments, const struct smc_gate *gate,
                                const struct smc_inspect_rows *rows, struct smc_text *out,
                                struct smc_error *error)
{
    SMC_AUTO(smc_gate_verdict_free) struct smc_gate_verdict verdict = {0};
    struct smc_error unsettled = {""};
    enum smc_status status =
        smc_gate_judge(gate, rows, smc_gate_today(), NULL, &verdict, &unsettled);
    if (status == SMC_MACHINE)
        *error = unsettled;
    else
        ask_gate_report(arguments, gate, &verdict, out);
    if (status == SMC_USAGE)
        smc_output_tell("", unsettled.message);
    return status;
}

enum smc_status smc_gate_check_complete(const struct smc_gate *gate,
                                        const struct smc_inspect_kernels *kernels,
                                        enum smc_status status)
{
    char line[512];
    if (status != SMC_OK || gate->limit_count == 0 || kernels->left_out == 0)
        return status;
    snprintf(
        line, sizeof line,
        "%.300s: not every kernel is judged: the warnings name %zu that %s left out; nvcc compiles "
        "them all",
        gate->path ? gate->path : "requirements", kernels->left_out,
        kernels->left_out == 1 ? "is" : "are");
    smc_output_tell("", line);
    return SMC_USAGE;
}
