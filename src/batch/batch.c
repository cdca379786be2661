/* Launches in, answers out. */
#include "batch/batch.h"

#include <stdlib.h>

#include "base/memory.h"

/* Everything that lives as long as the stream. */
struct stream {
    const struct smc_batch *batch;
    struct smc_csv_reader reader;
    struct smc_csv_record record;
    struct smc_columns columns;
    struct smc_csv_writer *writer;
    struct smc_device_cache *devices;
    uint64_t rows, bad_rows;
    struct smc_error first_bad;
};

/* What is answered goes out before the reader waits for more. */
static enum smc_status flush_and_read(void *context, char *bytes, size_t capacity, size_t *count,
                                      struct smc_error *error)
{
    struct stream *stream = context;
    const struct smc_csv_source *source = &stream->batch->source;
    enum smc_status status = smc_csv_flush(stream->writer, error);
    return status == SMC_OK ? source->read(source->context, bytes, capacity, count, error) : status;
}

static enum smc_status open_stream(struct stream *stream, struct smc_error *error)
{
    const struct smc_csv_source source = {flush_and_read, stream};
    stream->writer = smc_csv_writer_create(&stream->batch->sink);
    stream->devices = smc_device_cache_create(&stream->batch->finder);
    if (!stream->writer || !stream->devices)
        return smc_out_of_memory(error);
    return smc_csv_open(&stream->reader, &source, error);
}

static void close_stream(struct stream *stream)
{
    smc_csv_close(&stream->reader);
    smc_device_cache_free(stream->devices);
    smc_csv_writer_free(stream->writer);
    free(stream);
}

static enum smc_status answer_header(struct stream *stream, struct smc_error *error)
{
    const struct smc_batch *batch = stream->batch;
    char note[256] = "";
    bool found;
    enum smc_status status = smc_csv_read(&stream->reader, &stream->record, &found, error);
    if (status != SMC_OK)
        return status;
    if (!found)
        return smc_fail(error, SMC_USAGE, "%s:1: no header: the input is empty", batch->file);
    status = smc_columns_read(&stream->record, batch->file, batch->defaults.value, &stream->columns,
                              note, error);
    if (*note && batch->tell)
        batch->tell(note);
    if (status != SMC_OK)
        return status;
    return smc_csv_write_header(stream->writer, &stream->record, stream->reader.has_mark, error);
}

static enum smc_status answer_row(struct stream *stream, struct smc_error *error)
{
    struct smc_batch_answer answer;
    struct smc_error reason;
    stream->rows++;
    if (smc_row_answer(&stream->record, &stream->columns, &stream->batch->defaults, stream->devices,
                       &answer, &reason) == SMC_OK)
        return smc_csv_write_answer(stream->writer, &stream->record, &answer, error);
    if (stream->bad_rows++ == 0)
        stream->first_bad = reason;
    return smc_csv_write_bad_row(stream->writer, &stream->record, stream->columns.count,
                                 reason.message, error);
}

static enum smc_status answer_rows(struct stream *stream, struct smc_error *error)
{
    for (;;) {
        bool found;
        enum smc_status status = smc_csv_read(&stream->reader, &stream->record, &found, error);
        if (status == SMC_OK && !found)
            return smc_csv_flush(stream->writer, error);
        if (status == SMC_OK)
            status = answer_row(stream, error);
        if (status != SMC_OK)
            return status;
    }
}

enum smc_status smc_batch_run(const struct smc_batch *batch, struct smc_error *error)
{
    struct stream *stream = smc_calloc(1, sizeof *stream);
    if (!stream)
        return smc_out_of_memory(error);
    stream->batch = batch;
    enum smc_status status = open_stream(stream, error);
    if (status == SMC_OK)
        status = answer_header(stream, error);
    if (status == SMC_OK)
        status = answer_rows(stream, error);
    if (status == SMC_OK && stream->bad_rows > 0)
        status = smc_fail(error, SMC_USAGE, "%s: %llu of %llu rows cannot be read; the first: %s",
                          batch->file, (unsigned long long)stream->bad_rows,
                          (unsigned long long)stream->rows, stream->first_bad.message);
    close_stream(stream);
    return status;
}
