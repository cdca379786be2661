/* smemcalc merge: reports of many GPUs, compared: of runs, and of checks. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sandbox.h"
#include "show/cli/ask.h"
#include "show/cli/output.h"

/* --- Reading ---------------------------------------------------------------------------------- */

static enum smc_status cmd_merge_read_stream(struct smc_stream *stream,
                                             struct smc_merge_input *input, struct smc_error *error)
{
    static char bytes[1 << 16];
    size_t count;
    do {
        SMC_TRY(smc_stream_read(stream, bytes, sizeof bytes, &count, error));
        SMC_TRY(smc_merge_feed(input, bytes, count, error));
    } while (count > 0);
    enum smc_status status = smc_merge_finish(input);
    return status == SMC_MACHINE ? smc_out_of_memory(error) : status;
}

/* Adds its reports, which point to `name`, safe to be shown, to be freed after them. */
static enum smc_status add_reports(struct smc_stream *stream, struct smc_merge *merge, char **name,
                                   struct smc_error *error)
{
    smc_auto_text problems = {0};
    *name = smc_strdup(stream->name);
    if (!*name)
        return smc_out_of_memory(error);
    smc_utf8_make_safe(*name);
    SMC_AUTO(smc_merge_input_free)
    struct smc_merge_input input = {.merge = merge, .file = *name, .problems = &problems};
    enum smc_status status = cmd_merge_read_stream(stream, &input, error);
    smc_output_tell("", smc_text_string(&problems));
    return status;
}

/* Errors in a file are reported, and its other reports are used. */
static enum smc_status cmd_merge_read_files(const struct smc_arguments *arguments,
                                            struct smc_merge *merge, char **names)
{
    enum smc_status worst = SMC_OK;
    for (size_t i = 0; i < arguments->file_count && worst != SMC_MACHINE; i++) {
        struct smc_stream stream;
        struct smc_error error = {""};
        enum smc_status status = smc_stream_open(arguments->file[i], &stream, &error);
        if (status == SMC_OK) {
            status = add_reports(&stream, merge, &names[i], &error);
            smc_stream_close(&stream);
        }
        smc_output_tell("", error.message);
        if (status > worst)
            worst = status;
    }
    return worst;
}

/* --- Options ---------------------------------------------------------------------------------- */

/* A list of nodes, or how many there are. */
static enum smc_status ask_expected(const struct smc_arguments *arguments,
                                    struct smc_fleet_expected *expected, struct smc_error *error)
{
    const char *text = arguments->text[SMC_OPTION_EXPECT];
    struct smc_error why = {""};
    int64_t count;
    expected->given = text != NULL;
    if (!text)
        return SMC_OK;
    if (smc_parse_integer(text, 1, SMC_MOST_LISTED_HOSTS, &count)) {
        expected->count = (size_t)count;
        return SMC_OK;
    }
    if (text[0] && !text[strspn(text, "0123456789")])
        return smc_fail(error, SMC_USAGE, "option --expect: '%.40s' is not between 1 and %d", text,
                        SMC_MOST_LISTED_HOSTS);
    enum smc_status status = smc_hostlist_parse(text, &expected->names, &why);
    return status == SMC_USAGE ? smc_fail(error, status,
                                          "option --expect: %s; give a list of nodes such as "
                                          "n[1-4],login, or their number, from 1 to %d",
                                          why.message, SMC_MOST_LISTED_HOSTS)
           : status == SMC_OK  ? SMC_OK
                               : smc_out_of_memory(error);
}

/* The options that print something instead of the report. */
static enum smc_status cmd_merge_check_options(const struct smc_arguments *arguments,
                                               struct smc_error *error)
{
    const bool *given = arguments->given;
    if (arguments->file_count == 0)
        return smc_fail(error, SMC_USAGE,
                        "merge: name a file with reports of '%s run --format json' or '%s check "
                        "--format json'; - is standard input",
                        smc_program_name(), smc_program_name());
    if (given[SMC_OPTION_EXCLUDE] && given[SMC_OPTION_DRAIN])
        return smc_fail(error, SMC_USAGE, "option --drain: not together with --exclude");
    if (given[SMC_OPTION_FLEET_FORMAT] && (given[SMC_OPTION_EXCLUDE] || given[SMC_OPTION_DRAIN]))
        return smc_fail(error, SMC_USAGE, "option --%s: not together with --format",
                        given[SMC_OPTION_EXCLUDE] ? "exclude" : "drain");
    return SMC_OK;
}

