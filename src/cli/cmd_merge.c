/* smemcalc merge: run reports of many machines, laid together. */
#include <stdlib.h>
#include <string.h>

#include "cli/ask.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/stream.h"
#include "merge/merge.h"

enum { LARGEST_FILE_BYTES = 256 << 20 };

static enum smc_status read_whole(const char *path, struct smc_stream *stream,
                                  struct smc_text *text, struct smc_error *error)
{
    char bytes[65536];
    size_t count;
    enum smc_status status = smc_stream_open(path, stream, error);
    if (status != SMC_OK)
        return status;
    do {
        status = smc_stream_read(stream, bytes, sizeof bytes, &count, error);
        if (status == SMC_OK)
            smc_text_append_bytes(text, bytes, count);
        if (text->length > LARGEST_FILE_BYTES)
            status = smc_fail(error, SMC_USAGE,
                              "%s: larger than %d bytes; take its reports in "
                              "several files",
                              stream->name, LARGEST_FILE_BYTES);
    } while (status == SMC_OK && count > 0);
    smc_stream_close(stream);
    if (status == SMC_OK && text->failed)
        return smc_fail(error, SMC_MACHINE, "out of memory");
    return status;
}

/* What is wrong with a file is told, and the rest taken. */
static enum smc_status read_file(const char *path, const char *name, struct smc_merge *merge)
{
    struct smc_stream stream;
    struct smc_text text = {0}, problems = {0};
    struct smc_error error = {""};
    enum smc_status status = read_whole(path, &stream, &text, &error);
    if (status == SMC_OK) {
        status = smc_merge_read(merge, name, smc_text_string(&text), text.length, &problems);
        if (status == SMC_MACHINE)
            smc_fail(&error, status, "out of memory");
    }
    smc_output_tell("", error.message);
    smc_output_tell("", smc_text_string(&problems));
    smc_text_free(&problems);
    smc_text_free(&text);
    return status;
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    struct smc_merge merge = {0};
    struct smc_merged merged = {0};
    enum smc_status worst = SMC_OK;
    if (arguments->file_count == 0)
        return smc_fail(error, SMC_USAGE,
                        "merge: name a file with reports of 'smemcalc run --format json'; - is "
                        "standard input");
    char *names[SMC_MAX_FILES] = {NULL}; /* as they may be shown */
    for (size_t i = 0; i < arguments->file_count && worst != SMC_MACHINE; i++) {
        const char *path = arguments->file[i];
        names[i] = strdup(strcmp(path, "-") == 0 ? "standard input" : path);
        if (names[i])
            smc_text_make_safe(names[i]);
        enum smc_status status = names[i] ? read_file(path, names[i], &merge)
                                          : smc_fail(error, SMC_MACHINE, "out of memory");
        if (status > worst)
            worst = status;
    }
    if (merge.count > 0 && worst != SMC_MACHINE) {
        struct smc_report_style style;
        enum smc_status status = smc_merge_compare(&merge, &merged, error);
        if (status > worst)
            worst = status;
        smc_output_style(&style);
        if (status != SMC_MACHINE)
            smc_ask_writer(arguments)->merge(&merged, &style, out);
    }
    smc_merged_free(&merged);
    smc_merge_free(&merge);
    for (size_t i = 0; i < arguments->file_count; i++)
        free(names[i]);
    return worst;
}

const struct smc_command smc_command_merge = {
    .name = "merge",
    .usage = "FILE...",
    .help = "compare the run reports of many machines",
    .examples = "  srun -o run-%t.json smemcalc run --tile 32 --gpu all --format json\n"
                "  smemcalc merge run-*.json\n"
                "  cat run-*.json | smemcalc merge - --format csv\n",
    .most_files = SMC_MAX_FILES,
    .run = run,
};
