/* The header: which field of a record holds what. */
#include "batch/columns.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/suggest.h"
#include "model/occupancy.h"

#define NEEDED SMC_BATCH_NEEDED

const struct smc_column_info smc_column_info[SMC_COLUMN_COUNT] = {
#define COLUMN(id, name, option, kind, lowest, highest, initial)                                   \
    [SMC_COLUMN_##id] = {name, option, SMC_COLUMN_##kind, lowest, highest, initial},
#include "batch/columns.def"
#undef COLUMN
};

static const char *const results[] = {
#define RESULT(name) name,
#include "batch/results.def"
#undef RESULT
};

static int find_column(const char *name)
{
    for (int i = 0; i < SMC_COLUMN_COUNT; i++)
        if (smc_equal_ignoring_case(smc_column_info[i].name, name))
            return i;
    return -1;
}

static bool is_result(const char *name)
{
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (strcmp(results[i], name) == 0)
            return true;
    return false;
}

/* A column that is only carried through: perhaps it was meant to be read. */
static void note_column(const char *name, const struct smc_columns *columns, char note[256])
{
    if (*note)
        return;
    if (is_result(name)) {
        snprintf(note, 256, "the column '%.64s' stays; the one with the answer comes behind it",
                 name);
        return;
    }
    struct smc_suggestion suggestion = {.typed = name};
    for (int i = 0; i < SMC_COLUMN_COUNT; i++)
        if (columns->field[i] < 0) {
            smc_suggest_consider(&suggestion, smc_column_info[i].name);
            smc_suggest_consider(&suggestion, smc_column_info[i].option);
        }
    for (int i = 0; i < SMC_COLUMN_COUNT; i++)
        if (suggestion.best == smc_column_info[i].name ||
            suggestion.best == smc_column_info[i].option)
            snprintf(note, 256, "the column '%.64s' is not read; did you mean '%s'?", name,
                     smc_column_info[i].name);
}

static enum smc_status find_fields(const struct smc_csv_record *header, const char *file,
                                   struct smc_columns *columns, struct smc_error *error)
{
    char name[64];
    for (uint32_t i = 0; i < header->field_count; i++) {
        smc_csv_value(&header->field[i], name, sizeof name);
        int column = find_column(name);
        if (column < 0)
            continue;
        if (columns->field[column] >= 0)
            return smc_fail(error, SMC_USAGE,
                            "%s:%llu: the column '%s' occurs twice, as column %d and as column %u",
                            file, (unsigned long long)header->line, name,
                            columns->field[column] + 1, i + 1);
        columns->field[column] = (int32_t)i;
    }
    return SMC_OK;
}

static enum smc_status check_needed(const struct smc_csv_record *header, const char *file,
                                    const int64_t defaults[SMC_COLUMN_COUNT],
                                    const struct smc_columns *columns, struct smc_error *error)
{
    for (int i = 0; i < SMC_COLUMN_COUNT; i++)
        if (columns->field[i] < 0 && defaults[i] == SMC_BATCH_NEEDED)
            return smc_fail(error, SMC_USAGE, "%s:%llu: no column '%s', and no option --%s", file,
                            (unsigned long long)header->line, smc_column_info[i].name,
                            smc_column_info[i].option);
    return SMC_OK;
}

enum smc_status smc_columns_read(const struct smc_csv_record *header, const char *file,
                                 const int64_t defaults[SMC_COLUMN_COUNT],
                                 struct smc_columns *columns, char note[256],
                                 struct smc_error *error)
{
    unsigned long long line = header->line;
    char name[64];
    *columns = (struct smc_columns){.count = header->field_count};
    for (int i = 0; i < SMC_COLUMN_COUNT; i++)
        columns->field[i] = -1;
    if (header->fault != SMC_CSV_SOUND)
        return smc_fail(error, SMC_USAGE, "%s:%llu: the header has %s", file, line,
                        smc_csv_fault_text(header->fault));
    if (header->field_count > SMC_CSV_MOST_FIELDS)
        return smc_fail(error, SMC_USAGE, "%s:%llu: the header has %u columns, more than %d", file,
                        line, header->field_count, SMC_CSV_MOST_FIELDS);
    enum smc_status status = find_fields(header, file, columns, error);
    if (status != SMC_OK)
        return status;
    for (uint32_t i = 0; i < header->field_count; i++) {
        smc_csv_value(&header->field[i], name, sizeof name);
        if (find_column(name) < 0)
            note_column(name, columns, note);
    }
    return check_needed(header, file, defaults, columns, error);
}
