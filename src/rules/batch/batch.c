/* Answers launches from CSV: the header, the devices, the rows, and the stream. */
#include "rules/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "rules/batch/json_rows.h"
#include "rules/batch/writer.h"
#include "rules/occupancy.h"

/* --- The header: which field of a record holds what ------------------------------------------- */

#define NEEDED SMC_BATCH_NEEDED

/* Which field of a record holds what. */
struct batch_columns {
    uint32_t count;                  /* fields of a row, including columns that are not ours */
    int32_t field[SMC_COLUMN_COUNT]; /* -1: no such column */
};

const struct smc_column_info smc_column_info[SMC_COLUMN_COUNT] = {
#define COLUMN(id, name, other, option, kind, lowest, highest, initial)                            \
    [SMC_COLUMN_##id] = {name, other, option, SMC_COLUMN_##kind, lowest, highest, initial},
#include "rules/batch/columns.def"
};

static const char *const results[] = {
#define RESULT(name)         name,
#define CLUSTER_RESULT(name) name,
#include "rules/batch/results.def"
};

enum { MOST_NAME = 64 };

/* Whether `typed` names the column. '-' counts as '_', and case is ignored. */
static bool is_column(const char *known, const char *typed)
{
    size_t i = 0;
    for (; known[i]; i++) {
        char a = known[i] == '-' ? '_' : known[i], b = typed[i] == '-' ? '_' : typed[i];
        if (a != (b >= 'A' && b <= 'Z' ? (char)(b | 0x20) : b))
            return false;
    }
    return !typed[i];
}

static int find_column(const char *name)
{
    for (int i = 0; i < SMC_COLUMN_COUNT; i++) {
        const struct smc_column_info *info = &smc_column_info[i];
        if (is_column(info->name, name) || is_column(info->option, name) ||
            (info->other_name && is_column(info->other_name, name)))
            return i;
    }
    return -1;
}

/* Whether the columns to pass name this one, "all" aside. */
static bool is_passed(const struct smc_batch *batch, const char *name)
{
    char item[MOST_NAME];
    for (size_t i = 0; i < batch->passed_count; i++) {
        if (smc_equal_ignoring_case(batch->passed[i], name))
            return true;
        for (const char *at = batch->passed[i];; at++) {
            size_t length = strcspn(at, ",");
            snprintf(item, sizeof item, "%.*s", (int)length, at);
            if (smc_equal_ignoring_case(item, name))
                return true;
            at += length;
            if (!*at)
                break;
        }
    }
    return false;
}

static bool passes_all(const struct smc_batch *batch)
{
    return smc_any(smc_is_same, "all", batch->passed, batch->passed_count);
}

/* The column that an unknown name contains as whole words, such as smem in "smem_bytes"; the
   longest one. */
static const char *find_within(const char *typed)
{
    const char *found = NULL;
    for (int i = 0; i < SMC_COLUMN_COUNT; i++) {
        const struct smc_column_info *info = &smc_column_info[i];
        const char *const names[] = {info->name, info->other_name, info->option};
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const char *at = names[k] ? strstr(typed, names[k]) : NULL;
            char after = at ? at[strlen(names[k])] : '\0';
            bool is_word = at && (at == typed || at[-1] == '_') && (!after || after == '_');
            if (is_word && (!found || strlen(names[k]) > strlen(found)))
                found = names[k];
        }
    }
    return found;
}

static const char *suggest_column(const char *typed)
{
    const char *within = find_within(typed);
    struct smc_suggestion suggestion = {.typed = typed};
    for (int i = 0; i < SMC_COLUMN_COUNT && !within; i++)
        smc_suggest_consider(&suggestion, smc_column_info[i].name);
    return within ? within : suggestion.best;
}

