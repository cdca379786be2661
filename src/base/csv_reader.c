/* CSV records from a stream. */
#include "base/csv_reader.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 * 1024 }; /* read at a time */

/* With this many bytes, the longest record and its CRLF, nothing more has to be read. */
static size_t enough_bytes(const struct smc_csv_reader *reader)
{
    return reader->most_bytes + 2;
}

/* Characters at which the scan of a field without quotes stops. */
static const bool stops[256] = {[','] = true, ['\n'] = true, ['\r'] = true, ['\0'] = true};

static enum smc_status csv_reader_fill(struct smc_csv_reader *reader, struct smc_error *error)
{
    size_t kept = (size_t)(reader->end - reader->next), count = 0;
    memmove(reader->buffer, reader->next, kept);
    reader->next = reader->buffer;
    reader->end = reader->buffer + kept;
    SMC_TRY(reader->source.read(reader->source.context, reader->end, BLOCK, &count, error));
    reader->ended = count == 0;
    reader->end += count;
    *reader->end = '\n';
    return SMC_OK;
}

/* One scan over a record, from `next` to at most `stop`, which holds a line feed. */
struct scan {
    const char *next;
    const char *stop;
    bool final; /* no more of the record follows `stop` */
    bool ended; /* the record ended before `stop` or, in a final scan, at it */
    bool has_quotes;
    bool unclosed;
    struct smc_csv_record *record;
    struct smc_csv_reader *reader;
};

static void note_fault(struct scan *scan, struct smc_csv_field *field, enum smc_csv_fault fault)
{
    field->faulty = true;
    if (scan->record->fault == SMC_CSV_SOUND)
        scan->record->fault = fault;
}

/* Skips a field without quotes, or what follows a quoted one. False: more input is needed. */
static bool skip_plain(struct scan *scan, struct smc_csv_field *field)
{
    for (const char *at = scan->next;; at++) {
        while (!stops[(unsigned char)*at])
            at++;
        scan->next = at;
        if (*at == ',' || *at == '\n')
            return at < scan->stop || scan->final;
        if (*at == '\r') {
            if (at + 1 == scan->stop && !scan->final)
                return false;
            if (at[1] == '\n')
                return true;
            note_fault(scan, field, SMC_CSV_CARRIAGE_RETURN);
        } else
            note_fault(scan, field, SMC_CSV_NUL_BYTE);
    }
}

static bool csv_reader_skip_quoted(struct scan *scan, struct smc_csv_field *field)
{
    const char *at = scan->next + 1;
    scan->has_quotes = true;
    for (;; at += 2) {
        at = memchr(at, '"', (size_t)(scan->stop - at));
        if (!at) {
            if (!scan->final)
                return false;
            note_fault(scan, field, SMC_CSV_UNCLOSED_QUOTE);
            scan->unclosed = true;
            scan->next = scan->stop - (scan->stop[-1] == '\r');
            return true;
        }
        if (at[1] != '"')
            break;
    }
    if (memchr(scan->next, '\0', (size_t)(at - scan->next)))
        note_fault(scan, field, SMC_CSV_NUL_BYTE);
    scan->next = at + 1;
    field->quoted = true;
    if (!skip_plain(scan, field))
        return false;
    if (scan->next > at + 1) {
        field->quoted = false;
        note_fault(scan, field, SMC_CSV_AFTER_QUOTE);
    }
    return true;
}

/* Where the field is kept; `surplus` if it is not. */
static struct smc_csv_field *csv_reader_place_of(struct scan *scan, uint32_t index,
                                                 struct smc_csv_field *surplus)
{
    if (index < SMC_CSV_MOST_FIELDS)
        return &scan->record->field[index];
    return index < scan->reader->most_fields ? &scan->reader->more[index - SMC_CSV_MOST_FIELDS]
                                             : surplus;
}

