/* smemcalc banks --csv: a stream of accesses in, a row of wavefronts and conflicts out for each. */
#include "cli/banks_csv.h"

#include <inttypes.h>

#include "base/csv_reader.h"
#include "cli/output.h"
#include "cli/stream.h"
#include "query/banks.h"

struct stream {
    struct smc_stream input;
    const struct smc_bank_layout *layout;
    struct smc_text *out;
    struct smc_csv_record record;
};

/* What is answered goes out before more is read: memory does not grow with the input. */
static enum smc_status flush_and_read(void *context, char *bytes, size_t capacity, size_t *count,
                                      struct smc_error *error)
{
    const struct stream *stream = context;
    enum smc_status status = smc_output_flush(stream->out, error);
    return status == SMC_OK ? smc_stream_read(&stream->input, bytes, capacity, count, error)
                            : status;
}

static void append_id(const struct smc_csv_record *record, struct smc_text *out)
{
    if (record->field_count == 0)
        return;
    const struct smc_csv_field *id = &record->field[0];
    size_t start = out->length;
    if (id->faulty)
        smc_text_append_quoted(out, id->text, id->length);
    else
        smc_text_append_bytes(out, id->text, id->length);
    if (!out->failed)
        smc_text_make_safe_csv(out->data + start, out->length - start);
}

static enum smc_status answer_row(const struct stream *stream)
{
    struct smc_access access;
    struct smc_error reason = {""}, told = {""};
    enum smc_status status = smc_banks_row_read(&stream->record, &access, &reason);
    append_id(&stream->record, stream->out);
    if (status == SMC_OK) {
        struct smc_bank_cost cost = smc_banks_count(stream->layout, &access);
        smc_text_printf(stream->out, ",%" PRIu32 ",%" PRIu32 "\n", cost.wavefronts,
                        cost.wavefronts - cost.least);
        return SMC_OK;
    }
    smc_text_append(stream->out, ",,\n");
    smc_fail(&told, status, "%s:%" PRIu64 ": %s", stream->input.name, stream->record.line,
             reason.message);
    smc_output_tell("", told.message);
    return status;
}

static enum smc_status answer_all(struct stream *stream, struct smc_csv_reader *reader,
                                  struct smc_error *error)
{
    enum smc_status answered = SMC_OK;
    for (bool first = true;; first = false) {
        bool found;
        enum smc_status status = smc_csv_read(reader, &stream->record, &found, error);
        if (status != SMC_OK || !found)
            return status == SMC_OK ? answered : status;
        if (first && smc_banks_row_is_header(&stream->record))
            smc_text_append(stream->out, "id,wavefronts,conflicts\n");
        else if (answer_row(stream) != SMC_OK)
            answered = SMC_USAGE;
    }
}

enum smc_status smc_banks_csv(const char *path, const struct smc_bank_layout *layout,
                              struct smc_text *out, struct smc_error *error)
{
    struct stream stream = {.layout = layout, .out = out};
    const struct smc_csv_source source = {flush_and_read, &stream};
    struct smc_csv_reader reader;
    struct smc_error reason;
    enum smc_status status = smc_stream_open(path, &stream.input, &reason);
    if (status != SMC_OK)
        return smc_fail(error, status, "option --csv: %s", reason.message);
    status = smc_csv_open(&reader, &source, error);
    if (status == SMC_OK)
        status = answer_all(&stream, &reader, error);
    smc_csv_close(&reader);
    smc_stream_close(&stream.input);
    return status;
}