/* `names`: those of the unknown columns, "a,b". */
static enum smc_status batch_fail_unknown(const struct smc_csv_record *header, const char *file,
                                          const char *names, size_t count, struct smc_error *error)
{
    smc_auto_text word = {0};
    const char *meant = count == 1 ? suggest_column(names) : NULL;
    enum smc_status status = SMC_USAGE;
    smc_text_append_shell_word(&word, names);
    if (word.failed)
        status = smc_out_of_memory(error);
    else if (header->field_count == 1 && names[strcspn(names, ";\t|")])
        smc_fail(error, SMC_USAGE,
                 "%s:%llu: one column, '%s': commas separate columns, not semicolons, tabs or bars",
                 file, (unsigned long long)header->line, names);
    else if (count == 1)
        smc_fail(error, SMC_USAGE, "%s:%llu: unknown column '%s'%s%s%s --pass %s copies it unread",
                 file, (unsigned long long)header->line, names, meant ? "; did you mean '" : ":",
                 meant ? meant : "", meant ? "'?" : "", smc_text_string(&word));
    else
        smc_fail(error, SMC_USAGE, "%s:%llu: %zu unknown columns: --pass %.400s copies them unread",
                 file, (unsigned long long)header->line, count, smc_text_string(&word));
    return status;
}

static enum smc_status find_field(const struct smc_csv_record *header, uint32_t index,
                                  const char *name, const char *file, struct batch_columns *columns,
                                  struct smc_error *error)
{
    int column = find_column(name);
    if (columns->field[column] >= 0)
        return smc_fail(error, SMC_USAGE,
                        "%s:%llu: the column '%s' occurs twice, as column %d and as column %u",
                        file, (unsigned long long)header->line, smc_column_info[column].name,
                        columns->field[column] + 1, index + 1);
    columns->field[column] = (int32_t)index;
    return SMC_OK;
}

/* `note`: of a column of results, which a former batch added. */
static enum smc_status find_fields(const struct smc_csv_record *header,
                                   const struct smc_batch *batch, struct batch_columns *columns,
                                   char note[256], struct smc_error *error)
{
    const bool all = passes_all(batch);
    smc_auto_text unknown = {0};
    size_t unknown_count = 0;
    for (uint32_t i = 0; i < header->field_count; i++) {
        char name[MOST_NAME];
        smc_csv_value(&header->field[i], name, sizeof name);
        if (is_passed(batch, name))
            continue;
        if (find_column(name) >= 0)
            SMC_TRY(find_field(header, i, name, batch->file, columns, error));
        else if (SMC_ANY(smc_is_same, name, results))
            snprintf(note, 256, "the column '%.64s' is kept; the one with the answer follows it",
                     name);
        else if (!all)
            smc_text_printf(&unknown, "%s%s", unknown_count++ ? "," : "", name);
    }
    if (unknown.failed)
        return smc_out_of_memory(error);
    if (unknown_count == 0)
        return SMC_OK;
    return batch_fail_unknown(header, batch->file, smc_text_string(&unknown), unknown_count, error);
}

static enum smc_status check_needed(const struct smc_csv_record *header, const char *file,
                                    const int64_t defaults[SMC_COLUMN_COUNT],
                                    const struct batch_columns *columns, struct smc_error *error)
{
    for (int i = 0; i < SMC_COLUMN_COUNT; i++)
        if (columns->field[i] < 0 && defaults[i] == SMC_BATCH_NEEDED)
            return smc_fail(error, SMC_USAGE, "%s:%llu: no column '%s', and no option --%s", file,
                            (unsigned long long)header->line, smc_column_info[i].name,
                            smc_column_info[i].option);
    return SMC_OK;
}

/* Names are compared ignoring case and surrounding blanks. A column that is neither known nor to be
   passed is an error: its name may be misspelled, and the launches would be answered without it. */
