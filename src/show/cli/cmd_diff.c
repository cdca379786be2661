/* smemcalc diff: two builds compared, kernel by kernel. */
#include <stdint.h>

#include "base/file.h"
#include "base/memory.h"
#include "show/cli/ask_inspect.h"
#include "show/cli/output.h"
#include "show/report/diff_report.h"
#include "show/report/findings_report.h"

/* Everything that one call needs. */
struct comparison {
    struct smc_inspection_question question;
    struct smc_inputs inputs[2]; /* the kernels point into them */
    struct smc_inspect_kernels before, after;
    struct smc_diff diff;
    struct smc_gate gate;            /* of --gate, else empty */
    struct smc_inspect_rows rows;    /* the new build, for the gate */
    struct smc_gate_verdict verdict; /* on the new build; then, of the comparison as well */
};

/* In the order of the words of --format and --fail-on. */
enum format { TEXT, JSON, JSONL, CSV, MARKDOWN, JUNIT, SARIF };
enum fail_on { ANY, OCCUPANCY, NEVER };

static enum smc_status cmd_diff_ask(const struct smc_arguments *arguments,
                                    struct comparison *comparison, struct smc_error *error)
{
    if (arguments->file_count < 2)
        return smc_fail(error, SMC_USAGE,
                        "diff: two files are compared, the old build and the new one, but %s is "
                        "given",
                        arguments->file_count == 0 ? "none" : "only one");
    if (smc_file_is_standard_input(arguments->file[0]) &&
        smc_file_is_standard_input(arguments->file[1]))
        return smc_fail(error, SMC_USAGE, "diff: only one of the builds may be standard input");
    return smc_ask_inspection(arguments, false, &comparison->question, error);
}

/* The changes that make the exit status 1: bit n for enum smc_diff_change n. */
static uint32_t failing(const struct smc_arguments *arguments)
{
    switch ((enum fail_on)arguments->number[SMC_OPTION_FAIL_ON]) {
    case ANY:
        return UINT32_MAX;
    case OCCUPANCY:
        return 1u << SMC_DIFF_LAUNCH | 1u << SMC_DIFF_BLOCKS | 1u << SMC_DIFF_OCCUPANCY;
    case NEVER:
        break;
    }
    return 0;
}

/* What the new build violates, after a comparison as text and before one as markdown, whose length
   is limited as a whole; scripts that read the comparison find it on standard error. */
static void cmd_diff_write_verdict(const struct smc_arguments *arguments,
                                   const struct comparison *comparison, struct smc_text *out)
{
    const struct smc_gate *gate = &comparison->gate;
    const struct smc_gate_verdict *verdict = &comparison->verdict;
    enum format format = (enum format)arguments->number[SMC_OPTION_FINDINGS_FORMAT];
    if (!gate->path)
        return;
    if (format == TEXT && (verdict->findings.count > 0 || gate->limit_count > 0)) {
        smc_text_append(out, "\n");
        smc_lines_of_findings(&verdict->findings, out);
        if (gate->limit_count > 0)
            smc_gate_summary(verdict, out);
    } else if (format == MARKDOWN && verdict->findings.count > 0) {
        smc_markdown_findings(&verdict->findings, "smemcalc, limits of the gate file", out);
        smc_text_append(out, "\n");
    } else if (format != TEXT) {
        smc_gate_tell(gate, verdict, format < MARKDOWN);
    }
}

static void cmd_diff_write_comparison(const struct smc_arguments *arguments,
                                      const struct comparison *comparison, struct smc_text *out)
{
    const struct smc_diff *diff = &comparison->diff;
    const struct smc_gate_verdict *verdict = &comparison->verdict;
    smc_output_style(out);
    switch ((enum format)arguments->number[SMC_OPTION_FINDINGS_FORMAT]) {
    case TEXT:
    case JSON:
    case JSONL:
    case CSV:
        smc_ask_writer(arguments)->diff(diff, out);
        break;
    case MARKDOWN:
        smc_markdown_diff(diff, out);
        break;
    case JUNIT:
        smc_junit_findings(&verdict->findings, &verdict->judgements, out);
        break;
    case SARIF:
        smc_sarif_findings(&verdict->findings, out);
        break;
    }
}

