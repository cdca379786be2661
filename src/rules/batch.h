/* Answers launches from a CSV stream, one row at a time. Memory use does not grow with the
   input. */
#ifndef SMC_RULES_BATCH_H
#define SMC_RULES_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "rules/batch/writer.h"
#include "rules/devices.h"

enum smc_column {
#define COLUMN(id, ...) SMC_COLUMN_##id,
#include "rules/batch/columns.def"
    SMC_COLUMN_COUNT
};

enum smc_column_kind {
    SMC_COLUMN_TEXT,
    SMC_COLUMN_NUMBER,
    SMC_COLUMN_SHAPE, /* a number, or one of up to three dimensions: 16x16 */
    SMC_COLUMN_BYTES, /* a size such as 48K, too */
    SMC_COLUMN_WORD,  /* the name of an enum smc_smem_mode */
};

/* Neither a column nor an option gives it. */
#define SMC_BATCH_NEEDED INT64_MIN

struct smc_column_info {
    const char *name;
    const char *other_name; /* or NULL */
    const char *option;
    enum smc_column_kind kind;
    int64_t lowest, highest, initial;
};

extern const struct smc_column_info smc_column_info[SMC_COLUMN_COUNT];

/* The values for fields that a row does not give. */
struct smc_batch_defaults {
    int64_t value[SMC_COLUMN_COUNT]; /* by column; for the device only whether it is NEEDED */
    uint32_t block[3], cluster[3];   /* the shapes of threads and cluster; {0}: not known */
    struct smc_batch_device device;
};

/* Sets every column's value to the default without options. */
void smc_batch_defaults_init(struct smc_batch_defaults *defaults);

/* Finds devices by their names; a failure's message has no prefix. */
struct smc_device_finder {
    enum smc_status (*find)(void *context, const char *name, struct smc_device *device,
                            struct smc_error *error);
    void *context;
};

struct smc_batch {
    const char *file; /* the input's name in messages */
    struct smc_csv_source source;
    struct smc_csv_sink sink;
    enum smc_batch_format format;
    struct smc_batch_defaults defaults;
    struct smc_device_finder finder; /* looks up the names in the column 'device' */
    /* Columns that are copied and not read, named as "a,b"; "all": every one that has no name of
       smc_column_info. */
    const char *const *passed;
    size_t passed_count;
    /* Called once, when the header is read, with a note on it. NULL: the note is dropped. */
    void (*tell)(const char *note);
};

/* Results are written out before more input is waited for, so that a program connected by two pipes
   can send one row at a time. SMC_USAGE: the header, or at least one row, cannot be read; the
   output has a line for each bad row in its place, and the message counts them. SMC_MACHINE:
   source, sink or memory. */
enum smc_status smc_batch_run(const struct smc_batch *batch, struct smc_error *error);

#endif