static enum smc_status batch_read_header(const struct smc_csv_record *header,
                                         const struct smc_batch *batch,
                                         struct batch_columns *columns, char note[256],
                                         struct smc_error *error)
{
    unsigned long long line = header->line;
    *columns = (struct batch_columns){.count = header->field_count};
    for (int i = 0; i < SMC_COLUMN_COUNT; i++)
        columns->field[i] = -1;
    if (header->fault != SMC_CSV_SOUND)
        return smc_fail(error, SMC_USAGE, "%s:%llu: the header has %s", batch->file, line,
                        smc_csv_fault_text(header->fault));
    if (header->field_count > SMC_CSV_MOST_FIELDS)
        return smc_fail(error, SMC_USAGE, "%s:%llu: the header has %u columns, more than %d",
                        batch->file, line, header->field_count, SMC_CSV_MOST_FIELDS);
    enum smc_status status = find_fields(header, batch, columns, note, error);
    return status == SMC_OK
               ? check_needed(header, batch->file, batch->defaults.value, columns, error)
               : status;
}

/* --- Devices looked up once: a bounded hash table by the text of the field -------------------- */

enum {
    MOST_ENTRIES = 512, /* when full, the table is cleared */
    SLOTS = 2 * MOST_ENTRIES,
    MOST_LETTERS = 128, /* longer texts are looked up, but not cached */
};

struct batch_entry {
    char text[MOST_LETTERS];
    size_t length;
    enum smc_status status;
    struct smc_batch_device device;
    struct smc_error error; /* cached so that a column full of one unknown name is fast too */
};

struct device_cache {
    struct smc_device_finder finder;
    const struct batch_entry *latest; /* most rows name the same device as the row before */
    size_t count;
    struct batch_entry *slot[SLOTS];
    struct batch_entry entry[MOST_ENTRIES];
    struct batch_entry unkept;
};

static struct device_cache *create_cache(const struct smc_device_finder *finder)
{
    struct device_cache *cache = smc_calloc(1, sizeof *cache);
    if (cache)
        cache->finder = *finder;
    return cache;
}

static bool batch_is_text(const struct batch_entry *entry, const struct smc_csv_field *field)
{
    return entry->length == field->length && memcmp(entry->text, field->text, field->length) == 0;
}

static size_t batch_slot_of(const struct smc_csv_field *field)
{
    return smc_hash(SMC_HASH_START, field->text, field->length) % SLOTS;
}

static void batch_look_up(const struct smc_device_finder *finder, const struct smc_csv_field *field,
                          struct batch_entry *entry)
{
    char name[2 * MOST_LETTERS];
    struct smc_device device;
    smc_csv_value(field, name, sizeof name);
    entry->length = field->length;
    entry->error.message[0] = '\0';
    entry->status = finder->find(finder->context, name, &device, &entry->error);
    if (entry->status == SMC_OK)
        entry->device = (struct smc_batch_device){device.sm, device.sm_count, device.sm_groups};
}

static const struct batch_entry *batch_keep(struct device_cache *cache,
                                            const struct smc_csv_field *field, size_t slot)
{
    if (field->length > MOST_LETTERS) {
        batch_look_up(&cache->finder, field, &cache->unkept);
        return &cache->unkept;
    }
    if (cache->count == MOST_ENTRIES) {
        memset(cache->slot, 0, sizeof cache->slot);
        cache->count = 0;
        slot = batch_slot_of(field);
    }
    struct batch_entry *entry = &cache->entry[cache->count++];
    memcpy(entry->text, field->text, field->length);
    batch_look_up(&cache->finder, field, entry);
    cache->slot[slot] = entry;
    return entry;
}

static const struct batch_entry *batch_find(struct device_cache *cache,
                                            const struct smc_csv_field *field)
{
    size_t slot = batch_slot_of(field);
    for (; cache->slot[slot]; slot = (slot + 1) % SLOTS)
        if (batch_is_text(cache->slot[slot], field))
            return cache->slot[slot];
    return batch_keep(cache, field, slot);
}

/* The device that the field names, valid until the next call; NULL if there is none. */
static const struct smc_batch_device *batch_find_device(struct device_cache *cache,
                                                        const struct smc_csv_field *field,
                                                        struct smc_error *error)
{
    const struct batch_entry *entry = cache->latest;
    if (!entry || entry == &cache->unkept || !batch_is_text(entry, field))
        entry = cache->latest = batch_find(cache, field);
    if (entry->status == SMC_OK)
        return &entry->device;
    *error = entry->error;
    return NULL;
}