/* Whether something is worse that counts. */
static bool cmd_diff_write_report(const struct smc_arguments *arguments,
                                  struct comparison *comparison, struct smc_text *out)
{
    struct smc_gate_verdict *verdict = &comparison->verdict;
    smc_auto_text judged = {0};
    size_t errors = smc_findings_count(&verdict->findings, SMC_FINDING_ERROR);
    cmd_diff_write_verdict(arguments, comparison, &judged);
    if (!smc_diff_findings(&comparison->diff, failing(arguments), &verdict->findings,
                           &verdict->judgements))
        out->failed = true;
    bool first = arguments->number[SMC_OPTION_FINDINGS_FORMAT] == MARKDOWN;
    smc_text_append(out, first ? smc_text_string(&judged) : "");
    cmd_diff_write_comparison(arguments, comparison, out);
    smc_text_append(out, first ? "" : smc_text_string(&judged));
    return smc_findings_count(&verdict->findings, SMC_FINDING_ERROR) > errors;
}

/* The new build is judged as `inspect` would judge it alone. What it reports about files whose
   architecture is unknown the comparison has reported. */
static enum smc_status cmd_diff_judge(struct comparison *comparison, struct smc_error *error)
{
    struct smc_error again = {""};
    if (!comparison->gate.path)
        return SMC_OK;
    enum smc_status status = smc_inspect_answer(&comparison->after, &comparison->question.request,
                                                &comparison->rows, &again);
    if (status == SMC_MACHINE)
        return smc_out_of_memory(error);
    status = smc_gate_judge(&comparison->gate, &comparison->rows, smc_gate_today(),
                            &comparison->diff, &comparison->verdict, error);
    return smc_gate_check_complete(&comparison->gate, &comparison->after, status);
}

static enum smc_status cmd_diff_compare(const struct smc_arguments *arguments,
                                        struct comparison *comparison, struct smc_text *out,
                                        struct smc_error *error)
{
    struct smc_inspect_request *request = &comparison->question.request;
    SMC_TRY(cmd_diff_ask(arguments, comparison, error));
    smc_ask_sandbox(arguments);
    enum smc_status second,
        status = smc_ask_kernels(&arguments->file[0], 1, &comparison->question,
                                 &comparison->inputs[0], &comparison->before, error);
    second = smc_ask_kernels(&arguments->file[1], 1, &comparison->question, &comparison->inputs[1],
                             &comparison->after, error);
    status = second > status ? second : status;
    if (status == SMC_MACHINE || comparison->before.count == 0 || comparison->after.count == 0)
        return status;
    struct smc_error unknown = {""};
    if (smc_ask_known_names(request, &comparison->after, error) != SMC_OK) {
        if (smc_ask_known_names(request, &comparison->before, &unknown) != SMC_OK)
            return SMC_USAGE;
        *error = unknown;
    }
    SMC_TRY(smc_gate_add_threads(&comparison->gate, &comparison->question, error));
    second = smc_diff_compare(&comparison->before, &comparison->after, request, &comparison->diff,
                              error);
    status = second > status ? second : status;
    if (second == SMC_MACHINE || comparison->diff.count == 0)
        return status;
    second = cmd_diff_judge(comparison, error);
    if (second == SMC_MACHINE)
        return second;
    bool is_worse = cmd_diff_write_report(arguments, comparison, out);
    return status != SMC_OK ? status : is_worse ? SMC_SHORTFALL : second;
}

enum smc_status smc_cmd_diff(const struct smc_arguments *arguments, struct smc_text *out,
                             struct smc_error *error)
{
    smc_auto_free struct comparison *comparison = smc_calloc(1, sizeof *comparison);
    if (!comparison)
        return smc_out_of_memory(error);
    struct smc_arguments asked = *arguments;
    enum smc_status status = smc_ask_gate(&asked, &comparison->gate, error);
    if (status == SMC_OK)
        status = cmd_diff_compare(&asked, comparison, out, error);
    smc_gate_verdict_free(&comparison->verdict);
    smc_inspect_rows_free(&comparison->rows);
    smc_diff_free(&comparison->diff);
    smc_user_kernels_free(&comparison->before);
    smc_user_kernels_free(&comparison->after);
    smc_inputs_free(&comparison->inputs[0]);
    smc_inputs_free(&comparison->inputs[1]);
    smc_inspection_question_free(&comparison->question);
    smc_gate_free(&comparison->gate);
    return status;
}
