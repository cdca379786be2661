/* smemcalc banks --csv: a stream of accesses in, a row of wavefronts and conflicts out for each. */
#include "cli/banks_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "query/banks_row.h"

enum { LONGEST_LINE = 16 * 1024, WRITTEN_AT_ONCE = 64 * 1024 };

struct stream {
    FILE *file;
    const char *name; /* for messages */
    uint64_t line;    /* the number of the one read last */
    char buffer[LONGEST_LINE];
    size_t begin, end; /* what was read and is no line yet */
    bool ended;
    bool too_long; /* the line read last was cut */
};

static bool fill(struct stream *stream)
{
    memmove(stream->buffer, stream->buffer + stream->begin, stream->end - stream->begin);
    stream->end -= stream->begin;
    stream->begin = 0;
    size_t count =
        fread(stream->buffer + stream->end, 1, sizeof stream->buffer - stream->end, stream->file);
    stream->end += count;
    stream->ended = count == 0;
    return count > 0;
}

static void skip_rest_of_line(struct stream *stream)
{
    int c;
    do
        c = getc(stream->file);
    while (c != '\n' && c != EOF);
}

/* The next line without its end; false where there is none. It lasts until the next call. */
static bool read_line(struct stream *stream, const char **line, size_t *length)
{
    const char *end;
    for (;;) {
        *line = stream->buffer + stream->begin;
        *length = stream->end - stream->begin;
        end = memchr(*line, '\n', *length);
        bool full = *length == sizeof stream->buffer;
        if (end || stream->ended || full)
            break;
        fill(stream);
    }
    stream->too_long = !end && *length == sizeof stream->buffer;
    if (stream->too_long)
        skip_rest_of_line(stream);
    if (!end && *length == 0)
        return false;
    stream->begin += end ? (size_t)(end - *line) + 1 : *length;
    *length = end ? (size_t)(end - *line) : *length;
    *length -= *length && (*line)[*length - 1] == '\r';
    stream->line++;
    return true;
}

static bool append_answer(const struct stream *stream, const struct smc_bank_layout *layout,
                          const char *line, size_t length, struct smc_text *out)
{
    struct smc_banks_row row;
    struct smc_error reason = {""}, told = {""};
    enum smc_status status = smc_banks_row_read(line, length, &row, &reason);
    if (stream->too_long)
        status = smc_fail(&reason, SMC_USAGE, "the line is longer than %d bytes", LONGEST_LINE);
    smc_text_append_bytes(out, row.id, row.id_length);
    if (status == SMC_OK) {
        struct smc_bank_cost cost = smc_banks_count(layout, &row.access);
        smc_text_printf(out, ",%" PRIu32 ",%" PRIu32 "\n", cost.wavefronts,
                        cost.wavefronts - cost.least);
        return true;
    }
    smc_text_append(out, ",,\n");
    smc_fail(&told, status, "%s:%" PRIu64 ": %s", stream->name, stream->line, reason.message);
    smc_output_tell("", told.message);
    return false;
}

static enum smc_status answer_all(struct stream *stream, const struct smc_bank_layout *layout,
                                  struct smc_text *out, struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    const char *line;
    size_t length;
    while (read_line(stream, &line, &length)) {
        if (length == 0)
            continue;
        if (stream->line == 1 && smc_banks_row_is_header(line, length))
            smc_text_append(out, "id,wavefronts,conflicts\n");
        else if (!append_answer(stream, layout, line, length, out))
            status = SMC_USAGE;
        if (out->length >= WRITTEN_AT_ONCE && smc_output_flush(out, error) != SMC_OK)
            return SMC_MACHINE;
    }
    if (ferror(stream->file))
        return smc_fail(error, SMC_MACHINE, "%s: %s", stream->name, strerror(errno));
    return status;
}

enum smc_status smc_banks_csv(const char *path, const struct smc_bank_layout *layout,
                              struct smc_text *out, struct smc_error *error)
{
    bool standard_input = strcmp(path, "-") == 0;
    struct stream stream = {
        .file = standard_input ? stdin : fopen(path, "r"),
        .name = standard_input ? "standard input" : path,
    };
    if (!stream.file)
        return smc_fail(error, SMC_USAGE, "option --csv: %s: %s", path, strerror(errno));
    enum smc_status status = answer_all(&stream, layout, out, error);
    if (!standard_input)
        fclose(stream.file);
    return status;
}