static void scan_record(struct scan *scan)
{
    struct smc_csv_record *record = scan->record;
    struct smc_csv_field surplus;
    record->fault = SMC_CSV_SOUND;
    for (record->field_count = 0;;) {
        uint32_t index = record->field_count++;
        struct smc_csv_field *field = csv_reader_place_of(scan, index, &surplus);
        *field = (struct smc_csv_field){.text = scan->next};
        if (!(*scan->next == '"' ? csv_reader_skip_quoted(scan, field) : skip_plain(scan, field)))
            return;
        field->length = (uint32_t)(scan->next - field->text);
        if (*scan->next != ',')
            break;
        scan->next++;
    }
    record->length = (size_t)(scan->next - record->text);
    scan->ended = true;
}

static uint64_t count_line_feeds(const char *text, size_t length)
{
    uint64_t count = 0;
    const char *end = text + length;
    while ((text = memchr(text, '\n', (size_t)(end - text)))) {
        count++;
        text++;
    }
    return count;
}

/* Moves past the record and its line end. */
static void csv_reader_take(struct smc_csv_reader *reader, const struct scan *scan)
{
    const struct smc_csv_record *record = scan->record;
    reader->next += record->length;
    if (reader->next < reader->end && *reader->next == '\r')
        reader->next++;
    if (reader->next < reader->end)
        reader->next++;
    reader->line++;
    if (scan->has_quotes)
        reader->line += count_line_feeds(record->text, record->length);
}

/* The record does not end within the limit: only its first line is used, so that a stray quote
   spoils one row and not all that follow. False: that line is too long as well. */
static bool take_first_line(struct smc_csv_reader *reader, struct smc_csv_record *record)
{
    size_t available = (size_t)(reader->end - reader->next);
    size_t most = available < reader->most_bytes + 1 ? available : reader->most_bytes + 1;
    const char *stop = memchr(reader->next, '\n', most);
    if (!stop && available > reader->most_bytes)
        return false;
    struct scan scan = {
        .next = reader->next,
        .stop = stop ? stop : reader->end,
        .final = true,
        .record = record,
        .reader = reader,
    };
    scan_record(&scan);
    csv_reader_take(reader, &scan);
    return true;
}

/* The record is too long: only the fields that end within the limit are kept, and
   csv_reader_skip_line skips the rest. */
static void take_beginning(struct smc_csv_reader *reader, struct smc_csv_record *record)
{
    char *stop = reader->next + reader->most_bytes, instead = *stop;
    struct scan scan = {
        .next = reader->next, .stop = stop, .final = true, .record = record, .reader = reader};
    *stop = '\n';
    scan_record(&scan);
    *stop = instead;
    record->fault = SMC_CSV_TOO_LONG;
    record->field_count--; /* the last one is incomplete */
    reader->next = stop;
    reader->within_line = true;
}

static enum smc_status csv_reader_skip_line(struct smc_csv_reader *reader, struct smc_error *error)
{
    while (reader->within_line) {
        char *end = memchr(reader->next, '\n', (size_t)(reader->end - reader->next));
        reader->next = end ? end + 1 : reader->end;
        reader->within_line = !end && !reader->ended;
        reader->line += end != NULL;
        SMC_TRY(reader->within_line ? csv_reader_fill(reader, error) : SMC_OK);
    }
    return SMC_OK;
}

static bool skip_empty_lines(struct smc_csv_reader *reader)
{
    while (reader->next < reader->end) {
        const char *at = reader->next;
        if (*at == '\r' && (at + 1 < reader->end || reader->ended))
            at++;
        if (*at != '\n')
            return true;
        reader->next += at - reader->next + (at < reader->end);
        reader->line++;
    }
    return false;
}

static enum smc_status skip_mark(struct smc_csv_reader *reader, struct smc_error *error)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t length = sizeof mark - 1;
    while ((size_t)(reader->end - reader->next) < length && !reader->ended)
        SMC_TRY(csv_reader_fill(reader, error));
    reader->has_mark =
        (size_t)(reader->end - reader->next) >= length && memcmp(reader->next, mark, length) == 0;
    reader->next += reader->has_mark ? length : 0;
    return SMC_OK;
}

enum smc_status smc_csv_open(struct smc_csv_reader *reader, const struct smc_csv_source *source,
                             struct smc_error *error)
{
    return smc_csv_open_wide(reader, source, SMC_CSV_MOST_BYTES, SMC_CSV_MOST_FIELDS, error);
}