/* --- One row: the launch that it describes, and its occupancy --------------------------------- */

/* The state while reading a row. */
struct batch_row {
    const struct smc_csv_record *record;
    struct smc_error *error;
};

static enum smc_status fail_row(const struct batch_row *row, enum smc_column column,
                                const char *reason)
{
    return smc_fail(row->error, SMC_USAGE, "line %llu: %s: %s",
                    (unsigned long long)row->record->line, smc_column_info[column].name, reason);
}

static enum smc_status fail_missing(const struct batch_row *row, enum smc_column column)
{
    return smc_fail(row->error, SMC_USAGE, "line %llu: %s: no value, and no option --%s",
                    (unsigned long long)row->record->line, smc_column_info[column].name,
                    smc_column_info[column].option);
}

static enum smc_status batch_fail_value(const struct batch_row *row, enum smc_column column,
                                        const char *value)
{
    const struct smc_column_info *info = &smc_column_info[column];
    const char *digits = value + (*value == '-');
    bool whole = *digits && !digits[strspn(digits, "0123456789")];
    const char *kind = whole                            ? ""
                       : info->kind == SMC_COLUMN_BYTES ? "a size in bytes "
                       : info->kind == SMC_COLUMN_SHAPE ? "a number or shape (16x16) "
                                                        : "a whole number ";
    return smc_fail(row->error, SMC_USAGE, "line %llu: %s: '%s' is not %sbetween %lld and %lld",
                    (unsigned long long)row->record->line, info->name, value, kind,
                    (long long)info->lowest, (long long)info->highest);
}

static enum smc_status fail_shape(const struct batch_row *row, const struct batch_columns *columns)
{
    const struct smc_csv_record *record = row->record;
    unsigned long long line = record->line;
    if (record->fault != SMC_CSV_SOUND)
        return smc_fail(row->error, SMC_USAGE, "line %llu: the row has %s", line,
                        smc_csv_fault_text(record->fault));
    return smc_fail(row->error, SMC_USAGE, "line %llu: %u field%s, but %u column%s", line,
                    record->field_count, smc_text_plural(record->field_count), columns->count,
                    smc_text_plural(columns->count));
}

/* Cuts the ".0" of a whole number in a column that a data frame holds as floating-point, because
   other rows of it are empty. */
static void cut_zero_fraction(char *text)
{
    char *point = strchr(text, '.');
    if (point && point > text && point[1] && !point[1 + strspn(point + 1, "0")])
        *point = '\0';
}

/* A fast path for nearly all values: one to nine digits and nothing else. */
static bool batch_read_digits(const struct smc_csv_field *field, int64_t *value)
{
    uint32_t n = 0;
    if (field->length == 0 || field->length > 9)
        return false;
    for (uint32_t i = 0; i < field->length; i++) {
        uint32_t digit = (uint32_t)(unsigned char)field->text[i] - '0';
        if (digit > 9)
            return false;
        n = 10 * n + digit;
    }
    *value = n;
    return true;
}

static bool read_smem_mode(const char *text, int64_t *value)
{
    for (int i = 0; i < SMC_SMEM_MODE_COUNT; i++)
        if (strcmp(smc_smem_mode_name((enum smc_smem_mode)i), text) == 0) {
            *value = i;
            return true;
        }
    return false;
}

static enum smc_status fail_smem_mode(const struct batch_row *row, const char *text)
{
    char reason[192];
    int length = snprintf(reason, sizeof reason, "'%s' is not one of", text);
    for (int i = 0; i < SMC_SMEM_MODE_COUNT; i++)
        length += snprintf(reason + length, sizeof reason - (size_t)length, "%s %s", i ? "," : "",
                           smc_smem_mode_name((enum smc_smem_mode)i));
    return fail_row(row, SMC_COLUMN_SMEM_MODE, reason);
}

