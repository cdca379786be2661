/* Which field of a record holds what, as the header says. */
#ifndef SMC_BATCH_COLUMNS_H
#define SMC_BATCH_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/csv_reader.h"
#include "base/status.h"

enum smc_column {
#define COLUMN(id, ...) SMC_COLUMN_##id,
#include "batch/columns.def"
#undef COLUMN
    SMC_COLUMN_COUNT
};

enum smc_column_kind {
    SMC_COLUMN_TEXT,
    SMC_COLUMN_NUMBER,
    SMC_COLUMN_BYTES, /* a size such as 48K, too */
    SMC_COLUMN_WORD,  /* the name of an enum smc_smem_mode */
};

/* Neither a column nor an option gives it. */
#define SMC_BATCH_NEEDED INT64_MIN

struct smc_column_info {
    const char *name;
    const char *option;
    enum smc_column_kind kind;
    int64_t lowest, highest, initial;
};

extern const struct smc_column_info smc_column_info[SMC_COLUMN_COUNT];

struct smc_columns {
    uint32_t count;                  /* fields of a row, those of other people's columns too */
    int32_t field[SMC_COLUMN_COUNT]; /* -1: no such column */
};

/* Reads the header. Names are compared without case and blanks around them; other columns are not
   looked at, but `note` says which one may be a misspelling ("" where none is). `file` is for
   messages; `defaults[n]` is what an option gave for column n, or its initial value. SMC_USAGE: a
   column occurs twice, or one is needed and absent. */
enum smc_status smc_columns_read(const struct smc_csv_record *header, const char *file,
                                 const int64_t defaults[SMC_COLUMN_COUNT],
                                 struct smc_columns *columns, char note[256],
                                 struct smc_error *error);

#endif
