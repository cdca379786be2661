/* Answered rows as CSV. */
#include "rules/batch/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum {
    /* The longest possible row: a faulty record in quotes with every quote doubled, commas, and a
       message. */
    LONGEST_ROW = 2 * SMC_CSV_MOST_BYTES + 8192,
    CAPACITY = 2 * LONGEST_ROW,
    LONGEST_LIMITERS = 88,
    MOST_WARPS = 64, /* per SM: percentages up to this are cached */
    LONGEST_PERCENT = 23,
};

struct words {
    uint8_t length;
    char text[LONGEST_LIMITERS];
};

struct percent {
    uint8_t length; /* 0: not yet known */
    char text[LONGEST_PERCENT];
};

struct smc_csv_writer {
    struct smc_csv_sink sink;
    bool has_clusters;
    char *end; /* of what is in the buffer */
    char digits[100][2];
    struct words limiters[1 << SMC_LIMIT_COUNT];
    struct percent percent[MOST_WARPS + 1][MOST_WARPS + 1]; /* by warps of the SM, warps in use */
    char buffer[CAPACITY];
};

_Static_assert(SMC_CSV_MOST_FIELDS + 32 + 2 * sizeof(struct smc_error) < 8192, "LONGEST_ROW");

static void writer_put(struct smc_csv_writer *writer, const char *text, size_t length)
{
    memcpy(writer->end, text, length);
    writer->end += length;
}

/* Writes bytes of the input, made safe for a terminal. */
static void put_input(struct smc_csv_writer *writer, const char *text, size_t length)
{
    char *start = writer->end;
    writer_put(writer, text, length);
    smc_utf8_make_safe_csv(start, length);
}

static void put_char(struct smc_csv_writer *writer, char c)
{
    *writer->end++ = c;
}

static void name_limiters(uint32_t limiters, struct words *words)
{
    words->length = 0;
    for (int i = 0; i < SMC_LIMIT_COUNT; i++) {
        if (!(limiters & 1u << i))
            continue;
        const char *name = smc_limit_name((enum smc_limit)i);
        int n = snprintf(words->text + words->length, sizeof words->text - words->length, "%s%s",
                         words->length ? "+" : "", name);
        words->length = (uint8_t)(words->length + n);
    }
}

/* The names of the results, then the commas of a row without any. */
static const char names[] = ""
#define RESULT(name) "," name
#define CLUSTER_RESULT(name)
#include "rules/batch/results.def"
    ;

static const char cluster_names[] = ""
#define RESULT(name)
#define CLUSTER_RESULT(name) "," name
#include "rules/batch/results.def"
    ;

static const char no_cluster_results[] = ""
#define RESULT(name)
#define CLUSTER_RESULT(name) ","
#include "rules/batch/results.def"
    ;

/* "launches", or "cannot_launch" and the refusals, joined as the limiters are. */
static void put_outcome(struct smc_csv_writer *writer, uint32_t refusals)
{
    static const char launches[] = "launches,", cannot[] = "cannot_launch,";
    if (!refusals) {
        writer_put(writer, launches, sizeof launches - 1);
        return;
    }
    writer_put(writer, cannot, sizeof cannot - 1);
    for (int i = 0, n = 0; i < SMC_REFUSAL_COUNT; i++)
        if (refusals & 1u << i) {
            const char *name = smc_refusal_name((enum smc_refusal)i);
            if (n++ > 0)
                put_char(writer, '+');
            writer_put(writer, name, strlen(name));
        }
}

struct smc_csv_writer *smc_csv_writer_create(const struct smc_csv_sink *sink)
{
    struct smc_csv_writer *writer = smc_calloc(1, sizeof *writer);
    if (!writer)
        return NULL;
    writer->sink = *sink;
    writer->end = writer->buffer;
    for (int i = 0; i < 100; i++) {
        writer->digits[i][0] = (char)('0' + i / 10);
        writer->digits[i][1] = (char)('0' + i % 10);
    }
    for (uint32_t i = 0; i < sizeof writer->limiters / sizeof *writer->limiters; i++)
        name_limiters(i, &writer->limiters[i]);
    return writer;
}

void smc_csv_writer_free(struct smc_csv_writer *writer)
{
    free(writer);
}

void smc_csv_writer_add_clusters(struct smc_csv_writer *writer)
{
    writer->has_clusters = true;
}

enum smc_status smc_csv_flush(struct smc_csv_writer *writer, struct smc_error *error)
{
    size_t count = (size_t)(writer->end - writer->buffer);
    writer->end = writer->buffer;
    return count ? writer->sink.write(writer->sink.context, writer->buffer, count, error) : SMC_OK;
}

/* Ensures space for any row, so that the functions below need no check. */
static enum smc_status begin_row(struct smc_csv_writer *writer, struct smc_error *error)
{
    bool fits = writer->buffer + CAPACITY - writer->end >= LONGEST_ROW;
    return fits ? SMC_OK : smc_csv_flush(writer, error);
}

/* Copies a whole array, of which `length` bytes count: a fixed size is copied without a call. */
#define PUT_PART(writer, array, length)                                                            \
    (memcpy((writer)->end, array, sizeof(array)), (writer)->end += (length))

static void writer_put_number(struct smc_csv_writer *writer, uint32_t n)
{
    if (n < 10) {
        put_char(writer, (char)('0' + n));
        return;
    }
    char text[20] = ""; /* ten digits, plus the bytes copied beyond them */
    char *first = text + 10;
    for (; n >= 100; n /= 100)
        memcpy(first -= 2, writer->digits[n % 100], 2);
    memcpy(first -= 2, writer->digits[n], 2);
    first += n < 10;
    memcpy(writer->end, first, 10);
    writer->end += text + 10 - first;
}