/* --- The answer ------------------------------------------------------------------------------- */

static bool is_openmetrics(const struct smc_arguments *arguments)
{
    const char *format = arguments->text[SMC_OPTION_FLEET_FORMAT];
    return format && strcmp(format, "openmetrics") == 0;
}

/* `merged` and `fleet`: NULL without such reports. */
static enum smc_status cmd_merge_write_report(const struct smc_arguments *arguments,
                                              const struct smc_merged *merged,
                                              const struct smc_fleet *fleet, struct smc_text *out,
                                              struct smc_error *error)
{
    const struct smc_writer *writer = smc_ask_writer(arguments);
    bool exclude = arguments->given[SMC_OPTION_EXCLUDE], drain = arguments->given[SMC_OPTION_DRAIN];
    struct smc_report_style *style = smc_output_style(out);
    style->verbose = arguments->given[SMC_OPTION_VERBOSE];
    if (!fleet)
        SMC_TRY(smc_refuse_given(
            arguments,
            SMC_OPTIONS(SMC_OPTION_EXCLUDE, SMC_OPTION_DRAIN, SMC_OPTION_DRAIN_STRAGGLERS), error,
            "there is no report of '%s check --format json'", smc_program_name()));
    if (merged && fleet && writer == &smc_writer_csv)
        return smc_fail(error, SMC_USAGE,
                        "merge: CSV is a table either of runs or of checks; merge their reports "
                        "separately");
    if (exclude)
        smc_fleet_exclude(fleet, out);
    else if (drain)
        smc_fleet_drain_commands(fleet, out);
    else if (is_openmetrics(arguments))
        smc_openmetrics_merge(merged, fleet, out);
    else
        writer->merge(merged, fleet, out);
    return SMC_OK;
}

static enum smc_status worse(enum smc_status a, enum smc_status b)
{
    return a > b ? a : b;
}

static enum smc_status cmd_merge_compare(const struct smc_arguments *arguments,
                                         struct smc_merge *merge,
                                         const struct smc_fleet_expected *expected,
                                         struct smc_text *out, struct smc_error *error)
{
    SMC_AUTO(smc_merged_free) struct smc_merged merged = {0};
    SMC_AUTO(smc_fleet_free) struct smc_fleet fleet = {0};
    enum smc_status status = SMC_OK;
    bool runs = merge->count > 0, checks = merge->checks.node_count > 0 || expected->given;
    if (runs)
        status = smc_merge_compare(merge, &merged, error);
    if (checks && status != SMC_MACHINE)
        status = worse(status, smc_fleet_judge(&merge->checks, expected,
                                               arguments->given[SMC_OPTION_DRAIN_STRAGGLERS],
                                               &fleet, error));
    if ((runs || checks) && status != SMC_MACHINE)
        status = worse(status, cmd_merge_write_report(arguments, runs ? &merged : NULL,
                                                      checks ? &fleet : NULL, out, error));
    return status;
}

enum smc_status smc_cmd_merge(const struct smc_arguments *arguments, struct smc_text *out,
                              struct smc_error *error)
{
    struct smc_merge merge = {.only_checks = arguments->given[SMC_OPTION_EXPECT]};
    struct smc_fleet_expected expected = {0};
    SMC_TRY(cmd_merge_check_options(arguments, error));
    enum smc_status worst = ask_expected(arguments, &expected, error);
    if (worst != SMC_OK) {
        smc_hostlist_free(&expected.names);
        return worst;
    }
    smc_auto_free char **names = smc_calloc(arguments->file_count, sizeof *names);
    smc_sandbox_enter(SMC_SANDBOX_READING);
    worst = names ? cmd_merge_read_files(arguments, &merge, names) : smc_out_of_memory(error);
    if (worst != SMC_MACHINE)
        worst = worse(worst, cmd_merge_compare(arguments, &merge, &expected, out, error));
    smc_merge_free(&merge);
    smc_hostlist_free(&expected.names);
    for (size_t i = 0; names && i < arguments->file_count; i++)
        free(names[i]);
    return worst;
}
