/* One row: the launch that it describes, and its occupancy. */
#include "batch/row.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/text.h"

/* A row while it is read. */
struct row {
    const struct smc_csv_record *record;
    struct smc_error *error;
};

static enum smc_status fail_row(const struct row *row, enum smc_column column, const char *reason)
{
    return smc_fail(row->error, SMC_USAGE, "line %llu: %s: %s",
                    (unsigned long long)row->record->line, smc_column_info[column].name, reason);
}

static enum smc_status fail_missing(const struct row *row, enum smc_column column)
{
    return smc_fail(row->error, SMC_USAGE, "line %llu: %s: no value, and no option --%s",
                    (unsigned long long)row->record->line, smc_column_info[column].name,
                    smc_column_info[column].option);
}

static enum smc_status fail_value(const struct row *row, enum smc_column column, const char *value)
{
    const struct smc_column_info *info = &smc_column_info[column];
    const char *digits = value + (*value == '-');
    bool whole = *digits && !digits[strspn(digits, "0123456789")];
    const char *kind = whole                            ? ""
                       : info->kind == SMC_COLUMN_BYTES ? "a size in bytes "
                                                        : "a whole number ";
    return smc_fail(row->error, SMC_USAGE, "line %llu: %s: '%s' is not %sbetween %lld and %lld",
                    (unsigned long long)row->record->line, info->name, value, kind,
                    (long long)info->lowest, (long long)info->highest);
}

static enum smc_status fail_shape(const struct row *row, const struct smc_columns *columns)
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

/* Nearly every value: one to nine digits and nothing else. */
static bool read_digits(const struct smc_csv_field *field, int64_t *value)
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

static enum smc_status fail_smem_mode(const struct row *row, const char *text)
{
    char reason[192];
    int length = snprintf(reason, sizeof reason, "'%s' is none of", text);
    for (int i = 0; i < SMC_SMEM_MODE_COUNT; i++)
        length += snprintf(reason + length, sizeof reason - (size_t)length, "%s %s", i ? "," : "",
                           smc_smem_mode_name((enum smc_smem_mode)i));
    return fail_row(row, SMC_COLUMN_SMEM_MODE, reason);
}

/* Whatever else is allowed. An empty field leaves `value` as it is. */
static enum smc_status read_other(const struct row *row, enum smc_column column,
                                  const struct smc_csv_field *field, int64_t *value)
{
    const struct smc_column_info *info = &smc_column_info[column];
    char text[64];
    uint64_t bytes;
    size_t length = smc_csv_value(field, text, sizeof text);
    if (length == 0)
        return *value == SMC_BATCH_NEEDED ? fail_missing(row, column) : SMC_OK;
    if (length >= sizeof text)
        memcpy(text + sizeof text - 4, "...", 4);
    if (info->kind == SMC_COLUMN_WORD)
        return read_smem_mode(text, value) ? SMC_OK : fail_smem_mode(row, text);
    bool good = info->kind == SMC_COLUMN_BYTES
                    ? smc_parse_size(text, (uint64_t)info->highest, &bytes)
                    : smc_parse_integer(text, info->lowest, info->highest, value);
    if (good && info->kind == SMC_COLUMN_BYTES)
        *value = (int64_t)bytes;
    return good ? SMC_OK : fail_value(row, column, text);
}

static enum smc_status read_number(const struct row *row, enum smc_column column,
                                   const struct smc_csv_field *field, int64_t *value)
{
    const struct smc_column_info *info = &smc_column_info[column];
    int64_t number;
    bool digits = info->kind != SMC_COLUMN_WORD && read_digits(field, &number);
    if (digits && number >= info->lowest && number <= info->highest) {
        *value = number;
        return SMC_OK;
    }
    return read_other(row, column, field, value);
}

static bool is_empty(const struct smc_csv_field *field)
{
    char first[1];
    bool letter = field->length > 0 && *field->text > '"'; /* neither blank nor quote */
    return !letter && smc_csv_value(field, first, sizeof first) == 0;
}

static enum smc_status read_device(const struct row *row, const struct smc_csv_field *field,
                                   const struct smc_batch_defaults *defaults,
                                   struct smc_device_cache *devices, const struct smc_sm **sm)
{
    struct smc_error reason;
    *sm = &defaults->sm;
    if (!field)
        return SMC_OK;
    if (is_empty(field))
        return defaults->value[SMC_COLUMN_DEVICE] == SMC_BATCH_NEEDED
                   ? fail_missing(row, SMC_COLUMN_DEVICE)
                   : SMC_OK;
    *sm = smc_device_cache_find(devices, field, &reason);
    return *sm ? SMC_OK : fail_row(row, SMC_COLUMN_DEVICE, reason.message);
}

/* More registers than a thread can have is no launch at all. */
static enum smc_status check_regs(const struct row *row, const struct smc_sm *sm, int64_t regs)
{
    if (regs <= sm->max_regs_per_thread)
        return SMC_OK;
    return smc_fail(row->error, SMC_USAGE,
                    "line %llu: regs: '%lld' is above %u, the most registers a thread has on "
                    "compute capability %u.%u",
                    (unsigned long long)row->record->line, (long long)regs, sm->max_regs_per_thread,
                    sm->cc / 10, sm->cc % 10);
}

enum smc_status smc_row_answer(const struct smc_csv_record *record,
                               const struct smc_columns *columns,
                               const struct smc_batch_defaults *defaults,
                               struct smc_device_cache *devices, struct smc_batch_answer *answer,
                               struct smc_error *error)
{
    const struct row row = {record, error};
    int64_t value[SMC_COLUMN_COUNT];
    if (record->fault != SMC_CSV_SOUND || record->field_count != columns->count)
        return fail_shape(&row, columns);
    int32_t device = columns->field[SMC_COLUMN_DEVICE];
    enum smc_status status = read_device(&row, device < 0 ? NULL : &record->field[device], defaults,
                                         devices, &answer->sm);
    for (int i = SMC_COLUMN_DEVICE + 1; i < SMC_COLUMN_COUNT && status == SMC_OK; i++) {
        int32_t index = columns->field[i];
        value[i] = defaults->value[i];
        if (index >= 0)
            status = read_number(&row, (enum smc_column)i, &record->field[index], &value[i]);
    }
    if (status == SMC_OK)
        status = check_regs(&row, answer->sm, value[SMC_COLUMN_REGS]);
    if (status != SMC_OK)
        return status;
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
    smc_occupancy_compute(answer->sm, &answer->launch, &answer->occupancy);
    return SMC_OK;
}

void smc_batch_defaults_init(struct smc_batch_defaults *defaults)
{
    *defaults = (struct smc_batch_defaults){0};
    for (int i = 0; i < SMC_COLUMN_COUNT; i++)
        defaults->value[i] = smc_column_info[i].initial;
}