enum smc_status smc_csv_open_wide(struct smc_csv_reader *reader,
                                  const struct smc_csv_source *source, size_t most_bytes,
                                  uint32_t most_fields, struct smc_error *error)
{
    *reader = (struct smc_csv_reader){
        .source = *source, .line = 1, .most_bytes = most_bytes, .most_fields = most_fields};
    reader->buffer = smc_malloc(enough_bytes(reader) + BLOCK + 1); /* a line feed after the input */
    if (most_fields > SMC_CSV_MOST_FIELDS)
        reader->more = smc_malloc((most_fields - SMC_CSV_MOST_FIELDS) * sizeof *reader->more);
    if (!reader->buffer || (most_fields > SMC_CSV_MOST_FIELDS && !reader->more))
        return smc_out_of_memory(error);
    reader->next = reader->end = reader->buffer;
    *reader->end = '\n';
    return skip_mark(reader, error);
}

void smc_csv_close(struct smc_csv_reader *reader)
{
    free(reader->buffer);
    free(reader->more);
    reader->buffer = NULL;
    reader->more = NULL;
}

/* Reads the record if all of it is in the buffer. */
static bool take_whole(struct smc_csv_reader *reader, struct smc_csv_record *record)
{
    struct scan scan = {
        .next = reader->next,
        .stop = reader->end,
        .final = reader->ended,
        .record = record,
        .reader = reader,
    };
    scan_record(&scan);
    if (!scan.ended || scan.unclosed || record->length > reader->most_bytes)
        return false;
    csv_reader_take(reader, &scan);
    return true;
}

enum smc_status smc_csv_read(struct smc_csv_reader *reader, struct smc_csv_record *record,
                             bool *found, struct smc_error *error)
{
    enum smc_status status = csv_reader_skip_line(reader, error);
    while (status == SMC_OK) {
        *found = skip_empty_lines(reader);
        record->line = reader->line;
        record->text = reader->next;
        if (*found && take_whole(reader, record))
            return SMC_OK;
        bool enough = reader->ended || (size_t)(reader->end - reader->next) >= enough_bytes(reader);
        if (*found && enough && take_first_line(reader, record))
            return SMC_OK;
        if (enough)
            break;
        status = csv_reader_fill(reader, error);
    }
    if (status == SMC_OK && *found)
        take_beginning(reader, record);
    return status;
}

const struct smc_csv_field *smc_csv_field_at(const struct smc_csv_reader *reader,
                                             const struct smc_csv_record *record, uint32_t index)
{
    if (index >= record->field_count || index >= reader->most_fields)
        return NULL;
    return index < SMC_CSV_MOST_FIELDS ? &record->field[index]
                                       : &reader->more[index - SMC_CSV_MOST_FIELDS];
}

static bool csv_reader_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

size_t smc_csv_value(const struct smc_csv_field *field, char *value, size_t capacity)
{
    const char *at = field->text + field->quoted;
    const char *end = field->text + field->length - field->quoted;
    while (at < end && csv_reader_is_blank(*at))
        at++;
    while (end > at && csv_reader_is_blank(end[-1]))
        end--;
    size_t length = 0;
    for (; at < end; at++, length++) {
        if (length + 1 < capacity)
            value[length] = *at;
        if (field->quoted && *at == '"')
            at++; /* the second of two quotes */
    }
    value[length < capacity ? length : capacity - 1] = '\0';
    return length;
}

const char *smc_csv_fault_text(enum smc_csv_fault fault)
{
    static const char *const texts[] = {
        [SMC_CSV_SOUND] = "no fault",
        [SMC_CSV_NUL_BYTE] = "a NUL byte",
        [SMC_CSV_CARRIAGE_RETURN] = "a carriage return outside quotes",
        [SMC_CSV_AFTER_QUOTE] = "text after a closing quote",
        [SMC_CSV_UNCLOSED_QUOTE] = "a quote that is never closed",
        [SMC_CSV_TOO_LONG] = "more than 65536 bytes",
    };
    return texts[fault];
}