/* A shape's number of threads or blocks is the column's value. */
static bool batch_read_shape(const struct smc_column_info *info, const char *text,
                             uint32_t shape[3], int64_t *value)
{
    uint32_t product;
    if (info->kind != SMC_COLUMN_SHAPE ||
        !smc_parse_block(text, (uint32_t)info->highest, &product, shape) || product < info->lowest)
        return false;
    *value = product;
    return true;
}

/* Reads all other allowed forms. An empty field leaves `value` unchanged. */
static enum smc_status batch_read_other(const struct batch_row *row, enum smc_column column,
                                        const struct smc_csv_field *field, int64_t *value,
                                        uint32_t shape[3])
{
    const struct smc_column_info *info = &smc_column_info[column];
    char text[64];
    uint64_t bytes;
    size_t length = smc_csv_value(field, text, sizeof text);
    if (length == 0 || smc_batch_is_no_value(text, length))
        return *value == SMC_BATCH_NEEDED ? fail_missing(row, column) : SMC_OK;
    if (length >= sizeof text)
        memcpy(text + sizeof text - 4, "...", 4);
    cut_zero_fraction(text);
    if (info->kind == SMC_COLUMN_WORD)
        return read_smem_mode(text, value) ? SMC_OK : fail_smem_mode(row, text);
    bool good = info->kind == SMC_COLUMN_BYTES
                    ? smc_parse_size(text, (uint64_t)info->highest, &bytes)
                    : smc_parse_integer(text, info->lowest, info->highest, value) ||
                          batch_read_shape(info, text, shape, value);
    if (good && info->kind == SMC_COLUMN_BYTES)
        *value = (int64_t)bytes;
    return good ? SMC_OK : batch_fail_value(row, column, text);
}

/* `shape`: of the value, {0} if it is a plain number; unchanged without a value. */
static enum smc_status batch_read_number(const struct batch_row *row, enum smc_column column,
                                         const struct smc_csv_field *field, int64_t *value,
                                         uint32_t shape[3])
{
    const struct smc_column_info *info = &smc_column_info[column];
    int64_t number;
    bool digits = info->kind != SMC_COLUMN_WORD && batch_read_digits(field, &number);
    if (digits && number >= info->lowest && number <= info->highest) {
        *value = number;
        shape[0] = 0;
        return SMC_OK;
    }
    return batch_read_other(row, column, field, value, shape);
}

static bool is_empty(const struct smc_csv_field *field)
{
    char first[1];
    bool letter = field->length > 0 && *field->text > '"'; /* neither blank nor quote */
    return letter ? smc_batch_is_no_value(field->text, field->length)
                  : smc_csv_value(field, first, sizeof first) == 0;
}

static enum smc_status batch_read_device(const struct batch_row *row,
                                         const struct smc_csv_field *field,
                                         const struct smc_batch_defaults *defaults,
                                         struct device_cache *devices,
                                         const struct smc_batch_device **device)
{
    struct smc_error reason;
    *device = &defaults->device;
    if (!field)
        return SMC_OK;
    if (is_empty(field))
        return defaults->value[SMC_COLUMN_DEVICE] == SMC_BATCH_NEEDED
                   ? fail_missing(row, SMC_COLUMN_DEVICE)
                   : SMC_OK;
    *device = batch_find_device(devices, field, &reason);
    return *device ? SMC_OK : fail_row(row, SMC_COLUMN_DEVICE, reason.message);
}

/* More registers than a thread can have is an error, not a refused launch. */
static enum smc_status batch_check_regs(const struct batch_row *row, const struct smc_sm *sm,
                                        int64_t regs)
{
    if (regs <= sm->max_regs_per_thread)
        return SMC_OK;
    return smc_fail(row->error, SMC_USAGE,
                    "line %llu: regs: '%lld' is above %u, the most registers that a thread has on "
                    "compute capability %u.%u",
                    (unsigned long long)row->record->line, (long long)regs, sm->max_regs_per_thread,
                    sm->cc / 10, sm->cc % 10);
}

