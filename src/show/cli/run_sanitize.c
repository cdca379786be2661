/* smemcalc run --sanitize: only what the emulator finds in a kernel, for continuous integration. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "show/cli/cmd_run.h"
#include "show/report/findings_report.h"

enum smc_status smc_sanitize_ask(struct smc_arguments *arguments, struct smc_error *error)
{
    if (!arguments->given[SMC_OPTION_SANITIZE])
        return SMC_OK;
    SMC_TRY(smc_refuse_given(arguments,
                             SMC_OPTIONS(SMC_OPTION_FORMAT, SMC_OPTION_ANNOTATE, SMC_OPTION_EXPLAIN,
                                         SMC_OPTION_ROOFLINE, SMC_OPTION_PLOT,
                                         SMC_OPTION_PREDICT_ONLY, SMC_OPTION_EXPECTED),
                             error, "not with --sanitize, which reports only findings"));
    if (smc_asks_series(arguments))
        return smc_fail(error, SMC_USAGE,
                        "option --sanitize: for one run; --compare and ranges ask for several");
    if (arguments->given[SMC_OPTION_ON] && arguments->number[SMC_OPTION_ON] != SMC_ON_EMULATOR)
        return smc_fail(error, SMC_USAGE,
                        "option --sanitize: only the emulator finds errors in a kernel; leave out "
                        "--on, or give --on emulator");
    arguments->number[SMC_OPTION_ON] = SMC_ON_EMULATOR;
    return SMC_OK;
}

/* The findings line by line, then how many. */
static void run_sanitize_write_text(const struct smc_sanitized *runs, size_t count,
                                    const struct smc_findings *findings, struct smc_text *out)
{
    smc_lines_of_findings(findings, out);
    for (size_t i = 0; i < count; i++) {
        smc_text_printf(out, "%s: %s", runs[i].kernel,
                        smc_is_lost(&runs[i].emulated->finish) ? "not finished; " : "");
        smc_words_findings(runs[i].emulated, out);
        smc_text_append_char(out, '\n', 1);
    }
}

static void write_junit(const struct smc_sanitized *runs, size_t count,
                        const struct smc_findings *findings, struct smc_text *out)
{
    SMC_AUTO(smc_judgements_free) struct smc_judgements judgements = {0};
    for (size_t i = 0; i < count; i++)
        out->failed |=
            !smc_judgements_add(&judgements, runs[i].file, runs[i].kernel, runs[i].device);
    smc_junit_findings(findings, &judgements, out);
}

enum smc_status smc_sanitize_report(const struct smc_arguments *arguments,
                                    const struct smc_sanitized *runs, size_t count,
                                    struct smc_text *out, struct smc_error *error)
{
    const char *format = arguments->text[SMC_OPTION_SANITIZE];
    SMC_AUTO(smc_findings_free) struct smc_findings findings = {0};
    bool added = true;
    for (size_t i = 0; i < count; i++)
        added = added && smc_findings_of_run(&runs[i], &findings);
    if (!added)
        out->failed = true;
    else if (strcmp(format, "json") == 0)
        smc_json_sanitized(runs, count, out);
    else if (strcmp(format, "sarif") == 0)
        smc_sarif_findings(&findings, out);
    else if (strcmp(format, "junit") == 0)
        write_junit(runs, count, &findings, out);
    else if (strcmp(format, "markdown") == 0)
        smc_markdown_findings(&findings, "smemcalc run --sanitize", out);
    else
        run_sanitize_write_text(runs, count, &findings, out);
    const bool has_errors = smc_findings_count(&findings, SMC_FINDING_ERROR) > 0;
    return !added ? smc_out_of_memory(error) : has_errors ? SMC_SHORTFALL : SMC_OK;
}
