/* Reads CSV (RFC 4180) from a stream, a record at a time: quotes, CRLF, line ends within quotes, a
   last line without a line end, a byte order mark. Empty lines are skipped. Nothing is copied and
   nothing is allocated after opening, so memory does not grow with the input. */
#ifndef SMC_BASE_CSV_READER_H
#define SMC_BASE_CSV_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    SMC_CSV_MOST_BYTES = 64 * 1024, /* of a record; a longer one is a fault */
    SMC_CSV_MOST_FIELDS = 1024,     /* more are counted, but not kept */
};

/* What is wrong with a record; the first fault is reported. */
enum smc_csv_fault {
    SMC_CSV_SOUND,
    SMC_CSV_NUL_BYTE,
    SMC_CSV_CARRIAGE_RETURN, /* outside quotes and not before a line feed */
    SMC_CSV_AFTER_QUOTE,     /* text between the closing quote and the comma */
    SMC_CSV_UNCLOSED_QUOTE,  /* no closing quote within SMC_CSV_MOST_BYTES; the record is its first
                                line only */
    SMC_CSV_TOO_LONG,        /* only the fields that end within SMC_CSV_MOST_BYTES are kept */
};

struct smc_csv_field {
    const char *text; /* unchanged, with its quotes; not null-terminated */
    uint32_t length;
    bool quoted; /* begins and ends in a quote */
    bool faulty; /* copying it unchanged would break the record */
};

struct smc_csv_record {
    uint64_t line; /* of its first character, from 1 */
    const char *text;
    size_t length; /* without the line's end */
    uint32_t field_count;
    enum smc_csv_fault fault;
    struct smc_csv_field field[SMC_CSV_MOST_FIELDS];
};

/* A source of bytes. `read` sets `count` to 1 to `capacity`, or to 0 at the end. */
struct smc_csv_source {
    enum smc_status (*read)(void *context, char *bytes, size_t capacity, size_t *count,
                            struct smc_error *error);
    void *context;
};

struct smc_csv_reader {
    struct smc_csv_source source;
    char *buffer;
    char *next, *end; /* read, but not yet part of a record */
    uint64_t line;
    bool ended;
    bool within_line;           /* the rest of a line is still to be skipped */
    bool has_mark;              /* the stream began with a byte order mark, which is skipped */
    size_t most_bytes;          /* of a record */
    uint32_t most_fields;       /* of a record */
    struct smc_csv_field *more; /* those from SMC_CSV_MOST_FIELDS on; see smc_csv_field_at */
};

/* SMC_MACHINE: out of memory. Close it in any case. */
enum smc_status smc_csv_open(struct smc_csv_reader *reader, const struct smc_csv_source *source,
                             struct smc_error *error);

/* The same for records of up to `most_bytes` and `most_fields`, which may be more than the limits
   above. */
enum smc_status smc_csv_open_wide(struct smc_csv_reader *reader,
                                  const struct smc_csv_source *source, size_t most_bytes,
                                  uint32_t most_fields, struct smc_error *error);
void smc_csv_close(struct smc_csv_reader *reader);

/* The next record, or `*found` false at the end. Its text lasts until the next call. Fails only if
   the source does. */
enum smc_status smc_csv_read(struct smc_csv_reader *reader, struct smc_csv_record *record,
                             bool *found, struct smc_error *error);

/* A field of the record that was read last; NULL if it has no such field, or it was not kept. */
const struct smc_csv_field *smc_csv_field_at(const struct smc_csv_reader *reader,
                                             const struct smc_csv_record *record, uint32_t index);

/* Copies a field without its quotes and the blanks around it, null-terminated and truncated to fit.
   Returns its full length. */
size_t smc_csv_value(const struct smc_csv_field *field, char *value, size_t capacity);

/* "a NUL byte", ...: completes "the row has ". */
const char *smc_csv_fault_text(enum smc_csv_fault fault);

#endif
