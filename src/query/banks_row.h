/* One row of accesses in CSV: id,op,width,mask,a0,...,a31. */
#ifndef SMC_QUERY_BANKS_ROW_H
#define SMC_QUERY_BANKS_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "model/banks.h"

struct smc_banks_row {
    const char *id; /* in the line, with its quotes; set for every row */
    size_t id_length;
    struct smc_access access;
};

/* Reads a line without its end. Op is ld or st, the mask hexadecimal, addresses decimal or with 0x;
   those of inactive lanes may be empty. Fields may stand in quotes. SMC_USAGE with a message that
   names the field. */
enum smc_status smc_banks_row_read(const char *line, size_t length, struct smc_banks_row *row,
                                   struct smc_error *error);

/* Whether the line names the columns. */
bool smc_banks_row_is_header(const char *line, size_t length);

#endif