/* An empty field is treated like a missing column. */
static enum smc_status read_and_answer(const struct smc_csv_record *record,
                                       const struct batch_columns *columns,
                                       const struct smc_batch_defaults *defaults,
                                       struct device_cache *devices,
                                       struct smc_batch_answer *answer, struct smc_error *error)
{
    const struct batch_row row = {record, error};
    int64_t value[SMC_COLUMN_COUNT];
    uint32_t block[3], cluster[3], none[3] = {0};
    memcpy(block, defaults->block, sizeof block);
    memcpy(cluster, defaults->cluster, sizeof cluster);
    if (record->fault != SMC_CSV_SOUND || record->field_count != columns->count)
        return fail_shape(&row, columns);
    int32_t device = columns->field[SMC_COLUMN_DEVICE];
    SMC_TRY(batch_read_device(&row, device < 0 ? NULL : &record->field[device], defaults, devices,
                              &answer->device));
    for (int i = SMC_COLUMN_DEVICE + 1; i < SMC_COLUMN_COUNT; i++) {
        int32_t index = columns->field[i];
        value[i] = defaults->value[i];
        if (index >= 0)
            SMC_TRY(batch_read_number(&row, (enum smc_column)i, &record->field[index], &value[i],
                                      i == SMC_COLUMN_THREADS   ? block
                                      : i == SMC_COLUMN_CLUSTER ? cluster
                                                                : none));
    }
    SMC_TRY(batch_check_regs(&row, &answer->device->sm, value[SMC_COLUMN_REGS]));
    answer->launch = (struct smc_launch){
        .threads_per_block = (uint32_t)value[SMC_COLUMN_THREADS],
        .regs_per_thread = (uint32_t)value[SMC_COLUMN_REGS],
        .static_smem_bytes = (uint32_t)value[SMC_COLUMN_STATIC_SMEM],
        .dynamic_smem_bytes = (uint32_t)value[SMC_COLUMN_DYNAMIC_SMEM],
        .carveout_percent = (int32_t)value[SMC_COLUMN_CARVEOUT],
        .smem_mode = (enum smc_smem_mode)value[SMC_COLUMN_SMEM_MODE],
        .barriers_per_block = (uint32_t)value[SMC_COLUMN_BARRIERS],
        .blocks_per_cluster = (uint32_t)value[SMC_COLUMN_CLUSTER],
    };
    memcpy(answer->launch.block, block, sizeof block);
    memcpy(answer->launch.cluster, cluster, sizeof cluster);
    const struct smc_batch_device *of = answer->device;
    smc_launch_check(&of->sm, of->sm_count, &of->sm_groups, &answer->launch, &answer->occupancy);
    return SMC_OK;
}

void smc_batch_defaults_init(struct smc_batch_defaults *defaults)
{
    *defaults = (struct smc_batch_defaults){0};
    for (int i = 0; i < SMC_COLUMN_COUNT; i++)
        defaults->value[i] = smc_column_info[i].initial;
}

/* --- The stream ------------------------------------------------------------------------------- */

/* Everything that lives as long as the stream. */
struct batch_stream {
    const struct smc_batch *batch;
    struct smc_csv_reader reader;
    struct smc_csv_record record;
    struct batch_columns columns;
    struct smc_csv_writer *writer; /* of CSV; else NULL */
    struct smc_json_rows *json;    /* of JSON; else NULL */
    struct device_cache *devices;
    uint64_t rows, bad_rows;
    struct smc_error first_bad;
};

/* Writes the pending answers before the reader waits for more input. */
static enum smc_status batch_flush_and_read(void *context, char *bytes, size_t capacity,
                                            size_t *count, struct smc_error *error)
{
    struct batch_stream *stream = context;
    const struct smc_csv_source *source = &stream->batch->source;
    SMC_TRY(stream->json ? smc_json_rows_flush(stream->json, error)
                         : smc_csv_flush(stream->writer, error));
    return source->read(source->context, bytes, capacity, count, error);
}

