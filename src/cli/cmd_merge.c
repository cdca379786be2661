/* smemcalc merge: run reports of many GPUs, compared. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/program.h"
#include "base/sandbox.h"
#include "base/utf8.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "confirm/merge.h"

static smc_command_function run;

const struct smc_command smc_command_merge = {
    .name = "merge",
    .usage = "FILE... [--verbose]",
    .help = "compare the run reports of many GPUs",
    .examples = "  srun -o run-%t.json smemcalc run --tile 32 --gpu all --format json\n"
                "  smemcalc merge run-*.json\n"
                "  cat run-*.json | smemcalc merge - --format csv\n",
    .most_files = SIZE_MAX,
    .run = run,
};

enum { LARGEST_FILE_BYTES = 256 << 20 };

static enum smc_status read_whole(const struct smc_stream *stream, struct smc_text *text,
                                  struct smc_error *error)
{
    char bytes[65536];
    size_t count;
    enum smc_status status;
    do {
        status = smc_stream_read(stream, bytes, sizeof bytes, &count, error);
        if (status == SMC_OK)
            smc_text_append_bytes(text, bytes, count);
        if (text->length > LARGEST_FILE_BYTES)
            status = smc_fail(error, SMC_USAGE,
                              "%s: larger than %d bytes; split its reports into several files",
                              stream->name, LARGEST_FILE_BYTES);
    } while (status == SMC_OK && count > 0);
    if (status == SMC_OK && text->failed)
        return smc_out_of_memory(error);
    return status;
}

/* Adds its reports, which point to `name`, safe to be shown, to be freed after them. */
static enum smc_status add_reports(const struct smc_stream *stream, struct smc_merge *merge,
                                   char **name, struct smc_error *error)
{
    struct smc_text text = {0}, problems = {0};
    *name = smc_strdup(stream->name);
    if (!*name)
        return smc_out_of_memory(error);
    smc_utf8_make_safe(*name);
    enum smc_status status = read_whole(stream, &text, error);
    if (status == SMC_OK) {
        status = smc_merge_read(merge, *name, smc_text_string(&text), text.length, &problems);
        if (status == SMC_MACHINE)
            smc_out_of_memory(error);
    }
    smc_output_tell("", smc_text_string(&problems));
    smc_text_free(&problems);
    smc_text_free(&text);
    return status;
}

/* Errors in a file are reported, and its other reports are used. */
static enum smc_status read_files(const struct smc_arguments *arguments, struct smc_merge *merge,
                                  char **names)
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

static enum smc_status compare(const struct smc_arguments *arguments, struct smc_merge *merge,
                               struct smc_text *out, struct smc_error *error)
{
    struct smc_merged merged;
    struct smc_report_style style;
    enum smc_status status = smc_merge_compare(merge, &merged, error);
    smc_output_style(&style);
    style.verbose = arguments->given[SMC_OPTION_VERBOSE];
    if (status != SMC_MACHINE)
        smc_ask_writer(arguments)->merge(&merged, &style, out);
    smc_merged_free(&merged);
    return status;
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    struct smc_merge merge = {0};
    if (arguments->file_count == 0)
        return smc_fail(error, SMC_USAGE,
                        "merge: name a file with reports of '%s run --format json'; - is "
                        "standard input",
                        smc_program_name());
    char **names = smc_calloc(arguments->file_count, sizeof *names);
    if (!names)
        return smc_out_of_memory(error);
    smc_sandbox_enter(SMC_SANDBOX_READING);
    enum smc_status worst = read_files(arguments, &merge, names);
    if (merge.count > 0 && worst != SMC_MACHINE) {
        enum smc_status status = compare(arguments, &merge, out, error);
        if (status > worst)
            worst = status;
    }
    smc_merge_free(&merge);
    for (size_t i = 0; i < arguments->file_count; i++)
        free(names[i]);
    free(names);
    return worst;
}