static void put_limit(struct smc_csv_writer *writer, uint32_t limit)
{
    put_char(writer, ',');
    if (limit != SMC_UNLIMITED)
        writer_put_number(writer, limit);
}

/* Formats the percentage like the CSV report. */
static void format_percent(const struct smc_sm *sm, const struct smc_occupancy *occupancy,
                           struct percent *percent)
{
    int length = snprintf(percent->text, sizeof percent->text, "%.10g",
                          smc_occupancy_percent(sm, occupancy));
    percent->length = (uint8_t)length;
}

static void put_percent(struct smc_csv_writer *writer, const struct smc_sm *sm,
                        const struct smc_occupancy *occupancy)
{
    struct percent other = {0};
    struct percent *percent = &other;
    if (sm->max_warps_per_sm <= MOST_WARPS && occupancy->warps_per_sm <= MOST_WARPS)
        percent = &writer->percent[sm->max_warps_per_sm][occupancy->warps_per_sm];
    if (percent->length == 0)
        format_percent(sm, occupancy, percent);
    PUT_PART(writer, percent->text, percent->length);
}

static void put_quoted(struct smc_csv_writer *writer, const char *text, size_t length)
{
    char *start = writer->end;
    put_char(writer, '"');
    for (size_t i = 0; i < length; i++) {
        put_char(writer, text[i]);
        if (text[i] == '"')
            put_char(writer, '"');
    }
    put_char(writer, '"');
    smc_utf8_make_safe_csv(start, (size_t)(writer->end - start));
}

enum smc_status smc_csv_write_header(struct smc_csv_writer *writer,
                                     const struct smc_csv_record *header, bool mark,
                                     struct smc_error *error)
{
    SMC_TRY(begin_row(writer, error));
    if (mark)
        writer_put(writer, "\xEF\xBB\xBF", 3);
    put_input(writer, header->text, header->length);
    writer_put(writer, names, sizeof names - 1);
    if (writer->has_clusters)
        writer_put(writer, cluster_names, sizeof cluster_names - 1);
    put_char(writer, '\n');
    return SMC_OK;
}

/* As the CSV report writes them. */
static void put_clusters(struct smc_csv_writer *writer, const struct smc_occupancy *occupancy)
{
    put_char(writer, ',');
    if (occupancy->resident_clusters > 0)
        writer_put_number(writer, (uint32_t)occupancy->resident_clusters);
    put_char(writer, ',');
    put_char(writer, occupancy->clusters_are_bound ? '1' : '0');
}

enum smc_status smc_csv_write_answer(struct smc_csv_writer *writer,
                                     const struct smc_csv_record *record,
                                     const struct smc_batch_answer *answer, struct smc_error *error)
{
    const struct smc_occupancy *occupancy = &answer->occupancy;
    const struct words *limiters = &writer->limiters[occupancy->limiters];
    SMC_TRY(begin_row(writer, error));
    put_input(writer, record->text, record->length);
    put_char(writer, ',');
    writer_put_number(writer, occupancy->blocks_per_sm);
    put_char(writer, ',');
    writer_put_number(writer, occupancy->warps_per_sm);
    put_char(writer, ',');
    put_percent(writer, &answer->device->sm, occupancy);
    put_char(writer, ',');
    PUT_PART(writer, limiters->text, limiters->length);
    put_limit(writer, occupancy->limit[SMC_LIMIT_WARPS]);
    put_limit(writer, occupancy->limit[SMC_LIMIT_BLOCKS]);
    put_limit(writer, occupancy->limit[SMC_LIMIT_REGISTERS]);
    put_limit(writer, occupancy->limit[SMC_LIMIT_SHARED_MEMORY]);
    put_limit(writer, occupancy->limit[SMC_LIMIT_BARRIERS]);
    put_char(writer, ',');
    writer_put_number(writer, occupancy->regs_allocated_per_block);
    put_char(writer, ',');
    writer_put_number(writer, occupancy->smem_allocated_per_block_bytes);
    writer_put(writer, ",,", 2);
    put_outcome(writer, occupancy->refusals);
    if (writer->has_clusters)
        put_clusters(writer, occupancy);
    put_char(writer, '\n');
    return SMC_OK;
}

static void put_reason(struct smc_csv_writer *writer, const char *reason)
{
    if (reason[strcspn(reason, ",\"\r\n")])
        put_quoted(writer, reason, strlen(reason));
    else
        writer_put(writer, reason, strlen(reason));
}

enum smc_status smc_csv_write_bad_row(struct smc_csv_writer *writer,
                                      const struct smc_csv_record *record, uint32_t columns,
                                      const char *reason, struct smc_error *error)
{
    static const char *const results[] = {
#define RESULT(name) name,
#define CLUSTER_RESULT(name)
#include "rules/batch/results.def"
    };
    SMC_TRY(begin_row(writer, error));
    for (uint32_t i = 0; i < columns; i++) {
        if (i > 0)
            put_char(writer, ',');
        if (i >= record->field_count)
            continue;
        const struct smc_csv_field *field = &record->field[i];
        if (field->faulty)
            put_quoted(writer, field->text, field->length);
        else
            put_input(writer, field->text, field->length);
    }
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        put_char(writer, ',');
        if (strcmp(results[i], "error") == 0)
            put_reason(writer, reason);
    }
    if (writer->has_clusters)
        writer_put(writer, no_cluster_results, sizeof no_cluster_results - 1);
    put_char(writer, '\n');
    return SMC_OK;
}