static enum smc_status open_stream(struct batch_stream *stream, struct smc_error *error)
{
    const struct smc_csv_source source = {batch_flush_and_read, stream};
    if (stream->batch->format == SMC_BATCH_CSV)
        stream->writer = smc_csv_writer_create(&stream->batch->sink);
    else
        stream->json = smc_json_rows_create(&stream->batch->sink, stream->batch->format);
    stream->devices = create_cache(&stream->batch->finder);
    if ((!stream->writer && !stream->json) || !stream->devices)
        return smc_out_of_memory(error);
    return smc_csv_open(&stream->reader, &source, error);
}

static enum smc_status answer_header(struct batch_stream *stream, struct smc_error *error)
{
    const struct smc_batch *batch = stream->batch;
    char note[256] = "";
    bool found;
    SMC_TRY(smc_csv_read(&stream->reader, &stream->record, &found, error));
    if (!found)
        return smc_fail(error, SMC_USAGE, "%s:1: no header: the input is empty", batch->file);
    SMC_TRY(batch_read_header(&stream->record, batch, &stream->columns, note, error));
    if (*note && batch->tell)
        batch->tell(note);
    const bool clusters = stream->columns.field[SMC_COLUMN_CLUSTER] >= 0 ||
                          batch->defaults.value[SMC_COLUMN_CLUSTER] > 1;
    if (stream->json)
        return smc_json_rows_begin(stream->json, &stream->record, clusters, error);
    if (clusters)
        smc_csv_writer_add_clusters(stream->writer);
    return smc_csv_write_header(stream->writer, &stream->record, stream->reader.has_mark, error);
}

static enum smc_status batch_answer_row(struct batch_stream *stream, struct smc_error *error)
{
    struct smc_batch_answer answer;
    struct smc_error reason;
    stream->rows++;
    const bool good = read_and_answer(&stream->record, &stream->columns, &stream->batch->defaults,
                                      stream->devices, &answer, &reason) == SMC_OK;
    if (!good && stream->bad_rows++ == 0)
        stream->first_bad = reason;
    if (stream->json)
        return smc_json_rows_add(stream->json, &stream->record, good ? &answer : NULL,
                                 reason.message, error);
    if (good)
        return smc_csv_write_answer(stream->writer, &stream->record, &answer, error);
    return smc_csv_write_bad_row(stream->writer, &stream->record, stream->columns.count,
                                 reason.message, error);
}

static enum smc_status batch_answer_rows(struct batch_stream *stream, struct smc_error *error)
{
    for (;;) {
        bool found;
        enum smc_status status = smc_csv_read(&stream->reader, &stream->record, &found, error);
        if (status == SMC_OK && !found)
            return stream->json ? smc_json_rows_end(stream->json, error)
                                : smc_csv_flush(stream->writer, error);
        if (status == SMC_OK)
            status = batch_answer_row(stream, error);
        if (status != SMC_OK)
            return status;
    }
}

enum smc_status smc_batch_run(const struct smc_batch *batch, struct smc_error *error)
{
    struct batch_stream *stream = smc_calloc(1, sizeof *stream);
    if (!stream)
        return smc_out_of_memory(error);
    stream->batch = batch;
    enum smc_status status = open_stream(stream, error);
    if (status == SMC_OK)
        status = answer_header(stream, error);
    if (status == SMC_OK)
        status = batch_answer_rows(stream, error);
    if (status == SMC_OK && stream->bad_rows > 0)
        status = smc_fail(error, SMC_USAGE, "%s: %llu of %llu rows cannot be read; the first: %s",
                          batch->file, (unsigned long long)stream->bad_rows,
                          (unsigned long long)stream->rows, stream->first_bad.message);
    smc_csv_close(&stream->reader);
    free(stream->devices);
    smc_csv_writer_free(stream->writer);
    smc_json_rows_free(stream->json);
    free(stream);
    return status;
}
