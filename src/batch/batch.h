/* Launches in, answers out: a CSV stream, a row at a time. Memory does not grow with the input. */
#ifndef SMC_BATCH_BATCH_H
#define SMC_BATCH_BATCH_H

#include "base/csv_reader.h"
#include "batch/row.h"
#include "batch/writer.h"

struct smc_batch {
    const char *file; /* the input's name in messages */
    struct smc_csv_source source;
    struct smc_csv_sink sink;
    struct smc_batch_defaults defaults;
    struct smc_device_finder finder; /* of what the column 'device' names */
    /* Called once, when the header is read, with a note on it. NULL: nobody is told. */
    void (*tell)(const char *note);
};

/* Results are written out before more input is waited for, so that a program at the other end of
   two pipes may ask row by row. SMC_USAGE: the header, or at least one row, cannot be read; bad
   rows are answered in their place, and the message counts them. SMC_MACHINE: source, sink or
   memory. */
enum smc_status smc_batch_run(const struct smc_batch *batch, struct smc_error *error);

#endif
