/* Fuzzes batch: whatever the input, the output is sound CSV with a row for each one read, and the
   pieces in which the input comes make no difference. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rules/batch.h"

struct stream {
    const char *bytes;
    size_t length, next, piece;
    struct smc_text out;
};

static enum smc_status read_piece(void *context, char *bytes, size_t capacity, size_t *count,
                                  struct smc_error *error)
{
    struct stream *stream = context;
    size_t left = stream->length - stream->next;
    (void)error;
    *count = stream->piece < left ? stream->piece : left;
    if (*count > capacity)
        *count = capacity;
    if (*count)
        memcpy(bytes, stream->bytes + stream->next, *count);
    stream->next += *count;
    return SMC_OK;
}

static enum smc_status write_piece(void *context, const char *bytes, size_t count,
                                   struct smc_error *error)
{
    struct stream *stream = context;
    (void)error;
    smc_text_append_bytes(&stream->out, bytes, count);
    return SMC_OK;
}

static enum smc_status find_device(void *context, const char *name, struct smc_device *device,
                                   struct smc_error *error)
{
    char note[256];
    (void)context;
    return smc_device_find(name, device, note, error);
}

static enum smc_status run(struct stream *stream, struct smc_error *error)
{
    struct smc_batch batch = {.file = "x",
                              .source = {read_piece, stream},
                              .sink = {write_piece, stream},
                              .finder = {find_device, NULL}};
    smc_batch_defaults_init(&batch.defaults);
    *error = (struct smc_error){""};
    return smc_batch_run(&batch, error);
}

/* Reads back what was written: each record is sound and has as many fields as the first. */
static void check_output(const struct smc_text *out)
{
    static struct smc_csv_record record;
    struct stream stream = {.bytes = out->data, .length = out->length, .piece = SIZE_MAX};
    const struct smc_csv_source source = {read_piece, &stream};
    struct smc_csv_reader reader;
    struct smc_error error;
    uint32_t columns = 0;
    bool found;
    if (smc_csv_open(&reader, &source, &error) != SMC_OK)
        abort();
    while (smc_csv_read(&reader, &record, &found, &error) == SMC_OK && found) {
        columns = columns ? columns : record.field_count;
        if (record.fault == SMC_CSV_TOO_LONG)
            continue; /* the input's longest and the answer */
        bool sound = record.fault == SMC_CSV_SOUND || record.fault == SMC_CSV_NUL_BYTE;
        if (!sound || record.field_count != columns)
            abort();
    }
    smc_csv_close(&reader);
}

int fuzz_batch(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    struct stream whole = {.bytes = (const char *)data + 1, .length = size - 1, .piece = SIZE_MAX};
    struct stream pieces = whole;
    struct smc_error whole_error, pieces_error;
    pieces.piece = 1 + data[0] % 31;
    enum smc_status status = run(&whole, &whole_error);
    if (run(&pieces, &pieces_error) != status ||
        strcmp(whole_error.message, pieces_error.message) != 0 ||
        whole.out.length != pieces.out.length ||
        (whole.out.length && memcmp(whole.out.data, pieces.out.data, whole.out.length) != 0))
        abort();
    if ((status != SMC_OK && status != SMC_USAGE) ||
        (status == SMC_OK) != (whole_error.message[0] == '\0'))
        abort();
    if (whole.out.length)
        check_output(&whole.out);
    smc_text_free(&whole.out);
    smc_text_free(&pieces.out);
    return 0;
}
