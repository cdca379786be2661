/* A table with a group of columns for each device, in bands of as many devices as the width
   holds. */
#ifndef SMC_REPORT_TEXT_SIDE_BY_SIDE_H
#define SMC_REPORT_TEXT_SIDE_BY_SIDE_H

#include "report/report.h"

struct smc_side_by_side {
    const void *context;
    size_t devices, rows;
    const struct smc_device *(*device)(const void *context, size_t device);
    const char *row_head;  /* above the rows' labels */
    const char *cell_head; /* above each device's cells */
    /* Each appends to `text`, which is empty. A row without any cell is left out. */
    void (*label)(const void *context, size_t row, struct smc_text *text);
    void (*cell)(const void *context, size_t device, size_t row, struct smc_text *text);
};

/* Begins with an empty line. */
void smc_text_side_by_side(const struct smc_side_by_side *table,
                           const struct smc_report_style *style, struct smc_text *out);

#endif
