/* One row: the launch that it describes, and its occupancy. */
#ifndef SMC_BATCH_ROW_H
#define SMC_BATCH_ROW_H

#include "base/status.h"
#include "batch/columns.h"
#include "batch/device_cache.h"
#include "model/occupancy.h"

/* What gives the values of a row that the row does not. */
struct smc_batch_defaults {
    int64_t value[SMC_COLUMN_COUNT]; /* by column; of the device only whether it is NEEDED */
    struct smc_sm sm;                /* of the device */
};

/* Every column's initial value: what no option gives. */
void smc_batch_defaults_init(struct smc_batch_defaults *defaults);

struct smc_batch_answer {
    const struct smc_sm *sm; /* lasts until the next row */
    struct smc_launch launch;
    struct smc_occupancy occupancy;
};

/* Reads a row and answers it. An empty field counts as one that no column gives; blanks around a
   value do not count. SMC_USAGE: it cannot be read; the message names line, column and value. */
enum smc_status smc_row_answer(const struct smc_csv_record *record,
                               const struct smc_columns *columns,
                               const struct smc_batch_defaults *defaults,
                               struct smc_device_cache *devices, struct smc_batch_answer *answer,
                               struct smc_error *error);

#endif
