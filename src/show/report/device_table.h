/* A table that compares devices: a group of columns for each, in bands of as many devices as the
   width holds. */
#ifndef SMC_SHOW_DEVICE_TABLE_H
#define SMC_SHOW_DEVICE_TABLE_H

#include "show/report/report.h"

struct smc_device_table {
    const void *context;
    size_t devices, rows;
    const struct smc_device *(*device)(const void *context, size_t device);
    const char *row_head;  /* above the rows' labels */
    const char *cell_head; /* above each device's cells */
    /* Each appends to `text`, which is empty. A row whose cells are all empty is omitted. */
    void (*label)(const void *context, size_t row, struct smc_text *text);
    void (*cell)(const void *context, size_t device, size_t row, struct smc_text *text);
};

/* Begins with an empty line. */
void smc_device_table(const struct smc_device_table *table, struct smc_text *out);

#endif
